/* SPDX-License-Identifier: MIT */
/* segment-plan.h - with a limit of memory: how a trace is cut.
 *
 *      trace      | open part | part 1 | part 2 | part 3 | part 4 | open part ...
 *      segments   |     0     |   1    | 2  | 3 |   4    |   5    |     6     ...
 *      memory     |  all of   |   a share each, `at_once` of them |  all of
 *                 |   it      |   are built at the same time      |   it
 *
 * A part is what one thread makes segments of.  A grammar that repeats much is as fast as its events
 * come: it is an open part, which is built alone and ends when it has filled the memory.  If it
 * repeats little, an open part ends as soon as it has filled a share; the parts behind it have about
 * as many events as will fill one.  A part whose grammar is full before its end has several segments.
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

/* What a part was like. */
struct wpp_part_figures {
    uint64_t events, symbols;    /* of all its segments; on right-hand sides */
    uint64_t fit;                /* about so many events fill a share */
};

struct wpp_segment_plan {
    uint64_t memory_max;         /* for the whole process */
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

/* `memory_max` is the limit for the process. */
void wpp_segment_plan_init(struct wpp_segment_plan *p, uint64_t memory_max);
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
