#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs built to time their paths: their times agree with the clock's in size, both readers
# agree, and tools say so if there are no times.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# Sleeps and spins for times that it knows.
cat > clock.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef CONTROL
#include "tracer/control.h"
#endif
__attribute__((no_wpp)) static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
__attribute__((noipa)) static int sleeper(int ms)
{
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
    return ms;
}
__attribute__((noipa, no_wpp)) static int spin(long long end)
{
    int n = 0;
    while (now() < end)
        n++;
    return n;
}
__attribute__((noipa)) static int spinner(int ms)
{
    int n = spin(now() + ms * 1000000LL);
    return n / 2;
}
__attribute__((noipa)) static int step(int n)
{
    return n + 1;
}
static void *work(void *unused)
{
    (void)unused;
    spinner(10);
    for (int i = 0; i < 5; i++)
        sleeper(20);
    return NULL;
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (!strcmp(what, "threads")) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, work, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    } else if (!strcmp(what, "fork")) {
        work(NULL);
        if (fork() == 0) {
            sleeper(1);
            exit(0);
        }
        wait(NULL);
    } else if (!strcmp(what, "many")) {
        for (int i = 0; i < 200000; i = step(i))
            ;
    } else {
        work(NULL);
    }
#ifdef CONTROL
    wpp_stop();
    sleeper(200);
    sleeper(200);
    wpp_start();
#endif
    if (!strcmp(what, "quick"))
        quick_exit(0);
    if (!strcmp(what, "kill"))
        raise(SIGKILL);
    return 0;
}
END

# ticks FILE: what the second reader finds, by token
ticks() {
    "$BUILD/test/read-wpp" --times "$1" | tail -n +2 | awk '$2 > 0' | sort -n
}

# summed: the same of the trace's records
summed() {
    "$BUILD/test/read-trace" "$1" | sed -n 's/^TIME token=\([0-9]*\) ticks=/\1 /p' |
        awk '{ sum[$1] += $2 } END { for (t in sum) print t, sum[t] }' | sort -n
}

# seconds FILE: of all paths
seconds() {
    sed -n 's/^timed *\([0-9.]*\) s .*/\1/p' <<< "$(wpp-info "$1")"
}

# nanoseconds FILE ROUTINE: nanoseconds of its paths
nanoseconds() {
    wpp-info --format=json "$1" > info.json
    "$BUILD/test/read-wpp" --times "$1" | tail -n +2 > by-token
    "$BUILD/test/read-wpp" --text "$1" | awk -v want="$2" '$3 == want { print $2 }' | sort -un > tokens
    awk -v rate="$(sed 's/.*"ticks_per_second":\([0-9]*\).*/\1/' info.json)" '
        NR == FNR { mine[$1] = 1; next } $1 in mine { sum += $2 }
        END { printf "%.0f\n", sum / rate * 1e9 }' tokens by-token
}

# timed COMMAND...: runs it; the nanoseconds of all that to `wall`, and 2 % for the other clock
timed() {
    wall=$(date +%s%N)
    "$@"
    wall=$((($(date +%s%N) - wall) * 102 / 100))
}

# within NAME LEAST VALUE MOST
within() {
    ok "$1: $2 <= $3 <= $4" awk -v a="$2" -v x="$3" -v b="$4" 'BEGIN { exit !(a <= x && x <= b) }'
}

# ---- What is told is so ------------------------------------------------------------------
export WPP_PLUGIN_ARGS=time
for form in -O0 -O2 '-O2 -static' '-O1 -fPIC' '-O2 -flto'; do
    # shellcheck disable=SC2086
    ok "$form" "$WPP_GCC" $form -w -pthread -o clock clock.c
    rm -f trace
    timed env WPP_OUT=trace ./clock
    ok "$form: its trace" wpp-compress -f -o clock.wpp trace
    ok "$form: the readers agree" cmp <(ticks clock.wpp) <(summed trace)
    within "$form: the whole" 0.109 "$(seconds clock.wpp)" "$(awk "BEGIN { print $wall * 1e-9 }")"
    within "$form: the sleeper" 99000000 "$(nanoseconds clock.wpp sleeper)" "$wall"
    within "$form: the spinner" 9900000 "$(nanoseconds clock.wpp spinner)" "$wall"
    ok "$form: is sound" wpp-check --strict clock.wpp
