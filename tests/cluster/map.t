#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# map.t - map, configuration and log go missing, break and come back while
# jobs are submitted: every job is accepted, and the log says why
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"
need_plugins

cluster_up --nodes 4 --groups 2 \
    --leafward '[place]' --leafward 'gpus_per_node = 8'
map=$cluster_dir/leafward/map.json
log=$cluster_dir/leafward/placement.jsonl
pid=$(cat "$cluster_dir/run/slurmctld.pid")

# one_job REGEX NAME: a gang is accepted, and one line of slurmctld's log
# about it matches
one_job() {
    local job
    mark_log
    job=$(submit --begin=now+1hour -N2 --gpus-per-node=8)
    like "$job" '^[0-9]+$' "$2: the job is accepted"
    is "$(since_mark | grep -c 'leafward: untouched\|leafward: rewritten')" 1 \
        "$2: one line is logged"
    like "$(since_mark)" "$1" "$2: it says why"
}

# breaks TEXT COMMAND...: run it and wait for that line in the log
breaks() {
    local text=$1
    shift
    mark_log
    "$@"
    until_true 10 says "$text"
}

one_job 'untouched: no-map: There is no fabric map: .*map.json: No such file' \
    "a missing map"

install_map 2 2
one_job 'rewritten: gang: 2 nodes, fits in 1 group' "a map that comes"

breaks "no map, jobs are left as they are" truncate -s 0 "$map"
one_job 'untouched: no-map: There is no fabric map: .*map.json: is empty' \
    "an empty map"

install_map 2 2
size=$(stat -c %s "$map")
breaks "no map, jobs are left as they are" truncate -s $((size / 2)) "$map"
one_job 'untouched: no-map: There is no fabric map: .*map.json:[0-9]+' \
    "a map cut in half"

install_map 2 2
breaks "no map, jobs are left as they are" rm "$map"
one_job 'untouched: no-map' "a map that goes away"

install_map 1 3
job=$(submit --begin=now+1hour -N2 --gpus-per-node=8)
like "$(show_job "$job")" '^Switches=1@' "a repaired map is used at once"

# Replaced again and again while jobs come in.
mark_log
(
    for i in 1 2 3 4 5 6 7 8 9 10; do
        if [ $((i % 2)) -eq 0 ]; then
            write_map "$map" 2 2
        else
            echo '{' >"$map"
        fi
        sleep 0.5
    done
    write_map "$map" 2 2
) &
churn=$!
count=0
while running $churn; do
    submit --begin=now+1hour -N2 --gpus-per-node=8 >/dev/null &&
        count=$((count + 1))
done
wait $churn
is "$(since_mark | grep -c 'leafward: untouched\|leafward: rewritten')" \
    "$count" "every one of the jobs in between was accepted and logged"
[ "$count" -gt 5 ]
ok $? "(there were some)"

# The configuration.
conf=$cluster_dir/etc/leafward.conf
cp "$conf" "$tmp/conf"
sed 's/^\[place\]/&\npolicy = off/' "$tmp/conf" >"$conf"
is_off() {
    local job
    job=$(submit --begin=now+1hour -N2 --gpus-per-node=8)
    ! show_job "$job" | grep -q '^Switches='
}
until_true 10 is_off
ok $? "a changed configuration is used without a restart"
cp "$tmp/conf" "$conf"
is_on() { ! is_off; }
until_true 10 is_on
mark_log
sed 's/^\[place\]/&\npolicy = fast/' "$tmp/conf" >"$conf"
until_true 10 says "policy = fast: expected one of off|pack|spread"
ok $? "a wrong one is named with what is allowed"
one_job 'rewritten: gang' "a wrong configuration changes nothing"
cp "$tmp/conf" "$conf"

# The log: its directory goes away, and comes back.
mark_log
mv "$cluster_dir/leafward" "$cluster_dir/away"
one_job 'leafward: ' "no directory for the log"
until_true 10 says "a line of the placement log is lost"
ok $? "and that is said"
mv "$cluster_dir/away" "$cluster_dir/leafward"
until_true 10 says "leafward: map "
before=$(wc -l <"$log")
submit --begin=now+1hour -N2 --gpus-per-node=8 >/dev/null
grew() { [ "$(wc -l <"$log")" -gt "$before" ]; }
until_true 10 grew
ok $? "the log goes on when its directory is back"
is "$(jq -r .schema "$log" | sort -u)" 1 "every line is JSON"

is "$(cat "$cluster_dir/run/slurmctld.pid")" "$pid" \
    "all of it in one and the same slurmctld"
"$cluster" ctld "$cluster_dir" reconfigure
until_true 20 scontrol ping
mark_log
one_job 'rewritten: gang' "after scontrol reconfigure"
done_testing
