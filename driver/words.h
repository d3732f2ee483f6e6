/* SPDX-License-Identifier: MIT */
/* words.h - the words of a command line, as given and as the compiler reads them. */
#ifndef WPP_DRIVER_WORDS_H
#define WPP_DRIVER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of words that ends with NULL, as exec() takes it.  It does not own the words, and
 * nothing is freed, because exec() soon replaces the process. */
struct words {
    char **word;
    size_t n, room;
    unsigned files;         /* number of response files read */
    bool failed;            /* there was no memory for a word */
};

/* Adds a word; NULL: the word could not be allocated. */
void words_add(struct words *words, const char *word);
void words_add_all(struct words *words, const struct words *others);
/* The same, split at blanks as a shell splits $VARIABLE. */
void words_add_split(struct words *words, const char *text);

/* Adds a word, or for @FILE the words of that file.  Compiler and linker read it by the same
 * rules (libiberty's expandargv()). */
void words_expand(struct words *words, const char *word);

/* As asprintf(); NULL without memory. */
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
