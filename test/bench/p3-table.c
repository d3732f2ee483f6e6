/* SPDX-License-Identifier: MIT */
/* p3-table.c - what a partitioned path profile (docs/p3.md) saves, from the path counts of recorded
 * runs.
 *
 *      p3-table [-dh] [-c CALLERS] [-p PLAN.wpp] FILE.wpp...
 *
 * For each run and each number of copies a plan is made in several ways.  The copies are simulated:
 * each has the increments of its plan, and a path executes those on its edges as often as the run
 * has the path.  Prints Markdown tables: hits of the copy with the most, as the difference to one
 * copy that counts all.  -d: a line for each plan instead.  -p: plans are made for this run; that
 * they are of no other run is what is optimistic about the table otherwise.
 * Exit status 1 if a plan is wrong: its check fails, or the union of the copies is not the profile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gcc-plugin/partition/plan.h"
#include "wpp/replay/calls.h"
#include "wpp/wpp.h"

static bool details;
static int status;

static void *must(void *p)
{
    if (!p) {
        fputs("p3-table: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

/* ---- The run --------------------------------------------------------------------------------- */

struct run {
    const char *name;
    wpp *w;
    uint32_t n_routines, n_terminals;
    struct p3_routine *routine;
    uint64_t *executions;      /* by terminal */
    uint64_t paths;            /* executed all together */
};

static struct pn_graph *graph_of(const struct wpp_routine *r)
{
    struct pn_dag_edge *edge = must(calloc(r->n_edges, sizeof *edge));
    struct pn_graph *g;

    for (uint32_t e = 0; e < r->n_edges; e++)
        edge[e] = (struct pn_dag_edge){
            .src = r->edges[e].src, .dst = r->edges[e].dst, .val = r->edges[e].val,
            .kind = r->edges[e].kind == WPP_EDGE_REAL ? PN_REAL
                  : r->edges[e].kind == WPP_EDGE_START ? PN_START : PN_END
        };
    g = must(p3_dag(r->n_blocks, 0, 1, edge, r->n_edges));
    free(edge);
    return g;
}

/* Calls in the program's text are not known; the routines that called it are. */
static void count_callers(struct run *run)
{
    struct wpp_summary s;
    struct calls calls = {0};
    struct wpp_error error;

    wpp_get_summary(run->w, &s);
    for (uint32_t t = 0; t < s.n_threads; t++) {
        struct dump_range range = {.w = run->w, .thread = t, .end = wpp_thread(run->w, t)->tokens};

        if (!calls_add(&calls, &range, &error))
            must(NULL);
    }
    calls_sort(&calls);
    for (size_t i = 0; i < calls.n; i++)
        run->routine[calls.list[i].callee].callers++;
    calls_free(&calls);
}

/* Each line of `path` is `SITES NAME`: the number of places that call routines of this name.
 * Cost: lines times routines. */
static void read_callers(struct run *run, const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (!in) {
        perror(path);
        exit(2);
    }
    while (getline(&line, &size, in) > 0) {
        char *name = strchr(line, ' ');

        if (!name)
            continue;
        name++;
        name[strcspn(name, "\n")] = 0;
        for (uint32_t i = 0; i < run->n_routines; i++)
            if (strcmp(run->routine[i].name, name) == 0)
                run->routine[i].callers = (uint32_t)strtoul(line, NULL, 10);
    }
    free(line);
    fclose(in);
}

static struct run read_run(const char *path)
{
    struct wpp_error error;
    struct wpp_summary s;
    struct run run = {.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path};

    if (!strrchr(run.name, '.')) {
        fprintf(stderr, "p3-table: %s is no FILE.wpp\n", path);
        exit(2);
    }

