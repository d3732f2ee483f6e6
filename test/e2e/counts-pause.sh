#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 22
# Counting modes: what a program executes while recording is stopped does not count, however it ends; in a
# trace's file, in a FIFO and under wpp-record.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > library.c << 'END'
int of_library(int i)
{
    if (i % 2)
        __asm__ volatile("# odd");      /* 4 */
    else
        __asm__ volatile("# even");
    return i;
}
END
cat > prog.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wpp/control.h>
static volatile long sum;
static __thread jmp_buf env;
static pthread_barrier_t barrier;
static int (*f)(int);
static const char *how;
static int has(const char *word)
{
    return strstr(how, word) != NULL;
}
__attribute__((noipa)) static void step(int i)
{
    if (i & 1)
        sum++;                          /* odd */
    else
        sum += 2;                       /* even */
}
__attribute__((noipa)) static void jump(int i)
{
    if (i >= 0)
        longjmp(env, 1);
}
__attribute__((noipa)) static void leaves(int i)
{
    sum++;                              /* leaves */
    jump(i);
    sum++;
}
__attribute__((noipa)) static void work(int n)
{
    for (volatile int i = 0; i < n; i++) {
        step(i);
        if (f)
            f(i);
    }
    for (volatile int i = 0; i < n / 10; i++)
        if (!setjmp(env))
            leaves(i);
}
/* Each phase begins when all threads have ended the one before. */
static void phases(int number)
{
    int n[] = {100, 1000, 50, 2000, 20};

    for (int k = 0; k < 5; k++) {
        pthread_barrier_wait(&barrier);
        if (number == 0 && k % 2 == 1)
            has("signal") ? (void)raise(SIGUSR2) : wpp_stop();
        else if (number == 0 && k > 0)
            has("signal") ? (void)raise(SIGUSR2) : wpp_start();
        pthread_barrier_wait(&barrier);
        work(n[k]);
    }
    pthread_barrier_wait(&barrier);
}
static void *thread(void *number)
{
    phases((int)(long)number);
    return NULL;
}
static void library(const char *path)
{
    void *l;

    f = NULL;
    l = dlopen(path, RTLD_NOW);
    f = (int (*)(int))dlsym(l, "of_library");
    work(10);
    f = NULL;
    dlclose(l);
}
static void meanwhile(void)
{
    wpp_stop();
    wpp_stop();
    work(1000);
    if (has("fork") && fork() == 0) {
        work(500);
        wpp_start();
        work(30);
        if (has("twice")) {
            wpp_stop();
            work(500);
        }
        has("killed") ? raise(SIGKILL) : has("child_exit") ? exit(0) : _exit(0);
    }
    if (has("fork"))
        wait(NULL);
    if (has("kill,"))
        raise(SIGKILL);
    if (has("_exit,"))
        _exit(0);
    if (has("abort,"))
        abort();
    if (has("exec,"))
        execlp("true", "true", NULL);
    if (has("exit,"))
        exit(0);
    if (has("vfork,") && vfork() == 0)
        _exit(0);
}
int main(int argc, char **argv)
{
    pthread_t t[7];
    int threads = argc > 3 ? atoi(argv[3]) : 1;

    how = argv[1];
    if (has("phases")) {
        pthread_barrier_init(&barrier, NULL, (unsigned)threads);
        for (long k = 1; k < threads; k++)
            pthread_create(&t[k - 1], NULL, thread, (void *)k);
        phases(0);
        for (int k = 1; k < threads; k++)
            pthread_join(t[k - 1], NULL);
        return has("kill") ? raise(SIGKILL) : 0;
    }
    work(100);
    if (has("library"))
        library(argv[2]);
    meanwhile();
    if (has("library")) {
        library(argv[2]);
        dlopen(argv[2], RTLD_NOW);
    }
    wpp_start();
    work(50);
    if (has("library"))
        library(argv[2]);
    if (has("then_stop"))
        wpp_stop();
    if (has("then_stop"))
        library(argv[2]);
    return has("then_kill") ? raise(SIGKILL) : 0;
}
END
line() { wpp-dump --line-counts "$1" | sed -n "s/.*$2 //p"; }
complete() { wpp-info "$1" | awk '$1 == "complete" { print $2 ~ /^no/ ? "no" : "yes" }'; }
# said FILE: odd and even steps, activations that were left, library
said() {
    local n

    for n in odd even leaves; do
        echo -n "$(line "$1" "prog.c:$(sed -n "/[*] $n [*]/=" prog.c)") "
    done
    echo -n "$(line "$1" library.c:4) "
    complete "$1"
}
# counted WANT ARGUMENT...: what is said of a run of the program with these, wherever its trace goes
counted() {
    local want=$1 where

    shift
    for where in file recorder $fifo; do
        rm -rf one.* some.trace
        case $where in
        file)
            WPP_OUT=one.trace WPP_OPTIONS=$options run ./prog "$@" ;;
        fifo)
            cat pipe > one.trace &
            WPP_OUT=pipe WPP_OPTIONS=$options run ./prog "$@"
            wait $! ;;
        recorder)
            WPP_OPTIONS=$options run wpp-record -q --trace=one.trace -o one.wpp ./prog "$@" ;;
        esac
        [ $where = recorder ] || wpp-compress -fq -o one.wpp one.trace 2> note
        is "$mode, $where, $*${options:+, }$options" "$(said one.wpp)" "$want"
        "$BUILD/test/read-trace" one.trace > records 2>&1 || [ $? = 3 ] ||
            fail 'its records' "$(tail -n 1 records)"
    done
}

