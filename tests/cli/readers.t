#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# readers.t - each source that a fabric can be read from, one directory a
# case: why it is there, the input (a file or a directory of files), and what
# the map has to say
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cases=$top_srcdir/tests/data/readers
command -v jq >/dev/null || skip_all "jq is missing (Debian: jq)"

# The map in lines: its sources, each node with its rails, the findings.
summary() {
    jq -r '([.sources[].kind] | unique | join(" ")),
        (.nodes[] | "\(.name) \(.group) \(.rails_up)/\(.rails) \(
            [.hcas[] | "\(.rail)=\(.leaf):\(.width)\(.speed)"] | join(" ")
        ) \(.domain // "-")"),
        (.findings[] | "\(.level) \(.kind) \(.node // "-") \(.switch // "-")")
    ' "$1"
}

for dir in "$cases"/*/; do
    dir=${dir%/}
    name=${dir##*/}
    runs 0 "$name: $(cat "$dir/why")" \
        "$leafward" discover -i "$dir/input" -o "$tmp/map.json" --force
    summary "$tmp/map.json" >"$tmp/out"
    golden "$dir/expect" "$name: the map says what it should"
    [ ! -f "$dir/input" ] ||
        is "$(jq -r '.sources[0].sha256' "$tmp/map.json")" \
            "$(sha256sum <"$dir/input" | cut -d' ' -f1)" \
            "$name: the map names what it was read from by its SHA-256"
    # Every line of the input may be the last one: an error or a map, but
    # never a crash.
    [ -f "$dir/input" ] || continue
    crashed=0
    lines=$(wc -l <"$dir/input")
    for ((i = 0; i < lines; i += 1 + lines / 12)); do
        head -n "$i" "$dir/input" >"$tmp/cut"
        "$leafward" discover -i "$tmp/cut" -o "$tmp/cut.json" --force \
            >"$tmp/out" 2>&1
        [ $? -le 1 ] || crashed=1
        ! grep -q -e Sanitizer -e 'runtime error' "$tmp/out" || crashed=1
    done
    ok $crashed "$name: cut off anywhere it is a map or an error"
done
done_testing
