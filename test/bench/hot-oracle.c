/* SPDX-License-Identifier: MIT */
/* hot-oracle.c - hot subpaths of a real run from its expanded trace, against hotpaths/.
 *
 *      hot-oracle FILE.wpp MIN-LENGTH MAX-LENGTH SHARE%...
 *
 * All events are written out.  Positions that begin with the same n terminals are a
 * group; groups are split by the next terminal, length by length, until they are hot or
 * could not become so.  Nothing of the grammar, and no bound from it, is used.  Prints,
 * for each minimal cost, how many subpaths there are, whether the exact search agrees,
 * and what of them the walk reports; exit status 1 when there is a difference.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hotpaths/hotpaths.h"

struct trace {
    uint32_t *terminal;         /* threads one behind the other, a gap between */
    uint64_t *sum;              /* of the costs before */
    uint32_t *left;             /* terminals of the thread from here on */
    uint64_t n;
    const uint64_t *cost;
};

struct question {
    const struct trace *t;
    struct hot_config config;
    uint32_t *place;            /* positions still in question */
    const hot_result *exact;
    struct by_string *index;    /* of the exact answers, sorted */
    size_t found, wrong;
};

struct by_string {
    const uint32_t *terminals;
    uint32_t length;
    uint64_t frequency;
};

