/* SPDX-License-Identifier: MIT */
/* last-path.c - the topmost activation at a thread's end, then the graph between the place where its
 * path began and the place where it was.
 *
 *      start  --real edges-->  block with the line        start and target may be several blocks
 *
 * The routine's graph is acyclic, so one pass in topological order finds each block's immediate
 * dominator, with a root before the starts.  The common dominators of the targets are certain.
 */
#include "wpp/replay/last-path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/replay/events.h"

enum { EXIT_BLOCK = 1, FIRST_BLOCK = 2 };

/* ---- The topmost activation ------------------------------------------------------------ */

/* Replays the last events of the thread. */
struct replay {
    const wpp *w;
    struct events *events;
    const struct wpp_terminal **last;      /* of each activation, by depth: its last path */
    uint32_t capacity;
    const struct wpp_terminal *top;        /* the topmost one's; NULL: none is known */
};

static bool keep_last(struct replay *r, uint32_t depth, const struct wpp_terminal *t)
{
    uint32_t capacity = r->capacity ? r->capacity : 64;
    const struct wpp_terminal **larger = r->last;

    while (capacity <= depth)
        capacity *= 2;
    if (capacity > r->capacity) {
        larger = realloc(r->last, capacity * sizeof *larger);
        if (!larger)
            return false;
        r->last = larger;
        r->capacity = capacity;
    }
    r->last[depth] = t;
    return true;
}

static bool take(struct replay *r, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, terminal);
    const struct wpp_routine *routine =
        t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(r->w, t->routine);
    struct events_step step;

    return events_next(r->events, t, routine, &step) &&
           (!routine || keep_last(r, step.depth, t));
}

/* Replays the events from `first` on.  r->top stays NULL if all activations seen have left. */
static bool replay_from(struct replay *r, uint32_t thread, uint64_t first)
{
    enum { BATCH = 4096 };
    wpp_cursor *cursor = wpp_cursor_new(r->w, thread, first);
    uint32_t terminals[BATCH], depth;
    bool ok = cursor != NULL;
    size_t n;

    events_free(r->events);
    r->events = events_new();
    ok = ok && r->events;
    while (ok && (n = wpp_cursor_read(cursor, terminals, BATCH)) > 0)
        for (size_t i = 0; ok && i < n; i++)
            ok = take(r, terminals[i]);
    wpp_cursor_free(cursor);
    depth = ok ? events_depth(r->events) : 0;
    r->top = depth > 0 ? r->last[depth - 1] : NULL;
    return ok;
}

/* The last path of the activation that is topmost at the thread's end; NULL: none is known. */
static bool find_top(const wpp *w, uint32_t thread, const struct wpp_terminal **top)
{
    enum { SOME = 4096 };
    uint64_t tokens = wpp_thread(w, thread)->tokens, n = SOME;
    struct replay r = {.w = w};
    bool ok;

    for (;;) {
        n = n < tokens ? n : tokens;
        ok = replay_from(&r, thread, tokens - n);
        if (!ok || r.top || n == tokens)
            break;
        n *= 8;
    }
    *top = ok ? r.top : NULL;
    events_free(r.events);
    free(r.last);
    return ok;
}

static const struct wpp_edge *last_edge(const struct wpp_terminal *t, const struct wpp_routine *r)
{
    return &r->edges[t->edges[t->n_edges - 1]];
}

/* ---- Lines ----------------------------------------------------------------------------- */

static bool is_at(const struct wpp_line *line, const struct wpp_line *wanted)
{
    return wanted->line > 0 && same_line(*line, *wanted);
}

static bool has_line(const struct wpp_block *b, const struct wpp_line *line)
{
    for (uint32_t i = 0; i < b->n_lines; i++)
        if (is_at(&b->lines[i], line))
            return true;
    return false;
}

/* ---- Where the path may have begun -------------------------------------------------------- */

static void mark_targets(const struct wpp_routine *r, uint32_t kind, bool *starts)
{
    for (uint32_t i = 0; i < r->n_edges && r->edges[i].src == 0; i++)
        if (r->edges[i].kind == kind && r->edges[i].dst != EXIT_BLOCK)
            starts[r->edges[i].dst] = true;
}

/* Where exceptions and longjmp may let an activation go on that is not the topmost. */
static void mark_landings(const struct wpp_routine *r, bool *starts)
{
    for (uint32_t i = 0; i < r->n_landings; i++)
        starts[r->landings[i].dst] = true;
    if (r->flags & WPP_ROUTINE_NUMBERED)
        mark_targets(r, WPP_EDGE_START, starts);
}

