/* SPDX-License-Identifier: MIT */
/* The chosen part of random WPPs: its invariants, and its figures against the
 * fully expanded run. */

#include "wpp/picture/picture.h"

#include <math.h>
#include <stdlib.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"

static wpp *random_wpp(struct random *r)
{
    struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), draw(r, 200));
    struct wpp_error error;
    wpp *w = rc_open(c, &error);

    random_content_free(c);
    return w;
}

static uint64_t insns_of(const wpp *w, uint32_t terminal)
{
    return wpp_terminal(w, terminal)->insns;
}

/* Cost of the whole run, event by event. */
static double whole_cost(const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    double cost = 0;

    for (uint32_t k = 0; k < g->n_threads; k++) {
        uint32_t *run = malloc((g->length[g->n_rules + k] + 1) * sizeof *run), *end = run;
        rc_expand(g, g->n_rules + k, &end);
        for (uint32_t *t = run; t < end; t++)
            cost += insns_of(w, *t);
        free(run);
    }
    return cost;
}

static bool is_node(const struct picture *p, uint32_t symbol)
{
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (p->node[i].symbol == symbol)
            return true;
    return false;
}

/* Whether a rule only repeats one symbol. */
static bool is_power(const struct wpp_grammar *g, uint32_t rule)
{
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++)
        if (g->symbols[i] != g->symbols[g->body[rule]])
            return false;
    return true;
}

/* Writes out a rule down to what is drawn, and finds `symbol` in it: how often,
 * and after how many events first. */
struct search { uint64_t times, first, at; };

static void search_rule(const struct wpp_grammar *g, const struct picture *p, uint32_t rule,
                        uint32_t symbol, struct search *s)
{
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t x = g->symbols[i];
        if (x == symbol && s->times++ == 0)
            s->first = s->at;
        if ((x & WPP_RULE) && !is_node(p, x))
            search_rule(g, p, x & ~WPP_RULE, symbol, s);
        else
            s->at += x & WPP_RULE ? g->length[x & ~WPP_RULE] : 1;
    }
}

static bool edges_are_right(const struct wpp_grammar *g, const struct picture *p)
{
    uint32_t found = 0;

    for (uint32_t from = 0; from < p->n_nodes; from++)
        for (uint32_t to = 0; (p->node[from].symbol & WPP_RULE) && to < p->n_nodes; to++) {
            struct search s = {0};
            const struct picture_edge *edge = NULL;
            search_rule(g, p, p->node[from].symbol & ~WPP_RULE, p->node[to].symbol, &s);
            for (uint32_t i = 0; i < p->n_edges; i++)
                if (p->edge[i].from == from && p->edge[i].to == to)
                    edge = &p->edge[i];
            if (s.times == 0 ? edge != NULL
                             : !edge || edge->times != s.times || edge->offset != s.first)
                return false;
            found += edge != NULL;
        }
    return found == p->n_edges;
}

/* Each node's executions and share, by wpp.h's counts and the whole run. */
static bool nodes_are_right(const wpp *w, const struct picture *p, double cost)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t *counts = calloc(g->n_terminals + 1, sizeof *counts);
    bool ok = fabs(p->cost - cost) <= 1e-6 * cost + 1e-9;

    wpp_terminal_counts(w, counts);
    for (uint32_t i = 0; ok && i < p->n_nodes; i++) {
        uint32_t s = p->node[i].symbol;
        if (!(s & WPP_RULE))
            ok = p->node[i].executed == counts[s]
                 && (cost == 0 || fabs(p->node[i].share - counts[s] * insns_of(w, s) / cost) < 1e-6);
        else if (i >= p->n_starts)
            ok = !is_power(g, s & ~WPP_RULE);
    }
    free(counts);
    return ok;
}

/* What an expanded run costs in a routine. */
static double cost_in(const wpp *w, const uint32_t *run, const uint32_t *end, uint32_t routine)
{
    double cost = 0;

    for (; run < end; run++)
        if (wpp_terminal(w, *run)->routine == routine)
            cost += insns_of(w, *run);
    return cost;
}

