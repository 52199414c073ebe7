#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spank-devices.t - steps whose GPUs are confined by a real device cgroup
#
# ConstrainDevices=yes renumbers CUDA_VISIBLE_DEVICES from 0 while
# SLURM_STEP_GPUS keeps the node's numbers.
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/spank.sh
. "$(dirname "$0")/spank.sh"

need_spank
[ -z "${LEAFWARD_TEST_ROOT:-}" ] || skip_all "runs on this host's Slurm only"
devices=/sys/fs/cgroup/devices
probe=$devices/leafward-test.$$
mkdir "$probe" 2>/dev/null ||
    skip_all "no device cgroup (v1) can be made here; the plain sets of visible devices are tested by spank-steps.t"
deny=$([ -w "$probe/devices.deny" ] && echo yes)
rmdir "$probe"
[ -n "$deny" ] || skip_all "$devices cannot deny devices here"

# Jobs share CPUs, so that a step has both while another job has two GPUs.
spank_up --nodes 1 --conf "PartitionName=main Nodes=node001 Default=YES $(
    )OverSubscribe=FORCE:4 MaxTime=INFINITE State=UP"
# Devices with numbers of their own: of a driver that is not there, so that
# an open says "no such device" where the cgroup lets it through.
for i in 0 1 2 3; do
    rm -f "$cluster_dir/dev/gpu$i"
    mknod -m 666 "$cluster_dir/dev/gpu$i" c 195 "$i" ||
        skip_all "device files cannot be made here"
done
printf '%s\n' 'TaskPlugin=task/affinity,task/cgroup' \
    >>"$cluster_dir/etc/slurm.conf"
printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no \
    CgroupMountpoint=/sys/fs/cgroup ConstrainDevices=yes \
    >"$cluster_dir/etc/cgroup.conf"
"$cluster" node "$cluster_dir" node001 stop
"$cluster" ctld "$cluster_dir" restart
"$cluster" node "$cluster_dir" node001 start
until_true 30 nodes_free

cat >"$work/devices" <<END
#!/bin/sh
open=
for i in 0 1 2 3; do
    err=\$(LC_ALL=C sh -c ": <$cluster_dir/dev/gpu\$i" 2>&1)
    case \$err in *"No such device"*) open="\$open\$i" ;; esac
done
cpus=\$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
echo "\$SLURM_LOCALID open \$open visible \$CUDA_VISIBLE_DEVICES" \\
    "granted \$SLURM_STEP_GPUS cpus \$cpus"
END
chmod 755 "$work/devices"
devices() { srun -Q "$@" "$work/devices" 2>"$tmp/err" | sort; }

is "$(devices -N1 -n2 --gpus=4)" \
    "0 open 0123 visible 0,1,2,3 granted 0,1,2,3 cpus 1
1 open 0123 visible 0,1,2,3 granted 0,1,2,3 cpus 0" \
    "all GPUs: numbers are the same inside"
job=$(submit -n1 --gpus=2)
wait_for_state "$job" RUNNING
is "$(devices -N1 -n2 --gpus=2)" \
    "0 open 23 visible 0,1 granted 2,3 cpus 0
1 open 23 visible 0,1 granted 2,3 cpus 0" \
    "the other two GPUs, renumbered: tasks are near those that they are"
is "$(devices -N1 -n2 --gpus=2 --leafward=off |
    sed 's/ open.*granted/ granted/')" "0 granted 2,3 cpus 0
1 granted 2,3 cpus 1" \
    "which is the plugin's doing"
scancel "$job"
until_true 30 nodes_free
is "$(devices -N1 -n2 --gpus-per-task=2 | sed 's/granted [0-9,]* //')" \
    "0 open 01 visible 0,1 cpus 1
1 open 23 visible 0,1 cpus 0" \
    "a device cgroup for each task: all see 0 and 1, and are others"

cluster_down
find "$devices" -depth -type d -path '*/slurm*node001*' \
    -exec rmdir {} + 2>/dev/null
done_testing
