/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/coverage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/coverage/coverage-branches.h"
#include "wpp/profile/line-counts.h"
#include "wpp/profile/path-profile.h"
#include "wpp/profile/same-routine.h"
#include "wpp/replay/source-files.h"

struct making {
    struct coverage *out;
    const struct cover_program *p;
    struct source_files files;
    uint32_t *file_of;         /* by number in `files`: 1 + the coverage's, 0: not asked for */
    uint32_t n_file_of;
    struct line_counts lines;
};

static void *allocate(struct making *m, size_t n, size_t size)
{
    return wpp_arena_alloc(&m->out->arena, n, size);
}

/* ---- Lines and files ------------------------------------------------------------------------------ */

static bool count_lines(struct making *m)
{
    const struct cover_program *p = m->p;
    const struct wpp_routine **routine = calloc(p->n_bodies + (size_t)1, sizeof *routine);
    const struct wpp_terminal **terminal = calloc(p->n_paths + (size_t)1, sizeof *terminal);
    struct wpp_terminal *copy = calloc(p->n_paths + (size_t)1, sizeof *copy);
    uint64_t *count = calloc(p->n_paths + (size_t)1, sizeof *count);
    bool done = routine && terminal && copy && count;

    for (uint32_t i = 0; done && i < p->n_bodies; i++)
        routine[i] = p->body[i].routine;
    for (uint32_t i = 0; done && i < p->n_paths; i++) {
        copy[i] = *wpp_terminal(p->inputs[p->path[i].input].w, p->path[i].terminal);
        copy[i].routine = p->path[i].body;
        terminal[i] = &copy[i];
        count[i] = p->path[i].count;
    }
    done = done && line_counts_compute(&(struct line_program){
        p->n_bodies, p->n_paths, routine, terminal, count, LINE_COUNTS, true}, &m->lines);
    free(routine);
    free(terminal);
    free(copy);
    free(count);
    return done;
}

static const char *keep(struct making *m, const char *text)
{
    return wpp_arena_string(&m->out->arena, text, strlen(text));
}

/* Line 0 is code that is on no line. */
static bool take_lines(struct making *m)
{
    struct coverage *c = m->out;
    const char *path = NULL;

    c->line = allocate(m, m->lines.n, sizeof *c->line);
    c->file = allocate(m, m->lines.n_names / 2, sizeof *c->file);
    if (!c->line || !c->file || m->lines.n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < m->lines.n; i++) {
        const struct line_count *l = &m->lines.item[i];

        if (l->line == 0)
            continue;
        if (l->path != path)
            c->file[c->n_files++] = (struct coverage_file){
                .name = keep(m, l->file), .path = keep(m, l->path), .first = c->n_lines
            };
        path = l->path;
        c->file[c->n_files - 1].n++;
        c->line[c->n_lines++] = (struct coverage_line){.line = l->line, .count = l->count};
    }
    return !c->arena.failed;
}

static uint32_t search_file(const struct coverage *c, const char *path)
{
    for (uint32_t i = 0; i < c->n_files; i++)
        if (strcmp(c->file[i].path, path) == 0)
            return i;
    return UINT32_MAX;
}

static bool remember_file(struct making *m, uint32_t number)
{
    uint32_t n = 2 * m->n_file_of + 64;
    uint32_t *larger;

    if (number < m->n_file_of)
        return true;
    larger = realloc(m->file_of, n * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + m->n_file_of, 0, (n - m->n_file_of) * sizeof *larger);
    m->file_of = larger;
    m->n_file_of = n;
    return true;
}

/* The coverage's file of that name; UINT32_MAX: it has none.  False: no memory. */
static bool find_file(struct making *m, const char *directory, const char *name, uint32_t *out)
{
    uint32_t number = source_files_add(&m->files, directory, name);

    if (number == SOURCE_FILE_NONE || !remember_file(m, number))
        return false;
    if (m->file_of[number] == 0)
        m->file_of[number] = search_file(m->out, m->files.file[number].path) + 1;
    *out = m->file_of[number] - 1;
    if (*out == UINT32_MAX)
        m->file_of[number] = 0;
    return true;
}

static int compare_line_numbers(const void *key, const void *item)
{
    uint32_t line = *(const uint32_t *)key, other = ((const struct coverage_line *)item)->line;

    return line < other ? -1 : line > other;
}