static void *must(void *p)
{
    if (!p) {
        fputs("hot-oracle: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static void expand(struct trace *t, const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    t->terminal = must(malloc((s.tokens + 1) * sizeof *t->terminal));
    t->sum = must(malloc((s.tokens + 1) * sizeof *t->sum));
    t->left = must(malloc((s.tokens + 1) * sizeof *t->left));
    t->sum[0] = 0;
    for (uint32_t k = 0; k < g->n_threads; k++) {
        wpp_cursor *c = must(wpp_cursor_new(w, k, 0));
        uint64_t first = t->n, got;

        while ((got = wpp_cursor_read(c, t->terminal + t->n, 1 << 16)) > 0)
            t->n += got;
        wpp_cursor_free(c);
        for (uint64_t i = first; i < t->n; i++) {
            t->left[i] = (uint32_t)(t->n - i);
            t->sum[i + 1] = t->sum[i] + t->cost[t->terminal[i]];
        }
    }
}

static uint64_t cost_at(const struct trace *t, uint32_t at, uint32_t length)
{
    return t->sum[at + length] - t->sum[at];
}

static int compare(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a && i < n_b; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return n_a < n_b ? -1 : n_a > n_b;
}

static int by_string(const void *pa, const void *pb)
{
    const struct by_string *a = pa, *b = pb;

    return compare(a->terminals, a->length, b->terminals, b->length);
}

/* A group that is hot: the exact search must have it, as frequent. */
static void look_up(struct question *q, uint32_t at, uint32_t length, uint64_t frequency)
{
    struct by_string key = { q->t->terminal + at, length, 0 };
    const struct by_string *e = bsearch(&key, q->index, hot_count(q->exact), sizeof *e, by_string);

    q->found++;
    q->wrong += !e || e->frequency != frequency;
}

/* What any of the group's places can still cost at most, times their number. */
static bool may_be_hot(const struct question *q, uint64_t begin, uint64_t end)
{
    uint64_t most = 0;

    for (uint64_t i = begin; i < end; i++) {
        uint32_t at = q->place[i], n = q->t->left[at];
        uint64_t cost = cost_at(q->t, at, n < q->config.max_length ? n : q->config.max_length);

        most = cost > most ? cost : most;
    }
    return (unsigned __int128)most * (end - begin) >= q->config.min_cost;
}

static void refine(struct question *q, uint64_t begin, uint64_t end, uint32_t length);

/* Sorts the group by its next terminal, and refines each part. */
static void split(struct question *q, uint64_t begin, uint64_t end, uint32_t length)
{
    uint64_t low = begin, at = begin, high = end;
    uint32_t pivot;

    while (begin < end && length >= q->t->left[q->place[begin]])
        begin++;
    if (begin == end)
        return;
    low = at = begin;
    pivot = q->t->terminal[q->place[begin + (end - begin) / 2] + length];
    if (length >= q->t->left[q->place[begin + (end - begin) / 2]])
        pivot = q->t->terminal[q->place[begin] + length];
    while (at < high) {
        uint32_t place = q->place[at];
        bool over = length >= q->t->left[place];
        uint32_t terminal = over ? UINT32_MAX : q->t->terminal[place + length];

        if (terminal < pivot) {
            q->place[at++] = q->place[low];
            q->place[low++] = place;
        } else if (terminal > pivot) {
            q->place[at] = q->place[--high];
            q->place[high] = place;
        } else {
            at++;
        }
    }
    if (low > begin)
        split(q, begin, low, length);
    refine(q, low, high, length + 1);
    if (end > high)
        split(q, high, end, length);
}

static void refine(struct question *q, uint64_t begin, uint64_t end, uint32_t length)
{
    uint64_t unit = cost_at(q->t, q->place[begin], length);

    if (length >= q->config.min_length &&
        (unsigned __int128)unit * (end - begin) >= q->config.min_cost) {
        look_up(q, q->place[begin], length, end - begin);
        return;
    }
    if (length < q->config.max_length && may_be_hot(q, begin, end))
        split(q, begin, end, length);
}

/* How many of the exact answers the walk reports as they are. */
static size_t walked(const struct question *q, const hot_result *walk, size_t *too_frequent)
{
    size_t n = 0;

    for (size_t i = 0; i < hot_count(walk); i++) {
        struct hot_subpath p = hot_get(walk, i);
        struct by_string key = { p.terminals, p.length, 0 };
        const struct by_string *e = bsearch(&key, q->index, hot_count(q->exact), sizeof *e,
                                            by_string);

        n += e != NULL;
        *too_frequent += e && p.frequency > e->frequency;
    }
    return n;
}

static uint64_t cover_of(const struct wpp_grammar *g, const uint64_t *cost, const hot_result *r)
{
    struct hot_string *strings = must(malloc((hot_count(r) + 1) * sizeof *strings));
    uint64_t covered;

    for (size_t i = 0; i < hot_count(r); i++) {
        struct hot_subpath p = hot_get(r, i);
        strings[i] = (struct hot_string){ p.terminals, p.length };
    }
    if (hot_cover(g, cost, HOT_ALL_THREADS, strings, hot_count(r), &covered) != HOT_OK)
        must(NULL);
    free(strings);
    return covered;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static hot_result *find(const struct wpp_grammar *g, const uint64_t *cost,
                        struct hot_config config, enum hot_algorithm algorithm, double *time)
{
    hot_result *r;
    double began = seconds();

    config.algorithm = algorithm;
    if (hot_find(&r, g, cost, &config) != HOT_OK)
        must(NULL);
    *time = seconds() - began;
    return r;
}

static size_t ask(const struct trace *t, const struct wpp_grammar *g, struct hot_config config,
                  double share)
{
    struct question q = { .t = t, .config = config };
    double exactly, walking, total = (double)t->sum[t->n];
    hot_result *walk;
    size_t too_frequent = 0, reported;

    q.config.min_cost = (uint64_t)(share / 100 * total) ? (uint64_t)(share / 100 * total) : 1;
    q.exact = find(g, t->cost, q.config, HOT_EXACT, &exactly);
    walk = find(g, t->cost, q.config, HOT_LARUS, &walking);
    q.index = must(malloc((hot_count(q.exact) + 1) * sizeof *q.index));
    for (size_t i = 0; i < hot_count(q.exact); i++) {
        struct hot_subpath p = hot_get(q.exact, i);
        q.index[i] = (struct by_string){ p.terminals, p.length, p.frequency };
    }
    qsort(q.index, hot_count(q.exact), sizeof *q.index, by_string);
    q.place = must(malloc((t->n + 1) * sizeof *q.place));
    for (uint64_t i = 0; i < t->n; i++)
        q.place[i] = (uint32_t)i;
    if (t->n > 0)
        split(&q, 0, t->n, 0);
    q.wrong += q.found != hot_count(q.exact);
    reported = walked(&q, walk, &too_frequent);
    printf("%6g %% %9zu %7zu %8.2f %7zu %9zu %6.1f %% %6.1f %%\n", share, q.found, q.wrong, exactly,
           hot_count(walk), q.found - reported,
           100 * (double)cover_of(g, t->cost, q.exact) / total,
           100 * (double)cover_of(g, t->cost, walk) / total);
    fflush(stdout);
    free(q.place);
    free(q.index);
    hot_free((hot_result *)q.exact);
    hot_free(walk);
    return q.wrong + too_frequent;
}

int main(int argc, char **argv)
{
    struct hot_config config = { .size = sizeof config, .wanted = 20, .thread = HOT_ALL_THREADS };
    struct trace t = { 0 };
    struct wpp_error error;
    uint64_t *cost;
    size_t wrong = 0;
    wpp *w = argc > 4 ? wpp_open(argv[1], &error) : NULL;

    if (!w) {
        fprintf(stderr, "%s\n", argc > 4 ? error.text
                : "usage: hot-oracle FILE.wpp MIN-LENGTH MAX-LENGTH SHARE%...");
        return 2;
    }
    config.min_length = (uint32_t)strtoul(argv[2], NULL, 10);
    config.max_length = (uint32_t)strtoul(argv[3], NULL, 10);
    cost = must(calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof *cost));
    for (uint32_t i = 0; i < wpp_grammar(w)->n_terminals; i++)
        cost[i] = wpp_terminal(w, i)->insns;
    t.cost = cost;
    expand(&t, w);
    printf("%s: %" PRIu64 " events, %u to %u paths\n", argv[1], t.n, config.min_length,
           config.max_length);
    printf("%8s %9s %7s %8s %7s %9s %8s %8s\n", "min cost", "hot", "wrong", "s", "walk's",
           "not there", "cover", "walk's");
    for (int i = 4; i < argc; i++)
        wrong += ask(&t, wpp_grammar(w), config, strtod(argv[i], NULL));
    wpp_close(w);
    return wrong > 0;
}
