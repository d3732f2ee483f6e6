# SPDX-License-Identifier: MIT
# wpp-dump: events, lines, tokens and routines of small programs whose execution is known
# otherwise.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# record NAME [OPTION...]: builds NAME.c without optimisation, runs it, leaves NAME.wpp.
record() {
    local name=$1

    shift
    "$WPP_GCC" -O0 -g -w "$name.c" -o "$name" "$@" &&
        { WPP_OUT=$name.trace ./"$name" > /dev/null; wpp-compress -o "$name.wpp" "$name.trace"; }
}

# ---- Calls and returns, as GCC's own instrumentation tells them -------------
cat > calls.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static void nothing(void) {}
static void (*volatile indirect)(void) = nothing;
int main(void)
{
    int v[] = {5, 3, 8, 1, 9, 2, 7}, sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += fib(i) + even(i);
        if (i % 3 == 0)
            indirect();
    }
    qsort(v, 7, sizeof *v, compare);
    printf("%d\n", sum + v[3]);
    return 0;
}
END_C
cat > told.c <<'END_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#define QUIET __attribute__((no_instrument_function))
static int depth;
QUIET static void tell(const char *what, void *routine)
{
    Dl_info info;
    if (dladdr(routine, &info) && info.dli_sname)
        fprintf(stderr, "%*s%s %s\n", 2 * depth, "", what, info.dli_sname);
}
QUIET void __cyg_profile_func_enter(void *routine, void *site)
{
    tell("EnterRoutine", routine);
    depth++;
}
QUIET void __cyg_profile_func_exit(void *routine, void *site)
{
    depth--;
    tell("LeaveRoutine", routine);
}
END_C
ok 'a program is recorded' record calls
gcc -O0 -w -finstrument-functions '-Dstatic=' calls.c -c -o calls.told.o &&
    gcc -O0 -w -rdynamic calls.told.o told.c -o calls.told -ldl && ./calls.told > /dev/null 2> calls.want
wpp-dump calls.wpp | grep -v -e EnterThread -e NewPath > calls.got
is 'there is much to compare' "$([ "$(wc -l < calls.want)" -gt 300 ] && echo yes)" yes
same 'routines are entered and left as -finstrument-functions says' calls.want calls.got
like 'a thread begins with its number and name' "$(wpp-dump calls.wpp | head -n 1)" '^EnterThread 0 calls$'

# ---- Who called whom, from the same ------------------------------------------------
# callers: of EnterRoutines, indented by depth.
callers() {
    awk '{ depth = match($0, /[^ ]/) - 1 }
         $1 == "EnterRoutine" { name[depth] = $2
                                calls[(depth ? name[depth - 2] : "-") " -> " $2]++ }
         END { for (pair in calls) print calls[pair], pair }' "$1" | sort
}
# calls_of FILE [OPTION...]: the same by wpp-dump.
calls_of() {
    wpp-dump --calls "$@" | sed 's/^ *//; s/  */ /' | sort
}
callers calls.want > want
calls_of calls.wpp > got
same 'calls are those of -finstrument-functions' want got
is 'the most frequent are first' "$(wpp-dump --calls calls.wpp | awk '{ print $1 }')" \
    "$(awk '{ print $1 }' want | sort -rn)"
wpp-dump calls.wpp --range=40:90 | grep -v '# earlier' > part
is 'in a range only its own' "$(calls_of --range=40:90 calls.wpp | awk '{ n += $1 } END { print n }')" \
    "$(grep -c EnterRoutine part)"