    run.w = wpp_open(path, &error);
    if (!run.w) {
        fprintf(stderr, "p3-table: %s: %s\n", path, error.text);
        exit(2);
    }
    wpp_get_summary(run.w, &s);
    run.n_routines = s.n_routines;
    run.n_terminals = s.n_terminals;
    run.routine = must(calloc(s.n_routines + 1, sizeof *run.routine));
    run.executions = must(calloc(s.n_terminals + 1, sizeof *run.executions));
    wpp_terminal_counts(run.w, run.executions);
    for (uint32_t i = 0; i < s.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(run.w, i);

        run.routine[i] = (struct p3_routine){r->file, r->name, graph_of(r),
                                             must(calloc(r->n_edges, sizeof(uint64_t))), 0};
    }
    for (uint32_t t = 0; t < s.n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(run.w, t);

        if (terminal->routine == WPP_NO_ROUTINE)
            continue;
        run.paths += run.executions[t];
        uint64_t *count = (uint64_t *)run.routine[terminal->routine].count;
        for (uint32_t i = 0; i < terminal->n_edges; i++)
            count[terminal->edges[i]] += run.executions[t];
    }
    count_callers(&run);
    return run;
}

/* ---- The copies ------------------------------------------------------------------------------ */

struct outcome {
    uint64_t largest, sum;     /* hits, and counts if they have a price */
    uint32_t split;            /* routines of which several copies have a part, and none has all */
    uint64_t shared;           /* path executions that more than one copy counts */
    double seconds;
};

/* The union of the copies: each path from its owner alone. */
static void check_union(const struct run *run, const struct p3_plan *plan, struct outcome *out)
{
    uint64_t sum = 0;

    for (uint32_t t = 0; t < run->n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(run->w, t);
        const struct p3_routine *r;
        const struct p3_entry *e;
        uint64_t holders;

        if (terminal->routine == WPP_NO_ROUTINE)
            continue;
        r = &run->routine[terminal->routine];
        e = p3_find(plan, r->file, r->name, p3_hash(r->graph));
        holders = e ? p3_holders(plan, e, terminal->edges, terminal->n_edges) : 1;
        sum += holders ? run->executions[t] : 0;
        out->shared += holders & (holders - 1) ? run->executions[t] : 0;
    }
    if (sum != run->paths) {
        fprintf(stderr, "p3-table: %s: %" PRIu64 " paths in the union, not %" PRIu64 "\n",
                run->name, sum, run->paths);
        status = 1;
    }
}

static uint32_t count_split(const struct p3_plan *plan)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->n; i++) {
        bool whole = false;

        for (uint32_t c = 0; c < plan->copies; c++)
            whole |= plan->entry[i].set[c]
                && p3_is_all(plan->entry[i].set[c], plan->entry[i].n_edges);
        n += !whole;
    }
    return n;
}

/* A plan for run `from`, used for run `run`. */
static struct outcome simulate(const struct run *run, const struct run *from,
                               const struct p3_config *config)
{
    struct outcome out = {0};
    struct timespec begin, end;
    uint64_t load[P3_MAX_COPIES];
    struct p3_plan *plan;
    const char *why;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    plan = must(p3_make_plan(from->routine, from->n_routines, config));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    out.seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (!p3_check(plan, from->routine, from->n_routines, &config->prices, &why)) {
        fprintf(stderr, "p3-table: %s: %s\n", from->name, why);
        status = 1;
    }
    check_union(run, plan, &out);
    if (!p3_loads(plan, run->routine, run->n_routines, &config->prices, load))
        must(NULL);
    for (uint32_t c = 0; c < plan->copies; c++) {
        out.sum += load[c];
        if (out.largest < load[c])
            out.largest = load[c];
    }
    out.split = count_split(plan);
    p3_plan_free(plan);
    return out;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    enum p3_method method;
    bool measured, labels_only;
} ways[] = {
    {"PBL", P3_WHOLE, false, true},
    {"P3", P3_PAPER, false, true},
    {"P3, chords", P3_PAPER, false, false},
    {"PBL, measured", P3_WHOLE, true, false},
    {"P3, measured", P3_PAPER, true, false},
    {"split, measured", P3_SPLIT, true, false}
};
enum { WAYS = sizeof ways / sizeof *ways };
static const uint32_t copies[] = {2, 4, 8};
enum { COPIES = sizeof copies / sizeof *copies };

