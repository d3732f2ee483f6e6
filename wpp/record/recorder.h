/* SPDX-License-Identifier: MIT */
/* recorder.h - the recorder's end of the memory that it shares with the traced
 * processes (tracer/trace-abi.h draws it).
 *
 *      wpp_recorder_new -> WPP_OUT for the program -> wpp_recorder_turn ... -> _close
 *
 * What each process recorded comes as a trace of its own, record by record; when
 * the process has ended without END, what its threads had not handed over
 * follows as BUFFER records.  Nothing here knows what a record says but its kind.
 */
#ifndef WPP_RECORDER_H
#define WPP_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct wpp_recorder;

/* WPP_REC_EXIT's fields; both 0: nothing is known. */
struct wpp_exit {
    uint32_t exited, killed;
};

/* `process` is a number of our own, 0, 1, 2, ...: process ids come again. */
struct wpp_recorder_sink {
    void *ctx;
    void (*bytes)(void *ctx, uint32_t process, const void *bytes, size_t n);
    void (*over)(void *ctx, uint32_t process);
    /* How the process with this number in the system ended, if it has and that is known: asked
     * once, before its END and `over`. */
    struct wpp_exit (*how)(void *ctx, uint32_t pid);
};

struct wpp_recorder *wpp_recorder_new(const struct wpp_recorder_sink *sink,
                                      struct wpp_error *error);
void wpp_recorder_free(struct wpp_recorder *r);

/* The value of WPP_OUT for the program; the recorder's. */
const char *wpp_recorder_out(const struct wpp_recorder *r);

/* Hands on what has come, and notices processes that have ended.  When there is
 * nothing, waits for it at most so many milliseconds, or for a wake.  Returns
 * whether there was anything. */
bool wpp_recorder_turn(struct wpp_recorder *r, int milliseconds);
/* Records that have come and not been taken; when there is no room for more, programs wait. */
uint32_t wpp_recorder_backlog(const struct wpp_recorder *r);
enum { WPP_RECORDER_ROOM = 128 };
/* Ends a wait, or the next one; for signal handlers. */
void wpp_recorder_wake(struct wpp_recorder *r);

/* Processes that can still record, and forked ones that have not run yet. */
struct wpp_recorder_processes {
    uint32_t attached, unborn;
};
struct wpp_recorder_processes wpp_recorder_count(struct wpp_recorder *r);

/* Takes what has come, and shows of each process what its threads have not handed over
 * yet, as BUFFER records: so far, and it runs on. */
void wpp_recorder_look(struct wpp_recorder *r,
                       void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n));

/* Sends a signal to all that can still record. */
void wpp_recorder_signal(struct wpp_recorder *r, int signal);

/* Nanoseconds that the processes have waited for us. */
uint64_t wpp_recorder_waited(const struct wpp_recorder *r);

/* Takes nothing from now on: processes go on without recording.  What they have
 * recorded so far is handed on, and each one's `over` comes. */
void wpp_recorder_close(struct wpp_recorder *r);

#endif
