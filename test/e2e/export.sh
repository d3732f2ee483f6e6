#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-export: each format is read by the program that it is made for, where that is installed, and says
# there what wpp-report says.  test/unit/export compares stacks and parts of runs with the run event
# by event.
. "$(dirname "$0")/lib.sh"
cd / || exit 1                     # callgrind_annotate shortens names below the current folder

cat > "$T/a.c" <<'C'
#include <stdio.h>
static volatile int sink;
static int __attribute__((noinline)) leaf(int x) { sink++; return x * 3 + 1; }
static int __attribute__((noinline)) fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static inline __attribute__((always_inline)) int twice(int x) { return leaf(x) + leaf(x + 1); }
static int __attribute__((noinline)) work(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++)
            s += twice(i + k);
    return s;
}
int main(int argc, char **argv)
{
    int s = 0;

    (void)argv;
    for (int i = 0; i < 3; i++)
        s += work(7 * argc);
    s += fib(10);
    printf("%d\n", s);
    return 0;
}
C
# Inlined code of another file, templates, exceptions, two threads, a name with signs of all formats.
cat > "$T/b.h" <<'C'
template <typename T> static inline T larger(const T &a, const T &b) { return a < b ? b : a; }
C
cat > "$T/b.cc" <<'C'
#include <thread>
#include <stdexcept>
#include "b.h"
static volatile int sink;
template <typename T> struct Box {
    T value;
    __attribute__((noinline)) bool operator<(const Box &other) const { return value < other.value; }
};
__attribute__((noinline)) static int find(int n)
{
    if (n % 7 == 3)
        throw std::runtime_error("three");
    return n;
}
__attribute__((noinline)) static void job(int n)
{
    for (int i = 0; i < n; i++)
        try {
            Box<int> a{find(i)}, b{n - i};
            sink = larger(a, b).value;
        } catch (const std::exception &) {
            sink = -1;
        }
}
extern "C" int odd_name(int) __asm__("\"a;b<c>&d'e\"");
#line 5 "o\"dd; <&>.h"
extern "C" __attribute__((noinline)) int odd_name(int n) { return n + sink; }
#line 32 "b.cc"
int main()
{
    std::thread other(job, 40);

    other.join();
    job(60);
    return odd_name(0) == 12345;
}
C
recorded a "$WPP_GCC" -O0 "$T/a.c"
recorded o "$WPP_GCC" -O2 -fno-ipa-cp "$T/a.c"
recorded b "$WPP_GXX" -O1 "$T/b.cc" -pthread
ok 'stacks and ranges, event by event' "$BUILD/test/unit/export" "$T/a.wpp" "$T/o.wpp" "$T/b.wpp"

# The instructions of the run; of a routine, of column 10 (inclusive) or 11 (self).
total() {
    instructions "$T/$1.wpp"
}
wpp-report --format=csv "$T/a.wpp" > "$T/a.csv"
field() {
    column "$T/a.csv" 'routine|inlined' "$1" "$2"
}

# ---- callgrind ------------------------------------------------------------------------------------
for name in a o b; do
    ok "$name: callgrind" wpp-export --to=callgrind -o "$T/$name.cg" "$T/$name.wpp"
    is "$name: its lines are all the instructions" "$(awk '/^calls=/ { getline; next }
        /^[0-9]+ [0-9]+$/ { s += $2 } END { print s }' "$T/$name.cg")" "$(total $name)"
