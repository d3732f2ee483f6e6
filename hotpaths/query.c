/* SPDX-License-Identifier: MIT */
/* query.c - what comes before what; see query.h. */
#include "hotpaths/query.h"

#include <stdlib.h>
#include <string.h>

/* What a name asks for. */
struct subject {
    const char *name;
    size_t length;              /* of the routine or the file in it */
    bool has_path, has_line;
    uint64_t number;            /* path or line */
};

/* A number behind the last `mark`, if nothing else is there. */
static bool split_number(const char *name, char mark, size_t *length, uint64_t *number)
{
    const char *at = strrchr(name, mark);
    char *end;

    if (!at || at == name || at[1] < '0' || at[1] > '9')
        return false;
    *number = strtoull(at + 1, &end, 10);
    *length = (size_t)(at - name);
    return *end == '\0';
}

static struct subject parse(const char *name)
{
    struct subject s = { .name = name, .length = strlen(name) };

    s.has_line = split_number(name, ':', &s.length, &s.number);
    if (!s.has_line)
        s.has_path = split_number(name, '/', &s.length, &s.number);
    if (!s.has_line && !s.has_path)
        s.length = strlen(name);
    return s;
}

static bool is_name(const struct subject *s, const char *text)
{
    return strlen(text) == s->length && memcmp(text, s->name, s->length) == 0;
}

static bool is_file(const struct subject *s, const char *file)
{
    size_t n = strlen(file);

    return n >= s->length && memcmp(file + n - s->length, s->name, s->length) == 0 &&
           (n == s->length || file[n - s->length - 1] == '/');
}

static bool executes_line(const struct subject *s, const struct wpp_terminal *t,
                          const struct wpp_routine *routine)
{
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            if (b->lines[k].line == s->number && is_file(s, b->lines[k].file))
                return true;
    }
    return false;
}

/* Whether the path runs code of a function of that name that was inlined. */
static bool runs_inlined(const struct subject *s, const struct wpp_terminal *t,
                         const struct wpp_routine *routine)
{
    for (uint32_t i = 0; routine->n_inlined && i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            for (uint32_t call = b->lines[k].inlined; call;
                 call = routine->inlined[call - 1].caller)
                if (is_name(s, routine->inlined[call - 1].shown) ||
                    is_name(s, routine->inlined[call - 1].name))
                    return true;
    }
    return false;
}

static bool is_meant(const struct subject *s, const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *routine;
    char name[WPP_SYMBOL_NAME];

    if (t->routine == WPP_NO_ROUTINE)
        return is_name(s, wpp_symbol_name(t, name));
    routine = wpp_routine(w, t->routine);
    if (s->has_line)
        return executes_line(s, t, routine);
    if (is_name(s, routine->shown) || is_name(s, routine->name))
        return !s->has_path || t->path == s->number;
    return !s->has_path && runs_inlined(s, t, routine);
}

/* Marks the terminals that are meant; returns how many they are. */
static uint32_t mark(const wpp *w, const char *name, bool *marks)
{
    struct subject s = parse(name);
    uint32_t n = 0;

    for (uint32_t t = 0; t < wpp_grammar(w)->n_terminals; t++) {
        marks[t] = is_meant(&s, w, t);
        n += marks[t];
    }
    return n;
}

/* The text without blanks around it. */
static char *trim(char *text)
{
    char *end;

    text += strspn(text, " ");
    for (end = text + strlen(text); end > text && end[-1] == ' ';)
        *--end = '\0';
    return text;
}

/* `A before B`, `before B`, `behind B`. */
static bool cut(struct query *q)
{
    static const char word[] = " before ";
    char *text = trim(q->text), *at = strstr(text, word);

    q->before = strncmp(text, "before ", 7) == 0;
    if (at) {
        *at = '\0';
        q->a = trim(text);
        q->b = trim(at + strlen(word));
        return *q->a && *q->b;
    }
    if (!q->before && strncmp(text, "behind ", 7) != 0)
        return false;
    q->b = trim(text + 7);
    return *q->b;
}

/* Counts; `is_a` is not used without A. */
static enum query_status count(struct query *q, const struct wpp_grammar *g, uint32_t thread,
                               const bool *is_a, const bool *is_b)
{
    if (!q->a)
        q->times = malloc((g->n_terminals + (size_t)1) * sizeof *q->times);
    if ((!q->a && !q->times) ||
        hot_before(g, thread, q->a ? is_a : is_b, is_b, &q->order) != HOT_OK ||
        (!q->a && hot_beside(g, thread, is_b, q->before, q->times) != HOT_OK))
        return QUERY_NO_MEMORY;
    return QUERY_OK;
}

enum query_status query_ask(struct query *q, const wpp *w, uint32_t thread, const char *text)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    bool *is_a = calloc(g->n_terminals + (size_t)1, sizeof *is_a);
    bool *is_b = calloc(g->n_terminals + (size_t)1, sizeof *is_b);
    enum query_status status = QUERY_OK;

    *q = (struct query){ .text = strdup(text) };
    if (!is_a || !is_b || !q->text)
        status = QUERY_NO_MEMORY;
    else if (!cut(q))
        status = QUERY_NO_ORDER;
    else if (q->a && !mark(w, q->a, is_a))
        status = QUERY_NO_A;
    else if (!mark(w, q->b, is_b))
        status = QUERY_NO_B;
    else
        status = count(q, g, thread, is_a, is_b);
    free(is_a);
    free(is_b);
    return status;
}

void query_free(struct query *q)
{
    free(q->text);
    free(q->times);
    *q = (struct query){ 0 };
}
