/* SPDX-License-Identifier: MIT */
/* Going through a run line by line, and iterations of loops, against the run written out.  Random
 * recordings, most of which no program could have made; or those of the files that are given. */

#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/dump.h"
#include "wpp/replay/events.h"
#include "wpp/replay/line-trail.h"
#include "wpp/replay/stepper.h"
#include "wpp/replay/turn-parts.h"

#define NONE UINT32_MAX

/* ---- The run, written out --------------------------------------------------------------------- */

struct made {                    /* an activation */
    uint32_t routine, caller;    /* of the caller: its number; NONE */
    uint64_t caller_last;        /* the caller's last event before it */
    uint64_t first, end, last;   /* last: its own last event so far */
    struct wpp_line line;        /* executed last in it; file NULL: none */
};

struct stop { uint64_t event; uint32_t line, made; };

struct run {
    const wpp *w;
    uint32_t thread;
    uint64_t n;
    uint32_t *terminal;
    uint32_t *own;               /* by event: its activation, or NONE */
    struct trail *trail;         /* by terminal */
    bool *joins;                 /* by event */
    struct made *made;
    uint32_t n_made, *stack, depth;
    uint32_t live;               /* the innermost activation that has not left at the end, or NONE */
    struct stop *stop;
    uint64_t n_stops;
};

static void leave(struct run *r, uint64_t end)
{
    r->made[r->stack[--r->depth]].end = end;
}

static void add_lines(struct run *r, uint64_t e)
{
    struct made *m = &r->made[r->own[e]];
    const struct trail *trail = &r->trail[r->terminal[e]];

    if (trail->n == 0)
        return;
    r->joins[e] = m->line.file && same_line(m->line, trail->line[0]);
    m->line = trail->line[trail->n - 1];
    for (uint32_t i = r->joins[e]; i < trail->n; i++)
        r->stop[r->n_stops++] = (struct stop){e, i, r->own[e]};
}

static void run_event(struct run *r, struct events *machine, uint64_t e)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, r->terminal[e]);
    struct events_step step;

    events_next(machine, t, t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(r->w, t->routine), &step);
    for (; step.left > 0; step.left--)
        leave(r, e);
    if (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN) {
        uint32_t caller = r->depth ? r->stack[r->depth - 1] : NONE;

        r->made[r->n_made] = (struct made){
            .routine = t->routine, .caller = caller, .first = e, .end = r->n,
            .caller_last = caller == NONE ? 0 : r->made[caller].last
        };
        r->stack[r->depth++] = r->n_made++;
    }
    r->own[e] = NONE;
    if (t->routine != WPP_NO_ROUTINE) {
        r->own[e] = r->stack[r->depth - 1];
        r->made[r->own[e]].last = e;
        add_lines(r, e);
    }
    if (step.leaves)
        leave(r, e + 1);
}

static bool read_run(struct run *r, const wpp *w, uint32_t thread)
{
    uint32_t n_terminals = wpp_grammar(w)->n_terminals;
    wpp_cursor *c = wpp_cursor_new(w, thread, 0);
    struct events *machine = events_new();
    uint64_t lines = 0;

    *r = (struct run){.w = w, .thread = thread, .n = wpp_thread(w, thread)->tokens};
    r->terminal = malloc((r->n + 1) * sizeof *r->terminal);
    r->own = malloc((r->n + 1) * sizeof *r->own);
    r->joins = calloc(r->n + 1, sizeof *r->joins);
    r->made = malloc((r->n + 1) * sizeof *r->made);
    r->stack = malloc((r->n + 1) * sizeof *r->stack);
    r->trail = calloc(n_terminals + 1, sizeof *r->trail);
    if (!c || wpp_cursor_read(c, r->terminal, r->n + 1) != r->n)
        return false;
    for (uint32_t t = 0; t < n_terminals; t++)
        if (wpp_terminal(w, t)->routine != WPP_NO_ROUTINE)
            trail_of(wpp_terminal(w, t), wpp_routine(w, wpp_terminal(w, t)->routine), &r->trail[t]);
    for (uint64_t e = 0; e < r->n; e++)
        lines += r->trail[r->terminal[e]].n;
    r->stop = malloc((lines + 1) * sizeof *r->stop);
    for (uint64_t e = 0; e < r->n; e++)
        run_event(r, machine, e);
    r->live = r->depth > 0 ? r->stack[r->depth - 1] : NONE;
    wpp_cursor_free(c);
    events_free(machine);
    return true;
}

