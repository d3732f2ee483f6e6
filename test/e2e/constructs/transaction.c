// Transactional memory: GCC lowers transactions behind the place where events are put
// at -O0 otherwise.
//+ -fgnu-tm
//- -static
//= 3 1
//> main
//>   step
//>   step
#include <stdio.h>

static int odd, even;

__attribute__((transaction_safe, noinline, noclone)) static int step(int n)
{
    return n & 1 ? n * 3 : n + 1;
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        __transaction_atomic {
            if (i & 1)
                odd += step(i);
            else
                even += step(i);
        }
    printf("%d %d\n", odd, even);
    return 0;
}
