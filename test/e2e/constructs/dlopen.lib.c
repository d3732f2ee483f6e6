// SPDX-License-Identifier: MIT
#include <stdio.h>

__attribute__((constructor)) static void begin(void)
{
    fputs("begin ", stdout);
}

__attribute__((destructor)) static void end(void)
{
    fputs("end ", stdout);
}

int call(int (*f)(int), int n)
{
    return f(n) * 2;
}
