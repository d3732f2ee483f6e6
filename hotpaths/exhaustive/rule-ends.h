/* SPDX-License-Identifier: MIT */
/* rule-ends.h - what long rules begin and end with, in one piece each.
 *
 * A walk down to the first or last n terminals of a rule waits for memory at each rule below.
 * Rules of up to END_MOST terminals are read from their line of memory (gram-counts.h); of longer
 * ones they lie here, as many as a round (refine.c) asks for:
 *
 *      first, last   | place | place | ...       of each rule
 *      codes         . . . | n | n terminals | ...
 *
 * A rule of up to `most` terminals has all of them in both places; of longer ones there are
 * `most`.  Ends that are equal lie in one place where that is frequent, so that a place tells
 * what is there.  Where a round asks for more than FLAT_MOST terminals, rules longer than that
 * are not here.  Only ends that were said to be wanted are, and those that these consist of.
 */
#ifndef WPP_RULE_ENDS_H
#define WPP_RULE_ENDS_H

#include "hotpaths/base/rule-walk.h"
#include "hotpaths/exhaustive/gram-counts.h"

#ifdef WPP_HOSTILE
enum { FLAT_MOST = 5 };
#else
enum { FLAT_MOST = 64 };
#endif

static_assert((int)FLAT_MOST >= (int)END_MOST, "room for one is room for short rules");

struct flat_ends {
    const struct grams *grams;
    uint32_t most;          /* kept of one end */
    bool only_whole;        /* more than that is asked for: no rules that are longer */
    uint32_t *first, *last; /* places in codes; 0: not among them */
    uint8_t *wanted;        /* WANTED_FIRST, WANTED_LAST; until they are there */
    void *codes;            /* of 16 bits, or 32 (grams.wide); the first is nobody's */
    size_t n, size;
    uint64_t *table;        /* of the places (hash-table.h), as long as equal ends are looked for */
    size_t table_size, n_table, asked, known;
    bool given_up;
};

/* For reads of up to `reach` terminals: first what will be wanted, then all at once.  HOT_OK or
 * HOT_E_MEMORY; flat_ends_clear either way. */
int flat_ends_init(struct flat_ends *f, const struct grams *grams, uint32_t reach);
void flat_ends_want(struct flat_ends *f, uint32_t rule, bool last);
int flat_ends_fill(struct flat_ends *f);
void flat_ends_clear(struct flat_ends *f);

/* Whether all that is here is what a walk finds; true without memory for walks. */
bool flat_ends_check(const struct flat_ends *f, const struct outward *o);

/* Writes what a rule begins (ends) with to `out`, which has room for FLAT_MOST, and returns
 * how much that is: all of it, or as much as anyone asks for.  0: the rule is not known. */
uint32_t flat_ends_first(const struct flat_ends *f, uint32_t rule, uint32_t *out);
uint32_t flat_ends_last(const struct flat_ends *f, uint32_t rule, uint32_t *out);

/* The end's place; 0: it is not known. */
static inline uint32_t flat_ends_place(const struct flat_ends *f, uint32_t rule, bool last)
{
    return last ? f->last[rule] : f->first[rule];
}

/* Fetch what these will need into the caches: a short rule's ends or a long one's place, and
 * then what is there. */
void flat_ends_fetch_place(const struct flat_ends *f, uint32_t rule, bool last);
void flat_ends_fetch(const struct flat_ends *f, uint32_t rule, bool last);

#endif
