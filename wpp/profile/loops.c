/* SPDX-License-Identifier: MIT */
/* loops.c - the loops of the blocks and arcs that were executed, then their counts. */
#include "wpp/profile/loops.h"

#include <stdlib.h>

#include "wpp/replay/natural-loops.h"

/* The blocks of a flow that were executed, and all arcs: which of several arcs was taken is estimated. */
struct executed {
    uint32_t *first, *dst;
    bool *there, *root;
};

static void free_executed(struct executed *e)
{
    free(e->first);
    free(e->dst);
    free(e->there);
    free(e->root);
}

static bool make_executed(struct executed *e, const struct flow *f)
{
    uint64_t *arrived = calloc(f->n_blocks + (size_t)1, sizeof *arrived);
    uint32_t n = 0;

    *e = (struct executed){
        .first = calloc(f->n_blocks + (size_t)1, sizeof *e->first),
        .dst = calloc(f->n_arcs + (size_t)1, sizeof *e->dst),
        .there = calloc(f->n_blocks + (size_t)1, sizeof *e->there),
        .root = calloc(f->n_blocks + (size_t)1, sizeof *e->root)
    };
    if (!arrived || !e->first || !e->dst || !e->there || !e->root) {
        free(arrived);
        return false;
    }
    for (uint32_t b = 0; b < f->n_blocks; b++) {
        e->first[b] = n;
        for (uint32_t i = f->first[b]; i < f->first[b + 1]; i++) {
            arrived[f->arc[i].dst] += f->arc[i].count;
            e->dst[n++] = f->arc[i].dst;
        }
    }
    e->first[f->n_blocks] = n;
    for (uint32_t b = 0; b < f->n_blocks; b++) {
        e->there[b] = f->block[b] > 0;
        e->root[b] = f->block[b] > arrived[b];
    }
    free(arrived);
    return true;
}

/* False: control never went back to the header. */
static bool count_turns(const struct flow *f, const struct natural_loop *n, struct loop *l)
{
    uint64_t header = f->block[l->header], back = 0, left = 0;

    for (uint32_t i = 0; i < f->n_arcs; i++) {
        const struct flow_arc *a = &f->arc[i];

        if (a->dst == l->header && natural_loop_has(n, a->src))
            back += a->count;
        if (a->src == l->header && !natural_loop_has(n, a->dst))
            left += a->count;
    }
    l->entries = header > back ? header - back : 0;
    l->iterations = n->own_latch ? header : header - left;
    return back > 0;
}

bool loops_find(struct loops *out, const struct flow *f)
{
    struct natural_loops natural = {0};
    struct executed e;
    bool ok = make_executed(&e, f)
           && natural_loops_find(&natural, &(struct block_graph){f->n_blocks, e.first, e.dst, e.there,
                                                                 e.root});

    *out = (struct loops){0};
    if (ok)
        out->loop = calloc(natural.n + (size_t)1, sizeof *out->loop);
    ok = ok && out->loop;
    for (uint32_t i = 0; ok && i < natural.n; i++) {
        struct natural_loop *n = &natural.loop[i];
        struct loop l = {.header = n->header, .n_blocks = n->n_blocks, .blocks = n->blocks};

        if (!count_turns(f, n, &l))
            continue;
        n->blocks = NULL;              /* they are the executed loop's */
        out->loop[out->n++] = l;
    }
    natural_loops_free(&natural);
    free_executed(&e);
    return ok;
}

void loops_free(struct loops *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->loop[i].blocks);
    free(l->loop);
    *l = (struct loops){0};
}
