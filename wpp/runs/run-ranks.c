/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-ranks.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"
#include "wpp/base/error.h"
#include "wpp/compare/fingerprints.h"

const char *const ranks_by_names[] = {"order", "steps", "paths", NULL};

void ranks_init(struct run_ranks *r)
{
    *r = (struct run_ranks){0};
    vocabulary_init(&r->v);
}

void ranks_free(struct run_ranks *r)
{
    free(r->run);
    run_facts_free(&r->facts);
    vocabulary_free(&r->v);
    for (uint32_t i = 0; i < r->n_witnesses; i++)
        wpp_close(r->witness[i]);
    free(r->witness);
    *r = (struct run_ranks){0};
}

/* ---- Fingerprints --------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* A key for each path; words of the trace that are no path have none. */
static bool make_keys(struct run_ranks *r, const wpp *w, struct key_strings *keys, bool *kept)
{
    uint32_t n = wpp_grammar(w)->n_terminals;

    *keys = (struct key_strings){.n_terminals = n};
    keys->first = malloc((n + (size_t)1) * sizeof *keys->first);
    keys->key = malloc((n + (size_t)1) * sizeof *keys->key);
    if (!keys->first || !keys->key)
        return false;
    keys->first[0] = 0;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t routine = wpp_terminal(w, t)->routine;

        keys->first[t + 1] = keys->first[t];
        if (routine == WPP_NO_ROUTINE)
            continue;
        keys->key[keys->first[t + 1]++] =
            r->v.path[vocabulary_path(&r->v, w, t, vocabulary_routine(&r->v, w, routine, kept))].predicate;
    }
    return !r->v.failed;
}

static bool add_threads(const wpp *w, const struct key_strings *keys, uint64_t *print,
                        struct wpp_error *error)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct fingerprints f;

    if (!fingerprints_new(&f, g, keys, error))
        return false;
    for (uint32_t k = 0; k < g->n_threads; k++) {
        const struct fingerprint *x = &f.rule[g->n_rules + k];

        *print += mix(mix(x->hash) + x->length);
    }
    fingerprints_free(&f);
    return true;
}

static bool add_order(struct run_ranks *r, const wpp *w, uint64_t *print, bool *kept,
                      struct wpp_error *error)
{
    struct key_strings keys;
    bool done = make_keys(r, w, &keys, kept) ? add_threads(w, &keys, print, error)
                                             : wpp_fail_memory(error);

    free(keys.first);
    free(keys.key);
    return done;
}

/* Predicates have the same numbers in all ranks, so the sum of their hashes names the set. */
static void add_sets(struct run_ranks *r, struct rank_run *run)
{
    for (uint32_t i = 0; i < r->facts.n; i++) {
        uint32_t p = r->facts.predicate[i], kind = r->v.predicate[p].kind;
        uint64_t hash = mix(p + UINT64_C(0x9e3779b97f4a7c15));

        if (kind == PREDICATE_PATH)
            run->print[RANKS_BY_PATHS] += hash;
        if (kind == PREDICATE_PATH || kind == PREDICATE_PAIR || kind == PREDICATE_TRIPLE)
            run->print[RANKS_BY_STEPS] += hash;
    }
}

/* ---- Adding --------------------------------------------------------------------------------- */

static bool keep(struct run_ranks *r, wpp *w)
{
    wpp **larger = realloc(r->witness, (r->n_witnesses + (size_t)1) * sizeof *larger);

    if (!larger)
        return false;
    r->witness = larger;
    r->witness[r->n_witnesses++] = w;
    return true;
}

static bool add_process(struct run_ranks *r, struct rank_run *run, wpp *w, struct wpp_error *error)
{
    bool kept = false, kept_too = false;
    bool done = run_facts_of(&r->facts, &r->v, w, &kept, error) &&
                add_order(r, w, &run->print[RANKS_BY_ORDER], &kept_too, error);

    if (!kept && !kept_too)
        wpp_close(w);
    else if (!keep(r, w))
        done = wpp_fail_memory(error);
    return done;
}

static bool make_room(struct run_ranks *r)
{
    uint32_t n = 2 * r->capacity + 16;
    struct rank_run *larger;

    if (r->n < r->capacity)
        return true;
    larger = realloc(r->run, n * sizeof *larger);
    if (!larger)
        return false;
    r->run = larger;
    r->capacity = n;
    return true;
}

bool ranks_add(struct run_ranks *r, int64_t rank, int64_t id, wpp **process, uint32_t n,
               struct wpp_error *error)
{
    struct rank_run run = {.rank = rank, .id = id};
    bool done = make_room(r) || wpp_fail_memory(error);

    run_facts_begin(&r->facts);
    for (uint32_t i = 0; i < n; i++) {
        if (done)
            done = add_process(r, &run, process[i], error);
        else
            wpp_close(process[i]);
    }
    if (!done)
        return false;
    add_sets(r, &run);
    run.events = r->facts.events;
    r->run[r->n++] = run;
    return true;
}

/* ---- Groups --------------------------------------------------------------------------------- */

static int compare_prints(const void *left, const void *right, void *ctx)
{
    const struct rank_run *a = left, *b = right;
    enum ranks_by by = *(const enum ranks_by *)ctx;

    if (a->print[by] != b->print[by])
        return a->print[by] < b->print[by] ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* A group: its first rank in the order of fingerprints, and how many it has. */
struct group { uint32_t first, n; int64_t rank; };

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;

    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int compare_members(const void *left, const void *right)
{
    const struct rank_run *a = left, *b = right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static uint32_t find_groups(const struct run_ranks *r, enum ranks_by by, struct group *group)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        if (i == 0 || r->run[i].print[by] != r->run[i - 1].print[by])
            group[n++] = (struct group){.first = i, .rank = r->run[i].rank};
        group[n - 1].n++;
    }
    return n;
}

bool ranks_group(struct run_ranks *r, enum ranks_by by)
{
    struct group *group = malloc((r->n + (size_t)1) * sizeof *group);

    if (!group)
        return false;
    r->by = by;
    if (r->n > 0)
        qsort_r(r->run, r->n, sizeof *r->run, compare_prints, &by);
    r->n_groups = find_groups(r, by, group);
    qsort(group, r->n_groups, sizeof *group, compare_groups);
    for (uint32_t g = 0; g < r->n_groups; g++)
        for (uint32_t i = 0; i < group[g].n; i++)
            r->run[group[g].first + i].group = g;
    if (r->n > 0)
        qsort(r->run, r->n, sizeof *r->run, compare_members);
    free(group);
    return true;
}

static uint32_t most_alike(const struct run_ranks *r, enum ranks_by by)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t n = 0;

        for (uint32_t k = 0; k < r->n; k++)
            n += r->run[k].print[by] == r->run[i].print[by];
        most = n > most ? n : most;
    }
    return most;
}

enum ranks_by ranks_choose(const struct run_ranks *r)
{
    for (unsigned by = 0; by < RANKS_BY_PATHS; by++)
        if (most_alike(r, by) > r->n / 2)
            return by;
    return RANKS_BY_PATHS;
}
