/* SPDX-License-Identifier: MIT */
/* words.h - the words of a command line, as they are and as the compiler reads them. */
#ifndef WPP_DRIVER_WORDS_H
#define WPP_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of words that ends with NULL, as exec() takes it.  It does not own the words:
 * the process is soon another program, so nothing is given back. */
struct words {
    char **word;
    size_t n, room;
    unsigned files;         /* response files that were asked for */
    bool failed;            /* there was no memory for a word */
};

/* Adds a word; NULL stands for one that could not be made. */
void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const struct words *others);
/* The same, cut at blanks as a shell does to $VARIABLE. */
void words_add_split(struct words *words, const char *text);

/* Adds a word, or if it is @FILE the words of that file, by the rules of the compiler and the
 * linker (libiberty's expandargv()). */
void words_expand(struct words *words, const char *word);

/* As asprintf(); NULL without memory. */
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
