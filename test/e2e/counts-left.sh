#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# Activations that are left in a call: by exit and its kind, longjmp, exceptions, the end of a thread.
# A path that goes on behind the call is counted up to there.  So each block has the same count as where
# calls end paths, and no flow is missing.
. "$(dirname "$0")/lib.sh"

# profile NAME MODE LEVEL FILE ARGUMENT...: $T/NAME.MODE.wpp
profile() {
    local name=$1 mode=$2 level=$3 file=$4 compiler=$WPP_GCC
    shift 4

    [ "${file##*.}" != cc ] || compiler=$WPP_GXX
    "$compiler" -g -pthread $how "-O$level" "-fplugin-arg-wpp-mode=$mode" -fchecking -o "$T/$name" "$file"
    rm -f "$T/trace"
    WPP_OUT=$T/trace "$T/$name" "$@" > "$T/out.$mode" 2> "$T/err.$mode"
    echo "status $?" >> "$T/out.$mode"
    wpp-compress -fq -o "$T/$name.$mode.wpp" "$T/trace" 2>> "$T/err.$mode"
}
blocks() { wpp-profile --blocks --format=csv "$1" | grep -v '^kind' | sort; }

# equal NAME FILE ARGUMENT...: blocks are the same in all modes
how=
equal() {
    local name=$1 level mode
    shift

    for level in 0 2; do
        for mode in calls-cut paths edges; do
            profile "$name" $mode $level "$@"
        done
        for mode in paths edges; do
            is "$name $how: -O$level: what it prints, $mode" "$(cat "$T/out.$mode")" "$(cat "$T/out.calls-cut")"
            is "$name $how: -O$level: no complaint, $mode" "$(cat "$T/err.$mode")" ''
            is "$name $how: -O$level: blocks, $mode" "$(blocks "$T/$name.$mode.wpp")" \
                "$(blocks "$T/$name.calls-cut.wpp")"
        done
    done
}

# ---- Jumps and ends ------------------------------------------------------------------------------

cat > "$T/jumps.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static jmp_buf env;
static sigjmp_buf other;
static const char *end;
static void finish(void)
{
    fflush(stdout);
    if (!strcmp(end, "exit")) exit(3);
    if (!strcmp(end, "_exit")) _exit(3);
    if (!strcmp(end, "_Exit")) _Exit(3);
    if (!strcmp(end, "quick_exit")) quick_exit(3);
    if (!strcmp(end, "abort")) abort();
}
__attribute__((noinline)) static void last(int n)
{
    if (n == 7)
        finish();
    if (n == 2)
        longjmp(env, 1);
    if (n == 3)
        siglongjmp(other, 1);
    printf("n %d\n", n);
}
__attribute__((noinline)) static int middle(int a, int n)
{
    int r = 1;

    if (a & 1)
        r++;
    if (a & 2)
        r += 5;
    last(n);
    if (a & 4)
        r *= 2;
    return r;
}
__attribute__((noinline)) static int deep(int depth, int a)
{
    if (depth == 0)
        return middle(a, 7);
    if (a % 3)
        a += 2;
    return deep(depth - 1, a + 1) + depth;
}
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    if (x == 13 && y != 13)
        last(2);
    return x - y;
}
static void on_signal(int signal)
{
    last(signal == SIGUSR1 ? 3 : 1);
}
__attribute__((noinline)) static int signalled(int a)
{
    int r = a;

    if (a & 1)
        r *= 3;
    raise(SIGUSR1);
    if (a & 2)
        r++;
    return r;
}
__attribute__((noinline)) static int tried(int i)
{
    static int numbers[] = {5, 3, 13, 9, 1};

    if (!setjmp(env)) {
        if (i == 8)
            qsort(numbers, 5, sizeof *numbers, compare);
        return middle(i, i < 8 ? i % 3 : 0);
    }
    return -1;
}
__attribute__((noinline)) static int tried_signal(int i)
{
    return sigsetjmp(other, 1) ? -2 : signalled(i);
}
int main(int argc, char **argv)
{
    int sum = argc;

    end = argv[1];
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 10; i++)
        sum += tried(i) + tried_signal(i);
    printf("%d\n", sum);
    sum += deep(atoi(argv[2]), 4);
    return sum & 1;
}
END
equal jumps "$T/jumps.c" return 5
equal jumps "$T/jumps.c" exit 5
equal deep "$T/jumps.c" exit 30000
for end in _exit _Exit quick_exit abort; do
    for mode in calls-cut paths edges; do
        profile ends $mode 2 "$T/jumps.c" $end 5
    done
    for mode in paths edges; do
        is "$end: blocks, $mode" "$(blocks "$T/ends.$mode.wpp")" "$(blocks "$T/ends.calls-cut.wpp")"
    done
done
like 'a path that was left is said to be' "$(wpp-profile --paths --routine=middle "$T/jumps.paths.wpp")" \
    'middle, path [0-9]+ until block [0-9]+, left in its call'
