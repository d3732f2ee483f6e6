/* SPDX-License-Identifier: MIT */
/* turn-parts.h - finds iterations of loops (wpp.h) part by part, for a program that must not wait for all of
 * the work. */
#ifndef WPP_TURN_PARTS_H
#define WPP_TURN_PARTS_H

#include "wpp/wpp.h"

enum turns_state { TURNS_MORE, TURNS_READY, TURNS_NO_MEMORY };

/* As wpp_turns_at(), but TURNS_MORE after about `items` items of the call tree: the same question, asked
 * again, goes on where this one stopped.  *out is NULL then. */
enum turns_state turns_at_part(wpp_turns *t, uint32_t thread, uint64_t event, uint32_t block, uint64_t items,
                               struct wpp_turn **out, size_t *n);

#endif
