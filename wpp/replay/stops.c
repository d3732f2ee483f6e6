/* SPDX-License-Identifier: MIT */
#include "wpp/replay/stops.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/replay/line-trail.h"

enum { STEP = 64 };                /* items for each sum, and bits in a word of joins */

/* ---- Items ----------------------------------------------------------------------------------- */

static bool is_terminal(uint32_t item)
{
    return !(item & (CALL_TREE_CALL | CALL_TREE_PIECE));
}

/* Stops in an item that does not join. */
static uint64_t stops_in(const struct stops *s, enum stops_measure m, uint32_t item)
{
    const struct call_tree *t = &s->stacks->tree;
    const struct piece_stops *p;

    if (is_terminal(item))
        return s->path[item].n;
    if (item & CALL_TREE_CALL)
        return m == STOPS_ALL ? s->piece[t->activation[item & CALL_TREE_NUMBER].piece].all : 0;
    p = &s->piece[item & CALL_TREE_NUMBER];
    return m == STOPS_ALL ? p->all : p->own;
}

static uint32_t first_of(const struct stops *s, uint32_t item)
{
    if (item & CALL_TREE_CALL)
        return STOPS_NONE;
    if (item & CALL_TREE_PIECE)
        return s->piece[item & CALL_TREE_NUMBER].first;
    return s->path[item].n > 0 ? item : STOPS_NONE;
}

static uint32_t last_of(const struct stops *s, uint32_t item)
{
    return item & CALL_TREE_PIECE ? s->piece[item & CALL_TREE_NUMBER].last : first_of(s, item);
}

static bool item_joins(const struct stops *s, uint64_t i)
{
    return s->joins[i / STEP] >> i % STEP & 1;
}

static uint64_t value_of(const struct stops *s, enum stops_measure m, uint64_t i)
{
    return stops_in(s, m, s->stacks->tree.item[i]) - item_joins(s, i);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static struct path_lines lines_of(const wpp *w, const struct wpp_terminal *t)
{
    const struct wpp_routine *r = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);
    struct path_lines lines = {0};

    for (uint32_t i = 0; r && i < t->n_blocks; i++) {
        const struct wpp_block *b = &r->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++) {
            if (lines.n > 0 && same_line(*lines.last, b->lines[k]))
                continue;
            lines.last = &b->lines[k];
            if (lines.n++ == 0)
                lines.first = lines.last;
        }
    }
    return lines;
}

static void sum_piece(struct stops *s, uint32_t piece)
{
    const struct call_tree *t = &s->stacks->tree;
    struct piece_stops p = {0, 0, STOPS_NONE, STOPS_NONE};

    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i], first = first_of(s, item);

        if (first != STOPS_NONE) {
            if (p.last == STOPS_NONE)
                p.first = first;
            else if (same_line(*s->path[p.last].last, *s->path[first].first))
                s->joins[i / STEP] |= UINT64_C(1) << i % STEP;
            p.last = last_of(s, item);
        }
        p.all += value_of(s, STOPS_ALL, i);
        p.own += value_of(s, STOPS_OWN, i);
    }
    s->piece[piece] = p;
}

static void fill_sums(struct stops *s, uint64_t n)
{
    uint64_t all = 0, own = 0;

    for (uint64_t i = 0; i <= n; i++) {
        if (i % STEP == 0) {
            s->sums[STOPS_ALL][i / STEP] = all;
            s->sums[STOPS_OWN][i / STEP] = own;
        }
        if (i < n) {
            all += value_of(s, STOPS_ALL, i);
            own += value_of(s, STOPS_OWN, i);
        }
    }
}

