// SPDX-License-Identifier: MIT
// asm goto: an assembly statement with several ways on.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void negative(int x) { printf("-%d ", -x); }
NOINLINE static void zero(void) { printf("0 "); }
NOINLINE static void positive(int x) { printf("+%d ", x); }

NOINLINE static void sign(int x)
{
    asm goto("testl %0, %0\n\tjs %l1\n\tjz %l2" : : "r"(x) : "cc" : below, none);
    positive(x);                //* 2
    return;
below:
    negative(x);                //* 1
    return;
none:
    zero();                     //* 1
    asm volatile("" : : : "memory");
}

int main(void)
{
    for (int i = -1; i < 3; i++) {
        sign(i);
        asm volatile("" : : : "memory");
    }
    puts("");
    return 0;
}
//= -1 0 +1 +2 
//> main
//>   sign
//>     negative
//>   sign
//>     zero
//>   sign
//>     positive
//>   sign
//>     positive
//: -O2 -O3 -Os
//> main
//>   sign
//>   negative
//>   sign
//>     zero
//>   sign
//>   positive
//>   sign
//>   positive
