/* SPDX-License-Identifier: MIT */
/* larus.c - the walk of Larus, Whole Program Paths, Figure 7.
 *
 * Rules are visited once, bottom-up.  A visit runs over the right-hand side and pushes terminals
 * through a window of the last L of them.  Of a nonterminal it pushes the prefix; if that is not
 * the whole expansion, the window then becomes the nonterminal's suffix:
 *
 *      rule      r  ->     t          A                    u     ...
 *      pushed              t   |prefix(A)|    |suffix(A)|  u
 *      window          [  ...............]    [ ........   . ]
 *
 * As soon as the window is hot at the rule's frequency it is a find: it is reported and the window
 * becomes empty.  A rule's prefix ends where its first find begins and its suffix begins where its
 * last one ends, so no terminal of the trace is ever part of two finds.  docs/errata.md lists where
 * the printed algorithm differs from that.
 *
 * Invariants while visiting a rule, in positions of the rule's expansion:
 *   - the window is [position - length, position), free of finds;
 *   - prefix is [0, n_prefix), free of finds; `open`: n_prefix == position;
 *   - a window inside one nonterminal is never hot: it would have been found in
 *     that nonterminal, whose frequency is at least as large.  So each find crosses
 *     two symbols of the rule (or is a single terminal of it), and finds in
 *     different rules are different places of the trace.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/larus/limited-ends.h"

/* The last terminals pushed: symbols[begin .. end).  The buffer has twice their largest number, so
 * that they are moved to its front once in L pushes. */
struct window {
    uint32_t *symbols;
    uint32_t begin, end;
    uint64_t cost;              /* the sum over them */
};

struct walk {
    const struct analysis *a;
    struct subpath_set *out;
    struct limited_ends_store ends;
    struct window window;
    uint32_t *prefix;           /* of the current rule */
    uint32_t n_prefix;
    bool open;
    uint64_t position;          /* how many terminals of the rule's expansion have passed */
    uint64_t free_from;         /* end of the last find in this rule */
    uint64_t needed;            /* unit cost that makes a window of this rule hot */
    uint64_t frequency;
};

static uint32_t window_length(const struct window *w)
{
    return w->end - w->begin;
}

static void window_clear(struct window *w)
{
    w->begin = w->end = 0;
    w->cost = 0;
}

static void window_push(struct window *w, uint32_t limit, const uint64_t *cost, uint32_t terminal)
{
    assert(w->begin <= w->end && w->end <= 2 * limit && window_length(w) <= limit);
    if (window_length(w) == limit)
        w->cost -= cost[w->symbols[w->begin++]];
    if (w->end == 2 * limit) {
        memmove(w->symbols, w->symbols + w->begin, window_length(w) * sizeof *w->symbols);
        w->end -= w->begin;
        w->begin = 0;
    }
    w->symbols[w->end++] = terminal;
    w->cost += cost[terminal];
}

static void window_set(struct window *w, const uint64_t *cost, const uint32_t *symbols, uint32_t n)
{
    window_clear(w);
    for (uint32_t i = 0; i < n; i++) {
        w->symbols[w->end++] = symbols[i];
        w->cost += cost[symbols[i]];
    }
}

static bool window_is_hot(const struct walk *w)
{
    return w->window.cost >= w->needed && window_length(&w->window) >= w->a->min_length;
}

/* Reports the window and removes it from the prefix and from later windows. */
static int find(struct walk *w)
{
    struct window *win = &w->window;
    uint64_t first = w->position - window_length(win);
    int status = subpath_set_add(w->out, win->symbols + win->begin, window_length(win), win->cost,
                                 w->frequency);

    if (first < w->n_prefix)
        w->n_prefix = (uint32_t)first;
    w->open = false;
    w->free_from = w->position;
    window_clear(win);
    return status;
}

static int push_terminal(struct walk *w, uint32_t terminal)
{
    if (w->open && w->n_prefix < w->a->max_length)
        w->prefix[w->n_prefix++] = terminal;
    else
        w->open = false;
    w->position++;
    window_push(&w->window, w->a->max_length, w->a->cost, terminal);
    return window_is_hot(w) ? find(w) : HOT_OK;
}

/* Skips the middle of a nonterminal whose expansion ends at `end`. */
static void skip_to_suffix(struct walk *w, const struct limited_ends *e, uint64_t end)
{
    uint32_t n = e->n_suffix;

    /* The suffix may reach back into a find that ended in the prefix. */
    if (end - w->free_from < n)
        n = (uint32_t)(end - w->free_from);
    window_set(&w->window, w->a->cost, limited_ends_suffix(e) + e->n_suffix - n, n);
    w->position = end;
    w->open = false;
    assert(!window_is_hot(w));
}

static int push_rule(struct walk *w, uint32_t rule)
{
    const struct limited_ends *e = limited_ends_of(&w->ends, rule);
    uint64_t end = w->position + w->a->g->length[rule];

    for (uint32_t i = 0; i < e->n_prefix; i++)
        if (push_terminal(w, limited_ends_prefix(e)[i]) != HOT_OK)
            return HOT_E_MEMORY;
    if (!e->covers)
        skip_to_suffix(w, e, end);
    assert(w->position == end);
    limited_ends_release(&w->ends, rule);
    return HOT_OK;
}

static int visit_rule(struct walk *w, uint32_t rule, uint64_t needed)
{
    const struct wpp_grammar *g = w->a->g;

    window_clear(&w->window);
    w->n_prefix = 0;
    w->open = true;
    w->position = w->free_from = 0;
    w->needed = needed;
    w->frequency = w->a->frequency[rule];
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t symbol = g->symbols[i];
        int status = symbol & WPP_RULE ? push_rule(w, symbol & ~WPP_RULE)
                                       : push_terminal(w, symbol);

        if (status != HOT_OK)
            return status;
    }
    assert(w->position == g->length[rule]);
    return limited_ends_keep(&w->ends, rule, w->open, w->prefix, w->n_prefix,
                             w->window.symbols + w->window.begin, window_length(&w->window));
}

static int visit_all(struct walk *w, uint64_t min_cost)
{
    for (uint32_t rule = 0; rule < rule_count(w->a->g); rule++) {
        uint64_t needed = unit_cost_needed(w->a->frequency[rule], min_cost);

        if (rule_is_cold(w->a, rule, min_cost))
            continue;
        if (visit_rule(w, rule, needed) != HOT_OK)
            return HOT_E_MEMORY;
#ifdef WPP_HOSTILE
        assert(limited_ends_check(&w->ends));
#endif
    }
    assert(w->ends.live == 0);
    return HOT_OK;
}

int larus_find(const struct analysis *a, uint64_t min_cost, struct subpath_set *out)
{
    struct walk w = { .a = a, .out = out };
    size_t limit = a->max_length;
    int status = limited_ends_store_init(&w.ends, a, min_cost, a->max_length);

    w.window.symbols = malloc(2 * limit * sizeof *w.window.symbols);
    w.prefix = malloc(limit * sizeof *w.prefix);
    if (status == HOT_OK)
        status = w.window.symbols && w.prefix ? visit_all(&w, min_cost) : HOT_E_MEMORY;
    free(w.window.symbols);
    free(w.prefix);
    limited_ends_store_clear(&w.ends);
    return status;
}
