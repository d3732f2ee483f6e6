/* SPDX-License-Identifier: MIT */
/* rotations.h - which of the subpaths found are the same loop, begun elsewhere.
 *
 * A loop of turn a b c shows as abca..., bcab... and cabc..., each of which is a
 * minimal hot subpath.  What follows the first terminal of each is the next one,
 * as far as both go:
 *
 *      a b c a b        b c a b        c a b c a        a b c a b
 *        b c a b   ->     c a b ..  ->   a b c a   ->   and so round
 *
 * A cycle of such steps is a family when each of its members is a piece of the
 * endless repetition of the first terminals along it.  So loops are found whose
 * turn is longer than any of the subpaths.  No subpath may begin with another.
 *
 * Subpaths that are longer than their period are a family, or belong to one, also
 * when not all rotations are hot: when their periods are rotations of each other.
 */
#ifndef WPP_ROTATIONS_H
#define WPP_ROTATIONS_H

#include "hotpaths/base/subpath-set.h"

/* Sets leader, rotations and turn of each entry, whose periods are known; leader
 * is the first of its family, and *n_families counts those.  Of entries whose turn is
 * longer than they are, turns[cycle] and what follows is a turn.  HOT_OK or
 * HOT_E_MEMORY. */
int loops_find(struct found *f, size_t *n_families);

/* The shortest distance at which the string can overlap itself; its length if it
 * cannot.  `scratch` has room for `length`. */
uint32_t loops_period(const uint32_t *string, uint32_t length, uint32_t *scratch);

/* Where the rotation of the string begins that comes first in order. */
uint32_t loops_least_rotation(const uint32_t *string, uint32_t n);

#endif
