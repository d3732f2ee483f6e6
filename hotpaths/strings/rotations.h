/* SPDX-License-Identifier: MIT */
/* rotations.h - finds subpaths that are the same loop, begun at different paths.
 *
 * A loop with the iteration a b c appears as abca..., bcab... and cabc..., each of which is a
 * minimal hot subpath.  A subpath without its first terminal agrees with the next one, as far as
 * both go:
 *
 *      a b c a b        b c a b        c a b c a        a b c a b
 *        b c a b   ->     c a b ..  ->   a b c a   ->   and so on
 *
 * A cycle of such steps is a family when each of its members is a part of the endless repetition of
 * the first terminals along it.  So loops are found even if an iteration is longer than each of the
 * subpaths. No subpath may begin with another.
 *
 * Subpaths that are longer than their period are a family, or belong to one, also when not all
 * rotations are hot: when their periods are rotations of each other.
 */
#ifndef WPP_ROTATIONS_H
#define WPP_ROTATIONS_H

#include "hotpaths/base/subpath-set.h"

/* Sets leader, rotations and turn of each entry, whose periods are known; leader is the first of
 * its family, and *n_families is the number of families.  For entries that are shorter than their
 * iteration, turns[cycle] and the following are one iteration.  HOT_OK or HOT_E_MEMORY. */
int rotations_find(struct subpath_set *f, size_t *n_families);

/* The shortest distance at which the string can overlap itself, or its length if it cannot.
 * `scratch` has room for `length`. */
uint32_t rotations_period(const uint32_t *string, uint32_t length, uint32_t *scratch);

/* The position at which the string's least rotation begins. */
uint32_t rotations_least(const uint32_t *string, uint32_t n);

#endif