static void free_run(struct run *r)
{
    for (uint32_t t = 0; t < wpp_grammar(r->w)->n_terminals; t++)
        trail_free(&r->trail[t]);
    free(r->trail);
    free(r->terminal);
    free(r->own);
    free(r->joins);
    free(r->made);
    free(r->stack);
    free(r->stop);
}

/* ---- Answers by looking through it --------------------------------------------------------------- */

static bool same_place(struct run_place a, struct run_place b)
{
    return a.thread == b.thread && a.event == b.event && a.line == b.line;
}

static struct run_place place_of(const struct run *r, uint64_t stop)
{
    return stop < r->n_stops ? (struct run_place){r->thread, r->stop[stop].event, r->stop[stop].line}
                             : (struct run_place){r->thread, r->n, 0};
}

/* How many stops lie before the place. */
static uint64_t number_of(const struct run *r, struct run_place p)
{
    uint64_t low = 0, high = r->n_stops;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const struct stop *s = &r->stop[middle];

        if (s->event < p.event || (s->event == p.event && s->line < p.line))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct run_place at_event(const struct run *r, uint64_t event)
{
    struct run_place p = {r->thread, event, 0};

    return event == r->n || r->trail[r->terminal[event]].n > 0 ? p : place_of(r, number_of(r, p));
}

static enum stepper_result back_from(const struct run *r, uint64_t event, struct run_place *p)
{
    uint64_t k = number_of(r, (struct run_place){r->thread, event, 0});

    if (k == 0)
        return STEPPER_NOWHERE;
    *p = place_of(r, k - 1);
    return STEPPER_DONE;
}

static enum stepper_result last_of(const struct run *r, uint64_t event, struct run_place *p)
{
    uint32_t n = (uint32_t)r->trail[r->terminal[event]].n;

    if (n == 0)
        return back_from(r, event, p);
    *p = (struct run_place){r->thread, event, n - 1};
    return STEPPER_DONE;
}

/* The activation of a place; at the end, the innermost that is left. */
static uint32_t made_at(const struct run *r, struct run_place p)
{
    return p.event == r->n ? r->live : r->own[p.event];
}

static enum stepper_result to_call(const struct run *r, struct run_place *p)
{
    uint32_t m = made_at(r, *p);

    if (m == NONE || r->made[m].caller == NONE)
        return STEPPER_NOWHERE;
    return last_of(r, r->made[m].caller_last, p);
}

static enum stepper_result finish(const struct run *r, struct run_place *p)
{
    if (p->event == r->n)
        return STEPPER_NOWHERE;
    *p = at_event(r, r->made[made_at(r, *p)].end);
    return STEPPER_DONE;
}

static enum stepper_result next(const struct run *r, struct run_place *p)
{
    uint64_t k = number_of(r, *p);

    if (p->event == r->n)
        return STEPPER_NOWHERE;
    if (k < r->n_stops && same_place(place_of(r, k), *p))
        k++;
    while (k < r->n_stops && r->stop[k].made != made_at(r, *p))
        k++;
    if (k == r->n_stops)
        return finish(r, p);
    *p = place_of(r, k);
    return STEPPER_DONE;
}

static enum stepper_result next_back(const struct run *r, struct run_place *p)
{
    uint64_t k = number_of(r, *p);

    if (p->event == r->n)
        return r->live == NONE ? back_from(r, r->n, p) : last_of(r, r->made[r->live].last, p);
    while (k > 0 && r->stop[k - 1].made != made_at(r, *p))
        k--;
    if (k == 0)
        return to_call(r, p);
    *p = place_of(r, k - 1);
    return STEPPER_DONE;
}

/* ---- Going ------------------------------------------------------------------------------------------ */

static bool agrees(const struct run *r, struct stepper *s, struct run_place from, const char *what,
                   enum stepper_result (*want)(const struct run *, struct run_place *),
                   enum stepper_result (*get)(struct stepper *, struct run_place *))
{
    struct run_place a = from, b = from;
    enum stepper_result x = want(r, &a), y = get(s, &b);

    if (x == y && same_place(a, b))
        return true;
    tap_note("%s from event %llu line %u: %d %llu %u, not %d %llu %u", what, (unsigned long long)from.event,
             from.line, (int)y, (unsigned long long)b.event, b.line, (int)x, (unsigned long long)a.event, a.line);
    return false;
}

static bool right_moves(const struct run *r, struct stepper *s, struct run_place p)
{
    uint64_t before, want = number_of(r, p);
    bool stop;

    return stepper_number(s, &p, &before, &stop) == STEPPER_DONE && before == want
        && stop == (want < r->n_stops && same_place(p, place_of(r, want)))
        && agrees(r, s, p, "next", next, stepper_next)
        && agrees(r, s, p, "next back", next_back, stepper_next_back)
        && agrees(r, s, p, "finish", finish, stepper_finish)
        && agrees(r, s, p, "to the call", to_call, stepper_to_call);
}

/* The whole run forwards and backwards. */
static bool right_walk(const struct run *r, struct stepper *s)
{
    struct run_place p;
    uint64_t k = 0;

    stepper_go_stop(s, r->thread, 0, &p);
    for (; k < r->n_stops; k++)
        if (!same_place(p, place_of(r, k)) || (k % (1 + r->n_stops / 400) == 0 && !right_moves(r, s, p))
            || stepper_step(s, 1, &p) != STEPPER_DONE)
            return false;
    if (p.event != r->n || stepper_step(s, 1, &p) != STEPPER_NOWHERE || !right_moves(r, s, p))
        return false;
    while (k-- > 0)
        if (stepper_step_back(s, 1, &p) != STEPPER_DONE || !same_place(p, place_of(r, k)))
            return false;
    return stepper_step_back(s, 1, &p) == STEPPER_NOWHERE;
}

static bool right_jumps(const struct run *r, struct stepper *s, struct random *random)
{
    for (uint64_t e = 0; e <= r->n; e += 1 + r->n / 400) {
        struct run_place p;

        if (stepper_go(s, r->thread, e, &p) != STEPPER_DONE || !same_place(p, at_event(r, e))
            || !right_moves(r, s, p))
            return false;
    }
    for (int i = 0; r->n_stops > 0 && i < 100; i++) {
        struct run_place p = place_of(r, draw(random, (uint32_t)r->n_stops)), from = p;
        uint64_t k = number_of(r, p), ahead = draw(random, (uint32_t)(r->n_stops - k));

        if (ahead > 0 && (stepper_step(s, ahead, &p) != STEPPER_DONE || !same_place(p, place_of(r, k + ahead))
                          || stepper_step_back(s, ahead, &p) != STEPPER_DONE || !same_place(p, from)))
            return false;
    }
    return true;
}

/* ---- The lines of wpp-dump ----------------------------------------------------------------------------- */

/* Whether the stops are the lines that dump_lines() writes; it may repeat one at the end. */
static bool right_lines(const struct run *r, struct stepper *s)
{
    struct dump_range range = {.w = r->w, .thread = r->thread, .end = r->n};
    char *want = NULL, *got = NULL;
    size_t n_want, n_got;
    FILE *wants = open_memstream(&want, &n_want), *gets = open_memstream(&got, &n_got);
    struct wpp_error error;
    struct run_place p;
    bool right = dump_lines(wants, &range, &error);

    for (stepper_go_stop(s, r->thread, 0, &p); p.event < r->n; stepper_step(s, 1, &p)) {
        struct wpp_line line = r->trail[r->terminal[p.event]].line[p.line];

        fprintf(gets, "%s:%u\n", line.file, line.line);
    }
    fclose(wants);
    fclose(gets);
    right = right && n_want >= n_got && memcmp(want, got, n_got) == 0
         && (n_want == n_got || strchr(want + n_got, '\n') == want + n_want - 1);
    free(want);
    free(got);
    return right;
}

/* ---- Loops ------------------------------------------------------------------------------------------------ */

/* A routine's arcs as a matrix, and the blocks where control comes in. */
struct graph {
    uint32_t n;
    bool *arc, *root;
};

static bool *arc(const struct graph *g, uint32_t from, uint32_t to)
{
    return &g->arc[from * g->n + to];
}

/* Marks what can be reached from a block, without passing `closed`. */
static void spread(const struct graph *g, uint32_t from, uint32_t closed, bool *reached)
{
    if (from == closed || reached[from])
        return;
    reached[from] = true;
    for (uint32_t to = 0; to < g->n; to++)
        if (*arc(g, from, to))
            spread(g, to, closed, reached);
}

static void make_graph(struct graph *g, const struct wpp_routine *r)
{
    bool *reached = calloc(r->n_blocks, sizeof *reached);

    *g = (struct graph){r->n_blocks, calloc((size_t)r->n_blocks * r->n_blocks, 1), calloc(r->n_blocks, 1)};
    for (uint32_t i = 0; i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];
        uint32_t to = e->kind == WPP_EDGE_REAL ? e->dst : e->to;

        if (e->kind == WPP_EDGE_START || to == 1 || to == UINT32_MAX)
            continue;
        if (e->src == 0)
            g->root[to] |= e->kind == WPP_EDGE_REAL;
        else
            *arc(g, e->src, to) = true;
    }
    for (uint32_t i = 0; i < r->n_landings; i++)
        *arc(g, r->landings[i].src, r->landings[i].dst) = true;
    for (uint32_t b = 2; b < g->n; b++) {
        bool any = false;

        for (uint32_t from = 0; from < g->n; from++)
            any |= *arc(g, from, b);
        g->root[b] |= !any;
    }
    for (uint32_t b = 2; b < g->n; b++)
        if (g->root[b])
            spread(g, b, NONE, reached);
    for (uint32_t b = 2; b < g->n; b++)
        if (!reached[b]) {
            g->root[b] = true;
            spread(g, b, NONE, reached);
        }
    free(reached);
}

