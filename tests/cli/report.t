#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report.t - `leafward report` on a sample day: tables, formats, bad logs
. "$(dirname "$0")/../tap.sh"

day=$top_srcdir/tests/data/log/day.jsonl
want=$top_srcdir/tests/data/report
printf '[leafward]\nlog = %s\n' "$tmp/log/placement.jsonl" >"$LEAFWARD_CONF"

runs 0 "a day as text" "$leafward" report "$day"
golden "$want/day.txt" "totals first, then the jobs"
runs 0 "in a narrow window" "$leafward" report --width 60 --rows 3 "$day"
golden "$want/day-60.txt" "columns are left out and that is said"
is "$(awk '{ gsub(/\xe2\x80\xa6/, "."); if (length($0) > 60) print }' \
    "$tmp/out")" "" "and no line is wider"
runs 0 "by user" "$leafward" report --show users,accounts "$day"
golden "$want/day-users.txt" "in order of GPU-hours"

runs 0 "the cluster's part" "$leafward" report --rows all --show \
    locality,spread,asked,decisions,impossible,startable,slots,stranded,failures,drift \
    "$day"
golden "$want/day-cluster.txt" "is as the snapshots say"
is "$(grep -A 6 '^Largest gang' "$tmp/out" | awk '$1 == 1 { print $2, $4, $5 }')" \
    "$(jq -rn '[inputs | select(.event == "snapshot").startable[0].nodes]
        | "\(last) \(min) \(max)"' "$day")" \
    "the largest gang is that of the snapshots"
runs 0 "over time" "$leafward" report --format csv --show fragmentation "$day"
is "$(awk -F, 'NR > 1 && ($2 < 0 || $2 > 1 || $2 == "")' "$tmp/out")" "" \
    "every stretch of time has its share"

# steps log their launch on their nodes: one line a step, and one from each
# other node that misses a rail
mkdir "$tmp/launch"
launch() { # NODE EVENT RAILS
    printf '{"schema":1,"@timestamp":"2030-01-01T00:00:0%s.000Z","event":"%s",' \
        "${1#n}" "$2"
    printf '"cluster":"c","job":{"id":7,"restarts":0,"user":"ann"},"step":{'
    printf '"id":0,"node":"%s","nnodes":4},"rails":[%s]}\n' "$1" "$3"
}
launch n1 launched '{"nodes":"n1","rails":8,"up":8,"seen":"launch"},{
"nodes":"n[2,4]","rails":8,"up":8,"seen":"map"},{"nodes":"n3","rails":8,"up":7,
"seen":"map"}' | tr -d '\n' >"$tmp/launch/n1.jsonl"
launch n2 rail-down '{"nodes":"n2","rails":8,"up":6,
"down":"mlx5_3:1 rail 2, mlx5_4:1 rail 3","seen":"launch"}' |
    tr -d '\n' >"$tmp/launch/n2.jsonl-20300101T000000"
mkdir -p "$tmp/log"
cp "$day" "$tmp/log/placement.jsonl"
printf '[node]\nlaunch_log = %s/launch/%%n.jsonl\n' "$tmp" >>"$LEAFWARD_CONF"
runs 0 "what nodes logged is read too" \
    "$leafward" report --format csv --show rails
is "$(sort "$tmp/out")" "7,0,ann,4,n2,6,8,\"mlx5_3:1 rail 2, mlx5_4:1 rail 3$(
    )\",launch,2030-01-01T00:00:02Z
7,0,ann,4,n3,7,8,,map,2030-01-01T00:00:01Z
job,step,user,nnodes,nodes,up,rails,down,seen,at" \
    "a node with a missing rail inside a gang shows"
runs 0 "a log without launches" "$leafward" report --show rails "$day"
like "$(cat "$tmp/out")" 'none in 0 lines of launches' "says so"
rm -r "$tmp/log" "$tmp/launch"
sed -i '/^\[node\]/,$d' "$LEAFWARD_CONF"

