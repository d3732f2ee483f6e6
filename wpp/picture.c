/* SPDX-License-Identifier: MIT */
/* picture.c - choosing what of a WPP's DAG to draw. */

#include "wpp/picture.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_NODE UINT32_MAX

/* Symbols have dense indices here: rules and start rules first, terminals behind. */
struct base { uint32_t index; uint64_t times; };

/* Sum of one symbol's places in a right-hand side. */
struct sum {
    uint64_t times, n_places, place[PICTURE_PLACES];
};

struct candidate { double flow; uint32_t index; };

struct choosing {
    const struct wpp_grammar *g;
    uint32_t n_rules, n;       /* rules with start rules; all symbols */
    double *cost;              /* by index, one execution */
    uint64_t *executed;        /* by index */
    struct base *base;         /* by index: what it is a power of; itself once if of nothing */
    double *inflow;            /* by index: from chosen rules; what a candidate is worth */
    uint32_t *node;            /* by index: its node, NO_NODE */
    struct sum *sums;          /* by index: scratch of sum_up */
    uint32_t *touched;         /* indices with a sum, by first place */
    uint32_t n_touched;
    uint64_t n_places;         /* of the rule summed up last */
    struct candidate *heap;    /* greatest flow first; entries with an outdated flow are skipped */
    size_t n_heap, heap_capacity;
    double total;
    struct picture *out;
    uint32_t node_capacity, edge_capacity;
};

static uint32_t index_of(const struct choosing *c, uint32_t symbol)
{
    return symbol & WPP_RULE ? symbol & ~WPP_RULE : c->n_rules + symbol;
}

static uint32_t symbol_of(const struct choosing *c, uint32_t index)
{
    return index < c->n_rules ? WPP_RULE | index : index - c->n_rules;
}

/* ---- Figures of all symbols ------------------------------------------------------ */

static bool reserve_figures(struct choosing *c)
{
    size_t n = (size_t)c->n + 1;

    c->cost = calloc(n, sizeof *c->cost);
    c->executed = calloc(n, sizeof *c->executed);
    c->base = calloc(n, sizeof *c->base);
    c->inflow = calloc(n, sizeof *c->inflow);
    c->node = calloc(n, sizeof *c->node);
    c->sums = calloc(n, sizeof *c->sums);
    c->touched = calloc(n, sizeof *c->touched);
    return c->cost && c->executed && c->base && c->inflow && c->node && c->sums && c->touched;
}

static void free_figures(struct choosing *c)
{
    free(c->cost);
    free(c->executed);
    free(c->base);
    free(c->inflow);
    free(c->node);
    free(c->sums);
    free(c->touched);
    free(c->heap);
}

/* What rule r is a power of. */
static struct base base_of(const struct choosing *c, uint32_t r)
{
    const struct wpp_grammar *g = c->g;
    uint64_t begin = g->body[r], end = g->body[r + 1];

    if (r >= g->n_rules)
        return (struct base){r, 1};
    for (uint64_t i = begin + 1; i < end; i++)
        if (g->symbols[i] != g->symbols[begin])
            return (struct base){r, 1};
    struct base of = c->base[index_of(c, g->symbols[begin])];
    return (struct base){of.index, of.times * (end - begin)};
}

static void compute_figures(const wpp *w, struct choosing *c)
{
    const struct wpp_grammar *g = c->g;

    wpp_rule_frequencies(w, c->executed);
    wpp_terminal_counts(w, c->executed + c->n_rules);
    for (uint32_t t = 0; t < g->n_terminals; t++) {
        c->cost[c->n_rules + t] = wpp_terminal(w, t)->insns ? wpp_terminal(w, t)->insns : 1;
        c->base[c->n_rules + t] = (struct base){c->n_rules + t, 1};
    }
    for (uint32_t r = 0; r < c->n_rules; r++) {
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            c->cost[r] += c->cost[index_of(c, g->symbols[i])];
        c->base[r] = base_of(c, r);
        c->out->folded_rules += c->base[r].index != r;
        if (r >= g->n_rules)
            c->total += c->cost[r];
    }
    for (uint32_t i = 0; i < c->n; i++)
        c->node[i] = NO_NODE;
    c->out->cost = c->total;
    if (c->total == 0)
        c->total = 1;          /* no events: all shares are 0 */
}

/* ---- Right-hand sides -------------------------------------------------------------- */

