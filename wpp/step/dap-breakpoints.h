/* SPDX-License-Identifier: MIT */
/* dap-breakpoints.h - breakpoints in a recorded run: a line's or a routine's executions, which finders find in both
 * directions.  Nothing is run to find them. */
#ifndef WPP_DAP_BREAKPOINTS_H
#define WPP_DAP_BREAKPOINTS_H

#include "wpp/step/dap-sources.h"
#include "wpp/step/executions.h"

/* Which executions of a thread count, numbered from 1: those from `low` to `high` that `each` divides.
 *
 *      5, == 5     > 5, >= 5, < 5, <= 5     % 5     -1: the last one, -2: the one before
 */
struct hits {
    uint64_t low, high, each;
    uint64_t from_end;             /* 0: they are counted from the beginning */
};

struct breakpoint {
    int id;
    char *path;                    /* of its source, as the editor writes it; NULL: of a routine */
    char *routine;
    struct sought sought;          /* `files` is its own */
    struct hits hits;
    wpp_finder *finder;            /* NULL: it was not executed, and `message` says so */
    bool ready;
    char message[240];
};

struct breakpoints {
    struct breakpoint *each;
    size_t n, room;
    int last_id;
};

/* What a breakpoint is to be. */
struct breakpoint_asked {
    const char *path, *routine;    /* one of them is NULL */
    uint32_t line;                 /* in the path */
    const char *hits;              /* NULL: all executions */
};

/* NULL or empty: all.  False: it is something else. */
bool hits_parse(const char *text, struct hits *out);

/* Makes a breakpoint, or takes one of `old` that is the same; what is wrong becomes its message.  False: no
 * memory.  Its finder is ready at once in a small grammar.  Cost: O(blocks of all terminals), and memory for a
 * number for each rule. */
bool breakpoint_make(struct breakpoint *out, const struct breakpoint_asked *asked, const wpp *w,
                     const struct dap_sources *sources, struct breakpoints *old);
void breakpoint_free(struct breakpoint *b);

/* False: no memory; then it has been freed. */
bool breakpoints_add(struct breakpoints *all, struct breakpoint b);
/* Takes those of a source (path NULL: of routines) out, into *taken. */
bool breakpoints_take(struct breakpoints *all, const char *path, struct breakpoints *taken);
void breakpoints_free(struct breakpoints *all);

/* Makes a part of what finders are not ready; false: all are.  It may take some milliseconds. */
bool breakpoints_work(struct breakpoints *all);

/* Whether place a is in front of place b in their thread. */
bool place_is_before(const struct run_place *a, const struct run_place *b);
/* The next place of any of them behind `from` (or `back`: the last one in front of it) and in front of (behind)
 * *out, which it becomes, or stays.  True: there is one.  Cost: O(d) for each. */
bool breakpoints_next(const struct breakpoints *all, const struct run_place *from, bool back,
                      struct run_place *out);
/* Whether it stops at that place. */
bool breakpoint_is_at(const struct breakpoint *b, const struct run_place *p);

#endif
