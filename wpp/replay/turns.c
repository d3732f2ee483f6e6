/* SPDX-License-Identifier: MIT */
/* turns.c - which iteration of a loop an event lies in, from counts over the call tree's pieces.
 *
 * An activation is a sequence of blocks, those of its paths one after the other.  A visit of a loop is a
 * stretch of blocks that all lie in it, and its iterations are the arrivals at the loop's header there.
 * What a part of the sequence adds to the visit before it, and to the one behind it, are sums that can be
 * joined.  They are kept for pieces of the call tree, by the direction from which one looks at a piece: only
 * what lies before its first block outside of the loop matters, or only what lies behind the last one.  So
 * few pieces are looked into, but for a visit that most of the routine's run lies in.  A piece of millions
 * of items, which irregular runs have, is joined by groups of them, which are kept, too.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/natural-loops.h"
#include "wpp/replay/stack.h"
#include "wpp/replay/turn-parts.h"

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
    uint64_t known : 1;            /* of one that is kept */
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

/* The sides from which a piece is looked at: what comes behind the first block outside, or before the last
 * one, is left out. */
enum side { FROM_BEGIN, FROM_END };

/* Items whose parts are joined, those from k * GROUP on, and items of a piece that has groups. */
#ifdef WPP_HOSTILE
enum { GROUP = 2, LONG = 3 };
#else
enum { GROUP = 64, LONG = 64 * GROUP };
#endif

/* A piece of many items.  Its groups are those that lie in it whole. */
struct long_piece {
    uint32_t piece;
    struct part *group[2];         /* by side, from the group on in which the piece begins */
};

/* A loop that was asked for: its parts, by the rank of a path or a piece in the routine, as far as they are
 * known. */
struct loop_parts {
    struct part *path, *piece[2];  /* pieces by side */
    struct long_piece *longs;      /* those that a place was looked for in */
    uint32_t n_longs;
};

/* A piece that is being looked at: the items before `next`, from that side, are in `part`. */
struct pending {
    uint32_t piece;
    uint64_t next;
    struct part part;
};

/* A routine one of whose loops was asked for. */
struct routine_loops {
    struct natural_loops natural;
    struct loop_parts *parts;      /* by loop */
};

/* Things of each routine r, which are things[first[r] .. first[r+1]); rank[thing] is its place there, NONE
 * if it is of no routine. */
struct by_routine {
    uint32_t *first, *things, *rank;
};

struct wpp_turns {
    const wpp_stacks *stacks;
    uint32_t n_routines;
    struct by_routine paths, pieces;
    struct routine_loops **loops;  /* by routine; NULL: not asked yet */
    struct pending *stack;         /* room for pieces in pieces */
    size_t room;
    uint64_t left;                 /* items that may be looked at before the question stops */
    bool learned, stopped;         /* a piece's part became known in this part of the question */
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

        b->rank[i] = NONE;
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

static void free_long(struct long_piece *l)
{
    free(l->group[FROM_BEGIN]);
    free(l->group[FROM_END]);
}

static void free_parts(struct loop_parts *p)
{
    for (uint32_t i = 0; i < p->n_longs; i++)
        free_long(&p->longs[i]);
    free(p->longs);
    free(p->path);
    free(p->piece[FROM_BEGIN]);
    free(p->piece[FROM_END]);
    *p = (struct loop_parts){0};
}

static void free_loops(struct routine_loops *l)
{
    for (uint32_t i = 0; l && l->parts && i < l->natural.n; i++)
        free_parts(&l->parts[i]);
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
    free(t->stack);
    free_by_routine(&t->paths);
    free_by_routine(&t->pieces);
    free(t);
}

/* ---- The parts of a loop -------------------------------------------------------------------------- */

/* A loop that somebody asks for, and what is kept of it. */
struct asked {
    wpp_turns *t;
    const struct natural_loop *loop;
    struct loop_parts *parts;
};

static bool begin_parts(const wpp_turns *t, uint32_t routine, struct loop_parts *out)
{
    uint32_t n_paths = t->paths.first[routine + 1] - t->paths.first[routine];
    uint32_t n_pieces = t->pieces.first[routine + 1] - t->pieces.first[routine];

    out->path = calloc(n_paths + (size_t)1, sizeof *out->path);
    out->piece[FROM_BEGIN] = calloc(n_pieces + (size_t)1, sizeof *out->piece[0]);
    out->piece[FROM_END] = calloc(n_pieces + (size_t)1, sizeof *out->piece[0]);
    if (out->path && out->piece[FROM_BEGIN] && out->piece[FROM_END])
        return true;
    free_parts(out);
    return false;
}

static struct part whole_path(const struct asked *a, uint32_t terminal)
{
    uint32_t rank = a->t->paths.rank[terminal];
    struct part *kept;

