# SPDX-License-Identifier: MIT
# test: slow 45
# The events of instrumented programs: expected sequences at -O0, the same calls at every level,
# the same behaviour everywhere.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# record NAME COMPILER OPTION...: builds NAME.c or NAME.cc, runs it, leaves
# NAME.wpp and NAME.out.
record() {
    local name=$1 source

    shift
    source=$(ls "$name".c "$name".cc 2>/dev/null)
    rm -f "$name" "$name.trace" "$name.wpp"
    "$@" "$source" -o "$name" 2> "$name.err" || { cat "$name.err" >&2; return 1; }
    WPP_OUT=$name.trace ./"$name" > "$name.out"
    echo "status $?" >> "$name.out"
    wpp-compress -f -o "$name.wpp" "$name.trace" && wpp-check --strict "$name.wpp"
}

# plainly NAME COMPILER OPTION...: the same program without wpp, to NAME.want
plainly() {
    local name=$1 source

    shift
    source=$(ls "$name".c "$name".cc 2>/dev/null)
    "$@" -w "$source" -o "$name.plain" && ./"$name.plain" > "$name.want"
    echo "status $?" >> "$name.want"
}

events() {
    wpp-dump "$1" | grep -v EnterThread
}

# ---- A loop with a branch, and recursion ------------------------------------
cat > fib.c <<'END'
#include <stdio.h>
static int fib(int n)
{
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}
int main(void)
{
    int s = 0;
    for (int i = 0; i < 3; i++) {
        if (i & 1)
            s += 3;
        else
            s += 1;
    }
    printf("%d %d\n", fib(2), s);
    return 0;
}
END
ok "fib at -O0 is recorded" record fib "$WPP_GCC" -O0
is "its events are the ones written down" "$(events fib.wpp)" "\
EnterRoutine main
  NewPath 1 [fib.c:8 10-12 15 11]
  NewPath 3 [fib.c:11-13 11]
  NewPath 4 [fib.c:11-12 15 11]
  NewPath 5 [fib.c:11 17]
  EnterRoutine fib
    NewPath 1 [fib.c:2 4 6]
    EnterRoutine fib
      NewPath 0 [fib.c:2 4-5]
    LeaveRoutine fib
    NewPath 2 [fib.c:6]
    EnterRoutine fib
      NewPath 0 [fib.c:2 4-5]
    LeaveRoutine fib
    NewPath 3 [fib.c:6]
  LeaveRoutine fib
  NewPath 6 [fib.c:17]
  NewPath 7 [fib.c:18]
LeaveRoutine main"
is "its lines are counted" "$(wpp-dump --line-counts fib.wpp | tr '\n' ' ')" \
   "fib.c:2 3 fib.c:4 3 fib.c:5 2 fib.c:6 1 fib.c:8 1 fib.c:10 1 fib.c:11 4 fib.c:12 3 fib.c:13 1 fib.c:15 2 fib.c:17 1 fib.c:18 1 "

# ---- A const callee: GCC may keep memory in registers across such a call, but
# the callee emits events.  (The cursor was once kept, and events overwritten.)
cat > pure.c <<'END'
#include <stdio.h>
__attribute__((noinline)) static int leaf(int x) { return x * 3; }
__attribute__((noinline)) static int twice(int x) { return leaf(x) + leaf(x + 1); }
int main(int argc, char **argv)
{
    int s = argc;
    (void)argv;
    for (int i = 0; i < 1000; i++)
        s += twice(s) & 7;
    printf("%d\n", s);
    return 0;
}
END
some_of -O0 -O2 -- -O1 -O3 -Os
for level in "${chosen[@]}"; do
    ok "const callees at $level" record pure "$WPP_GCC" $level -fno-ipa-cp -fno-ipa-sra
    is "2000 calls of a const routine at $level" \
       "$(events pure.wpp | grep -c 'EnterRoutine leaf')" 2000
done

