# SPDX-License-Identifier: MIT
# wpp-dump --line-counts compared with gcov, line by line, of traces and counts, without optimisation
# and with stage=early.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
if ! command -v gcov > /dev/null; then
    skip 'no gcov here'
    done_testing
fi

# gcov_counts SOURCE...: `file:line count` of each executed line, of all units together.
gcov_counts() {
    gcov --stdout "$@" 2> /dev/null | awk '
        # Copies of a routine follow the totals of their lines, between rules.
        /^-----/ { copy = 1; next }
        { split($0, field, ":"); count = field[1]; line = field[2] + 0 }
        count ~ /^ *-$/ && line == 0 && field[3] == "Source" {
            file = substr($0, index($0, "Source:") + 7); copy = 0; last = 0; next
        }
        copy && line > last { copy = 0 }
        !copy { last = line }
        !copy && count ~ /^ *[0-9]+\*?$/ { sub(/\*/, "", count); print file ":" line, count + 0 }
    ' | awk '$2 > 0' | sort
}

# compare NAME SOURCE...: runs both builds by names of equal length, at $level; gcov's is
# compiled with $others.
# Counts are compared, too, of those that `modes` names.
level=-O0 others=-g modes='calls-cut paths edges'
compare() {
    local name=$1 source units=()

    shift
    rm -f -- *.gcda *.gcno
    for source; do
        gcc $level $others -w --coverage -c "$source" -o "${source%.*}.o" 2> gcc.err || return 1
        units+=("${source%.*}")
    done
    gcc --coverage "${units[@]/%/.o}" -lstdc++ -o "$name.g" && ./"$name.g" > gcov.out 2>&1
    gcov_counts "${units[@]/%/.gcda}" > "$name.want"
    for mode in $modes trace; do
        compare_mode "$name" $mode "$@"
    done
}

compare_mode() {
    local name=$1 mode=$2

    "$WPP_GCC" $level -g -w -fplugin-arg-wpp-mode=$mode "${@:3}" -lstdc++ -o "$name.w" &&
        WPP_OUT=$name.trace ./"$name.w" > wpp.out 2>&1
    wpp-compress -qf -o "$name.wpp" "$name.trace"
    wpp-dump --line-counts "$name.wpp" | sort > "$name.got"
    same "$name, $mode: does the same as without" gcov.out wpp.out
    if [ -s "$name.want" ] && diff "$name.want" "$name.got" > diff; then
        pass "$name, $mode: the counts of $(wc -l < "$name.got") lines are gcov's"
    else
        fail "$name, $mode: counts differ from gcov's" "$(cat diff)"
    fi
}

# ---- Loops, branches, switches, gotos, jumps, signals, calls that do not return
cat > mix.c <<'END_C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf env;
static void *buffer[5];
static volatile int signals;

static void on_signal(int n) { signals += n; }
static int deep(int n) { if (n == 0) longjmp(env, 7); return deep(n - 1) + 1; }
static int even(int n); static int odd(int n) { return n ? even(n - 1) : 0; }
static int even(int n) { return n ? odd(n - 1) : 1; }

static void jump_back(void) { __builtin_longjmp(buffer, 1); }

static int jump(int n)
{
    int r;
    for (int i = 0; i < 3; i++) {
        r = setjmp(env);
        if (r == 0)
            deep(n);
        else
            r += i;
    }
    return r;
}

/* A round that is never closed, on the line of what runs in it. */
static int leave(int n)
{
    int last = 0;

    if (__builtin_setjmp(buffer) == 0)
        while (1) {
            last = n;
            jump_back();
        }
    return last;
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int computed(const char *s)
{
    static void *const table[] = {&&add, &&sub, &&end};
    int acc = 0;
    goto *table[*s++ - 'a'];
add:
    acc += 2; goto *table[*s++ - 'a'];
sub:
    acc--;
    goto *table[*s++ - 'a'];
end:
    return acc;
}

/* Its first block is a loop's, so the way in is a block of its own where edges are counted. */
static int again(int n)
{
from_here:
    if (n-- > 3)
        goto from_here;
    return n;
}

static int choose(int n)
{
    switch (n) {
    case 1:
    case 2:
        return 5;
    case 3: n++;
        /* fall through */
    case 4:
        n *= 2;
        break;
    case 100 ... 200:
        n = 0; break;
    default:
        if (n & 1) goto out;
        n = -n;
    }
    do n--; while (n > 10);
out:
    return n;
}

static int loops(int n)
{
    int a = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (j & 1) a++; else a--;
    while (n-- > 0 && a < 1000) a += n % 3 ? 1 : n % 5 ? 2 : 3;
    return a > 3 && n < 5 ? a : n;
}

int main(int argc, char **argv)
{
    int v[] = {5, 2, 9, 1}, sum = 0;
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    sum += jump(4) + leave(4) + even(10) + computed("aababac") + again(9);
    qsort(v, 4, sizeof *v, compare);
    for (int i = 0; i < 250; i += 1 + i / 7) sum += choose(i);
    sum += loops(9);
    printf("%d %d\n", sum, v[0]);
    if (argc > 1)
        abort();
    exit(argc - 1);
}
END_C
compare mix mix.c

# ---- Several units, copies of one inline function ----------------------------
cat > shared.h <<'END_C'
static inline int twice(int x)
{
    if (x > 10) return x;
    for (int i = 0; i < x; i++)
        if (i % 2) continue; else x++;
    return x + x;
}
#define BIGGER(a, b) ((a) > (b) ? (a) : (b))
END_C
cat > one.c <<'END_C'
#include "shared.h"
int other(int n);
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += BIGGER(twice(i), other(i));
        if (sum > 100) sum -= other(sum % 7);
    }
    return sum == 12345;
}
END_C
cat > two.c <<'END_C'
#include "shared.h"
static int counter;
int other(int n)
{
    counter += n & 1 ? twice(n) : twice(n + 1) + twice(n + 2);
    return counter % 17;
}
END_C
compare units one.c two.c

