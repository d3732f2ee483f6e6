/* SPDX-License-Identifier: MIT */
/* numbering.c - path numbering on graphs whose answers are known: the papers'
 * examples, graphs worked out by hand, large ones, bad ones, and no memory. */
#include "gcc-plugin/numbering/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { MOST_STEPS = 64 };

static struct pn_graph *graph_of(uint32_t n_vertices, uint32_t entry, uint32_t exit,
                                 const uint32_t (*edges)[2], uint32_t n_edges)
{
    struct pn_graph *g = pn_new(n_vertices, entry, exit);

    for (uint32_t i = 0; i < n_edges; i++)
        pn_add_edge(g, edges[i][0], edges[i][1], 1, 0);
    return g;
}

/* ---- The papers' examples -------------------------------------------------- */

/* The vertices of a path as letters, ENTRY first. */
static const char *spell(const struct pn_graph *g, uint64_t number, const char *names)
{
    static char text[MOST_STEPS];
    uint32_t path[MOST_STEPS], n = pn_regenerate(g, number, path, MOST_STEPS);

    text[0] = names[g->entry];
    for (uint32_t i = 0; i < n; i++)
        text[i + 1] = names[g->dag[path[i]].dst];
    text[n + 1] = '\0';
    return text;
}

static uint64_t increments(const struct pn_graph *g, uint64_t number)
{
    uint32_t path[MOST_STEPS], n = pn_regenerate(g, number, path, MOST_STEPS);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += (uint64_t)g->dag[path[i]].inc;
    return sum;
}

/* NumPaths, as the DAG has it: the Val of v's last edge and what that leads to. */
static uint64_t paths_from(const struct pn_graph *g, uint32_t v)
{
    const struct pn_dag_edge *last = &g->dag[g->first[v + 1] - 1];

    return v == g->exit ? 1 : last->val + paths_from(g, last->dst);
}

/* The lecture's running example; of equal successors it visits C before B, F
 * before E, so the edges are added in this order. */
static void test_running_example(void)
{
    enum { A, B, C, D, E, F };
    static const uint32_t edges[][2] = {{A, C}, {A, B}, {B, C}, {B, D}, {C, D}, {D, F}, {D, E},
                                        {E, F}};
    static const char *const paths[] = {"ACDF", "ACDEF", "ABCDF", "ABCDEF", "ABDF", "ABDEF"};
    static const uint64_t num_paths[] = {6, 4, 2, 2, 1, 1};
    struct pn_graph *g = graph_of(6, A, F, edges, 8);
    const char *why = "";

    tap_ok(pn_number(g, 4096) == PN_OK && pn_check(g, &why) == PN_OK,
           "the running example is numbered %s", why);
    for (uint32_t v = A; v <= F; v++)
        tap_ok(paths_from(g, v) == num_paths[v], "NumPaths(%c) is %d", "ABCDEF"[v],
               (int)num_paths[v]);
    tap_ok(g->num_paths == 6, "six paths");
    for (uint64_t number = 0; number < 6; number++)
        tap_ok(strcmp(spell(g, number, "ABCDEF"), paths[number]) == 0
               && increments(g, number) == number, "number %d is %s", (int)number, paths[number]);
    pn_free(g);
}

/* A loop around a diamond, worked by hand:
 *
 *      N -> H; H -> A, B; A -> L; B -> L; L -> H, T; T -> X        (N ENTRY, X EXIT)
 *
 * L -> H is cut: L has two paths, H four, N four from its start, four from H. */
