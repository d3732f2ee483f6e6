/* SPDX-License-Identifier: MIT */
#include "wpp/grammar-model.h"

#include <assert.h>
#include <stdlib.h>

/* More followers are not listed: asking after each takes time. */
enum { FOLLOWERS_MAX = 32 };
/* Decisions about a symbol's number, at most. */
enum { NUMBER_BITS = 32 };
/* So many lie in one line of memory. */
enum { MEMBERS_A_LINE = 8, LASTS_A_LINE = 16 };

static struct wpp_chance *new_chances(size_t n)
{
    struct wpp_chance *chances = malloc((n + 1) * sizeof *chances);

    for (size_t i = 0; chances && i < n; i++)
        chances[i] = WPP_CHANCE;
    return chances;
}

bool wpp_model_init(struct wpp_grammar_model *m, uint32_t n_terminals, uint32_t n_rules)
{
    size_t n = (size_t)n_terminals + n_rules;

    *m = (struct wpp_grammar_model){.rule_base = n_terminals};
    m->first = malloc((n + 1) * sizeof *m->first);
    m->number = malloc((n + 1) * sizeof *m->number);
    m->families = calloc((size_t)n_terminals + 1, sizeof *m->families);
    m->contexts = calloc((size_t)n_terminals + 1, sizeof *m->contexts);
    m->beyond = new_chances(n_terminals);
    if (!m->first || !m->number || !m->families || !m->contexts || !m->beyond) {
        wpp_model_free(m);
        return false;
    }
    for (size_t i = 0; i <= n_terminals; i++)
        m->contexts[i].listed = WPP_CHANCE;
    for (size_t i = 0; i < WPP_STEP_HISTORIES; i++)
        for (size_t k = 0; k < 3; k++)
            m->steps[i][k] = WPP_CHANCE;
    for (size_t i = 0; i < WPP_LENGTH_CHANCES; i++)
        m->longer[i] = WPP_CHANCE;
    for (size_t i = 0; i < WPP_LENGTH_BITS; i++)
        m->width[i] = WPP_CHANCE;
    return true;
}

void wpp_model_free(struct wpp_grammar_model *m)
{
    for (size_t i = 0; m->families && i <= m->rule_base; i++) {
        free(m->families[i].members);
        free(m->families[i].last);
    }
    for (size_t i = 0; m->contexts && i <= m->rule_base; i++)
        free(m->contexts[i].followers);
    free(m->first);
    free(m->number);
    free(m->families);
    free(m->contexts);
    free(m->beyond);
    *m = (struct wpp_grammar_model){0};
}

/* ---- Steps and lengths ------------------------------------------------------------ */

enum wpp_step wpp_model_step(struct wpp_grammar_model *m, struct wpp_coder *c, enum wpp_step step)
{
    struct wpp_chance *chances = m->steps[m->history];

    if (wpp_chance_code(c, &chances[0], step == WPP_STEP_REDUCE))
        step = WPP_STEP_REDUCE;
    else if (wpp_chance_code(c, &chances[1], step == WPP_STEP_SYMBOL))
        step = WPP_STEP_SYMBOL;
    else
        step = wpp_chance_code(c, &chances[2], step == WPP_STEP_NEW) ? WPP_STEP_NEW
                                                                    : WPP_STEP_END;
    m->history = (m->history << 2 | step) % WPP_STEP_HISTORIES;
    return step;
}

/* Up to 17 one by one, above by the width of what is more, then its bits. */
uint64_t wpp_model_length(struct wpp_grammar_model *m, struct wpp_coder *c, uint64_t n)
{
    uint64_t at = 2, more;
    unsigned width = 0;

    for (; at < WPP_LENGTH_CHANCES + 2; at++)
        if (!wpp_chance_code(c, &m->longer[at - 2], n > at))
            return at;
    more = n - at + 1;
    while (width < WPP_LENGTH_BITS - 1 && wpp_chance_code(c, &m->width[width], more >> width > 1))
        width++;
    n = 1;
    for (unsigned bit = width; bit-- > 0;) {
        struct wpp_chance even = WPP_CHANCE;

        n = n << 1 | wpp_chance_code(c, &even, more >> bit & 1);
    }
    return n > UINT64_MAX - at ? UINT64_MAX : n + at - 1;
}

/* ---- Symbols ------------------------------------------------------------------------ */

static void *more_room(void *array, uint32_t n, uint32_t *room, size_t each)
{
    if (n < *room)
        return array;
    uint32_t larger = *room ? *room + *room / 2 + 1 : 2;
    void *p = realloc(array, larger * each);
    if (p)
        *room = larger;
    return p;
}

static void add_follower(struct wpp_grammar_model *m, struct wpp_context *context,
                         uint32_t terminal)
{
    if (context->n == FOLLOWERS_MAX)
        return;
    struct wpp_follower *followers =
        more_room(context->followers, context->n, &context->room, sizeof *followers);
    if (!followers) {
        m->no_memory = true;
        return;
    }
    context->followers = followers;
    followers[context->n++] = (struct wpp_follower){terminal, WPP_CHANCE};
}

