/* SPDX-License-Identifier: MIT */
/* order-facts.c - what only the order of paths shows. */
#include <stdlib.h>
#include <string.h>

#include "wpp/runs/run-facts.h"

#define NONE UINT32_MAX

/* ---- Pairs and triples ---------------------------------------------------------------------- */

/* The first and last two terminals of what a symbol derives; NONE: it derives one only. */
struct ends { uint32_t first[2], last[2]; };

static struct ends ends_of(const struct ends *rules, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        return rules[symbol & ~WPP_RULE];
    return (struct ends){{symbol, NONE}, {NONE, symbol}};
}

/* What the first symbols of a body derive together, and one more. */
static void append(struct ends *to, struct ends next)
{
    if (to->first[1] == NONE)
        to->first[1] = next.first[0];
    to->last[0] = next.last[0] != NONE ? next.last[0] : to->last[1];
    to->last[1] = next.last[1];
}

struct gram_search {
    struct run_facts *f;
    struct vocabulary *v;
    const struct facts_names *names;
};

/* Terminals of which one is not a path make no fact, nor does NONE. */
static void add_triple(const struct gram_search *s, uint32_t a, uint32_t b, uint32_t c)
{
    const struct known_path *path = s->v->path;
    const uint32_t *number = s->names->path;
    struct predicate p = {.kind = PREDICATE_TRIPLE};

    if (a == NONE || c == NONE || number[a] == NONE || number[b] == NONE || number[c] == NONE)
        return;
    p.x = path[number[a]].predicate;
    p.y = path[number[b]].predicate;
    p.z = path[number[c]].predicate;
    p.site = vocabulary_predicate(s->v, (struct predicate){.kind = PREDICATE_PAIR, .x = p.x, .y = p.y,
                                                           .site = p.x});
    run_facts_add(s->f, vocabulary_predicate(s->v, p));
}

static void add_pair(const struct gram_search *s, uint32_t a, uint32_t b)
{
    const struct known_path *path = s->v->path;
    const uint32_t *number = s->names->path;
    uint32_t x, y;

    if (number[a] == NONE || number[b] == NONE)
        return;
    x = path[number[a]].predicate;
    y = path[number[b]].predicate;
    run_facts_add(s->f, vocabulary_predicate(s->v, (struct predicate){.kind = PREDICATE_PAIR, .x = x,
                                                                      .y = y, .site = x}));
}

/* All grams that cross the border of two symbols of the body; returns the body's ends.  A gram that
 * crosses two borders, since the symbol between them derives one terminal, is found at the second. */
static struct ends search_body(const struct gram_search *s, const struct wpp_grammar *g,
                               const struct ends *rules, uint32_t rule)
{
    struct ends all = {{NONE, NONE}, {NONE, NONE}};

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        struct ends next = ends_of(rules, g->symbols[i]);

        if (i == g->body[rule]) {
            all = next;
            continue;
        }
        add_pair(s, all.last[1], next.first[0]);
        add_triple(s, all.last[0], all.last[1], next.first[0]);
        add_triple(s, all.last[1], next.first[0], next.first[1]);
        append(&all, next);
    }
    return all;
}

static bool find_grams(const struct gram_search *s)
{
    const struct wpp_grammar *g = wpp_grammar(s->names->w);
    struct ends *rules = malloc((g->n_rules + (size_t)g->n_threads + 1) * sizeof *rules);

    if (!rules)
        return false;
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++)
        rules[r] = search_body(s, g, rules, r);
    free(rules);
    return true;
}

/* ---- First and last ------------------------------------------------------------------------- */

/* By rule, then by terminal: where in the thread it begins first, and last; first NOWHERE: not at
 * all. */
struct place { uint64_t first, last; };
#define NOWHERE UINT64_MAX

static void note_place(struct place *p, uint64_t first, uint64_t last)
{
    if (first < p->first)
        p->first = first;
    if (p->last == NOWHERE || last > p->last)
        p->last = last;
}

/* A rule's users have larger numbers, so its places are known when its turn comes. */
static void find_places(const struct wpp_grammar *g, uint32_t thread, struct place *place)
{
    uint32_t n = g->n_rules;

    memset(place, 0xFF, (n + (size_t)g->n_terminals) * sizeof *place);
    for (uint32_t r = n + 1; r-- > 0;) {
        uint32_t rule = r == n ? n + thread : r;
        struct place at = r == n ? (struct place){0, 0} : place[r];
        uint64_t passed = 0;

        if (at.first == NOWHERE)
            continue;
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t symbol = g->symbols[i];
            bool is_rule = symbol & WPP_RULE;
            uint32_t number = symbol & ~WPP_RULE;

            note_place(&place[is_rule ? number : n + number], at.first + passed, at.last + passed);
            passed += is_rule ? g->length[number] : 1;
        }
    }
}

struct end { uint64_t event; uint32_t terminal; bool last; };

/* Where the same event is first and last, the first comes first. */
static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return (int)a->last - (int)b->last;
}

static bool make_room(struct run_facts *f, uint32_t more)
{
    struct path_span *larger;

    if (f->n_spans + more <= f->span_capacity)
        return true;
    f->span_capacity = 2 * (f->n_spans + more);
    larger = realloc(f->span, f->span_capacity * sizeof *larger);
    if (!larger)
        return false;
    f->span = larger;
    return true;
}

/* Ranks in place of events: they fit into 32 bits. */
static void add_spans(struct run_facts *f, const struct facts_names *names, uint32_t thread,
                      const struct end *end, uint32_t n, struct path_span *by_terminal)
{
    for (uint32_t i = 0; i < n; i++) {
        struct path_span *s = &by_terminal[end[i].terminal];

        if (end[i].last)
            s->last = i;
        else
            *s = (struct path_span){f->n_threads + thread, names->path[end[i].terminal], i, i};
    }
    for (uint32_t i = 0; i < n; i++)
        if (end[i].last)
            f->span[f->n_spans++] = by_terminal[end[i].terminal];
}

static bool find_spans(struct run_facts *f, const struct facts_names *names)
{
    const struct wpp_grammar *g = wpp_grammar(names->w);
    uint32_t n = g->n_terminals;
    struct place *place = malloc((g->n_rules + (size_t)n + 1) * sizeof *place);
    struct end *end = malloc((2 * (size_t)n + 1) * sizeof *end);
    struct path_span *by_terminal = calloc(n + (size_t)1, sizeof *by_terminal);
    bool done = place && end && by_terminal;

    for (uint32_t thread = 0; done && thread < g->n_threads; thread++) {
        uint32_t n_ends = 0;

        find_places(g, thread, place);
        for (uint32_t t = 0; t < n; t++) {
            const struct place *p = &place[g->n_rules + t];

            if (p->first == NOWHERE || names->path[t] == NONE)
                continue;
            end[n_ends++] = (struct end){p->first, t, false};
            end[n_ends++] = (struct end){p->last, t, true};
        }
        qsort(end, n_ends, sizeof *end, compare_ends);
        done = make_room(f, n_ends / 2);
        if (done)
            add_spans(f, names, thread, end, n_ends, by_terminal);
    }
    free(place);
    free(end);
    free(by_terminal);
    return done;
}

bool facts_of_order(struct run_facts *f, struct vocabulary *v, const struct facts_names *names)
{
    return find_grams(&(struct gram_search){f, v, names}) && find_spans(f, names);
}
