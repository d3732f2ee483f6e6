/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-facts.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/last-path.h"

#define NONE UINT32_MAX

void run_facts_begin(struct run_facts *f)
{
    f->n = f->n_spans = f->n_loops = f->n_threads = 0;
    f->events = 0;
    f->stamp++;
    run_facts_add(f, 0);
}

void run_facts_free(struct run_facts *f)
{
    free(f->predicate);
    free(f->span);
    free(f->loop);
    free(f->seen);
    *f = (struct run_facts){0};
}

static bool make_seen(struct run_facts *f, uint32_t predicate)
{
    uint32_t n = f->n_seen ? f->n_seen : 1024, *larger;

    if (predicate < f->n_seen)
        return true;
    while (n <= predicate)
        n *= 2;
    larger = realloc(f->seen, n * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + f->n_seen, 0, (n - f->n_seen) * sizeof *larger);
    f->seen = larger;
    f->n_seen = n;
    return true;
}

static bool make_room(struct run_facts *f)
{
    uint32_t n = f->capacity ? 2 * f->capacity : 1024, *larger;

    if (f->n < f->capacity)
        return true;
    larger = realloc(f->predicate, n * sizeof *larger);
    if (!larger)
        return false;
    f->predicate = larger;
    f->capacity = n;
    return true;
}

void run_facts_add(struct run_facts *f, uint32_t predicate)
{
    if (!make_seen(f, predicate) || !make_room(f)) {
        f->failed = true;
        return;
    }
    if (f->seen[predicate] == f->stamp)
        return;
    f->seen[predicate] = f->stamp;
    f->predicate[f->n++] = predicate;
}

bool run_facts_most(struct run_facts *f, uint32_t header, uint64_t most)
{
    if (f->n_loops == f->loop_capacity) {
        uint32_t n = 2 * f->loop_capacity + 64;
        struct loop_most *larger = realloc(f->loop, n * sizeof *larger);

        if (!larger)
            return false;
        f->loop = larger;
        f->loop_capacity = n;
    }
    for (uint32_t i = 0; i < f->n_loops; i++)
        if (f->loop[i].header == header) {
            if (most > f->loop[i].most)
                f->loop[i].most = most;
            return true;
        }
    f->loop[f->n_loops++] = (struct loop_most){header, most};
    return true;
}

/* ---- Names ---------------------------------------------------------------------------------- */

static bool name_all(struct facts_names *names, struct vocabulary *v, const wpp *w, bool *kept)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    *names = (struct facts_names){.w = w, .n_terminals = run.n_terminals, .n_routines = run.n_routines};
    names->routine = malloc((run.n_routines + (size_t)1) * sizeof *names->routine);
    names->path = malloc((run.n_terminals + (size_t)1) * sizeof *names->path);
    if (!names->routine || !names->path)
        return false;
    for (uint32_t i = 0; i < run.n_routines; i++)
        names->routine[i] = vocabulary_routine(v, w, i, kept);
    for (uint32_t t = 0; t < run.n_terminals && !v->failed; t++) {
        uint32_t r = wpp_terminal(w, t)->routine;

        names->path[t] = r == WPP_NO_ROUTINE ? NONE : vocabulary_path(v, w, t, names->routine[r]);
    }
    return !v->failed;
}

static void free_names(struct facts_names *names)
{
    free(names->routine);
    free(names->path);
}

/* ---- Facts ---------------------------------------------------------------------------------- */

static void add_implied(struct run_facts *f, const struct implied *implied)
{
    for (uint32_t i = 0; i < implied->n; i++)
        run_facts_add(f, implied->predicate[i]);
}

static void add_routine(struct run_facts *f, const struct vocabulary *v, uint32_t routine)
{
    run_facts_add(f, v->routine[routine].predicate);
    add_implied(f, &v->routine[routine].implied);
}

static void add_paths(struct run_facts *f, const struct vocabulary *v,
                      const struct facts_names *names)
{
    for (uint32_t i = 0; i < names->n_routines; i++)
        add_routine(f, v, names->routine[i]);
    for (uint32_t t = 0; t < names->n_terminals; t++) {
        if (names->path[t] == NONE)
            continue;
        run_facts_add(f, v->path[names->path[t]].predicate);
        add_implied(f, &v->path[names->path[t]].implied);
    }
}

static void add_line(struct run_facts *f, struct vocabulary *v, const struct wpp_line *line)
{
    uint32_t p = vocabulary_line(v, line->file, line->line);

    run_facts_add(f, p);
    run_facts_add(f, v->predicate[p].site);
}

/* The path on which a signal killed the process has not ended, so it is no event: but lines that it
 * passed for certain were executed. */
static bool add_last_path(struct run_facts *f, struct vocabulary *v, const wpp *w,
                          struct wpp_error *error)
{
    struct wpp_summary run;
    struct last_path last;

    wpp_get_summary(w, &run);
    if (run.killed == 0 || run.is_profile || run.n_threads == 0)
        return true;
    if (!last_path_of_run(w, &last, error))
        return false;
    if (last.kind == LAST_PATH_PART) {
        for (uint32_t i = 0; i < last.n_pieces; i++)
            for (size_t k = 0; k < last.pieces[i].n; k++)
                add_line(f, v, &last.pieces[i].line[k]);
    }
    last_path_free(&last);
    return true;
}

bool run_facts_of(struct run_facts *f, struct vocabulary *v, const wpp *w, bool *kept,
                  struct wpp_error *error)
{
    struct wpp_summary run;
    struct facts_names names;
    bool done;

    *kept = false;
    wpp_get_summary(w, &run);
    done = name_all(&names, v, w, kept) || wpp_fail_memory(error);
    if (done) {
        add_paths(f, v, &names);
        done = add_last_path(f, v, w, error);
    }
    if (done && !run.is_profile)
        done = (facts_of_order(f, v, &names) || wpp_fail_memory(error)) &&
               facts_of_calls(f, v, &names, error);
    free_names(&names);
    f->n_threads += run.n_threads;
    f->events += run.tokens;
    return done && ((!f->failed && !v->failed) || wpp_fail_memory(error));
}
