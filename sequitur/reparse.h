/* SPDX-License-Identifier: MIT */
/* reparse.h - a finished grammar whose bodies are parsed anew.  Private.
 *
 * The engine chooses a rule as soon as it meets one, and makes one of whatever comes twice.
 * Once all rules are known, another choice of them may derive the same with fewer bits:
 *
 *      flat_take        the export, its rules in order of how much they derive
 *      costs_find       what naming each symbol costs, in 256ths of a bit
 *      flat_parse       each body as the cheapest sequence of symbols that derives it
 *      flat_prune       rules that nobody uses go, those used once dissolve
 *      seq_join         digrams become unique again
 *
 * and so on, some rounds: rules that cost more than they save are named ever more seldom.
 *
 *      rule     0 1 2 3 ...            n-1 | start rules 0 1 ...
 *      derives  2 2 2 3 ... 70 ... 100,000 |
 *
 * Invariants: what a rule derives never changes, so `derived` is found once; a body has two
 * symbols at least, and only rules that derive less than its own, so their numbers are smaller.
 */
#ifndef SEQUITUR_REPARSE_H
#define SEQUITUR_REPARSE_H

#include "sequitur/grammar.h"

/* What a symbol derives, as one would read it. */
struct derived {
    uint64_t length;
    uint64_t hash;           /* sum of spelled(terminal i) * BASE^i, modulo 2^64 */
    uint64_t shift;          /* BASE^length */
    uint64_t unshift;        /* its inverse */
    uint32_t first, last;    /* terminals */
};

struct flat {
    seq *s;                  /* whose memory it is */
    uint32_t rules, starts;
    uint32_t terminals;      /* their numbers are below */
    uint32_t first_rules;    /* so many there were before pruning */
    uint64_t *body;          /* rules + starts + 1 */
    uint32_t *symbols;
    uint64_t size;           /* that there is room for */
    struct derived *derived; /* by rule */
    uint64_t *length;        /* of start rules: terminals */
    const bool *enough;      /* NULL, or somebody sets it who does not want to wait for more */
};

static inline bool is_enough(const bool *enough)
{
    return enough && __atomic_load_n(enough, __ATOMIC_RELAXED);
}

static inline uint64_t flat_end(const struct flat *f)
{
    return f->body[f->rules + f->starts];
}

/* By number of a terminal, and behind these of a rule. */
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

/* Whether the invariants hold: asked behind each step, where assertions are. */
bool flat_check(const struct flat *f);

/* Of what seq_export() has made of s.  SEQ_OK or SEQ_E_NOMEM. */
int flat_take(struct flat *f, seq *s, const struct seq_grammar *g);
void flat_free(struct flat *f);
/* Gives back the memory of `derived`, which is not needed any more. */
void flat_forget_derived(struct flat *f);
/* Takes these bodies in the place of its own, which it hands out; room for `*size` symbols and
 * one. */
void flat_exchange(struct flat *f, uint64_t **body, uint32_t **symbols, uint64_t *size);
/* Unused rules go; one that is used once dissolves.  SEQ_OK or SEQ_E_NOMEM. */
int flat_prune(struct flat *f);

/* ---- reparse-costs.c ---------------------------------------------------------- */

/* In 256ths of a bit.  The file's code (wpp/format/grammar-model.h) names a symbol by the terminal
 * that it begins with, which the terminal before predicts, and by its number among those that
 * begin so. */
enum { BIT = 256 };

struct costs {
    struct flat *f;
    uint32_t *symbol;        /* by flat_index(): the number */
    struct pair_cost *pairs; /* a hash table: the first terminal behind another */
    uint64_t pairs_size;     /* a power of two */
    uint32_t *rare;          /* by terminal: of a pair that does not occur */
};

/* SEQ_OK or SEQ_E_NOMEM; to be freed in either case, before f is pruned. */
int costs_find(struct costs *c, struct flat *f);
void costs_free(struct costs *c);
/* Of terminal b behind terminal a. */
uint32_t costs_pair(const struct costs *c, uint32_t a, uint32_t b);

/* ---- reparse-lattice.c ---------------------------------------------------------- */

/* The bodies in f become the cheapest ones, or stay what they are when that is enough.  SEQ_OK or
 * SEQ_E_NOMEM. */
int flat_parse(struct flat *f, const struct costs *c);

#endif