struct coverage_line *coverage_find_line(const struct coverage *c, uint32_t file, uint32_t line)
{
    return file == UINT32_MAX ? NULL : bsearch(&line, c->line + c->file[file].first, c->file[file].n,
                                               sizeof *c->line, compare_line_numbers);
}

/* ---- Routines ------------------------------------------------------------------------------------- */

/* A body in the order of routines. */
struct ordered {
    const struct cover_body *body;
    uint32_t number, same, file;
};

static bool may_be_same(const void *program, uint32_t a, uint32_t b)
{
    const struct cover_program *p = program;
    const struct wpp_routine *x = p->body[a].routine, *y = p->body[b].routine;

    return x->line == y->line && strcmp(x->directory, y->directory) == 0;
}

static int compare_places(const struct ordered *a, const struct ordered *b)
{
    const struct wpp_routine *x = a->body->routine, *y = b->body->routine;
    int order;

    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    order = strcmp(x->name, y->name);
    order = order ? order : strcmp(x->file, y->file);
    return order ? order : strcmp(x->directory, y->directory);
}

static bool is_artificial(const struct ordered *x)
{
    return x->body->routine->flags & WPP_ROUTINE_ARTIFICIAL;
}

/* Artificial ones last.  Of one place, executed ones first; those that are the same beside each other. */
static int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    int order = is_artificial(a) - is_artificial(b);

    order = order ? order : compare_places(a, b);
    if (order)
        return order;
    if (a->body->executed != b->body->executed)
        return a->body->executed ? -1 : 1;
    if (a->same != b->same)
        return a->same < b->same ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool order_bodies(struct making *m, struct ordered *list)
{
    const struct cover_program *p = m->p;
    const struct wpp_routine **routine = calloc(p->n_bodies + (size_t)1, sizeof *routine);
    uint32_t *same = calloc(p->n_bodies + (size_t)1, sizeof *same);
    bool done = routine && same;

    for (uint32_t i = 0; done && i < p->n_bodies; i++)
        routine[i] = p->body[i].routine;
    done = done && routine_find_same(routine, p->n_bodies, may_be_same, p, same);
    for (uint32_t i = 0; done && i < p->n_bodies; i++) {
        const struct wpp_routine *r = p->body[i].routine;

        list[i] = (struct ordered){&p->body[i], i, same[i], 0};
        done = find_file(m, r->directory, r->file, &list[i].file);
    }
    if (done && p->n_bodies > 0)
        qsort(list, p->n_bodies, sizeof *list, compare_ordered);
    free(routine);
    free(same);
    return done;
}

static uint32_t last_line(const struct wpp_routine *r)
{
    uint32_t last = r->line;

    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++) {
            const struct wpp_line *l = &r->blocks[b].lines[i];

            if (l->line > last && l->inlined == 0 && strcmp(l->file, r->file) == 0)
                last = l->line;
        }
    return last;
}

static void add_routine(struct making *m, const struct ordered *x)
{
    const struct wpp_routine *r = x->body->routine;

    m->out->routine[m->out->n_routines++] = (struct coverage_routine){
        .routine = r, .file = x->file, .last_line = last_line(r),
        .optimised = x->body->optimised,
        .block = allocate(m, r->n_blocks, sizeof(uint64_t)),
        .edge = allocate(m, r->n_edges, sizeof(uint64_t))
    };
}

/* Bodies that were not executed are the first routine of their place, whatever graph they have: of an
 * inline function that several units hold, the linker has kept one. */
static bool take_routines(struct making *m)
{
    struct coverage *c = m->out;
    uint32_t n = m->p->n_bodies;
    struct ordered *list = calloc(n + (size_t)1, sizeof *list);
    bool done = list && order_bodies(m, list);

    c->routine = allocate(m, n, sizeof *c->routine);
    c->body_of = allocate(m, n, sizeof *c->body_of);
    done = done && c->routine && c->body_of;
    for (uint32_t i = 0; done && i < n; i++) {
        const struct ordered *x = &list[i];
        bool first = i == 0 || compare_places(x - 1, x) != 0;

        if (is_artificial(x)) {
            c->body_of[x->number] = UINT32_MAX;
            continue;
        }
        if (first || (x->body->executed && x->same != x[-1].same))
            add_routine(m, x);
        c->body_of[x->number] = c->n_routines - 1;
    }
    free(list);
    return done && !c->arena.failed;
}

