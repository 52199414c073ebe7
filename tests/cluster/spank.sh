# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# spank.sh - two-CPU nodes with made-up GPUs for the SPANK plugin's tests
#
# The nodes have the two CPUs that this machine surely has. GPUs 0 and 1 are
# near CPU 1 and GPUs 2 and 3 near CPU 0, the other way round than Slurm
# deals CPUs, so that a mask tells who set it.

spank_so=$top_builddir/.libs/spank_leafward.so

need_spank() {
    need_slurm
    [ -e "$spank_so" ] || skip_all "the SPANK plugin was not built"
    [ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
    grep -q '^Cpus_allowed_list:.*0[-,]1' /proc/self/status ||
        skip_all "needs the CPUs 0 and 1"
}

# inventory NODE [STATE]: four rails, storage between them; mlx5_3 is STATE
inventory() {
    cat >"$cluster_dir/inventory/$1.json" <<END
{"schema":1,"node":"$1","rails_by":"map","group":"leaf-a",
 "numa":[{"id":0,"cpus":"0"},{"id":1,"cpus":"1"}],
 "gpus":[{"numa":1},{"numa":1},{"numa":0},{"numa":0}],
 "nics":[
 {"device":"mlx5_0","rail":0,"numa":1,"link":"infiniband","state":"active"},
 {"device":"mlx5_1","rail":1,"numa":1,"link":"infiniband","state":"active"},
 {"device":"mlx5_2","numa":0,"link":"infiniband","state":"active"},
 {"device":"mlx5_3","rail":2,"numa":0,"link":"infiniband",
  "state":"${2:-active}"},
 {"device":"mlx5_10","rail":3,"numa":0,"link":"infiniband",
  "state":"active"}]}
END
}
hca='=mlx5_0:1,mlx5_1:1,mlx5_3:1,mlx5_10:1'

# settings [LINE...]: leafward.conf with these lines in section [node]
# shellcheck disable=SC2120 # called with lines by other tests
settings() {
    {
        printf '[node]\ninventory = %s/inventory/%%n.json\n' "$cluster_dir"
        printf '%s\n' "$@"
    } >"$cluster_dir/etc/leafward.conf"
}

# plugin optional|required|off: slurmstepd, srun and sbatch read
# plugstack.conf anew each time
plugin() {
    if [ "$1" != off ]; then
        echo "$1 $spank_so conf=$cluster_dir/etc/leafward.conf"
    fi >"$cluster_dir/etc/plugstack.conf"
}

# With LEAFWARD_TEST_ROOT the daemons and commands are those of another root,
# and top_builddir is where the plugin was built for them.
if [ -n "${LEAFWARD_TEST_ROOT:-}" ]; then
    for c in srun sbatch scontrol sinfo squeue scancel; do
        eval "$c() { \"\$cluster\" run \"\$cluster_dir\" $c \"\$@\"; }"
    done
fi

# What a task says of itself: node, local task, CPUs, rails. It lies in the
# cluster's directory, which every root sees.
write_task() {
    work=$cluster_dir/work
    mkdir -m 755 "$work"
    task=$work/task
    cat >"$task" <<'END'
#!/bin/sh
cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "$SLURMD_NODENAME ${SLURM_LOCALID:--} $cpus ${NCCL_IB_HCA-unset}"
END
    chmod 755 "$task"
}

# look OPTION...: srun the task; lines sorted, joined by "; "
look() {
    srun -Q "$@" "$task" 2>"$tmp/err" | sort | paste -sd';' | sed 's/;/; /g'
}

spank_up() {
    need_spank
    chmod 755 "$tmp"
    cluster_up --cpus 2 --gpus 4 --plugins off \
        ${LEAFWARD_TEST_ROOT:+--slurm-root "$LEAFWARD_TEST_ROOT"} "$@"
    write_task
    local n
    for n in $(scontrol show hostnames \
        "$(sinfo -h -o %N | head -n 1)"); do
        inventory "$n"
    done
    settings
    plugin optional
}