/* Where the activation of that last path goes on.  False: nowhere. */
static bool mark_resume(const struct wpp_terminal *top, const struct wpp_routine *r, bool *starts)
{
    uint32_t resume = events_resume(top, r);

    if (resume == EVENTS_ANYWHERE)
        mark_targets(r, WPP_EDGE_START, starts);
    else if (resume >= FIRST_BLOCK && resume < r->n_blocks)
        starts[resume] = true;
    else
        return false;
    return true;
}

/* Marks the blocks in which the unfinished path of the routine may have begun.  A new activation
 * needs a call, and only the topmost activation goes on. */
static void mark_starts(const wpp *w, const struct wpp_terminal *top, const struct wpp_routine *r,
                        bool *starts, bool *enters, bool *goes_on)
{
    const struct wpp_routine *above = top ? wpp_routine(w, top->routine) : NULL;

    *goes_on = above == r && mark_resume(top, r, starts);
    *enters = above != r || last_edge(top, r)->kind == WPP_EDGE_END_CALL || !*goes_on;
    if (*enters)
        mark_targets(r, WPP_EDGE_REAL, starts);
    /* A forked child goes on with activations that its parent's trace has. */
    if (!above)
        mark_targets(r, WPP_EDGE_START, starts);
    if (above && last_edge(top, above)->kind == WPP_EDGE_END_CALL)
        mark_landings(r, starts);
}

/* ---- Dominators -------------------------------------------------------------------------- */

/* By block; the root is block 0, which is ENTRY. */
struct graph {
    const struct wpp_routine *r;
    bool *starts, *reached, *target;
    uint32_t *first;           /* n_blocks + 1: edges of block b are [first[b], first[b+1]) */
    uint32_t *waiting;         /* edges into it, of reached blocks, that have not been followed */
    uint32_t *above, *depth;   /* immediate dominator, and its number of dominators */
    uint32_t *only;            /* the one block before it, or SEVERAL */
    uint32_t *order;
    uint32_t n_order;
};
#define SEVERAL UINT32_MAX

static bool is_followed(const struct wpp_edge *e)
{
    return e->kind == WPP_EDGE_REAL && e->dst >= FIRST_BLOCK;
}

static bool graph_new(struct graph *g, const struct wpp_routine *r)
{
    size_t n = r->n_blocks + (size_t)1;

    *g = (struct graph){.r = r};
    g->starts = calloc(n, sizeof *g->starts);
    g->reached = calloc(n, sizeof *g->reached);
    g->target = calloc(n, sizeof *g->target);
    g->first = calloc(n + 1, sizeof *g->first);
    g->waiting = calloc(n, sizeof *g->waiting);
    g->above = calloc(n, sizeof *g->above);
    g->depth = calloc(n, sizeof *g->depth);
    g->only = calloc(n, sizeof *g->only);
    g->order = calloc(n, sizeof *g->order);
    if (!g->starts || !g->reached || !g->target || !g->first || !g->waiting || !g->above
        || !g->depth || !g->only || !g->order)
        return false;
    for (uint32_t i = 0; i < r->n_edges; i++)
        g->first[r->edges[i].src + 1]++;
    for (uint32_t b = 0; b < r->n_blocks; b++)
        g->first[b + 1] += g->first[b];
    return true;
}

static void graph_free(struct graph *g)
{
    free(g->starts);
    free(g->reached);
    free(g->target);
    free(g->first);
    free(g->waiting);
    free(g->above);
    free(g->depth);
    free(g->only);
    free(g->order);
}

/* Marks what can be reached, with g->order as the queue. */
static void reach(struct graph *g)
{
    uint32_t n = 0;

    for (uint32_t b = FIRST_BLOCK; b < g->r->n_blocks; b++)
        if (g->starts[b]) {
            g->reached[b] = true;
            g->order[n++] = b;
        }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = g->first[g->order[k]]; i < g->first[g->order[k] + 1]; i++) {
            uint32_t to = g->r->edges[i].dst;

            if (!is_followed(&g->r->edges[i]))
                continue;
            g->waiting[to]++;
            if (!g->reached[to])
                g->order[n++] = to;
            g->reached[to] = true;
        }
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (g->depth[a] < g->depth[b])
            b = g->above[b];
        else
            a = g->above[a];
    }
    return a;
}

/* A way from `from` to the block is known; depth 0 means the first one. */
static void arrive(struct graph *g, uint32_t from, uint32_t to)
{
    if (g->depth[to] == 0) {
        g->above[to] = g->only[to] = from;
    } else {
        g->above[to] = common(g, g->above[to], from);
        g->only[to] = g->only[to] == from ? from : SEVERAL;
    }
    g->depth[to] = g->depth[g->above[to]] + 1;
}

