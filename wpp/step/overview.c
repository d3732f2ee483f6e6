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

static wpp_finder *find_routine(const wpp *w, uint32_t routine)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint32_t *weights = calloc(n + (size_t)1, sizeof *weights);
    wpp_finder *finder = NULL;
    struct wpp_error error;

    for (uint32_t i = 0; weights && i < n; i++)
        weights[i] = wpp_terminal(w, i)->routine == routine;
    if (weights)
        finder = wpp_finder_new(w, weights, &error);
    free(weights);
    return finder;
}

const struct overview *overviews_make(struct overviews *o, const wpp *w, uint32_t thread, uint32_t routine,
                                      int columns)
{
    wpp_finder *finder = find_routine(w, routine);
    uint64_t *events = malloc(((size_t)columns + 1) * sizeof *events);
    uint64_t tokens = wpp_thread(w, thread)->tokens;
    struct overview *v = &o->kept[o->next];

    if (!finder || !events) {
        wpp_finder_free(finder);
        free(events);
        return NULL;
    }
    for (int i = 0; i < columns; i++)
        events[i] = wpp_finder_count(finder, thread, overview_event(tokens, columns, i),
                                     overview_event(tokens, columns, i + 1));
    wpp_finder_free(finder);
    free(v->events);
    *v = (struct overview){thread, routine, columns, events};
    o->next = (o->next + 1) % N_OVERVIEWS;
    return v;
}

void overviews_free(struct overviews *o)
{
    for (int i = 0; i < N_OVERVIEWS; i++)
        free(o->kept[i].events);
    *o = (struct overviews){0};
}
