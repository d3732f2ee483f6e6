/* SPDX-License-Identifier: MIT */
/* partial-paths.h - parts of acyclic paths that were seen, each once, with how often.
 *
 * A trail follows control through the blocks of an address map, as far as it is known, with a stack of the
 * activations that it is in.  Where a path begins or ends (a cut edge, the routine's entry and end), the
 * part up to there is added to the set:
 *
 *      partial path   routine 7, block 4, edges 12 15 3       begins within a path
 *                     routine 7, block 0 (ENTRY), edges 1 9   begins a path, ends where the trail ended
 */
#ifndef WPP_PARTIAL_PATHS_H
#define WPP_PARTIAL_PATHS_H

#include "wpp/map/address-map.h"
#include "wpp/samples/path-graph.h"

struct partial_path {
    uint32_t routine;
    uint32_t vertex;           /* where it begins; 0: at the path's begin */
    uint32_t age;              /* branches of the sample from its begin, or if that was not seen, from the
                                  sample's, to its end, or if that was not seen, the sample's */
    uint32_t n;                /* edges */
    const uint32_t *edge;      /* valid until the next is added */
    uint64_t count;
};

struct partial_paths {
    uint64_t n, n_slots;
    struct partial_slot { uint64_t hash, count; size_t at; } *slot;   /* count 0: empty */
    uint32_t *word;            /* routine, vertex, age, n, edges: end to end */
    size_t n_words, cap_words;
};

/* False without memory.  O(edges). */
bool partial_paths_add(struct partial_paths *p, const struct partial_path *path);
/* The i-th slot's, i < n_slots; false: it is empty. */
bool partial_paths_get(const struct partial_paths *p, uint64_t i, struct partial_path *out);
void partial_paths_free(struct partial_paths *p);

/* The graphs of all routines of a map, made when they are needed. */
struct path_graphs {
    const struct address_map *map;
    struct path_rules rules;
    struct path_graph **graph; /* by routine; NULL: not needed yet */
    struct wpp_arena arena;
};
bool path_graphs_new(struct path_graphs *g, const struct address_map *map, struct path_rules rules);
void path_graphs_free(struct path_graphs *g);
/* NULL without memory. */
const struct path_graph *path_graphs_of(struct path_graphs *g, uint32_t routine);

/* ---- Trails ---------------------------------------------------------------------------------- */

struct block_trail_frame {
    uint32_t routine;          /* PATH_NONE: code without blocks */
    uint32_t block;            /* number within the routine, where control is */
    uint32_t vertex;           /* where the part began */
    uint32_t born;             /* the clock then; 0 if control was there before */
    uint32_t n, capacity;
    uint32_t *edge;
};

struct block_trail {
    struct path_graphs *graphs;
    struct partial_paths *found;
    uint32_t clock;            /* branches of the sample so far; its owner's */
    bool split;                /* the paper's way: a call or return ends what is known of the path */
    uint32_t depth, capacity;
    struct block_trail_frame *frame; /* [0, depth) */
    bool failed;               /* memory has run out; stays set */
};

void block_trail_free(struct block_trail *t);

/* The activation has ended in a way that its graph does not show. */
void block_trail_drop(struct block_trail *t);
/* The activation goes on at a block to which no edge leads: an exception, a non-local jump. */
void block_trail_land(struct block_trail *t, uint32_t routine, uint32_t block);
/* Nothing is known from here on: all parts end. */
void block_trail_reset(struct block_trail *t);
/* Control is within this block, of an activation of which nothing else is known. */
void block_trail_begin(struct block_trail *t, uint32_t routine, uint32_t block);
/* Control goes on at a block of the same activation.  False: the graph has no such edge. */
bool block_trail_go(struct block_trail *t, uint32_t block);
/* A call; routine PATH_NONE: of code without blocks. */
void block_trail_call(struct block_trail *t, uint32_t routine);
/* Control leaves the routine by a return or a tail call.  The activation's path ends. */
void block_trail_leave(struct block_trail *t);
/* Control comes back into a block within which there is a call. */
void block_trail_come_back(struct block_trail *t, uint32_t routine, uint32_t block);

/* The top frame's place; routine PATH_NONE if there is none. */
static inline struct block_trail_frame block_trail_top(const struct block_trail *t)
{
    return t->depth ? t->frame[t->depth - 1] : (struct block_trail_frame){.routine = PATH_NONE};
}

#endif