bool stops_begin(struct stops *s, const wpp_stacks *stacks)
{
    const struct call_tree *t = &stacks->tree;
    uint32_t n_terminals = wpp_grammar(stacks->w)->n_terminals;
    uint64_t n = t->n_pieces ? t->first[t->n_pieces] : 0;

    *s = (struct stops){
        .stacks = stacks,
        .path = malloc((n_terminals + (size_t)1) * sizeof *s->path),
        .piece = malloc((t->n_pieces + (size_t)1) * sizeof *s->piece),
        .joins = calloc(n / STEP + 1, sizeof *s->joins),
        .sums = {malloc((n / STEP + 1) * sizeof *s->sums[0]), malloc((n / STEP + 1) * sizeof *s->sums[1])}
    };
    if (!s->path || !s->piece || !s->joins || !s->sums[0] || !s->sums[1]) {
        stops_end(s);
        return false;
    }
    for (uint32_t i = 0; i < n_terminals; i++)
        s->path[i] = lines_of(stacks->w, wpp_terminal(stacks->w, i));
    for (uint32_t p = 0; p < t->n_pieces; p++)
        sum_piece(s, p);
    fill_sums(s, n);
    return true;
}

void stops_end(struct stops *s)
{
    free(s->path);
    free(s->piece);
    free(s->joins);
    free(s->sums[0]);
    free(s->sums[1]);
    *s = (struct stops){0};
}

