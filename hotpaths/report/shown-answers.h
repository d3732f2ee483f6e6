/* SPDX-License-Identifier: MIT */
/* shown-answers.h - the subpaths that are shown, and what else is asked of them. */
#ifndef WPP_SHOWN_ANSWERS_H
#define WPP_SHOWN_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report/answer-groups.h"
#include "hotpaths/report/outline.h"

enum { SHOWN_BEHIND, SHOWN_BEFORE, SHOWN_SIDES };
enum { SHOWN_NEIGHBOURS = 5 };      /* on each side, the most frequent ones */

struct shown_neighbour {
    uint32_t terminal;
    uint64_t times;
};

struct shown {
    struct hot_subpath path;        /* as it is told: grown, counted anew */
    uint32_t *grown;                /* its terminals then, else NULL */
    const uint64_t *by_thread;      /* frequencies */
    uint64_t covered;               /* by all places of it and of those above it */
    struct shown_neighbour near[SHOWN_SIDES][SHOWN_NEIGHBOURS];
    uint32_t n_near[SHOWN_SIDES];
    struct story story;             /* of its paths, or of one iteration of its loop */
    struct seat seat;
    size_t group;                   /* the index of the first one that is the same answer */
    struct hot_turns loop;          /* in the whole run, of path.loop if there is one */
    struct hot_turns *folds;        /* of each fold of the story */
};

struct shown_list {
    const struct wpp_grammar *g;
    const uint64_t *cost;
    uint32_t thread;
    struct shown *item;
    size_t n;
    size_t n_all;                   /* so many there would be without --top */
    bool rotations, grown, apart, covers, has_neighbours;
    uint64_t *by_thread;            /* NULL: not split */
};

/* The first `top` of the result: each, or the first of each loop.  All functions:
 * HOT_OK or HOT_E_MEMORY; shown_clear either way. */
int shown_choose(struct shown_list *s, const hot_result *result, bool rotations, size_t top);
void shown_clear(struct shown_list *s);

/* Each grows as long as it stays as frequent; those that have become equal are told
 * once.  Costs and ranks are those of the longer ones. */
int shown_extend(struct shown_list *s, uint32_t most);

/* Frequencies, costs and ranks by places that do not overlap. */
int shown_apart(struct shown_list *s);

int shown_split(struct shown_list *s);
int shown_cover(struct shown_list *s);          /* of each */
/* Of `n` subpaths, which[i], or of all (NULL). */
int shown_find_neighbours(struct shown_list *s, const size_t *which, size_t n);

/* Stories and groups; needed by all reports.  `iteration`: of a loop one iteration is told.
 * What changes paths comes before. */
int shown_tell(struct shown_list *s, const wpp *w, bool iteration);

/* How often loops are gone round in a row: as for neighbours, behind shown_tell. */
int shown_count_turns(struct shown_list *s, const size_t *which, size_t n);

#endif
