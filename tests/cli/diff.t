#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# diff.t - what `leafward diff` says of two maps
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
maps=$top_srcdir/tests/data/map
want=$top_srcdir/tests/cli/diff

runs 0 "a map does not differ from itself" \
    "$leafward" diff "$maps/degraded.json" "$maps/degraded.json"
is "$(cat "$tmp/out")" "" "and nothing is said"
jq '.created = "2027-01-01T00:00:00Z"' "$maps/degraded.json" >"$tmp/same.json"
runs 0 "nor from one that is only newer" \
    "$leafward" diff "$maps/degraded.json" "$tmp/same.json"
for pair in healthy-degraded degraded-later later-degraded; do
    runs 1 "$pair differ" \
        "$leafward" diff "$maps/${pair%-*}.json" "$maps/${pair#*-}.json"
    golden "$want/$pair" "in what they should"
    "$leafward" diff --json "$maps/${pair%-*}.json" "$maps/${pair#*-}.json" |
        jq -r '.[] | .kind' >"$tmp/kinds"
    is "$(cat "$tmp/kinds")" "$(cut -d: -f1 "$want/$pair")" "as JSON too"
done
runs 2 "one map is too few" "$leafward" diff "$maps/later.json"
runs 1 "a map that is not there" \
    "$leafward" diff "$maps/later.json" "$tmp/none.json"
like "$(cat "$tmp/err")" "none.json" "is named"
done_testing
