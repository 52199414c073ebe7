#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# order.t - nodes of one group become neighbours
. "$(dirname "$0")/../tap.sh"

"$leafward" order --map /nonexistent n1 2>&1 | grep -q 'built without' &&
    skip_all "built without Slurm"
: >"$LEAFWARD_CONF"
node() {
    printf '{"name":"%s","group":"%s","pod":"%s","domain":null,"rails":1,' \
        "$1" "$2" "$3"
    printf '"rails_up":1,"rails_slow":0,"hcas":[]}'
}
cat >"$tmp/map.json" <<END
{"schema": 1, "created": "2024-01-02T03:04:05Z", "sources": [],
 "nodes": [$(node n1 b p1),$(node n2 a p1),$(node n3 b p1),$(node n4 a p1),
  $(node n5 c p0),$(node n10 b p1)],
 "groups": [
  {"name": "a", "pod": "p1", "leaves": ["la"], "nodes": ["n2", "n4"]},
  {"name": "b", "pod": "p1", "leaves": ["lb"], "nodes": ["n1", "n3", "n10"]},
  {"name": "c", "pod": "p0", "leaves": ["lc"], "nodes": ["n5"]}],
 "pods": ["p0", "p1"], "domains": [], "findings": []}
END
order() { "$leafward" order --map "$tmp/map.json" "$@" | paste -sd' '; }
is "$(order 'n[1-5,10],x9,x1')" "n5 n2 n4 n1 n3 n10 x9 x1" \
    "pod by pod, group by group, strangers last as they were"
is "$(order 'n[3,2]' --slots 2)" "n2 n2 n3 n3" "--slots repeats each"
is "$(order 'n[1-5]' --rank n1)" "3" "--rank tells one place"
is "$(SLURM_JOB_NODELIST='n[1-2]' order)" "n2 n1" "the job's own nodes"
runs 1 "a node that is not in the list" \
    "$leafward" order --map "$tmp/map.json" --rank n9 'n[1-2]'
runs 2 "no list at all" env -u SLURM_JOB_NODELIST \
    "$leafward" order --map "$tmp/map.json"
runs 1 "no map" "$leafward" order --map "$tmp/none.json" n1
done_testing