is 'wpp-check finds nothing' "$(wpp-check "$T/jumps.paths.wpp" "$T/jumps.edges.wpp" |
    grep -c fine)" 2
is 'the second reader has the same paths' \
    "$("$BUILD/test/read-wpp" --counts "$T/jumps.paths.wpp" | sed 1d | sort)" \
    "$(wpp-profile --paths --format=csv "$T/jumps.paths.wpp" | sed 1d | tr -d '"\r' |
        awk -F, '{ print $3, $6, $8, $NF }' | sort)"
"$BUILD/test/read-trace" "$T/trace" > "$T/records"
like 'the second reader of traces finds the slots' "$(cat "$T/records")" 'SLOT token=[0-9]+ block=[0-9]+ times='
wpp-profile --merge -fo "$T/sum.wpp" "$T/jumps.paths.wpp" "$T/ends.paths.wpp" "$T/jumps.paths.wpp"
is 'left paths add up' \
    "$(for f in sum jumps.paths ends.paths; do
        wpp-profile --paths --top=1000 --routine=middle "$T/$f.wpp" |
            awk '/left in/ { n += $(NF - 9) } END { print n }'
    done | paste -sd' ' | awk '{ print $1 - 2 * $2 - $3 }')" 0

# ---- Exits within libc, programs without the shared unwinder -------------------------------------

# ---- Gotos to another function, and GCC's own longjmp ---------------------------------------------

cat > "$T/gotos.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int sum;
static void *env[5];
static int down(int n, int by)
{
    __label__ out;
    void step(int k)
    {
        if (k == by)
            goto out;
        step(k - 1);
        sum++;
    }
    step(n);
    sum += 100;
out:
    return sum;
}
static __attribute__((noinline)) void leap(int k)
{
    if (k == 0)
        __builtin_longjmp(env, 1);
    leap(k - 1);
    sum++;
}
/* The call's block and the one behind it do not lie side by side. */
static __attribute__((noinline)) int apart(int k)
{
    if (k & 1)
        leap(k);
    else
        exit(sum & 1);
    return k;
}
int main(void)
{
    volatile int i;
    for (i = 0; i < 20; i++)
        down(i, i / 2);
    for (i = 1; i < 40; i += 2)
        if (!__builtin_setjmp(env))
            apart(i);
    printf("%d\n", sum);
    return apart(2);
}
END
lines() { wpp-dump --line-counts "$1" | sort; }
# With -fcf-protection the saved stack pointer stands elsewhere.
for level in 0 2 '0 -fcf-protection' '2 -fcf-protection'; do
    how="${level#?}"
    for mode in calls-cut paths edges; do
        profile gotos $mode ${level%% *} "$T/gotos.c"
    done
    is "gotos: -O$level: all is recorded" "$(lines "$T/gotos.calls-cut.wpp" | wc -l | grep -c '[12].')" 1
    for mode in paths edges; do
        is "gotos: -O$level: what it prints, $mode" "$(cat "$T/out.$mode")" "$(cat "$T/out.calls-cut")"
        is "gotos: -O$level: lines, $mode" "$(lines "$T/gotos.$mode.wpp")" "$(lines "$T/gotos.calls-cut.wpp")"
    done
done
how=

cat > "$T/errx.c" <<'END'
#include <err.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int middle(int a)
{
    int r = 1;

    if (a & 1)
        r++;
    if (a == 5)
        errx(3, "end");
    if (a & 2)
        r += 5;
    return r;
}
__attribute__((noinline)) static int outer(int a)
{
    int r = 0;

    if (a & 4)
        r++;
    r += middle(a);
    return a & 2 ? r + 1 : r;
}
__attribute__((noinline)) static void child(int a)
{
    if (a & 1)
        a++;
    _exit(a & 127);
}
int main(int argc, char **argv)
{
    int s = 0, status;

    for (int i = 0; i < 20; i++) {
        if (vfork() == 0)
            child(i);
        wait(&status);
        s += status;
    }
    printf("%d\n", s);
    for (int i = 1; i < 9; i++)
        s += outer(i);
    return s;
}
END
sed -i 's/errx(3, "end")/(fflush(stdout), errx(3, "%s", ""))/' "$T/errx.c"
for level in 0 2; do
    for mode in calls-cut paths edges; do
        profile errx $mode $level "$T/errx.c"
    done
    is "exit is called by libc, -O$level" "$(blocks "$T/errx.paths.wpp")" "$(blocks "$T/errx.calls-cut.wpp")"
    is "the same, edges, -O$level" "$(blocks "$T/errx.edges.wpp")" "$(blocks "$T/errx.calls-cut.wpp")"
done
how=-static equal static "$T/jumps.c" exit 5
! check_all || how='-static-pie -fPIE' equal static-pie "$T/jumps.c" exit 5
how='-fomit-frame-pointer -mforce-drap -maccumulate-outgoing-args' equal drap "$T/jumps.c" exit 5
! check_all || how='-fno-omit-frame-pointer -fno-ipa-ra -flto' equal lto "$T/jumps.c" exit 5
how=-fno-asynchronous-unwind-tables
profile untabled paths 2 "$T/jumps.c" exit 5
like 'code without unwind tables: the path is unknown, and it is said' "$(cat "$T/err.paths")" \
    'left in a call, on paths that are not known'
