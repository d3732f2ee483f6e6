/* SPDX-License-Identifier: MIT */
/* number-tree.h - numbers below a bound that grows, by adaptive decisions.
 *
 * docs/wpp-format.md, "A number", defines them: at is 0; for each power of two p below n, from
 * the largest on, if at + p < n: is the number >= at + p?  Each at + p is a node with a chance of
 * its own.  The nodes make a tree; four of its levels at a time lie in one line of memory, and
 * beside the last four what belongs to the numbers, eight bytes each:
 *
 *      group  powers        lines
 *      1      16 .. 128     | -  16  32  48 .. 240 | - 272 288 304 .. 496 | ...
 *      0      1 .. 8        | -   1   2 .. 15 | of 0 | of 1 | .. of 15 |
 *                           | -  17  18 .. 31 | of 16 | of 17 | .. of 31 | ...
 *
 * So a number below 2^16 takes four lines instead of sixteen.  Groups lie one behind the
 * other, that of the highest powers first; node i of group g (16^g divides i, 16^(g+1) does
 * not) is in line i / 16^(g+1) of its group, at place i / 16^g % 16.  Place 0 is nobody's.
 * Nodes that there are not yet have a chance of 0: the answer is no, and takes no bits.
 */
#ifndef WPP_NUMBER_TREE_H
#define WPP_NUMBER_TREE_H

#include "wpp/format/bit-coder.h"

struct wpp_halves {
    void *lines;
    uint32_t n;                  /* numbers are below */
    uint32_t room;               /* for such an n */
};

/* One number more, with what belongs to it.  False: no memory, all as it was. */
bool wpp_halves_grow(struct wpp_halves *h, uint64_t beside);
void wpp_halves_free(struct wpp_halves *h);

/* What belongs to a number. */
uint64_t wpp_halves_beside(const struct wpp_halves *h, uint32_t number);

/* Writes or reads a number below n, which is 1 at least. */
uint32_t wpp_halves_code(struct wpp_halves *h, struct wpp_coder *c, uint32_t number);

#endif
