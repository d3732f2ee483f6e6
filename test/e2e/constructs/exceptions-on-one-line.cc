// SPDX-License-Identifier: MIT
// A landing pad on the line of the call that throws is no second execution of the
// line; and what the compiler makes itself has no lines.
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

struct guard { int k; guard(int k) : k(k) {} NOINLINE ~guard() { std::printf("~%d ", k); } };
struct implicit { guard a{9}; };

static guard global(1);                                                             //* 0
NOINLINE static void without(int n);
NOINLINE static void with(int n) { guard g(n); without(n - 1); std::puts("never"); }    //* 3
NOINLINE static void without(int n)
{
    if (n == 0)             //* 3
        throw n;            //* 1
    with(n - 1);            //* 2
    std::puts("never");
}

int main()
{
    try { with(5); } catch (int) { std::printf("caught "); }                        //* 1
    try { implicit i; } catch (int) { std::puts("never"); }
    return 0;               //* 1
}
//= ~1 ~3 ~5 caught ~9 ~1 
//> main
//>   with ^
//>     without ^
//>       with ^
//>         without ^
//>           with ^
//>             without ^
//>             guard::~guard
//>         guard::~guard
//>     guard::~guard
//>   guard::~guard
//> guard::~guard
