// SPDX-License-Identifier: MIT
// __builtin_apply and __builtin_return: the latter ends its block without a return statement
// behind it, so nothing can be put there; an event stands right before it.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int add(int a, int b)
{
    return a + b;
}

NOINLINE int forward(int a, int b)
{
    void *arguments = __builtin_apply_args();
    void *result = __builtin_apply((void (*)(void))add, arguments, 64);

    (void)a;
    (void)b;
    __builtin_return(result);
}

int main(void)
{
    char room[64];
    int sum = 0;

    __asm__ volatile("" : : "r"(room) : "memory");
    for (int i = 0; i < 3; i++)
        sum += forward(i, 10);
    printf("%d\n", sum);
    return 0;
}
//= 33
//> main
//>   forward
//>     add
//>   forward
//>     add
//>   forward
//>     add
