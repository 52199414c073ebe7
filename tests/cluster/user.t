#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# user.t - watch and doctor as a SlurmUser that is not root, as the units run
# them: what they write is that user's, and root is kept from it
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

command -v jq >/dev/null || skip_all "jq is not installed"
command -v setpriv >/dev/null || skip_all "setpriv is not installed"
id slurm >/dev/null 2>&1 || skip_all "there is no user slurm"
need_slurm
as_slurm() { setpriv --reuid=slurm --regid=slurm --clear-groups "$@"; }
as_slurm "$leafward" --version >/dev/null 2>&1 ||
    skip_all "the user slurm cannot run what was built here"
chmod 0755 "$tmp"
cluster_up --nodes 4 --groups 2 --plugins off --slurm-user slurm
# shellcheck source=tests/cluster/place.sh
. "$(dirname "$0")/place.sh"
files=$cluster_dir/leafward
write_map "$files/map.json" 2 2
owner() { stat -c '%U %a' "$1"; }

runs 1 "root is refused" "$leafward" watch --once
like "$(cat "$tmp/err")" 'not as root: run it as SlurmUser, slurm' \
    "and told who should"
is "$(cd "$files" && echo *)" "map.json watch.json.lock" "nothing was written"

runs 0 "SlurmUser is not" as_slurm "$leafward" watch --once
is "$(cat "$tmp/err")" "" "and has nothing to complain about"
for f in state.json placement.jsonl; do
    is "$(owner "$files/$f")" "slurm 644" "$f is its own, and others read it"
done

# it may change the jobs of others
job=$(submit -N2 --switches=1@600 --hold)
runs 0 "another look" as_slurm "$leafward" watch --once
is "$(as_slurm scontrol update job="$job" Switches=2@600 2>&1)" "" \
    "it may change jobs of root"

runs 1 "doctor as SlurmUser" as_slurm "$leafward" doctor --json
says() { jq -r ".[] | select(.level == \"$1\" and .part == \"$2\").text" "$tmp/out"; }
is "$(says ok log)" "$files/placement.jsonl" "it can write the log"
like "$(says ok watch)" 'its state is [0-9]+ s old' "the state is fresh"
like "$(says ok slurm)" '^slurmctld ' "slurmctld answers"
like "$(says error job_submit)" 'JobSubmitPlugins=leafward' \
    "and what is missing is told"
chown root "$files/placement.jsonl"
chown root "$files"
runs 1 "doctor, the log taken away" as_slurm "$leafward" doctor --json
like "$(says error log)" 'cannot be written by' "is noticed"
done_testing
