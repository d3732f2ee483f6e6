// SPDX-License-Identifier: MIT
// Switches: dense, sparse, ranges, falling through, none taken, inside a loop.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void seen(int n)
{
    printf("%d ", n);
}

NOINLINE static int dense(int x)
{
    switch (x) {                        //* 8
    case 0: return 10;                  //* 1
    case 1: return 11;                  //* 1
    case 2: x += 5;                     /* fall through */  //* 1
    case 3: x *= 2; break;              //* 2
    case 4: case 5: return 3;           //* 2
    default: x = -x;                    //* 2
    }
    return x;
}

NOINLINE static int sparse(long x)
{
    switch (x) {
    case 7: return 1;                   //* 1
    case 1000: return 2;                //* 1
    case 100000 ... 200000: return 3;   //* 2
    case -5000000000: return 4;         //* 1
    }
    return 0;                           //* 1
}

int main(void)
{
    static const long value[] = {7, 1000, 100000, 200000, -5000000000, 8};
    int sum = 0;

    for (int i = 0; i < 8; i++)
        sum += dense(i) * (i + 1);
    for (int i = 0; i < 6; i++)
        switch (sparse(value[i])) {
        case 3: seen(i); continue;      //* 2
        case 4: seen(-i); break;        //* 1
        default: sum++;                 //* 3
        }
    printf("%d\n", sum);
    return 0;
}
//= 2 3 -4 36
//> main
//>   dense
//>   dense
//>   dense
//>   dense
//>   dense
//>   dense
//>   dense
//>   dense
//>   sparse
//>   sparse
//>   sparse
//>   seen
//>   sparse
//>   seen
//>   sparse
//>   seen
//>   sparse
