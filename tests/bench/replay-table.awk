# SPDX-License-Identifier: GPL-2.0-or-later
# replay-table.awk - the rows of `replay` as tables, and the ratios
function pct(x) {
    return sprintf("%.1f %%", 100 * x)
}

# The sums over seeds: shares weighted by gangs, waits by jobs.
function add(k) {
    runs[k]++
    jobs[k] += $4
    gangs[k] += $5
    packed[k] += $5 * $6
    time[k] += $7
    wait[k] += $4 * $8
    gang[k] += $5 * $10
    use[k] += $12
    stranded[k] += $13
    sim_packed[k] += $23 * $24
    sim_time[k] += $25
    sim_wait[k] += $4 * $26
    if ($19 > longest[k])
        longest[k] = $19
    late[k] += $20
}

{
    if (!($1 in seen))
        mixes[++nmixes] = $1
    seen[$1] = 1
    row[++n] = sprintf( \
        "%-6s %4s %-4s %5d %5d %8s %8s %7.2f %5d %7.2f %5d %7s %8s %5d %5.2f" \
            " %5d", $1, $2, $3, $4, $5, pct($6), pct($7), $8, $9, $10, $11,
        pct($12), pct($13), $19, $14, $21)
    sim[n] = sprintf("%-6s %4s %-4s %8s %8s %8s %8s %7.2f %7.2f %+6.1f %%", $1,
        $2, $3, pct($6), pct($24), pct($7), pct($25), $8, $26,
        $8 > 0 ? 100 * ($26 / $8 - 1) : 0)
    bad += $15 + $16 + $17
    add($1 "," $3)
}

function both(mix, a, b) {
    a = mix ",off"
    b = mix ",on"
    printf "%-6s packed gangs %s -> %s, by node-time %s -> %s\n", mix,
        pct(packed[a] / gangs[a]), pct(packed[b] / gangs[b]),
        pct(time[a] / runs[a]), pct(time[b] / runs[b])
    printf "       mean wait %.2f -> %.2f s (%.3f times), gangs %.2f -> %.2f s\n",
        wait[a] / jobs[a], wait[b] / jobs[b],
        wait[b] / jobs[b] / (wait[a] / jobs[a]), gang[a] / gangs[a],
        gang[b] / gangs[b]
    printf "       utilisation %s -> %s, stranded %s -> %s (%.2f times)\n",
        pct(use[a] / runs[a]), pct(use[b] / runs[b]),
        pct(stranded[a] / runs[a]), pct(stranded[b] / runs[b]),
        stranded[b] / runs[b] / (stranded[a] / runs[a])
    printf "       longest wait for locality %d s, longer than patience: %d\n",
        longest[b], late[b]
    printf "       simulated: packed %s and %s, mean wait %+.1f %% and %+.1f %%\n",
        pct(sim_packed[a] / gangs[a]), pct(sim_packed[b] / gangs[b]),
        100 * (sim_wait[a] / wait[a] - 1), 100 * (sim_wait[b] / wait[b] - 1)
}

END {
    print "mix    seed arm   jobs gangs   packed  by time    wait   95%" \
        "   gangs   95%     use stranded  loc.  over sbatch"
    for (i = 1; i <= n; i++)
        print row[i]
    print ""
    print "mix    seed arm    packed     sim.  by time     sim.    wait    sim."
    for (i = 1; i <= n; i++)
        print sim[i]
    print ""
    for (i = 1; i <= nmixes; i++)
        both(mixes[i])
    if (bad)
        print bad " jobs failed, are missing or got another number of nodes"
}
