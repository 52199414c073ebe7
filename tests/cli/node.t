#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# node.t - inventories and plans from hwloc's XML; rails by map, rule, guess
. "$(dirname "$0")/../tap.sh"

data=$top_srcdir/tests/data/node
here=$top_srcdir/tests/cli/node
: >"$LEAFWARD_CONF"

"$leafward" node --xml "$data/login.xml" 2>&1 | grep -q 'without hwloc' &&
    skip_all "built without hwloc"

# Each machine is there for one trap; tests/data/node/README says which.
for m in eight partitions grace efa login dualport; do
    runs 0 "$m: the inventory" "$leafward" node --xml "$data/$m.xml"
    golden "$here/$m.inventory" "$m: is as expected"
    runs 0 "$m: a plan" "$leafward" node --plan --xml "$data/$m.xml"
    golden "$here/$m.plan" "$m: is as expected"
done

# What was written is read back to the same plan.
runs 0 "an inventory is written" "$leafward" node --xml "$data/eight.xml" \
    --node node001 -o "$tmp/eight.json"
runs 0 "and planned from" "$leafward" node --plan --from "$tmp/eight.json"
golden "$here/eight.plan" "to the same plan"
runs 0 "it can be shown" "$leafward" node --from "$tmp/eight.json" --json
is "$(cat "$tmp/out")" "$(cat "$tmp/eight.json")" "byte for byte"
is "$(jq -r '.node, .gpus[3].uuid, .nics[0].guid' "$tmp/eight.json" | paste -sd' ')" \
    "node001 GPU-00000003-aaaa-bbbb-cccc-dddddddddddd 0x0c42a10300000100" \
    "with the node's name, UUIDs and GUIDs"

# Steps.
plan() { "$leafward" node --plan --from "$tmp/eight.json" "$@" | tr -s ' '; }
is "$(plan --visible 1,6 -n 2 | tail -n 2)" \
    "0 0-7,16-23 0 1 mlx5_3:1 1
1 8-15,24-31 1 6 mlx5_10:1 6" "two GPUs by their numbers"
is "$(plan --visible 0,1 --granted 1,6 -n 2 | tail -n 2)" \
    "0 0-7,16-23 0 1 mlx5_3:1 1
1 8-15,24-31 1 6 mlx5_10:1 6" "the same renumbered by a device cgroup"
is "$(plan --visible GPU-00000007 -n 2 --cpus 12-13 | tail -n 2)" \
    "0 12 1 7 mlx5_11:1 7
1 13 1 7 mlx5_11:1 7" "a UUID, and CPUs of the step only"
is "$(plan -n 1 | sed -n 2p)" \
    "CPUs stay as Slurm gives them: one task on the node keeps all its CPUs" \
    "one task is not narrowed"
is "$("$leafward" node --plan --json --from "$tmp/eight.json" --visible 7,0 |
    jq -c '[.nccl_ib_hca, .tasks[0].gpus, .tasks[0].nics]')" \
    "[\"=mlx5_0:1,mlx5_3:1,mlx5_4:1,mlx5_5:1,mlx5_6:1,mlx5_9:1,mlx5_10:1,$(
    )mlx5_11:1\",[7],[\"mlx5_11\"]]" "--json"

# Rails by the fabric map: by GUID, so numbers and names do not matter.
cat >"$tmp/map.json" <<'END'
{"schema": 1, "created": "2024-01-02T03:04:05Z", "sources": [],
 "nodes": [{"name": "node001", "group": "leaf-a", "pod": "pod-1",
  "domain": null, "rails": 3, "rails_up": 3, "rails_slow": 0, "hcas": [
  {"guid": "0x0c42a10300000107", "device": "mlx5_11", "rail": 0,
   "leaf": "leaf-a0", "width": "4x", "speed": "NDR"},
  {"guid": "0x0c42a10300000100", "device": "mlx5_0", "rail": 1,
   "leaf": "leaf-a1", "width": "4x", "speed": "NDR"},
  {"guid": "0x0c42a10300000201", "device": "mlx5_1", "rail": 2,
   "leaf": "leaf-a2", "width": "4x", "speed": "NDR"}]}],
 "groups": [{"name": "leaf-a", "pod": "pod-1",
  "leaves": ["leaf-a0", "leaf-a1", "leaf-a2"], "nodes": ["node001"]}],
 "pods": ["pod-1"], "domains": [], "findings": []}
