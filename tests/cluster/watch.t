#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# watch.t - a short day under `leafward watch`: what the log says is what
# Slurm says, although slurmctld restarts and watch is killed twice
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
cluster_up --nodes 8 --groups 2 --plugins off \
    --conf 'JobCompType=jobcomp/filetxt' --conf "JobCompLoc=$tmp/jobcomp"

log=$cluster_dir/leafward/placement.jsonl
state=$cluster_dir/leafward/state.json
metrics=$tmp/leafward.prom

# two groups of four, eight rails, node008 with one down
jq -n '[range(1; 9) | "node00\(.)"] as $n | {schema: 1,
    created: "2030-01-01T00:00:00Z", pods: ["pod-1"], nodes: [$n[] | {
        name: ., group: (if . < "node005" then "leaf1" else "leaf2" end),
        pod: "pod-1", rails: 8,
        rails_up: (if . == "node008" then 7 else 8 end)}],
    groups: [{name: "leaf1", pod: "pod-1", nodes: $n[:4]},
             {name: "leaf2", pod: "pod-1", nodes: $n[4:]}]}' \
    >"$cluster_dir/leafward/map.json"

watch_pid=
start_watch() {
    "$leafward" watch -i 1 --metrics "$metrics" 2>>"$tmp/watch.err" &
    watch_pid=$!
}
kill_watch() {
    # libtool's wrapper execs the program, so the pid is its own
    kill -KILL "$watch_pid" 2>/dev/null
    wait "$watch_pid" 2>/dev/null
}
stop_watch() {
    [ -z "$watch_pid" ] || kill "$watch_pid" 2>/dev/null
    [ -z "$watch_pid" ] || wait "$watch_pid" 2>/dev/null
}
trap 'rc=$?; stop_watch; (exit $rc); cluster_cleanup' EXIT

# said EVENT JOB [FILTER]: how many such lines there are
said() {
    jq -s --arg e "$1" --argjson j "$2" "[.[] | select(.event == \$e and
        .job.id == \$j) | select(${3:-true})] | length" "$log" 2>/dev/null
}
said_once() { [ "$(said "$@")" = 1 ]; }

runs 0 "one look works" "$leafward" watch --once --metrics "$metrics"
is "$(jq -r '[.nodes[] | .state] | unique | join(",")' "$state")" idle \
    "the state says that all nodes are idle"
is "$(jq -r '.topology' "$state")" tree "and that the topology is a tree"
is "$(jq -c 'select(.event == "map-changed") | .degraded_nodes' "$log")" \
    '["node008"]' "the map is told, with the degraded node"
is "$(stat -c %a "$state")" 644 "the state can be read by slurmctld's user"

start_watch
gang=$(submit -N3 --gpus-per-node=8 -t 60)
small=$(submit --gpus=2)
wait_for_state "$gang" RUNNING
until_true 20 said_once placed "$gang"
ok $? "a gang is placed"
runs 1 "a second watch is kept away" "$leafward" watch --once
like "$(cat "$tmp/err")" 'another .leafward watch. is running' "and told why"

