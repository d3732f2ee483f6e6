// SPDX-License-Identifier: MIT
// Functions called from code that is not traced, function pointers in tables, and
// a callee that GCC finds const or pure.
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

NOINLINE static int twice(int n) { return 2 * n; }
NOINLINE static int square(int n) { return n * n; }
NOINLINE __attribute__((pure)) static int nothing(const int *n) { return n[0] - 1; }

int main(void)
{
    static int (*const table[])(int) = {twice, square};
    volatile int n = 2;
    static const int sorted[] = {1, 2, 3};
    int a[] = {2, 1}, key = 2, sum = 0;

    qsort(a, 2, sizeof *a, compare);
    sum += *(int *)bsearch(&key, sorted, 3, sizeof *a, compare);
    for (int i = 0; i < 4; i++)
        sum += table[i & n / 2](i);
    sum += nothing(a);
    printf("%d %d %d\n", a[0], a[1], sum);
    return 0;
}
//= 1 2 16
//> main
//>   compare
//>   compare
//>   twice
//>   square
//>   twice
//>   square
//>   nothing
