/* SPDX-License-Identifier: MIT */
/* call-tree-cut.c - a cut goes down to the event and makes the pieces on its way anew. */
#include "wpp/replay/call-tree-cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An item that the cut goes through: item[at] of a piece. */
struct step { uint32_t piece; uint64_t at; };

struct cut {
    struct call_tree *t;
    uint64_t *events;              /* by piece; also of new ones */
    size_t pieces, items, activations;     /* room in the tree's arrays */
    struct step *way;              /* from the root on */
    size_t n_way, way_room;
};

uint64_t *call_tree_events(const struct call_tree *t)
{
    uint64_t *events = calloc(t->n_pieces + (size_t)1, sizeof *events);

    for (uint32_t p = 1; events && p < t->n_pieces; p++)
        for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
            uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

            events[p] += item & CALL_TREE_CALL ? events[t->activation[number].piece]
                       : item & CALL_TREE_PIECE ? events[number] : 1;
        }
    return events;
}

/* ---- New pieces ------------------------------------------------------------------------- */

static bool widen(void *array, size_t *room, size_t n, size_t size)
{
    size_t larger = n + n / 2 + 16;
    void *moved;

    if (n <= *room)
        return true;
    moved = realloc(*(void **)array, larger * size);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof moved);
    *room = larger;
    return true;
}

/* Begins a piece behind the last one, with room for n items. */
static bool begin_piece(struct cut *c, uint64_t n)
{
    struct call_tree *t = c->t;
    size_t before = c->pieces;

    if (t->n_pieces >= CALL_TREE_NUMBER || !widen(&t->first, &c->pieces, t->n_pieces + (size_t)2,
                                                  sizeof *t->first)
        || !widen(&t->item, &c->items, t->first[t->n_pieces] + n, sizeof *t->item))
        return false;
    if (c->pieces != before && c->events) {
        uint64_t *events = realloc(c->events, c->pieces * sizeof *events);

        if (!events)
            return false;
        c->events = events;
    }
    t->first[t->n_pieces + 1] = t->first[t->n_pieces];
    return true;
}

static void add_item(struct cut *c, uint32_t item)
{
    struct call_tree *t = c->t;
    uint32_t number = item & CALL_TREE_NUMBER;

    if (!(item & CALL_TREE_CALL) && item & CALL_TREE_PIECE) {
        assert(number < t->n_pieces);
        if (t->first[number] == t->first[number + 1])
            return;
        if (t->first[number] + 1 == t->first[number + 1])
            item = t->item[t->first[number]];
    }
    t->item[t->first[t->n_pieces + 1]++] = item;
}

/* Ends the piece: its number, that of the only piece in it, or 0 if it is empty. */
static uint32_t end_piece(struct cut *c)
{
    struct call_tree *t = c->t;
    uint64_t first = t->first[t->n_pieces], n = t->first[t->n_pieces + 1] - first;

    if (n == 0)
        return 0;
    if (n == 1 && !(t->item[first] & CALL_TREE_CALL) && t->item[first] & CALL_TREE_PIECE)
        return t->item[first] & CALL_TREE_NUMBER;
    return t->n_pieces++;
}

static bool add_activation(struct cut *c, struct activation a, uint32_t *item)
{
    struct call_tree *t = c->t;

    if (t->n_activations >= CALL_TREE_NUMBER
        || !widen(&t->activation, &c->activations, t->n_activations + (size_t)1, sizeof a))
        return false;
    *item = CALL_TREE_CALL | t->n_activations;
    t->activation[t->n_activations++] = a;
    return true;
}

/* ---- Ranges --------------------------------------------------------------------------------- */

static uint64_t events_of(const struct cut *c, uint32_t item)
{
    uint32_t number = item & CALL_TREE_NUMBER;

    return item & CALL_TREE_CALL ? c->events[c->t->activation[number].piece]
         : item & CALL_TREE_PIECE ? c->events[number] : 1;
}

/* Goes down to event `at` of a piece, at most its events: notes the items on the way, in the last of
 * which (at the number that it notes) the kept part begins or ends. */
static bool go_down(struct cut *c, uint32_t piece, uint64_t at)
{
    const struct call_tree *t = c->t;

    for (c->n_way = 0;;) {
        uint64_t i = t->first[piece];
        uint32_t item;

        for (; i < t->first[piece + 1] && events_of(c, t->item[i]) <= at; i++)
            at -= events_of(c, t->item[i]);
        if (!widen(&c->way, &c->way_room, c->n_way + 1, sizeof *c->way))
            return false;
        c->way[c->n_way++] = (struct step){piece, i};
        if (at == 0)
            return true;
        item = t->item[i];
        assert(item & (CALL_TREE_CALL | CALL_TREE_PIECE));
        piece = item & CALL_TREE_CALL ? t->activation[item & CALL_TREE_NUMBER].piece
                                      : item & CALL_TREE_NUMBER;
    }
}

