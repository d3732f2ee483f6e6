/* SPDX-License-Identifier: MIT */
/* Plans of partitioned path profiles: the paper's example, random DAGs all of whose paths are
 * walked, plan files, and what happens without memory.
 * test: slow 4 */
#include "gcc-plugin/partition/plan-file.h"
#include "gcc-plugin/partition/plan.h"
#include "gcc-plugin/partition/reduced-graph.h"
#include "gcc-plugin/partition/tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

enum { MOST_PATHS = 200, MOST_EDGES = 256, MOST_LENGTH = 40 };

/* ---- Allocations that fail (linked with --wrap) -------------------------------------------- */

static long allocations_left = -1;      /* the one after these fails; negative: none */

static bool must_fail(void)
{
    return allocations_left >= 0 && allocations_left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return must_fail() ? NULL : __real_realloc(p, size);
}

/* ---- Paths, one by one ----------------------------------------------------------------------- */

struct path {
    uint32_t edge[MOST_LENGTH], n;
};

struct paths {
    struct path path[MOST_PATHS];
    uint32_t n;
};

static void walk(const struct pn_graph *g, uint32_t v, struct path *so_far, struct paths *out)
{
    if (v == g->exit) {
        out->path[out->n++] = *so_far;
        return;
    }
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        so_far->edge[so_far->n++] = e;
        walk(g, g->dag[e].dst, so_far, out);
        so_far->n--;
    }
}

static void all_paths(const struct pn_graph *g, struct paths *out)
{
    struct path none = {.n = 0};

    out->n = 0;
    walk(g, g->entry, &none, out);
}

static bool holds(const uint64_t *set, const struct path *p)
{
    bool all = true;

    for (uint32_t i = 0; i < p->n; i++)
        all &= p3_has(set, p->edge[i]);
    return all;
}

static uint64_t sum_along(const struct path *p, const int64_t *inc)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < p->n; i++)
        sum += (uint64_t)inc[p->edge[i]];
    return sum;
}

/* ---- The paper's example --------------------------------------------------------------------- */

/* Figures 1 and 2, from the text: five diamonds; without them four paths, through v0 v11, v3 v11,
 * v4 and v12. */
enum { ENTRY = 22, EXIT = 23 };
static const uint8_t example[][2] = {
    {ENTRY, 0}, {0, 1}, {0, 11}, {1, 2}, {1, 12}, {2, 3}, {3, 11}, {11, EXIT}, {2, 4}, {4, 6},
    {4, 5}, {5, 7}, {6, 7}, {7, 8}, {7, 9}, {8, 10}, {9, 10}, {10, EXIT},
    {12, 13}, {12, 14}, {13, 15}, {14, 15}, {15, 17},
    {15, 16}, {16, 18}, {17, 18}, {18, 20}, {18, 19}, {19, 21}, {20, 21}, {21, EXIT}
};

static struct pn_graph *make_example(void)
{
    struct pn_graph *g = pn_new(24, ENTRY, EXIT);

    for (size_t i = 0; i < sizeof example / sizeof *example; i++)
        pn_add_edge(g, example[i][0], example[i][1], 1, 0);
    if (pn_number(g, 1 << 20) != PN_OK)
        abort();
    return g;
}

static uint32_t edge_between(const struct pn_graph *g, uint32_t src, uint32_t dst)
{
    for (uint32_t e = g->first[src]; e < g->first[src + 1]; e++)
        if (g->dag[e].dst == dst)
            return e;
    abort();
}

