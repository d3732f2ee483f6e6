/* SPDX-License-Identifier: MIT */
/* prime-paths.h - the prime paths of a routine's control-flow graph (Ammann and Offutt, *Introduction to
 * Software Testing*; -fpath-coverage of GCC 15).
 *
 * A path is simple if no block is in it twice, but the first may also be the last.  A prime path is a
 * simple path that is no part of a longer one.  So all ways through a loop, past it, into and out of
 * it are among them, and there are finitely many:
 *
 *      2 -> 3, 3 -> 4, 4 -> 3, 3 -> 5     prime: 2 3 4, 2 3 5, 3 4 3, 4 3 4, 4 3 5
 */
#ifndef WPP_PRIME_PATHS_H
#define WPP_PRIME_PATHS_H

#include "wpp/wpp.h"

struct prime_paths {
    uint32_t n;
    uint32_t *first;           /* n + 1: path i is block[first[i] .. first[i+1]) */
    uint32_t *block;
    bool limited;              /* there are more than the limit: n is 0 */
};

/* By their first blocks, ascending.  Edges whose targets the path table does not name (computed
 * gotos) are left out, and ENTRY and EXIT.  False: no memory.  Cost: O(simple paths), and it gives up
 * (`limited`) after some hundred steps for each path of the limit. */
bool prime_paths_find(const struct wpp_routine *routine, uint32_t limit, struct prime_paths *out);
void prime_paths_free(struct prime_paths *p);

#endif
