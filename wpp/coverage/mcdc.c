/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/mcdc.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/coverage/block-path-counts.h"
#include "wpp/coverage/operator-lines.h"

struct making {
    struct mcdc *out;
    const struct coverage *c;
    struct operator_lines sources;
    uint32_t capacity;
};

/* ---- Decisions ------------------------------------------------------------------------------------- */

static bool joined(void *making, const struct wpp_routine *routine, const struct wpp_line *a,
                   const struct wpp_line *b)
{
    struct making *m = making;

    if (strcmp(a->file, b->file) != 0)
        return false;
    return a->line == b->line
        || operator_lines_between(&m->sources, routine->directory, a->file, a->line, b->line);
}

static const struct wpp_line *line_of(const struct wpp_routine *r, const struct decision *d)
{
    const struct wpp_block *b = &r->blocks[d->condition[0]];

    return b->n_lines > 0 ? &b->lines[b->n_lines - 1] : NULL;
}

static bool make_room(struct making *m)
{
    struct mcdc_decision *larger;

    if (m->out->n < m->capacity)
        return true;
    m->capacity = 2 * m->capacity + 64;
    larger = wpp_arena_alloc(&m->out->arena, m->capacity, sizeof *larger);
    if (!larger)
        return false;
    if (m->out->n > 0)
        memcpy(larger, m->out->decision, m->out->n * sizeof *larger);
    m->out->decision = larger;
    return true;
}

static bool add_decision(struct making *m, uint32_t routine, const struct decision *d)
{
    struct wpp_arena *arena = &m->out->arena;
    struct mcdc_decision *to;

    if (d->n_vectors == 0) {
        m->out->n_limited++;
        return true;
    }
    if (!make_room(m))
        return false;
    to = &m->out->decision[m->out->n++];
    *to = (struct mcdc_decision){
        .routine = routine, .line = line_of(m->c->routine[routine].routine, d), .d = *d,
        .shown = wpp_arena_alloc(arena, d->n_conditions, sizeof *to->shown),
        .possible = wpp_arena_alloc(arena, d->n_conditions, sizeof *to->possible),
        .decided = {wpp_arena_alloc(arena, d->n_conditions, sizeof **to->decided),
                    wpp_arena_alloc(arena, d->n_conditions, sizeof **to->decided)},
        .missing = wpp_arena_alloc(arena, d->n_vectors, sizeof *to->missing)
    };
    return !arena->failed;
}

static bool find_decisions(struct making *m, uint32_t number)
{
    const struct coverage_routine *r = &m->c->routine[number];
    struct decisions found;

    if (r->optimised) {
        m->out->n_optimised++;
        return true;
    }
    if (!decisions_find(r->routine, joined, m, &m->out->arena, &found) || m->sources.failed)
        return false;
    for (uint32_t i = 0; i < found.n; i++)
        if (!add_decision(m, number, &found.decision[i]))
            return false;
    return true;
}

/* A decision on a line that a mark excludes does not count. */
static bool is_excluded(const struct coverage *c, const struct mcdc_decision *x)
{
    const struct coverage_routine *r = &c->routine[x->routine];
    const struct coverage_line *line;

    if (!x->line || strcmp(x->line->file, r->routine->file) != 0)
        return false;
    line = coverage_find_line(c, r->file, x->line->line);
    return line && line->excluded;
}

static void drop_excluded(struct making *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->out->n; i++)
        if (!is_excluded(m->c, &m->out->decision[i]))
            m->out->decision[n++] = m->out->decision[i];
    m->out->n = n;
}

/* ---- Counts ------------------------------------------------------------------------------------------ */

/* The vectors of one routine's decisions as paths of blocks. */
static bool list_vectors(struct making *m, uint32_t begin, uint32_t end, struct block_paths *out)
{
    uint32_t n = 0, blocks = 0, *first, *block;

    for (uint32_t i = begin; i < end; i++)
        for (uint32_t v = 0; v < m->out->decision[i].d.n_vectors; v++, n++)
            blocks += m->out->decision[i].d.vector[v].n_blocks;
    first = wpp_arena_alloc(&m->out->arena, n + (size_t)1, sizeof *first);
    block = wpp_arena_alloc(&m->out->arena, blocks, sizeof *block);
    *out = (struct block_paths){n, first, block,
                                wpp_arena_alloc(&m->out->arena, n, sizeof *out->count)};
    if (m->out->arena.failed)
        return false;
    n = blocks = 0;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t v = 0; v < m->out->decision[i].d.n_vectors; v++) {
            const struct decision_vector *x = &m->out->decision[i].d.vector[v];

            memcpy(block + blocks, x->block, x->n_blocks * sizeof *block);
            blocks += x->n_blocks;
            first[++n] = blocks;
        }
    return true;
}

