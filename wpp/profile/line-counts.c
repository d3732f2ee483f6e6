/* SPDX-License-Identifier: MIT */
/* line-counts.c - executions of source lines, by gcov's definition. */

#include "wpp/profile/line-counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/flow.h"
#include "wpp/replay/line-trail.h"
#include "wpp/replay/source-files.h"

/* A line in a block. */
struct place {
    uint32_t file, line, block;
    uint32_t order;        /* position in the block's list */
    bool again;            /* the line occurs earlier in the list */
    bool owns;             /* the block belongs to this line */
};

/* The contribution of one scope to a line.  Copies of a routine are scopes of their own; all other
 * routines share SCOPE_COMMON. */
struct share {
    uint32_t file, line, scope;
    bool owns;             /* the line owns some block: `entered` counts */
    uint64_t entered;      /* entries plus rounds */
    uint64_t stood;        /* executions of blocks that contain it */
};
#define SCOPE_COMMON UINT32_MAX

struct counting {
    const struct line_program *program;
    struct source_files files;
    uint64_t **blocks, **edges;    /* executions, by routine */
    bool *copied;                  /* by routine: another one begins at the same line */
    struct share *shares;
    size_t n_shares, capacity;
};

/* ---- From terminals to blocks and edges ----------------------------------------- */

static bool count_graph(struct counting *c)
{
    const struct line_program *p = c->program;

    c->blocks = calloc(p->n_routines + 1, sizeof *c->blocks);
    c->edges = calloc(p->n_routines + 1, sizeof *c->edges);
    if (!c->blocks || !c->edges)
        return false;
    for (uint32_t r = 0; r < p->n_routines; r++) {
        c->blocks[r] = calloc(p->routines[r]->n_blocks + 1, sizeof **c->blocks);
        c->edges[r] = calloc(p->routines[r]->n_edges + 1, sizeof **c->edges);
        if (!c->blocks[r] || !c->edges[r])
            return false;
    }
    for (uint32_t i = 0; i < p->n_terminals; i++) {
        const struct wpp_terminal *t = p->terminals[i];
        if (t->routine == WPP_NO_ROUTINE)
            continue;
        assert(t->routine < p->n_routines);
        for (uint32_t k = 0; k < t->n_blocks; k++)
            c->blocks[t->routine][t->blocks[k]] += p->counts[i];
        for (uint32_t k = 0; k < t->n_edges; k++)
            c->edges[t->routine][t->edges[k]] += p->counts[i];
    }
    return true;
}

/* ---- Copies of a routine ------------------------------------------------------------ */

struct definition { uint32_t file, line, routine; };

