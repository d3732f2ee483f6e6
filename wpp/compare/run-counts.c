/* SPDX-License-Identifier: MIT */
#include "wpp/compare/run-counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

/* Instructions of a line are fractions, whose sums are not exact. */
#define LEAST_DIFFERENCE 0.5

struct counting {
    struct run_counts *out;
    const struct profile_diff *profile;
    struct common_keys keys;       /* by line */
};

static const wpp *run_of(const struct counting *c, unsigned side)
{
    return c->profile->side[side]->w;
}

/* ---- Order ---------------------------------------------------------------------------------- */

static double difference(const struct count_row *r)
{
    return fabs(r->insns[SIDE_B] - r->insns[SIDE_A]);
}

static int compare_places(const struct count_row *x, const struct count_row *y)
{
    int order = strcmp(x->file, y->file);

    if (order != 0)
        return order;
    return (x->line > y->line) - (x->line < y->line);
}

static int compare_rows(const void *a, const void *b)
{
    const struct count_row *x = a, *y = b;
    int order;

    if (difference(x) != difference(y))
        return difference(x) > difference(y) ? -1 : 1;
    order = compare_places(x, y);
    if (order == 0)
        order = strcmp(x->routine->name, y->routine->name);
    if (order == 0 && x->path && y->path)
        order = (x->path->path > y->path->path) - (x->path->path < y->path->path);
    return order;
}

static int by_place(const void *a, const void *b)
{
    return compare_places(a, b);
}

/* Keeps what differs, in order. */
static void rank(struct count_rows *rows)
{
    size_t kept = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct count_row *r = &rows->row[i];

        if (r->executions[SIDE_A] != r->executions[SIDE_B]
            || difference(r) >= LEAST_DIFFERENCE)
            rows->row[kept++] = *r;
    }
    rows->n = kept;
    if (kept > 0)
        qsort(rows->row, kept, sizeof *rows->row, compare_rows);
}

/* ---- Routines ------------------------------------------------------------------------------- */

