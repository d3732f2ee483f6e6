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
 * is not minimal.
 *
 * A place is dropped as soon as no hot subpath can begin there.  Its *reach* is
 * the cost of the next L terminals of its text: no string that begins there
 * costs more.  No extension of a group's string is more frequent than the sum
 * of frequency(rule) over *all* places of the group, nor than any bound found
 * for a shorter string.  (The group's own frequency is no such bound once
 * places have been dropped: an occurrence of the extension may count at one
 * place and the shorter string in it at another, in a rule below.)
 *
 * Invariant: each place at which a hot subpath stands is in the group of every
 * prefix of it.  So the frequency of a hot group is exact, and that of any
 * other is too small at most.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/ends.h"
#include "hotpaths/saturate.h"

#define END UINT32_MAX      /* in the text: no subpath goes on past here */

struct place {
    uint64_t at;            /* in the text */
    uint64_t reach;         /* see above */
    uint32_t counts_from;   /* length of the shortest string that counts here */
    uint32_t rule;
};

/* Places [begin, end) have equal strings of `length` terminals. */
struct group {
    size_t begin, end;
    uint32_t length;
    bool is_new;            /* not yet looked at; else to be split further */
    uint64_t unit_cost;
    uint64_t at_most;       /* no extension is more frequent */
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
    uint64_t *count;        /* frequency of each terminal */
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

/* The terminal is where a subpath may begin. */
static int put_place(struct search *s, uint32_t terminal, uint32_t counts_from, uint32_t rule)
{
    if (s->n_places == s->places_size &&
        double_array((void **)&s->places, &s->places_size, sizeof *s->places) != HOT_OK)
        return HOT_E_MEMORY;
    s->places[s->n_places++] = (struct place){ s->n_text, 0, counts_from, rule };
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

static int count_terminals(struct search *s)
{
    const struct wpp_grammar *g = s->a->g;

    s->count = calloc((size_t)g->n_terminals + 1, sizeof *s->count);
    if (!s->count)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t symbol = g->symbols[i];

            if (!(symbol & WPP_RULE))
                s->count[symbol] = saturating_add(s->count[symbol], s->a->frequency[rule]);
        }
    }
    return HOT_OK;
}

/* No string that holds a terminal is more frequent than the terminal. */
static bool is_cold(const struct search *s, uint32_t terminal)
{
    return unit_cost_needed(s->count[terminal], s->min_cost) > s->a->max_length * s->a->dearest;
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

/* Gives the places from `first` on, all in the text from `begin` on, their
 * reach.  Cold terminals end the text. */
static void measure_reach(struct search *s, size_t begin, size_t first)
{
    uint64_t reach = 0;
    size_t length = 0;
    size_t place = s->n_places;

    for (size_t i = s->n_text; i-- > begin;) {
        if (s->text[i] != END && is_cold(s, s->text[i]))
            s->text[i] = END;
        if (s->text[i] == END) {
            reach = length = 0;
        } else {
            reach += s->a->cost[s->text[i]];
            if (++length > s->a->max_length)
                reach -= s->a->cost[s->text[i + s->a->max_length]];
        }
        if (place > first && s->places[place - 1].at == i)
            s->places[--place].reach = reach;
    }
    assert(place == first);
}

/* Drops the places from `first` on where no hot subpath can begin. */
static void drop_cold_places(struct search *s, size_t first)
{
    size_t kept = first;

    for (size_t i = first; i < s->n_places; i++) {
        uint32_t terminal = s->text[s->places[i].at];

        if (terminal != END &&
            unit_cost_needed(s->count[terminal], s->min_cost) <= s->places[i].reach)
            s->places[kept++] = s->places[i];
    }
    s->n_places = kept;
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
    measure_reach(s, w.begin, n_places);
    drop_cold_places(s, n_places);
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

struct sums {
    uint64_t counting;      /* frequency of the rules in which the string counts */
    uint64_t all;
};

static struct sums sum_group(const struct search *s, const struct group *group)
{
    struct sums sums = { 0, 0 };

    for (size_t i = group->begin; i < group->end; i++) {
        uint64_t frequency = s->a->frequency[s->places[i].rule];

        sums.all = saturating_add(sums.all, frequency);
        if (s->places[i].counts_from <= group->length)
            sums.counting = saturating_add(sums.counting, frequency);
    }
    return sums;
}

/* Takes the places out of the group that reach less than `needed`. */
static void narrow(struct search *s, struct group *group, uint64_t needed)
{
    size_t kept = group->begin;

    for (size_t i = group->begin; i < group->end; i++)
        if (s->places[i].reach >= needed)
            s->places[kept++] = s->places[i];
    group->end = kept;
}

/* Reports the group if it is hot, else narrows it.  True when it is to be
 * refined. */
static bool judge(struct search *s, struct group *group, int *status)
{
    const struct analysis *a = s->a;
    struct sums sums = sum_group(s, group);

    if (group->length >= a->min_length &&
        unit_cost_needed(sums.counting, s->min_cost) <= group->unit_cost) {
        *status = found_add(s->out, s->text + s->places[group->begin].at, group->length,
                            group->unit_cost, sums.counting);
        return false;
    }
    if (sums.all < group->at_most)
        group->at_most = sums.all;
    narrow(s, group, unit_cost_needed(group->at_most, s->min_cost));
    return group->end > group->begin && group->length < a->max_length;
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
    return push_group(s, (struct group){
        .begin = below, .end = above, .length = group->length + 1, .is_new = true,
        .unit_cost = group->unit_cost + s->a->cost[pivot],
        .at_most = group->length ? group->at_most : s->count[pivot],
    });
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
    status = count_terminals(&s);
    if (status == HOT_OK)
        status = write_all(&s);
    if (status == HOT_OK)
        status = refine_all(&s);
    free(s.text);
    free(s.places);
    free(s.stack);
    free(s.count);
    return status;
}
