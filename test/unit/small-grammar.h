/* SPDX-License-Identifier: MIT */
/* small-grammar.h - grammars for tests of hotpaths/: written as text, at random, and
 * as the engine makes them. */
#ifndef WPP_TEST_SMALL_GRAMMAR_H
#define WPP_TEST_SMALL_GRAMMAR_H

#include <stdlib.h>
#include <string.h>

#include "sequitur/sequitur.h"
#include "wpp/wpp.h"

enum { MAX_RULES = 64, MAX_SYMBOLS = 400, MAX_TERMINALS = 26 };

struct small_grammar {
    struct wpp_grammar g;
    uint64_t body[MAX_RULES + 1];
    uint32_t symbols[MAX_SYMBOLS];
    uint64_t length[MAX_RULES];
    uint64_t cost[MAX_TERMINALS];
};

static void begin(struct small_grammar *s)
{
    memset(s, 0, sizeof *s);
    s->g.body = s->body;
    s->g.symbols = s->symbols;
    s->g.length = s->length;
    for (int t = 0; t < MAX_TERMINALS; t++)
        s->cost[t] = 1;
    s->g.n_terminals = MAX_TERMINALS;
}

static void add_symbol(struct small_grammar *s, uint32_t rule, uint32_t symbol)
{
    s->symbols[s->body[rule + 1]++] = symbol;
    s->length[rule] += symbol & WPP_RULE ? s->length[symbol & ~WPP_RULE] : 1;
}

/* Rules as text: lower-case letters are terminals, `A` is rule 0, `B` rule 1,
 * and so on.  The last n_threads of them are the start rules. */
__attribute__((unused))
static void from_text(struct small_grammar *s, uint32_t n_threads, const char *const *rules)
{
    uint32_t n = 0;

    begin(s);
    for (; rules[n]; n++) {
        s->body[n + 1] = s->body[n];
        for (const char *c = rules[n]; *c; c++)
            add_symbol(s, n, *c >= 'a' ? (uint32_t)(*c - 'a') : WPP_RULE | (uint32_t)(*c - 'A'));
    }
    s->g.n_threads = n_threads;
    s->g.n_rules = n - n_threads;
}

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

/* Some cost nothing, as control words do. */
static void random_costs(struct small_grammar *s, uint32_t terminals)
{
    for (uint32_t t = 0; t < terminals; t++)
        s->cost[t] = random_below(5) ? 1 + random_below(random_below(2) ? 3 : 40) : 0;
}

/* Any grammar whatever: SEQUITUR's invariants are not asked for.  Threads may
 * be empty. */
__attribute__((unused))
static void random_grammar(struct small_grammar *s)
{
    uint32_t terminals = 1 + random_below(4);
    uint32_t rules = random_below(9);
    uint64_t longest = 0;

    begin(s);
    s->g.n_rules = rules;
    s->g.n_threads = 1 + random_below(3);
    for (uint32_t r = 0; r < rules + s->g.n_threads; r++) {
        bool start = r >= rules;
        uint32_t width = start ? random_below(12) : 2 + random_below(3);

        s->body[r + 1] = s->body[r];
        for (uint32_t i = 0; i < width; i++) {
            uint32_t usable = start ? rules : r;
            bool rule = usable && random_below(100) < 60 && longest < 60;

            add_symbol(s, r, rule ? WPP_RULE | random_below(usable) : random_below(terminals));
        }
        if (s->length[r] > longest)
            longest = s->length[r];
    }
    random_costs(s, terminals);
}

/* A string over few symbols in which much has been there before. */
static size_t random_string(uint32_t *out, size_t size)
{
    uint32_t terminals = 1 + random_below(4);
    size_t wanted = random_below((uint32_t)size);
    size_t n = 0;

    while (n < wanted) {
        size_t from = n ? random_below((uint32_t)n) : 0;
        size_t copy = n && random_below(3) ? 1 + random_below((uint32_t)(n - from)) : 0;

        out[n++] = random_below(terminals);
        for (size_t i = 0; i < copy && n < wanted; i++)
            out[n++] = out[from + i];
    }
    return n;
}

/* What the engine makes of up to three such strings. */
__attribute__((unused))
static void sequitur_grammar(struct small_grammar *s)
{
    struct seq_config config = { .size = sizeof config, .flags = random_below(2) ? SEQ_EXACT : 0 };
    struct seq_grammar made;
    uint32_t string[100];
    uint32_t threads = 1 + random_below(3);
    uint32_t n;
    seq *q;

    begin(s);
    if (seq_new(&q, &config) != SEQ_OK)
        abort();
    for (uint32_t k = 0; k < threads; k++)
        if (seq_append(q, k, string, random_string(string, 100 / threads)) != SEQ_OK)
            abort();
    if (seq_finish(q) != SEQ_OK || seq_export(q, &made) != SEQ_OK)
        abort();
    n = made.rules + made.starts;
    if (n > MAX_RULES || made.body[n] > MAX_SYMBOLS)
        abort();
    memcpy(s->body, made.body, (n + 1) * sizeof *s->body);
    memcpy(s->symbols, made.symbols, made.body[n] * sizeof *s->symbols);
    memcpy(s->length, made.length, n * sizeof *s->length);
    s->g.n_rules = made.rules;
    s->g.n_threads = made.starts;
    seq_grammar_free(q, &made);
    seq_free(q);
    random_costs(s, 4);
}

#endif
