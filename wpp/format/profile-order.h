/* SPDX-License-Identifier: MIT */
/* profile-order.h - the order of a path profile's terminals (docs/wpp-format.md, Path profiles).
 *
 *      by module and token, what has no routine behind it by token; routines by first terminal
 */
#ifndef WPP_PROFILE_ORDER_H
#define WPP_PROFILE_ORDER_H

#include "wpp/base/arena.h"
#include "wpp/format/content.h"

/* Makes content->counts of the terminals' counts and puts terminals and routines into order.  What
 * was executed 0 times is left out.  Tokens differ; the new arrays are the arena's.  False without
 * memory. */
bool wpp_profile_order(struct wpp_content *content, const uint64_t *counts,
                       struct wpp_arena *arena);

#endif
