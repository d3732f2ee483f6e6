/* SPDX-License-Identifier: MIT */
/* exact.c - all minimal hot subpaths with their true frequencies.
 *
 * Every occurrence of a string in the trace lies in the expansion of exactly
 * one rule instance in which it crosses symbols of the right-hand side (a
 * single terminal: in which it is such a symbol).  So the right-hand sides are
 * written out once, each nonterminal as its suffix and prefix of L - 1
 * terminals, and a place where a string can begin knows from which length on
 * it counts for its rule (Goto, Bannai, Inenaga, Takeda, arXiv 1103.3114):
 *
 *      rule    r ->   A               u   B
 *      text           . . . x y z |   u   p q r . . .   END
 *      counts from          4 3 2     1   (its own rule counts what begins here)
 *
 * The places are then sorted by the strings that begin there, one terminal at
 * a time, depth first.  A group of places with equal strings of length d has
 * the frequency  sum of frequency(rule) over its places that count from d or
 * less.  Groups that are hot are reported and not refined: what extends them
 * is not minimal.  Groups that can no longer become hot are dropped, for the
 * frequency never grows with the length.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/ends.h"
#include "hotpaths/saturate.h"

#define END UINT32_MAX      /* in the text: no subpath goes on past here */

struct place {
    uint64_t at;            /* in the text */
    uint32_t counts_from;   /* length of the shortest string that counts here */
    uint32_t rule;
};

/* Places [begin, end) have equal strings of `length` terminals. */
struct group {
    size_t begin, end;
    uint32_t length;
    bool is_new;            /* not yet looked at; else to be split further */
    uint64_t unit_cost;
};

struct search {
    const struct analysis *a;
    uint64_t min_cost;
    struct found *out;
    uint32_t *text;
    size_t n_text, text_size;
    struct place *places;
    size_t n_places, places_size;
    struct group *stack;
    size_t n_stack, stack_size;
    bool *cold;             /* terminals that no hot subpath can hold */
};

/* ---- Growing arrays --------------------------------------------------------------- */

#ifdef WPP_HOSTILE
enum { FIRST_SIZE = 1 };
#else
enum { FIRST_SIZE = 4096 };
#endif

static int double_array(void **array, size_t *size, size_t element)
{
    size_t wanted = *size ? 2 * *size : FIRST_SIZE;
    void *p = realloc(*array, wanted * element);

    if (!p)
        return HOT_E_MEMORY;
    *array = p;
    *size = wanted;
    return HOT_OK;
}

static int put_text(struct search *s, uint32_t symbol)
{
    if (s->n_text == s->text_size &&
        double_array((void **)&s->text, &s->text_size, sizeof *s->text) != HOT_OK)
        return HOT_E_MEMORY;
    s->text[s->n_text++] = symbol;
    return HOT_OK;
}

/* The terminal is where a subpath may begin, unless it is a cold one. */
static int put_place(struct search *s, uint32_t terminal, uint32_t counts_from, uint32_t rule)
{
    if (!s->cold[terminal]) {
        if (s->n_places == s->places_size &&
            double_array((void **)&s->places, &s->places_size, sizeof *s->places) != HOT_OK)
            return HOT_E_MEMORY;
        s->places[s->n_places++] = (struct place){ s->n_text, counts_from, rule };
    }
    return put_text(s, terminal);
}

static int push_group(struct search *s, struct group group)
{
    if (group.begin == group.end)
        return HOT_OK;
    if (s->n_stack == s->stack_size &&
        double_array((void **)&s->stack, &s->stack_size, sizeof *s->stack) != HOT_OK)
        return HOT_E_MEMORY;
    s->stack[s->n_stack++] = group;
    return HOT_OK;
}

/* ---- Writing out the right-hand sides ------------------------------------------------ */

/* No string that holds a terminal is more frequent than the terminal. */
static int mark_cold(struct search *s)
{
    const struct analysis *a = s->a;
    const struct wpp_grammar *g = a->g;
    uint64_t *count = calloc((size_t)g->n_terminals + 1, sizeof *count);

    s->cold = calloc((size_t)g->n_terminals + 1, sizeof *s->cold);
    if (!count || !s->cold) {
        free(count);
        return HOT_E_MEMORY;
    }
    for (uint32_t rule = 0; rule < rule_count(g); rule++)
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++)
            if (!(g->symbols[i] & WPP_RULE))
                count[g->symbols[i]] = saturating_add(count[g->symbols[i]], a->frequency[rule]);
    for (uint32_t t = 0; t < g->n_terminals; t++)
        s->cold[t] = unit_cost_needed(count[t], s->min_cost) > a->max_length * a->dearest;
    free(count);
    return HOT_OK;
}

/* The text of the rule in visit: where it begins, and its first and last gap
 * (the offset of the END in the middle of a nonterminal). */
struct written {
    size_t begin;
    size_t first_gap, last_gap;     /* SIZE_MAX: none */
};

