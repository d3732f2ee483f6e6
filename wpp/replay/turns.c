/* SPDX-License-Identifier: MIT */
/* turns.c - which iteration of a loop an event lies in, from counts over the call tree's pieces.
 *
 * An activation is a sequence of blocks, those of its paths one after the other.  A visit of a loop is a
 * stretch of blocks that all lie in it, and its iterations are the arrivals at the loop's header there.
 * What a part of the sequence adds to the visit before it, and to the one behind it, are sums that can be
 * joined: they are kept for each piece of the call tree, and computed when somebody asks for the loop.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/natural-loops.h"
#include "wpp/replay/stack.h"

#define NONE UINT32_MAX

/* ---- Parts of an activation -------------------------------------------------------------------- */

/* A sequence of blocks as one loop sees it. */
struct part {
    uint64_t before : 60;          /* headers before the first block outside; all of them if none is */
    uint64_t any : 1;              /* there are blocks */
    uint64_t outside : 1;          /* one of them lies outside */
    uint64_t begins_outside : 1;   /* the first one does */
    uint64_t left : 1;             /* the first one outside comes right behind a header */
    uint64_t behind : 60;          /* headers behind the last block outside; all of them if none is */
    uint64_t at_header : 1;        /* the last block is the header */
};

static struct part one_block(const struct natural_loop *l, uint32_t block)
{
    bool header = block == l->header, outside = !natural_loop_has(l, block);

    return (struct part){.before = header, .any = 1, .outside = outside, .begins_outside = outside,
                         .behind = header, .at_header = header};
}

static struct part join(struct part a, struct part b)
{
    struct part sum = {.any = 1, .outside = a.outside | b.outside, .begins_outside = a.begins_outside,
                       .at_header = b.at_header};

    if (!a.any)
        return b;
    if (!b.any)
        return a;
    sum.before = a.before + (a.outside ? 0 : b.before);
    sum.behind = b.behind + (b.outside ? 0 : a.behind);
    sum.left = a.outside ? a.left : b.begins_outside ? a.at_header : b.left;
    return sum;
}

/* Blocks [begin, end) of a path. */
static struct part part_of_path(const struct natural_loop *l, const struct wpp_terminal *t, uint32_t begin,
                                uint32_t end)
{
    struct part part = {0};

    for (uint32_t i = begin; i < end; i++)
        part = join(part, one_block(l, t->blocks[i]));
    return part;
}

/* ---- What is kept ------------------------------------------------------------------------------- */

/* A loop that was asked for: its parts, by the rank of a path or a piece in the routine. */
struct loop_parts {
    struct part *path, *piece;
};

/* A routine one of whose loops was asked for. */
struct routine_loops {
    struct natural_loops natural;
    struct loop_parts *parts;      /* by loop */
};

/* Things of each routine r, which are things[first[r] .. first[r+1]); rank[thing] is its place there. */
struct by_routine {
    uint32_t *first, *things, *rank;
};

struct wpp_turns {
    const wpp_stacks *stacks;
    uint32_t n_routines;
    struct by_routine paths, pieces;
    struct routine_loops **loops;  /* by routine; NULL: not asked yet */
};

/* NONE: it is none of a routine. */
static uint32_t routine_of_path(const wpp_stacks *s, uint32_t terminal)
{
    return wpp_terminal(s->w, terminal)->routine;
}

static uint32_t routine_of_piece(const wpp_stacks *s, uint32_t piece)
{
    return s->own[piece].end > 0 ? routine_of_path(s, s->own[piece].terminal) : NONE;
}

static bool sort_by_routine(struct by_routine *b, const wpp_stacks *s, uint32_t n_routines, uint32_t n,
                            uint32_t (*routine_of)(const wpp_stacks *, uint32_t))
{
    b->first = calloc(n_routines + (size_t)2, sizeof *b->first);
    b->things = malloc((n + (size_t)1) * sizeof *b->things);
    b->rank = malloc((n + (size_t)1) * sizeof *b->rank);
    if (!b->first || !b->things || !b->rank)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (routine_of(s, i) != NONE)
            b->first[routine_of(s, i) + 1]++;
    for (uint32_t r = 0; r < n_routines; r++)
        b->first[r + 1] += b->first[r];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = routine_of(s, i);

        if (r != NONE)
            b->things[b->first[r]++] = i;
    }
    for (uint32_t r = n_routines; r > 0; r--)
        b->first[r] = b->first[r - 1];
    b->first[0] = 0;
    for (uint32_t r = 0; r < n_routines; r++)
        for (uint32_t i = b->first[r]; i < b->first[r + 1]; i++)
            b->rank[b->things[i]] = i - b->first[r];
    return true;
}

static void free_by_routine(struct by_routine *b)
{
    free(b->first);
    free(b->things);
    free(b->rank);
}

