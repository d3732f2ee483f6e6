/* SPDX-License-Identifier: MIT */
#include "wpp/cli/samples-accuracy.h"

#include <stdio.h>
#include <stdlib.h>

#include "wpp/base/json.h"
#include "wpp/cli/tool.h"
#include "wpp/samples/path-accuracy.h"
#include "wpp/samples/path-windows.h"
#include "wpp/samples/run-records.h"

#define GOOD 0.95

enum { MOST_DEPTHS = 4, MOST_PERIODS = 5, MOST_SAMPLINGS = MOST_DEPTHS * MOST_PERIODS };

static size_t choose_samplings(const struct samples_request *r, struct run_sampling *s)
{
    static const uint32_t depths[] = {4, 8, 16, 32};
    static const uint64_t periods[] = {1000, 10000, 100000, 1000000, 10000000};
    size_t n = 0;

    for (size_t d = 0; d < (r->depth ? 1 : MOST_DEPTHS); d++)
        for (size_t p = 0; p < (r->period_given ? 1 : MOST_PERIODS); p++)
            s[n++] = (struct run_sampling){.depth = r->depth ? (uint32_t)r->depth : depths[d],
                                           .period = r->period_given ? r->period : periods[p]};
    return n;
}

struct measured {
    struct path_accuracy equal, flow;
};

static struct path_accuracy measure(const struct partial_paths *found, struct path_graphs *graphs,
                                    enum estimate_how how, const struct path_estimates *actual)
{
    struct path_estimates e;
    struct path_accuracy out;

    if (!path_estimates_new(&e, found, graphs, how) || !path_accuracy_of(&e, actual, SAMPLES_HOT_SHARE, &out))
        tool_die_of_memory();
    path_estimates_free(&e);
    return out;
}

static void print_row(const struct samples_request *r, const struct run_sampling *s, const struct measured *m, bool first)
{
    if (r->format == SAMPLES_JSON)
        printf("%s{\"depth\": %u, \"period\": %llu, \"samples\": %llu, \"equal\": %.6f, \"flow\": %.6f, "
               "\"equal_overlap\": %.6f, \"flow_overlap\": %.6f}", first ? "" : ", ", s->depth,
               (unsigned long long)s->period, (unsigned long long)s->figures.samples, m->equal.accuracy,
               m->flow.accuracy, m->equal.overlap, m->flow.overlap);
    else
        printf("%5u %12s %12s %8.1f %% %8.1f %% %9.1f %% %8.1f %%\n", s->depth, tool_grouped(s->period),
               tool_grouped(s->figures.samples), 100 * m->equal.accuracy, 100 * m->flow.accuracy,
               100 * m->equal.overlap, 100 * m->flow.overlap);
}

/* The rows of --plan: of each depth the longest period with a good accuracy. */
static bool is_planned(const struct run_sampling *s, const struct measured *m, size_t i, size_t n)
{
    if (m[i].flow.accuracy < GOOD)
        return false;
    for (size_t k = 0; k < n; k++)
        if (s[k].depth == s[i].depth && s[k].period > s[i].period && m[k].flow.accuracy >= GOOD)
            return false;
    return true;
}

static void print_accuracy(const struct samples_request *r, const struct run_sampling *s, const struct measured *m, size_t n,
                           const struct path_accuracy *run, uint64_t branches)
{
    bool first = true;

    if (r->format == SAMPLES_JSON)
        printf("{\"branches\": %llu, \"paths\": %llu, \"hot\": %llu, \"hot_flow\": %.6f, \"rows\": [",
               (unsigned long long)branches, (unsigned long long)run->n_paths, (unsigned long long)run->n_hot,
               run->hot_flow);
    else
        printf("%s taken branches, %s paths, %s of them hot with %.1f %% of the executions\n\n%s\n%s\n",
               tool_grouped(branches), tool_grouped(run->n_paths), tool_grouped(run->n_hot), 100 * run->hot_flow,
               "                                  accuracy              overlap",
               "depth       period      samples      equal       flow       equal       flow");
    for (size_t i = 0; i < n; i++) {
        if (s[i].figures.samples == 0 || (r->plan && !is_planned(s, m, i, n)))
            continue;
        print_row(r, &s[i], &m[i], first);
        first = false;
    }
    if (r->format == SAMPLES_JSON)
        puts("]}");
    else if (r->plan && first)
        printf("no period gives %.0f %%\n", 100 * GOOD);
}

