// SPDX-License-Identifier: MIT
// Coroutines that go on with each other: GCC marks the continuation as a tail call, and makes
// it an ordinary one, behind which the coroutine returns, where it makes no tail calls (-O0).
//+ -std=c++20
#include "coroutine-transfer.part.h"
#include <cstdio>
#include <exception>
#include <stdexcept>
#define NOINLINE __attribute__((noinline, noclone))

struct keeps_errors {
    std::exception_ptr error;

    void thrown() { error = std::current_exception(); }
    void rethrow()
    {
        if (error)
            std::rethrow_exception(error);
    }
};
using task = task_with<keeps_errors>;

NOINLINE static int step(int n) { return n * 2; } //* 3
NOINLINE static int caught(int n) { return n - 1; } //* 1

static task leaf(int n)
{
    if (n == 2)
        throw std::runtime_error("two");
    co_return step(n);
}

static task total(int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        try {
            sum += co_await leaf(i);
        } catch (const std::exception &) {
            sum = caught(sum);
        }
    }
    co_return sum;
}

NOINLINE static int run(int n)
{
    task all = total(n);
    int sum;

    all.handle.resume();
    sum = all.handle.promise().value;
    all.handle.destroy();
    return sum;
}

int main()
{
    std::printf("%d\n", run(4));
    return 0;
}
//= 7
//> main
//>   run
//>     step
//>     step
//>     caught
//>     step
