/* SPDX-License-Identifier: MIT */
/* lane-model.h - names of symbols in a code that is made for fast reading.
 *
 * docs/wpp-format.md, "Lanes", defines it.  A symbol is named by the first terminal that it derives,
 * which is predicted from the last terminal of the symbol named before, and by its place in the
 * *family* of that terminal.  A family is ordered by how often its symbols have been named:
 *
 *      | 512 times or more | 256 .. 511 | ... | 4 .. 7 | 2, 3 | 1 | 0 |     classes 10 .. 0
 *      0                   end[10]      end[9]                        end[0] = symbols in the family
 *
 * The class is coded with shares, the place in the class as a plain number.  A symbol that leaves its
 * class changes places with the first one there, so it is next to the class above.
 *
 * The names of a block are cut into four lanes of (nearly) the same length, read side by side: each
 * name waits for the one before it in its lane, but not for the others.  A *round* takes one name from
 * each lane.  What it has named is counted at its end, so the four do not wait for each other in
 * memory either.  Symbols that come into being
 * in a block are *young* there: they are in no family, and are named by their number in the block.
 */
#ifndef WPP_LANE_MODEL_H
#define WPP_LANE_MODEL_H

#include "wpp/format/share-coder.h"
#include "wpp/wpp.h"

enum {
    WPP_LANES = 4,
    WPP_CLASSES = 11,
    WPP_COUNT_BITS = 10,         /* of how often a symbol has been named; it stops at 512 */
    WPP_NEAR = 14, WPP_FAR = 14, /* terminals that have followed another one: the first ones */
    WPP_FAMILY_SIZES = 33
};
/* Terminals are below. */
#define WPP_LANE_TERMINALS ((UINT32_C(1) << (32 - WPP_COUNT_BITS)) - 1)
#define WPP_YOUNG UINT32_C(0x40000000)   /* | the number: a young symbol, in a list of names */

struct wpp_kin {
    uint32_t symbol;
    uint32_t context;            /* 1 + the last terminal; how often it was named, in the low
                                    WPP_COUNT_BITS */
};
struct wpp_kinship {
    struct wpp_kin *kin;
    uint32_t room;
    uint32_t end[WPP_CLASSES + 1];       /* of each class; end[WPP_CLASSES] is 0 */
};

/* The first terminals of symbols that have come behind a terminal. */
struct wpp_after {
    struct wpp_shares which;     /* near[0 ..], WPP_IS_YOUNG or WPP_IS_FAR */
    uint32_t n;
    uint32_t near[WPP_NEAR];
};
struct wpp_far_after {
    struct wpp_shares which;     /* far[0 ..] or WPP_IS_UNLISTED */
    uint32_t n;
    uint32_t far[WPP_FAR];
};
enum { WPP_IS_YOUNG = WPP_NEAR, WPP_IS_FAR, WPP_IS_UNLISTED = WPP_FAR };

struct wpp_lane_model {
    uint32_t n_terminals;        /* in families; families [0 .. n), contexts [0 .. n] */
    uint32_t room;
    struct wpp_kinship *families;
    struct wpp_after *after;     /* after[0]: nothing; after[1 + t]: terminal t */
    struct wpp_far_after *far;
    struct wpp_shares classes[WPP_LANES][WPP_FAMILY_SIZES];
    bool no_memory;              /* once set it stays */
};

bool wpp_lane_model_init(struct wpp_lane_model *m);     /* false: no memory */
void wpp_lane_model_free(struct wpp_lane_model *m);

/* The next terminal gets a family, in which it is alone; returns its place there. */
uint32_t wpp_lane_model_add_terminal(struct wpp_lane_model *m);
/* A rule joins the family of its first terminal.  Returns its place. */
uint32_t wpp_lane_model_add_rule(struct wpp_lane_model *m, uint32_t rule, uint32_t first,
                                 uint32_t last);

/* The names of a block. */
struct wpp_names {
    uint32_t n, n_young;
    uint32_t *names;             /* symbols in families, or WPP_YOUNG | the number of a young one */
    const uint32_t *ends;        /* of each young one: 1 + the name that it ends with; 0: unknown */
    uint32_t *contexts;          /* scratch, for each name: 1 + the terminal that it ends with, or 0 */
};

/* Reads the names from the lanes.  NULL, or why that cannot be. */
const char *wpp_lanes_read(struct wpp_lane_model *m, struct wpp_stream_in *lanes,
                           const struct wpp_names *names);

/* The writer's knowledge of symbols in families. */
struct wpp_lane_places {
    uint32_t *terminal;          /* its place in its own family */
    struct { uint32_t first, place; } *rule;
};
void wpp_lanes_write(struct wpp_lane_model *m, struct wpp_stream_out *lanes,
                     struct wpp_lane_places *places, const struct wpp_names *names);

#endif
