/* SPDX-License-Identifier: MIT */
/* tally.c - counting beginnings of strings; see tally.h. */
#include "hotpaths/tally.h"

#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"
#include "hotpaths/slots.h"

#ifdef WPP_HOSTILE
enum { STEP_BITS = 1 };
#else
enum { STEP_BITS = 14 };        /* 256 KB */
#endif

/* A step of the machine that was made before. */
struct known_step {
    uint32_t node, terminal, next;
};

/* What is known of a rule: the state behind it from the root, and what it begins with. */
struct of_rule {
    uint32_t behind, first;
};

/* The way through a rule from its (END_MOST + 1)-th terminal on, where the states before
 * that are s, never the root, and, from the root, q, which the rule alone tells: counted for the
 * first that came along, and to be counted `later` for all others. */
struct long_way {
    uint32_t rule, s, q;
    uint32_t behind;
    uint64_t later;
};

struct tally {
    const struct sieve *sieve;
    const struct wpp_grammar *g;
    const struct patterns *p;
    uint64_t *times;
    struct of_rule *of;
    uint32_t *from_root;        /* of each terminal */
    uint32_t *label;            /* of each node: its terminal if the one before it is its parent */
    struct known_step *known;
    struct outward_walk walk;
    struct long_way *way;       /* open addressing by (rule, s); s == 0 is empty */
    size_t n_ways, ways_size;   /* half of them at most in use */
};

/* ---- The machine ------------------------------------------------------------------------- */

static uint32_t other_step(struct tally *t, uint32_t node, uint32_t terminal)
{
    struct known_step *k = &t->known[slots_hash(node, terminal) >> (64 - STEP_BITS)];

    if (k->node != node || k->terminal != terminal)
        *k = (struct known_step){ node, terminal, patterns_next(t->p, node, terminal) };
    return k->next;
}

/* Most strings go on as they were put into the tree. */
static inline uint32_t step(struct tally *t, uint32_t node, uint32_t terminal)
{
    if (t->label[node + 1] == terminal)
        return node + 1;
    return node ? other_step(t, node, terminal) : t->from_root[terminal];
}

/* The states before a rule's next terminal: as it was come to, and from the root. */
struct states {
    uint32_t s, q;
};

/* Over one terminal; false: nothing is left that began before the rule. */
static inline bool both_step(struct tally *t, struct states *w, uint32_t terminal, uint64_t times)
{
    w->s = step(t, w->s, terminal);
    w->q = step(t, w->q, terminal);
    if (w->s == w->q)
        return false;
    t->times[w->s] += times;
    t->times[w->q] -= times;
    return true;
}

/* ---- Rules ------------------------------------------------------------------------------- */

/* From the (END_MOST + 1)-th terminal on; *behind is the state behind the rule. */
static int walk_long(struct tally *t, struct states w, uint32_t rule, uint64_t times,
                     uint32_t *behind)
{
    const uint64_t *body = t->g->body;

    if (outward_walk_begin(&t->walk, body[rule], body[rule + 1]) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint64_t i = 0;; i++) {
        uint32_t terminal = outward_right(&t->walk);

        if (terminal == OUTWARD_NO_MEMORY)
            return HOT_E_MEMORY;
        *behind = w.s;
        if (terminal == OUTWARD_END)
            return HOT_OK;
        if (i >= END_MOST && !both_step(t, &w, terminal, times))
            break;
    }
    *behind = t->of[rule].behind;
    return HOT_OK;
}

/* The place of a way, or the empty one where it belongs. */
static struct long_way *way_of(const struct tally *t, uint32_t rule, uint32_t s)
{
    size_t mask = t->ways_size - 1, i = SLOT_HOME(slots_hash(rule, s)) & mask;

    while (t->way[i].s && (t->way[i].rule != rule || t->way[i].s != s))
        i = (i + 1) & mask;
    return &t->way[i];
}

static int grow_ways(struct tally *t)
{
    size_t size = t->ways_size;
    struct long_way *old = t->way;

    t->ways_size = size ? 2 * size : GROW_FIRST;
    t->way = calloc(t->ways_size, sizeof *t->way);
    if (!t->way) {
        t->way = old;
        t->ways_size = size;
        return HOT_E_MEMORY;
    }
    for (size_t i = 0; i < size; i++)
        if (old[i].s)
            *way_of(t, old[i].rule, old[i].s) = old[i];
    free(old);
    return HOT_OK;
}

/* Loops are come to in the same state again and again. */
static int pass_long(struct tally *t, struct states w, uint32_t rule, uint64_t times,
                     uint32_t *behind)
{
    struct long_way *way;

    while (2 * (t->n_ways + 1) > t->ways_size)
        if (grow_ways(t) != HOT_OK)
            return HOT_E_MEMORY;
    way = way_of(t, rule, w.s);
    if (way->s) {
        way->later += times;
        *behind = way->behind;
        return HOT_OK;
    }
    if (walk_long(t, w, rule, times, behind) != HOT_OK)
        return HOT_E_MEMORY;
    *way = (struct long_way){ rule, w.s, w.q, *behind, 0 };
    t->n_ways++;
    return HOT_OK;
}

