/* SPDX-License-Identifier: MIT */
/* Which paths windows of k records never tell apart: against the equations, of random routines. */
#include "wpp/samples/path-windows.h"

#include <stdio.h>

#include "test/unit/tap.h"
#include "test/unit/toy-map.h"

enum { MOST_PATHS = 220, MOST_WINDOWS = 4096, LONGEST = 400, PRIME = 2147483629 };

/* ---- All paths, and their windows ------------------------------------------------------------- */

struct windows {
    const struct path_graph *g;
    const struct record_costs *costs;
    uint32_t k, n_paths, n_windows;
    uint32_t edge[MOST_BLOCKS + 2];        /* the path that is walked along */
    char *window[MOST_WINDOWS];            /* as texts */
    uint64_t row[MOST_WINDOWS][MOST_PATHS];
    bool too_many;
};

static void add_window(struct windows *w, const char *text, uint64_t path)
{
    uint32_t i = 0;

    while (i < w->n_windows && strcmp(w->window[i], text))
        i++;
    if (i == MOST_WINDOWS) {
        w->too_many = true;
        return;
    }
    if (i == w->n_windows) {
        w->window[w->n_windows++] = strdup(text);
        memset(w->row[i], 0, sizeof w->row[i]);
    }
    w->row[i][path]++;
}

/* The path as a text of records and falls: `+3 -4 c5 r5`; each record's place in it. */
static uint32_t write_path(const struct windows *w, uint32_t n, char *text, uint32_t *begin, uint32_t *end)
{
    uint32_t records = 0, at = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = w->edge[i], v = w->g->edge[e].dst;
        if (w->costs->edge[e])
            begin[records] = at;
        at += (uint32_t)sprintf(text + at, "%c%u ", w->costs->edge[e] ? '+' : '-', e);
        if (w->costs->edge[e])
            end[records++] = at;
        for (int c = 0; v > 1 && c < w->costs->block[v]; c++) {
            begin[records] = at;
            at += (uint32_t)sprintf(text + at, "%c%u ", c ? 'r' : 'c', v);
            end[records++] = at;
        }
    }
    return records;
}

static void add_path(struct windows *w, uint32_t n, uint64_t path)
{
    char text[LONGEST], one[LONGEST];
    uint32_t begin[LONGEST], end[LONGEST], records = write_path(w, n, text, begin, end);
    uint32_t k = records < w->k ? records : w->k;

    for (uint32_t i = 0; i + k <= records; i++) {
        snprintf(one, sizeof one, "%.*s", (int)(end[i + k - 1] - begin[i]), text + begin[i]);
        add_window(w, one, path);
    }
}

static void walk_all(struct windows *w, uint32_t v, uint64_t val, uint32_t n)
{
    if (v == 1) {
        add_path(w, n, val);
        return;
    }
    for (uint32_t i = w->g->first[v]; i < w->g->first[v + 1]; i++) {
        w->edge[n] = i;
        walk_all(w, w->g->edge[i].dst, val + w->g->edge[i].val, n + 1);
    }
}

/* ---- Equations ---------------------------------------------------------------------------------- */

static uint64_t inverse(uint64_t a)
{
    uint64_t out = 1;

    for (uint32_t e = PRIME - 2; e; e >>= 1, a = a * a % PRIME)
        if (e & 1)
            out = out * a % PRIME;
    return out;
}

/* Brings the rows into echelon form; pivot[p]: the row that begins with path p, or -1. */
static void solve(struct windows *w, int *pivot)
{
    uint32_t rank = 0;

    for (uint32_t p = 0; p < w->n_paths; p++) {
        uint32_t r = rank;
        pivot[p] = -1;
        while (r < w->n_windows && w->row[r][p] == 0)
            r++;
        if (r == w->n_windows)
            continue;
        for (uint32_t i = 0; i < w->n_paths; i++) {
            uint64_t swap = w->row[r][i];
            w->row[r][i] = w->row[rank][i];
            w->row[rank][i] = swap;
        }
        uint64_t factor = inverse(w->row[rank][p]);
        for (uint32_t i = 0; i < w->n_paths; i++)
            w->row[rank][i] = w->row[rank][i] * factor % PRIME;
        for (uint32_t other = 0; other < w->n_windows; other++) {
            uint64_t times = w->row[other][p];
            for (uint32_t i = 0; other != rank && times && i < w->n_paths; i++)
                w->row[other][i] = (w->row[other][i] + (PRIME - times) * w->row[rank][i]) % PRIME;
        }
        pivot[p] = (int)rank++;
    }
}

static uint32_t root(uint32_t *above, uint32_t p)
{
    while (above[p] != p)
        p = above[p];
    return p;
}

