#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# symbols.t - the plugins show their entry points to Slurm, and nothing else
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

built() { [ -e "$top_builddir/.libs/$1" ]; }

shown() {
    nm -D --defined-only "$top_builddir/.libs/$1" | awk '{ print $3 }' |
        LC_ALL=C sort
}

# What neither the plugin nor its libraries bring must come from the host.
from_host() {
    ldd -r "$top_builddir/.libs/$1" 2>&1 |
        sed -n 's/^undefined symbol: \([^[:space:]]*\).*/\1/p' |
        grep -Ev '^(slurm|spank)_' | LC_ALL=C sort
}

if built job_submit_leafward.so; then
    is "$(shown job_submit_leafward.so | paste -sd' ')" \
        "fini init job_modify job_submit plugin_name plugin_type plugin_version" \
        "job_submit_leafward.so shows what slurmctld looks for"
    clean "$(from_host job_submit_leafward.so)" \
        "and wants only slurm_* from slurmctld"
else
    skip "not built (no Slurm headers)" "symbols of the job_submit plugin"
fi

if built spank_leafward.so; then
    clean "$(shown spank_leafward.so |
        grep -Ev '^(plugin_(name|type|version)|slurm_spank_[a-z_]+)$')" \
        "spank_leafward.so shows only what SPANK looks for"
    like "$(shown spank_leafward.so | paste -sd' ')" \
        'plugin_name .*slurm_spank_user_init' "and does show it"
    clean "$(from_host spank_leafward.so)" \
        "and wants only slurm_* and spank_* from its host"
    is "$(objdump -p "$top_builddir/.libs/spank_leafward.so" |
        awk '$1 == "NEEDED" { print $2 }' | grep -v '^ld-')" "libc.so.6" \
        "and no library that every srun and sbatch would have to load"
    is "$(shown leafward_step.so)" leafward_step_ops \
        "leafward_step.so shows its one entry"
    clean "$(from_host leafward_step.so)" \
        "and wants only slurm_* and spank_* from slurmstepd"
else
    skip "not built (no Slurm headers)" "symbols of the SPANK plugin"
fi

done_testing
