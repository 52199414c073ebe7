#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tools.t - clang-format, shellcheck and cppcheck find nothing
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"
cd "$top_srcdir" || exit 1

# Each major release formats a little differently: one is the judge.
clang_format() {
    local p
    for p in clang-format-14 clang-format; do
        if $p --version 2>/dev/null | grep -q 'version 14\.'; then
            echo $p
            return
        fi
    done
}

shell_files() {
    sources . '*.sh' '*.t'
    for f in bootstrap .ci/run tests/cluster/*; do
        [ ! -f "$f" ] || ! head -n 1 "$f" | grep -Eq '^#!.*sh$' || echo "$f"
    done
}

if [ -n "$(clang_format)" ]; then
    found=$(sources . '*.[ch]' | grep -vxF cli/commands.h |
        xargs "$(clang_format)" --dry-run --Werror 2>&1 |
        grep 'error:' | head -n 20)
    clean "$found" "the C files are formatted as .clang-format says"
else
    skip "no clang-format of release 14" "formatting"
fi

# Left out: variables and arguments that another file gives or takes, commas in
# option values, VAR= with no value, and $? of a test in brackets.
if command -v shellcheck >/dev/null; then
    found=$(shell_files | LC_ALL=C sort -u |
        xargs shellcheck -x -S warning -f gcc \
            -e SC1007,SC2034,SC2054,SC2120,SC2154,SC2319 2>&1 | head -n 20)
    clean "$found" "shellcheck has nothing to say"
else
    skip "no shellcheck" "shell scripts"
fi

# Each release of cppcheck finds other things: one is the measure.
if [ "$(cppcheck --version 2>/dev/null)" = "Cppcheck 2.10" ]; then
    found=$(cppcheck --quiet --error-exitcode=1 --inline-suppr \
        --enable=warning,portability --std=c11 -I . \
        --template='{file}:{line}: {severity} {id}: {message}' \
        --suppressions-list=tests/lint/cppcheck.supp \
        lib topology slurmapi job_submit spank cli 2>&1 | head -n 20)
    clean "$found" "cppcheck has nothing to say"
else
    skip "no cppcheck of release 2.10" "static analysis"
fi

done_testing