# ---- A program that ends deep inside ------------------------------------------
cat > ends.c <<'END_C'
#include <stdlib.h>
#include <unistd.h>
static void down(int n)
{
    while (1) {
        if (n-- == 0)
            exit(0);
        n > 3 ? down(n) : down(0);
    }
}
static void bye(void) { for (int i = 0; i < 3; i++) write(1, "x", 1); }
int main(void)
{
    atexit(bye);
    down(9);
    return 1;
}
END_C
compare ends ends.c

# ---- C++: routines nobody wrote are no copies of the lambda they stand beside --------
cat > lambda.cc <<'END_C'
struct name {
    int n;
    name(int n) : n(n) {}
    name(const name &other) : n(other.n) {}
    ~name() { n = 0; }
};
template<typename T> static int count(int n, T f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}
int main()
{
    name sought(3);
    int found = count(20,
        [=](int i) {
            return i % 5 == sought.n;
        });
    found += count(3, [=](int i) { return i == sought.n; }) + count(4, [](int) { return 1; });
    return found != 8;
}
END_C
compare lambda lambda.cc

# ---- C++: what is destroyed on the way of an exception is a block of its line ---------
cat > pads.cc <<'END_C'
struct part {
    int n;
    part(int n) : n(n) {}
    part(const part &other) : n(other.n) {}
    ~part() { n = 0; }
};
struct first {
    int n;
    first(const part &p) : n(p.n) { if (n == 77) throw 1; }
    ~first() { n = 1; }
};
template<typename... T> static int make(T &&... t)
{
    if (sizeof...(t) > 10) throw 1;
    return sizeof...(t);
}
static int call(const part &p)
{
    return make(
        p.n,
        first(p),
        first(p),
        false,      // in gcov only the pad that ends its life belongs to this line
        p,
        true
    ) < 0;
}
int main()
{
    int caught = 0;
    for (int i = 75; i < 80; i++)
        try {
            caught += call(part(i));
        } catch (int n) {
            caught += n;
        } catch (...) {
            return 1;
        }
    return caught != 1;
}
END_C
compare pads pads.cc

# ---- stage=early: what GCC knows of callees changes the graph, also that of gcov ----------
# Behind calls of const functions the graph is cleaned up, and `term` is a block of its own.
# Before gcov counts GCC inlines and optimises, if it may.
level=-O1
others='-g0 -fdisable-tree-einline -fdisable-tree-early_optimizations'
export WPP_PLUGIN_ARGS=stage=early
cat > scan.c <<'END_C'
extern unsigned weight(int c) __attribute__((const));
static int heavy(int c) { return weight(c) > 40; }
static int scan(const char *z, int wait)
{
    int c, n = 0;
plain:
    if (wait == 0) {
        while ((c = *z++) != 0) {
            if (weight(c) == 0)
                continue;
            if (c == '"') {
                wait = c;
                goto term;
            }
            n++;
        }
    } else {
term:
        while ((c = *z++) != 0) {
            if (c == wait) {
                switch (wait) {
                case '*':
                    if (*z != '/')
                        continue;
                    ++z;
                    wait = 0;
                    goto plain;
                case '"':
                    wait = 0;
                    goto plain;
                }
            }
        }
    }
    return n;
}
int main(void)
{
    return heavy(41) + scan("ab \"cd\" x \"yy\"z", 0) + scan("a* b*/bb\"c\"d", '*') != 7;
}
END_C
echo 'unsigned weight(int c) { return c == 32 ? 0 : c; }' > weight.c
modes=edges
compare scan scan.c weight.c
modes=
compare mix mix.c
compare units one.c two.c
compare lambda lambda.cc
compare pads pads.cc
compare ends ends.c
level=-O0 others=-g
unset WPP_PLUGIN_ARGS
compare mix mix.c

# ---- Ranges ---------------------------------------------------------------------
n=$(wpp-dump --tokens mix.wpp | wc -c)
n=$((n / 4))
is 'the whole range counts as all' \
    "$(wpp-dump --line-counts --range=0:$n mix.wpp | sort | cmp - mix.got && echo yes)" yes
wpp-dump --line-counts --range=0:1 mix.wpp > got
like 'a range counts only its own' "$(cat got)" '^mix.c:[0-9]+ 1$'
is 'and nothing else' "$([ "$(wc -l < got)" -lt 12 ] && echo yes)" yes
done_testing
