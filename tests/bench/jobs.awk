# SPDX-License-Identifier: GPL-2.0-or-later
# jobs.awk - a made-up trace as CSV for `leafward simulate` and the replay
#
#   awk -v jobs=2000 -v nodes=128 -v load=0.9 -v seed=1 -v scale=600 -f jobs.awk
#
# 45 % of the jobs (small) take less than a node, 15 % (one) take one, the rest
# are gangs of 2 to 24 nodes, half of them powers of two. Run times are between
# scale and 20 times that; limits up to three times the run time, in whole
# units (1 second; Slurm knows minutes).
BEGIN {
    if (!scale)
        scale = 600
    if (!unit)
        unit = 1
    if (small == "")
        small = 0.45
    if (one == "")
        one = 0.15
    srand(seed)
    print "submit,nodes,gpus,seconds,limit"
    for (i = 0; i < jobs; i++) {
        u = rand()
        k = 1
        g = u < small ? int(1 + rand() * 7) : 8
        if (u >= small + one) {
            k = int(exp(rand() * log(24)) + 0.999)
            if (k < 2)
                k = 2
            if (rand() < 0.5) {
                for (p = 2; p < k; p *= 2)
                    ;
                k = p
            }
            g = 8 * k
        }
        s = int(scale * exp(rand() * 3))
        limit = int((s * (1 + rand() * 2) + unit - 1) / unit) * unit
        job[i] = k "," g "," s "," limit
        work += g * s
    }
    gap = work / (nodes * 8 * load) / jobs
    for (i = 0; i < jobs; i++) {
        t -= log(1 - rand()) * gap
        print int(t) "," job[i]
    }
}