done
if command -v callgrind_annotate > /dev/null; then
    # ROUTINE [OPTION]: its instructions, of all files together
    annotated() {
        callgrind_annotate --threshold=100 --auto=no --tree=none ${2-} "$T/a.cg" 2>> "$T/warnings" |
            awk -v name=":$1" '{ sub(/ \[.*/, ""); n = $1; gsub(/,/, "", n); sub(/.*:/, ":") }
                $0 == name { s += n } END { print s + 0 }'
    }
    : > "$T/warnings"
    for name in a o b; do
        is "$name: callgrind_annotate's total" "$(callgrind_annotate --auto=no "$T/$name.cg" 2>> "$T/warnings" |
            awk '/PROGRAM TOTALS/ { gsub(/,/, ""); print $1 }')" "$(total $name)"
    done
    for f in leaf fib main; do
        is "callgrind_annotate: $f itself" "$(annotated $f)" "$(field $f 11)"
    done
    is 'callgrind_annotate: work, with what was inlined' "$(annotated work)" \
        "$(($(field work 11) + $(field twice 11)))"
    ok 'with inclusive costs' callgrind_annotate --inclusive=yes --auto=no "$T/a.cg"
    is 'main has all' "$(tr -d , < "$T/out" | awk '/:main/ { print $1; exit }')" "$(total a)"
    is 'work has what it called' "$(tr -d , < "$T/out" | awk '/:work/ { print $1; exit }')" "$(field work 10)"
    like 'lines have calls' "$(callgrind_annotate --auto=yes "$T/a.cg" 2>> "$T/warnings")" \
        "$(printf '=> .*:leaf \\(210x\\)')"
    is 'no line is malformed' "$(cat "$T/warnings")" ''
else
    skip 'callgrind_annotate: valgrind is not installed'
fi
# KCachegrind gives no figures without a person, but says which routine it shows first: the dearest one of the file.
if command -v kcachegrind > /dev/null && command -v dbus-run-session > /dev/null; then
    mkdir -m 700 "$T/home"
    HOME=$T/home XDG_RUNTIME_DIR=$T/home QT_QPA_PLATFORM=offscreen dbus-run-session -- \
        sh -c 'echo $$ > "$0"; exec timeout 60 kcachegrind "$1"' "$T/kcachegrind.pid" "$T/a.cg" > "$T/kcachegrind" 2>&1 &
    session=$!
    while kill -0 $session 2> /dev/null && ! grep -q ^Selected "$T/kcachegrind"; do
        sleep 0.1
    done
    kill "$(cat "$T/kcachegrind.pid")" 2> /dev/null
    wait $session
    is 'kcachegrind shows main' "$(grep ^Selected "$T/kcachegrind" | head -n 1)" 'Selected  "main"'
else
    skip 'kcachegrind: it is not installed'
fi
like 'inlined code of another file' "$(cat "$T/b.cg")" '^f[ie]=\([0-9]+\) .*/b\.h$'
is 'an odd name is on one line' "$(grep -c "a;b<c>&d'e" "$T/b.cg")" 1
like 'branches' "$(cat "$T/a.cg")" '^jcnd=177/354 4$'

# ---- Folded stacks ----------------------------------------------------------------------------------
for name in a o b; do
    ok "$name: folded stacks" wpp-export --to=folded -o "$T/$name.folded" "$T/$name.wpp"
    is "$name: all the instructions" "$(awk '{ s += $NF } END { print s }' "$T/$name.folded")" "$(total $name)"
    is "$name: each a stack and a number" "$(grep -cvE '^[^;]+(;[^;]+)* [0-9]+$' "$T/$name.folded")" 0
done
is 'inclusive cost of a routine' "$(awk '/;fib/ { s += $NF } END { print s }' "$T/a.folded")" "$(field fib 10)"
is 'inlined functions are frames' "$(awk '/;work;twice / { s += $NF } END { print s }' "$T/a.folded")" \
    "$(field twice 11)"
is 'unless they are not wanted' "$(wpp-export --to=folded --no-inlined "$T/a.wpp" | grep -c twice)" 0
like 'a semicolon in a name' "$(cat "$T/b.folded")" ";\"a:b<c>&d'e\" "

