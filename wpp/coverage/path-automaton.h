/* SPDX-License-Identifier: MIT */
/* path-automaton.h - automata that find given paths in sequences of blocks (Aho and Corasick).
 *
 * The automata of several routines share one set of states.  A state stands for the longest suffix of
 * what has been read that begins one of its routine's paths.  No path may be a part of another one:
 * so at most one ends in a state.
 */
#ifndef WPP_PATH_AUTOMATON_H
#define WPP_PATH_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUTOMATON_NO_PATH UINT32_MAX

struct automaton_state {
    uint32_t block;            /* that leads here; of a root: the number of its table of first blocks */
    uint32_t child, sibling;   /* 0: none */
    uint32_t fail;             /* the longest proper suffix that is a state; of a root: itself */
    uint32_t path;             /* that ends here, or AUTOMATON_NO_PATH */
};

struct path_automaton {
    uint32_t n, capacity;
    struct automaton_state *state;     /* 0 is unused */
    uint32_t **first;          /* of each root: by block, the state of that block alone; 0: none */
    uint32_t *n_first;
    uint32_t n_roots, root_capacity;
};

/* Adds a routine of n_blocks blocks; path i is block[begin[i] .. begin[i+1]) and has number i.  *root:
 * the state in which its activations begin.  False: no memory, or more than 2^32 states. */
bool path_automaton_add(struct path_automaton *a, uint32_t n_blocks, uint32_t n_paths,
                        const uint32_t *begin, const uint32_t *block, uint32_t *root);
void path_automaton_free(struct path_automaton *a);

/* The state behind a block. */
uint32_t path_automaton_next(const struct path_automaton *a, uint32_t state, uint32_t block);

#endif