/* Each node's routine is the one that costs most in it, by so much. */
static bool routines_are_right(const wpp *w, const struct picture *p)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct wpp_summary summary;
    bool ok = true;

    wpp_get_summary(w, &summary);
    for (uint32_t i = 0; ok && i < p->n_nodes; i++) {
        const struct picture_node *node = &p->node[i];
        uint32_t *run = malloc((node->events + 1) * sizeof *run), *end = run;
        double all = 0, most;

        if (node->symbol & WPP_RULE)
            rc_expand(g, node->symbol & ~WPP_RULE, &end);
        else
            *end++ = node->symbol;
        most = cost_in(w, run, end, node->routine);
        for (uint32_t k = 0; k <= summary.n_routines; k++) {
            double cost = cost_in(w, run, end, k < summary.n_routines ? k : WPP_NO_ROUTINE);
            ok &= cost <= most;
            all += cost;
        }
        ok &= all == 0 || fabs(node->routine_part - most / all) < 1e-9;
        free(run);
    }
    return ok;
}

/* The kind of each rule, by its events one after another: control words run at the depth that they find. */
static bool kinds_are_right(const wpp *w, const struct picture *p)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < p->n_nodes; i++) {
        const struct picture_node *node = &p->node[i];
        uint32_t *run = malloc((node->events + 1) * sizeof *run), *end = run;
        bool whole = true, within = true;
        uint64_t calls = 0;
        int64_t depth = 0;

        if (node->symbol & WPP_RULE)
            rc_expand(wpp_grammar(w), node->symbol & ~WPP_RULE, &end);
        else
            *end++ = node->symbol;
        for (const uint32_t *t = run; t < end; t++) {
            const struct wpp_terminal *event = wpp_terminal(w, *t);

            whole &= event->enters ? depth >= 0 : depth >= 1;
            within &= depth >= 0;
            calls += event->enters && depth == 0;
            depth += event->enters;
            depth -= event->leaves;
        }
        whole &= depth == 0 && end > run;
        ok = (node->kind == PICTURE_CALLS) == whole && (!whole || node->calls == calls)
            && (node->kind != PICTURE_LOOP || (within && depth == 0));
        free(run);
    }
    return ok;
}

static void test_random(void)
{
    struct random r = {12345};
    uint32_t pictures = 0, broken = 0, wrong = 0, over = 0, incomplete = 0, misnamed = 0, mistaken = 0;

    for (int i = 0; i < 200; i++) {
        wpp *w = random_wpp(&r);
        if (!w)
            continue;
        double cost = whole_cost(w);
        for (uint32_t max = 1; max <= 2000; max = max < 80 ? max * 4 + 1 : max == 1000 ? 5000 : 1000) {
            struct picture p;
            const char *why;
            if (!picture_new(w, max, PICTURE_ALL, &p)) {
                broken++;
                continue;
            }
            pictures++;
            if (!picture_check(&p, &why)) {
                broken++;
                tap_note("%s", why);
            }
            wrong += !nodes_are_right(w, &p, cost);
            misnamed += !routines_are_right(w, &p);
            mistaken += !kinds_are_right(w, &p);
            if (max < 80)
                wrong += !edges_are_right(wpp_grammar(w), &p);
            over += p.n_nodes > max && p.n_nodes > p.n_starts;
            incomplete += max == 1000 && (p.hidden > 0 || p.hidden_terminals > 0);
            picture_free(&p);
        }
        wpp_close(w);
    }
    tap_ok(pictures > 600 && broken == 0, "%u pictures keep their invariants (%u broken)", pictures,
           broken);
    tap_ok(wrong == 0, "executions, shares and times are those of the run (%u wrong)", wrong);
    tap_ok(misnamed == 0, "each goes by the routine that costs most in it (%u wrong)", misnamed);
    tap_ok(mistaken == 0, "calls are called calls, and loops stay in one activation (%u wrong)", mistaken);
    tap_ok(over == 0, "no picture exceeds its limit");
    tap_ok(incomplete == 0, "with enough room no path is hidden");
}

int main(void)
{
    test_random();
    return tap_done();
}
