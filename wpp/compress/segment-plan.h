/* SPDX-License-Identifier: MIT */
/* segment-plan.h - with a limit of memory: how a trace is cut.
 *
 *      trace      | open part | part 1 | part 2 | part 3 | part 4 | open part ...
 *      pieces     |     0     |   1    | 2  | 3 |   4    |   5    |     0     ...
 *      memory     |  all of   |   a share each, `at_once` of them |  all of
 *                 |   it      |   are built at the same time      |   it
 *      segments   |                      0                        |     1     ...
 *
 * A part is what one thread builds.  A grammar that repeats much is as fast as its events come: it is an
 * open part, which is built alone and ends when it has filled the memory; then it is a segment.  If it
 * repeats little, an open part ends as soon as it has filled a share, and becomes the base of a group
 * (sequitur.h, "Grammars on a base").  The parts behind it have about as many events as will fill a
 * share.  A part whose grammar is full before its end has several pieces.  All pieces of a group become
 * one segment.  Pieces are kept until then; when they have filled a quarter of the memory, another open
 * part begins.
 *
 * Parts that are parsed anew cannot share a base: each of their pieces is a segment.
 *
 * The plan depends on the trace and on the limit, not on time or processors: a part is planned by
 * the last open part or by the part `at_once` before it, whichever is later.
 */
#ifndef WPP_SEGMENT_PLAN_H
#define WPP_SEGMENT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { WPP_PARTS_AT_ONCE_MOST = 64 };
/* Whether a grammar is full is asked whenever so many events have come: after as many it may be
 * (seq_is_full). */
enum { WPP_SEGMENT_WINDOW = 1 << 14 };

/* Roughly what a piece takes with its code, for each symbol: 4 bytes and 2 of the code; rules are about a tenth of
 * the symbols, and take 12 bytes, and 32 in the model. */
enum { WPP_PIECE_SYMBOL_BYTES = 11 };
/* A group ends when its pieces take 1 / WPP_GROUP_KEPT of the memory. */
enum { WPP_GROUP_KEPT = 4 };

/* What a part was like. */
struct wpp_part_figures {
    uint64_t events, symbols;    /* of all its segments; on right-hand sides */
    uint64_t fit;                /* about so many events fill a share */
    uint64_t kept;               /* bytes of its pieces, and of their code and its model */
};

struct wpp_segment_plan {
    uint64_t memory_max;         /* for the whole process */
    bool groups;                 /* parts share a base */
    uint64_t kept;               /* of the parts of the group that may be used for planning */
    uint32_t at_once;
    uint64_t begun;              /* parts */
    uint64_t known_part;         /* the latest one that may be used for planning */
    struct wpp_part_figures known;
    struct wpp_part_figures figures[WPP_PARTS_AT_ONCE_MOST];     /* by part modulo at_once */
};

struct wpp_part_plan {
    bool open;
    bool may_end_early;          /* an open one: when it fills a share and repeats little */
    uint64_t events;             /* its length; of an open part: unknown, UINT64_MAX */
    uint64_t memory;             /* of its grammars, which are full then */
    uint64_t fill;               /* a grammar that has so much fills a share: its export needs the
                                    rest */
};

/* `memory_max` is the limit for the process; groups: whether parts may share a base. */
void wpp_segment_plan_init(struct wpp_segment_plan *p, uint64_t memory_max, bool groups);
/* Plans the next part; the parts `at_once` or more before it have ended, and if it is open, all have
 * to end before it begins.  `elsewhere`: bytes of the process besides the grammars and the events
 * that wait for them, `event_bytes` each. */
struct wpp_part_plan wpp_segment_plan_next(struct wpp_segment_plan *p, uint64_t elsewhere,
                                           uint32_t event_bytes);
/* Tells what a part was like. */
void wpp_segment_plan_ended(struct wpp_segment_plan *p, uint64_t part, bool open,
                            const struct wpp_part_figures *figures);

/* Whether a grammar with so many symbols repeats so much that no other thread pays. */
bool wpp_repeats_much(uint64_t events, uint64_t symbols);
/* About how many events fill a share of memory, if the first ones have taken so much of it. */
uint64_t wpp_events_that_fit(uint64_t events, uint64_t memory, uint64_t fill);

#endif