static void table(const struct run *run, int n, const struct run *from, struct p3_prices prices)
{
    double sum[COPIES][WAYS] = {0};

    if (!details) {
        printf("| program | copies |");
        for (int i = 0; i < WAYS; i++)
            printf(" %s |", ways[i].name);
        printf("\n|---|--:|");
        for (int i = 0; i < WAYS; i++)
            printf("--:|");
        puts("");
    }
    for (int r = 0; r < n; r++) {
        struct outcome one = simulate(&run[r], &run[r],
                                      &(struct p3_config){1, P3_WHOLE, true, false, prices, 0});

        for (int k = 0; k < COPIES; k++) {
            if (!details)
                printf("| %.*s | %" PRIu32 " |", (int)(strrchr(run[r].name, '.') - run[r].name),
                       run[r].name, copies[k]);
            for (int i = 0; i < WAYS; i++) {
                struct outcome o;

                prices.labels_only = ways[i].labels_only;
                o = simulate(&run[r], from ? from : &run[r],
                             &(struct p3_config){copies[k], ways[i].method, ways[i].measured, true,
                                                 prices, 0});
                double change = 100 * ((double)o.largest / (double)one.largest - 1);
                double mean = (double)o.sum / copies[k];
                sum[k][i] += change / n;
                if (details)
                    printf("%s k=%" PRIu32 " %-16s: %+6.1f %%, largest/mean %.2f, sum/one %.2f, %"
                           PRIu32 " routines split, %.2f %% of paths in several copies, %.1f s\n",
                           run[r].name, copies[k], ways[i].name, change, (double)o.largest / mean,
                           (double)o.sum / (double)one.largest, o.split,
                           100.0 * (double)o.shared / (double)run[r].paths, o.seconds);
                else
                    printf(" %.0f |", change);
                fflush(stdout);
            }
            if (!details)
                puts("");
        }
    }
    for (int k = 0; k < COPIES; k++) {
        printf("| mean | %" PRIu32 " |", copies[k]);
        for (int i = 0; i < WAYS; i++)
            printf(" %.0f |", sum[k][i]);
        puts("");
    }
}

static void free_run(struct run *run)
{
    for (uint32_t r = 0; r < run->n_routines; r++) {
        pn_free((struct pn_graph *)run->routine[r].graph);
        free((uint64_t *)run->routine[r].count);
    }
    free(run->routine);
    free(run->executions);
    wpp_close(run->w);
}

int main(int argc, char **argv)
{
    int n, option;
    struct run *run, from = {0};
    const char *plan = NULL, *callers = NULL;
    bool only_hits = false;

    while ((option = getopt(argc, argv, "c:dhp:")) != -1) {
        if (option == 'd')
            details = true;
        else if (option == 'c')
            callers = optarg;
        else if (option == 'h')
            only_hits = true;
        else if (option == 'p')
            plan = optarg;
        else
            return 2;
    }
    n = argc - optind;
    if (n < 1) {
        fputs("usage: p3-table [-dh] [-c CALLERS] [-p PLAN.wpp] FILE.wpp...\n", stderr);
        return 2;
    }
    run = must(calloc((size_t)n, sizeof *run));
    for (int i = 0; i < n; i++)
        run[i] = read_run(argv[optind + i]);
    if (plan)
        from = read_run(plan);
    for (int i = 0; callers && i < n; i++)
        read_callers(&run[i], callers);
    if (callers && plan)
        read_callers(&from, callers);
    puts("Probe hits (%):\n");
    table(run, n, plan ? &from : NULL, p3_paper_prices);
    if (!only_hits) {
        puts("\nIncrements and counts (%):\n");
        table(run, n, plan ? &from : NULL, p3_code_prices);
    }
    for (int i = 0; i < n; i++)
        free_run(&run[i]);
    if (plan)
        free_run(&from);
    free(run);
    return status;
}