# ---- Formats in JSON: their structure, and speedscope's schema ----------------------------------------
# npm's packages, as test/e2e/export/package-lock.json has them, once for all configurations.
modules=
if command -v npm > /dev/null; then
    lock=$ROOT/test/e2e/export/package-lock.json
    consumers=$ROOT/build/consumers-$(cksum < "$lock" | cut -d ' ' -f 1)
    if [ ! -d "$consumers" ]; then
        mkdir "$T/npm" && cp "$ROOT"/test/e2e/export/package*.json "$T/npm" &&
            (cd "$T/npm" && timeout 60 npm ci --ignore-scripts --no-audit --no-fund > "$T/npm.log" 2>&1) &&
            mv "$T/npm" "$consumers" 2> /dev/null
    fi
    [ ! -d "$consumers" ] || modules=$consumers/node_modules
fi
check_json() {
    local name=$1 format=$2

    ok "$name: $format" wpp-export --to=$format -o "$T/$name.$format" "$T/$name.wpp"
    command -v node > /dev/null || return
    is "$name: $format is all the instructions, and well formed" \
        "$(node "$ROOT/test/e2e/export/check.cjs" $format "$T/$name.$format" $modules 2>&1)" "$(total $name)"
}
for format in speedscope chrome firefox; do
    for name in a o b; do
        check_json $name $format
    done
done
command -v node > /dev/null || skip 'speedscope, chrome, firefox: no node here to read JSON'
[ -n "$modules" ] || skip "speedscope's schema: its npm package cannot be had here"
if command -v node > /dev/null; then
    ok 'a range for speedscope' wpp-export --to=speedscope --range=100:300 -o "$T/range.json" "$T/a.wpp"
    is 'has its calls in order' "$(node "$ROOT/test/e2e/export/check.cjs" speedscope "$T/range.json" $modules 2>&1)" \
        "$(wpp-export --to=callgrind --range=100:300 "$T/a.wpp" | sed -n 's/^summary: //p')"
    like 'which are these' "$(cat "$T/range.json")" '"type": "evented"'
fi
# Calls: what wpp-report counts, and the longest ones if there is a limit.
is 'chrome: all calls' "$(grep -c '"ph": "X"' "$T/a.chrome")" "$(($(field leaf 8) + $(field fib 8) + $(field work 8) + 1))"
run wpp-export --to=chrome --limit=4 "$T/a.wpp"
is 'the longest four' "$(sed -n 's/.*"ph": "X".*"name": "\([a-z]*\)".*/\1/p' "$T/out" | sort | tr '\n' ' ')" \
    'fib main work work '
like 'and that is said' "$(cat "$T/err")" 'shows the longest 4 of [0-9]+ calls'
is 'two threads' "$(grep -c '"name": "thread_name"' "$T/b.chrome")" 2

# ---- Perfetto ------------------------------------------------------------------------------------------
for name in a b; do
    ok "$name: perfetto" wpp-export --to=perfetto -o "$T/$name.perfetto" "$T/$name.wpp"
done
if command -v protoc > /dev/null; then
    decode() {
        protoc --decode=Trace -I "$ROOT/test/e2e/export" perfetto.proto < "$T/$1.perfetto"
    }
    for name in a b; do
        decode $name > "$T/$name.text"
        is "$name: all fields are known" "$(grep -cE '^ *[0-9]+[:{ ]' "$T/$name.text")" 0
        is "$name: calls are those of chrome" "$(awk '/timestamp:/ { at = $2 } /TYPE_SLICE/ { type = $2 }
            /name_iid:/ { name = $2 } /track_uuid:/ { track = $2 }
            /^}/ { if (type ~ /BEGIN/) print track, at, "B"; if (type ~ /END/) print track, at, "E"; type = "" }' "$T/$name.text" |
            awk '{ if ($3 == "B") open[$1, ++n[$1]] = $2; else print open[$1, n[$1]], $2 - open[$1, n[$1]--] }' | sort)" \
            "$(sed -n 's/.*"ts": \([0-9]*\)\.\([0-9]*\), "dur": \([0-9]*\)\.\([0-9]*\).*/\1\2 \3\4/p' "$T/$name.chrome" |
            awk '{ print $1 + 0, $2 + 0 }' | sort)"
    done
    is 'names' "$(sed -n 's/^ *name: //p' "$T/a.text" | sort | tr '\n' ' ')" '"fib" "leaf" "main" "work" '
