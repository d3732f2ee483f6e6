/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-orders.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/runs/suspects.h"

#ifdef WPP_HOSTILE
enum { PATHS_MOST = 12, ORDERS_MOST = 20 };
#else
enum { PATHS_MOST = 1200, ORDERS_MOST = 1000 };
#endif
#define NONE UINT32_MAX

void run_orders_free(struct run_orders *o)
{
    free(o->path);
    free(o->chosen);
    free(o->first);
    free(o->last);
    free(o->executed);
    free(o->order);
    *o = (struct run_orders){0};
}

/* ---- A run ---------------------------------------------------------------------------------- */

static bool make_places(struct run_orders *o, uint32_t n_threads)
{
    size_t n = (size_t)o->n * n_threads;
    uint32_t *first, *last;

    o->n_threads = n_threads;
    if (n_threads <= o->thread_room)
        return true;
    first = realloc(o->first, n * sizeof *first);
    if (first)
        o->first = first;
    last = realloc(o->last, n * sizeof *last);
    if (last)
        o->last = last;
    if (!first || !last)
        return false;
    o->thread_room = n_threads;
    return true;
}

bool run_orders_read(struct run_orders *o, const struct run_vector *v)
{
    size_t n = (size_t)o->n * v->n_threads;

    if (o->n == 0)
        return true;
    if (!make_places(o, v->n_threads))
        return false;
    if (n > 0) {
        memset(o->first, 0xFF, n * sizeof *o->first);
        memset(o->last, 0, n * sizeof *o->last);
    }
    memset(o->executed, 0, o->n);
    for (uint32_t i = 0; i < v->n_spans; i++) {
        const struct path_span *x = &v->span[i];
        uint32_t c = o->chosen[x->path];

        if (c == NONE)
            continue;
        o->first[(size_t)x->thread * o->n + c] = x->first;
        o->last[(size_t)x->thread * o->n + c] = x->last;
        o->executed[c] = 1;
    }
    return true;
}

bool run_orders_both(const struct run_orders *o, uint32_t order)
{
    return o->executed[o->order[order].a] && o->executed[o->order[order].b];
}

bool run_orders_hold(const struct run_orders *o, uint32_t order)
{
    for (uint32_t k = 0; k < o->n_threads; k++)
        if (o->first[(size_t)k * o->n + o->order[order].a] < o->last[(size_t)k * o->n + o->order[order].b])
            return true;
    return false;
}

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

static void choose_best(struct suspects *s, struct candidate *list)
{
    struct run_orders *o = &s->orders;
    uint32_t n = 0;

    for (uint32_t p = 0; p < s->v.n_paths; p++) {
        const struct predicate_count *c = &s->count[s->v.path[p].predicate];

        o->chosen[p] = NONE;
        if (c->fail > 0)
            list[n++] = (struct candidate){p, c->fail, c->pass};
    }
    qsort(list, n, sizeof *list, compare_candidates);
    s->pairs_left_out = n > PATHS_MOST;
    for (; o->n < n && o->n < PATHS_MOST; o->n++) {
        o->path[o->n] = list[o->n].path;
        o->chosen[list[o->n].path] = o->n;
    }
}

static bool choose(struct suspects *s)
{
    struct run_orders *o = &s->orders;
    struct candidate *list = malloc((s->v.n_paths + (size_t)1) * sizeof *list);

    o->chosen = malloc((s->v.n_paths + (size_t)1) * sizeof *o->chosen);
    o->path = malloc(PATHS_MOST * sizeof *o->path);
    o->executed = malloc(PATHS_MOST);
    if (list && o->chosen && o->path && o->executed)
        choose_best(s, list);
    free(list);
    return list && o->chosen && o->path && o->executed;
}

/* ---- Counting ------------------------------------------------------------------------------- */

/* Of n chosen paths. */
struct table {
    uint32_t *fail, *pass, *seen_fail, *seen_pass;     /* n * n: by a, then b */
    uint8_t *row;              /* of the run at hand, by b */
};

static bool table_new(struct table *t, uint32_t n)
{
    size_t size = (size_t)n * n + 1;

    t->fail = calloc(size, sizeof *t->fail);
    t->pass = calloc(size, sizeof *t->pass);
    t->seen_fail = calloc(size, sizeof *t->seen_fail);
    t->seen_pass = calloc(size, sizeof *t->seen_pass);
    t->row = malloc(n + (size_t)1);
    return t->fail && t->pass && t->seen_fail && t->seen_pass && t->row;
}

static void table_free(struct table *t)
{
    free(t->fail);
    free(t->pass);
    free(t->seen_fail);
    free(t->seen_pass);
    free(t->row);
}

static void mark_row(uint8_t *restrict row, const uint32_t *restrict last, uint32_t first, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++)
        row[b] |= first < last[b];
}

/* Of a path that the run executed. */
static void find_row(uint8_t *row, const struct run_orders *o, uint32_t a)
{
    memset(row, 0, o->n);
    for (uint32_t thread = 0; thread < o->n_threads; thread++)
        mark_row(row, o->last + (size_t)thread * o->n, o->first[(size_t)thread * o->n + a], o->n);
}

static void add_row(uint32_t *restrict sum, const uint8_t *restrict row, uint32_t n)
{
    for (uint32_t b = 0; b < n; b++)
        sum[b] += row[b];
}