static void dominate(struct graph *g)
{
    reach(g);
    g->n_order = 0;
    for (uint32_t b = FIRST_BLOCK; b < g->r->n_blocks; b++)
        if (g->starts[b])
            arrive(g, 0, b);
    for (uint32_t b = FIRST_BLOCK; b < g->r->n_blocks; b++)
        if (g->starts[b] && g->waiting[b] == 0)
            g->order[g->n_order++] = b;
    for (uint32_t k = 0; k < g->n_order; k++)
        for (uint32_t i = g->first[g->order[k]]; i < g->first[g->order[k] + 1]; i++) {
            uint32_t to = g->r->edges[i].dst;

            if (!is_followed(&g->r->edges[i]))
                continue;
            arrive(g, g->order[k], to);
            if (--g->waiting[to] == 0)
                g->order[g->n_order++] = to;
        }
}

/* Marks the reached blocks that have the line, or if there are none, all.  Returns whether there
 * are. */
static bool mark_line(struct graph *g, const struct wpp_line *line)
{
    bool any = false;

    for (uint32_t b = FIRST_BLOCK; b < g->r->n_blocks; b++) {
        g->target[b] = g->reached[b] && has_line(&g->r->blocks[b], line);
        any |= g->target[b];
    }
    for (uint32_t b = FIRST_BLOCK; !any && b < g->r->n_blocks; b++)
        g->target[b] = g->reached[b];
    return any;
}

/* The last block that all ways to the targets share; 0: there is none. */
static uint32_t last_certain(const struct graph *g)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t b = FIRST_BLOCK; b < g->r->n_blocks; b++)
        if (g->target[b])
            found = found == UINT32_MAX ? b : common(g, found, b);
    return found == UINT32_MAX ? 0 : found;
}

/* ---- The pieces --------------------------------------------------------------------------- */

/* Appends a block's lines; of the last block only those up to `line`, if it has that. */
static bool add_block(struct trail *piece, const struct wpp_block *b, const struct wpp_line *line)
{
    struct wpp_line *larger = realloc(piece->line,
                                      (piece->n + b->n_lines + 1) * sizeof *larger);

    if (!larger)
        return false;
    piece->line = larger;
    for (uint32_t i = 0; i < b->n_lines; i++) {
        if (piece->n == 0 || !same_line(piece->line[piece->n - 1], b->lines[i]))
            piece->line[piece->n++] = b->lines[i];
        if (line && is_at(&b->lines[i], line))
            break;
    }
    return true;
}

static bool make_pieces(struct last_path *p, const struct graph *g, uint32_t last)
{
    uint32_t n = g->depth[last], *chain = calloc(n + (size_t)1, sizeof *chain);
    bool ok;

    p->pieces = calloc(n + (size_t)1, sizeof *p->pieces);
    ok = chain && p->pieces;
    for (uint32_t k = n, b = last; ok && k-- > 0; b = g->above[b])
        chain[k] = b;
    for (uint32_t k = 0; ok && k < n; k++) {
        bool gap = g->only[chain[k]] != (k > 0 ? chain[k - 1] : 0);

        if (k == 0)
            p->open_begin = gap;
        if (k == 0 || gap)
            p->n_pieces++;
        ok = add_block(&p->pieces[p->n_pieces - 1], &g->r->blocks[chain[k]],
                       k + 1 == n ? &p->line : NULL);
    }
    free(chain);
    p->open_end = n == 0 || !has_line(&g->r->blocks[last], &p->line);
    return ok;
}

static bool find_part(const wpp *w, const struct wpp_terminal *top, struct last_path *p)
{
    struct graph g;
    bool enters, goes_on, ok = graph_new(&g, p->routine);

    p->kind = LAST_PATH_PART;
    if (ok) {
        mark_starts(w, top, p->routine, g.starts, &enters, &goes_on);
        p->enters = top && enters && !goes_on;
        dominate(&g);
        mark_line(&g, &p->line);
        ok = make_pieces(p, &g, last_certain(&g));
    }
    graph_free(&g);
    return ok;
}

/* ---- Finding ------------------------------------------------------------------------------- */

/* NULL: the thread is not known to have got the signal. */
static const struct wpp_death *death_of(const wpp *w, const struct wpp_summary *s, uint32_t thread)
{
    for (uint32_t i = 0; i < s->n_deaths; i++)
        if (wpp_death(w, i)->thread == thread)
            return wpp_death(w, i);
    return NULL;
}

/* The last line of a path that has one; line 0: none has. */
static struct wpp_line last_line(const struct wpp_terminal *t, const struct wpp_routine *r)
{
    for (uint32_t i = t->n_blocks; i-- > 0;)
        if (r->blocks[t->blocks[i]].n_lines > 0)
            return r->blocks[t->blocks[i]].lines[r->blocks[t->blocks[i]].n_lines - 1];
    return (struct wpp_line){"", 0, 0};
}