    if (rank == NONE)
        return (struct part){0};
    kept = &a->parts->path[rank];
    if (!kept->known) {
        const struct wpp_terminal *path = wpp_terminal(a->t->stacks->w, terminal);

        *kept = part_of_path(a->loop, path, 0, path->n_blocks);
        kept->known = 1;
    }
    return *kept;
}

/* What is kept of a piece; NULL: it holds no path of the activation. */
static struct part *kept_of(const struct asked *a, enum side side, uint32_t piece)
{
    uint32_t rank = a->t->pieces.rank[piece];

    return rank == NONE ? NULL : &a->parts->piece[side][rank];
}

/* The part of an item.  False: it is a piece that must be looked at first. */
static bool part_of_item(const struct asked *a, enum side side, uint32_t item, struct part *out)
{
    const struct part *kept;

    *out = (struct part){0};
    if (item & CALL_TREE_CALL)
        return true;
    if (!(item & CALL_TREE_PIECE)) {
        *out = whole_path(a, item);
        return true;
    }
    kept = kept_of(a, side, item & CALL_TREE_NUMBER);
    if (kept)
        *out = *kept;
    return !kept || kept->known;
}

static struct part add(enum side side, struct part part, struct part next)
{
    return side == FROM_BEGIN ? join(part, next) : join(next, part);
}

/* A question stops only here, and only when it has learned something, so that it comes to an end. */
static bool push(wpp_turns *t, size_t *n, uint32_t piece)
{
    t->stopped = t->left == 0 && t->learned;
    if (t->stopped)
        return false;
    if (*n == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        struct pending *larger = realloc(t->stack, room * sizeof *larger);

        if (!larger)
            return false;
        t->stack = larger;
        t->room = room;
    }
    t->stack[(*n)++] = (struct pending){.piece = piece};
    return true;
}

/* Looks at a piece whose part is not known, and at those in it.  False, here and below: it stopped, or no
 * memory. */
static bool look_at(const struct asked *a, enum side side, uint32_t piece)
{
    const struct call_tree *tree = &a->t->stacks->tree;
    size_t n = 0;

    if (!push(a->t, &n, piece))
        return false;
    while (n > 0) {
        struct pending *top = &a->t->stack[n - 1];
        uint64_t first = tree->first[top->piece], items = tree->first[top->piece + 1] - first;
        struct part part;

        if (top->part.outside || top->next == items) {
            struct part *kept = kept_of(a, side, top->piece);

            *kept = top->part;
            kept->known = 1;
            a->t->learned = true;
            n--;
            continue;
        }
        a->t->left -= a->t->left > 0;
        uint32_t item = tree->item[side == FROM_BEGIN ? first + top->next : first + items - 1 - top->next];
        if (part_of_item(a, side, item, &part)) {
            top->part = add(side, top->part, part);
            top->next++;
        } else if (!push(a->t, &n, item & CALL_TREE_NUMBER)) {
            return false;
        }
    }
    return true;
}

/* Adds an item to what was seen from that side. */
static bool add_item(const struct asked *a, enum side side, uint32_t item, struct part *part)
{
    struct part next;

    if (!part_of_item(a, side, item, &next)) {
        if (!look_at(a, side, item & CALL_TREE_NUMBER))
            return false;
        part_of_item(a, side, item, &next);
    }
    *part = add(side, *part, next);
    return true;
}

/* ---- Long pieces --------------------------------------------------------------------------------- */

/* The groups of a piece; NULL: it is short, or there is no memory, and its items are looked at one by one. */
static struct long_piece *long_piece(const struct asked *a, uint32_t piece)
{
    const struct call_tree *tree = &a->t->stacks->tree;
    uint64_t first = tree->first[piece], end = tree->first[piece + 1], n = end / GROUP - first / GROUP + 1;
    struct loop_parts *p = a->parts;
    struct long_piece *longs, new;

    if (end - first < LONG)
        return NULL;
    for (uint32_t i = 0; i < p->n_longs; i++)
        if (p->longs[i].piece == piece)
            return &p->longs[i];
    new = (struct long_piece){piece, {calloc(n, sizeof(struct part)), calloc(n, sizeof(struct part))}};
    longs = realloc(p->longs, (p->n_longs + (size_t)1) * sizeof *longs);
    if (longs)
        p->longs = longs;
    if (!longs || !new.group[FROM_BEGIN] || !new.group[FROM_END]) {
        free_long(&new);
        return NULL;
    }
    longs[p->n_longs] = new;
    return &longs[p->n_longs++];
}

/* Adds items [begin, end), from that side, until a block lies outside. */
static bool add_one_by_one(const struct asked *a, enum side side, uint64_t begin, uint64_t end,
                           struct part *part)
{
    const uint32_t *item = a->t->stacks->tree.item;

