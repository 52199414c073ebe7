#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# place.t - the decision offline: sentences, options, errors
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/../cluster/place.sh"

rail_down=node002 write_map "$tmp/map.json" 4 4 4
cat >"$tmp/state.json" <<'END'
{"schema":1,"created":"2026-01-31T12:00:00Z","topology":"tree",
 "max_switch_wait":86400,"nodes":[
END
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
    [ $i = 12 ] && end=']' || end=','
    echo "{\"name\":\"node0$i\",\"state\":\"idle\",\"gpus\":[{\"type\":" \
        "\"h100\",\"count\":8,\"used\":0}],\"cpus\":64,\"memory\":1000000}$end"
done >>"$tmp/state.json"
echo ',"partitions":[{"name":"gpu","default":true,"nodes":[[0,11]]}]}' \
    >>"$tmp/state.json"

place() { "$leafward" place --map "$tmp/map.json" --state "$tmp/state.json" "$@"; }

# said WANT OPTION...: the whole output
said() {
    local want=$1
    shift
    is "$(place "$@" 2>&1)" "$want" "place $*"
}

said "rewritten (total-gpus)
16 h100 GPUs: 2 nodes of 8 GPUs, fits in 1 group; waits for at most 1 leaf switch; not on 1 with a rail down or slow.
as if it had: --nodes=2 --gpus-per-node=h100:8 --switches=1@1440:00 --exclude=node002" \
    --gpus=h100:16
said "rewritten (total-gpus)
16 GPUs: 2 nodes of 8 GPUs, fits in 1 group; waits for at most 1 leaf switch; not on 1 with a rail down or slow.
as if it had: --nodes=2 --gpus-per-node=8 --switches=1@1440:00 --exclude=node002" \
    -n16 --gpus-per-task=1
said "rewritten (gang)
4 nodes, fits in 1 group; waits for at most 1 leaf switch; not on 1 with a rail down or slow.
as if it had: --switches=1@1440:00 --exclude=node002" \
    -N4 --gres=gpu:8 -p gpu -t 1-0
said "untouched (user-nodelist)
The job names its nodes (--nodelist)." -N2 --gpus-per-node=8 -w 'node[001-002]'
said "untouched (user-range)
The job gives a range of node counts." -N1-2 --gpus=16
said "untouched (not-gpu)
The job asks for no GPU." -n4
said "untouched (user-off)
The job asked to be left alone (--leafward=off)." --gpus=16 --leafward=off
said "impossible (too-large)
13 nodes: partition gpu has 12 that could serve the job; the job can never run as it is." \
    -N13 --gpus-per-node=8
said "untouched (unknown-partition)
The cluster state does not know the partition." --gpus=16 -p other
alternatives=$(printf '|f%d' $(seq 61))
said "refused (too-many-features)
More than 60 alternatives in one --constraint would crash slurmctld; give at most 60." \
    -N2 --gpus-per-node=8 -C "[${alternatives#|}]"

runs 1 "what can never run exits with 1" place -N13 --gpus-per-node=8
runs 0 "--json works" place --gpus=16 --json
is "$(jq -c '[.event, .decision.nodes, .decision.excluded]' "$tmp/out")" \
    '["submitted",2,1]' "and is the event of the placement log"
runs 0 "without a state" "$leafward" place --map "$tmp/map.json" \
    --state none -N4 --gpus-per-node=8
like "$(cat "$tmp/out")" '^4 nodes, fits in 1 group' "a gang is packed"
runs 2 "a bad time is a usage error" place --gpus=8 -t soon
like "$(cat "$tmp/err")" 'time=soon: expected minutes' "and named"
runs 2 "a bad count is a usage error" place --gpus=many
runs 2 "a bad number of nodes is a usage error" place -N x --gpus=8
runs 2 "an argument is a usage error" place job.sh
runs 1 "a state that is not there is an error" "$leafward" place \
    --map "$tmp/map.json" --state "$tmp/none.json" --gpus=8
like "$(cat "$tmp/err")" 'none.json: No such file' "and named"
done_testing