else
    skip 'perfetto: protoc is not installed'
fi
processor=$(command -v trace_processor || command -v trace_processor_shell)
if [ -n "$processor" ]; then
    echo "select count(*) from slice where name = 'leaf';" > "$T/query.sql"
    like "Perfetto's trace_processor" "$("$processor" -q "$T/query.sql" "$T/a.perfetto" 2>&1)" "^$(field leaf 8)$"
else
    skip "trace_processor: Debian has no package of it"
fi

# ---- pprof ------------------------------------------------------------------------------------------------
for name in a o b; do
    ok "$name: pprof" wpp-export --to=pprof -o "$T/$name.pprof" "$T/$name.wpp"
    is "$name: gzip" "$(gzip -t "$T/$name.pprof" 2>&1)" ''
done
if command -v go > /dev/null && go tool pprof -help > /dev/null 2>&1; then
    export PPROF_TMPDIR=$T HOME=$T
    for name in a o b; do
        like "$name: pprof's total" "$(go tool pprof -top "$T/$name.pprof" 2> /dev/null)" \
            "Total samples = $(total $name) *$"
    done
    go tool pprof -top -nodecount=1000 -nodefraction=0 "$T/a.pprof" > "$T/top" 2> /dev/null
    for f in leaf fib work main 'twice (inline)'; do
        is "pprof: $f itself, and with what it called" \
            "$(awk -v name="$f" '{ n = $6; for (i = 7; i <= NF; i++) n = n " " $i } n == name { print $1, $4 }' "$T/top")" \
            "$(field "${f% *}" 11) $(field "${f% *}" 10)"
    done
    go tool pprof -raw "$T/a.pprof" > "$T/raw" 2> /dev/null
    like 'an inlined function and its caller are one location' "$(grep -A 1 'M=1 twice ' "$T/raw")" '^ +work '
else
    skip 'pprof: Go is not installed'
fi

# ---- speedscope itself, in a browser ------------------------------------------------------------------------
# Its importers read four formats.  (Its importer for callgrind does not end where a routine calls itself, with
# Valgrind's files, too; the one for Firefox reads older versions.)
if [ -n "$modules" ] && command -v chromium > /dev/null && [ -d "$ROOT/build/page/npm/node_modules/playwright-core" ]; then
    cp "$T/a.chrome" "$T/a-trace.json"
    timeout 100 node "$ROOT/test/e2e/export/speedscope.mjs" "$ROOT/build/page/npm" "$(command -v chromium)" "$modules/speedscope" \
        "$T/a.speedscope" "$T/a.folded" "$T/a-trace.json" "$T/a.pprof" > "$T/imported" 2>&1
    is 'speedscope has no complaints' "$(grep failed "$T/imported")" ''
    for f in fib leaf main; do
        echo $f $(field $f 10) $(field $f 11)
    done > "$T/costs"
    # A timeline's unit is the nanosecond.
    awk 'function time(n) { return n < 1000 ? n ".00ns" : sprintf("%.2f", n / 1000) "\302\265s" }
        { print $1, time($2), time($3) }' "$T/costs" > "$T/times"
    for format in a.speedscope a.folded a-trace.json a.pprof; do
        is "speedscope: total and self of routines, of $format" \
            "$(sed -n "s/^$format //p" "$T/imported" | tr -d , | awk '$3 ~ /^(fib|leaf|main)$/ { print $3, $1, $2 }' | sort)" \
            "$(cat "$T/$([ $format = a-trace.json ] && echo times || echo costs)")"
    done
