/* SPDX-License-Identifier: MIT */
/* picture.c - chooses the part of a WPP's DAG to draw. */

#include "wpp/picture/picture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "wpp/base/descending.h"
#include "wpp/picture/rule-kinds.h"

#define NO_NODE UINT32_MAX

/* Two symbols are nearly the same when this much of each is the other. */
#define NEARLY 0.9

/* Symbols have dense indices here: rules, start rules, then terminals. */
struct base { uint32_t index; uint64_t times; };

struct choosing {
    const struct wpp_grammar *g;
    uint32_t n_rules, n;       /* rules with start rules; all symbols */
    uint32_t root;             /* the rule that is drawn alone, or PICTURE_ALL */
    double *cost;              /* by index: of one execution */
    uint64_t *executed;        /* by index */
    struct base *base;         /* by index: the symbol it is a power of; itself, once, if of none */
    uint32_t *node;            /* by index: its node, or NO_NODE */
    uint64_t *times;           /* by index: scratch, 0 between uses */
    uint64_t *offset;          /* by index: scratch of expand, valid where times > 0 */
    struct descending below;   /* rules with times > 0 whose parts have not been counted yet */
    uint32_t *met;             /* by index: scratch, what was found below a node */
    uint32_t n_met;
    uint32_t *stamp;           /* by index: 1 + the node below which it was met last */
    double total;
    struct picture *out;
    uint32_t edge_capacity;
};

static uint32_t index_of(const struct choosing *c, uint32_t symbol)
{
    return symbol & WPP_RULE ? symbol & ~WPP_RULE : c->n_rules + symbol;
}

static uint32_t symbol_of(const struct choosing *c, uint32_t index)
{
    return index < c->n_rules ? WPP_RULE | index : index - c->n_rules;
}

static uint64_t events_of(const struct choosing *c, uint32_t index)
{
    return index < c->n_rules ? c->g->length[index] : 1;
}

static double share_of(const struct choosing *c, uint32_t index)
{
    return (double)c->executed[index] * c->cost[index] / c->total;
}

/* ---- Figures of all symbols ------------------------------------------------------ */

static bool reserve_figures(struct choosing *c)
{
    size_t n = (size_t)c->n + 1;

    c->cost = calloc(n, sizeof *c->cost);
    c->executed = calloc(n, sizeof *c->executed);
    c->base = calloc(n, sizeof *c->base);
    c->node = calloc(n, sizeof *c->node);
    c->times = calloc(n, sizeof *c->times);
    c->offset = calloc(n, sizeof *c->offset);
    c->met = calloc(n, sizeof *c->met);
    c->stamp = calloc(n, sizeof *c->stamp);
    return descending_begin(&c->below, c->n_rules) && c->cost && c->executed && c->base &&
           c->node && c->times && c->offset && c->met && c->stamp;
}

static void free_figures(struct choosing *c)
{
    free(c->cost);
    free(c->executed);
    free(c->base);
    free(c->node);
    free(c->times);
    free(c->offset);
    free(c->met);
    free(c->stamp);
    descending_end(&c->below);
}

/* The symbol that rule r is a power of. */
static struct base base_of(const struct choosing *c, uint32_t r)
{
    const struct wpp_grammar *g = c->g;
    uint64_t begin = g->body[r], end = g->body[r + 1];

    if (r >= g->n_rules || r == c->root)
        return (struct base){r, 1};
    for (uint64_t i = begin + 1; i < end; i++)
        if (g->symbols[i] != g->symbols[begin])
            return (struct base){r, 1};
    struct base of = c->base[index_of(c, g->symbols[begin])];
    return (struct base){of.index, of.times * (end - begin)};
}

/* Executions of all symbols in one execution of the root. */
static void count_below(struct choosing *c)
{
    const struct wpp_grammar *g = c->g;

    c->executed[c->root] = 1;
    for (uint32_t r = c->root + 1; r-- > 0;)
        for (uint64_t i = g->body[r]; c->executed[r] > 0 && i < g->body[r + 1]; i++)
            c->executed[index_of(c, g->symbols[i])] += c->executed[r];
}

static void compute_figures(const wpp *w, struct choosing *c)
{
    const struct wpp_grammar *g = c->g;

    if (c->root != PICTURE_ALL) {
        count_below(c);
    } else {
        wpp_rule_frequencies(w, c->executed);
        wpp_terminal_counts(w, c->executed + c->n_rules);
    }
    for (uint32_t t = 0; t < g->n_terminals; t++) {
        c->cost[c->n_rules + t] = wpp_terminal(w, t)->insns;
        c->base[c->n_rules + t] = (struct base){c->n_rules + t, 1};
    }
    for (uint32_t r = 0; r < c->n_rules; r++) {
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            c->cost[r] += c->cost[index_of(c, g->symbols[i])];
        c->base[r] = base_of(c, r);
        if (c->root == PICTURE_ALL ? r >= g->n_rules : r == c->root)
            c->total += c->cost[r];
    }
    for (uint32_t i = 0; i < c->n; i++)
        c->node[i] = NO_NODE;
    c->out->cost = c->total;
    if (c->total == 0)
        c->total = 1;          /* no events: all shares are 0 */
}

