#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# requests.t - heterogeneous jobs, --leafward= in every client, and what users
# are told
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
need_plugins
cluster_up --nodes 8 --groups 2 --leafward '[place]' \
    --leafward 'gpus_per_node = 8'
log=$cluster_dir/leafward/placement.jsonl
install_map 4 4

mark() { scontrol -o show job "$1" | sed -n 's/.*AdminComment=leafward: \(.*\) ref=.*/\1/p'; }
switches() { job_field "$1" Switches | sed 's/@.*//'; }
reason() { # of the last decision that is not of a marked job
    jq -r '.decision.reason // empty' "$log" | tail -n 1
}
said_reason() { [ "$(reason)" = "$1" ]; }

# Each component is decided by itself.
het=$(sbatch --parsable -o /dev/null --hold -N2 --gpus-per-node=8 : -n1 : \
    --gpus=8 --wrap 'sleep 3600')
is "$(mark "$het+0" | cut -d' ' -f1-3)|$(mark "$het+1")|$(mark "$het+2")" \
    "gang nodes=2 groups=1||fits-node nodes=1" \
    "components of a heterogeneous job, each for itself"
is "$(switches "$het+0")|$(switches "$het+1")" "1|" "also their switches"
scontrol update job="$het+0" Comment=x
scancel "$het"

# --leafward= as an option, in the script, in srun and salloc.
if [ -s "$cluster_dir/etc/plugstack.conf" ]; then
    off=$(submit --hold -N2 --gpus-per-node=8 --leafward=off)
    is "$(mark "$off")$(switches "$off")" "" "sbatch --leafward=off"
    until_true 10 said_reason user-off
    ok $? "the log says who wanted it"
    cat >"$tmp/job" <<'END'
#!/bin/sh
#SBATCH --leafward=spread -N2 --gpus-per-node=8 --output=/dev/null
exec sleep 3600
END
    script=$(sbatch --parsable --hold "$tmp/job")
    is "$(mark "$script")$(switches "$script")" "" "#SBATCH --leafward=spread"
    until_true 10 said_reason user-spread
    ok $? "is read from the script"
    waits=$(submit --hold -N2 --gpus-per-node=8 --leafward=pack,wait=2h)
    like "$(mark "$waits")" 'wait=7200 patience=7200' \
        "--leafward=wait=2h is the wait"
    submit --hold -N2 --leafward=sideways >/dev/null 2>"$tmp/err"
    like "$? $(cat "$tmp/err")" '^[1-9][0-9]* .*sideways' "other words are refused"
    srun -N2 --gpus-per-node=8 --leafward=off true
    until_true 10 said_reason user-off
    ok $? "srun --leafward=off"
    salloc -Q -N2 --gpus-per-node=8 --leafward=spread true
    until_true 10 said_reason user-spread
    ok $? "salloc --leafward=spread"
    salloc -Q -N2 --gpus-per-node=8 true
    until_true 10 said_reason gang
    ok $? "salloc alone is packed"
    scancel --user="$(id -un)"
else
    skip "the SPANK plugin was not built" "--leafward="
fi

# What kills slurmctld is refused, by -C and by --prefer.
list=$(seq -f 'a%g' -s '|' 61)
for option in --constraint --prefer; do
    sbatch $option "[$list]" --wrap true >"$tmp/out" 2>"$tmp/err"
    like "$? $(cat "$tmp/err")" '^1 .*leafward: More than 60 alternatives' \
        "61 alternatives in $option are refused"
done
scontrol ping | grep -q UP
ok $? "slurmctld lives"

# What users are told: of what can never run only, of all, of nothing.
told() { sbatch -o /dev/null --hold "$@" --wrap true 2>&1 >/dev/null | grep leafward; }
tell() {
    mark_log
    sed -i '/^messages/d' "$cluster_dir/etc/leafward.conf"
    printf 'messages = %s\n' "$1" >>"$cluster_dir/etc/leafward.conf"
    touch -d "now + ${2} seconds" "$cluster_dir/leafward/map.json"
    until_true 10 says "leafward: map "
}
is "$(told -N2 --gpus-per-node=8)" "" "by default not of what is packed"
like "$(told -N9 --gpus-per-node=8)" \
    'leafward: 9 nodes: the fabric map has 8' "but of more nodes than there are"
tell all 5
like "$(told -N2 --gpus-per-node=8)" \
    'leafward: 2 nodes, fits in 1 group; waits for' "of all when the site says so"
tell off 9
is "$(told -N9 --gpus-per-node=8)" "" "or of nothing"
scancel --user="$(id -un)"

done_testing
