/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/prime-paths.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 2
#define NO_BLOCK UINT32_MAX

enum { STEPS_PER_PATH = 400 };

struct arc { uint32_t src, dst; };

/* Neighbours of block b in one direction: at[first[b] .. first[b+1]), ascending. */
struct neighbours { uint32_t *first, *at; };

struct search {
    uint32_t n_blocks, n_arcs;
    struct neighbours out, in;
    bool *ahead, *behind;      /* can be reached from the path's first block; that can be from them */
    bool *on_path;
    uint32_t *path, *next;     /* the path, and of each of its blocks the next way to try */
    uint32_t length;
    bool cycles_only;          /* the first block starts no other prime path */
    uint32_t limit;
    uint64_t steps;            /* that are left */
    struct prime_paths *out_paths;
    size_t n_blocks_out, capacity, path_capacity;
};

/* ---- The graph ----------------------------------------------------------------------------------- */

static int compare_arcs(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static uint32_t collect_arcs(const struct wpp_routine *r, struct arc *arc)
{
    uint32_t n = 0, kept = 0;

    for (uint32_t i = 0; i < r->n_edges; i++) {
        const struct wpp_edge *e = &r->edges[i];
        uint32_t to = e->kind == WPP_EDGE_REAL ? e->dst : e->kind == WPP_EDGE_START ? NO_BLOCK : e->to;

        if (e->src >= FIRST_BLOCK && to != NO_BLOCK && to >= FIRST_BLOCK)
            arc[n++] = (struct arc){e->src, to};
    }
    for (uint32_t i = 0; i < r->n_landings; i++)
        arc[n++] = (struct arc){r->landings[i].src, r->landings[i].dst};
    qsort(arc, n, sizeof *arc, compare_arcs);
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || compare_arcs(&arc[kept - 1], &arc[i]) != 0)
            arc[kept++] = arc[i];
    return kept;
}

