/* SPDX-License-Identifier: GPL-3.0-or-later */
/* numbering-check.c - checks the equations of a numbered graph.
 *
 * It uses no result of the numbering: it finds reachability, order, NumPaths and the spanning
 * tree again, from the DAG's edges alone. */
#include "gcc-plugin/numbering/numbering-internal.h"

/* Each check returns NULL, or a text that says what is wrong. */
struct check {
    const struct pn_graph *g;
    uint32_t *order, n_order;     /* reached vertices, topologically */
    uint32_t *scratch;            /* by vertex */
    uint64_t *sum;                /* by vertex */
};

static bool is_reached(const struct pn_graph *g, uint32_t v)
{
    return v == g->exit || g->first[v] < g->first[v + 1];
}

static const char *check_shape(struct check *c)
{
    const struct pn_graph *g = c->g;

    if (g->first[0] != 0 || g->first[g->n_vertices] != g->n_dag)
        return "groups do not span the DAG edges";
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        if (g->first[v] > g->first[v + 1] || g->first[v + 1] > g->n_dag)
            return "groups are not ascending";
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
            const struct pn_dag_edge *d = &g->dag[i];
            if (d->src != v || d->dst >= g->n_vertices)
                return "a DAG edge stands in a wrong group or leads nowhere";
            if (d->src == g->exit || d->dst == g->entry)
                return "a DAG edge leads out of EXIT or into ENTRY";
            if (d->kind > PN_END || (d->kind == PN_START && v != g->entry)
                || (d->kind == PN_END && d->dst != g->exit))
                return "a DAG edge is of a wrong kind";
            if (d->kind == PN_START ? d->edge != PN_NONE : d->edge >= g->n_edges)
                return "a DAG edge stands for no CFG edge";
            if (v == g->entry && i > g->first[v] && d->kind < d[-1].kind)
                return "an edge of ENTRY's precedes a REAL one";
        }
    }
    return is_reached(g, g->entry) ? NULL : "ENTRY has no edges";
}

/* ---- CFG and DAG ----------------------------------------------------------- */

static const char *check_unreached(const struct pn_edge *e)
{
    if (e->cut || e->back || e->limited || e->dag != PN_NONE || e->start != PN_NONE)
        return "an edge that ENTRY does not reach has results";
    return NULL;
}

static const char *check_cut_edge(const struct check *c, uint32_t index)
{
    const struct pn_graph *g = c->g;
    const struct pn_edge *e = &g->edge[index];
    const struct pn_dag_edge *end = &g->dag[e->dag];

    if (e->back + e->limited + !!(e->flags & PN_CUT) != 1)
        return "a cut edge has not exactly one reason";
    if (end->kind != PN_END || g->edge[end->edge].src != e->src)
        return "a cut edge has no END edge";
    if (e->flags & PN_SHARED_END) {
        if (!(g->edge[end->edge].flags & PN_SHARED_END) || c->scratch[e->src] != e->dag)
            return "a shared END edge is not shared";
        if (end->edge > index)
            return "a shared END edge does not name the first edge it stands for";
    } else if (end->edge != index) {
        return "an END edge is shared";
    }
    if (e->start >= g->n_dag || g->dag[e->start].kind != PN_START
        || g->dag[e->start].dst != e->dst)
        return "a cut edge has no START edge";
    return NULL;
}

static const char *check_cfg_edge(const struct check *c, uint32_t index)
{
    const struct pn_graph *g = c->g;
    const struct pn_edge *e = &g->edge[index];

    if (!is_reached(g, e->src))
        return check_unreached(e);
    if (!is_reached(g, e->dst))
        return "the target of a reached edge is not reached";
    if (e->dag >= g->n_dag || g->dag[e->dag].src != e->src)
        return "a CFG edge has no DAG edge";
    if (e->cut)
        return check_cut_edge(c, index);
    if (e->back || e->limited || (e->flags & PN_CUT) || e->start != PN_NONE)
        return "an edge is not cut, but has a reason to be";
    if (g->dag[e->dag].kind != PN_REAL || g->dag[e->dag].dst != e->dst
        || g->dag[e->dag].edge != index)
        return "a CFG edge has no REAL edge";
    return NULL;
}

/* The reverse: every DAG edge has its CFG edges. */
static const char *check_dag_edges(struct check *c)
{
    const struct pn_graph *g = c->g;

    for (uint32_t v = 0; v < g->n_vertices; v++)
        c->scratch[v] = 0;
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (g->edge[i].cut)
            c->scratch[g->edge[i].dst] = 1;
    for (uint32_t i = 0; i < g->n_dag; i++) {
        const struct pn_dag_edge *d = &g->dag[i];
        if (d->kind != PN_START) {
            if (g->edge[d->edge].dag != i)
                return "a DAG edge is not known to its CFG edge";
        } else if (c->scratch[d->dst]-- != 1) {
            return "a START edge stands for no cut, or stands twice";
        }
    }
    return NULL;
}

