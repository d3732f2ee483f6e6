/* SPDX-License-Identifier: MIT */
/* similar.h - finds the word that a user may have meant. */
#ifndef WPP_SIMILAR_H
#define WPP_SIMILAR_H

#include <stddef.h>

/* The number of edits that turn one word into the other: change, insert, delete a character, or
 * swap neighbours (Damerau and Levenshtein, each place touched once).  Both words are cut after
 * 63 characters. */
unsigned similar_distance(const char *a, const char *b);

/* The best of several candidates, offered one after the other.  A candidate must be near enough:
 * within a third of the word, or one edit. */
struct similar {
    const char *asked;
    const char *best;          /* NULL: none */
    unsigned distance;
};
void similar_offer(struct similar *s, const char *candidate);

#endif
