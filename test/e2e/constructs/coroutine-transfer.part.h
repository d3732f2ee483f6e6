// SPDX-License-Identifier: MIT
// A coroutine that whoever awaits it goes on with, and that goes on with him at its end; also
// of the chain in plugin.sh.  What becomes of what it throws is the `errors`' matter.
#include <coroutine>

template <class errors> struct task_with {
    struct promise_type : errors {
        std::coroutine_handle<> waiting = std::noop_coroutine();
        int value = 0;

        struct last {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept
            {
                return done.promise().waiting;
            }
            void await_resume() noexcept {}
        };
        task_with get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        last final_suspend() noexcept { return {}; }
        void return_value(int n) { value = n; }
        void unhandled_exception() { this->thrown(); }
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
        errors kept = handle.promise();
        int value = handle.promise().value;

        handle.destroy();
        kept.rethrow();
        return value;
    }
};
