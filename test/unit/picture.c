/* SPDX-License-Identifier: MIT */
/* The chosen part of random WPPs: its invariants, and its figures against the
 * fully expanded run. */

#include "wpp/picture.h"

#include <math.h>
#include <stdlib.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/reader.h"

static wpp *random_wpp(struct random *r)
{
    struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), draw(r, 200));
    struct wpp_bytes file = {0};
    struct wpp_error error;
    wpp *w = NULL;

    if (c && wpp_content_encode(&c->content, &file, &error))
        w = wpp_open_memory(file.data, file.size, "test", &error);
    wpp_bytes_free(&file);
    random_content_free(c);
    return w;
}

static uint64_t insns_of(const wpp *w, uint32_t terminal)
{
    uint64_t insns = wpp_terminal(w, terminal)->insns;
    return insns ? insns : 1;
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

/* Each node's executions and share against the counts of wpp.h, and each edge's
 * `times` against the rule's right-hand side, powers multiplied out. */
static uint64_t occurrences(const struct wpp_grammar *g, uint32_t rule, uint32_t symbol)
{
    uint64_t n = 0;

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t s = g->symbols[i];
        if (s == symbol) {
            n++;
        } else if (s & WPP_RULE) {
            uint32_t inner = s & ~WPP_RULE;
            bool power = true;
            for (uint64_t k = g->body[inner]; k < g->body[inner + 1]; k++)
                power = power && g->symbols[k] == g->symbols[g->body[inner]];
            if (power)
                n += occurrences(g, inner, symbol);
        }
    }
    return n;
}

static bool figures_are_right(const wpp *w, const struct picture *p, double cost)
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
    }
    for (uint32_t i = 0; ok && i < p->n_edges; i++)
        ok = p->edge[i].times == occurrences(g, p->node[p->edge[i].from].symbol & ~WPP_RULE,
                                             p->node[p->edge[i].to].symbol);
    free(counts);
    return ok;
}

static void test_random(void)
{
    struct random r = {12345};
    uint32_t pictures = 0, broken = 0, wrong = 0, over = 0, incomplete = 0;

    for (int i = 0; i < 300; i++) {
        wpp *w = random_wpp(&r);
        if (!w)
            continue;
        double cost = whole_cost(w);
        for (uint32_t max = 1; max <= 2000; max = max < 1000 ? max * 4 + 1 : 5000) {
            struct picture p;
            const char *why;
            if (!picture_new(w, max, &p)) {
                broken++;
                continue;
            }
            pictures++;
            if (!picture_check(&p, &why)) {
                broken++;
                tap_note("%s", why);
            }
            wrong += !figures_are_right(w, &p, cost);
            over += p.n_nodes > max && p.n_nodes > p.n_starts;
            incomplete += max > 1000 && (p.hidden > 0 || p.hidden_terminals > 0);
            picture_free(&p);
        }
        wpp_close(w);
    }
    tap_ok(pictures > 1000 && broken == 0, "%u pictures keep their invariants (%u broken)", pictures,
           broken);
    tap_ok(wrong == 0, "executions, shares and times are those of the run (%u wrong)", wrong);
    tap_ok(over == 0, "no picture exceeds its limit");
    tap_ok(incomplete == 0, "with enough room nothing is hidden");
}

int main(void)
{
    test_random();
    return tap_done();
}
