/* SPDX-License-Identifier: MIT */
/* weigh.c - how many executions of a line, routine or path each terminal holds. */
#include <assert.h>
#include <string.h>

#include "wpp/wpp.h"

/* ---- Lines ------------------------------------------------------------------------------- */

/* The line that is looked for. */
struct asked {
    const char *file;
    size_t length;                 /* of `file` */
    uint32_t line;
    const char *known;             /* the file name that was compared last: most lines repeat it */
    bool known_fits;
};

/* Whether the file's path is the asked one, or ends with it. */
static bool fits_file(struct asked *a, const char *file)
{
    size_t length;

    if (file == a->known)
        return a->known_fits;
    length = strlen(file);
    a->known = file;
    a->known_fits = length >= a->length && strcmp(file + length - a->length, a->file) == 0
                 && (length == a->length || file[length - a->length - 1] == '/' || a->file[0] == '/');
    return a->known_fits;
}

static bool is_asked(struct asked *a, const struct wpp_line *l)
{
    return l->line == a->line && fits_file(a, l->file);
}

static bool ends_with(struct asked *a, const struct wpp_block *block)
{
    return block->n_lines > 0 && is_asked(a, &block->lines[block->n_lines - 1]);
}

/* Whether a path that begins at the block goes on with the line: every path that another one follows
 * there ends in the line, be it before a call or with a turn of a loop. */
static bool goes_on(struct asked *a, const struct wpp_routine *routine, uint32_t block)
{
    bool any = false;

    for (uint32_t i = 0; i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];

        if (e->kind == WPP_EDGE_REAL || e->kind == WPP_EDGE_START || e->to != block)
            continue;
        if (!ends_with(a, &routine->blocks[e->src]))
            return false;
        any = true;
    }
    return any;
}

/* Whether the path is a turn of a loop that lies in the line: that begins anew each time. */
static bool is_turn(struct asked *a, const struct wpp_terminal *t, const struct wpp_routine *routine)
{
    const struct wpp_edge *last = t->n_edges > 0 ? &routine->edges[t->edges[t->n_edges - 1]] : NULL;

    if (!last || last->kind != WPP_EDGE_END_BACK || t->n_blocks == 0 || last->to != t->blocks[0])
        return false;
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            if (!is_asked(a, &b->lines[k]))
                return false;
    }
    return true;
}

/* How often the line begins in the path; the place of beginning number `nth`, if there is one. */
static uint32_t walk_path(struct asked *a, const struct wpp_terminal *t,
                          const struct wpp_routine *routine, uint32_t nth,
                          const struct wpp_line **place)
{
    uint32_t n = 0;
    bool was = !t->enters && t->n_blocks > 0 && goes_on(a, routine, t->blocks[0])
            && !is_turn(a, t, routine);

    *place = NULL;
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++) {
            bool is = is_asked(a, &b->lines[k]);

            if (is && !was && n++ == nth)
                *place = &b->lines[k];
            was = is;
        }
    }
    return n;
}

const struct wpp_line *wpp_line_at(const wpp *w, uint32_t terminal, const char *file, uint32_t line,
                                   uint32_t within)
{
    struct asked a = {.file = file, .length = strlen(file), .line = line};
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_line *place = NULL;

    if (t->routine != WPP_NO_ROUTINE)
        walk_path(&a, t, wpp_routine(w, t->routine), within, &place);
    return place;
}

bool wpp_weigh_line(const wpp *w, const char *file, uint32_t line, uint32_t *weights)
{
    struct asked a = {.file = file, .length = strlen(file), .line = line};
    uint32_t n = wpp_grammar(w)->n_terminals;
    const struct wpp_line *place;
    bool any = false;

    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        weights[i] = t->routine == WPP_NO_ROUTINE
                         ? 0 : walk_path(&a, t, wpp_routine(w, t->routine), 0, &place);
        any |= weights[i] > 0;
    }
    return any;
}

/* ---- Routines and paths ------------------------------------------------------------------- */

bool wpp_weigh_routine(const wpp *w, uint32_t routine, uint32_t *weights)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    bool any = false;

    assert(routine != WPP_NO_ROUTINE);
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        weights[i] = t->routine == routine && t->enters;
        any |= weights[i] > 0;
    }
    return any;
}

bool wpp_weigh_path(const wpp *w, uint32_t routine, uint64_t path, uint32_t *weights)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    bool any = false;

    assert(routine != WPP_NO_ROUTINE);
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        weights[i] = t->routine == routine && t->path == path;
        any |= weights[i] > 0;
    }
    return any;
}