# ---- Calls of const and pure functions whose value nobody wants: GCC drops those that throw
# nothing, so what such a function does all the same is not seen, and must not be when it is traced.
cat > unused.c <<'END'
#include <stdio.h>
struct big { int a[40]; };
typedef int pure_function(int) __attribute__((pure));
__attribute__((pure, noinline)) int looks(int i)
{
    printf("looks %d\n", i);
    return i;
}
__attribute__((const, noinline)) struct big copies(struct big b)
{
    printf("copies %d\n", b.a[0]);
    return b;
}
__attribute__((pure)) static inline int inlined(int i)
{
    printf("inlined %d\n", i);
    return i;
}
/* A call that may become a tail call. */
__attribute__((noinline)) void last(pure_function *p)
{
    p(7);
}
__attribute__((pure, noinline)) int of_big(struct big b)
{
    printf("of_big %d\n", b.a[0]);
    return b.a[0];
}
int main(void)
{
    struct big b = {{3}};
    pure_function *volatile pointer = looks;
    looks(1);
    (void)copies(b);
    if (b.a[0] == 3)
        looks(2), puts("between");
    for (int i = 0; i < 2; i++)
        pointer(i);
    of_big(b);
    inlined(5);
    last(pointer);
    return looks(4) - 4;
}
END
dead="-fexceptions -fdelete-dead-exceptions"
some_of -O0 -O2 "-O2 $dead" "-O2 $dead -fno-tree-dce -fno-optimize-sibling-calls" -- \
    -O1 "-O2 -fno-tree-dce -fno-tree-dse" "-O0 -fexceptions" "-O2 -fexceptions" \
    "-O1 $dead -fno-tree-dce" "-O2 $dead -fno-tree-dce" "-O2 $dead -fno-tree-dce -fno-dce"
for level in "${chosen[@]}"; do
    plainly unused gcc -w $level
    for stage in late early; do
        ok "unused calls of pure functions at $level, stage=$stage" \
           record unused env WPP_PLUGIN_ARGS=stage=$stage "$WPP_GCC" $level -w
        is "those that GCC makes are made at $level, stage=$stage" \
           "$(cat unused.out)" "$(cat unused.want)"
    done
done

