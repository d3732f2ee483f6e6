/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/missed-paths.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/format/path-table.h"
#include "wpp/profile/path-profile.h"

#define BLOCK_EXIT 1

/* A beginning: the paths in which it goes on are numbers first .. first + n - 1, the executed ones of
 * these path[low .. high) of the coverage.  There are some, but for a routine that was not executed. */
struct beginning {
    uint32_t block, steps;
    uint64_t first, n;
    uint32_t low, high;
};

struct search {
    const struct coverage *c;
    uint32_t routine;
    const struct wpp_routine *graph;
    uint32_t *out_of;          /* n_blocks + 1: edges out of block b are out_of[b] .. out_of[b+1] */
    struct beginning *stack;
    size_t n_stack, stack_size;
    struct missed_paths *out;
    size_t capacity;
};

/* Edges are grouped by their source, in the order of blocks. */
static bool index_edges(struct search *s)
{
    const struct wpp_routine *g = s->graph;

    s->out_of = calloc(g->n_blocks + (size_t)1, sizeof *s->out_of);
    if (!s->out_of)
        return false;
    for (uint32_t b = 0, i = 0; b <= g->n_blocks; b++) {
        while (i < g->n_edges && g->edges[i].src < b)
            i++;
        s->out_of[b] = i;
    }
    return true;
}

static bool push(struct search *s, const struct beginning *b)
{
    if (s->n_stack == s->stack_size) {
        size_t size = 2 * s->stack_size + 64;
        struct beginning *larger = realloc(s->stack, size * sizeof *larger);

        if (!larger)
            return false;
        s->stack = larger;
        s->stack_size = size;
    }
    s->stack[s->n_stack++] = *b;
    return true;
}

/* Where no path begins that was executed, nothing came near. */
static void describe(const struct search *s, const struct beginning *b, struct missed_path *m)
{
    m->nearest = UINT32_MAX;
    if (b->steps == 0)
        return;
    m->nearest = b->low < b->high ? b->low : UINT32_MAX;
    for (uint32_t i = b->low; i < b->high; i++) {
        m->reached = profile_add(m->reached, s->c->path[i].count);
        if (s->c->path[i].count > s->c->path[m->nearest].count)
            m->nearest = i;
    }
}

static bool add_missed(struct search *s, const struct beginning *b, uint32_t edge, uint64_t first,
                       uint64_t n)
{
    struct missed_paths *out = s->out;
    struct missed_path *m;

    if (out->n == s->capacity) {
        size_t capacity = 2 * s->capacity + 256;
        struct missed_path *larger = realloc(out->item, capacity * sizeof *larger);

        if (!larger)
            return false;
        out->item = larger;
        s->capacity = capacity;
    }
    m = &out->item[out->n++];
    *m = (struct missed_path){
        .routine = s->routine, .first = first, .n = n, .block = b->block, .edge = edge,
        .steps = b->steps, .edge_count = s->c->routine[s->routine].edge[edge]
    };
    describe(s, b, m);
    return true;
}

/* The first executed path of [low, high) whose number is at least `number`. */
static uint32_t lower_bound(const struct coverage *c, uint32_t low, uint32_t high, uint64_t number)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (c->path[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The ways out of a beginning: each is missed, or a longer beginning, or an executed path's last edge. */
static bool go_on(struct search *s, const struct beginning *b)
{
    uint32_t low = b->low;

    for (uint32_t e = s->out_of[b->block]; e < s->out_of[b->block + 1]; e++) {
        const struct wpp_edge *edge = &s->graph->edges[e];
        uint64_t end = e + 1 < s->out_of[b->block + 1] ? s->graph->edges[e + 1].val : b->n;
        uint32_t high = lower_bound(s->c, low, b->high, b->first + end);
        struct beginning next = {edge->dst, b->steps + 1, b->first + edge->val, end - edge->val, low,
                                 high};

        if (low == high ? !add_missed(s, b, e, next.first, next.n)
                        : edge->dst != BLOCK_EXIT && !push(s, &next))
            return false;
        low = high;
    }
    return true;
}

static int compare_missed(const void *left, const void *right)
{
    const struct missed_path *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

static bool search_routine(struct search *s, uint32_t number)
{
    const struct coverage_routine *r = &s->c->routine[number];
    struct beginning whole = {0, 0, 0, r->routine->num_paths, r->first, r->first + r->n};
    size_t begin = s->out->n;
    bool done;

    s->routine = number;
    s->graph = r->routine;
    s->n_stack = 0;
    done = index_edges(s) && push(s, &whole);
    if (r->n == 0) {
        done = done && add_missed(s, &whole, 0, 0, whole.n);
        s->n_stack = 0;
    }
    while (done && s->n_stack > 0) {
        struct beginning top = s->stack[--s->n_stack];

        done = go_on(s, &top);
    }
    free(s->out_of);
    if (done && s->out->n > begin)
        qsort(s->out->item + begin, s->out->n - begin, sizeof *s->out->item, compare_missed);
    return done;
}

bool missed_paths_new(struct missed_paths *out, const struct coverage *c, const bool *chosen)
{
    struct search s = {.c = c, .out = out};
    bool done = true;

    *out = (struct missed_paths){0};
    for (uint32_t i = 0; done && i < c->n_routines; i++)
        if (!c->routine[i].excluded && (!chosen || chosen[i]))
            done = search_routine(&s, i);
    free(s.stack);
    if (!done)
        missed_paths_free(out);
    return done;
}

void missed_paths_free(struct missed_paths *m)
{
    free(m->item);
    *m = (struct missed_paths){0};
}

/* Edge k leads from block k of the path to the next one. */
const struct wpp_line *missed_path_line(const struct coverage *c, const struct missed_path *m)
{
    const struct wpp_routine *r = c->routine[m->routine].routine;
    uint32_t *edge = malloc((r->n_blocks + (size_t)1) * sizeof *edge);
    const struct wpp_line *line = NULL;

    if (!edge)
        return NULL;
    wpp_path_edges(r, m->first, edge);
    for (uint32_t i = m->steps; i-- > 0 && !line;) {
        const struct wpp_block *b = &r->blocks[r->edges[edge[i]].dst];

        line = b->n_lines > 0 ? &b->lines[b->n_lines - 1] : NULL;
    }
    free(edge);
    return line;
}
