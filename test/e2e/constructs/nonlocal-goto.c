// SPDX-License-Identifier: MIT
// A nested function's goto to an outer activation of a recursive routine.
#include <stdio.h>
//+ -Wl,-z,execstack
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void dive(int n, void (*up)(void))
{
    __label__ out;
    NOINLINE void here(void) { goto out; }

    if (n == 4)
        up();
    dive(n + 1, n == 1 ? here : up);
    printf("after %d\n", n);
    return;
out:
    printf("out %d\n", n);
}

int main(void)
{
    dive(0, NULL);
    return 0;
}
//= out 1
//= after 0
//> main
//>   dive
//>     dive
//>       dive ^
//>         dive ^
//>           dive ^
//>             here ^