/* ---- Counts of routines --------------------------------------------------------------------------- */

/* Executions of a whole path. */
struct part { uint32_t routine; uint64_t number, count; };

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void add_counts(struct coverage_routine *r, const struct wpp_terminal *t, uint64_t count)
{
    for (uint32_t k = 0; k < t->n_blocks; k++)
        r->block[t->blocks[k]] = profile_add(r->block[t->blocks[k]], count);
    for (uint32_t k = 0; k < t->n_edges; k++)
        r->edge[t->edges[k]] = profile_add(r->edge[t->edges[k]], count);
    r->entered = profile_add(r->entered, t->enters ? count : 0);
}

static void add_paths(struct coverage *c, const struct part *part, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct coverage_routine *r = &c->routine[part[i].routine];

        if (i > 0 && compare_parts(&part[i - 1], &part[i]) == 0) {
            c->path[c->n_paths - 1].count =
                profile_add(c->path[c->n_paths - 1].count, part[i].count);
            continue;
        }
        if (r->n++ == 0)
            r->first = c->n_paths;
        c->path[c->n_paths++] = (struct coverage_path){part[i].number, part[i].count};
    }
}

static bool count_paths(struct making *m)
{
    const struct cover_program *p = m->p;
    struct part *part = calloc(p->n_paths + (size_t)1, sizeof *part);
    uint32_t n = 0;

    m->out->path = allocate(m, p->n_paths, sizeof *m->out->path);
    if (!part || !m->out->path) {
        free(part);
        return false;
    }
    for (uint32_t i = 0; i < p->n_paths; i++) {
        const struct cover_path *x = &p->path[i];
        const struct wpp_terminal *t = wpp_terminal(p->inputs[x->input].w, x->terminal);
        uint32_t r = m->out->body_of[x->body];

        if (r == UINT32_MAX)
            continue;
        add_counts(&m->out->routine[r], t, x->count);
        if (t->left == 0)
            part[n++] = (struct part){r, t->path, x->count};
    }
    if (n > 0)
        qsort(part, n, sizeof *part, compare_parts);
    add_paths(m->out, part, n);
    free(part);
    return true;
}

/* ---- Branches -------------------------------------------------------------------------------------- */

/* A branch and the line that it stands at. */
struct placed { uint32_t line; struct coverage_branch branch; };

struct placing {
    struct placed *list;
    size_t n, capacity;
};

static bool place(struct placing *to, const struct placed *branch)
{
    if (to->n == to->capacity) {
        size_t capacity = 2 * to->capacity + 1024;
        struct placed *larger = realloc(to->list, capacity * sizeof *larger);

        if (!larger)
            return false;
        to->list = larger;
        to->capacity = capacity;
    }
    to->list[to->n++] = *branch;
    return true;
}

static bool place_branches(struct making *m, uint32_t number, struct placing *to)
{
    const struct coverage *c = m->out;
    const struct coverage_routine *r = &c->routine[number];
    struct routine_branch *branch;
    bool done;
    size_t n;

    done = routine_branches(r->routine, r->block, r->edge, &branch, &n);
    for (size_t i = 0; done && i < n; i++) {
        const struct routine_branch *b = &branch[i];
        const struct wpp_line *at = routine_branch_line(r->routine, b->block);
        struct coverage_line *line;
        uint32_t file;

        if (!at)
            continue;
        done = find_file(m, r->routine->directory, at->file, &file);
        line = done ? coverage_find_line(c, file, at->line) : NULL;
        if (line)
            done = place(to, &(struct placed){(uint32_t)(line - c->line), {
                number, b->block, b->to, 0, b->count, b->reached, b->throws, b->falls, false}});
    }
    free(branch);
    return done;
}

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->branch.routine != b->branch.routine)
        return a->branch.routine < b->branch.routine ? -1 : 1;
    if (a->branch.block != b->branch.block)
        return a->branch.block < b->branch.block ? -1 : 1;
    return a->branch.to < b->branch.to ? -1 : a->branch.to > b->branch.to;
}