static int compare_definitions(const void *a, const void *b)
{
    const struct definition *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool find_copies(struct counting *c)
{
    uint32_t routines = c->program->n_routines, n = 0;
    struct definition *defined = calloc(routines + 1, sizeof *defined);
    bool ok = defined != NULL;

    c->copied = calloc(routines + 1, sizeof *c->copied);
    ok = ok && c->copied;
    /* A lambda and the constructor that GCC makes for it begin at one line, but are no copies. */
    for (uint32_t r = 0; ok && r < routines; r++) {
        const struct wpp_routine *routine = c->program->routines[r];
        uint32_t file;
        if (routine->flags & WPP_ROUTINE_ARTIFICIAL)
            continue;
        file = source_files_add(&c->files, routine->directory, routine->file);
        defined[n++] = (struct definition){file, routine->line, r};
        ok = file != SOURCE_FILE_NONE;
    }
    if (ok)
        qsort(defined, n, sizeof *defined, compare_definitions);
    for (uint32_t i = 1; ok && i < n; i++)
        if (compare_definitions(&defined[i - 1], &defined[i]) == 0)
            c->copied[defined[i - 1].routine] = c->copied[defined[i].routine] = true;
    free(defined);
    return ok;
}

/* ---- Lines of a routine --------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_order(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Marks, in the places of one block, those that repeat an earlier line, and the greatest line of
 * each run of one file.  Leaves them in the order of the block's list. */
static void mark_owners(struct place *place, uint32_t n)
{
    struct place *greatest = NULL;

    qsort(place, n, sizeof *place, compare_places);
    for (uint32_t i = 1; i < n; i++)
        place[i].again = place[i].file == place[i - 1].file && place[i].line == place[i - 1].line;
    qsort(place, n, sizeof *place, compare_order);
    for (uint32_t i = 0; i < n; i++) {
        if (place[i].again)
            continue;
        if (greatest && greatest->file == place[i].file) {
            if (greatest->line > place[i].line)
                continue;
            greatest->owns = false;
        }
        greatest = &place[i];
        greatest->owns = true;
    }
}

/* Collects all places of a routine, sorted; the caller frees *out.  False: no memory. */
static bool collect_places(struct counting *c, const struct wpp_routine *routine,
                           struct place **out, size_t *n_out)
{
    size_t n = 0;
    struct place *place;

    for (uint32_t b = 0; b < routine->n_blocks; b++)
        n += routine->blocks[b].n_lines;
    place = *out = calloc(n + 1, sizeof *place);
    *n_out = n;
    if (!place)
        return false;
    for (uint32_t b = 0; b < routine->n_blocks; b++) {
        const struct wpp_block *block = &routine->blocks[b];
        for (uint32_t i = 0; i < block->n_lines; i++) {
            uint32_t file = source_files_add(&c->files, routine->directory, block->lines[i].file);
            if (file == SOURCE_FILE_NONE)
                return false;
            assert(place + i < *out + n);
            place[i] = (struct place){file, block->lines[i].line, b, i, false, false};
        }
        mark_owners(place, block->n_lines);
        place += block->n_lines;
    }
    qsort(*out, n, sizeof **out, compare_places);
    return true;
}

static bool add_share(struct counting *c, const struct share *share)
{
    if (c->n_shares == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        struct share *shares = realloc(c->shares, capacity * sizeof *shares);
        if (!shares)
            return false;
        c->shares = shares;
        c->capacity = capacity;
    }
    assert(share->file < c->files.n);
    c->shares[c->n_shares++] = *share;
    return true;
}

/* Computes the share of a line whose places in a routine are place[0 .. n); `set` has room for n
 * blocks. */
static bool count_line(const struct flow *flow, const struct place *place, size_t n,
                       uint32_t *set, struct share *share)
{
    uint32_t n_set = 0;
    uint64_t rounds;

    for (size_t i = 0; i < n; i++) {
        if (!place[i].again)
            share->stood += flow->block[place[i].block];
        /* As gcov, which treats a routine's last block as its exit. */
        if (place[i].block + 1 == flow->n_blocks)
            continue;
        if (place[i].owns && (n_set == 0 || set[n_set - 1] != place[i].block))
            set[n_set++] = place[i].block;
    }
    assert(n_set <= n);
    if (n_set == 0)
        return true;
    share->owns = true;
    if (!flow_entries(flow, set, n_set, &share->entered, &rounds))
        return false;
    share->entered += rounds;
    return true;
}

static bool count_lines(struct counting *c, uint32_t r, const struct flow *flow,
                        const struct place *place, size_t n)
{
    const struct wpp_routine *routine = c->program->routines[r];
    uint32_t own_file = source_files_add(&c->files, routine->directory, routine->file);
    uint32_t *set = calloc(n + 1, sizeof *set);
    bool ok = set && own_file != SOURCE_FILE_NONE;

    for (size_t i = 0, end; ok && i < n; i = end) {
        struct share share = {.file = place[i].file, .line = place[i].line, .scope = SCOPE_COMMON};
        for (end = i; end < n && place[end].file == share.file && place[end].line == share.line;)
            end++;
        if (c->copied[r] && share.file == own_file && share.line >= routine->line)
            share.scope = r;
        ok = count_line(flow, place + i, end - i, set, &share) && add_share(c, &share);
    }
    free(set);
    return ok;
}

static bool count_routine(struct counting *c, uint32_t r)
{
    const struct wpp_routine *routine = c->program->routines[r];
    struct place *places = NULL;
    struct flow flow;
    size_t n;
    bool ok;

    if (!flow_new(&flow, routine, c->blocks[r], c->edges[r]))
        return false;
    ok = collect_places(c, routine, &places, &n) && count_lines(c, r, &flow, places, n);
    free(places);
    flow_free(&flow);
    return ok;
}

/* ---- Executions ------------------------------------------------------------------------- */

static bool count_path(struct counting *c, const struct wpp_terminal *t, uint64_t count)
{
    assert(t->routine < c->program->n_routines);
    const struct wpp_routine *routine = c->program->routines[t->routine];
    struct trail trail;
    bool ok = trail_of(t, routine, &trail);

    for (size_t i = 0; ok && i < trail.n; i++) {
        struct share share = {.line = trail.line[i].line, .scope = SCOPE_COMMON, .owns = true,
                              .entered = count};
        share.file = source_files_add(&c->files, routine->directory, trail.line[i].file);
        ok = share.file != SOURCE_FILE_NONE && add_share(c, &share);
    }
    trail_free(&trail);
    return ok;
}

static bool count_paths(struct counting *c)
{
    const struct line_program *p = c->program;
    bool ok = true;

    for (uint32_t i = 0; ok && i < p->n_terminals; i++)
        if (p->counts[i] > 0 && p->terminals[i]->routine != WPP_NO_ROUTINE)
            ok = count_path(c, p->terminals[i], p->counts[i]);
    return ok;
}

/* ---- The sum ----------------------------------------------------------------------------- */

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->scope < y->scope ? -1 : x->scope > y->scope;
}

