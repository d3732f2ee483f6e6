/* SPDX-License-Identifier: MIT */
/* Random acyclic graphs with random executed paths: the missed paths are what is left when all paths are
 * written out, and their beginnings are the longest that an executed path shares. */
#include "wpp/coverage/missed-paths.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

enum { MAX_BLOCKS = 10, MAX_EDGES = 4 * MAX_BLOCKS, MAX_PATHS = 3000 };

struct example {
    struct wpp_routine graph;
    struct wpp_block blocks[MAX_BLOCKS];
    struct wpp_edge edges[MAX_EDGES];
    uint64_t below[MAX_BLOCKS];            /* paths from each block to EXIT */
    uint32_t path[MAX_PATHS][MAX_BLOCKS], length[MAX_PATHS];       /* edges, by number */
    uint64_t count[MAX_PATHS];             /* 0: missed */
    uint64_t edge[MAX_EDGES], block[MAX_BLOCKS];
    struct coverage_path executed[MAX_PATHS];
    struct coverage_routine routine;
    struct coverage c;
};

/* Block order is topological but for EXIT, which is 1. */
static uint32_t random_target(uint32_t src, uint32_t n)
{
    uint32_t first = src < 2 ? 2 : src + 1;
    uint32_t near = first + 3 > n ? n - first : 3;

    return first >= n || random_below(10) == 0 ? 1 : first + random_below(near);
}

static void make_graph(struct example *x)
{
    uint32_t n = 3 + random_below(MAX_BLOCKS - 2);

    x->graph = (struct wpp_routine){.name = "r", .shown = "r", .file = "a.c", .directory = "/",
                                    .n_blocks = n, .blocks = x->blocks, .edges = x->edges};
    for (uint32_t b = 0; b < n; b++) {
        uint32_t ways = 1 + random_below(4);
        bool used[MAX_BLOCKS] = {0};

        for (uint32_t i = 0; b != 1 && i < ways; i++) {
            uint32_t dst = random_target(b, n);

            if (!used[dst])
                x->edges[x->graph.n_edges++] = (struct wpp_edge){b, dst, WPP_EDGE_REAL, UINT32_MAX, 0};
            used[dst] = true;
        }
    }
}

static void number_paths(struct example *x)
{
    x->below[1] = 1;
    for (uint32_t k = x->graph.n_blocks; k-- > 0;)
        for (uint32_t e = 0; k != 1 && e < x->graph.n_edges; e++)
            if (x->edges[e].src == k) {
                x->edges[e].val = x->below[k];
                x->below[k] += x->below[x->edges[e].dst];
            }
    x->graph.num_paths = x->below[0];
}

/* Walks all paths in the order of their numbers. */
static void write_out(struct example *x, uint32_t block, const uint32_t *edges, uint32_t n,
                      uint32_t *number)
{
    uint32_t longer[MAX_BLOCKS];

    if (block == 1) {
        memcpy(x->path[*number], edges, n * sizeof *edges);
        x->length[(*number)++] = n;
        return;
    }
    memcpy(longer, edges, n * sizeof *edges);
    for (uint32_t e = 0; e < x->graph.n_edges; e++)
        if (x->edges[e].src == block) {
            longer[n] = e;
            write_out(x, x->edges[e].dst, longer, n + 1, number);
        }
}

static void execute(struct example *x, uint32_t share)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < x->graph.num_paths; i++) {
        x->count[i] = random_below(100) < share ? 1 + random_below(1000) : 0;
        if (x->count[i] == 0)
            continue;
        x->executed[n++] = (struct coverage_path){i, x->count[i]};
        for (uint32_t k = 0; k < x->length[i]; k++)
            x->edge[x->path[i][k]] += x->count[i];
    }
    x->routine = (struct coverage_routine){.routine = &x->graph, .edge = x->edge, .block = x->block,
                                           .n = n};
    x->c = (struct coverage){.n_routines = 1, .routine = &x->routine, .n_paths = n,
                             .path = x->executed};
}

static uint32_t common(const struct example *x, uint32_t a, uint32_t b)
{
    uint32_t n = 0;

    while (n < x->length[a] && n < x->length[b] && x->path[a][n] == x->path[b][n])
        n++;
    return n;
}

/* Whether what is said of missed path `number` is true. */
static bool is_right(const struct example *x, const struct missed_path *m, uint32_t number)
{
    uint32_t longest = 0;
    uint64_t reached = 0, most = 0;

    for (uint32_t i = 0; i < x->graph.num_paths; i++)
        if (x->count[i] > 0 && common(x, number, i) > longest)
            longest = common(x, number, i);
    for (uint32_t i = 0; longest > 0 && i < x->graph.num_paths; i++)
        if (x->count[i] > 0 && common(x, number, i) == longest) {
            reached += x->count[i];
            most = x->count[i] > most ? x->count[i] : most;
        }
    if (x->count[number] > 0 || m->steps != longest || m->reached != reached)
        return false;
    if (x->routine.n == 0)
        return m->nearest == UINT32_MAX && m->first == 0 && m->n == x->graph.num_paths;
    if (m->edge != x->path[number][longest] || m->block != x->edges[m->edge].src
        || m->edge_count != x->edge[m->edge])
        return false;
    if (longest == 0)
        return m->nearest == UINT32_MAX;
    return x->executed[m->nearest].count == most
        && common(x, number, (uint32_t)x->executed[m->nearest].number) == longest;
}

static bool check(const struct example *x)
{
    struct missed_paths missed;
    uint64_t next = 0, n = 0;
    bool right = missed_paths_new(&missed, &x->c, NULL);

    for (size_t i = 0; right && i < missed.n; i++) {
        right = missed.item[i].first >= next && missed.item[i].n > 0;
        for (uint64_t p = missed.item[i].first; right && p < missed.item[i].first + missed.item[i].n; p++)
            right = is_right(x, &missed.item[i], (uint32_t)p);
        next = missed.item[i].first + missed.item[i].n;
        n += missed.item[i].n;
    }
    right = right && n + x->routine.n == x->graph.num_paths;
    missed_paths_free(&missed);
    return right;
}

int main(void)
{
    static struct example x;
    uint32_t wrong = 0, tried = 0, several = 0;

    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t none[MAX_BLOCKS] = {0}, number = 0;

        memset(&x, 0, sizeof x);
        make_graph(&x);
        number_paths(&x);
        if (x.graph.num_paths > MAX_PATHS / 10)
            continue;
        write_out(&x, 0, none, 0, &number);
        execute(&x, i % 4 == 0 ? 0 : i % 4 == 1 ? 100 : 5 + random_below(90));
        wrong += number != x.graph.num_paths || !check(&x);
        several += x.graph.num_paths > 10;
        tried++;
    }
    tap_ok(tried > 2000 && several > 200, "%u graphs, %u with more than ten paths", tried, several);
    tap_ok(wrong == 0, "missed paths are those of all paths written out (%u wrong)", wrong);
    return tap_done();
}
