#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill.t - watch killed at any moment, its log cut off, rotated under its hands
# and written by others; slurmctld stopped for a while: the log stays whole
#
#   tests/cluster/kill.t [KILLS]      (5)
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
kills=${1:-5}
cluster_up --nodes 8 --groups 2 --plugins off --env TZ=UTC \
    --conf 'JobCompType=jobcomp/filetxt' --conf "JobCompLoc=$tmp/jobcomp"
export TZ=UTC
# shellcheck source=tests/cluster/watch.sh
. "$(dirname "$0")/watch.sh"
write_map "$cluster_dir/leafward/map.json" 4 4

# jobs of a second or two, all the time
traffic() {
    local i
    for ((i = 0; ; i++)); do
        sbatch --parsable -o /dev/null -J g1 --gpus=1 --wrap "sleep $((i % 2))"
        sleep 0.2
    done >/dev/null 2>&1
}
# another writer; its lines are about nothing, and end what was cut off
scribble() {
    local i
    for ((i = 0; ; i++)); do
        printf '\n{"schema":1,"event":"other","n":%d}\n' $i >>"$log"
        echo $i >"$tmp/scribbled"
        sleep 0.3
    done
}
# the journal is about this log, and not about one that was rotated
up_to_date() { [ "$(jq .log.ino "$journal")" = "$(stat -c %i "$log")" ]; }
# the last line is one of watch's, and younger than the journal that was kept;
# what the journal tells is on the disk
has_more() {
    local last
    last=$(tail -n 1 "$log")
    [[ $last == *'"event":"placed"'* || $last == *'"event":"ended"'* ]] &&
        [ $(($(stat -c %s "$log") - ${#last} - 1)) -ge \
            "$(jq .log.offset "$tmp/journal")" ]
}
# killed as if between the lines and the journal, the last line cut off
kill_in_line() {
    until_true 10 up_to_date
    kill -STOP $scribble_pid
    cp "$journal" "$tmp/journal"
    until_true 10 has_more
    kill_watch
    mv "$tmp/journal" "$journal"
    truncate -s -9 "$log"
    cut=$((cut + 1))
    kill -CONT $scribble_pid
}
# as logrotate does with etc/leafward.logrotate: rename, nothing else
rotate() { mv "$log" "$log-$(date +%Y%m%dT%H%M%S)" 2>/dev/null; }
# it has written since the log was rotated
looked() { grep -q '"event":"\(placed\|ended\)"' "$log"; }
whole_log() { cat "$log"-* "$log" >"$tmp/log" 2>/dev/null; }

start_watch
traffic &
traffic_pid=$!
scribble &
scribble_pid=$!
trap 'rc=$?; kill $traffic_pid $scribble_pid 2>/dev/null; stop_watch
    (exit $rc); cluster_cleanup' EXIT
cut=0
journal=$cluster_dir/leafward/watch.json
for ((k = 0; k < kills; k++)); do
    if [ $((k % 2)) -eq 0 ]; then
        kill_in_line
    else
        sleep "$((RANDOM % 3)).$((RANDOM % 9000 + 1000))"
        kill -HUP "$watch_pid"
        kill_watch
        rotate
    fi
    start_watch
done
echo "# $kills kills, $cut lines cut off"

# slurmctld answers nothing for a while
ctld=$(cat "$cluster_dir/run/slurmctld.pid")
kill -STOP "$ctld"
sleep 3
kill -CONT "$ctld"
rotate
until_true 20 looked
kill -HUP "$watch_pid"
kill $traffic_pid $scribble_pid
wait $traffic_pid $scribble_pid 2>/dev/null
told() {
    whole_log
    [ -z "$(squeue -h)" ] && diff <(jobs_of_scontrol) <(jobs_of_log "$tmp/log")
}
until_true 40 told
is "$(jobs_of_log "$tmp/log")" "$(jobs_of_scontrol)" \
    "no event was lost, and all is as scontrol says"
is "$(runs_of_log "$tmp/log")" "$(runs_of_jobcomp "$tmp/jobcomp")" \
    "run by run it is as jobcomp says"
is "$(twice_said "$tmp/log")" "" "no line was written twice"
is "$(jq -nrR '[inputs | fromjson? | select(.event == "other") | .n] |
    [length, (unique | length)] | join(" ")' "$tmp/log")" \
    "$(n=$(($(cat "$tmp/scribbled") + 1)); echo $n $n)" \
    "no line of the other writer was lost"
is "$(grep -cv '^$' "$tmp/log")" \
    "$(($(jq -nrR '[inputs | fromjson?] | length' "$tmp/log") + cut))" \
    "no line is broken but the $cut that were cut off"
is "$(grep -v 'configuration read again' "$tmp/watch.err")" "" \
    "a slurmctld that is slow is no trouble"
stop_watch
done_testing
