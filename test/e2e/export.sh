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
record() {
    local name=$1 compiler=$2
    shift 2
    ok "$name is recorded" bash -c '"$1" -g -w "${@:4}" -o "$2" && wpp-record -q -o "$3" "$2" > /dev/null' - \
        "$compiler" "$T/$name" "$T/$name.wpp" "$@"
}
record a "$WPP_GCC" -O0 "$T/a.c"
record o "$WPP_GCC" -O2 -fno-ipa-cp "$T/a.c"
record b "$WPP_GXX" -O1 "$T/b.cc" -pthread
ok 'stacks and ranges, event by event' "$BUILD/test/unit/export" "$T/a.wpp" "$T/o.wpp" "$T/b.wpp"

# The instructions of the run; of a routine, of column 10 (inclusive) or 11 (self).
total() {
    wpp-report --format=json "$T/$1.wpp" | sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' | head -n 1
}
wpp-report --format=csv "$T/a.wpp" | tr -d '\r' > "$T/a.csv"
column() {
    awk -F , -v name="\"$1\"" -v field="$2" '/^(routine|inlined)/ && $3 == name { s += $field } END { print s }' "$T/a.csv"
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
        is "callgrind_annotate: $f itself" "$(annotated $f)" "$(column $f 11)"
    done
    is 'callgrind_annotate: work, with what was inlined' "$(annotated work)" \
        "$(($(column work 11) + $(column twice 11)))"
    ok 'with inclusive costs' callgrind_annotate --inclusive=yes --auto=no "$T/a.cg"
    is 'main has all' "$(tr -d , < "$T/out" | awk '/:main/ { print $1; exit }')" "$(total a)"
    is 'work has what it called' "$(tr -d , < "$T/out" | awk '/:work/ { print $1; exit }')" "$(column work 10)"
    like 'lines have calls' "$(callgrind_annotate --auto=yes "$T/a.cg" 2>> "$T/warnings")" \
        "$(printf '=> .*:leaf \\(210x\\)')"
    is 'no line is malformed' "$(cat "$T/warnings")" ''
else
    skip 'callgrind_annotate: valgrind is not installed'
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
is 'inclusive cost of a routine' "$(awk '/;fib/ { s += $NF } END { print s }' "$T/a.folded")" "$(column fib 10)"
is 'inlined functions are frames' "$(awk '/;work;twice / { s += $NF } END { print s }' "$T/a.folded")" \
    "$(column twice 11)"
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
is 'chrome: all calls' "$(grep -c '"ph": "X"' "$T/a.chrome")" "$(($(column leaf 8) + $(column fib 8) + $(column work 8) + 1))"
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
    like "Perfetto's trace_processor" "$("$processor" -q "$T/query.sql" "$T/a.perfetto" 2>&1)" "^$(column leaf 8)$"
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
            "$(column "${f% *}" 11) $(column "${f% *}" 10)"
    done
    go tool pprof -raw "$T/a.pprof" > "$T/raw" 2> /dev/null
    like 'an inlined function and its caller are one location' "$(grep -A 1 'M=1 twice ' "$T/raw")" '^ +work '
else
    skip 'pprof: Go is not installed'
fi

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
is 'a routine and what it called' "$(weight --routine=work "$T/a.wpp")" "$(column work 10)"
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
