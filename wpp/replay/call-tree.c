/* SPDX-License-Identifier: MIT */
/* call-tree.c - a rule is run once for each stack that looks different to it. */
#include "wpp/replay/call-tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/read/reader.h"
#include "wpp/replay/rule-effects.h"

#define ALL_THREADS UINT32_MAX
#define NO_ITEM CALL_TREE_PIECE   /* the empty piece */
enum { UNSEEN = 1 };           /* flag of a new activation */

/* Arrays that grow. */
#define VECTOR(type) struct { type *at; size_t n, capacity; }
#define PUSH(v, ...) (grow((void **)&(v).at, &(v).capacity, (v).n + 1, sizeof *(v).at) \
                      ? ((v).at[(v).n++] = (__VA_ARGS__), true) : false)

static bool grow(void **at, size_t *capacity, size_t n, size_t size)
{
    size_t larger = *capacity ? *capacity : 64;
    void *moved;

    if (n <= *capacity)
        return true;
    while (larger < n)
        larger += larger / 2;
    moved = realloc(*at, larger * size);
    if (!moved)
        return false;
    *at = moved;
    *capacity = larger;
    return true;
}

struct new_activation { uint32_t routine, item, flags; };

/* What a rule runs on one stack, beside its variant (rule-effects.h).  The arrays lie in the builder's
 * pools:
 *
 *      level[0 .. left]     what ran in activations from before the rule, as an item, the topmost first;
 *                           all but the last of them have left
 *      begun[0 .. n_begun)  activations that go on, outermost first, each with the item run in it
 *
 * The one item of a short variant is also its mark.
 */
struct pieces_run {
    size_t level, begun;
    uint32_t n_begun;
};

/* The items run in an activation so far are items.at[start ..], up to the next list. */
struct list {
    size_t start;
    uint32_t routine, flags;
    bool of_before;                /* the activation began before the current rule */
};

/* A rule that is being run.  Its lists are lists.at[list ..], and the first one is of_before; the
 * levels that have left are levels.at[level ..]. */
struct run {
    uint64_t next, end;            /* in the grammar's symbols */
    uint32_t rule;
    size_t list, level;
    struct events_stretch stretch;
};

struct builder {
    const wpp *w;
    const struct wpp_grammar *g;
    struct call_tree *tree;
    struct events *events;
    struct rule_effects effects;
    VECTOR(uint64_t) first;
    VECTOR(uint32_t) item;
    VECTOR(struct activation) activations;
    VECTOR(struct pieces_run) pieces_run;   /* by variant */
    VECTOR(uint32_t) level_pool;
    VECTOR(struct new_activation) begun_pool;
    VECTOR(struct run) runs;       /* the thread's own first */
    uint64_t left;                 /* events that are wanted of the symbol at the end of the thread's own run */
    VECTOR(struct list) lists;
    VECTOR(uint32_t) items;
    VECTOR(uint32_t) levels;
    bool full;                     /* more pieces or activations than there are numbers */
};

/* ---- Pieces ------------------------------------------------------------------------- */

static uint32_t n_pieces(const struct builder *b)
{
    assert(b->first.n > 0);
    return (uint32_t)b->first.n - 1;
}

/* Makes a piece of the items from `start` on and removes them; false: no room. */
static bool take_piece(struct builder *b, size_t start, uint32_t *piece)
{
    size_t n = b->items.n - start;

    assert(start <= b->items.n);
    *piece = 0;
    if (n == 1 && (b->items.at[start] & CALL_TREE_PIECE)) {
        *piece = b->items.at[start] & CALL_TREE_NUMBER;
    } else if (n > 0) {
        b->full |= n_pieces(b) >= CALL_TREE_NUMBER;
        if (b->full || !grow((void **)&b->item.at, &b->item.capacity, b->item.n + n,
                             sizeof *b->item.at))
            return false;
        memcpy(b->item.at + b->item.n, b->items.at + start, n * sizeof *b->item.at);
        b->item.n += n;
        *piece = n_pieces(b);
        if (!PUSH(b->first, b->item.n))
            return false;
    }
    b->items.n = start;
    return true;
}

/* Likewise, as an item: one item stays what it is, none is NO_ITEM. */
static bool take_item(struct builder *b, size_t start, uint32_t *item)
{
    bool ok = true;

    assert(start <= b->items.n);
    if (b->items.n == start + 1) {
        *item = b->items.at[start];
    } else {
        ok = take_piece(b, start, item);
        *item |= CALL_TREE_PIECE;
    }
    b->items.n = start;
    return ok;
}

