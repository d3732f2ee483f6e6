/* SPDX-License-Identifier: MIT */
#include "wpp/picture/routine-picture.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/profile/flow.h"

enum { BLOCK_ENTRY, BLOCK_EXIT };      /* of a routine; their boxes have the same numbers */
#define NO_BOX UINT32_MAX

struct making {
    struct routine_picture *g;
    const struct path_profile *p;
    uint32_t routine;
    uint64_t *block, *edge;            /* executions */
    struct flow flow;
    uint32_t *box;                     /* by block */
    uint32_t *leader;                  /* by block: another of those it is folded with; itself */
    uint32_t room;                     /* links */
};

/* ---- Boxes --------------------------------------------------------------------------------------- */

struct candidate { double cost; uint64_t count; uint32_t block; };

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static uint32_t leader_of(struct making *m, uint32_t block)
{
    while (m->leader[block] != block)
        block = m->leader[block] = m->leader[m->leader[block]];
    return block;
}

/* Blocks without a box that hang together get one together. */
static void fold_rest(struct making *m)
{
    uint32_t n = m->g->routine->n_blocks;

    for (uint32_t i = 0; i < m->flow.n_arcs; i++) {
        uint32_t a = m->flow.arc[i].src, b = m->flow.arc[i].dst;

        if (m->box[a] != NO_BOX || m->box[b] != NO_BOX)
            continue;
        a = leader_of(m, a);
        b = leader_of(m, b);
        m->leader[a > b ? a : b] = a > b ? b : a;      /* the first of them leads */
    }
    for (uint32_t b = BLOCK_EXIT + 1; b < n; b++) {
        uint32_t leader = leader_of(m, b);
        bool folded = m->box[b] == NO_BOX;
        struct flow_box *box;

        if (folded && leader == b) {
            m->box[b] = m->g->n_boxes;
            m->g->box[m->g->n_boxes++] = (struct flow_box){.block = b, .folded = true};
        }
        if (folded) {
            assert(m->box[leader] != NO_BOX);
            m->box[b] = m->box[leader];
            box = &m->g->box[m->box[b]];
            box->n_blocks++;
            box->count += m->block[b];
            box->cost += (double)m->block[b] * m->g->routine->blocks[b].insns;
        }
    }
}

static bool make_boxes(struct making *m, uint32_t max_boxes)
{
    const struct wpp_routine *r = m->g->routine;
    struct candidate *list = calloc(r->n_blocks + (size_t)1, sizeof *list);
    uint32_t n = 0;

    if (!list)
        return false;
    for (uint32_t b = 0; b < r->n_blocks; b++) {
        m->box[b] = b <= BLOCK_EXIT ? b : NO_BOX;
        m->leader[b] = b;
        if (b > BLOCK_EXIT)
            list[n++] = (struct candidate){(double)m->block[b] * r->blocks[b].insns, m->block[b], b};
    }
    if (n > 0)
        qsort(list, n, sizeof *list, compare_candidates);
    m->g->n_boxes = 2;
    for (uint32_t i = 0; i < n && i < max_boxes; i++) {
        m->box[list[i].block] = m->g->n_boxes;
        m->g->box[m->g->n_boxes++] = (struct flow_box){list[i].block, false, 1, list[i].count,
                                                             list[i].cost};
    }
    free(list);
    fold_rest(m);
    return true;
}

/* ---- Links --------------------------------------------------------------------------------------- */

static bool add_link(struct making *m, uint32_t src, uint32_t dst, struct flow_link link)
{
    struct routine_picture *g = m->g;

    link.from = m->box[src];
    link.to = m->box[dst];
    if (link.from == link.to && g->box[link.from].folded)
        return true;                   /* within a folded box */
    if (g->n_links == m->room) {
        uint32_t room = 2 * m->room + 64;
        struct flow_link *links = realloc(g->link, room * sizeof *links);

        if (!links)
            return false;
        g->link = links;
        m->room = room;
    }
    g->link[g->n_links++] = link;
    return true;
}

/* Where control goes on behind the DAG's edge; false: nowhere, or it is not known. */
static bool target_of(const struct wpp_edge *e, uint32_t *to)
{
    *to = e->kind == WPP_EDGE_REAL ? e->dst : e->to;
    return e->kind != WPP_EDGE_START && *to != UINT32_MAX;
}

static bool add_all_links(struct making *m)
{
    const struct wpp_routine *r = m->g->routine;
    bool ok = true;

    for (uint32_t i = 0; ok && i < m->flow.n_arcs; i++)
        ok = add_link(m, m->flow.arc[i].src, m->flow.arc[i].dst,
                      (struct flow_link){.count = m->flow.arc[i].count});
    for (uint32_t i = 0; ok && i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];

        if (e->kind == WPP_EDGE_REAL && (e->src == BLOCK_ENTRY || e->dst == BLOCK_EXIT))
            ok = add_link(m, e->src, e->dst, (struct flow_link){.count = m->edge[i]});
        else if (e->kind == WPP_EDGE_END_BACK && e->to != UINT32_MAX)
            ok = add_link(m, e->src, e->to, (struct flow_link){.back = true});
    }
    return ok;
}

