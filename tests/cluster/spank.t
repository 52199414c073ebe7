#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spank.t - the SPANK plugin in real slurmstepd: masks, rails, what stays
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/spank.sh
. "$(dirname "$0")/spank.sh"

spank_up --nodes 2

both="node001 0 1 $hca; node001 1 0 $hca"
is "$(look -N2 --ntasks-per-node=2 --gpus-per-node=4)" \
    "$both; node002 0 1 $hca; node002 1 0 $hca" \
    "each task runs near its GPU, each step knows its rails in order"
is "$(look -N1 -n2 --gpus=4 --export=NONE)" "$both" "also with --export=NONE"
is "$(look -N1 -n1 -c2 --gpus=4)" "node001 0 0-1 $hca" \
    "one task a node keeps all its CPUs"
is "$(look -N1 -n2 --gpus=2 --gres-flags=disable-binding)" "$(
    )node001 0 1 $hca; node001 1 1 $hca" \
    "two tasks with GPUs of one NUMA node share its CPU"
is "$(look -N1 -n2)" "node001 0 0 unset; node001 1 1 unset" \
    "a step without GPUs stays as it was"
is "$(srun -Q -N1 -n1 --gpus=1 true 2>&1)" "" "nothing is printed"

# What the user set stays, in every form.
is "$(NCCL_IB_HCA=mlx5_2 look -N1 -n1 -c2 --gpus=4)" \
    "node001 0 0-1 mlx5_2" "the user's NCCL_IB_HCA stays"
is "$(NCCL_IB_HCA='' look -N1 -n1 -c2 --gpus=4)" \
    "node001 0 0-1 " "also when it is set but empty"
echo "NCCL_IB_HCA=mlx5_9" >"$work/nccl.conf"
chmod 644 "$work/nccl.conf"
is "$(NCCL_CONF_FILE=$work/nccl.conf look -N1 -n1 -c2 --gpus=4)" \
    "node001 0 0-1 unset" "NCCL_CONF_FILE is not overruled"

# shellcheck disable=SC2054 # the commas belong to the options
forms=(--cpu-bind=none --cpu-bind=cores --cpu-bind=sockets
    --cpu-bind=threads --cpu-bind=map_cpu:0,1
    --cpu-bind=mask_cpu:0x1,0x2 --cpu-bind=mask_cpu:0x3,0x2
    --hint=nomultithread --hint=compute_bound)
# Since 24.11 srun takes the word and asks for nothing.
case $(srun --version) in
*' 22.'* | *' 23.'* | *' 24.05'*) forms+=(--cpu-bind=rank) ;;
esac
binding() {
    for form in "${forms[@]}"; do
        echo "$form: $(look -N1 -n2 --gpus=4 "$form" | sed 's/ [^ ;]*\(;\|$\)/\1/g')"
    done
    SLURM_CPU_BIND=map_cpu:0,1 look -N1 -n2 --gpus=4 |
        sed 's/ [^ ;]*\(;\|$\)/\1/g'
}
with=$(binding)
plugin off
without=$(binding)
plugin optional
is "$with" "$without" "a binding that the user asked for stays, in each form"
is "$(look -N1 -n2 --gpus=4 --cpu-bind=verbose)" "$both" \
    "--cpu-bind=verbose asks for none"

# The option.
is "$(look -N1 -n2 --gpus=4 --leafward=off)" \
    "node001 0 0 unset; node001 1 1 unset" "--leafward=off changes nothing"
runs 0 "--leafward=verbose runs" srun -Q -N1 -n2 --gpus=4 \
    --leafward=verbose true
is "$(cat "$tmp/out")" "" "and prints nothing on standard output"
is "$(sed 1d "$tmp/err" | tr -s ' ')" "$(
    )task cpus numa gpu nic rail
0 1 1 0-1 mlx5_0:1,mlx5_1:1 0,1
1 0 0 2-3 mlx5_3:1,mlx5_10:1 2,3" "but one table on standard error"
runs 255 "srun refuses a word it does not know" \
    srun -Q -N1 -n1 --leafward=fast true
like "$(cat "$tmp/err")" 'leafward=fast: expected off\|pack' "and says why"
runs 255 "so does sbatch" sbatch --leafward=wait=soon --wrap true
like "$(srun --help)" '--leafward=off\|pack\|spread' "--help shows the option"

done_testing