/* Fills sums and touched from the right-hand side of rule r. */
static void sum_up(struct choosing *c, uint32_t r)
{
    uint32_t last = NO_NODE;

    c->n_touched = 0;
    c->n_places = 0;
    for (uint64_t i = c->g->body[r]; i < c->g->body[r + 1]; i++) {
        struct base b = c->base[index_of(c, c->g->symbols[i])];
        struct sum *s = &c->sums[b.index];
        if (s->n_places == 0)
            c->touched[c->n_touched++] = b.index;
        s->times += b.times;
        if (b.index == last)
            continue;
        last = b.index;
        c->n_places++;
        if (s->n_places < PICTURE_PLACES)
            s->place[s->n_places] = c->n_places;
        s->n_places++;
    }
}

static void forget_sums(struct choosing *c)
{
    for (uint32_t i = 0; i < c->n_touched; i++)
        c->sums[c->touched[i]] = (struct sum){0};
    c->n_touched = 0;
}

/* Share of the cost that flows from rule r to a symbol that stands so often in it. */
static double flow(const struct choosing *c, uint32_t r, uint32_t to, uint64_t times)
{
    return (double)c->executed[r] * (double)times * c->cost[to] / c->total;
}

/* ---- Candidates ------------------------------------------------------------------------ */

static bool push(struct choosing *c, uint32_t index)
{
    size_t i = c->n_heap;
    struct candidate new = {c->inflow[index], index};

    if (c->n_heap == c->heap_capacity) {
        size_t capacity = c->heap_capacity ? 2 * c->heap_capacity : 256;
        struct candidate *heap = realloc(c->heap, capacity * sizeof *heap);
        if (!heap)
            return false;
        c->heap = heap;
        c->heap_capacity = capacity;
    }
    c->n_heap++;
    for (; i > 0 && c->heap[(i - 1) / 2].flow < new.flow; i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = new;
    return true;
}

static struct candidate pop(struct choosing *c)
{
    struct candidate top = c->heap[0], last = c->heap[--c->n_heap];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < c->n_heap) {
        if (child + 1 < c->n_heap && c->heap[child + 1].flow > c->heap[child].flow)
            child++;
        if (c->heap[child].flow <= last.flow)
            break;
        c->heap[i] = c->heap[child];
        i = child;
    }
    c->heap[i] = last;
    return top;
}

/* Makes a node; its successors become candidates. */
static bool choose(struct choosing *c, uint32_t index)
{
    struct picture *p = c->out;

    if (p->n_nodes == c->node_capacity) {
        uint32_t capacity = c->node_capacity ? 2 * c->node_capacity : 64;
        struct picture_node *node = realloc(p->node, capacity * sizeof *node);
        if (!node)
            return false;
        p->node = node;
        c->node_capacity = capacity;
    }
    assert(c->node[index] == NO_NODE);
    c->node[index] = p->n_nodes;
    p->node[p->n_nodes++] = (struct picture_node){
        .symbol = symbol_of(c, index), .executed = c->executed[index],
        .share = flow(c, index, index, 1)
    };
    if (index >= c->n_rules)
        return true;
    sum_up(c, index);
    for (uint32_t i = 0; i < c->n_touched; i++) {
        uint32_t to = c->touched[i];
        c->inflow[to] += flow(c, index, to, c->sums[to].times);
        if (c->node[to] == NO_NODE && !push(c, to))
            return false;
    }
    forget_sums(c);
    return true;
}

