#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# main.t - the command itself: help, version, unknown commands
. "$(dirname "$0")/../tap.sh"

runs 0 "--version works" "$leafward" --version
is "$(cat "$tmp/out")" "leafward $(cat "$top_srcdir/VERSION")" \
    "and is the tree's version"
runs 0 "--help works" "$leafward" --help
like "$(cat "$tmp/out")" '^Usage: leafward COMMAND' "and shows the usage"
runs 2 "no command is a usage error" "$leafward"
runs 2 "an unknown command is a usage error" "$leafward" frobnicate
like "$(cat "$tmp/err")" "no command 'frobnicate'" "and is named"
done_testing
