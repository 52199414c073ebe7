# SPDX-License-Identifier: GPL-2.0-or-later
# jobs.awk - a made-up trace as CSV for `leafward simulate` and the replay
#
#   awk -v jobs=2000 -v nodes=128 -v load=0.9 -v seed=1 -v scale=600 -f jobs.awk
#
# 60 % of the jobs (small) take less than a node: 1, 2 or 4 GPUs, one in twenty
# another number. 15 % (one) take one node, the rest are gangs of 2 to 32 nodes:
# the smaller, the more of them (n to the power of -2), nine in ten (powers)
# with a power of two. Run times are between scale and 20 times that; limits up
# to three times the run time, in whole units (1 second; Slurm knows minutes).
function less_than_a_node(   u) {
    if (rand() < 0.05)
        return 3 + int(rand() * 5)
    u = rand()
    return u < 0.5 ? 1 : u < 0.75 ? 2 : 4
}
function gang(   k, p) {
    k = int(1 / (1 / 2 - rand() * (1 / 2 - 1 / 33)))
    if (rand() >= powers)
        return k
    for (p = 2; p < k; p *= 2)
        ;
    return p
}
BEGIN {
    if (!scale)
        scale = 600
    if (!unit)
        unit = 1
    if (small == "")
        small = 0.6
    if (one == "")
        one = 0.15
    if (powers == "")
        powers = 0.9
    srand(seed)
    print "submit,nodes,gpus,seconds,limit"
    for (i = 0; i < jobs; i++) {
        u = rand()
        k = 1
        g = u < small ? less_than_a_node() : 8
        if (u >= small + one) {
            k = gang()
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
