/* SPDX-License-Identifier: MIT */
/* page-run.c - an open run, and what answers make of it once. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "wpp/base/error.h"
#include "wpp/read/reader.h"
#include "wpp/replay/stack.h"

bool page_open(struct page_run *r, enum page_extent extent, const void *file, size_t size,
               const char *name, struct wpp_error *error)
{
    struct wpp_summary run;

    *r = (struct page_run){.name = name};
    r->w = (extent == PAGE_FIGURES ? wpp_open_memory_figures : wpp_open_memory_intact)(file, size, name, error);
    if (!r->w)
        return false;
    wpp_get_summary(r->w, &run);
    if (!run.is_profile)
        return true;
    page_close(r);
    return wpp_fail(error, WPP_E_ARGUMENT, "%s is a path profile: it has no order of paths", name);
}

void page_close(struct page_run *r)
{
    uint32_t n = r->w ? wpp_grammar(r->w)->n_threads : 0;

    for (uint32_t i = 0; i < n && r->clock; i++) {
        free(r->clock[i].first);
        free(r->clock[i].time);
    }
    for (uint32_t i = 0; i < n && r->firsts; i++)
        free(r->firsts[i].event), free(r->firsts[i].terminal);
    free(r->clock);
    free(r->firsts);
    free(r->path);
    free(r->frequency);
    free(r->mostly);
    wpp_finder_free(r->finder);
    free(r->weights);
    if (r->has_contexts)
        context_tree_free(&r->contexts);
    if (r->has_parts)
        parts_free(&r->parts);
    if (r->has_costs)
        run_costs_free(&r->costs);
    wpp_stacks_free(r->stacks);
    page_lines_free(r->lines);
    page_sources_free(&r->sources);
    if (r->w)
        wpp_close(r->w);
    *r = (struct page_run){0};
}

bool page_need_stacks(struct page_run *r, struct wpp_error *error)
{
    if (!r->stacks)
        r->stacks = wpp_stacks_new(r->w, error);
    return r->stacks;
}

bool page_need_costs(struct page_run *r, struct wpp_error *error)
{
    if (r->has_costs)
        return true;
    if (!page_need_stacks(r, error))
        return false;
    r->has_costs = run_costs_new(&r->costs, r->w, &r->stacks->tree, UINT32_MAX);
    return r->has_costs || wpp_fail_memory(error);
}

bool page_need_parts(struct page_run *r, struct wpp_error *error)
{
    if (r->has_parts)
        return true;
    if (!page_need_costs(r, error))
        return false;
    r->has_parts = parts_new(&r->parts, &r->costs);
    return r->has_parts || wpp_fail_memory(error);
}

bool page_make_contexts(struct page_run *r, double items, FILE *out, struct wpp_error *error)
{
    if (!r->has_contexts) {
        if (!page_need_costs(r, error))
            return false;
        r->has_contexts = context_tree_new(&r->contexts, &r->costs, CONTEXT_TREE_MOST);
    }
    if (r->has_contexts && r->contexts.opening)
        r->has_contexts = context_tree_open(&r->contexts, (uint64_t)items);
    if (!r->has_contexts)
        return wpp_fail_memory(error);
    fprintf(out, "{\"made\":%s}", r->contexts.opening ? "false" : "true");
    return true;
}

bool page_need_frequencies(struct page_run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (r->frequency)
        return true;
    r->frequency = calloc(g->n_rules + (size_t)g->n_threads + 1, sizeof *r->frequency);
    if (r->frequency)
        wpp_rule_frequencies(r->w, r->frequency);
    return r->frequency;
}

bool page_need_paths(struct page_run *r)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;

    if (r->path)
        return true;
    r->path = malloc((n + (size_t)1) * sizeof *r->path);
    for (uint32_t t = 0; r->path && t < n; t++)
        r->path[t] = (struct page_path){wpp_terminal(r->w, t)->routine, (double)wpp_terminal(r->w, t)->insns};
    return r->path;
}

/* Each symbol votes for its routine with its events; votes for others take away.  Who has more than half
 * of them wins; if nobody has, somebody with many mostly does. */
static uint32_t vote(const struct page_run *r, uint32_t rule)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    uint32_t first = WPP_NO_ROUTINE;
    uint64_t votes = 0;

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t s = g->symbols[i] & ~WPP_RULE;
        bool is_rule = g->symbols[i] & WPP_RULE;
        uint32_t routine = is_rule ? r->mostly[s] : r->path[s].routine;
        uint64_t n = is_rule ? g->length[s] : 1;

        if (routine == first) {
            votes += n;
        } else if (votes >= n) {
            votes -= n;
        } else {
            first = routine;
            votes = n - votes;
        }
    }
    return first;
}

bool page_need_mostly(struct page_run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (r->mostly)
        return true;
    if (!page_need_paths(r))
        return false;
    r->mostly = malloc((g->n_rules + (size_t)g->n_threads + 1) * sizeof *r->mostly);
    for (uint32_t rule = 0; r->mostly && rule < g->n_rules + g->n_threads; rule++)
        r->mostly[rule] = vote(r, rule);
    return r->mostly;
}

