/* SPDX-License-Identifier: MIT */
/* naive-sequitur.h - SEQUITUR and SEQUITUR(1) straight from the definition:
 * plain arrays, no table, every question answered by looking at every symbol.
 * It is what the engine is compared with, so it shares nothing with it.
 *
 * The papers leave open in which order several violations are repaired; both
 * programs follow docs/sequitur.md, "The order of repair".  Misuse and lack of
 * memory abort.
 */
#ifndef WPP_TEST_NAIVE_SEQUITUR_H
#define WPP_TEST_NAIVE_SEQUITUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct naive;

struct naive *naive_new(bool look_ahead);
void naive_free(struct naive *g);
/* Start rules are 0 to 3. */
void naive_append(struct naive *g, unsigned start, uint32_t terminal);
void naive_finish(struct naive *g);

/* Whether two rules came to have equal bodies and were merged, which may happen
 * when streams share rules.  The order in which the places that this changed
 * are repaired is nobody's business, so another program's grammar may differ. */
bool naive_merged(const struct naive *g);

/* Rules in the order in which their first use ends in a left-to-right walk of
 * the start rules, then the start rules: for each its length, then its
 * symbols, a rule being 0x80000000 | its number.  Returns how many words. */
size_t naive_export(const struct naive *g, unsigned starts, uint32_t *words, size_t room);

#endif