static void test_loop(void)
{
    enum { N, H, A, B, L, T, X };
    static const uint32_t edges[][2] = {{N, H}, {H, A}, {H, B}, {A, L}, {B, L}, {L, H}, {L, T},
                                        {T, X}};
    static const char *const paths[] = {"NHALX", "NHALTX", "NHBLX", "NHBLTX",
                                        "NHALX", "NHALTX", "NHBLX", "NHBLTX"};
    struct pn_graph *g = graph_of(7, N, X, edges, 8);
    uint32_t path[8], cuts = 0;
    bool right = true;

    tap_ok(pn_number(g, 4096) == PN_OK && g->num_paths == 8, "a loop has eight paths");
    for (uint32_t i = 0; i < g->n_edges; i++)
        cuts += g->edge[i].cut;
    tap_ok(cuts == 1 && g->edge[5].back, "its latch is cut, nothing else");
    for (uint64_t number = 0; number < 8; number++) {
        pn_regenerate(g, number, path, 8);
        right = right && strcmp(spell(g, number, "NHABLTX"), paths[number]) == 0
                && (g->dag[path[0]].kind == PN_START) == (number >= 4);
    }
    tap_ok(right, "its numbers are those worked out by hand");
    pn_free(g);
}

/* A call in a loop's body cuts the cycle: H -> C (call) -> H needs no second cut. */
static void test_cut_cycle(void)
{
    enum { N, H, C, L, X };
    struct pn_graph *g = pn_new(5, N, X);
    uint32_t latch;

    pn_add_edge(g, N, H, 1, 0);
    pn_add_edge(g, H, C, 1, 0);
    pn_add_edge(g, H, X, 1, 0);
    pn_add_edge(g, C, L, 1, PN_CUT | PN_SHARED_END);
    latch = pn_add_edge(g, L, H, 1, 0);
    tap_ok(pn_number(g, 4096) == PN_OK && g->num_paths == 4 && !g->edge[latch].cut,
           "a cycle that a call cuts is not cut again");
    pn_free(g);
}

/* ---- Large graphs ---------------------------------------------------------- */

/* n diamonds in a row, 2^n paths. */
static struct pn_graph *diamonds(uint32_t n)
{
    struct pn_graph *g = pn_new(2 + 3 * n, 0, 1);

    pn_add_edge(g, 0, 2, 1, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t head = 2 + 3 * i, next = i + 1 < n ? head + 3 : 1;
        pn_add_edge(g, head, head + 1, 1 + i % 7, 0);
        pn_add_edge(g, head, head + 2, 1 + i % 5, 0);
        pn_add_edge(g, head + 1, next, 1 + i % 7, 0);
        pn_add_edge(g, head + 2, next, 1 + i % 5, 0);
    }
    return g;
}

/* Numbers all over the range come back as sums of Val and of increments. */
static bool regenerates(const struct pn_graph *g, uint32_t samples)
{
    uint32_t *path = malloc((g->n_vertices + 1) * sizeof *path);
    bool right = true;

    for (uint32_t i = 0; i < samples && right; i++) {
        uint64_t number = (g->num_paths - 1 - i * 0x9e3779b97f4a7c15u) % g->num_paths;
        uint64_t val = 0, inc = 0;
        uint32_t n = pn_regenerate(g, number, path, g->n_vertices + 1);
        for (uint32_t k = 0; k < n; k++) {
            val += g->dag[path[k]].val;
            inc += (uint64_t)g->dag[path[k]].inc;
        }
        right = n > 0 && n <= g->n_vertices + 1 && val == number && inc == number
                && g->dag[path[0]].src == g->entry && g->dag[path[n - 1]].dst == g->exit;
    }
    free(path);
    return right;
}

/* Seen from the end, the diamonds' heads have 2, 4, ... 4096 paths; the next
 * would have 8192, is cut and has 2; so every 12th one from the 13th on.  Each
 * cut one lets two paths begin, at arms that lead to a head with 4096. */
static void test_limited_diamonds(void)
{
    enum { N = 100000 };
    struct pn_graph *g = diamonds(N);
    const char *why = "";

    tap_ok(pn_number(g, 4096) == PN_OK && pn_check(g, &why) == PN_OK,
           "%d diamonds under a limit of 4096 %s", N, why);
    tap_ok(g->n_limited == (N - 1) / 12, "every twelfth is cut");
    tap_ok(g->num_paths == (1u << ((N - 1) % 12 + 1)) + (uint64_t)g->n_limited * 2 * 4096,
           "they have the paths worked out by hand");
    tap_ok(regenerates(g, 1000), "their paths regenerate");
    pn_free(g);
}

