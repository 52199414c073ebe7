#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# report-html.t - the report as one page: self-contained, safe, drawn right
. "$(dirname "$0")/../tap.sh"

day=$top_srcdir/tests/data/log/day.jsonl

runs 0 "a day as a page" "$leafward" report --format html "$day"
cp "$tmp/out" "$tmp/day.html"
like "$(head -n 1 "$tmp/day.html")" '^<!DOCTYPE html>' "is HTML"
is "$(grep -ciE '<script|<link|src=|href=|url\(|@import' "$tmp/day.html")" 0 \
    "needs no script and nothing from elsewhere"
is "$(grep -o '<figure' "$tmp/day.html" | wc -l)" \
    "$(grep -o '</figure>' "$tmp/day.html" | wc -l)" "closes its figures"
is "$(grep -o '<figure' "$tmp/day.html" | wc -l)" 8 "and has eight"
is "$(grep -o '<svg' "$tmp/day.html" | wc -l)" \
    "$(grep -o '</svg>' "$tmp/day.html" | wc -l)" "closes its pictures"
is "$(grep -E 'role="img"' "$tmp/day.html" | grep -vcE 'aria-label')" 0 \
    "every picture has a text in its place"
is "$(grep -c 'class="wide" tabindex="0"' "$tmp/day.html")" \
    "$(grep -c '<table>' "$tmp/day.html")" \
    "every table can be scrolled by the keyboard"

printf '%s\n' '{"schema":1,"@timestamp":"2030-01-01T00:00:00Z","event":"ended","job":{"id":1,"user":"<script>alert(1)</script>"},"placement":{"nnodes":2,"gpus":16,"groups":1,"fewest":1},"run":{"start":"2030-01-01T00:00:00Z","elapsed_s":60,"state":"\"><b>"}}' \
    >"$tmp/evil.jsonl"
runs 0 "names that are markup" "$leafward" report --format html \
    "$tmp/evil.jsonl"
is "$(grep -cE '<script|<b>[^0-9-]' "$tmp/out")" 0 "stay text"
: >"$tmp/empty.jsonl"
runs 0 "an empty log is a page too" "$leafward" report --format html \
    "$tmp/empty.jsonl"
like "$(tail -n 1 "$tmp/out")" '</html>$' "down to its end"

# Draw it: nothing may be wider than the window, phone or desk.
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    skip "no chromium here to draw it" "drawn at a phone's width"
    skip "no chromium here to draw it" "drawn at a desk's width"
    done_testing
    exit
fi
draw() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync \
        --user-data-dir="$tmp/profile" "$@" 2>/dev/null
}
for width in 360 1200; do
    { sed "s/<html /<html style=\"width:${width}px\" /" "$tmp/day.html"
      echo "<script>document.title = 'wide ' + Math.max(
        ...[...document.querySelectorAll('body, main > *, figure, .cards li')]
        .map(e => Math.ceil(e.getBoundingClientRect().right)))</script>"
    } >"$tmp/draw.html"
    got=$(draw --window-size=1280,1000 --dump-dom "file://$tmp/draw.html" |
        sed -n 's/.*<title>wide \([0-9]*\)<.*/\1/p')
    ok "$([ -n "$got" ] && [ "$got" -le "$width" ]; echo $?)" \
        "drawn at $width pixels nothing is wider (${got:-not drawn})"
done
draw --window-size=1280,1000 --screenshot="$tmp/page.png" \
    "file://$tmp/day.html" >/dev/null
ok "$([ "$(stat -c %s "$tmp/page.png" 2>/dev/null || echo 0)" -gt 20000 ]
    echo $?)" "and a picture of it is not empty"
done_testing
