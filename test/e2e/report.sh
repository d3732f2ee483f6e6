#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-report on programs with known figures.  For real kinds of control flow, its figures are
# compared with the run event by event (test/unit/parts, test/unit/call-tree).
. "$(dirname "$0")/lib.sh"

cat > "$T/a.c" <<'C'
#include <stdio.h>
static volatile int sink;
static int __attribute__((noinline)) leaf(int x) { sink++; return x * 3 + 1; }
static int __attribute__((noinline)) fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int __attribute__((noinline)) even(int n);
static int __attribute__((noinline)) odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int __attribute__((noinline)) even(int n) { return n == 0 ? leaf(1) : odd(n - 1); }
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
    s += fib(10) + even(20);
    printf("%d\n", s);
    return 0;
}
C
record() {
    recorded "$@"
    ok "$1: each event is in its activation" "$BUILD/test/unit/call-tree" "$T/$1.wpp"
    ok "$1: inclusive costs are the run's" "$BUILD/test/unit/parts" "$T/$1.wpp"
}
field() {
    column "$T/a.csv" routine "$1" "$2"
}

for level in -O0 -O2; do
    record a "$WPP_GCC" $level -fno-ipa-cp -fno-optimize-sibling-calls "$T/a.c"
    wpp-report --format=csv "$T/a.wpp" > "$T/a.csv"
    is "$level: calls" "$(for f in main work fib leaf even odd; do field $f 8; done | tr '\n' ' ')" \
        '1 3 177 211 11 10 '
    is "$level: main has all" "$(field main 10)" "$(instructions "$T/a.wpp")"
    is "$level: self costs are all" "$(awk -F , '$1 == "routine" || $1 == "inlined" { s += $11 }
        END { print s }' "$T/a.csv")" "$(field main 10)"
    is "$level: recursion counts once" "$(awk -v a="$(field fib 10)" -v b="$(field fib 11)" \
        'BEGIN { print a == b }')" 1
    is "$level: mutual recursion, too" "$(awk -v even="$(field even 10)" -v odd="$(field odd 10)" \
        -v self="$(field even 11)" -v leaf="$(field leaf 11)" \
        'BEGIN { print (odd < even && even < odd + self) }')" 1
done
like 'an inlined function has a row' "$(wpp-report "$T/a.wpp")" \
    '^ +[0-9.]+ % +[0-9.]+ % +105 +twice \[inlined\] .*/a\.c:8$'

# Loops within inlined code, some of whose blocks have no lines, are no arrivals.
cat > "$T/scan.c" <<'C'
static int v[64], w[64];
static inline __attribute__((always_inline)) int part(int *p, int lo, int hi, int med)
{
    int a = lo, b = hi, l = lo, h = hi, n;

    while (1) {
        while (1) {
            if (a > b)
                break;
            n = w[p[a] & 63] - med;
            if (n == 0) {
                int t = p[a]; p[a] = p[l]; p[l] = t;
                l++; a++;
                continue;
            }
            if (n > 0)
                break;
            a++;
        }
        while (1) {
            if (a > b)
                break;
            n = w[p[b] & 63] - med;
            if (n == 0) {
                int t = p[b]; p[b] = p[h]; p[h] = t;
                h--; b--;
                continue;
            }
            if (n < 0)
                break;
            b--;
        }
        if (a > b)
            break;
        int t = p[a]; p[a] = p[b]; p[b] = t;
        a++; b--;
    }
    return l + h;
}
int main(int argc, char **argv)
{
    int s = 0;

    (void)argv;
    for (int i = 0; i < 64; i++) {
        v[i] = i * 29 % 64;
        w[i] = i * 7 % 13;
    }
    for (int i = 0; i < 7 * argc; i++)
        s += part(v, i, 63 - i, i);
    return s == 0;
}
C
for level in -O0 -O1 -O2 -O3; do
    record scan "$WPP_GCC" $level "$T/scan.c"
    is "$level: arrivals at inlined code" "$(wpp-report --routines "$T/scan.wpp" |
        awk '$6 == "part" { print $5 }')" 7
