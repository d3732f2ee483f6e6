/* SPDX-License-Identifier: MIT */
#include "wpp/profile/path-profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/profile-write.h"

struct key { uint32_t routine, terminal; uint64_t path; };

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;

    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return (a->path > b->path) - (a->path < b->path);
}

/* The terminals that are paths of routines, by routine and number; returns how many. */
static uint32_t sort_terminals(const wpp *w, const uint64_t *counts, struct key *key)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < wpp_grammar(w)->n_terminals; t++) {
        const struct wpp_terminal *x = wpp_terminal(w, t);

        if (x->routine != WPP_NO_ROUTINE && counts[t] > 0)
            key[n++] = (struct key){x->routine, t, x->path};
    }
    if (n > 0)
        qsort(key, n, sizeof *key, compare_keys);
    return n;
}

static void add_path(struct path_profile *p, const struct key *key, uint64_t count)
{
    struct profile_routine *r = &p->routine[key->routine];
    const struct wpp_terminal *t = wpp_terminal(p->w, key->terminal);
    double cost = (double)count * (double)t->insns;

    if (r->n++ == 0)
        r->first = p->n_paths;
    p->path[p->n_paths++] = (struct profile_path){key->terminal, key->routine, count, cost};
    r->entered = profile_add(r->entered, t->enters ? count : 0);
    r->count = profile_add(r->count, count);
    r->cost += cost;
    p->count = profile_add(p->count, count);
    p->cost += cost;
}

static void count_unread(struct path_profile *p, const uint64_t *counts)
{
    for (uint32_t t = 0; t < wpp_grammar(p->w)->n_terminals; t++)
        if (wpp_terminal(p->w, t)->routine == WPP_NO_ROUTINE)
            p->unread = profile_add(p->unread, counts[t]);
}

bool path_profile_new(struct path_profile *out, const wpp *w)
{
    struct wpp_summary run;
    uint64_t *counts = profile_counts(w);
    uint32_t n = wpp_grammar(w)->n_terminals;
    struct key *key = calloc(n + (size_t)1, sizeof *key);

    wpp_get_summary(w, &run);
    *out = (struct path_profile){
        .w = w, .kind = run.is_profile ? run.profile_kind : WPP_PROFILE_CUT_PATHS,
        .runs = run.is_profile ? run.runs : 1, .n_routines = run.n_routines,
        .routine = calloc(run.n_routines + (size_t)1, sizeof *out->routine),
        .path = calloc(n + (size_t)1, sizeof *out->path)
    };
    bool ok = counts && key && out->routine && out->path;

    if (ok) {
        n = sort_terminals(w, counts, key);
        for (uint32_t i = 0; i < n; i++)
            add_path(out, &key[i], counts[key[i].terminal]);
        count_unread(out, counts);
    }
    free(counts);
    free(key);
    if (!ok)
        path_profile_free(out);
    return ok;
}

void path_profile_free(struct path_profile *p)
{
    free(p->routine);
    free(p->path);
    *p = (struct path_profile){0};
}

void path_profile_sum(const struct path_profile *p, uint32_t routine, uint64_t *block,
                      uint64_t *edge)
{
    const struct wpp_routine *graph = wpp_routine(p->w, routine);
    const struct profile_routine *r = &p->routine[routine];

    memset(block, 0, graph->n_blocks * sizeof *block);
    memset(edge, 0, graph->n_edges * sizeof *edge);
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        const struct wpp_terminal *t = wpp_terminal(p->w, p->path[i].terminal);

        for (uint32_t k = 0; k < t->n_blocks; k++)
            block[t->blocks[k]] = profile_add(block[t->blocks[k]], p->path[i].count);
        for (uint32_t k = 0; k < t->n_edges; k++)
            edge[t->edges[k]] = profile_add(edge[t->edges[k]], p->path[i].count);
    }
}