/* ---- By routine ------------------------------------------------------------------------------- */

enum { ROUTINES_DEPTH = 16 };

/* The run, its paths, and what samples see of them. */
struct truth {
    wpp *w;
    struct address_map map;
    struct path_graphs graphs;
    struct partial_paths paths;
    struct path_estimates actual;
    struct path_accuracy itself;
    struct run_sampling *sampling;
    size_t n;
    uint64_t branches;
};

/* The share of the flow, by routine, that belongs to paths which samples of k records never tell apart. */
static double *find_alike(struct truth *t, uint32_t k)
{
    double *flow = calloc(t->map.n_routines + (size_t)1, sizeof *flow), sum = 0;
    struct record_costs costs = {0};
    struct wpp_arena arena = {0};
    uint32_t last = PATH_NONE;

    if (!flow)
        tool_die_of_memory();
    for (uint64_t i = 0; i < t->actual.n; i++) {
        const struct path_estimate *p = &t->actual.path[i];
        const struct path_graph *g = path_graphs_of(&t->graphs, p->routine);
        if (!g || (p->routine != last && !record_costs_new(&costs, &t->map, p->routine, g, &arena)))
            tool_die_of_memory();
        last = p->routine;
        sum += p->count;
        if (path_windows_is_alike(&costs, k, p->path))
            flow[last] += p->count;
    }
    wpp_arena_free(&arena);
    for (uint32_t i = 0; sum > 0 && i < t->map.n_routines; i++)
        flow[i] /= sum;
    return flow;
}

static void print_routine(const struct samples_request *r, const char *name, const struct routine_accuracy *equal,
                          const struct routine_accuracy *flow, double alike, bool first)
{
    double found = equal ? equal->found : 0;

    if (r->format == SAMPLES_JSON) {
        printf("%s{\"routine\": ", first ? "" : ", ");
        json_string(stdout, name);
        printf(", \"executions\": %.6f, \"estimated\": %.6f, \"hot\": %llu, \"hot_flow\": %.6f, \"equal\": %.6f, "
               "\"flow\": %.6f, \"overlap\": %.6f, \"alike\": %.6f}", flow->flow, flow->estimated,
               (unsigned long long)flow->n_hot, flow->hot_flow, found, flow->found, flow->overlap, alike);
        return;
    }
    printf("%9.2f %% %8.2f %% %6s", 100 * flow->flow, 100 * flow->estimated, tool_grouped(flow->n_hot));
    if (flow->n_hot > 0)
        printf(" %7.1f %% %7.1f %%", samples_percent(found, flow->hot_flow), samples_percent(flow->found, flow->hot_flow));
    else
        printf(" %9s %9s", "-", "-");
    printf(" %7.1f %% %7.1f %%  %s\n", samples_percent(flow->overlap, flow->flow), samples_percent(alike, flow->flow), name);
}

static const struct routine_accuracy *find_routine(const struct routine_accuracy *list, uint32_t n, uint32_t routine)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].routine == routine)
            return &list[i];
    return NULL;
}

static void head_of_routines(const struct samples_request *r, const struct run_sampling *s, double alike)
{
    if (r->format == SAMPLES_JSON)
        printf("{\"depth\": %u, \"period\": %llu, \"samples\": %llu, \"alike\": %.6f, \"routines\": [", s->depth,
               (unsigned long long)s->period, (unsigned long long)s->figures.samples, alike);
    else
        printf("%s samples of %u branches; %.1f %% of the executions are of paths that such samples never tell apart\n\n"
               "                                 accuracy\n"
               " executions  estimated    hot     equal      flow   overlap     alike  routine\n",
               tool_grouped(s->figures.samples), s->depth, 100 * alike);
}

