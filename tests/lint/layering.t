#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layering.t - every #include points where the design allows
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# includes ROOT: "file room included", where room is the first directory
includes() {
    sources "$1" 'lib/*.[ch]' 'topology/*.[ch]' 'slurmapi/*.[ch]' \
        'job_submit/*.[ch]' 'spank/*.[ch]' 'cli/*.[ch]' |
        (cd "$1" && xargs -r grep -HE '^[[:space:]]*#[[:space:]]*include') |
        sed -nE 's,^(([^/:]+)/[^:]*):[^"<]*(["<][^">]*[">]).*,\1 \2 \3,p'
}

# The rooms a room may include of, besides itself.
room_errors() {
    includes "$1" | awk '
        BEGIN {
            may["lib"] = " lib "
            may["topology"] = " lib topology "
            may["slurmapi"] = " lib topology slurmapi "
            may["job_submit"] = " lib topology slurmapi job_submit "
            may["spank"] = " lib topology slurmapi spank "
            may["cli"] = " lib topology slurmapi cli "
        }
        $3 ~ /^"/ && $3 != "\"config.h\"" {
            room = substr($3, 2)
            if (room !~ /\//)
                print $1 ": " $3 " is not named from the top of the tree"
            sub(/\/.*/, "", room)
            if (room ~ /[a-z]/ && $3 ~ /\// &&
                index(may[$2], " " room " ") == 0)
                print $1 ": " $2 " may not include " $3
        }'
}

slurm_errors() {
    includes "$1" | awk '
        $3 ~ /^<slurm\// {
            if ($2 !~ /^(slurmapi|job_submit|spank|cli)$/)
                print $1 ": " $2 " may not include " $3
            else if ($3 !~ /^<slurm\/(slurm|slurm_errno|slurm_version|spank)\.h>$/)
                print $1 ": " $3 " is not one of the public headers"
        }'
}

library_errors() {
    includes "$1" | awk '
        $3 ~ /^<(hwloc|infiniband)/ && $1 !~ /^topology\/node\// {
            print $1 ": " $3 " only in topology/node" }
        $3 == "<ini.h>" && $1 != "lib/conf.c" {
            print $1 ": " $3 " only in lib/conf.c" }
        $3 == "<jansson.h>" && $2 == "job_submit" {
            print $1 ": no JSON under the locks of slurmctld" }'
}

clean "$(room_errors "$top_srcdir")" "no room includes one above it"
clean "$(slurm_errors "$top_srcdir")" \
    "public Slurm headers only, in the rooms that know Slurm"
clean "$(library_errors "$top_srcdir")" \
    "hwloc, verbs and inih stay where they belong"

bad lib/a.c <<<'#include "topology/place/decide.h"'
bad topology/place/b.c <<<'#include "job_submit/request.h"'
bad topology/c.h <<<'# include "d.h"'
is "$(room_errors "$tmp/bad")" \
    'lib/a.c: lib may not include "topology/place/decide.h"
topology/c.h: "d.h" is not named from the top of the tree
topology/place/b.c: topology may not include "job_submit/request.h"' \
    "an upward include would be found"
bad topology/e.c <<<'#include <slurm/slurm.h>'
bad spank/f.c <<<'#include <slurm/src/common/xmalloc.h>'
is "$(slurm_errors "$tmp/bad" | wc -l)" 2 "a wrong Slurm header would be found"
bad cli/g.c <<<'#include <hwloc.h>'
is "$(library_errors "$tmp/bad")" "cli/g.c: <hwloc.h> only in topology/node" \
    "hwloc elsewhere would be found"

done_testing
