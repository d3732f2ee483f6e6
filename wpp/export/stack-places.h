/* SPDX-License-Identifier: MIT */
/* stack-places.h - the places in code that stacks consist of.
 *
 *      main:12                         nodes of stacks        places
 *        parse:7                       parse:7                parse:7
 *          (inlined) next:3            next:3 below parse:7   next:3 in parse:7
 *
 * A place is a line of a function; if that is inlined, in the place where it stands.  The nodes of
 * different stacks share places. */
#ifndef WPP_STACK_PLACES_H
#define WPP_STACK_PLACES_H

#include "wpp/export/stacks.h"

struct stack_place {
    uint32_t outer;                /* a place before it that it is inlined in, or STACK_ROOT */
    uint32_t function, line;
    uint32_t depth;                /* places around it */
};

struct stack_places {
    uint32_t *of_node;
    struct stack_place *place;
    uint32_t n;
    uint32_t *slot, n_slots;       /* 1 + index of a place, 0: free; a power of two */
};

/* False: no memory. */
bool stack_places_new(struct stack_places *out, const struct stacks *s);
void stack_places_free(struct stack_places *p);

#endif