static void print_routines(const struct samples_request *r, struct truth *t)
{
    const struct run_sampling *s = &t->sampling[0];
    struct path_estimates equal, flow;
    struct routine_accuracy *by_equal, *by_flow;
    uint32_t n_equal, n_flow;
    double *alike = find_alike(t, s->depth), sum = 0;

    if (!path_estimates_new(&equal, &s->found_split, &t->graphs, ESTIMATE_EQUAL)
        || !path_estimates_new(&flow, &s->found_whole, &t->graphs, ESTIMATE_FLOW)
        || !path_accuracy_by_routine(&equal, &t->actual, SAMPLES_HOT_SHARE, &by_equal, &n_equal)
        || !path_accuracy_by_routine(&flow, &t->actual, SAMPLES_HOT_SHARE, &by_flow, &n_flow))
        tool_die_of_memory();
    for (uint32_t i = 0; i < t->map.n_routines; i++)
        sum += alike[i];
    head_of_routines(r, s, sum);
    for (uint32_t i = 0; i < n_flow; i++)
        print_routine(r, t->map.routine[by_flow[i].routine].r.shown,
                      find_routine(by_equal, n_equal, by_flow[i].routine), &by_flow[i], alike[by_flow[i].routine], i == 0);
    if (r->format == SAMPLES_JSON)
        puts("]}");
    free(alike);
    free(by_equal);
    free(by_flow);
    path_estimates_free(&equal);
    path_estimates_free(&flow);
}

/* ---- The run ----------------------------------------------------------------------------------------- */

static void print_table(const struct samples_request *r, struct truth *t)
{
    struct measured m[MOST_SAMPLINGS];

    for (size_t i = 0; i < t->n; i++) {
        m[i].equal = measure(&t->sampling[i].found_split, &t->graphs, ESTIMATE_EQUAL, &t->actual);
        m[i].flow = measure(&t->sampling[i].found_whole, &t->graphs, ESTIMATE_FLOW, &t->actual);
    }
    print_accuracy(r, t->sampling, m, t->n, &t->itself, t->branches);
}

static void take_samples(const struct samples_request *r, struct truth *t)
{
    struct wpp_error error;

    t->w = tool_open(r->program);
    tool_need_order(r->program, t->w);
    if (!run_map_new(&t->map, t->w, &error))
        tool_die_error(&error);
    if (!path_graphs_new(&t->graphs, &t->map, r->rules))
        tool_die_of_memory();
    if (!run_records(t->w, &t->graphs, t->sampling, t->n, &t->paths, &t->branches, &error))
        tool_die_error(&error);
    if (!path_estimates_new(&t->actual, &t->paths, &t->graphs, ESTIMATE_WHOLE)
        || !path_accuracy_of(&t->actual, &t->actual, SAMPLES_HOT_SHARE, &t->itself))
        tool_die_of_memory();
}

int samples_accuracy(const struct samples_request *request)
{
    struct truth t = {.sampling = calloc(MOST_SAMPLINGS, sizeof *t.sampling)};
    struct samples_request r = *request;
    struct wpp_summary run;
    int status;

    if (!t.sampling)
        tool_die_of_memory();
    if (r.by_routine) {
        r.depth = r.depth ? r.depth : ROUTINES_DEPTH;
        r.period_given = true;
    }
    t.n = choose_samplings(&r, t.sampling);
    take_samples(&r, &t);
    wpp_get_summary(t.w, &run);
    if (r.output)
        samples_write(&r, &t.map, run.program, &t.graphs, &t.actual, 1, NULL);
    (r.by_routine ? print_routines : print_table)(&r, &t);
    for (size_t i = 0; i < t.n; i++)
        run_sampling_free(&t.sampling[i]);
    free(t.sampling);
    path_estimates_free(&t.actual);
    partial_paths_free(&t.paths);
    path_graphs_free(&t.graphs);
    address_map_free(&t.map);
    status = tool_say_incomplete(r.program, t.w);
    wpp_close(t.w);
    return status;
}
