// SPDX-License-Identifier: MIT
// An IFUNC whose resolver calls a routine: both run while the program is relocated, when
// nothing can be recorded yet.
#include <stdio.h>
static volatile int n;

__attribute__((noipa)) static int twice(int x)
{
    n++;
    return 2 * x;
}

__attribute__((noipa)) static int thrice(int x)
{
    n++;
    return 3 * x;
}

static int choose(int a);

static int (*resolve(void))(int)
{
    return choose(3) > 2 ? twice : thrice;
}

int times(int) __attribute__((ifunc("resolve")));

__attribute__((noinline)) static int choose(int a)
{
    int sum = 0;

    for (int i = 0; i < a; i++)
        sum += i + n;
    return sum;
}

int main(void)
{
    printf("%d\n", times(1) + times(3));
    return 0;
}
//= 8
//> main
//>   twice
//>   twice
