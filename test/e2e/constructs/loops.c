// SPDX-License-Identifier: MIT
// Loops of every make: nested, left by break and goto, continued, entered in the
// middle (irreducible), endless but for a return, with no turn at all.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))
static int calls;
static volatile int two = 2;      // so that calls have to be made

NOINLINE static int step(int n)
{
    calls++;
    return n;
}

NOINLINE static int nested(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (j > i)                          //* 8
                break;                          //* 2
            if ((i + j) & 1)                    //* 6
                continue;                       //* 2
            sum += i * j;                       //* 4
        }
    return sum;
}

NOINLINE static int middle(int n)
{
    int sum = 0;

    if (n & 1)
        goto inside;
    do {
        sum += 10;                              //* 4
inside:
        sum += n;                               //* 5
    } while (n-- > 0);                          //* 5
    return sum;
}

NOINLINE static int endless(int n)
{
    for (;;) {
        if (n > 20)                             //* 4
            return n;                           //* 1
        n = step(n) * 2;                        //* 3
    }
}

NOINLINE static int out_of_two(int n)
{
    for (int i = 0;; i++)
        for (int j = 0; j < 5; j++)
            if (i * j == n)                     //* 14
                goto found;                     //* 1
found:
    while (n < 0)
        n++;
    return n;
}

int main(void)
{
    int a = nested(two + 1), b = middle(two), c = middle(two + calls - 1), d = endless(two + 1),
        e = out_of_two(3 * two);

    printf("%d %d %d %d %d %d\n", a, b, c, d, e, calls);
    return 0;
}
//= 5 33 11 24 6 3
//> main
//>   nested
//>   middle
//>   middle
//>   endless
//>     step
//>     step
//>     step
//>   out_of_two