static bool choose_all(struct choosing *c, uint32_t max_nodes)
{
    for (uint32_t k = 0; k < c->g->n_threads; k++)
        if (!choose(c, c->g->n_rules + k))
            return false;
    c->out->n_starts = c->out->n_nodes;
    while (c->n_heap > 0 && c->out->n_nodes < max_nodes) {
        struct candidate best = pop(c);
        if (c->node[best.index] != NO_NODE || best.flow != c->inflow[best.index])
            continue;
        if (!choose(c, best.index))
            return false;
    }
    return true;
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

static bool connect(struct choosing *c, uint32_t from)
{
    struct picture_node *node = &c->out->node[from];
    uint32_t r = index_of(c, node->symbol);

    if (r >= c->n_rules)
        return true;
    sum_up(c, r);
    node->n_places = c->n_places;
    for (uint32_t i = 0; i < c->n_touched; i++) {
        uint32_t to = c->touched[i];
        const struct sum *s = &c->sums[to];
        struct picture_edge edge = {
            .from = from, .to = c->node[to], .times = s->times, .n_places = s->n_places,
            .flow = flow(c, r, to, s->times)
        };
        memcpy(edge.place, s->place, sizeof edge.place);
        if (edge.to == NO_NODE) {
            node->n_hidden += s->n_places;
            node->hidden += edge.flow;
        } else if (!add_edge(c, &edge)) {
            return false;
        }
    }
    forget_sums(c);
    return true;
}

/* Nodes by descending symbol index: every rule before all it uses. */
static int compare_top_down(const void *a, const void *b, void *picture)
{
    const struct picture_node *node = ((const struct picture *)picture)->node;
    uint32_t x = node[*(const uint32_t *)a].symbol, y = node[*(const uint32_t *)b].symbol;
    return x > y ? -1 : x < y;
}

/* How much of each node's share arrives along drawn edges, and how much of all
 * leaves the drawing. */
static bool follow_drawn(struct picture *p)
{
    uint32_t *order = calloc(p->n_nodes + (size_t)1, sizeof *order);
    uint32_t *first = calloc(p->n_nodes + (size_t)2, sizeof *first);

    if (!order || !first) {
        free(order);
        free(first);
        return false;
    }
    for (uint32_t i = 0; i < p->n_edges; i++)
        first[p->edge[i].from + 1] = i + 1;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        order[i] = i;
        first[i + 1] = first[i + 1] ? first[i + 1] : first[i];
        p->node[i].drawn = i < p->n_starts ? p->node[i].share : 0;
    }
    qsort_r(order, p->n_nodes, sizeof *order, compare_top_down, p);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct picture_node *node = &p->node[order[i]];
        double part = node->share > 0 ? node->drawn / node->share : 0;
        for (uint32_t e = first[order[i]]; e < first[order[i] + 1]; e++)
            p->node[p->edge[e].to].drawn += part * p->edge[e].flow;
        p->hidden += part * node->hidden;
    }
    free(order);
    free(first);
    return true;
}

static void count_hidden(struct choosing *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->node[i] != NO_NODE || c->base[i].index != i)
            continue;
        c->out->hidden_rules += i < c->n_rules;
        c->out->hidden_terminals += i >= c->n_rules;
    }
}

bool picture_new(const wpp *w, uint32_t max_nodes, struct picture *out)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    struct choosing c = {.g = g, .n_rules = g->n_rules + g->n_threads, .out = out};
    bool ok;

    *out = (struct picture){0};
    c.n = c.n_rules + g->n_terminals;
    ok = reserve_figures(&c);
    if (ok)
        compute_figures(w, &c);
    ok = ok && choose_all(&c, max_nodes);
    for (uint32_t i = 0; ok && i < out->n_nodes; i++)
        ok = connect(&c, i);
    if (ok)
        count_hidden(&c);
    ok = ok && follow_drawn(out);
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

/* ---- Check ------------------------------------------------------------------------------------ */

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 + 1e-6 * fabs(b);
}

static const char *check_edges(const struct picture *p, double *out_flow, bool *reached)
{
    for (uint32_t i = 0; i < p->n_edges; i++) {
        const struct picture_edge *e = &p->edge[i], *before = i ? e - 1 : NULL;
        if (e->from >= p->n_nodes || e->to >= p->n_nodes || !(p->node[e->from].symbol & WPP_RULE))
            return "an edge of no rule";
        if (before && (e->from < before->from
                       || (e->from == before->from && e->place[0] <= before->place[0])))
            return "edges out of order";
        if (e->to < p->n_starts || e->times < e->n_places || e->n_places == 0)
            return "an edge to a start rule, or of no place";
        out_flow[e->from] += e->flow;
        reached[e->to] |= e->from < e->to;
    }
    return NULL;
}

bool picture_check(const struct picture *p, const char **why)
{
    double *out_flow = calloc(p->n_nodes + (size_t)1, sizeof *out_flow), whole = p->hidden;
    bool *reached = calloc(p->n_nodes + (size_t)1, sizeof *reached);

    *why = out_flow && reached ? check_edges(p, out_flow, reached) : "out of memory";
    for (uint32_t i = 0; !*why && i < p->n_nodes; i++) {
        bool is_rule = p->node[i].symbol & WPP_RULE;
        if (is_rule && !close_to(out_flow[i] + p->node[i].hidden, p->node[i].share))
            *why = "flows out of a rule do not sum to its share";
        else if (i >= p->n_starts && !reached[i])
            *why = "a node that was chosen before all its users";
        else if (p->node[i].drawn > p->node[i].share * 1.000001 + 1e-9)
            *why = "more is drawn than there is";
        whole += is_rule ? 0 : p->node[i].drawn;
    }
    if (!*why && p->cost > 0 && !close_to(whole, 1))
        *why = "what is drawn and what is hidden do not sum to the whole";
    free(out_flow);
    free(reached);
    return !*why;
}
