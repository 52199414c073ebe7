#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# decide.t - the plugin in a real slurmctld: gangs packed, the rest untouched
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"
need_plugins

cluster_up --nodes 8 --groups 2 \
    --leafward '[place]' --leafward 'gpus_per_node = 8'
log=$cluster_dir/leafward/placement.jsonl
install_map 4 4
ok $? "the map is loaded without a restart"

# One node free in the first group, four in the second.
occupy 'node[001-003]' >/dev/null

"$cluster" plugins "$cluster_dir" off
job=$(submit --gpus=16)
wait_for_state "$job" RUNNING
is "$(job_nodes "$job")" "node[004-005]" \
    "without the plugin 16 GPUs are split over two groups"
plain=$(show_job "$job")
scancel "$job"

"$cluster" plugins "$cluster_dir" on
mark_log
until_true 10 says "leafward: map "
job=$(submit --gpus=16)
wait_for_state "$job" RUNNING
is "$(job_nodes "$job")" "node[005-006]" "with it they share one group"
like "$(show_job "$job")" '^NumNodes=2(-2)?$' "as two whole nodes"
[ "$(show_job "$job")" != "$plain" ]
ok $? "(show_job can tell the two)"

like "$(scontrol show job "$job")" \
    'AdminComment=leafward: total-gpus nodes=2 groups=1 switches=1 wait=[0-9]+ ref=[0-9a-f]{8}' \
    "scontrol shows the decision"
like "$(squeue -h -j "$job" -O admin_comment:200)" \
    'total-gpus nodes=2 groups=1' "squeue shows the decision"
ref=$(scontrol show job "$job" | sed -n 's/.*AdminComment=.* ref=\([0-9a-f]*\).*/\1/p')
like "$(grep -F "\"ref\":\"$ref\"" "$log")" \
    '"event":"submitted".*"gpus":16.*"reason":"total-gpus"' \
    "the placement log has the event with the same ref"
scancel "$job"
until_true 20 job_is "$job" CANCELLED

# Scattered free nodes: 4 in the first group taken but one, 2 of the second.
other=$(occupy 'node[005-006]')
gang=$(submit -N4 --gpus-per-node=8)
sleep 3
is "$(job_state "$gang")" PENDING "a gang of four waits for one group"
like "$(show_job "$gang")" '^Switches=1@' "by asking for one switch"
scancel "$other"
wait_for_state "$gang" RUNNING
is "$(job_nodes "$gang")" "node[005-008]" "and gets it"
cancel_all

# request OPTIONS: the job as Slurm has it; the "2-2" nodes of a job become
# "2" once the scheduler has looked at it, which may be at any time
request() {
    show_job "$(submit --begin=now+1hour "$@")" |
        sed -E 's/^NumNodes=([0-9]+)-\1$/NumNodes=\1/'
}

# Byte for byte what they are without the plugin.
for i in 1 2 3 4 5 6; do
    case $i in
    1) what="a CPU job" opts=(-n4) ;;
    2) what="--nodelist" opts=(--gpus=16 -w 'node[001,005]') ;;
    3) what="--switches" opts=(-N2 --gpus-per-node=8 --switches=1@10:00) ;;
    4) what="a node range" opts=(-N1-2 --gpus=16) ;;
    5) what="--contiguous" opts=(-N2 --gpus-per-node=4 --contiguous) ;;
    6) what="one whole node" opts=(-N1 --gres=gpu:8) ;;
    esac
    with[i]=$(request "${opts[@]}")
    options[i]=$(printf '%q ' "${opts[@]}")
    whats[i]=$what
done
cancel_all
"$cluster" plugins "$cluster_dir" off
for i in 1 2 3 4 5 6; do
    eval "opts=(${options[i]})"
    is "${with[i]}" "$(request "${opts[@]}")" \
        "${whats[i]} is as without the plugin"
done

"$cluster" plugins "$cluster_dir" on
"$leafward" doctor --json >"$tmp/doctor"
is "$(jq -r '.[] | select(.level == "ok").part' "$tmp/doctor" | sort |
    grep -E '^(slurm|job_submit|nodes|topology)$' | paste -sd' ')" \
    "job_submit nodes slurm topology" \
    "doctor finds plugin, nodes and topology in order"
is "$(jq -r '.[] | select(.level == "error").part' "$tmp/doctor" |
    paste -sd' ')" "watch" "and that watch does not run"
"$cluster" plugins "$cluster_dir" off
"$leafward" doctor --json >"$tmp/doctor"
like "$(jq -r '.[] | select(.level == "error").text' "$tmp/doctor")" \
    'JobSubmitPlugins=leafward' "without the plugin it says what is missing"
done_testing