mkfifo pipe
for mode in paths edges calls-cut; do
    ok "$mode: a library is built" \
        "$WPP_GCC" -O2 -fplugin-arg-wpp-mode=$mode -fPIC -shared -o library.so library.c
    ok "$mode: a program is built" \
        "$WPP_GCC" -O2 -pthread -fplugin-arg-wpp-mode=$mode -o prog prog.c
    options= fifo=fifo
    counted '75 75 15  yes' return
    counted '85 85 17  yes' phases . 1
    counted '595 595 119  yes' phases . 7
    options=signal=USR2
    counted '595 595 119  yes' phases,signal . 7
    options=record=off
    counted '25 25 5  yes' return
    options=
    counted '75 75 15  yes' vfork,
    counted '85 85 17 10 yes' library ./library.so
    counted '85 85 17 10 yes' library,then_stop ./library.so
    counted '75 75 15  yes' fork
    counted '50 50 10  yes' exit,
    fifo=
    counted '85 85 17 10 yes' library,then_stop,then_kill ./library.so
    counted '595 595 119  yes' phases,kill . 7
    counted '75 75 15  yes' then_kill
    for end in kill _exit abort exec; do
        counted '50 50 10  yes' $end,
    done
    options=record=off
    counted '    yes' kill,
    options=
done
for how in fork fork,killed fork,child_exit fork,twice fork,twice,killed fork,twice,child_exit; do
    rm -rf one.*
    run wpp-record -q -o one.wpp ./prog $how
    is "a fork while recording is stopped: the child ($how)" "$(said one.wpp.d/*.wpp)" '15 15 3  yes'
    is "and the parent ($how)" "$(said one.wpp)" '75 75 15  yes'
done

# ---- Many counters --------------------------------------------------------------------------------

{
    echo '#include <signal.h>'
    echo '#include <wpp/control.h>'
    for k in $(seq 60); do
        echo "__attribute__((noinline)) void f$k(volatile int *a) {"
        for i in $(seq 12); do echo "if (a[$i]) a[0]++;"; done
        echo '}'
    done
    echo 'static void all(int n) { volatile int a[13] = {0}; for (int i = 0; i < n; i++) {'
    for k in $(seq 60); do echo "f$k(a);"; done
    echo '} } int main(int argc, char **argv) { all(30); wpp_stop(); all(500); if (argc == 2) return 0;'
    echo 'wpp_start(); all(7); if (argc > 3) raise(SIGKILL); return argv == 0; }'
} > large.c
ok 'a program of two regions' "$WPP_GCC" -O0 -fplugin-arg-wpp-mode=paths -o large large.c
for end in '30 stopped' '37 return now' '37 kill it now'; do
    for where in file recorder; do
        rm -f one.*
        case $where in
        file)     WPP_OUT=one.trace run ./large ${end#* }; wpp-compress -fq -o one.wpp one.trace ;;
        recorder) run wpp-record -q -o one.wpp ./large ${end#* } ;;
        esac
        is "$where, $end: each routine" "$(wpp-profile --paths --format=csv one.wpp | grep '"f[0-9]' |
            cut -d , -f 8 | sort | uniq -c | xargs) $(complete one.wpp)" "60 ${end%% *} yes"
    done
done

# ---- Kills ------------------------------------------------------------------------------------------

