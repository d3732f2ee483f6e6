/* SPDX-License-Identifier: MIT */
#include "wpp/cli/runs-triage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/cli/runs-copy.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/runs/novelty.h"
#include "wpp/runs/run-clusters.h"
#include "wpp/runs/suspects-report.h"

/* ---- novel ---------------------------------------------------------------------------------- */

struct novel_search {
    struct run_store *store;
    struct suspects s;
    int64_t id;                    /* 0: a file */
    wpp *first;                    /* of the run that is asked about; opened twice */
    uint32_t n_others;
};

static bool add_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct novel_search *n = ctx;
    wpp **process;
    bool done;

    process = store_open_run(n->store, run, error);
    if (!process)
        return false;
    if (!store_run_is_usable(process, run->n_processes)) {
        store_close_run(process, run->n_processes);
        if (run->id == n->id)
            return wpp_fail(error, WPP_E_DAMAGED, "run %lld: its paths are damaged", (long long)run->id);
        return true;
    }
    n->n_others += run->id != n->id;
    done = suspects_add(&n->s, run->id, run->id == n->id, process, run->n_processes, error);
    free(process);
    return done;
}

static void add_file(struct novel_search *n, const char *file)
{
    struct wpp_error error;
    wpp *w = tool_open(file);

    n->first = tool_open(file);
    tool_need_order(file, w);
    if (!suspects_add(&n->s, 0, true, &w, 1, &error))
        tool_die_error(&error);
}

static void put_news(const struct novel_search *n, const struct novelty *found)
{
    printf("%zu thing%s that no other of %" PRIu32 " run%s did\n", found->n, found->n == 1 ? "" : "s",
           n->n_others, n->n_others == 1 ? "" : "s");
    if (found->n > 0)
        printf("\n thread         event  kind\n");
    for (size_t i = 0; i < found->n; i++) {
        const struct news *x = &found->news[i];

        if (x->event == UINT64_MAX)
            printf("      -             -  ");
        else
            printf("%7" PRIu32 "  %12s  ", x->thread, tool_grouped(x->event));
        printf("%-7s  ", predicate_names[n->s.v.predicate[x->predicate].kind]);
        predicate_put(stdout, &n->s.v, x->predicate);
        putchar('\n');
    }
}

static void put_news_json(const struct novel_search *n, const struct novelty *found)
{
    printf("{\"others\": %" PRIu32 ", \"novel\": [", n->n_others);
    for (size_t i = 0; i < found->n; i++) {
        const struct news *x = &found->news[i];
        struct wpp_line place = predicate_place(&n->s.v, x->predicate);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        if (!out)
            tool_die_of_memory();
        predicate_put(out, &n->s.v, x->predicate);
        fclose(out);
        printf("%s\n    {\"kind\": \"%s\"", i ? "," : "",
               predicate_names[n->s.v.predicate[x->predicate].kind]);
        if (x->event != UINT64_MAX)
            printf(", \"thread\": %" PRIu32 ", \"event\": %" PRIu64, x->thread, x->event);
        printf(", \"text\": ");
        json_string(stdout, text);
        printf(", \"file\": ");
        json_string(stdout, place.file);
        printf(", \"line\": %" PRIu32 "}", place.line);
        free(text);
    }
    printf("\n]}\n");
}

bool triage_novel(struct run_store *s, int64_t id, const char *file, bool json)
{
    struct novel_search n = {.store = s, .id = file ? 0 : id};
    struct novelty found;
    struct wpp_error error;
    bool any;

    suspects_init(&n.s);
    if (!file)
        n.first = store_open_first(s, id);
    if (!run_store_walk(s, &(struct run_choice){0}, add_run, &n, &error))
        tool_die_error(&error);
    if (file)
        add_file(&n, file);
    if (!novelty_of(&n.s, n.first, &found, &error))
        tool_die_error(&error);
    (json ? put_news_json : put_news)(&n, &found);
    any = found.n > 0;
    novelty_free(&found);
    wpp_close(n.first);
    suspects_free(&n.s);
    return any;
}

/* ---- cluster -------------------------------------------------------------------------------- */

struct cluster_search {
    struct run_store *store;
    struct run_clusters c;
    uint64_t n;
};

static bool add_end(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct cluster_search *x = ctx;
    wpp *w = store_open_first(x->store, run->id);

    if (!store_run_is_usable(&w, 1) || (wpp_present(w) & WPP_PART_COUNTS)) {
        wpp_close(w);
        return true;
    }
    return clusters_add(&x->c, run->id, w, x->n, error);
}

static uint32_t cluster_size(const struct run_clusters *c, uint32_t first)
{
    uint32_t n = 0;

    while (first + n < c->n_runs && c->run[first + n].cluster == c->run[first].cluster)
        n++;
    return n;
}

static void put_clusters(const struct run_clusters *c)
{
    enum { SHOWN = 12 };
    uint32_t number = 1;

    printf("%" PRIu32 " failing run%s in %" PRIu32 " cluster%s\n", c->n_runs, c->n_runs == 1 ? "" : "s",
           c->n_clusters, c->n_clusters == 1 ? "" : "s");
    if (c->n_runs > 0)
        printf("\n cluster    runs  shortest        events\n");
    for (uint32_t i = 0, n; i < c->n_runs; i += n, number++) {
        n = cluster_size(c, i);
        printf("%8" PRIu32 " %7" PRIu32 "  %8lld  %12s  ", number, n, (long long)c->run[i].id,
               tool_grouped(c->run[i].events));
        name_put(stdout, c->run[i].where);
        printf("\n          runs");
        for (uint32_t k = i; k < i + n && k < i + SHOWN; k++)
            printf(" %lld", (long long)c->run[k].id);
        printf("%s\n", n > SHOWN ? " ..." : "");
    }
}

static void put_clusters_json(const struct run_clusters *c)
{
    printf("{\"clusters\": [");
    for (uint32_t i = 0, n; i < c->n_runs; i += n) {
        n = cluster_size(c, i);
        printf("%s\n    {\"representative\": %lld, \"events\": %" PRIu64 ", \"where\": ", i ? "," : "",
               (long long)c->run[i].id, c->run[i].events);
        json_string(stdout, c->run[i].where);
        printf(", \"runs\": [");
        for (uint32_t k = i; k < i + n; k++)
            printf("%s%lld", k > i ? ", " : "", (long long)c->run[k].id);
        printf("]}");
    }
    printf("\n]}\n");
}

void triage_clusters(struct run_store *s, const struct cluster_request *r)
{
    struct cluster_search x = {.store = s, .n = r->last};
    struct run_choice failing = {.by_label = true, .label = RUN_FAIL};
    struct wpp_error error;

    clusters_init(&x.c);
    if (!run_store_walk(s, &failing, add_end, &x, &error))
        tool_die_error(&error);
    if (!clusters_end(&x.c, r->alike))
        tool_die_of_memory();
    if (r->copy)
        runs_copy(s, &x.c, r->copy, r->input);
    if (r->reports)
        runs_report(s, &x.c, r->reports);
    (r->json ? put_clusters_json : put_clusters)(&x.c);
    clusters_free(&x.c);
}