/* Appends to the list of the topmost activation. */
static bool add_item(struct builder *b, uint32_t item)
{
    return item == NO_ITEM || PUSH(b->items, item);
}

/* ---- Activations -------------------------------------------------------------------- */

static bool begin_activation(struct builder *b, uint32_t routine, uint32_t flags)
{
    return PUSH(b->lists, (struct list){b->items.n, routine, flags, false});
}

/* Ends the topmost activation, which has left. */
static bool end_activation(struct builder *b)
{
    assert(b->lists.n > 0);
    struct list *top = &b->lists.at[b->lists.n - 1];
    struct activation a = {.routine = top->routine, .unseen = top->flags & UNSEEN};
    uint32_t item;

    if (top->of_before)
        return take_item(b, top->start, &item) && PUSH(b->levels, item);
    if (!take_piece(b, top->start, &a.piece))
        return false;
    b->lists.n--;
    b->full |= b->activations.n >= CALL_TREE_NUMBER;
    return !b->full && PUSH(b->activations, a)
        && PUSH(b->items, CALL_TREE_CALL | (uint32_t)(b->activations.n - 1));
}

static bool one_event(struct builder *b, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(b->w, number);
    const struct wpp_routine *routine =
        t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(b->w, t->routine);
    struct events_step step;
    bool ok = events_next(b->events, t, routine, &step);

    for (uint32_t i = 0; ok && i < step.left; i++)
        ok = end_activation(b);
    if (ok && (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN))
        ok = begin_activation(b, t->routine, step.arrival == ARRIVAL_UNSEEN ? UNSEEN : 0);
    ok = ok && PUSH(b->items, number);
    return ok && (!step.leaves || end_activation(b));
}

/* ---- Rules -------------------------------------------------------------------------- */

static bool begin_run(struct builder *b, uint32_t rule)
{
    struct run run = {
        .next = b->g->body[rule], .end = b->g->body[rule + 1], .rule = rule,
        .list = b->lists.n, .level = b->levels.n
    };

    events_begin(b->events, &run.stretch);
    return PUSH(b->lists, (struct list){.start = b->items.n, .of_before = true})
        && PUSH(b->runs, run);
}

/* Makes the variant's items from the run's lists, the last list first. */
static bool take_lists(struct builder *b, const struct run *run, struct pieces_run *v)
{
    uint32_t item;

    assert(run->list < b->lists.n && b->lists.at[run->list].of_before);
    assert(run->level <= b->levels.n);
    v->begun = b->begun_pool.n;
    v->n_begun = (uint32_t)(b->lists.n - run->list - 1);
    for (uint32_t i = 0; i < v->n_begun; i++)
        if (!PUSH(b->begun_pool, (struct new_activation){0}))
            return false;
    for (uint32_t i = v->n_begun; i-- > 0; b->lists.n--) {
        const struct list *list = &b->lists.at[b->lists.n - 1];

        if (!take_item(b, list->start, &item))
            return false;
        b->begun_pool.at[v->begun + i] = (struct new_activation){list->routine, item, list->flags};
    }
    if (!take_item(b, b->lists.at[run->list].start, &item) || !PUSH(b->levels, item))
        return false;
    b->lists.n--;
    v->level = b->level_pool.n;
    for (size_t i = run->level; i < b->levels.n; i++)
        if (!PUSH(b->level_pool, b->levels.at[i]))
            return false;
    b->levels.n = run->level;
    return true;
}

/* Applies the variant's effect to the lists; the machine's stack already has it. */
static bool add_variant(struct builder *b, uint32_t number)
{
    struct pieces_run v = b->pieces_run.at[number];
    uint32_t left = rule_effects_get(&b->effects, number).left;
    bool ok = true;

    assert(v.level + left < b->level_pool.n);
    assert(v.begun + v.n_begun <= b->begun_pool.n);
    for (uint32_t i = 0; ok && i <= left; i++)
        ok = add_item(b, b->level_pool.at[v.level + i]) && (i == left || end_activation(b));
    for (uint32_t i = 0; ok && i < v.n_begun; i++) {
        struct new_activation a = b->begun_pool.at[v.begun + i];

        ok = begin_activation(b, a.routine, a.flags) && add_item(b, a.item);
    }
    return ok;
}

