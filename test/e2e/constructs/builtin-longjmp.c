// SPDX-License-Identifier: MIT
// __builtin_setjmp and __builtin_longjmp, which jump to a label of GCC's own.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static void *place[4][5];

NOINLINE static void jump(int n)
{
    __builtin_longjmp(place[n], 1);
}

NOINLINE static void dive(int n)
{
    if (__builtin_setjmp(place[n]) != 0) {
        printf("back %d\n", n);
        return;
    }
    if (n < 3)
        dive(n + 1);
    else
        jump(1);
    printf("after %d\n", n);
}

int main(void)
{
    dive(0);
    return 0;
}
//= back 1
//= after 0
//> main
//>   dive
//>     dive
//>       dive ^
//>         dive ^
//>           jump ^