else
    skip 'speedscope itself: there is no chromium here, or no npm package (make page, scripts/deps --page)'
fi

# ---- Coverage ------------------------------------------------------------------------------------------
# test/e2e/coverage.sh compares the counts with gcov's on larger programs.
cat > "$T/c.c" <<'C'
#include <stdio.h>
int unused(int a)
{
    if (a > 3)
        return 1;
    return a;
}
static int parse(const char *s)
{
    int sum = 0;
    for (; *s; s++) {
        if (*s == '+' && s[1])
            sum += 10;
        else if (*s == '-')
            sum -= 10;                          /* LCOV_EXCL_LINE */
        else
            sum++;
    }
    return sum;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("%d\n", parse(argv[i]));
    return argc > 3 ? unused(argc) : 0;
}
C
mkdir "$T/gcov"
ok 'c is built' "$WPP_GCC" -O0 -g -o "$T/c" "$T/c.c"
ok 'and recorded' wpp-record -q -o "$T/c.wpp" "$T/c" aa+b
ok 'twice' wpp-record -q -o "$T/c2.wpp" "$T/c" -x bb++
ok 'and with gcov' bash -c 'cd "$1/gcov" && gcc -O0 --coverage -o c ../c.c && ./c aa+b' - "$T"
(cd "$T/gcov" && gcov -b --json-format --stdout *.gcda 2> /dev/null > real.json)
for format in lcov gcov cobertura; do
    ok "coverage: $format" wpp-export --to=$format -o "$T/c.$format" "$T/c.wpp"
    ok "of a C++ program: $format" wpp-export --to=$format -o "$T/b.$format" "$T/b.wpp"
done
# Sums: lines and branches of FILES, as wpp-coverage has them: `14 20 9 14`.
sums() {
    wpp-coverage --format=json "$@" | tr -d '\n' | sed 's/"files".*//; s/.*"lines": {"executed": \([0-9]*\), "all": \([0-9]*\)}, "branches": {"executed": \([0-9]*\), "all": \([0-9]*\)}.*/\1 \2 \3 \4/'
}
tracefile_sums() {
    awk -F '[:,]' '/^DA:/ { n++; hit += $3 > 0 } /^BRDA:/ { b++; taken += $5 != "-" && $5 > 0 }
        END { print hit + 0, n + 0, taken + 0, b + 0 }' "$1"
}
is "lcov: wpp-coverage's sums" "$(tracefile_sums "$T/c.lcov")" "$(sums "$T/c.wpp")"
is 'of a C++ program' "$(tracefile_sums "$T/b.lcov")" "$(sums "$T/b.wpp")"
ok 'two runs' wpp-export --to=lcov -o "$T/both.lcov" "$T/c.wpp" "$T/c2.wpp"
is 'together' "$(tracefile_sums "$T/both.lcov")" "$(sums "$T/c.wpp" "$T/c2.wpp")"
is 'what marks exclude is left out' "$(grep -c '^DA:15,' "$T/c.lcov")" 0
is 'or not' "$(wpp-export --to=lcov --no-marks "$T/c.wpp" | grep -c '^DA:15,')" 1
is 'one routine' "$(wpp-export --to=lcov --routine=unused "$T/c.wpp" | grep -v '^SF' | tr '\n' ' ')" \
    'TN: FN:2,unused FNDA:0,unused FNF:1 FNH:0 BRDA:4,0,0,- BRDA:4,0,1,- BRF:2 BRH:0 DA:2,0 DA:4,0 DA:5,0 DA:6,0 LF:4 LH:0 end_of_record '
is 'a part of a run' "$(wpp-export --to=lcov --range=parse#1:+1 "$T/c.wpp" | grep '^FNDA')" \
    "$(printf 'FNDA:0,unused\nFNDA:1,parse\nFNDA:0,main')"
