#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spank-launch.t - node ranks, hostfile and launch log of real steps, memory
# policy, interactive steps, slurmd restarted under a step
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/spank.sh
. "$(dirname "$0")/spank.sh"

spank_up --nodes 4 --conf LaunchParameters=use_interactive_step

# node001 and node003 share a group, node002 and node004 the other; the map
# already knew that node004 lacks a rail.
cat >"$cluster_dir/leafward/order" <<'END'
# leafward order 1 4
node001 0 0 -1 4 4
node003 0 0 -1 4 4
node002 0 1 -1 4 4
node004 0 1 -1 4 3
END
place=("order = $cluster_dir/leafward/order" "hostfiles = $cluster_dir/steps"
    "launch_log = $cluster_dir/launch/%n.jsonl")
mkdir "$cluster_dir/launch"
settings "${place[@]}"

# Root's files of a step that a user runs, where one can be had.
user=()
if [ -z "${LEAFWARD_TEST_ROOT:-}" ] && getent passwd nobody >/dev/null; then
    user=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
    "${user[@]}" true 2>/dev/null || user=()
fi

cat >"$work/place" <<'END'
#!/bin/sh
echo "$SLURM_NODEID $SLURMD_NODENAME ${LEAFWARD_NODE_RANK-unset}" \
    "$(paste -sd, "$LEAFWARD_HOSTFILE" 2>/dev/null)"
