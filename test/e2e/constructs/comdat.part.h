// SPDX-License-Identifier: MIT
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE inline int counter()
{
    static int n;
    return ++n;
}

NOINLINE inline int shared(int n)
{
    return n * 2 + counter();
}

template <typename T> NOINLINE T generic(T n)
{
    return sizeof n == 8 ? n : n + counter();
}