/* ---- Paths --------------------------------------------------------------------------------------- */

static void choose_paths(struct making *m)
{
    const struct profile_routine *r = &m->p->routine[m->routine];
    struct routine_picture *g = m->g;

    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        uint32_t k = g->n_paths < FLOW_PATHS ? g->n_paths : FLOW_PATHS - 1;

        if (k < g->n_paths && m->p->path[g->path[k]].cost >= m->p->path[i].cost)
            continue;
        for (; k > 0 && m->p->path[g->path[k - 1]].cost < m->p->path[i].cost; k--)
            g->path[k] = g->path[k - 1];
        g->path[k] = i;
        g->n_paths += g->n_paths < FLOW_PATHS;
    }
}

static bool mark_paths(struct making *m)
{
    const struct wpp_routine *r = m->g->routine;
    bool ok = true;

    for (uint32_t k = 0; k < m->g->n_paths; k++) {
        const struct wpp_terminal *t = wpp_terminal(m->p->w, m->p->path[m->g->path[k]].terminal);
        uint32_t to;

        for (uint32_t i = 0; ok && i < t->n_edges; i++)
            if (target_of(&r->edges[t->edges[i]], &to))
                ok = add_link(m, r->edges[t->edges[i]].src, to, (struct flow_link){.paths = 1u << k});
    }
    return ok;
}

/* ---- All ----------------------------------------------------------------------------------------- */

static int compare_links(const void *a, const void *b)
{
    const struct flow_link *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void join_links(struct routine_picture *g)
{
    uint32_t n = 0;

    if (g->n_links > 0)
        qsort(g->link, g->n_links, sizeof *g->link, compare_links);
    for (uint32_t i = 0; i < g->n_links; i++) {
        if (n > 0 && compare_links(&g->link[n - 1], &g->link[i]) == 0) {
            g->link[n - 1].count += g->link[i].count;
            g->link[n - 1].back |= g->link[i].back;
            g->link[n - 1].paths |= g->link[i].paths;
        } else {
            g->link[n++] = g->link[i];
        }
    }
    g->n_links = n;
    /* A path ends at a call, whether it returned or not. */
    for (uint32_t i = 0; i < n; i++)
        g->link[i].paths = g->link[i].count > 0 ? g->link[i].paths : 0;
}

static bool make(struct making *m, uint32_t max_boxes)
{
    path_profile_sum(m->p, m->routine, m->block, m->edge);
    if (!flow_new(&m->flow, m->g->routine, m->block, m->edge) || !make_boxes(m, max_boxes))
        return false;
    m->g->box[FLOW_ENTRY] = (struct flow_box){BLOCK_ENTRY, false, 1, m->p->routine[m->routine].entered, 0};
    m->g->box[FLOW_EXIT] = (struct flow_box){BLOCK_EXIT, false, 1, m->block[BLOCK_EXIT], 0};
    choose_paths(m);
    if (!add_all_links(m) || !mark_paths(m))
        return false;
    join_links(m->g);
    return true;
}

bool routine_picture_new(const struct path_profile *p, uint32_t routine, uint32_t max_boxes,
                    struct routine_picture *out)
{
    const struct wpp_routine *r = wpp_routine(p->w, routine);
    size_t n = r->n_blocks + (size_t)1;
    struct making m = {.g = out, .p = p, .routine = routine};
    bool ok;

    *out = (struct routine_picture){.routine = r, .number = routine, .cost = p->routine[routine].cost};
    out->box = calloc(n, sizeof *out->box);
    m.block = calloc(n, sizeof *m.block);
    m.edge = calloc(r->n_edges + (size_t)1, sizeof *m.edge);
    m.box = calloc(n, sizeof *m.box);
    m.leader = calloc(n, sizeof *m.leader);
    ok = out->box && m.block && m.edge && m.box && m.leader && make(&m, max_boxes);
    flow_free(&m.flow);
    free(m.block);
    free(m.edge);
    free(m.box);
    free(m.leader);
    if (!ok)
        routine_picture_free(out);
    return ok;
}

void routine_picture_free(struct routine_picture *g)
{
    free(g->box);
    free(g->link);
    *g = (struct routine_picture){0};
}

/* ---- Check --------------------------------------------------------------------------------------- */

bool routine_picture_check(const struct routine_picture *g, const char **why)
{
    uint32_t blocks = 0;

    *why = NULL;
    for (uint32_t i = 0; i < g->n_boxes; i++)
        blocks += g->box[i].n_blocks;
    if (blocks != g->routine->n_blocks)
        *why = "a block is in no box, or in two";
    for (uint32_t i = 0; !*why && i < g->n_links; i++) {
        const struct flow_link *l = &g->link[i];

        if (l->from >= g->n_boxes || l->to >= g->n_boxes || l->from == FLOW_EXIT || l->to == FLOW_ENTRY)
            *why = "a link of no box";
        else if (i > 0 && compare_links(&g->link[i - 1], l) >= 0)
            *why = "links out of order";
        else if (l->paths && l->count == 0)
            *why = "an executed path goes along a link that was missed";
    }
    return !*why;
}