# two groups of four: a1 has a 1-node job in the way of a gang of four
moves() {
    jq -nc '{schema: 1, "@timestamp": "2030-01-01T00:00:00Z",
        event: "map-changed", cluster: "c", map: {created:
        "2030-01-01T00:00:00Z", nodes: 8, groups: 2}, groups: [
        {group: "a1", pod: "p", nodes: ["n1", "n2", "n3", "n4"]},
        {group: "a2", pod: "p", nodes: ["n5", "n6", "n7", "n8"]}]}'
    jq -nc '{schema: 1, "@timestamp": "2030-01-01T00:01:00Z", event: "placed",
        cluster: "c", job: {id: 11, user: "ann"}, run: {start:
        "2030-01-01T00:01:00Z"}, placement: {nodes: "n1", nnodes: 1,
        gpus: 8}}, {schema: 1, "@timestamp": "2030-01-01T00:01:00Z", event:
        "placed", cluster: "c", job: {id: 12, user: "ann"}, run: {start:
        "2030-01-01T00:01:00Z"}, placement: {nodes: "n[5-7]", nnodes: 3,
        gpus: 24}}'
    jq -nc --arg a2 "$1" '{schema: 1, "@timestamp": "2030-01-01T00:02:00Z",
        event: "snapshot", cluster: "c", groups: [{group: "a1", pod: "p",
        states: "fiii", gpus: 32, gpus_used: 8}, {group: "a2", pod: "p",
        states: $a2, gpus: 32, gpus_used: 24}], pending: [{id: 20, nodes: 4,
        gpus: 32, groups: 1, partition: "gpu"}]}'
}
if grep -q 'HAVE_SLURM_SLURM_H 1' "$top_builddir/config.h"; then
    moves fffi >"$tmp/moves.jsonl"
    is "$("$leafward" report --format csv --show moves "$tmp/moves.jsonl" |
        tail -n 1)" "20,4,1,3,1,11" \
        "moving the one-node job to the other group makes room"
    moves fffd >"$tmp/moves.jsonl"
    is "$("$leafward" report --format csv --show moves "$tmp/moves.jsonl" |
        tail -n 1)" "20,4,1,3,," "but not when its node there is down"
else
    skip "built without Slurm" "moving jobs"
fi

# a second computation of the totals, by jq, from the same lines
runs 0 "as JSON" "$leafward" report --format json --show all "$day"
cp "$tmp/out" "$tmp/report.json"
jq -n '[inputs | select(.event == "ended" and .placement.gpus > 0)]' \
    "$day" >"$tmp/runs.json"
jq '[.[] | select(.placement.nnodes > 1)]' "$tmp/runs.json" >"$tmp/gangs.json"
total() { jq "[.summary[] | select(.what == \"$1\")][0].$2" "$tmp/report.json"; }
is "$(total 'GPU jobs' jobs)" "$(jq length "$tmp/runs.json")" \
    "every GPU job that ran is counted"
is "$(total '  gangs of more' jobs)" "$(jq length "$tmp/gangs.json")" \
    "and every gang"
is "$(total 'Gangs on the fewest groups' jobs)" \
    "$(jq '[.[] | select(.placement.excess == 0)] | length' \
        "$tmp/gangs.json")" "and every one on the fewest groups"
near() { jq -n "($1) - ($2) | fabs < 0.001"; }
is "$(near "$(total 'Gangs on the fewest groups' gpu_hours)" \
    "$(jq '[.[] | select(.placement.excess == 0).run.gpu_s] | add / 3600' \
        "$tmp/gangs.json")")" true "and its GPU-hours"
is "$(jq '.waiting[0].mean_s' "$tmp/report.json" | cut -c1-8)" \
    "$(jq -n '[inputs | select(.event == "placed" and .placement.gpus > 0)
        .wait.queue_s] | add / length' "$day" | cut -c1-8)" \
    "the mean wait is that of the placed lines"
is "$(jq '[.sizes[].jobs] | add' "$tmp/report.json")" \
    "$(total 'GPU jobs' jobs)" "the sizes add up"
is "$(jq '.jobs | length' "$tmp/report.json")" "$(total 'GPU jobs' jobs)" \
    "every job is in the table of jobs"

runs 0 "as CSV" "$leafward" report --format csv "$day"
is "$(tail -n +2 "$tmp/out" | wc -l)" "$(jq length "$tmp/runs.json")" \
    "one line a job"
is "$(head -n 1 "$tmp/out" | cut -d, -f1-8)" \
    "job,user,account,partition,nodes,gpus,groups,fewest" "under a header"
