/* SPDX-License-Identifier: MIT */
/* line-costs.c - instructions by source line; see line-costs.h. */
#include "wpp/profile/line-costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A line in a block. */
struct share {
    const char *name, *directory;
    uint32_t line;
    double insns;
};

struct shares {
    struct share *item;
    size_t n, size;
};

/* Executions of each terminal, in one thread or in all. */
static uint64_t *count_terminals(const wpp *w, uint32_t thread)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint32_t n = g->n_rules + g->n_threads;
    uint64_t *out = calloc(g->n_terminals + (size_t)1, sizeof *out);
    uint64_t *times = calloc(n + (size_t)1, sizeof *times);

    for (uint32_t r = n; out && times && r-- > 0;) {
        if (r >= g->n_rules)
            times[r] = thread == UINT32_MAX || thread == r - g->n_rules;
        for (uint64_t i = g->body[r]; times[r] && i < g->body[r + 1]; i++) {
            uint32_t symbol = g->symbols[i];
            assert(symbol & WPP_RULE ? (symbol & ~WPP_RULE) < r : symbol < g->n_terminals);
            uint64_t *sum = symbol & WPP_RULE ? &times[symbol & ~WPP_RULE] : &out[symbol];

            *sum += times[r];
        }
    }
    if (!times) {
        free(out);
        out = NULL;
    }
    free(times);
    return out;
}

static bool reserve(struct shares *s, size_t n)
{
    size_t size = s->size ? s->size : 256;
    struct share *item;

    while (size < n)
        size *= 2;
    if (size == s->size)
        return true;
    item = realloc(s->item, size * sizeof *item);
    if (!item)
        return false;
    s->item = item;
    s->size = size;
    return true;
}

static bool add_block(struct shares *s, struct line_costs *h, const struct wpp_routine *routine,
                     const struct wpp_block *b, uint64_t executed)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_lines; i++)
        n += b->lines[i].line > 0;
    if (n == 0)
        h->nowhere += (double)executed * b->insns;
    if (!reserve(s, s->n + n))
        return false;
    for (uint32_t i = 0; i < b->n_lines; i++)
        if (b->lines[i].line > 0)
            s->item[s->n++] = (struct share){ b->lines[i].file, routine->directory,
                                              b->lines[i].line,
                                              (double)executed * b->insns / n };
    assert(s->n <= s->size);
    return true;
}

static bool add_blocks(struct shares *s, struct line_costs *h, const wpp *w, const uint64_t *counts)
{
    struct wpp_summary run;
    uint64_t **blocks;
    bool ok = true;

    wpp_get_summary(w, &run);
    blocks = calloc(run.n_routines + (size_t)1, sizeof *blocks);
    for (uint32_t r = 0; blocks && ok && r < run.n_routines; r++) {
        blocks[r] = calloc(wpp_routine(w, r)->n_blocks + (size_t)1, sizeof **blocks);
        ok = blocks[r];
    }
    for (uint32_t t = 0; blocks && ok && t < run.n_terminals; t++) {
        const struct wpp_terminal *path = wpp_terminal(w, t);

        h->total += (double)counts[t] * (double)path->insns;
        for (uint32_t i = 0; path->routine != WPP_NO_ROUTINE && i < path->n_blocks; i++)
            blocks[path->routine][path->blocks[i]] += counts[t];
    }
    for (uint32_t r = 0; blocks && ok && r < run.n_routines; r++)
        for (uint32_t b = 0; ok && b < wpp_routine(w, r)->n_blocks; b++)
            if (blocks[r][b])
                ok = add_block(s, h, wpp_routine(w, r), &wpp_routine(w, r)->blocks[b],
                                   blocks[r][b]);
    for (uint32_t r = 0; blocks && r < run.n_routines; r++)
        free(blocks[r]);
    free(blocks);
    return blocks && ok;
}

static int by_place(const void *pa, const void *pb)
{
    const struct share *a = pa, *b = pb;
    int order = strcmp(a->name, b->name);

    if (!order)
        order = strcmp(a->directory, b->directory);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static bool is_same_file(const struct share *a, const struct share *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->directory, b->directory) == 0;
}

static int by_cost(const void *pa, const void *pb)
{
    const struct line_costs_file *a = pa, *b = pb;

    if (a->insns != b->insns)
        return a->insns > b->insns ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Joins equal lines; `s` is sorted. */
static void gather(struct line_costs *h, const struct shares *s)
{
    struct line_cost *line = h->lines;

    for (size_t i = 0; i < s->n; i++) {
        const struct share *it = &s->item[i];
        struct line_costs_file *f;

        if (i == 0 || !is_same_file(it - 1, it))
            h->file[h->n++] = (struct line_costs_file){ it->name, it->directory, line, 0, 0 };
        f = &h->file[h->n - 1];
        if (f->n == 0 || f->line[f->n - 1].line != it->line) {
            f->n++;
            *line++ = (struct line_cost){ it->line, 0 };
        }
        assert(f->n == 1 || f->line[f->n - 2].line < it->line);
        f->line[f->n - 1].insns += it->insns;
        f->insns += it->insns;
    }
    if (h->n > 0)
        qsort(h->file, h->n, sizeof *h->file, by_cost);
}

bool line_costs_measure(struct line_costs *h, const wpp *w, uint32_t thread)
{
    uint64_t *counts = count_terminals(w, thread);
    struct shares s = { 0 };
    bool good;

    *h = (struct line_costs){ 0 };
    good = counts && add_blocks(&s, h, w, counts);
    if (good) {
        h->lines = malloc((s.n + 1) * sizeof *h->lines);
        h->file = malloc((s.n + 1) * sizeof *h->file);
        good = h->lines && h->file;
    }
    if (good && s.n > 0) {
        qsort(s.item, s.n, sizeof *s.item, by_place);
        gather(h, &s);
    }
    free(counts);
    free(s.item);
    if (!good)
        line_costs_free(h);
    return good;
}

void line_costs_free(struct line_costs *h)
{
    free(h->file);
    free(h->lines);
    *h = (struct line_costs){ 0 };
}
