// A stack that the program makes itself, with 0 where the first routine on it would return
// to.  A routine that may be a signal handler looks at what is there.
//= on a stack of its own
//? 3
//> main ~
//>   begin ~
#include <stdio.h>
#include <stdlib.h>

static char stack[1 << 16] __attribute__((aligned(16)));

void begin(void)
{
    puts("on a stack of its own");
    exit(3);
}

__attribute__((noinline, noclone)) static void switch_to(void **top)
{
    top[-2] = 0;                        // what begin() would return to
    top[-3] = (void *)begin;
    asm volatile("mov %0, %%rsp\n\tret" : : "r" (top - 3) : "memory");
    __builtin_unreachable();
}

int main(void)
{
    switch_to((void **)(stack + sizeof stack));
}
