/* SPDX-License-Identifier: MIT */
/* lane-code.h - the steps of a grammar (grammar-code.h) in blocks that are read fast.
 *
 *      block    structure                names, in four lanes
 *               3 symbols, reduce 2      | a b R1 .. | R7 a .. | c .. | R2 .. |
 *               1 symbol, new ...
 *               .. pause
 *
 * The structure says which steps there are, the lanes which symbols are meant (lane-model.h).
 */
#ifndef WPP_LANE_CODE_H
#define WPP_LANE_CODE_H

#include "wpp/format/lane-model.h"

enum {
#ifdef WPP_HOSTILE
    WPP_BLOCK_NAMES = 1 << 5,    /* a writer's blocks have no more names */
#else
    WPP_BLOCK_NAMES = 1 << 13,
#endif
    WPP_BLOCK_NAMES_MOST = 1 << 16,      /* nor does any block: names, */
    WPP_BLOCK_EVENTS_MOST = 1 << 16      /* and events */
};

enum wpp_event_kind { WPP_EVENT_PAUSE, WPP_EVENT_END, WPP_EVENT_NEW, WPP_EVENT_REDUCE };

/* So many symbols are pushed, then this happens.  A pause ends the block. */
struct wpp_lane_event {
    uint32_t run;
    enum wpp_event_kind kind;
    uint64_t n;                  /* REDUCE: symbols, at least 2 */
};

/* The tables of the structure. */
struct wpp_structure {
    struct wpp_shares runs[WPP_SHARE_SYMBOLS];   /* by the event before */
    struct wpp_shares events[WPP_SHARE_SYMBOLS]; /* by the run before */
    struct wpp_shares run_widths, length_widths; /* of long ones */
};

/* ---- Writing ------------------------------------------------------------------------------ */

struct wpp_lane_writer;

/* The code is appended to `out`, which must live as long.  NULL: no memory. */
struct wpp_lane_writer *wpp_lane_writer_new(struct wpp_bytes *out);
void wpp_lane_writer_free(struct wpp_lane_writer *w);
/* The steps.  Terminals are numbered by first occurrence.  False: no memory, or a terminal is not
 * below WPP_LANE_TERMINALS. */
bool wpp_lane_writer_symbol(struct wpp_lane_writer *w, uint32_t symbol);
bool wpp_lane_writer_reduce(struct wpp_lane_writer *w, uint64_t n, uint32_t begin);
bool wpp_lane_writer_end(struct wpp_lane_writer *w);
bool wpp_lane_writer_finish(struct wpp_lane_writer *w);
/* How many there have been. */
uint32_t wpp_lane_writer_terminals(const struct wpp_lane_writer *w);
uint32_t wpp_lane_writer_rules(const struct wpp_lane_writer *w);

/* ---- Reading ------------------------------------------------------------------------------ */

struct wpp_lane_reader {
    struct wpp_view code;
    struct wpp_lane_model model;
    struct wpp_structure structure;
    uint32_t n_names, n_events, n_young;         /* of the block */
    uint32_t *names;             /* symbols, or WPP_YOUNG | the number of one of the block's own */
    uint32_t *contexts;          /* scratch */
    struct wpp_lane_event *event;
    uint32_t *young, *ends;      /* of the block's own, by number: the symbol, which may come
                                    only later; as in struct wpp_names */
};

bool wpp_lane_reader_init(struct wpp_lane_reader *r, struct wpp_view code);   /* false: no memory */
void wpp_lane_reader_free(struct wpp_lane_reader *r);
/* Reads the next block, which ends at the latest with the ends of `threads` threads.  `terminals` and
 * `rules` are those so far.  All symbols that come into being in it must be added to r->model before
 * the next one is read.  NULL, or why that cannot be. */
const char *wpp_lane_reader_next(struct wpp_lane_reader *r, uint32_t terminals, uint32_t rules,
                                 uint32_t threads);
/* Whether the code ends behind the last block read. */
bool wpp_lane_reader_ends(const struct wpp_lane_reader *r);

#endif
