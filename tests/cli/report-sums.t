#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report-sums.t - the ten reports: every column in every format, and the same
# totals as a second computation, by jq and awk, under every filter
. "$(dirname "$0")/../tap.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
day=$tmp/day.jsonl
# the sample day with a second partition, a node that fails, and requests that
# can never run
jq -c 'if .job.user == "di" or .job.uid == 1004 then .job.partition = "big"
    else . end' "$top_srcdir/tests/data/log/day.jsonl" >"$day"
for uid in 1001 1001 1002; do
    jq -nc --argjson uid $uid '{schema: 1, "@timestamp":
        "2030-01-07T09:30:00.000Z", event: "impossible", cluster: "demo",
        ref: "00c0ffee12345678", job: {partition: "gpu", name: "big", uid: $uid,
        account: "nlp"}, request: {nodes_min: 32, nodes_max: 32}, decision:
        {action: "impossible", reason: "too-large",
        text: "32 nodes: partition gpu has 16 that could serve the job"}}'
done >>"$day"

# --- every column -----------------------------------------------------------

# columns SECTION KEY..: there in JSON and in CSV, and as many in the text
columns() {
    local section=$1 keys json csv text
    shift
    keys=$*
    json=$("$leafward" report --format json --rows 5 --show "$section" "$day" |
        jq -r --arg s "$section" --arg keys "$keys" '
            .[$s | gsub("-"; "_")][0] as $row | $keys / " " | map(select(in($row) | not)) |
            join(" ")')
    csv=$("$leafward" report --format csv --show "$section" "$day" |
        awk -F, -v keys="$keys" 'NR == 1 {
            for (i = 1; i <= NF; i++) have[$i]
            n = split(keys, k, " ")
            for (i = 1; i <= n; i++) if (!(k[i] in have)) print k[i] }')
    text=$("$leafward" report --width 0 --show "$section" "$day" |
        sed -n 4p | awk -F '  +' '{ sub(/^ +/, ""); print NF }')
    is "$json$csv" "" "$section has its columns in JSON and CSV"
    is "$text" "$("$leafward" report --format csv --show "$section" "$day" |
        awk -F, 'NR == 1 { print NF }')" "and as many as text"
}
columns startable groups now_nodes mean_nodes least_nodes most_nodes
columns types gpu_type gpus used_gpus groups now_nodes least_nodes
columns slots nodes now mean least most
columns fragmentation from fragmentation largest idle_groups part_groups \
    full_groups idle_pods part_pods full_pods used_gpu_share \
    stranded_gpu_share unusable_gpus unusable_share
columns causes group free_gpus idle rail partly cpu memory completing \
    reserved drained down
columns stranded group gpus used idle_whole stranded down
columns locality nodes waited hours median_s p90_s p99_s fit patience changed \
    cancelled groups_saved
columns waits nodes jobs mean_s median_s p90_s p95_s p99_s max_s
columns spread nodes gangs mean_groups mean_fewest one_group_share \
    one_pod_share packed_share packed_free_share balance
columns spread-hours nodes gpu_hours mean_groups mean_fewest mean_excess \
    one_group_share one_pod_share packed_share balance
columns failures nodes gangs groups_all groups_now groups_spare
columns impossible user partition times nodes gpus text
columns drift what count detail
columns asked user gangs by_leafward by_leafward_spread by_user \
    by_user_spread nothing nothing_spread mean_switches mean_groups \
    mean_fewest one_pod_share
columns asked-accounts account gangs nothing nothing_spread mean_groups

# --- the same totals ---------------------------------------------------------

cat >"$tmp/expect.jq" <<'END'
def key: "\(.job.id).\(.job.restarts // 0)";
def sum(f): map(f) | add // 0;
[inputs] as $lines
| ($lines | map(select(.event == "placed") | {key: key, value: .}) |
    from_entries) as $placed
| [$lines[] | select(.event == "ended" and .placement.gpus > 0) |
    .placed = $placed[key] | select(keep)]
