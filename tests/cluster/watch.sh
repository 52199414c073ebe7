# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# watch.sh - helpers of the tests of `leafward watch`: start it, kill it, and
# compare its log with what Slurm says, run by run
#
# After cluster_up with JobCompType=jobcomp/filetxt and --env TZ=UTC.

# shellcheck source=tests/cluster/place.sh
. "$(dirname "${BASH_SOURCE[0]}")/place.sh"

log=${cluster_dir:?}/leafward/placement.jsonl
watch_pid=

# start_watch: in the background, a look every second
start_watch() {
    "${leafward:?}" watch -i 1 2>>"${tmp:?}/watch.err" &
    watch_pid=$!
}

# kill_watch: libtool's wrapper execs the program, so the pid is its own
kill_watch() {
    kill -KILL "$watch_pid" 2>/dev/null
    wait "$watch_pid" 2>/dev/null
    watch_pid=
}

stop_watch() {
    [ -z "$watch_pid" ] || kill "$watch_pid" 2>/dev/null
    [ -z "$watch_pid" ] || wait "$watch_pid" 2>/dev/null
    watch_pid=
}
rc=0
trap 'rc=$?; stop_watch; (exit $rc); cluster_cleanup' EXIT

# said EVENT JOB [FILTER]: how many such lines there are
said() {
    jq -nR --arg e "$1" --argjson j "$2" "[inputs | fromjson? |
        select(.event == \$e and .job.id == \$j and (${3:-true}))] | length" \
        "$log" 2>/dev/null
}
said_once() { [ "$(said "$@")" = 1 ]; }

# Both print a run a line: JOB RESTARTS TASK START END STATE NODES NNODES GPUS
# WAIT. What a job that never ran has not is "-". Two things are not in jobcomp:
# how often a job was requeued is counted, and its GPUs are its name, g8.
runs_of_jobcomp() {
    awk 'function seconds(text) {
        gsub(/[-T:Z]/, " ", text)
        return mktime(text)
    }
    {
        for (i = 1; i <= NF; i++)
            if ((at = index($i, "=")) > 0)
                f[substr($i, 1, at - 1)] = substr($i, at + 1)
        task = "-"
        if ("ArrayJobId" in f) task = f["ArrayJobId"] "_" f["ArrayTaskId"]
        if ("HetJobId" in f) task = f["HetJobId"] "+" f["HetJobOffset"]
        gpus = f["Name"] ~ /^g[0-9]+$/ ? substr(f["Name"], 2) : 0
        start = f["StartTime"] "Z"
        wait = seconds(f["StartTime"]) - seconds(f["EligibleTime"])
        if (f["NodeList"] == "(null)")
            start = f["NodeList"] = f["NodeCnt"] = gpus = wait = "-"
        job[NR] = f["JobId"]
        restarts[NR] = seen[f["JobId"]]++
        from[NR] = task " " start " " f["EndTime"] "Z"
        state[NR] = f["JobState"]
        got[NR] = f["NodeList"] " " f["NodeCnt"] " " gpus " " wait
        delete f
    }
    END {
        for (i = 1; i <= NR; i++) {
            if (restarts[i] + 1 < seen[job[i]])
                state[i] = "REQUEUED"
            print job[i], restarts[i], from[i], state[i], got[i]
        }
    }' "$1" | sort
}

runs_of_log() {
    jq -nrR '[inputs | fromjson? | select(.job.id)] |
        (map(select(.event == "placed")) |
            map({key: "\(.job.id) \(.job.restarts)", value: .}) |
            from_entries) as $placed | .[] | select(.event == "ended") |
        $placed["\(.job.id) \(.job.restarts)"] as {placement: $p, wait: $w} |
        [.job.id, .job.restarts,
         (if .job.array_task_id then
             "\(.job.array_job_id)_\(.job.array_task_id)"
          elif .job.het_offset then "\(.job.het_job_id)+\(.job.het_offset)"
          else "-" end),
         .run.start // "-", .run.end // "-", .run.state,
         $p.nodes // "-", $p.nnodes // "-", $p.gpus // "-",
         $w.queue_s // "-"] | map(tostring) | join(" ")' "$1" |
        sort
}

# Both print a job a line, as it is after its last run: JOB RESTARTS TASK
# START END STATE NODES EXIT:SIGNAL, the last not of a failed node's, from which
# Slurm may hear of it later.
jobs_of_scontrol() {
    scontrol -o show job | awk '{
        for (i = 1; i <= NF; i++)
            if ((at = index($i, "=")) > 0 && !(substr($i, 1, at - 1) in f))
                f[substr($i, 1, at - 1)] = substr($i, at + 1)
        task = "-"
        if ("ArrayJobId" in f) task = f["ArrayJobId"] "_" f["ArrayTaskId"]
        if ("HetJobId" in f) task = f["HetJobId"] "+" f["HetJobOffset"]
        start = f["StartTime"] "Z"
        if (f["NodeList"] == "" || f["NodeList"] == "(null)")
            start = f["NodeList"] = "-"
        if (f["JobState"] == "NODE_FAIL") f["ExitCode"] = "-"
        print f["JobId"], f["Restarts"], task, start, f["EndTime"] "Z",
            f["JobState"], f["NodeList"], f["ExitCode"]
        delete f
    }' | sort
}

jobs_of_log() {
    jq -nrR '[inputs | fromjson? | select(.job.id)] |
        (map(select(.event == "placed")) |
            map({key: "\(.job.id) \(.job.restarts)", value: .placement}) |
            from_entries) as $placed |
        map(select(.event == "ended")) | group_by(.job.id)[] |
        max_by(.job.restarts) | [.job.id, .job.restarts,
         (if .job.array_task_id // .job.array_tasks then
             "\(.job.array_job_id)_\(.job.array_task_id // .job.array_tasks)"
          elif .job.het_offset then "\(.job.het_job_id)+\(.job.het_offset)"
          else "-" end),
         .run.start // "-", .run.end // "-", .run.state,
         $placed["\(.job.id) \(.job.restarts)"].nodes // "-",
         (if .run.state == "NODE_FAIL" then "-" else
             "\(.run.exit_code // 0):\(.run.signal // 0)" end)] |
        map(tostring) | join(" ")' "$1" | sort
}

# twice_said FILE: what the log says more than once
twice_said() {
    jq -rR 'fromjson? | select(.event == "placed" or .event == "launched" or
        .event == "ended") | "\(.event) \(.job.id) \(.job.restarts)"' "$1" |
        sort | uniq -d
}

# all_told: every job that Slurm shows has ended, and the log says so
all_told() {
    [ -z "$(squeue -h)" ] &&
        diff <(jobs_of_scontrol | cut -d' ' -f1,2) \
            <(jobs_of_log "$log" | cut -d' ' -f1,2) >/dev/null
}