/* The count of one line from its shares, share[0 .. n), sorted by scope. */
static uint64_t sum_line(const struct share *share, size_t n)
{
    uint64_t count = 0;

    for (size_t i = 0, end; i < n; i = end) {
        uint64_t entered = 0, stood = 0;
        bool owns = false;
        for (end = i; end < n && share[end].scope == share[i].scope; end++) {
            owns |= share[end].owns;
            entered += share[end].entered;
            stood += share[end].stood;
        }
        count += owns ? entered : stood;
    }
    return count;
}

static int compare_counts(const void *a, const void *b)
{
    const struct line_count *x = a, *y = b;
    int files = strcmp(x->file, y->file);

    if (files != 0)
        return files;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Moves the table's names to the result. */
static bool take_names(struct counting *c, struct line_counts *out)
{
    out->names = calloc(2 * (size_t)c->files.n + 1, sizeof *out->names);
    if (!out->names || !source_files_name(&c->files))
        return false;
    for (uint32_t i = 0; i < c->files.n; i++) {
        struct source_file *file = &c->files.file[i];
        out->names[2 * i] = file->name;
        out->names[2 * i + 1] = file->path;
        file->name = file->path = NULL;
    }
    out->n_names = 2 * (size_t)c->files.n;
    return true;
}

static bool sum_up(struct counting *c, struct line_counts *out)
{
    out->item = calloc(c->n_shares + 1, sizeof *out->item);
    if (!out->item || !take_names(c, out))
        return false;
    if (c->n_shares > 0)
        qsort(c->shares, c->n_shares, sizeof *c->shares, compare_shares);
    for (size_t i = 0, end; i < c->n_shares; i = end) {
        const struct share *s = &c->shares[i];
        for (end = i; end < c->n_shares && c->shares[end].file == s->file
                      && c->shares[end].line == s->line;)
            end++;
        char **names = &out->names[2 * (size_t)s->file];
        assert(2 * (size_t)s->file + 1 < out->n_names);
        uint64_t count = sum_line(s, end - i);
        if (count > 0 || c->program->zeros)
            out->item[out->n++] = (struct line_count){names[0], names[1], s->line, count};
    }
    qsort(out->item, out->n, sizeof *out->item, compare_counts);
    return true;
}

static void end_counting(struct counting *c)
{
    for (uint32_t r = 0; r < c->program->n_routines; r++) {
        if (c->blocks)
            free(c->blocks[r]);
        if (c->edges)
            free(c->edges[r]);
    }
    free(c->blocks);
    free(c->edges);
    free(c->copied);
    free(c->shares);
    source_files_free(&c->files);
}

static bool count_routines(struct counting *c)
{
    const struct line_program *p = c->program;
    bool ok = count_graph(c) && find_copies(c);

    for (uint32_t r = 0; ok && r < p->n_routines; r++)
        ok = (p->routines[r]->flags & WPP_ROUTINE_ARTIFICIAL) || count_routine(c, r);
    return ok;
}

bool line_counts_compute(const struct line_program *program, struct line_counts *out)
{
    struct counting c = {.program = program};
    bool ok = program->kind == LINE_EXECUTIONS ? count_paths(&c) : count_routines(&c);

    *out = (struct line_counts){0};
    ok = ok && sum_up(&c, out);
    end_counting(&c);
    if (!ok)
        line_counts_free(out);
    return ok;
}

bool line_counts_of(const wpp *w, const uint64_t *counts, enum line_kind kind,
                    struct line_counts *out)
{
    struct wpp_summary summary;
    wpp_get_summary(w, &summary);
    const struct wpp_routine **routines = calloc(summary.n_routines + 1, sizeof *routines);
    const struct wpp_terminal **terminals = calloc(summary.n_terminals + 1, sizeof *terminals);
    bool ok = routines && terminals;

    if (ok) {
        for (uint32_t i = 0; i < summary.n_routines; i++)
            routines[i] = wpp_routine(w, i);
        for (uint32_t i = 0; i < summary.n_terminals; i++)
            terminals[i] = wpp_terminal(w, i);
        ok = line_counts_compute(&(struct line_program){summary.n_routines, summary.n_terminals,
                                                        routines, terminals, counts, kind, false},
                                 out);
    }
    free(routines);
    free(terminals);
    return ok;
}

void line_counts_free(struct line_counts *counts)
{
    for (size_t i = 0; i < counts->n_names; i++)
        free(counts->names[i]);
    free(counts->names);
    free(counts->item);
    *counts = (struct line_counts){0};
}