wpp_turns *wpp_turns_new(const wpp_stacks *stacks, struct wpp_error *error)
{
    wpp_turns *t = calloc(1, sizeof *t);
    struct wpp_summary run;

    wpp_get_summary(stacks->w, &run);
    if (t) {
        t->stacks = stacks;
        t->n_routines = run.n_routines;
        t->loops = calloc(run.n_routines + (size_t)1, sizeof *t->loops);
    }
    if (t && t->loops
        && sort_by_routine(&t->paths, stacks, run.n_routines, wpp_grammar(stacks->w)->n_terminals,
                           routine_of_path)
        && sort_by_routine(&t->pieces, stacks, run.n_routines, stacks->tree.n_pieces, routine_of_piece))
        return t;
    wpp_turns_free(t);
    wpp_fail_memory(error);
    return NULL;
}

static void free_loops(struct routine_loops *l)
{
    for (uint32_t i = 0; l && l->parts && i < l->natural.n; i++) {
        free(l->parts[i].path);
        free(l->parts[i].piece);
    }
    if (l) {
        natural_loops_free(&l->natural);
        free(l->parts);
    }
    free(l);
}

void wpp_turns_free(wpp_turns *t)
{
    if (!t)
        return;
    for (uint32_t r = 0; t->loops && r < t->n_routines; r++)
        free_loops(t->loops[r]);
    free(t->loops);
    free_by_routine(&t->paths);
    free_by_routine(&t->pieces);
    free(t);
}

/* ---- The parts of a loop -------------------------------------------------------------------------- */

/* Of an item in an activation of the loop's routine. */
static struct part part_of_item(const wpp_turns *t, const struct loop_parts *parts, uint32_t item)
{
    uint32_t number = item & CALL_TREE_NUMBER;

    if (item & CALL_TREE_CALL)
        return (struct part){0};
    if (item & CALL_TREE_PIECE)
        return routine_of_piece(t->stacks, number) == NONE ? (struct part){0}
                                                           : parts->piece[t->pieces.rank[number]];
    return routine_of_path(t->stacks, number) == NONE ? (struct part){0}
                                                      : parts->path[t->paths.rank[number]];
}

/* False: no memory. */
static bool compute_parts(const wpp_turns *t, uint32_t routine, const struct natural_loop *l,
                          struct loop_parts *out)
{
    const struct call_tree *tree = &t->stacks->tree;
    const uint32_t *paths = t->paths.things + t->paths.first[routine];
    const uint32_t *pieces = t->pieces.things + t->pieces.first[routine];
    uint32_t n_paths = t->paths.first[routine + 1] - t->paths.first[routine];
    uint32_t n_pieces = t->pieces.first[routine + 1] - t->pieces.first[routine];

    out->path = malloc((n_paths + (size_t)1) * sizeof *out->path);
    out->piece = malloc((n_pieces + (size_t)1) * sizeof *out->piece);
    if (!out->path || !out->piece) {
        free(out->path);
        free(out->piece);
        *out = (struct loop_parts){0};
        return false;
    }
    for (uint32_t i = 0; i < n_paths; i++) {
        const struct wpp_terminal *path = wpp_terminal(t->stacks->w, paths[i]);

        out->path[i] = part_of_path(l, path, 0, path->n_blocks);
    }
    for (uint32_t i = 0; i < n_pieces; i++) {
        out->piece[i] = (struct part){0};
        for (uint64_t k = tree->first[pieces[i]]; k < tree->first[pieces[i] + 1]; k++)
            out->piece[i] = join(out->piece[i], part_of_item(t, out, tree->item[k]));
    }
    return true;
}

static struct routine_loops *loops_of(wpp_turns *t, uint32_t routine)
{
    struct routine_loops *l = t->loops[routine];

    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (l && natural_loops_of(&l->natural, wpp_routine(t->stacks->w, routine)))
        l->parts = calloc(l->natural.n + (size_t)1, sizeof *l->parts);
    if (!l || !l->parts) {
        free_loops(l);
        return NULL;
    }
    return t->loops[routine] = l;
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

/* The items on the way to an event, from the piece of its activation on. */
struct way {
    struct { uint32_t piece; uint64_t at; } *level;
    size_t n, room;
    uint32_t terminal;
};

static bool find_way(const wpp_stacks *s, uint32_t thread, uint64_t event, struct way *out)
{
    const struct call_tree *t = &s->tree;
    uint32_t piece = t->root[thread];

    assert(event < s->length[piece]);
    *out = (struct way){0};
    for (;;) {
        uint64_t i = prefix_sums_find(&s->events, t->first[piece], t->first[piece + 1], &event);
        uint32_t item = t->item[i];

        if (out->n == out->room) {
            size_t room = out->room ? 2 * out->room : 32;
            void *larger = realloc(out->level, room * sizeof *out->level);

            if (!larger)
                return false;
            out->level = larger;
            out->room = room;
        }
        out->level[out->n].piece = piece;
        out->level[out->n++].at = i;
        out->terminal = item;
        if (!(item & (CALL_TREE_CALL | CALL_TREE_PIECE)))
            return true;
        if (item & CALL_TREE_CALL)
            out->n = 0;
        piece = item & CALL_TREE_CALL ? t->activation[item & CALL_TREE_NUMBER].piece
                                      : item & CALL_TREE_NUMBER;
    }
}

/* What ran in the activation before the event, as far back as the loop was not left. */
static struct part part_before(const wpp_turns *t, const struct loop_parts *parts, const struct way *way,
                               struct part part)
{
    const struct call_tree *tree = &t->stacks->tree;

