/* SPDX-License-Identifier: MIT */
/* handler.c - a traced signal handler that interrupts traced code wherever it is.
 * Prints how often each marked line was executed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

static volatile long handled, work, sink;

static __attribute__((noinline)) void deeper(long n)
{
    while (n-- > 0)
        work++;                                     /* DEEPER */
}

static void handler(int signal)
{
    (void)signal;
    handled++;                                      /* HANDLED */
    deeper(handled % 50);
}

static __attribute__((noinline)) long leaf(long i)
{
    long sum = 0;
    for (long k = 0; k < (i & 7); k++)
        sum += k ^ i;                               /* LEAF */
    return sum;
}

int main(void)
{
    struct sigaction action;
    struct itimerval timer = { { 0, 50 }, { 0, 50 } };
    long leaves = 0, deep = 0, i;

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (i = 0; i < 3000000 || handled < 500; i++) {
        sink += leaf(i);                            /* LOOP */
        leaves += i & 7;
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long k = 1; k <= handled; k++)
        deep += k % 50;
    printf("HANDLED %ld\nDEEPER %ld\nLOOP %ld\nLEAF %ld\n", handled, deep, i, leaves);
    return deep != work;
}
