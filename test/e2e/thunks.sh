# SPDX-License-Identifier: MIT
# test: slow 30
# Events in thunks of their callees (gcc-plugin/events/callee-thunks.h): which calls go through
# one.  Callee, unwinder and debugger see no difference, and the events are the same as without
# thunks.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# thunks OBJECT ROUTINE: how many calls of the routine go through a thunk
thunks() {
    objdump -d --no-show-raw-insn "$1" | awk -v name="_ZThn0_${#2}$2" '
        /^[0-9a-f]+ </ { thunk = /<_ZThn0_/ }
        !thunk && $0 ~ "(call|jmp) .*<" name ">" { n++ }
        END { print n + 0 }'
}

# form OBJECT ROUTINE: what its thunk does
form() {
    objdump -dr --no-show-raw-insn "$1" | awk -v name="_ZThn0_${#2}$2" '
        /^[0-9a-f]+ </ { within = $2 == "<" name ">:" }
        within && /call.*__wpp_before/ { form = "cold" }
        within && /cmpl +\$0x0,\(%r11\)/ { form = "warm" }
        END { print form }'
}

# ---- Which calls ----------------------------------------------------------------
cat > which.c <<'END'
void thrice(int), twice(int), often(int);
#define WORK(x) (x) ^= (x) << 7, (x) ^= (x) >> 9, (x) *= 0x9E3779B9u
#define WORK8(x) WORK(x); WORK(x); WORK(x); WORK(x); WORK(x); WORK(x); WORK(x); WORK(x)
#define WORK64(x) WORK8(x); WORK8(x); WORK8(x); WORK8(x); WORK8(x); WORK8(x); WORK8(x); WORK8(x)
void rare(int n, unsigned x)
{
    if (__builtin_expect(n > 5, 0))
        thrice(n), thrice(n + 1), twice(n + 2), twice(n + 3), thrice(n + 4);
}
void much(int n, unsigned x)
{
    often(n);
    WORK64(x);
    often(x);
}
void little(int n) { often(n); often(n + 1); }
END
object() {
    wpp-gcc "$@" -c which.c -o which.o
}
object -O2
is 'calls that seldom run go through a thunk' "$(thunks which.o thrice)" 3
is 'which calls' "$(form which.o thrice)" cold
is 'not where the unit has two calls only' "$(thunks which.o twice)" 0
is 'calls that are not noticed, but run, do' "$(thunks which.o often)" 2
is 'and what is written there' "$(form which.o often)" warm
object -O2 -fPIC
is 'in a shared library what seldom runs' "$(thunks which.o thrice) $(form which.o thrice)" '3 cold'
is 'and nothing else' "$(thunks which.o often)" 0
object -Os
is 'in small code' "$(thunks which.o thrice) $(form which.o thrice)" '3 cold'
is 'all calls, which call' "$(thunks which.o often) $(form which.o often)" '4 cold'
object -O2 -fplugin-arg-wpp-inline=none
is 'with inline=none, too' "$(thunks which.o often) $(form which.o often)" '4 cold'
for options in -O0 -Og '-O2 -fplugin-arg-wpp-inline=all' '-O2 -fplugin-arg-wpp-time' '-O2 -ffixed-r10' \
               '-O2 -mcmodel=large' '-O2 -fplugin-arg-wpp-stage=early'; do
    object $options
    is "none with $options" "$(thunks which.o thrice) $(thunks which.o often)" '0 0'
done

