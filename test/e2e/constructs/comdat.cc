// SPDX-License-Identifier: MIT
// Inline functions and templates that two objects define: the linker keeps one of
// each, the other object's table has them as well.
#include "comdat.part.h"

NOINLINE int other(int n);

int main()
{
    int sum = shared(3) + other(3) + generic<int>(2) + (int)generic<long>(2);

    std::printf("%d %d\n", sum, counter());
    return 0;
}
//= 27 5
//> main
//>   shared
//>     counter
//>   other
//>     shared
//>       counter
//>     generic
//>       counter
//>   generic
//>     counter
//>   generic
//>   counter
