/* SPDX-License-Identifier: MIT */
/* text.h - strings of bounded size, and replacements for libc functions that would use vector
 * registers. */
#ifndef WPP_TEXT_H
#define WPP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* at[0 .. used) is the text, at[used] is NUL; text that does not fit is cut. */
struct wpp_text {
    char *at;
    size_t used, size;
    bool cut;
};

static inline void text_init(struct wpp_text *text, char *at, size_t size)
{
    *text = (struct wpp_text){ .at = at, .used = 0, .size = size, .cut = false };
    at[0] = '\0';
}

static inline void text_byte(struct wpp_text *text, char byte)
{
    if (text->used + 1 >= text->size) {
        text->cut = true;
        return;
    }
    text->at[text->used++] = byte;
    text->at[text->used] = '\0';
}

static inline void text_add(struct wpp_text *text, const char *string)
{
    for (; string && *string; string++)
        text_byte(text, *string);
}

/* Decimal, at least `digits` digits. */
static inline void text_number(struct wpp_text *text, uint64_t number, int digits)
{
    char reversed[24];
    int n = 0;

    do
        reversed[n++] = (char)('0' + number % 10);
    while ((number /= 10) || n < digits);
    while (n)
        text_byte(text, reversed[--n]);
}

static inline size_t text_length(const char *string)
{
    size_t n = 0;

    while (string[n])
        n++;
    return n;
}

static inline bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The rest of `string` after `prefix`, or NULL if `string` does not begin with it. */
static inline const char *text_after(const char *string, const char *prefix)
{
    while (*prefix)
        if (*string++ != *prefix++)
            return NULL;
    return string;
}

/* A whole decimal number up to `most`, or -1. */
static inline long text_decimal(const char *string, long most)
{
    long value = 0;

    if (!*string)
        return -1;
    for (; *string; string++) {
        if (*string < '0' || *string > '9')
            return -1;
        value = value * 10 + (*string - '0');
        if (value > most)
            return -1;
    }
    return value;
}

static inline void bytes_copy(void *to, const void *from, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* The same past the caches, for data that another processor will read.  That processor still has
 * the lines of before: fetching each line from it costs five times as much as the copy. */
static inline void bytes_send(void *to, const void *from, size_t n)
{
    uint64_t *line = to;
    const uint64_t *at = from;

    for (; n >= 64; n -= 64, line += 8, at += 8)
        for (int i = 0; i < 8; i += 4)
            __asm__ volatile("movnti %1, (%0)\n\tmovnti %2, 8(%0)\n\t"
                             "movnti %3, 16(%0)\n\tmovnti %4, 24(%0)"
                             : : "r"(line + i), "r"(at[i]), "r"(at[i + 1]), "r"(at[i + 2]),
                                 "r"(at[i + 3]) : "memory");
    bytes_copy(line, at, n);
    __asm__ volatile("sfence" : : : "memory");
}

/* `n` is a number of 8-byte words. */
static inline void words_clear(void *at, size_t n)
{
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(n) : "a"(0) : "memory");
}

/* The same, but sets words that are not 0. */
static inline void words_fill(void *at, size_t n)
{
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(n) : "a"(~UINT64_C(0)) : "memory");
}

/* FNV-1a 64, continued from `hash`. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    while (n--)
        hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
