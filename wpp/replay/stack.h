/* SPDX-License-Identifier: MIT */
/* stack.h - the call tree of a run with the events of its pieces, behind wpp_stack_at(); call stacks
 * of the beginning of a thread. */
#ifndef WPP_STACK_H
#define WPP_STACK_H

#include "wpp/read/prefix-sums.h"
#include "wpp/replay/call-tree.h"
#include "wpp/wpp.h"

/* The last path of a piece that is not in a call. */
struct own {
    uint64_t end;                  /* 1 + its place among the piece's events; 0: there is none */
    uint32_t terminal;
};

struct wpp_stacks {
    const wpp *w;
    struct call_tree tree;
    uint64_t *length;              /* by piece: its events */
    struct own *own;               /* by piece */
    uint64_t *sums;
    struct prefix_sums events;     /* of the tree's items */
};

/* wpp_stacks_new() of a thread's first `events` events, as if the run had ended there: activations
 * that go on end there.  Other threads have no events.  Cost: as much less. */
wpp_stacks *stacks_until(const wpp *w, uint32_t thread, uint64_t events, struct wpp_error *error);

#endif
