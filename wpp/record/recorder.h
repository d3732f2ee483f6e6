/* SPDX-License-Identifier: MIT */
/* recorder.h - the recorder's end of the memory that it shares with the traced processes
 * (tracer/trace-abi.h draws it).
 *
 *      wpp_recorder_new -> WPP_OUT for the program -> wpp_recorder_turn ... -> _close
 *
 * The records of each process are handed on as a trace of its own.  If a process has ended
 * without END, its threads' remaining tokens follow as BUFFER records.  What it counted comes when it
 * has ended, however.  This room reads only the kind of a record, not its contents.
 */
#ifndef WPP_RECORDER_H
#define WPP_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct wpp_recorder;

/* WPP_REC_EXIT's fields; both 0: unknown. */
struct wpp_exit {
    uint32_t exited, killed;
};

/* `process` is the recorder's own number, 0, 1, 2, ...: process ids are reused. */
struct wpp_recorder_sink {
    void *ctx;
    void (*bytes)(void *ctx, uint32_t process, const void *bytes, size_t n);
    void (*over)(void *ctx, uint32_t process);
    /* How the process with this pid ended, if it has and that is known; called once, before its
     * END and `over`. */
    struct wpp_exit (*how)(void *ctx, uint32_t pid);
};

struct wpp_recorder *wpp_recorder_new(const struct wpp_recorder_sink *sink,
                                      struct wpp_error *error);
void wpp_recorder_free(struct wpp_recorder *r);

/* The value of WPP_OUT for the program; the recorder owns it. */
const char *wpp_recorder_out(const struct wpp_recorder *r);

/* Hands on records that have come, and notices processes that have ended.  If there is nothing,
 * waits at most `milliseconds`, or for a wake.  Returns whether there was anything. */
bool wpp_recorder_turn(struct wpp_recorder *r, int milliseconds);
/* The number of records that have come but are not taken; at WPP_RECORDER_ROOM programs wait. */
uint32_t wpp_recorder_backlog(const struct wpp_recorder *r);
enum { WPP_RECORDER_ROOM = 128 };
/* Ends the current wait or the next one; signal handlers may call it. */
void wpp_recorder_wake(struct wpp_recorder *r);

/* attached: can still record; unborn: forked, has not run yet. */
struct wpp_recorder_processes {
    uint32_t attached, unborn;
};
struct wpp_recorder_processes wpp_recorder_count(struct wpp_recorder *r);

/* Takes records that have come.  For each process, calls `take` with BUFFER records of the
 * tokens that its threads have not handed over; the process goes on. */
void wpp_recorder_look(struct wpp_recorder *r,
                       void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n));

/* In a keeper whose recorder was killed: calls `take` with what processes have counted and the recorder
 * had not taken.  Processes go on counting meanwhile. */
void wpp_recorder_counts(struct wpp_recorder *r,
                         void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n));

/* Sends a signal to all processes that can still record. */
void wpp_recorder_signal(struct wpp_recorder *r, int signal);

/* Nanoseconds that all processes have waited for us. */
uint64_t wpp_recorder_waited(const struct wpp_recorder *r);

/* Takes nothing from now on: processes go on without recording.  Their records so far are handed
 * on, and `over` is called for each. */
void wpp_recorder_close(struct wpp_recorder *r);

#endif