# ---- All kinds of callees -------------------------------------------------------------
cat > kinds.c <<'END'
#define _GNU_SOURCE
#include <complex.h>
#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline, noclone, noipa))
struct large { long a[9]; };
typedef float four __attribute__((vector_size(16)));
static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, char h, double i)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
static NOINLINE double any(int n, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        sum += i & 1 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return sum;
}
static NOINLINE double plain_float(float a, double b, long double c) { return a * b - c; }
static NOINLINE struct large in_memory(struct large by_value, int n)
{
    by_value.a[n % 9] += n;
    return by_value;
}
static NOINLINE __int128 wide(__int128 a, unsigned char b) { return a * b; }
static NOINLINE double complex both(double complex z) { return z * z; }
static NOINLINE four vectors(four a, four b) { return a * b + a; }
static NOINLINE _Bool is_null(const void *p) { return !p; }
static NOINLINE uintptr_t caller(void) { return (uintptr_t)__builtin_return_address(0); }
NOINLINE int aliased(int n) { return n * 31; }
extern int by_alias(int) __attribute__((alias("aliased")));
int renamed(int) __asm__("other_name");
NOINLINE int renamed(int n) { return n - 17; }
extern int nowhere(int) __attribute__((weak));
static int chosen_one(int n) { return n ^ 5; }
static int (*choose(void))(int) { return chosen_one; }
int chosen(int) __attribute__((ifunc("choose")));
static NOINLINE int even(unsigned n);
static NOINLINE int odd(unsigned n) { return n ? even(n - 1) : 0; }
static NOINLINE int even(unsigned n) { return n ? odd(n - 1) : 1; }
static NOINLINE int down(unsigned n) { return n ? 1 + down(n - 1) : 0; }
static NOINLINE __attribute__((noreturn)) void away(jmp_buf to, int n) { longjmp(to, n); }
extern long loose() __asm__("many");
__asm__(".set many_too, many");
static jmp_buf back;
static NOINLINE int jumps(int n)
{
    volatile int seen = 0;
    int k = setjmp(back);
    seen++;
    if (k < 3) {
        if (n & 1)
            away(back, k + 1);
        away(back, k + 2);
    }
    return k * 10 + seen;
}
static NOINLINE int nested(int n)
{
    int sum = 0;
    NOINLINE void add(int k) { sum += k * n; }
    add(3);
    if (n > 2)
        add(5);
    add(n);
    return sum;
}
NOINLINE void nearby(int n)
{
    uintptr_t here = (uintptr_t)nearby, a = caller(), b = caller();
    printf("%d %d\n", a - here < 4096 && b > a && b - a < 256, n);
}
static inline __attribute__((always_inline)) void all(int n, struct large l, int argc, char **argv)
{
    int (*pointer)(int) = by_alias;
    {
        printf("%ld %ld\n", many(n, 2, n, 4, 5, 6, 7, 8, 9.5), many(1, n, 3, 4, n, 6, n, 'x', n));
        printf("%g %g\n", any(4, n, 1.5, n, 2.5), any(2, n, n / 4.0));
        printf("%g %g\n", plain_float(n, n, n), plain_float(1.5f, n, 2.5L));
        l = in_memory(in_memory(l, n), 2 * n);
        printf("%ld %ld\n", l.a[2], l.a[8]);
        __int128 w = wide(wide(n, 200), 3);
        printf("%lld\n", (long long)w);
        double complex z = both(both(n + 2.0 * I));
        printf("%g %g\n", creal(z), cimag(z));
        four v = vectors(vectors((four){1, 2, 3, n}, (four){n, 1, 1, 1}), (four){2, 2, 2, 2});
        printf("%g %g\n", v[0], v[3]);
        printf("%d %d\n", is_null(argv + argc), is_null(argv[argc]));
        nearby(n), nearby(n + 1);
        printf("%d %d %d\n", aliased(n), by_alias(n), by_alias(n + 1) + pointer(n));
        printf("%d %d\n", renamed(n), renamed(n + 1));
        if (nowhere)
            printf("%d %d\n", nowhere(n), nowhere(n + 1));
        printf("%d %d %d\n", chosen(n), chosen(n + 1), (pointer = chosen)(n) == chosen(n));
        printf("%d %d\n", even(n), odd(n));
        printf("%d %d\n", down(n), down(2 * n));
        printf("%d %d\n", jumps(n), jumps(n + 1));
        printf("%d %d\n", nested(n), nested(n + 1));
    }
}
int main(int argc, char **argv)
{
    struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    for (int n = argc; n < argc + 4; n++) {
        all(n, l, argc, argv);
        all(n + 5, l, argc, argv);
    }
    printf("%d\n", even(30000) + odd(30001));
    return 0;
}
END
some_of -O2 '-O2 -fPIC' '-O2 -masm=intel' '-O2 -fcf-protection=full' '-O2 -fsplit-stack' -- \
    -O1 -O3 -Os '-O2 -flto' '-O2 -static' '-O2 -fno-pie -no-pie' '-O2 -ffunction-sections -Wl,--gc-sections' \
    '-O2 -fno-plt' '-O2 -fplugin-arg-wpp-base=load'
