/* SPDX-License-Identifier: MIT */
/* overview.h - where in a thread's run a routine ran: how many of its own events lie in each of so many
 * equal parts. */
#ifndef WPP_OVERVIEW_H
#define WPP_OVERVIEW_H

#include "wpp/replay/finder-parts.h"
#include "wpp/wpp.h"

enum { N_OVERVIEWS = 64 };

struct overview {
    uint32_t thread, routine;
    int columns;
    uint64_t *events;              /* by column; NULL: none */
};

/* All zero is empty. */
struct overviews {
    struct overview kept[N_OVERVIEWS];
    int next;                      /* to be replaced */
    struct overview wanted;        /* the one that is being made; `events` NULL */
    wpp_finder *making;
};

/* NULL: it has not been made. */
const struct overview *overviews_find(const struct overviews *o, uint32_t thread, uint32_t routine, int columns);
/* Makes a part of it; then it is found, or that is asked for again.  False: it cannot be made.  Cost: O(grammar)
 * for all parts. */
bool overviews_make(struct overviews *o, const wpp *w, uint32_t thread, uint32_t routine, int columns);
void overviews_free(struct overviews *o);

/* The first event of a column, and the column of an event. */
uint64_t overview_event(uint64_t tokens, int columns, int column);
int overview_column(uint64_t tokens, int columns, uint64_t event);

#endif
