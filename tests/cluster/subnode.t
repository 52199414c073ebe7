#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# subnode.t - jobs smaller than a node go to partly used nodes, and are never
# kept from the idle ones for long
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
need_plugins
cluster_up --nodes 4 --groups 2 --leafward '[place]' \
    --leafward 'subnode_delay = 3s' --leafward 'state_age = 6s'
log=$cluster_dir/leafward/placement.jsonl
state=$cluster_dir/leafward/state.json

watch_pid=
start_watch() {
    "$leafward" watch -i 1 2>>"$tmp/watch.err" &
    watch_pid=$!
}
stop_watch() {
    [ -n "$watch_pid" ] || return 0
    kill "$watch_pid" 2>/dev/null
    wait "$watch_pid" 2>/dev/null
    watch_pid=
}
trap 'rc=$?; stop_watch; (exit $rc); cluster_cleanup' EXIT

# node_is NODE STATE: for watch, and a second later for the plugin as well
node_is() {
    [ "$(jq -r --arg n "$1" '.nodes[] | select(.name == $n) | .state' \
        "$state" 2>/dev/null)" = "$2" ]
}
knows() {
    until_true 20 node_is "$1" "$2" && until_true 10 decides_by "$2"
}
# the plugin has read what was written last: it says so in what it excludes
decides_by() {
    local job mark
    job=$(submit --hold --gpus=1)
    mark=$(scontrol show job "$job" | sed -n 's/.*AdminComment=//p')
    scancel "$job"
    case $1 in
    mixed) [[ $mark == "leafward: sub-node "* ]] ;;
    *) [[ $mark != "leafward: sub-node "* ]] ;;
    esac
}
# node_has_gpus NODE USED: in the state of watch
node_has_gpus() {
    [ "$(jq -r --arg n "$1" '.nodes[] | select(.name == $n) |
        [.gpus[].used] | add' "$state" 2>/dev/null)" = "$2" ]
}
is_mixed() { scontrol -o show node node003 | grep -q ' State=MIXED '; }
is_idle() { scontrol -o show node node002 | grep -q ' State=IDLE '; }
# settled: jobs have gone, and everybody knows; a node is closed meanwhile
settled() {
    until_true 20 is_mixed
    until_true 20 is_idle
    sleep 1.5 # one look of watch, which may show what was before
    until_true 20 node_is node003 mixed
    until_true 20 node_is node002 idle
    until_true 10 decides_by mixed
}
# The look-outs for what the plugin knows are jobs too: let them be forgotten.
forgotten() { sleep 2.5; }
relaxed() {
    jq -ne --argjson j "$1" 'any(inputs; .event == "relaxed" and
        .job.id == $j and .wait.what == "sub-node")' "$log" >/dev/null 2>&1
}
excluded() { job_field "$1" ExcNodeList; }
not_excluded() { [ "$(excluded "$1")" = "${2:-(null)}" ]; }
# small OPTION..: submit, wait until it runs, say where
small() {
    job=$(submit "$@")
    wait_for_state "$job" RUNNING 20
    where=$(job_nodes "$job")
}

install_map 2 2
start_watch
until_true 20 node_is node004 idle

# node001 is taken, so Slurm's tightest leaf is the first; node003 of the
# second one is partly used.
first=$(submit -w node003 --gpus=2 -n2)
occupy node001 >/dev/null
knows node003 mixed
ok $? "the plugin knows which nodes are partly used"

"$cluster" plugins "$cluster_dir" off
small -N1 --gpus=1
is "$where" node002 "Slurm alone takes the last whole node of a leaf"
scancel "$job"
"$cluster" plugins "$cluster_dir" on
settled

jobs=
for options in "--gpus=1" "-N1 --gpus=1" "-n1 --gpus-per-task=1" \
    "--gpus=h100:1" "--gres=gpu:1" "-N1 --gpus-per-node=1 --mem=1G"; do
    # shellcheck disable=SC2086
    small $options
    is "$where" node003 "$options goes to the partly used node"
    jobs+=" $job"
