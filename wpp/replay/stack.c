/* SPDX-License-Identifier: MIT */
/* stack.c - the call stack at any event, by descending in the call tree. */
#include <assert.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/replay/stack.h"

/* ---- Making -------------------------------------------------------------------------------- */

static uint64_t events_of(const void *owner, uint32_t item)
{
    const struct wpp_stacks *s = owner;
    uint32_t number = item & CALL_TREE_NUMBER;

    if (item & CALL_TREE_CALL)
        return s->length[s->tree.activation[number].piece];
    return item & CALL_TREE_PIECE ? s->length[number] : 1;
}

/* The last own path of an item, as in struct own. */
static struct own own_of(const struct wpp_stacks *s, uint32_t item)
{
    if (item & CALL_TREE_CALL)
        return (struct own){0};
    if (item & CALL_TREE_PIECE)
        return s->own[item & CALL_TREE_NUMBER];
    return (struct own){wpp_terminal(s->w, item)->routine != WPP_NO_ROUTINE, item};
}

static void sum_pieces(struct wpp_stacks *s)
{
    const struct call_tree *t = &s->tree;

    for (uint32_t p = 0; p < t->n_pieces; p++) {
        s->length[p] = 0;
        s->own[p] = (struct own){0};
        for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
            struct own own = own_of(s, t->item[i]);

            if (own.end > 0)
                s->own[p] = (struct own){s->length[p] + own.end, own.terminal};
            s->length[p] += events_of(s, t->item[i]);
        }
    }
}

/* Takes the tree. */
static wpp_stacks *stacks_of(const wpp *w, struct call_tree *tree, struct wpp_error *error)
{
    uint64_t n = tree->n_pieces ? tree->first[tree->n_pieces] : 0;
    wpp_stacks *s = calloc(1, sizeof *s);

    if (!s) {
        call_tree_free(tree);
        wpp_fail_memory(error);
        return NULL;
    }
    s->w = w;
    s->tree = *tree;
    s->length = malloc((s->tree.n_pieces + (size_t)1) * sizeof *s->length);
    s->own = malloc((s->tree.n_pieces + (size_t)1) * sizeof *s->own);
    s->sums = malloc(prefix_sums_size(n) * sizeof *s->sums);
    if (!s->length || !s->own || !s->sums) {
        wpp_stacks_free(s);
        wpp_fail_memory(error);
        return NULL;
    }
    s->events = (struct prefix_sums){s->tree.item, s->sums, events_of, s};
    sum_pieces(s);
    prefix_sums_fill(&s->events, n, s->sums);
    return s;
}

wpp_stacks *wpp_stacks_new(const wpp *w, struct wpp_error *error)
{
    struct call_tree tree;

    return call_tree_new(&tree, w, error) ? stacks_of(w, &tree, error) : NULL;
}

wpp_stacks *stacks_until(const wpp *w, uint32_t thread, uint64_t events, struct wpp_error *error)
{
    struct call_tree tree;

    return call_tree_until(&tree, w, thread, events, error) ? stacks_of(w, &tree, error) : NULL;
}

void wpp_stacks_free(wpp_stacks *s)
{
    if (!s)
        return;
    call_tree_free(&s->tree);
    free(s->length);
    free(s->own);
    free(s->sums);
    free(s);
}

/* ---- Descending ------------------------------------------------------------------------------ */

/* Where the descent is in a piece: at item `at`, which begins with event `event`. */
struct place {
    uint64_t begin, at;            /* of the tree's items */
    uint64_t event;
};

struct descent {
    const struct wpp_stacks *s;
    struct wpp_frame *frames;
    size_t n_frames, frames_room;
    struct place *places;          /* of the innermost activation, its own piece first */
    size_t n_places, places_room;
};

static bool make_room(void *array, size_t n, size_t *room, size_t each)
{
    size_t larger = *room + *room / 2 + 64;
    void **at = array, *p;

    if (n < *room)
        return true;
    p = realloc(*at, larger * each);
    if (!p)
        return false;
    *at = p;
    *room = larger;
    return true;
}

/* Notes how far the innermost activation has come: its last path before the current places. */
static void note_last(struct descent *d)
{
    const uint32_t *item = d->s->tree.item;

    for (size_t n = d->n_places; n > 0; n--) {
        const struct place *p = &d->places[n - 1];
        uint64_t event = p->event;

        for (uint64_t i = p->at; i > p->begin; i--) {
            struct own own = own_of(d->s, item[i - 1]);

            event -= events_of(d->s, item[i - 1]);
            if (own.end > 0) {
                d->frames[d->n_frames - 1].last = event + own.end - 1;
                d->frames[d->n_frames - 1].terminal = own.terminal;
                return;
            }
        }
    }
    assert(!"an activation begins with a path of its own");
}

static bool enter_call(struct descent *d, const struct activation *a, uint64_t first)
{
    if (!make_room(&d->frames, d->n_frames, &d->frames_room, sizeof *d->frames))
        return false;
    if (d->n_frames > 0)
        note_last(d);
    d->frames[d->n_frames++] = (struct wpp_frame){
        .routine = a->routine, .unseen = a->unseen, .first = first,
        .end = first + d->s->length[a->piece]
    };
    d->n_places = 0;
    return true;
}

/* The event itself. */
static void arrive(struct descent *d, uint32_t terminal, uint64_t event)
{
    struct wpp_frame *top;

    if (d->n_frames == 0)
        return;
    top = &d->frames[d->n_frames - 1];
    if (wpp_terminal(d->s->w, terminal)->routine == WPP_NO_ROUTINE) {
        note_last(d);
        return;
    }
    top->last = event;
    top->terminal = terminal;
}

static bool descend(struct descent *d, uint32_t piece, uint64_t rest)
{
    const struct call_tree *t = &d->s->tree;
    uint64_t at = 0;

    for (;;) {
        uint64_t begin = t->first[piece], left = rest;
        uint64_t i = prefix_sums_find(&d->s->events, begin, t->first[piece + 1], &left);
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        at += rest - left;
        rest = left;
        if (!make_room(&d->places, d->n_places, &d->places_room, sizeof *d->places))
            return false;
        d->places[d->n_places++] = (struct place){begin, i, at};
        if (!(item & (CALL_TREE_CALL | CALL_TREE_PIECE))) {
            arrive(d, item, at);
            return true;
        }
        if ((item & CALL_TREE_CALL) && !enter_call(d, &t->activation[number], at))
            return false;
        piece = item & CALL_TREE_CALL ? t->activation[number].piece : number;
    }
}

bool wpp_stack_at(const wpp_stacks *s, uint32_t thread, uint64_t event, struct wpp_frame **out,
                  size_t *n)
{
    struct descent d = {.s = s};
    uint64_t tokens = s->length[s->tree.root[thread]];
    bool at_end = event == tokens, done = true;

    assert(thread < s->tree.n_threads && event <= tokens);
    if (tokens > 0)
        done = descend(&d, s->tree.root[thread], event - at_end);
    free(d.places);
    if (at_end && d.n_frames > s->tree.live[thread])
        d.n_frames = s->tree.live[thread];
    *out = d.frames;
    *n = d.n_frames;
    if (!done) {
        free(d.frames);
        *out = NULL;
        *n = 0;
    }
    return done;
}
