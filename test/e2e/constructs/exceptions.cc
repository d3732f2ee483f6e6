// SPDX-License-Identifier: MIT
// Exceptions through frames with and without cleanups, by type, rethrown, nested,
// caught far below and right here.
#include <cstdio>
#include <stdexcept>
#include <string>
#define NOINLINE __attribute__((noinline, noclone))

struct guard {
    int k;
    NOINLINE ~guard() { std::printf("~%d ", k); }
};

NOINLINE static void without(int n);

NOINLINE static void with(int n)
{
    guard g = {n};
    without(n - 1);
    std::puts("never");
}

NOINLINE static void without(int n)
{
    if (n == 0)
        throw std::runtime_error("deep");
    if (n == 100)
        throw 100;
    with(n - 1);
    std::puts("never");
}

NOINLINE static void only_int(int n)
{
    try {
        without(n);
    } catch (int k) {
        std::printf("int %d ", k);
    }
}

NOINLINE static void again(int n)
{
    try {
        only_int(n);
    } catch (std::exception &e) {
        std::printf("again ");
        throw;
    }
}

int main()
{
    only_int(100);
    try {
        again(2);
    } catch (std::exception &e) {
        std::printf("%s ", e.what());
        try {
            throw 'c';
        } catch (...) {
            std::printf("here ");
        }
    }
    std::puts("end");
    return 0;
}
//= int 100 ~1 again deep here end
//> main
//>   only_int
//>     without ^
//>   again ^
//>     only_int ^
//>       without ^
//>         with ^
//>           without ^
//>           guard::~guard