static void test_example(void)
{
    struct pn_graph *g = make_example();
    struct p3_routine r = {"p.c", "p", g, NULL, 1};
    struct p3_prices prices = p3_paper_prices;
    struct reduced_graph reduced;
    struct p3_tasks tasks;
    uint32_t with_4 = 0, with_12 = 0;
    uint64_t cost[4] = {0}, together, load[2];
    struct p3_plan *plan;
    const char *why;

    prices.labels_only = true;
    reduced_graph_new(&reduced, g, NULL);
    tap_ok(reduced.vertex[4] == reduced.vertex[10] && reduced.vertex[12] == reduced.vertex[21]
               && reduced.vertex[3] != reduced.vertex[2] && reduced.n == 24 - 6 - 9,
           "P3's example: its five diamonds are two vertices of the reduced graph");
    reduced_graph_free(&reduced);

    p3_tasks_in_order(&tasks, g, 4);
    for (uint32_t t = 0; t < tasks.n && t < 4; t++) {
        p3_probes(&r, tasks.set[t], &prices, NULL, &cost[t]);
        with_4 = p3_has(tasks.set[t], edge_between(g, 4, 5)) ? t : with_4;
        with_12 = p3_has(tasks.set[t], edge_between(g, 12, 13)) ? t : with_12;
    }
    tap_ok(tasks.n == 4 && with_4 != with_12, "four tasks, one for each path of the reduced graph");
    tap_ok(cost[with_12] == 4 && cost[with_4] == 3 && cost[0] + cost[1] + cost[2] + cost[3] == 9,
           "of 4 probes, through v12, 3, through v4, 1 and 1");
    p3_tasks_free(&tasks);

    plan = p3_make_plan(&r, 1, &(struct p3_config){2, P3_PAPER, false, false, prices, 4});
    uint32_t c = p3_has(plan->entry[0].set[0], edge_between(g, 12, 13)) ? 0 : 1;
    tap_ok(!p3_has(plan->entry[0].set[c], edge_between(g, 2, 4))
               && !p3_has(plan->entry[0].set[c], edge_between(g, 0, 11))
               && p3_has(plan->entry[0].set[!c], edge_between(g, 2, 3)),
           "two copies: the task through v12 is alone, as in Figure 2");
    p3_loads(plan, &r, 1, &prices, load);
    tap_ok(load[c] == 4 && load[!c] == 5,
           "the others together need 5 probes, as there, and it needs 4");
    tap_ok(p3_check(plan, &r, 1, &prices, &why), "the plan is sound");
    p3_plan_free(plan);

    uint64_t *all = p3_full_set(g->n_dag);
    p3_probes(&r, all, &prices, NULL, &together);
    tap_ok(together > load[0] && together > load[1], "all paths in one copy need %" PRIu64,
           together);
    free(all);
    pn_free(g);
}

/* ---- Random DAGs ----------------------------------------------------------------------------- */

static uint64_t chance_state = 2015;

static uint32_t chance(uint32_t below)
{
    chance_state = chance_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance_state >> 33) % below;
}

/* Vertices 0 .. n-1 between ENTRY n and EXIT n + 1: chains, ifs, switches, loops, calls. */
static struct pn_graph *random_dag(void)
{
    for (;;) {
        uint32_t n = 2 + chance(16);
        struct pn_graph *g = pn_new(n + 2, n, n + 1);

        pn_add_edge(g, n, 0, chance(5), 0);
        for (uint32_t v = 0; v < n; v++) {
            pn_add_edge(g, v, v + 1 < n ? v + 1 : n + 1, chance(5), chance(12) ? 0 : PN_CUT);
            for (uint32_t k = chance(3); k > 0; k--) {
                uint32_t to = chance(8) ? v + 1 + chance(n - v) : chance(v + 1);

                pn_add_edge(g, v, to < n ? to : n + 1, chance(5), 0);
            }
        }
        if (pn_number(g, 1 << 20) != PN_OK)
            abort();
        if (g->num_paths <= MOST_PATHS && g->n_dag <= MOST_EDGES)
            return g;
        pn_free(g);
    }
}

/* A profile: executions of each path, most of them seldom or never run. */
static void run(const struct paths *paths, uint64_t *executions, uint64_t *count, uint32_t n_edges)
{
    memset(executions, 0, paths->n * sizeof *executions);
    memset(count, 0, n_edges * sizeof *count);
    for (uint32_t i = 0; i < paths->n; i++) {
        executions[i] = chance(3) ? 0 : chance(1u << chance(16));
        for (uint32_t k = 0; k < paths->path[i].n; k++)
            count[paths->path[i].edge[k]] += executions[i];
    }
}

static uint32_t wrong_tasks(const struct p3_tasks *tasks, const struct paths *paths)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < paths->n; i++) {
        uint32_t n = 0;

        for (uint32_t t = 0; t < tasks->n; t++)
            n += holds(tasks->set[t], &paths->path[i]);
        wrong += n != 1;
    }
    return wrong;
}

/* What a copy does with each path: the number it gives it, and whether the path is interesting there. */
struct in_copy {
    uint64_t sum[MOST_PATHS];
    bool held[MOST_PATHS];
};

