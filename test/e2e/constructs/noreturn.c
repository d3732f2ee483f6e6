// SPDX-License-Identifier: MIT
// A routine that never returns, one that ends in a trap-free endless way out, and
// a call that GCC knows not to come back.
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

__attribute__((noreturn)) NOINLINE static void die(int n)
{
    printf("die %d\n", n);
    exit(n);
}

NOINLINE static int check(int n)
{
    if (n > 2)                  //* 4
        die(n);                 //* 1
    return n + 1;               //* 3
}

int main(void)
{
    int n = 0;

    for (;;)
        n = check(n);
}
//= die 3
//? 3
//> main ~
//>   check
//>   check
//>   check
//>   check ~
//>     die ~
