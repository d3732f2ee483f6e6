/* SPDX-License-Identifier: MIT */
/* hot-list.h - the hottest subpaths of a run, and where one of them occurs.
 *
 * Another part of the program finds them, in a thread of its own (struct hot_source).  What `w` and the source give
 * must live on.
 */
#ifndef WPP_HOT_LIST_H
#define WPP_HOT_LIST_H

#include "wpp/replay/string-finder.h"
#include "wpp/wpp.h"

struct hot_item {
    const uint32_t *terminals;
    uint32_t n;
    uint64_t frequency;            /* occurrences in all threads */
    double share;                  /* of the cost of the run: 0 to 1 */
};

enum hot_state { HOT_LOOKING, HOT_READY, HOT_FAILED };

/* ask() begins to look for them and says how far that is; it may wait some milliseconds.  HOT_READY: *out has *n of
 * them, the hottest one first.  All zero: there is no source. */
struct hot_source {
    enum hot_state (*ask)(void *context, const struct hot_item **out, size_t *n);
    void *context;
};

/* All zero, but for the source, is none. */
struct hot_list {
    struct hot_source source;
    enum hot_state state;
    bool wanted;                   /* they are being looked for */
    const struct hot_item *item;
    size_t n;
    size_t chosen;                 /* the one that was gone to last, from 1; 0: none */
    struct string_finder *finder;  /* of one of them, which is `found` from 1 */
    size_t found;
    bool ready;
};

/* Asks the source. */
enum hot_state hot_list_ask(struct hot_list *h);
/* Looks for item number `which`, from 1.  STRING_READY: h->finder is its. */
enum string_state hot_list_find(struct hot_list *h, const wpp *w, size_t which);
void hot_list_free(struct hot_list *h);

#endif