static void look_at_copy(const struct paths *paths, const uint64_t *set, const int64_t *inc,
                         struct in_copy *out)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        out->sum[i] = sum_along(&paths->path[i], inc);
        out->held[i] = holds(set, &paths->path[i]);
    }
}

/* Paths whose number in a copy is not theirs alone though they are interesting there. */
static uint32_t shared_numbers(const struct in_copy *in, uint32_t n_paths)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_paths; i++)
        for (uint32_t k = 0; in->held[i] && k < n_paths; k++)
            n += k != i && in->sum[i] == in->sum[k];
    return n;
}

/* Runs copy c: counters by number, as it would have them, and adds to `executions` of the paths
 * that it owns, those whose first holder it is. */
static void run_copy(uint32_t c, const struct in_copy *in, const uint64_t *holders, uint32_t n_paths,
                     const uint64_t *executions, uint64_t *profile)
{
    for (uint32_t i = 0; i < n_paths; i++) {
        uint64_t counter = 0;

        if (!holders[i] || (uint32_t)__builtin_ctzll(holders[i]) != c)
            continue;
        for (uint32_t k = 0; k < n_paths; k++)
            counter += in->sum[k] == in->sum[i] ? executions[k] : 0;
        profile[i] += counter;
    }
}

/* Prefixes of paths whose holders are not those of the paths that begin with them. */
static uint32_t wrong_prefixes(const struct p3_plan *plan, const struct pn_graph *g, const struct paths *paths,
                               const uint64_t *holders)
{
    enum { SOME = 4 };
    uint32_t wrong = 0;

    for (uint32_t k = 0; k < SOME; k++) {
        const struct path *p = &paths->path[7919 * k % paths->n];
        uint32_t n = (paths->n + 31 * k) % (p->n + 1);
        uint64_t expected = 0;

        for (uint32_t i = 0; i < paths->n; i++)
            if (paths->path[i].n >= n && memcmp(paths->path[i].edge, p->edge, n * sizeof *p->edge) == 0)
                expected |= holders[i];
        wrong += expected != p3_holders_of_prefix(plan, &plan->entry[0], g, p->edge, n);
    }
    return wrong;
}

struct wrong {
    uint32_t check, cover, holders, prefixes, shared, profile, load;
};

static void try_plan(const struct p3_routine *r, const struct paths *paths,
                     const uint64_t *executions, const struct p3_config *config,
                     struct wrong *wrong)
{
    struct p3_plan *plan = p3_make_plan(r, 1, config);
    const struct p3_entry *e = &plan->entry[0];
    uint64_t profile[MOST_PATHS] = {0}, holders[MOST_PATHS], load, cost;
    int64_t inc[MOST_EDGES];
    struct in_copy in;
    const char *why;

    wrong->check += !p3_check(plan, r, 1, &config->prices, &why);
    for (uint32_t i = 0; i < paths->n; i++) {
        uint64_t expected = 0;

        holders[i] = p3_holders(plan, e, paths->path[i].edge, paths->path[i].n);
        for (uint32_t c = 0; c < plan->copies; c++)
            if (e->set[c] && holds(e->set[c], &paths->path[i]))
                expected |= UINT64_C(1) << c;
        wrong->cover += expected == 0;
        wrong->holders += expected != holders[i];
    }
    wrong->prefixes += wrong_prefixes(plan, r->graph, paths, holders);
    for (uint32_t c = 0; c < plan->copies; c++) {
        load = 0;
        if (!e->set[c])
            continue;
        if (!p3_probes(r, e->set[c], &config->prices, inc, &cost))
            abort();
        look_at_copy(paths, e->set[c], inc, &in);
        wrong->shared += shared_numbers(&in, paths->n);
        run_copy(c, &in, holders, paths->n, executions, profile);
        /* What the plan expects is what the copy executes, path by path. */
        for (uint32_t i = 0; i < paths->n; i++)
            for (uint32_t k = 0; k < paths->path[i].n; k++)
                load += inc[paths->path[i].edge[k]] != 0 ? executions[i] : 0;
        wrong->load += config->measured && load != plan->load[c];
    }
    wrong->profile += memcmp(profile, executions, paths->n * sizeof *profile) != 0;
    p3_plan_free(plan);
}