static inline int pass_rule(struct tally *t, uint32_t *state, uint32_t rule, uint64_t times)
{
    const struct of_rule *of = &t->of[rule];
    struct states w = { *state, 0 };
    uint32_t begin[END_MOST], n;

    *state = of->behind;
    if (w.s == 0 || !both_step(t, &w, of->first, times))
        return HOT_OK;
    n = grams_begin(&t->sieve->grams, rule, begin);
    for (uint32_t i = 1; i < n && i < END_MOST; i++)
        if (!both_step(t, &w, begin[i], times))
            return HOT_OK;
    if (n > END_MOST)
        return pass_long(t, w, rule, times, state);
    *state = w.s;
    return HOT_OK;
}

static void fetch_rules(const struct tally *t, uint64_t at, uint64_t end)
{
    const uint32_t *symbols = t->g->symbols;

    if (at + FETCH_AHEAD >= end)
        return;
    if (symbols[at + FETCH_AHEAD] & WPP_RULE)
        __builtin_prefetch(&t->of[symbols[at + FETCH_AHEAD] & ~WPP_RULE]);
    if (symbols[at + FETCH_AHEAD / 2] & WPP_RULE)
        grams_fetch(&t->sieve->grams, symbols[at + FETCH_AHEAD / 2] & ~WPP_RULE);
}

static int read_rule(struct tally *t, uint32_t rule)
{
    const struct wpp_grammar *g = t->g;
    uint64_t frequency = t->sieve->a->frequency[rule], all = g->body[rule_count(g)];
    uint32_t state = 0, first;

    for (uint64_t at = g->body[rule]; at < g->body[rule + 1]; at++) {
        uint32_t symbol = g->symbols[at];

        fetch_rules(t, at, all);
        if (symbol & WPP_RULE) {
            if (pass_rule(t, &state, symbol & ~WPP_RULE, frequency) != HOT_OK)
                return HOT_E_MEMORY;
        } else {
            state = step(t, state, symbol);
            t->times[state] += frequency;
        }
    }
    if (rule >= g->n_rules)
        return HOT_OK;
    first = g->symbols[g->body[rule]];
    t->of[rule].behind = state;
    t->of[rule].first = first & WPP_RULE ? t->of[first & ~WPP_RULE].first : first;
    return HOT_OK;
}

/* ---- All of it --------------------------------------------------------------------------- */

static int tally_init(struct tally *t)
{
    const struct patterns *p = t->p;

    t->of = scattered_array((size_t)t->g->n_rules + 1, sizeof *t->of);
    t->from_root = malloc(((size_t)t->g->n_terminals + 1) * sizeof *t->from_root);
    t->label = malloc(((size_t)p->n + 1) * sizeof *t->label);
    t->known = calloc((size_t)1 << STEP_BITS, sizeof *t->known);
    if (!t->of || !t->from_root || !t->label || !t->known)
        return HOT_E_MEMORY;
    for (uint32_t i = 0; i < t->g->n_terminals; i++)
        t->from_root[i] = patterns_next(p, 0, i);
    for (uint32_t i = 1; i < p->n; i++)
        t->label[i] = p->node[i].parent == i - 1 ? p->node[i].terminal : HOT_NO_TERMINAL;
    t->label[0] = t->label[p->n] = HOT_NO_TERMINAL;
    return HOT_OK;
}

static void tally_clear(struct tally *t)
{
    free(t->of);
    free(t->from_root);
    free(t->label);
    free(t->known);
    free(t->way);
    outward_walk_clear(&t->walk);
}

int tally_count(const struct sieve *sieve, const struct patterns *p, uint64_t *times)
{
    struct tally t = { .sieve = sieve, .g = sieve->a->g, .p = p, .times = times,
                       .walk = { .o = &sieve->outward } };
    int status = tally_init(&t);
    uint32_t behind;

    memset(times, 0, p->n * sizeof *times);
    for (uint32_t rule = 0; status == HOT_OK && rule < rule_count(t.g); rule++)
        if (sieve->a->frequency[rule])
            status = read_rule(&t, rule);
    for (size_t i = 0; status == HOT_OK && i < t.ways_size; i++)
        if (t.way[i].later)
            status = walk_long(&t, (struct states){ t.way[i].s, t.way[i].q }, t.way[i].rule,
                               t.way[i].later, &behind);
    if (status == HOT_OK)
        patterns_add_up(p, times);
    tally_clear(&t);
    return status;
}
