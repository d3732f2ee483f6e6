/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/decisions.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_EXIT 1
#define FIRST_BLOCK 2
#define NO_BLOCK UINT32_MAX

/* A block of the graph. */
struct vertex {
    uint32_t n_out, n_in;      /* ways out, without those of exceptions; ways in */
    uint32_t out[2];           /* the first two of them, ascending */
    uint32_t landing_free;     /* 1: no exception comes out of it */
    uint32_t number;           /* 1 + its place among the conditions of the decision at hand; 0: none */
    bool used;                 /* a condition of some decision */
};

struct search {
    const struct wpp_routine *routine;
    decisions_joined *joined;
    void *context;
    struct wpp_arena *arena;
    struct vertex *vertex;
    /* The decision at hand: */
    uint32_t *condition, *entry;       /* entry: the first of the blocks that compute the condition */
    uint32_t n;
    uint32_t outcome[2];
    double *chance;                    /* of the true outcome, by condition */
    uint32_t *way;                     /* blocks */
    char *value;
    uint32_t n_way;
    struct decision *out;
    bool limited, failed;
};

/* ---- The graph ----------------------------------------------------------------------------------- */

static bool has_way(const struct vertex *v, uint32_t to)
{
    return (v->n_out > 0 && v->out[0] == to) || (v->n_out > 1 && v->out[1] == to);
}

static void add_way(struct search *s, uint32_t src, uint32_t dst)
{
    struct vertex *v = &s->vertex[src];

    if (v->n_out <= 2 && has_way(v, dst))
        return;
    if (v->n_out == 1 && dst < v->out[0]) {
        v->out[1] = v->out[0];
        v->out[0] = dst;
    } else if (v->n_out < 2) {
        v->out[v->n_out] = dst;
    }
    v->n_out++;
    s->vertex[dst].n_in++;
}

static void make_graph(struct search *s)
{
    const struct wpp_routine *r = s->routine;

    for (uint32_t b = 0; b < r->n_blocks; b++)
        s->vertex[b].landing_free = 1;
    for (uint32_t i = 0; i < r->n_landings; i++)
        s->vertex[r->landings[i].src].landing_free = 0;
    for (uint32_t i = 0; i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];
        uint32_t to = e->kind == WPP_EDGE_REAL ? e->dst : e->kind == WPP_EDGE_START ? NO_BLOCK : e->to;

        if (e->src != BLOCK_EXIT && to != NO_BLOCK)
            add_way(s, e->src, to);
    }
}

static bool is_condition(const struct search *s, uint32_t block)
{
    const struct vertex *v = &s->vertex[block];

    return block >= FIRST_BLOCK && v->n_out == 2 && v->landing_free && !v->used
        && v->out[0] != BLOCK_EXIT && v->out[1] != BLOCK_EXIT;
}

/* The condition that control comes to from `entry`, through blocks that lead nowhere else. */
static uint32_t condition_behind(const struct search *s, uint32_t entry)
{
    uint32_t block = entry, steps = 0;

    while (block >= FIRST_BLOCK && s->vertex[block].n_out == 1 && steps++ < s->routine->n_blocks) {
        block = s->vertex[block].out[0];
        if (s->vertex[block].n_in != 1)
            return NO_BLOCK;
    }
    return is_condition(s, block) ? block : NO_BLOCK;
}

static const struct wpp_line *line_of(const struct search *s, uint32_t block)
{
    const struct wpp_block *b = &s->routine->blocks[block];

    return b->n_lines > 0 ? &b->lines[b->n_lines - 1] : NULL;
}

/* ---- The conditions of a decision ------------------------------------------------------------------ */

/* All ways into `entry` are from conditions of the decision. */
static bool only_from_decision(const struct search *s, uint32_t entry)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n; i++)
        n += has_way(&s->vertex[s->condition[i]], entry);
    return n == s->vertex[entry].n_in;
}