static void test_random(void)
{
    enum { DAGS = 2500 };
    uint32_t by_order = 0, by_cost = 0, split = 0;
    struct wrong wrong[3] = {{0}};

    for (uint32_t i = 0; i < DAGS; i++) {
        struct pn_graph *g = random_dag();
        struct paths paths;
        uint64_t executions[MOST_PATHS], count[MOST_EDGES];
        struct p3_routine r = {"f.c", "f", g, count, chance(3)};
        struct p3_tasks tasks;

        all_paths(g, &paths);
        run(&paths, executions, count, g->n_dag);
        p3_tasks_in_order(&tasks, g, 1 + chance(20));
        by_order += wrong_tasks(&tasks, &paths);
        p3_tasks_free(&tasks);
        p3_tasks_by_cost(&tasks, &r, &p3_paper_prices, 1 + chance(20));
        by_cost += wrong_tasks(&tasks, &paths);
        split += tasks.n > 1;
        p3_tasks_free(&tasks);
        for (int m = 0; m < 3; m++) {
            struct p3_config config = {1 + chance(8), (enum p3_method)m, m == P3_SPLIT || chance(2),
                                       chance(4) == 0, p3_paper_prices, 0};

            config.prices.labels_only = chance(2);
            try_plan(&r, &paths, executions, &config, &wrong[m]);
        }
        pn_free(g);
    }
    tap_ok(by_order == 0, "%d random DAGs: each path is in exactly one task, in the paper's order",
           DAGS);
    tap_ok(by_cost == 0 && split > DAGS / 2, "and by cost (%" PRIu32 " have several)", split);
    for (int m = 0; m < 3; m++) {
        static const char *const name[] = {"whole routines", "the paper's plans", "measured plans"};

        tap_ok(wrong[m].check == 0 && wrong[m].cover == 0 && wrong[m].holders == 0,
               "%s: the check passes, and each path is interesting somewhere", name[m]);
        tap_ok(wrong[m].prefixes == 0, "%s: a path that is left is held where one that begins so is", name[m]);
        tap_ok(wrong[m].shared == 0, "%s: no interesting path shares its number in a copy",
               name[m]);
        tap_ok(wrong[m].profile == 0 && wrong[m].load == 0,
               "%s: the union of the copies is the sequential profile, and loads are as expected",
               name[m]);
    }
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void test_damage(void)
{
    uint32_t wrong = 0, damaged = 0, harmless = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        struct pn_graph *g = random_dag();
        struct paths paths;
        uint64_t executions[MOST_PATHS], count[MOST_EDGES];
        struct p3_routine r = {"f.c", "f", g, count, 1};
        struct p3_plan *plan;
        uint64_t *set;
        bool lost = false, ok;
        const char *why;

        all_paths(g, &paths);
        run(&paths, executions, count, g->n_dag);
        plan = p3_make_plan(&r, 1,
                            &(struct p3_config){2 + chance(4), P3_SPLIT, true, false,
                                                p3_paper_prices, 0});
        set = plan->entry[0].set[chance(plan->copies)];
        if (set) {
            uint32_t e = chance(g->n_dag);

            set[e / 64] &= ~(UINT64_C(1) << e % 64);
        }
        for (uint32_t k = 0; k < paths.n; k++)
            lost |= p3_holders(plan, &plan->entry[0], paths.path[k].edge, paths.path[k].n) == 0;
        ok = p3_check(plan, &r, 1, NULL, &why);
        wrong += ok == lost || (lost && strcmp(why, "a path is interesting in no copy") != 0);
        damaged += lost;
        harmless += !lost;
        p3_plan_free(plan);
        pn_free(g);
    }
    tap_ok(wrong == 0 && damaged > 150 && harmless > 150,
           "a lost edge is found if a path is lost (%" PRIu32 "), and only then", damaged);
}

/* ---- Programs: balance, the compared routine, equal routines --------------------------------- */

enum { ROUTINES = 60 };

struct program {
    struct p3_routine routine[ROUTINES];
    uint64_t count[ROUTINES][MOST_EDGES];
    char name[ROUTINES][16];
};

static void make_program(struct program *p)
{
    for (uint32_t i = 0; i < ROUTINES; i++) {
        struct pn_graph *g = random_dag();
        struct paths paths;
        uint64_t executions[MOST_PATHS];

        all_paths(g, &paths);
        run(&paths, executions, p->count[i], g->n_dag);
        snprintf(p->name[i], sizeof p->name[i], "f%" PRIu32, (i * 7) % ROUTINES);
        /* Few are hot. */
        uint64_t often = UINT64_C(1) << chance(12);
        for (uint32_t e = 0; e < g->n_dag; e++)
            p->count[i][e] *= often;
        p->routine[i] = (struct p3_routine){i % 3 ? "b.c" : "a file.c", p->name[i], g, p->count[i],
                                            chance(3)};
    }
}