how=

# ---- Exceptions and threads ------------------------------------------------------------------------

cat > "$T/throws.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
__attribute__((noinline)) int inner(int n)
{
    if (n % 3 == 0)
        throw std::runtime_error("x");
    return n;
}
__attribute__((noinline)) int passed(int n, int a)
{
    int r = 0;

    if (a & 1)
        r++;
    if (a & 2)
        r += 7;
    r += inner(n);
    if (a & 4)
        r *= 3;
    return r;
}
struct noisy { int &n; ~noisy() { n++; } };
__attribute__((noinline)) int cleaned(int n, int &k)
{
    noisy x{k};
    int r = n > 5 ? 2 : 1;

    return r + passed(n, n);
}
__attribute__((noinline)) int mixed(int n)
{
    int k = 0, r = 0;

    if (n & 1)
        r = passed(n, n + 1);
    try {
        r += cleaned(n, k);
    } catch (std::logic_error &) {
        r = 9;
    }
    if (n & 2)
        r += passed(n + 1, n);
    return r + k;
}
int main()
{
    int caught = 0, sum = 0;

    for (int i = 0; i < 20; i++)
        try {
            sum += mixed(i);
        } catch (std::exception &) {
            caught++;
        }
    std::printf("%d %d\n", caught, sum);
    passed(1, 5);
    if (sum)
        std::exit(0);
}
END
equal throws "$T/throws.cc"

cat > "$T/threads.c" <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>
static sem_t ready;
__attribute__((noinline)) static void stop(long n)
{
    if (n & 1)
        pthread_exit(NULL);
    sem_post(&ready);
    for (;;)
        pause();
}
__attribute__((noinline)) static long through(long n, long a)
{
    if (a & 1)
        n += 2;
    stop(n);
    return a;
}
static void *work(void *argument)
{
    long n = (long)argument;

    if (n > 3)
        through(n, n / 2);
    else
        through(n, n);
    return NULL;
}
int main(void)
{
    pthread_t t;

    sem_init(&ready, 0, 0);
    for (long i = 0; i < 8; i++) {
        pthread_create(&t, NULL, work, (void *)i);
        if (!(i & 1)) {
            sem_wait(&ready);
            pthread_cancel(t);
        }
        pthread_join(t, NULL);
    }
    puts("ended");
    return 0;
}
END
equal threads "$T/threads.c"

# A handler may interrupt malloc, and a sandbox may forbid to open files: what the runtime needs of
# libgcc is there before main.
cat > "$T/loaded.c" <<'END'
#include <stdio.h>
#include <string.h>
__attribute__((noinline)) static int has(FILE *maps)
{
    char line[4096];

    while (fgets(line, sizeof line, maps))
        if (strstr(line, "libgcc_s"))
            return 1;
    return 0;
}
int main(void)
{
    printf("%d\n", has(fopen("/proc/self/maps", "r")));
    return 0;
}
END
profile loaded paths 0 "$T/loaded.c"
is 'libgcc is loaded when main begins' "$(head -n 1 "$T/out.paths")" 1
profile loaded calls-cut 0 "$T/loaded.c"
is 'but not where calls end paths' "$(head -n 1 "$T/out.calls-cut")" 0

# ---- Where slots are kept ----------------------------------------------------------------------------

profile recorded paths 2 "$T/jumps.c" exit 5
wpp-record -qo "$T/file.wpp" "$T/recorded" exit 5 > /dev/null
is 'wpp-record has the same paths' "$(wpp-profile --paths --format=csv "$T/file.wpp" | sort)" \
    "$(wpp-profile --paths --format=csv "$T/recorded.paths.wpp" | sort)"
cat > "$T/many.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static jmp_buf env;
static volatile int k;
__attribute__((noinline)) static void back(void) { longjmp(env, 1); }
#define BIT(n) if (bits & (1 << n)) k++;
__attribute__((noinline)) static void bits_of(int bits)
{
    BIT(0) BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10)
    back();
    k++;
}
int main(int argc, char **argv)
{
    for (volatile int i = 0; i < 6144; i++)
        if (!setjmp(env))
            bits_of(i % 2048);
    if (argc > 1)
        raise(SIGKILL);
}
END
profile many paths 2 "$T/many.c" kill
is 'more paths than a window has slots, of a killed program' \
    "$(wpp-profile --paths --format=csv --routine=bits_of "$T/many.paths.wpp" |
        awk -F, '/^path/ { n[$8]++ } END { for (i in n) print i, n[i] }')" '3 2048'
run wpp-check "$T/many.paths.wpp"
like 'the profile of it is fine' "$(cat "$T/out" "$T/err")" 'fine'
done_testing
