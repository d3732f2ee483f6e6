/* SPDX-License-Identifier: MIT */
/* nested.c - traced handlers within each other, which do not all end as they began.
 * Prints how often each marked line was executed.
 *
 *   nested escape    the inner one jumps out, into the outer one
 *   nested memory    there is none for a chunk of the inner one's own, so that what it
 *                    does may be written over by what it interrupts: not counted */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

enum { OUTER_TURNS = 2000 };
static volatile long outer, inner, within, sink;
static int jumps;
static sigjmp_buf place;
static volatile sig_atomic_t may_jump;

static void inner_handler(int signal)
{
    (void)signal;
    inner++;                                        /* INNER */
    if (may_jump) {
        may_jump = 0;
        siglongjmp(place, 1);
    }
}

static __attribute__((noinline)) void interrupted_by_inner(void)
{
    if (sigsetjmp(place, 1) == 0) {
        may_jump = 1;
        raise(SIGVTALRM);
    }
}

/* Not where the inner one, of which it is the outer one for once, has only begun. */
static int inner_can_come(void)
{
    sigset_t blocked;

    sigprocmask(SIG_BLOCK, NULL, &blocked);
    return !sigismember(&blocked, SIGPROF);
}

static void outer_handler(int signal)
{
    long seen = inner;
    int waits;

    (void)signal;
    outer++;                                        /* OUTER */
    if (jumps)
        interrupted_by_inner();
    waits = seen > 0 && outer % 16 == 0 && inner_can_come();
    for (long i = 0; i < OUTER_TURNS || (waits && inner == seen); i++) {
        sink += i & 3 ? i : outer;                  /* WITHIN */
        within++;
    }
}

static void handle(int signal, void (*handler)(int), int timer, long microseconds)
{
    struct sigaction action;
    struct itimerval every = { { 0, microseconds }, { 0, microseconds } };

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(signal, &action, NULL);
    setitimer(timer, &every, NULL);
}

static void stop(int timer)
{
    struct itimerval off;

    memset(&off, 0, sizeof off);
    setitimer(timer, &off, NULL);
}

int main(int argc, char **argv)
{
    struct rlimit little = { 0, 0 };
    long i;

    jumps = argc > 1 && strcmp(argv[1], "escape") == 0;
    sink = argc > 2;                                /* the thread's first event */
    handle(SIGALRM, outer_handler, ITIMER_REAL, 300);
    if (!jumps) {
        while (outer < 1)
            sink++;
        setrlimit(RLIMIT_AS, &little);
        handle(SIGPROF, inner_handler, ITIMER_PROF, 1000);
    } else {
        handle(SIGVTALRM, inner_handler, ITIMER_PROF, 0);
    }
    for (i = 0; i < 2000000 || outer < 200; i++)
        sink += i & 5 ? i : inner;                  /* LOOP */
    stop(ITIMER_REAL);
    stop(ITIMER_PROF);
    printf("OUTER %ld\nWITHIN %ld\nLOOP %ld\n", outer, within, i);
    if (jumps)
        printf("INNER %ld\n", inner);
    return 0;
}
