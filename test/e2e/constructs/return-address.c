// SPDX-License-Identifier: MIT
// __builtin_return_address and __builtin_frame_address, alloca, arrays of variable
// length, __builtin_apply: what looks at the frame or changes its size.
#include <alloca.h>
#include <stdio.h>
#include <string.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void *caller(void)
{
    asm volatile("");
    return __builtin_return_address(0);
}

NOINLINE static int place(char *low)
{
    return low < (char *)__builtin_frame_address(0);
}

NOINLINE static int variable(int n)
{
    char array[n], *more = alloca(n);

    memset(array, n, n);
    memcpy(more, array, n);
    return more[n - 1] + (more != array);
}

// GCC 14 looks through noinline: of arguments that it does not see it takes none to be used.
__attribute__((noipa)) static int target(int a, int b)
{
    return a * b;
}

__attribute__((noipa)) static int forward(int a, int b)
{
    void *result = __builtin_apply((void (*)())target, __builtin_apply_args(), 64);

    if (a > b)
        __builtin_return(result);
    return 0;
}

int main(void)
{
    char here;
    void *from = NULL;
    int same = 0;

    for (volatile int i = 0; i < 2; i++) {
        void *now = caller();
        same += now == from;
        from = now;
    }
    printf("%d %d ", same, place(&here));
    printf("%d ", variable(40));
    printf("%d ", forward(6, 5));
    printf("%d\n", forward(5, 6));
    return 0;
}
//= 1 0 41 30 0
//> main
//>   caller
//>   caller
//>   place
//>   variable
//>   forward
//>     target
//>   forward
//>     target