END
runs 0 "with a map" "$leafward" node --xml "$data/eight.xml" --node node001 \
    --map "$tmp/map.json"
like "$(cat "$tmp/out")" \
    'NCCL_IB_HCA=mlx5_11:1,mlx5_0:1,mlx5_1:1 \(told by the map\)' \
    "its rails, in its order"
like "$(head -n 1 "$tmp/out")" 'group leaf-a$' "and its group"
runs 0 "a node that the map does not have" "$leafward" node \
    --xml "$data/eight.xml" --node node009 --map "$tmp/map.json"
like "$(cat "$tmp/err")" "has no node 'node009'" "is said"
like "$(cat "$tmp/out")" 'told by the guess' "and its rails are guessed"

# Rails by rule; a device that this node lacks keeps its rail free.
printf '[node]\nrails = mlx5_11, mlx5_99, mlx5_0:1\n' >"$LEAFWARD_CONF"
runs 0 "with a rule" "$leafward" node --xml "$data/eight.xml" --json
is "$(jq -c '[.nics[] | select(.rail) | [.device, .rail]] | sort_by(.[1])' \
    "$tmp/out")" '[["mlx5_11",0],["mlx5_0",2]]' "rails as it says"
printf '[node]\nrails = mlx4_0\n' >"$LEAFWARD_CONF"
runs 1 "a rule that fits nothing" "$leafward" node --xml "$data/eight.xml"
like "$(cat "$tmp/err")" 'rails: none of the devices' "is an error"
: >"$LEAFWARD_CONF"

# MIG instances come from nvidia-smi -L.
cat >"$tmp/smi" <<'END'
GPU 0: Example GPU 80GB (UUID: GPU-00000000-aaaa-bbbb-cccc-dddddddddddd)
  MIG 1g.10gb     Device  0: (UUID: MIG-11111111-aaaa-bbbb-cccc-dddddddddddd)
  MIG 1g.10gb     Device  1: (UUID: MIG-22222222-aaaa-bbbb-cccc-dddddddddddd)
GPU 5: Example GPU 80GB (UUID: GPU-00000005-aaaa-bbbb-cccc-dddddddddddd)
  MIG 7g.80gb     Device  0: (UUID: MIG-33333333-aaaa-bbbb-cccc-dddddddddddd)
END
"$leafward" node --xml "$data/eight.xml" --mig "$tmp/smi" -o "$tmp/mig.json"
is "$("$leafward" node --plan --from "$tmp/mig.json" -n 2 --visible \
    MIG-33333333-aaaa-bbbb-cccc-dddddddddddd,$(
    )MIG-22222222-aaaa-bbbb-cccc-dddddddddddd | tr -s ' ' | tail -n 2)" \
    "0 8-15,24-31 1 5 mlx5_9:1 5
1 0-7,16-23 0 0 mlx5_0:1 0" "a MIG instance has its GPU's CPUs"

# A saved copy of sys/ and proc/.
root=$tmp/root
mkdir -p "$root/proc/driver/nvidia/gpus/0000:2a:00.0" \
    "$root/sys/bus/pci/devices/0000:19:00.0/physfn" \
    "$root/sys/class/infiniband"
printf 'Model: \t\t Example X\nGPU UUID: \t GPU-12345678-aaaa\n%s\n' \
    "Device Minor: 	 5" \
    >"$root/proc/driver/nvidia/gpus/0000:2a:00.0/information"