/* Ends the topmost run: makes a variant of it and adds that to the run around it. */
static bool end_run(struct builder *b)
{
    assert(b->runs.n > 0 && b->runs.at[b->runs.n - 1].next == b->runs.at[b->runs.n - 1].end);
    struct run run = b->runs.at[--b->runs.n];
    struct pieces_run v = {0};
    uint32_t number;

    if (!take_lists(b, &run, &v))
        return false;
    number = rule_effects_add(&b->effects, b->events, &run.stretch, run.rule, b->level_pool.at[v.level]);
    if (number == RULE_EFFECT_NONE || !PUSH(b->pieces_run, v))
        return false;
    assert(b->pieces_run.n == number + (size_t)1);
    return add_variant(b, number);
}

static bool one_symbol(struct builder *b, uint32_t symbol)
{
    struct events_effect effect;
    uint32_t variant, item;

    if (!(symbol & WPP_RULE))
        return one_event(b, symbol);
    if (rule_effects_short(&b->effects, b->events, symbol & ~WPP_RULE, &item))
        return add_item(b, item);
    variant = rule_effects_find(&b->effects, b->events, symbol & ~WPP_RULE);
    if (variant == RULE_EFFECT_NONE)
        return begin_run(b, symbol & ~WPP_RULE);
    effect = rule_effects_get(&b->effects, variant);
    return events_apply(b->events, &effect) && add_variant(b, variant);
}

/* The next symbol of the topmost run.  What those behind it need is fetched: the accesses of a large
 * grammar go all over the memory. */
static bool next_symbol(struct builder *b, struct run *run)
{
    uint64_t at = run->next++;

    if (at + RULE_EFFECTS_AHEAD < run->end)
        rule_effects_fetch(&b->effects, b->g->symbols[at + RULE_EFFECTS_AHEAD]);
    return one_symbol(b, b->g->symbols[at]);
}

/* ---- Threads ------------------------------------------------------------------------ */

/* The thread's own run goes on in the rule in which the last event that is wanted lies, behind b->left of its events:
 * to the symbol in which that lies.  Nothing behind it is wanted. */
static void run_until(struct builder *b, struct run *run, uint32_t rule)
{
    struct prefix_sums events = wpp_event_sums(b->w);

    run->next = b->g->body[rule];
    run->end = prefix_sums_up_to(&events, run->next, b->g->body[rule + 1], b->g->length[rule], &b->left);
}

/* Runs the thread's first b->left events. */
static bool run_thread(struct builder *b, uint32_t thread)
{
    bool ok;

    b->events = events_new();
    ok = b->events && begin_run(b, b->g->n_rules + thread);
    if (ok)
        run_until(b, &b->runs.at[0], b->g->n_rules + thread);
    while (ok && b->runs.n > 0) {
        struct run *run = &b->runs.at[b->runs.n - 1];

        if (run->next < run->end)
            ok = next_symbol(b, run);
        else if (b->runs.n > 1)
            ok = end_run(b);
        else if (b->left > 0)
            run_until(b, run, b->g->symbols[run->end] & ~WPP_RULE);
        else
            break;
    }
    if (ok)
        b->tree->live[thread] = (uint32_t)(b->lists.n - 1);
    while (ok && b->lists.n > 1)
        ok = end_activation(b);
    assert(!ok || (b->lists.n == 1 && b->lists.at[0].start == 0));
    ok = ok && take_piece(b, 0, &b->tree->root[thread]);
    b->runs.n = b->lists.n = b->levels.n = b->items.n = 0;
    events_free(b->events);
    return ok;
}

static void free_pools(struct builder *b)
{
    rule_effects_end(&b->effects);
    free(b->pieces_run.at);
    free(b->level_pool.at);
    free(b->begun_pool.at);
    free(b->runs.at);
    free(b->lists.at);
    free(b->items.at);
    free(b->levels.at);
}

/* Piece 0 is empty. */
static bool begin_tree(struct builder *b)
{
    b->tree->root = calloc(b->g->n_threads + (size_t)1, sizeof *b->tree->root);
    b->tree->live = calloc(b->g->n_threads + (size_t)1, sizeof *b->tree->live);
    if (!b->tree->root || !b->tree->live || !rule_effects_begin(&b->effects, b->w))
        return false;
    return PUSH(b->first, 0) && PUSH(b->first, 0);
}

/* Of the first `events` events of a thread, or, if it is ALL_THREADS, of all. */
static bool make_tree(struct call_tree *out, const wpp *w, uint32_t thread, uint64_t events,
                      struct wpp_error *error)
{
    struct builder b = {.w = w, .g = wpp_grammar(w), .tree = out};
    bool ok;