done

# Iterations as the source says them.
"$WPP_GCC" -g -O0 "$T/a.c" -o "$T/a" && rm "$T/a.wpp" && wpp-record -q -o "$T/a.wpp" "$T/a" > /dev/null
loops=$(wpp-report --loops "$T/a.wpp" | sed -n 's,^ *[0-9.]* % *\([0-9]*\) *\([0-9]*\) *\([0-9.]*\)  \([a-z]*\) .*:\([0-9-]*\)$,\4 \5 \1 \2 \3,p' | sort)
is 'loops: entries, iterations, iterations per entry' "$loops" \
'main 23-24 1 3 3
work 13-15 3 21 7
work 14-15 21 105 5'
wpp-report --lines --format=csv "$T/a.wpp" |
    sed -n 's/^line,,,,".*a\.c",\([0-9]*\),,\([0-9]*\),.*/\1 \2/p' | sort > "$T/lines"
is 'lines: executions' "$(wc -l < "$T/lines") $(wpp-dump --executions "$T/a.wpp" |
    sed 's/.*a\.c:\([0-9]*\) \([0-9]*\)$/\1 \2/' | sort | comm -23 "$T/lines" -)" '13 '

# Trees.
tree() {
    wpp-report "$@" "$T/a.wpp" | sed -n '4,$s/^ *[0-9.]* %\( *[0-9.]* %\)\{0,1\} *\([0-9,]*\) \( *[a-z()]*\).*/\2\3/p'
}
is '--tree' "$(tree --tree --min-share=0 --depth=4 | head -n 4)" \
'1 main
3   work
210     leaf
1   fib'
is '--caller' "$(tree --caller=even --depth=3 --min-share=0)" \
'1 even
1   odd
1     even'
is '--callee' "$(tree --callee=leaf --min-share=0 | head -n 7)" \
'211 leaf
210   work
210     main
210       (no
1   even
1     odd
1       even'
like 'and what is left out is said' "$(wpp-report --callee=leaf --min-share=0 "$T/a.wpp")" \
    '  1 smaller or deeper call is left out'
is 'a routine that costs little has callers, too' "$(tree --callee=leaf | head -n 2)" \
'211 leaf
210   work'
is '--callee counts the outermost' "$(tree --callee=fib --min-share=0)" \
'1 fib
1   main
1     (no'
fails 'a routine that was not executed' wpp-report --caller=nobody "$T/a.wpp"
fails 'nor one that was inlined' wpp-report --callee=twice "$T/a.wpp"

# What people mistype.
fails_with 2 'a sort that there is not' wpp-report --sort=size "$T/a.wpp"
fails_with 2 'a share above all' wpp-report --min-share=101 "$T/a.wpp"
fails_with 2 'no depth' wpp-report --depth=0 "$T/a.wpp"
fails_with 2 'both directions' wpp-report --caller=main --callee=main "$T/a.wpp"
fails_with 2 'no file' wpp-report
fails 'a thread that there is not' wpp-report --thread=1 "$T/a.wpp"
printf '\1\0\0\0\2\0\0\0' | wpp-compress -q --raw -f -o "$T/raw.wpp" - 2> "$T/err"
fails 'plain symbols have no routines' wpp-report "$T/raw.wpp"
is '--sort=name' "$(wpp-report --routines --sort=name "$T/a.wpp" | awk '$2 == "%" { print $6 }' | tr '\n' ' ')" \
    'even fib leaf main odd twice work '
is '--sort=calls, --top' "$(wpp-report --routines --sort=calls --top=2 "$T/a.wpp" |
    awk '$2 == "%" { print $6 }' | tr '\n' ' ')" 'leaf fib '
like 'and what is left out is said' "$(wpp-report --routines --top=2 "$T/a.wpp")" 'and 5 more routines \(--top=7'
if command -v python3 > /dev/null; then
    ok 'json is json' bash -c 'wpp-report --format=json "$1" | python3 -m json.tool > /dev/null &&
        wpp-report --tree --format=json "$1" | python3 -m json.tool > /dev/null' - "$T/a.wpp"
else
    skip 'json is json: no python3'
fi
if command -v script > /dev/null; then
    script -qec "stty cols 80; wpp-report --color=never $T/a.wpp" /dev/null > "$T/narrow"
    is 'no line is wider than the terminal' "$(tr -d '\r' < "$T/narrow" | awk 'length > 80')" ''
else
    skip 'the width of a terminal: script is not installed'
fi

# Threads: together they are all.
cat > "$T/threads.c" <<'C'
#include <pthread.h>
static int __attribute__((noinline)) step(int x) { return x % 7 ? x / 2 : x + 3; }
static void *run(void *p) { long n = (long)p; int s = 0; while (n--) s += step(s + n); return (void *)(long)s; }
int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, run, (void *)(100 * i + 100));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
C
record threads "$WPP_GCC" -O1 -pthread "$T/threads.c"
is 'a thread alone' "$(for k in 0 1 2 3; do wpp-report --routines --format=csv --thread=$k "$T/threads.wpp" |
    awk -F , '$3 == "\"step\"" { s += $8 } END { print s + 0 }'; done | sort -n | tr '\n' ' ')" '0 100 200 300 '

