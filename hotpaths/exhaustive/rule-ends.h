/* SPDX-License-Identifier: MIT */
/* rule-ends.h - the ends of long rules, each in one piece.
 *
 * A walk down to the first or last n terminals of a rule waits for memory at each rule below.
 * Rules of up to END_MOST terminals are read from their line of memory (gram-counts.h).  The ends
 * of longer ones are stored here, as far as a round (refine.c) needs them:
 *
 *      first, last   | place | place | ...       of each rule
 *      codes         . . . | n | n terminals | ...
 *
 * A rule of up to `most` terminals has all of them in both places; a longer one has `most`.  Equal
 * ends share one place where that is frequent, so that a place identifies the string.  If a round
 * needs more than RULE_ENDS_MOST terminals, rules longer than that are not stored.  Only ends that
 * were marked as wanted are stored, and the ends that they consist of.
 */
#ifndef WPP_RULE_ENDS_H
#define WPP_RULE_ENDS_H

#include "hotpaths/base/rule-walk.h"
#include "hotpaths/exhaustive/gram-counts.h"

#ifdef WPP_HOSTILE
enum { RULE_ENDS_MOST = 5 };
#else
enum { RULE_ENDS_MOST = 64 };
#endif

static_assert((int)RULE_ENDS_MOST >= (int)END_MOST, "room for one is room for short rules");

struct rule_ends {
    const struct gram_counts *grams;
    uint32_t most;          /* terminals stored of one end */
    bool only_whole;        /* more terminals than that are needed: longer rules are not stored */
    uint32_t *first, *last; /* places in codes; 0: not stored */
    uint8_t *wanted;        /* WANTED_FIRST, WANTED_LAST; until they are stored */
    void *codes;            /* of 16 bits, or 32 (grams.wide); the first is unused */
    size_t n, size;
    uint64_t *table;        /* of the places (hash-table.h), while equal ends are searched */
    size_t table_size, n_table, asked, known;
    bool given_up;
};

/* For reads of up to `reach` terminals: first mark all wanted ends, then fill.  HOT_OK or
 * HOT_E_MEMORY; rule_ends_clear either way. */
int rule_ends_init(struct rule_ends *f, const struct gram_counts *grams, uint32_t reach);
void rule_ends_want(struct rule_ends *f, uint32_t rule, bool last);
int rule_ends_fill(struct rule_ends *f);
void rule_ends_clear(struct rule_ends *f);

/* Whether all stored ends agree with walks; also true without memory for walks. */
bool rule_ends_check(const struct rule_ends *f, const struct rule_walks *o);

/* Writes the first (last) terminals of a rule to `out`, which has room for RULE_ENDS_MOST, and
 * returns how many: all of them, or as many as are needed.  0: the end is not stored. */
uint32_t rule_ends_first(const struct rule_ends *f, uint32_t rule, uint32_t *out);
uint32_t rule_ends_last(const struct rule_ends *f, uint32_t rule, uint32_t *out);

/* The end's place; 0: it is not stored. */
static inline uint32_t rule_ends_place(const struct rule_ends *f, uint32_t rule, bool last)
{
    return last ? f->last[rule] : f->first[rule];
}

/* Prefetch what these will need: first a short rule's ends or a long one's place, then the end at
 * that place. */
void rule_ends_fetch_place(const struct rule_ends *f, uint32_t rule, bool last);
void rule_ends_fetch(const struct rule_ends *f, uint32_t rule, bool last);

#endif