/* ---- Choosing -------------------------------------------------------------------------- */

struct candidate { double share; uint32_t index; };

/* Sorts by share, greatest first; then by length, longest first. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->index < y->index ? 1 : x->index > y->index ? -1 : 0;
}

/* The part of a rule that is nearly the rule itself; there is at most one.  NO_NODE: none.  Uses
 * times as scratch. */
static uint32_t same_part(struct choosing *c, uint32_t rule)
{
    const struct wpp_grammar *g = c->g;
    uint32_t same = NO_NODE;

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        struct base b = c->base[index_of(c, g->symbols[i])];
        c->times[b.index] += b.times;
    }
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        uint32_t part = c->base[index_of(c, g->symbols[i])].index;
        double flow = (double)c->executed[rule] * (double)c->times[part] * c->cost[part] / c->total;
        if (flow >= NEARLY * share_of(c, rule) && flow >= NEARLY * share_of(c, part))
            same = part;
        c->times[part] = 0;
    }
    return same;
}

/* Whether the rule is nearly the same as another node.  If not, marks its parts that are nearly
 * itself.  Terminals always stay: they have names. */
static bool is_repetition(struct choosing *c, uint32_t rule, bool *same)
{
    uint32_t part = same_part(c, rule);

    if (same[rule])
        return true;
    if (part == NO_NODE || part >= c->n_rules)
        return false;
    if (same[part] || c->node[part] != NO_NODE) {
        same[rule] = true;
        return true;
    }
    for (; part < c->n_rules && !same[part]; part = same_part(c, part))
        same[part] = true;
    return false;
}

static void add_node(struct choosing *c, uint32_t index)
{
    struct picture *p = c->out;

    assert(c->node[index] == NO_NODE);
    c->node[index] = p->n_nodes;
    p->node[p->n_nodes++] = (struct picture_node){
        .symbol = symbol_of(c, index), .executed = c->executed[index],
        .events = events_of(c, index), .share = share_of(c, index)
    };
}

/* Lists the symbols that may be drawn, best first. */
static struct candidate *list_candidates(const struct choosing *c, uint32_t *n)
{
    struct candidate *list = calloc((size_t)c->n + 1, sizeof *list);

    *n = 0;
    for (uint32_t i = 0; list && i < c->n; i++)
        if (c->base[i].index == i && i != c->root && (i < c->g->n_rules || i >= c->n_rules)
            && (c->root == PICTURE_ALL || c->executed[i] > 0))
            list[(*n)++] = (struct candidate){share_of(c, i), i};
    if (list)
        qsort(list, *n, sizeof *list, compare_candidates);
    return list;
}

static bool choose(struct choosing *c, uint32_t max_nodes)
{
    uint32_t n;
    struct candidate *list = list_candidates(c, &n);
    bool *same = calloc((size_t)c->n + 1, sizeof *same);

    c->out->node = calloc((size_t)c->g->n_threads + n + 1, sizeof *c->out->node);
    bool ok = list && same && c->out->node;
    for (uint32_t k = 0; ok && c->root == PICTURE_ALL && k < c->g->n_threads; k++)
        add_node(c, c->g->n_rules + k);
    if (ok && c->root != PICTURE_ALL)
        add_node(c, c->root);
    c->out->n_starts = c->out->n_nodes;
    for (uint32_t i = 0; ok && i < n && c->out->n_nodes < max_nodes; i++) {
        if (list[i].index < c->n_rules && is_repetition(c, list[i].index, same))
            continue;
        add_node(c, list[i].index);
    }
    free(list);
    free(same);
    return ok;
}

/* ---- Routines ------------------------------------------------------------------------------- */

/* Adds up what one execution of rule r costs in each routine below it; those routines are `met`.
 * The last entry is for symbols without a routine.  Counts the node's paths. */
