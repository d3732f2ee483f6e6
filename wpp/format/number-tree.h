/* SPDX-License-Identifier: MIT */
/* number-tree.h - numbers below a bound that grows, by adaptive decisions.
 *
 * docs/wpp-format.md, "A number", defines them: at is 0; for each power of two p below n, from the
 * largest on, if at + p < n: is the number >= at + p?  Each at + p is a node with a chance of its
 * own.  The nodes make a tree.  Four of its levels share one line of memory; beside the last four
 * levels is a value of eight bytes for each number:
 *
 *      group  powers        lines
 *      1      16 .. 128     | -  16  32  48 .. 240 | - 272 288 304 .. 496 | ...
 *      0      1 .. 8        | -   1   2 .. 15 | of 0 | of 1 | .. of 15 |
 *                           | -  17  18 .. 31 | of 16 | of 17 | .. of 31 | ...
 *
 * So a number below 2^16 takes four lines instead of sixteen.  The groups follow each other, that
 * of the highest powers first.  Node i of group g (16^g divides i, 16^(g+1) does not) is in line
 * i / 16^(g+1) of its group, in slot i / 16^g % 16.  Slot 0 is unused.  Nodes that do not exist yet
 * have a chance of 0: the answer is no, and takes no bits.
 */
#ifndef WPP_NUMBER_TREE_H
#define WPP_NUMBER_TREE_H

#include "wpp/format/bit-coder.h"

struct wpp_number_tree {
    void *lines;
    uint32_t n;                  /* numbers are below n */
    uint32_t room;               /* there is room for this n */
};

/* Adds one number and the value beside it.  False: no memory, and nothing has changed. */
bool wpp_number_tree_grow(struct wpp_number_tree *h, uint64_t beside);
void wpp_number_tree_free(struct wpp_number_tree *h);

/* The value beside a number. */
uint64_t wpp_number_tree_beside(const struct wpp_number_tree *h, uint32_t number);

/* Prefetches what writing the number will need. */
void wpp_number_tree_fetch(const struct wpp_number_tree *h, uint32_t number);

/* Writes or reads a number below n, which must be at least 1. */
uint32_t wpp_number_tree_code(struct wpp_number_tree *h, struct wpp_coder *c, uint32_t number);

#endif
