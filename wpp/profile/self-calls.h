/* SPDX-License-Identifier: MIT */
/* self-calls.h - finds parts of a program that call themselves, directly or through others.
 *
 * A call leads back to its routine if callee and routine are in one strongly connected component of
 * the graph of calls.  A function that was inlined into several routines also calls itself if a
 * call in one of them leads to another.
 */
#ifndef WPP_SELF_CALLS_H
#define WPP_SELF_CALLS_H

#include "wpp/profile/parts.h"

/* Sets `exact` of the parts that certainly do not call themselves.  (For some functions that were
 * inlined into many routines of a very large program it is not decided.)  False: no memory. */
bool parts_find_exact(struct parts *p);

#endif
