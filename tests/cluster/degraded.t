#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# degraded.t - gangs keep off nodes with a rail down or slow while there are
# enough others; when the map heals, those that wait are freed
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
need_plugins
cluster_up --nodes 8 --groups 2
log=$cluster_dir/leafward/placement.jsonl
state=$cluster_dir/leafward/state.json
map=$cluster_dir/leafward/map.json

# slow NODE: all its rails are up, one is not at full speed
slow() {
    jq --arg n "$1" '(.nodes[] | select(.name == $n)).rails_slow = 1' "$map" \
        >"$map.new" && mv "$map.new" "$map"
}
rail_down=node001 install_map 4 4
watch_pid=
trap 'rc=$?; kill $watch_pid 2>/dev/null; (exit $rc); cluster_cleanup' EXIT

excluded() { job_field "$1" ExcNodeList; }
probe_excludes() {
    local job
    job=$(submit --hold -N2 --gpus-per-node=8 "${@:2}")
    scancel "$job"
    [ "$(excluded "$job")" = "$1" ]
}
job=$(submit --hold -N2 --gpus-per-node=8)
is "$(excluded "$job")" "(null)" \
    "without watch, which would let them in again, nothing is excluded"
scancel "$job"
"$leafward" watch -i 1 2>"$tmp/watch.err" &
watch_pid=$!
until_true 30 probe_excludes node001
ok $? "a gang keeps off the node with a rail down"
slow node006
until_true 10 probe_excludes 'node[001,006]'
ok $? "and off the one with a slow rail"

# Slurm alone would take the first nodes.
gang=$(submit -N3 --gpus-per-node=8)
wait_for_state "$gang" RUNNING
[[ $(job_nodes "$gang") == "node[002-004]" ||
    $(job_nodes "$gang") == "node[005,007-008]" ]]
ok $? "it runs on healthy ones of one group"
single=$(submit -w node001 --gpus=8)
wait_for_state "$single" RUNNING
ok $? "a job of one node may use them"
small=$(submit -N1 --gpus-per-node=8 --hold)
is "$(excluded "$small")" "(null)" "and is not kept from them"
all=$(submit -N8 --gpus-per-node=8 --hold)
is "$(excluded "$all")" "(null)" \
    "a gang that needs them is not kept from them either"
six=$(submit -N6 --gpus-per-node=8 --hold)
is "$(excluded "$six")" "node[001,006]" "one that just does without them is"
like "$(scontrol show job "$six")" 'excluded=2 sum=[0-9a-f]{8} ref=' \
    "its mark says so"
own=$(submit -N5 --gpus-per-node=8 -x node008)
theirs=$(submit -N5 --gpus-per-node=8 -x node008)
is "$(excluded "$own")" "node[001,006,008]" "beside the user's own"
scontrol update job="$theirs" ExcNodeList=node001,node002,node006
scancel "$all" "$small"

# An update to a size that needs them all: let in at the next look.
state_has() {
    jq -e --argjson j "$1" '.jobs | any(.[]; .id == $j)' "$state" \
        >/dev/null 2>&1
}
grown=$(submit -N6 --gpus-per-node=8 -p main --begin=now+1)
until_true 20 state_has "$grown"
sleep 1.2
scontrol update job="$grown" NumNodes=7-7
lets_in() { [ "$(excluded "$1")" = "${2:-(null)}" ]; }
until_true 20 lets_in "$grown"
ok $? "a gang that grows beyond the healthy ones is let in"
scancel "$grown"

# The map heals: one node, then the other.
rail_down='' write_map "$map" 4 4
slow node006
until_true 20 lets_in "$own" 'node006,node008' ||
    until_true 1 lets_in "$own" 'node008,node006'
ok $? "when a node has healed, pending gangs may use it"
jq -ne --argjson j "$own" 'any(inputs; .event == "relaxed" and .job.id == $j
    and .wait.what == "degraded")' "$log" >/dev/null
ok $? "the log says so"
rail_down='' write_map "$map" 4 4
until_true 20 lets_in "$own" node008
ok $? "when all have, only the user's own stands"
scontrol show job "$own" | grep -q 'AdminComment=leafward: gang' &&
    ! scontrol show job "$own" | grep -q 'excluded='
ok $? "and the mark tells of no exclusion"
is "$(excluded "$theirs")" "node001,node002,node006" \
    "what was changed by hand is let be"
is "$(excluded "$six")" "node[001,006]" "and what is held is not looked at"
scontrol release "$six"
until_true 20 lets_in "$six"
ok $? "before it is released"
kill $watch_pid
wait $watch_pid 2>/dev/null
is "$(cat "$tmp/watch.err")" "" "watch had nothing to complain about"
done_testing