static bool dominates(const struct graph *g, uint32_t header, uint32_t block)
{
    bool *reached = calloc(g->n, sizeof *reached), past;

    for (uint32_t b = 2; b < g->n; b++)
        if (g->root[b])
            spread(g, b, header, reached);
    past = reached[block];
    free(reached);
    return header == block || !past;
}

/* The blocks of the loop with that header; false: there is none. */
static bool find_loop(const struct graph *g, uint32_t header, bool *in)
{
    bool any = false;

    memset(in, 0, g->n * sizeof *in);
    for (uint32_t latch = 2; latch < g->n; latch++) {
        if (!*arc(g, latch, header) || !dominates(g, header, latch))
            continue;
        any = true;
        for (uint32_t b = 2; b < g->n; b++) {
            bool *reached = calloc(g->n, sizeof *reached);

            spread(g, b, header, reached);
            in[b] |= reached[latch];
            free(reached);
        }
    }
    in[header] |= any;
    return any;
}

/* The blocks of an activation, and where in them a path's block stands. */
static uint32_t *blocks_of(const struct run *r, uint32_t made, uint64_t event, uint32_t block, uint64_t *n,
                           uint64_t *at)
{
    uint32_t *blocks = NULL;

    *n = *at = 0;
    for (uint64_t e = r->made[made].first; e < r->made[made].end; e++) {
        const struct wpp_terminal *t = wpp_terminal(r->w, r->terminal[e]);

        if (r->own[e] != made)
            continue;
        if (e == event)
            *at = *n + block;
        blocks = realloc(blocks, (*n + t->n_blocks + 1) * sizeof *blocks);
        memcpy(blocks + *n, t->blocks, t->n_blocks * sizeof *blocks);
        *n += t->n_blocks;
    }
    return blocks;
}