# ---- Calls that run nothing of the program lie inside a path: instructions that look like calls
# (GCC 12 thinks that a prefetch may throw), leaf functions of libc.  The operator delete is none.
cat > inside.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <xmmintrin.h>
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE int instructions(const char *p, __m128 v)
{
    __builtin_prefetch(p);
    int mask = _mm_movemask_ps(v);
    __builtin_prefetch(p + 64, 1);
    _mm_pause();
    _mm_prefetch(p + 128, _MM_HINT_T1);
    _mm_sfence();
    return mask + (__builtin_ia32_rdtsc() == 0);
}
NOINLINE size_t functions(char *p, const char *text)
{
    strcpy(p, text);
    size_t n = strlen(p);
    free(p);
    return n;
}
NOINLINE int gives_back(int *p)
{
    int n = *p;
    delete p;
    return n;
}
int main()
{
    int mask = instructions("text", _mm_set_ps(-1, 1, -1, -1));
    size_t n = functions((char *)malloc(20), "19 characters");
    gives_back(new int(3));
    printf("%d %zu\n", mask, n);
    return 0;
}
END
plainly inside g++ -O0
some_of -O0 -O2 "-O2 -flto" -- -O1 "-O3 -fPIC -pie" "-Os -fno-exceptions"
for options in "${chosen[@]}"; do
    ok "calls inside paths, $options" record inside "$WPP_GXX" $options
    same "what it does, $options" inside.out inside.want
    is "paths of these calls, $options" \
       "$(events inside.wpp | c++filt | awk '
           /EnterRoutine/ { sub(/\(.*/, "", $2); name[++depth] = $2; n[depth] = 0 }
           /NewPath/ { n[depth]++ }
           /LeaveRoutine/ { if (name[depth] ~ /^(instructions|functions|gives_back)$/)
                                printf "%s %d ", name[depth], n[depth]
                            depth-- }')" \
       "instructions 1 functions 1 gives_back 2 "
done

# ---- Variables that the program has put into registers: the code of an event
# must not use the same ones.
cat > registers.c <<'END'
#include <stdio.h>
__attribute__((noinline)) long sum(long k)
{
    register long a __asm__("rax") = 0;
    register long b __asm__("r11") = 1;
    while (k-- > 0) {
        if (k == 77)
            __asm__ volatile("addq $5, %0" : "+r"(b));
        __asm__ volatile("addq %1, %0" : "+r"(a) : "r"(b));
    }
    return a;
}
int main(void)
{
    printf("%ld\n", sum(100));
    return 0;
}
END
some_of -O0 -O2 -- -O1 -Os
for level in "${chosen[@]}"; do
    plainly registers gcc $level
    ok "register variables at $level" record registers "$WPP_GCC" $level
    same "keep their values at $level" registers.out registers.want
done

# ---- The same through a pointer; and a resolver that runs before all else ----------
cat > pointer.c <<'END'
#include <stdio.h>
__attribute__((noinline)) static int leaf(int x) { return x * 3; }
static int chosen(int x) { return x + 1; }
static void *choose(void) { return (void *)chosen; }
int f(int) __attribute__((ifunc("choose")));
int (*volatile pointer)(int) = leaf;
__attribute__((noinline)) static int twice(int x)
{
    int (*p)(int) __attribute__((const)) = pointer;
    return p(x) + p(x + 1);
}
int main(void)
{
    int s = 1;
    for (int i = 0; i < 1000; i++)
        s += f(twice(s)) & 7;
    printf("%d\n", s);
    return 0;
}
END
for level in -O0 -O2; do
    plainly pointer gcc $level
    ok "const function pointers and ifuncs at $level" record pointer "$WPP_GCC" $level
    same "behave at $level" pointer.out pointer.want
    is "2000 calls through a pointer at $level" \
       "$(events pointer.wpp | grep -c 'EnterRoutine leaf')" 2000
    is "the resolver is left out at $level" \
       "$(events pointer.wpp | grep -c 'EnterRoutine choose')" 0
done

# ---- Everything that leaves or enters a routine in another way ------------------
cat > ways.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf place;
NOINLINE static void thrower(int n)
{
    if (n == 0)
        longjmp(place, 3);
    thrower(n - 1);
    putchar('.');
}
NOINLINE static int interpret(const char *p)
{
    static void *const label[] = {&&inc, &&dec, &&end, &&twice};
    int acc = 0;
#define NEXT goto *label[*p++ - '0']
    NEXT;
inc:   acc++; NEXT;
dec:   acc--; NEXT;
twice: acc *= 2; NEXT;
end:   return acc;
}
NOINLINE static int choose(int x)
{
    switch (x) {
    case 1: return 10;
    case 2: return 20;
    case 3: x += 5;             /* fall through */
    case 4: x *= 2; break;
    case 5: return 3;
    case 900: return 4;
    default: x = -x;
    }
    return x;
}
NOINLINE static int odd(unsigned n);
NOINLINE static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
NOINLINE static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
    volatile int k = 0;
    int s = 0, a[] = {5, 2, 8, 1}, r = setjmp(place);
    (void)argv;
    if (r == 0) {
        k++;
        thrower(3);
    } else {
        printf("back %d %d\n", r, k);
    }
    printf("%d\n", interpret("0003012"));
    for (int i = 0; i < 8; i++)
        s += choose(i) * i;
    printf("%d %d\n", s, even(argc > 1 ? 1000000 : 1001));
    qsort(a, 4, sizeof *a, compare);
    printf("%d %d\n", a[0], a[3]);
    exit(s & 3);
}
END
some_of -O0 -O2 -- -O1 -O3 -Os
for level in "${chosen[@]}"; do
    plainly ways gcc $level
    ok "setjmp, computed goto, switch, tail calls at $level" record ways "$WPP_GCC" -w $level
    same "the same behaviour at $level" ways.out ways.want
    is "calls and returns at $level" \
       "$(events ways.wpp | sed 's/^ *//' | grep -E '(Enter|Leave)Routine (thrower|choose|interpret|compare)' |
          sed 's/  *#.*//' | sort | uniq -c | sed 's/^ *//' | grep -v compare | tr '\n' ';')" \
       "8 EnterRoutine choose;1 EnterRoutine interpret;4 EnterRoutine thrower;8 LeaveRoutine choose;1 LeaveRoutine interpret;4 LeaveRoutine thrower;"
done
is "a longjmp leaves each routine it skips" \
   "$(events ways.wpp | grep -c 'LeaveRoutine thrower  # not by returning')" 4
ok "tail calls at -O2" record ways "$WPP_GCC" -w -O2
ok "a million mutual tail calls need no stack" \
   bash -c 'ulimit -s 256; WPP_OUT=none ./ways deep > /dev/null; [ $? -lt 4 ]'
