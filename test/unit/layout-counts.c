/* SPDX-License-Identifier: MIT */
/* Counts of the final code as those of the graph before the layout: random graphs are laid out as a compiler does,
 * with jumps that go, jumps that come, and copies; walks through what becomes of them are known in both. */
#include "wpp/samples/layout-counts.h"

#include <stdio.h>

#include "test/unit/tap.h"
#include "test/unit/toy-map.h"
#include "wpp/samples/partial-paths.h"

enum { MOST_TRUTH = 8, WALKS = 40, LONGEST = 80, CODE = 5 };

/* An arc of the final graph, and the arcs before the layout that it is. */
struct laid_arc {
    uint32_t from, to;
    uint32_t n, src[MOST_TRUTH], dst[MOST_TRUTH];
};

struct laid {
    uint32_t n_blocks, n_arcs;
    uint32_t origin[MOST_BLOCKS], insns[MOST_BLOCKS];
    bool gone[MOST_BLOCKS];
    struct laid_arc arc[MOST_ARCS];
};

static void lay_out(const struct toy *t, struct laid *l)
{
    memset(l, 0, sizeof *l);
    l->n_blocks = t->routine.r.n_blocks;
    for (uint32_t b = 2; b < l->n_blocks; b++) {
        l->origin[b] = b;
        l->insns[b] = CODE;
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            l->arc[l->n_arcs++] = (struct laid_arc){b, t->arc[i], 1, {b}, {t->arc[i]}};
    }
}

static uint32_t count_out(const struct laid *l, uint32_t b, uint32_t *last)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n_arcs; i++)
        if (l->arc[i].from == b) {
            *last = i;
            n++;
        }
    return n;
}

static bool leads(const struct laid *l, uint32_t b, uint32_t c)
{
    for (uint32_t i = 0; i < l->n_arcs; i++)
        if (l->arc[i].from == b && l->arc[i].to == c)
            return true;
    return false;
}

/* A block with one way out goes; what led to it leads behind it. */
static void take_jump(struct laid *l, uint32_t v)
{
    uint32_t out = 0, to, n = 0;

    if (v == 2 || l->gone[v] || count_out(l, v, &out) != 1 || l->arc[out].to == v || l->arc[out].to == 1)
        return;
    to = l->arc[out].to;
    for (uint32_t i = 0; i < l->n_arcs; i++)
        if (l->arc[i].to == v && (leads(l, l->arc[i].from, to) || l->arc[i].n == MOST_TRUTH || l->arc[out].n != 1))
            return;
    for (uint32_t i = 0; i < l->n_arcs; i++)
        if (l->arc[i].to == v) {
            struct laid_arc *a = &l->arc[i];
            a->to = to;
            a->src[a->n] = l->arc[out].src[0];
            a->dst[a->n++] = l->arc[out].dst[0];
        }
    for (uint32_t i = 0; i < l->n_arcs; i++)
        if (l->arc[i].from != v)
            l->arc[n++] = l->arc[i];
    l->n_arcs = n;
    l->gone[v] = true;
}

/* The arc leads over a new block from now on. */
static void add_jump(struct laid *l, uint32_t i)
{
    uint32_t x = l->n_blocks;

    if (x == MOST_BLOCKS || l->n_arcs == MOST_ARCS || l->arc[i].to == 1)
        return;
    l->insns[x] = 1;
    l->arc[l->n_arcs++] = (struct laid_arc){.from = x, .to = l->arc[i].to};
    l->arc[i].to = x;
    l->n_blocks++;
}

/* The arc leads to a copy from now on. */
static void copy_target(struct laid *l, uint32_t i)
{
    uint32_t x = l->n_blocks, v = l->arc[i].to, into = 0, n = l->n_arcs, last;

    for (uint32_t k = 0; k < n; k++)
        into += l->arc[k].to == v;
    if (v < 3 || x == MOST_BLOCKS || n + count_out(l, v, &last) > MOST_ARCS || into < 2)
        return;
    l->insns[x] = l->insns[v];
    for (uint32_t k = 0; k < n; k++)
        if (l->arc[k].from == v) {
            l->arc[l->n_arcs] = l->arc[k];
            l->arc[l->n_arcs++].from = x;
        }
    l->arc[i].to = x;
    l->n_blocks++;
}

