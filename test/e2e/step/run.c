/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
static int a[6];

static inline __attribute__((always_inline)) void swap(int *x, int *y)
{
    int t = *x;
    *x = *y;
    *y = t;
}

static int partition(int lo, int hi)
{
    int p = a[hi], i = lo;
    for (int j = lo; j < hi; j++)
        if (a[j] < p)
            swap(&a[i++], &a[j]);
    swap(&a[i], &a[hi]);
    return i;
}

static void sort(int lo, int hi)
{
    if (lo >= hi)
        return;
    int p = partition(lo, hi);
    sort(lo, p - 1); sort(p + 1, hi);
}

static int length(const char *s)
{
    int n = 0;
    while (*s++) n++;
    return n;
}

static int crash(int depth, int *at)
{
    if (depth == 0)
        return *at;
    return crash(depth - 1, at) + 1;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 6; i++)
        a[i] = i * 7919 % 101;
    sort(0, 5);
    for (int i = 0; i < 6; i++)
        printf("%d ", a[i]);
    printf("%d\n", length(argv[argc - 1]));
    if (strcmp(argv[argc - 1], "crash") == 0)
        return crash(3, NULL);
    return 0;
}
