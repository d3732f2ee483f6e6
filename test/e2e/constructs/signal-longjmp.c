// SPDX-License-Identifier: MIT
// siglongjmp out of a traced signal handler, over the handler's callees, the
// handler, and what the signal interrupted.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static sigjmp_buf place;

NOINLINE static void escape(int n)
{
    if (n == 0)
        siglongjmp(place, 1);
    escape(n - 1);
    puts("never");
}

NOINLINE static void handler(int number)
{
    (void)number;
    escape(1);
    puts("never");
}

NOINLINE static void work(int n)
{
    if (n == 0)
        raise(SIGUSR1);
    else
        work(n - 1);
    puts("never");
}

int main(void)
{
    signal(SIGUSR1, handler);
    for (volatile int i = 0; i < 2; i++)
        if (sigsetjmp(place, 1) == 0)       //* 2
            work(2);                        //* 2
        else
            puts("back");                   //* 2
    return 0;
}
//= back
//= back
//> main
//>   work ^
//>     work ^
//>       work ^
//>         handler ^
//>           escape ^
//>             escape ^
//>   work ^
//>     work ^
//>       work ^
//>         handler ^
//>           escape ^
//>             escape ^