static void free_program(struct program *p)
{
    for (uint32_t i = 0; i < ROUTINES; i++)
        pn_free((struct pn_graph *)p->routine[i].graph);
}

static void test_balance(void)
{
    static const uint32_t copies[] = {2, 4, 8};
    enum { PROGRAMS = 10 };
    struct program *p = calloc(1, sizeof *p);
    double whole[3] = {0}, split[3] = {0}, save_whole[3] = {0}, save_split[3] = {0};
    uint32_t worse = 0, wrong = 0;

    for (uint32_t i = 0; i < PROGRAMS; i++) {
        uint64_t one;
        struct p3_plan *plan;

        make_program(p);
        plan = p3_make_plan(p->routine, ROUTINES,
                            &(struct p3_config){1, P3_WHOLE, true, false, p3_paper_prices, 0});
        one = plan->load[0];
        p3_plan_free(plan);
        for (int k = 0; k < 3; k++) {
            uint64_t largest[2] = {0};
            double sum[2] = {0};

            for (int m = 0; m < 2; m++) {
                struct p3_config config = {copies[k], m ? P3_SPLIT : P3_WHOLE, true, false,
                                           p3_paper_prices, 0};
                const char *why;

                plan = p3_make_plan(p->routine, ROUTINES, &config);
                wrong += !p3_check(plan, p->routine, ROUTINES, &config.prices, &why);
                for (uint32_t c = 0; c < copies[k]; c++) {
                    sum[m] += (double)plan->load[c];
                    largest[m] = plan->load[c] > largest[m] ? plan->load[c] : largest[m];
                }
                p3_plan_free(plan);
            }
            worse += largest[1] > largest[0];
            whole[k] += (double)largest[0] * copies[k] / sum[0] / PROGRAMS;
            split[k] += (double)largest[1] * copies[k] / sum[1] / PROGRAMS;
            save_whole[k] += 100 * ((double)largest[0] / (double)one - 1) / PROGRAMS;
            save_split[k] += 100 * ((double)largest[1] / (double)one - 1) / PROGRAMS;
        }
        free_program(p);
    }
    tap_ok(wrong == 0 && worse == 0, "programs: splitting is never worse than whole routines");
    for (int k = 0; k < 3; k++)
        tap_ok(split[k] < 1.8 && save_split[k] < save_whole[k] + 0.01,
               "%" PRIu32 " copies: largest load / mean %.2f, whole routines %.2f; "
               "hits %.0f %%, %.0f %%",
               copies[k], split[k], whole[k], save_split[k], save_whole[k]);
    free(p);
}

