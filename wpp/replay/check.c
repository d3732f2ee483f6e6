/* SPDX-License-Identifier: MIT */
/* check.c - the invariants of a WPP, by the functions of wpp.h. */

#include "wpp/replay/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/course.h"
#include "wpp/replay/events.h"

typedef unsigned long long ull;  /* for printf */

enum { BATCH = 4096 };           /* events read at once */

static bool damaged(struct wpp_error *error, const char *what, ull number, const char *how)
{
    return wpp_fail(error, WPP_E_DAMAGED, "%s %llu %s", what, number, how);
}

/* ---- Grammar -------------------------------------------------------------------- */

static bool check_bodies(const struct wpp_grammar *g, uint32_t *uses, struct wpp_error *error)
{
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++) {
        uint64_t length = 0;
        if (g->body[r] > g->body[r + 1] || (r < g->n_rules && g->body[r + 1] - g->body[r] < 2))
            return damaged(error, "rule", r, "has fewer than two symbols");
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++) {
            uint32_t symbol = g->symbols[i], number = symbol & ~WPP_RULE;
            if (symbol & WPP_RULE) {
                if (number >= r || number >= g->n_rules)
                    return damaged(error, "rule", r, "uses a rule that is not before it");
                uses[number] += uses[number] < 2;
                length += g->length[number];
            } else {
                if (number >= g->n_terminals)
                    return damaged(error, "rule", r, "uses a terminal that does not exist");
                length++;
            }
        }
        if (length != g->length[r])
            return damaged(error, "rule", r, "does not derive as many events as it says");
    }
    for (uint32_t r = 0; r < g->n_rules; r++)
        if (uses[r] < 2)
            return damaged(error, "rule", r, "is used less than twice");
    return true;
}

/* Digrams are looked at in several rounds, each time those of one class: so the set is small. */
#ifdef WPP_HOSTILE
enum { CLASSES_LOG = 4, FEW_SYMBOLS = 4 };
#else
enum { CLASSES_LOG = 3, FEW_SYMBOLS = 1 << 16 };
#endif
enum { CLASSES = 1 << CLASSES_LOG };

/* An open-addressing set of digrams: 1 + the index of the first, 0 free. */
struct digrams {
    const uint32_t *symbols;
    uint64_t *slots;
    uint64_t mask;
    unsigned classes;                /* 1 or CLASSES */
};

static uint64_t digram_hash(const uint32_t *digram)
{
    return ((uint64_t)digram[0] << 32 | digram[1]) * 0x9e3779b97f4a7c15u;
}

static unsigned digram_class(const struct digrams *d, uint64_t hash)
{
    return (unsigned)(hash >> (64 - CLASSES_LOG)) & (d->classes - 1);
}

static uint64_t *digram_slot(const struct digrams *d, uint64_t place, uint64_t hash)
{
    uint32_t a = d->symbols[place], b = d->symbols[place + 1];

    for (uint64_t i = hash >> 20 & d->mask;; i = (i + 1) & d->mask) {
        const uint32_t *other = &d->symbols[d->slots[i] - (d->slots[i] > 0)];
        if (d->slots[i] == 0 || (other[0] == a && other[1] == b))
            return &d->slots[i];
    }
}

/* The most digrams of a class; a few at the ends of bodies are counted, too. */
static uint64_t largest_class(const struct digrams *d, uint64_t n)
{
    uint64_t count[CLASSES] = {0}, most = 0;

    for (uint64_t i = 0; i + 1 < n; i++)
        count[digram_class(d, digram_hash(d->symbols + i))]++;
    for (unsigned c = 0; c < d->classes; c++)
        most = count[c] > most ? count[c] : most;
    return most;
}

static bool check_class(const struct wpp_grammar *g, const struct digrams *d, unsigned class,
                        struct wpp_error *error)
{
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++)
        for (uint64_t i = g->body[r]; i + 1 < g->body[r + 1]; i++) {
            uint64_t hash = digram_hash(d->symbols + i), *slot;

            if (digram_class(d, hash) != class)
                continue;
            slot = digram_slot(d, i, hash);
            if (*slot == 0)
                *slot = i + 1;
            else if (*slot != i || i == g->body[r])    /* slot i: the digram just before this */
                return damaged(error, "a digram of rule", r, "stands twice in the grammar");
        }
    return true;
}

static bool check_digrams(const struct wpp_grammar *g, struct wpp_error *error)
{
    uint64_t n = g->body[g->n_rules + g->n_threads], size = 64, most;
    struct digrams d = {.symbols = g->symbols, .classes = n < FEW_SYMBOLS ? 1 : CLASSES};
    bool ok = true;

    most = largest_class(&d, n);
    while (size < most + most / 2)
        size *= 2;
    d.slots = malloc(size * sizeof *d.slots);
    d.mask = size - 1;
    assert((size & d.mask) == 0 && most < size);                 /* so a search ends */
    if (!d.slots)
        return wpp_fail_memory(error);
    for (unsigned class = 0; ok && class < d.classes; class++) {
        memset(d.slots, 0, size * sizeof *d.slots);
        ok = check_class(g, &d, class, error);
    }
    free(d.slots);
    return ok;
}

