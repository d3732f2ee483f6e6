/* SPDX-License-Identifier: MIT */
/* before-facts.c - which path came before which: the orders that tell failing runs from passing ones.
 *
 * There are as many orders as pairs of paths, so they are not kept for each run.  A first walk over
 * all runs counts all pairs of the chosen paths, in tables; those that go best with failure become
 * predicates, and a second walk finds the runs of which they are true.
 *
 *      row of path a in a run:   by path b: a began before b's last execution
 *                                = first[a] < last[b] in some thread
 */
#include <stdlib.h>
#include <string.h>

#include "wpp/runs/suspects.h"

#ifdef WPP_HOSTILE
enum { PATHS_MOST = 12, ORDERS_MOST = 20 };
#else
enum { PATHS_MOST = 1200, ORDERS_MOST = 1000 };
#endif
#define NONE UINT32_MAX

/* The chosen paths of a run: by thread and chosen path, its places. */
struct table {
    struct suspects *s;
    uint32_t n;                /* chosen paths */
    uint32_t *path;            /* of the vocabulary */
    uint32_t *chosen;          /* by path of the vocabulary: which, or NONE */
    uint32_t *fail, *pass, *seen_fail, *seen_pass;     /* n * n: by a, then b */
    /* Of the run at hand, n for each thread: */
    uint32_t *first, *last;    /* first NONE and last 0: not in that thread */
    uint32_t n_threads;
    uint8_t *row;              /* by b */
    uint8_t *executed;         /* in any thread */
};

/* ---- Choosing ------------------------------------------------------------------------------- */

struct candidate { uint32_t path, fail, pass; };

/* Those that most failing runs executed; then those that some runs did not execute. */
static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    if (a->fail != b->fail)
        return a->fail > b->fail ? -1 : 1;
    if (a->pass != b->pass)
        return a->pass < b->pass ? -1 : 1;
    return a->path < b->path ? -1 : a->path > b->path;
}

static bool choose(struct table *t)
{
    struct suspects *s = t->s;
    struct candidate *list = malloc((s->v.n_paths + (size_t)1) * sizeof *list);
    uint32_t n = 0;

    t->chosen = malloc((s->v.n_paths + (size_t)1) * sizeof *t->chosen);
    t->path = malloc(PATHS_MOST * sizeof *t->path);
    if (!list || !t->chosen || !t->path) {
        free(list);
        return false;
    }
    for (uint32_t p = 0; p < s->v.n_paths; p++) {
        const struct predicate_count *c = &s->count[s->v.path[p].predicate];

        t->chosen[p] = NONE;
        if (c->fail > 0)
            list[n++] = (struct candidate){p, c->fail, c->pass};
    }
    qsort(list, n, sizeof *list, compare_candidates);
    s->pairs_left_out = n > PATHS_MOST;
    for (; t->n < n && t->n < PATHS_MOST; t->n++) {
        t->path[t->n] = list[t->n].path;
        t->chosen[list[t->n].path] = t->n;
    }
    free(list);
    return true;
}

/* ---- A run ---------------------------------------------------------------------------------- */

static bool make_places(struct table *t, uint32_t n_threads)
{
    size_t n = (size_t)t->n * n_threads;
    uint32_t *first, *last;

    if (n_threads <= t->n_threads)
        return true;
    first = realloc(t->first, n * sizeof *first);
    if (first)
        t->first = first;
    last = realloc(t->last, n * sizeof *last);
    if (last)
        t->last = last;
    if (!first || !last)
        return false;
    t->n_threads = n_threads;
    return true;
}

static bool read_run(struct table *t, const struct suspect_run *run)
{
    if (!make_places(t, run->n_threads))
        return false;
    memset(t->first, 0xFF, (size_t)t->n * run->n_threads * sizeof *t->first);
    memset(t->last, 0, (size_t)t->n * run->n_threads * sizeof *t->last);
    memset(t->executed, 0, t->n);
    for (uint32_t i = 0; i < run->n_spans; i++) {
        const struct path_span *x = &run->span[i];
        uint32_t c = t->chosen[x->path];

        if (c == NONE)
            continue;
        t->first[(size_t)x->thread * t->n + c] = x->first;
        t->last[(size_t)x->thread * t->n + c] = x->last;
        t->executed[c] = 1;
    }
    return true;
}

static void mark_row(uint8_t *restrict row, const uint32_t *restrict last, uint32_t first, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++)
        row[b] |= first < last[b];
}

/* Of a path that the run executed. */
static void find_row(struct table *t, const struct suspect_run *run, uint32_t a)
{
    memset(t->row, 0, t->n);
    for (uint32_t thread = 0; thread < run->n_threads; thread++)
        mark_row(t->row, t->last + (size_t)thread * t->n, t->first[(size_t)thread * t->n + a], t->n);
}

static void add_row(uint32_t *restrict sum, const uint8_t *restrict row, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++)
        sum[b] += row[b];
}

static bool count_run(struct table *t, const struct suspect_run *run)
{
    uint32_t *is = run->fails ? t->fail : t->pass, *seen = run->fails ? t->seen_fail : t->seen_pass;

    if (!read_run(t, run))
        return false;
    for (uint32_t a = 0; a < t->n; a++) {
        if (!t->executed[a])
            continue;
        find_row(t, run, a);
        add_row(is + (size_t)a * t->n, t->row, t->n);
        add_row(seen + (size_t)a * t->n, t->executed, t->n);
    }
    return true;
}