for options in "${chosen[@]}"; do
    gcc $(sed 's/-fplugin[^ ]*//' <<< "$options") -w kinds.c -o plain && ./plain > want
    for inlining in all hot none; do
        ok "all kinds of callees with $options, inline=$inlining" \
            wpp-gcc $options -fchecking -w -fplugin-arg-wpp-inline=$inlining kinds.c -o kinds
        WPP_OUT=kinds.trace ./kinds > out 2> err
        same 'which do what they did' out want
        wpp-compress -f -o kinds.wpp kinds.trace && wpp-check --strict kinds.wpp > /dev/null
        is 'and are recorded' $? 0
        # Not the tokens: the linker's base depends on the code's other data, too.
        wpp-dump kinds.wpp > $inlining.events
    done
    same "the events are those of code without thunks" hot.events all.events
    same "also where all calls go through one" none.events all.events
done
wpp-gcc -O2 -w -fplugin-arg-wpp-inline=none kinds.c -o kinds
is 'these calls did' "$(for f in many any in_memory by_alias other_name chosen down; do thunks kinds $f; done | paste -sd' ')" \
    '4 4 4 4 4 8 4'
is 'not those of nested routines' "$(objdump -d kinds | grep -c 'call.*ZThn0_.*add')" 0

# ---- What a declaration says ---------------------------------------------------------
# One routine by two names, as headers make them: one thunk.
cat > declared.c <<'END'
void first(int) __asm__("one_routine"), second(unsigned char) __asm__("one_routine");
__attribute__((visibility("hidden"))) void inner(int);
void calls(int n)
{
    if (__builtin_expect(n > 5, 0)) {
        first(n), first(n + 1), second(n), second(n + 2);
        inner(n), inner(n + 1), inner(n + 2);
    }
}
END
ok 'two declarations of one routine' wpp-gcc -O2 -fPIC -c declared.c -o declared.o
is 'have one thunk' "$(nm declared.o | grep -c ZThn0_11one_routine) $(thunks declared.o one_routine)" '1 4'
like 'a hidden routine stays hidden' "$(readelf -sW declared.o | grep ' inner$')" HIDDEN
cat > reported.c <<'END'
void never(int) __attribute__((error("it is called")));
void calls(int n) { if (__builtin_expect(n > 5, 0)) never(n), never(n + 1), never(n + 2); }
END
like 'calls that are an error are reported' "$(wpp-gcc -O2 -c reported.c 2>&1)" \
    "'never' declared with attribute error"
