/* SPDX-License-Identifier: MIT */
/* well-formed.h - what wpp.h promises of an open file, whatever the file says. */
#ifndef WPP_TEST_WELL_FORMED_H
#define WPP_TEST_WELL_FORMED_H

#include <stdbool.h>
#include <stdlib.h>

#include "wpp/wpp.h"

static inline bool is_inlined_well(const struct wpp_routine *r)
{
    for (uint32_t i = 0; i < r->n_inlined; i++)
        if (r->inlined[i].caller > i || !r->inlined[i].shown || !r->inlined[i].file)
            return false;
    for (uint32_t v = 0; v < r->n_blocks; v++)
        for (uint32_t i = 0; i < r->blocks[v].n_lines; i++)
            if (r->blocks[v].lines[i].inlined > r->n_inlined)
                return false;
    return true;
}

/* A number of the routine; or of a path that was left in a block, which is then its last one. */
static inline bool is_path_well(const struct wpp_terminal *t, const struct wpp_routine *r)
{
    if (!t->left)
        return t->path < r->num_paths && t->n_edges == t->n_blocks + 1;
    return t->left > 1 && t->left < r->n_blocks && t->n_blocks > 0
           && t->blocks[t->n_blocks - 1] == t->left && t->n_edges == t->n_blocks && !t->leaves
           && t->path >= r->num_paths && (t->path - r->num_paths) / r->n_blocks < r->num_paths;
}

/* A path profile: counts, none of them 0, and no order. */
static inline bool is_profile_well(const wpp *w)
{
    bool known = !(wpp_missing(w) & WPP_PART_COUNTS);
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *counts = calloc(n + (size_t)1, sizeof *counts), sum = 0;
    struct wpp_summary s;
    bool good = counts != NULL;

    wpp_get_summary(w, &s);
    if (good)
        wpp_terminal_counts(w, counts);
    for (uint32_t t = 0; good && t < n; t++) {
        good = (counts[t] > 0) == known;
        sum = counts[t] < UINT64_MAX - sum ? sum + counts[t] : UINT64_MAX;
    }
    free(counts);
    return good && sum == s.tokens && s.n_threads == 0 && s.n_rules == 0
        && (s.runs > 0) == known && (s.profile_kind > 0) == known;
}

/* Everything that wpp.h promises of an open file. */
static inline bool is_well_formed(const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct wpp_summary s;
    uint64_t tokens = 0;

    wpp_get_summary(w, &s);
    for (uint32_t rule = 0; rule < g->n_rules + g->n_threads; rule++) {
        uint64_t length = 0;

        if (g->body[rule] > g->body[rule + 1])
            return false;
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t number = g->symbols[i] & ~WPP_RULE;
            bool is_rule = g->symbols[i] & WPP_RULE;

            if (is_rule ? number >= rule || number >= g->n_rules : number >= g->n_terminals)
                return false;
            length += is_rule ? g->length[number] : 1;
        }
        if (length != g->length[rule])
            return false;
    }
    for (uint32_t k = 0; k < s.n_threads; k++)
        tokens += wpp_thread(w, k)->tokens;
    for (uint32_t i = 0; i < s.n_routines; i++)
        if (!is_inlined_well(wpp_routine(w, i)))
            return false;
    for (uint32_t t = 0; t < s.n_terminals; t++) {
        const struct wpp_terminal *x = wpp_terminal(w, t);

        if (x->routine == WPP_NO_ROUTINE)
            continue;
        if (x->routine >= s.n_routines || !is_path_well(x, wpp_routine(w, x->routine)))
            return false;
        for (uint32_t i = 0; i < x->n_blocks; i++)
            if (x->blocks[i] >= wpp_routine(w, x->routine)->n_blocks)
                return false;
    }
    return s.n_rules == g->n_rules && (s.is_profile ? is_profile_well(w) : tokens == s.tokens);
}

/* A walk of each thread from event `place`, or one before it, as far as a test has patience. */
static inline bool walks(const wpp *w, uint64_t place)
{
    struct wpp_summary s;
    uint32_t piece[256];

    wpp_get_summary(w, &s);
    for (uint32_t k = 0; k < s.n_threads; k++) {
        uint64_t tokens = wpp_thread(w, k)->tokens;
        uint64_t first = tokens > 0 ? place % tokens : 0;
        wpp_cursor *c = wpp_cursor_new(w, k, first);
        uint64_t want = tokens - first < 256 ? tokens - first : 256;
        bool right = c && wpp_cursor_read(c, piece, 256) == want;

        for (uint64_t i = 0; right && i < want; i++)
            right = piece[i] < wpp_grammar(w)->n_terminals;
        wpp_cursor_free(c);
        if (!right)
            return false;
    }
    return true;
}

#endif
