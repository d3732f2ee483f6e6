// SPDX-License-Identifier: MIT
// Tail calls: where GCC makes them jumps, the caller has left before the callee
// enters; else the callee runs inside.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static int odd(unsigned n);

NOINLINE static int even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1);
}

NOINLINE static int odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1);
}

NOINLINE static int twice(int (*f)(unsigned), unsigned n)
{
    return f(n) + f(n + 1);
}

NOINLINE static int indirect(int (*f)(unsigned), unsigned n)
{
    return f(n);
}

int main(void)
{
    int sum = twice(even, 1);

    printf("%d\n", sum + indirect(odd, 1));
    return 0;
}
//= 2
//: -O0 -O1
//> main
//>   twice
//>     even
//>       odd
//>     even
//>       odd
//>         even
//>   indirect
//>     odd
//>       even
//: -O2 -O3 -Os
//> main
//>   twice
//>     even
//>     odd
//>     even
//>     odd
//>     even
//>   indirect
//>   odd
//>   even