END
chmod 755 "$work/place"
place() {
    "${user[@]}" srun -Q "$@" "$work/place" 2>"$tmp/err" | sort -u
}
[ ${#user[@]} -eq 0 ] || srun() { command srun "$@"; }

# logged JQ: of all lines
logged() { cat "$cluster_dir"/launch/*.jsonl 2>/dev/null | jq -rc "$1"; }
lines_are() { [ "$(logged .event | wc -l)" -ge "$1" ]; }

list=node001,node001,node003,node003,node002,node002,node004,node004
inventory node003 down
is "$(place -N4 --ntasks-per-node=2 --gpus-per-node=4)" "0 node001 0 $list
1 node002 2 $list
2 node003 1 $list
3 node004 3 $list" "nodes of one group have neighbouring ranks"
until_true 20 lines_are 2
is "$(logged 'select(.event == "launched") |
    [.step.id, .step.node, .step.nnodes, .step.nodes, .step.tasks]')" \
    '[0,"node001",4,"node[001-004]",8]' "the first node logs the launch, once"
is "$(logged 'select(.event == "launched").rails[] |
    [.nodes, .rails, .up, .seen]')" '["node001",4,4,"launch"]
["node[002-003]",4,4,"map"]
["node004",4,3,"map"]' "with its own rails, and the others' by the map"
is "$(logged 'select(.event == "rail-down") | [.step.node, .rails]')" \
    "$(jq -nc '["node003", [{nodes: "node003", rails: 4, up: 3,
        down: "mlx5_3:1 rail 2", seen: "launch"}]]')" \
    "a node whose rail is down says so itself"
runs 0 "the report" env "LEAFWARD_CONF=$cluster_dir/etc/leafward.conf" \
    "$leafward" report --format csv --show rails "$cluster_dir"/launch/*
is "$(cut -d, -f2,4-9 "$tmp/out" | sort)" \
    '0,4,node003,3,4,mlx5_3:1 rail 2,launch
0,4,node004,3,4,,map
step,nnodes,nodes,up,rails,down,seen' "shows both inside the gang"
until_true 20 rmdir "$cluster_dir/steps"
ok $? "the hostfiles are gone with the step"
if python3 -c 'import jsonschema' 2>/dev/null; then
    cat "$cluster_dir"/launch/*.jsonl | python3 -c '
import json, sys, jsonschema
check = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
for line in sys.stdin:
    for e in check.iter_errors(json.loads(line)): print(e.message)
' "$top_srcdir/docs/placement-log.schema.json" >"$tmp/schema" 2>&1
    is "$(cat "$tmp/schema")" "" "the lines are as the schema says"
else
    skip "python3-jsonschema is not installed" "lines against the schema"
fi
inventory node003

is "$(place -N2 -w node001,node003 --ntasks-per-node=1 --gpus-per-node=4)" \
    "0 node001 0 node001,node003
1 node003 1 node001,node003" "what Slurm has in order already stays"
is "$(place -N2 --ntasks-per-node=1)" "0 node001 unset 
1 node002 unset " "a step without GPUs has no rank and no hostfile"
is "$(place -N2 --ntasks-per-node=1 --gpus-per-node=4 --leafward=off)" \
    "0 node001 unset 
1 node002 unset " "nor has one that is switched off"

# The log is a directory, a full disk, a FIFO nobody reads: steps start.
rm -r "$cluster_dir/launch"
mkdir -p "$cluster_dir/launch/node001.jsonl"
is "$(place -N1 -n1 --gpus=4)" "0 node001 0 node001" \
    "a log that cannot be written changes nothing"
rmdir "$cluster_dir/launch/node001.jsonl"
mkfifo "$cluster_dir/launch/node001.jsonl"
is "$(place -N1 -n1 --gpus=4)" "0 node001 0 node001" \
    "nor does one that would hang"
until_true 20 grep -q 'the launch is not logged' "$cluster_dir/log/node001.log"
ok $? "and slurmstepd's log says so"
rm -r "$cluster_dir/launch"
settings

# The memory policy that a task really has.
if [ -e /proc/self/numa_maps ]; then
    policy() {
        # shellcheck disable=SC2016
        srun -Q "$@" sh -c 'read -r _ p _ </proc/self/numa_maps
            echo "$SLURM_LOCALID $p"' 2>"$tmp/err" | sort | paste -sd' '
    }
    # All memory of this machine may be one node; the inventory's nodes are
    # only those that the kernel has.
    sed -i 's/{"id":1,"cpus":"1"}/{"id":0,"cpus":"1"}/; s/{"id":0,"cpus":"0"},{"id":0,"cpus":"1"}/{"id":0,"cpus":"0-1"}/; s/"numa":1/"numa":0/g' \
        "$cluster_dir/inventory/node001.json"
    is "$(policy -N1 -n2 --gpus=4)" "0 prefer:0 1 prefer:0" \
        "a bound task prefers the memory of its NUMA node"
    is "$(policy -N1 -n2 --gpus=4 --cpu-bind=none)" "0 default 1 default" \
        "a task that the user bound keeps Slurm's"
    settings 'bind_memory = no'
    is "$(policy -N1 -n2 --gpus=4)" "0 default 1 default" \
        "bind_memory = no sets none"
    settings
    is "$(policy -N1 -n2)" "0 default 1 default" "nor has a step without GPUs"
    inventory node001
else
    skip "the kernel has no numa_maps" "memory policies"
fi

# salloc starts a shell in the interactive step, where an srun must find
# nothing that looks like the user's.
if [ -z "${LEAFWARD_TEST_ROOT:-}" ]; then
    cat >"$work/inside" <<END
echo "\$SLURM_STEP_ID \$(env | grep -cE '^(NCCL|LEAFWARD_[GHNOR])')"
srun -Q -N1 -n2 --gpus-per-node=4 $task | sort
END
    printf '#!/bin/sh\nexec sh %s\n' "$work/inside" >"$work/shell"
    chmod 755 "$work/shell"
    is "$(SHELL=$work/shell salloc -Q -N1 -n2 --gpus-per-node=4 \
        </dev/null 2>"$tmp/err")" "4294967290 0
node001 0 1 $hca
node001 1 0 $hca" "the interactive step is not touched, an srun in it is"
else
    skip "salloc is not wrapped for another root" "interactive steps"
fi

# slurmd restarted under a running step: the step ends as it would have,
# and the next one is planned anew.
settings "${place[@]}"
mkdir "$cluster_dir/launch"
cat >"$work/wait" <<END
#!/bin/sh
touch $work/started
while [ ! -e $work/go ]; do sleep 0.1; done
$task
END
chmod 755 "$work/wait"
chmod 777 "$work"
srun -Q -N1 -n2 --gpus=4 -w node001 "$work/wait" >"$tmp/waited" 2>&1 &
waiting=$!
until_true 20 test -e "$work/started"
"$cluster" node "$cluster_dir" node001 stop &&
    "$cluster" node "$cluster_dir" node001 start
ok $? "slurmd starts again under a step"
touch "$work/go"
wait $waiting
is "$(sort "$tmp/waited")" "node001 0 1 $hca
node001 1 0 $hca" "which ends as it would have"
is "$(look -N1 -n2 --gpus=4 -w node001)" \
    "node001 0 1 $hca; node001 1 0 $hca" "the next one is bound too"
until_true 20 rmdir "$cluster_dir/steps"
ok $? "no hostfile stays"

done_testing
