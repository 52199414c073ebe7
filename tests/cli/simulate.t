#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# simulate.t - `leafward simulate`: policies compared, bad input refused
. "$(dirname "$0")/../tap.sh"

map=$top_srcdir/tests/data/map/healthy.json
day=$top_srcdir/tests/data/log/day.jsonl
csv() { "$leafward" simulate --map "$map" --format csv "$@"; }

groups=$(jq '[.groups[].nodes | length]' "$map")
nodes=$(jq '[.groups[].nodes | length] | add' "$map")
largest=$(jq max <<<"$groups")
awk -v k="$largest" 'BEGIN {
    print "submit,nodes,gpus,seconds,limit"
    for (i = 0; i < 300; i++)
        print i * 20 "," (i % 3 ? "1," 1 + i % 8 : k "," 8 * k) \
            ",600," 600 + i % 7 * 100
}' >"$tmp/jobs.csv"

runs 0 "a job list as text" "$leafward" simulate --map "$map" "$tmp/jobs.csv"
like "$(head -n 1 "$tmp/out")" "^Simulated on $nodes nodes of 8 GPUs" \
    "says on what"
csv "$tmp/jobs.csv" >"$tmp/all.csv"
is "$(cut -d, -f1 "$tmp/all.csv" | paste -sd' ')" \
    "policy off packed unlimited" "compares three policies"
is "$(awk -F, '$1 == "unlimited" { print $4 }' "$tmp/all.csv")" 1 \
    "with patience without end every gang is packed"
is "$(awk -F, 'NR > 1 && $2 != 300' "$tmp/all.csv")" "" "no job is lost"
is "$(csv "$tmp/jobs.csv")" "$(cat "$tmp/all.csv")" "the same again is the same"
is "$(csv --policy packed --patience 0 "$tmp/jobs.csv" | tail -n 1 |
    cut -d, -f11)" 0 "without patience nobody waits for locality"
one=$(jq -r '[.groups[] | select((.nodes | length) > 1)][-1].name' "$map")
less=$(csv --policy off --lose "$one" "$tmp/jobs.csv" | tail -n 1 | cut -d, -f6)
more=$(csv --policy off --add-groups 2 "$tmp/jobs.csv" | tail -n 1 |
    cut -d, -f6)
is "$(jq -n "$less > $more")" true "less cluster is more wait"
csv --policy off --release 1h "$tmp/jobs.csv" >"$tmp/late.csv"
is "$(paste -d, "$tmp/all.csv" "$tmp/late.csv" |
    awk -F, 'NR == 2 { print ($21 > $6) }')" 1 \
    "nodes that come free late make jobs wait"
csv --policy off,packed --jobs "$tmp/each.csv" "$tmp/jobs.csv" >/dev/null
is "$(awk -F, 'NR > 1 { n[$1]++ } END { print n["off"], n["packed"] }' \
    "$tmp/each.csv")" "300 300" "writes what became of every job"
is "$(awk -F, 'NR > 1 && ($3 < $2 || $4 != $3 + 600 || $7 < $8)' \
    "$tmp/each.csv")" "" "none starts early or on fewer groups than it can"
runs 1 "a file that cannot be written" "$leafward" simulate --map "$map" \
    --jobs "$tmp/no/such" "$tmp/jobs.csv"
runs 0 "a placement log" "$leafward" simulate --map "$map" --policy off "$day"

printf 'submit,nodes,gpus\n1,2,3\n' >"$tmp/bad.csv"
runs 1 "a column that is missing" "$leafward" simulate --map "$map" \
    "$tmp/bad.csv"
like "$(cat "$tmp/err")" "bad.csv:1: the header has no column 'seconds'" \
    "is named"
printf 'submit,nodes,gpus,seconds\n1,2,16,60\n2,two,16,60\n' >"$tmp/bad.csv"
runs 1 "a number that is none" "$leafward" simulate --map "$map" "$tmp/bad.csv"
like "$(cat "$tmp/err")" "bad.csv:3: nodes is 'two': expected a number" \
    "is named with its line"
runs 1 "a group that is none" "$leafward" simulate --map "$map" --lose nope \
    "$tmp/jobs.csv"
like "$(cat "$tmp/err")" "the map has no group 'nope'" "is named"
runs 2 "no file" "$leafward" simulate --map "$map"
runs 2 "a policy that is none" "$leafward" simulate --policy best x.csv
done_testing