static void test_range(void)
{
    static const struct { uint32_t n; int status; } cases[] = {
        {61, PN_OK}, {62, PN_OK}, {63, PN_E_RANGE}, {64, PN_E_RANGE}, {200, PN_E_RANGE},
    };
    const char *why;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pn_graph *g = diamonds(cases[i].n);
        bool right = pn_number(g, UINT64_MAX) == cases[i].status;
        if (cases[i].status == PN_OK)
            right = right && g->num_paths == (uint64_t)1 << cases[i].n
                    && pn_check(g, &why) == PN_OK && regenerates(g, 1000);
        else
            right = right && !g->dag && g->num_paths == 0
                    && pn_number(g, (uint64_t)1 << 32) == PN_OK && g->n_limited > 0
                    && pn_check(g, &why) == PN_OK && regenerates(g, 100);
        tap_ok(right, "2^%u paths without a limit: %s", cases[i].n,
               cases[i].status == PN_OK ? "numbered" : "out of range, a limit helps");
        pn_free(g);
    }
}

static void test_switch(void)
{
    enum { N = 100000, FIRST = 3 };
    struct pn_graph *g = pn_new(FIRST + N, 0, 1);
    uint32_t path[4];
    bool right;

    pn_add_edge(g, 0, 2, 1, 0);
    for (uint32_t i = 0; i < N; i++) {
        pn_add_edge(g, 2, FIRST + i, i % 13, 0);
        pn_add_edge(g, FIRST + i, 1, i % 13, 0);
    }
    right = pn_number(g, 4096) == PN_OK && g->num_paths == N && g->n_limited == 0;
    for (uint32_t i = 0; i < N && right; i++)
        right = pn_regenerate(g, i, path, 4) == 3 && g->dag[path[1]].dst == FIRST + i;
    tap_ok(right, "a switch with %d cases, more than the limit, is not cut for nothing", N);
    pn_free(g);
}

static void test_chain(void)
{
    enum { N = 300000 };
    struct pn_graph *g = pn_new(N + 2, N, N + 1);
    const char *why = "";

    pn_add_edge(g, N, 0, 1, 0);
    for (uint32_t v = 0; v < N; v++) {
        pn_add_edge(g, v, v, 9, 0);
        pn_add_edge(g, v, v + 1 < N ? v + 1 : N + 1, 1, 0);
    }
    tap_ok(pn_number(g, (uint64_t)1 << 32) == PN_OK && pn_check(g, &why) == PN_OK
           && regenerates(g, 3), "a chain of %d self loops %s", N, why);
    pn_free(g);
}

/* ---- Errors ---------------------------------------------------------------- */

static int status_of(uint32_t n_vertices, uint32_t entry, uint32_t exit,
                     const uint32_t (*edges)[2], uint32_t n_edges)
{
    struct pn_graph *g = graph_of(n_vertices, entry, exit, edges, n_edges);
    int status = pn_number(g, 100);
    const char *why = NULL;

    if (status != PN_OK && (g->dag || g->first || pn_check(g, &why) != PN_E_GRAPH || !why))
        status = 1;                           /* results after an error */
    pn_free(g);
    return status;
}

