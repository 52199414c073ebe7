#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# export.t - what `leafward export` writes, what it keeps, what it refuses
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
maps=$top_srcdir/tests/data/map
want=$top_srcdir/tests/cli/export

export_to() { # FORMAT MAP [OPTION...]
    local format=$1 map=$2
    shift 2
    "$leafward" export --format "$format" --map "$maps/$map.json" "$@"
}

runs 0 "a healthy map gives a topology.conf" export_to topology.conf healthy
golden "$want/healthy.topology.conf" \
    "one leaf a group, a pod only where it joins, no root over two fabrics"
runs 0 "a root over both comes on request" \
    export_to topology.conf healthy --join everything
golden "$want/joined.topology.conf" "and is the only new line"

file=$tmp/topology.conf
runs 0 "a new file is written" export_to topology.conf healthy -o "$file"
is "$(cat "$file")" "$(cat "$want/healthy.topology.conf")" \
    "with the same bytes"
touch -d '2020-01-01' "$file"
runs 0 "the same again" export_to topology.conf healthy -o "$file"
like "$(cat "$tmp/out")" "unchanged" "says so"
is "$(stat -c %Y "$file")" "$(date -d '2020-01-01' +%s)" \
    "and does not touch the file"

cat >"$file" <<'TEXT'
# ours: the old Ethernet island
SwitchName=eth Nodes=old[1-4]
# BEGIN leafward
SwitchName=gone Nodes=node[001-002]
# END leafward
SwitchName=top Switches=eth,fabric
TEXT
runs 0 "a file with a hand-written part" \
    export_to topology.conf healthy -o "$file"
is "$(grep -v -n -e node -e '^# BEGIN' -e pod-1 -e lab "$file")" \
    "1:# ours: the old Ethernet island
2:SwitchName=eth Nodes=old[1-4]
10:# END leafward
11:SwitchName=top Switches=eth,fabric" \
    "keeps that part where it stands"
like "$(cat "$file")" '^SwitchName=su-1 Nodes=node\[001-003\]$' \
    "and replaces ours"
is "$(grep -c gone "$file")" 0 "all of it"

# refused FILE-CONTENT REGEX NAME: nothing is written and the reason is given
refused() {
    printf '%s\n' "$1" >"$file"
    cp "$file" "$tmp/before"
    runs 1 "$3 is refused" export_to topology.conf healthy -o "$file"
    like "$(cat "$tmp/err")" "$2" "with a reason"
    is "$(cat "$file")" "$(cat "$tmp/before")" "and the file stays"
}
refused 'SwitchName=su-1 Nodes=x1' \
    "topology.conf:3: a second switch or block named su-1" \
    "a switch name that is taken"
refused 'SwitchName=mine Nodes=node[005,020]' \
    "topology.conf:4: a node that another leaf or block has: node005" \
    "a node in two leaves"
refused 'SwitchName=mine Switches=nowhere' \
    "topology.conf:1: a child that is no switch: nowhere" "an unknown child"
refused 'SwitchName=a Switches=b
SwitchName=b Switches=a' "more than 20 levels|a cycle" "a cycle"
refused 'SwitchName=a Switches=a' "its own child" "a switch below itself"
refused 'SwitchName=a Switches=su-1 Nodes=x1' \
    "Nodes= and Switches= on one line: a" "a switch of nodes and switches"
refused 'SwitchName=a' "neither Nodes= nor Switches=: a" "an empty switch"
refused 'BlockName=a Nodes=x1' "switches and blocks in one file" \
    "a file of blocks"
refused "SwitchName=$(printf 'a%.0s' {1..64}) Nodes=x1" \
    "1 to 63 characters" "a name of 64 characters"
refused 'SwitchName=s1234567890123456789 Nodes=x1' "more than 18 digits" \
    "a name that ends in 19 digits"
refused 'SwitchName=a Nodes=x[1-' "not a host list: x\[1-" "a broken host list"
refused 'SwitchName=a Nodes=x1 Colour=red' "no such key: Colour" \
    "a key that Slurm does not know"
refused '# BEGIN leafward' "has no '# END leafward'" "half a mark"
refused '# END leafward' "has no '# BEGIN leafward'" "the other half"

cat >"$file" <<'TEXT'
# BEGIN leafward
SwitchName=all Nodes=node[001-040]
# END leafward
TEXT
cp "$file" "$tmp/before"
runs 1 "a map that lost most of its nodes is refused" \
    export_to topology.conf healthy -o "$file"
like "$(cat "$tmp/err")" "holds 40 nodes and would keep 11; --force" \
    "with the numbers"
is "$(cat "$file")" "$(cat "$tmp/before")" "and the file stays"
runs 0 "unless forced" export_to topology.conf healthy -o "$file" --force

for format in block topology.yaml k8s dot; do
    runs 0 "$format is written" export_to $format degraded
    golden "$want/degraded.$format" "with the bytes it should have"
    cp "$tmp/out" "$tmp/first"
    runs 0 "and again" export_to $format degraded
    is "$(cat "$tmp/out")" "$(cat "$tmp/first")" "with the same bytes"
done

runs 0 "blocks of at least three nodes" export_to block healthy --block-size 3
golden "$want/short.block" "leave the shorter one out, and name it"
is "$(cat "$tmp/err")" \
    "block nvl-2 has 2 nodes, fewer than the base size 3, and is left out" \
    "on standard error too"
runs 1 "a base size that no block has" export_to block healthy --block-size 7
like "$(cat "$tmp/err")" "no block has 7 nodes" "is refused"
runs 2 "so is none" export_to block healthy --block-size 0

echo 'BlockName=mine Nodes=x1' >"$file"
runs 1 "a hand-written block that is too short" \
    export_to block healthy -o "$file"
like "$(cat "$tmp/err")" "topology.conf:1: a block of fewer nodes" "is refused"
echo 'BlockSizes=4' >"$file"
runs 1 "hand-written sizes" export_to block healthy -o "$file"
like "$(cat "$tmp/err")" "topology.conf:6: a second BlockSizes=" "are refused"

file=$tmp/topology.yaml
printf -- '- topology: flat\n  flat: true\n' >"$file"
runs 0 "a topology.yaml with a topology of ours" \
    export_to topology.yaml healthy -o "$file"
like "$(cat "$file")" '^- topology: flat$' "keeps that"
like "$(cat "$file")" '^- topology: tree$' "and gets the tree"
printf -- '- topology: "tree"\n  flat: true\n' >"$file"
runs 1 "one that has a tree already" export_to topology.yaml healthy -o "$file"
like "$(cat "$tmp/err")" "topology.yaml:4: a second topology named tree" \
    "is refused"

if command -v dot >/dev/null; then
    dot -Tsvg "$want/degraded.dot" >"$tmp/out" 2>"$tmp/err"
    ok $? "Graphviz draws the picture"
    is "$(cat "$tmp/err")" "" "without a complaint"
    is "$(grep -c '<g id="clust' "$tmp/out")" 4 "of four groups"
else
    skip "dot is not installed" "Graphviz draws the picture"
fi

runs 2 "a format has to be named" "$leafward" export
runs 2 "and be known" "$leafward" export --format rail
runs 1 "a map that is not there" "$leafward" export -f topology.conf -m no.json
like "$(cat "$tmp/err")" "no.json" "is named"
runs 1 "a directory that is not there" \
    export_to topology.conf healthy -o "$tmp/none/topology.conf"
done_testing
