/* SPDX-License-Identifier: MIT */
/* tree-walk.h - visits the paths and calls of pieces of a call tree, each as often as it occurs, but
 * each piece once.
 *
 *      put_root, put_activation ...    what is to be visited
 *      tree_walk                       visits it; calls are not entered, unless they are put meanwhile
 *
 * A call is made where the last path before it in its activation ended.  A piece may begin with calls:
 * these are visited for each place in which the piece stands, so that the path is known.
 */
#ifndef WPP_TREE_WALK_H
#define WPP_TREE_WALK_H

#include "wpp/base/descending.h"
#include "wpp/replay/call-tree.h"

#define WALK_NONE UINT32_MAX

/* Where a call is made. */
struct walk_site {
    uint32_t caller;               /* routine; WALK_NONE: no traced one */
    uint32_t terminal;             /* the caller's path that ended there; WALK_NONE: it was before the
                                      part of the run that is looked at */
};

/* A piece whose first calls are still to be visited. */
struct walk_lead {
    uint32_t piece;
    struct walk_site site;
    double times;
};

struct tree_walk {
    const wpp *w;
    const struct call_tree *tree;
    uint32_t *last;                /* by piece: its last path, or WALK_NONE */
    bool *leads;                   /* by piece: it begins with a call */
    double *times;                 /* by piece: 0 between two walks */
    struct descending order;
    struct walk_lead *todo;
    size_t n_todo, todo_room;
    /* The caller's, with `ctx`; false stops the walk.  A path may be NULL. */
    bool (*path)(void *ctx, uint32_t terminal, double times);
    bool (*call)(void *ctx, struct walk_site site, uint32_t activation, double times);
    void *ctx;
};

/* False: no memory.  Cost: O(tree). */
bool tree_walk_begin(struct tree_walk *out, const wpp *w, const struct call_tree *tree);
void tree_walk_end(struct tree_walk *walk);

/* What is run in the activation, or by no traced routine in the thread.  False: no memory. */
bool tree_walk_put_activation(struct tree_walk *walk, uint32_t activation, double times);
bool tree_walk_put_root(struct tree_walk *walk, uint32_t thread);

/* False: no memory, or a visitor stopped it.  Cost: O(pieces that are reached without a call). */
bool tree_walk(struct tree_walk *walk);

#endif
