/* SPDX-License-Identifier: MIT */
/* callgrind.c - a callgrind profile: self costs by line, calls with their inclusive costs, branches.
 *
 *      fn=(3) sort             a routine; names get numbers when they first occur
 *      12 40                   line, instructions
 *      fi=(5) swap.h           code of this file, inlined
 *      7 16
 *      fe=(2) sort.c
 *      jcnd=9/10 12            9 of 10 executions of line 14 went on at line 12
 *      14
 *      cfn=(4) compare         from line 13: 10 calls, which cost 120
 *      calls=10 30
 *      13 120
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/export/export-run.h"
#include "wpp/export/locations.h"
#include "wpp/profile/call-sums.h"
#include "wpp/profile/flow.h"
#include "wpp/profile/tree-walk.h"
#include "wpp/replay/source-files.h"

enum row_kind { ROW_SELF, ROW_BRANCH, ROW_CALL };

/* Something that happened at a line of a routine. */
struct row {
    uint32_t routine, file, line, kind;
    uint32_t to_file, to_line;     /* of a branch; a call: `to_line` is the callee's number */
    double cost;                   /* or executions of the branch */
    double count;                  /* of calls; how often the branch was taken */
};

struct writing {
    struct export_run *r;
    FILE *out;
    struct source_files files;
    uint32_t *own_file;            /* by routine */
    struct row *row;
    size_t n, room;
    uint32_t routine;              /* whose locations are visited */
    bool *file_known, *fn_known;   /* whose names were written */
    const char **object;           /* names of modules */
    uint32_t n_objects, objects_known;
    double total;
};

static bool add_row(struct writing *x, struct row row)
{
    if (x->n == x->room) {
        size_t room = 2 * x->room + 1024;
        struct row *rows = realloc(x->row, room * sizeof *rows);

        if (!rows)
            return false;
        x->row = rows;
        x->room = room;
    }
    x->row[x->n++] = row;
    return true;
}

static bool add_at(struct writing *x, uint32_t routine, const struct wpp_line *where, struct row row)
{
    row.routine = routine;
    row.file = source_files_add(&x->files, wpp_routine(x->r->w, routine)->directory, where->file);
    row.line = where->line;
    return row.file != SOURCE_FILE_NONE && add_row(x, row);
}

/* ---- Self costs and branches ------------------------------------------------------------------- */

static bool add_self(void *ctx, const struct wpp_line *where, double cost)
{
    struct writing *x = ctx;

    x->total += cost;
    return add_at(x, x->routine, where, (struct row){.kind = ROW_SELF, .cost = cost});
}

static const struct wpp_line *last_line(const struct wpp_block *b)
{
    for (uint32_t i = b->n_lines; i-- > 0;)
        if (b->lines[i].line > 0)
            return &b->lines[i];
    return NULL;
}

static const struct wpp_line *first_line(const struct wpp_block *b)
{
    for (uint32_t i = 0; i < b->n_lines; i++)
        if (b->lines[i].line > 0)
            return &b->lines[i];
    return NULL;
}

/* The branches of a block that control left in several directions. */
static bool add_branches(struct writing *x, const struct wpp_routine *routine, const struct flow *f,
                         uint32_t block)
{
    const struct wpp_line *from = last_line(&routine->blocks[block]), *to;
    uint32_t n = f->first[block + 1] - f->first[block];
    struct row row = {.kind = ROW_BRANCH, .cost = (double)f->block[block]};
    bool ok = true;

    for (uint32_t i = f->first[block]; ok && n > 1 && from && i < f->first[block + 1]; i++) {
        to = first_line(&routine->blocks[f->arc[i].dst]);
        if (!to || f->arc[i].count == 0)
            continue;
        row.to_file = source_files_add(&x->files, routine->directory, to->file);
        row.to_line = to->line;
        row.count = (double)f->arc[i].count;
        ok = row.to_file != SOURCE_FILE_NONE && add_at(x, x->routine, from, row);
    }
    return ok;
}