static void sum_routines(struct choosing *c, const wpp *w, uint32_t r, double *spent,
                         uint32_t n_routines, struct picture_node *node)
{
    const struct wpp_grammar *g = c->g;

    uint32_t stamp = 1 + (uint32_t)(node - c->out->node);

    c->n_met = 0;
    c->times[r] = 1;
    descending_put(&c->below, r);
    for (uint32_t rule; descending_take(&c->below, &rule); c->times[rule] = 0)
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t part = index_of(c, g->symbols[i]), routine;
            if (part < c->n_rules) {
                c->times[part] += c->times[rule];
                descending_put(&c->below, part);
                continue;
            }
            routine = wpp_terminal(w, g->symbols[i])->routine;
            node->paths += c->stamp[part] != stamp && !wpp_terminal(w, g->symbols[i])->control;
            c->stamp[part] = stamp;
            routine = routine == WPP_NO_ROUTINE ? n_routines : routine;
            if (spent[routine] == 0 && c->cost[part] > 0)
                c->met[c->n_met++] = routine;
            spent[routine] += (double)c->times[rule] * c->cost[part];
        }
}

/* The routine with the highest cost, the first one of equals; n_routines: none.  Sets `spent` to
 * 0. */
static uint32_t take_most(struct choosing *c, double *spent, uint32_t n_routines, double *cost)
{
    uint32_t most = n_routines;

    *cost = spent[n_routines];
    for (uint32_t i = 0; i < c->n_met; i++) {
        uint32_t k = c->met[i];
        if (spent[k] > *cost || (spent[k] == *cost && k < most)) {
            *cost = spent[k];
            most = k;
        }
    }
    for (uint32_t i = 0; i < c->n_met; i++)
        spent[c->met[i]] = 0;
    return most;
}

static bool find_routines(struct choosing *c, const wpp *w)
{
    struct wpp_summary s;
    wpp_get_summary(w, &s);
    double *spent = calloc(s.n_routines + (size_t)1, sizeof *spent);
    bool ok = spent != NULL;

    for (uint32_t i = 0; ok && i < c->out->n_nodes; i++) {
        struct picture_node *node = &c->out->node[i];
        uint32_t index = index_of(c, node->symbol), most;
        double cost;

        node->routine_part = 1;
        node->paths = index >= c->n_rules;
        if (index >= c->n_rules) {
            node->routine = wpp_terminal(w, node->symbol)->routine;
            continue;
        }
        sum_routines(c, w, index, spent, s.n_routines, node);
        most = take_most(c, spent, s.n_routines, &cost);
        node->routine = most == s.n_routines ? WPP_NO_ROUTINE : most;
        if (c->cost[index] > 0)
            node->routine_part = cost / c->cost[index];
    }
    free(spent);
    return ok;
}

/* ---- Edges --------------------------------------------------------------------------------- */

static bool add_edge(struct choosing *c, const struct picture_edge *edge)
{
    struct picture *p = c->out;

    if (p->n_edges == c->edge_capacity) {
        uint32_t capacity = c->edge_capacity ? 2 * c->edge_capacity : 128;
        struct picture_edge *edges = realloc(p->edge, capacity * sizeof *edges);
        if (!edges)
            return false;
        p->edge = edges;
        c->edge_capacity = capacity;
    }
    p->edge[p->n_edges++] = *edge;
    return true;
}

/* Adds the symbols of one rule r to times and offset.  Paths that are not drawn do not matter. */
static void add_parts(struct choosing *c, uint32_t r)
{
    uint64_t at = c->offset[r];

    for (uint64_t i = c->g->body[r]; i < c->g->body[r + 1]; i++) {
        uint32_t part = index_of(c, c->g->symbols[i]);
        struct base b = c->base[part];
        bool drawn = c->node[b.index] != NO_NODE;

        if (drawn || b.index < c->n_rules) {
            if (c->times[b.index] == 0 && drawn)
                c->met[c->n_met++] = c->node[b.index];
            if (!drawn)
                descending_put(&c->below, b.index);
            if (c->times[b.index] == 0 || at < c->offset[b.index])
                c->offset[b.index] = at;
            c->times[b.index] += c->times[r] * b.times;
        }
        at += events_of(c, part);
    }
}

/* Computes times of all drawn symbols in one rule r, hidden rules expanded; their nodes are `met`.
 * A rule's users have greater numbers, so its times are complete when it is expanded.  Leaves times
 * of hidden symbols 0. */
static void expand(struct choosing *c, uint32_t r)
{
    c->n_met = 0;
    c->times[r] = 1;
    c->offset[r] = 0;
    add_parts(c, r);
    c->times[r] = 0;
    for (uint32_t i; descending_take(&c->below, &i); c->times[i] = 0)
        add_parts(c, i);
}

