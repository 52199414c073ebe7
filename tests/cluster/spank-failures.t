#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# spank-failures.t - broken inventories and settings never hurt a job or node
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/spank.sh
. "$(dirname "$0")/spank.sh"

spank_up --nodes 1
log=$cluster_dir/log/node001.log
json=$cluster_dir/inventory/node001.json

plain="node001 0 0 unset; node001 1 1 unset"
bound="node001 0 1 $hca; node001 1 0 $hca"

# fails_open NAME PATTERN: the step runs as Slurm made it, one line says why
fails_open() {
    local before lines
    before=$(wc -l <"$log")
    is "$(look -N1 -n2 --gpus=4)" "$plain" "$1: the step runs unchanged"
    lines=$(tail -n +$((before + 1)) "$log" | grep leafward:)
    is "$(grep -c . <<<"$lines")" 1 "$1: one line in the log"
    like "$lines" "$2" "$1: which says why"
    is "$(cat "$tmp/err")" "" "$1: nothing for the user"
}

rm "$json"
fails_open "no inventory" 'node001.json: No such file'
: >"$json"
fails_open "an empty inventory" 'node001.json:1'
inventory node001
head -c 300 "$json" >"$tmp/cut"
cp "$tmp/cut" "$json"
fails_open "an inventory cut off" 'node001.json:'
inventory node001
sed -i 's/"schema":1/"schema":3/' "$json"
fails_open "an inventory of another schema" 'schema: expected 1'
inventory node001
sed -i 's/"node":"node001"/"node":"node009"/' "$json"
fails_open "another node's inventory" 'is of node node009'
head -c 5000000 /dev/zero >"$json"
fails_open "a huge inventory" 'larger than'
rm "$json"
mkfifo "$json" && rm "$json"
mkdir "$json"
fails_open "a directory for an inventory" 'directory'
rmdir "$json"
inventory node001

is "$(look -N1 -n2 --gpus=4)" "$bound" "a repaired inventory is used at once"

settings 'strict = perhaps'
is "$(look -N1 -n2 --gpus=4)" "$plain" "bad settings: the defaults are used"
like "$(grep leafward: "$log" | tail -n 2)" \
    'leafward.conf:3: strict = perhaps' "and the log names the line"
settings

# A CPU that is not there, and GPUs whose CPUs are not in the allocation.
sed -i 's/"cpus":"1"/"cpus":"77"/' "$json"
is "$(look -N1 -n2 --gpus=4)" "node001 0 0 $hca; node001 1 0 $hca" \
    "a task without a CPU near its GPU keeps Slurm's"
inventory node001

# Only task_init may fail, only where the site wants it, and Slurm listens
# only when the plugin is "required".
settings 'strict = yes'
plugin required
is "$(look -N1 -n2 --gpus=4)" "$bound" "strict changes nothing that works"
rm "$json"
rc=0
srun -Q -N1 -n2 --gpus=4 true 2>"$tmp/err" || rc=$?
ok $((rc == 0)) "strict: srun fails without an inventory"
like "$(cat "$tmp/err")" 'leafward: .*node001.json: No such file' \
    "strict: and the user is told why"
job=$(sbatch --parsable -N1 -n2 --gpus=4 -o /dev/null \
    --wrap 'srun true; exit $?')
until_true 30 job_is "$job" FAILED
is "$(job_state "$job")" FAILED "strict: the job fails"
is "$(sinfo -h -o %T)" idle "strict: the node does not drain"
is "$(look -N1 -n2)" "node001 0 0 unset; node001 1 1 unset" \
    "strict: steps without GPUs run"
plugin optional
runs 0 "an optional plugin cannot fail a step" srun -Q -N1 -n2 --gpus=4 true
settings

# A rail is down.
inventory node001 down
is "$(look -N1 -n2 --gpus=4)" "$(sed "s/mlx5_3:1,//g" <<<"$bound")" \
    "a rail that is down is left out"
like "$(grep leafward: "$log" | tail -n 1)" \
    '1 of 4 compute rails down \(mlx5_3:1 rail 2\)' "and the log names it"
settings 'on_port_down = keep'
is "$(look -N1 -n2 --gpus=4)" "$bound" "on_port_down = keep keeps it"
settings 'on_port_down = fail'
plugin required
rc=0
srun -Q -N1 -n2 --gpus=4 true 2>"$tmp/err" || rc=$?
ok $((rc == 0)) "on_port_down = fail fails the step"
until_true 20 nodes_free
is "$(sinfo -h -o %T)" idle "but not the node"

done_testing
