/* SPDX-License-Identifier: MIT */
/* words.c - lists of words, and the words of response files. */
#include "driver/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLANKS " \t\n\r\f\v"
enum { MOST_FILES = 1999 };         /* the compiler refuses more response files */

char *text(const char *format, ...)
{
    va_list args;
    char *made;

    va_start(args, format);
    if (vasprintf(&made, format, args) < 0)
        made = NULL;
    va_end(args);
    return made;
}

static bool make_room(struct words *words)
{
    size_t room = words->room ? 2 * words->room : 64;
    char **word;

    if (words->n + 1 < words->room)
        return true;
    word = realloc(words->word, room * sizeof *word);
    if (!word)
        return false;
    words->word = word;
    words->room = room;
    return true;
}

void words_add(struct words *words, const char *word)
{
    if (!word || !make_room(words)) {
        words->failed = true;
        return;
    }
    words->word[words->n++] = (char *)word;
    words->word[words->n] = NULL;
}

void words_add_all(struct words *words, const struct words *others)
{
    for (size_t i = 0; i < others->n; i++)
        words_add(words, others->word[i]);
    words->failed |= others->failed;
}

void words_add_split(struct words *words, const char *text)
{
    for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
        size_t length = strcspn(text, BLANKS);

        words_add(words, strndup(text, length));
        text += length;
    }
}

/* ---- Response files ------------------------------------------------------------------ */

/* The contents of a regular file, followed by a NUL; or NULL. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    struct stat status;
    char *contents = NULL;
    size_t n;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode))
        contents = malloc((size_t)status.st_size + 1);
    if (contents) {
        n = fread(contents, 1, (size_t)status.st_size, file);
        contents[n] = '\0';
    }
    fclose(file);
    return contents;
}

/* Takes the next word out of `*from`, in place, without its quotes.  A backslash quotes the next
 * character, also in quotes. */
static char *next_word(char **from)
{
    char *in = *from, *out = *from, *word = *from, quote = '\0';

    for (; *in && (quote || !strchr(BLANKS, *in)); in++) {
        if (*in == '\\' && in[1])
            *out++ = *++in;
        else if (quote && *in == quote)
            quote = '\0';
        else if (!quote && (*in == '"' || *in == '\''))
            quote = *in;
        else if (*in != '\\')
            *out++ = *in;
    }
    *from = in + (*in != '\0');
    *out = '\0';
    return word;
}

void words_expand(struct words *words, const char *word)
{
    bool is_file = word[0] == '@' && words->files++ < MOST_FILES;
    char *contents = is_file ? read_file(word + 1) : NULL;

    if (!contents) {
        words_add(words, word);
        return;
    }
    for (contents += strspn(contents, BLANKS); *contents; contents += strspn(contents, BLANKS))
        words_expand(words, next_word(&contents));
}
