# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# tap.sh - helpers of the shell tests; they print TAP for automake's driver.
#
#   . "$(dirname "$0")/../tap.sh"
#   is "$(leafward --version)" "leafward 0.1.0" "prints its version"
#   done_testing

tap_count=0
tap_failed=0
top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
top_builddir=${top_builddir:-$top_srcdir}
top_srcdir=$(cd "$top_srcdir" && pwd)
top_builddir=$(cd "$top_builddir" && pwd)
# libtool's wrapper, so that the tests run what was just built
leafward=$top_builddir/leafward
tmp=$(mktemp -d "${TMPDIR:-/tmp}/leafward-test.XXXXXX")
tap_cleanup() { rm -rf "$tmp"; }
trap tap_cleanup EXIT
export LC_ALL=C.UTF-8
export LEAFWARD_CONF=$tmp/leafward.conf

# ok STATUS NAME: pass when STATUS is 0
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        echo "not ok $tap_count - $2"
        tap_failed=$((tap_failed + 1))
    fi
}

# is GOT WANT NAME: pass when both are the same text
is() {
    if [ "$1" = "$2" ]; then
        ok 0 "$3"
    else
        ok 1 "$3"
        diff <(printf '%s\n' "$2") <(printf '%s\n' "$1") | sed 's/^/# /'
    fi
}

# like TEXT REGEX NAME: pass when the extended regular expression matches
like() {
    if printf '%s\n' "$1" | grep -Eq -- "$2"; then
        ok 0 "$3"
    else
        ok 1 "$3"
        printf '# no match for %s in:\n' "$2"
        printf '%s\n' "$1" | head -n 40 | sed 's/^/#   /'
    fi
}

# runs CODE NAME COMMAND...: pass when the command exits with CODE; its
# output is in $tmp/out and $tmp/err
runs() {
    local want=$1 name=$2 rc=0
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
    if [ "$rc" -eq "$want" ]; then
        ok 0 "$name"
    else
        ok 1 "$name"
        echo "# exit $rc, want $want: $*"
        sed 's/^/# err: /' "$tmp/err" | head -n 20
    fi
}

# golden FILE NAME: pass when $tmp/out equals FILE; LW_UPDATE=1 rewrites it
golden() {
    [ -z "${LW_UPDATE:-}" ] || cp "$tmp/out" "$1"
    if diff -u "$1" "$tmp/out" >"$tmp/diff" 2>&1; then
        ok 0 "$2"
    else
        ok 1 "$2"
        head -n 40 "$tmp/diff" | sed 's/^/# /'
    fi
}

# skip_all REASON: the whole file says why it does not run
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# skip REASON NAME: one test says why it does not run
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $2 # SKIP $1"
}

done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
}
