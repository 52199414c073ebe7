#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# day.t - a scripted day: gangs, small jobs, cancels, requeues, arrays, a
# hetjob, failing nodes, slurmctld restarted and watch killed twice. The log
# tells the exact truth, run by run, and the report adds it up right.
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
cluster_up --nodes 8 --groups 2 --plugins off --env TZ=UTC \
    --conf 'JobCompType=jobcomp/filetxt' --conf "JobCompLoc=$tmp/jobcomp"
export TZ=UTC
# shellcheck source=tests/cluster/watch.sh
. "$(dirname "$0")/watch.sh"
write_map "$cluster_dir/leafward/map.json" 4 4

batch() { sbatch --parsable -o /dev/null "$@"; }
smalls() {
    local i
    for ((i = 0; i < $1; i++)); do
        batch -J g$((1 + i % 3)) --gpus=$((1 + i % 3)) --wrap "sleep $((i % 3)); exit $((i % 2))"
    done
}
# start_again JOB: a requeued job waits two minutes, unless it is told to start
start_again() {
    until_true 20 job_is "$1" PENDING
    scontrol update job="$1" StartTime=now
    wait_for_state "$1" RUNNING
}

# morning: everything is watched
start_watch
gang=$(submit -J g24 -N3 --gpus-per-node=8)
# shellcheck disable=SC2016 # the job's own variables
batch -J g1 -a 0-4%2 --gpus=1 --wrap 'exit $((SLURM_ARRAY_TASK_ID % 2))' \
    >/dev/null
# shellcheck disable=SC2016
batch -J g1 --gpus=1 --wrap 'kill -9 $$' >/dev/null
batch -J g8 -N2 --gpus-per-node=4 : -J g1 -N1 --gpus=1 : -J g0 -N1 \
    --wrap 'sleep 1' >/dev/null
batch --wrap 'sleep 1' >/dev/null
smalls 4 >/dev/null
stays=$(submit -J g1 -N1 -w node007 --no-requeue --gpus=1)
returns=$(submit -J g2 -N1 -w node007 --gpus=2)
held=$(submit -J g16 -N2 --gpus-per-node=8 --hold)
tasks=$(submit -a 0-5 --hold)
task=$(submit -J g1 -a 7 --gpus=1)
wait_for_state "$returns" RUNNING
wait_for_state "$gang" RUNNING
until_true 20 said_once placed "$returns"
scontrol update node=node007 state=down reason=test
scontrol requeue "$gang"
start_again "$gang"
scancel "${tasks}_[2-3]"
scancel "$tasks"
until_true 20 said_once ended "$stays"
until_true 20 said_once placed "$gang" '.job.restarts == 1'

# noon: watch is dead, the cluster goes on
kill_watch
scancel "$held"
smalls 3 >/dev/null
late=$(submit -J g16 -N2 --gpus-per-node=8)
scontrol update node=node007 state=resume 2>/dev/null # may be back
start_again "$returns"
scontrol requeue "$gang"
start_again "$gang"
wait_for_state "$late" RUNNING
scontrol requeue "${task}_7"
start_again "${task}_7"
start_watch
until_true 20 said_once placed "$gang" '.job.restarts == 2'

# afternoon: slurmctld restarts, watch is killed while it is away
"$cluster" ctld "$cluster_dir" stop
kill_watch
start_watch
"$cluster" ctld "$cluster_dir" start
smalls 3 >/dev/null
scancel -s KILL --batch "$late"
last=$(submit -J g24 -N3 --gpus-per-node=8)
until_true 40 said_once ended "$late"
"$cluster" ctld "$cluster_dir" restart
wait_for_state "$last" RUNNING
until_true 30 said_once placed "$last"

# evening
scancel --user="$(id -un)"
until_true 60 all_told
ok $? "every job that Slurm shows has its end in the log"

# Slurm shows watch no end of a run that was put back into the queue, only that
# it is over
runs_of_jobcomp "$tmp/jobcomp" >"$tmp/slurm"
runs_of_log "$log" >"$tmp/ours"
rough() { sed 's/ [^ ]* REQUEUED / ~ REQUEUED /' "$1"; }
is "$(rough "$tmp/ours")" "$(rough "$tmp/slurm")" \
    "run by run it is as jobcomp says"
is "$(join -j 1 <(awk '/ REQUEUED / {print $1 "/" $2, $5}' "$tmp/slurm" | sort) \
    <(awk '/ REQUEUED / {print $1 "/" $2, $5}' "$tmp/ours" | sort) |
    while read -r run theirs ours; do
        late=$(($(date -d "$ours" +%s) - $(date -d "$theirs" +%s)))
        ((late >= 0 && late <= 5)) || echo "$run: $late s"
    done)" "" "runs that were requeued end within a few seconds of the truth"
is "$(jobs_of_log "$log")" "$(jobs_of_scontrol)" \
    "job by job it is as scontrol says"
is "$(twice_said "$log")" "" "no line was written twice"
is "$(jq -r 'select(.event == "placed") | .job.id' "$log" | sort -u | wc -l)" \
    "$(awk '$7 != "-"' "$tmp/slurm" | cut -d' ' -f1 | sort -u | wc -l)" \
    "every job that ran was placed"
stop_watch

# The report's sums against sums of jobcomp alone. Groups: node001 to node004
# and the others, so that up to four nodes fit one.
sums_of_jobcomp() {
    while read -r _ _ _ start end state nodes nnodes gpus wait; do
        [ "$start" != - ] || continue
        [ "$gpus" -gt 0 ] || continue
        groups=$(scontrol show hostnames "$nodes" |
            awk '{print (substr($0, 5) + 0 > 4)}' | sort -u | wc -l)
        seconds=$(($(date -d "$end" +%s) - $(date -d "$start" +%s)))
        [ "$state" != REQUEUED ] || seconds=0
        echo $((nnodes > 1)) $((nnodes > 1 && groups == 1)) \
            $((nnodes > 1 && groups > 1)) $((seconds * gpus)) "$wait"
    done <"$tmp/slurm" | awk '{
        jobs++; gangs += $1; packed += $2; spread += $3; gpu_s += $4
        wait += $5
        if ($5 > longest) longest = $5
    } END {print jobs, gangs, packed, spread, gpu_s, wait, longest}'
}
runs 0 "the report" "$leafward" report --rows=all --format=json
is "$(jq -r '[.summary[0].jobs, .summary[2].jobs, .summary[3].jobs,
    .summary[4].jobs, ([.jobs[] | select(.state != "REQUEUED") |
        .gpu_hours * 3600] | add | round),
    (.waiting[0].hours * 3600 | round), .waiting[0].max_s] |
    map(tostring) | join(" ")' "$tmp/out")" "$(sums_of_jobcomp)" \
    "jobs, gangs, packed, spread, GPU-seconds and waits are those of jobcomp"
is "$(jq '.summary[0].gpu_hours * 3600 | round' "$tmp/out")" \
    "$(jq '[.jobs[].gpu_hours * 3600] | add | round' "$tmp/out")" \
    "all GPU-hours are those of the jobs"
is "$(jq -c '.log | [.broken, .lost_ends]' "$tmp/out")" "[0,0]" \
    "no line was broken, no end was lost"
done_testing
