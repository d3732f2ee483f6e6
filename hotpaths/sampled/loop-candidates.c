/* SPDX-License-Identifier: MIT */
/* loop-candidates.c - finds loops in right-hand sides; see loop-candidates.h. */
#include "hotpaths/sampled/loop-candidates.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/array.h"
#include "hotpaths/base/saturate.h"
#include "hotpaths/sampled/sample.h"
#include "hotpaths/strings/rotations.h"

enum { ROW_SLACK = 8, ROW_MARGIN = 4 };

struct loop_search {
    const struct analysis *a;
    struct rule_walk walk;
    struct subpath_set loops;         /* iterations, from their least rotation on; the sum is their
                                   cost */
    uint32_t *text, *scratch;   /* room for one and a half times max_length */
};

/* Writes the symbol's terminals to the text. */
static int read_symbol(struct loop_search *s, uint32_t symbol, uint32_t length)
{
    const struct wpp_grammar *g = s->a->g;
    uint32_t rule = symbol & ~WPP_RULE;

    s->text[0] = symbol;
    if (!(symbol & WPP_RULE))
        return HOT_OK;
    if (rule_walk_begin(&s->walk, g->body[rule], g->body[rule + 1]) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t i = 0; i < length; i++) {
        s->text[i] = rule_walk_right(&s->walk);
        if (s->text[i] == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

/* Adds a symbol of this length that occurs twice in a row in a rule of this frequency. */
static int add_repeat(struct loop_search *s, uint32_t symbol, uint32_t length, uint64_t frequency)
{
    uint32_t turn, turns, most, from;
    uint64_t cost = 0, times;

    assert(length > 0 && length <= s->a->max_length / 2);
    if (read_symbol(s, symbol, length) != HOT_OK)
        return HOT_E_MEMORY;
    turn = rotations_period(s->text, length, s->scratch);
    turn = length % turn ? length : turn;
    assert(turn > 0 && length % turn == 0);
    turns = length / turn;
    for (uint32_t i = 0; i < turn; i++)
        cost += s->a->cost[s->text[i]];
    most = s->a->max_length / turn + 1;
    times = 2 * turns * (uint64_t)(turns < most / ROW_SLACK ? ROW_SLACK * turns : most);
    from = rotations_least(s->text, turn);
    for (uint32_t i = 0; i < turn; i++)
        s->scratch[i] = s->text[(from + i) % turn];
    return subpath_set_add(&s->loops, s->scratch, turn, cost, saturating_mul(times, frequency));
}

static int find_repeats(struct loop_search *s)
{
    const struct wpp_grammar *g = s->a->g;

    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        uint64_t length;

        if (!s->a->frequency[rule])
            continue;
        for (uint64_t at = g->body[rule] + 1; at < g->body[rule + 1]; at++) {
            if (g->symbols[at] != g->symbols[at - 1])
                continue;
            length = g->symbols[at] & WPP_RULE ? g->length[g->symbols[at] & ~WPP_RULE] : 1;
            if (length == 0 || length > s->a->max_length / 2)
                continue;
            if (sample_is_too_much(s->a, s->loops.n_terminals))
                return SAMPLE_TOO_MUCH;
            if (add_repeat(s, g->symbols[at], (uint32_t)length, s->a->frequency[rule]) != HOT_OK)
                return HOT_E_MEMORY;
        }
    }
    return HOT_OK;
}

/* Appends all rows of a loop. */
static int append_rows(struct loop_search *s, const uint32_t *turn, uint32_t length,
                       struct subpath_set *out)
{
    uint32_t n = s->a->max_length;

    assert(length > 0 && length <= n / 2);       /* the text has room for one and a half n */
    if (sample_is_too_much(s->a, out->n_terminals + (uint64_t)n * length))
        return SAMPLE_TOO_MUCH;
    for (uint32_t i = 0; i < n + length - 1; i++)
        s->text[i] = turn[i % length];
    for (uint32_t i = 0; i < length; i++)
        if (subpath_set_append(out, s->text + i, n, 0, 0) != HOT_OK)
            return HOT_E_MEMORY;
    return HOT_OK;
}

int loop_candidates_find(const struct analysis *a, const struct rule_walks *walks,
                         uint64_t min_cost, struct subpath_set *out)
{
    struct loop_search s = { .a = a, .walk = { .o = walks } };
    int status = HOT_E_MEMORY;

    subpath_set_init(&s.loops);
    s.text = malloc(((size_t)a->max_length + a->max_length / 2 + 1) * sizeof *s.text);
    s.scratch = malloc(((size_t)a->max_length + 1) * sizeof *s.scratch);
    if (s.text && s.scratch)
        status = find_repeats(&s);
    for (size_t i = 0; status == HOT_OK && i < s.loops.n_entries; i++) {
        const struct subpath_entry *e = &s.loops.entries[i];

        if (saturating_mul(e->frequency, e->unit_cost) >= min_cost / ROW_MARGIN)
            status = append_rows(&s, s.loops.terminals + e->first, e->length, out);
    }
    subpath_set_clear(&s.loops);
    rule_walk_clear(&s.walk);
    free(s.text);
    free(s.scratch);
    return status;
}