/* A block with one way out swallows a copy of the block there. */
static void swallow_target(struct laid *l, uint32_t b)
{
    uint32_t out, c, n = l->n_arcs;
    struct laid_arc way;

    if (l->gone[b] || count_out(l, b, &out) != 1 || l->arc[out].to == 1 || l->arc[out].to == b)
        return;
    way = l->arc[out];
    c = way.to;
    if (n + MOST_TRUTH > MOST_ARCS)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (l->arc[i].from == c && way.n + l->arc[i].n > MOST_TRUTH)
            return;
    for (uint32_t i = 0; i < n; i++)
        if (l->arc[i].from == c) {
            struct laid_arc *a = &l->arc[l->n_arcs++];
            *a = way;
            a->to = l->arc[i].to;
            for (uint32_t k = 0; k < l->arc[i].n; k++) {
                a->src[a->n] = l->arc[i].src[k];
                a->dst[a->n++] = l->arc[i].dst[k];
            }
        }
    l->arc[out] = l->arc[--l->n_arcs];
    l->insns[b] = CODE;
}

/* The final graph as a map; blocks that are gone have no number. */
static void finish(const struct laid *l, struct toy *t, uint32_t *number, uint32_t *origin)
{
    static char text[MOST_BLOCKS][MOST_ARCS];
    const char *arcs[MOST_BLOCKS];
    uint32_t n = 2;

    for (uint32_t b = 2; b < l->n_blocks; b++)
        number[b] = l->gone[b] ? 0 : n++;
    for (uint32_t b = 2; b < l->n_blocks; b++) {
        uint32_t at = 0;
        if (l->gone[b])
            continue;
        for (uint32_t i = 0; i < l->n_arcs; i++)
            if (l->arc[i].from == b)
                text[b][at++] = l->arc[i].to == 1 ? '.' : (char)('A' + number[l->arc[i].to] - 2);
        text[b][at] = '\0';
        arcs[number[b] - 2] = text[b];
        origin[number[b]] = l->origin[b];
    }
    make_toy(t, n, arcs);
    for (uint32_t b = 2; b < l->n_blocks; b++)
        if (!l->gone[b])
            t->about[number[b]].insns = l->insns[b];
}

/* The graph before the layout, as a table has it. */
static void describe(const struct toy *t, struct wpp_routine *r, struct wpp_edge *edge)
{
    uint32_t n = 0;

    edge[n++] = (struct wpp_edge){.src = 0, .dst = 2, .kind = WPP_EDGE_REAL, .to = UINT32_MAX};
    for (uint32_t b = 2; b < t->routine.r.n_blocks; b++)
        edge[n++] = (struct wpp_edge){.src = 0, .dst = b, .kind = WPP_EDGE_START, .to = UINT32_MAX};
    for (uint32_t b = 2; b < t->routine.r.n_blocks; b++)
        for (uint32_t i = t->first[b]; i < t->first[b + 1]; i++)
            edge[n++] = t->arc[i] == 1 ? (struct wpp_edge){.src = b, .dst = 1, .kind = WPP_EDGE_REAL, .to = UINT32_MAX}
                        : (struct wpp_edge){.src = b, .dst = 1, .kind = WPP_EDGE_END_LIMIT, .to = t->arc[i]};
    *r = (struct wpp_routine){.n_blocks = t->routine.r.n_blocks, .n_edges = n, .edges = edge};
}