/* Nothing tells where the thread was but its events. */
static void find_behind(const wpp *w, const struct wpp_terminal *top, struct last_path *p)
{
    p->kind = top ? LAST_PATH_BEHIND : LAST_PATH_UNKNOWN;
    if (!top)
        return;
    p->routine = wpp_routine(w, top->routine);
    p->line = last_line(top, p->routine);
    p->calls = last_edge(top, p->routine)->kind == WPP_EDGE_END_CALL;
}

/* Whether the thread was still at the end of its last event: in its call, or in code that does not
 * go on, such as a trap. */
static bool is_at_end(const struct wpp_terminal *top, const struct last_path *p)
{
    const struct wpp_edge *e = last_edge(top, p->routine);
    bool in_call = p->death->place == WPP_DEATH_IN_CALL;

    return (e->kind == WPP_EDGE_END_STOP || (e->kind == WPP_EDGE_END_CALL && in_call))
        && has_line(&p->routine->blocks[e->src], &p->line);
}

static bool find(const wpp *w, const struct wpp_terminal *top, struct last_path *p)
{
    const struct wpp_death *d = p->death;

    if (!d || !d->routine) {
        find_behind(w, top, p);
        return true;
    }
    p->routine = d->routine;
    p->line = (struct wpp_line){d->file, d->line, 0};
    if (d->line == 0 && top && wpp_routine(w, top->routine) == p->routine) {
        find_behind(w, top, p);
        return true;
    }
    if (top && wpp_routine(w, top->routine) == p->routine && is_at_end(top, p)) {
        p->kind = d->place == WPP_DEATH_IN_CALL ? LAST_PATH_CALL : LAST_PATH_END;
        return true;
    }
    return find_part(w, top, p);
}

bool last_path_find(const wpp *w, uint32_t thread, struct last_path *out, struct wpp_error *error)
{
    const struct wpp_terminal *top;
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    *out = (struct last_path){.kind = LAST_PATH_NONE, .death = death_of(w, &s, thread)};
    /* What lacks its end, because of a limit for example, does not tell where it ended. */
    if (out->death)
        out->signal = out->death->signal;
    else if (s.n_deaths == 0 && s.complete)
        out->signal = s.killed;
    if (!out->signal || thread >= s.n_threads)
        return true;
    if (find_top(w, thread, &top) && find(w, top, out))
        return true;
    last_path_free(out);
    return wpp_fail_memory(error);
}

bool last_path_of_run(const wpp *w, struct last_path *out, struct wpp_error *error)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    *out = (struct last_path){.kind = LAST_PATH_NONE};
    if (s.n_deaths > 0)
        return last_path_find(w, wpp_death(w, 0)->thread, out, error);
    return s.n_threads != 1 || last_path_find(w, 0, out, error);
}

void last_path_free(struct last_path *p)
{
    for (uint32_t i = 0; p->pieces && i < p->n_pieces; i++)
        trail_free(&p->pieces[i]);
    free(p->pieces);
    *p = (struct last_path){.kind = LAST_PATH_NONE};
}

/* ---- Saying ---------------------------------------------------------------------------------- */

void last_path_lines(FILE *out, const struct last_path *p)
{
    bool gap = p->open_begin;

    for (uint32_t i = 0; i < p->n_pieces; i++, gap = true) {
        if (p->pieces[i].n == 0)
            continue;
        if (gap)
            fputs("... ", out);
        trail_print(out, &p->pieces[i], 0);
        if (i + 1 < p->n_pieces || p->open_end)
            putc(' ', out);
    }
    if (p->open_end)
        fputs("...", out);
}

static void put_line(FILE *out, const char *before, const struct wpp_line *line)
{
    fputs(before, out);
    name_put(out, line->file);
    fprintf(out, ":%u", line->line);
}

static void put_place(FILE *out, const struct last_path *p)
{
    bool in_call = p->death && p->death->place == WPP_DEATH_IN_CALL;

    if (p->kind == LAST_PATH_BEHIND && p->line.line)
        put_line(out, p->calls ? " in the call at or behind " : " behind ", &p->line);
    else if (p->kind == LAST_PATH_CALL && p->line.line)
        put_line(out, " in the call at ", &p->line);
    else if (p->line.line)
        put_line(out, in_call ? " in a call at " : " at ", &p->line);
}

void last_path_say(FILE *out, const struct last_path *p, bool assembler_names)
{
    const char *name = sigabbrev_np((int)p->signal);

    if (name)
        fprintf(out, "killed by SIG%s", name);
    else
        fprintf(out, "killed by signal %u", p->signal);
    put_place(out, p);
    if (!p->routine) {
        fputs(", where is not known", out);
        return;
    }
    fputs(" in ", out);
    name_put(out, assembler_names ? p->routine->name : p->routine->shown);
    if (p->kind == LAST_PATH_PART && !p->line.line)
        fputs(", in a line that is not known (-g tells lines)", out);
}
