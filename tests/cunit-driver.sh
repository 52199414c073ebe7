#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cunit-driver.sh - automake test driver that keeps CUnit's summary visible
set -u
name= log= trs= expect_failure=no
while [ $# -gt 0 ]; do
    case $1 in
    --test-name) name=$2; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --trs-file) trs=$2; shift 2 ;;
    --expect-failure) expect_failure=$2; shift 2 ;;
    --color-tests | --enable-hard-errors) shift 2 ;;
    --) shift; break ;;
    *) break ;;
    esac
done
"$@" >"$log" 2>&1
rc=$?
# A program that died early printed no summary and must not count as passed.
if [ $rc -eq 0 ] && ! grep -q '^Run Summary' "$log"; then rc=99; fi
case $rc-$expect_failure in
0-no) result=PASS ;;
77-*) result=SKIP ;;
*) result=FAIL ;;
esac
echo "$result: $name"
if [ $result = FAIL ]; then cat "$log"; else sed -n '/^Run Summary/,$p' "$log"; fi
{
    echo ":test-result: $result"
    echo ":global-test-result: $result"
    echo ":recheck: $([ $result = PASS ] && echo no || echo yes)"
    echo ":copy-in-global-log: $([ $result = PASS ] && echo no || echo yes)"
} >"$trs"
