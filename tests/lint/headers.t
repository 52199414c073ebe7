#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# headers.t - every header compiles on its own
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# cli/commands.h is rows of a table, not a header
headers() {
    sources "$1" '*.h' | grep -vxF cli/commands.h | while read -r h; do
        if [[ $h == slurmapi/* || $h == job_submit/* || $h == spank/* ||
            $h == cli/* || $h == tests/fake/* ]] && [ -n "${no_slurm:-}" ]; then
            continue
        fi
        echo "$h"
    done
}

# Unused static functions are no fault of a header.
not_alone() {
    local h
    headers "$1" | while read -r h; do
        printf '#include "config.h"\n\n#include "%s"\nextern int lw_unused;\n' \
            "$h" >"$tmp/alone.c"
        "${compiler[@]}" -std=gnu11 -fsyntax-only -Wall -Wno-unused-function \
            -Werror -I"$1" -I"$top_builddir" "${flags[@]}" "$tmp/alone.c" \
            2>&1 | head -n 5
    done
}

[ -e "$top_builddir/config.h" ] || skip_all "not configured"
read -ra flags <<<"${LINT_CPPFLAGS:-}"
read -ra compiler <<<"${CC:-cc}"
echo '#include <slurm/slurm.h>' |
    "${compiler[@]}" "${flags[@]}" -fsyntax-only -x c - 2>/dev/null ||
    no_slurm=1
clean "$(not_alone "$top_srcdir")" "every header compiles on its own"
bad lib/needs.h <<<'size_t lw_needs(void);'
like "$(not_alone "$tmp/bad")" "unknown type name" \
    "a header that needs another first would be found"

done_testing