runs 2 "CSV holds one table" "$leafward" report --format csv \
    --show users,sizes "$day"

runs 0 "a part of the day" "$leafward" report --format csv \
    --since 2030-01-07T09:00:00Z --until 2030-01-07T10:00:00Z "$day"
is "$(tail -n +2 "$tmp/out" | cut -d, -f13 | cut -c1-13 | sort -u)" \
    "2030-01-07T09" "holds the jobs that started in it"
runs 0 "one user's gangs" "$leafward" report --format csv --user cy --gangs \
    "$day"
is "$(tail -n +2 "$tmp/out" | awk -F, '$2 != "cy" || $5 < 2')" "" \
    "are only these"

# damaged input
{ head -n 50 "$day"; echo '{"schema":1,"event":'; echo 'garbage'
  tail -n +51 "$day"; } >"$tmp/broken.jsonl"
runs 0 "a broken line is no failure" "$leafward" report --show summary \
    "$tmp/broken.jsonl"
like "$(tail -n 2 "$tmp/out")" \
    "2 of 358 lines are broken and were skipped; the first: .*broken.jsonl:51:" \
    "but is counted and named at the end"
is "$("$leafward" report --show summary "$tmp/broken.jsonl" | head -n 9)" \
    "$("$leafward" report --show summary "$day" | head -n 9)" \
    "and the rest is read"
sed 's/"schema":1/"schema":9/' "$day" | head -n 5 >"$tmp/newer.jsonl"
runs 0 "a newer format" "$leafward" report --show summary "$tmp/newer.jsonl"
like "$(cat "$tmp/out")" "5 lines are of a newer format" "is said"
: >"$tmp/empty.jsonl"
runs 0 "an empty log is no failure" "$leafward" report "$tmp/empty.jsonl"
runs 1 "a missing log is one" "$leafward" report "$tmp/none.jsonl"
like "$(cat "$tmp/err")" "none.jsonl: No such file" "and is named"
jq -c 'if .event == "ended" then empty else . end' "$day" >"$tmp/live.jsonl"
runs 0 "runs without an end" "$leafward" report --show summary \
    "$tmp/live.jsonl"
like "$(cat "$tmp/out")" "95 jobs still run" "count as running"
printf '%s\n' '{"schema":1,"@timestamp":"2030-01-01T00:00:00Z","event":"ended","job":{"id":1,"user":"\u001b[31mred\u0007"},"placement":{"nnodes":1,"gpus":8},"run":{"start":"2030-01-01T00:00:00Z","elapsed_s":60,"state":"COMPLETED"}}' \
    >"$tmp/evil.jsonl"
runs 0 "control characters in a name" "$leafward" report --show users \
    "$tmp/evil.jsonl"
is "$(tr -d '\n' <"$tmp/out" | tr -dc '[:cntrl:]')" "" \
    "do not reach the terminal"

# rotated and compressed parts beside the log of the configuration
mkdir "$tmp/log"
part() { # FROM TO NAME AGE COMMAND...
    sed -n "$1,$2p" "$day" | "${@:5}" >"$tmp/log/placement.jsonl$3"
    touch -d "2030-01-07T$4:00Z" "$tmp/log/placement.jsonl$3"
}
part 1 100 -20300107T080000.gz 08:00 gzip
if command -v xz >/dev/null && command -v zstd >/dev/null; then
    part 101 150 -20300107T090000.xz 09:00 xz
    part 151 200 -20300107T100000.zst 10:00 zstd -q
else
    part 101 150 -20300107T090000 09:00 cat
    part 151 200 -20300107T100000 10:00 cat
fi
if command -v bzip2 >/dev/null; then
    part 201 250 .2.bz2 11:00 bzip2
else
    part 201 250 .2 11:00 cat
fi
part 251 300 .1 11:30 cat
part 301 \$ "" 12:00 cat
runs 0 "the log with its rotated parts" "$leafward" report
golden "$want/day.txt" "gives the same as the whole"