static const char *check_links(struct check *c)
{
    const struct pn_graph *g = c->g;
    uint32_t n_limited = 0;

    for (uint32_t v = 0; v < g->n_vertices; v++)
        c->scratch[v] = PN_NONE;
    for (uint32_t i = 0; i < g->n_dag; i++)
        if (g->dag[i].kind == PN_END && (g->edge[g->dag[i].edge].flags & PN_SHARED_END))
            c->scratch[g->dag[i].src] = i;
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const char *wrong = check_cfg_edge(c, i);
        if (wrong)
            return wrong;
    }
    for (uint32_t i = 0; i < g->n_edges; i++)
        c->scratch[g->edge[i].src] = 0;
    for (uint32_t i = 0; i < g->n_edges; i++)
        if (g->edge[i].limited && c->scratch[g->edge[i].src]++ == 0)
            n_limited++;
    if (n_limited != g->n_limited)
        return "n_limited is not the number of limited vertices";
    return check_dag_edges(c);
}

/* ---- Numbers --------------------------------------------------------------- */

/* Topological order from ENTRY, which only an acyclic graph has. */
static const char *check_acyclic(struct check *c)
{
    const struct pn_graph *g = c->g;
    uint32_t *waiting = c->scratch, n_reached = 0;

    for (uint32_t v = 0; v < g->n_vertices; v++) {
        waiting[v] = 0;
        n_reached += is_reached(g, v);
    }
    for (uint32_t i = 0; i < g->n_dag; i++)
        waiting[g->dag[i].dst]++;
    c->order[c->n_order++] = g->entry;
    for (uint32_t k = 0; k < c->n_order; k++) {
        uint32_t v = c->order[k];
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
            if (--waiting[g->dag[i].dst] == 0)
                c->order[c->n_order++] = g->dag[i].dst;
    }
    return c->n_order == n_reached ? NULL : "the DAG has a cycle, or a part ENTRY cannot reach";
}

static const char *check_values(struct check *c)
{
    const struct pn_graph *g = c->g;
    uint64_t *paths = c->sum;

    for (uint32_t k = c->n_order; k-- > 0;) {
        uint32_t v = c->order[k];
        paths[v] = v == g->exit;
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
            const struct pn_dag_edge *d = &g->dag[i];
            if (d->val != paths[v] || paths[d->dst] == 0)
                return "Val is not the sum of the paths before it";
            paths[v] += paths[d->dst];
        }
    }
    return paths[g->entry] == g->num_paths ? NULL : "num_paths is not NumPaths(ENTRY)";
}

/* ---- Increments ------------------------------------------------------------ */

/* For each vertex, all paths to it must have the same difference between the sums of Val and of
 * increments; for EXIT it is 0.  If increments off the chords are 0, this is the equation around
 * each fundamental cycle. */
static const char *check_increments(struct check *c)
{
    const struct pn_graph *g = c->g;
    uint64_t *lacks = c->sum;
    uint32_t *seen = c->scratch;

    for (uint32_t v = 0; v < g->n_vertices; v++)
        seen[v] = false;
    lacks[g->entry] = 0;
    for (uint32_t k = 0; k < c->n_order; k++) {
        uint32_t v = c->order[k];
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
            const struct pn_dag_edge *d = &g->dag[i];
            uint64_t lack = lacks[v] + d->val - (uint64_t)d->inc;
            if (!d->chord && d->inc != 0)
                return "an edge of the spanning tree has an increment";
            if (seen[d->dst] && lacks[d->dst] != lack)
                return "increments do not sum to Val sums";
            lacks[d->dst] = lack;
            seen[d->dst] = true;
        }
    }
    return lacks[g->exit] == 0 ? NULL : "increments do not sum to path numbers";
}

static uint32_t find(uint32_t *parent, uint32_t v)
{
    for (; parent[v] != v; v = parent[v])
        parent[v] = parent[parent[v]];
    return v;
}

/* Checks that the edges off the chords, with EXIT -> ENTRY, join all reached vertices and close
 * no cycle. */
static const char *check_tree(struct check *c)
{
    const struct pn_graph *g = c->g;
    uint32_t *parent = c->scratch, joins = 1;

    for (uint32_t v = 0; v < g->n_vertices; v++)
        parent[v] = v;
    parent[g->exit] = g->entry;
    for (uint32_t i = 0; i < g->n_dag; i++) {
        if (g->dag[i].chord)
            continue;
        uint32_t a = find(parent, g->dag[i].src), b = find(parent, g->dag[i].dst);
        if (a == b)
            return "edges off the chords close a cycle";
        parent[b] = a;
        joins++;
    }
    return joins == c->n_order - 1 ? NULL : "edges off the chords do not span the DAG";
}

/* ---- All of it ------------------------------------------------------------- */

static const char *check_all(struct check *c)
{
    static const char *(*const checks[])(struct check *) = {
        check_shape, check_links, check_acyclic, check_values, check_increments, check_tree,
    };
    const char *wrong = NULL;

    for (size_t i = 0; !wrong && i < sizeof checks / sizeof *checks; i++)
        wrong = checks[i](c);
    return wrong;
}

int pn_check(const struct pn_graph *g, const char **why)
{
    struct check c = {.g = g};
    int status = PN_E_NOMEM;

    if (!g->first || !g->dag) {
        *why = "the graph is not numbered";
        return PN_E_GRAPH;
    }
    c.order = new_array(g->n_vertices, sizeof *c.order);
    c.scratch = new_array(g->n_vertices, sizeof *c.scratch);
    c.sum = new_array(g->n_vertices, sizeof *c.sum);
    if (c.order && c.scratch && c.sum) {
        const char *wrong = check_all(&c);
        status = wrong ? PN_E_GRAPH : PN_OK;
        if (wrong)
            *why = wrong;
    }
    free(c.order);
    free(c.scratch);
    free(c.sum);
    return status;
}