    *out = (struct call_tree){.n_threads = b.g->n_threads};
    if (b.g->n_terminals > CALL_TREE_NUMBER)
        return wpp_fail(error, WPP_E_ARGUMENT, "too many different paths for a call tree");
    ok = begin_tree(&b);
    for (uint32_t k = 0; ok && k < b.g->n_threads; k++) {
        b.left = thread == ALL_THREADS ? UINT64_MAX : events;
        ok = (thread != ALL_THREADS && thread != k) || run_thread(&b, k);
    }
    free_pools(&b);
    out->n_pieces = b.first.n ? n_pieces(&b) : 0;
    out->first = b.first.at;
    out->item = b.item.at;
    assert(b.activations.n <= CALL_TREE_NUMBER);
    out->n_activations = (uint32_t)b.activations.n;
    out->activation = b.activations.at;
    if (!ok) {
        call_tree_free(out);
        return b.full ? wpp_fail(error, WPP_E_ARGUMENT, "the run is too large for a call tree")
                      : wpp_fail_memory(error);
    }
    return true;
}

bool call_tree_new(struct call_tree *out, const wpp *w, struct wpp_error *error)
{
    return make_tree(out, w, ALL_THREADS, 0, error);
}

bool call_tree_until(struct call_tree *out, const wpp *w, uint32_t thread, uint64_t events,
                     struct wpp_error *error)
{
    return make_tree(out, w, thread, events, error);
}

void call_tree_free(struct call_tree *t)
{
    free(t->first);
    free(t->item);
    free(t->activation);
    free(t->root);
    free(t->live);
    *t = (struct call_tree){0};
}

/* ---- Check -------------------------------------------------------------------------- */

static const char *check_item(const struct call_tree *t, uint32_t piece, uint32_t item)
{
    uint32_t number = item & CALL_TREE_NUMBER;

    if (item & CALL_TREE_CALL)
        return number >= t->n_activations ? "a call of no activation"
             : t->activation[number].piece >= piece ? "a call of a later activation"
             : t->activation[number].piece == 0 ? "an activation in which nothing ran" : NULL;
    if (item & CALL_TREE_PIECE)
        return number >= piece || number == 0 ? "a piece in an earlier one" : NULL;
    return NULL;
}

/* The first terminal of each piece if no call comes before it; else WPP_NO_ROUTINE. */
static uint32_t first_routine(const struct call_tree *t, const wpp *w, const uint32_t *first,
                              uint32_t piece)
{
    uint32_t item = t->item[t->first[piece]];

    if (item & CALL_TREE_CALL)
        return WPP_NO_ROUTINE;
    if (item & CALL_TREE_PIECE)
        return first[item & CALL_TREE_NUMBER];
    return wpp_terminal(w, item)->routine;
}

static const char *check_pieces(const struct call_tree *t, const wpp *w, uint32_t *first,
                                uint64_t *events)
{
    const char *why = NULL;

    for (uint32_t p = 1; !why && p < t->n_pieces; p++) {
        uint64_t n = t->first[p + 1] - t->first[p];

        if (n == 0 || (n == 1 && !(t->item[t->first[p]] & CALL_TREE_CALL)
                       && (t->item[t->first[p]] & CALL_TREE_PIECE)))
            why = "a piece that is not needed";
        for (uint64_t i = t->first[p]; !why && i < t->first[p + 1]; i++) {
            uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

            why = check_item(t, p, item);
            if (!why)
                events[p] += item & CALL_TREE_CALL ? events[t->activation[number].piece]
                           : item & CALL_TREE_PIECE ? events[number] : 1;
        }
        if (!why)
            first[p] = first_routine(t, w, first, p);
    }
    for (uint32_t a = 0; !why && a < t->n_activations; a++)
        if (first[t->activation[a].piece] != t->activation[a].routine)
            why = "an activation that does not begin in its routine";
    return why;
}

bool call_tree_check(const struct call_tree *t, const wpp *w, const char **why)
{
    uint32_t *first = calloc(t->n_pieces + (size_t)1, sizeof *first);
    uint64_t *events = calloc(t->n_pieces + (size_t)1, sizeof *events);
    const struct wpp_grammar *g = wpp_grammar(w);

    *why = first && events ? check_pieces(t, w, first, events) : "no memory";
    for (uint32_t k = 0; !*why && k < t->n_threads; k++)
        if (events[t->root[k]] != g->length[g->n_rules + k])
            *why = "a thread's events are not all there";
    free(first);
    free(events);
    return !*why;
}