/* Makes the piece of one step, in which the item that the cut goes through becomes `inner`, 0 for
 * none. */
static bool make_step(struct cut *c, struct step s, uint32_t inner, bool keep_end, uint32_t *out)
{
    const struct call_tree *t = c->t;
    uint64_t first = keep_end ? s.at : t->first[s.piece];
    uint64_t end = keep_end ? t->first[s.piece + 1] : s.at;
    uint64_t events = 0;

    if (!begin_piece(c, end - first + 1))
        return false;
    if (inner && keep_end) {
        add_item(c, inner);
        first++;
    }
    for (uint64_t i = first; i < end; i++)
        add_item(c, t->item[i]);
    if (inner && !keep_end)
        add_item(c, inner);
    for (uint64_t i = t->first[t->n_pieces]; i < t->first[t->n_pieces + 1]; i++)
        events += events_of(c, t->item[i]);
    *out = end_piece(c);
    c->events[*out] = events;
    return true;
}

/* Keeps of a piece what lies behind event `at`, or (not keep_end) before it. */
static bool cut(struct cut *c, uint32_t piece, uint64_t at, bool keep_end, uint32_t *out)
{
    uint32_t inner = 0;
    bool ok = go_down(c, piece, at);

    while (ok && c->n_way > 0) {
        struct step s = c->way[--c->n_way];
        uint32_t made = 0;

        ok = make_step(c, s, inner, keep_end, &made);
        *out = made;
        if (!ok || c->n_way == 0)
            break;
        s = c->way[c->n_way - 1];
        inner = c->t->item[s.at];
        if (inner & CALL_TREE_CALL) {
            struct activation a = c->t->activation[inner & CALL_TREE_NUMBER];

            a.piece = made;
            a.unseen |= keep_end;
            ok = made == 0 || add_activation(c, a, &inner);
        } else {
            inner = CALL_TREE_PIECE | made;
        }
        if (made == 0)
            inner = 0;
    }
    return ok;
}

void call_tree_keep_thread(struct call_tree *t, uint32_t thread)
{
    for (uint32_t k = 0; k < t->n_threads; k++)
        if (k != thread)
            t->root[k] = 0;
}

static struct cut begin_cut(struct call_tree *t)
{
    return (struct cut){
        .t = t, .pieces = t->n_pieces + (size_t)1, .items = t->n_pieces ? t->first[t->n_pieces] : 0,
        .activations = t->n_activations
    };
}

bool call_tree_cut(struct call_tree *t, uint32_t thread, uint64_t begin, uint64_t end)
{
    struct cut c = begin_cut(t);
    uint32_t *root = &t->root[thread];
    bool ok;

    assert(thread < t->n_threads && begin <= end);
    call_tree_keep_thread(t, thread);
    c.events = call_tree_events(t);
    ok = c.events != NULL;
    if (ok && end < c.events[*root])
        ok = cut(&c, *root, end, false, root);
    if (ok && begin > 0)
        ok = cut(&c, *root, begin, true, root);
    free(c.events);
    free(c.way);
    return ok;
}

/* ---- Routines ------------------------------------------------------------------------------- */

/* The items of piece p that lie in chosen activations; of smaller pieces `part` says it. */
static bool choose_piece(struct cut *c, uint32_t p, const uint32_t *part, const bool *chosen,
                         uint32_t *out)
{
    const struct call_tree *t = c->t;

    if (!begin_piece(c, t->first[p + 1] - t->first[p]))
        return false;
    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL && chosen[t->activation[number].routine])
            add_item(c, item);
        else if (item & CALL_TREE_CALL)
            add_item(c, CALL_TREE_PIECE | part[t->activation[number].piece]);
        else if (item & CALL_TREE_PIECE)
            add_item(c, CALL_TREE_PIECE | part[number]);
    }
    *out = end_piece(c);
    return true;
}

bool call_tree_only(struct call_tree *t, const bool *chosen)
{
    struct cut c = begin_cut(t);
    uint32_t n = t->n_pieces;
    uint32_t *part = calloc(n + (size_t)1, sizeof *part);
    bool ok = part != NULL;

    for (uint32_t p = 1; ok && p < n; p++)
        ok = choose_piece(&c, p, part, chosen, &part[p]);
    for (uint32_t k = 0; ok && k < t->n_threads; k++)
        t->root[k] = part[t->root[k]];
    free(part);
    return ok;
}
