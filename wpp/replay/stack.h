/* SPDX-License-Identifier: MIT */
/* stack.h - call stacks of the beginning of a thread, by wpp_stack_at(). */
#ifndef WPP_STACK_H
#define WPP_STACK_H

#include "wpp/replay/call-tree.h"
#include "wpp/wpp.h"

/* wpp_stacks_new() of a thread's first `events` events, as if the run had ended there: activations
 * that go on end there.  Other threads have no events.  Cost: as much less. */
wpp_stacks *stacks_until(const wpp *w, uint32_t thread, uint64_t events, struct wpp_error *error);

/* The tree of all threads' activations that the stacks are read from; it lives as long as they do. */
const struct call_tree *stacks_tree(const wpp_stacks *s);

#endif
