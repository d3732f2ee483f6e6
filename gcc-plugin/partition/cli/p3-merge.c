/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p3-merge.c - `wpp-p3 merge`: the union of the copies' profiles, and how far from exact it is.
 *
 * A path is held by the copies in which it is interesting (plan.h).  The union takes its count from
 * the first of these, its owner.  In a deterministic run all holders have the same count.  Where they
 * differ, each may be right for its own run, but the union is no run's profile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcc-plugin/partition/cli/p3.h"
#include "gcc-plugin/partition/cli/routines.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/profile-merge.h"
#include "wpp/profile/profile-write.h"
#include "wpp/read/reader.h"

/* A copy's routine. */
struct held_routine {
    const struct wpp_routine *r;
    const struct p3_entry *entry;    /* NULL: the plan does not have it */
    uint64_t hash;
    uint32_t copy, index;            /* of the copy, and there */
    uint32_t id;                     /* the same for the same routine of other copies */
};

/* Executions of a path in one copy. */
struct held_path {
    uint32_t id;
    uint64_t path, count;
    uint32_t copy, terminal;
    const struct held_routine *routine;
};

struct copy {
    const wpp *w;
    const char *name;                /* of its file, or the first of them */
    bool *left_out;                  /* by terminal */
    uint32_t *routine;               /* of each of its routines: index of held_routine */
};

struct uniting {
    const struct p3_plan *plan;
    struct copy copy[P3_MAX_COPIES];
    struct held_routine *routine;
    uint32_t n_routines;
    struct held_path *path;
    size_t n_paths;
    /* how far from exact */
    uint64_t n_shared, shared_executions;
    uint64_t n_different, different_executions;
    uint32_t n_different_routines, last_different;
    struct held_path most[2];        /* of the path that differs most: least and largest count */
};

static void *need(void *memory)
{
    if (!memory)
        tool_die_of_memory();
    return memory;
}

/* ---- The copies' files --------------------------------------------------------------------------- */

