#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# style.t - banned calls, sizes of functions and files, first lines
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

max_function=80
warn_function=45
max_file=600

# Calls that a library must not make. The compiler strips comments and leaves
# the line numbers.
banned() {
    local f compiler
    read -ra compiler <<<"${CC:-cc}"
    sources "$1" 'lib/*.c' 'topology/*.c' 'slurmapi/*.c' 'job_submit/*.c' \
        'spank/*.c' | while read -r f; do
        "${compiler[@]}" -fpreprocessed -E -w "$1/$f" | awk -v file="$f" '
            /^# [0-9]+ / { line = $2 - 1; next }
            { line++; gsub(/"([^"\\]|\\.)*"/, "\"\"") }
            /(^|[^A-Za-z0-9_.>])(v?sprintf|strcpy|strcat|strtok|atoi|popen|system|exit|abort|assert|gets)[ ]*\(/ {
                print file ":" line ": " $0 }'
    done
}

# functions ROOT: "lines file name" of every function outside the tests
functions() {
    local ctags
    ctags=$(command -v ctags-universal || command -v ctags)
    sources "$1" 'lib/*.c' 'topology/*.c' 'slurmapi/*.c' 'job_submit/*.c' \
        'spank/*.c' 'cli/*.c' |
        (cd "$1" && xargs -r "$ctags" -x --kinds-C=f --fields=+ne \
            --_xformat='%{line} %{end} %{input} %{name}') |
        awk 'NF == 4 { print $2 - $1 + 1, $3, $4 }'
}

# files ROOT: C files that are too long
long_files() {
    sources "$1" '*.[ch]' | (cd "$1" && xargs -r wc -l) |
        awk -v max=$max_file '$2 != "total" && $1 > max {
            print $2 ": " $1 " lines, at most " max }'
}

scripts() {
    sources "$1" bootstrap .ci/run '*.sh' '*.t' 'tests/cluster/*' |
        while read -r f; do
            ! head -n 1 "$1/$f" | grep -Eq '^#!.*sh$|SPDX' ||
                [[ $f == *.am ]] || echo "$f"
        done
}

# The licence on the first line (of a script, the second), and on the next
# what the file is.
first_lines() {
    local f
    sources "$1" '*.[ch]' | while read -r f; do
        head -n 2 "$1/$f" | awk -v f="$f" -v n="${f##*/}" '
            NR == 1 && !/SPDX-License-Identifier: GPL-2.0-or-later/ {
                print f ": no SPDX on the first line" }
            NR == 2 && index($0, n " - ") == 0 {
                print f ": the second line does not say what it is" }'
    done
    scripts "$1" | while read -r f; do
        head -n 4 "$1/$f" | awk -v f="$f" -v n="${f##*/}" '
            /^#!/ { next }
            /SPDX-License-Identifier: GPL-2.0-or-later/ { spdx = 1 }
            index($0, n " - ") { what = 1 }
            END { if (!spdx) print f ": no SPDX"
                  if (!what) print f ": does not say what it is" }'
    done
}

clean "$(banned "$top_srcdir")" "no library makes a banned call"
clean "$(long_files "$top_srcdir")" "no file is longer than $max_file lines"
clean "$(first_lines "$top_srcdir")" \
    "every file begins with its licence and what it is"

if ctags --version 2>/dev/null | grep -q 'Universal'; then
    functions "$top_srcdir" | sort -n >"$tmp/functions"
    clean "$(awk -v max=$max_function '$1 > max' "$tmp/functions")" \
        "no function is longer than $max_function lines"
    awk -v max=$warn_function '$1 > max { print "# long: " $0 }' \
        "$tmp/functions"
    median=$(awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }' \
        "$tmp/functions")
    [ "$median" -le 15 ]
    ok $? "the median function has at most 15 lines ($median)"
    {
        echo 'int f(void)'
        echo '{'
        yes '    ;' | head -n 90
        echo '}'
    } | bad lib/long.c
    is "$(functions "$tmp/bad")" "93 lib/long.c f" \
        "a long function would be found"
    rm "$tmp/bad/lib/long.c"
else
    skip "no Universal Ctags (Debian: universal-ctags)" "function sizes"
fi

bad lib/a.c <<'END'
/* strcpy() in a comment is fine */
const char *s = "strcpy()";
void g(char *d) { strcpy(d, s); }
END
is "$(banned "$tmp/bad" | cut -d: -f1,2)" "lib/a.c:3" \
    "a banned call would be found, in code only"
yes '' | head -n 601 | bad lib/b.c
like "$(long_files "$tmp/bad")" 'lib/b.c: 601 lines' \
    "a long file would be found"
is "$(first_lines "$tmp/bad" | grep -c 'lib/a.c')" 2 \
    "a missing licence would be found"

done_testing
