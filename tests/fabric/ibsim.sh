#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ibsim.sh - run a genuine InfiniBand tool on a simulated fabric
#
#   tests/fabric/ibsim.sh NETLIST ibnetdiscover [OPTION...]
#
# starts ibsim(1) on the netlist in a directory of its own, runs the command
# on the host of the netlist's first HCA under libumad2sim, and stops ibsim.
# A file that ibnetdiscover printed is a netlist too. The socket name is
# private, so several may run at once. Exit 77: the programs are not here
# (Debian: ibsim-utils libumad2sim0 infiniband-diags).
set -u

usage() {
    sed -n '3,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

missing() {
    echo "ibsim.sh: $1 is missing (Debian: $2)" >&2
    exit 77
}

# umad2sim lives in the multiarch directory of whatever machine this is.
find_umad2sim() {
    local so
    for so in "${UMAD2SIM:-}" /usr/lib/*/umad2sim/libumad2sim.so \
        /usr/lib*/umad2sim/libumad2sim.so \
        /usr/local/lib/umad2sim/libumad2sim.so; do
        if [ -f "$so" ]; then
            echo "$so"
            return
        fi
    done
}

[ $# -ge 2 ] || usage
netlist=$(readlink -f -- "$1")
[ -r "$netlist" ] || usage
shift
PATH=$PATH:/usr/sbin:/sbin
command -v ibsim >/dev/null || missing ibsim ibsim-utils
command -v "$1" >/dev/null || missing "$1" infiniband-diags
so=$(find_umad2sim)
[ -n "$so" ] || missing libumad2sim.so libumad2sim0

dir=$(mktemp -d "${TMPDIR:-/tmp}/leafward-ibsim.XXXXXX") || exit 1
simulator=
stop() {
    if [ -n "$simulator" ]; then
        kill "$simulator" 2>/dev/null
        wait "$simulator" 2>/dev/null
    fi
    rm -rf "$dir"
}
trap stop EXIT
trap 'exit 129' HUP INT TERM

# ibsim's tables have fixed sizes, so they are made to measure.
nodes=$(grep -cE '^(Switch|Hca|Ca|Rt)[[:space:]]' "$netlist")
ports=$(awk '/^(Switch|Hca|Ca|Rt)[ \t]/ {n += $2 + 1} END {print n + 64}' \
    "$netlist")
host=$(sed -nE 's/^(Hca|Ca)[[:space:]]+[0-9]+[[:space:]]*"([^"]*)".*/\2/p' \
    "$netlist" | tail -n 1)
export IBSIM_SOCKNAME=leafward-$$-${dir##*.}
cd "$dir" || exit 1
ibsim -s -n -N $((nodes + 8)) -S $((nodes + 8)) -P "$ports" "$netlist" \
    >log 2>&1 </dev/null &
simulator=$!
for ((i = 0; i < 600; i++)); do
    grep -q 'simulator ready' log && break
    kill -0 "$simulator" 2>/dev/null || break
    sleep 0.1
done
if ! grep -q 'simulator ready' log; then
    cat log >&2
    echo "ibsim.sh: ibsim did not start on $netlist" >&2
    exit 1
fi
SIM_HOST=$host LD_PRELOAD=$so "$@"
