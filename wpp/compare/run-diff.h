/* SPDX-License-Identifier: MIT */
/* run-diff.h - where two runs part, thread by thread, and where they meet again.
 *
 *      thread 0 of A   common ... | p q r |  common ...  | s t  | common until the end
 *      thread 0 of B   common ... | u     |  common ...  |      | common until the end
 *                                 parting    meeting       parting
 *
 * Keys are those of common-keys.h.  Events without keys are not compared.
 */
#ifndef WPP_RUN_DIFF_H
#define WPP_RUN_DIFF_H

#include "wpp/compare/common-keys.h"

enum { PARTING_CONTEXT = 3 };      /* keys that are kept around a parting */

struct run_diff_request {
    enum common_by by;
    char *const *ignore;           /* names of routines, as people write them */
    size_t n_ignore;
    bool one_thread;               /* only thread[SIDE_A] of A and thread[SIDE_B] of B */
    uint32_t thread[2];
    uint64_t partings;             /* that are looked for in each thread; at least 1 */
    uint32_t least;                /* keys that must be equal where they meet again; at least 1 */
};

/* One run at a parting. */
struct parting_side {
    uint64_t key;                  /* number of the first key that differs; the thread's number of
                                      keys: it ends here */
    uint64_t event;                /* that derives it; the thread's number of events at its end */
    uint32_t after[PARTING_CONTEXT], n_after;      /* keys from there on */
    struct wpp_frame *frames;      /* the call stack of that event; `end` may be the event's */
    size_t n_frames;
    uint64_t meet_key, meet_event; /* where it meets the other again; see `meets` */
};

struct parting {
    uint64_t common;               /* equal keys before it, since the last meeting */
    uint32_t before[PARTING_CONTEXT], n_before;    /* the last of them */
    struct parting_side side[2];
    size_t n_common_frames;        /* that are the same activations in both runs, the outermost */
    bool meets;
    bool by_return;                /* where activation returned_frame, which both runs were in, has
                                      ended: nearer to the parting is nothing within the window */
    size_t returned_frame;
    uint64_t common_after;         /* equal keys from the meeting on */
};

struct thread_diff {
    uint32_t thread[2];            /* UINT32_MAX: the other run has no such thread */
    uint64_t keys[2], events[2];
    struct parting *parting;       /* of a pair; none: all keys are equal */
    size_t n_partings;
    bool more;                     /* others may follow, that were not looked for */
};

struct run_diff {
    struct run_diff_request request;
    const wpp *w[2];               /* the caller's; must outlive the diff */
    struct common_keys keys;
    struct fingerprints prints[2];
    wpp_stacks *stacks[2];
    enum { NO_STACKS, FIRST_STACKS, WHOLE_STACKS } stacks_made;    /* of the first parting alone */
    uint32_t n_threads;
    struct thread_diff *thread;
    bool equal;                    /* every thread has its pair, and nothing parts */
};

/* Threads are paired by name and order; those that have the name of their run's first thread count as
 * nameless.  The parts TOOL_NEED_PATHS (wpp/cli/tool.h) must be there.  WPP_E_MEMORY, WPP_E_ARGUMENT:
 * too large a run for stacks.
 * Cost: O(grammars + path tables), and for each parting O(d log n + d * keys until they meet). */
bool run_diff_new(struct run_diff *out, const wpp *const w[2],
                  const struct run_diff_request *request, struct wpp_error *error);
void run_diff_free(struct run_diff *d);

#endif
