/* SPDX-License-Identifier: MIT */
/* suffix-automaton.h - recognizes the factors of a set of strings: all strings within them.
 *
 * The suffix automaton (Blumer et al., The smallest automaton recognizing the subwords of a text)
 * of a tree of strings (string-automaton.h).  A state is the set of factors that end at the same
 * nodes of the tree; each is a suffix of the next longer one,
 *
 *      state       those longer than length[link], up to `length` terminals
 *      link        the longest suffix that ends at more nodes
 *      node        one of the nodes where they end: the string of that node ends with them
 *
 * so that a state and a length identify a factor.  State 0 is the empty string.
 */
#ifndef WPP_SUFFIX_AUTOMATON_H
#define WPP_SUFFIX_AUTOMATON_H

#include "hotpaths/automata/string-automaton.h"

struct factor_state {
    uint32_t length, link, node;
    uint32_t edges;             /* the edge added last */
};

struct factor_edge {
    uint32_t state, terminal, to;
    uint32_t next;              /* the next edge of the same state */
};

struct factors {
    const struct patterns *p;
    struct factor_state *state;
    uint32_t n;
    struct factor_edge *edge;
    size_t n_edges, edges_size;
    uint64_t *table;            /* hash-table.h: edges by (state, terminal), for states with
                                   several */
    size_t n_in_table, table_size;
};

/* HOT_OK or HOT_E_MEMORY; factors_clear either way. */
int factors_init(struct factors *f, const struct patterns *p);
void factors_clear(struct factors *f);

/* The state of a factor of `state`, continued by the terminal; 0: that is no factor. */
uint32_t factors_next(const struct factors *f, uint32_t state, uint32_t terminal);

/* Writes the factor of this state and length to `out`. */
void factors_text(const struct factors *f, uint32_t state, uint32_t length, uint32_t *out);

#endif
