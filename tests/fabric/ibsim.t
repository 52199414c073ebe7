#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ibsim.t - the made-up fabric, seen by the genuine ibnetdiscover on ibsim, is
# cable for cable the one that the generator prints
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
gen=$top_builddir/tests/fabric/genfabric
ibsim=$top_srcdir/tests/fabric/ibsim.sh

# Every cable end as "device[port] device[port] name", in any order. LIDs and
# port GUIDs are ibsim's own.
cables() {
    awk '/^(Switch|Ca)/ {match($0, /"[SH]-[0-9a-f]+"/)
             self = substr($0, RSTART, RLENGTH); next}
         /^\[/ {split($1, at, /[][]/); match($0, /"[SH]-[0-9a-f]+"\[[0-9]+\]/)
             peer = substr($0, RSTART, RLENGTH)
             match($0, /"[^"]*" lid/); name = substr($0, RSTART, RLENGTH)
             print self, at[2], peer, name, $NF}' "$1" | sort
}

"$gen" --format ibsim >"$tmp/net" || exit 1
"$ibsim" "$tmp/net" ibnetdiscover >"$tmp/seen" 2>"$tmp/err"
case $? in
0) ;;
77) skip_all "$(cat "$tmp/err")" ;;
*) cat "$tmp/err"; exit 1 ;;
esac
is "$(cables "$tmp/seen")" "$(cables "$tmp/net")" \
    "4 x 4 nodes, 8 rails, 2 spines: every cable, name and rate comes back"
is "$(cables "$tmp/seen" | wc -l)" $((2 * (128 + 32 * 4))) \
    "128 HCA cables and 4 uplinks a leaf, seen from both ends"

"$gen" --format ibsim --sharp --logins 2 --storage 2 --groups 3 --pods 3 \
    --cores 1 -d cut=0:3 -d slow=1:2 -d narrow=2:0 -d leaf-off=2:7 \
    >"$tmp/net" || exit 1
"$ibsim" "$tmp/net" ibnetdiscover >"$tmp/seen" 2>"$tmp/err"
ok $? "a degraded three-tier fabric is discovered"
# The storage leaves are a fabric of their own: not reachable from a compute
# HCA, and each node's storage HCA with them.
is "$(cables "$tmp/seen")" \
    "$(cables "$tmp/net" | grep -v -e storage -e mlx5_8 -e '"S-0200005300000020"' \
        -e '"S-0200005300000021"')" \
    "all that is connected comes back, with the faults in it"
is "$(grep -c '"node001 mlx5_3"' "$tmp/seen")" 0 "the cut HCA is not seen"
is "$(grep -c 'leaf-003-8' "$tmp/seen")" 0 "nor is the leaf that is off"
is "$(grep -c '4xEDR' "$tmp/seen")" 2 "the slow link is, from both ends"
is "$(grep -c '1xHDR' "$tmp/seen")" 2 "and the narrow one"
is "$(grep -c '"node003 mlx5_0"' "$tmp/seen")" 2 "which belongs to node003"

"$gen" --format ports -d cut=0:3 | grep -c "^CA .* - SW" >"$tmp/out"
is "$(cat "$tmp/out")" 127 "a ports report has one line an HCA that is up"
"$gen" --no-ca | grep -c '^Ca' >"$tmp/out"
is "$(cat "$tmp/out")" 0 "the Ca blocks can be left out"
"$gen" -d swap=0:0:5:0 --format truth >"$tmp/out"
is "$(grep -o '^node00[16] group=. 0=[^ ]*' "$tmp/out" | tr '\n' ' ')" \
    "node001 group=0 0=leaf-002-1 node006 group=1 0=leaf-001-1 " \
    "a swap changes two cables and no group"
runs 1 "a fault that is not there is refused" "$gen" -d cut=0:9
runs 1 "so is a switch of more than 254 ports" "$gen" -g 64 -s 1
done_testing
