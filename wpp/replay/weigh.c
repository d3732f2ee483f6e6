/* SPDX-License-Identifier: MIT */
/* weigh.c - how many executions of a line, routine or path each terminal holds. */
#include <assert.h>
#include <stdlib.h>
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
    uint8_t *reached;              /* by block of the routine at hand */
};

/* False: no memory. */
static bool begin_asking(struct asked *a, const wpp *w, const char *file, uint32_t line)
{
    struct wpp_summary s;
    uint32_t most = 0;

    wpp_get_summary(w, &s);
    for (uint32_t i = 0; i < s.n_routines; i++)
        most = wpp_routine(w, i)->n_blocks > most ? wpp_routine(w, i)->n_blocks : most;
    *a = (struct asked){.file = file, .length = strlen(file), .line = line,
                        .reached = malloc(most + (size_t)1)};
    return a->reached != NULL;
}

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

static bool lies_in(struct asked *a, const struct wpp_block *block)
{
    for (uint32_t i = 0; i < block->n_lines; i++)
        if (!is_asked(a, &block->lines[i]))
            return false;
    return true;
}

/* Whether one can come from the block, through blocks that lie in the line, to one from which a back
 * edge leads to it: then a loop lies in the line.  The edges have no cycles. */
static bool is_loop(struct asked *a, const struct wpp_routine *routine, uint32_t block)
{
    bool grown = lies_in(a, &routine->blocks[block]), found = false;

    memset(a->reached, 0, routine->n_blocks);
    a->reached[block] = 1;
    while (grown && !found) {
        grown = false;
        for (uint32_t i = 0; i < routine->n_edges && !found; i++) {
            const struct wpp_edge *e = &routine->edges[i];

            if (!a->reached[e->src])
                continue;
            found = e->kind == WPP_EDGE_END_BACK && e->to == block;
            if (e->kind != WPP_EDGE_REAL || a->reached[e->dst]
                || !lies_in(a, &routine->blocks[e->dst]))
                continue;
            a->reached[e->dst] = 1;
            grown = true;
        }
    }
    return found;
}

/* Whether a path that begins at the block goes on with the line: every path that another one follows
 * there ends in the line, be it before a call or with a turn of a loop that does not lie in the line. */
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
    return any && !is_loop(a, routine, block);
}

/* Whether the path's first line is the asked one. */
static bool begins_with(struct asked *a, const struct wpp_terminal *t,
                        const struct wpp_routine *routine)
{
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[i]];

        if (b->n_lines > 0)
            return is_asked(a, &b->lines[0]);
    }
    return false;
}

/* How often the line begins in the path; the place of beginning number `nth`, if there is one. */
static uint32_t walk_path(struct asked *a, const struct wpp_terminal *t,
                          const struct wpp_routine *routine, uint32_t nth,
                          const struct wpp_line **place)
{
    uint32_t n = 0;
    bool was = !t->enters && begins_with(a, t, routine) && goes_on(a, routine, t->blocks[0]);

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
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_line *place = NULL;
    struct asked a;

    if (t->routine != WPP_NO_ROUTINE && begin_asking(&a, w, file, line)) {
        walk_path(&a, t, wpp_routine(w, t->routine), within, &place);
        free(a.reached);
    }
    return place;
}

bool wpp_weigh_line(const wpp *w, const char *file, uint32_t line, uint32_t *weights)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    const struct wpp_line *place;
    struct asked a;
    bool any = false;

    if (!begin_asking(&a, w, file, line))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        weights[i] = t->routine == WPP_NO_ROUTINE
                         ? 0 : walk_path(&a, t, wpp_routine(w, t->routine), 0, &place);
        any |= weights[i] > 0;
    }
    free(a.reached);
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