uint64_t stops_of_thread(const struct stops *s, uint32_t thread)
{
    return s->piece[s->stacks->tree.root[thread]].all;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Of all items before i, modulo 2^64. */
static uint64_t sum_before(const struct stops *s, enum stops_measure m, uint64_t i)
{
    uint64_t sum = s->sums[m][i / STEP];

    for (uint64_t j = i - i % STEP; j < i; j++)
        sum += value_of(s, m, j);
    return sum;
}

static uint64_t sum_between(const struct stops *s, enum stops_measure m, uint64_t begin, uint64_t end)
{
    uint64_t sum = 0;

    assert(begin <= end);
    if (end - begin > STEP)
        return sum_before(s, m, end) - sum_before(s, m, begin);
    for (uint64_t i = begin; i < end; i++)
        sum += value_of(s, m, i);
    return sum;
}

/* The last item in [begin, end) that has a sum, which is at most k from `base` on; `begin` if none. */
static uint64_t last_sum(const struct stops *s, enum stops_measure m, uint64_t begin, uint64_t end,
                         uint64_t base, uint64_t k)
{
    uint64_t i = begin, low = begin / STEP + 1, high = (end - 1) / STEP + 1;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (s->sums[m][middle] - base <= k) {
            i = middle * STEP;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return i;
}

/* The item of [begin, end) that holds stop *k of theirs; *k becomes its number in the item. */
static uint64_t find_between(const struct stops *s, enum stops_measure m, uint64_t begin, uint64_t end,
                             uint64_t *k)
{
    uint64_t i = begin;

    assert(begin < end);
    if (end - begin > STEP) {
        uint64_t base = sum_before(s, m, begin);

        i = last_sum(s, m, begin, end, base, *k);
        if (i > begin)
            *k -= s->sums[m][i / STEP] - base;
    }
    for (; *k >= value_of(s, m, i); i++) {
        assert(i + 1 < end);
        *k -= value_of(s, m, i);
    }
    return i;
}

/* The first item of a piece, but before `end`, that has lines of the activation; `end`: none has.  Few
 * items are looked at: an activation has a path between any two calls. */
static uint64_t first_with_lines(const struct stops *s, uint32_t piece, uint64_t end)
{
    const struct call_tree *t = &s->stacks->tree;
    uint64_t i = t->first[piece];

    while (i < end && first_of(s, t->item[i]) == STOPS_NONE)
        i++;
    return i;
}

/* ---- An event -------------------------------------------------------------------------------- */

static bool push_level(struct stops_spot *spot, struct stops_level level)
{
    if (spot->n_levels == spot->room) {
        size_t room = spot->room ? 2 * spot->room : 32;
        struct stops_level *larger = realloc(spot->level, room * sizeof *larger);

        if (!larger)
            return false;
        spot->level = larger;
        spot->room = room;
    }
    spot->level[spot->n_levels++] = level;
    return true;
}

/* Counts the stops of the piece before item i, and whether that one joins. */
static void pass(const struct stops *s, struct stops_spot *spot, uint32_t piece, uint64_t i)
{
    uint64_t begin = s->stacks->tree.first[piece];
    uint64_t joined = spot->joins ? first_with_lines(s, piece, i) : i;

    spot->before += sum_between(s, STOPS_ALL, begin, i) - (joined < i);
    spot->own_before += sum_between(s, STOPS_OWN, begin, i) - (joined < i);
    spot->joins = item_joins(s, i)
               || (spot->joins && joined == i && first_of(s, s->stacks->tree.item[i]) != STOPS_NONE);
}

static void enter(struct stops_spot *spot, uint32_t activation, uint64_t event)
{
    spot->in_activation = true;
    spot->activation = activation;
    spot->first = event;
    spot->own_before = 0;
    spot->n_levels = 0;
    spot->joins = false;
}

bool stops_locate(const struct stops *s, uint32_t thread, uint64_t event, struct stops_spot *out)
{
    const struct call_tree *t = &s->stacks->tree;
    uint32_t piece = t->root[thread];
    uint64_t at = 0, rest = event;

    assert(event < s->stacks->length[piece]);
    *out = (struct stops_spot){.level = out->level, .room = out->room};
    for (;;) {
        uint64_t left = rest;
        uint64_t i = prefix_sums_find(&s->stacks->events, t->first[piece], t->first[piece + 1], &left);
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        at += rest - left;
        rest = left;
        pass(s, out, piece, i);
        if (!push_level(out, (struct stops_level){piece, i, at}))
            return false;
        if (is_terminal(item)) {
            out->terminal = item;
            return true;
        }
        if (item & CALL_TREE_CALL)
            enter(out, number, at);
        piece = item & CALL_TREE_CALL ? t->activation[number].piece : number;
    }
}

void stops_spot_free(struct stops_spot *spot)
{
    free(spot->level);
    *spot = (struct stops_spot){0};
}

/* ---- A stop ---------------------------------------------------------------------------------- */

/* The same as find_between() in a piece that joins: its first item with lines has one stop less.
 * *joins: whether the item that is found joins by that. */
static uint64_t find_joined(const struct stops *s, enum stops_measure m, uint32_t piece, uint64_t *k,
                            bool *joins)
{
    uint64_t begin = s->stacks->tree.first[piece], end = s->stacks->tree.first[piece + 1];
    uint64_t f = first_with_lines(s, piece, end), before = sum_between(s, m, begin, f), here;

    assert(f < end);
    *joins = false;
    if (*k < before)
        return find_between(s, m, begin, f, k);
    *k -= before;
    here = value_of(s, m, f) - 1;
    *joins = *k < here;
    if (*joins)
        return f;
    *k -= here;
    return find_between(s, m, f + 1, end, k);
}

void stops_nth(const struct stops *s, enum stops_measure m, uint32_t piece, uint64_t first, uint64_t k,
               uint64_t *event, uint32_t *line)
{
    const struct call_tree *t = &s->stacks->tree;
    bool joins = false;

    *event = first;
    assert(k < (m == STOPS_ALL ? s->piece[piece].all : s->piece[piece].own));
    for (;;) {
        bool by_piece = false;
        uint64_t begin = t->first[piece];
        uint64_t i = joins ? find_joined(s, m, piece, &k, &by_piece)
                           : find_between(s, m, begin, t->first[piece + 1], &k);
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        *event += prefix_sums_between(&s->stacks->events, begin, i);
        joins = by_piece || item_joins(s, i);
        if (is_terminal(item))
            break;
        piece = item & CALL_TREE_CALL ? t->activation[number].piece : number;
    }
    *line = (uint32_t)k + joins;
}
