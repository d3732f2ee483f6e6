/* SPDX-License-Identifier: MIT */
/* threads.c - threads whose handlers jump out, one after another.  Prints how often the
 * marked line was executed. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

enum { THREADS = 100, JUMPS = 3 };
static __thread sigjmp_buf place;
static volatile long handled;

static void handler(int signal)
{
    (void)signal;
    handled++;                                      /* HANDLED */
    siglongjmp(place, 1);
}

static __attribute__((noinline)) void jump(void)
{
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
}

static void *thread(void *unused)
{
    for (int i = 0; i < JUMPS; i++)
        jump();
    return unused;
}

int main(void)
{
    pthread_t t;

    signal(SIGUSR1, handler);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, thread, NULL);
        pthread_join(t, NULL);
    }
    printf("HANDLED %ld\n", handled);
    return 0;
}
