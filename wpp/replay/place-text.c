/* SPDX-License-Identifier: MIT */
#include "wpp/replay/place-text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"

/* ---- Reading ---------------------------------------------------------------------------------- */

/* `1.5s`, `20ms`. */
static bool parse_time(const char *text, uint64_t *nanoseconds)
{
    static const struct { const char *unit; double nanoseconds; } units[] = {
        {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}
    };
    char *end;
    double n;

    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    n = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && n * units[i].nanoseconds < 1e19) {
            *nanoseconds = (uint64_t)(n * units[i].nanoseconds);
            return true;
        }
    return false;
}

/* `WHAT#K`, `WHAT#-K`. */
static bool parse_execution(const char *text, struct place *out)
{
    const char *mark = strrchr(text, '#');

    if (!mark || mark == text)
        return false;
    out->last = mark[1] == '-';
    if (!number_parse(mark + 1 + out->last, 1000, &out->n) || out->n == 0)
        return false;
    memcpy(out->what, text, (size_t)(mark - text));
    out->what[mark - text] = '\0';
    return true;
}

bool place_parse(const char *text, size_t length, struct place *out)
{
    char copy[sizeof out->what];
    bool back;

    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out = (struct place){0};
    back = copy[0] == '-';
    if (number_parse(copy + back, 1000, &out->n))
        out->kind = back ? PLACE_FROM_END : PLACE_EVENT;
    else if (parse_time(copy, &out->n))
        out->kind = PLACE_TIME;
    else if (parse_execution(copy, out))
        out->kind = PLACE_EXECUTION;
    else
        return false;
    return true;
}

/* ---- What is looked for ------------------------------------------------------------------------ */

/* The number behind the last `mark`, if there is nothing else: then *length is what stands before. */
static bool number_behind(const char *what, char mark, uint64_t *number, size_t *length)
{
    const char *at = strrchr(what, mark);
    char *end;

    if (!at || at == what || !isdigit((unsigned char)at[1]))
        return false;
    *number = strtoull(at + 1, &end, 10);
    *length = (size_t)(at - what);
    return *end == '\0';
}

bool place_line_of(const char *what, char *file, uint32_t *line)
{
    uint64_t number;
    size_t length;

    if (!number_behind(what, ':', &number, &length) || number > UINT32_MAX)
        return false;
    memcpy(file, what, length);
    file[length] = '\0';
    *line = (uint32_t)number;
    return true;
}

bool routines_named(const wpp *w, const char *asked, bool **chosen, bool *any)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    *any = false;
    *chosen = calloc(run.n_routines + (size_t)1, sizeof **chosen);
    for (uint32_t i = 0; *chosen && i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        (*chosen)[i] = strcmp(r->name, asked) == 0 || name_fits(r->shown, asked, strlen(asked));
        *any |= (*chosen)[i];
    }
    return *chosen != NULL;
}

/* What is being looked for. */
struct looking {
    uint32_t *weights;
    bool any;                      /* there are others than 0 */
    bool known;                    /* a routine has the name */
};

/* Adds the weights of all routines of that name, or of their path.  False: no memory. */
static bool weigh_routines(const wpp *w, const char *name, const uint64_t *path, struct looking *l)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint32_t *more = calloc(n + (size_t)1, sizeof *more);
    struct wpp_summary s;
    bool *chosen = NULL, ok = more && routines_named(w, name, &chosen, &l->known);

    wpp_get_summary(w, &s);
    for (uint32_t r = 0; ok && r < s.n_routines; r++)
        if (chosen[r] && (path ? wpp_weigh_path(w, r, *path, more) : wpp_weigh_routine(w, r, more))) {
            l->any = true;
            for (uint32_t i = 0; i < n; i++)
                l->weights[i] += more[i];
        }
    free(more);
    free(chosen);
    return ok;
}

/* `name` has room for the text. */
static bool weigh(const wpp *w, const char *what, char *name, struct looking *l)
{
    uint64_t number;
    uint32_t line;
    size_t length;

    if (place_line_of(what, name, &line)) {
        l->any = wpp_weigh_line(w, name, line, l->weights);
        return true;
    }
    if (!weigh_routines(w, what, NULL, l))
        return false;
    if (l->known || !number_behind(what, '/', &number, &length))
        return true;
    memcpy(name, what, length);
    name[length] = '\0';
    return weigh_routines(w, name, &number, l);
}

uint32_t *place_find_weights(const wpp *w, const char *what, struct wpp_error *error)
{
    struct looking l = {.weights = calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof *l.weights)};
    char *name = malloc(strlen(what) + 1);
    uint32_t line;
    bool ok = l.weights && name && weigh(w, what, name, &l);

    if (!ok)
        wpp_fail_memory(error);
    else if (!l.any)
        wpp_fail(error, WPP_E_ARGUMENT,
                 place_line_of(what, name, &line) ? "line %s was not executed, or is of no instrumented routine"
                 : l.known ? "%s was entered before the recording only, or the path was not executed"
                           : "no routine `%s` was executed", what);
    free(name);
    if (ok && l.any)
        return l.weights;
    free(l.weights);
    return NULL;
}

const struct wpp_line *place_line(const wpp *w, const char *what, uint32_t terminal, uint32_t within)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_line *found = NULL;
    char *file = malloc(strlen(what) + 1);
    uint32_t line;

    if (file && place_line_of(what, file, &line))
        found = wpp_line_at(w, terminal, file, line, within);
    else if (t->n_blocks > 0 && wpp_routine(w, t->routine)->blocks[t->blocks[0]].n_lines > 0)
        found = wpp_routine(w, t->routine)->blocks[t->blocks[0]].lines;
    free(file);
    return found;
}

/* ---- Where it is ---------------------------------------------------------------------------------- */

bool place_find_execution(const struct place *p, const wpp *w, const wpp_finder *f, uint32_t thread,
                          uint64_t *event, uint32_t *within, struct wpp_error *error)
{
    uint64_t n = wpp_finder_count(f, thread, 0, wpp_events_read(w, thread));
    char digits[NUMBER_TEXT];

    if (p->n > n)
        return wpp_fail(error, WPP_E_ARGUMENT, "in thread %u, %s was executed only %s time%s", thread, p->what,
                        number_grouped(n, digits), n == 1 ? "" : "s");
    return wpp_finder_nth(f, thread, p->last ? n - p->n : p->n - 1, event, within);
}

bool place_find_event(const struct place *p, const wpp *w, uint32_t thread, uint64_t *event,
                      struct wpp_error *error)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens;

    *event = tokens;
    if (p->kind == PLACE_EVENT)
        *event = p->n;
    else if (p->kind == PLACE_FROM_END)
        *event = p->n < tokens ? tokens - p->n : 0;
    else if (p->kind == PLACE_TIME && !wpp_event_at(w, thread, p->n, event))
        return wpp_fail(error, WPP_E_ARGUMENT, "nothing is known of the times of thread %u", thread);
    return true;
}
