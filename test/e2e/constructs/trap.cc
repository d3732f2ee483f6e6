// SPDX-License-Identifier: MIT
// -fnon-call-exceptions: what traps in the middle of a path becomes an exception, and the program
// lives on.  The path that led there is known.
//+ -fnon-call-exceptions
#include <csignal>
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

struct trap {};

static void handler(int)
{
    throw trap();
}

NOINLINE static int first_of(volatile int *place)
{
    return *place;
}

NOINLINE static int choose(volatile int *place, int which)
{
    int sum = 0;

    if (which > 0)
        sum += 2;               //* 2
    else
        sum -= 3;               //* 1
    sum += *place;
    return sum;
}

static int safely(volatile int *place, int which)
{
    try {
        return first_of(place) + choose(place, which);
    } catch (const trap &) {
        return -1;
    }
}

static int chooses(volatile int *place, int which)
{
    try {
        return choose(place, which);
    } catch (const trap &) {
        return -2;
    }
}

int main()
{
    struct sigaction action = {};
    int there = 5;

    action.sa_handler = handler;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    std::printf("%d ", safely(&there, 1));
    std::printf("%d ", safely(nullptr, 1));
    std::printf("%d ", chooses(nullptr, 1));
    std::printf("%d\n", chooses(nullptr, 0));
    return 0;
}
//= 12 -1 -2 -2
//> main
//>   first_of
//>   choose
//>   first_of ^
//>   choose ^
//>   choose ^
