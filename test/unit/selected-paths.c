/* SPDX-License-Identifier: MIT */
/* Labels for some paths of a DAG: the paper's example, and the guarantee on 100,000 random DAGs, all of
 * whose paths are walked.
 * test: slow 4 */
#include "gcc-plugin/numbering/selected-paths.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

enum { MOST_PATHS = 200 };

/* ---- Paths, one by one ------------------------------------------------------------------ */

struct sums {
    uint64_t sum[MOST_PATHS];
    bool interesting[MOST_PATHS];
    uint32_t n;
};

static void walk(const struct pn_graph *g, const bool *interesting, const uint64_t *label, uint32_t v,
                 uint64_t sum, bool all, struct sums *out)
{
    if (v == g->exit) {
        out->sum[out->n] = sum;
        out->interesting[out->n++] = all;
        return;
    }
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
        walk(g, interesting, label, g->dag[e].dst, sum + label[e], all && interesting[e], out);
}

/* Pairs of an interesting path and another one (`with_all`: an interesting one) with the same sum. */
static uint32_t shared(const struct sums *s, bool with_all)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; s->interesting[i] && k < s->n; k++)
            n += k != i && s->sum[i] == s->sum[k] && (with_all || s->interesting[k]);
    return n;
}

static struct sums sums_of(const struct pn_graph *g, const bool *interesting, enum pn_labelling how,
                           uint32_t *probes)
{
    uint64_t *label = calloc(g->n_dag + 1, sizeof *label);
    struct sums s = {.n = 0};

    if (pn_label_paths(g, interesting, how, label) != PN_OK)
        abort();
    walk(g, interesting, label, g->entry, 0, true, &s);
    *probes = pn_probes(g, label);
    for (uint32_t e = 0; e < g->n_dag; e++)
        if (!interesting[e] && label[e])
            abort();
    free(label);
    return s;
}

/* ---- The paper's example -------------------------------------------------------------------- */

/* Figures 2 and 4, from the text: two halves of two diamonds each; v3, v11 and v14 are on no interesting
 * path.  SPP gives the paths over v5 v7 v8 and over v14 v15 v16 v18 v19 the number 3, PSPP 11 and 3. */
enum { ENTRY = 22, EXIT = 23 };
static const uint8_t example[][2] = {
    {ENTRY, 0}, {0, 1}, {1, 2}, {1, 12}, {2, 3}, {3, 11}, {11, EXIT}, {2, 4}, {4, 6}, {4, 5}, {5, 7}, {6, 7},
    {7, 8}, {7, 9}, {8, 10}, {9, 10}, {10, EXIT}, {12, 13}, {12, 14}, {13, 15}, {14, 15}, {15, 17}, {15, 16},
    {16, 18}, {17, 18}, {18, 20}, {18, 19}, {19, 21}, {20, 21}, {21, EXIT}
};

static struct pn_graph *make_example(bool *interesting)
{
    struct pn_graph *g = pn_new(24, ENTRY, EXIT);

    for (size_t i = 0; i < sizeof example / sizeof *example; i++)
        pn_add_edge(g, example[i][0], example[i][1], 1, 0);
    if (pn_number(g, 1 << 20) != PN_OK)
        abort();
    for (uint32_t e = 0; e < g->n_dag; e++) {
        uint32_t src = g->dag[e].src, dst = g->dag[e].dst;

        interesting[e] = src != 3 && dst != 3 && src != 11 && src != 14 && dst != 14;
    }
    return g;
}

/* The sum along these vertices. */
static uint64_t sum_along(const struct pn_graph *g, const uint64_t *label, const uint8_t *vertices,
                          size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i + 1 < n; i++)
        for (uint32_t e = g->first[vertices[i]]; e < g->first[vertices[i] + 1]; e++)
            if (g->dag[e].dst == vertices[i + 1])
                sum += label[e];
    return sum;
}

static void test_example(void)
{
    static const uint8_t p[] = {ENTRY, 0, 1, 2, 4, 5, 7, 8, 10, EXIT};
    static const uint8_t q[] = {ENTRY, 0, 1, 12, 14, 15, 16, 18, 19, 21, EXIT};
    bool interesting[64];
    uint64_t label[64];
    struct pn_graph *g = make_example(interesting);
    struct sums s;
    uint32_t probes;

    pn_label_paths(g, interesting, PN_SPP, label);
    tap_ok(sum_along(g, label, p, sizeof p) == 3 && sum_along(g, label, q, sizeof q) == 3,
           "P3's example: SPP gives an interesting path and another one the number 3");
    s = sums_of(g, interesting, PN_SPP, &probes);
    tap_ok(shared(&s, true) > 0 && shared(&s, false) == 0, "interesting ones alone differ");
    pn_label_paths(g, interesting, PN_PSPP, label);
    tap_ok(sum_along(g, label, p, sizeof p) == 11 && sum_along(g, label, q, sizeof q) == 3,
           "PSPP gives them 11 and 3");
    s = sums_of(g, interesting, PN_PSPP, &probes);
    tap_ok(s.n == 13 && shared(&s, true) == 0, "and no interesting path of the 13 shares its number");
    pn_free(g);
}

/* ---- Random DAGs -------------------------------------------------------------------------------- */

