/* SPDX-License-Identifier: MIT */
/* Random graphs: prime paths are the simple paths, of all that are written out, that are in no other. */
#include "wpp/coverage/prime-paths.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static uint64_t random_state = 7;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

enum { MAX_BLOCKS = 8, MAX_EDGES = 64, MAX_SIMPLE = 20000 };

struct example {
    struct wpp_routine graph;
    struct wpp_edge edges[MAX_EDGES];
    bool arc[MAX_BLOCKS][MAX_BLOCKS];
    uint8_t simple[MAX_SIMPLE][MAX_BLOCKS + 1], length[MAX_SIMPLE];
    uint32_t n;
};

static void make_graph(struct example *x)
{
    uint32_t n = 3 + random_below(MAX_BLOCKS - 2);

    x->graph = (struct wpp_routine){.n_blocks = n, .edges = x->edges};
    x->edges[x->graph.n_edges++] = (struct wpp_edge){0, 2, WPP_EDGE_REAL, UINT32_MAX, 0};
    for (uint32_t b = 2; b < n; b++)
        for (uint32_t ways = random_below(4); ways-- > 0;) {
            uint32_t to = 2 + random_below(n - 2);

            x->arc[b][to] = true;
            x->edges[x->graph.n_edges++] = random_below(2)
                ? (struct wpp_edge){b, to, WPP_EDGE_REAL, UINT32_MAX, 0}
                : (struct wpp_edge){b, 1, WPP_EDGE_END_BACK, to, 0};
        }
}

static bool is_in(const uint8_t *path, uint32_t n, uint32_t block)
{
    return memchr(path, (int)block, n) != NULL;
}

static void write_out(struct example *x, const uint8_t *path, uint32_t n)
{
    uint8_t longer[MAX_BLOCKS + 2];

    if (x->n == MAX_SIMPLE)
        return;
    memcpy(x->simple[x->n], path, n);
    x->length[x->n++] = (uint8_t)n;
    if (n > 1 && path[0] == path[n - 1])
        return;
    memcpy(longer, path, n);
    for (uint32_t b = 2; b < x->graph.n_blocks; b++)
        if (x->arc[path[n - 1]][b] && (b == path[0] || !is_in(path, n, b))) {
            longer[n] = (uint8_t)b;
            write_out(x, longer, n + 1);
        }
}

static bool is_part(const struct example *x, uint32_t of, const uint8_t *path, uint32_t n)
{
    for (uint32_t at = 0; at + n <= x->length[of]; at++)
        if (memcmp(x->simple[of] + at, path, n) == 0)
            return true;
    return false;
}

static bool is_prime(const struct example *x, uint32_t number)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->length[i] > x->length[number]
            && is_part(x, i, x->simple[number], x->length[number]))
            return false;
    return true;
}

static bool is_found(const struct example *x, const struct prime_paths *p, uint32_t number)
{
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t n = p->first[i + 1] - p->first[i], same = 0;

        while (n == x->length[number] && same < n
               && p->block[p->first[i] + same] == x->simple[number][same])
            same++;
        if (n == x->length[number] && same == n)
            return true;
    }
    return false;
}

static bool check(const struct example *x, uint32_t *n_prime)
{
    struct prime_paths p;
    bool right = prime_paths_find(&x->graph, 10000, &p) && !p.limited;

    *n_prime = 0;
    for (uint32_t i = 0; right && i < x->n; i++)
        if (is_prime(x, i)) {
            ++*n_prime;
            right = is_found(x, &p, i);
        }
    right = right && p.n == *n_prime;
    prime_paths_free(&p);
    return right;
}

static void check_limit(void)
{
    static struct example x;
    struct prime_paths p;

    while (x.n < 200) {
        uint8_t start;

        memset(&x, 0, sizeof x);
        make_graph(&x);
        for (start = 2; start < x.graph.n_blocks; start++)
            write_out(&x, &start, 1);
    }
    tap_ok(prime_paths_find(&x.graph, 3, &p) && p.limited && p.n == 0, "a limit is said");
    prime_paths_free(&p);
}

int main(void)
{
    static struct example x;
    uint32_t wrong = 0, tried = 0, several = 0, n;

    for (uint32_t i = 0; i < 3000; i++) {
        memset(&x, 0, sizeof x);
        make_graph(&x);
        for (uint8_t start = 2; start < x.graph.n_blocks; start++)
            write_out(&x, &start, 1);
        if (x.n > 2000)
            continue;
        wrong += !check(&x, &n);
        several += n > 10;
        tried++;
    }
    tap_ok(tried > 2000 && several > 200, "%u graphs, %u with more than ten prime paths", tried, several);
    tap_ok(wrong == 0, "prime paths are those of all simple paths (%u wrong)", wrong);
    check_limit();
    return tap_done();
}
