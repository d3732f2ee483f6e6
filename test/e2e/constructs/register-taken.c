// A register that an event would use belongs to the program: kept from the compiler by an
// option, and used by asm alone.
//+ -ffixed-r11
//= 25
//> main
//>   count
#include <stdio.h>

__attribute__((noinline, noclone)) long count(int n)
{
    long sum = 0, turns;

    asm volatile("mov $5, %%r11" : : : "memory");
    for (int i = 0; i < n; i++) {
        if (i & 1)
            sum += i;
        else
            sum -= 3;
        asm volatile("inc %%r11" : : : "memory");
    }
    asm volatile("mov %%r11, %0" : "=r" (turns) : : "memory");
    return sum + turns;
}

int main(void)
{
    printf("%ld\n", count(10));
    return 0;
}
