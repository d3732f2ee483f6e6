// SPDX-License-Identifier: MIT
// longjmp within one activation, and from a callee that never calls anything.
#include <setjmp.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf place;

NOINLINE static void thrower(void)
{
    longjmp(place, 2);
}

NOINLINE static int turns(void)
{
    volatile int n = 0;

    if (setjmp(place) < 2) {
        n++;                        //* 4
        if (n < 4)                  //* 4
            longjmp(place, 1);      //* 3
        thrower();                  //* 1
    }
    return n;                       //* 1
}

int main(void)
{
    printf("%d\n", turns());
    return 0;
}
//= 4
//> main
//>   turns
//>     thrower ^
