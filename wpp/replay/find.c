/* SPDX-License-Identifier: MIT */
/* find.c - executions of one thing, counted by rule and found by descending to them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/read/reader.h"
#include "wpp/replay/finder-parts.h"

/* count[r] is the sum of the values of rule r's symbols, start rules included; none is 2^64 or more. */
struct wpp_finder {
    const struct wpp_grammar *g;
    struct prefix_sums events;     /* of the file */
    uint32_t *weight;              /* by terminal */
    uint64_t *count;               /* by rule and start rule: executions in what it derives */
    uint64_t *sums;
    struct prefix_sums executions;
    uint32_t n_counted;            /* rules whose count is known */
    uint64_t next;                 /* the next symbol, of the rule behind them */
    uint64_t part;                 /* executions in the symbols of that rule before it */
    uint64_t sum;                  /* executions in all symbols of the counted rules, modulo 2^64 */
};

static uint64_t executions_of(const void *owner, uint32_t symbol)
{
    const struct wpp_finder *f = owner;

    return symbol & WPP_RULE ? f->count[symbol & ~WPP_RULE] : f->weight[symbol];
}

/* Adds symbols up to `end` of the rule that is being counted.  False: it has 2^64 executions or more. */
static bool add_symbols(wpp_finder *f, uint64_t end)
{
    const uint32_t *symbols = f->g->symbols;
    uint64_t part = f->part;

    for (uint64_t i = f->next; i < end; i++) {
        if (i % PREFIX_SUM_STEP == 0)
            f->sums[i / PREFIX_SUM_STEP] = f->sum + part;
        if (__builtin_add_overflow(part, executions_of(f, symbols[i]), &part))
            return false;
    }
    f->next = end;
    f->part = part;
    return true;
}

enum finder_state finder_go_on(wpp_finder *f, uint64_t symbols)
{
    const struct wpp_grammar *g = f->g;
    uint64_t most = symbols < UINT64_MAX - f->next ? f->next + symbols : UINT64_MAX;

    while (f->n_counted < g->n_rules + g->n_threads) {
        uint64_t end = g->body[f->n_counted + 1];

        if (!add_symbols(f, end < most ? end : most))
            return FINDER_TOO_MANY;
        if (f->next < end)
            return FINDER_MORE;
        f->count[f->n_counted++] = f->part;
        f->sum += f->part;
        f->part = 0;
    }
    if (f->next % PREFIX_SUM_STEP == 0)
        f->sums[f->next / PREFIX_SUM_STEP] = f->sum;
    return FINDER_READY;
}

wpp_finder *finder_begin(const wpp *w, const uint32_t *weights, struct wpp_error *error)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t n = g->body[g->n_rules + g->n_threads];
    wpp_finder *f;

    if (wpp_missing(w) & WPP_PART_GRAMMAR) {
        wpp_fail(error, WPP_E_DAMAGED, "the grammar is missing");
        return NULL;
    }
    f = calloc(1, sizeof *f);
    if (f) {
        f->g = g;
        f->events = wpp_event_sums(w);
        f->weight = malloc((g->n_terminals + (size_t)1) * sizeof *f->weight);
        f->count = malloc((g->n_rules + (size_t)g->n_threads + 1) * sizeof *f->count);
        f->sums = malloc(prefix_sums_size(n) * sizeof *f->sums);
        f->executions = (struct prefix_sums){g->symbols, f->sums, executions_of, f};
    }
    if (!f || !f->weight || !f->count || !f->sums) {
        wpp_finder_free(f);
        wpp_fail_memory(error);
        return NULL;
    }
    memcpy(f->weight, weights, g->n_terminals * sizeof *weights);
    return f;
}

void finder_fail(struct wpp_error *error)
{
    wpp_fail(error, WPP_E_ARGUMENT, "there are more than 2^64 executions");
}

wpp_finder *wpp_finder_new(const wpp *w, const uint32_t *weights, struct wpp_error *error)
{
    wpp_finder *f = finder_begin(w, weights, error);

    if (!f || finder_go_on(f, UINT64_MAX) == FINDER_READY)
        return f;
    wpp_finder_free(f);
    finder_fail(error);
    return NULL;
}

void wpp_finder_free(wpp_finder *f)
{
    if (!f)
        return;
    free(f->weight);
    free(f->count);
    free(f->sums);
    free(f);
}

/* Executions in the first `event` events that a rule derives. */
static uint64_t count_before(const wpp_finder *f, uint32_t rule, uint64_t event)
{
    const struct wpp_grammar *g = f->g;
    uint64_t sum = 0;

    while (event > 0 && event < g->length[rule]) {
        uint64_t begin = g->body[rule];
        uint64_t i = prefix_sums_find(&f->events, begin, g->body[rule + 1], &event);

        sum += prefix_sums_between(&f->executions, begin, i);
        if (!(g->symbols[i] & WPP_RULE))
            return sum;
        rule = g->symbols[i] & ~WPP_RULE;
    }
    return event > 0 ? sum + f->count[rule] : sum;
}

uint64_t wpp_finder_count(const wpp_finder *f, uint32_t thread, uint64_t begin, uint64_t end)
{
    uint32_t start = f->g->n_rules + thread;

    assert(thread < f->g->n_threads && begin <= end && end <= f->g->length[start]);
    return count_before(f, start, end) - count_before(f, start, begin);
}

bool wpp_finder_nth(const wpp_finder *f, uint32_t thread, uint64_t k, uint64_t *event,
                    uint32_t *within)
{
    const struct wpp_grammar *g = f->g;
    uint32_t rule = g->n_rules + thread;
    uint64_t before = 0;

    assert(thread < g->n_threads);
    if (k >= f->count[rule])
        return false;
    for (;;) {
        uint64_t begin = g->body[rule];
        uint64_t i = prefix_sums_find(&f->executions, begin, g->body[rule + 1], &k);

        before += prefix_sums_between(&f->events, begin, i);
        if (!(g->symbols[i] & WPP_RULE))
            break;
        rule = g->symbols[i] & ~WPP_RULE;
    }
    *event = before;
    *within = (uint32_t)k;
    return true;
}
