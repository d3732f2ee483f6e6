/* SPDX-License-Identifier: MIT */
#include "wpp/cli/run-place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/cli/tool.h"

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
    if (!tool_parse_count(mark + 1 + out->last, &out->n) || out->n == 0)
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
    if (tool_parse_count(copy + back, &out->n))
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

static uint32_t *new_weights(const wpp *w)
{
    uint32_t *weights = calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof *weights);

    if (!weights)
        tool_die_of_memory();
    return weights;
}

/* Adds the weights of all routines of that name, or of their path.  False: no routine has it. */
static bool weigh_routines(const wpp *w, const char *name, const uint64_t *path, uint32_t *weights,
                           bool *any)
{
    bool *chosen = tool_choose_routines(w, name);
    uint32_t *more = new_weights(w);
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    for (uint32_t r = 0; chosen && r < s.n_routines; r++)
        if (chosen[r] && (path ? wpp_weigh_path(w, r, *path, more) : wpp_weigh_routine(w, r, more))) {
            *any = true;
            for (uint32_t i = 0; i < wpp_grammar(w)->n_terminals; i++)
                weights[i] += more[i];
        }
    free(more);
    free(chosen);
    return chosen != NULL;
}

uint32_t *place_weights(const wpp *w, const char *path, const char *what)
{
    uint32_t *weights = new_weights(w);
    char *name = strdup(what);
    bool any = false, known = false, line = false;
    uint64_t number;
    size_t length;

    if (!name)
        tool_die_of_memory();
    if (number_behind(what, ':', &number, &length) && number <= UINT32_MAX) {
        name[length] = '\0';
        line = true;
        any = wpp_weigh_line(w, name, (uint32_t)number, weights);
    } else {
        known = weigh_routines(w, what, NULL, weights, &any);
        if (!known && number_behind(what, '/', &number, &length)) {
            name[length] = '\0';
            known = weigh_routines(w, name, &number, weights, &any);
        }
    }
    free(name);
    if (any)
        return weights;
    if (line)
        tool_die(TOOL_ERROR, "%s: line %s was not executed, or is of no instrumented routine", path,
                 what);
    if (known && number_behind(what, '/', &number, &length))
        tool_die(TOOL_ERROR, "%s: path %s was not executed", path, what);
    tool_die(TOOL_ERROR, known ? "%s: %s had been called before the recording, and never since"
                               : "%s: no routine `%s` was executed", path, what);
}

const struct wpp_line *place_line(const wpp *w, const char *what, uint32_t terminal, uint32_t within)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_line *line = NULL;
    char *name = strdup(what);
    uint64_t number;
    size_t length;

    if (!name)
        tool_die_of_memory();
    if (number_behind(what, ':', &number, &length)) {
        name[length] = '\0';
        line = wpp_line_at(w, terminal, name, (uint32_t)number, within);
    } else if (t->n_blocks > 0 && wpp_routine(w, t->routine)->blocks[t->blocks[0]].n_lines > 0) {
        line = wpp_routine(w, t->routine)->blocks[t->blocks[0]].lines;
    }
    free(name);
    return line;
}

/* ---- Where it is ---------------------------------------------------------------------------------- */

static uint64_t event_of_execution(const struct place *p, const wpp *w, const char *path,
                                   uint32_t thread)
{
    uint32_t *weights = place_weights(w, path, p->what), within;
    struct wpp_error error;
    wpp_finder *f = wpp_finder_new(w, weights, &error);
    uint64_t n, event;

    if (!f)
        tool_die_error(&error);
    n = wpp_finder_count(f, thread, 0, wpp_thread(w, thread)->tokens);
    if (p->n > n)
        tool_die(TOOL_ERROR, "%s: in thread %u, %s was executed only %s time%s", path, thread, p->what,
                 tool_grouped(n), n == 1 ? "" : "s");
    wpp_finder_nth(f, thread, p->last ? n - p->n : p->n - 1, &event, &within);
    wpp_finder_free(f);
    free(weights);
    return event;
}

uint64_t place_event(const struct place *p, const wpp *w, const char *path, uint32_t thread)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens, event = tokens;

    switch (p->kind) {
    case PLACE_EVENT: event = p->n; break;
    case PLACE_FROM_END: event = p->n < tokens ? tokens - p->n : 0; break;
    case PLACE_TIME:
        if (!wpp_event_at(w, thread, p->n, &event))
            tool_die(TOOL_ERROR, "%s: nothing is known of the times of thread %u", path, thread);
        break;
    case PLACE_EXECUTION: event = event_of_execution(p, w, path, thread); break;
    }
    return event;
}
