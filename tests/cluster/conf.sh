# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# conf.sh - the configuration of a private cluster; sourced by `cluster`,
# whose options are the variables used here

# Ports that nobody listens on, read from the kernel: no ss in a small root.
used_ports() {
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        while read -r _ addr _; do
            addr=${addr##*:}
            [[ $addr =~ ^[0-9A-F]{4}$ ]] && echo $((16#$addr))
        done
}

# Below the ephemeral range, one for slurmctld and then one a node.
choose_ports() {
    local -A used=()
    local p tries base i
    for p in $(used_ports); do used[$p]=1; done
    for tries in {1..200}; do
        base=$((12000 + (RANDOM * 32768 + RANDOM) % (20000 - nodes)))
        for ((i = 0; i <= nodes; i++)); do
            [ -z "${used[$((base + i))]:-}" ] || continue 2
        done
        port=$base
        return
    done
    die "no $((nodes + 1)) free ports in a row ($tries tries)"
}

name_of() {
    printf "node%0${names_width}d" "$1"
}

range_of() {
    if [ "$1" = "$2" ]; then
        name_of "$1"
    else
        printf "node[%0${names_width}d-%0${names_width}d]" "$1" "$2"
    fi
}

system_plugindir() {
    local d
    for d in "$slurm_root"/usr/lib/*/slurm-wlm "$slurm_root"/usr/lib/slurm \
        "$slurm_root"/usr/lib64/slurm "$slurm_root"/usr/lib/*/slurm; do
        if [ -e "$d/auth_munge.so" ]; then
            echo "${d#"$slurm_root"}"
            return
        fi
    done
    die "no Slurm plugins (auth_munge.so) below ${slurm_root:-/usr/lib}"
}

# find_plugin NAME...: the first that was built; libtool keeps it in .libs
find_plugin() {
    local f name
    for name; do
        for f in "$builddir/.libs" "$builddir/job_submit/.libs" \
            "$builddir/spank/.libs"; do
            if [ -e "$f/$name" ]; then
                echo "$f/$name"
                return
            fi
        done
    done
    return 1
}

plugins_built() {
    find_plugin job_submit_leafward.so >/dev/null
}

write_munge() {
    mkdir -m 0755 "$dir/munge"
    head -c 128 /dev/urandom >"$dir/munge/key"
    chmod 0600 "$dir/munge/key"
}

# Character devices where the kernel lets us, else plain files: slurmd only
# looks at the name.
make_gpus() {
    local i
    mkdir -p "$dir/dev"
    for ((i = 0; i < gpus; i++)); do
        mknod -m 0666 "$dir/dev/gpu$i" c 1 3 2>/dev/null ||
            : >"$dir/dev/gpu$i"
    done
}

# The nodes: one line, or one a node when some differ.
write_nodes() {
    local common i n
    local -A own=()
    common="NodeAddr=127.0.0.1 NodeHostname=localhost Sockets=2"
    common+=" CoresPerSocket=$((cpus / 2)) ThreadsPerCore=1"
    for ((i = 0; i < ${#node_sets[@]}; i += 2)); do
        for n in $(expand "${node_sets[i]}"); do
            own[$n]=${node_sets[i + 1]}
        done
    done
    local gres=
    [ "$gpus" -eq 0 ] || gres="Gres=gpu:$gpu_type:$gpus"
    if [ ${#own[@]} -eq 0 ]; then
        echo "NodeName=$nodelist Port=[$((port + 1))-$((port + nodes))]" \
            "$common RealMemory=65536 $gres State=UNKNOWN"
        return
    fi
    for ((i = 1; i <= nodes; i++)); do
        n=$(name_of "$i")
        local extra="${own[$n]:-}"
        [[ $extra == *RealMemory=* ]] || extra+=" RealMemory=65536"
        [[ $extra == *Gres=* ]] || extra+=" $gres"
        echo "NodeName=$n Port=$((port + i)) $common $extra State=UNKNOWN"
    done
}

# expand NODES: one name a line; node[001-003,007] is all that is needed, and
# scontrol would want the configuration that is being written
expand() {
    local prefix=${1%%\[*} list part i
    [[ $1 == *\[*\] ]] || {
        tr , '\n' <<<"$1"
        return
    }
    list=${1#*\[}
    for part in $(tr , ' ' <<<"${list%\]}"); do
        for ((i = 10#${part%-*}; i <= 10#${part#*-}; i++)); do
            printf "%s%0${names_width}d\n" "$prefix" "$i"
        done
    done
}

# gres.conf from the Gres= of each node line, so that counts may differ.
write_gres() {
    local name type count item items
    echo "AutoDetect=off"
    while read -r line; do
        [[ $line =~ NodeName=([^ ]+).*\ Gres=([^ ]+) ]] || continue
        name=${BASH_REMATCH[1]}
        IFS=, read -ra items <<<"${BASH_REMATCH[2]}"
        local first=0
        for item in "${items[@]}"; do
            [[ $item =~ ^gpu:([^:]+):([0-9]+)$ ]] || continue
            type=${BASH_REMATCH[1]} count=${BASH_REMATCH[2]}
            [ "$count" -gt 0 ] || continue
            echo "NodeName=$name Name=gpu Type=$type" \
                "File=$dir/dev/gpu[$first-$((first + count - 1))]"
            first=$((first + count))
        done
        for ((; gpus < first; gpus++)); do
            : >"$dir/dev/gpu$gpus"
        done
    done <"$dir/etc/nodes.conf"
}

write_tree() {
    local k first=1 last
    for ((k = 1; k <= groups; k++)); do
        last=$((nodes * k / groups))
        echo "SwitchName=leaf$k Nodes=$(range_of $first $last)"
        first=$((last + 1))
    done
    [ "$groups" -eq 1 ] || echo "SwitchName=root Switches=leaf[1-$groups]"
}

write_block() {
    local k first=1 last size=$((nodes / groups))
    for ((k = 1; k <= groups; k++)); do
        last=$((nodes * k / groups))
        echo "BlockName=block$k Nodes=$(range_of $first $last)"
        first=$((last + 1))
    done
    echo "BlockSizes=$size"
}

write_topology() {
    if [ -n "$topology" ]; then
        cp "$topology" "$dir/etc/topology.conf"
        return
    fi
    case $topology_plugin in
    tree) write_tree >"$dir/etc/topology.conf" ;;
    block) write_block >"$dir/etc/topology.conf" ;;
    esac
}

topology_line() {
    case $topology_plugin in
    tree | block) echo "TopologyPlugin=topology/$topology_plugin" ;;
    flat)
        if at_least 25 05; then
            echo "TopologyPlugin=topology/flat"
        else
            echo "TopologyPlugin=topology/none"
        fi
        ;;
    esac
}

# Daemons listen on the loopback address only, if this host's name leads there.
loopback_only() {
    local addr root=()
    [ -z "$slurm_root" ] || root=(chroot "$slurm_root")
    addr=$("${root[@]}" getent hosts "$(uname -n)" 2>/dev/null) || return 0
    case $addr in
    127.*) echo "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny" ;;
    esac
}

write_slurm() {
    local user host line sched=max_switch_wait=86400,sched_interval=2
    sched+=,bf_interval=2,batch_sched_delay=0,sched_min_interval=10000
    user=$(id -un)
    host=$(uname -n)
    for line in "${conf[@]}"; do
        [[ $line == SchedulerParameters=* ]] && sched=${line#*=},$sched
    done
    # 22.05 has no way to be told that there are no cgroups; the later ones
    # look for them unless told.
    ! at_least 23 02 || echo CgroupPlugin=disabled >"$dir/etc/cgroup.conf"
    cat <<END
ClusterName=leafward
SlurmctldHost=${host%%.*}(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$slurm_user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
SlurmctldDebug=verbose
SlurmdDebug=info
DebugFlags=NO_CONF_HASH
PlugStackConfig=$dir/etc/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/$task_plugin
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=$sched
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=60
SlurmdTimeout=600
MessageTimeout=30
KillWait=2
MinJobAge=600
InactiveLimit=0
$(loopback_only)
$(topology_line)
$([ "$gpus" -eq 0 ] || echo GresTypes=gpu)
include $dir/etc/plugins.conf
include $dir/etc/nodes.conf
$(printf '%s\n' "${conf[@]}" | grep -v '^SchedulerParameters=')
$(printf '%s\n' "${conf[@]}" | grep -q '^PartitionName=' ||
    echo "PartitionName=main Nodes=$nodelist Default=YES" \
        "MaxTime=INFINITE State=UP")
END
}

write_leafward() {
    mkdir -p "$dir/leafward" "$dir/inventory"
    cat <<END
[leafward]
map = $dir/leafward/map.json
state = $dir/leafward/state.json
log = $dir/leafward/placement.jsonl

[node]
inventory = $dir/inventory/%n.json
END
    printf '%s\n' "${leafward[@]}"
}

# Which plugins the daemons and commands load from now on.
write_plugins() {
    local dirs spank
    dirs=$(system_plugindir)
    : >"$dir/etc/plugstack.conf"
    if [ "$plugins" = on ]; then
        dirs="$(dirname "$(find_plugin job_submit_leafward.so)"):$dirs"
        echo JobSubmitPlugins=leafward
        if spank=$(find_plugin spank_leafward.so leafward.so); then
            echo "optional $spank" >"$dir/etc/plugstack.conf"
        fi
    fi
    echo "PluginDir=$dirs"
}

write_configuration() {
    write_munge
    mkdir -p "$dir"/{etc,log,state,spool}
    printf '%s\n' "${daemon_env[@]}" | grep . >"$dir/etc/daemon.env" || true
    make_gpus
    write_nodes >"$dir/etc/nodes.conf"
    write_gres >"$dir/etc/gres.conf"
    write_plugins >"$dir/etc/plugins.conf"
    write_topology
    write_leafward >"$dir/etc/leafward.conf"
    write_slurm >"$dir/etc/slurm.conf"
    chmod 0644 "$dir"/etc/*
    # The placement log and the state are written by whoever runs the daemons.
    chmod 0755 "$dir" "$dir"/*/
    chmod 0700 "$dir/state"
    [ "$slurm_user" = "$(id -un)" ] ||
        chown "$slurm_user:" "$dir"/{log,run,state,leafward}
}
