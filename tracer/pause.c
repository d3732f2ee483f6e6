/* SPDX-License-Identifier: MIT */
/* pause.c - stops and starts recording, on behalf of the program or of a signal.
 *
 *      RECORDING, paused == false --stop--> paused --start--> paused == false
 *
 * While paused, threads write to their chunks as usual.  hand_over() throws these tokens away
 * and does not number them.  Meanwhile the buffers have no owner (tid 0): if the process is
 * killed, the tokens are not part of the trace either.
 *
 * Counters go on.  Before STOPPED and STARTED the runtime writes their values, and readers leave out
 * what was counted in between.  If the process is killed before the note is written, they ignore
 * these values. */
#include "tracer/runtime.h"

#include "tracer/sys.h"
#include "tracer/text.h"

static uint64_t since;          /* when recording was stopped, in nanoseconds */

/* A page of counters in a file of several processes goes to another process, so what it held when one
 * of them stopped says nothing of what that one has counted. */
static bool stops_counts(void)
{
    return !__wpp_process.merged;
}

static void write_stopped(void)
{
    static const uint32_t counts_too = 1;

    since = sys_nanoseconds();
    __wpp_process.skipped = 0;
    __wpp_record_note(WPP_REC_STOPPED, &counts_too, stops_counts() ? sizeof counts_too : 0);
}

static void write_started(void)
{
    uint64_t payload[2] = { sys_nanoseconds() - since, __wpp_process.skipped };

    __wpp_record_note(WPP_REC_STARTED, payload, sizeof payload);
}

static void write_counts(void)
{
    if (!stops_counts())
        return;
    __wpp_counts_pause();
    __wpp_left_pause();
}

static void stop(void)
{
    if (__wpp_process.paused)
        return;
    __wpp_threads_flush();
    __wpp_modules_each(__wpp_times_take);
    __wpp_process.paused = true;
    write_counts();
    write_stopped();
    for (struct wpp_thread *t = __wpp_threads; t; t = t->next)
        __wpp_thread_show(t);
}

static void start(void)
{
    if (!__wpp_process.paused)
        return;
    __wpp_threads_flush();
    __wpp_modules_each(__wpp_times_forget);
    __wpp_process.paused = false;
    write_counts();
    write_started();
    for (struct wpp_thread *t = __wpp_threads; t; t = t->next)
        __wpp_thread_goes_on(t);
}

/* For a process that begins while recording is stopped, for example a forked child.  It has counted
 * nothing: its counters, if they hold anything, are its parent's and will be cleared. */
void __wpp_pause_begin(void)
{
    if (__wpp_process.paused)
        write_stopped();
}

void __wpp_pause_end(void)
{
    if (!__wpp_process.paused)
        return;
    write_counts();
    write_started();
}

void __wpp_start(void)
{
    uint64_t mask = __wpp_enter();

    start();
    __wpp_leave(mask);
}

void __wpp_stop(void)
{
    uint64_t mask = __wpp_enter();

    stop();
    __wpp_leave(mask);
}

/* ---- The signal ------------------------------------------------------------------------ */

__asm__(".pushsection .text\n"
        ".globl __wpp_signal_return\n"
        ".hidden __wpp_signal_return\n"
        ".type __wpp_signal_return, @function\n"
        "nop\n"                         /* unwinders look up the byte before the return address */
        "__wpp_signal_return:\n"
        "mov $15, %rax\n"               /* rt_sigreturn */
        "syscall\n"
        ".size __wpp_signal_return, .-__wpp_signal_return\n"
        ".popsection\n");

static void on_signal(int signal)
{
    uint64_t mask = __wpp_enter();

    (void)signal;
    if (__wpp_process.paused)
        start();
    else
        stop();
    __wpp_leave(mask);
}

void __wpp_pause_on_signal(int signal)
{
    struct sys_action action = { on_signal, SA_RESTART | SA_ONSTACK | SYS_RESTORER,
                                 __wpp_signal_return, 0 };

    sys_sigaction(signal, &action, NULL);
}