static bool count_vectors(struct making *m, struct wpp_error *error)
{
    struct block_paths *paths = calloc(m->c->n_routines + (size_t)1, sizeof *paths);
    bool done = paths || wpp_fail_memory(error);

    for (uint32_t i = 0, end; done && i < m->out->n; i = end) {
        uint32_t routine = m->out->decision[i].routine;

        for (end = i; end < m->out->n && m->out->decision[end].routine == routine;)
            end++;
        done = list_vectors(m, i, end, &paths[routine]) || wpp_fail_memory(error);
    }
    done = done && block_paths_count(m->c, paths, error);
    for (uint32_t i = 0, k = 0; done && i < m->out->n; i++) {
        struct mcdc_decision *x = &m->out->decision[i];

        if (i == 0 || x[-1].routine != x->routine)
            k = 0;
        for (uint32_t v = 0; v < x->d.n_vectors; v++)
            x->d.vector[v].count = paths[x->routine].count[k++];
    }
    free(paths);
    return done;
}

/* ---- Conditions that were shown ------------------------------------------------------------------------ */

static bool shows(const struct decision *d, const struct decision_vector *a,
                  const struct decision_vector *b, uint32_t condition)
{
    if (a->outcome == b->outcome || a->value[condition] == '-' || b->value[condition] == '-'
        || a->value[condition] == b->value[condition])
        return false;
    for (uint32_t i = 0; i < d->n_conditions; i++)
        if (i != condition && a->value[i] != '-' && b->value[i] != '-' && a->value[i] != b->value[i])
            return false;
    return true;
}

/* Vectors that would have to be executed for the pair; those that are missed anyway count less. */
static unsigned price(const struct mcdc_decision *x, uint32_t v)
{
    return x->d.vector[v].count > 0 ? 0 : x->missing[v] ? 1 : 3;
}

/* Looks for the cheapest pair that shows a condition. */
static void look_at(struct mcdc_decision *x, uint32_t condition)
{
    const struct decision *d = &x->d;
    uint32_t a = 0, b = 0;
    unsigned best = UINT32_MAX;

    for (uint32_t v = 0; v < d->n_vectors && best > 0; v++)
        for (uint32_t w = v + 1; w < d->n_vectors && best > 0; w++)
            if (price(x, v) + price(x, w) < best
                && shows(d, &d->vector[v], &d->vector[w], condition)) {
                best = price(x, v) + price(x, w);
                a = v;
                b = w;
            }
    x->possible[condition] = best != UINT32_MAX;
    x->shown[condition] = best == 0;
    x->n_shown += best == 0;
    if (best == 0 || best == UINT32_MAX)
        return;
    x->missing[a] |= d->vector[a].count == 0;
    x->missing[b] |= d->vector[b].count == 0;
}

/* Whether an executed vector has that value of the condition, and the opposite one could have decided
 * otherwise. */
static bool decided(const struct decision *d, uint32_t condition, char value)
{
    for (uint32_t v = 0; v < d->n_vectors; v++)
        for (uint32_t w = 0; d->vector[v].count > 0 && d->vector[v].value[condition] == value && w < d->n_vectors;
             w++)
            if (shows(d, &d->vector[v], &d->vector[w], condition))
                return true;
    return false;
}

static void look_at_all(struct mcdc *m)
{
    for (uint32_t i = 0; i < m->n; i++) {
        struct mcdc_decision *x = &m->decision[i];

        for (uint32_t c = 0; c < x->d.n_conditions; c++) {
            look_at(x, c);
            x->decided[false][c] = decided(&x->d, c, 'F');
            x->decided[true][c] = decided(&x->d, c, 'T');
            m->decided += x->decided[false][c] + x->decided[true][c];
        }
        m->shown += x->n_shown;
        m->all += x->d.n_conditions;
    }
}

static bool check_inputs(const struct cover_program *p, struct wpp_error *error)
{
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        struct wpp_summary run;

        wpp_get_summary(p->inputs[i].w, &run);
        if (run.is_profile && run.profile_kind != WPP_PROFILE_PATHS)
            return wpp_fail(error, WPP_E_ARGUMENT, "%s does not tell how whole conditions were evaluated: "
                            "MC/DC needs WPPs, or profiles of paths that calls do not cut",
                            p->inputs[i].path);
    }
    return true;
}

bool mcdc_new(struct mcdc *out, const struct coverage *c, const bool *chosen,
              const struct wpp_moved *moved, struct wpp_error *error)
{
    struct making m = {.out = out, .c = c, .sources = {.moved = moved}};
    bool done = true;

    *out = (struct mcdc){0};
    if (!check_inputs(c->program, error))
        return false;
    for (uint32_t i = 0; done && i < c->n_routines; i++)
        if (!c->routine[i].excluded && (!chosen || chosen[i]))
            done = find_decisions(&m, i) || wpp_fail_memory(error);
    operator_lines_free(&m.sources);
    if (done)
        drop_excluded(&m);
    done = done && count_vectors(&m, error);
    if (done)
        look_at_all(out);
    else
        mcdc_free(out);
    return done;
}

void mcdc_free(struct mcdc *m)
{
    wpp_arena_free(&m->arena);
    *m = (struct mcdc){0};
}
