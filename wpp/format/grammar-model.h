/* SPDX-License-Identifier: MIT */
/* grammar-model.h - the probability of each step of a grammar's code.
 *
 * docs/wpp-format.md, section "Grammar", defines it.  In short: a symbol is named by the first
 * terminal that it derives, which is predicted from the terminal before, and by its number among
 * the symbols with that first terminal.  The same calls write and read (bit-coder.h): the argument
 * is written; the result is what was read.
 *
 * If nothing in a grammar can be predicted, all that costs time and gains nothing.  Then an even
 * model knows how many terminals and rules there are, and all of them are equally likely.
 */
#ifndef WPP_GRAMMAR_MODEL_H
#define WPP_GRAMMAR_MODEL_H

#include "wpp/format/bit-coder.h"
#include "wpp/format/number-tree.h"
#include "wpp/wpp.h"

enum wpp_step { WPP_STEP_SYMBOL, WPP_STEP_REDUCE, WPP_STEP_NEW, WPP_STEP_END };

/* A symbol of a family: the symbols that begin with one terminal, in the order in which they were
 * made.  It is stored beside its number (number-tree.h). */
struct wpp_member {
    uint32_t symbol, last;       /* the last terminal that it derives */
};

/* A terminal that has followed another one as the first of a symbol. */
struct wpp_follower {
    uint32_t terminal;
    struct wpp_chance it;        /* that it is this follower, if none before it */
};
struct wpp_context {
    struct wpp_follower *followers;
    uint32_t n, room;
    struct wpp_chance listed;
};

enum { WPP_STEP_HISTORIES = 16, WPP_LENGTH_CHANCES = 16, WPP_LENGTH_BITS = 64 };

struct wpp_grammar_model {
    bool even;                        /* if so, the fields up to `history` are unused: */
    uint32_t n_terminals, n_rules;    /* so far */
    uint32_t terminals_room, rules_room;      /* of the arrays by terminal and by rule */
    uint32_t *first;                  /* by rule: the first terminal derived */
    uint32_t *rule_number;            /* by rule: the number in its family */
    uint32_t *terminal_number;        /* by terminal: likewise */
    struct wpp_number_tree *families; /* by terminal */
    struct wpp_context *contexts;     /* by terminal */
    struct wpp_context beginning;     /* of a thread */
    struct wpp_number_tree terminals; /* their numbers */
    uint32_t history;                 /* the last two steps, with two bits each */
    struct wpp_chance steps[WPP_STEP_HISTORIES][3];
    struct wpp_chance rule;           /* even: that a symbol is a rule */
    struct wpp_chance longer[WPP_LENGTH_CHANCES];
    struct wpp_chance width[WPP_LENGTH_BITS];
    bool no_memory;                   /* once set it stays: nothing can be added */
};
#define WPP_NO_TERMINAL UINT32_MAX
#define WPP_NO_SYMBOL UINT32_MAX

/* Makes room for n_terminals and n_rules; the room grows when more come.  False: no memory. */
bool wpp_model_init(struct wpp_grammar_model *m, uint32_t n_terminals, uint32_t n_rules,
                    bool even);
void wpp_model_free(struct wpp_grammar_model *m);

enum wpp_step wpp_model_step(struct wpp_grammar_model *m, struct wpp_coder *c, enum wpp_step step);
/* The length of a body, at least 2. */
uint64_t wpp_model_length(struct wpp_grammar_model *m, struct wpp_coder *c, uint64_t n);
/* A symbol that was there before, behind terminal *before.  Sets *before to the last terminal that
 * it derives (an even model does not).  WPP_NO_SYMBOL when the code read names none. */
uint32_t wpp_model_symbol(struct wpp_grammar_model *m, struct wpp_coder *c, uint32_t symbol,
                          uint32_t *before);
/* When writing: prefetches what coding a symbol that was there before needs.  First its name, some
 * symbols before, then the rest. */
static inline void wpp_model_fetch_name(const struct wpp_grammar_model *m, uint32_t symbol);
void wpp_model_fetch(const struct wpp_grammar_model *m, uint32_t symbol);
/* Adds the next terminal, behind terminal `before`. */
void wpp_model_add_terminal(struct wpp_grammar_model *m, uint32_t before);
/* Adds the next rule: the first symbol of its body and the last terminal that it derives. */
void wpp_model_add_rule(struct wpp_grammar_model *m, uint32_t begin, uint32_t last);

static inline void wpp_model_fetch_name(const struct wpp_grammar_model *m, uint32_t symbol)
{
    uint32_t rule = symbol & ~WPP_RULE;

    __builtin_prefetch(symbol & WPP_RULE ? &m->first[rule] : &m->terminal_number[symbol]);
    __builtin_prefetch(symbol & WPP_RULE ? &m->rule_number[rule] : &m->terminal_number[symbol]);
}

#endif
