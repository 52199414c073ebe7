#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor.t - `leafward doctor` on a host without Slurm: what its files say
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
"$leafward" --help | grep -q '^  doctor' || skip_all "built without Slurm"

export LEAFWARD_CONF=$tmp/leafward.conf
export SLURM_CONF=$tmp/no-such-slurm.conf
mkdir "$tmp/log"
cat >"$LEAFWARD_CONF" <<END
[leafward]
map = $tmp/map.json
state = $tmp/state.json
log = $tmp/log/placement.jsonl
END
chmod 644 "$LEAFWARD_CONF"

# says LEVEL PART: the texts of that level and part
says() { jq -r ".[] | select(.level == \"$1\" and .part == \"$2\").text" "$tmp/out"; }

runs 1 "without a map it fails" "$leafward" doctor --json
like "$(says error map)" 'map.json: No such file.*leafward discover' \
    "says how to make one"
like "$(says error slurm)" 'slurmctld does not answer' \
    "that Slurm does not answer"
like "$(says error watch)" 'leafward-watch.service' "that watch does not run"
is "$(says ok log)" "$tmp/log/placement.jsonl" "and that the log is well"

cp "$top_srcdir/tests/data/map/degraded.json" "$tmp/map.json"
runs 1 "with faults in the cabling" "$leafward" doctor --json
like "$(says warning map)" 'leafward check' "it sends the reader to check"
echo 'colour = blue' >>"$LEAFWARD_CONF"
runs 1 "with a wrong key in the configuration" "$leafward" doctor --json
like "$(says error configuration)" "leafward.conf:5.*colour" \
    "it names the line"
sed -i '$d' "$LEAFWARD_CONF"
chmod g+w "$LEAFWARD_CONF"
runs 1 "as text" "$leafward" doctor
like "$(cat "$tmp/out")" 'warning  configuration .*chmod go-w' \
    "each line has level, part and what to do"
like "$(tail -n 1 "$tmp/out")" '^[0-9]+ errors?, [0-9]+ warnings?$' \
    "and the last one counts"
runs 2 "an argument is a usage error" "$leafward" doctor all
done_testing
