// SPDX-License-Identifier: MIT
// An exception that nobody catches, and one that meets noexcept: the handler of
// std::terminate runs where it was thrown, on top of everything.
#include <cstdio>
#include <cstdlib>
#include <exception>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void handler()
{
    std::printf("terminate\n");
    std::exit(4);
}

NOINLINE static void thrower(int n)
{
    if (n == 0)
        throw n;
    thrower(n - 1);
    std::puts("never");
}

NOINLINE static void promises() noexcept
{
    thrower(1);
    std::puts("never");
}

int main()
{
    std::set_terminate(handler);
    try {
        promises();
    } catch (int) {
        std::puts("never");
    }
}
//= terminate
//? 4
//> main ~
//>   promises ~
//>     thrower ~
//>       thrower ~
//>         handler ~