done

wpp-hot --cost=time -l 1 -L 3 -n 1 clock.wpp > hot
like 'the hottest subpath sleeps' "$(cat hot)" ' sleeper '
like 'its cost is ticks' "$(cat hot)" ' ticks = '
like 'JSON names the cost' "$(wpp-hot --cost=time -l 1 --format=json clock.wpp)" '"cost": "time"'

# Costs are means in whole ticks, which 200,000 executions of a few ticks show.
ok 'short paths, many times' wpp-record -q -o means.wpp ./clock many
counted=$(wpp-info --format=json means.wpp | sed 's/.*"ticks":\([0-9]*\).*/\1/')
wpp-hot --cost=time -l 1 --format=json means.wpp > means.json
total=$(sed -n 's/.*"total_cost": \([0-9]*\),/\1/p' means.json)
is 'make up what the means do' "$total" \
    "$(wpp-hot --cost=time -l 1 -L 1 -c 1 -n 99999 --format=csv means.wpp |
        awk -F, 'NR > 1 { n += $4 } END { printf "%.0f\n", n }')"
like 'JSON tells what was counted as well' "$(cat means.json)" "\"clocked\": $counted,"
is 'and the text, when asked, where it is not the same' \
    "$(wpp-hot -v --cost=time -l 1 means.wpp | sed -n 's/^  each path costs its mean in whole ticks; the clock counted \(.*\) in all$/\1/p' | tr -d ,)" \
    "$([ "$total" = "$counted" ] || echo "$counted")"
is 'but not of a thread' "$(wpp-hot -v --cost=time -l 1 --thread=0 means.wpp | grep -c 'the clock counted')" 0

# ---- Threads, children, recorders -----------------------------------------------------------
ok 'recorded live' wpp-record -q -o live.wpp ./clock threads
within 'four threads add up' 0.43 "$(seconds live.wpp)" 600
wpp-record -q -o tree.wpp ./clock fork > /dev/null 2>&1
child=$(find tree.wpp.d -name '*.wpp' | while read -r f; do
            wpp-dump "$f" | grep -q spinner || echo "$f"; done)
ok 'a child has a file of its own' test -f "$child"
ok 'in which it sleeps' test "$(nanoseconds "$child" sleeper)" -ge 990000
is 'and its parent is not counted again' "$(nanoseconds "$child" spinner)" 0
mkfifo fifo
wpp-compress -f -o fifo.wpp fifo & WPP_OUT=fifo ./clock > /dev/null; wait $!
within 'through a FIFO' 0.109 "$(seconds fifo.wpp)" 600

# ---- A part of the run -----------------------------------------------------------------------
ok 'a program that stops recording' "$WPP_GCC" -O2 -w -pthread -DCONTROL -I"$ROOT" -o part clock.c
rm -f trace
timed env WPP_OUT=trace ./part
wpp-compress -f -o part.wpp trace
within 'what it slept meanwhile is not told' 0.109 "$(seconds part.wpp)" \
    "$(awk "BEGIN { print $wall * 1e-9 - 0.4 }")"
ok 'the readers agree' cmp <(ticks part.wpp) <(summed trace)

# Many times: added up as they come.
cat > often.c <<'END'
#include "tracer/control.h"
static volatile int n;
__attribute__((noipa)) static void step(int i) { n += i & 1 ? 1 : 2; }
int main(void)
{
    for (int i = 0; i < 3000; i++) {
        step(i);
        wpp_stop();
        wpp_start();
    }
    return 0;
}
END
ok 'a program that stops often' "$WPP_GCC" -O1 -I"$ROOT" -o often often.c
rm -f trace
WPP_OUT=trace ./often
wpp-compress -f -o often.wpp trace
ok 'the readers agree' cmp <(ticks often.wpp) <(summed trace)
is 'on times of each stop, and of the end' "$("$BUILD/test/read-trace" trace | grep -c '^TIMES')" 3001

