/* SPDX-License-Identifier: MIT */
/* The bounds of a path's flow that follow from edge counts, against all profiles that have these
 * edge counts: the least and the most that any of them has for the path. */
#include "wpp/profile/edge-prediction.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

enum { MAX_VERTICES = 8, MAX_EDGES = 24, MAX_PATHS = 12, MAX_COUNT = 4 };

static uint64_t random_state = 20261128;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

struct dag {
    uint32_t n_vertices, n_edges, n_paths;       /* n_paths: more than MAX_PATHS are not kept */
    struct wpp_edge edge[MAX_EDGES];
    uint32_t path[MAX_PATHS][MAX_VERTICES], length[MAX_PATHS];
    uint64_t count[MAX_PATHS];                   /* of the profile that the edge counts come from */
    uint64_t block_count[MAX_VERTICES], edge_count[MAX_EDGES];
};

static void add_edge(struct dag *d, uint32_t src, uint32_t dst)
{
    d->edge[d->n_edges++] = (struct wpp_edge){.src = src, .dst = dst};
}

/* ENTRY is 0 and EXIT 1; others lead only to larger ones, and to EXIT. */
static void make_dag(struct dag *d)
{
    memset(d, 0, sizeof *d);
    d->n_vertices = 3 + random_below(MAX_VERTICES - 3);
    add_edge(d, 0, 2);
    for (uint32_t v = 0; v < d->n_vertices; v++) {
        if (v == 1)
            continue;
        for (uint32_t w = v < 2 ? 3 : v + 1; w < d->n_vertices; w++)
            if (random_below(2))
                add_edge(d, v, w);
        if (v > 1 && (v + 1 == d->n_vertices || random_below(3) == 0
                      || d->edge[d->n_edges - 1].src != v))
            add_edge(d, v, 1);
    }
}

static void find_paths(struct dag *d, uint32_t at, uint32_t *way, uint32_t n)
{
    if (at == 1) {
        if (d->n_paths < MAX_PATHS) {
            memcpy(d->path[d->n_paths], way, n * sizeof *way);
            d->length[d->n_paths] = n;
        }
        d->n_paths++;
        return;
    }
    for (uint32_t e = 0; e < d->n_edges; e++)
        if (d->edge[e].src == at) {
            way[n] = e;
            find_paths(d, d->edge[e].dst, way, n + 1);
        }
}

static void count_edges(struct dag *d)
{
    for (uint32_t p = 0; p < d->n_paths; p++)
        for (uint32_t i = 0; i < d->length[p]; i++) {
            d->edge_count[d->path[p][i]] += d->count[p];
            d->block_count[d->edge[d->path[p][i]].src] += d->count[p];
        }
}

/* ---- All profiles with these edge counts ------------------------------------------------- */

struct extremes { uint64_t least[MAX_PATHS], most[MAX_PATHS]; unsigned profiles; };

static uint64_t room(const struct dag *d, uint32_t p, const uint64_t *left)
{
    uint64_t room = UINT64_MAX;

    for (uint32_t i = 0; i < d->length[p]; i++)
        room = left[d->path[p][i]] < room ? left[d->path[p][i]] : room;
    return room;
}

/* Paths from p on may have any counts that use up what is left of the edges. */
static void try_all(const struct dag *d, uint32_t p, uint64_t *left, uint64_t *count,
                    struct extremes *out)
{
    if (p == d->n_paths) {
        for (uint32_t e = 0; e < d->n_edges; e++)
            if (left[e] > 0)
                return;
        out->profiles++;
        for (uint32_t i = 0; i < p; i++) {
            out->least[i] = count[i] < out->least[i] ? count[i] : out->least[i];
            out->most[i] = count[i] > out->most[i] ? count[i] : out->most[i];
        }
        return;
    }
    for (uint64_t n = 0, most = room(d, p, left); n <= most; n++) {
        for (uint32_t i = 0; i < d->length[p]; i++)
            left[d->path[p][i]] -= n;
        count[p] = n;
        try_all(d, p + 1, left, count, out);
        for (uint32_t i = 0; i < d->length[p]; i++)
            left[d->path[p][i]] += n;
    }
}

static bool check(struct dag *d, unsigned *profiles)
{
    struct extremes found;
    uint64_t left[MAX_EDGES], count[MAX_PATHS];
    bool same = true;

    memset(&found, 0, sizeof found);
    memset(found.least, 0xff, sizeof found.least);
    memcpy(left, d->edge_count, sizeof left);
    try_all(d, 0, left, count, &found);
    for (uint32_t p = 0; p < d->n_paths; p++) {
        struct flow_bounds b = flow_bounds_of(d->edge, d->path[p], d->length[p], d->block_count,
                                              d->edge_count);

        same = same && b.definite == found.least[p] && b.potential == found.most[p];
    }
    *profiles += found.profiles;
    return same;
}

static void test_random(void)
{
    uint32_t way[MAX_VERTICES], tried = 0, wrong = 0, several = 0;
    static struct dag d;

    while (tried < 3000) {
        unsigned profiles = 0;

        make_dag(&d);
        find_paths(&d, 0, way, 0);
        if (d.n_paths < 4 || d.n_paths > MAX_PATHS)
            continue;
        for (uint32_t p = 0; p < d.n_paths; p++)
            d.count[p] = random_below(3) ? random_below(MAX_COUNT) : 0;
        count_edges(&d);
        wrong += !check(&d, &profiles);
        several += profiles > 1;
        tried++;
    }
    tap_ok(wrong == 0, "bounds are the least and the most of all profiles with the same edge "
           "counts (%u random DAGs, %u have several)", tried, several);
    tap_ok(several > 300, "in many of them an edge profile leaves paths open");
}

/* ---- The example of Ball and Larus ------------------------------------------------------- */

enum { A = 2, B, C, D, E, F };

static void make_example(struct dag *d, const uint64_t *count)
{
    static const uint32_t edges[][2] = {
        {0, A}, {A, C}, {A, B}, {B, C}, {B, D}, {C, D}, {D, F}, {D, E}, {E, F}, {F, 1}
    };
    uint32_t way[MAX_VERTICES];

    memset(d, 0, sizeof *d);
    d->n_vertices = 8;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        add_edge(d, edges[i][0], edges[i][1]);
    find_paths(d, 0, way, 0);
    memcpy(d->count, count, d->n_paths * sizeof *count);
    count_edges(d);
}

/* Its paths are found in the order of their numbers. */
static void test_example(void)
{
    static const uint64_t first[] = {90, 60, 0, 100, 20, 0}, second[] = {110, 40, 0, 100, 0, 20};
    static const struct flow_bounds want[] = {{0, 110}, {40, 150}, {0, 100}, {0, 100}, {0, 20},
                                              {0, 20}};
    static struct dag d, other;
    bool good = true;

    make_example(&d, first);
    make_example(&other, second);
    tap_ok(d.n_paths == 6 && memcmp(d.edge_count, other.edge_count, sizeof d.edge_count) == 0,
           "the two profiles of the example have the same edge counts");
    for (uint32_t p = 0; p < 6; p++) {
        struct flow_bounds b = flow_bounds_of(d.edge, d.path[p], d.length[p], d.block_count,
                                              d.edge_count);

        good = good && b.definite == want[p].definite && b.potential == want[p].potential
            && b.definite <= first[p] && b.definite <= second[p] && b.potential >= first[p]
            && b.potential >= second[p];
    }
    tap_ok(good, "and both are within its bounds");
}

int main(void)
{
    test_random();
    test_example();
    return tap_done();
}