bool check_rules(const struct wpp_grammar *g, bool apart, struct wpp_error *error)
{
    uint32_t *uses = calloc(g->n_rules + (size_t)1, sizeof *uses);
    bool ok = uses ? check_bodies(g, uses, error) : wpp_fail_memory(error);

    free(uses);
    return ok && (apart || check_digrams(g, error));
}

bool check_grammar(const wpp *w, struct wpp_error *error)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct wpp_summary s;
    uint64_t tokens = 0;
    bool alone = wpp_missing(w) & WPP_PART_TERMINALS;      /* in a damaged file */

    wpp_get_summary(w, &s);
    if (s.n_rules != g->n_rules || s.n_threads != g->n_threads
        || (!alone && s.n_terminals != g->n_terminals)
        || s.rhs_symbols != g->body[g->n_rules + g->n_threads])
        return wpp_fail(error, WPP_E_DAMAGED, "the summary contradicts the grammar");
    if (!check_rules(g, s.n_segments > 1 || s.parts > 1, error))
        return false;
    for (uint32_t k = 0; k < g->n_threads; k++) {
        if (wpp_thread(w, k)->tokens != g->length[g->n_rules + k])
            return damaged(error, "thread", k, "has another number of events than its start rule");
        tokens += wpp_thread(w, k)->tokens;
    }
    if (!s.is_profile && tokens != s.tokens)
        return wpp_fail(error, WPP_E_DAMAGED, "the threads have %llu events, the summary says %llu",
                        (ull)tokens, (ull)s.tokens);
    return true;
}

/* ---- Paths ------------------------------------------------------------------------- */

static int compare_tokens(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool check_tokens(const wpp *w, struct wpp_error *error)
{
    uint32_t n = wpp_grammar(w)->n_terminals, n_whole = 0;
    uint32_t *tokens = calloc(n + (size_t)1, sizeof *tokens);
    bool ok = true;

    if (!tokens)
        return wpp_fail_memory(error);
    /* The token of a path that was left stands for the whole path, too. */
    for (uint32_t t = 0; t < n; t++)
        if (!wpp_terminal(w, t)->left)
            tokens[n_whole++] = wpp_terminal(w, t)->token;
    qsort(tokens, n_whole, sizeof *tokens, compare_tokens);
    for (uint32_t t = 1; ok && t < n_whole; t++)
        if (tokens[t] == tokens[t - 1])
            ok = damaged(error, "token", tokens[t], "stands for two terminals");
    free(tokens);
    return ok;
}

/* The first of the routine's edges, which ascend by source, that leaves `vertex` or a later one. */
static uint32_t first_edge(const struct wpp_routine *routine, uint32_t vertex)
{
    uint32_t low = 0, high = routine->n_edges;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (routine->edges[middle].src < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == routine->n_edges || routine->edges[low].src >= vertex);
    return low;
}

/* The edge out of `vertex` on the path whose remaining number is *number; NULL: none. */
static const struct wpp_edge *step(const struct wpp_routine *routine, uint32_t vertex,
                                   uint64_t *number)
{
    const struct wpp_edge *best = NULL;

    for (uint32_t i = first_edge(routine, vertex); i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];
        if (e->src != vertex)
            break;
        if (e->val <= *number && (!best || e->val >= best->val))
            best = e;
    }
    if (best)
        *number -= best->val;
    return best;
}

static bool check_path(const struct wpp_terminal *t, const struct wpp_routine *routine)
{
    uint32_t vertex = 0, end = t->left ? t->left : 1;
    uint64_t rest = t->left ? (t->path - routine->num_paths) / routine->n_blocks : t->path, insns = 0;

    if (rest >= routine->num_paths || t->n_edges != t->n_blocks + !t->left)
        return false;
    for (uint32_t i = 0; i < t->n_edges; i++) {
        const struct wpp_edge *e = step(routine, vertex, &rest);
        if (!e || e != &routine->edges[t->edges[i]])
            return false;
        vertex = e->dst;
        assert(vertex < routine->n_blocks);
        if (i < t->n_blocks && t->blocks[i] != vertex)
            return false;
        if (i < t->n_blocks)
            insns += routine->blocks[vertex].insns;
    }
    return vertex == end && (rest == 0 || t->left) && t->insns == (insns ? insns : 1)
           && t->enters == (routine->edges[t->edges[0]].kind == WPP_EDGE_REAL)
           && t->leaves == (!t->left
                            && routine->edges[t->edges[t->n_edges - 1]].kind == WPP_EDGE_REAL);
}