cat > groups.cc <<'END'
void nowhere(int);
inline __attribute__((noinline, used)) void unused(int n)
{
    if (__builtin_expect(n > 5, 0))
        nowhere(n), nowhere(n + 1), nowhere(n + 2);
}
__attribute__((noipa)) void live(int) { __asm__(""); }
int main(int n, char **)
{
    if (__builtin_expect(n > 5, 0))
        live(n), live(n + 1), live(n + 2);
    return 0;
}
END
ok 'what the linker leaves out' g++ -O2 groups.cc -Wl,--gc-sections -o groups
ok 'no thunk asks for' wpp-g++ -O2 groups.cc -Wl,--gc-sections -o groups
# linked SOURCE OPTION...: what links without wpp does so with it, with all events in thunks and as usual.
linked() {
    local source=$1 inlining
    shift
    ok "$source links with $*" gcc -O2 "$@" "$source" -o linked
    for inlining in hot none; do
        ok "also with thunks, inline=$inlining" \
            wpp-gcc -O2 -fplugin-arg-wpp-inline=$inlining "$@" "$source" -o linked
    done
}
sed 's/^inline.*void unused/__attribute__((cold)) void unused/' groups.cc > cold.c
linked cold.c -Wl,--gc-sections
sed 's/^inline.*void unused/__attribute__((section(".text.other"))) void unused/' groups.cc > other.c
linked other.c -Wl,--gc-sections
cat > discarded.c <<'END'
#define END_OF __attribute__((section(".exit.text"), noinline))
END_OF void bye(int n) { __asm__ volatile(""); }
END_OF void end(int n) { bye(n), bye(n + 1), bye(n + 2); }
int main(void) { return 0; }
END
echo 'SECTIONS { /DISCARD/ : { *(.exit.text) } } INSERT BEFORE .text;' > discard.ld
linked discarded.c -Wl,-T,discard.ld
# Of two copies, which differ, the linker leaves out the one that asks for another routine.
cat > copies.cc <<'END'
void nowhere(int), second();
inline __attribute__((noipa)) void copied(int n)
{
    __asm__ volatile("");
#ifdef SECOND
    if (__builtin_expect(n > 5, 0))
        nowhere(n), nowhere(n + 1), nowhere(n + 2);
#endif
}
#ifdef SECOND
void second() { copied(1); }
#else
int main() { copied(2), second(); return 0; }
#endif
END
for compiler in g++ wpp-g++; do
    "$compiler" -O2 -c copies.cc -o copies1.o && "$compiler" -O2 -DSECOND -c copies.cc -o copies2.o
    ok "copies that differ with $compiler" "$compiler" copies1.o copies2.o -o copies
done
cat > alike.c <<'END'
void foo(int), _Z3foo(int);
void calls(int n)
{
    if (__builtin_expect(n > 5, 0)) {
        foo(n), foo(n + 1), foo(n + 2);
        _Z3foo(n), _Z3foo(n + 1), _Z3foo(n + 2);
    }
}
END
ok 'callees whose thunks would have one name' wpp-gcc -O2 -c alike.c -o alike.o
is 'have two' "$(objdump -dr alike.o | grep -c 'R_X86_64_PLT32.*\(foo\|_Z3foo\)-')" 2
# GCC finds out late, on purpose here, that these are never called.
cat > never.c <<'END'
void nowhere(int);
__attribute__((noipa)) int never(unsigned a)
{
    unsigned x = (a & 0xff) * 8;
    if (__builtin_expect(x & 1, 0))
        nowhere(1), nowhere(2), nowhere(3);
    return (int)x;
}
int main(int argc, char **argv) { return never((unsigned)argc) == 1; }
END
linked never.c -fno-tree-{ccp,vrp,bit-ccp,dominator-opts,fre,pre}
wpp-gcc -O2 -c -fplugin-arg-wpp-inline=none -fcallgraph-info which.c -o which.o
is 'who wants to know who calls whom is told' "$(grep -c 'targetname: "thrice"' which.ci)" 3
object -O2 -fcall-saved-r11
is 'none where %r11 is to be kept' "$(thunks which.o thrice)" 0
object -O2 -fipa-ra
is 'nor where GCC goes by what callees use' "$(thunks which.o thrice)" 0

# ---- What nobody calls goes ---------------------------------------------------------
cat > unused.c <<'END'
void helper(void), used(void);
__attribute__((noinline)) void kept(int n) { if (__builtin_expect(n > 3, 0)) used(), used(), used(); }
void unused(int n) { if (__builtin_expect(n > 3, 0)) helper(), helper(), helper(); }
int main(int argc, char **argv) { kept(argc); return 0; }
END
cat > helpers.c <<'END'
void helper(void) { __asm__ volatile(""); }
void used(void) { __asm__ volatile(""); }
END
ok 'with sections of their own' wpp-gcc -O2 -ffunction-sections -Wl,--gc-sections unused.c helpers.c -o unused
is 'thunks keep nothing' "$(nm unused | grep -c helper)" 0
like 'but what is called' "$(nm unused | grep used)" '_ZThn0_4used'

