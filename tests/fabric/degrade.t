#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# degrade.t - a fabric of 25 groups x 18 nodes x 8 rails, whole and with every
# fault that other tools fall over: the groups stay, the finding names the fault
. "$(dirname "$0")/../tap.sh"
gen=$top_builddir/tests/fabric/genfabric
command -v jq >/dev/null || skip_all "jq is missing (Debian: jq)"

fabric() {
    "$gen" -g 25 -n 18 -r 8 -s 9 -p 5 -c 4 --sharp --logins 1 "$@" \
        >"$tmp/fabric.txt" || exit 1
}

# discover [OPTION...]: the map of $tmp/fabric.txt into $tmp/map.json
discover() {
    "$leafward" discover -i "$tmp/fabric.txt" -o "$tmp/map.json" --force "$@" \
        2>"$tmp/err" || cat "$tmp/err"
}

groups() {
    jq -r '.groups[] | [.name, .pod, (.nodes | join(" ")),
           (.leaves | join(" "))] | @tsv' "$tmp/map.json"
}

rails() {
    jq -r '.nodes[] | .name as $n | .hcas[] | select(.rail >= 0) |
           "\($n) \(.guid) \(.rail)"' "$tmp/map.json"
}

findings() {
    jq -r '.findings[] | select(.kind != "other-hosts" and .kind != "not-in-slurm") |
           "\(.level) \(.kind) \(.node) \(.switch)"' "$tmp/map.json"
}

fabric
discover
groups >"$tmp/groups"
rails >"$tmp/rails"
"$gen" -g 25 -n 18 -r 8 -s 9 -p 5 -c 4 --format groups >"$tmp/truth" || exit 1
is "$(jq -r '[(.nodes | length), (.groups | length), (.pods | length),
      ([.groups[].nodes | length] | unique), ([.nodes[].rails] | unique)] |
      tostring' "$tmp/map.json")" '[450,25,5,[18],[8]]' \
    "450 nodes, 25 groups of 18 with 8 rails, 5 pods"
is "$(wc -l <"$tmp/rails")" 3600 "3600 HCAs have their rail"
is "$(jq -r '.others | join(" ")' "$tmp/map.json")" login01 \
    "the login node on a spine is kept apart, the spine is no leaf"
is "$(findings)" "" "a healthy fabric has no finding"

# same NAME FINDINGS ARGUMENT...: the groups are those of the healthy fabric
same() {
    local name=$1 want=$2
    shift 2
    fabric "$@"
    rm -f "$tmp/map.json"
    discover
    is "$(groups)" "$(cat "$tmp/groups")" "$name: same groups, leaves, pods"
    is "$(findings)" "$want" "$name: the findings name it and nothing else"
    is "$(rails | comm -13 <(sort "$tmp/rails") <(sort) | wc -l)" 0 \
        "$name: no HCA has another rail"
}

same "a link removed" "error hca-missing node001 leaf-001-4" -d cut=0:3
same "two HCAs swapped" "error wrong-leaf node001 leaf-004-1
error wrong-leaf node061 leaf-001-1" -d swap=0:0:60:0
same "an HCA in the wrong group" "error wrong-leaf node001 leaf-004-3" \
    -d move=0:0:3:2
same "a description reset" "warning factory-name node006 leaf-001-3" \
    -d factory=5:2
same "full host names" "" --names fqdn
same "trailing blanks" "" --names spaces
same "Ca blocks removed" "" --no-ca
same "a ports report" "" -f ports
same "a slow link" "warning slow-link node001 leaf-001-4" -d slow=0:3
same "a narrow link" "warning slow-link node002 leaf-001-2" -d narrow=1:1
same "half the uplinks of a leaf gone" \
    "warning uplinks-missing null leaf-004-3" -d uplinks=3:2:9
same "a storage fabric beside it" "" --storage 4
same "a rail down here, a swap there, an unnamed HCA" \
    "error hca-missing node040 leaf-003-6
error wrong-leaf node001 leaf-004-1
error wrong-leaf node061 leaf-001-1
warning factory-name node006 leaf-001-3" \
    -d cut=39:5 -d swap=0:0:60:0 -d factory=5:2

# Without device words only the leaves tell the rails apart.
fabric --names host
discover
is "$(groups)" "$(cat "$tmp/groups")" "host names only: same groups and leaves"
is "$(rails)" "$(cat "$tmp/rails")" "host names only: same rails"

fabric -d leaf-off=3:4
discover
is "$(groups | sed 's/leaf-004-4  leaf/leaf-004-4 leaf-004-5 leaf/')" \
    "$(cat "$tmp/groups")" "a leaf removed: same groups but for that leaf"
is "$(findings)" "error leaf-missing null null" "a leaf removed: one finding"
is "$(rails | comm -13 <(sort "$tmp/rails") <(sort) | wc -l)" 0 \
    "a leaf removed: the other rails keep their numbers"

fabric -d spine-off=2
discover
is "$(groups)" "$(cat "$tmp/groups")" "a spine removed: same groups and pods"
is "$(findings | sort | uniq -c | awk '{print $1, $2, $3}' | sort -u)" \
    "1 warning uplinks-missing" "a spine removed: its leaves lack uplinks"

# Dark nodes are missed only when somebody says that they should be there.
fabric -d node-off=7
discover --nodes 'node[001-450]'
is "$(findings)" "warning not-in-fabric node008 null" \
    "a node that is off is missed when Slurm's nodes are given"
discover --nodes 'node[001-450]' -o "$tmp/again.json"
is "$(grep -v created "$tmp/again.json" | cksum)" \
    "$(grep -v created "$tmp/map.json" | cksum)" "same input, same bytes"
done_testing