static int write_ends(struct search *s, const struct ends *e, uint32_t rule, struct written *out)
{
    const uint32_t *suffix = ends_suffix(e);

    if (!e->covers) {
        for (uint32_t i = 0; i < e->n_prefix; i++)
            if (put_text(s, ends_prefix(e)[i]) != HOT_OK)
                return HOT_E_MEMORY;
        out->last_gap = s->n_text;
        if (out->first_gap == SIZE_MAX)
            out->first_gap = s->n_text;
        if (put_text(s, END) != HOT_OK)
            return HOT_E_MEMORY;
    }
    for (uint32_t i = 0; i < e->n_suffix; i++)
        if (put_place(s, suffix[i], e->n_suffix - i + 1, rule) != HOT_OK)
            return HOT_E_MEMORY;
    return HOT_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Keeps the first and last L - 1 terminals of the rule just written. */
static int keep_ends(struct search *s, struct ends_store *ends, uint32_t rule,
                     const struct written *w)
{
    bool whole = w->first_gap == SIZE_MAX;
    size_t head = (whole ? s->n_text : w->first_gap) - w->begin;
    size_t tail = s->n_text - (whole ? w->begin : w->last_gap + 1);
    uint32_t n_prefix = (uint32_t)smaller(head, ends->limit);
    uint32_t n_suffix = (uint32_t)smaller(tail, ends->limit);

    return ends_keep(ends, rule, whole && head <= ends->limit, s->text + w->begin, n_prefix,
                     s->text + s->n_text - n_suffix, n_suffix);
}

static int write_rule(struct search *s, struct ends_store *ends, uint32_t rule)
{
    const struct wpp_grammar *g = s->a->g;
    struct written w = { s->n_text, SIZE_MAX, SIZE_MAX };
    size_t n_places = s->n_places;

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t used = g->symbols[i] & ~WPP_RULE;

        if (!(g->symbols[i] & WPP_RULE)) {
            if (put_place(s, used, 1, rule) != HOT_OK)
                return HOT_E_MEMORY;
            continue;
        }
        if (write_ends(s, ends_of(ends, used), rule, &w) != HOT_OK)
            return HOT_E_MEMORY;
        ends_release(ends, used);
    }
    if (keep_ends(s, ends, rule, &w) != HOT_OK)
        return HOT_E_MEMORY;
    for (size_t i = w.begin; i < s->n_text; i++)
        if (s->text[i] != END && s->cold[s->text[i]])
            s->text[i] = END;
    if (s->n_places == n_places) {
        s->n_text = w.begin;
        return HOT_OK;
    }
    return put_text(s, END);
}

static int write_all(struct search *s)
{
    struct ends_store ends;
    int status = ends_store_init(&ends, s->a, 1, s->a->max_length - 1);

    for (uint32_t rule = 0; status == HOT_OK && rule < rule_count(s->a->g); rule++)
        if (s->a->frequency[rule])
            status = write_rule(s, &ends, rule);
    assert(status != HOT_OK || ends.live == 0);
    ends_store_clear(&ends);
    return status;
}

/* ---- Sorting the places ------------------------------------------------------------------ */

static uint64_t group_frequency(const struct search *s, const struct group *group)
{
    uint64_t sum = 0;

    for (size_t i = group->begin; i < group->end; i++)
        if (s->places[i].counts_from <= group->length)
            sum = saturating_add(sum, s->a->frequency[s->places[i].rule]);
    return sum;
}

/* Reports the group if it is hot.  True when it is to be refined. */
static bool judge(struct search *s, const struct group *group, int *status)
{
    const struct analysis *a = s->a;
    uint64_t frequency = group_frequency(s, group);
    uint64_t needed = unit_cost_needed(frequency, s->min_cost);
    uint64_t most = group->unit_cost + (a->max_length - group->length) * a->dearest;

    if (needed <= group->unit_cost && group->length >= a->min_length) {
        *status = found_add(s->out, s->text + s->places[group->begin].at, group->length,
                            group->unit_cost, frequency);
        return false;
    }
    return needed <= most && group->length < a->max_length;
}

static uint32_t next_symbol(const struct search *s, size_t place, uint32_t length)
{
    return s->text[s->places[place].at + length];
}

static void swap_places(struct search *s, size_t i, size_t j)
{
    struct place p = s->places[i];

    s->places[i] = s->places[j];
    s->places[j] = p;
}

/* One step of multikey quicksort: splits the group by its next terminal into
 * those below, equal to and above that of the place in its middle. */
static int split(struct search *s, const struct group *group)
{
    uint32_t pivot = next_symbol(s, group->begin + (group->end - group->begin) / 2, group->length);
    size_t below = group->begin, at = group->begin, above = group->end;
    struct group part = *group;

    while (at < above) {
        uint32_t symbol = next_symbol(s, at, group->length);

        if (symbol < pivot)
            swap_places(s, below++, at++);
        else if (symbol > pivot)
            swap_places(s, at, --above);
        else
            at++;
    }
    part.end = below;
    if (push_group(s, part) != HOT_OK)
        return HOT_E_MEMORY;
    part.begin = above;
    part.end = group->end;
    if (push_group(s, part) != HOT_OK)
        return HOT_E_MEMORY;
    if (pivot == END)
        return HOT_OK;
    return push_group(s, (struct group){ below, above, group->length + 1, true,
                                         group->unit_cost + s->a->cost[pivot] });
}

static int refine_all(struct search *s)
{
    int status = push_group(s, (struct group){ .begin = 0, .end = s->n_places });

    while (status == HOT_OK && s->n_stack > 0) {
        struct group group = s->stack[--s->n_stack];

        if (group.is_new && !judge(s, &group, &status))
            continue;
        group.is_new = false;
        status = split(s, &group);
    }
    return status;
}

int exact_find(const struct analysis *a, uint64_t min_cost, struct found *out)
{
    struct search s = { .a = a, .min_cost = min_cost, .out = out };
    int status;

    assert(min_cost > 0);
    if (a->dearest == 0)
        return HOT_OK;
    status = mark_cold(&s);
    if (status == HOT_OK)
        status = write_all(&s);
    if (status == HOT_OK)
        status = refine_all(&s);
    free(s.text);
    free(s.places);
    free(s.stack);
    free(s.cold);
    return status;
}
