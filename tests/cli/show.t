#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# show.t - what `leafward show` says of a map
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
maps=$top_srcdir/tests/data/map
want=$top_srcdir/tests/cli/show

for what in "" groups nodes rails node002 su-2; do
    runs 0 "show ${what:-(nothing)} works" \
        "$leafward" show $what --map "$maps/degraded.json"
    golden "$want/${what:-summary}" "and says what it should"
done
for what in "" groups nodes rails node002 su-2; do
    "$leafward" show $what --json --map "$maps/degraded.json" |
        jq -e . >"$tmp/out" 2>&1
    ok $? "show ${what:-(nothing)} --json is JSON"
done
"$leafward" show --json --map "$maps/degraded.json" | jq -S . >"$tmp/out"
is "$(cat "$tmp/out")" "$(jq -S . "$maps/degraded.json")" \
    "all of it is the map itself"
is "$("$leafward" show node002 --json --map "$maps/degraded.json" |
    jq -r .name)" node002 "one node is that node"
runs 1 "a name that is neither node nor group" \
    "$leafward" show nobody --map "$maps/degraded.json"
like "$(cat "$tmp/err")" "no node or group 'nobody'" "is named"
# the cluster as watch sees it: 1 and 2 full, 3 partly used, 4 down
state() {
    jq -n --arg at "$1" '{schema: 1, created: $at, cluster: "c", nodes: [
        range(1; 9) | {name: "node00\(.)", cpus: 64, state: (if . < 3 then
            "full" elif . == 3 then "mixed" elif . == 4 then "down" else "idle"
            end), gpus: [{type: "h100", count: 8, used: (if . < 3 then 8 elif
            . == 3 then 2 else 0 end)}], cpus_used: (if . < 3 then 64 else 0
            end)}], partitions: [{name: "gpu", nodes: [[0, 7]]}]}'
}
state 2100-01-07T12:00:00Z >"$tmp/state.json"
runs 0 "the groups drawn" "$leafward" show groups \
    --map "$maps/healthy.json" --state "$tmp/state.json"
golden "$want/picture" "are as the state has them"
is "$(awk 'length > 80' "$tmp/out")" "" "in 80 columns"
is "$(tr -d '\n' <"$tmp/out" | tr -dc '[:cntrl:]')" "" \
    "without colours when it is no terminal"
runs 2 "a picture of something else" "$leafward" show nodes --watch
runs 2 "no seconds" "$leafward" show groups --watch=0
runs 1 "no state" "$leafward" show groups --map "$maps/healthy.json" \
    --state "$tmp/none.json"
like "$(cat "$tmp/err")" "none.json: No such file" "is said"
"$leafward" show groups --map "$maps/healthy.json" --state "$tmp/state.json" \
    --watch=1 >"$tmp/live" &
live=$!
for ((i = 0; i < 300 && $(grep -c '^su-1' "$tmp/live") < 1; i++)); do
    sleep 0.1
done
sed 's/"full"/"idle"/' "$tmp/state.json" >"$tmp/next" &&
    mv "$tmp/next" "$tmp/state.json"
for ((i = 0; i < 300; i++)); do
    ! grep -q '^su-1  \.\./' "$tmp/live" || break
    sleep 0.1
done
kill "$live"
wait "$live" 2>"$tmp/null"
is "$(sed -n 's/^su-1  \(...\).*/\1/p' "$tmp/live" | uniq)" "##/
../" "live, it follows the state"
is "$("$leafward" show groups --map "$maps/healthy.json" | head -n 1 |
    cut -c1-5)" GROUP "a map alone is a table"

printf '[leafward]\nmap = %s\n' "$maps/healthy.json" >"$LEAFWARD_CONF"
chmod 600 "$LEAFWARD_CONF"
runs 0 "the map of the configuration is the default" "$leafward" show groups
like "$(cat "$tmp/out")" "su-3" "and is shown"
done_testing