# Threads run a line each, by turns recorded and not.  What is recorded is counted in a file first.
{
    cat << 'END'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wpp/control.h>
enum { MOST = 4, APART = 8 };
static volatile int64_t *done;
static pthread_barrier_t barrier;
__attribute__((noipa)) static void step(long k)
{
    switch (k) {
#line 100
    case 0: __asm__ volatile("# 0"); break;
    case 1: __asm__ volatile("# 1"); break;
    case 2: __asm__ volatile("# 2"); break;
    case 3: __asm__ volatile("# 3"); break;
    }
}
static void switch_to(void (*stop_or_start)(void), long k)
{
    pthread_barrier_wait(&barrier);
    if (k == 0)
        stop_or_start();
    pthread_barrier_wait(&barrier);
}
static void *work(void *number)
{
    for (long k = (long)number;;) {
        for (int i = 0; i < 100; i++) {
            step(k);
            done[APART * k]++;
        }
        switch_to(wpp_stop, k);
        for (int i = 0; i < 200; i++)
            step(k);
        switch_to(wpp_start, k);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value.tv_nsec = argc > 2 ? 1000 * atol(argv[2]) + 1 : 0};
    int threads = atoi(argv[1]), fd = open("done", O_RDWR | O_CREAT | O_TRUNC, 0644);
    timer_t timer;
    pthread_t t;

    if (ftruncate(fd, 8 * MOST * APART) != 0)
        return 9;
    done = mmap(NULL, 8 * MOST * APART, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
        return 9;
    for (long k = 1; k < threads; k++)
        if (pthread_create(&t, NULL, work, (void *)k) != 0)
            return 9;
    work(NULL);
}
END
} > victim.c
# right: each line has been counted as often as its thread has done it, or once more.  A file of a process
# that was killed while it wrote a record may be said to be cut.
right() {
    wpp-dump --line-counts one.wpp > counted || [ "$where $?" = "file 3" ] || return 1
    as_done done counted
}
for mode in paths edges; do
    threads=1
    [ $mode = paths ] || threads=4
    ok "a program that is killed is built" \
        "$WPP_GCC" -O2 -pthread -fplugin-arg-wpp-mode=$mode -o victim victim.c
    for where in file recorder; do
        wrong=0
        for k in $(seq 50); do
            microseconds=$((RANDOM / 4))
            rm -f one.*
            case $where in
            file)     WPP_OUT=one.trace run ./victim $threads $microseconds
                      wpp-compress -fq -o one.wpp one.trace 2> note ;;
            recorder) run wpp-record -q -o one.wpp ./victim $threads $microseconds ;;
            esac
            right >> wrong.log 2>&1 || wrong=$((wrong + 1))
        done 2> killed
        is "$threads threads, $where: 50 kills while recording stops and starts: no count is wrong" $wrong 0
        [ $wrong = 0 ] || head -n 5 wrong.log | sed 's/^/# /'
    done
done

# ---- A signal from outside --------------------------------------------------------------------------

cat > endless.c << 'END'
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int64_t *done;
__attribute__((noipa)) static void step(void)
{
    __asm__ volatile("# step");         /* step */
}
int main(void)
{
    int fd = open("done", O_RDWR | O_CREAT | O_TRUNC, 0644);

    if (ftruncate(fd, 4096) != 0)
        return 9;
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (done[1] = getpid();; done[0]++)
        step();
}
END
ok 'an endless program' "$WPP_GCC" -O2 -fplugin-arg-wpp-mode=paths -o endless endless.c
number() { od -An -t d8 -j $((8 * $1)) -N 8 done | tr -d ' '; }
# later: what it has done is more than it was
later() {
    local before=$(number 0)

    for i in $(seq 200); do
        [ "$(number 0)" -gt $((before + 10000)) ] && return
        sleep 0.02
    done
    return 1
}
rm -f done one.*
wpp-record -q --signal=USR2 -o one.wpp ./endless 2> err &
recorder=$!
for i in $(seq 200); do [ -s done ] && [ "$(number 1)" -gt 0 ] && break; sleep 0.02; done
later
# What it had done before and after each signal.
for k in 1 2 3; do
    before[k]=$(number 0)
    kill -USR2 $recorder
    sleep 0.5
    after[k]=$(number 0)
    later
done
kill -9 "$(number 1)"
wait $recorder
got=$(line one.wpp "endless.c:$(sed -n '/[*] step [*]/=' endless.c)")
least=$((before[1] + before[3] - after[2]))
most=$((after[1] + after[3] - before[2] + 1))
ok "stopped, started and stopped: $got steps, at least $least, at most $most" \
    test "$got" -ge $least -a "$got" -le $most
is 'and it is complete' "$(complete one.wpp)" yes
like 'wpp-info says how often' "$(wpp-info one.wpp)" \
    '^stopped +2 times, as was asked for: [0-9.]+ s were not counted$'

# ---- The trace ------------------------------------------------------------------------------------

WPP_OUT=whole.trace ./prog return
"$BUILD/test/read-trace" whole.trace > records
like 'values come before each note' \
    "$(grep -o '^PAUSE_COUNTS\|^STOPPED\|^STARTED' records | uniq | tr '\n' ' ')" \
    'PAUSE_COUNTS STOPPED PAUSE_COUNTS STARTED'
# A process that is killed while it writes values has them in no record; its counters are all.
at=$(LC_ALL=C grep -obUaP 'WPPT\x01\x00\x13\x00' whole.trace | cut -d : -f 1 | sed -n 1p)
head -c $((at + 64 + 30)) whole.trace > cut.trace
wpp-compress -fq -o one.wpp cut.trace
is 'a trace that is cut within values' "$? $(said one.wpp)" '0 575 575 115  yes'
ok 'likewise for the other reader' "$BUILD/test/read-trace" cut.trace
head -c $((at + 30)) whole.trace > cut.trace
wpp-compress -fq -o one.wpp cut.trace 2> note
is 'one that is cut within a header is incomplete' "$(said one.wpp)" '575 575 115  no'
fails_with 3 'and for the other reader' "$BUILD/test/read-trace" cut.trace
wpp-compress -fq -o one.wpp whole.trace
run wpp-info one.wpp
like 'wpp-info says that recording was stopped' "$(cat "$T/out")" \
    '^stopped +1 time, as was asked for: [0-9.]+ s were not counted$'
done_testing
