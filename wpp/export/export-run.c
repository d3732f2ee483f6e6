/* SPDX-License-Identifier: MIT */
#include "wpp/export/export-run.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/replay/call-tree-cut.h"

/* Cuts the tree to what was asked for. */
static bool cut_tree(struct export_run *r)
{
    const struct export_options *o = &r->options;
    bool ok = true;

    if (o->ranged)
        ok = call_tree_cut(&r->tree, o->thread, o->begin, o->end);
    else if (o->thread != UINT32_MAX)
        call_tree_keep_thread(&r->tree, o->thread);
    return ok && (!o->chosen || !o->callees || call_tree_only(&r->tree, o->chosen));
}

static bool take_order(struct export_run *r, struct wpp_error *error)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;

    if (!call_tree_new(&r->tree, r->w, error))
        return false;
    if (!cut_tree(r) || !run_costs_new(&r->costs, r->w, &r->tree, UINT32_MAX))
        return wpp_fail_memory(error);
    for (uint32_t t = 0; t < n; t++)
        r->count[t] = (uint64_t)r->costs.count[t];
    r->in_order = true;
    return true;
}

/* Sorts the terminals by routine. */
static bool sort_paths(struct export_run *r)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals, *next;

    r->first_path = calloc(r->n_routines + (size_t)2, sizeof *r->first_path);
    r->paths = calloc(n + (size_t)1, sizeof *r->paths);
    if (!r->first_path || !r->paths)
        return false;
    next = r->first_path + 1;                /* of routine r at [r + 1] while they are counted */
    for (uint32_t t = 0; t < n; t++)
        if (wpp_terminal(r->w, t)->routine != WPP_NO_ROUTINE)
            next[wpp_terminal(r->w, t)->routine + 1]++;
    for (uint32_t i = 0; i < r->n_routines; i++)
        next[i + 1] += next[i];
    for (uint32_t t = 0; t < n; t++)
        if (wpp_terminal(r->w, t)->routine != WPP_NO_ROUTINE)
            r->paths[next[wpp_terminal(r->w, t)->routine]++] = t;
    return true;
}

bool export_run_new(struct export_run *out, const wpp *w, const struct export_options *options,
                    struct wpp_error *error)
{
    struct wpp_summary run;
    bool ok = true;

    *out = (struct export_run){.w = w, .options = *options, .out = stdout};
    wpp_get_summary(w, &run);
    out->n_routines = run.n_routines;
    out->count = calloc(run.n_terminals + (size_t)1, sizeof *out->count);
    if (!out->count || !sort_paths(out)) {
        export_run_free(out);
        return wpp_fail_memory(error);
    }
    if (run.is_profile)
        wpp_terminal_counts(w, out->count);
    else
        ok = take_order(out, error);
    if (!ok)
        export_run_free(out);
    return ok;
}

void export_run_free(struct export_run *r)
{
    free(r->count);
    free(r->first_path);
    free(r->paths);
    run_costs_free(&r->costs);
    call_tree_free(&r->tree);
    *r = (struct export_run){0};
}

const char *export_name(const struct export_run *r, const char *name, const char *shown)
{
    return r->options.assembler_names || !shown ? name : shown;
}

void export_sum(const struct export_run *r, uint32_t routine, uint64_t *block, uint64_t *edge)
{
    assert(routine < r->n_routines);
    for (uint32_t i = r->first_path[routine]; i < r->first_path[routine + 1]; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, r->paths[i]);
        uint64_t count = r->count[r->paths[i]];

        for (uint32_t k = 0; k < t->n_blocks; k++)
            block[t->blocks[k]] += count;
        for (uint32_t k = 0; k < t->n_edges; k++)
            edge[t->edges[k]] += count;
    }
}

bool export_has(const struct export_run *r, uint32_t routine)
{
    bool ran = false;

    for (uint32_t i = r->first_path[routine]; !ran && i < r->first_path[routine + 1]; i++)
        ran = r->count[r->paths[i]] > 0;
    return ran && (!r->options.chosen || r->options.callees || r->options.chosen[routine]);
}

double export_total(const struct export_run *r)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;
    double total = 0;

    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, i);

        if (!r->options.chosen || r->options.callees
            || (t->routine != WPP_NO_ROUTINE && r->options.chosen[t->routine]))
            total += (double)r->count[i] * (double)t->insns;
    }
    return total;
}