static bool right_turn(const uint32_t *blocks, uint64_t n, uint64_t at, const bool *in, bool own_latch,
                       const struct wpp_turn *got)
{
    uint64_t begin = at, end = at, turn = 0, turns = 0;

    while (begin > 0 && in[blocks[begin - 1]])
        begin--;
    while (end < n && in[blocks[end]])
        end++;
    for (uint64_t i = begin; i < end; i++) {
        turns += blocks[i] == got->header;
        turn += i <= at && blocks[i] == got->header;
    }
    turns -= end < n && blocks[end - 1] == got->header && !own_latch;
    if (got->turn == turn && got->turns == turns)
        return true;
    tap_note("turn %llu of %llu, not %llu of %llu", (unsigned long long)got->turn,
             (unsigned long long)got->turns, (unsigned long long)turn, (unsigned long long)turns);
    return false;
}

/* The loops, asked for in parts of few items; at once if `items` is 0. */
static bool loops_at(const struct run *r, wpp_turns *turns, uint64_t event, uint32_t block, uint64_t items,
                     struct wpp_turn **out, size_t *n)
{
    enum turns_state state;
    uint32_t parts = 0;

    if (items == 0)
        return wpp_turns_at(turns, r->thread, event, block, out, n);
    while ((state = turns_at_part(turns, r->thread, event, block, items, out, n)) == TURNS_MORE)
        if (*out || *n || ++parts > 10 * r->n + 100)
            return false;          /* it does not come to an end */
    return state == TURNS_READY;
}