static void add_symbol(struct wpp_grammar_model *m, uint32_t symbol, uint32_t first, uint32_t last)
{
    uint32_t index = wpp_model_index(m, symbol);
    struct wpp_family *family = &m->families[first];
    uint32_t room = family->room;

    m->first[index] = first;
    m->number[index] = family->n;
    struct wpp_member *members = more_room(family->members, family->n, &room, sizeof *members);
    if (members)
        family->members = members;
    uint32_t *lasts = more_room(family->last, family->n, &family->room, sizeof *lasts);
    if (lasts)
        family->last = lasts;
    if (!members || !lasts) {
        m->no_memory = true;
        return;
    }
    lasts[family->n] = last;
    members[family->n++] = (struct wpp_member){symbol, WPP_CHANCE};
}

static struct wpp_context *context_of(struct wpp_grammar_model *m, uint32_t before)
{
    return &m->contexts[before == WPP_NO_TERMINAL ? m->rule_base : before];
}

void wpp_model_add_terminal(struct wpp_grammar_model *m, uint32_t before)
{
    uint32_t terminal = m->n_terminals++;

    add_symbol(m, terminal, terminal, terminal);
    add_follower(m, context_of(m, before), terminal);
}

void wpp_model_add_rule(struct wpp_grammar_model *m, uint32_t begin, uint32_t last)
{
    add_symbol(m, WPP_RULE | m->n_rules++, m->first[wpp_model_index(m, begin)], last);
}

/* The largest power of two below n. */
static uint32_t half(uint32_t n)
{
    return n < 2 ? 0 : UINT32_C(1) << (31 - __builtin_clz(n - 1));
}

/* Number of a terminal, by halves: each question has the chance of the terminal that
 * it is about. */
static uint32_t code_terminal(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t terminal)
{
    uint32_t at = 0;

    for (uint32_t step = half(m->n_terminals); step; step >>= 1)
        if (at + step < m->n_terminals
            && wpp_chance_code(c, &m->beyond[at + step], terminal >= at + step))
            at += step;
    return at;
}

static uint32_t code_member(struct wpp_family *family, struct wpp_coder *c, uint32_t number)
{
    uint32_t at = 0;

    for (uint32_t step = half(family->n); step; step >>= 1)
        if (at + step < family->n
            && wpp_chance_code(c, &family->members[at + step].beyond, number >= at + step))
            at += step;
    return at;
}

/* code_member() when reading, as long as the code does not end near by.  Memory fetches what
 * the decision after next may be about, and where the symbol is told what it ends with. */
static uint32_t read_member(struct wpp_family *family, struct wpp_coder *coder)
{
    struct wpp_coder c = *coder;
    struct wpp_member *members = family->members;
    uint32_t n = family->n, at = 0;

    for (uint32_t step = half(n); step; step >>= 1) {
        uint32_t asked = at + step;
        if (step == LASTS_A_LINE / 2)
            __builtin_prefetch(&family->last[at]);
        if (asked >= n)
            continue;
        for (uint32_t i = step / 4; step >= MEMBERS_A_LINE && i < 2 * step; i += step / 2)
            __builtin_prefetch(&members[at + i]);
        at += step & -(uint32_t)wpp_chance_read(&c, &members[asked].beyond);
    }
    *coder = c;
    return at;
}

/* The symbol's first terminal; WPP_NO_TERMINAL when none has been there. */
static uint32_t code_first(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t terminal,
                           uint32_t before)
{
    struct wpp_context *context = context_of(m, before);
    struct wpp_follower *followers = context->followers;
    uint32_t n = context->n, i = 0;

    while (c->out && i < n && followers[i].terminal != terminal)
        i++;
    if (!wpp_chance_code(c, &context->listed, i < n)) {
        terminal = code_terminal(m, c, terminal);
        add_follower(m, context, terminal);
        return terminal;
    }
    if (n == 0)
        return WPP_NO_TERMINAL;
    for (i = 0; i + 1 < n; i++)
        if (wpp_chance_code(c, &followers[i].it, followers[i].terminal == terminal))
            break;
    return followers[i].terminal;
}

uint32_t wpp_model_symbol(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t symbol,
                          uint32_t *before)
{
    uint32_t index = c->out ? wpp_model_index(m, symbol) : 0;
    uint32_t first = WPP_NO_TERMINAL;

    if (m->n_terminals > 0)
        first = code_first(m, c, m->first[index], *before);
    if (first == WPP_NO_TERMINAL)
        return WPP_NO_SYMBOL;
    struct wpp_family *family = &m->families[first];
    bool quick = !c->out && wpp_left(&c->in) >= NUMBER_BITS * WPP_DECISION_BYTES;
    uint32_t number = quick ? read_member(family, c) : code_member(family, c, m->number[index]);
    *before = family->last[number];
    return family->members[number].symbol;
}
