/* SPDX-License-Identifier: MIT */
/* reparse.h - parses the bodies of a finished grammar anew.  Private.
 *
 * The engine uses a rule as soon as it finds one, and makes a rule of everything that comes twice.
 * Once all rules are known, another choice of them may derive the same with fewer bits:
 *
 *      flat_take        takes the export; rules in order of derived length
 *      costs_find       what naming each symbol costs, in 256ths of a bit
 *      flat_parse       makes each body the cheapest sequence of symbols that derives it
 *      flat_prune       removes unused rules, dissolves those used once
 *      seq_join         makes digrams unique again
 *
 * This is repeated for some rounds: rules that cost more than they save are used less and less.
 *
 *      rule     0 1 2 3 ...            n-1 | start rules 0 1 ...
 *      derives  2 2 2 3 ... 70 ... 100,000 |
 *
 * Invariants: the derivation of a rule never changes, so `derived` is computed once.  A body has at
 * least two symbols.  Its rules derive fewer terminals than its own rule, so their numbers are
 * smaller.
 */
#ifndef SEQUITUR_REPARSE_H
#define SEQUITUR_REPARSE_H

#include "sequitur/grammar.h"

/* The string of terminals that a symbol derives. */
struct derived {
    uint64_t length;
    uint64_t hash;           /* sum of spelled(terminal i) * BASE^i, modulo 2^64 */
    uint64_t shift;          /* BASE^length */
    uint64_t unshift;        /* its inverse */
    uint32_t first, last;    /* terminals */
};

struct flat {
    seq *s;                  /* the owner of the memory */
    uint32_t rules, starts;
    uint32_t terminals;      /* all terminals are below this number */
    uint32_t first_rules;    /* the number of rules before pruning */
    uint64_t *body;          /* rules + starts + 1 */
    uint32_t *symbols;
    uint64_t size;           /* room for symbols */
    struct derived *derived; /* by rule */
    uint64_t *length;        /* of start rules: terminals */
    const bool *enough;      /* NULL, or set by another thread to stop after less */
};

static inline bool is_enough(const bool *enough)
{
    return enough && __atomic_load_n(enough, __ATOMIC_RELAXED);
}

static inline uint64_t flat_end(const struct flat *f)
{
    return f->body[f->rules + f->starts];
}

/* The index of a symbol: terminals by number, then rules. */
static inline uint32_t flat_index(const struct flat *f, uint32_t symbol)
{
    assert(symbol & SEQ_RULE ? (symbol & ~SEQ_RULE) < f->rules : symbol < f->terminals);
    return symbol & SEQ_RULE ? f->terminals + (symbol & ~SEQ_RULE) : symbol;
}

struct derived flat_terminal(uint32_t terminal);

static inline struct derived flat_derived(const struct flat *f, uint32_t symbol)
{
    return symbol & SEQ_RULE ? f->derived[symbol & ~SEQ_RULE] : flat_terminal(symbol);
}

/* Whether the invariants hold; called after each step if assertions are enabled. */
bool flat_check(const struct flat *f);

/* Takes the export g of s.  SEQ_OK or SEQ_E_NOMEM. */
int flat_take(struct flat *f, seq *s, const struct seq_grammar *g);
void flat_free(struct flat *f);
/* Frees the memory of `derived`, which is not needed any more. */
void flat_forget_derived(struct flat *f);
/* Exchanges the bodies of f for these, which have room for `*size` symbols and one. */
void flat_exchange(struct flat *f, uint64_t **body, uint32_t **symbols, uint64_t *size);
/* Removes unused rules and dissolves those used once.  SEQ_OK or SEQ_E_NOMEM. */
int flat_prune(struct flat *f);

/* ---- reparse-costs.c ---------------------------------------------------------- */

/* Costs are in 256ths of a bit.  The file's code (wpp/format/grammar-model.h) names a symbol by its
 * first terminal, which is predicted from the terminal before, and by its number among the symbols
 * with this first terminal. */
enum { BIT = 256 };

struct costs {
    struct flat *f;
    uint32_t *symbol;        /* by flat_index(): the cost of this number */
    struct pair_cost *pairs; /* a hash table: a terminal as the first one behind another */
    uint64_t pairs_size;     /* a power of two */
    uint32_t *rare;          /* by terminal: the cost of a pair that does not occur */
};

/* SEQ_OK or SEQ_E_NOMEM; to be freed in either case, before f is pruned. */
int costs_find(struct costs *c, struct flat *f);
void costs_free(struct costs *c);
/* The cost of terminal b behind terminal a. */
uint32_t costs_pair(const struct costs *c, uint32_t a, uint32_t b);

/* ---- reparse-lattice.c ---------------------------------------------------------- */

/* Makes the bodies in f the cheapest ones.  When *enough becomes true, they stay as they are.
 * SEQ_OK or SEQ_E_NOMEM. */
int flat_parse(struct flat *f, const struct costs *c);

#endif