static bool may_join(const struct search *s, uint32_t block)
{
    const struct wpp_line *a = line_of(s, s->condition[s->n - 1]), *b = line_of(s, block);

    return !s->joined || (a && b && s->joined(s->context, s->routine, a, b));
}

/* The lowest entry of a condition that can be added; NO_BLOCK: there is none. */
static uint32_t next_entry(const struct search *s)
{
    uint32_t best = NO_BLOCK;

    for (uint32_t i = 0; i < s->n; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t entry = s->vertex[s->condition[i]].out[k], block = condition_behind(s, entry);

            if (block != NO_BLOCK && entry < best && s->vertex[block].number == 0
                && only_from_decision(s, entry) && may_join(s, block))
                best = entry;
        }
    return best;
}

/* The condition, by place, to which a way leads; `n`: it leaves the first n conditions. */
static uint32_t inner(const struct search *s, uint32_t to, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (s->entry[i] == to)
            return i;
    return n;
}

/* Whether the first n conditions leave to two blocks; then these are the outcomes. */
static bool is_decision(struct search *s, uint32_t n)
{
    uint32_t outcome[2] = {NO_BLOCK, NO_BLOCK};

    for (uint32_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 2; k++) {
            uint32_t to = s->vertex[s->condition[i]].out[k];

            if (inner(s, to, n) < n || to == outcome[0] || to == outcome[1])
                continue;
            if (outcome[1] != NO_BLOCK)
                return false;
            outcome[outcome[0] != NO_BLOCK] = to;
        }
    if (outcome[1] == NO_BLOCK)
        return false;
    /* The code for true comes first, in GCC's order of blocks; in a loop it is the body. */
    s->outcome[1] = outcome[0] < outcome[1] ? outcome[0] : outcome[1];
    s->outcome[0] = outcome[0] < outcome[1] ? outcome[1] : outcome[0];
    return true;
}

/* Adds conditions as long as there are some, and goes back to the last place where two blocks were left
 * to go to; there is one, for a condition alone. */
static void take_conditions(struct search *s, uint32_t first)
{
    uint32_t good = 1, entry;

    s->n = 1;
    s->condition[0] = s->entry[0] = first;
    s->vertex[first].number = 1;
    while (s->n < DECISION_CONDITIONS && (entry = next_entry(s)) != NO_BLOCK) {
        s->entry[s->n] = entry;
        s->condition[s->n] = condition_behind(s, entry);
        s->vertex[s->condition[s->n]].number = s->n + 1;
        s->n++;
        if (is_decision(s, s->n))
            good = s->n;
    }
    for (uint32_t i = 0; i < s->n; i++)
        s->vertex[s->condition[i]].number = 0;
    s->n = good;
    for (uint32_t i = 0; i < s->n; i++)
        s->vertex[s->condition[i]].used = true;
    is_decision(s, s->n);
}

/* ---- Vectors ----------------------------------------------------------------------------------------- */

static double chance_of(const struct search *s, uint32_t to)
{
    uint32_t i = inner(s, to, s->n);

    return i < s->n ? s->chance[i] : to == s->outcome[1];
}

/* Which of two ways means that a condition is true is not known.  In an expression of && and || it is the
 * one behind which the whole is true in more cases.  Ways lead to later conditions. */
static void weigh(struct search *s)
{
    for (uint32_t i = s->n; i-- > 0;) {
        const struct vertex *v = &s->vertex[s->condition[i]];

        s->chance[i] = (chance_of(s, v->out[0]) + chance_of(s, v->out[1])) / 2;
    }
}

