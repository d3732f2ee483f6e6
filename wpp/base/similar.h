/* SPDX-License-Identifier: MIT */
/* similar.h - what somebody may have meant. */
#ifndef WPP_SIMILAR_H
#define WPP_SIMILAR_H

#include <stddef.h>

/* How many characters are to be changed, put in, taken out or exchanged with their neighbour to make
 * one word of the other (Damerau and Levenshtein, each place touched once); both are cut after 63. */
unsigned similar_distance(const char *a, const char *b);

/* The best so far of candidates that are offered one after the other: none until one is near enough,
 * a third of the word or one edit. */
struct similar {
    const char *asked;
    const char *best;          /* NULL: none */
    unsigned distance;
};
void similar_offer(struct similar *s, const char *candidate);

#endif
