/* SPDX-License-Identifier: MIT */
/* event-cursor.c - walking a thread's events.
 *
 * The stack holds, from the start rule inwards, the rest of each rule that the walk is inside of.
 * No range on it is empty: a rule is removed as soon as its last symbol is entered.
 */
#include <assert.h>
#include <stdlib.h>

#include "wpp/read/reader.h"

struct range {
    const uint32_t *next, *end;    /* next < end */
};

struct wpp_cursor {
    const struct wpp *w;
    size_t depth;
    struct range stack[];          /* w->depth */
};

static void push(wpp_cursor *c, uint64_t begin, uint64_t end)
{
    if (begin == end)
        return;
    assert(c->depth < c->w->depth);
    c->stack[c->depth++] = (struct range){c->w->grammar.symbols + begin,
                                          c->w->grammar.symbols + end};
}

static void seek(wpp_cursor *c, uint32_t rule, uint64_t offset)
{
    const struct wpp_grammar *g = &c->w->grammar;
    struct prefix_sums events = wpp_event_sums(c->w);

    for (;;) {
        uint64_t i = prefix_sums_find(&events, g->body[rule], g->body[rule + 1], &offset);

        if (!(g->symbols[i] & WPP_RULE) || offset == 0) {
            push(c, i, g->body[rule + 1]);
            return;
        }
        push(c, i + 1, g->body[rule + 1]);
        rule = g->symbols[i] & ~WPP_RULE;
    }
}

wpp_cursor *wpp_cursor_new(const wpp *w, uint32_t thread, uint64_t first)
{
    wpp_cursor *c;

    if (thread >= w->n_threads || first > w->threads[thread].tokens ||
        (w->findings.missing & WPP_PART_GRAMMAR) || w->figures_only || first > wpp_events_read(w, thread))
        return NULL;
    c = malloc(sizeof *c + w->depth * sizeof c->stack[0]);
    if (!c)
        return NULL;
    c->w = w;
    c->depth = 0;
    if (first < wpp_events_read(w, thread))
        seek(c, w->grammar.n_rules + thread, first);
    return c;
}

size_t wpp_cursor_read(wpp_cursor *c, uint32_t *terminals, size_t n)
{
    const struct wpp_grammar *g = &c->w->grammar;
    size_t done = 0;

    while (c->depth > 0 && done < n) {
        struct range *top = &c->stack[c->depth - 1];
        uint32_t symbol = *top->next++;

        if (top->next == top->end)
            c->depth--;
        if (symbol & WPP_RULE) {
            uint32_t rule = symbol & ~WPP_RULE;

            push(c, g->body[rule], g->body[rule + 1]);
        } else {
            terminals[done++] = symbol;
        }
    }
    return done;
}

void wpp_cursor_free(wpp_cursor *c)
{
    free(c);
}