/* ---- The best ------------------------------------------------------------------------------- */

struct order { uint32_t a, b; struct suspicion by; };

static bool is_below(const struct order *x, const struct order *y)
{
    if (x->by.importance != y->by.importance)
        return x->by.importance < y->by.importance;
    if (x->by.ochiai != y->by.ochiai)
        return x->by.ochiai < y->by.ochiai;
    return x->a != y->a ? x->a > y->a : x->b > y->b;
}

/* best[0 .. n) is a heap with the lowest on top. */
static void sift_down(struct order *best, uint32_t n)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        struct order swap;

        if (child + 1 < n && is_below(&best[child + 1], &best[child]))
            child++;
        if (!is_below(&best[child], &best[i]))
            return;
        swap = best[i];
        best[i] = best[child];
        best[child] = swap;
    }
}

static void sift_up(struct order *best, uint32_t i)
{
    for (; i > 0 && is_below(&best[i], &best[(i - 1) / 2]); i = (i - 1) / 2) {
        struct order swap = best[i];

        best[i] = best[(i - 1) / 2];
        best[(i - 1) / 2] = swap;
    }
}

/* An order that holds wherever both paths were executed says no more than that they were. */
static uint32_t find_best(const struct table *t, struct order *best)
{
    uint32_t n = 0;

    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++) {
            size_t at = (size_t)a * t->n + b;
            struct order x = {.a = a, .b = b};

            if (a == b || t->fail[at] == 0 ||
                (t->fail[at] == t->seen_fail[at] && t->pass[at] == t->seen_pass[at]))
                continue;
            x.by = suspicion_of((struct run_counts_of){t->fail[at], t->pass[at], t->seen_fail[at],
                                                       t->seen_pass[at]}, t->s->n_fail, t->s->n_pass);
            if (n < ORDERS_MOST) {
                best[n] = x;
                sift_up(best, n++);
            } else if (is_below(&best[0], &x)) {
                best[0] = x;
                sift_down(best, n);
            }
        }
    return n;
}

/* A site of its own: whether both paths were executed. */
static bool add_order(struct table *t, const struct order *x, bool *is_true, bool *are_both)
{
    struct suspects *s = t->s;
    struct predicate p = {.kind = PREDICATE_BOTH, .x = s->v.path[t->path[x->a]].predicate,
                          .y = s->v.path[t->path[x->b]].predicate};
    uint32_t number;

    if (!suspects_add_late(s, p, are_both, &p.site))
        return false;
    p.kind = PREDICATE_BEFORE;
    return suspects_add_late(s, p, is_true, &number);
}

/* Whether the orders are true of each run: bit arrays of n for each run would be large, so the runs are
 * read once for all of them into bytes. */
static bool add_best(struct table *t, const struct order *best, uint32_t n)
{
    uint32_t n_runs = t->s->n_runs;
    bool *is_true = calloc((size_t)n * n_runs + 1, 1), *are_both = calloc((size_t)n * n_runs + 1, 1);
    bool done = is_true && are_both;

    for (uint32_t r = 0; done && r < n_runs; r++) {
        const struct suspect_run *run = &t->s->run[r];

        done = read_run(t, run);
        for (uint32_t i = 0; done && i < n; i++) {
            are_both[(size_t)i * n_runs + r] = t->executed[best[i].a] && t->executed[best[i].b];
            for (uint32_t k = 0; k < run->n_threads; k++)
                is_true[(size_t)i * n_runs + r] |= t->first[(size_t)k * t->n + best[i].a] <
                                                   t->last[(size_t)k * t->n + best[i].b];
        }
    }
    for (uint32_t i = 0; done && i < n; i++)
        done = add_order(t, &best[i], is_true + (size_t)i * n_runs, are_both + (size_t)i * n_runs);
    free(is_true);
    free(are_both);
    return done;
}

static bool find_orders(struct table *t)
{
    struct order *best = malloc(ORDERS_MOST * sizeof *best);
    bool done = best != NULL;

    for (uint32_t r = 0; done && r < t->s->n_runs; r++)
        done = count_run(t, &t->s->run[r]);
    done = done && add_best(t, best, find_best(t, best));
    free(best);
    return done;
}

bool suspects_add_orders(struct suspects *s)
{
    struct table t = {.s = s};
    size_t size;
    bool done = choose(&t);

    size = (size_t)t.n * t.n + 1;
    if (done) {
        t.fail = calloc(size, sizeof *t.fail);
        t.pass = calloc(size, sizeof *t.pass);
        t.seen_fail = calloc(size, sizeof *t.seen_fail);
        t.seen_pass = calloc(size, sizeof *t.seen_pass);
        t.row = malloc(t.n + (size_t)1);
        t.executed = malloc(t.n + (size_t)1);
        done = t.fail && t.pass && t.seen_fail && t.seen_pass && t.row && t.executed;
    }
    done = done && find_orders(&t);
    free(t.path);
    free(t.chosen);
    free(t.fail);
    free(t.pass);
    free(t.seen_fail);
    free(t.seen_pass);
    free(t.first);
    free(t.last);
    free(t.row);
    free(t.executed);
    return done;
}
