/* SPDX-License-Identifier: MIT */
/* shown-answers.h - the subpaths that are shown, with additional figures on request. */
#ifndef WPP_SHOWN_ANSWERS_H
#define WPP_SHOWN_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report/answer-groups.h"
#include "hotpaths/report/outline.h"

enum { SHOWN_BEHIND, SHOWN_BEFORE, SHOWN_SIDES };
enum { SHOWN_NEIGHBOURS = 5 };      /* on each side: the most frequent ones */

struct shown_neighbour {
    uint32_t terminal;
    uint64_t times;
};

struct shown {
    struct hot_subpath path;        /* as it is shown: extended, counted again */
    uint32_t *grown;                /* its terminals if it was extended, else NULL */
    const uint64_t *by_thread;      /* frequencies */
    uint64_t covered;               /* by all occurrences of it and of those above it */
    struct shown_neighbour near[SHOWN_SIDES][SHOWN_NEIGHBOURS];
    uint32_t n_near[SHOWN_SIDES];
    struct outline outline;         /* of its paths, or of one iteration of its loop */
    struct answer_scope scope;
    size_t group;                   /* the index of the first one of the same answer */
    struct hot_turns loop;          /* in the whole run: of path.loop, if there is one */
    struct hot_turns *folds;        /* of each fold of the outline */
};

struct shown_list {
    const struct wpp_grammar *g;
    const uint64_t *cost;
    uint32_t thread;
    struct shown *item;
    size_t n;
    size_t n_all;                   /* how many there would be without --top */
    bool rotations, grown, apart, covers, has_neighbours;
    uint64_t *by_thread;            /* NULL: not split by thread */
};

/* The first `top` subpaths of the result: all, or the first of each loop.  All functions: HOT_OK or
 * HOT_E_MEMORY; shown_clear either way. */
int shown_choose(struct shown_list *s, const hot_result *result, bool rotations, size_t top);
void shown_clear(struct shown_list *s);

/* Extends each as long as its frequency stays the same; of those that become equal one is kept.
 * Costs and ranks are those of the extended ones. */
int shown_extend(struct shown_list *s, uint32_t most);

/* Counts frequencies, costs and ranks by occurrences that do not overlap. */
int shown_apart(struct shown_list *s);

int shown_split(struct shown_list *s);
int shown_cover(struct shown_list *s);          /* of each */
/* For `n` subpaths, which[i], or for all (NULL). */
int shown_find_neighbours(struct shown_list *s, const size_t *which, size_t n);

/* Makes outlines and groups, which all reports need.  `iteration`: the outline of a loop is one
 * iteration.  To be called after all changes of paths. */
int shown_outline(struct shown_list *s, const wpp *w, bool iteration);

/* Counts how often loops are repeated in a row; arguments as for neighbours.  After
 * shown_outline. */
int shown_count_turns(struct shown_list *s, const size_t *which, size_t n);

#endif
