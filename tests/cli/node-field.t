#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# node-field.t - plans for captured machines against what others published
#
# LEAFWARD_FIELD_DATA names a directory with hwloc/*.xml and hwloc-v3/*.xml
# (captured by mpibind and hwloc; not part of this project).
. "$(dirname "$0")/../tap.sh"

field=${LEAFWARD_FIELD_DATA:-}
[ -n "$field" ] || skip_all "LEAFWARD_FIELD_DATA is not set"
[ -d "$field/hwloc" ] || skip_all "$field/hwloc is not there"
: >"$LEAFWARD_CONF"

plan() {
    "$leafward" node --plan --json --xml "$field/hwloc/$1.xml" "${@:2}"
}

# cpus_of LIST: one CPU a line
cpus_of() {
    [ -n "$1" ] || return 0
    tr , '\n' <<<"$1" | while IFS=- read -r a b; do seq "$a" "${b:-$a}"; done
}

# each_in MACHINE CPU,CPU,..: task i's CPUs hold the i-th CPU
each_in() {
    local i=0 cpu list bad=""
    for cpu in ${2//,/ }; do
        list=$(plan "$1" | jq -r ".tasks[$i].cpus")
        cpus_of "$list" | grep -qx "$cpu" || bad+=" task $i: $cpu not in $list"
        i=$((i + 1))
    done
    is "$bad" "" "$1: $3"
}

each_in mpibind-eas-tioga 49,57,17,25,1,9,33,41 \
    "MI250X tasks hold the CPUs that LUMI publishes for its GPUs"
each_in mpibind-coral-lassen 8,48,96,136 \
    "POWER9 tasks start where mpibind starts them"
is "$(plan mpibind-coral-lassen | jq -r .nccl_ib_hca)" \
    "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1" "POWER9: both ports of both cards"
is "$(plan mpibind-coral-lassen | jq -c '[.tasks[].nics[0]]')" \
    '["mlx5_0","mlx5_1","mlx5_2","mlx5_3"]' "POWER9: a port for each GPU"
is "$(plan mpibind-coral-lassen -n 2 | jq -c '[.tasks[] | [.cpus, .gpus]]')" \
    '[["8-87",[0,1]],["96-175",[2,3]]]' \
    "POWER9: two tasks share the GPUs as mpibind shares them"

# Case 1 of mpibind's own expected results: as many tasks as cores, so ten of
# them on each GPU. Its fourth line has a CPU for each task, its fifth a GPU.
expected=$field/mpibind-expected/expected.coral-lassen
if [ -e "$expected" ]; then
    sed -n '/^# 1:/,/^# 2:/ { s/^"\(.*\)"$/\1/p; }' "$expected" >"$tmp/case"
    plan mpibind-coral-lassen -n 40 |
        jq -r '.tasks[] | "\(.cpus) \(.gpus | join(","))"' >"$tmp/tasks"
    is "$(cut -d' ' -f2 "$tmp/tasks" | paste -sd';')" \
        "$(sed -n 3p "$tmp/case")" "POWER9: 40 tasks have mpibind's GPUs"
    is "$(while read -r list _; do cpus_of "$list" | head -n 1; done \
        <"$tmp/tasks" | paste -sd';')" "$(sed -n 2p "$tmp/case")" \
        "POWER9: and its cores"
else
    skip "$expected is not there" "POWER9: 40 tasks as mpibind maps them"
fi
is "$(plan mpibind-cts1-pascal | jq -c '[.tasks[].nics[0]]')" \
    '["mlx5_0","mlx5_0"]' "Pascal: both GPUs share one NIC"
is "$(plan mpibind-cts1-pascal | jq -c '[.tasks[].cpus]')" \
    '["0-8,36-44","9-17,45-53"]' "Pascal: both stay on the GPUs' socket"
is "$(plan mpibind-epyc-corona-p2 | jq -c '[.tasks[].gpus[0]]')" \
    '[3,2,0,1,7,6,4,5]' "MI60: the runtime's order is not PCI order"
is "$(plan mpibind-epyc-corona-p2 | jq -r .nccl_ib_hca)" "=mlx5_0:1" \
    "MI60: GPUs of the other socket use the one NIC too"
is "$(plan mpibind-g4dnmetal | jq -c '[.nccl_ib_hca, (.tasks | length)]')" \
    '[null,8]' "EFA: eight GPUs, not 24, and no NCCL_IB_HCA"
is "$(plan mpibind-eas-tioga | jq -r .nccl_ib_hca)" null \
    "Slingshot: no NCCL_IB_HCA"
is "$(plan mpibind-cts1-quartz-smt1 | jq -r '.nccl_ib_hca, .unbound')" \
    "null
the step has no GPU here" "no GPU: nothing to do"
is "$(plan hwloc-v2-nvidiaDGX2 | jq -c '[.tasks[].cpus]')" \
    "$(printf '"%s",' 0 0 0 0 1 1 1 1 24 24 24 24 25 25 25 25 |
        sed 's/^/[/; s/,$/]/')" "DGX-2: 16 GPUs share four cores"
runs 1 "hwloc 3's XML is refused" "$leafward" node \
    --xml "$field/hwloc-v3/hwloc-nvidiaDGX2.xml"

# What must hold on every machine: masks inside the node, none empty where
# there are GPUs, disjoint where there are cores enough.
for xml in "$field"/hwloc/*.xml; do
    m=$(basename "$xml" .xml)
    total=$("$leafward" node --xml "$xml" --json |
        jq -r '[.cores[]] | length')
    bad=$(plan "$m" | jq -r '.tasks[] | select(.gpus != [] and .cpus == "") | .gpus')
    is "$bad" "" "$m: every task with a GPU has CPUs"
    [ "$(plan "$m" | jq '.tasks | length')" -le "$total" ] || continue
    is "$(plan "$m" | jq -r '.tasks[].cpus' | while read -r list; do
        cpus_of "$list"
    done | sort -n | uniq -d)" "" "$m: no two tasks share a CPU"
done
done_testing