# A second library, gone before the end.
cat > plugged.c <<'END'
int twice(int x) { volatile int n = 0; while (n < x) n++; return 2 * n; }
END
cat > plug.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *h = dlopen("./plugged.so", RTLD_NOW);
    int (*f)(int) = h ? (int (*)(int))dlsym(h, "twice") : 0;
    int got = f ? f(1000) : 0;
    return !(f && got == 2000 && dlclose(h) == 0);
}
END
ok 'a library' "$WPP_GCC" -O1 -fPIC -shared -o plugged.so plugged.c
WPP_PLUGIN_ARGS='' ok 'a program that is not timed' "$WPP_GCC" -O1 -o plug plug.c -ldl
rm -f trace
ok 'loads and closes it' env WPP_OUT=trace ./plug
wpp-compress -f -o plug.wpp trace
is 'the library alone has times' \
    "$("$BUILD/test/read-wpp" --text plug.wpp | awk '{ print $2, $3 }' | sort -u | join - <(ticks plug.wpp) |
       awk '{ print $2 }' | sort -u)" twice
run wpp-hot --cost=time -l 1 plug.wpp
is 'which wpp-hot says' "$status $(cat "$T/err")" \
    '0 wpp-hot: plug.wpp: 1 of 2 routines have no times and cost nothing here'
ok 'the readers agree' cmp <(ticks plug.wpp) <(summed trace)

# Variables in registers do not keep a routine from being timed, nor are they lost.
cat > named.c <<'END'
#include <stdio.h>
__attribute__((noipa)) static long turns(long n)
{
    register long sum __asm__("rbx") = 0;
    for (long i = 0; i < n; i++) {
        if (i & 1)
            sum += i;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}
int main(void) { printf("%ld\n", turns(300000)); }
END
ok 'a variable in a register' "$WPP_GCC" -O2 -o named named.c
rm -f trace
is 'keeps its value' "$(WPP_OUT=trace ./named)" 22500000000
wpp-compress -f -o named.wpp trace
run wpp-hot --cost=time -l 1 -n 1 named.wpp
is 'and every routine has its time' "$status $(cat "$T/err")" '0 '
like 'this one most of it' "$(cat "$T/out")" '    turns '

# ---- Where there are none ---------------------------------------------------------------------
none() {
    run wpp-hot --cost=time "$2"
    is "$1: refused" "$status $(wc -l < "$T/err")" '1 1'
    like "$1: why" "$(cat "$T/err")" 'has no times'
    is "$1: wpp-info" "$(seconds "$2")" ''
}
WPP_PLUGIN_ARGS='' "$WPP_GCC" -O2 -w -pthread -o plain clock.c
wpp-record -q -o plain.wpp ./plain > /dev/null
none 'not built for it' plain.wpp
rm -f trace
WPP_OUT=trace ./clock kill
wpp-compress -f -o killed.wpp trace
is 'a killed program' "$?" 0
none 'killed' killed.wpp
wpp-record -q -o quick.wpp ./clock quick > /dev/null
none 'left by quick_exit' quick.wpp
wpp-record -q --limit=1000 -o limit.wpp ./clock many > /dev/null
none 'the first events alone' limit.wpp
wpp-record -q --ring=4k -o ring.wpp ./clock many > /dev/null
none 'the last events alone' ring.wpp
rm -f trace
WPP_OUT=trace ./clock > /dev/null
if command -v python3 > /dev/null; then
    python3 - trace cut.trace <<'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = 0
while at + 64 <= len(data):
    kind, size = int.from_bytes(data[at+6:at+8], 'little'), int.from_bytes(data[at+8:at+12], 'little')
    if kind == 14:                      # 8 bytes less than a time, and another check
        size -= 8
        del data[at+64+size:at+64+size+8]
        data[at+8:at+12] = size.to_bytes(4, 'little')
        check = 0xcbf29ce484222325
        for byte in data[at:at+56]:
            check = (check ^ byte) * 0x100000001b3 % 2**64
        data[at+56:at+60] = (check % 2**32).to_bytes(4, 'little')
    at += 64 + (size + 3) // 4 * 4
open(sys.argv[2], 'wb').write(data)
END
    run wpp-compress -f -o cut.wpp cut.trace
    is 'times of half a record' "$status" 3
    like 'are told' "$(cat "$T/err")" 'a record of times has an impossible length'
else
    skip 'no python3 here to cut a record of times'
fi
WPP_PLUGIN_ARGS=time=1 "$WPP_GCC" -c plug.c -o plug.o 2> err
like 'no argument: time=1' "$(cat err)" 'wpp-time=1. is not understood'
done_testing
