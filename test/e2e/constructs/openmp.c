// SPDX-License-Identifier: MIT
// OpenMP: GCC makes routines of parallel regions, which run in threads.
//+ -fopenmp
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static int square(int n) { return n * n; }

NOINLINE static int sum(int n)
{
    int total = 0;

#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : total)
    for (int i = 0; i < n; i++)
        total += square(i);
    return total;
}

int main(void)
{
    printf("%d\n", sum(4));
    return 0;
}
//= 14
//> thread
//> main
//>   sum
//>     sum._omp_fn
//>       square
//>       square
//> thread
//> sum._omp_fn
//>   square
//>   square
