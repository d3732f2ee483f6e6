/* SPDX-License-Identifier: MIT */
/* page-rule.c - the grammar: one rule, and the graph of rules below it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "wpp/read/reader.h"

enum { MOST_SYMBOLS = 400, MOST_USERS = 50, MOST_ROUTINES = 8, MOST_CHILDREN = 12 };

static int64_t symbol_number(uint32_t s)
{
    return s & WPP_RULE ? (int64_t)(s & ~WPP_RULE) : -1 - (int64_t)s;
}

/* ---- What a rule runs ------------------------------------------------------------------------------ */

struct share { uint32_t routine; double insns; };

static int dearest(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return x->insns > y->insns ? -1 : x->insns < y->insns ? 1 : x->routine < y->routine ? -1 : 1;
}

/* Adds to share[routine] what one execution of the rule costs; `times` has room for the rules up to it,
 * all 0, and is all 0 afterwards. */
static void add_shares(const struct page_run *r, uint32_t rule, double *times, struct share *share)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    times[rule] = 1;
    for (uint32_t k = rule + 1; k-- > 0;) {
        double n = times[k];

        times[k] = 0;
        for (uint64_t i = g->body[k]; n > 0 && i < g->body[k + 1]; i++) {
            uint32_t s = g->symbols[i];

            if (s & WPP_RULE)
                times[s & ~WPP_RULE] += n;
            else if (r->path[s].routine != WPP_NO_ROUTINE)
                share[r->path[s].routine].insns += n * r->path[s].insns;
        }
    }
}

static bool put_routines(FILE *out, struct page_run *r, uint32_t rule)
{
    uint32_t n = r->w->n_routines;
    struct share *share = calloc(n + (size_t)1, sizeof *share);
    double *times = calloc(rule + (size_t)1, sizeof *times);
    bool ok = share && times && page_need_paths(r);

    for (uint32_t i = 0; ok && i < n; i++)
        share[i].routine = i;
    if (ok) {
        add_shares(r, rule, times, share);
        qsort(share, n, sizeof *share, dearest);
    }
    fputs(",\"routines\":[", out);
    for (uint32_t i = 0; ok && i < n && i < MOST_ROUTINES && share[i].insns > 0; i++)
        fprintf(out, "%s[%" PRIu32 ",%.17g]", i ? "," : "", share[i].routine, share[i].insns);
    fputc(']', out);
    free(share);
    free(times);
    return ok;
}

/* ---- One rule ---------------------------------------------------------------------------------------- */

/* Pairs: a symbol, and how often it stands there in a row. */
static void put_body(FILE *out, const struct wpp_grammar *g, uint32_t rule)
{
    uint64_t end = g->body[rule + 1], n = 0;

    fprintf(out, ",\"symbols\":%" PRIu64 ",\"body\":[", end - g->body[rule]);
    for (uint64_t i = g->body[rule], k; i < end && n < MOST_SYMBOLS; i = k, n++) {
        for (k = i + 1; k < end && g->symbols[k] == g->symbols[i];)
            k++;
        fprintf(out, "%s%" PRId64 ",%" PRIu64, n ? "," : "", symbol_number(g->symbols[i]), k - i);
    }
    fputc(']', out);
}

/* Pairs: a rule that uses it, and how often. */
static void put_users(FILE *out, const struct wpp_grammar *g, uint32_t rule)
{
    uint64_t users = 0;

    fputs(",\"users\":[", out);
    for (uint32_t k = rule + 1; k < g->n_rules + g->n_threads; k++) {
        uint64_t n = 0;

        for (uint64_t i = g->body[k]; i < g->body[k + 1]; i++)
            n += g->symbols[i] == (rule | WPP_RULE);
        if (n > 0 && users < MOST_USERS)
            fprintf(out, "%s%" PRIu32 ",%" PRIu64, users ? "," : "", k, n);
        users += n > 0;
    }
    fprintf(out, "],\"allUsers\":%" PRIu64, users);
}

/* If there is no such rule, that is the answer. */
static bool has_rule(const struct wpp_grammar *g, uint32_t rule, FILE *out)
{
    if (rule < g->n_rules + g->n_threads)
        return true;
    fputs("{\"error\":\"there is no such rule\"}", out);
    return false;
}

bool page_rule(struct page_run *r, uint32_t rule, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (!has_rule(g, rule, out))
        return true;
    if (!page_need_frequencies(r))
        return false;
    fprintf(out, "{\"rule\":%" PRIu32 ",\"thread\":", rule);
    if (rule >= g->n_rules)
        fprintf(out, "%" PRIu32, rule - g->n_rules);
    else
        fputs("null", out);
    fprintf(out, ",\"length\":%" PRIu64 ",\"frequency\":%" PRIu64, g->length[rule], r->frequency[rule]);
    put_body(out, g, rule);
    fputc('}', out);
    return true;
}

bool page_rule_use(struct page_run *r, uint32_t rule, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (!has_rule(g, rule, out))
        return true;
    fprintf(out, "{\"rule\":%" PRIu32, rule);
    put_users(out, g, rule);
    if (!put_routines(out, r, rule))
        return false;
    fputc('}', out);
    return true;
}

/* ---- The graph ---------------------------------------------------------------------------------------- */

struct node { uint32_t rule, level; };

struct graph {
    const struct wpp_grammar *g;
    struct node *node;
    uint32_t n, most;
    uint32_t *number;              /* by rule: 1 + its node */
    uint32_t *uses;                /* by rule, of one node; 0 between two nodes */
};

