/* SPDX-License-Identifier: MIT */
#include "wpp/step/overview.h"

#include <stdlib.h>

uint64_t overview_event(uint64_t tokens, int columns, int column)
{
    return (uint64_t)((unsigned __int128)tokens * (unsigned)column / (unsigned)columns);
}

int overview_column(uint64_t tokens, int columns, uint64_t event)
{
    int column;

    if (event >= tokens)
        return columns - 1;
    column = (int)((unsigned __int128)event * (unsigned)columns / tokens);
    /* The quotient is rounded down, as the beginning of a column is. */
    while (column + 1 < columns && overview_event(tokens, columns, column + 1) <= event)
        column++;
    return column;
}

const struct overview *overviews_find(const struct overviews *o, uint32_t thread, uint32_t routine, int columns)
{
    for (int i = 0; i < N_OVERVIEWS; i++) {
        const struct overview *v = &o->kept[i];

        if (v->events && v->thread == thread && v->routine == routine && v->columns == columns)
            return v;
    }
    return NULL;
}

static wpp_finder *begin_routine(const wpp *w, uint32_t routine)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint32_t *weights = calloc(n + (size_t)1, sizeof *weights);
    wpp_finder *finder = NULL;
    struct wpp_error error;

    for (uint32_t i = 0; weights && i < n; i++)
        weights[i] = wpp_terminal(w, i)->routine == routine;
    if (weights)
        finder = finder_begin(w, weights, &error);
    free(weights);
    return finder;
}

/* Counts what the finder, which is ready, finds in each column. */
static bool count_columns(struct overviews *o, const wpp *w)
{
    struct overview v = o->wanted;
    uint64_t tokens = wpp_thread(w, v.thread)->tokens;

    v.events = malloc(((size_t)v.columns + 1) * sizeof *v.events);
    if (!v.events)
        return false;
    for (int i = 0; i < v.columns; i++)
        v.events[i] = wpp_finder_count(o->making, v.thread, overview_event(tokens, v.columns, i),
                                       overview_event(tokens, v.columns, i + 1));
    free(o->kept[o->next].events);
    o->kept[o->next] = v;
    o->next = (o->next + 1) % N_OVERVIEWS;
    return true;
}

static void give_up(struct overviews *o)
{
    wpp_finder_free(o->making);
    o->making = NULL;
}

bool overviews_make(struct overviews *o, const wpp *w, uint32_t thread, uint32_t routine, int columns)
{
    enum { PART = 1 << 20 };       /* symbols: some milliseconds */
    enum finder_state state;
    bool made;

    if (o->making && (o->wanted.thread != thread || o->wanted.routine != routine || o->wanted.columns != columns))
        give_up(o);
    if (!o->making) {
        o->wanted = (struct overview){thread, routine, columns, NULL};
        o->making = begin_routine(w, routine);
    }
    if (!o->making)
        return false;
    state = finder_go_on(o->making, PART);
    if (state == FINDER_MORE)
        return true;
    made = state == FINDER_READY && count_columns(o, w);
    give_up(o);
    return made;
}

void overviews_free(struct overviews *o)
{
    give_up(o);
    for (int i = 0; i < N_OVERVIEWS; i++)
        free(o->kept[i].events);
    *o = (struct overviews){0};
}