is 'blocks of a line from 0 on, without gaps' "$(awk -F '[:,]' '/^BRDA:/ { if ($2 != line) { line = $2; last = 0 }
    if ($3 != last && $3 != last + 1) print; last = $3 }' "$T/b.lcov" "$T/c.lcov")" ''
is 'each file once' "$(grep '^SF' "$T/b.lcov" | sort | uniq -d)" ''
ok "lcov 2.2's form" wpp-export --to=lcov --lcov=2.2 -o "$T/c.lcov2" "$T/c.wpp"
like 'has routines with names behind' "$(cat "$T/c.lcov2")" '^FNA:1,1,parse$'
like 'exceptions are marked' "$(wpp-export --to=lcov --lcov=2.2 "$T/b.wpp")" '^BRDA:[0-9]+,e[0-9]+,'
if command -v genhtml > /dev/null && command -v lcov > /dev/null; then
    for file in c.lcov b.lcov $(lcov --version | grep -q 'version [2-9]' && echo c.lcov2); do
        ok "$file: lcov reads it" lcov --rc lcov_branch_coverage=1 --summary "$T/$file"
        is "$file: and counts as we do" "$(sed -n 's/^ *\(lines\|branches\).*(\([0-9]*\) of \([0-9]*\) .*/\2 \3/p' "$T/out" "$T/err" | tr '\n' ' ')" \
            "$(tracefile_sums "$T/$file" | sed 's/$/ /')"
    done
    ok 'genhtml' genhtml -q --branch-coverage -o "$T/html" "$T/c.lcov"
    like 'shows the source' "$(cat "$T"/html/*/c.c.gcov.html "$T"/html/c.c.gcov.html 2> /dev/null)" 'int unused'
else
    skip 'lcov and genhtml are not installed'
fi
if command -v node > /dev/null; then
    # Each line and branch of a file in gcov's JSON; a routine has its own lines alone there.
    cat > "$T/gcov.cjs" <<'JS'
const fs = require('fs');
const [want, file] = process.argv.slice(2);
const json = JSON.parse(fs.readFileSync(file, 'utf8'));
if (want === '2' && json.format_version !== '2') console.log('format version', json.format_version);
for (const f of json.files.filter((x) => x.file.endsWith('c.c')))
    for (const l of f.lines) {
        if (l.line_number === 15) continue;     // it is excluded
        console.log(l.line_number, l.count, l.function_name, l.branches.map((b) => b.count).sort().join(' '));
        if (want === '2')
            for (const k of ['block_ids', 'calls', 'conditions'])
                if (!Array.isArray(l[k])) console.log('line', l.line_number, 'has no', k);
    }
for (const f of json.files.filter((x) => x.file.endsWith('c.c')).flatMap((x) => x.functions))
    console.log(f.name, f.demangled_name, f.start_line, f.execution_count);
JS
    is "gcov's JSON: lines, branches and routines" "$(node "$T/gcov.cjs" 2 "$T/c.gcov" | sort)" \
        "$(node "$T/gcov.cjs" 1 "$T/gcov/real.json" | sort)"
else
    skip "gcov's JSON: no node here to read it"
fi
ok 'compressed, as gcov does' wpp-export --to=gcov -o "$T/c.gcov.json.gz" "$T/c.wpp"
is 'is the same' "$(gunzip -c "$T/c.gcov.json.gz" | cksum)" "$(cksum < "$T/c.gcov")"
gcovr=$(command -v gcovr > /dev/null && gcovr --version | sed -n '1s/gcovr \([0-9]*\).*/\1/p')
if [ "${gcovr:-0}" -ge 8 ]; then
    mkdir "$T/gcovr" && cp "$T/c.gcov.json.gz" "$T/gcovr"
    ok 'gcovr' bash -c 'cd "$1/gcovr" && gcovr -g -r .. --json-summary - .' - "$T"
    like 'counts as we do' "$(cat "$T/out")" "\"line_covered\": $(sums "$T/c.wpp" | cut -d ' ' -f 1)"
