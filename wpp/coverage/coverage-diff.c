/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/coverage-diff.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/profile/same-routine.h"

static bool add_change(struct coverage_changes *to, const struct coverage_change *change)
{
    if ((change->count[COVERAGE_A] > 0) == (change->count[COVERAGE_B] > 0))
        return true;
    if (to->n == to->capacity) {
        size_t capacity = 2 * to->capacity + 64;
        struct coverage_change *larger = realloc(to->item, capacity * sizeof *larger);

        if (!larger)
            return false;
        to->item = larger;
        to->capacity = capacity;
    }
    to->item[to->n++] = *change;
    if (change->count[COVERAGE_B] > 0)
        to->gained++;
    else
        to->lost++;
    return true;
}

/* ---- Routines -------------------------------------------------------------------------------------- */

static int compare_names(const struct coverage_routine *x, const struct coverage_routine *y)
{
    int order = strcmp(x->routine->name, y->routine->name);

    return order ? order : strcmp(x->routine->file, y->routine->file);
}

/* Those of one name stand in their order. */
static int compare_routines(const void *left, const void *right, void *coverage)
{
    const struct coverage *c = coverage;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = compare_names(&c->routine[a], &c->routine[b]);

    return order ? order : a < b ? -1 : a > b;
}

static uint32_t *sort_routines(const struct coverage *c)
{
    uint32_t *list = malloc((c->n_routines + (size_t)1) * sizeof *list);

    for (uint32_t i = 0; list && i < c->n_routines; i++)
        list[i] = i;
    if (list)
        qsort_r(list, c->n_routines, sizeof *list, compare_routines, (void *)c);
    return list;
}

/* Of several of one name, the first with the first, and so on. */
static bool pair_routines(struct coverage_diff *d)
{
    const struct coverage *a = d->side[COVERAGE_A], *b = d->side[COVERAGE_B];
    uint32_t *x = sort_routines(a), *y = sort_routines(b);
    bool done = x && y;

    for (uint32_t i = 0, k = 0; done && k < b->n_routines; k++) {
        const struct coverage_routine *own = &b->routine[y[k]];

        while (i < a->n_routines && compare_names(&a->routine[x[i]], own) < 0)
            i++;
        d->pair[y[k]] = COVERAGE_NONE;
        if (i == a->n_routines || compare_names(&a->routine[x[i]], own) != 0)
            continue;
        d->pair[y[k]] = x[i];
        d->same[y[k]] = routine_same(a->routine[x[i++]].routine, own->routine);
        d->n_changed += !d->same[y[k]];
    }
    free(x);
    free(y);
    return done;
}

static bool compare_routine(struct coverage_diff *d, uint32_t number)
{
    uint32_t other = d->pair[number];
    const struct coverage_routine *x, *y = &d->side[COVERAGE_B]->routine[number];

    if (other == COVERAGE_NONE)
        return true;
    x = &d->side[COVERAGE_A]->routine[other];
    return x->excluded || y->excluded
        || add_change(&d->routines, &(struct coverage_change){
               {other, number}, 0, {coverage_executed(x), coverage_executed(y)}});
}

/* ---- Paths ------------------------------------------------------------------------------------------- */

/* Both sides' paths ascend by number. */
static bool compare_paths(struct coverage_diff *d, uint32_t number)
{
    const struct coverage *a = d->side[COVERAGE_A], *b = d->side[COVERAGE_B];
    uint32_t other = d->pair[number], i, k, end_i, end_k;
    bool done = true;

    if (!d->same[number] || a->routine[other].excluded || b->routine[number].excluded)
        return true;
    i = a->routine[other].first, end_i = i + a->routine[other].n;
    k = b->routine[number].first, end_k = k + b->routine[number].n;
    while (done && (i < end_i || k < end_k)) {
        bool in_a = i < end_i && (k == end_k || a->path[i].number <= b->path[k].number);
        bool in_b = k < end_k && (i == end_i || b->path[k].number <= a->path[i].number);

        done = add_change(&d->paths, &(struct coverage_change){
            {other, number}, in_a ? a->path[i].number : b->path[k].number,
            {in_a ? a->path[i].count : 0, in_b ? b->path[k].count : 0}});
        i += in_a;
        k += in_b;
    }
    return done;
}

/* ---- Lines ------------------------------------------------------------------------------------------- */