like 'which the heading says' "$(wpp-report --thread=1 "$T/threads.wpp" | sed -n 2p)" ' paths, thread 1 alone$'

# Exceptions, longjmp, signals, switched stacks: on both sides of an activation's end.
cat > "$T/throws.cc" <<'C'
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
static int deep(int n, int k) { if (n == 0) { if (k % 3 == 0) throw std::runtime_error("x"); return k; } return deep(n - 1, k) + 1; }
static int tries(int k) { try { return deep(k % 5, k); } catch (std::exception &) { return -1; } }
struct guard { int &n; ~guard() { n++; } };
static int passes(int k, int &n) { guard g{n}; return deep(2, k); }
int main()
{
    std::map<std::string, int> m;
    int n = 0;

    for (int i = 0; i < 200; i++) {
        m["k" + std::to_string(i % 17)] += tries(i);
        try { m["p"] += passes(i, n); } catch (...) { m["c"]++; }
    }
    return m.size() == 19 && n == 200 ? 0 : 1;
}
C
for level in -O0 -O2 -O3; do
    record throws "$WPP_GXX" $level "$T/throws.cc"
done
cat > "$T/jumps.c" <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
static jmp_buf out[4];
static int caught;
static void __attribute__((noinline)) down(int n, int to) { if (n == 0) longjmp(out[to], 1); down(n - 1, to); }
static int __attribute__((noinline)) tries(int level) {
    if (setjmp(out[level]))
        return level;
    if (level < 3)
        return tries(level + 1);
    down(5, rand() % 4);
    return -1;
}
static void handler(int s) { caught += s; }
static ucontext_t here, there;
static char stack[65536];
static void other(void) { for (int i = 0; i < 5; i++) { caught++; swapcontext(&there, &here); } }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
    int v[50];

    signal(SIGUSR1, handler);
    for (int i = 0; i < 40; i++) {
        tries(0);
        if (i % 7 == 0)
            raise(SIGUSR1);
    }
    for (int i = 0; i < 50; i++)
        v[i] = rand() % 100;
    qsort(v, 50, sizeof *v, compare);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other, 0);
    for (int i = 0; i < 5; i++)
        swapcontext(&here, &there);
    return 0;
}
C
for level in -O0 -O2; do
    record jumps "$WPP_GCC" $level "$T/jumps.c"
done
done_testing
