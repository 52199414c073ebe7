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
printf '[leafward]\nmap = %s\n' "$maps/healthy.json" >"$LEAFWARD_CONF"
chmod 600 "$LEAFWARD_CONF"
runs 0 "the map of the configuration is the default" "$leafward" show groups
like "$(cat "$tmp/out")" "su-3" "and is shown"
done_testing
