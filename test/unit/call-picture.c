/* SPDX-License-Identifier: MIT */
/* Pictures of calls and of routines, against the run written out: calls, own and inclusive costs event by
 * event, executions of edges path by path.  Random recordings, most of which no program could have made. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/picture/call-picture.h"
#include "wpp/picture/routine-picture.h"

enum { R = RC_ROUTINES };

/* What the run written out says, by routine. */
struct truth {
    double self[R], inclusive[R], calls[R], edge_calls[R][R], edge_cost[R][R], total, unread;
};

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 + 1e-9 * fabs(b);
}

/* Adds event e, on whose stack are n frames. */
static void add_event(struct truth *t, const struct wpp_terminal *terminal, const struct wpp_frame *frame,
                      size_t n, uint64_t e)
{
    bool on_stack[R] = {false};
    double cost = (double)terminal->insns;

    t->total += cost;
    if (terminal->routine == WPP_NO_ROUTINE)
        t->unread += cost;
    else
        t->self[terminal->routine] += cost;
    for (size_t i = 0; i < n; i++) {
        if (!on_stack[frame[i].routine])
            t->inclusive[frame[i].routine] += cost;
        on_stack[frame[i].routine] = true;
        t->calls[frame[i].routine] += frame[i].first == e && !frame[i].unseen;
        if (i > 0) {
            t->edge_calls[frame[i - 1].routine][frame[i].routine] += frame[i].first == e;
            t->edge_cost[frame[i - 1].routine][frame[i].routine] += cost;
        }
    }
}

static bool read_truth(const wpp *w, struct truth *t)
{
    struct wpp_error error;
    wpp_stacks *s = wpp_stacks_new(w, &error);
    bool ok = s != NULL;

    memset(t, 0, sizeof *t);
    for (uint32_t k = 0; ok && k < wpp_grammar(w)->n_threads; k++) {
        wpp_cursor *c = wpp_cursor_new(w, k, 0);
        uint32_t terminal;

        ok = c != NULL;
        for (uint64_t e = 0; ok && wpp_cursor_read(c, &terminal, 1) == 1; e++) {
            struct wpp_frame *frame;
            size_t n;

            ok = wpp_stack_at(s, k, e, &frame, &n);
            if (ok) {
                add_event(t, wpp_terminal(w, terminal), frame, n, e);
                free(frame);
            }
        }
        wpp_cursor_free(c);
    }
    wpp_stacks_free(s);
    return ok;
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static const char *wrong_node(const struct call_picture *g, const struct truth *t, uint32_t i)
{
    const struct call_node *n = &g->node[i];
    double calls = n->other_calls, cost = n->other_cost, all_calls = 0, all_cost = 0;

    if (!close_to(n->self, t->self[n->routine]) || !close_to(n->calls, t->calls[n->routine]))
        return "own cost or calls";
    if (!close_to(n->inclusive, t->inclusive[n->routine]))
        return "inclusive cost";
    for (uint32_t k = 0; k < g->n_edges; k++)
        if (g->edge[k].from == i) {
            uint32_t to = g->node[g->edge[k].to].routine;

            if (!close_to(g->edge[k].calls, t->edge_calls[n->routine][to])
                || !close_to(g->edge[k].cost, t->edge_cost[n->routine][to]))
                return "an edge";
            calls += g->edge[k].calls;
            cost += g->edge[k].cost;
        }
    for (uint32_t to = 0; to < R; to++) {
        all_calls += t->edge_calls[n->routine][to];
        all_cost += t->edge_cost[n->routine][to];
    }
    return close_to(calls, all_calls) && close_to(cost, all_cost) ? NULL : "calls are missing";
}

static const char *wrong_calls(const wpp *w, const struct truth *t, uint32_t max, double least)
{
    struct call_picture g;
    struct wpp_error error;
    const char *why;

    if (!call_picture_new(w, max, least, &g, &error))
        return "it cannot be made";
    if (call_picture_check(&g, &why) && !close_to(g.total, t->total))
        why = "the total";
    if (!why && g.n_nodes > max)
        why = "too many nodes";
    for (uint32_t i = 0; !why && i < g.n_nodes; i++)
        why = i > 0 && g.node[i].inclusive < least * g.total ? "a small node" : wrong_node(&g, t, i);
    call_picture_free(&g);
    return why;
}

/* ---- Routines --------------------------------------------------------------------------------- */

/* How often the routine's paths go along links, by brute force; those of calls that did not return are left
 * to the table. */
static const char *wrong_flow(const struct path_profile *p, uint32_t routine, uint32_t max)
{
    const struct wpp_routine *r = wpp_routine(p->w, routine);
    uint64_t returns = 0, boxes = 0, entered = 0;
    struct routine_picture g;
    const char *why;

    if (!routine_picture_new(p, routine, max, &g))
        return "no memory";
    for (uint32_t i = p->routine[routine].first; i < p->routine[routine].first + p->routine[routine].n; i++) {
        const struct wpp_terminal *t = wpp_terminal(p->w, p->path[i].terminal);

        boxes += t->n_blocks * p->path[i].count;
        entered += t->enters * p->path[i].count;
        returns += (r->edges[t->edges[t->n_edges - 1]].kind == WPP_EDGE_REAL) * p->path[i].count;
    }
    routine_picture_check(&g, &why);
    for (uint32_t i = 2; i < g.n_boxes; i++)
        boxes -= g.box[i].count;
    for (uint32_t i = 0; i < g.n_links; i++) {
        returns -= g.link[i].to == FLOW_EXIT ? g.link[i].count : 0;
        entered -= g.link[i].from == FLOW_ENTRY ? g.link[i].count : 0;
    }
    if (!why && (boxes || returns || entered))
        why = boxes ? "executions of blocks" : returns ? "returns" : "entries";
    for (uint32_t k = 1; !why && k < g.n_paths; k++)
        if (p->path[g.path[k]].cost > p->path[g.path[k - 1]].cost)
            why = "paths out of order";
    routine_picture_free(&g);
    return why;
}

static const char *wrong_routines(const wpp *w, uint32_t max)
{
    struct path_profile p;
    const char *why = NULL;

    if (!path_profile_new(&p, w))
        return "no memory";
    for (uint32_t i = 0; !why && i < p.n_routines; i++)
        if (p.routine[i].n > 0)
            why = wrong_flow(&p, i, max);
    path_profile_free(&p);
    return why;
}

int main(void)
{
    struct random r = {50};
    struct wpp_error error;
    uint32_t calls = 0, routines = 0, files = 0;

    for (uint32_t seed = 0; seed < 200; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed);
        struct truth truth;
        const char *why = "it is not opened";
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        if (w && read_truth(w, &truth)) {
            files++;
            why = wrong_calls(w, &truth, 1 + seed % 7, seed % 3 == 0 ? 0.1 : 0);
            calls += why != NULL;
            if (why)
                tap_note("recording %u, calls: %s", seed, why);
            why = wrong_routines(w, 1 + seed % 20);
            routines += why != NULL;
        }
        if (why)
            tap_note("recording %u: %s", seed, why);
        wpp_close(w);
        random_content_free(c);
    }
    tap_ok(files == 200 && calls == 0, "call graphs of %u recordings are those of the runs (%u wrong)", files, calls);
    tap_ok(routines == 0, "flow graphs of their routines, too (%u wrong)", routines);
    return tap_done();
}
