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
    return (is_name(s, routine->shown) || is_name(s, routine->name)) &&
           (!s->has_path || t->path == s->number);
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

/* Cuts the text in two at its ` before `. */
static bool cut(struct query *q)
{
    static const char word[] = " before ";
    char *at = strstr(q->text, word);

    if (!at)
        return false;
    *at = '\0';
    q->a = q->text + strspn(q->text, " ");
    q->b = at + strlen(word);
    q->b += strspn(q->b, " ");
    for (char *end = q->text + strlen(q->text); end > q->a && end[-1] == ' ';)
        *--end = '\0';
    for (char *end = q->b + strlen(q->b); end > q->b && end[-1] == ' ';)
        *--end = '\0';
    return *q->a && *q->b;
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
    else if (!mark(w, q->a, is_a))
        status = QUERY_NO_A;
    else if (!mark(w, q->b, is_b))
        status = QUERY_NO_B;
    else if (hot_before(g, thread, is_a, is_b, &q->order) != HOT_OK)
        status = QUERY_NO_MEMORY;
    free(is_a);
    free(is_b);
    return status;
}

void query_free(struct query *q)
{
    free(q->text);
    *q = (struct query){ 0 };
}
