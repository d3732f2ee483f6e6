/* SPDX-License-Identifier: MIT */
/* novelty.h - what one run did that no other run of a set did.
 *
 * What follows from other news is left out: paths of a new routine, pairs with a new path, triples with
 * a new pair, callers of a new routine.
 */
#ifndef WPP_NOVELTY_H
#define WPP_NOVELTY_H

#include "wpp/runs/suspects.h"

struct news {
    uint32_t predicate;            /* a routine, path, pair, triple, caller or callers */
    uint32_t thread;               /* of the first process: where it is first true, at the event that ... */
    uint64_t event;                /* ... makes it so; UINT64_MAX: in another process */
};

struct novelty {
    struct news *news;             /* by thread and event; those of other processes last */
    size_t n;
};

/* The only failing run of s is the one that is asked about, all others pass.  `w` is its first process.
 * WPP_E_MEMORY.  Cost: O(grammar), and for pairs and triples O(events until the last of them). */
bool novelty_of(struct suspects *s, const wpp *w, struct novelty *out, struct wpp_error *error);
void novelty_free(struct novelty *n);

#endif