static uint64_t chance_state = 2015;

static uint32_t chance(uint32_t below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance_state >> 33) % below;
}

/* Vertices 0 .. n-1 between ENTRY n and EXIT n + 1. */
static struct pn_graph *random_dag(void)
{
    uint32_t n = 2 + chance(14);
    struct pn_graph *g = pn_new(n + 2, n, n + 1);

    pn_add_edge(g, n, 0, chance(5), 0);
    for (uint32_t v = 0; v < n; v++) {
        pn_add_edge(g, v, v + 1 < n ? v + 1 : n + 1, chance(5), chance(20) ? 0 : PN_CUT);
        for (uint32_t k = chance(3); k > 0; k--) {
            uint32_t to = v + 1 + chance(n - v);

            pn_add_edge(g, v, to < n ? to : n + 1, chance(5), 0);
        }
    }
    if (pn_number(g, 1 << 20) != PN_OK)
        abort();
    return g;
}

/* The edges of a few paths. */
static void choose(const struct pn_graph *g, bool *interesting)
{
    uint32_t path[64];

    memset(interesting, 0, g->n_dag * sizeof *interesting);
    for (uint32_t k = 1 + chance(6); k > 0; k--) {
        uint32_t n = pn_regenerate(g, chance((uint32_t)g->num_paths), path, 64);

        for (uint32_t i = 0; i < n; i++)
            interesting[path[i]] = true;
    }
}

static void test_random(void)
{
    uint32_t wrong = 0, collisions = 0, wrong_spp = 0, n = 0;
    uint64_t probes = 0, all = 0;
    bool interesting[256];

    while (n < 100000) {
        struct pn_graph *g = random_dag();
        struct sums s;
        uint32_t some;

        if (g->num_paths <= MOST_PATHS && g->n_dag <= 256) {
            choose(g, interesting);
            s = sums_of(g, interesting, PN_PSPP, &some);
            wrong += s.n != g->num_paths || shared(&s, true) > 0;
            probes += some;
            for (uint32_t e = 0; e < g->n_dag; e++)
                all += g->dag[e].val != 0;
            s = sums_of(g, interesting, PN_SPP, &some);
            collisions += shared(&s, true) > 0;
            wrong_spp += shared(&s, false) > 0;
            n++;
        }
        pn_free(g);
    }
    tap_ok(wrong == 0, "100,000 random DAGs: with PSPP no interesting path shares its number");
    tap_ok(wrong_spp == 0 && collisions > 0, "with SPP some do, in %u DAGs, but with no interesting one",
           collisions);
    tap_ok(probes < all, "PSPP has %.2f of the probes that all paths need", (double)probes / (double)all);
}

/* ---- Reading identifiers -------------------------------------------------------------------------- */

enum { MOST_EDGES = 64 };

/* The reader of selected-paths.h: the edges of the interesting path with the identifier, and how many;
 * 0: only uninteresting paths have it. */
static uint32_t read_path(const struct pn_graph *g, const bool *interesting, const uint64_t *val,
                          uint64_t identifier, uint32_t *edges)
{
    uint32_t n = 0;

    for (uint32_t v = g->entry; v != g->exit; v = g->dag[edges[n++]].dst) {
        uint32_t best = PN_NONE;

        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (interesting[e] && val[e] <= identifier && (best == PN_NONE || val[e] > val[best]))
                best = e;
        if (best == PN_NONE)
            return 0;
        identifier -= val[best];
        edges[n] = best;
    }
    return identifier ? 0 : n;
}

/* Whether the identifier of path `number` leads to it, or if it is not interesting to none. */
static bool is_read(const struct pn_graph *g, const bool *interesting, const uint64_t *label,
                    const uint64_t *val, uint64_t number)
{
    uint32_t path[MOST_EDGES], read[MOST_EDGES], n = pn_regenerate(g, number, path, MOST_EDGES), found;
    uint64_t identifier = 0, vals = 0;
    bool all = true;

    for (uint32_t i = 0; i < n; i++) {
        identifier += label[path[i]];
        vals += val[path[i]];
        all &= interesting[path[i]];
    }
    found = read_path(g, interesting, val, identifier, read);
    return all ? vals == identifier && found == n && memcmp(read, path, n * sizeof *path) == 0 : found == 0;
}

static void test_reading(void)
{
    enum { DAGS = 20000 };
    uint32_t wrong = 0, n = 0;
    bool interesting[256];
    uint64_t label[256], val[256], paths = 0;

    while (n < DAGS) {
        struct pn_graph *g = random_dag();

        if (g->num_paths <= MOST_PATHS && g->n_dag <= 256) {
            choose(g, interesting);
            if (pn_label_paths(g, interesting, PN_PSPP, label) != PN_OK
                || pn_selected_vals(g, interesting, val) != PN_OK)
                abort();
            for (uint64_t number = 0; number < g->num_paths; number++)
                wrong += !is_read(g, interesting, label, val, number);
            paths += g->num_paths;
            n++;
        }
        pn_free(g);
    }
    tap_ok(wrong == 0, "%u random DAGs, %llu paths: identifiers lead to interesting paths and to no others", n,
           (unsigned long long)paths);
}

int main(void)
{
    test_example();
    test_random();
    test_reading();
    return tap_done();
}