static void test_program(void)
{
    struct program *p = calloc(1, sizeof *p);
    struct p3_config config = {4, P3_SPLIT, true, true, p3_paper_prices, 0};
    struct p3_plan *plan, *again;
    struct p3_routine twice[ROUTINES];
    const struct p3_entry *compared = NULL;
    uint32_t n = 0, sets = 0;
    const char *why;

    make_program(p);
    plan = p3_make_plan(p->routine, ROUTINES, &config);
    for (uint32_t i = 0; i < plan->n; i++)
        if (plan->entry[i].compared) {
            compared = &plan->entry[i];
            n++;
        }
    for (uint32_t c = 0; compared && c < 4; c++)
        sets += compared->set[c] && p3_is_all(compared->set[c], compared->n_edges);
    tap_ok(n == 1 && sets == 4 && p3_check(plan, p->routine, ROUTINES, &config.prices, &why),
           "one routine is compared, whole in all four copies");

    for (uint32_t i = 0; i < ROUTINES; i++)
        twice[i] = p->routine[ROUTINES - 1 - i];
    again = p3_make_plan(twice, ROUTINES, &config);
    tap_ok(again->n == plan->n && memcmp(again->load, plan->load, sizeof plan->load) == 0
               && p3_check(plan, twice, ROUTINES, &config.prices, &why),
           "routines may come in any order");
    p3_plan_free(again);

    memcpy(twice, p->routine, sizeof twice);
    twice[1] = twice[0];
    again = p3_make_plan(twice, ROUTINES, &config);
    tap_ok(again->n == ROUTINES - 1 && p3_check(again, twice, ROUTINES, &config.prices, &why),
           "equal ones are one, and their counts are added");
    tap_ok(!p3_check(plan, twice, ROUTINES, NULL, &why)
           && strcmp(why, "the plan has other routines") == 0,
           "a plan of other routines is refused");
    p3_plan_free(again);

    tap_ok(!p3_find(plan, "b.c", "nobody", 1)
           && !p3_find(plan, plan->entry[5].file, plan->entry[5].name, 1)
               && p3_find(plan, plan->entry[5].file, plan->entry[5].name, plan->entry[5].hash)
                      == &plan->entry[5],
           "a routine is found by file, name and hash");
    plan->load[2]++;
    tap_ok(!p3_check(plan, p->routine, ROUTINES, &config.prices, &why)
           && strcmp(why, "a load is wrong") == 0,
           "a wrong load is found");
    plan->entry[plan->n / 2].compared = plan->entry[0].compared = true;
    tap_ok(!p3_check(plan, p->routine, ROUTINES, NULL, &why), "and so is what is wrongly compared");
    p3_plan_free(plan);
    tap_ok(!p3_make_plan(p->routine, ROUTINES, &(struct p3_config){.copies = 0})
               && !p3_make_plan(p->routine, ROUTINES,
                                &(struct p3_config){.copies = P3_MAX_COPIES + 1}),
           "no plan for 0 or 65 copies");
    plan = p3_make_plan(p->routine, ROUTINES,
                        &(struct p3_config){P3_MAX_COPIES, P3_PAPER, false, true,
                                                                  p3_paper_prices, 0});
    tap_ok(plan && p3_check(plan, p->routine, ROUTINES, &p3_paper_prices, &why), "but for 64");
    p3_plan_free(plan);
    plan = p3_make_plan(NULL, 0, &config);
    tap_ok(plan && plan->n == 0 && p3_check(plan, NULL, 0, NULL, &why),
           "and for a program without routines");
    p3_plan_free(plan);
    free_program(p);
    free(p);
}

static void test_dag(void)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < 2000; i++) {
        struct pn_graph *g = random_dag(), *again;

        again = p3_dag(g->n_vertices, g->entry, g->exit, g->dag, g->n_dag);
        wrong += !again || p3_hash(again) != p3_hash(g) || again->num_paths != g->num_paths
              || memcmp(again->first, g->first, (g->n_vertices + 1) * sizeof *g->first) != 0;
        pn_free(again);
        struct pn_dag_edge *e = &g->dag[chance(g->n_dag)];
        e->val++;
        again = p3_dag(g->n_vertices, g->entry, g->exit, g->dag, g->n_dag);
        wrong += again != NULL;
        pn_free(again);
        e->val--;
        e->dst = e->src;
        again = p3_dag(g->n_vertices, g->entry, g->exit, g->dag, g->n_dag);
        wrong += again != NULL;
        pn_free(again);
        pn_free(g);
    }
    tap_ok(wrong == 0,
           "a description gives the same DAG and hash; a wrong Val or a circle is refused");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static char *text_of(const struct p3_plan *plan, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    if (!out || !p3_write_plan(plan, out))
        abort();
    fclose(out);
    return text;
}

static struct p3_plan *read_text(const char *text, size_t size, char *why, size_t why_size)
{
    FILE *in = fmemopen((void *)text, size, "r");
    struct p3_plan *plan = p3_read_plan_stream(in, "plan", why, why_size);

    fclose(in);
    return plan;
}

