// An asm statement that refers to another's local label, with events between them.
//- -flto -shared
//= 25, and a nop is there
//> main
//>   count
#include <stdio.h>

extern const unsigned char *const places[];
asm(".pushsection .data.rel.ro.places, \"aw\", @progbits\n"
    "places:\n"
    ".popsection\n");

__attribute__((noinline, noclone)) int count(int n)
{
    int odd = 0;

    asm volatile(".pushsection .data.rel.ro.places, \"aw\", @progbits\n"
                 ".quad 1f, 2f\n"
                 ".popsection");
    for (int i = 0; i < n; i++)
        if (i & 1)
            odd += i;
    asm volatile("1: nop\n"
                 "2: nop");
    return odd;
}

int main(void)
{
    int odd = count(10);

    printf("%d, and a %s is there\n", odd,
           *places[0] == 0x90 && *places[1] == 0x90 ? "nop" : "label of another's");
    return 0;
}