# killed: what happens meanwhile is told afterwards
kill_watch
short=$(sbatch --parsable -o /dev/null --gpus=1 --wrap 'exit 3')
array=$(sbatch --parsable -o /dev/null -a 0-1 --gpus=1 --wrap 'true')
wait_for_state "$short" FAILED
scancel "$small"
start_watch
until_true 20 said_once ended "$short"
ok $? "a job that came and went while watch was dead is told"
is "$(jq -r "select(.event == \"ended\" and .job.id == $short) |
    [.run.state, .run.exit_code] | @csv" "$log")" '"FAILED",3' \
    "with its end and exit code"
until_true 20 said_once ended "$small"
ok $? "so is the one that was cancelled"

# a hetjob, a requeue, a pending job cancelled
het=$(sbatch --parsable -o /dev/null -N1 --gpus-per-node=1 : -N1 \
    --wrap 'sleep 2')
scontrol requeue "$gang"
until_true 20 said_once ended "$gang" '.run.state == "REQUEUED"'
ok $? "a requeued run ends as such"
never=$(submit -N2 --hold)
scancel "$never"
until_true 20 said_once ended "$never" '.run.state == "CANCELLED"'
ok $? "a job cancelled while pending ends without a run"

# slurmctld is away: said once, and nothing is lost
complaints() { grep -c 'cannot read' "$tmp/watch.err"; }
complained() { [ "$(complaints)" -ge "$1" ]; }
"$cluster" ctld "$cluster_dir" stop
until_true 60 complained 1
ok $? "watch says that slurmctld is away"
kill_watch
start_watch
until_true 60 complained 2
sleep 12
is "$(complaints)" 2 "once in a life"
"$cluster" ctld "$cluster_dir" start
answers() { grep -q 'answers again' "$tmp/watch.err"; }
until_true 60 answers
ok $? "and goes on when it is back"

# a node fails under a job that may not be requeued
victim=$(submit -N1 -w node007 --no-requeue --gpus=1)
wait_for_state "$victim" RUNNING
until_true 20 said_once placed "$victim"
scontrol update node=node007 state=down reason=test
until_true 20 said_once ended "$victim" '.run.state == "NODE_FAIL"'
ok $? "a failed node ends its job as NODE_FAIL"

scancel --user=root
until_true 30 queue_empty
all_ended() {
    [ "$(jq -s '[.[] | select(.event == "placed")] | length' "$log")" = \
        "$(jq -s '[.[] | select(.event == "ended" and .placement)] | length' \
            "$log")" ]
}
until_true 20 all_ended
ok $? "every run that was placed has ended"
# the requeued gang may have been cancelled before it ran again
until_true 20 said_once ended "$gang" '.run.state == "CANCELLED"'
ok $? "and so has the requeued one"

is "$(jq -r 'select(.event == "placed" or .event == "ended") |
    [.event, .job.id, .job.restarts] | @csv' "$log" | sort | uniq -d)" "" \
    "no line was written twice"

# jobcomp/filetxt has one line a run: JobId=.. JobState=.. NodeList=..
sed -n 's/^JobId=\([0-9]*\) .* JobState=\([A-Z_]*\) .* NodeList=\([^ ]*\) .*/\1 \2 \3/p' \
    "$tmp/jobcomp" | sort -n >"$tmp/slurm"
jq -rs '(map(select(.event == "placed")) |
        map({key: "\(.job.id) \(.job.restarts)", value: .placement.nodes}) |
        from_entries) as $nodes | .[] | select(.event == "ended") |
    [.job.id, .run.state, $nodes["\(.job.id) \(.job.restarts)"] // "(null)"] |
    map(tostring) | join(" ")' "$log" | sort -n >"$tmp/ours"
# filetxt calls the run of a requeued job by the state it was put back into
sed -i 's/ PENDING / REQUEUED /; s/ CANCELLED by [0-9]* / CANCELLED /' \
    "$tmp/slurm"
if [ -s "$tmp/slurm" ]; then
    is "$(grep -v ' REQUEUED ' "$tmp/ours" | cut -d' ' -f1-2 | sort -u)" \
        "$(grep -v ' REQUEUED ' "$tmp/slurm" | cut -d' ' -f1-2 | sort -u)" \
        "the jobs and their ends are those of jobcomp"
else
    skip "jobcomp/filetxt wrote nothing" "the jobs and their ends"
fi
is "$(jq -r "select(.event == \"placed\" and .job.array_job_id == $array) |
    .job.array_task_id" "$log" | sort | paste -sd,)" 0,1 \
    "array tasks have their ids"
is "$(jq -r "select(.event == \"placed\" and .job.het_job_id == $het) |
    .job.het_offset" "$log" | sort | paste -sd,)" 0,1 \
    "components of a hetjob have theirs"

if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 - "$top_srcdir/docs/placement-log.schema.json" "$log" \
        >"$tmp/schema" <<'END'
import json, sys, jsonschema
check = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
for number, line in enumerate(open(sys.argv[2]), 1):
    for error in check.iter_errors(json.loads(line)):
        print(number, list(error.path), error.message)
END
    is "$(cat "$tmp/schema")" "" "every line is as the schema says"
else
    skip "python3-jsonschema is not installed" "lines against the schema"
fi

if command -v promtool >/dev/null; then
    promtool check metrics <"$metrics" >"$tmp/promtool" 2>&1
    ok $? "promtool finds nothing to say about the metrics"
    is "$(cat "$tmp/promtool")" "" "not even a hint"
else
    skip "promtool is not installed" "metrics"
fi

stop_watch
watch_pid=
done_testing