/* A path's count follows from the windows' if no solution of the equations shifts it.  Two paths are in one class if
 * some least shift moves both: each column that is no pivot, with the pivots in whose rows it stands. */
static void classes_of(struct windows *w, uint32_t *above, bool *alike)
{
    int pivot[MOST_PATHS];

    solve(w, pivot);
    for (uint32_t p = 0; p < w->n_paths; p++) {
        above[p] = p;
        alike[p] = false;
    }
    for (uint32_t f = 0; f < w->n_paths; f++)
        for (uint32_t p = 0; pivot[f] < 0 && p < w->n_paths; p++)
            if (pivot[p] >= 0 && w->row[pivot[p]][f]) {
                alike[f] = alike[p] = true;
                above[root(above, p)] = root(above, f);
            }
}

/* ---- Random routines ------------------------------------------------------------------------------- */

static unsigned compare(struct windows *w)
{
    static uint32_t above[MOST_PATHS], size[MOST_PATHS];
    static bool alike[MOST_PATHS];
    struct path_windows found;
    uint32_t n = 0, n_classes = 0, largest = 0;
    unsigned wrong = 0;

    classes_of(w, above, alike);
    memset(size, 0, sizeof size);
    for (uint32_t p = 0; p < w->n_paths; p++) {
        n += alike[p];
        if (alike[p])
            size[root(above, p)]++;
        wrong += path_windows_is_alike(w->costs, w->k, p) != alike[p];
    }
    for (uint32_t p = 0; p < w->n_paths; p++) {
        n_classes += size[p] > 0;
        largest = size[p] > largest ? size[p] : largest;
    }
    wrong += !path_windows_find(&found, w->costs, w->k) || found.alike != n || !found.has_classes
             || found.n_classes != n_classes || found.largest != largest;
    return wrong;
}

static unsigned test_one(uint32_t k, uint32_t *n_alike, uint32_t *compared)
{
    static struct windows w;
    struct wpp_arena arena = {0};
    struct record_costs costs;
    struct path_graph g;
    struct toy t;
    unsigned wrong = 0;

    random_toy(&t);
    for (uint32_t i = 0; i < t.map.n_blocks; i++)
        if (random() % 6 == 0)
            t.block[i].flags |= MAP_CALLS;
    path_graph_new(&g, &t.routine, &(struct path_rules){4096, random() % 4 == 0}, &arena);
    if (g.num_paths <= MOST_PATHS && record_costs_new(&costs, &t.map, 0, &g, &arena)) {
        w.g = &g;
        w.costs = &costs;
        w.k = k;
        w.n_paths = (uint32_t)g.num_paths;
        w.too_many = false;
        walk_all(&w, 0, 0, 0);
        if (!w.too_many) {
            struct path_windows found;
            wrong = compare(&w);
            path_windows_find(&found, &costs, k);
            *n_alike += (uint32_t)found.alike;
            ++*compared;
        }
        while (w.n_windows > 0)
            free(w.window[--w.n_windows]);
    }
    wpp_arena_free(&arena);
    return wrong;
}

static void test_random(uint32_t k)
{
    uint32_t alike = 0, compared = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < 250; i++)
        wrong += test_one(k, &alike, &compared) > 0;
    tap_ok(wrong == 0 && compared > 150 && (alike > 0 || k > 5),
           "%u records: %u routines agree with the equations, with %u paths that are alike (%u wrong)", k, compared, alike,
           wrong);
}

/* Two diamonds, and n blocks without a choice between them, each behind a jump. */
static void test_two_diamonds(uint32_t k, double alike)
{
    static const char *const arcs[] = {"BC", "D", "D", "F", "H", "E", "IJ", "G", "K", "K", "."};
    struct wpp_arena arena = {0};
    struct path_windows found;
    struct record_costs costs;
    struct path_graph g;
    struct toy t;

    make_toy(&t, 13, arcs);
    path_graph_new(&g, &t.routine, &(struct path_rules){4096, false}, &arena);
    record_costs_new(&costs, &t.map, 0, &g, &arena);
    path_windows_find(&found, &costs, k);
    tap_ok(found.alike == alike && found.n_classes == (alike > 0) && found.largest == alike,
           "two diamonds, four jumps apart, %u records: %g of 4 paths are alike", k, found.alike);
    wpp_arena_free(&arena);
}

int main(void)
{
    srandom(3);
    /* D -> F -> E -> H -> G: the last way, G, forks. */
    test_two_diamonds(2, 4);
    test_two_diamonds(5, 4);
    test_two_diamonds(6, 0);
    for (uint32_t k = 2; k <= 6; k++)
        test_random(k);
    test_random(9);
    return tap_done();
}
