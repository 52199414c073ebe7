# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# lint.sh - what the lint tests share; each check is a function over a tree,
# so that it can be shown to find what it looks for in a bad tree

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"

# sources ROOT PATTERN...: files of the tree that match, relative to ROOT
sources() {
    local root=$1 pattern args=()
    shift
    for pattern; do args+=(${args[@]+-o} -path "./$pattern"); done
    (cd "$root" && find . \( -name '.?*' -o -name build -o -name build-aux \
        -o -name 'autom4te*' -o -name 'leafward-[0-9]*' -o -name '_*' \) \
        -prune -o -type f \( "${args[@]}" \) -print) |
        sed 's,^\./,,' | LC_ALL=C sort
}

# clean TEXT NAME: pass when a check found nothing
clean() {
    is "$1" "" "$2"
}

# bad PATH: a file of the bad tree, from standard input
bad() {
    mkdir -p "$tmp/bad/$(dirname "$1")"
    cat >"$tmp/bad/$1"
}
