// SPDX-License-Identifier: MIT
// Threads, each with a stream of its own: returning, leaving by pthread_exit deep
// in calls, cancelled with handlers on its stack.
//+ -pthread
#include <pthread.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static int cleaned;

NOINLINE static long work(long n)
{
    return n < 2 ? n : work(n - 1) ^ work(n - 2);
}

static void *returns(void *n)
{
    return (void *)(work((long)n) + 1);
}

NOINLINE static void deep(long n)
{
    if (n == 0)
        pthread_exit((void *)9);
    deep(n - 1);
    puts("never");
}

static void *exits(void *n)
{
    deep((long)n);
    return NULL;
}

NOINLINE static void clean(void *n)
{
    cleaned += (int)(long)n;
}

NOINLINE static void wait_for_ever(void)
{
    for (;;)
        pthread_testcancel();
}

static void *is_cancelled(void *n)
{
    pthread_cleanup_push(clean, n);
    wait_for_ever();
    pthread_cleanup_pop(0);
    return NULL;
}

NOINLINE static long join(pthread_t thread)
{
    void *result;

    pthread_join(thread, &result);
    return (long)result;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, NULL, returns, (void *)3);
    long first = join(a);
    pthread_create(&b, NULL, exits, (void *)2);
    long second = join(b);
    pthread_create(&c, NULL, is_cancelled, (void *)5);
    pthread_cancel(c);
    long third = join(c);
    printf("%ld %ld %d %d\n", first, second, third == (long)PTHREAD_CANCELED, cleaned);
    return 0;
}
//= 1 9 1 5
//> thread
//> exits ~
//>   deep ~
//>     deep ~
//>       deep ~
//> thread
//> is_cancelled ~
//>   wait_for_ever ^
//>   clean
//> thread
//> main
//>   join
//>   join
//>   join
//> thread
//> returns
//>   work
//>     work
//>       work
//>       work
//>     work
