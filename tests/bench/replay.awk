# SPDX-License-Identifier: GPL-2.0-or-later
# replay.awk - one row of numbers from Slurm's job completion log
#
#   awk -v csv=jobs.csv -v warm=0.2 -f replay.awk JOBCOMP
#
# Times come from the log, sizes and run times from the trace: job N of it was
# submitted with the name N. Jobs submitted in the first part (warm) of the
# trace are left out, and the time after the last submission. Prints a header
# and one line of CSV; with -v runs=FILE also the runs as they were, as CSV
# for `leafward simulate`.
BEGIN {
    FS = ","
    while ((getline <csv) > 0) {
        if ($1 == "submit")
            continue
        n++
        at[n] = $1
        nodes[n] = $2
        each[n] = $3 / $2
        asked[n] = $4
        limit[n] = $5
    }
    FS = " "
}

# Days of the calendar, for a difference of local times; the hour that a clock
# change takes would be wrong, and nothing else.
function seconds(text, p, y, m) {
    split(text, p, /[-T:]/)
    y = p[1] - (p[2] < 3)
    m = p[2] + (p[2] < 3 ? 12 : 0)
    return (365 * y + int(y / 4) - int(y / 100) + int(y / 400) + \
            int((153 * m - 457) / 5) + p[3]) * 86400 + \
           p[4] * 3600 + p[5] * 60 + p[6]
}

# Fill at_node[] with the numbers of a host list of node[..].
function expand(text, parts, range, i, k, n) {
    gsub(/node|\[|\]/, "", text)
    n = split(text, parts, ",")
    width = 0
    for (i = 1; i <= n; i++) {
        if (split(parts[i], range, "-") == 1)
            range[2] = range[1]
        for (k = range[1] + 0; k <= range[2] + 0; k++)
            at_node[++width] = k
    }
}

{
    for (i = 1; i <= NF; i++) {
        p = index($i, "=")
        f[substr($i, 1, p - 1)] = substr($i, p + 1)
    }
    j = f["Name"] + 0
    if (f["JobState"] != "COMPLETED") {
        failed++
        next
    }
    submit[j] = seconds(f["SubmitTime"])
    start[j] = seconds(f["StartTime"])
    end[j] = seconds(f["EndTime"])
    expand(f["NodeList"])
    list[j] = ""
    split("", seen)
    groups[j] = 0
    for (i = 1; i <= width; i++) {
        list[j] = list[j] " " at_node[i]
        g = int((at_node[i] - 1) / 16)
        groups[j] += !(g in seen)
        seen[g] = 1
    }
    if (width != nodes[j])
        odd++
    if (!first || submit[j] < first)
        first = submit[j]
    if (submit[j] > last)
        last = submit[j]
}

function quantile(v, count, share, i, k, t) {
    for (i = 2; i <= count; i++) {
        t = v[i]
        for (k = i; k > 1 && v[k - 1] > t; k--)
            v[k] = v[k - 1]
        v[k] = t
    }
    k = int(count * share + 0.999999)
    return count ? v[k < 1 ? 1 : k] : 0
}

# GPU seconds of the window: used, and idle on partly used nodes. Whole
# seconds, node by node.
function integrate(from, to, j, i, m, t, p, use) {
    for (j in submit) {
        m = split(list[j], p, " ")
        for (i = 1; i <= m; i++)
            for (t = start[j] > from ? start[j] : from; t < end[j] && t < to;
                 t++)
                use[p[i], t - from] += each[j]
    }
    for (i in use) {
        used += use[i]
        stranded += use[i] < 8 ? 8 - use[i] : 0
    }
    idle = 128 * 8 * (to - from) - used
}

END {
    if (runs)
        print "submit,nodes,gpus,seconds,limit" >runs
    from = first + warm * (last - first)
    for (j in submit) {
        over += end[j] - start[j] - asked[j]
        done++
        if (runs)
            print submit[j] - first "," nodes[j] "," each[j] * nodes[j] "," \
                end[j] - start[j] "," limit[j] >runs
        if (submit[j] < from)
            continue
        w = start[j] - submit[j]
        wait += w
        waits[++jobs] = w
        if (nodes[j] < 2)
            continue
        gang_wait += w
        gang_waits[++gangs] = w
        time = (end[j] - start[j]) * nodes[j]
        all_time += time
        if (groups[j] <= int((nodes[j] + 15) / 16)) {
            packed++
            packed_time += time
        }
    }
    integrate(int(from), last)
    print "jobs,gangs,packed,packed_time,wait,wait95,gang_wait,gang_wait95," \
        "use,stranded,overhead,failed,odd,missing"
    printf "%d,%d,%.4f,%.4f,%.2f,%d,%.2f,%d,%.4f,%.4f,%.2f,%d,%d,%d\n",
        jobs, gangs, packed / (gangs ? gangs : 1),
        packed_time / (all_time ? all_time : 1), wait / (jobs ? jobs : 1),
        quantile(waits, jobs, 0.95), gang_wait / (gangs ? gangs : 1),
        quantile(gang_waits, gangs, 0.95),
        used / (128 * 8 * (last - int(from))), stranded / (idle ? idle : 1),
        over / (done ? done : 1), failed, odd, n - done
}