static void add_vector(struct search *s, uint32_t outcome)
{
    struct decision *d = s->out;
    struct decision_vector *v;
    uint32_t *block;
    char *value;

    if (d->n_vectors == DECISION_VECTORS) {
        s->limited = true;
        return;
    }
    v = &d->vector[d->n_vectors++];
    s->way[s->n_way] = s->outcome[outcome];
    block = wpp_arena_alloc(s->arena, s->n_way + (size_t)1, sizeof *block);
    value = wpp_arena_string(s->arena, s->value, s->n);
    s->failed |= !block || !value;
    if (block)
        memcpy(block, s->way, (s->n_way + (size_t)1) * sizeof *block);
    *v = (struct decision_vector){block, s->n_way + 1, value, outcome, 0};
}

/* Takes condition i, and all that can follow; the depth is at most the number of conditions. */
static void evaluate(struct search *s, uint32_t i)
{
    const struct vertex *v = &s->vertex[s->condition[i]];
    uint32_t length = s->n_way;
    bool first_is_true = chance_of(s, v->out[0]) > chance_of(s, v->out[1]);

    for (uint32_t b = s->entry[i]; b != s->condition[i]; b = s->vertex[b].out[0])
        s->way[s->n_way++] = b;
    s->way[s->n_way++] = s->condition[i];
    for (unsigned k = 0; k < 2 && !s->limited && !s->failed; k++) {
        uint32_t to = v->out[k], next = inner(s, to, s->n);

        s->value[i] = (k == 0) == first_is_true ? 'T' : 'F';
        if (next < s->n)
            evaluate(s, next);
        else
            add_vector(s, to == s->outcome[1]);
    }
    s->value[i] = '-';
    s->n_way = length;
}

static bool add_decision(struct search *s, struct decisions *out)
{
    struct decision *d = &out->decision[out->n++];
    uint32_t *condition = wpp_arena_alloc(s->arena, s->n, sizeof *condition);

    *d = (struct decision){.n_conditions = s->n, .condition = condition,
                           .outcome = {s->outcome[0], s->outcome[1]}};
    d->vector = calloc(DECISION_VECTORS, sizeof *d->vector);
    if (!condition || !d->vector) {
        free(d->vector);
        d->vector = NULL;
        return false;
    }
    memcpy(condition, s->condition, s->n * sizeof *condition);
    memset(s->value, '-', s->n);
    s->out = d;
    s->limited = false;
    s->n_way = 0;
    weigh(s);
    evaluate(s, 0);
    struct decision_vector *all = d->vector;
    d->n_vectors = s->limited ? 0 : d->n_vectors;
    d->vector = wpp_arena_alloc(s->arena, d->n_vectors, sizeof *d->vector);
    if (d->vector)
        memcpy(d->vector, all, d->n_vectors * sizeof *all);
    free(all);
    return d->vector && !s->failed;
}

/* A condition belongs to the first decision that can take it. */
static bool search(struct search *s, struct decisions *out)
{
    make_graph(s);
    for (uint32_t b = FIRST_BLOCK; b < s->routine->n_blocks; b++) {
        if (!is_condition(s, b))
            continue;
        take_conditions(s, b);
        if (!add_decision(s, out))
            return false;
    }
    return true;
}

bool decisions_find(const struct wpp_routine *routine, decisions_joined *joined, void *context,
                    struct wpp_arena *arena, struct decisions *out)
{
    size_t n = routine->n_blocks + (size_t)1;
    struct search s = {
        .routine = routine, .joined = joined, .context = context, .arena = arena,
        .vertex = calloc(n, sizeof *s.vertex), .condition = calloc(n, sizeof *s.condition),
        .entry = calloc(n, sizeof *s.entry), .chance = calloc(n, sizeof *s.chance),
        .way = calloc(n, sizeof *s.way), .value = calloc(n, 1)
    };
    bool done = s.vertex && s.condition && s.entry && s.chance && s.way && s.value;

    *out = (struct decisions){0, wpp_arena_alloc(arena, n, sizeof *out->decision)};
    done = done && out->decision && search(&s, out);
    free(s.vertex);
    free(s.condition);
    free(s.entry);
    free(s.chance);
    free(s.way);
    free(s.value);
    return done;
}