static void add_node(struct graph *k, uint32_t rule, uint32_t level)
{
    if (k->number[rule] || k->n == k->most)
        return;
    k->node[k->n++] = (struct node){rule, level};
    k->number[rule] = k->n;
}

/* The rules that a rule uses and that derive most of its events: best[0 .. n), by what they derive. */
static uint32_t largest_children(struct graph *k, uint32_t from, uint32_t *best)
{
    const struct wpp_grammar *g = k->g;
    double derives[MOST_CHILDREN];
    uint32_t n = 0;

    for (uint64_t s = g->body[from]; s < g->body[from + 1]; s++)
        if (g->symbols[s] & WPP_RULE)
            k->uses[g->symbols[s] & ~WPP_RULE]++;
    for (uint64_t s = g->body[from]; s < g->body[from + 1]; s++) {
        uint32_t rule = g->symbols[s] & ~WPP_RULE, at = n;
        double all;

        if (!(g->symbols[s] & WPP_RULE) || k->uses[rule] == 0)
            continue;                                  /* or it has been looked at */
        all = (double)k->uses[rule] * (double)g->length[rule];
        k->uses[rule] = 0;
        while (at > 0 && derives[at - 1] < all)
            at--;
        if (at == MOST_CHILDREN)
            continue;
        n += n < MOST_CHILDREN;
        memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
        memmove(derives + at + 1, derives + at, (n - at - 1) * sizeof *derives);
        best[at] = rule;
        derives[at] = all;
    }
    return n;
}

/* Level by level, so that the nearest rules are in the graph; of each rule those that derive most. */
static void collect(struct graph *k, uint32_t rule, uint32_t levels)
{
    uint32_t child[MOST_CHILDREN];

    add_node(k, rule, 0);
    for (uint32_t i = 0; i < k->n && k->node[i].level < levels && k->n < k->most; i++) {
        uint32_t n = largest_children(k, k->node[i].rule, child);

        for (uint32_t c = 0; c < n; c++)
            add_node(k, child[c], k->node[i].level + 1);
    }
}

/* Edges of a node: [from, to, times]; what is not in the graph is counted: rules, and paths. */
static void put_edges(FILE *out, const struct graph *k, uint32_t from, uint64_t *times, const char **between)
{
    const struct wpp_grammar *g = k->g;
    uint32_t rule = k->node[from].rule;

    for (uint64_t s = g->body[rule]; s < g->body[rule + 1]; s++)
        if ((g->symbols[s] & WPP_RULE) && k->number[g->symbols[s] & ~WPP_RULE])
            times[k->number[g->symbols[s] & ~WPP_RULE] - 1]++;
    for (uint32_t to = 0; to < k->n; to++) {
        if (times[to] > 0) {
            fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", *between, rule, k->node[to].rule, times[to]);
            *between = ",";
        }
        times[to] = 0;
    }
}

static void put_node(FILE *out, const struct page_run *r, const struct graph *k, uint32_t i)
{
    const struct wpp_grammar *g = k->g;
    uint32_t rule = k->node[i].rule, paths = 0, hidden = 0, first;

    for (uint64_t s = g->body[rule]; s < g->body[rule + 1]; s++) {
        paths += !(g->symbols[s] & WPP_RULE);
        hidden += (g->symbols[s] & WPP_RULE) && !k->number[g->symbols[s] & ~WPP_RULE];
    }
    for (first = rule; g->body[first] < g->body[first + 1] && (g->symbols[g->body[first]] & WPP_RULE);)
        first = g->symbols[g->body[first]] & ~WPP_RULE;
    fprintf(out, "%s{\"rule\":%" PRIu32 ",\"length\":%" PRIu64 ",\"frequency\":%" PRIu64 ",\"paths\":%" PRIu32
            ",\"hidden\":%" PRIu32 ",\"first\":", i ? "," : "", rule, g->length[rule], r->frequency[rule], paths,
            hidden);
    if (g->body[first] < g->body[first + 1] && wpp_terminal(r->w, g->symbols[g->body[first]])->routine != WPP_NO_ROUTINE)
        fprintf(out, "%" PRIu32 "}", wpp_terminal(r->w, g->symbols[g->body[first]])->routine);
    else
        fputs("null}", out);
}

bool page_graph(struct page_run *r, uint32_t rule, uint32_t levels, uint32_t most, FILE *out)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    struct graph k = {.g = g, .most = most};
    const char *between = "";
    uint64_t *times;

    if (!has_rule(g, rule, out))
        return true;
    k.node = calloc(most + (size_t)1, sizeof *k.node);
    k.number = calloc(g->n_rules + (size_t)g->n_threads + 1, sizeof *k.number);
    k.uses = calloc(g->n_rules + (size_t)1, sizeof *k.uses);
    times = calloc(most + (size_t)1, sizeof *times);
    if (k.node && k.number && k.uses && times && page_need_frequencies(r)) {
        collect(&k, rule, levels);
        fputs("{\"nodes\":[", out);
        for (uint32_t i = 0; i < k.n; i++)
            put_node(out, r, &k, i);
        fputs("],\"edges\":[", out);
        for (uint32_t i = 0; i < k.n; i++)
            put_edges(out, &k, i, times, &between);
        fputs("]}", out);
    }
    free(k.node);
    free(k.number);
    free(k.uses);
    free(times);
    return k.node && k.number && k.uses && times && r->frequency;
}