done
# shellcheck disable=SC2086
scancel $jobs
settled
small --gpus=1 -n1 -c15 --mem=1G
is "$where" node002 "not when its CPUs are not free there"
scancel "$job"
small --gpus=7
is "$where" node002 "nor when its GPUs are not"
scancel "$job"
settled
small --gpus=8
is "$where" node002 "a job of a whole node is not concerned"
scancel "$job"
settled

# Of the partly used ones the fullest that has room.
second=$(submit -w node004 --gpus=6 -n6)
knows node004 mixed
forgotten
small --gpus=1
is "$where" node004 "a small job goes to the fullest node"
is "$(excluded "$job")" "node[001-003]" "and is kept from the emptier ones"
scancel "$job"
until_true 10 node_has_gpus node004 6
small --gpus=3 -n3
is "$where" node003 "what does not fit there goes to the next one"
scancel "$job" "$second"
until_true 20 node_is node004 idle
settled
forgotten

# What is promised already is not promised twice.
one=$(submit --gpus=4 -n4)
two=$(submit --gpus=4 -n4)
wait_for_state "$two" RUNNING 20
is "$(excluded "$one") $(excluded "$two")" "node[001-002,004] (null)" \
    "a burst is kept from idle nodes as far as partly used ones have room"
scancel "$one" "$two"
settled
forgotten

# Two that fit there one after the other only: the second is let in again.
one=$(submit -w node003 --gpus=4 -n4)
two=$(submit --gpus=4 -n4 -x node004)
is "$(excluded "$two")" "node[001-002,004]" \
    "the idle nodes are excluded, beside a user's own"
wait_for_state "$two" RUNNING 20
ok $? "what does not fit after all starts elsewhere"
is "$(job_nodes "$one") $(job_nodes "$two")" "node003 node002" \
    "on a whole node, though not on what the user excluded"
until_true 5 relaxed "$two"
ok $? "the log says that the exclusion was lifted"
is "$(excluded "$two")" node004 "the user's own stands"
! relaxed "$one"
ok $? "nobody else is told of"
like "$(job_field "$two" AdminComment)" '^leafward:' "the mark stays"
! scontrol show job "$two" | grep -q excluded=
ok $? "without the exclusion"
scancel "$one" "$two"
settled

# What somebody has made of it since is his; and no log is needed to know
# what the user had excluded.
mv "$log" "$log.away"
forgotten
two=$(submit --hold --gpus=3 -n3 -x node004)
three=$(submit --hold --gpus=3 -n3 -x node004)
one=$(submit -w node003 --gpus=6 -n6)
scontrol update job="$three" ExcNodeList=node002,node004
scontrol release "$two" "$three"
wait_for_state "$two" RUNNING 20
ok $? "without a log the exclusion is lifted too"
is "$(excluded "$two")" node004 "and the user's own stands"
sleep 4
is "$(excluded "$three") $(job_state "$three")" \
    "node002,node004 PENDING" "an exclusion changed since is let be"
cat "$log" >>"$log.away" && mv "$log.away" "$log"
scancel "$one" "$two" "$three"
settled

# An array is one job with many tasks.
array=$(submit --gpus=3 -a 0-1)
array_runs() { [ "$(squeue -h -r -j "$array" -t R | wc -l)" = 2 ]; }
until_true 20 array_runs
ok $? "a task of an array that does not fit starts elsewhere too"
scancel "$array"
settled

# watch dies with an exclusion in force: the plugin takes it back itself.
kill -STOP "$watch_pid"
scontrol update node=node003 state=drain reason=test # not in the state
job=$(submit --gpus=1 -x node004)
is "$(excluded "$job")" "node[001-002,004]" "submitted while watch hangs"
is "$(job_state "$job")" PENDING "and it cannot start"
wait_for_state "$job" RUNNING 30
ok $? "the exclusion does not outlive the state of watch"
is "$(excluded "$job")" node004 "again but for the user's own"
like "$(cat "$cluster_dir/log/slurmctld.log")" \
    'leafward: watch does not run: .*1 job' "slurmctld's log says so"
scancel "$job"
small -w node002 --gpus=1
job2=$(submit --gpus=1)
is "$(excluded "$job2")" "(null)" "by an old state nothing is excluded"
kill -CONT "$watch_pid"
stop_watch
is "$(cat "$tmp/watch.err")" "" "watch had nothing to complain about"
: "$first"
done_testing