static void test_bad_graphs(void)
{
    static const uint32_t good[][2] = {{0, 2}, {2, 1}};
    static const uint32_t stuck[][2] = {{0, 2}, {2, 1}, {2, 3}};
    static const uint32_t apart[][2] = {{0, 2}, {2, 1}, {3, 3}, {4, 2}, {4, 5}};
    static const uint32_t into_entry[][2] = {{0, 2}, {2, 0}, {2, 1}};
    static const uint32_t out_of_exit[][2] = {{0, 2}, {2, 1}, {1, 2}};
    static const uint32_t nowhere[][2] = {{0, 2}, {2, 3}};

    tap_ok(status_of(3, 0, 1, good, 2) == PN_OK, "two edges make a routine");
    tap_ok(status_of(4, 0, 1, stuck, 3) == PN_E_GRAPH, "a vertex without a way out");
    tap_ok(status_of(6, 0, 1, apart, 5) == PN_OK, "unreached vertices may lead nowhere");
    tap_ok(status_of(3, 0, 1, into_entry, 3) == PN_E_GRAPH, "an edge into ENTRY");
    tap_ok(status_of(3, 0, 1, out_of_exit, 3) == PN_E_GRAPH, "an edge out of EXIT");
    tap_ok(status_of(3, 0, 1, nowhere, 2) == PN_E_GRAPH, "an edge out of the graph");
    tap_ok(status_of(3, 0, 3, good, 2) == PN_E_GRAPH, "EXIT out of the graph");
    tap_ok(status_of(3, 5, 1, good, 2) == PN_E_GRAPH, "ENTRY out of the graph");
    tap_ok(status_of(3, 0, 0, NULL, 0) == PN_E_GRAPH, "ENTRY is EXIT");
    tap_ok(status_of(3, 0, 1, NULL, 0) == PN_E_GRAPH, "ENTRY leads nowhere");
    tap_ok(status_of(0, 0, 1, NULL, 0) == PN_E_GRAPH, "no vertex at all");
}

static void test_regenerate_bounds(void)
{
    struct pn_graph *g = diamonds(5);
    uint32_t path[16], guard[4] = {7, 7, 7, 7};

    pn_number(g, 4096);
    tap_ok(pn_regenerate(g, 32, path, 16) == 0 && pn_regenerate(g, UINT64_MAX, path, 16) == 0,
           "a number that no path has");
    tap_ok(pn_regenerate(g, 31, path, 16) == 11 && pn_regenerate(g, 31, guard, 3) == 11
           && memcmp(path, guard, 3 * sizeof *path) == 0 && guard[3] == 7,
           "a buffer too short gets what fits, and the length is told");
    tap_ok(pn_regenerate(g, 31, NULL, 0) == 11, "no buffer: the length");
    pn_free(g);
}

/* The linker sends calls of calloc and realloc here (--wrap). */
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations_left = -1;        /* -1: memory never ends */

static bool memory_ends(void)
{
    if (allocations_left > 0)
        allocations_left--;
    return allocations_left == 0;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return memory_ends() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return memory_ends() ? NULL : __real_realloc(old, size);
}

/* Memory ends at the n-th allocation, for every n. */
static void test_no_memory(void)
{
    struct pn_graph *g = diamonds(20);
    const char *why;
    int status = PN_E_NOMEM, failures = 0;
    bool right = true;

    for (long n = 1; status == PN_E_NOMEM; n++) {
        allocations_left = n;
        status = pn_number(g, 4096);
        allocations_left = -1;
        failures += status == PN_E_NOMEM;
        right = right && (status == PN_OK || (!g->dag && !g->first && g->num_paths == 0));
    }
    tap_ok(right && status == PN_OK && failures > 10, "pn_number without memory (%d places)",
           failures);
    for (long n = 1; n <= 3; n++) {
        allocations_left = n;
        right = right && pn_check(g, &why) == PN_E_NOMEM;
        allocations_left = -1;
    }
    tap_ok(right && pn_check(g, &why) == PN_OK, "pn_check without memory");
    pn_free(g);

    allocations_left = 1;
    g = pn_new(3, 0, 1);
    allocations_left = -1;
    tap_ok(!g, "pn_new without memory");
    pn_free(g);
    g = pn_new(3, 0, 1);
    allocations_left = 1;
    right = pn_add_edge(g, 0, 2, 1, 0) == PN_NONE;
    allocations_left = -1;
    tap_ok(right && pn_add_edge(g, 0, 2, 1, 0) == 0, "pn_add_edge without memory");
    pn_free(g);
}

int main(void)
{
    test_running_example();
    test_loop();
    test_cut_cycle();
    test_limited_diamonds();
    test_range();
    test_switch();
    test_chain();
    test_bad_graphs();
    test_regenerate_bounds();
    test_no_memory();
    return tap_done();
}
