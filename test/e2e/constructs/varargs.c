// SPDX-License-Identifier: MIT
// Variable arguments: va_arg in a loop, a list handed on, a copy of a list.
#include <stdarg.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static double sum(const char *kinds, va_list list)
{
    double total = 0;

    for (; *kinds; kinds++)
        if (*kinds == 'i')                      //* 10
            total += va_arg(list, int);         //* 6
        else
            total += va_arg(list, double);      //* 4
    return total;
}

NOINLINE static double twice(const char *kinds, ...)
{
    va_list list, copy;
    double total;

    va_start(list, kinds);
    va_copy(copy, list);
    total = sum(kinds, list) + sum(kinds, copy);
    va_end(copy);
    va_end(list);
    return total;
}

int main(void)
{
    printf("%g\n", twice("iidid", 1, 2, 0.5, 4, 0.25));
    return 0;
}
//= 15.5
//> main
//>   twice
//>     sum
//>     sum
