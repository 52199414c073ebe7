#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# smoke.t - the harness itself: up, jobs with GPUs, trees, down
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

cluster_up --nodes 4 --groups 2 --plugins off \
    --node node004 'Gres=gpu:h100:4 Weight=5' \
    --conf 'SchedulerParameters=default_queue_depth=77'

is "$(sinfo -h -N -o '%N %t %G' | paste -sd';')" \
    "node001 idle gpu:h100:8;node002 idle gpu:h100:8;$(
    )node003 idle gpu:h100:8;node004 idle gpu:h100:4" \
    "all nodes are idle, with the GPUs asked for"
like "$(scontrol show topology)" 'leaf2 .*Nodes=node\[003-004\]' \
    "the second leaf switch holds the second half"
like "$(scontrol show config)" 'default_queue_depth=77,max_switch_wait=86400' \
    "a SchedulerParameters line is added to ours"

# shellcheck disable=SC2016
job=$(sbatch --parsable -N2 --gpus-per-node=8 -o "$tmp/job.%j" \
    --wrap 'srun --ntasks-per-node=1 sh -c "echo got \$CUDA_VISIBLE_DEVICES"')
wait_for_state "$job" COMPLETED
ok $? "a gang of two nodes runs to its end"
is "$(sort -u "$tmp/job.$job")" "got 0,1,2,3,4,5,6,7" \
    "each of its tasks sees eight GPUs"

job=$(occupy 'node[001-003]')
is "$(job_nodes "$job")" "node[001-003]" "occupy fills the named nodes"
cancel_all
ok $? "cancel_all empties the cluster"

runs 1 "a second up of the same directory is refused" \
    "$cluster" up "$cluster_dir"
like "$(cat "$tmp/err")" 'up in .* already' "and says why"

"$cluster" ctld "$cluster_dir" restart
ok $? "slurmctld restarts"
like "$(scontrol ping)" 'UP' "and answers"

submit -N4 >/dev/null
pids=$(cat "$cluster_dir"/run/*.pid)
kept=$cluster_dir
cluster_down
ok $? "down, with a job running"
left=$(for p in $pids; do ! running "$p" || echo "$p"; done)
is "$left" "" "leaves no daemon behind"
is "$(grep -lzxF "LEAFWARD_DAEMON_OF=$kept" /proc/[0-9]*/environ 2>/dev/null)" \
    "" "and nothing that a daemon started"

mkdir "$tmp/taken"
: >"$tmp/taken/file"
runs 1 "a directory that holds something is refused" \
    "$cluster" up "$tmp/taken"
runs 1 "an unknown option is refused" \
    "$cluster" up "$tmp/new" --colour blue

# The owner's end is the cluster's end.
sleep 600 &
owner=$!
"$cluster" up "$tmp/owned" --nodes 1 --plugins off --quiet --owner $owner
kill $owner
wait $owner 2>/dev/null
gone() { [ ! -e "$tmp/owned/run/cluster.vars" ]; }
until_true 20 gone
ok $? "a cluster goes down with its owner"

done_testing