/* The routine of the file in which a line lies: the last one that begins before it. */
static uint32_t routine_of(const struct coverage *c, const struct coverage_file *file, uint32_t line)
{
    uint32_t best = COVERAGE_NONE;

    for (uint32_t i = file->first_routine; i < file->first_routine + file->n_routines; i++) {
        if (c->routine[i].routine->line > line)
            break;
        if (c->routine[i].last_line >= line)
            best = i;
    }
    return best;
}

static int compare_line(const void *key, const void *item)
{
    uint32_t line = *(const uint32_t *)key, other = ((const struct coverage_line *)item)->line;

    return line < other ? -1 : line > other;
}

/* A's line for a line of B; COVERAGE_NONE: it has none. */
static uint32_t line_of(const struct coverage_diff *d, const struct coverage_file *file,
                        const struct coverage_file *other, uint32_t line)
{
    const struct coverage *a = d->side[COVERAGE_A], *b = d->side[COVERAGE_B];
    uint32_t routine = routine_of(b, file, line);
    const struct coverage_line *found;

    if (routine != COVERAGE_NONE) {
        if (d->pair[routine] == COVERAGE_NONE)
            return COVERAGE_NONE;
        line += a->routine[d->pair[routine]].routine->line - b->routine[routine].routine->line;
    }
    found = bsearch(&line, a->line + other->first, other->n, sizeof *a->line, compare_line);
    return found ? (uint32_t)(found - a->line) : COVERAGE_NONE;
}

static bool compare_branches(struct coverage_diff *d, uint32_t x, uint32_t y)
{
    const struct coverage *a = d->side[COVERAGE_A], *b = d->side[COVERAGE_B];
    bool done = true;

    for (uint32_t k = b->line[y].first; done && k < b->line[y].first + b->line[y].n; k++) {
        const struct coverage_branch *own = &b->branch[k];

        if (!d->same[own->routine] || own->excluded)
            continue;
        for (uint32_t i = a->line[x].first; i < a->line[x].first + a->line[x].n; i++) {
            const struct coverage_branch *other = &a->branch[i];

            if (d->pair[own->routine] == other->routine && own->block == other->block
                && own->to == other->to && !other->excluded) {
                done = add_change(&d->branches, &(struct coverage_change){
                    {i, k}, 0, {other->count, own->count}});
                break;
            }
        }
    }
    return done;
}

static const struct coverage_file *find_file(const struct coverage *c, const char *name)
{
    uint32_t low = 0, high = c->n_files;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(c->file[middle].name, name);

        if (order == 0)
            return &c->file[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool compare_file(struct coverage_diff *d, const struct coverage_file *file, uint64_t *common)
{
    const struct coverage *a = d->side[COVERAGE_A], *b = d->side[COVERAGE_B];
    const struct coverage_file *other = find_file(a, file->name);
    bool done = true;

    for (uint32_t y = file->first; done && y < file->first + file->n; y++) {
        uint32_t x = other ? line_of(d, file, other, b->line[y].line) : COVERAGE_NONE;

        if (x == COVERAGE_NONE)
            continue;
        ++*common;
        if (!a->line[x].excluded && !b->line[y].excluded)
            done = add_change(&d->lines, &(struct coverage_change){
                       {x, y}, 0, {a->line[x].count, b->line[y].count}})
                && compare_branches(d, x, y);
    }
    return done;
}

bool coverage_diff_new(struct coverage_diff *out, const struct coverage *a,
                       const struct coverage *b)
{
    uint64_t common = 0;
    bool done;

    *out = (struct coverage_diff){
        .side = {a, b}, .pair = calloc(b->n_routines + (size_t)1, sizeof *out->pair),
        .same = calloc(b->n_routines + (size_t)1, sizeof *out->same)
    };
    done = out->pair && out->same && pair_routines(out);
    for (uint32_t i = 0; done && i < b->n_files; i++)
        done = compare_file(out, &b->file[i], &common);
    for (uint32_t i = 0; done && i < b->n_routines; i++)
        done = compare_routine(out, i) && compare_paths(out, i);
    out->only[COVERAGE_A] = a->n_lines - (common < a->n_lines ? common : a->n_lines);
    out->only[COVERAGE_B] = b->n_lines - common;
    if (!done)
        coverage_diff_free(out);
    return done;
}

void coverage_diff_free(struct coverage_diff *d)
{
    free(d->pair);
    free(d->same);
    free(d->lines.item);
    free(d->branches.item);
    free(d->routines.item);
    free(d->paths.item);
    *d = (struct coverage_diff){0};
}
