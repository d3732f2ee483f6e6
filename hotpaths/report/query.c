/* SPDX-License-Identifier: MIT */
/* query.c - counts what comes before what; see query.h. */
#include "hotpaths/report/query.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"

/* A name in a query. */
struct subject {
    const char *name;
    size_t length;              /* of the routine or the file in it */
    bool has_path, has_line;
    uint64_t number;            /* path or line */
};

/* A number behind the last `mark`, with nothing else there. */
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

bool query_is_line_of(const char *name, const char *file)
{
    struct subject s = parse(name);

    return s.has_line && is_file(&s, file);
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

/* Whether this is a name of the routine; in part: see names.h. */
static bool is_called(const struct subject *s, const char *name, const char *shown, bool in_part)
{
    return is_name(s, shown) || is_name(s, name) ||
           (in_part && name_fits(shown, s->name, s->length));
}

/* The matches of a name in a routine: [0] the routine itself, [i] its inlined[i - 1]. */
static bool *meant_in(const struct wpp_routine *routine, const struct subject *s, bool in_part)
{
    bool *meant = calloc(routine->n_inlined + (size_t)1, sizeof *meant);

    if (!meant)
        return NULL;
    meant[0] = is_called(s, routine->name, routine->shown, in_part);
    for (uint32_t i = 0; i < routine->n_inlined; i++)
        meant[i + 1] = is_called(s, routine->inlined[i].name, routine->inlined[i].shown, in_part);
    return meant;
}

/* Whether the path runs code of an inlined function that matches. */
static bool runs_inlined(const bool *meant, const struct wpp_terminal *t,
                         const struct wpp_routine *routine)
{
    for (uint32_t i = 0; routine->n_inlined && i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            for (uint32_t call = b->lines[k].inlined; call;
                 call = routine->inlined[call - 1].caller)
                if (meant[call])
                    return true;
    }
    return false;
}

static bool is_meant(const struct subject *s, const wpp *w, const struct wpp_terminal *t,
                     const bool *meant)
{
    const struct wpp_routine *routine = wpp_routine(w, t->routine);

    if (s->has_line)
        return executes_line(s, t, routine);
    if (meant[0])
        return !s->has_path || t->path == s->number;
    return !s->has_path && runs_inlined(meant, t, routine);
}

/* Marks the terminals that match; returns how many, UINT32_MAX: no memory. */
static uint32_t mark_terminals(const wpp *w, const struct subject *s, bool in_part,
                               uint32_t n_routines, bool **meant, bool *marks)
{
    char name[WPP_SYMBOL_NAME];
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_routines; i++) {
        meant[i] = meant_in(wpp_routine(w, i), s, in_part);
        if (!meant[i])
            return UINT32_MAX;
    }
    for (uint32_t i = 0; i < wpp_grammar(w)->n_terminals; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        marks[i] = t->routine == WPP_NO_ROUTINE ? is_name(s, wpp_symbol_name(t, name))
                                                : is_meant(s, w, t, meant[t->routine]);
        n += marks[i];
    }
    return n;
}

static uint32_t mark_called(const wpp *w, const struct subject *s, bool in_part, bool *marks)
{
    struct wpp_summary run;
    bool **meant;
    uint32_t n = UINT32_MAX;

    wpp_get_summary(w, &run);
    meant = calloc(run.n_routines + (size_t)1, sizeof *meant);
    if (meant)
        n = mark_terminals(w, s, in_part, run.n_routines, meant, marks);
    for (uint32_t i = 0; meant && i < run.n_routines; i++)
        free(meant[i]);
    free(meant);
    return n;
}

/* A match of the whole name takes precedence over parts of names. */
static uint32_t mark(const wpp *w, const char *name, bool *marks)
{
    struct subject s = parse(name);
    uint32_t n = mark_called(w, &s, false, marks);

    return n ? n : mark_called(w, &s, true, marks);
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

/* Counts; without A, `is_a` is not used. */
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

/* Marks the terminals of a name; if there are none, the result is `nothing`. */
static enum query_status find(const wpp *w, const char *name, bool *marks,
                              enum query_status nothing)
{
    uint32_t n = mark(w, name, marks);

    return n == UINT32_MAX ? QUERY_NO_MEMORY : n ? QUERY_OK : nothing;
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
    if (status == QUERY_OK && q->a)
        status = find(w, q->a, is_a, QUERY_NO_A);
    if (status == QUERY_OK)
        status = find(w, q->b, is_b, QUERY_NO_B);
    if (status == QUERY_OK)
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
