#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# replay.t - every fuzz target over its saved inputs, whole and cut off
. "$(dirname "$0")/../tap.sh"

for corpus in "$top_srcdir"/tests/fuzz/corpus/*; do
    name=$(basename "$corpus")
    program=$top_builddir/tests/fuzz/replay_${name%%-*}
    # source-ufm and the like: one program, told the format
    unset LW_FUZZ_FORMAT
    [ "${name%%-*}" != source ] || export LW_FUZZ_FORMAT=${name#source-}
    if [ ! -x "$program" ]; then
        ok 1 "$name: has a program"
        continue
    fi
    runs 0 "$name: no crash, no leak, no wrong map" "$program" "$corpus"
    like "$(cat "$tmp/out")" '^[1-9][0-9]+ inputs' "$name: inputs were run"
done
done_testing
