// SPDX-License-Identifier: MIT
// Coroutines that go on with each other: GCC marks the continuation as a tail call, and makes
// it an ordinary one, behind which the coroutine returns, where it makes no tail calls (-O0).
//+ -std=c++20
#include <coroutine>
#include <cstdio>
#include <stdexcept>
#define NOINLINE __attribute__((noinline, noclone))

struct task {
    struct promise_type {
        std::coroutine_handle<> waiting = std::noop_coroutine();
        std::exception_ptr error;
        int value = 0;

        struct last {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept
            {
                return done.promise().waiting;
            }
            void await_resume() noexcept {}
        };
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        last final_suspend() noexcept { return {}; }
        void return_value(int n) { value = n; }
        void unhandled_exception() { error = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;

    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
    {
        handle.promise().waiting = waiting;
        return handle;
    }
    int await_resume()
    {
        std::exception_ptr error = handle.promise().error;
        int value = handle.promise().value;

        handle.destroy();
        if (error)
            std::rethrow_exception(error);
        return value;
    }
};

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
