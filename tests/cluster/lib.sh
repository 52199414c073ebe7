# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# lib.sh - helpers of the tests that run on real daemons
#
#   . "$(dirname "$0")/lib.sh"
#   cluster_up --nodes 8 --groups 2
#   job=$(submit --gpus=16)
#   wait_for_state "$job" RUNNING
#   is "$(job_nodes "$job")" "node[005-006]" "packed"
#   done_testing
#
# The cluster is taken down when the test ends, however it ends.

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"

cluster=${top_srcdir:?}/tests/cluster/cluster
cluster_dir=

cluster_cleanup() {
    local rc=$?
    trap - EXIT
    if [ -n "$cluster_dir" ]; then
        if [ $rc -ne 0 ] || [ "$tap_failed" -ne 0 ]; then
            tail -n 40 "$cluster_dir/log/slurmctld.log" 2>/dev/null |
                sed 's/^/# slurmctld: /'
        fi
        "$cluster" down "$cluster_dir" 2>/dev/null
    fi
    tap_cleanup
    exit $rc
}
trap cluster_cleanup EXIT
trap 'exit 130' INT TERM HUP

# need_slurm: the whole file is skipped where daemons cannot run
need_slurm() {
    local p
    for p in munged slurmctld slurmd sbatch scontrol sinfo; do
        command -v $p >/dev/null || skip_all "$p is not installed"
    done
    [ "$(id -u)" -eq 0 ] || skip_all "the daemons need root"
}

# need_plugins: skipped where the plugins were not built
need_plugins() {
    need_slurm
    local f
    for f in "$top_builddir"/{,job_submit/}.libs/job_submit_leafward.so; do
        [ ! -e "$f" ] || return 0
    done
    skip_all "the plugins were not built (no Slurm headers?)"
}

# cluster_up [OPTION...]: a cluster for this test, its commands in PATH
cluster_up() {
    need_slurm
    cluster_dir=$tmp/cluster
    if ! "$cluster" up "$cluster_dir" --owner $$ "$@" 2>"$tmp/up.err"; then
        sed 's/^/# /' "$tmp/up.err"
        cluster_dir=
        echo "Bail out! the cluster did not start"
        exit 1
    fi
    sed 's/^/# /' "$tmp/up.err"
    eval "$("$cluster" env "$cluster_dir")"
}

cluster_down() {
    "$cluster" down "$cluster_dir"
    cluster_dir=
}

# running PID: a zombie does not count, its parent may be slow to reap it
running() {
    local stat
    { read -r stat <"/proc/$1/stat"; } 2>/dev/null && [[ ${stat##*) } != Z* ]]
}

# until_true SECONDS COMMAND...: poll, and fail when the time is over
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.2
    done
}

# submit OPTION...: sbatch a job that sleeps an hour; prints its id
submit() {
    sbatch --parsable -o /dev/null "$@" --wrap 'exec sleep 3600'
}

# job_field JOB FIELD: one field of `scontrol show job`
job_field() {
    scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

job_state() { job_field "$1" JobState; }
job_nodes() { job_field "$1" NodeList; }

job_is() { [ "$(job_state "$1")" = "$2" ]; }

# wait_for_state JOB STATE [SECONDS]: fails, and says so, when time is over
wait_for_state() {
    until_true "${3:-30}" job_is "$1" "$2" && return
    echo "# job $1 is $(job_state "$1") ($(job_field "$1" Reason))," \
        "not $2 after ${3:-30} s"
    return 1
}

# cancel_all: an empty cluster again
cancel_all() {
    scancel --user="$(id -un)"
    until_true 30 queue_empty && until_true 30 nodes_free
}

queue_empty() { [ -z "$(squeue -h)" ]; }
nodes_free() { ! sinfo -h -N -o %t | grep -Eqv '^(idle|drain|down)'; }

# occupy NODES [OPTION...]: a job that fills exactly these nodes; prints its id
occupy() {
    local nodes=$1 job
    shift
    job=$(submit --exclusive -J occupy -w "$nodes" "$@") || return
    wait_for_state "$job" RUNNING >&2 || return
    echo "$job"
}
