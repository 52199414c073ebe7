#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# demo.t - the demonstration shows what it promises: gangs that Slurm alone
# splits stay together, and tasks get their NICs and CPUs
# shellcheck source=tests/cluster/lib.sh
. "$(dirname "$0")/lib.sh"

need_plugins
"$top_srcdir/tests/cluster/demo" >"$tmp/out" 2>&1
ok $? "the demo runs to its end"
text=$(cat "$tmp/out")
like "$text" 'gangs split +B D +none' \
    "without Leafward two gangs are split, with it none"
like "$text" 'B  .*--gpus=16 .* node\[004-005\]$' \
    "16 GPUs without Leafward are spread over two groups"
like "$text" 'B  .*--gpus=16 .* node\[005-006\]$' "and with it are in one"
like "$text" 'task 0: CPUs [0-9,-]+ NCCL_IB_HCA=\(not set\)' \
    "nothing is set without Leafward"
like "$text" 'task 0: CPUs [0-9,-]+ NCCL_IB_HCA==mlx5_0:1,.*,mlx5_7:1' \
    "with Leafward the task has all rails, in order"
cpus() { sed -nE "s/^ *node0.. task $1: CPUs ([^ ]*) .*=mlx5_0.*/\1/p" "$tmp/out"; }
if [ "$(nproc)" -gt 1 ]; then
    [ -n "$(cpus 0)" ] && [ "$(cpus 0)" != "$(cpus 7)" ]
    ok $? "the first and the last task are bound to different CPUs"
else
    skip "one CPU here" "the first and the last task are bound differently"
fi
like "$text" 'B  leafward: total-gpus nodes=2 groups=1' \
    "the decision can be seen in the job"
like "$text" 'Gangs on the fewest groups +6 +100 %' \
    "the report says that all gangs were packed"
[ "$tap_failed" -eq 0 ] || sed 's/^/# /' "$tmp/out"
done_testing