static void test_files(void)
{
    struct program *p = calloc(1, sizeof *p);
    uint32_t lines = 0;
    size_t size, size_again;
    char *text, *text_again, why[200];
    struct p3_plan *plan, *again;
    const char *check;
    bool cut = true;

    make_program(p);
    plan = p3_make_plan(p->routine, ROUTINES,
                        &(struct p3_config){4, P3_SPLIT, true, true, p3_paper_prices, 0});
    text = text_of(plan, &size);
    again = read_text(text, size, why, sizeof why);
    text_again = again ? text_of(again, &size_again) : strdup(why);
    tap_ok(again && strcmp(text, text_again) == 0
           && p3_check(again, p->routine, ROUTINES, &p3_paper_prices, &check),
           "a plan is the same after it was written and read");
    free(text_again);
    p3_plan_free(again);
    for (size_t i = 1; i < size; i++) {
        again = read_text(text, i, why, sizeof why);
        lines += text[i] == '\n';
        cut &= !again && strncmp(why, "plan:", 5) == 0 && !strchr(why, '\n');
        p3_plan_free(again);
    }
    tap_ok(cut && lines > ROUTINES, "one that is cut short anywhere is refused in one line");
    for (uint32_t i = 0; i < 5000; i++) {
        size_t at = chance((uint32_t)size);
        char old = text[at];

        text[at] = (char)(chance(3) ? " -=,0%\n9a"[chance(9)] : (char)chance(256));
        again = read_text(text, size, why, sizeof why);
        cut &= again || strncmp(why, "plan:", 5) == 0;
        p3_plan_free(again);
        text[at] = old;
    }
    tap_ok(cut, "and any wrong byte is survived");
    free(text);
    p3_plan_free(plan);
    free_program(p);
    free(p);
}

#define HEAD "wpp-plan 1\ncopies 2\nmode paths\ncost static\nload 3 4\n"
#define HASH " 00000000000000ff 9 "

