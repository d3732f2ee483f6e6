/* SPDX-License-Identifier: MIT */
#include "wpp/profile/tree-walk.h"

#include <assert.h>
#include <stdlib.h>

static bool is_piece(uint32_t item)
{
    return !(item & CALL_TREE_CALL) && item & CALL_TREE_PIECE;
}

static bool is_path(const struct tree_walk *walk, uint32_t item)
{
    return !(item & (CALL_TREE_CALL | CALL_TREE_PIECE))
        && wpp_terminal(walk->w, item)->routine != WPP_NO_ROUTINE;
}

static void look_at(struct tree_walk *walk, uint32_t p)
{
    const struct call_tree *t = walk->tree;

    walk->last[p] = WALK_NONE;
    for (uint64_t i = t->first[p]; i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (walk->last[p] == WALK_NONE)
            walk->leads[p] |= item & CALL_TREE_CALL || (is_piece(item) && walk->leads[number]);
        if (is_piece(item) && walk->last[number] != WALK_NONE)
            walk->last[p] = walk->last[number];
        else if (is_path(walk, item))
            walk->last[p] = item;
    }
}

bool tree_walk_begin(struct tree_walk *out, const wpp *w, const struct call_tree *tree)
{
    size_t n = tree->n_pieces + (size_t)1;

    *out = (struct tree_walk){.w = w, .tree = tree};
    out->last = calloc(n, sizeof *out->last);
    out->leads = calloc(n, sizeof *out->leads);
    out->times = calloc(n, sizeof *out->times);
    if (!descending_begin(&out->order, tree->n_pieces) || !out->last || !out->leads || !out->times) {
        tree_walk_end(out);
        return false;
    }
    out->last[0] = WALK_NONE;
    for (uint32_t p = 1; p < tree->n_pieces; p++)
        look_at(out, p);
    return true;
}

void tree_walk_end(struct tree_walk *walk)
{
    descending_end(&walk->order);
    free(walk->last);
    free(walk->leads);
    free(walk->times);
    free(walk->todo);
    *walk = (struct tree_walk){0};
}

/* ---- Calls that a piece begins with ----------------------------------------------------------- */

/* Notes that the calls before the first path of the piece are made at the site. */
static bool push(struct tree_walk *walk, uint32_t piece, struct walk_site site, double times)
{
    if (!walk->leads[piece])
        return true;
    if (walk->n_todo == walk->todo_room) {
        size_t room = 2 * walk->todo_room + 64;
        struct walk_lead *todo = realloc(walk->todo, room * sizeof *todo);

        if (!todo)
            return false;
        walk->todo = todo;
        walk->todo_room = room;
    }
    walk->todo[walk->n_todo++] = (struct walk_lead){piece, site, times};
    return true;
}

/* Visits all that were noted.  The visitor may note more: so a deep stack needs no recursion here. */
static bool visit_leads(struct tree_walk *walk)
{
    const struct call_tree *t = walk->tree;
    bool ok = true;

    while (ok && walk->n_todo > 0) {
        struct walk_lead lead = walk->todo[--walk->n_todo];
        bool more = true;

        for (uint64_t i = t->first[lead.piece]; ok && more && i < t->first[lead.piece + 1]; i++) {
            uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

            if (item & CALL_TREE_CALL)
                ok = walk->call(walk->ctx, lead.site, number, lead.times);
            else if (is_piece(item))
                ok = push(walk, number, lead.site, lead.times);
            more = !is_path(walk, item) && (!is_piece(item) || walk->last[number] == WALK_NONE);
        }
    }
    return ok;
}

/* ---- All else ----------------------------------------------------------------------------------- */

static void put_piece(struct tree_walk *walk, uint32_t piece, double times)
{
    assert(piece < walk->tree->n_pieces);
    if (piece == 0)
        return;
    walk->times[piece] += times;
    descending_put(&walk->order, piece);
}

bool tree_walk_put_activation(struct tree_walk *walk, uint32_t activation, double times)
{
    const struct activation *a = &walk->tree->activation[activation];

    put_piece(walk, a->piece, times);
    return push(walk, a->piece, (struct walk_site){a->routine, WALK_NONE}, times);
}

bool tree_walk_put_root(struct tree_walk *walk, uint32_t thread)
{
    put_piece(walk, walk->tree->root[thread], 1);
    return push(walk, walk->tree->root[thread], (struct walk_site){WALK_NONE, WALK_NONE}, 1);
}

static bool visit_piece(struct tree_walk *walk, uint32_t p, double times)
{
    const struct call_tree *t = walk->tree;
    struct walk_site site = {WALK_NONE, WALK_NONE};
    bool ok = true;

    for (uint64_t i = t->first[p]; ok && i < t->first[p + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER, last = item;

        if (item & CALL_TREE_CALL) {
            ok = site.terminal == WALK_NONE || walk->call(walk->ctx, site, number, times);
            continue;
        }
        if (is_piece(item)) {
            put_piece(walk, number, times);
            ok = site.terminal == WALK_NONE || push(walk, number, site, times);
            last = walk->last[number];
        } else if (walk->path) {
            ok = walk->path(walk->ctx, item, times);
        }
        if (last != WALK_NONE && is_path(walk, last))
            site = (struct walk_site){wpp_terminal(walk->w, last)->routine, last};
    }
    return ok;
}

bool tree_walk(struct tree_walk *walk)
{
    bool ok = visit_leads(walk);
    uint32_t p;

    while (descending_take(&walk->order, &p)) {
        double times = walk->times[p];

        walk->times[p] = 0;
        ok = ok && visit_piece(walk, p, times) && visit_leads(walk);
    }
    return ok;
}
