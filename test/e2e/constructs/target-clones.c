// SPDX-License-Identifier: MIT
// One function for several processors: GCC makes copies and a resolver, which runs
// before anything can be recorded.
#include <stdio.h>

__attribute__((target_clones("default", "avx2"), noinline)) int dot(const int *a, const int *b, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(void)
{
    static int a[] = {1, 2, 3, 4, 5, 6, 7, 8};

    printf("%d\n", dot(a, a, 8));
    return 0;
}
//= 204
//> main
//>   dot
