/* SPDX-License-Identifier: MIT */
/* renumber.h - numbers terminals by first occurrence along the start rules, as in files. */
#ifndef WPP_RENUMBER_H
#define WPP_RENUMBER_H

#include "sequitur/sequitur.h"

#include <stdbool.h>
#include <stdint.h>

/* Gives the terminals of g, which are below n, new numbers: order[new] = old for the *n_met
 * terminals that occur.  `order` has room for n.  False: no memory. */
bool wpp_renumber(struct seq_grammar *g, uint32_t n, uint32_t *order, uint32_t *n_met);

#endif
