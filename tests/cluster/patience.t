#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# patience.t - gangs wait for their groups as long as is right, and no longer
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
need_plugins
cluster_up --nodes 8 --groups 2 --node 'node[001-004]' Feature=fast

log=$cluster_dir/leafward/placement.jsonl
jq -n '[range(1; 9) | "node00\(.)"] as $n | {schema: 1,
    created: "2030-01-01T00:00:00Z", pods: ["pod-1"], nodes: [$n[] | {
        name: ., group: (if . < "node005" then "leaf1" else "leaf2" end),
        pod: "pod-1", rails: 8, rails_up: 8}],
    groups: [{name: "leaf1", pod: "pod-1", nodes: $n[:4]},
             {name: "leaf2", pod: "pod-1", nodes: $n[4:]}]}' \
    >"$cluster_dir/leafward/map.json"
"$leafward" watch -i 1 2>"$tmp/watch.err" &
watch_pid=$!
trap 'rc=$?; kill $watch_pid 2>/dev/null; (exit $rc); cluster_cleanup' EXIT

said() {
    jq -ne --arg e "$1" --argjson j "$2" "any(inputs; .event == \$e and
        .job.id == \$j and (${3:-true}))" "$log" >/dev/null 2>&1
}
# the plugin's thread has read the map and the state
decides() {
    scancel "$probe" 2>/dev/null
    probe=$(submit -N2 --gpus-per-node=8 --hold)
    [[ $(job_field "$probe" AdminComment) == leafward:* ]]
}
probe=
until_true 30 decides || skip_all "the plugin has not read the map"
scancel "$probe"

nodes_are_two_and_two() { [ "$(sinfo -h -t idle -o %D)" = 4 ]; }

# two nodes free in each group: a gang of four starts scattered only
a=$(occupy 'node[001-002]')
occupy 'node[005-006]' >/dev/null
gang=$(submit -N4 --gpus-per-node=8 -t 3)
user=$(submit -N4 --gpus-per-node=8 -t 3 --hold)
until_true 20 said waiting "$gang"
ok $? "its patience runs"
is "$(job_state "$gang")" PENDING "while it waits"
wait_for_state "$gang" RUNNING 60
ok $? "it starts when its patience is over"
until_true 20 said placed "$gang" '.wait.ended_by == "patience"'
ok $? "and the log says so"
is "$(jq -r "select(.event == \"relaxed\" and .job.id == $gang) |
    [.wait.patience_s, .wait.switches_from, .wait.switches_to] | @csv" "$log" |
    head -n 1)" "18,1,2" "a tenth of three minutes, then one group more"
scancel "$gang"

# the free nodes do not have what it wants: that is not waiting for locality
until_true 20 nodes_are_two_and_two
picky=$(submit -N4 --gpus-per-node=8 -t 3 -C fast)
like "$(job_field "$picky" Switches)" '^1@' "asked onto one group"
sleep 4
is "$(said waiting "$picky" && echo waiting)" "" \
    "no clock runs for a gang whose --constraint is not met"
scancel "$picky"

# changed by hand: not ours any more
until_true 20 nodes_free
a2=$(job_state "$a")
scontrol update job="$user" Switches=1@600
scontrol update job="$user" NumNodes=3-3
scontrol release "$user"
sleep 25
is "$(said relaxed "$user" && echo relaxed)" "" \
    "a job that was changed by hand is let be"
scancel "$user"
is "$a2" RUNNING "the nodes were taken all the time"

kill $watch_pid
wait $watch_pid 2>/dev/null
is "$(cat "$tmp/watch.err")" "" "watch had nothing to complain about"
done_testing
