/* SPDX-License-Identifier: MIT */
#include "wpp/base/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A status of __cxa_demangle, from the Itanium C++ ABI. */
enum { NO_MEMORY = -1 };

/* In letters.  Real names of 1,000 letters spell texts of up to 10,000. */
enum {
    SHORT_NAME = 64,               /* needs no estimate: its text is short enough */
    LONGEST_NAME = 1 << 14,
    LONGEST_TEXT = 1 << 16,        /* of a kept text */
    MOST_ESTIMATED = 1 << 24,      /* an estimate may be a thousand times too large for a real
                                      name */
    MOST_WASTED = 1 << 26,         /* of texts that were too long; then only short estimates are
                                      tried */
    FREE_TEXT = 1 << 20, TEXT_PER_LETTER = 16    /* limit of all texts together */
};

/* The library stays loaded: something else in the process may use it, and loading it again costs
 * more than keeping it. */
static void find_demangler(struct wpp_demangler *d)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

    d->asked = true;
    if (library)
        *(void **)&d->demangle = dlsym(library, "__cxa_demangle");
}

/* ---- Estimates ------------------------------------------------------------------ */

/* A part that may be named again (ABI, 5.1.10) gets its number when it is complete.  So at the
 * first `S3_`, parts 0 to 3 are complete, and none of them spells more than the whole text
 * before `S3_`.
 *
 *      1A I i i E   S_ I S0_ S0_ E   S_ I S1_ S1_ E
 *                        |    |           |
 *                        size = what is before it, the same, what is before it by now
 */
struct parts {
    size_t n;
    struct { uint64_t number; double most; } known[];    /* both ascend */
};

/* The most that the part with this number can spell; `size`: the text before its name here. */
static double part_size(struct parts *p, uint64_t number, double size)
{
    size_t low = 0, high = p->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->known[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < p->n)
        return p->known[low].most;
    p->known[p->n].number = number;
    p->known[p->n++].most = size;
    return size;
}

/* `S_`, `S0_`, `SZ_`, `S10_`: parts 0, 1, 36, 37.  Such letters may also be inside another name;
 * then the estimate is only larger.  Returns the end of the name, or NULL. */
static const char *read_part(const char *s, uint64_t *number)
{
    *number = 0;
    if (*s != 'S')
        return NULL;
    if (s[1] == '_')
        return s + 2;
    for (s++; isdigit((unsigned char)*s) || isupper((unsigned char)*s); s++)
        *number = 36 * *number + (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : *s - 'A' + 10);
    ++*number;
    return *s == '_' ? s + 1 : NULL;
}

/* `T_`, `T0_`: an argument of a template.  Returns the end of the name, or NULL. */
static const char *read_argument(const char *s)
{
    if (*s != 'T')
        return NULL;
    for (s++; isdigit((unsigned char)*s); s++)
        ;
    return *s == '_' ? s + 1 : NULL;
}

static bool has_arguments(const char *name)
{
    for (; *name; name++)
        if (read_argument(name))
            return true;
    return false;
}

/* Whether `Dp`, or `sp` in an expression, stands for a pattern that is repeated for several
 * arguments.  `DpT_` and `DpOT_` only spell the arguments. */
static bool repeats(const char *s, bool expressions)
{
    if (strncmp(s, "sp", 2) == 0)
        return expressions;
    return strncmp(s, "Dp", 2) == 0 && !read_argument(s + 2 + strspn(s + 2, "OPRKV"));
}

double wpp_demangle_most(const char *name)
{
    double length = (double)strlen(name), size = length;
    bool arguments = has_arguments(name), expressions = false;
    struct parts *parts =
        malloc(sizeof *parts + (strlen(name) / 2 + 1) * sizeof parts->known[0]);

    if (!parts)
        return 0;
    parts->n = 0;
    for (const char *s = name, *end; *s; s = end) {
        uint64_t number;

        if ((end = read_part(s, &number)))
            size += part_size(parts, number, size);
        else if ((end = read_argument(s)))
            size += size;
        else if (arguments && repeats(s, expressions))
            size *= length;
        /* `X...E`, `DT...E`, `Dt...E`, `Anx..._`. */
        expressions |= *s == 'X' || (*s == 'D' && (s[1] == 'T' || s[1] == 't'))
                    || (*s == 'A' && islower((unsigned char)s[1]));
        end = end ? end : s + 1;
    }
    free(parts);
    return size;
}

/* ---- Names ---------------------------------------------------------------------- */

enum answer { YES, NO, NO_ANSWER };

/* Whether the text may be made.  NO_ANSWER: without memory. */
static enum answer may_be_made(const struct wpp_demangler *d, const char *name, size_t length)
{
    double most;

    if (length < SHORT_NAME || length > LONGEST_NAME)
        return length < SHORT_NAME ? YES : NO;
    most = wpp_demangle_most(name);
    if (most == 0)
        return NO_ANSWER;
    return most > MOST_ESTIMATED || (d->wasted > MOST_WASTED && most > LONGEST_TEXT) ? NO : YES;
}

/* Copies the text to the arena; if it is too long, returns the name. */
static const char *keep(struct wpp_demangler *d, struct wpp_arena *arena, const char *name,
                        const char *text)
{
    size_t n = strlen(text);

    if (n > LONGEST_TEXT || d->kept + n > FREE_TEXT + TEXT_PER_LETTER * d->given) {
        d->wasted += n;
        return name;
    }
    d->kept += n;
    return wpp_arena_string(arena, text, n);
}

const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name)
{
    size_t length = strlen(name);
    const char *kept = name;
    char *text = NULL;
    int status = 0;

    if (strncmp(name, "_Z", 2) != 0)
        return name;
    if (!d->asked)
        find_demangler(d);
    if (!d->demangle)
        return name;
    d->given += length;
    enum answer may = may_be_made(d, name, length);
    if (may == YES)
        text = d->demangle(name, NULL, NULL, &status);
    if (may == NO_ANSWER || status == NO_MEMORY) {
        arena->failed = true;
        return NULL;
    }
    if (text)
        kept = keep(d, arena, name, text);
    free(text);
    return kept;
}
