/* SPDX-License-Identifier: MIT */
/* fork.c - a traced handler forks; both processes go on where it came.  Each prints its
 * number, and how often the marked line is executed in calls that began after the fork. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 300000, TURNS = 8 };
static volatile long calls, sink, calls_at_fork = -1;
static pid_t child;

static void handler(int signal)
{
    (void)signal;
    if (calls_at_fork < 0 && calls > 1000) {
        calls_at_fork = calls;
        child = fork();
    }
}

static __attribute__((noinline)) void work(void)
{
    for (long i = 0; i < TURNS; i++)
        sink += i & 3 ? i : calls;                  /* TURN */
}

int main(void)
{
    struct sigaction action;
    struct itimerval timer = { { 0, 100 }, { 0, 100 } };

    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (calls < CALLS || calls_at_fork < 0) {
        calls++;
        work();
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    if (child > 0) {
        waitpid(child, NULL, 0);
        calls_at_fork = 0;
    }
    printf("%d %ld\n", (int)getpid(), (calls - calls_at_fork) * TURNS);
    return 0;
}
