/* SPDX-License-Identifier: MIT */
/* depth-facts.c - how many activations of a routine stood within each other, by the call tree.
 *
 *      depth of f below a piece = the most, over the piece's items, of
 *          a piece:            the depth of f below that
 *          a call of g:        the depth of f below what g did, and 1 more if g is f
 *
 * Depths are kept for routines that may stand within themselves alone: most calls do not lead there.
 */
#include <stdlib.h>
#include <string.h>

#include "wpp/replay/call-tree.h"
#include "wpp/runs/run-facts.h"

struct depth { uint32_t routine, most; };      /* number of the vocabulary */

/* Depths below all pieces, piece p's are depth[first[p] .. first[p+1]); and below the piece at hand, by routine. */
struct depth_search {
    const struct facts_names *names;
    const struct call_tree *tree;
    uint32_t n_routines;       /* of the vocabulary */
    bool *recursive;
    size_t *first;
    struct depth *depth;
    size_t n, capacity;
    uint32_t *now, *touched, n_touched;
};

/* ---- Routines that may stand within themselves ---------------------------------------------- */

static bool is_call(const struct run_facts *f, const struct vocabulary *v, uint32_t i)
{
    return v->predicate[f->predicate[i]].kind == PREDICATE_CALLER;
}

/* Takes out what no routine that is left calls, or what calls none: what is on a circle stays. */
static void find_recursive(struct depth_search *s, const struct run_facts *f, const struct vocabulary *v,
                           uint8_t *calls)
{
    enum { CALLS = 1, CALLED = 2 };
    bool changed = true;

    memset(s->recursive, 1, s->n_routines);
    while (changed) {
        changed = false;
        memset(calls, 0, s->n_routines);
        for (uint32_t i = 0; i < f->n; i++) {
            const struct predicate *p = &v->predicate[f->predicate[i]];

            if (!is_call(f, v, i) || !s->recursive[p->x] || !s->recursive[p->y])
                continue;
            calls[p->x] |= CALLS;
            calls[p->y] |= CALLED;
        }
        for (uint32_t r = 0; r < s->n_routines; r++) {
            changed |= s->recursive[r] && calls[r] != (CALLS | CALLED);
            s->recursive[r] &= calls[r] == (CALLS | CALLED);
        }
    }
}

/* ---- Depths --------------------------------------------------------------------------------- */

static void note(struct depth_search *s, uint32_t routine, uint32_t depth)
{
    if (s->now[routine] == 0)
        s->touched[s->n_touched++] = routine;
    if (depth > s->now[routine])
        s->now[routine] = depth;
}

/* What a piece holds, in a call of the routine or in the piece at hand itself (UINT32_MAX). */
static void note_below(struct depth_search *s, uint32_t piece, uint32_t routine)
{
    uint32_t own = 0;

    for (size_t k = s->first[piece]; k < s->first[piece + 1]; k++) {
        if (s->depth[k].routine == routine)
            own = s->depth[k].most;
        else
            note(s, s->depth[k].routine, s->depth[k].most);
    }
    if (routine != UINT32_MAX && s->recursive[routine])
        note(s, routine, own + 1);
}

static bool keep(struct depth_search *s)
{
    if (s->n + s->n_touched > s->capacity) {
        size_t n = 2 * (s->n + s->n_touched) + 64;
        struct depth *larger = realloc(s->depth, n * sizeof *larger);

        if (!larger)
            return false;
        s->depth = larger;
        s->capacity = n;
    }
    for (uint32_t i = 0; i < s->n_touched; i++) {
        s->depth[s->n++] = (struct depth){s->touched[i], s->now[s->touched[i]]};
        s->now[s->touched[i]] = 0;
    }
    s->n_touched = 0;
    return true;
}

static bool read_pieces(struct depth_search *s)
{
    const struct call_tree *t = s->tree;

    for (uint32_t p = 0; p < t->n_pieces; p++) {
        s->first[p] = s->n;
        for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
            uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

            if (item & CALL_TREE_CALL)
                note_below(s, t->activation[number].piece, s->names->routine[t->activation[number].routine]);
            else if (item & CALL_TREE_PIECE)
                note_below(s, number, UINT32_MAX);
        }
        if (!keep(s))
            return false;
        s->first[p + 1] = s->n;
    }
    return true;
}

/* Other routines that were called have the depth 1. */
static bool note_depths(struct depth_search *s, struct run_facts *f, const struct vocabulary *v)
{
    const struct call_tree *t = s->tree;
    bool done = true;

    for (uint32_t k = 0; k < t->n_threads; k++)
        note_below(s, t->root[k], UINT32_MAX);
    for (uint32_t a = 0; a < t->n_activations; a++)
        note(s, s->names->routine[t->activation[a].routine], 1);
    for (uint32_t i = 0; done && i < s->n_touched; i++)
        done = run_facts_most(f, v->routine[s->touched[i]].predicate, s->now[s->touched[i]]);
    return done;
}

bool facts_of_depths(struct run_facts *f, const struct vocabulary *v, const struct facts_names *names,
                     const struct call_tree *tree)
{
    uint32_t n = v->n_routines + 1;
    struct depth_search s = {.names = names, .tree = tree, .n_routines = v->n_routines,
                             .recursive = malloc(n), .first = calloc(tree->n_pieces + (size_t)2, sizeof *s.first),
                             .now = calloc(n, sizeof *s.now), .touched = malloc(n * sizeof *s.touched)};
    uint8_t *calls = malloc(n);
    bool done = s.recursive && s.first && s.now && s.touched && calls;

    if (done) {
        find_recursive(&s, f, v, calls);
        done = read_pieces(&s) && note_depths(&s, f, v);
    }
    free(calls);
    free(s.recursive);
    free(s.first);
    free(s.depth);
    free(s.now);
    free(s.touched);
    return done;
}
