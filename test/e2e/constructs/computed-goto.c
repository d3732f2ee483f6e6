// SPDX-License-Identifier: MIT
// Computed gotos: an interpreter whose instructions jump to each other.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void tick(int n)
{
    printf("%d ", n);
}

NOINLINE static int interpret(const char *p)
{
    static void *const label[] = {&&increase, &&twice, &&loop, &&call, &&stop};
    int a = 0, turns = 0;
    const char *start = p;

#define NEXT goto *label[*p++ - '0']
    NEXT;
increase:
    a++;                        //* 4
    NEXT;
twice:
    a *= 2;                     //* 3
    NEXT;
call:
    tick(a);                    //* 3
    NEXT;
loop:
    if (++turns < 3)            //* 3
        p = start + 1;          //* 2
    NEXT;
stop:
    return a;                   //* 1
}

int main(void)
{
    printf("%d\n", interpret("001324"));
    return 0;
}
//= 4 10 22 22
//> main
//>   interpret
//>     tick
//>     tick
//>     tick