static bool count_routines(struct counting *c)
{
    struct count_rows *rows = &c->out->routines;
    const struct common_keys *k = &c->keys;

    rows->row = calloc(k->n_routines + (size_t)1, sizeof *rows->row);
    if (!rows->row)
        return false;
    for (unsigned s = 0; s < 2; s++)
        for (uint32_t i = 0; i < k->side[s].n_routines; i++) {
            const struct profile_routine *p = &c->profile->side[s]->routine[i];
            struct count_row *r = &rows->row[k->side[s].routine[i]];

            if (k->side[s].ignored[i])
                continue;
            if (!r->routine)
                r->routine = wpp_routine(run_of(c, s), i);
            r->executions[s] += (double)p->entered;
            r->insns[s] += p->cost;
            r->has[s] |= p->count > 0;
        }
    for (uint32_t i = 0; i < k->n_routines; i++) {
        struct count_row r = rows->row[i];

        if (!r.routine)
            continue;
        r.file = r.routine->file;
        r.line = r.routine->line;
        rows->row[rows->n++] = r;
    }
    rank(rows);
    return true;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* The place of a key as A has it, or would have it. */
static struct count_row line_row(const struct counting *c, uint32_t key)
{
    unsigned s = c->keys.home[key][SIDE_A].known ? SIDE_A : SIDE_B;
    const struct key_home *home = &c->keys.home[key][s];
    const struct wpp_routine *own = wpp_routine(run_of(c, s), home->routine);
    struct count_row r = {.routine = own, .file = home->line->file, .line = home->line->line};
    uint32_t twin = c->keys.routine_of[SIDE_A][c->keys.side[s].routine[home->routine]];

    if (s == SIDE_B && twin != WPP_NO_ROUTINE && strcmp(r.file, own->file) == 0) {
        r.routine = wpp_routine(run_of(c, SIDE_A), twin);
        r.file = r.routine->file;
        r.line = r.line - own->line + r.routine->line;
    }
    return r;
}

/* A line of several routines, or in several inlined copies, is one row. */
static void join_lines(struct count_rows *rows)
{
    size_t kept = 0;

    if (rows->n > 0)
        qsort(rows->row, rows->n, sizeof *rows->row, by_place);
    for (size_t i = 0; i < rows->n; i++) {
        struct count_row *last = &rows->row[kept - (kept > 0)], *r = &rows->row[i];

        if (kept == 0 || compare_places(last, r) != 0) {
            rows->row[kept++] = *r;
            continue;
        }
        for (unsigned s = 0; s < 2; s++) {
            last->executions[s] += r->executions[s];
            last->insns[s] += r->insns[s];
            last->has[s] |= r->has[s];
        }
    }
    rows->n = kept;
}

static bool count_lines(struct counting *c)
{
    struct count_rows *rows = &c->out->lines;
    uint32_t n = c->keys.n;
    double *executions[2], *insns[2];
    bool ok = true;

    rows->row = calloc(n + (size_t)1, sizeof *rows->row);
    for (unsigned s = 0; s < 2; s++) {
        executions[s] = calloc(n + (size_t)1, sizeof *executions[s]);
        insns[s] = calloc(n + (size_t)1, sizeof *insns[s]);
        ok = ok && executions[s] && insns[s];
    }
    ok = ok && rows->row;
    for (unsigned s = 0; ok && s < 2; s++)
        for (uint32_t i = 0; i < c->profile->side[s]->n_paths; i++) {
            const struct profile_path *p = &c->profile->side[s]->path[i];

            common_keys_add_lines(&c->keys, s, p->terminal, (double)p->count, executions[s],
                                  insns[s]);
        }
    for (uint32_t key = 0; ok && key < n; key++) {
        struct count_row r;

        if (!c->keys.home[key][SIDE_A].line && !c->keys.home[key][SIDE_B].line)
            continue;
        r = line_row(c, key);
        for (unsigned s = 0; s < 2; s++) {
            r.executions[s] = executions[s][key];
            r.insns[s] = insns[s][key];
            r.has[s] = executions[s][key] > 0 || insns[s][key] > 0;
        }
        rows->row[rows->n++] = r;
    }
    for (unsigned s = 0; s < 2; s++) {
        free(executions[s]);
        free(insns[s]);
    }
    if (ok) {
        join_lines(rows);
        rank(rows);
    }
    return ok;
}

/* ---- Paths ---------------------------------------------------------------------------------- */

static bool count_paths(struct counting *c)
{
    const struct profile_diff *d = c->profile;
    struct count_rows *rows = &c->out->paths;

    rows->row = calloc(d->n_paths + (size_t)1, sizeof *rows->row);
    if (!rows->row)
        return false;
    for (uint32_t i = 0; i < d->n_paths; i++) {
        const struct diff_path *p = &d->path[i];
        unsigned s = p->terminal[SIDE_A] == DIFF_NONE ? SIDE_B : SIDE_A;
        const struct wpp_terminal *t = wpp_terminal(run_of(c, s), p->terminal[s]);
        const struct wpp_routine *routine = wpp_routine(run_of(c, s), t->routine);
        struct count_row r = {.routine = routine, .file = routine->file, .line = routine->line,
                              .path = t, .side = s, .terminal = p->terminal[s]};

        /* Of a routine that was compiled to other code, the numbers mean other paths. */
        if (d->routine[p->routine].changed || c->keys.side[s].ignored[t->routine])
            continue;
        for (unsigned k = 0; k < 2; k++) {
            r.executions[k] = (double)p->count[k];
            r.insns[k] = (double)p->count[k] * (double)t->insns;
            r.has[k] = p->count[k] > 0;
        }
        rows->row[rows->n++] = r;
    }
    rank(rows);
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------ */

bool run_counts_new(struct run_counts *out, const struct profile_diff *profile,
                    char *const *ignore, size_t n_ignore, struct wpp_error *error)
{
    struct counting c = {.out = out, .profile = profile};
    const wpp *w[2] = {profile->side[SIDE_A]->w, profile->side[SIDE_B]->w};
    bool ok;

    *out = (struct run_counts){.insns = {profile->side[SIDE_A]->cost, profile->side[SIDE_B]->cost}};
    if (!common_keys_new(&c.keys, w, COMMON_BY_LINE, ignore, n_ignore, error))
        return false;
    ok = count_routines(&c) && count_lines(&c) && count_paths(&c);
    common_keys_free(&c.keys);
    if (ok)
        return true;
    run_counts_free(out);
    return wpp_fail_memory(error);
}

void run_counts_free(struct run_counts *c)
{
    free(c->routines.row);
    free(c->lines.row);
    free(c->paths.row);
    *c = (struct run_counts){0};
}