static void count_run(struct table *t, const struct run_orders *o, bool fails)
{
    uint32_t *is = fails ? t->fail : t->pass, *seen = fails ? t->seen_fail : t->seen_pass;

    for (uint32_t a = 0; a < o->n; a++) {
        if (!o->executed[a])
            continue;
        find_row(t->row, o, a);
        add_row(is + (size_t)a * o->n, t->row, o->n);
        add_row(seen + (size_t)a * o->n, o->executed, o->n);
    }
}

/* ---- The best ------------------------------------------------------------------------------- */

struct ranked_order { struct run_order is; struct suspicion by; };

static bool is_below(const struct ranked_order *x, const struct ranked_order *y)
{
    if (x->by.importance != y->by.importance)
        return x->by.importance < y->by.importance;
    if (x->by.ochiai != y->by.ochiai)
        return x->by.ochiai < y->by.ochiai;
    return x->is.a != y->is.a ? x->is.a > y->is.a : x->is.b > y->is.b;
}

/* best[0 .. n) is a heap with the lowest on top. */
static void sift_down(struct ranked_order *best, uint32_t n)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        struct ranked_order swap;

        if (child + 1 < n && is_below(&best[child + 1], &best[child]))
            child++;
        if (!is_below(&best[child], &best[i]))
            return;
        swap = best[i];
        best[i] = best[child];
        best[child] = swap;
    }
}

static void sift_up(struct ranked_order *best, uint32_t i)
{
    for (; i > 0 && is_below(&best[i], &best[(i - 1) / 2]); i = (i - 1) / 2) {
        struct ranked_order swap = best[i];

        best[i] = best[(i - 1) / 2];
        best[(i - 1) / 2] = swap;
    }
}

/* An order that holds wherever both paths were executed says no more than that they were. */
static uint32_t find_best(const struct suspects *s, const struct table *t, struct ranked_order *best)
{
    uint32_t found = 0, n = s->orders.n;

    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            size_t at = (size_t)a * n + b;
            struct ranked_order x = {.is = {a, b}};

            if (a == b || t->fail[at] == 0 ||
                (t->fail[at] == t->seen_fail[at] && t->pass[at] == t->seen_pass[at]))
                continue;
            x.by = suspicion_of((struct run_counts_of){t->fail[at], t->pass[at], t->seen_fail[at],
                                                       t->seen_pass[at]}, s->n_fail, s->n_pass);
            if (found < ORDERS_MOST) {
                best[found] = x;
                sift_up(best, found++);
            } else if (is_below(&best[0], &x)) {
                best[0] = x;
                sift_down(best, found);
            }
        }
    return found;
}

static bool find_orders(struct suspects *s, struct table *t, struct wpp_error *error)
{
    struct run_orders *o = &s->orders;
    struct ranked_order *best = malloc(ORDERS_MOST * sizeof *best);
    bool done = true;

    o->order = malloc(ORDERS_MOST * sizeof *o->order);
    if (!best || !o->order || !table_new(t, o->n)) {
        free(best);
        return wpp_fail_memory(error);
    }
    for (uint32_t r = 0; done && r < s->n_runs; r++) {
        done = suspects_read(s, r, error);
        if (done)
            count_run(t, o, s->run[r].fails);
    }
    if (done)
        o->n_orders = find_best(s, t, best);
    for (uint32_t i = 0; i < o->n_orders; i++)
        o->order[i] = best[i].is;
    free(best);
    return done;
}

static void count_order(struct predicate_count *c, bool fails, uint64_t hash)
{
    *(fails ? &c->fail : &c->pass) += 1;
    c->set += hash;
}

/* By order: those runs that executed both paths, and those in which they were so. */
static bool count_orders(struct suspects *s, struct predicate_count (*count)[2], struct wpp_error *error)
{
    const struct run_orders *o = &s->orders;

    for (uint32_t r = 0; r < s->n_runs; r++) {
        if (!suspects_read(s, r, error))
            return false;
        for (uint32_t i = 0; i < o->n_orders; i++) {
            if (run_orders_both(o, i))
                count_order(&count[i][0], s->run[r].fails, suspects_hash(r));
            if (run_orders_hold(o, i))
                count_order(&count[i][1], s->run[r].fails, suspects_hash(r));
        }
    }
    return true;
}

/* A site of its own: whether both paths were executed. */
static bool add_order(struct suspects *s, uint32_t order, const struct predicate_count count[2])
{
    const struct run_orders *o = &s->orders;
    const uint32_t *path = o->path;
    struct predicate p = {.kind = PREDICATE_BOTH, .x = s->v.path[path[o->order[order].a]].predicate,
                          .y = s->v.path[path[o->order[order].b]].predicate};
    uint32_t number;

    if (!suspects_add_late(s, p, count[0], &p.site))
        return false;
    p.kind = PREDICATE_BEFORE;
    return suspects_add_late(s, p, count[1], &number);
}

static bool add_best(struct suspects *s, struct wpp_error *error)
{
    struct run_orders *o = &s->orders;
    struct predicate_count (*count)[2] = calloc(o->n_orders + (size_t)1, sizeof *count);
    bool done = count ? count_orders(s, count, error) : wpp_fail_memory(error);

    o->predicate = s->v.n;
    for (uint32_t i = 0; done && i < o->n_orders; i++)
        done = add_order(s, i, count[i]) || wpp_fail_memory(error);
    free(count);
    return done;
}

bool suspects_add_orders(struct suspects *s, struct wpp_error *error)
{
    struct table t = {0};
    bool done = choose(s) || wpp_fail_memory(error);

    done = done && find_orders(s, &t, error);
    table_free(&t);
    return done && add_best(s, error);
}