else
    skip "gcovr: version 8 or later reads gcov's JSON of version 2, here is ${gcovr:-none}"
fi
if command -v xmllint > /dev/null; then
    ok 'cobertura is well-formed' xmllint --noout --nonet "$T/c.cobertura" "$T/b.cobertura"
    values() {
        local path
        for path; do
            xmllint --nonet --xpath "$path" "$T/c.cobertura"
            echo
        done | sed '/^$/d' | tr '\n' ' '
    }
    is 'its sums' "$(values 'string(/coverage/@lines-covered)' 'string(/coverage/@lines-valid)' \
        'string(/coverage/@branches-covered)' 'string(/coverage/@branches-valid)')" "$(sums "$T/c.wpp") "
    is 'are those of its lines' "$(values 'count(//class/lines/line[@hits > 0])' 'count(//class/lines/line)')" \
        "$(sums "$T/c.wpp" | cut -d ' ' -f 1,2) "
    is 'a condition' "$(values 'string(//class/lines/line[@number = 12]/@condition-coverage)')" '75% (3/4) '
    is 'the source is there' "$(values 'string(//source)' 'string(//class/@filename)')" "$T c.c "
else
    skip 'cobertura: xmllint is not installed'
fi
fails_with 2 'options of coverage alone' wpp-export --to=folded --lcov=2.2 "$T/a.wpp"
fails_with 2 'several files where they are not summed' wpp-export --to=folded "$T/a.wpp" "$T/b.wpp"
fails_with 1 'a routine that the program does not have' wpp-export --to=lcov --routine=nothing "$T/c.wpp"
mv "$T/c" "$T/gone"
run wpp-export --to=lcov "$T/c.wpp"
is 'a program that is gone: status' $status 3
like 'is said' "$(cat "$T/err")" 'what was not executed of .*/c is not known'
is 'unless only what was executed is wanted' "$(wpp-export --to=lcov --executed-only "$T/c.wpp" | grep -c unused)" 0
mv "$T/gone" "$T/c"

# ---- Graphs ------------------------------------------------------------------------------------------------
for name in a b; do
    ok "$name: call graph" wpp-export --to=callgraph -o "$T/$name.calls" "$T/$name.wpp"
done
ok 'flow graph' wpp-export --to=flowgraph --routine=work -o "$T/a.flow" "$T/a.wpp"
ok 'of a C++ routine' wpp-export --to=flowgraph --routine=job -o "$T/b.flow" "$T/b.wpp"
ok 'of names with all signs' wpp-export --to=flowgraph --routine="\"a;b<c>&d'e\"" -o "$T/odd.flow" "$T/b.wpp"
if command -v dot > /dev/null; then
    for name in a.calls b.calls a.flow b.flow odd.flow; do
        ok "$name: dot reads it" dot -Tsvg -o "$T/$name.svg" "$T/$name"
        is "$name: without a word" "$(cat "$T/err")" ''
    done
    ok 'as text' dot -Tplain -o "$T/plain" "$T/a.calls"
    is 'nodes are routines' "$(grep -c ^node "$T/plain")" 4
    is 'edges are calls' "$(sed -n 's/^edge \(n[0-9]* n[0-9]*\) .*\(  *"*[0-9,]*"*\) [0-9.]* [0-9.]* solid.*/\1/p' "$T/plain" | wc -l)" 4
else
    skip 'graphs: Graphviz is not installed'
fi
like 'calls of a routine' "$(cat "$T/a.calls")" '"leaf\\n.*a.c:3\\n.*\\n210 calls"'
is 'on its edges' "$(grep -c -- '-> .*label="210"' "$T/a.calls")" 1
is 'only the dearest' "$(wpp-export --to=callgraph --limit=2 "$T/a.wpp" | grep -c 'fillcolor')" 3
like 'and the others' "$(wpp-export --to=callgraph --limit=2 "$T/a.wpp")" '2 other routines'
# At -O0 blocks are gcov's; the inner loop's test is line 11.
like 'executions of a block' "$(cat "$T/a.flow")" 'a\.c:11\\n126 times'
like 'of a range' "$(wpp-export --to=flowgraph --routine=work --range=:10 "$T/a.wpp")" 'style=dashed'
like 'exceptions' "$(cat "$T/b.flow")" 'label="1[45]", color="red"'
fails_with 2 'a flow graph without routine' wpp-export --to=flowgraph "$T/a.wpp"

