#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# etc.t - alert rules, dashboard, unit and logrotate say what they should
. "$(dirname "$0")/../tap.sh"

etc=$top_srcdir/etc
if command -v promtool >/dev/null; then
    (cd "$etc" && promtool test rules leafward.rules.test.yml) \
        >"$tmp/out" 2>&1
    ok $? "the alert rules fire when they should, and only then"
else
    skip "promtool is not installed" "the alert rules"
fi

# every metric that rules and dashboard name is one that watch writes
named=$(grep -oh 'leafward_[a-z_]*' "$etc/leafward.rules.yml" \
    "$etc/leafward.grafana.json" | sed 's/_bucket$//' | sort -u)
written=$(grep -oh 'family(b, "[a-z_]*"' \
    "$top_srcdir/topology/place/metrics.c" |
    sed 's/.*"\(.*\)"/leafward_\1/' | sort -u)
is "$(comm -23 <(echo "$named") <(echo "$written"))" "" \
    "rules and dashboard name only metrics that exist"

if command -v jq >/dev/null; then
    is "$(jq '[.panels[].id] | length - (unique | length)' \
        "$etc/leafward.grafana.json")" 0 "the dashboard is JSON, ids are unique"
else
    skip "jq is not installed" "the dashboard"
fi

# The units, with a program that is there in place of ours. verify exits with 0
# whatever it complains of, so nothing may be said.
if command -v systemd-analyze >/dev/null; then
    units=$tmp/units
    mkdir -p "$units/slurmd.service.d"
    printf '[Service]\nExecStart=/bin/true\n' >"$units/slurmd.service"
    for u in "$etc/leafward-node.service" \
        "$top_builddir/etc/leafward-watch.service" "$etc/slurmd-leafward.conf"
    do
        to=$units/${u##*/}
        [[ $u != *.conf ]] || to=$units/slurmd.service.d/leafward.conf
        sed 's,^\(ExecStart[A-Za-z]*=-\?\)[^ ]*leafward ,\1/bin/true ,' "$u" >"$to"
    done
    verify() {
        SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$@" 2>&1 |
            grep -F "$units"
    }
    is "$(verify "$units"/*.service)" "" "systemd has nothing to say to the units"
    sed -i 's/^RemainAfterExit=.*/RemainAfterExit=maybe/' \
        "$units/leafward-node.service"
    like "$(verify "$units/leafward-node.service")" maybe \
        "and would say something to a wrong one"
else
    skip "systemd-analyze is not installed" "the units"
fi

if command -v logrotate >/dev/null; then
    logrotate -d "$etc/leafward.logrotate" >"$tmp/out" 2>&1
    is "$(grep -i '^error' "$tmp/out" | grep -v 'unknown user\|missing or')" "" \
        "logrotate understands its file"
else
    skip "logrotate is not installed" "logrotate understands its file"
fi

# The programs may not be installed here, so that another one stands for them.
verify() {
    sed 's,^ExecStart=[^ ]*leafward,ExecStart=/bin/true,' "$1" >"$tmp/$2"
    timeout 60 systemd-analyze verify --man=no "$tmp/$2" 2>&1 |
        grep -F "$2" | grep -v 'Unit .* not found'
}
if command -v systemd-analyze >/dev/null; then
    is "$(verify "$etc/leafward-node.service" leafward-node.service)" "" \
        "systemd finds nothing to say about leafward-node.service"
    is "$(verify "$etc/leafward-watch.service.in" leafward-watch.service)" "" \
        "nor about leafward-watch.service"
    sed 's/^ProtectHome=/ProtectHause=/' "$etc/leafward-watch.service.in" \
        >"$tmp/broken"
    like "$(verify "$tmp/broken" leafward-broken.service)" 'ProtectHause' \
        "a wrong word would be found"
else
    skip "systemd-analyze is not installed" "the units"
fi
done_testing