/* What paths without instructions cost. */
static double cost_of_empty(const struct export_run *r, uint32_t routine)
{
    double cost = 0;

    for (uint32_t i = r->first_path[routine]; i < r->first_path[routine + 1]; i++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, r->paths[i]);
        double rest = (double)t->insns;

        for (uint32_t k = 0; k < t->n_blocks; k++)
            rest -= wpp_routine(r->w, routine)->blocks[t->blocks[k]].insns;
        cost += rest * (double)r->count[r->paths[i]];
    }
    return cost;
}

static bool add_routine(struct writing *x, uint32_t number)
{
    const struct wpp_routine *routine = wpp_routine(x->r->w, number);
    uint64_t *block = calloc(routine->n_blocks + (size_t)1, sizeof *block);
    uint64_t *edge = calloc(routine->n_edges + (size_t)1, sizeof *edge);
    struct wpp_line where = location_of_routine(routine);
    double empty = cost_of_empty(x->r, number);
    struct flow flow = {0};
    bool ok = block && edge;

    x->routine = number;
    if (ok)
        export_sum(x->r, number, block, edge);
    ok = ok && flow_new(&flow, routine, block, edge) && (empty == 0 || add_self(x, &where, empty));
    for (uint32_t b = 0; ok && b < routine->n_blocks; b++)
        ok = locations_of_block(&routine->blocks[b], (double)block[b] * routine->blocks[b].insns, &where,
                                add_self, x)
          && add_branches(x, routine, &flow, b);
    flow_free(&flow);
    free(block);
    free(edge);
    return ok;
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

static bool add_calls(struct writing *x)
{
    const wpp *w = x->r->w;
    struct call_sums calls;
    bool ok = call_sums_new(&calls, &x->r->costs, CALLS_BY_SITE, true);

    for (size_t i = 0; ok && i < calls.n; i++) {
        const struct call_sum *c = &calls.sum[i];
        struct wpp_line where = c->terminal == WALK_NONE ? location_of_routine(wpp_routine(w, c->caller))
                                                         : location_of_end(w, c->terminal);

        ok = add_at(x, c->caller, &where, (struct row){.kind = ROW_CALL, .to_line = c->callee,
                                                       .cost = c->cost, .count = c->calls});
    }
    call_sums_free(&calls);
    return ok;
}

/* ---- Order ---------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->to_file != y->to_file)
        return x->to_file < y->to_file ? -1 : 1;
    return (x->to_line > y->to_line) - (x->to_line < y->to_line);
}

static void join_rows(struct writing *x)
{
    size_t n = 0;

    if (x->n > 0)
        qsort(x->row, x->n, sizeof *x->row, compare_rows);
    for (size_t i = 0; i < x->n; i++) {
        if (n > 0 && compare_rows(&x->row[n - 1], &x->row[i]) == 0) {
            x->row[n - 1].cost += x->row[i].cost;
            x->row[n - 1].count += x->row[i].count;
        } else {
            x->row[n++] = x->row[i];
        }
    }
    x->n = n;
}

/* ---- Text ------------------------------------------------------------------------------------------- */

static void put_numbered(FILE *out, const char *key, uint32_t number, bool *known, const char *name)
{
    fprintf(out, "%s=(%" PRIu32 ")", key, number + 1);
    if (!*known) {
        putc(' ', out);
        name_put(out, name);
        *known = true;
    }
    putc('\n', out);
}

static void put_file(struct writing *x, const char *key, uint32_t file)
{
    put_numbered(x->out, key, file, &x->file_known[file], x->files.file[file].path);
}

static void put_function(struct writing *x, const char *key, uint32_t number)
{
    const struct wpp_routine *routine = wpp_routine(x->r->w, number);

    put_numbered(x->out, key, number, &x->fn_known[number],
                 export_name(x->r, routine->name, routine->shown));
}

static void put_object(struct writing *x, const char *key, const char *module)
{
    uint32_t i = 0;
    bool known;

    while (i < x->n_objects && strcmp(x->object[i], module) != 0)
        i++;
    known = i < x->n_objects;
    if (!known)
        x->object[x->n_objects++] = module;
    put_numbered(x->out, key, i, &known, *module ? module : "(unknown)");
}

static void put_call(struct writing *x, const struct row *row)
{
    const struct wpp_routine *callee = wpp_routine(x->r->w, row->to_line);

    put_object(x, "cob", callee->module);
    put_file(x, "cfi", x->own_file[row->to_line]);
    put_function(x, "cfn", row->to_line);
    fprintf(x->out, "calls=%.0f %" PRIu32 "\n%" PRIu32 " %.0f\n", row->count, callee->line, row->line,
            row->cost);
}

static void put_row(struct writing *x, const struct row *row)
{
    switch (row->kind) {
    case ROW_SELF: fprintf(x->out, "%" PRIu32 " %.0f\n", row->line, row->cost); break;
    case ROW_CALL: put_call(x, row); break;
    case ROW_BRANCH:
        if (row->to_file != row->file)
            put_file(x, "jfi", row->to_file);
        fprintf(x->out, "jcnd=%.0f/%.0f %" PRIu32 "\n%" PRIu32 "\n", row->count, row->cost, row->to_line,
                row->line);
    }
}

static void put_rows(struct writing *x)
{
    uint32_t file = 0;

    for (size_t i = 0; i < x->n && !ferror(x->out); i++) {
        const struct row *row = &x->row[i];
        uint32_t own = x->own_file[row->routine];

        if (i == 0 || row->routine != row[-1].routine) {
            putc('\n', x->out);
            put_object(x, "ob", wpp_routine(x->r->w, row->routine)->module);
            put_file(x, "fl", own);
            put_function(x, "fn", row->routine);
            file = own;
        }
        if (row->file != file)
            put_file(x, row->file == own ? "fe" : "fi", row->file);
        file = row->file;
        put_row(x, row);
    }
}

static void put_head(struct writing *x)
{
    struct wpp_summary run;

    wpp_get_summary(x->r->w, &run);
    fprintf(x->out, "# callgrind format\nversion: 1\ncreator: wpp-export " WPP_VERSION "\n");
    fprintf(x->out, "pid: %" PRIu32 "\ncmd: ", run.pid);
    name_put(x->out, *run.command ? run.command : "(unknown)");
    fprintf(x->out, "\ndesc: Clock: instructions as GCC estimated them, no time\n");
    if (!x->r->in_order)
        fprintf(x->out, "desc: Calls: unknown, this is a path profile\n");
    fprintf(x->out, "positions: line\nevent: Insns : Instructions (GCC's estimate)\nevents: Insns\n");
    fprintf(x->out, "summary: %.0f\n", export_total(x->r));
}

/* Cost of events that no routine is known of. */
static void put_unread(struct writing *x)
{
    double unread = export_total(x->r) - x->total;

    if (unread > 0)
        fprintf(x->out, "\nfl=(%" PRIu32 ") ???\nfn=(%" PRIu32 ") (not read)\n0 %.0f\n", x->files.n + 1,
                x->r->n_routines + 1, unread);
    fprintf(x->out, "\ntotals: %.0f\n", export_total(x->r));
}

static bool begin(struct writing *x)
{
    uint32_t n = x->r->n_routines;

    x->own_file = calloc(n + (size_t)1, sizeof *x->own_file);
    x->fn_known = calloc(n + (size_t)1, sizeof *x->fn_known);
    x->object = calloc(n + (size_t)1, sizeof *x->object);
    if (!x->own_file || !x->fn_known || !x->object)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_routine *routine = wpp_routine(x->r->w, i);

        x->own_file[i] = source_files_add(&x->files, routine->directory, routine->file);
        if (x->own_file[i] == SOURCE_FILE_NONE)
            return false;
    }
    return true;
}

bool export_callgrind(struct export_run *r)
{
    struct writing x = {.r = r, .out = r->out};
    bool ok = begin(&x);

    for (uint32_t i = 0; ok && i < r->n_routines; i++)
        if (export_has(r, i))
            ok = add_routine(&x, i);
    ok = ok && (!r->in_order || add_calls(&x)) && source_files_name(&x.files)
      && (x.file_known = calloc(x.files.n + (size_t)1, sizeof *x.file_known));
    if (ok) {
        join_rows(&x);
        put_head(&x);
        put_rows(&x);
        put_unread(&x);
    }
    source_files_free(&x.files);
    free(x.own_file);
    free(x.fn_known);
    free(x.file_known);
    free(x.object);
    free(x.row);
    return ok;
}
