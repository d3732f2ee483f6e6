// SPDX-License-Identifier: MIT
// longjmp over many activations, into a routine that stands once on the stack;
// and again into the same activation.
#include <setjmp.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf place;

NOINLINE static void dive(int n)
{
    if (n == 0)                 //* 6
        longjmp(place, 7);      //* 2
    dive(n - 1);                //* 4
    puts("never");
}

NOINLINE static void between(int n)
{
    dive(n);                    //* 2
    puts("never");
}

NOINLINE static int after(int n)
{
    return n + 1;               //* 2
}

int main(void)
{
    volatile int n = 0;
    int got = setjmp(place);

    if (got != 0)
        printf("%d\n", after(got));     //* 2
    if (n < 2) {                        //* 3
        n++;                            //* 2
        between(2);                     //* 2
    }
    return 0;                           //* 1
}
//= 8
//= 8
//> main
//>   between ^
//>     dive ^
//>       dive ^
//>         dive ^
//>   after
//>   between ^
//>     dive ^
//>       dive ^
//>         dive ^
//>   after