/* All loops around a block of an event's path. */
static bool right_turns(const struct run *r, wpp_turns *turns, const struct graph *graphs, uint64_t event,
                        uint32_t block, uint64_t items)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, r->terminal[event]);
    const struct graph *g = &graphs[t->routine];
    bool *in = calloc(g->n, sizeof *in), right;
    uint64_t n, at;
    uint32_t *blocks = blocks_of(r, r->own[event], event, block, &n, &at);
    struct wpp_turn *got;
    size_t n_got, found = 0;

    right = loops_at(r, turns, event, block, items, &got, &n_got);
    for (uint32_t h = 2; right && h < g->n; h++) {
        if (!find_loop(g, h, in) || !in[t->blocks[block]])
            continue;
        found++;
        for (size_t i = 0; i <= n_got && right; i++) {
            right = i < n_got;
            if (right && got[i].header == h) {
                right = right_turn(blocks, n, at, in, *arc(g, h, h), &got[i]);
                break;
            }
        }
    }
    right = right && found == n_got;
    free(got);
    free(in);
    free(blocks);
    return right;
}

static bool right_loops(const struct run *r, const wpp_stacks *stacks, struct random *random)
{
    struct wpp_error error;
    struct wpp_summary run;
    wpp_turns *turns = wpp_turns_new(stacks, &error);
    bool right = turns;
    struct graph *graphs;

    wpp_get_summary(r->w, &run);
    graphs = calloc(run.n_routines + (size_t)1, sizeof *graphs);
    for (uint32_t i = 0; i < run.n_routines; i++)
        make_graph(&graphs[i], wpp_routine(r->w, i));
    for (int i = 0; right && r->n > 0 && i < 30; i++) {
        uint64_t event = draw(random, (uint32_t)r->n);
        const struct wpp_terminal *t = wpp_terminal(r->w, r->terminal[event]);

        if (t->routine != WPP_NO_ROUTINE && t->n_blocks > 0)
            right = right_turns(r, turns, graphs, event, draw(random, t->n_blocks), draw(random, 4));
    }
    for (uint32_t i = 0; i < run.n_routines; i++) {
        free(graphs[i].arc);
        free(graphs[i].root);
    }
    free(graphs);
    wpp_turns_free(turns);
    return right;
}

/* ---- Executions -------------------------------------------------------------------------------------------- */