cat > tails.c <<'END'
#include <stdlib.h>
__attribute__((noinline, noclone)) static int odd(unsigned n);
__attribute__((noinline, noclone)) static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(int argc, char **argv) { return argc == 2 ? even(atoi(argv[1])) - 1 : 2; }
END
some_of -O2 -- -Os
for level in "${chosen[@]}"; do
    "$WPP_GCC" $level tails.c -o tails
    ok "a hundred million of them, recorded, at $level" \
       bash -c 'ulimit -s 256; wpp-record -o tails.wpp ./tails 100000000'
    like "and all of them are there at $level" "$(wpp-info tails.wpp)" '^calls +100,000,002$'
done

# ---- C++ ----------------------------------------------------------------------
cat > plus.cc <<'END'
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct noisy { int k; noisy(int k) : k(k) {} ~noisy() { std::printf("~%d ", k); } };
static int deep(int n)
{
    noisy d(n);
    if (n == 0)
        throw std::runtime_error("deep");
    return deep(n - 1) + 1;
}
struct base { virtual int f(int x) { return x + 1; } virtual ~base() {} };
struct derived : base { int f(int x) override { return x * 2; } };
struct global { global() { std::puts("constructed"); } ~global() { std::puts("destroyed"); } } g;
int main()
{
    for (int i = 0; i < 3; i++)
        try { deep(i + 1); } catch (std::exception &e) { std::printf("%s\n", e.what()); }
    std::vector<base *> v;
    std::map<std::string, int> m;
    int s = 0;
    for (int i = 0; i < 10; i++)
        v.push_back(i % 3 ? new base : new derived);
    for (auto *b : v)
        s = std::max(s, b->f(s));
    for (int i = 0; i < 100; i++)
        m[std::to_string(i % 13)] += i;
    for (auto &p : m)
        std::printf("%s=%d ", p.first.c_str(), p.second);
    try { m.at("none"); } catch (...) { std::puts("none"); }
    for (auto *b : v)
        delete b;
    return s & 7;
}
END
plainly plus g++ -O0
some_of -O0 -O2 '-O2 -fnon-call-exceptions' -- \
    -O1 -O3 -Os '-O2 -flto' '-O2 -fPIC' '-O2 -static' '-O2 -static-pie' '-O0 -fno-pie -no-pie'
for options in "${chosen[@]}"; do
    ok "exceptions, virtual calls, templates with $options" \
        record plus "$WPP_GXX" -fchecking $options
    same "the same behaviour with $options" plus.out plus.want
done

# ---- GCC's own checker finds nothing wrong --------------------------------------
some_of -O0 -O2 -- -O1 -O3
for level in "${chosen[@]}"; do
    ok "GCC checks the instrumented code at $level" \
       "$WPP_GCC" $level -fchecking -w -c ways.c -o checked.o
    WPP_PLUGIN_ARGS=stage=early ok "and of the early stage, with the call graph, $level" \
       "$WPP_GCC" $level -fchecking -w -c ways.c -o checked.o
done

# ---- Limits, selection, early stage ----------------------------------------------
# diamonds N: a routine of N branches one behind the other, which has 2^N paths.
diamonds() {
    echo 'unsigned f(const unsigned char *p) { unsigned s = 0;'
    for i in $(seq "$1"); do echo "if (p[$i] & 1) s += $i; else s ^= $i;"; done
    echo "return s; }
          int main(void) { unsigned char b[$1 + 1]; for (int i = 0; i <= $1; i++) b[i] = i * 7 % 13;
                           return f(b) & 127; }"
}
diamonds 200 > wide.c
plainly wide gcc -O0
ok "2^200 paths compile" record wide "$WPP_GCC" -O0
same "and behave" wide.out wide.want
like "wpp-info says that the routine was cut" "$(wpp-info wide.wpp)" '^limited +1 routine has '
for field in limited_events cut_events; do
    wpp-info --format=json wide.wpp | sed "s/.*\"$field\":\([0-9]*\).*/\1/"
done > wide.limited
is "and what that costs" "$(paste -sd' ' wide.limited)" \
   "$(wpp-dump wide.wpp | grep -c '^    NewPath' | awk '{ print $1, $1 - 1 }')"
is "each of its 200 branches counts one way" \
   "$(wpp-dump --line-counts wide.wpp | awk -F'[: ]' '$2 > 1 && $2 <= 201 && $3 != 1' | wc -l)" 0
