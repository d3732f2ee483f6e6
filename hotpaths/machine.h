/* SPDX-License-Identifier: MIT */
/* machine.h - a finite machine reads all threads, and nothing is expanded.
 *
 * What a machine makes of a rule depends on the state in which it comes to it
 * alone.  So each rule is read once in each state that it is ever entered in:
 *
 *      run     (rule, state before) -> state behind, times
 *
 * `behind` is found bottom-up, `times`, how often the rule is entered in that
 * state, top-down.  Machines that forget soon, as those do that look for short
 * strings, come to most rules in one or two states.
 */
#ifndef WPP_HOT_MACHINE_H
#define WPP_HOT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/wpp.h"

struct machine {
    void *ctx;
    uint64_t start;             /* state at a thread's beginning */
    bool backwards;             /* threads are read from their end */
    uint64_t (*next)(void *ctx, uint64_t state, uint32_t terminal);
    /* The machine reads `terminal` in `state`, so many times in thread `thread`. */
    int (*step)(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread, uint64_t times);
    /* Of machine_read, may be NULL: whether it minds to be in a state; and another state in
     * which `terminal` takes it to the same one, so that fewer runs are needed. */
    bool (*minds)(void *ctx, uint64_t state);
    uint64_t (*reduce)(void *ctx, uint64_t state, uint32_t terminal);
};

/* Calls `step` for whatever is read, in any order.  `thread`: only this one, or
 * HOT_ALL_THREADS.  HOT_OK, HOT_E_MEMORY, or what `step` returned, if not HOT_OK. */
int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread);

/* ---- The runs themselves: for what is more than a sum over events ------------------- */

/* Most rules have one run, whose index is the rule's; the others come behind all these. */
struct machine_run {
    uint64_t before, behind;    /* before: reduced */
    uint64_t times;             /* the caller's; 0 at first */
    uint32_t rule : 31;
    bool is_run : 1;            /* this rule was entered at all */
    uint32_t terminal : 31;     /* with which the rule begins; of an empty one nothing is known */
    bool minded : 1;            /* a state behind a terminal of its expansion was minded */
};

struct machine_runs {
    const struct machine *m;
    const struct wpp_grammar *g;
    struct machine_run *run;
    size_t n, size;
    size_t *order;              /* runs as they were finished: what a run contains before it */
    size_t n_order, order_size;
    uint32_t n_rules;           /* with start rules */
    uint32_t *table;            /* of the others: open addressing, their index, 0 is empty */
    size_t table_size;
    struct machine_open *open;  /* a stack of runs that are being read */
    size_t depth, open_size;
};

/* Adds the runs of a thread, all zero at first, to `order`, those that are new: its start
 * rule's is the last.  HOT_OK or HOT_E_MEMORY; machine_clear either way. */
int machine_read(struct machine_runs *s, uint32_t thread);
void machine_clear(struct machine_runs *s);

/* The run of a rule that was entered in this state, reduced or not; MACHINE_NO_RUN. */
#define MACHINE_NO_RUN SIZE_MAX
size_t machine_find(const struct machine_runs *s, uint32_t rule, uint64_t before);

/* Fetches what is known of a symbol some way ahead into the caches. */
enum { MACHINE_AHEAD = 16 };
static inline void machine_fetch(const struct machine_runs *s, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        __builtin_prefetch(&s->run[symbol & ~WPP_RULE]);
}

#endif