/* ---- Time -------------------------------------------------------------------------------------- */

static double begin_of(const struct wpp_chunk *c, uint64_t n)
{
    uint64_t begin = UINT64_MAX;

    for (uint64_t i = 0; i < n; i++)
        begin = c[i].time < begin ? c[i].time : begin;
    return (double)begin;
}

/* Room for all chunks of each thread, and its end. */
static bool make_room(struct page_run *r, const struct wpp_chunk *c, uint64_t n, uint32_t n_threads)
{
    for (uint64_t i = 0; i < n; i++)
        r->clock[c[i].thread].n++;
    for (uint32_t k = 0; k < n_threads; k++) {
        r->clock[k].first = malloc((r->clock[k].n + 1) * sizeof(double));
        r->clock[k].time = malloc((r->clock[k].n + 1) * sizeof(double));
        if (!r->clock[k].first || !r->clock[k].time)
            return false;
        r->clock[k].n = 0;
    }
    return true;
}

bool page_need_clock(struct page_run *r)
{
    uint32_t n_threads = wpp_grammar(r->w)->n_threads;
    uint64_t n;
    const struct wpp_chunk *c = wpp_chunks(r->w, &n);
    double begin = begin_of(c, n), latest = 0;
    struct wpp_summary run;

    if (r->clock)
        return true;
    r->clock = calloc(n_threads + (size_t)1, sizeof *r->clock);
    if (!r->clock || !make_room(r, c, n, n_threads))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        struct page_clock *k = &r->clock[c[i].thread];

        k->first[k->n] = (double)c[i].first;
        k->time[k->n++] = (double)c[i].time - begin;
        latest = (double)c[i].time - begin > latest ? (double)c[i].time - begin : latest;
    }
    wpp_get_summary(r->w, &run);
    for (uint32_t k = 0; k < n_threads; k++) {
        struct page_clock *clock = &r->clock[k];

        if (clock->n == 0)
            continue;
        clock->first[clock->n] = (double)wpp_thread(r->w, k)->tokens;
        clock->time[clock->n++] = (double)run.nanoseconds > latest ? (double)run.nanoseconds : latest;
    }
    return true;
}

/* ---- First executions --------------------------------------------------------------------------- */

struct walk {
    const struct wpp_grammar *g;
    bool *seen;                    /* by rule, then by terminal */
    struct { uint64_t next, end; } *place;     /* rules that have begun */
    size_t n, room;
    uint64_t event;
    struct page_firsts *out;
};

static bool begin_rule(struct walk *k, uint32_t rule)
{
    if (k->n == k->room) {
        size_t room = k->room ? 2 * k->room : 64;
        void *larger = realloc(k->place, room * sizeof *k->place);

        if (!larger)
            return false;
        k->place = larger;
        k->room = room;
    }
    k->place[k->n].next = k->g->body[rule];
    k->place[k->n++].end = k->g->body[rule + 1];
    return true;
}

/* A rule that occurred before brings nothing new. */
static bool walk_firsts(struct walk *k, uint32_t thread)
{
    const struct wpp_grammar *g = k->g;

    if (!begin_rule(k, g->n_rules + thread))
        return false;
    while (k->n > 0) {
        uint32_t s, rule;

        if (k->place[k->n - 1].next == k->place[k->n - 1].end) {
            k->n--;
            continue;
        }
        s = g->symbols[k->place[k->n - 1].next++];
        rule = s & ~WPP_RULE;
        if (!(s & WPP_RULE)) {
            if (!k->seen[g->n_rules + (size_t)s]) {
                k->out->event[k->out->n] = k->event;
                k->out->terminal[k->out->n++] = s;
            }
            k->seen[g->n_rules + (size_t)s] = true;
            k->event++;
        } else if (k->seen[rule]) {
            k->event += g->length[rule];
        } else {
            k->seen[rule] = true;
            if (!begin_rule(k, rule))
                return false;
        }
    }
    return true;
}

bool page_need_firsts(struct page_run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    struct walk k = {.g = g};
    bool ok = true;

    if (r->firsts)
        return true;
    r->firsts = calloc(g->n_threads + (size_t)1, sizeof *r->firsts);
    for (uint32_t t = 0; r->firsts && ok && t < g->n_threads; t++) {
        k.seen = calloc(g->n_rules + (size_t)g->n_terminals + 1, 1);
        k.out = &r->firsts[t];
        k.out->event = malloc((g->n_terminals + (size_t)1) * sizeof *k.out->event);
        k.out->terminal = malloc((g->n_terminals + (size_t)1) * sizeof *k.out->terminal);
        k.event = 0;
        ok = k.seen && k.out->event && k.out->terminal && walk_firsts(&k, t);
        free(k.seen);
    }
    free(k.place);
    return r->firsts && ok;
}