    while (begin < end && !part->outside)
        if (!add_item(a, side, side == FROM_BEGIN ? item[begin++] : item[--end], part))
            return false;
    return true;
}

/* The part of items i .. i + GROUP - 1. */
static bool add_group(const struct asked *a, enum side side, struct part *kept, uint64_t i, struct part *part)
{
    if (!kept->known) {
        struct part group = {0};

        if (!add_one_by_one(a, side, i, i + GROUP, &group))
            return false;
        *kept = group;
        kept->known = 1;
    }
    *part = add(side, *part, *kept);
    return true;
}

/* Adds items [begin, end) of a piece, from that side, until a block lies outside. */
static bool add_items(const struct asked *a, enum side side, uint32_t piece, uint64_t begin, uint64_t end,
                      struct part *part)
{
    uint64_t low = (begin + GROUP - 1) / GROUP, high = end / GROUP;      /* the whole groups */
    uint64_t first = a->t->stacks->tree.first[piece] / GROUP;
    const struct long_piece *l = low < high ? long_piece(a, piece) : NULL;
    bool from_begin = side == FROM_BEGIN;

    if (!l)
        return add_one_by_one(a, side, begin, end, part);
    if (!add_one_by_one(a, side, from_begin ? begin : high * GROUP, from_begin ? low * GROUP : end, part))
        return false;
    while (low < high && !part->outside) {
        uint64_t g = from_begin ? low++ : --high;

        if (!add_group(a, side, &l->group[side][g - first], g * GROUP, part))
            return false;
    }
    return add_one_by_one(a, side, from_begin ? high * GROUP : begin, from_begin ? end : low * GROUP, part);
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

/* Adds what ran in the activation before the event, as far back as the loop was not left. */
static bool add_before(const struct asked *a, const struct way *way, struct part *part)
{
    const uint64_t *first = a->t->stacks->tree.first;

    for (size_t n = way->n; n > 0 && !part->outside; n--)
        if (!add_items(a, FROM_END, way->level[n - 1].piece, first[way->level[n - 1].piece],
                       way->level[n - 1].at, part))
            return false;
    return true;
}

/* Likewise what ran behind the event. */
static bool add_behind(const struct asked *a, const struct way *way, struct part *part)
{
    const uint64_t *first = a->t->stacks->tree.first;

    for (size_t n = way->n; n > 0 && !part->outside; n--)
        if (!add_items(a, FROM_BEGIN, way->level[n - 1].piece, way->level[n - 1].at + 1,
                       first[way->level[n - 1].piece + 1], part))
            return false;
    return true;
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

static bool turn_at(const struct asked *a, const struct way *way, uint32_t block, struct wpp_turn *out)
{
    const struct wpp_terminal *path = wpp_terminal(a->t->stacks->w, way->terminal);
    struct part before = part_of_path(a->loop, path, 0, block + 1);
    struct part behind = part_of_path(a->loop, path, block + 1, path->n_blocks);
    bool left;

    if (!add_before(a, way, &before) || !add_behind(a, way, &behind))
        return false;
    left = behind.outside && (behind.begins_outside ? path->blocks[block] == a->loop->header : behind.left);
    *out = (struct wpp_turn){
        .header = a->loop->header, .line = line_of(wpp_routine(a->t->stacks->w, path->routine), a->loop),
        .turn = before.behind, .turns = before.behind + behind.before - (left && !a->loop->own_latch)
    };
    return true;
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

        if (!parts->path)
            ok = begin_parts(t, path->routine, parts);
        ok = ok && turn_at(&(struct asked){t, loops[i], parts}, way, block, &(*out)[i]);
    }
    free(loops);
    return ok;
}

enum turns_state turns_at_part(wpp_turns *t, uint32_t thread, uint64_t event, uint32_t block, uint64_t items,
                               struct wpp_turn **out, size_t *n)
{
    const struct wpp_terminal *path;
    struct way way;
    bool ok;

    *out = NULL;
    *n = 0;
    t->left = items;
    t->learned = t->stopped = false;
    ok = find_way(t->stacks, thread, event, &way);
    if (ok) {
        path = wpp_terminal(t->stacks->w, way.terminal);
        if (path->routine != WPP_NO_ROUTINE && block < path->n_blocks)
            ok = turns_on_way(t, &way, block, out, n);
    }
    free(way.level);
    if (ok)
        return TURNS_READY;
    free(*out);
    *out = NULL;
    *n = 0;
    return t->stopped ? TURNS_MORE : TURNS_NO_MEMORY;
}

bool wpp_turns_at(wpp_turns *t, uint32_t thread, uint64_t event, uint32_t block, struct wpp_turn **out,
                  size_t *n)
{
    return turns_at_part(t, thread, event, block, UINT64_MAX, out, n) == TURNS_READY;
}
