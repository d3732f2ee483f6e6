/* SPDX-License-Identifier: MIT */
/* flat-ends.h - what long rules begin and end with, in one piece each.
 *
 * A walk down to the first or last n terminals of a rule waits for memory at each rule below.
 * Rules of up to END_MOST terminals are read from their line of memory (grams.h); of longer
 * ones they lie here, as many as a round (exact.c) asks for:
 *
 *      codes    | n | all n terminals |            up to `most` long
 *               | 0 | first `most` | last `most` |      longer
 *
 * Where a round asks for more than FLAT_MOST terminals, rules longer than that are not here.
 * The rules that one which is here consists of are known, too.
 */
#ifndef WPP_HOT_FLAT_ENDS_H
#define WPP_HOT_FLAT_ENDS_H

#include "hotpaths/grams.h"
#include "hotpaths/outward.h"

#ifdef WPP_HOSTILE
enum { FLAT_MOST = 5 };
#else
enum { FLAT_MOST = 64 };
#endif

static_assert((int)FLAT_MOST >= (int)END_MOST, "room for one is room for short rules");

struct flat_ends {
    const struct grams *grams;
    uint32_t most;          /* kept of one end */
    uint32_t *place;        /* in codes, of each rule; 0: it is not among them */
    void *codes;            /* of 16 bits, or 32 (grams.wide); the first is nobody's */
    size_t n, size;
};

/* For reads of up to `reach` terminals.  HOT_OK or HOT_E_MEMORY; flat_ends_clear either way. */
int flat_ends_init(struct flat_ends *f, const struct grams *grams, uint32_t reach);
void flat_ends_clear(struct flat_ends *f);

/* Whether all that is here is what a walk finds; true without memory for walks. */
bool flat_ends_check(const struct flat_ends *f, const struct outward *o);

/* Writes what a rule begins (ends) with to `out`, which has room for FLAT_MOST, and returns
 * how much that is: all of it, or as much as anyone asks for.  0: the rule is not known. */
uint32_t flat_ends_first(const struct flat_ends *f, uint32_t rule, uint32_t *out);
uint32_t flat_ends_last(const struct flat_ends *f, uint32_t rule, uint32_t *out);

/* Fetch what these will need into the caches: a short rule's ends or a long one's place, and
 * then what is there. */
void flat_ends_fetch_place(const struct flat_ends *f, uint32_t rule);
void flat_ends_fetch(const struct flat_ends *f, uint32_t rule);

#endif
