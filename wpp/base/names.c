/* SPDX-License-Identifier: MIT */
#include "wpp/base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Brackets ---------------------------------------------------------------- */

/* A name with its pairs of brackets.  `<` and `>` may be operators: they are brackets only if
 * they form a pair within the other brackets. */
struct text {
    const char *at;
    size_t length;
    uint32_t *behind;          /* of an opening bracket: the index behind its partner; else 0 */
};

/* The number of bytes at i that look like brackets but are an operator: `operator<`, `->`; or 0. */
static size_t plain_length(const struct text *t, size_t i)
{
    static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>",
                                         "<=", ">=", "<", ">" };
    static const char word[] = "operator";
    const char *p = t->at + i;

    if (strncmp(p, "->", 2) == 0)
        return 2;
    if (strncmp(p, word, strlen(word)) != 0 || (i > 0 && p[-1] != ':' && p[-1] != ' '))
        return 0;
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (strncmp(p + strlen(word), signs[k], strlen(signs[k])) == 0)
            return strlen(word) + strlen(signs[k]);
    return 0;
}

/* Finds the pairs.  Until a bracket is closed, its `behind` is 1 + the index of the bracket
 * around it. */
static void find_brackets(struct text *t)
{
    static const char opening[] = "<({[", closing[] = ">)}]";
    uint32_t top = 0, around;

    for (size_t i = 0, plain; i < t->length; i += plain ? plain : 1) {
        const char *close = strchr(closing, t->at[i]);

        plain = plain_length(t, i);
        if (plain)
            continue;
        if (strchr(opening, t->at[i])) {
            t->behind[i] = top;
            top = (uint32_t)i + 1;
        }
        if (!close)
            continue;
        for (; *close != '>' && top && t->at[top - 1] == '<'; top = around) {
            around = t->behind[top - 1];
            t->behind[top - 1] = 0;
        }
        if (top && t->at[top - 1] == opening[close - closing]) {
            around = t->behind[top - 1];
            t->behind[top - 1] = (uint32_t)i + 1;
            top = around;
        }
    }
    for (; top; top = around) {
        around = t->behind[top - 1];
        t->behind[top - 1] = 0;
    }
}

/* The caller frees `behind`.  False: no memory, or the name is 2^32 letters or longer. */
static bool read_text(struct text *t, const char *name)
{
    *t = (struct text){ .at = name, .length = strlen(name) };
    if (t->length >= UINT32_MAX)
        return false;
    t->behind = calloc(t->length + 1, sizeof *t->behind);
    if (t->behind)
        find_brackets(t);
    return t->behind != NULL;
}

/* The index behind the next `::` from i on that is outside of brackets; 0: there is none. */
static size_t next_scope(const struct text *t, size_t i)
{
    while (i < t->length)
        if (t->behind[i])
            i = t->behind[i];
        else if (t->at[i] == ':' && t->at[i + 1] == ':')
            return i + 2;
        else
            i++;
    return 0;
}

/* ---- Shorter ---------------------------------------------------------------------- */

/* Whether the bracket's contents are left out: they must be longer than the dots in their place. */
static bool is_left_out(const struct text *t, size_t i, unsigned level, bool parameters)
{
    static const char anonymous[] = "(anonymous namespace)";

    if (!t->behind[i] || t->behind[i] - i <= strlen("<...>"))
        return false;
    if (t->at[i] == '<')
        return level == 0;
    return t->at[i] == '(' && !parameters &&
           strncmp(t->at + i, anonymous, strlen(anonymous)) != 0;
}

/* Writes the part from index `from` to `to`, with `level` levels of template arguments, with or
 * without types of parameters.  Returns the end of the output, which is not longer than the
 * part. */
static char *write_part(const struct text *t, size_t from, size_t to, unsigned level,
                        bool parameters, char *out)
{
    for (size_t i = from; i < to;) {
        if (is_left_out(t, i, level, parameters)) {
            *out++ = t->at[i];
            out = stpcpy(out, "...");
            i = t->behind[i];
            *out++ = t->at[i - 1];
        } else if (t->at[i] == '<' && t->behind[i] && level > 0) {
            *out++ = '<';
            out = write_part(t, i + 1, t->behind[i] - 1, level - 1, true, out);
            i = t->behind[i];
            *out++ = '>';
        } else {
            *out++ = t->at[i++];
        }
    }
    *out = '\0';
    return out;
}

