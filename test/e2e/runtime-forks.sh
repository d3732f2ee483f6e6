#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# A child is recorded from its first event on, whether libc's fork, _Fork or a system call made
# it, and whatever signals come meanwhile.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# figures FILE...: of each, the events and whether they are all
figures() {
    local f

    for f; do
        wpp-info "$f" | awk '/^complete/ { c = $2 == "no:" ? "no" : "yes" } /^events/ { gsub(",", "", $2); e = $2 } END { print e, c }'
    done | sort | paste -sd'/'
}

# ---- Children of all kinds ------------------------------------------------------------

cat > kinds.c << 'END'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
static int events;
static const char *end;

__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) sum += i & 1; }
static void handler(int signal) { (void)signal; work(3); }

__attribute__((noinline)) static int child(void *unused)
{
    (void)unused;
    work(events);
    if (strchr(end, 's')) {
        raise(SIGUSR1);
        work(5);
    }
    if (strchr(end, 'x'))
        execl("/bin/true", "true", (char *)0);
    if (strchr(end, 'k'))
        kill(getpid(), SIGKILL);
    strchr(end, 'e') ? exit(0) : _exit(0);
}

/* KIND EVENTS END: three children, each of EVENTS events and some */
int main(int argc, char **argv)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t pid;

    (void)argc;
    events = atoi(argv[2]);
    end = argv[3];
    signal(SIGUSR1, handler);
    work(10);
    for (int i = 0; i < 3; i++) {
        switch (atoi(argv[1])) {
        case 0: pid = fork(); break;
        case 1: pid = _Fork(); break;
        case 2: pid = (pid_t)syscall(SYS_fork); break;
        case 3: pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); break;
        default: pid = clone(child, stack + sizeof stack, SIGCHLD, NULL);
        }
        if (pid == 0)
            child(NULL);
        waitpid(pid, NULL, 0);
    }
    return sum & 0;
}
END
for how in -O0 -O2 '-O2 -fPIC' '-O2 -fplugin-arg-wpp-stage=early'; do
    ok "kinds $how" "$WPP_GCC" $how -w -o kinds kinds.c
    for run in '0 _' '20 _' '20 e' '40000 _' '40000 se' '20 s' '20 x' '20 k'; do
        for kind in 0 1 2 3 4; do
            rm -rf all.wpp*
            wpp-record -q -o all.wpp ./kinds $kind $run
            ok "$how, kind $kind $run: in order" wpp-check --strict all.wpp all.wpp.d/*
            got=$(figures all.wpp.d/*)
            case $kind in
            0) want=$got
               is "$how, kind $kind $run: three children" "$(tr / '\n' <<< "$got" | grep -c yes)" 3 ;;
            # Whether its first path begins before or behind the call is GCC's affair.
            4) is "$how, kind $kind $run: three children" "$(tr / '\n' <<< "$got" | grep -c yes)" 3 ;;
            *) is "$how, kind $kind $run: as libc's" "${got//[0-9] yes/}" "${want//[0-9] yes/}" ;;
            esac
        done
    done
done
rm -f t.*
ok 'into files of their own' env WPP_OUT=t.%p.trace ./kinds 1 20 _
is 'one for each' "$(ls t.*.trace | wc -l)" 4
for f in t.*.trace; do wpp-compress -q -o "$f.wpp" "$f"; done
is 'all there' "$(figures t.*.wpp | grep -o yes | wc -l)" 4
ok 'into one: the parent alone' env WPP_OUT=one.trace ./kinds 1 40000 e
ok 'which is whole' wpp-compress -q -o one.wpp one.trace
is 'as it is with fork' "$(WPP_OUT=one.trace ./kinds 0 40000 e; wpp-compress -qf -o two.wpp one.trace; figures two.wpp)" \
    "$(figures one.wpp)"

# ---- Signals amid a call that makes a process ---------------------------------------------

# What the program has told its next event is not forgotten by a handler.
cat > alarms.c << 'END'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) sum += i & 1; }
static void handler(int signal) { (void)signal; work(3); }
int main(void)
{
    pid_t pid;

    signal(SIGALRM, handler);
    work(10);
    pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) {
        work(5);
        _exit(0);
    }
    return wait(0) != pid;
}
END
cat > raising.c << 'END'
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
/* As if the signal came when the kernel is about to be called. */
long syscall(long number, ...) { raise(SIGALRM); return number < 0 ? -1 : _Fork(); }
END
gcc -O1 -c raising.c
for how in -O0 -O2; do
    ok "a signal amid a call $how" "$WPP_GCC" $how -w -o alarms alarms.c raising.o
    rm -rf all.wpp*
    wpp-record -q -o all.wpp ./alarms
    is "a signal amid a call $how: there is a child" "$(ls all.wpp.d | wc -l)" 1
    ok "a signal amid a call $how: in order" wpp-check --strict all.wpp all.wpp.d/*
done

# ---- A library that makes a process and goes ----------------------------------------------

cat > maker.c << 'END'
#define _GNU_SOURCE
#include <unistd.h>
int make(void) { return _Fork(); }
END
cat > worker.c << 'END'
static volatile int sum;
int work(int n) { for (int i = 0; i < n; i++) sum += i & 1; return sum; }
END
cat > goes.c << 'END'
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
int work(int n);
int main(void)
{
    void *maker = dlopen("./maker.so", RTLD_NOW);
    int pid = ((int (*)(void))dlsym(maker, "make"))(), status;

    dlclose(maker);
    work(5);
    if (pid == 0)
        _exit(0);
    return waitpid(pid, &status, 0) != pid || status != 0;
}
END
for how in -O0 -O2; do
    ok "a library that makes a process $how" "$WPP_GCC" $how -fPIC -shared maker.c -o maker.so
    "$WPP_GCC" $how -fPIC -shared worker.c -o worker.so
    gcc goes.c ./worker.so -ldl -o goes
    rm -rf all.wpp*
    ok "a library that makes a process $how: and goes" wpp-record -q -o all.wpp ./goes
    ok "a library that makes a process $how: in order" wpp-check --strict all.wpp all.wpp.d/*
done

# ---- A recorder that has ended -----------------------------------------------------------

# A process makes a child when its recorder has enough, as it has found out; or ends before its
# child, which no traced code makes, has come to the runtime.
cat > ended.c << 'END'
#include <sys/wait.h>
#include <unistd.h>
int make(void);
static volatile int sum;
__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) sum += i & 1; }
int main(int argc, char **argv)
{
    for (int i = 0; i < 10 && argc > 1; i++) {
        work(40000);
        usleep(50000);
    }
    work(10);
    if (make() != 0)
        return argc > 1 && wait(0) < 0;
    if (argc == 1)
        sleep(1);
    work(40000);
    return argv[0] == 0;
}
END
cat > make.c << 'END'
#define _GNU_SOURCE
#include <unistd.h>
int make(void) { return _Fork(); }
END
gcc -O1 -c make.c
ok 'a program whose recorder ends' "$WPP_GCC" -O1 -o ended ended.c make.o
run wpp-record -q --limit=1000 -o ended.wpp ./ended limit
is 'that the recorder has enough is no news' "$status $(cat "$T/err")" '0 '
wpp-record -q -o ended.wpp ./ended 2> said | cat
like 'that it ended before it knew of a child is' "$(cat said)" \
    '^wpp: the recorder ended before it knew of a child'

# ---- A child in the same memory ----------------------------------------------------------

# Both come to the runtime with the same thread's variables: they take turns.
cat > shared.c << 'END'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum[2];
__attribute__((noinline)) static void work(int i) { for (int n = 0; n < 2000000; n++) sum[i] += n & 1; }
static int child(void *unused)
{
    (void)unused;
    work(1);
    _exit(0);
}
int main(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);

    work(0);
    return pid < 0 || wait(NULL) != pid;
}
END
ok 'a child in the same memory' "$WPP_GCC" -O1 -w -o shared shared.c
for i in 1 2 3; do
    run timeout -s KILL 60 wpp-record -q -o shared.wpp ./shared
    is 'a child in the same memory and its parent go on' \
        "$status $(grep -c 'internal error' "$T/err")" '0 0'
done

# ---- A signal before libc's handlers have run in the child -----------------------------

cat > early.c << 'END'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;
__attribute__((noinline)) static int child(int n) { for (int i = 0; i < n; i++) sum += i & 1; return 0; }
#ifdef UNTRACED
void handler(int signal);
void inner(void) { child(7); }
#else
static void handler(int signal) { (void)signal; child(7); }
#endif

int main(void)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);     /* the child has not run when it is signalled */
    signal(SIGUSR1, handler);
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(child(100));
        kill(pid, SIGUSR1);
        waitpid(pid, NULL, 0);
    }
    return 0;
}
END
cat > untraced.c << 'END'
void inner(void);
void handler(int signal) { (void)signal; inner(); }
END
gcc -O1 -c untraced.c
for how in -O0 -O1 '-O1 -DUNTRACED untraced.o'; do
    ok "early signal $how" "$WPP_GCC" $how -w -o early early.c
    rm -rf all.wpp*
    wpp-record -q -o all.wpp ./early
    is "early signal $how: twenty children" "$(ls all.wpp.d | wc -l)" 20
    # Where the handler is not traced, the child's event that it came amid may be lost (runtime.h).
    [ "$how" = "${how%untraced.o}" ] && strict=--strict || strict=
    ok "early signal $how: in order" wpp-check $strict all.wpp all.wpp.d/*
    # 100 turns; the handler's are there, or the child was over before it was signalled.
    got=$(figures all.wpp.d/* | tr / '\n' | sort -u)
    is "early signal $how: all that they did" "$(awk '$1 < 100 || $2 != "yes"' <<< "$got")" ''
    [ -z "$strict" ] || ok "early signal $how: with the handler, or without" test "$(wc -l <<< "$got")" -le 2
done

# ---- A handler that forks amid a loop ----------------------------------------------------

cat > amid.c << 'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long i, at = -1;
static volatile int a, b, child, raw;

static void handler(int signal)
{
    pid_t pid = raw ? _Fork() : fork();

    (void)signal;
    at = i;
    child = pid == 0;
}

int main(int argc, char **argv)
{
    struct itimerval once = {{0, 0}, {0, 10000}};

    (void)argv;
    raw = argc > 1;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &once, NULL);
    for (i = 0; i < 20000000; i++)
        if (i & 1)
            a++;
        else
            b++;
    if (child) {
        dprintf(1, "%ld\n", at);
        _exit(0);
    }
    wait(NULL);
    return 0;
}
END
ok 'a handler that forks' "$WPP_GCC" -O2 -o amid amid.c
for how in '' raw; do
    rm -rf all.wpp*
    at=$(wpp-record -q -o all.wpp ./amid $how)
    ok "amid a loop $how: in order" wpp-check --strict all.wpp all.wpp.d/*
    events=$(figures all.wpp.d/*)
    # Which of a turn's variable and its event comes first is GCC's affair; so is what is around.
    off=$((20000000 - at - ${events% yes}))
    [ "$off" -ge -9 ] && [ "$off" -le 9 ] && pass "amid a loop $how: each turn behind" ||
        fail "amid a loop $how: each turn behind" "$events, from turn $at"
done
done_testing