static void test_messages(void)
{
    static const struct { const char *text, *why; } wrong[] = {
        {"hello\n", "plan:1: this is no plan: it does not begin with `wpp-plan`"},
        {"wpp-plan 2\n", "plan:1: the plan's version is 2, but this program reads version 1"},
        {"wpp-plan x\n", "plan:1: `x` is not a version, a number up to 4294967295"},
        {"wpp-plan 1 1\n", "plan:1: `1` is too much"},
        {"wpp-plan 1\n", "plan:2: the plan is cut short: its `end` is missing"},
        {"wpp-plan 1\ncopies 0\n", "plan:2: there is at least one copy"},
        {"wpp-plan 1\ncopies 65\n", "plan:2: `65` is not how many copies, a number up to 64"},
        {"wpp-plan 1\nload 1\n", "plan:2: `copies` should stand here, not `load`"},
        {"wpp-plan 1\ncopies 2\nmode edges\n",
         "plan:3: the mode is `paths` or `calls-cut`, not `edges`"},
        {"wpp-plan 1\ncopies 2\nmode paths\ncost low\n",
         "plan:4: the cost is `static` or `measured`, not `low`"},
        {"wpp-plan 1\ncopies 2\nmode paths\ncost static\nload 3\n",
         "plan:5: `` is not a copy's load, a number up to 18446744073709551615"},
        {HEAD "end 1\n", "plan:6: the plan has 0 routines, but should have 1"},
        {HEAD "end 0\nend 0\n", "plan:7: nothing may stand behind `end`"},
        {HEAD "end 0", "plan:6: the plan is cut short: this line does not end"},
        {HEAD "function\n", "plan:6: `routine` or `end` should stand here, not `function`"},
        {HEAD "routine f.c\n", "plan:6: the routine's name is missing"},
        {HEAD "routine f%0.c f\n", "plan:6: the source file: `%0.` is no encoded byte"},
        {HEAD "routine f.c f 12 9 - 1=all\n", "plan:6: `12` is no hash, 16 digits 0-9a-f"},
        {HEAD "routine f.c f 00000000000000ff 0 - 1=all\n", "plan:6: a routine has edges"},
        {HEAD "routine f.c f" HASH "x 1=all\n",
         "plan:6: `compared` or `-` should stand here, not `x`"},
        {HEAD "routine f.c f" HASH "-\n",
         "plan:6: `` is no set: a copy from 1 to 2, `=`, `all` or edges"},
        {HEAD "routine f.c f" HASH "- 3=all\n",
         "plan:6: `3=all` is no set: a copy from 1 to 2, `=`, `all` or edges"},
        {HEAD "routine f.c f" HASH "- 1=all 1=all\n",
         "plan:6: `1=all` is no set: a copy from 2 to 2, `=`, `all` or edges"},
        {HEAD "routine f.c f" HASH "- 1=0-9\n", "plan:6: `0-9` is no range of edges below 9"},
        {HEAD "routine f.c f" HASH "- 1=0-3,2\n", "plan:6: `2`: edges do not ascend"},
        {HEAD "routine f.c f" HASH "- 1=0-3;\n", "plan:6: `0-3;` is no range of edges below 9"},
        {HEAD "routine f.c f" HASH "compared 1=all\n",
         "plan:6: the compared routine is not whole in copy 2"},
        {HEAD "routine f.c f" HASH "compared 1=all 2=all\n"
              "routine f.c g" HASH "compared 1=all 2=all\n",
         "plan:7: a second routine is compared"},
        {HEAD "routine f.c f" HASH "- 1=all\nroutine f.c f" HASH "- 1=all\n",
         "plan:7: the routines do not ascend by file, name and hash"}
    };
    char why[200];
    struct p3_plan *plan;
    uint32_t n = 0;
    static const char right[] = HEAD "routine % f" HASH "- 1=0-3,5,7-8 2=0,2-8\n"
                                     "routine a%20b.c f" HASH "compared 1=all 2=all\nend 2\n";

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan = read_text(wrong[i].text, strlen(wrong[i].text), why, sizeof why);
        if (plan || strcmp(why, wrong[i].why) != 0)
            tap_note("%s instead of %s", plan ? "a plan" : why, wrong[i].why);
        else
            n++;
        p3_plan_free(plan);
    }
    tap_ok(n == sizeof wrong / sizeof *wrong,
           "%" PRIu32 " kinds of wrong plans each have their message", n);
    plan = read_text(right, strlen(right), why, sizeof why);
    tap_ok(plan && plan->n == 2 && !*plan->entry[0].file
           && strcmp(plan->entry[1].file, "a b.c") == 0
               && plan->entry[0].set[0][0] == 0x1af && plan->entry[0].set[1][0] == 0x1fd,
           "names with blanks, and without anything, and ranges are read");
    p3_plan_free(plan);
    tap_ok(!p3_read_plan("/nowhere/plan", why, sizeof why)
               && strcmp(why, "/nowhere/plan: No such file or directory") == 0,
           "a missing file has one, too");
    plan = read_text(HEAD, strlen(HEAD), why, 12);
    tap_ok(!plan && strcmp(why, "plan:6: the") == 0, "a message is cut where its room ends");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void test_memory(void)
{
    struct program *p = calloc(1, sizeof *p);
    struct p3_plan *plan = NULL, *good;
    static const enum p3_method methods[] = {P3_PAPER, P3_SPLIT};
    const char *why;
    char line[100];
    long n = 0;
    bool ok = true;
    size_t size;
    char *text;

    make_program(p);
    for (int m = 0; m < 2; m++) {
        struct p3_config config = {3, methods[m], true, true, p3_paper_prices, 0};

        /* The first ones one by one, then some. */
        for (long i = 0;; i += 1 + i / 20) {
            allocations_left = i;
            plan = p3_make_plan(p->routine, 10, &config);
            bool failed = allocations_left < 0;
            allocations_left = -1;
            ok &= (plan == NULL) == failed;
            p3_plan_free(plan);
            n += failed;
            if (!failed)
                break;
        }
    }
    tap_ok(ok && n > 100, "no plan is made when memory is missing, at %ld places", n);
    good = p3_make_plan(p->routine, 10,
                        &(struct p3_config){3, P3_SPLIT, true, true, p3_paper_prices, 0});
    ok = true;
    for (long i = 0;; i++) {
        allocations_left = i;
        bool right = p3_check(good, p->routine, 10, &p3_paper_prices, &why);
        bool failed = allocations_left < 0;
        allocations_left = -1;
        ok &= right ? !failed : failed && strcmp(why, "out of memory") == 0;
        if (!failed)
            break;
    }
    tap_ok(ok, "nor is one checked");
    text = text_of(good, &size);
    ok = true;
    for (long i = 0;; i++) {
        FILE *in = fmemopen(text, size, "r");

        allocations_left = i;
        plan = p3_read_plan_stream(in, "plan", line, sizeof line);
        bool failed = allocations_left < 0;
        allocations_left = -1;
        fclose(in);
        ok &= failed ? !plan && strstr(line, "out of memory") : plan != NULL;
        p3_plan_free(plan);
        if (!failed)
            break;
    }
    tap_ok(ok, "nor read");
    free(text);
    p3_plan_free(good);
    free_program(p);
    free(p);
}

int main(void)
{
    test_example();
    test_dag();
    test_random();
    test_damage();
    test_program();
    test_balance();
    test_files();
    test_messages();
    test_memory();
    return tap_done();
}