/* Copies the text, or its beginning and dots. */
static void cut(const char *text, char *out, size_t size)
{
    size_t n = strlen(text);

    if (n >= size) {
        n = size - sizeof "...";
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(out, text, n);
    strcpy(out + n, text[n] ? "..." : "");
}

/* Leaves out as many outer scopes as necessary. */
static void drop_scopes(const char *text, char *out, size_t size)
{
    const size_t dots = strlen("...");
    struct text t;
    size_t from = 0, scope;

    if (read_text(&t, text))
        while (t.length - from >= size - dots && (scope = next_scope(&t, from)) != 0)
            from = scope;
    free(t.behind);
    if (from) {
        memcpy(out, "...", dots);
        out += dots;
        size -= dots;
    }
    cut(text + from, out, size);
}

void name_shorten(const char *name, char *out, size_t size)
{
    static const struct { unsigned level; bool parameters; } ways[] = {
        { 1, true }, { 1, false }, { 0, true }, { 0, false }
    };
    struct text t = { .behind = NULL };
    char *shorter = NULL;

    if (strlen(name) >= size && read_text(&t, name))
        shorter = malloc(t.length + 1);
    for (size_t i = 0; shorter && i < sizeof ways / sizeof *ways; i++) {
        const char *end = write_part(&t, 0, t.length, ways[i].level, ways[i].parameters, shorter);

        if ((size_t)(end - shorter) < size)
            break;
    }
    if (shorter && strlen(shorter) >= size)
        drop_scopes(shorter, out, size);
    else
        cut(shorter ? shorter : name, out, size);
    free(shorter);
    free(t.behind);
}

/* ---- Asked for --------------------------------------------------------------------- */

/* The end of the name proper: the parameters begin behind the last scope. */
static size_t end_of_name(const struct text *t)
{
    size_t i = 0;

    for (size_t scope; (scope = next_scope(t, i)) != 0;)
        i = scope;
    while (i < t->length && !(t->at[i] == '(' && t->behind[i]))
        i = t->behind[i] ? t->behind[i] : i + 1;
    return i;
}

/* The index behind a tag at i, as in `to_string[abi:cxx11]`; i if there is none. */
static size_t skip_tag(const struct text *t, size_t i)
{
    return t->at[i] == '[' && t->behind[i] ? t->behind[i] : i;
}

/* The same for the arguments of a template, as in `f<int>` or `operator< <int>`. */
static size_t skip_arguments(const struct text *t, size_t i)
{
    size_t at = i + (t->at[i] == ' ');

    return t->at[at] == '<' && t->behind[at] ? t->behind[at] : i;
}

/* Whether `asked` names the routine from index i on, with or without arguments of templates. */
static bool is_called(const struct text *t, size_t i, size_t end, const char *asked,
                      size_t length)
{
    for (size_t k = 0; k < length; i++, k++) {
        if (t->at[i] != asked[k])
            i = skip_tag(t, i);
        if (t->at[i] != asked[k])
            i = skip_arguments(t, i);
        if (t->at[i] != asked[k])
            return false;
    }
    i = skip_arguments(t, skip_tag(t, i));
    return i == end || i == t->length || t->at[i] == '.';
}

/* ---- Bare ------------------------------------------------------------------------------ */

/* `sorted() const::{lambda(int)#1}`: of a scope that is a routine. */
static bool is_constant(const struct text *t, size_t i)
{
    return strncmp(t->at + i, " const::", strlen(" const::")) == 0;
}

/* Where the name proper begins, behind the type of its result.  What follows `operator` belongs to
 * the name, blanks or not. */
static size_t begin_of_name(const struct text *t, size_t end)
{
    static const char word[] = "operator";
    size_t begin = 0;

    for (size_t i = 0; i < end && strncmp(t->at + i, word, strlen(word)) != 0;
         i = t->behind[i] ? t->behind[i] : i + 1)
        if (t->at[i] == ' ' && t->at[i + 1] != '<' && !is_constant(t, i))
            begin = i + 1;
    return begin;
}

/* How much of the scope that begins at index i says nothing. */
static size_t empty_scope(const struct text *t, size_t i)
{
    static const char *const scopes[] = { "(anonymous namespace)::", "__cxx11::" };

    for (size_t k = 0; k < sizeof scopes / sizeof *scopes; k++)
        if (strncmp(t->at + i, scopes[k], strlen(scopes[k])) == 0)
            return strlen(scopes[k]);
    return 0;
}

/* Brackets go, but those of what has no name: `{lambda(int)#1}` is `{lambda#1}`. */
static char *write_bare(const struct text *t, size_t from, size_t to, char *out)
{
    for (size_t i = from; i < to;) {
        size_t plain = plain_length(t, i), empty = empty_scope(t, i);

        if (plain) {
            out = mempcpy(out, t->at + i, plain);
            i += plain;
        } else if (empty) {
            i += empty;
        } else if (is_constant(t, i)) {
            i += strlen(" const");
        } else if (t->at[i] == '{' && t->behind[i]) {
            *out++ = '{';
            out = write_bare(t, i + 1, t->behind[i] - 1, out);
            *out++ = '}';
            i = t->behind[i];
        } else if (t->behind[i]) {
            i = t->behind[i];
        } else {
            *out++ = t->at[i++];
        }
    }
    *out = '\0';
    return out;
}

/* Without `.isra.0` and the like, and blanks that stood before brackets. */
static void cut_appendix(char *bare)
{
    char *dot = bare[0] ? strchr(bare + 1, '.') : NULL;
    size_t n;

    if (dot)
        *dot = '\0';
    for (n = strlen(bare); n > 0 && bare[n - 1] == ' ';)
        bare[--n] = '\0';
}

void name_bare(const char *name, char *out, size_t size)
{
    struct text t = { .behind = NULL };
    char *bare = NULL;
    size_t end;

    if (read_text(&t, name))
        bare = malloc(t.length + 1);
    if (bare) {
        end = end_of_name(&t);
        write_bare(&t, begin_of_name(&t, end), end, bare);
        cut_appendix(bare);
    }
    cut(bare && *bare ? bare : name, out, size);
    free(bare);
    free(t.behind);
}

bool name_fits(const char *name, const char *asked, size_t length)
{
    struct text t;
    size_t end, i = 0;
    bool fits;

    if (length == 0 || !read_text(&t, name))
        return false;
    end = end_of_name(&t);
    do {
        fits = is_called(&t, i, end, asked, length);
        do
            i = t.behind[i] ? t.behind[i] : i + 1;
        while (i < end && t.at[i - 1] != ' ' && (t.at[i - 1] != ':' || t.at[i] == ':'));
    } while (i < end && !fits);
    free(t.behind);
    return fits;
}
