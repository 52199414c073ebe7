#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spank-steps.t - batch, nested, heterogeneous, overlapping and partial steps
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/spank.sh
. "$(dirname "$0")/spank.sh"

spank_up --nodes 3

# batch OPTION... reads the script's body; prints what the job printed
batch() {
    local job
    {
        echo '#!/bin/sh'
        echo "task=$task"
        cat
    } >"$work/script"
    job=$(sbatch --parsable -o "$work/batch.out" "$@" "$work/script") || return
    wait_for_state "$job" COMPLETED >&2 || tail "$work/batch.out" >&2
    cat "$work/batch.out"
}

both="node001 0 1 $hca
node001 1 0 $hca"

is "$(batch -N1 -n2 --gpus-per-node=4 <<'END'
env | grep -E '^(NCCL|LEAFWARD_(N|R|G|O))' | sort
$task
END
)" "node001 0 0-1 unset" "the batch step is not touched"
is "$(batch -N1 -n2 --gpus-per-node=4 <<<'srun $task | sort')" "$both" \
    "an srun in it is bound and knows its rails"
is "$(batch -N1 -n2 --gpus-per-node=4 --export=NONE <<<'srun $task | sort')" \
    "$both" "also with --export=NONE"
is "$(batch -N1 -n2 --gpus-per-node=4 <<'END'
export NCCL_IB_HCA=mlx5_7
srun $task | sort
END
)" "node001 0 1 mlx5_7
node001 1 0 mlx5_7" "what the script exports stays"
is "$(batch -N1 -n2 --gpus-per-node=4 --leafward=off <<<'srun $task | sort')" \
    "node001 0 0 unset
node001 1 1 unset" "--leafward=off of the job reaches its steps"

# A task starts a step of its own: it inherits the outer step's variables,
# which are of another node.
inventory node002
sed -i 's/mlx5_/other_/g' "$cluster_dir/inventory/node002.json"
is "$(batch -N2 --ntasks-per-node=2 --gpus-per-node=4 <<'END'
srun -N1 -n1 -c2 -w node001 --overlap sh -c \
    "srun -N1 -n2 -c1 -w node002 --overlap --gpus-per-node=4 $task" | sort
END
)" "node002 0 1 ${hca//mlx5_/other_}
node002 1 0 ${hca//mlx5_/other_}" \
    "a nested step gets its own node's rails and is bound"
inventory node002

is "$(batch -N2 --ntasks-per-node=2 --gpus-per-node=4 <<'END'
srun -N1 -n2 -w node001 --gpus-per-node=4 $task | sort
END
)" "$both" "a step of fewer nodes than the job"
is "$(batch -N1 -n2 --gpus-per-node=4 <<'END'
srun -n1 --gpus=1 --exact $task
END
)" "node001 0 0 $hca" "one task keeps the CPU that Slurm gave it"
is "$(batch -N1 -n2 --gpus-per-node=4 <<'END'
srun -n2 --gpus-per-node=2 $task | sort
END
)" "node001 0 1 $hca
node001 1 1 $hca" "a step with two of the job's four GPUs"
is "$(batch -N1 -n2 --gpus-per-node=4 <<'END'
cd "${task%/*}"
srun -n2 --overlap --gpus-per-node=4 $task >one &
srun -n2 --overlap --gpus-per-node=4 $task >two
wait
sort one two | uniq -c | sed 's/^ *//'
END
)" "2 node001 0 1 $hca
2 node001 1 0 $hca" "two overlapping steps"

# Each half of a heterogeneous job is a step with a plan of its own.
is "$(srun -Q -N1 -n2 --gpus-per-node=4 "$task" : \
    -N1 -n2 --gpus-per-node=4 "$task" | sort)" "$both
node002 0 1 $hca
node002 1 0 $hca" "both halves of a heterogeneous step"
is "$(batch -N1 -n2 --gpus-per-node=4 : -N1 -n1 <<'END' | sort
srun --het-group=0 $task
srun --het-group=1 $task
END
)" "$both
node002 0 0 unset" "a half without GPUs is left alone"

# GPUs of a task's own.
is "$(look -N1 -n2 --gpus-per-task=2)" "node001 0 1 $hca; node001 1 0 $hca" \
    "--gpus-per-task"
is "$(look -N1 -n2 --gpus=4 --gpu-bind=map_gpu:3,0)" \
    "node001 0 0 $hca; node001 1 1 $hca" "--gpu-bind=map_gpu"

done_testing
