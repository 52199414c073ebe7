# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# place.sh - fabric maps and cluster states for the placement tests
#
# Nodes are node001, node002, .. as the harness names them; groups are g1, g2.

# write_map FILE SIZE...: one group of each size, every rail up. Nodes named
# in $rail_down (spaces between) have one rail down.
write_map() {
    local file=$1
    shift
    awk -v sizes="$*" -v down="${rail_down:-}" 'BEGIN {
        n = split(sizes, size, " ")
        k = split(down, d, " ")
        for (i = 1; i <= k; i++) bad[d[i]] = 1
        printf "{\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\","
        printf "\"sources\":[],\"pods\":[\"pod1\"],\"nodes\":["
        for (g = 1; g <= n; g++)
            for (i = 0; i < size[g]; i++) {
                name = sprintf("node%03d", ++node)
                printf "%s{\"name\":\"%s\",\"group\":\"g%d\",\"rails\":8," \
                    "\"rails_up\":%d,\"hcas\":[]}", (node > 1 ? "," : ""), \
                    name, g, ((name in bad) ? 7 : 8)
            }
        printf "],\"groups\":["
        node = 0
        for (g = 1; g <= n; g++) {
            printf "%s{\"name\":\"g%d\",\"pod\":\"pod1\",\"leaves\":[]," \
                "\"nodes\":[", (g > 1 ? "," : ""), g
            for (i = 0; i < size[g]; i++)
                printf "%s\"node%03d\"", (i ? "," : ""), ++node
            printf "]}"
        }
        print "],\"findings\":[]}"
    }' >"$file.new" && mv "$file.new" "$file"
}

# loaded TEXT: slurmctld's log says so (since the last `mark_log`)
mark_log() { log_at=$(wc -l <"${cluster_dir:?}/log/slurmctld.log"); }
since_mark() {
    tail -n "+$((${log_at:-0} + 1))" "$cluster_dir/log/slurmctld.log"
}
says() { since_mark | grep -Fq -- "$1"; }

# install_map SIZE...: replace the cluster's map and wait until it is loaded
install_map() {
    mark_log
    write_map "$cluster_dir/leafward/map.json" "$@"
    until_true 10 says "leafward: map "
}

# show_job JOB: what `scontrol show job` says of the request, without what
# differs from job to job
show_job() {
    scontrol -o show job "$1" | tr ' ' '\n' |
        grep -Ev '^(JobId|JobName|SubmitTime|EligibleTime|AccrueTime|StartTime|EndTime|LastSchedEval|SecsPreSuspend|RunTime|NodeList|BatchHost|JobState|Reason|Priority|PreemptEligibleTime|PreemptTime|Deadline|StdOut|StdErr|AllocNode:Sid|SchedNodeList|Scheduler)='
}