/* Whether the places of a line's executions in a path are lines of that number, one behind the other. */
static bool right_executions(const wpp *w, struct random *random)
{
    uint32_t n = wpp_grammar(w)->n_terminals;

    for (int i = 0; n > 0 && i < 100; i++) {
        uint32_t t = draw(random, n), places[64], found;
        struct trail trail = {0};
        bool right = true;

        if (wpp_terminal(w, t)->routine == WPP_NO_ROUTINE)
            continue;
        trail_of(wpp_terminal(w, t), wpp_routine(w, wpp_terminal(w, t)->routine), &trail);
        if (trail.n > 0) {
            struct wpp_line line = trail.line[draw(random, (uint32_t)trail.n)];
            uint32_t *weights = calloc(n, sizeof *weights);

            wpp_weigh_line(w, line.file, line.line, weights);
            found = stepper_executions(w, t, line.file, line.line, places, 64);
            right = found == weights[t];
            for (uint32_t k = 0; right && k < found && k < 64; k++)
                right = places[k] < trail.n && same_line(trail.line[places[k]], line)
                     && (k == 0 || places[k] > places[k - 1]);
            free(weights);
        }
        trail_free(&trail);
        if (!right)
            return false;
    }
    return true;
}

/* ---- Recordings ------------------------------------------------------------------------------------------------ */

static const char *wrong_in(const wpp *w, struct random *random)
{
    struct wpp_error error;
    wpp_stacks *stacks = wpp_stacks_new(w, &error);
    struct stepper *s = stacks ? stepper_new(stacks) : NULL;
    const char *wrong = s ? NULL : "it is not opened";

    for (uint32_t k = 0; !wrong && k < wpp_grammar(w)->n_threads; k++) {
        struct run r;

        wrong = !read_run(&r, w, k) ? "it is not read"
              : stepper_stops(s, k) != r.n_stops ? "the number of stops"
              : !right_walk(&r, s) ? "all steps"
              : !right_jumps(&r, s, random) ? "jumps"
              : !right_lines(&r, s) ? "the lines of dump_lines()"
              : !right_loops(&r, stacks, random) ? "loops"
              : !right_executions(w, random) ? "executions of lines" : NULL;
        free_run(&r);
    }
    stepper_free(s);
    wpp_stacks_free(stacks);
    return wrong;
}

/* Few different lines, so that paths go on with the line of the one before. */
static void few_lines(struct random_content *c, struct random *r)
{
    for (uint32_t i = 0; i < RC_ROUTINES && c->graphs[i]; i++)
        for (uint32_t v = 2; v < c->descriptions[i].n_blocks; v++) {
            struct wpp_line *lines = (struct wpp_line *)c->descriptions[i].blocks[v].lines;

            for (uint32_t k = 0; k < c->descriptions[i].blocks[v].n_lines; k++)
                lines[k] = (struct wpp_line){rc_files[draw(r, 20) == 0], 1 + draw(r, 3), lines[k].inlined};
        }
}

enum { MANY = 100 };

/* How many random recordings are tried: MANY, or so many as the only argument, a number, says. */
static uint32_t many(int *argc, char **argv)
{
    if (*argc != 2 || strspn(argv[1], "0123456789") != strlen(argv[1]))
        return MANY;
    *argc = 1;
    return (uint32_t)strtoul(argv[1], NULL, 10);
}

int main(int argc, char **argv)
{
    struct random r = {4711};
    struct wpp_error error;
    uint32_t wrongs = 0, n = many(&argc, argv);

    for (int i = 1; i < argc; i++) {
        wpp *w = wpp_open(argv[i], &error);
        const char *wrong = w ? wrong_in(w, &r) : "it is not opened";

        tap_ok(!wrong, "%s%s%s", argv[i], wrong ? ": " : "", wrong ? wrong : "");
        wpp_close(w);
    }
    for (uint32_t seed = 0; argc == 1 && seed < n; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed % MANY / 2);
        const char *wrong;
        wpp *w;

        rc_words(c, &r);
        if (seed % 4)
            few_lines(c, &r);
        w = rc_open(c, &error);
        wrong = w ? wrong_in(w, &r) : "it is not opened";
        if (wrong)
            tap_note("recording %u: %s", seed, wrong);
        wrongs += wrong != NULL;
        wpp_close(w);
        random_content_free(c);
    }
    if (argc == 1)
        tap_ok(wrongs == 0, "%u random recordings: steps, jumps, lines and loops as in the run written out", n);
    return tap_done();
}
