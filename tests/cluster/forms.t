#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# forms.t - every form of a GPU request through a real slurmctld, with the
# plugin off and on: what should change does, and nothing else
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"
need_plugins

cluster_up --nodes 8 --groups 2 \
    --leafward '[place]' --leafward 'gpus_per_node = 8'
install_map 4 4

# Reason, the fields that differ (sorted), options. Slurm derives tasks and
# CPUs a node from the node count.
forms='
fits-node|NumNodes TresPerNode|--gpus=8
total-gpus|NumNodes Switches TresPerNode|--gpus=h100:16
total-gpus|MinCPUsNode NtasksPerN:B:S:C NumNodes Switches TresPerNode|-n16 --gpus-per-task=1
total-gpus|MinCPUsNode NtasksPerN:B:S:C NumNodes Switches TresPerNode|-n4 --gpus-per-task=h100:4
total-gpus|NumNodes Switches TresPerNode|--gpus=16 --ntasks-per-gpu=1
total-gpus|NumNodes Switches|--gpus=9
gang|Switches|-N2 --gpus-per-node=8
gang|Switches|-N4 --gres=gpu:h100:8
gang|Switches|-N2 --gres=gpu
gang|Switches|-N2 --gpus-per-socket=4 --sockets-per-node=2
gang|Switches TresPerNode|-N2 --gpus=16
gang|Switches|-N2 --gpus-per-node=8 --exclusive
gang|Switches|-N2 --gpus-per-node=8 -a 0-3%2
gang|Switches|-N2 --gpus-per-node=8 -x node001
gang|Switches|-N2 --gpus-per-node=8 --mem=1G
gang|Switches|-N2 -n4 --gpus-per-node=2 -m plane=2
-||--gres=gpu:8
-||-n4
-||-N2-4 --gpus-per-node=8
-||-N2 --gpus-per-node=8 -w node[001,005]
-||-N2 --gpus-per-node=8 --switches=2
-||-N2 --gpus-per-node=8 --contiguous
-||-N8 --gpus-per-node=8
-||--gpus=8 --cpus-per-gpu=2
'

# fields JOB: without the mark (looked at apart) and the sums over the job
fields() {
    show_job "$1" | grep -E '^[A-Z][A-Za-z/:]*=' |
        grep -Ev '^(AdminComment|TRES|ReqTRES|NumTasks|ArrayJobId|ArrayTaskId)=' | sort
}

ask() { submit --begin=now+1hour "$@"; }
number=0
while IFS='|' read -r reason changed options; do
    [ -n "$reason" ] || continue
    number=$((number + 1))
    # shellcheck disable=SC2086
    job=$(ask $options)
    fields "$job" >"$tmp/on.$number"
    scontrol show job "$job" | sed -n 's/.*AdminComment=leafward: \([^ ]*\).*/\1/p' |
        head -n 1 >"$tmp/reason.$number"
done <<<"$forms"

"$cluster" plugins "$cluster_dir" off
number=0
while IFS='|' read -r reason changed options; do
    [ -n "$reason" ] || continue
    number=$((number + 1))
    # shellcheck disable=SC2086
    fields "$(ask $options)" >"$tmp/off.$number"
    got=$(cat "$tmp/reason.$number")
    is "${got:--}: $(comm -3 "$tmp/on.$number" "$tmp/off.$number" |
        sed 's/^\t//; s/=.*//' | sort -u | paste -sd' ')" \
        "$reason: $changed" "$options"
done <<<"$forms"
done_testing
