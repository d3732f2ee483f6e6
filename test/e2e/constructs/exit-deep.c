// SPDX-License-Identifier: MIT
// exit deep in calls: what was running goes on to be open while handlers and
// destructors run on top of it, and is never left.
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void bye(void)
{
    puts("bye");
}

__attribute__((destructor)) static void last(void)
{
    puts("last");
}

NOINLINE static void deep(int n)
{
    if (n == 0)                 //* 3
        exit(5);                //* 1
    deep(n - 1);                //* 2
    puts("never");
}

int main(void)
{
    atexit(bye);
    deep(2);
    return 0;
}
//= bye
//= last
//? 5
//> main ~
//>   deep ~
//>     deep ~
//>       deep ~
//>         bye
//>         last