    for (size_t n = way->n; n > 0 && !part.outside; n--)
        for (uint64_t i = way->level[n - 1].at; i > tree->first[way->level[n - 1].piece]
                                                && !part.outside; i--)
            part = join(part_of_item(t, parts, tree->item[i - 1]), part);
    return part;
}

static struct part part_behind(const wpp_turns *t, const struct loop_parts *parts, const struct way *way,
                               struct part part)
{
    const struct call_tree *tree = &t->stacks->tree;

    for (size_t n = way->n; n > 0 && !part.outside; n--)
        for (uint64_t i = way->level[n - 1].at + 1; i < tree->first[way->level[n - 1].piece + 1]
                                                    && !part.outside; i++)
            part = join(part, part_of_item(t, parts, tree->item[i]));
    return part;
}

static const struct wpp_line *line_of(const struct wpp_routine *r, const struct natural_loop *l)
{
    const struct wpp_block *header = &r->blocks[l->header];

    if (header->n_lines > 0)
        return &header->lines[0];
    for (uint32_t i = 0; i < l->n_blocks; i++)
        if (r->blocks[l->blocks[i]].n_lines > 0)
            return &r->blocks[l->blocks[i]].lines[0];
    return NULL;
}

static struct wpp_turn turn_at(const wpp_turns *t, const struct natural_loop *l,
                               const struct loop_parts *parts, const struct way *way, uint32_t block)
{
    const struct wpp_terminal *path = wpp_terminal(t->stacks->w, way->terminal);
    struct part before = part_before(t, parts, way, part_of_path(l, path, 0, block + 1));
    struct part behind = part_behind(t, parts, way, part_of_path(l, path, block + 1, path->n_blocks));
    bool left = behind.outside && (behind.begins_outside ? before.at_header : behind.left);
    struct wpp_turn turn = {
        .header = l->header, .line = line_of(wpp_routine(t->stacks->w, path->routine), l),
        .turn = before.behind, .turns = before.behind + behind.before
    };

    turn.turns -= left && !l->own_latch;
    return turn;
}

static int outer_first(const void *a, const void *b)
{
    const struct natural_loop *const *x = a, *const *y = b;

    return ((*x)->n_blocks < (*y)->n_blocks) - ((*x)->n_blocks > (*y)->n_blocks);
}

/* The loops that hold a block, outermost first; loops that share a block lie in each other. */
static size_t around(const struct natural_loops *natural, uint32_t block, const struct natural_loop **out)
{
    size_t n = 0;

    for (uint32_t i = 0; i < natural->n; i++)
        if (natural_loop_has(&natural->loop[i], block))
            out[n++] = &natural->loop[i];
    qsort(out, n, sizeof *out, outer_first);
    return n;
}

static bool turns_on_way(wpp_turns *t, const struct way *way, uint32_t block, struct wpp_turn **out,
                         size_t *n)
{
    const struct wpp_terminal *path = wpp_terminal(t->stacks->w, way->terminal);
    struct routine_loops *l = loops_of(t, path->routine);
    const struct natural_loop **loops = l ? malloc((l->natural.n + (size_t)1) * sizeof *loops) : NULL;
    bool ok = loops;

    if (ok) {
        *n = around(&l->natural, path->blocks[block], loops);
        *out = malloc((*n + 1) * sizeof **out);
        ok = *out;
    }
    for (size_t i = 0; ok && i < *n; i++) {
        struct loop_parts *parts = &l->parts[loops[i] - l->natural.loop];

        if (!parts->piece)
            ok = compute_parts(t, path->routine, loops[i], parts);
        if (ok)
            (*out)[i] = turn_at(t, loops[i], parts, way, block);
    }
    free(loops);
    return ok;
}

bool wpp_turns_at(wpp_turns *t, uint32_t thread, uint64_t event, uint32_t block, struct wpp_turn **out,
                  size_t *n)
{
    const struct wpp_terminal *path;
    struct way way;
    bool ok = find_way(t->stacks, thread, event, &way);

    *out = NULL;
    *n = 0;
    if (ok) {
        path = wpp_terminal(t->stacks->w, way.terminal);
        if (path->routine != WPP_NO_ROUTINE && block < path->n_blocks)
            ok = turns_on_way(t, &way, block, out, n);
    }
    free(way.level);
    if (!ok) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return ok;
}