# Time in proportion to the routine: less than twice what the compiler itself takes, which
# a square of 1,600 branches would be by far.  By turns, the least of three.
diamonds 1600 > more.c
least_plain=1000000 least_traced=1000000
for _ in 1 2 3; do
    TIMEFORMAT=%U
    plain=$({ time gcc -O0 -c more.c -o more.o; } 2>&1)
    traced=$({ time "$WPP_GCC" -O0 -c more.c -o more.o; } 2>&1)
    plain=$((10#${plain/./})) traced=$((10#${traced/./}))
    [ $plain -ge $least_plain ] || least_plain=$plain
    [ $traced -ge $least_traced ] || least_traced=$traced
done
ok "2^1600 paths: $least_traced ms, and $least_plain ms without the plugin" \
    test $least_traced -lt $((3 * least_plain))
table_bytes() {
    echo $((16#$(objdump -h "$1" | awk '$2 == ".wpp" { print $3 }')))
}
diamonds 400 > less.c
ok '2^400 paths compile' "$WPP_GCC" -O0 -c less.c -o less.o
less_bytes=$(table_bytes less.o) more_bytes=$(table_bytes more.o)
ok "their tables' space is in proportion: $more_bytes bytes, $less_bytes bytes" \
    test "$more_bytes" -lt $((5 * less_bytes))
WPP_PLUGIN_ARGS="limit=16" ok "a smaller limit" record wide "$WPP_GCC" -O0
same "behaves too" wide.out wide.want
WPP_PLUGIN_ARGS="exclude=thrower" ok "a routine is left out" record ways "$WPP_GCC" -w -O1
is "and does not appear" "$(events ways.wpp | grep -c thrower)" 0
WPP_PLUGIN_ARGS="include=main" ok "one routine is chosen" record ways "$WPP_GCC" -w -O1
is "and appears alone" "$(events ways.wpp | grep EnterRoutine | sort -u)" "EnterRoutine main"
some_of -O2 -- -O0 -O3
for level in "${chosen[@]}"; do
    WPP_PLUGIN_ARGS="stage=early" ok "the early stage, $level" \
        record plus "$WPP_GXX" -fchecking $level
    same "behaves the same, $level" plus.out plus.want
done

# The resolver of target_clones is made behind the early stage's first routines, and runs before
# there is a cursor.
cp "$ROOT/test/e2e/constructs/target-clones.c" clones.c
plainly clones gcc -O2
for level in -O0 -O2; do
    WPP_PLUGIN_ARGS="stage=early" ok "clones by target, $level" record clones "$WPP_GCC" $level
    same "do the same, $level" clones.out clones.want
    like "and their resolver is left out, $level" "$(wpp-info --uninstrumented clones.wpp)" \
        '^runs too early  dot.resolver  clones.c'
done

# Calls that GCC makes tail calls later are left without an event behind them; others keep it.
cat > deep.c <<'END_C'
#include <stdio.h>
static int odd(int n);
__attribute__((noinline)) static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int fold(int n, int s)
{
    if (n == 0)
        return s;
    return fold(n - 1, s ^ n);
}
__attribute__((noinline)) static int get(int *n) { return *n; }
__attribute__((noinline)) static int own(int n) { return get(&n); }
__attribute__((noinline)) static int other(int n) { return get(&n), 7; }
int main(int argc, char **argv)
{
    printf("%d %d %d\n", even(100000 * argc), fold(100000 * argc, 0), own(3) + other(4));
    return 0;
}
END_C
with_little_stack() {
    (ulimit -S -s 256 && "$@")
}
plainly deep gcc -O2
some_of -O2 -- -O3 -Os
for level in "${chosen[@]}"; do
    WPP_PLUGIN_ARGS="stage=early" ok "tail calls need little stack at the early stage, $level" \
        with_little_stack record deep "$WPP_GCC" $level -fchecking
    same "and do the same, $level" deep.out deep.want
    is "those that are none are inside their callers, $level" \
        "$(wpp-dump deep.wpp | sed -n 's/EnterRoutine //p' | grep -vE 'even|odd|fold' | paste -sd,)" \
        "main,  own,    get,  other,    get"
done

# A const function that emits is called where the source says it, as often, in all routines.
cat > weigh.c <<'END_C'
__attribute__((const, noinline)) int weigh(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i * n;
    return s;
}
__attribute__((noinline)) int first(int n) { return n + weigh(n); }
__attribute__((noinline)) int loop(int n, int m)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            s ^= i;
        s += weigh(m);
    }
    return s;
}
int main(int argc, char **argv) { return loop(2 + argc, 2) + first(2) != 8; }
END_C
some_of -O1 -O2 -- -O3
for level in "${chosen[@]}"; do
    WPP_PLUGIN_ARGS="stage=early" ok "a const callee at the early stage, $level" \
        record weigh "$WPP_GCC" $level -fchecking
    is "in its callers, $level" "$(wpp-dump weigh.wpp | sed -n 's/EnterRoutine //p' | paste -sd,)" \
        "main,  loop,    weigh,    weigh,    weigh,  first,    weigh"
done

# In Fortran a builtin's type does not say const for each of its calls: the call in a tail ends
# a path, so the builtin counts as one that writes memory, and so it must for the other call.
cat > root.f90 <<'END_F'
real(8) function root(x, y, n)
  real(8) x, y
  integer n
  if (n < 0) then
    root = sqrt(y) * y
  else
    root = sqrt(x)
  end if
end function
END_F
if command -v gfortran > /dev/null; then
    ok "GCC checks calls of a builtin in a tail and elsewhere" \
       env WPP_CC=gfortran "$WPP_GCC" -O2 -fchecking -c root.f90 -o checked.o
else
    skip 'fortran: there is no gfortran'
fi

# Coroutines' continuations have landing pads then, and are marked as tail calls.
cp "$ROOT/test/e2e/constructs/coroutine-transfer.part.h" .
cp "$ROOT/test/e2e/constructs/coroutine-transfer.cc" transfer.cc
plainly transfer g++ -std=c++20 -O2
WPP_PLUGIN_ARGS="stage=early" ok "coroutines that go on with each other" \
    record transfer "$WPP_GXX" -std=c++20 -O2
same "behave the same" transfer.out transfer.want
ok "and with tail calls at -O0" record transfer "$WPP_GXX" -std=c++20 -O0 -foptimize-sibling-calls
same "too" transfer.out transfer.want

# However many, they need no stack where the plain program needs none; and what is thrown out
# of the last one passes by those that went on.
cat > chain.cc <<'END_C'
#include "coroutine-transfer.part.h"
#include <cstdio>

struct passes_errors {
    void thrown() { throw; }
    void rethrow() {}
};
using task = task_with<passes_errors>;

static task odd(int n)
{
    if (n == 20000)
        throw n;
    co_return n & 1;
}

static task total(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += co_await odd(i);
    co_return sum;
}

int main()
{
    for (int n = 20000; n <= 20001; n++) {
        task all = total(n);
        try {
            all.handle.resume();
            std::printf("%d\n", all.handle.promise().value);
        } catch (int thrown) {
            std::printf("thrown %d\n", thrown);
        }
        all.handle.destroy();
    }
    return 0;
}
END_C
with_little_stack plainly chain g++ -std=c++20 -O2
is "a long chain of coroutines needs little stack" "$(paste -sd, chain.want)" \
    '10000,thrown 20000,status 0'
for stage in early late; do
    WPP_PLUGIN_ARGS="stage=$stage" ok "nor does it, $stage" \
        with_little_stack record chain "$WPP_GXX" -std=c++20 -O2 -fchecking
    same "and does the same, $stage" chain.out chain.want
done

# The places of events change with inline=, the events do not.
for inlining in none hot all; do
    WPP_PLUGIN_ARGS="inline=$inlining" ok "inline=$inlining" record fib "$WPP_GCC" -O2
    wpp-dump --tokens fib.wpp > $inlining.tokens
    objdump -d --no-show-raw-insn fib | sed '/<main>:/,/^$/!d' > $inlining.main
done
same "the same tokens inline and not" none.tokens all.tokens
same "and by frequency" hot.tokens all.tokens
is "none calls for each event" "$(grep -c wpp_refill none.main)" 0
is "all never does" "$(grep -c wpp_event all.main)" 0
ok "and the other way" eval 'grep -q wpp_event none.main && grep -q wpp_refill all.main'

# By frequency goes by the routine's callers as well, where all of them are known, and by what
# a call of it takes.
cat > rates.c <<'END_C'
#define STATIC static __attribute__((noinline, noclone))
#define MIX(x) (x) ^= (x) << 7, (x) ^= (x) >> 9, (x) *= 0x9E3779B9u,
#define MIX4(x) MIX(x) MIX(x) MIX(x) MIX(x)
#define MIX40(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x) MIX4(x)
#define MIX200(x) MIX40(x) MIX40(x) MIX40(x) MIX40(x) MIX40(x)
#define MOSTLY(condition, n) if (__builtin_expect(condition, 1)) seen = n;
#ifdef THUNKS
void hook(unsigned);
#else                                   /* a routine that is called once has no thunk */
#define CALL(n, x) ({ void hook##n(unsigned); hook##n(x); })
#define CALL_OF(n, x) CALL(n, x)
#define hook(x) CALL_OF(__COUNTER__, x)
#endif
volatile unsigned seen;
STATIC unsigned seldom(unsigned x) { hook(x); return x & 1 ? x * 5 : x + 3; }
STATIC void chosen(unsigned x)
{
    MOSTLY(x & 1, 1) MOSTLY(x & 2, 2) MOSTLY(x & 4, 4) hook(x);
}
STATIC unsigned often(unsigned x) { hook(x + 1); return x & 1 ? x * 7 : x + 9; }
STATIC unsigned cases(unsigned x) { hook(x + 2); return x & 1 ? x * 3 : x + 1; }
STATIC unsigned pointed(unsigned x) { hook(x + 3); return x & 1 ? x * 11 : x + 5; }
unsigned (*pointer)(unsigned) = pointed;
unsigned others(unsigned x) { hook(x + 4); return x & 1 ? x * 13 : x + 7; }
unsigned large(unsigned x, const unsigned char *s)
{
    hook(x);
    MIX200(x) MIX200(x) hook(x);
    return x;
}
unsigned middle(unsigned x, const unsigned char *s)
{
    hook(x);
    MIX40(x) MIX40(x) MIX40(x) hook(x);
    return x;
}
void busy(const unsigned char *s)
{
    for (; *s; s++) {
        MOSTLY(*s & 1, 1) MOSTLY(*s & 2, 2) MOSTLY(*s & 4, 4) hook(*s);
    }
}
unsigned turning(unsigned x, const unsigned char *s)
{
    for (; *s; s++) {
        MIX40(x) MIX40(x) MIX40(x) hook(x);
    }
    return x;
}
unsigned looping(unsigned x, const unsigned char *s)
{
    hook(x);
    MIX200(x) MIX200(x) x ^= 1;
    for (; *s; s++)
        x = x * 31 + *s;
    return x;
}
unsigned entered(unsigned x, const unsigned char *s)
{
    if (__builtin_expect(x == 77, 0))
        x = seldom(x), chosen(x);
    for (; *s; s++)
        switch (*s) {
        case 'a': x += 7; hook(x); break;
        case 'b': x = cases(x); break;
        case 'c': x ^= 99; hook(x * 3); break;
        case 'd': x *= 3; hook(x * 5); break;
        case 'e': x -= 5; hook(x * 7); break;
        case 'f': x >>= 1; hook(x * 9); break;
        case 'g': x <<= 1; hook(x * 11); break;
        case 'h': x ^= 15; hook(x * 13); break;
        default: x = often(x);
        }
    return x;
}
END_C
some_of '' -- -fPIC
for flags in "${chosen[@]}"; do
    ok "rates.c $flags" wpp-gcc -O2 $flags -c rates.c -o rates.o
    # How many events are out of line and inline, and how many of these jump over the runtime's
    # call: NAME OUT IN JUMPS.  How many out of line a branch goes straight to, and how many
    # additions to the number have a block and a jump of their own.
    objdump -dr --no-show-raw-insn rates.o | awk '
        /^[0-9a-f]+ </ { name = $2; gsub(/[<>:]/, "", name) }
        { sub(/:$/, "", $1) }
        $2 ~ /^j/ { target[$3] }
        /call.*<__wpp_event>/ { out[name]++; straight[name] += $1 in target }
        /cmpl +\$0x0,\(%r/ { inl[name]++ }
        $2 == "je" && last ~ /cmpl +\$0x0,\(%r/ { jumps[name]++ }
        $2 == "jmp" && last ~ /(add|sub) +\$0x[0-9a-f]+,%e[a-d]x/ { apart[name]++ }
        { last = $0 }
        END { for (n in out) names[n]; for (n in inl) names[n]
              for (n in names)
                  print n, out[n] + 0, inl[n] + 0, jumps[n] + 0, straight[n] + 0, apart[n] + 0 }' |
        sort > rates.events
    is "what is seldom called calls for its events $flags" \
        "$(grep '^seldom ' rates.events)" 'seldom 2 0 0 0 0'
    is "which need nothing more where the token is in the register, nor blocks for numbers $flags" \
        "$(grep '^chosen ' rates.events)" 'chosen 1 0 0 1 0'
    is "in a loop what mostly runs needs no additions $flags" \
        "$(grep '^busy ' rates.events)" 'busy 0 2 0 0 3'
    for name in often cases pointed others; do
        is "not $name $flags" "$(grep "^$name " rates.events)" "$name 0 2 0 0 0"
    done
    is "behind less work a jump is $flags" "$(grep '^middle ' rates.events)" 'middle 0 3 3 0 0'
    is "and within more of it in a loop $flags" \
        "$(grep '^turning ' rates.events | cut -d ' ' -f 4)" 1
    is "nor a loop, but what stands before and behind much work $flags" \
        "$(grep -e ^large -e ^looping rates.events | paste -sd,)" 'large 3 0 0 0 0,looping 2 1 0 0 0'
done

# What runs once calls, but not in loops.
cat > once.c <<'END_C'
void hook1(int), hook2(int), hook3(int);
int main(int argc, char **argv)
{
    hook1(argc);
    for (int i = 0; i < argc; i++)
        hook2(i);
    hook3(argc);
    return 0;
}
END_C
ok "once.c" wpp-gcc -O2 -c once.c -o once.o
objdump -dr --no-show-raw-insn once.o | sed '/<main>:/,/^$/!d' > once.main
# From a section of its own to that of __wpp_event, which is local.
is "main's events are calls" "$(grep -c 'R_X86_64_P.*[.]text-0x4$' once.main)" 3
is "but in its loop" "$(grep -c 'cmpl *\$0x0,(%r' once.main)" 1

# ---- Refusals ---------------------------------------------------------------------
plugin=$BUILD/lib/wpp/wpp.so
refusal() {
    local name=$1 pattern=$2

    shift 2
    if "$@" > /dev/null 2> err; then
        fail "$name" "was accepted"
    else
        like "$name" "$(grep -v 'compilation terminated' err)" "$pattern"
        is "$name: in one line" "$(grep -vc 'compilation terminated' err)" 1
    fi
}
refusal "a plugin argument that is none" "wpp-stage=lately. is not understood" \
        gcc -fplugin="$plugin" -fplugin-arg-wpp-stage=lately -c fib.c -o fib.o
refusal "a limit that is none" "wpp-limit=1. is not understood" \
        gcc -fplugin="$plugin" -fplugin-arg-wpp-limit=1 -c fib.c -o fib.o
refusal "an inlining that is none" "wpp-inline=some. is not understood" \
        gcc -fplugin="$plugin" -fplugin-arg-wpp-inline=some -c fib.c -o fib.o
refusal "a base that is none" "wpp-base=late. is not understood" \
        gcc -fplugin="$plugin" -fplugin-arg-wpp-base=late -c fib.c -o fib.o
refusal "32-bit code" "only x86-64" gcc -m32 -fplugin="$plugin" -c fib.c -o fib.o
refusal "early stage with LTO" "does not go with" \
        gcc -flto -fplugin="$plugin" -fplugin-arg-wpp-stage=early -c fib.c -o fib.o
refusal "early stage with transactions" "does not go with .-fgnu-tm" \
        gcc -fgnu-tm -fplugin="$plugin" -fplugin-arg-wpp-stage=early -c fib.c -o fib.o
other=
for major in 9 10 11 13 14; do
    [ -e "$BUILD/lib/wpp/wpp-$major.so" ] || ! command -v gcc-$major > /dev/null || other=gcc-$major
done
if [ -n "$other" ]; then
    refusal "$other, for which no plugin is built" "this is GCC .*but the plugin is built for GCC" \
            $other -fplugin="$plugin" -c fib.c -o fib.o
else
    skip "no second GCC is installed to be refused"
fi
done_testing
