// SPDX-License-Identifier: MIT
#include "comdat.part.h"

NOINLINE int other(int n)
{
    return shared(n) + generic<int>(n - 2);
}
