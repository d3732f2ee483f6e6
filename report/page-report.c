/* SPDX-License-Identifier: MIT */
/* page-report.c - tables, trees of calls, hot subpaths: as wpp-report and wpp-hot write them in JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/report.h"
#include "report/page.h"
#include "wpp/profile/context-tree.h"
#include "wpp/profile/profile-report.h"
#include "wpp/read/reader.h"

static bool put_error(FILE *out, const struct wpp_error *error)
{
    if (error->status == WPP_E_MEMORY)
        return false;
    fputs("{\"error\":\"the run is too large for this\"}", out);
    return true;
}

static struct profile_report begin_report(const struct page_run *r, const struct source_changes *none,
                                          FILE *out)
{
    return (struct profile_report){
        .text = {.out = out}, .w = r->w, .path = r->name, .costs = &r->costs, .thread = UINT32_MAX,
        .parts = &r->parts, .changes = none
    };
}

/* ---- Tables ----------------------------------------------------------------------------------------- */

bool page_report(struct page_run *r, uint32_t top, FILE *out)
{
    static const struct source_changes none;
    struct profile_report report = begin_report(r, &none, out);
    struct wpp_error error = {0};
    uint32_t *function, *loop, n;
    struct parts *p = &r->parts;
    bool ok;

    if (!page_need_parts(r, &error))
        return put_error(out, &error);
    function = parts_ranked(p, 0, p->n_functions, true, top < p->n_functions ? top : p->n_functions, &n);
    report.function = function;
    report.n_functions = n < top ? n : top;
    loop = parts_ranked(p, p->n_functions, p->n, true, top < p->n - p->n_functions ? top : p->n - p->n_functions, &n);
    report.loop = loop;
    report.n_loops = n < top ? n : top;
    ok = function && loop && parts_exact(p, function, report.n_functions) && profile_json(&report);
    free(function);
    free(loop);
    return ok;
}

/* ---- Trees of calls ---------------------------------------------------------------------------------- */

/* `chosen` NULL: all.  What the tree of contexts does not have is found in the call tree. */
static bool find_contexts(struct call_contexts *out, const struct page_run *r, const bool *chosen, bool above,
                          struct context_limits limits)
{
    enum contexts_status status = CONTEXTS_LEFT;

    if (r->has_contexts && !r->contexts.opening)
        status = (above ? context_tree_above : context_tree_below)(out, &r->contexts, chosen, limits);
    if (status == CONTEXTS_LEFT)
        return (above ? contexts_above : contexts_below)(out, &r->costs, chosen, limits);
    return status == CONTEXTS_DONE;
}

bool page_tree(struct page_run *r, enum page_tree kind, uint32_t routine, double share, FILE *out)
{
    static const struct source_changes none;
    struct context_limits limits = {.share = share, .depth = 60};
    struct profile_report report = begin_report(r, &none, out);
    struct call_contexts contexts = {0};
    struct wpp_error error = {0};
    bool *chosen = NULL, ok;

    if (!page_need_parts(r, &error))
        return put_error(out, &error);
    if (kind != PAGE_TREE_ALL) {
        chosen = calloc(r->w->n_routines + (size_t)1, sizeof *chosen);
        if (!chosen)
            return false;
        if (routine < r->w->n_routines)
            chosen[routine] = true;
    }
    ok = find_contexts(&contexts, r, chosen, kind == PAGE_TREE_ABOVE, limits);
    report.contexts = &contexts;
    report.callers = kind == PAGE_TREE_ABOVE;
    ok = ok && profile_json(&report);
    contexts_free(&contexts);
    free(chosen);
    return ok;
}

/* ---- Hot subpaths ------------------------------------------------------------------------------------- */

static uint64_t *costs_of(const wpp *w)
{
    uint64_t *cost = malloc((w->n_terminals + (size_t)1) * sizeof *cost);

    for (uint32_t t = 0; cost && t < w->n_terminals; t++)
        cost[t] = wpp_terminal(w, t)->insns;
    return cost;
}

static bool put_hot(const struct page_run *r, const struct hot_config *config, const uint64_t *cost,
                    const hot_result *result, FILE *out)
{
    struct shown_list shown = {.g = wpp_grammar(r->w), .cost = cost, .thread = config->thread};
    struct report report = {
        .out = out, .w = r->w, .file_name = r->name, .result = result, .config = config,
        .cost_name = "insns", .cost_unit = "instructions", .cost_origin = "GCC's estimate",
        .cost_says = "", .shown = &shown
    };
    bool ok = shown_choose(&shown, result, false, config->wanted) == HOT_OK
           && shown_outline(&shown, r->w, true) == HOT_OK
           && shown_count_turns(&shown, NULL, shown.n) == HOT_OK
           && report_json(&report);

    shown_clear(&shown);
    return ok;
}

bool page_hot(struct page_run *r, uint32_t wanted, uint32_t length, FILE *out)
{
    struct hot_config config = {
        .size = sizeof config, .algorithm = HOT_EXACT, .min_length = length < 10 ? length : 10,
        .max_length = length, .wanted = wanted, .thread = HOT_ALL_THREADS
    };
    uint64_t *cost = costs_of(r->w);
    hot_result *result = NULL;
    int status = cost ? hot_find(&result, wpp_grammar(r->w), cost, &config) : HOT_E_MEMORY;
    bool ok = status != HOT_E_MEMORY;

    if (status == HOT_OK)
        ok = put_hot(r, &config, cost, result, out);
    else if (ok)
        fputs("{\"error\":\"the run is too large for this\"}", out);
    hot_free(result);
    free(cost);
    return ok;
}
