// SPDX-License-Identifier: MIT
// setjmp in a recursive routine: longjmp to an outer activation leaves all inner
// ones, though the innermost waits at the same place.
#include <setjmp.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static jmp_buf place[6];

NOINLINE static void dive(int n)
{
    if (setjmp(place[n]) != 0) {
        printf("back %d ", n);
        if (n == 3)
            longjmp(place[1], 1);
        return;
    }
    if (n < 5)
        dive(n + 1);
    else
        longjmp(place[3], 1);
    printf("after %d ", n);
}

int main(void)
{
    dive(0);
    puts("end");
    return 0;
}
//= back 3 back 1 after 0 end
//> main
//>   dive
//>     dive
//>       dive ^
//>         dive ^
//>           dive ^
//>             dive ^
