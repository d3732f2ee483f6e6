// SPDX-License-Identifier: MIT
// A coroutine: its body is a routine that is entered again at each resumption.
//+ -std=c++20
#include <coroutine>
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

struct numbers {
    struct promise_type {
        int value;
        numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int n) { value = n; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

NOINLINE static int step(int n) { return n * 2; }

static numbers doubles(int limit)
{
    for (int n = 1; n < limit; n = step(n))
        co_yield n;
}

NOINLINE static int sum(numbers n)
{
    int total = 0;

    for (n.handle.resume(); !n.handle.done(); n.handle.resume())
        total += n.handle.promise().value;
    n.handle.destroy();
    return total;
}

int main()
{
    std::printf("%d\n", sum(doubles(10)));
    return 0;
}
//= 15
//> main
//>   sum
//>     step
//>     step
//>     step
//>     step
