/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/coverage-branches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/flow.h"

#define BLOCK_EXIT 1
#define FIRST_BLOCK 2

static bool lands(const struct wpp_routine *routine, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < routine->n_landings; i++)
        if (routine->landings[i].src == src && routine->landings[i].dst == dst)
            return true;
    return false;
}

/* gcov calls a condition's way to the next block a fall-through.  A block with two ways that cannot
 * throw mostly ends in a condition. */
static void mark_falls(struct routine_branch *branch, size_t n)
{
    bool throws = false;

    for (size_t i = 0; i < n; i++)
        throws |= branch[i].throws;
    for (size_t i = 0; i < n; i++)
        branch[i].falls = !throws && n == 2 && branch[i].to == branch[i].block + 1;
}

/* The ways out of one block; exit[b]: executions of its edge to EXIT, if has_exit[b]. */
static size_t ways(const struct wpp_routine *routine, const struct flow *flow, uint32_t b,
                   bool has_exit, uint64_t exit, struct routine_branch *out)
{
    size_t n = 0;

    if (has_exit)
        out[n++] = (struct routine_branch){b, BLOCK_EXIT, exit, flow->block[b], false, false};
    for (uint32_t a = flow->first[b]; a < flow->first[b + 1]; a++)
        out[n++] = (struct routine_branch){b, flow->arc[a].dst, flow->arc[a].count, flow->block[b],
                                           lands(routine, b, flow->arc[a].dst), false};
    mark_falls(out, n);
    return n;
}

bool routine_branches(const struct wpp_routine *routine, const uint64_t *block,
                      const uint64_t *edge, struct routine_branch **out, size_t *n)
{
    uint32_t blocks = routine->n_blocks;
    uint64_t *exit = calloc(blocks + (size_t)1, sizeof *exit);
    bool *has_exit = calloc(blocks + (size_t)1, sizeof *has_exit);
    struct flow flow;

    *n = 0;
    *out = NULL;
    if (!exit || !has_exit || !flow_new(&flow, routine, block, edge)) {
        free(exit);
        free(has_exit);
        return false;
    }
    *out = calloc(flow.n_arcs + (size_t)blocks + 1, sizeof **out);
    for (uint32_t i = 0; i < routine->n_edges; i++) {
        const struct wpp_edge *e = &routine->edges[i];

        if (e->kind == WPP_EDGE_REAL && e->dst == BLOCK_EXIT) {
            has_exit[e->src] = true;
            exit[e->src] += edge[i];
        }
    }
    for (uint32_t b = FIRST_BLOCK; *out && b < blocks; b++) {
        size_t its = ways(routine, &flow, b, has_exit[b], exit[b], *out + *n);

        *n += its > 1 ? its : 0;
    }
    flow_free(&flow);
    free(exit);
    free(has_exit);
    return *out;
}

const struct wpp_line *routine_branch_line(const struct wpp_routine *routine, uint32_t block)
{
    const struct wpp_block *b = &routine->blocks[block];
    const struct wpp_line *best = NULL;

    /* As gcov, which treats a routine's last block as its exit. */
    if (block + 1 == routine->n_blocks)
        return NULL;
    for (uint32_t i = 0; i < b->n_lines; i++) {
        const struct wpp_line *l = &b->lines[i];

        if (!best || strcmp(best->file, l->file) != 0 || l->line > best->line)
            best = l;
    }
    return best;
}
