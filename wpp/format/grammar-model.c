/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-model.h"

#include <assert.h>
#include <stdlib.h>

/* The most followers that are listed: asking for each takes time. */
enum { FOLLOWERS_MAX = 32 };

static void begin_chances(struct wpp_grammar_model *m)
{
    m->rule = WPP_CHANCE;
    for (size_t i = 0; i < WPP_STEP_HISTORIES; i++)
        for (size_t k = 0; k < 3; k++)
            m->steps[i][k] = WPP_CHANCE;
    for (size_t i = 0; i < WPP_LENGTH_CHANCES; i++)
        m->longer[i] = WPP_CHANCE;
    for (size_t i = 0; i < WPP_LENGTH_BITS; i++)
        m->width[i] = WPP_CHANCE;
}

/* Makes room for n elements.  False: no memory; the array stays. */
static bool resize(void *array, uint32_t n, size_t each)
{
    void *old, *larger;

    memcpy(&old, array, sizeof old);
    larger = realloc(old, ((size_t)n + 1) * each);
    if (larger)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

static bool grow_terminals(struct wpp_grammar_model *m, uint32_t n)
{
    bool done = resize(&m->terminal_number, n, sizeof *m->terminal_number) &&
                resize(&m->families, n, sizeof *m->families) &&
                resize(&m->contexts, n, sizeof *m->contexts);

    if (done)
        m->terminals_room = n;
    return done;
}

static bool grow_rules(struct wpp_grammar_model *m, uint32_t n)
{
    bool done = resize(&m->first, n, sizeof *m->first) &&
                resize(&m->rule_number, n, sizeof *m->rule_number);

    if (done)
        m->rules_room = n;
    return done;
}

static uint32_t more(uint32_t room)
{
    return room + room / 2 + 64;
}

bool wpp_model_init(struct wpp_grammar_model *m, uint32_t n_terminals, uint32_t n_rules,
                    bool even)
{
    *m = (struct wpp_grammar_model){.even = even, .beginning.listed = WPP_CHANCE};
    begin_chances(m);
    if (even || (grow_terminals(m, n_terminals) && grow_rules(m, n_rules)))
        return true;
    wpp_model_free(m);
    return false;
}

void wpp_model_free(struct wpp_grammar_model *m)
{
    for (uint32_t i = 0; i < m->n_terminals && m->families; i++)
        wpp_number_tree_free(&m->families[i]);
    for (uint32_t i = 0; i < m->n_terminals && m->contexts; i++)
        free(m->contexts[i].followers);
    free(m->beginning.followers);
    free(m->first);
    free(m->rule_number);
    free(m->terminal_number);
    free(m->families);
    free(m->contexts);
    wpp_number_tree_free(&m->terminals);
    *m = (struct wpp_grammar_model){0};
}

/* ---- Steps and lengths ------------------------------------------------------------ */

/* The step that is asked first: in an even code nearly all steps are symbols. */
enum wpp_step wpp_model_step(struct wpp_grammar_model *m, struct wpp_coder *c, enum wpp_step step)
{
    assert(m->history < WPP_STEP_HISTORIES && step <= WPP_STEP_END);
    struct wpp_chance *chances = m->steps[m->history];
    enum wpp_step first = m->even ? WPP_STEP_SYMBOL : WPP_STEP_REDUCE;
    enum wpp_step second = m->even ? WPP_STEP_REDUCE : WPP_STEP_SYMBOL;

    if (wpp_chance_code(c, &chances[0], step == first))
        step = first;
    else if (wpp_chance_code(c, &chances[1], step == second))
        step = second;
    else
        step = wpp_chance_code(c, &chances[2], step == WPP_STEP_NEW) ? WPP_STEP_NEW
                                                                    : WPP_STEP_END;
    m->history = (m->history << 2 | step) % WPP_STEP_HISTORIES;
    return step;
}

/* Lengths up to 17 one by one; above, the width of the excess, then its bits. */
uint64_t wpp_model_length(struct wpp_grammar_model *m, struct wpp_coder *c, uint64_t n)
{
    uint64_t at = 2, more;
    unsigned width = 0;

    assert(!c->out || n >= 2);
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
    assert(n <= *room);
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

static uint32_t first_of(const struct wpp_grammar_model *m, uint32_t symbol)
{
    return symbol & WPP_RULE ? m->first[symbol & ~WPP_RULE] : symbol;
}

static uint32_t number_of(const struct wpp_grammar_model *m, uint32_t symbol)
{
    return symbol & WPP_RULE ? m->rule_number[symbol & ~WPP_RULE] : m->terminal_number[symbol];
}

static void add_symbol(struct wpp_grammar_model *m, uint32_t symbol, uint32_t first, uint32_t last)
{
    uint32_t *number = symbol & WPP_RULE ? &m->rule_number[symbol & ~WPP_RULE]
                                         : &m->terminal_number[symbol];
    struct wpp_member member = { symbol, last };
    uint64_t beside;

    assert(first < m->n_terminals && last < m->n_terminals);
    static_assert(sizeof member == sizeof beside, "a member lies beside its number");
    memcpy(&beside, &member, sizeof beside);
    if (symbol & WPP_RULE)
        m->first[symbol & ~WPP_RULE] = first;
    *number = m->families[first].n;
    if (!wpp_number_tree_grow(&m->families[first], beside))
        m->no_memory = true;
}

static struct wpp_context *context_of(struct wpp_grammar_model *m, uint32_t before)
{
    assert(before == WPP_NO_TERMINAL || before < m->n_terminals);
    return before == WPP_NO_TERMINAL ? &m->beginning : &m->contexts[before];
}

void wpp_model_add_terminal(struct wpp_grammar_model *m, uint32_t before)
{
    uint32_t terminal = m->n_terminals;

    if (!m->even && terminal >= m->terminals_room && !grow_terminals(m, more(terminal))) {
        m->no_memory = true;
        return;
    }
    m->n_terminals++;
    if (m->even)
        return;
    m->families[terminal] = (struct wpp_number_tree){0};
    m->contexts[terminal] = (struct wpp_context){.listed = WPP_CHANCE};
    if (!wpp_number_tree_grow(&m->terminals, 0))
        m->no_memory = true;
    add_symbol(m, terminal, terminal, terminal);
    add_follower(m, context_of(m, before), terminal);
}

void wpp_model_add_rule(struct wpp_grammar_model *m, uint32_t begin, uint32_t last)
{
    uint32_t rule = m->n_rules;

    if (!m->even && rule >= m->rules_room && !grow_rules(m, more(rule))) {
        m->no_memory = true;
        return;
    }
    m->n_rules++;
    if (!m->even)
        add_symbol(m, WPP_RULE | rule, first_of(m, begin), last);
}

/* Which of the followers of a context the terminal is; it must be one of them. */
static uint32_t code_follower(struct wpp_context *context, struct wpp_coder *c, uint32_t terminal)
{
    struct wpp_follower *followers = context->followers;
    uint32_t n = context->n, i = 0;

    assert(n > 0);
    while (i + 1 < n && !wpp_chance_code(c, &followers[i].it, followers[i].terminal == terminal))
        i++;
    return followers[i].terminal;
}

/* The same for reading, while the end of the code is not near.  Prefetches the families. */
static uint32_t read_follower(const struct wpp_grammar_model *m, struct wpp_context *context,
                              struct wpp_coder *coder)
{
    struct wpp_follower *followers = context->followers;
    struct wpp_coder c = *coder;
    uint32_t n = context->n, i = 0;

    assert(n > 0 && n <= FOLLOWERS_MAX);
    for (; i + 1 < n; i++) {
        __builtin_prefetch(&m->families[followers[i].terminal]);
        if (wpp_chance_read(&c, &followers[i].it, wpp_chance_get(&followers[i].it)))
            break;
    }
    *coder = c;
    return followers[i].terminal;
}

static bool is_listed(const struct wpp_context *context, uint32_t terminal)
{
    for (uint32_t i = 0; i < context->n; i++)
        if (context->followers[i].terminal == terminal)
            return true;
    return false;
}

/* The symbol's first terminal; WPP_NO_TERMINAL when there has been no such terminal. */
static uint32_t code_first(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t terminal,
                           uint32_t before)
{
    struct wpp_context *context = context_of(m, before);

    if (!wpp_chance_code(c, &context->listed, c->out && is_listed(context, terminal))) {
        terminal = wpp_number_tree_code(&m->terminals, c, terminal);
        add_follower(m, context, terminal);
        return terminal;
    }
    if (context->n == 0)
        return WPP_NO_TERMINAL;
    return wpp_coder_has(c, FOLLOWERS_MAX) ? read_follower(m, context, c)
                                           : code_follower(context, c, terminal);
}

static uint32_t code_evenly(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t symbol)
{
    uint32_t is_rule = wpp_chance_code(c, &m->rule, symbol & WPP_RULE) ? WPP_RULE : 0;
    uint32_t n = is_rule ? m->n_rules : m->n_terminals;
    assert(!c->out || (symbol & ~WPP_RULE) < n);
    uint32_t number = n > 0 ? wpp_coder_even(c, symbol & ~WPP_RULE, n) : 0;

    return number < n ? is_rule | number : WPP_NO_SYMBOL;
}

void wpp_model_fetch(const struct wpp_grammar_model *m, uint32_t symbol)
{
    wpp_number_tree_fetch(&m->families[first_of(m, symbol)], number_of(m, symbol));
}

uint32_t wpp_model_symbol(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t symbol,
                          uint32_t *before)
{
    if (m->even)
        return code_evenly(m, c, symbol);
    bool writes = c->out != NULL;
    uint32_t first = WPP_NO_TERMINAL;

    if (m->n_terminals > 0)
        first = code_first(m, c, writes ? first_of(m, symbol) : 0, *before);
    if (first == WPP_NO_TERMINAL)
        return WPP_NO_SYMBOL;
    assert(first < m->n_terminals);
    /* Prefetches the context of the next symbol, if this one is the terminal itself; see below. */
    __builtin_prefetch(&m->contexts[first]);
    struct wpp_number_tree *family = &m->families[first];
    uint64_t beside =
        wpp_number_tree_beside(family, wpp_number_tree_code(family, c, writes ? number_of(m, symbol) : 0));
    struct wpp_member member;
    memcpy(&member, &beside, sizeof member);
    assert(!c->out || member.symbol == symbol);
    __builtin_prefetch(&m->contexts[member.last]);
    *before = member.last;
    return member.symbol;
}