static wpp *open_copy(const struct p3_plan *plan, const char *path, uint32_t *copy)
{
    wpp *w = profile_input_open_program(path);
    struct wpp_summary run;

    tool_need(path, w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    wpp_get_summary(w, &run);
    if (run.part.copy == 0)
        tool_die(TOOL_ERROR, "%s is no copy's profile: its program was not built by wpp-p3", path);
    if (run.part.plan != plan->id || run.part.copies != plan->copies)
        tool_die(TOOL_ERROR, "%s is of another plan: its program was not built with this one", path);
    *copy = run.part.copy - 1;
    return w;
}

/* Sums the profiles of a copy's processes. */
static const wpp *sum_files(const struct profile_input *inputs, uint32_t n)
{
    struct profile_merged merged;
    struct wpp_bytes file = {0};
    struct wpp_error error;
    wpp *w;

    if (n == 1)
        return inputs[0].w;
    if (!profile_merge(inputs, n, &file, &merged, &error)
        || !(w = wpp_open_memory(file.data, file.size, inputs[0].path, &error)))
        tool_die_error(&error);
    wpp_bytes_free(&file);
    for (uint32_t i = 0; i < n; i++)
        wpp_close((wpp *)inputs[i].w);
    return w;
}

static void open_copies(struct uniting *u, char *const *files, uint32_t n)
{
    struct profile_input *input = need(calloc(n, sizeof *input)), *its;
    uint32_t *copy = need(calloc(n, sizeof *copy));

    its = need(calloc(n, sizeof *its));
    for (uint32_t i = 0; i < n; i++)
        input[i] = (struct profile_input){.w = open_copy(u->plan, files[i], &copy[i]),
                                          .path = files[i]};
    for (uint32_t c = 0; c < u->plan->copies; c++) {
        uint32_t m = 0;

        for (uint32_t i = 0; i < n; i++)
            if (copy[i] == c)
                its[m++] = input[i];
        if (m == 0)
            tool_die(TOOL_ERROR, "the profile of copy %" PRIu32 " of %" PRIu32 " is missing", c + 1,
                     u->plan->copies);
        u->copy[c].w = sum_files(its, m);
        u->copy[c].name = its[0].path;
    }
    free(input);
    free(its);
    free(copy);
}

/* ---- Routines ------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Static routines of a header are one here: they have one entry in the plan, too. */
static int compare_routines(const void *left, const void *right)
{
    const struct held_routine *a = left, *b = right;
    int order = strcmp(a->r->name, b->r->name);

    if (order == 0)
        order = strcmp(a->r->file, b->r->file);
    if (order == 0)
        order = strcmp(a->r->directory, b->r->directory);
    if (order == 0)
        order = strcmp(base_name(a->r->module), base_name(b->r->module));
    if (order == 0)
        order = (a->r->line > b->r->line) - (a->r->line < b->r->line);
    return order ? order : (a->hash > b->hash) - (a->hash < b->hash);
}

static void take_routines(struct uniting *u)
{
    struct wpp_summary run;
    uint32_t n = 0;

    for (uint32_t c = 0; c < u->plan->copies; c++) {
        wpp_get_summary(u->copy[c].w, &run);
        u->copy[c].routine = need(calloc(run.n_routines + (size_t)1, sizeof(uint32_t)));
        u->copy[c].left_out = need(calloc(run.n_terminals + (size_t)1, sizeof(bool)));
        u->n_routines += run.n_routines;
        u->n_paths += run.n_terminals;
    }
    u->routine = need(calloc(u->n_routines + (size_t)1, sizeof *u->routine));
    u->path = need(calloc(u->n_paths + 1, sizeof *u->path));
    for (uint32_t c = 0; c < u->plan->copies; c++) {
        wpp_get_summary(u->copy[c].w, &run);
        for (uint32_t i = 0; i < run.n_routines; i++) {
            const struct wpp_routine *r = wpp_routine(u->copy[c].w, i);
            struct pn_graph *g = need(graph_of_routine(r));
            uint64_t hash = p3_hash(g);

            pn_free(g);
            u->routine[n++] = (struct held_routine){
                .r = r, .entry = p3_find(u->plan, r->file, r->name, hash), .hash = hash, .copy = c,
                .index = i
            };
        }
    }
    if (n > 0)
        qsort(u->routine, n, sizeof *u->routine, compare_routines);
    for (uint32_t i = 0; i < n; i++) {
        u->routine[i].id = i > 0 && compare_routines(&u->routine[i - 1], &u->routine[i]) == 0
                         ? u->routine[i - 1].id : i;
        u->copy[u->routine[i].copy].routine[u->routine[i].index] = i;
    }
}

/* ---- Paths ------------------------------------------------------------------------------------------ */

static int compare_paths(const void *left, const void *right)
{
    const struct held_path *a = left, *b = right;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return a->copy < b->copy ? -1 : a->copy > b->copy;
}

static void take_paths(struct uniting *u)
{
    size_t n = 0;

    for (uint32_t c = 0; c < u->plan->copies; c++) {
        uint64_t *counts = need(profile_counts(u->copy[c].w));

        for (uint32_t t = 0; t < wpp_grammar(u->copy[c].w)->n_terminals; t++) {
            const struct wpp_terminal *terminal = wpp_terminal(u->copy[c].w, t);
            const struct held_routine *r;

            if (terminal->routine == WPP_NO_ROUTINE)
                continue;
            r = &u->routine[u->copy[c].routine[terminal->routine]];
            u->path[n++] = (struct held_path){r->id, terminal->path, counts[t], c, t, r};
        }
        free(counts);
    }
    u->n_paths = n;
    if (n > 0)
        qsort(u->path, n, sizeof *u->path, compare_paths);
}

static uint64_t holders_of(const struct uniting *u, const struct held_path *p)
{
    const struct wpp_terminal *t = wpp_terminal(u->copy[p->copy].w, p->terminal);

    const struct p3_entry *e = p->routine->entry;
    struct pn_graph *g;
    uint64_t holders;

    if (!e || !t->left)
        return e ? p3_holders(u->plan, e, t->edges, t->n_edges) : 1;
    g = need(graph_of_routine(p->routine->r));
    holders = p3_holders_of_prefix(u->plan, e, g, t->edges, t->n_edges);
    pn_free(g);
    return holders;
}

static void note_difference(struct uniting *u, const struct held_path *least,
                            const struct held_path *largest)
{
    u->n_different++;
    u->different_executions += largest->count - least->count;
    u->n_different_routines += u->n_different == 1 || u->last_different != least->id;
    u->last_different = least->id;
    if (largest->count - least->count > u->most[1].count - u->most[0].count) {
        u->most[0] = *least;
        u->most[1] = *largest;
    }
}

/* The counts of one path in its holders: those in path[0 .. n), and 0 in others. */
static void compare_holders(struct uniting *u, const struct held_path *path, size_t n,
                            uint64_t holders)
{
    struct held_path least = path[0], largest = path[0];

    for (uint32_t c = 0; c < u->plan->copies; c++) {
        struct held_path its = path[0];

        if (!(holders >> c & 1))
            continue;
        its.copy = c;
        its.count = 0;
        for (size_t i = 0; i < n; i++)
            its.count += path[i].copy == c ? path[i].count : 0;
        if (c == (uint32_t)__builtin_ctzll(holders))
            least = largest = its;
        least = its.count < least.count ? its : least;
        largest = its.count > largest.count ? its : largest;
    }
    u->n_shared++;
    u->shared_executions += largest.count;
    if (least.count != largest.count)
        note_difference(u, &least, &largest);
}

static void unite_path(struct uniting *u, const struct held_path *path, size_t n)
{
    uint64_t holders = holders_of(u, &path[0]);
    uint32_t owner = holders ? (uint32_t)__builtin_ctzll(holders) : 0;

    for (size_t i = 0; i < n; i++) {
        if (!(holders >> path[i].copy & 1))
            tool_die(TOOL_ERROR, "%s counts path %" PRIu64 " of %s, which the plan gives to other "
                     "copies", u->copy[path[i].copy].name, path[i].path, path[i].routine->r->shown);
        u->copy[path[i].copy].left_out[path[i].terminal] = path[i].copy != owner;
    }
    if (holders & (holders - 1))
        compare_holders(u, path, n, holders);
}

static void unite_paths(struct uniting *u)
{
    for (size_t i = 0, end; i < u->n_paths; i = end) {
        for (end = i + 1; end < u->n_paths && u->path[end].id == u->path[i].id
                          && u->path[end].path == u->path[i].path;)
            end++;
        unite_path(u, &u->path[i], end - i);
    }
}

/* ---- The result ---------------------------------------------------------------------------------------- */

static void write_union(struct uniting *u, const char *out, bool force)
{
    struct profile_input inputs[P3_MAX_COPIES];
    const bool *left_out[P3_MAX_COPIES];
    struct profile_merged merged;
    struct wpp_bytes file = {0};
    struct wpp_output *output;
    struct wpp_error error;

    for (uint32_t c = 0; c < u->plan->copies; c++) {
        inputs[c] = (struct profile_input){u->copy[c].w, u->copy[c].name};
        left_out[c] = u->copy[c].left_out;
    }
    if (!profile_unite(inputs, left_out, u->plan->copies, &file, &merged, &error))
        tool_die_error(&error);
    if (merged.n_apart > 0)
        tool_die(TOOL_ERROR, "%u routines differ among the copies, as %s (%s:%u): they were not built "
                 "of the same sources", merged.n_apart, merged.apart->shown, merged.apart->file,
                 merged.apart->line);
    output = tool_output(out, force, u->copy[0].name);
    if (!wpp_output_write(output, file.data, file.size, &error)) {
        wpp_output_abandon(output);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(output, &error))
        tool_die_error(&error);
    wpp_bytes_free(&file);
}

static int say_how_exact(const struct uniting *u)
{
    const struct held_path *a = &u->most[0], *b = &u->most[1];

    if (u->plan->copies == 1)
        tool_warn("exact: one copy counts all");
    else if (u->n_shared == 0)
        tool_warn("nothing was compared: the copies share no path that was executed");
    else if (u->n_different == 0)
        tool_warn("exact: %u copies agree on %s shared paths, executed %s times", u->plan->copies,
                  tool_grouped(u->n_shared), tool_grouped(u->shared_executions));
    if (u->n_different == 0)
        return TOOL_OK;
    tool_warn("not exact: %s of %s shared paths, in %s routine%s, differ among the copies by %.3g %% "
              "of their executions; most of all path %" PRIu64 " of %s: %s in copy %u, %s in copy %u",
              tool_grouped(u->n_different), tool_grouped(u->n_shared),
              tool_grouped(u->n_different_routines), u->n_different_routines == 1 ? "" : "s",
              100.0 * (double)u->different_executions / (double)u->shared_executions, b->path,
              b->routine->r->shown, tool_grouped(a->count), a->copy + 1, tool_grouped(b->count),
              b->copy + 1);
    return TOOL_INCOMPLETE;
}

int p3_unite(const struct p3_plan *plan, char *const *files, uint32_t n, const char *out, bool force)
{
    struct uniting u = {.plan = plan};
    int status;

    open_copies(&u, files, n);
    take_routines(&u);
    take_paths(&u);
    unite_paths(&u);
    write_union(&u, out, force);
    status = say_how_exact(&u);
    for (uint32_t c = 0; c < plan->copies; c++) {
        struct wpp_summary run;

        wpp_get_summary(u.copy[c].w, &run);
        if (!run.complete || run.lost) {
            tool_warn("copy %u is incomplete (%s)", c + 1, tool_why_incomplete(&run));
            status = TOOL_INCOMPLETE;
        }
        wpp_close((wpp *)u.copy[c].w);
        free(u.copy[c].left_out);
        free(u.copy[c].routine);
    }
    free(u.routine);
    free(u.path);
    return status;
}

int p3_merge_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'}, {"output", required_argument, NULL, 'o'},
        {"plan", required_argument, NULL, 'P'}, {"force", no_argument, NULL, 'f'}, TOOL_OPTIONS
    };
    const char *dir = "p3", *out = NULL, *file = NULL;
    struct p3_plan *plan;
    bool force = false;
    int option, status;

    while ((option = tool_option(argc, argv, "d:o:fhV", options)) != -1)
        switch (option) {
        case 'd': dir = optarg; break;
        case 'o': out = optarg; break;
        case 'P': file = optarg; break;
        case 'f': force = true; break;
        case 'h': tool_help(p3_help);
        case 'V': tool_version();
        }
    if (!out)
        tool_usage("merge: -o says where the profile is to be written");
    if (optind == argc)
        tool_usage("merge: no file given");
    for (int i = optind; i < argc; i++)
        if (wpp_output_is_input(out, argv[i]))
            tool_die(TOOL_ERROR, "%s: output and input are the same file", argv[i]);
    plan = p3_open_plan(file ? file : p3_text("%s/plan", dir));
    status = p3_unite(plan, argv + optind, (uint32_t)(argc - optind), out, force);
    p3_plan_free(plan);
    return status;
}
