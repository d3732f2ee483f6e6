/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/first-events.h"

#include <stdlib.h>

/* A rule that is being read: the next symbol, and the event at which that begins. */
struct open_rule { uint64_t next, end, event; };

struct walk {
    const struct wpp_grammar *g;
    uint32_t thread;
    struct first_event *first;
    bool *seen;                /* by rule: what it derives has been there before */
    struct open_rule *open;    /* a rule uses smaller ones only: at most n_rules + 1 */
    size_t depth;
};

static void enter(struct walk *w, uint32_t rule, uint64_t event)
{
    w->seen[rule] = true;
    w->open[w->depth++] = (struct open_rule){w->g->body[rule], w->g->body[rule + 1], event};
}

/* A rule is read where it stands first; later it brings nothing new. */
static void take_symbol(struct walk *w)
{
    struct open_rule *top = &w->open[w->depth - 1];
    uint32_t symbol = w->g->symbols[top->next++];
    uint64_t event = top->event;

    if (!(symbol & WPP_RULE)) {
        top->event++;
        if (w->first[symbol].thread == UINT32_MAX)
            w->first[symbol] = (struct first_event){w->thread, event};
        return;
    }
    symbol &= ~WPP_RULE;
    top->event += w->g->length[symbol];
    if (!w->seen[symbol])
        enter(w, symbol, event);
}

struct first_event *first_events(const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    size_t rules = g->n_rules + (size_t)g->n_threads;
    struct walk walk = {
        .g = g, .first = calloc(g->n_terminals + (size_t)1, sizeof *walk.first),
        .seen = calloc(rules + 1, sizeof *walk.seen), .open = calloc(rules + 1, sizeof *walk.open)
    };
    bool ready = walk.first && walk.seen && walk.open;

    for (uint32_t i = 0; ready && i < g->n_terminals; i++)
        walk.first[i].thread = UINT32_MAX;
    for (uint32_t t = 0; ready && t < g->n_threads; t++) {
        walk.thread = t;
        for (enter(&walk, g->n_rules + t, 0); walk.depth > 0;) {
            if (walk.open[walk.depth - 1].next == walk.open[walk.depth - 1].end)
                walk.depth--;
            else
                take_symbol(&walk);
        }
    }
    free(walk.seen);
    free(walk.open);
    if (ready)
        return walk.first;
    free(walk.first);
    return NULL;
}
