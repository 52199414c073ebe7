#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# roundtrip.t - a fabric from the generator through ibsim, ibnetdiscover,
# discover and export into slurmctld: what Slurm then says of its switches and
# blocks is what the generator built
#
# LW_SLURM_ROOTS may name more Slurm roots (chroots) to load the files in.
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
need_slurm
gen=$top_builddir/tests/fabric/genfabric
ibsim=$top_srcdir/tests/fabric/ibsim.sh

# Two pods of two groups: pods show in the tree, and as larger blocks.
fabric=(--groups 4 --nodes 4 --rails 4 --pods 2 --cores 1 --sharp --logins 1)
"$gen" "${fabric[@]}" --format ibsim >"$tmp/net" || exit 1
"$ibsim" "$tmp/net" ibnetdiscover >"$tmp/fabric.txt" 2>"$tmp/err"
case $? in
0) ;;
77) skip_all "$(cat "$tmp/err")" ;;
*) cat "$tmp/err"; exit 1 ;;
esac
runs 0 "what ibnetdiscover saw becomes a map" "$leafward" discover \
    -i "$tmp/fabric.txt" --nodes "node[001-016]" -o "$tmp/map.json"
for format in topology.conf block topology.yaml; do
    runs 0 "and the map a file for Slurm ($format)" \
        "$leafward" export --format $format --map "$tmp/map.json" -o "$tmp/$format"
done

# The groups as the generator built them, one host list a line.
truth() { "$gen" "${fabric[@]}" --format groups; }
# The client of the Slurm that is asked, which may be another root's.
scontrol() { "$cluster" run "$cluster_dir" scontrol "$@"; }
hosts() { scontrol show hostnames "$1" | paste -sd,; }
# field NAME: that field of each line of `scontrol show topology`
field() { sed -n "s/.*[[:space:]]\{0,1\}$1=\([^ ]*\).*/\1/p"; }

# shows_tree NAME: the tree that slurmctld holds is the generator's
shows_tree() {
    local n
    scontrol show topology >"$tmp/topology" 2>&1
    is "$(grep 'Level=0' "$tmp/topology" | field Nodes |
        while read -r n; do hosts "$n"; done | sort)" "$(truth)" \
        "$1: the leaf switches are the groups"
    is "$(grep 'Level=1' "$tmp/topology" | field Nodes |
        while read -r n; do hosts "$n"; done | sort)" \
        "$(truth | paste -d, - -)" "$1: the switches above are the pods"
    is "$(grep 'Level=2' "$tmp/topology" | field Nodes |
        while read -r n; do hosts "$n"; done)" "$(truth | paste -sd,)" \
        "$1: one root holds all nodes"
    is "$(grep -c SwitchName "$tmp/topology")" 7 "$1: there is no other switch"
}

# shows_blocks NAME: the blocks that slurmctld holds are the groups and pods
shows_blocks() {
    local n
    scontrol show topology >"$tmp/topology" 2>&1
    is "$(grep 'BlockName=' "$tmp/topology" | field Nodes |
        while read -r n; do hosts "$n"; done | sort)" "$(truth)" \
        "$1: the blocks are the groups"
    is "$(grep 'BlockName=' "$tmp/topology" | field BlockSize | sort -u)" 4 \
        "$1: the base size is that of a group"
    is "$(grep 'AggregatedBlock=' "$tmp/topology" | field Nodes |
        while read -r n; do hosts "$n"; done | sort)" \
        "$(truth | paste -d, - -)" "$1: the larger blocks are the pods"
}

quiet_log() {
    is "$(grep -E 'error|warning' "$cluster_dir/log/slurmctld.log" |
        grep -iE 'topology|switch|blocks? ')" "" "$1: no word of complaint"
}

# up [OPTION...]: only slurmctld is asked, but a node has to come up
up() {
    rm -rf "$tmp/cluster"
    cluster_up --nodes 16 --gpus 0 --cpus 2 --plugins off "$@"
}

try_root() {
    local root=$1 version
    local options=(${root:+--slurm-root "$root"})
    up "${options[@]}" --topology "$tmp/topology.conf"
    version=$(scontrol --version | cut -d' ' -f2)
    shows_tree "$version, topology.conf"
    quiet_log "$version, topology.conf"
    cluster_down
    case $version in
    22.* | 23.02*)
        skip "topology/block needs 23.11" "$version, block"
        ;;
    *)
        up "${options[@]}" --topology "$tmp/block" --topology-plugin block
        shows_blocks "$version, block"
        quiet_log "$version, block"
        cluster_down
        ;;
    esac
    case $version in
    22.* | 23.* | 24.*)
        skip "topology.yaml needs 25.05" "$version, topology.yaml"
        ;;
    *)
        up "${options[@]}" --topology "$tmp/topology.conf"
        cp "$tmp/topology.yaml" "$cluster_dir/etc/topology.yaml"
        "$cluster" ctld "$cluster_dir" restart
        ok $? "$version: slurmctld starts with topology.yaml"
        shows_tree "$version, topology.yaml"
        scontrol show topology block >"$tmp/topology" 2>&1
        is "$(grep 'BlockName=' "$tmp/topology" | field Nodes |
            while read -r n; do hosts "$n"; done | sort)" "$(truth)" \
            "$version, topology.yaml: the blocks stand beside the tree"
        quiet_log "$version, topology.yaml"
        cluster_down
        ;;
    esac
}

# shellcheck disable=SC2086
for root in "" ${LW_SLURM_ROOTS:-}; do
    try_root "$root"
done
done_testing
