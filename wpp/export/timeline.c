/* SPDX-License-Identifier: MIT */
/* timeline.c - a heap of calls, and of pieces that hold calls, by the dearest one of these: so a call is
 * found before all that cost less, and each piece that is opened leads to one. */
#include "wpp/export/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>


/* A piece, or a call, at its place in the run. */
struct span {
    uint32_t item;                 /* CALL_TREE_PIECE or _CALL, and its number */
    uint32_t thread, depth;
    double begin, cost;
    double dearest;                /* cost of the dearest call in it, or its own */
};

struct search {
    const struct export_run *r;
    struct timeline *out;
    double *dearest;               /* by piece: cost of the dearest call in it, 0: there is none */
    struct span *heap;
    size_t n, room, calls_room;
};

static double cost_of(const struct search *s, uint32_t item)
{
    const struct call_tree *t = &s->r->tree;
    uint32_t number = item & CALL_TREE_NUMBER;

    return item & CALL_TREE_CALL ? s->r->costs.piece[t->activation[number].piece]
         : item & CALL_TREE_PIECE ? s->r->costs.piece[number]
         : (double)wpp_terminal(s->r->w, item)->insns;
}

static double dearest_in(const struct search *s, uint32_t item)
{
    return item & CALL_TREE_CALL ? cost_of(s, item)
         : item & CALL_TREE_PIECE ? s->dearest[item & CALL_TREE_NUMBER] : 0;
}

/* ---- The heap --------------------------------------------------------------------------------- */

static bool before(const struct span *a, const struct span *b)
{
    if (a->dearest != b->dearest)
        return a->dearest > b->dearest;
    return a->thread != b->thread ? a->thread < b->thread : a->begin < b->begin;
}

static bool put(struct search *s, struct span span)
{
    size_t i = s->n;

    if (i == s->room) {
        size_t room = 2 * s->room + 1024;
        struct span *heap = realloc(s->heap, room * sizeof *heap);

        if (!heap)
            return false;
        s->heap = heap;
        s->room = room;
    }
    s->n++;
    for (; i > 0 && before(&span, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = span;
    return true;
}

static struct span take(struct search *s)
{
    struct span top = s->heap[0], moving = s->heap[--s->n];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < s->n; i = child) {
        child += child + 1 < s->n && before(&s->heap[child + 1], &s->heap[child]);
        if (!before(&s->heap[child], &moving))
            break;
        s->heap[i] = s->heap[child];
    }
    s->heap[i] = moving;
    return top;
}

/* ---- Spans ------------------------------------------------------------------------------------ */

static bool show(struct search *s, const struct span *span)
{
    const struct activation *a = &s->r->tree.activation[span->item & CALL_TREE_NUMBER];
    struct timeline *out = s->out;

    if (out->n == s->calls_room) {
        size_t room = 2 * s->calls_room + 1024;
        struct timeline_call *call = realloc(out->call, room * sizeof *call);

        if (!call)
            return false;
        out->call = call;
        s->calls_room = room;
    }
    out->call[out->n++] = (struct timeline_call){
        .thread = span->thread, .routine = a->routine, .depth = span->depth, .unseen = a->unseen,
        .begin = span->begin, .end = span->begin + span->cost
    };
    return true;
}

/* Puts what holds calls within a piece.  Calls that cost nothing ran control words alone. */
static bool open_piece(struct search *s, uint32_t piece, struct span at)
{
    const struct call_tree *t = &s->r->tree;
    bool ok = true;

    for (uint64_t i = t->first[piece]; ok && i < t->first[piece + 1]; i++) {
        at.item = t->item[i];
        at.cost = cost_of(s, at.item);
        at.dearest = dearest_in(s, at.item);
        ok = at.dearest == 0 || put(s, at);
        at.begin += at.cost;
    }
    return ok;
}

static bool look_at(struct search *s, struct span span)
{
    uint32_t number = span.item & CALL_TREE_NUMBER;

    if (!(span.item & CALL_TREE_CALL))
        return open_piece(s, number, span);
    if (span.depth >= s->r->options.depth)
        return true;
    if (!show(s, &span))
        return false;
    span.depth++;
    return open_piece(s, s->r->tree.activation[number].piece, span);
}

static void find_calls(struct search *s)
{
    const struct call_tree *t = &s->r->tree;

    for (uint32_t p = 1; p < t->n_pieces; p++) {
        double calls = 0;

        for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
            double dearest = dearest_in(s, t->item[i]);

            s->dearest[p] = dearest > s->dearest[p] ? dearest : s->dearest[p];
            calls += (t->item[i] & CALL_TREE_CALL) != 0;
        }
        s->out->all += calls * s->r->costs.times[p];
    }
}

static int by_place(const void *a, const void *b)
{
    const struct timeline_call *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

bool timeline_new(struct timeline *out, const struct export_run *r)
{
    struct search s = {.r = r, .out = out};
    bool ok;

    assert(r->in_order);
    *out = (struct timeline){0};
    s.dearest = calloc(r->tree.n_pieces + (size_t)1, sizeof *s.dearest);
    ok = s.dearest != NULL;
    if (ok)
        find_calls(&s);
    for (uint32_t k = 0; ok && k < r->tree.n_threads; k++)
        ok = open_piece(&s, r->tree.root[k], (struct span){.thread = k});
    while (ok && s.n > 0 && out->n < r->options.limit)
        ok = look_at(&s, take(&s));
    if (out->n > 0)
        qsort(out->call, out->n, sizeof *out->call, by_place);
    free(s.dearest);
    free(s.heap);
    if (!ok)
        timeline_free(out);
    return ok;
}

void timeline_free(struct timeline *t)
{
    free(t->call);
    *t = (struct timeline){0};
}

/* ---- In order ------------------------------------------------------------------------------------ */

bool timeline_visit(const struct timeline *t, timeline_edge *visit, void *ctx)
{
    uint32_t *open = calloc(t->n + (size_t)1, sizeof *open), depth = 0;
    bool ok = open != NULL;

    for (uint32_t i = 0; ok && i < t->n; i++) {
        const struct timeline_call *c = &t->call[i];
        bool same = i > 0 && t->call[i - 1].thread == c->thread;

        while (ok && depth > (same ? c->depth : 0))
            ok = visit(ctx, &t->call[open[--depth]], false);
        assert(!ok || depth == c->depth);
        open[depth++] = i;
        ok = ok && visit(ctx, c, true);
    }
    while (ok && depth > 0)
        ok = visit(ctx, &t->call[open[--depth]], false);
    free(open);
    return ok;
}

void timeline_note(const struct timeline *t, struct export_run *r)
{
    if (t->n < t->all)
        snprintf(r->note, sizeof r->note, "shows the longest %.0f of %.0f calls: --limit or --depth was "
                 "reached, or they took no time", (double)t->n, t->all);
}