/* Walks through the final graph; each arc counts as what it is. */
static bool walk(const struct laid *l, const uint32_t *number, struct block_trail *trail, double *truth)
{
    uint32_t passed[LONGEST], n = 0, at = 2;

    while (at != 1 && n < LONGEST) {
        uint32_t out[MOST_ARCS], k = 0;
        for (uint32_t i = 0; i < l->n_arcs; i++)
            if (l->arc[i].from == at)
                out[k++] = i;
        passed[n++] = out[(uint32_t)random() % k];
        at = l->arc[passed[n - 1]].to;
    }
    if (at != 1)
        return false;
    block_trail_call(trail, 0);
    for (uint32_t i = 0; i < n; i++) {
        const struct laid_arc *a = &l->arc[passed[i]];
        for (uint32_t k = 0; k < a->n; k++)
            truth[a->src[k] * MOST_BLOCKS + a->dst[k]]++;
        if (a->to != 1)
            block_trail_go(trail, number[a->to]);
    }
    block_trail_leave(trail);
    return true;
}

struct sums {
    double placed, unplaced;
    unsigned graphs, wrong;
};

static void compare(const struct layout_counts *c, const double *truth, double calls, struct sums *s)
{
    bool wrong = c->calls != calls;
    double sum = 0, want = 0;

    for (uint32_t i = 0; i < c->n_arcs; i++) {
        double actual = truth[c->arc[i].src * MOST_BLOCKS + c->arc[i].dst];
        wrong |= c->unplaced == 0 ? c->arc[i].count != actual : c->arc[i].count > actual;
        sum += c->arc[i].count;
    }
    for (uint32_t i = 0; i < MOST_BLOCKS * MOST_BLOCKS; i++)
        want += truth[i];
    wrong |= c->unplaced == 0 && sum != want;
    s->wrong += wrong;
    s->placed += c->placed;
    s->unplaced += c->unplaced;
    s->graphs++;
}

static void test_one(unsigned changes, struct sums *s)
{
    double truth[MOST_BLOCKS * MOST_BLOCKS] = {0}, calls = 0;
    uint32_t number[MOST_BLOCKS], origin[MOST_BLOCKS] = {0};
    struct wpp_edge edge[MOST_ARCS + MOST_BLOCKS];
    struct toy *before = malloc(sizeof *before), *after = malloc(sizeof *after);
    struct partial_paths found = {0};
    struct wpp_routine layout;
    struct path_estimates e;
    struct path_graphs graphs;
    struct layout_counts c;
    struct laid l;

    random_toy(before);
    lay_out(before, &l);
    for (unsigned i = 0; i < changes; i++)
        switch (random() % 4) {
        case 0: take_jump(&l, 2 + (uint32_t)random() % (l.n_blocks - 2)); break;
        case 1: add_jump(&l, (uint32_t)random() % l.n_arcs); break;
        case 2: copy_target(&l, (uint32_t)random() % l.n_arcs); break;
        case 3: swallow_target(&l, 2 + (uint32_t)random() % (l.n_blocks - 2)); break;
        }
    finish(&l, after, number, origin);
    describe(before, &layout, edge);
    after->routine.layout = &layout;
    after->routine.origin = origin;
    path_graphs_new(&graphs, &after->map, (struct path_rules){4096, false});
    struct block_trail trail = {.graphs = &graphs, .found = &found};
    for (unsigned i = 0; i < WALKS; i++)
        calls += walk(&l, number, &trail, truth);
    path_estimates_new(&e, &found, &graphs, ESTIMATE_WHOLE);
    if (e.n > 0 && layout_counts_new(&c, &after->routine, path_graphs_of(&graphs, 0), e.path, e.n)) {
        compare(&c, truth, calls, s);
        layout_counts_free(&c);
    }
    path_estimates_free(&e);
    block_trail_free(&trail);
    partial_paths_free(&found);
    path_graphs_free(&graphs);
    free(before);
    free(after);
}

static void test_random(unsigned changes, double share)
{
    struct sums s = {0};

    for (unsigned i = 0; i < 400; i++)
        test_one(changes, &s);
    tap_ok(s.graphs > 200 && s.wrong == 0 && s.placed >= share * (s.placed + s.unplaced),
           "%u changes: %u graphs, %u wrong, %.1f %% of the arcs have a place", changes, s.graphs, s.wrong,
           100 * s.placed / (s.placed + s.unplaced));
}

int main(void)
{
    srandom(5);
    test_random(0, 1);
    test_random(1, 0.95);
    test_random(2, 0.9);
    test_random(4, 0.8);
    return tap_done();
}