# ---- Parts of a run ------------------------------------------------------------------------------------
weight() {
    wpp-export --to=folded "$@" | awk '{ s += $NF } END { print s + 0 }'
}
for part in 0:100 100: 17:+0 57:58; do
    is "callgrind of events $part" \
        "$(wpp-export --to=callgrind --range=$part "$T/a.wpp" | sed -n 's/^summary: //p')" \
        "$(weight --range=$part "$T/a.wpp")"
done
is 'parts are the whole' "$(($(weight --range=:300 "$T/a.wpp") + $(weight --range=300: "$T/a.wpp")))" "$(total a)"
is 'threads are the whole' "$(($(weight --thread=0 "$T/b.wpp") + $(weight --thread=1 "$T/b.wpp")))" "$(total b)"
is 'a routine and what it called' "$(weight --routine=work "$T/a.wpp")" "$(field work 10)"
is 'a range begins with its stack' "$(wpp-export --to=folded --range=fib#5:+1 "$T/a.wpp" | grep -c '^main;fib;')" 1
run wpp-export --to=folded --limit=3 "$T/a.wpp"
is 'what is cut keeps its weight' "$(awk '{ s += $NF } END { print s }' "$T/out")" "$(total a)"
like 'and that is said' "$(cat "$T/err")" '--limit or --depth was reached$'
is 'stacks of a depth' "$(wpp-export --to=folded --depth=2 "$T/a.wpp" 2> /dev/null | grep -c 'fib;fib;fib')" 0

# ---- Refusals ----------------------------------------------------------------------------------------------
fails_with 2 'no format' wpp-export "$T/a.wpp"
fails_with 2 'no such format' wpp-export --to=svg "$T/a.wpp"
fails_with 2 'no file' wpp-export --to=folded
fails_with 2 'a limit where there is none' wpp-export --to=callgrind --limit=5 "$T/a.wpp"
fails_with 1 'no such thread' wpp-export --to=folded --thread=7 "$T/a.wpp"
fails_with 1 'no such routine' wpp-export --to=folded --routine=nothing "$T/a.wpp"
fails_with 1 'a range behind the end' wpp-export --to=folded --range=100000: "$T/a.wpp"
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    like 'no binary file on a terminal' "$(script -qec "wpp-export --to=pprof $T/a.wpp" /dev/null < /dev/null)" \
        '^wpp-export: .*pprof.*terminal'
else
    skip 'a terminal: script cannot make one here'
fi
fails_with 1 'a file that is there' wpp-export --to=folded -o "$T/a.cg" "$T/a.wpp"
ok 'but not with -f' wpp-export --to=folded -f -o "$T/a.cg" "$T/a.wpp"
fails_with 1 'no place to write to' wpp-export --to=folded -o "$T/no/where" "$T/a.wpp"
fails 'a full disk' bash -c 'wpp-export --to=folded "$1" > /dev/full' - "$T/a.wpp"
head -c 600 "$T/a.wpp" > "$T/cut.wpp"
fails 'a damaged file' wpp-export --to=folded "$T/cut.wpp"
ok 'a path profile' wpp-profile -o "$T/p.wpp" "$T/a.wpp"
fails_with 1 'has no order' wpp-export --to=folded "$T/p.wpp"
is 'but costs' "$(wpp-export --to=callgrind "$T/p.wpp" | sed -n 's/^summary: //p')" "$(total a)"
done_testing
