#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sources.t - genuine iblinkinfo output gives the map that ibnetdiscover's
# does, both together give it too, and where they differ it is a finding
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
gen=$top_builddir/tests/fabric/genfabric
ibsim=$top_srcdir/tests/fabric/ibsim.sh
command -v jq >/dev/null || skip_all "jq is missing (Debian: jq)"

"$gen" --format ibsim --groups 3 -d cut=0:3 -d slow=5:2 -d swap=1:0:6:0 \
    --sharp >"$tmp/net" || exit 1
"$ibsim" "$tmp/net" ibnetdiscover >"$tmp/ibnetdiscover" 2>"$tmp/err"
case $? in
0) ;;
77) skip_all "$(cat "$tmp/err")" ;;
*) cat "$tmp/err"; exit 1 ;;
esac
"$ibsim" "$tmp/net" iblinkinfo >"$tmp/plain"
"$ibsim" "$tmp/net" iblinkinfo -l >"$tmp/long"
"$ibsim" "$tmp/net" iblinkinfo --switches-only >"$tmp/switches"

# What both tools tell. The GUIDs are left out: iblinkinfo shows those of
# ports, ibnetdiscover those of nodes.
told() {
    jq -r '(.groups[] | "\(.name) \(.leaves | join(" ")) \(.nodes | join(" "))"),
        (.nodes[] | "\(.name) \(.rails_up) \([.hcas[] |
            "\(.device) \(.rail) \(.leaf) \(.width)\(.speed)"] | join(", "))"),
        (.findings[] | "\(.level) \(.kind) \(.node) \(.switch)")' "$1"
}

discover() {
    rm -f "$tmp/map.json"
    "$leafward" discover "$@" -o "$tmp/map.json" 2>"$tmp/err" || cat "$tmp/err"
}

discover -i "$tmp/ibnetdiscover"
told "$tmp/map.json" >"$tmp/want"
is "$(grep -c '^node' "$tmp/want")" 12 "ibnetdiscover tells of 12 nodes"
is "$(grep -o -e '^[a-z]* hca-missing node001' -e '^[a-z]* slow-link node006' \
    -e '^[a-z]* wrong-leaf node00[27]' "$tmp/want" | wc -l)" 4 \
    "and of the four ends of three faults"
for form in plain long switches; do
    discover -i "$tmp/$form"
    is "$(told "$tmp/map.json")" "$(cat "$tmp/want")" \
        "iblinkinfo ($form) tells the same"
    is "$(jq -r '.sources[0].kind' "$tmp/map.json")" iblinkinfo \
        "iblinkinfo ($form) is known by its text"
done

# LIDs may say nothing: all 0 before a subnet manager ran.
sed -E 's/^( +0x[0-9a-f]+ +)[0-9]+/\10/; s/^( +)[0-9]+( +[0-9]+\[)/\10\2/
        s/(==> +)[0-9]+/\10/' "$tmp/plain" >"$tmp/lidless"
discover -i "$tmp/lidless"
is "$(told "$tmp/map.json" | grep '^rg-')" "$(grep '^rg-' "$tmp/want")" \
    "without LIDs the ends are joined by name and port"

# ibsim's port GUIDs are not its node GUIDs, so the merge is of switches.
"$gen" --format ibnetdiscover >"$tmp/now"
"$gen" --format ibnetdiscover -d swap=1:0:6:0 >"$tmp/later"
discover -i "$tmp/now" -i "$tmp/now"
is "$(jq '.findings | length' "$tmp/map.json")" 0 \
    "the same text twice is no contradiction"
discover -i "$tmp/now" -i "$tmp/later"
is "$(jq -r '[.findings[] | select(.kind == "contradiction")] | length > 0' \
    "$tmp/map.json")" true "two texts that differ are one"
is "$(jq -r '.nodes[1].hcas[0].leaf' "$tmp/map.json")" leaf-001-1 \
    "and the first one is used"
done_testing
