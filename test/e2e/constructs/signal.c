// SPDX-License-Identifier: MIT
// A traced handler that returns: its activations lie within those it interrupted.
#include <signal.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static volatile int total;

NOINLINE static void count(int n)
{
    total += n;
}

NOINLINE static void handler(int number)
{
    count(number == SIGUSR2);           //* 3
}

NOINLINE static void work(int n)
{
    if (n == 0)
        return;
    raise(SIGUSR2);                     //* 3
    work(n - 1);                        //* 3
    total += 10;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler};

    sigaction(SIGUSR2, &action, NULL);
    work(3);
    printf("%d\n", total);
    return 0;
}
//= 33
//> main
//>   work
//>     handler
//>       count
//>     work
//>       handler
//>         count
//>       work
//>         handler
//>           count
//>         work
//: -O2 -O3 -Os
//> main
//>   work
//>     handler
//>     count
//>     work
//>       handler
//>       count
//>       work
//>         handler
//>         count
//>         work
