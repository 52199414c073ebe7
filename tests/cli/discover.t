#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# discover.t - the traps of real fabrics, one directory a case in
# tests/data/fabric:
#
#   why       one line: what the trap is
#   input     the fabric (a file, or a directory of files)
#   args      more options of leafward discover, @ is the case's directory;
#             with -i among them, 'input' is not given by itself
#   export    options of leafward export, whose output is expected as well
#   expected  what the map says, in lines; or
#   error     the message with which the input is refused, INPUT for its name
#
# LW_UPDATE=1 rewrites what is expected.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
command -v jq >/dev/null || skip_all "jq is missing (Debian: jq)"
map=$tmp/map.json

# The map in lines: pods and groups with their leaves by rail and nodes, nodes
# that are not whole, hosts beside them, switches by tier, findings.
summary() {
    jq -r '"source: \([.sources[].kind] | unique | join(" "))\(
            if .partial then ", partial" else "" end)",
        (.pods[] | "pod: \(.name) under \(.root // "-")"),
        (.groups[] | "group: \(.name) in \(.pod), leaves \(.leaves |
            map(if . == "" then "-" else . end) | join(" ")), nodes \(
            .nodes | join(" "))"),
        (.nodes[] | select(.rails_up < .rails or .rails_slow > 0 or .domain) |
            "node: \(.name) rails \(.rails_up)/\(.rails), slow \(
            .rails_slow), domain \(.domain // "-")"),
        ([.nodes[] | .name as $n | .hcas[] | select(.rail == null or .rail < 0)
            | "\($n)/\(.device)"] | select(length > 0) |
            "no rail: \(join(" "))"),
        ([.nodes[].hcas[] | "\(.width)\(.speed)"] | unique |
            "rates: \(join(" "))"),
        (.others | select(length > 0) | "others: \(join(" "))"),
        (.switches | group_by(.tier)[] | "tier \(.[0].tier): \(
            [.[].name] | join(" "))"),
        (.findings[] | "\(.level): \(.kind) \(.node // "-") \(
            .switch // "-"): \(.text)")
    ' "$map"
}

# refused CASE: no map, and the message that is expected
refused() {
    runs 1 "$name: $(cat "$1/why")" "$leafward" discover "${args[@]}"
    sed -e "s|$1/||g" -e 's/^leafward: //' -e 's/^input\b/INPUT/' \
        "$tmp/err" >"$tmp/out"
    golden "$1/error" "$name: the message says why"
    [ ! -e "$map" ]
    ok $? "$name: no map is written"
}

# mapped CASE: a map that says what is expected
mapped() {
    local options
    runs 0 "$name: $(cat "$1/why")" "$leafward" discover "${args[@]}"
    summary >"$tmp/told" 2>"$tmp/err" || cat "$tmp/err"
    if [ -f "$1/export" ]; then
        read -ra options <"$1/export"
        echo "export ${options[*]}:" >>"$tmp/told"
        "$leafward" export --map "$map" "${options[@]}" >>"$tmp/told" 2>&1
    fi
    sed "s|$1/||g" "$tmp/told" >"$tmp/out"
    golden "$1/expected" "$name: the map says what it should"
}

for dir in "$top_srcdir"/tests/data/fabric/*/; do
    dir=${dir%/}
    name=${dir##*/}
    rm -f "$map"
    args=()
    if [ -f "$dir/args" ]; then
        read -ra args <"$dir/args"
        args=("${args[@]//@/$dir}")
    fi
    [[ " ${args[*]} " == *" -i "* ]] || args+=(-i "$dir/input")
    args+=(-o "$map")
    if [ -f "$dir/error" ]; then
        refused "$dir"
    else
        mapped "$dir"
    fi
done

# A map is not replaced by one that lost many nodes, unless somebody says so,
# and its groups keep the names they had.
whole=$top_srcdir/tests/data/fabric/group-three-tiers/input
small=$top_srcdir/tests/data/fabric/form-default/input
rm -f "$map"
runs 0 "a first map" "$leafward" discover -i "$whole" -o "$map"
sed -i 's/"rg-node001"/"su-one"/g; s/"pod-node005"/"east"/g' "$map"
runs 0 "a second one" "$leafward" discover -i "$whole" -o "$map"
is "$(jq -r '.groups[0].name, .pods[1].name' "$map" | paste -sd ' ')" \
    "su-one east" "names of groups and pods are kept"
runs 1 "a map of much less is not written" \
    "$leafward" discover -i "$small" -o "$map"
like "$(cat "$tmp/err")" "holds 8 nodes, the new map only 6; --force" \
    "and it is said why"
runs 0 "but is with --force" \
    "$leafward" discover -i "$small" -o "$map" --force
is "$(jq '.nodes | length' "$map")" 6 "then it is there"
done_testing
