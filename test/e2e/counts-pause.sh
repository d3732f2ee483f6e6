#!/bin/bash
# SPDX-License-Identifier: MIT
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
# counted WANT WORDS... [OPTION=... for the runtime first]
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
        "$BUILD/test/read-trace" one.trace > records 2>&1 || [ $? = 3 ] || fail 'its records' "$(tail -n 1 records)"
    done
}

mkfifo pipe
for mode in paths edges calls-cut; do
    ok "$mode: a library is built" "$WPP_GCC" -O2 -fplugin-arg-wpp-mode=$mode -fPIC -shared -o library.so library.c
    ok "$mode: a program is built" "$WPP_GCC" -O2 -pthread -fplugin-arg-wpp-mode=$mode -o prog prog.c
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

# Between the values and the note that says what they are for, the trace may end: they are ignored.
WPP_OUT=whole.trace ./prog return
"$BUILD/test/read-trace" whole.trace > records
like 'values come before each note' "$(grep -o '^PAUSE_COUNTS\|^STOPPED\|^STARTED' records | uniq | tr '\n' ' ')" \
    'PAUSE_COUNTS STOPPED PAUSE_COUNTS STARTED'
wpp-compress -fq -o one.wpp whole.trace
run wpp-info one.wpp
like 'wpp-info says that recording was stopped' "$(cat "$T/out")" \
    '^stopped +1 time, as was asked for: [0-9.]+ s were not counted$'
done_testing
