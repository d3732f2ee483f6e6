// SPDX-License-Identifier: MIT
// Nested functions, called directly and through trampolines, and gotos out of
// them into the nearest activation of the enclosing routine.
#include <stdio.h>
//+ -Wl,-z,execstack
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static int apply(int (*f)(int), int n)
{
    return f(n) + 1;
}

NOINLINE static int outer(int n)
{
    __label__ out;
    int base = n * 100;
    NOINLINE int add(int k) { return base + k; }
    NOINLINE void leave(int k)
    {
        if (k == 0)
            goto out;
        leave(k - 1);
        puts("never");
    }

    if (n == 0)
        return apply(add, 5);
    base += outer(n - 1);
    leave(1);
    puts("never");
out:
    return base;
}

int main(void)
{
    printf("%d\n", outer(2));
    return 0;
}
//= 306
//> main
//>   outer
//>     outer
//>       outer
//>         apply
//>           add
//>       leave ^
//>         leave ^
//>     leave ^
//>       leave ^