# ---- The unwinder -------------------------------------------------------------------
# A processor in single steps: at each instruction between the caller and the callee the
# stack is unwound, and main has to be found on it.
cat > steps.c <<'END'
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>
extern int main(int, char **);
static volatile int steps, lost, wrong;
static volatile unsigned long last;
__attribute__((noipa)) int callee(int n);
#define OURS __attribute__((no_wpp, noinline))
OURS static void trapped(int sig, siginfo_t *info, void *context)
{
    void *frames[64];
    ucontext_t *at = context;
    int n = backtrace(frames, 64), found = 0;
    for (int i = 0; i < n; i++)
        found |= (uintptr_t)frames[i] - (uintptr_t)main < 4096;
    steps++;
    lost += !found;
    if ((uintptr_t)at->uc_mcontext.gregs[REG_RIP] == (uintptr_t)callee)
        at->uc_mcontext.gregs[REG_EFL] &= ~0x100l;
}
OURS void watch(void)
{
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    void *frames[4];
    backtrace(frames, 4);                      /* loads what it needs */
    sigaction(SIGTRAP, &action, NULL);
}
int callee(int n) { return n + 1; }
int main(int argc, char **argv)
{
    watch();
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
        sum += callee(argc + i);
        __asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
        sum += callee(argc * 2);
        __asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
        sum += callee(argc * 3);
    }
    printf("%d steps, %d without main, %d\n", steps, lost, sum);
    return lost || steps < 60;
}
END
ok 'each instruction of a thunk' wpp-gcc -O2 -mno-red-zone -fplugin-arg-wpp-inline=none steps.c -o steps
is 'is there' "$(thunks steps callee)" 3
WPP_OUT=none ok 'and the stack can be unwound from it' ./steps

# ---- The debugger --------------------------------------------------------------------
if command -v gdb > /dev/null; then
    cat > debugged.c <<'END'
__attribute__((noipa)) int callee(int n)
{
    return n + 1;
}
int main(int argc, char **argv)
{
    int sum = callee(argc);
    sum += callee(sum);
    return sum + callee(sum) - 11;
}
END
    wpp-gcc -O2 -g -fplugin-arg-wpp-inline=none debugged.c -o debugged
    is 'a thunk is in the way' "$(thunks debugged callee)" 3
    WPP_OUT=none gdb -q -batch -nx -ex 'break main' -ex run -ex step -ex 'info symbol $pc' -ex up \
        ./debugged > out 2>&1
    like 'the debugger steps into the callee' "$(grep 'in section' out)" '^callee '
    like 'whose caller it sees' "$(cat out)" '#1 .* in main'
    cat > entered.c <<'END'
extern void hook(int *);
__attribute__((noipa)) int callee(int n)
{
    int m = n * 3;
    hook(&m);
    return m;
}
__attribute__((noipa)) void hook(int *p) { *p += 1; }
int main(void) { return callee(4711) + callee(5) + callee(7) == 14172 ? 0 : 1; }
END
    wpp-gcc -O2 -g -fplugin-arg-wpp-inline=none entered.c -o entered
    is 'thunks again' "$(thunks entered callee)" 3
    WPP_OUT=none gdb -q -batch -nx -ex 'break hook' -ex run -ex up -ex 'print n@entry' ./entered > out 2>&1
    like 'and knows what an argument was at entry' "$(cat out)" '= 4711$'
    # Also where events are inline: main runs once, and its events are calls.
    wpp-gcc -O2 -g debugged.c -o debugged
    WPP_OUT=none gdb -q -batch -nx -ex 'break main' -ex run -ex next -ex 'info symbol $pc' ./debugged > out 2>&1
    like 'and steps over the first event of all' "$(grep 'in section' out)" '^main '
else
    skip 'no gdb is installed'
fi
done_testing
