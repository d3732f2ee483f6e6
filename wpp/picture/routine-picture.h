/* SPDX-License-Identifier: MIT */
/* routine-picture.h - a routine's flow graph as it was executed: blocks, edges with counts, those that were
 * missed, and the paths that cost most.
 *
 *      box        a block, or (`folded`) several of those that cost least and hang together
 *      link       control went, or could have gone, from one box to another
 *      path k     links[i].paths has bit k where the k-th of the dearest paths goes along
 *
 * Of each block and link the count is that of the whole run, summed over the executed paths.
 */
#ifndef WPP_ROUTINE_PICTURE_H
#define WPP_ROUTINE_PICTURE_H

#include "wpp/profile/path-profile.h"

enum {
    FLOW_ENTRY = 0, FLOW_EXIT = 1,     /* the first two boxes: where calls come in and returns go out */
    FLOW_PATHS = 4                     /* so many paths are told apart */
};

struct flow_box {
    uint32_t block;                /* its number, or of a folded one the first */
    bool folded;                   /* stands for all its blocks */
    uint32_t n_blocks;             /* 1 if it is not folded */
    uint64_t count;                /* executions; of a folded one, of all its blocks together */
    double cost;
};

struct flow_link {
    uint32_t from, to;             /* boxes */
    uint64_t count;                /* 0: missed */
    bool back;                     /* a path ends here, and another one begins at the target */
    unsigned paths;                /* bits of the dearest paths that go along it */
};

/* Invariants (routine_picture_check): links ascend by (from, to), each pair occurs once; none leads into
 * FLOW_ENTRY or out of FLOW_EXIT; a link that an executed path goes along was not missed; each block is in
 * one box; path[] descends by cost. */
struct routine_picture {
    const struct wpp_routine *routine;
    uint32_t number;               /* of the routine */
    uint32_t n_boxes, n_links, n_paths;
    struct flow_box *box;
    struct flow_link *link;
    uint32_t path[FLOW_PATHS];     /* indices of the profile's paths */
    double cost;                   /* of all the routine's paths */
};

/* Of an executed routine; at most max_boxes boxes of blocks that are not folded, the dearest ones.
 * False: no memory.  Cost: O(its paths and edges). */
bool routine_picture_new(const struct path_profile *p, uint32_t routine, uint32_t max_boxes,
                    struct routine_picture *out);
void routine_picture_free(struct routine_picture *g);
bool routine_picture_check(const struct routine_picture *g, const char **why);

#endif