# what cannot be read is said, and the rest is reported
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/gzip"
chmod +x "$tmp/bin/gzip"
head -c 100 "$tmp/log/placement.jsonl-20300107T080000.gz" >"$tmp/short.gz"
runs 0 "a part that is cut off" "$leafward" report "$tmp/short.gz" "$day"
like "$(tail -n 1 "$tmp/out")" \
    "1 file is damaged.*the first: .*/short.gz:.*cannot be read further" \
    "is named"
runs 0 "a part whose program fails" env PATH="$tmp/bin:$PATH" "$leafward" \
    report --format csv "$tmp/short.gz" "$day"
like "$(cat "$tmp/err")" "1 damaged file; the first: .*/short.gz" \
    "is named on standard error"
cp "$tmp/out" "$tmp/all.csv"
"$leafward" report --format csv "$day" >"$tmp/day.csv"
runs 0 "and the rest is all there" cmp "$tmp/all.csv" "$tmp/day.csv"
ln -s "$(command -v sh)" "$(command -v env)" "$tmp/bin/"
rm "$tmp/bin/gzip"
program=$leafward
[ ! -x "$top_builddir/.libs/leafward" ] || program=$top_builddir/.libs/leafward
runs 0 "a part whose program is not there" env PATH="$tmp/bin" "$program" \
    report "$tmp/short.gz" "$day"
like "$(tail -n 1 "$tmp/out")" \
    "1 file could not be read.*compressed by gzip.*install gzip" \
    "is named with what to do"
runs 1 "nothing else to read" env PATH="$tmp/bin" "$program" report \
    "$tmp/short.gz"
runs 1 "a name that is wrong" "$leafward" report "$day" "$tmp/none.jsonl"
like "$(cat "$tmp/err")" "none.jsonl: No such file" "is no part to skip"

# before there was a log: sacct alone, judged by a map
cat >"$tmp/sacct.txt" <<'END'
JobIDRaw|User|Account|Partition|Submit|Start|End|ElapsedRaw|State|NodeList|AllocTRES
100|ann|nlp|gpu|2030-01-01T10:00:00|2030-01-01T10:10:00|2030-01-01T11:10:00|3600|COMPLETED|node[001-002]|billing=2,cpu=16,gres/gpu=16,node=2
100.batch|||||2030-01-01T10:10:00|2030-01-01T11:10:00|3600|COMPLETED|node001|cpu=8,node=1
101|bo|nlp|gpu|2030-01-01T10:00:00|2030-01-01T10:00:00|2030-01-01T10:30:00|1800|FAILED|lab1,node001|cpu=16,gres/gpu=16,node=2
102|bo|nlp|gpu|2030-01-01T10:00:00|Unknown|Unknown|0|PENDING|None assigned|
103|bo|nlp|cpu|2030-01-01T10:00:00|2030-01-01T10:00:00|2030-01-01T10:30:00|1800|COMPLETED|node001|cpu=16,node=1
garbage
END
if grep -q 'HAVE_SLURM_SLURM_H 1' "$top_builddir/config.h"; then
    runs 0 "sacct alone" "$leafward" report --sacct "$tmp/sacct.txt" \
        --map "$top_srcdir/tests/data/map/healthy.json" --format csv
    is "$(tail -n +2 "$tmp/out" | sort | cut -d, -f1,2,5-8,10,14)" \
        "100,ann,2,16,1,1,600,3600
101,bo,2,16,2,1,0,1800" "its placements are judged"
    runs 0 "as text" "$leafward" report --sacct "$tmp/sacct.txt" \
        --map "$top_srcdir/tests/data/map/healthy.json"
    like "$(tail -n 1 "$tmp/out")" "1 of 6 lines is broken.*sacct.txt:7:" \
        "and a line that is none is counted"
    runs 1 "no sacct output at all" "$leafward" report --sacct "$day" \
        --map "$top_srcdir/tests/data/map/healthy.json"
    like "$(cat "$tmp/err")" "day.jsonl:1: the header has no column 'Start'" \
        "is refused"
else
    skip "built without Slurm" "sacct alone"
fi

runs 2 "a part that is not there" "$leafward" report --show nonsense "$day"
like "$(cat "$tmp/err")" "no part 'nonsense'" "is named"
runs 2 "a time that is none" "$leafward" report --since soon "$day"
runs 2 "a period the wrong way round" "$leafward" report --since today \
    --until yesterday "$day"
done_testing