| [.[] | select(.placement.nnodes > 1)] as $gangs
| [$gangs[] | select(.placement.excess == 0)] as $packed
| {jobs: length, gangs: ($gangs | length), packed: ($packed | length),
   gpu_h: (sum(.run.gpu_s) / 3600),
   gang_gpu_h: ($gangs | sum(.run.gpu_s) / 3600),
   packed_gpu_h: ($packed | sum(.run.gpu_s) / 3600),
   excess: ($gangs | sum(.placement.excess)),
   wait_h: (sum(.placed.wait.queue_s) / 3600),
   locality: (map(select(.placed.wait.locality_s)) | length),
   locality_h: (sum(.placed.wait.locality_s // 0) / 3600),
   users: (group_by(.job.user) | map({key: .[0].job.user,
       value: (sum(.run.gpu_s) / 3600)}) | from_entries),
   groups: (if $gangs == [] then null else
       ($gangs | sum(.placement.groups)) / ($gangs | length) end),
   groups_h: (if $gangs == [] then null else
       ($gangs | sum(.placement.groups * .run.gpu_s)) /
       ($gangs | sum(.run.gpu_s)) end),
   one_pod_h: (if $gangs == [] then null else
       ($gangs | map(select(.placement.pods == 1)) | sum(.run.gpu_s)) /
       ($gangs | sum(.run.gpu_s)) end)}
END
cat >"$tmp/got.jq" <<'END'
def row($what): .summary[] | select(.what == $what);
{jobs: row("GPU jobs").jobs, gangs: row("  gangs of more").jobs,
 packed: row("Gangs on the fewest groups").jobs,
 gpu_h: row("GPU jobs").gpu_hours,
 gang_gpu_h: row("  gangs of more").gpu_hours,
 packed_gpu_h: row("Gangs on the fewest groups").gpu_hours,
 excess: ([.sizes[].excess_groups // 0] | add // 0),
 wait_h: (.waits[-1].hours),
 locality: ([.sizes[].locality_jobs] | add // 0),
 locality_h: ([.sizes[].locality_hours] | add // 0),
 users: ([.users[] | {key: .user, value: .gpu_hours}] | from_entries),
 groups: .spread[-1].mean_groups, groups_h: .spread_hours[-1].mean_groups,
 one_pod_h: .spread_hours[-1].one_pod_share}
END
# Numbers are alike when they differ by rounding only.
cat >"$tmp/alike.jq" <<'END'
def alike($b): . as $a |
    if ($a | type) == "object" then
        ($a | keys) == ($b | keys) and
        all($a | keys[]; . as $k | $a[$k] | alike($b[$k]))
    elif ($a | type) == "number" and ($b | type) == "number" then
        ($a - $b | fabs) < 1e-4
    else $a == $b end;
$a[0] | alike($b[0])
END

# same CONDITION OPTION..: what the condition keeps is what the options give
same() {
    local keep=$1
    shift
    jq -n "def keep: $keep; $(cat "$tmp/expect.jq")" "$day" >"$tmp/a.json"
    "$leafward" report --format json --rows all \
        --show summary,sizes,waits,users,spread,spread-hours "$@" "$day" |
        jq -f "$tmp/got.jq" >"$tmp/b.json"
    is "$(jq -n --slurpfile a "$tmp/a.json" --slurpfile b "$tmp/b.json" \
        -f "$tmp/alike.jq")" true "the same totals: ${*:-all jobs}" ||
        diff "$tmp/a.json" "$tmp/b.json" | sed 's/^/# /'
    is "$("$leafward" report --format csv --show sizes "$@" "$day" |
        awk -F, 'NR > 1 { j += $2; g += $3; h += $5; x += $7 }
            END { printf "%d %d %.2f %d\n", j, g, h, x }')" \
        "$(jq -r '"\(.jobs) \(.gangs) \(.gpu_h) \(.excess)"' "$tmp/a.json" |
            awk '{ printf "%d %d %.2f %d\n", $1, $2, $3, $4 }')" \
        "and in CSV"
    is "$("$leafward" report --show summary "$@" "$day" |
        awk '/^GPU jobs/ { print $3, $5 }')" \
        "$(jq -r '"\(.jobs) \(.gpu_h)"' "$tmp/a.json" |
            awk '{ printf "%d %.1f\n", $1, $2 }')" "and in the text"
}
same true
same '.run.start >= "2030-01-07T09:00:00Z"' --since 2030-01-07T09:00:00Z
same '.run.start < "2030-01-07T10:00:00Z"' --until 2030-01-07T10:00:00Z
same '.job.user == "bo" or .job.user == "cy"' --user bo,cy
same '.job.account == "nlp"' --account nlp
same '.job.partition == "big"' --partition big
same '.placement.nnodes | . == 1 or . >= 3' --size 1,3-
same '.placement.nnodes == 2 and .job.user == "ann"' --size 2 --user ann
same '.placement.nnodes > 1 and .job.account == "vision"' --gangs -A vision

# --- the cluster and the requests --------------------------------------------

last() { jq -n "[inputs | select(.event == \"snapshot\")] | last | $1" "$day"; }
"$leafward" report --format csv --show causes "$day" >"$tmp/causes.csv"
is "$(awk -F, 'NR == 2 { all = $2 } NR > 2 { sum += $2 }
    { n = 0; for (i = 3; i <= NF; i++) n += $i
      if (NR > 1 && n != $2) print "row " NR }
    END { print all - sum }' "$tmp/causes.csv")" 0 \
    "causes add up to what is free, and groups to all"
is "$(sed -n 2p "$tmp/causes.csv" | cut -d, -f3-)" \
    "$(last '.gpus.free | [.idle, .rail, .partly, .cpu, .memory, .completing,
        .reserved, .drained, .down] | map(tostring) | join(",")' | tr -d '"')" \
    "as the last snapshot has them"
is "$("$leafward" report --format csv --show types "$day" | tail -n +2 |
    cut -d, -f4,5)" \
    "$(last '.types[0].startable[] | "\(.groups),\(.nodes)"' | tr -d '"')" \
    "gangs by GPU type are those of the last snapshot"
is "$("$leafward" report --format json --show fragmentation "$day" |
    jq '[.fragmentation[] | .unusable_gpus >= 0 and .unusable_share <= 1 and
        (.idle_pods + .part_pods + .full_pods - 2 | fabs < 1e-6)] | all')" true \
    "at every moment each pod is idle, partly used or full"
requests() {
    "$leafward" report --format csv --show decisions "$@" "$day" |
        awk -F, 'NR > 1 { n += $3 } END { print n + 0 }'
}
told() {
    jq -n "[inputs | select(.event | IN(\"submitted\", \"untouched\",
        \"impossible\")) | select($1)] | length" "$day"
}
is "$(requests)" "$(told true)" "every request is in the decisions"
is "$(requests --user ann,di)" "$(told '.job.uid == 1001 or .job.uid == 1004')" \
    "those of a user, whose lines hold only the uid"
is "$(requests --partition big)" "$(told '.job.partition == "big"')" \
    "and those of a partition"
is "$("$leafward" report --format csv --show impossible "$day" | tail -n +2 |
    cut -d, -f1-4)" "ann,gpu,2,32
bo,gpu,1,32" "who asked for what can never run"
runs 0 "an account" "$leafward" report --show decisions -A nlp "$day"
like "$(tail -n 1 "$tmp/out")" "requests named no account and are left out" \
    "requests that name none are said"

# one of a kind is told in the singular
jq -c 'select(.job.id == 101 or .event == "map-changed")' "$day" >"$tmp/one"
echo '{' >>"$tmp/one"
jq -c 'if .event == "ended" then empty else . end' "$tmp/one" >"$tmp/runs" \
    2>"$tmp/null"
"$leafward" report "$tmp/one" >"$tmp/text"
"$leafward" report "$tmp/runs" >>"$tmp/text"
like "$(cat "$tmp/text")" "1 of . lines is broken and was skipped" "one line"
like "$(cat "$tmp/text")" "1 job still runs; its GPU-hours" "one job"
is "$(grep -E '\b1 (jobs|gangs|lines|files|groups|nodes|GPUs|rows|runs)\b' \
    "$tmp/text")" "" "nothing is said of 1 jobs"
runs 2 "sizes that are none" "$leafward" report --size 4-2 "$day"
runs 2 "no size at all" "$leafward" report --size , "$day"
done_testing
