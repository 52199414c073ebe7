#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# man.t - each command has a man page that names exactly its options
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

# What every command has need not be said on each page.
common='^--(help|usage|version)$'

commands() {
    "$leafward" --help | sed -nE 's/^  ([a-z-]+) .*/\1/p'
}

page_of() {
    local f
    for f in "$top_srcdir"/docs/man/leafward-"$1".[1-8]; do
        [ ! -e "$f" ] || echo "$f"
    done
}

# Options at the head of a line of --help, long form.
help_options() {
    "$leafward" "$1" --help |
        sed -nE 's/^ +(-[A-Za-z0-9], *)?(--[a-z][a-z0-9-]*).*/\2/p' |
        grep -Ev "$common" | LC_ALL=C sort -u
}

# Long options that head a paragraph of the page (.TP, then .B or the like).
page_options() {
    sed 's/\\-/-/g; s/\\f[BIRP]//g' "$1" |
        awk '/^\.TP/ { head = 1; next }
             /^\.TQ/ { head = 1; next }
             head && /^\.(B|I|BI|BR|IR)|^-/ {
                 n = split($0, w, /[ ,="]+/)
                 for (i = 1; i <= n; i++) {
                     sub(/\[.*/, "", w[i])
                     if (w[i] ~ /^--[a-z]/) print w[i]
                 }
             }
             { head = 0 }' | grep -Ev "$common" | LC_ALL=C sort -u
}

[ -x "$leafward" ] || skip_all "leafward is not built"
for c in $(commands); do
    page=$(page_of "$c")
    [ -n "$page" ]
    ok $? "leafward $c has a man page"
    [ -z "$page" ] || is "$(page_options "$page")" "$(help_options "$c")" \
        "leafward-$c names the options that --help names"
done

if command -v man >/dev/null; then
    for page in "$top_srcdir"/docs/man/*.[1-8]; do
        clean "$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 \
            man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null |
            head -n 5)" "${page##*/} is well formed"
    done
else
    skip "no man" "pages are well formed"
fi

done_testing