# ---- Ranges and tokens ------------------------------------------------------
wpp-dump calls.wpp | grep NewPath | sed 's/^ *//' > paths
n=$(wc -l < paths)
for range in 0:1 0:$n 17:18 100:250 $((n - 3)):$n; do
    a=${range%:*} b=${range#*:}
    wpp-dump --range="$range" calls.wpp | grep NewPath | sed 's/^ *//' > got
    sed -n "$((a + 1)),${b}p" paths > want
    same "events $range are those of the whole" want got
done
wpp-dump --tokens calls.wpp > tokens
is 'tokens are 4 bytes each' "$(stat -c %s tokens)" $((4 * n))
wpp-dump --tokens --range=10:20 calls.wpp > got
tail -c +41 tokens | head -c 40 > want
same 'tokens of a range' want got
wpp-dump --tokens --range=$((n - 5)): calls.wpp > got
tail -c 20 tokens > want
same 'an open range goes to the end' want got
for range in 17:+1 100:+150 $((n - 3)):+99 0:+0; do
    a=${range%:*} b=${range#*+}
    wpp-dump --range="$range" calls.wpp | grep NewPath | sed 's/^ *//' > got
    tail -n +$((a + 1)) paths | head -n "$b" > want
    same "events $range are so many" want got
done
for range in -1: -5: -$n: -$((n + 9)): -9:-3 3:-9 -7:+2 -$((n + 9)):+4; do
    wpp-dump --range="$range" calls.wpp | grep NewPath | sed 's/^ *//' > got
    case $range in
    *:+*) tail -n "$(echo "${range%:*}" | tr -d -)" paths | head -n "${range#*+}" ;;
    3:*)  tail -n +4 paths | head -n -9 ;;
    *:-*) tail -n 9 paths | head -n -3 ;;
    *)    tail -n "$(echo "$range" | tr -d -- -:)" paths ;;
    esac > want
    same "events $range count from the end" want got
done
fails_with 2 'a range that ends before it begins' wpp-dump --range=-3:-9 calls.wpp
is 'a range behind the end is empty' "$(wpp-dump --tokens --range=$n: calls.wpp | wc -c)" 0
like 'a range tells what had begun earlier' \
    "$(wpp-dump --range=100:150 calls.wpp)" 'EnterRoutine [a-z]+  # earlier'

# ---- Lines, written down ----------------------------------------------------
cat > lines.c <<'END_C'
int g;
int callee(int n)
{
    g += n;
    return g;
}
int main(void)
{
    int i;
    for (i = 0; i < 2; i++)
        if (i == 1)
            g = callee(i) +
                callee(2);
        else
            g = 10;
    return g == 3;
}
END_C
record lines
is 'lines as executed' "$(wpp-dump --lines lines.wpp | sed 's/.*://' | paste -sd' ')" \
    '7 10 11 15 10 11 12 2 4 5 13 2 4 5 12 10 16'
is 'lines name their file' "$(wpp-dump --lines lines.wpp | sed 's/:.*//' | sort -u)" lines.c

# ---- Ways out that are no returns -------------------------------------------
cat > jump.c <<'END_C'
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf env;
static void inner(int n) { if (n == 0) longjmp(env, 1); inner(n - 1); }
static void outer(void) { inner(2); }
int main(void)
{
    if (setjmp(env) == 0)
        outer();
    exit(0);
}
END_C
record jump
is 'activations that longjmp ended leave where it arrives' \
    "$(wpp-dump jump.wpp | sed -n 's/^ *\(LeaveRoutine .*\)/\1/p' | sed 's/  # / # /' | paste -sd,)" \
    'LeaveRoutine inner # not by returning,LeaveRoutine inner # not by returning,LeaveRoutine inner # not by returning,LeaveRoutine outer # not by returning,LeaveRoutine main # at the end'
ok 'the jump is no contradiction' wpp-check --strict jump.wpp

# ---- Threads ----------------------------------------------------------------
cat > threads.c <<'END_C'
#include <pthread.h>
static void *work(void *n) { for (volatile long i = 0; i < (long)n; i++); return 0; }
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++) {
        pthread_create(&t[i], 0, work, (void *)(i * 10 + 5));
        pthread_join(t[i], 0);
    }
    return 0;
}
END_C
record threads -pthread
like 'calls of all threads' "$(calls_of threads.wpp)" '^2 - -> work$'
is 'or of one' "$(calls_of --thread=0 threads.wpp | grep -c work)" 0
is 'each thread is entered once' "$(wpp-dump threads.wpp | grep -c EnterThread)" 3
for i in 0 1 2; do
    wpp-dump --thread=$i threads.wpp
done > got
wpp-dump threads.wpp > want
same 'the threads one by one are the whole' want got
is 'a thread does what it was told' "$(wpp-dump --thread=2 threads.wpp | grep -c NewPath)" 16
printf '\1\0\0\0\2\0\0\0' | wpp-compress --symbols -o plain.wpp -
for view in lines line-counts routines; do
    fails_with 1 "plain symbols: --$view" wpp-dump --$view plain.wpp
    like 'says why there is nothing' "$(cat "$T/err")" \
        '^wpp-dump: plain\.wpp has no (source lines|routines): it holds plain symbols$'
    is 'and nothing else' "$(cat "$T/out")" ''
