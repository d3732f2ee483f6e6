// SPDX-License-Identifier: MIT
#include <cstdio>
// noipa: GCC 14 knows what generic<long>(2) returns, and leaves the call out.
#define NOINLINE __attribute__((noipa))

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
