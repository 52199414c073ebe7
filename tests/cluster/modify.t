#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# modify.t - what becomes of a decision when a job is changed, tested only,
# requeued or an array
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
need_plugins
cluster_up --nodes 9 --groups 3 --node 'node[001-009]' 'Feature=a,b'
log=$cluster_dir/leafward/placement.jsonl
state=$cluster_dir/leafward/state.json
install_map 3 3 3

watch_pid=
trap 'rc=$?; kill $watch_pid 2>/dev/null; (exit $rc); cluster_cleanup' EXIT
"$leafward" watch -i 1 2>"$tmp/watch.err" &
watch_pid=$!

# decides: the plugin has read the state
decides() {
    local job
    job=$(submit --hold -N3 --gpus-per-node=8)
    scancel "$job"
    [ "$(scontrol show job "$job" | grep -c 'wait=86400')" = 1 ]
}
until_true 30 decides || skip_all "the plugin has not read the state"

# state_has JOB [FILTER]: watch has seen the job
state_has() {
    jq -e --argjson j "$1" ".jobs | any(.[]; .id == \$j and (${2:-true}))" \
        "$state" >/dev/null 2>&1
}
# held OPTION..: a job that waits
held() { submit --hold -N3 --gpus-per-node=8 "$@"; }
# known JOB: watch has seen it, and a second later the plugin has too
known() { until_true 20 state_has "$@" && sleep 1.2; }
mark() { scontrol -o show job "$1" | sed -n 's/.*AdminComment=\(leafward: .*\) ref=.*/\1/p' | head -n 1; }
ref() { scontrol -o show job "$1" | sed -n 's/.*AdminComment=leafward: .* ref=\([0-9a-f]*\).*/\1/p' | head -n 1; }
switches() { job_field "$1" Switches | sed 's/@.*//'; }
nodes() { job_field "$1" NumNodes | sed 's/-.*//'; }
change() { scontrol update job="$1" "${@:2}"; }

same=$(held) gang=$(held) bracket=$(held) feature=$(held) named=$(held)
gpus=$(submit --hold -N3 --gres=gpu:8) own=$(held) array=$(held -a 0-2)
range=$(held) refused=$(held)
known "$refused"
ok $? "watch tells the plugin of its jobs"

is "$(switches "$gang")" 1 "a gang of one group waits for one switch"
before=$(ref "$gang")
change "$gang" NumNodes=5-5
is "$(switches "$gang") $(nodes "$gang") $(mark "$gang")" \
    "2 5 leafward: gang nodes=5 groups=2 switches=2 wait=86400" \
    "more nodes: decided anew"
[ "$(ref "$gang")" != "$before" ]
ok $? "under a new ref"
until_true 10 jq -ne --arg r "$(ref "$gang")" --argjson j "$gang" 'any(inputs;
    .ref == $r and .job.id == $j and .decision.switches == 2)' "$log"
ok $? "which the log has, with the job"

# What is nothing of a decision's leaves the job alone.
# asked JOB: without what is changed, and what Slurm works out of itself
asked() {
    show_job "$1" | grep -Ev '^((Comment|Nice|TimeLimit|TRES|Num[A-Za-z]*)=|$)'
}
before=$(asked "$same")
change "$same" Comment=mine
change "$same" Nice=5
change "$same" TimeLimit=77
change "$same" JobName=other
scontrol release "$same"
scontrol hold "$same"
is "$(asked "$same")" "$before" \
    "comment, nice, time limit, name, release and hold change nothing else"

change "$bracket" 'Features=[a|b]'
is "$(switches "$bracket") $(mark "$bracket")" \
    " leafward: user-constraint nodes=3" \
    "features that are a placement: no switches any more"
change "$feature" Features=a
is "$(switches "$feature") $(mark "$feature")" \
    "1 leafward: gang nodes=3 groups=1 switches=1 wait=86400" \
    "features that all nodes have: decided anew, the same"
change "$named" ReqNodeList=node001,node004,node007
is "$(switches "$named")" "" "nodes by name: no switches any more"
before=$(ref "$gpus")
change "$gpus" Gres=gpu:4
is "$(switches "$gpus") $([ "$(ref "$gpus")" = "$before" ] || echo anew)" \
    "1 anew" "other GPUs: decided anew"
change "$range" NumNodes=2-3
is "$(switches "$range") $(mark "$range")" " leafward: user-range nodes=2" \
    "a range of nodes: no switches any more"
before=$(asked "$refused")
change "$refused" NumNodes=5 2>/dev/null
is "$? $(asked "$refused")" "1 $before" \
    "what Slurm refuses (at least 5, at most 3) leaves no mark"

# Once somebody has set switches they are his, at once and later.
change "$own" Switches=3@600
change "$own" NumNodes=5-5
is "$(switches "$own") $(nodes "$own")" "3 5" \
    "the user's own switches stay when the nodes change"

# An array: one task is changed, the others are not.
change "${array}_1" NumNodes=5-5
is "$(for t in 0 1 2; do
    echo "$(nodes "${array}_$t"):$(switches "${array}_$t")"
done | paste -sd' ')" "3:1 5:2 3:1" "one task of an array is decided anew"

known "$gang" '.nodes == 5'
until_true 20 state_has "$own" .changed
ok $? "watch notes whose switches they are"
change "$own" NumNodes=4-4
is "$(switches "$own") $(nodes "$own")" "3 4" "and they stay for good"
change "$gang" NumNodes=9-9
is "$(switches "$gang") $(nodes "$gang")" " 9" \
    "all nodes there are: nothing to wait for"
scancel --user="$(id -un)"

# A list that would crash slurmctld is refused in an update as well.
gang=$(submit --hold -n1)
list=$(seq -f 'a%g' -s '|' 61)
change "$gang" "Features=[$list]" 2>"$tmp/err"
like "$? $(cat "$tmp/err")" '^1 .*[Ii]nvalid feature' \
    "61 alternatives are refused"
scontrol ping | grep -q UP
ok $? "and slurmctld lives"
scancel "$gang"

# --test-only leaves nothing.
until_true 20 queue_empty
lines=$(wc -l <"$log")
sbatch --test-only -N3 --gpus-per-node=8 --wrap hostname 2>"$tmp/test"
ok $? "sbatch --test-only has an answer"
srun --test-only -N3 --gpus-per-node=8 hostname 2>>"$tmp/test"
ok $? "srun --test-only too"
marker=$(submit --hold -N3 --gpus-per-node=8 --comment=marker)
until_true 10 grep -q "$(ref "$marker")" "$log"
is "$(tail -n "+$((lines + 1))" "$log" | jq -c 'select(.event == "submitted")' |
    wc -l) $(squeue -h | wc -l)" "1 1" "no job, and no line in the log"
scancel "$marker"

# A requeued job keeps what was decided, and is not decided again.
gang=$(submit --requeue -N3 --gpus-per-node=8)
wait_for_state "$gang" RUNNING
request() {
    show_job "$1" | grep -E '^(Switches|AdminComment|Tres)|^ref='
    nodes "$1"
}
before=$(request "$gang")
scontrol requeue "$gang"
wait_for_state "$gang" PENDING
until_true 20 state_has "$gang"
is "$(request "$gang")" "$before" "requeued: the same mark and request"
kill $watch_pid
wait $watch_pid 2>/dev/null
is "$(cat "$tmp/watch.err")" "" "watch had nothing to complain about"
done_testing