done
is 'a range without a thread is of the first one' "$(wpp-dump --range=0:1 threads.wpp)" \
    "$(wpp-dump --range=0:1 --thread=0 threads.wpp)"
fails_with 2 'a range that is none' wpp-dump --range=a:b threads.wpp
like 'is said to be none' "$(cat "$T/err")" '^wpp-dump: --range: `a:b` is not of the form A:B'
fails_with 1 'there is no fourth thread' wpp-dump --thread=3 threads.wpp

# ---- Routines ---------------------------------------------------------------
like 'the routines are listed with their calls' "$(wpp-dump --routines calls.wpp)" \
    '^ +[0-9]+ +100 +[0-9]+ +[0-9]+  fib  calls.c:3$'
is 'all of them' "$(wpp-dump --routines calls.wpp | tail -n +2 | wc -l)" 6

# ---- C++ names ---------------------------------------------------------------
cat > names.cc <<'END_C'
namespace shapes { template <class T> struct box { T v; T area(T w) { return v * w; } }; }
int main(int argc, char **) { shapes::box<long> b{argc + 2}; return (int)b.area(3) - 9; }
END_C
ok 'a C++ program is recorded' sh -c '"$1" -O0 -g names.cc -o names && WPP_OUT=names.trace ./names &&
    wpp-compress -o names.wpp names.trace' - "$WPP_GXX"
like 'its names are those of the source' "$(wpp-dump names.wpp)" \
    '^  EnterRoutine shapes::box<long>::area\(long\)$'
like 'in the list of routines too' "$(wpp-dump --routines names.wpp)" \
    '  shapes::box<long>::area\(long\)  names.cc:1$'
like 'or those of the assembler' "$(wpp-dump --no-demangle names.wpp)" \
    '^  EnterRoutine _ZN6shapes3boxIlE4areaEl$'
like 'there, too' "$(wpp-dump --routines --no-demangle names.wpp)" \
    '  _ZN6shapes3boxIlE4areaEl  names.cc:1$'

# ---- Habits -----------------------------------------------------------------
echo 'int main(void) { int n = 0; for (int i = 0; i < 100000; i++)
                         n += i; return n == 1; }' > long.c
record long
wpp-dump long.wpp 2> err | head -n 1 > /dev/null
is 'a reader that goes away is no failure to speak of' "${PIPESTATUS[0]} $(cat err)" '141 '
ok 'output to a file' wpp-dump --tokens -o tokens.out calls.wpp
same 'is the same' tokens tokens.out
fails 'an existing file is not replaced' wpp-dump --tokens -o tokens.out calls.wpp
ok 'but by force' wpp-dump -f --tokens -o tokens.out calls.wpp
ok 'from standard input' sh -c 'wpp-dump - < calls.wpp > in.txt'
wpp-dump calls.wpp > file.txt
same 'is the same' file.txt in.txt
fails_with 2 'no file' wpp-dump
fails_with 2 'two files' wpp-dump calls.wpp calls.wpp
fails_with 2 'a range that ends before it begins' wpp-dump --range=5:3 calls.wpp
fails_with 2 'a range of words' wpp-dump --range=a:b calls.wpp
fails_with 2 'so many of nothing' wpp-dump --range=5:+ calls.wpp
fails_with 2 'a range without a colon' wpp-dump --range=5 calls.wpp
fails_with 1 'a range that begins behind the end' wpp-dump --range=$((n + 1)): calls.wpp
fails_with 1 'a file that is not there' wpp-dump none.wpp
fails 'a file that is no WPP' wpp-dump calls.c
if [ -w /dev/full ]; then
    fails 'a full disk' sh -c 'wpp-dump calls.wpp > /dev/full'
    fails 'a full disk, by name' wpp-dump -f -o /dev/full calls.wpp
    is 'says why' "$(cat err)" 'wpp-dump: cannot write /dev/full: No space left on device'
fi
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    script -qec "wpp-dump --tokens calls.wpp" /dev/null > typescript < /dev/null
    is 'no binary to a terminal' "$?" 2
else
    skip 'no binary to a terminal: no script(1) or no pseudo-terminal here'
fi