/* Arcs are sorted by source. */
static bool index_neighbours(struct neighbours *to, const struct arc *arc, uint32_t n, uint32_t blocks)
{
    to->first = calloc(blocks + (size_t)1, sizeof *to->first);
    to->at = calloc(n + (size_t)1, sizeof *to->at);
    if (!to->first || !to->at)
        return false;
    for (uint32_t b = 0, i = 0; b <= blocks; b++) {
        while (i < n && arc[i].src < b)
            i++;
        to->first[b] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        to->at[i] = arc[i].dst;
    return true;
}

static bool make_graph(struct search *s, const struct wpp_routine *r)
{
    struct arc *arc = calloc(r->n_edges + (size_t)r->n_landings + 1, sizeof *arc);
    bool done = arc != NULL;

    if (done) {
        s->n_arcs = collect_arcs(r, arc);
        done = index_neighbours(&s->out, arc, s->n_arcs, r->n_blocks);
        for (uint32_t i = 0; i < s->n_arcs; i++)
            arc[i] = (struct arc){arc[i].dst, arc[i].src};
        qsort(arc, s->n_arcs, sizeof *arc, compare_arcs);
        done = done && index_neighbours(&s->in, arc, s->n_arcs, r->n_blocks);
    }
    free(arc);
    return done;
}

/* Marks what can be reached from `from` by at least one arc; `queue` has room for all blocks. */
static void reach(const struct search *s, const struct neighbours *along, uint32_t from, bool *reached,
                  uint32_t *queue)
{
    uint32_t n = 0;

    memset(reached, 0, s->n_blocks * sizeof *reached);
    for (uint32_t done = 0, b = from;; b = queue[done++]) {
        for (uint32_t i = along->first[b]; i < along->first[b + 1]; i++)
            if (!reached[along->at[i]]) {
                reached[along->at[i]] = true;
                queue[n++] = along->at[i];
            }
        if (done == n)
            return;
    }
}

/* ---- Paths ----------------------------------------------------------------------------------------- */

static bool grow(uint32_t **list, size_t *capacity, size_t n)
{
    size_t larger = 2 * n + 64;
    uint32_t *moved;

    if (n < *capacity)
        return true;
    moved = realloc(*list, larger * sizeof *moved);
    if (!moved)
        return false;
    *list = moved;
    *capacity = larger;
    return true;
}

/* Adds the path, and `back` behind it if that is a block. */
static bool add_path(struct search *s, uint32_t back)
{
    struct prime_paths *out = s->out_paths;

    if (out->n == s->limit) {
        out->limited = true;
        return true;
    }
    if (!grow(&out->first, &s->path_capacity, out->n + 1)
        || !grow(&out->block, &s->capacity, s->n_blocks_out + s->length + 1))
        return false;
    memcpy(out->block + s->n_blocks_out, s->path, s->length * sizeof *out->block);
    s->n_blocks_out += s->length;
    if (back != NO_BLOCK)
        out->block[s->n_blocks_out++] = back;
    out->first[++out->n] = (uint32_t)s->n_blocks_out;
    out->limited = s->n_blocks_out >= UINT32_MAX / 2;
    return true;
}

/* Nothing can be put in front of the path. */
static bool is_first(const struct search *s)
{
    uint32_t b = s->path[0];

    for (uint32_t i = s->in.first[b]; i < s->in.first[b + 1]; i++)
        if (!s->on_path[s->in.at[i]])
            return false;
    return true;
}

/* Takes the path that ends in its last block: back to its first one, or if it cannot go on. */
static bool take_path(struct search *s)
{
    uint32_t last = s->path[s->length - 1];
    bool goes_on = false, back = false;

    for (uint32_t i = s->out.first[last]; i < s->out.first[last + 1]; i++) {
        back |= s->out.at[i] == s->path[0];
        goes_on |= !s->on_path[s->out.at[i]];
    }
    if (back)
        return add_path(s, s->path[0]);
    return s->cycles_only || goes_on || !is_first(s) || add_path(s, NO_BLOCK);
}

static bool enter(struct search *s, uint32_t block)
{
    s->on_path[block] = true;
    s->next[s->length] = s->out.first[block];
    s->path[s->length++] = block;
    return take_path(s);
}

/* The next block for the path; NO_BLOCK: there is none. */
static uint32_t next_block(struct search *s)
{
    uint32_t last = s->path[s->length - 1], *at = &s->next[s->length - 1];

    while (*at < s->out.first[last + 1]) {
        uint32_t b = s->out.at[(*at)++];

        if (!s->on_path[b] && (!s->cycles_only || (s->ahead[b] && s->behind[b])))
            return b;
    }
    return NO_BLOCK;
}

/* All prime paths that begin with a block.  If a block before it cannot be on a path from it, such a path
 * can always be made longer, unless it is a cycle; and a cycle stays where it can return. */
static bool search_from(struct search *s, uint32_t first)
{
    bool done;

    reach(s, &s->out, first, s->ahead, s->next);
    reach(s, &s->in, first, s->behind, s->next);
    s->cycles_only = false;
    for (uint32_t i = s->in.first[first]; i < s->in.first[first + 1]; i++)
        s->cycles_only |= !s->ahead[s->in.at[i]] && s->in.at[i] != first;
    done = enter(s, first);
    while (done && s->length > 0 && !s->out_paths->limited) {
        uint32_t b = next_block(s);

        if (b != NO_BLOCK)
            done = enter(s, b);
        else
            s->on_path[s->path[--s->length]] = false;
        s->out_paths->limited |= s->steps-- == 0;
    }
    return done;
}

bool prime_paths_find(const struct wpp_routine *routine, uint32_t limit, struct prime_paths *out)
{
    size_t n = routine->n_blocks + (size_t)1;
    struct search s = {
        .n_blocks = routine->n_blocks, .limit = limit, .out_paths = out,
        .steps = (uint64_t)STEPS_PER_PATH * (limit + (uint64_t)1),
        .ahead = calloc(n, sizeof *s.ahead), .behind = calloc(n, sizeof *s.behind),
        .on_path = calloc(n, sizeof *s.on_path), .path = calloc(n, sizeof *s.path),
        .next = calloc(n, sizeof *s.next)
    };
    bool done = s.ahead && s.behind && s.on_path && s.path && s.next && make_graph(&s, routine);

    *out = (struct prime_paths){.first = calloc(1, sizeof *out->first), .block = NULL};
    s.path_capacity = 1;
    done = done && out->first;
    for (uint32_t b = FIRST_BLOCK; done && b < routine->n_blocks && !out->limited; b++)
        done = search_from(&s, b);
    if (out->limited)
        out->n = 0;
    free(s.ahead);
    free(s.behind);
    free(s.on_path);
    free(s.path);
    free(s.next);
    free(s.out.first);
    free(s.out.at);
    free(s.in.first);
    free(s.in.at);
    if (!done)
        prime_paths_free(out);
    return done;
}

void prime_paths_free(struct prime_paths *p)
{
    free(p->first);
    free(p->block);
    *p = (struct prime_paths){0};
}