static int compare_edges(const void *a, const void *b)
{
    const struct picture_edge *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static bool connect(struct choosing *c, uint32_t from)
{
    struct picture *p = c->out;
    uint32_t r = index_of(c, p->node[from].symbol), first = p->n_edges;

    if (r >= c->n_rules)
        return true;
    expand(c, r);
    p->node[from].hidden = p->node[from].share;
    for (uint32_t i = 0; i < c->n_met; i++) {
        uint32_t to = c->met[i], index = index_of(c, p->node[to].symbol);
        struct picture_edge edge = {
            .from = from, .to = to, .times = c->times[index], .offset = c->offset[index],
            .flow = (double)c->executed[r] * (double)c->times[index] * c->cost[index] / c->total
        };
        c->times[index] = 0;
        p->node[from].hidden -= edge.flow;
        p->node[from].n_out++;
        if (!add_edge(c, &edge))
            return false;
    }
    if (p->node[from].hidden < 0)      /* rounding */
        p->node[from].hidden = 0;
    qsort(p->edge + first, p->n_edges - first, sizeof *p->edge, compare_edges);
    for (uint32_t i = first; i < p->n_edges; i++)
        p->edge[i].place = i - first + 1;
    return true;
}

/* A control word is no path, and costs nothing. */
static void count_hidden(struct choosing *c, const wpp *w)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->node[i] != NO_NODE || (c->root != PICTURE_ALL && c->executed[i] == 0))
            continue;
        if (i < c->n_rules) {
            c->out->hidden_rules++;
        } else {
            c->out->hidden_terminals += !wpp_terminal(w, i - c->n_rules)->control;
            c->out->hidden += share_of(c, i);
        }
    }
}

bool picture_new(const wpp *w, uint32_t max_nodes, uint32_t rule, struct picture *out)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct choosing c = {.g = g, .n_rules = g->n_rules + g->n_threads, .root = rule, .out = out};
    bool ok;

    assert(rule == PICTURE_ALL || rule < g->n_rules);

    *out = (struct picture){0};
    c.n = c.n_rules + g->n_terminals;
    ok = reserve_figures(&c);
    if (ok)
        compute_figures(w, &c);
    ok = ok && choose(&c, max_nodes) && find_routines(&c, w)
         && rule_kinds_find(w, out);
    out->edge = ok ? calloc(1, sizeof *out->edge) : NULL;      /* never NULL, even if empty */
    c.edge_capacity = out->edge != NULL;
    ok = ok && out->edge;
    for (uint32_t i = 0; ok && i < out->n_nodes; i++)
        ok = connect(&c, i);
    if (ok)
        count_hidden(&c, w);
    free_figures(&c);
    if (!ok)
        picture_free(out);
    return ok;
}

void picture_free(struct picture *p)
{
    free(p->node);
    free(p->edge);
    *p = (struct picture){0};
}

/* ---- Check ----------------------------------------------------------------------------------- */

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 + 1e-6 * fabs(b);
}

static const char *check_edges(const struct picture *p, double *in, double *out)
{
    for (uint32_t i = 0; i < p->n_edges; i++) {
        const struct picture_edge *e = &p->edge[i];
        bool follows = i > 0 && p->edge[i - 1].from == e->from;
        if (e->from >= p->n_nodes || e->to >= p->n_nodes || !(p->node[e->from].symbol & WPP_RULE))
            return "an edge of no rule";
        if (i > 0 && (e->from < p->edge[i - 1].from ||
                      (follows && e->offset < p->edge[i - 1].offset)))
            return "edges out of order";
        if (!follows && e->place != 1)
            return "a wrong place";
        if (follows && e->place != p->edge[i - 1].place + 1)
            return "a wrong place";
        if (e->to < p->n_starts || e->times == 0
            || e->offset + p->node[e->to].events > p->node[e->from].events)
            return "an edge to a start rule, or to what does not fit";
        out[e->from] += e->flow;
        in[e->to] += e->flow;
    }
    return NULL;
}

static const char *check_nodes(const struct picture *p, const double *in, const double *out)
{
    double whole = p->hidden;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct picture_node *n = &p->node[i];
        bool is_rule = n->symbol & WPP_RULE;
        if (is_rule && !close_to(out[i] + n->hidden, n->share))
            return "flows out of a rule do not sum to its share";
        if (i >= p->n_starts && !close_to(in[i], n->share))
            return "flows into a node do not sum to its share";
        if (i > p->n_starts && n->share > n[-1].share)
            return "nodes out of order";
        whole += is_rule ? 0 : n->share;
    }
    if (p->cost > 0 && !close_to(whole, 1))
        return "what is drawn and what is hidden do not sum to the whole";
    return NULL;
}

bool picture_check(const struct picture *p, const char **why)
{
    double *in = calloc(p->n_nodes + (size_t)1, sizeof *in);
    double *out = calloc(p->n_nodes + (size_t)1, sizeof *out);

    *why = in && out ? check_edges(p, in, out) : "out of memory";
    if (!*why)
        *why = check_nodes(p, in, out);
    free(in);
    free(out);
    return !*why;
}