# ---- Names of C that C++ would have as well ------------------------------------------
cat > zipped.c << 'END_C'
int _Zgetc(int n);
int _Zgetc(int n) { return n > 1 ? n : 1; }
int main(void) { return _Zgetc(0) - 1; }
END_C
record zipped
like 'a routine of C has its own name' "$(wpp-dump --routines zipped.wpp)" ' _Zgetc  zipped'
like 'also as one that is called' "$(wpp-dump --calls zipped.wpp)" 'main -> _Zgetc$'
cat > plus.cc << 'END_C'
struct shape { int n; };
__attribute__((noinline)) bool operator>=(shape a, shape b) { return a.n >= b.n; }
int main() { return !(shape{2} >= shape{1}); }
END_C
wpp-g++ -O0 -g -o plus plus.cc && WPP_OUT=plus.trace ./plus && wpp-compress -o plus.wpp plus.trace
like 'one of C++ that of the source' "$(wpp-dump --routines plus.wpp)" ' operator>=.shape, shape.  plus'

# ---- Copies of a line ------------------------------------------------------------------
cat > copies.c <<'END_C'
static volatile int sum;
static inline __attribute__((always_inline)) void touch(int n)
{
    sum += n;
}
static __attribute__((noinline)) int three(int n)
{
    touch(n); touch(n + 1); touch(n + 2);
    return n;
}
static __attribute__((noinline)) int last(int n) { return n + sum; }
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < argc + 4; i++)
        three(i);
    int end = last(1) - last(1);
    return end;
}
END_C
"$WPP_GCC" -O1 -g copies.c -o copies && wpp-record -q -o copies.wpp ./copies
# times LINE VIEW: what the view says of the line
times() { wpp-dump --$2 copies.wpp | sed -n "s/.*copies.c:$1 //p"; }
is 'each copy of an inlined line is executed' "$(times 4 executions)" 15
is 'which is as often as it is shown' "$(wpp-dump --lines copies.wpp | grep -c ':4$')" 15
is 'a line without copies' "$(times 9 executions) $(times 9 line-counts)" '5 5'
is 'one with two calls comes after each of them again' "$(times 17 executions) $(times 17 line-counts)" '3 1'
is 'executions of a range' "$(wpp-dump --range=:0 --executions copies.wpp)" ''
is 'are added up' "$(wpp-dump --executions --range=:4 copies.wpp | awk '{ n += $2 } END { print n }')" \
    "$(wpp-dump --range=:4 copies.wpp | sed -n 's/.*\[[^:]*:\(.*\)\]/\1/p' | tr ' ' '\n' |
       awk -F- 'NF { n += $2 ? $2 - $1 + 1 : 1 } END { print n }')"
fails_with 2 'not with line counts' wpp-dump --executions --line-counts copies.wpp
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    echo "$(wpp-dump --range=:$n copies.wpp | grep NewPath | tail -1 | sed 's/.*[^0-9]\([0-9]*\)\]$/\1/; s/.*\[\]$//') $(wpp-dump --lines --range=:$n copies.wpp | tail -1 | sed 's/.*://')"
done > ends
is 'lines end where events do' "$(awk 'NF == 2 && $1 != $2' ends)" ''

# ---- A name whose C++ spelling has no end ----------------------------------------------
# Its type is of two types that are of two types, and so on: 2^40 times int.
{
    echo 'template <class T, class U> struct A {}; using L0 = A<int, int>;'
    for i in $(seq 40); do echo "using L$i = A<L$((i - 1)), L$((i - 1))>;"; done
    echo 'int evil(int n, L40 *p) { return n > 3 ? n : evil(n + 1, p); }'
    echo 'int main() { return evil(0, nullptr) - 4; }'
} > evil.cc
ok 'a name that spells 2^40 types' timeout 60 "$WPP_GXX" -O0 evil.cc -o evil
name=$(nm evil | sed -n 's/.* T \(_Z4evil.*\)/\1/p')
wpp-record -q -o evil.wpp ./evil
for tool in 'wpp-dump --routines' wpp-dump wpp-hot wpp-info 'wpp-check --strict' wpp-dot; do
    ok "$tool: is read" sh -c "ulimit -t 10; ulimit -v 4000000; $tool evil.wpp"
done
like 'it stays as it is' "$(wpp-dump --routines evil.wpp)" " $name "
like 'others are spelt as ever' "$(wpp-dump --routines evil.wpp)" ' main '
done_testing
