/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-clusters.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/last-path.h"

#define NONE UINT32_MAX

void clusters_init(struct run_clusters *c)
{
    *c = (struct run_clusters){0};
    vocabulary_init(&c->v);
}

void clusters_free(struct run_clusters *c)
{
    for (uint32_t i = 0; i < c->n_runs; i++) {
        free(c->run[i].pair);
        free(c->run[i].where);
    }
    free(c->run);
    vocabulary_free(&c->v);
    for (uint32_t i = 0; i < c->n_witnesses; i++)
        wpp_close(c->witness[i]);
    free(c->witness);
    *c = (struct run_clusters){0};
}

/* ---- Ends ----------------------------------------------------------------------------------- */

static uint32_t last_thread(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run.n_deaths > 0 ? wpp_death(w, 0)->thread : 0;
}

static int compare_pairs(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static void sort_pairs(struct run_end *e)
{
    size_t n = 0;

    qsort(e->pair, e->n, sizeof *e->pair, compare_pairs);
    for (size_t i = 0; i < e->n; i++)
        if (n == 0 || e->pair[n - 1] != e->pair[i])
            e->pair[n++] = e->pair[i];
    e->n = n;
}

/* A terminal that is no path counts as none before or behind. */
static uint32_t name(struct run_clusters *c, const wpp *w, uint32_t terminal, bool *kept)
{
    uint32_t routine = wpp_terminal(w, terminal)->routine;

    if (routine == WPP_NO_ROUTINE)
        return NONE;
    return vocabulary_path(&c->v, w, terminal, vocabulary_routine(&c->v, w, routine, kept));
}

static bool read_end(struct run_clusters *c, struct run_end *e, const wpp *w, uint64_t most, bool *kept)
{
    uint32_t thread = last_thread(w), terminal[256], last = NONE;
    uint64_t all = wpp_grammar(w)->n_threads > 0 ? wpp_thread(w, thread)->tokens : 0;
    wpp_cursor *at;
    size_t n;

    e->pair = malloc(((size_t)(most < all ? most : all) + 1) * sizeof *e->pair);
    if (!e->pair)
        return false;
    if (all == 0)
        return true;
    at = wpp_cursor_new(w, thread, all > most ? all - most : 0);
    if (!at)
        return false;
    while ((n = wpp_cursor_read(at, terminal, 256)) > 0)
        for (size_t i = 0; i < n; i++) {
            uint32_t now = name(c, w, terminal[i], kept);

            if (now != NONE && last != NONE)
                e->pair[e->n++] = (uint64_t)last << 32 | now;
            last = now;
        }
    wpp_cursor_free(at);
    sort_pairs(e);
    return !c->v.failed;
}

static bool say_where(struct run_end *e, const wpp *w, struct wpp_error *error)
{
    struct wpp_summary run;
    struct last_path last;
    size_t n;
    FILE *out;

    wpp_get_summary(w, &run);
    if (run.killed == 0 || run.n_threads == 0)
        return (e->where = strdup("")) || wpp_fail_memory(error);
    if (!last_path_of_run(w, &last, error))
        return false;
    out = open_memstream(&e->where, &n);
    if (out) {
        last_path_say(out, &last, false);
        fclose(out);
    }
    last_path_free(&last);
    return e->where || wpp_fail_memory(error);
}

static bool make_room(struct run_clusters *c)
{
    uint32_t n = 2 * c->capacity + 32;
    struct run_end *run;
    wpp **witness;

    if (c->n_runs < c->capacity)
        return true;
    run = realloc(c->run, n * sizeof *run);
    if (run)
        c->run = run;
    witness = realloc(c->witness, n * sizeof *witness);
    if (witness)
        c->witness = witness;
    if (!run || !witness)
        return false;
    c->capacity = n;
    return true;
}

bool clusters_add(struct run_clusters *c, int64_t id, wpp *w, uint64_t n, struct wpp_error *error)
{
    struct wpp_summary run;
    bool kept = false, done = make_room(c) || wpp_fail_memory(error);

    if (!done) {
        wpp_close(w);
        return false;
    }
    wpp_get_summary(w, &run);
    c->run[c->n_runs] = (struct run_end){.id = id, .events = run.tokens};
    done = (read_end(c, &c->run[c->n_runs], w, n, &kept) || wpp_fail_memory(error)) &&
           say_where(&c->run[c->n_runs], w, error);
    c->n_runs++;
    if (kept)
        c->witness[c->n_witnesses++] = w;
    else
        wpp_close(w);
    return done;
}

/* ---- Clusters ------------------------------------------------------------------------------- */

static double likeness(const struct run_end *a, const struct run_end *b)
{
    size_t i = 0, k = 0, both = 0;

    while (i < a->n && k < b->n) {
        both += a->pair[i] == b->pair[k];
        if (a->pair[i] == b->pair[k]) {
            i++;
            k++;
        } else if (a->pair[i] < b->pair[k]) {
            i++;
        } else {
            k++;
        }
    }
    return a->n + b->n > 0 ? (double)both / (double)(a->n + b->n - both) : 1;
}

static int compare_lengths(const void *left, const void *right)
{
    const struct run_end *a = left, *b = right;

    if (a->events != b->events)
        return a->events < b->events ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* By number of runs, then by the representative's length: `size` and `leader` are by cluster. */
struct cluster_order { const uint32_t *size, *leader; };

static int compare_members(const void *left, const void *right, void *ctx)
{
    const struct run_end *a = left, *b = right;
    const struct cluster_order *o = ctx;

    if (a->cluster != b->cluster) {
        if (o->size[a->cluster] != o->size[b->cluster])
            return o->size[a->cluster] > o->size[b->cluster] ? -1 : 1;
        return a->cluster < b->cluster ? -1 : 1;
    }
    return compare_lengths(left, right);
}

static uint32_t nearest(const struct run_clusters *c, uint32_t run, const uint32_t *leader, double *best)
{
    uint32_t found = NONE;

    *best = -1;
    for (uint32_t k = 0; k < c->n_clusters; k++) {
        double now = likeness(&c->run[leader[k]], &c->run[run]);

        if (now > *best) {
            *best = now;
            found = k;
        }
    }
    return found;
}

bool clusters_end(struct run_clusters *c, double least)
{
    uint32_t *leader = malloc((c->n_runs + (size_t)1) * sizeof *leader);
    uint32_t *size = calloc(c->n_runs + (size_t)1, sizeof *size);
    bool done = leader && size;

    if (c->n_runs > 0)
        qsort(c->run, c->n_runs, sizeof *c->run, compare_lengths);
    for (uint32_t r = 0; done && r < c->n_runs; r++) {
        double best;
        uint32_t k = nearest(c, r, leader, &best);

        if (k == NONE || best < least) {
            k = c->n_clusters++;
            leader[k] = r;
        }
        c->run[r].cluster = k;
        size[k]++;
    }
    if (done && c->n_runs > 0)
        qsort_r(c->run, c->n_runs, sizeof *c->run, compare_members,
                &(struct cluster_order){size, leader});
    free(leader);
    free(size);
    return done;
}