static void add_branch(struct coverage *c, const struct placed *x)
{
    struct coverage_line *line = &c->line[x->line];
    struct coverage_branch *b = &c->branch[c->n_branches], *before = b - 1;

    *b = x->branch;
    if (line->n == 0)
        line->first = c->n_branches;
    else
        b->group = before->group
                 + (before->routine != b->routine || before->block != b->block);
    line->n++;
    c->n_branches++;
}

/* Lines without branches stand between those of others, too: so `first` ascends. */
static void index_branches(struct coverage *c)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < c->n_lines; i++) {
        c->line[i].first = c->line[i].n > 0 ? c->line[i].first : next;
        next = c->line[i].first + c->line[i].n;
    }
}

static bool take_branches(struct making *m)
{
    struct placing to = {0};
    bool done = true;

    for (uint32_t i = 0; done && i < m->out->n_routines; i++)
        done = place_branches(m, i, &to);
    if (to.n > 0)
        qsort(to.list, to.n, sizeof *to.list, compare_placed);
    m->out->branch = allocate(m, to.n, sizeof *m->out->branch);
    done = done && m->out->branch && to.n <= UINT32_MAX;
    for (size_t i = 0; done && i < to.n; i++)
        add_branch(m->out, &to.list[i]);
    index_branches(m->out);
    free(to.list);
    return done;
}

/* ---- Sums ------------------------------------------------------------------------------------------ */

static void add_share(struct coverage_share *to, bool executed)
{
    to->all++;
    to->executed += executed;
}

static void sum_line(const struct coverage *c, const struct coverage_line *line,
                     struct coverage_sums *to)
{
    if (!line->excluded)
        add_share(&to->lines, line->count > 0);
    for (uint32_t k = line->first; k < line->first + line->n; k++)
        if (!line->excluded && !c->branch[k].excluded)
            add_share(&to->branches, c->branch[k].count > 0);
}

static void sum_routine(const struct coverage_routine *r, struct coverage_sums *to)
{
    if (r->excluded)
        return;
    add_share(&to->routines, coverage_executed(r));
    to->paths.executed += r->n;
    to->paths.all = profile_add(to->paths.all, r->routine->num_paths);
}

static void add_shares(struct coverage_share *to, const struct coverage_share *from)
{
    to->executed += from->executed;
    to->all = profile_add(to->all, from->all);
}

static void add_sums(struct coverage_sums *to, const struct coverage_sums *from)
{
    add_shares(&to->lines, &from->lines);
    add_shares(&to->branches, &from->branches);
    add_shares(&to->routines, &from->routines);
    add_shares(&to->paths, &from->paths);
}

void coverage_sum(struct coverage *c)
{
    c->sums = (struct coverage_sums){0};
    for (uint32_t i = 0; i < c->n_files; i++) {
        struct coverage_file *file = &c->file[i];

        file->sums = (struct coverage_sums){0};
        for (uint32_t k = file->first; k < file->first + file->n; k++)
            sum_line(c, &c->line[k], &file->sums);
        for (uint32_t k = file->first_routine; k < file->first_routine + file->n_routines; k++)
            sum_routine(&c->routine[k], &file->sums);
        add_sums(&c->sums, &file->sums);
    }
    for (uint32_t i = 0; i < c->n_routines; i++)
        if (c->routine[i].file == UINT32_MAX)
            sum_routine(&c->routine[i], &c->sums);
}

/* ---- Making ---------------------------------------------------------------------------------------- */

static void index_routines(struct coverage *c)
{
    for (uint32_t i = 0; i < c->n_routines; i++) {
        if (c->routine[i].file == UINT32_MAX)
            continue;
        struct coverage_file *file = &c->file[c->routine[i].file];
        if (file->n_routines++ == 0)
            file->first_routine = i;
    }
}

bool coverage_new(struct coverage *out, const struct cover_program *program)
{
    struct making m = {.out = out, .p = program};
    bool done;

    *out = (struct coverage){.program = program};
    done = count_lines(&m) && take_lines(&m) && take_routines(&m) && count_paths(&m)
        && take_branches(&m);
    if (done) {
        index_routines(out);
        coverage_sum(out);
    }
    line_counts_free(&m.lines);
    source_files_free(&m.files);
    free(m.file_of);
    if (!done)
        coverage_free(out);
    return done;
}

void coverage_free(struct coverage *c)
{
    wpp_arena_free(&c->arena);
    *c = (struct coverage){0};
}
