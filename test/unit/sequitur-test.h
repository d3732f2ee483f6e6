/* SPDX-License-Identifier: MIT */
/* sequitur-test.h - what the tests of the grammar engine share. */
#ifndef WPP_TEST_SEQUITUR_TEST_H
#define WPP_TEST_SEQUITUR_TEST_H

#include "sequitur/sequitur.h"
#include "test/unit/tap.h"

#include <stdlib.h>
#include <string.h>

/* xorshift64*: the same strings on every machine. */
struct random {
    uint64_t state;
};
__attribute__((unused))
static uint32_t random_below(struct random *r, uint32_t n)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)((r->state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

/* A string of n symbols below `alphabet`: uniform, in runs, or (the nested
 * repetition of program traces) pieces of itself again and again. */
__attribute__((unused))
static void random_string(struct random *r, uint32_t *out, size_t n, uint32_t alphabet)
{
    uint32_t kind = random_below(r, 4);
    size_t i = 0;

    while (i < n) {
        if (kind == 0 || i < 2) {
            out[i++] = random_below(r, alphabet);
        } else if (kind == 1) {
            uint32_t symbol = random_below(r, alphabet);
            for (uint32_t k = random_below(r, 6); k && i < n; k--)
                out[i++] = symbol;
        } else {
            uint32_t from = random_below(r, (uint32_t)i);
            uint32_t piece = 1 + random_below(r, (uint32_t)(i - from));
            for (uint32_t times = 1 + random_below(r, 3); times; times--)
                for (uint32_t k = 0; k < piece && i < n; k++)
                    out[i++] = out[from + k];
            if (kind == 3 && i < n)
                out[i++] = random_below(r, alphabet);
        }
    }
}

/* Writes what rule k derives to out, which ends at end.  The end of what was
 * written, NULL if it does not fit. */
__attribute__((unused))
static uint32_t *expand(const struct seq_grammar *g, uint32_t k, uint32_t *out, const uint32_t *end)
{
    for (uint64_t i = g->body[k]; out && i < g->body[k + 1]; i++) {
        uint32_t symbol = g->symbols[i];
        if (symbol & SEQ_RULE)
            out = expand(g, symbol & ~SEQ_RULE, out, end);
        else if (out < end)
            *out++ = symbol;
        else
            out = NULL;
    }
    return out;
}

/* Whether start rule k derives exactly text, and its length says so. */
__attribute__((unused))
static bool derives(const struct seq_grammar *g, uint32_t k, const uint32_t *text, size_t n)
{
    uint32_t *out = calloc(n + 1, sizeof *out);
    uint32_t *end = expand(g, g->rules + k, out, out + n);
    bool same = end == out + n && (n == 0 || memcmp(out, text, n * sizeof *out) == 0)
             && g->length[g->rules + k] == n;

    free(out);
    return same;
}

/* To the last number. */
__attribute__((unused))
static bool equal(const struct seq_grammar *a, const struct seq_grammar *b)
{
    uint32_t n = a->rules + a->starts;

    return a->rules == b->rules && a->starts == b->starts
        && memcmp(a->body, b->body, (n + 1) * sizeof *a->body) == 0
        && (a->body[n] == 0 || memcmp(a->symbols, b->symbols, a->body[n] * sizeof *a->symbols) == 0)
        && (n == 0 || memcmp(a->length, b->length, n * sizeof *a->length) == 0);
}

/* A grammar as one reads it: `S -> A c A, A -> a b`; terminals 0.. are
 * letters from `first`, rules are named in the order of their first use. */
struct text {
    char *at;
    const struct seq_grammar *g;
    char first;
    char name[26];
    uint32_t named[26];
    uint32_t count;
};
__attribute__((unused))
static char name_of(struct text *t, uint32_t rule)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->named[i] == rule)
            return (char)('A' + i);
    t->named[t->count] = rule;
    return (char)('A' + t->count++);
}
__attribute__((unused))
static void print_body(struct text *t, uint32_t rule)
{
    for (uint64_t i = t->g->body[rule]; i < t->g->body[rule + 1]; i++) {
        uint32_t symbol = t->g->symbols[i];
        *t->at++ = symbol & SEQ_RULE ? name_of(t, symbol & ~SEQ_RULE) : (char)(t->first + symbol);
    }
}
/* For grammars of one start rule, fewer than 19 rules and 200 symbols. */
__attribute__((unused))
static void print_grammar(const struct seq_grammar *g, char first, char out[512])
{
    struct text t = {.at = out, .g = g, .first = first};

    t.at += sprintf(t.at, "S -> ");
    print_body(&t, g->rules);
    for (uint32_t i = 0; i < t.count; i++) {
        t.at += sprintf(t.at, ", %c -> ", 'A' + (int)i);
        print_body(&t, t.named[i]);
    }
    *t.at = '\0';
}

#endif