bool check_paths(const wpp *w, struct wpp_error *error)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    for (uint32_t i = 0; i < s.n_terminals; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);
        if (t->routine == WPP_NO_ROUTINE)
            continue;
        if (t->routine >= s.n_routines)
            return damaged(error, "path", i, "belongs to no routine");
        if (!check_path(t, wpp_routine(w, t->routine)))
            return wpp_fail(error, WPP_E_DAMAGED,
                            "path %llu of %s does not regenerate from its number",
                            (ull)t->path, wpp_routine(w, t->routine)->shown);
    }
    return check_tokens(w, error);
}

/* ---- Nesting ------------------------------------------------------------------------- */

static bool any_nonlocal(const wpp *w)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    for (uint32_t r = 0; r < s.n_routines; r++)
        if (wpp_routine(w, r)->flags & WPP_ROUTINE_NONLOCAL)
            return true;
    return false;
}

struct nesting {
    const wpp *w;
    struct check_activations *sum;
    struct events *events;
    bool nonlocal;             /* some routine may be entered non-locally */
};

static void count_place(struct check_places *p, uint32_t thread, uint64_t event, uint32_t terminal)
{
    if (p->n++ == 0)
        *p = (struct check_places){1, event, thread, terminal};
}

static bool count_event(struct nesting *n, uint32_t number, uint32_t thread, uint64_t at)
{
    const struct wpp_terminal *t = wpp_terminal(n->w, number);
    const struct wpp_routine *routine =
        t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(n->w, t->routine);
    struct events_step step;

    if (!events_next(n->events, t, routine, &step))
        return false;
    assert(step.arrival != ARRIVAL_ENTER || step.left == 0);
    n->sum->entered += step.arrival == ARRIVAL_ENTER;
    n->sum->left += step.leaves;
    if (step.arrival == ARRIVAL_GAP) {
        n->sum->open += step.left;
        return true;
    }
    n->sum->unwound += step.left;
    n->sum->nonlocal += step.arrival == ARRIVAL_NONLOCAL
                        || (step.arrival == ARRIVAL_FRAME && step.left > 0);
    n->sum->unseen += step.arrival == ARRIVAL_UNSEEN;
    if (step.arrival == ARRIVAL_IMPOSSIBLE || (step.left > 0 && !n->nonlocal))
        count_place(&n->sum->switched, thread, at, number);
    return true;
}

/* Checks as if the thread had one stack. */
static bool count_thread(struct nesting *n, uint32_t thread)
{
    wpp_cursor *cursor = wpp_cursor_new(n->w, thread, 0);
    uint32_t batch[BATCH];
    uint64_t at = 0;
    size_t got;
    bool ok;

    n->events = events_new();
    ok = cursor && n->events;
    while (ok && (got = wpp_cursor_read(cursor, batch, BATCH)) > 0)
        for (size_t i = 0; ok && i < got; i++)
            ok = count_event(n, batch[i], thread, at++);
    if (ok)
        n->sum->open += events_depth(n->events);
    if (cursor)
        wpp_cursor_free(cursor);
    events_free(n->events);
    return ok;
}

/* Checks as if it had any number of stacks. */
static bool look_for_strange(const wpp *w, uint32_t thread, struct check_activations *sum,
                             bool *whole)
{
    wpp_cursor *cursor = wpp_cursor_new(w, thread, 0);
    uint32_t batch[BATCH];
    uint64_t at = 0;
    struct course course;
    size_t got;
    bool ok = course_begin(&course, w);

    while (ok && cursor && (got = wpp_cursor_read(cursor, batch, BATCH)) > 0)
        for (size_t i = 0; i < got; i++, at++)
            if (!course_next(&course, wpp_terminal(w, batch[i])))
                count_place(&sum->strange, thread, at, batch[i]);
    *whole &= ok && course.whole;
    if (ok)
        course_end(&course);
    if (cursor)
        wpp_cursor_free(cursor);
    return ok && cursor;
}

bool check_nesting(const wpp *w, struct check_activations *out, struct wpp_error *error)
{
    struct nesting n = {.w = w, .sum = out, .nonlocal = any_nonlocal(w)};
    uint32_t n_threads = wpp_grammar(w)->n_threads;
    bool whole = n_threads == 1;

    *out = (struct check_activations){0};
    for (uint32_t k = 0; k < n_threads; k++) {
        uint64_t before = out->switched.n;

        if (!count_thread(&n, k) ||
            (out->switched.n > before && !look_for_strange(w, k, out, &whole)))
            return wpp_fail_memory(error);
    }
    if (out->strange.n == 0 || !whole)
        return true;
    const struct wpp_terminal *t = wpp_terminal(w, out->strange.terminal);
    return wpp_fail(error, WPP_E_DAMAGED, "event %llu of thread %u, path %llu of %s, can follow no "
                    "path before it: events are missing or out of order",
                    (ull)out->strange.event, out->strange.thread, (ull)t->path,
                    wpp_routine(w, t->routine)->shown);
}