"$leafward" node --xml "$data/eight.xml" --root "$root" --json >"$tmp/out"
is "$(jq -c '[.gpus[1].minor, .gpus[1].name, .gpus[1].uuid]' "$tmp/out")" \
    '[5,"Example X","GPU-12345678-aaaa"]' "the driver's minor, model, UUID"
is "$(jq -c '[.nics[] | select(.vf) | [.device, .rail]]' "$tmp/out")" \
    '[["mlx5_0",null]]' "a virtual function is no rail"
like "$(jq -r .devices "$tmp/out")" '^[0-9a-f]{16}$' "a digest of the devices"

# This machine, whatever it is.
runs 0 "this machine" "$leafward" node --json
ok "$(jq -e '.schema == 1 and (.numa | length) > 0' "$tmp/out" >/dev/null
    echo $?)" "has an inventory"
printf '[node]\ninventory = %s/%%n.json\n' "$tmp" >"$LEAFWARD_CONF"
runs 0 "--write" "$leafward" node --write --node node003
sed -i 's/"created": "2/"created": "1/' "$tmp/node003.json"
runs 0 "--if-stale" "$leafward" node --write --if-stale --node node003
like "$(cat "$tmp/node003.json")" '"created": "1' "keeps a fresh one"
sed -i 's/"boot_id": "./"boot_id": "x/' "$tmp/node003.json"
runs 0 "--if-stale again" "$leafward" node --write --if-stale --node node003
like "$(cat "$tmp/node003.json")" '"created": "2' "replaces one of another boot"

# With a map at hand, --write leaves the order file beside the inventory.
printf '[leafward]\nmap = %s/map.json\n[node]\n%s\norder = %s/order\n' \
    "$tmp" "inventory = $tmp/%n.json" "$tmp" >"$LEAFWARD_CONF"
runs 0 "--write with a map" "$leafward" node --write --node node001
is "$(cat "$tmp/order")" "# leafward order 1 1
node001 0 0 -1 3 3" "leaves the order of its nodes"
sed -i s/node001/node002/ "$tmp/order"
runs 0 "--if-stale" "$leafward" node --write --if-stale --node node001
like "$(cat "$tmp/order")" node002 "keeps one that is younger than the map"
touch -d '+1 hour' "$tmp/map.json"
runs 0 "--if-stale again" "$leafward" node --write --if-stale --node node001
like "$(cat "$tmp/order")" node001 "replaces an older one"
: >"$tmp/map.json"
runs 0 "a broken map" "$leafward" node --write --node node001
like "$(cat "$tmp/err")" 'no node order: .*map.json' "is said"
like "$(cat "$tmp/order")" node001 "and the order stays"
: >"$LEAFWARD_CONF"

# Errors: plain words, nothing half-written.
sed 's/topology version="2.0"/topology version="3.0"/' "$data/login.xml" \
    >"$tmp/v3.xml"
if "$leafward" node --xml "$tmp/v3.xml" -o "$tmp/none" >"$tmp/out" 2>"$tmp/err"
then
    skip "this hwloc reads XML of hwloc 3" "XML of hwloc 3 is refused"
else
    like "$(cat "$tmp/err")" 'v3.xml: hwloc .* cannot load it' \
        "XML of hwloc 3 is refused"
    ok "$([ ! -e "$tmp/none" ]; echo $?)" "and nothing is written"
fi
head -c 2000 "$data/eight.xml" >"$tmp/cut.xml"
runs 1 "XML cut off" "$leafward" node --xml "$tmp/cut.xml"
runs 1 "no such file" "$leafward" node --xml "$tmp/nowhere.xml"
runs 1 "a bad CPU list" "$leafward" node --plan --from "$tmp/eight.json" \
    --cpus 3-1
like "$(cat "$tmp/err")" "'3-1' is not a CPU list" "is named"
runs 2 "a bad task count" "$leafward" node --plan -n 0
runs 1 "no inventory" "$leafward" node --plan --from /nonexistent.json
runs 1 "a name that leads elsewhere" "$leafward" node --write --node ../x
done_testing
