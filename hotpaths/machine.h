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
#include <stdint.h>

#include "wpp/wpp.h"

struct machine {
    void *ctx;
    uint64_t start;             /* state at a thread's beginning */
    bool backwards;             /* threads are read from their end */
    uint64_t (*next)(void *ctx, uint64_t state, uint32_t terminal);
    /* The machine reads `terminal` in `state`, so many times in thread `thread`. */
    int (*step)(void *ctx, uint64_t state, uint32_t terminal, uint32_t thread, uint64_t times);
};

/* Calls `step` for whatever is read, in any order.  `thread`: only this one, or
 * HOT_ALL_THREADS.  HOT_OK, HOT_E_MEMORY, or what `step` returned, if not HOT_OK. */
int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread);

#endif
