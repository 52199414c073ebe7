#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.t - what `leafward check` says and how it exits
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
maps=$top_srcdir/tests/data/map
want=$top_srcdir/tests/cli/check

runs 0 "a healthy fabric passes" "$leafward" check --map "$maps/healthy.json"
is "$(cat "$tmp/out")" "0 errors, 0 warnings, 0 notes" "and says so"
runs 1 "a rail that is down fails it" \
    "$leafward" check --map "$maps/degraded.json"
golden "$want/degraded" "with every finding, errors first"
runs 1 "as JSON too" "$leafward" check --json --map "$maps/degraded.json"
golden "$want/degraded.json" "with the same findings"
is "$(jq -r '.[0].node' "$tmp/out")" node002 "which name the node"
runs 1 "only errors" "$leafward" check --level error --map "$maps/degraded.json"
is "$(grep -c ': ' "$tmp/out")" 1 "leave the rest out"
jq '.findings |= map(select(.level != "error"))' "$maps/degraded.json" \
    >"$tmp/warned.json"
runs 0 "warnings alone pass" "$leafward" check --map "$tmp/warned.json"
runs 2 "an unknown level is a usage error" "$leafward" check --level high
done_testing
