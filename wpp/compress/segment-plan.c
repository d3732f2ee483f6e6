/* SPDX-License-Identifier: MIT */
#include "wpp/compress/segment-plan.h"

#include <assert.h>

/* Two parts are built at once from this limit on, and twice as many with each four times of it: so
 * shares grow as well. */
#define TWO_AT_ONCE (UINT64_C(48) << 20)
/* The least memory of a grammar (seq_is_full). */
enum { MEMORY_LEAST = 8 << 20 };
/* What has so many events for each symbol, or more, is as fast in one piece. */
enum { LONG_SYMBOLS = 64 };

static uint32_t parts_at_once(uint64_t memory_max)
{
    uint32_t n = 1;

    for (uint64_t from = TWO_AT_ONCE; memory_max >= from && n < WPP_PARTS_AT_ONCE_MOST; from *= 4)
        n *= 2;
    return n;
}

void wpp_segment_plan_init(struct wpp_segment_plan *p, uint64_t memory_max, bool groups)
{
    *p = (struct wpp_segment_plan){.memory_max = memory_max, .at_once = parts_at_once(memory_max),
                                   .groups = groups};
    p->groups &= p->at_once > 1;
}

bool wpp_repeats_much(uint64_t events, uint64_t symbols)
{
    return events / LONG_SYMBOLS > symbols;
}

uint64_t wpp_events_that_fit(uint64_t events, uint64_t memory, uint64_t fill)
{
    uint64_t kilobytes = memory / 1024 + 1;

    if (fill / 1024 >= 2 * kilobytes)
        return 2 * events;
    return events / kilobytes * (fill / 1024) + events % kilobytes * (fill / 1024) / kilobytes;
}

/* Takes the figures of the part `at_once` before the next one, if they are news. */
static void look_back(struct wpp_segment_plan *p)
{
    uint64_t part = p->begun - p->at_once;

    if (p->begun < p->at_once || part <= p->known_part)
        return;
    p->known_part = part;
    p->known = p->figures[part % p->at_once];
    p->kept += p->known.kept;
}

/* A sixteenth is left, so that a part seldom has a second segment. */
static uint64_t length_of_part(const struct wpp_segment_plan *p, uint64_t all, uint32_t event_bytes)
{
    uint64_t length = p->known.fit / 16 * 15;
    uint64_t most = all / 2 / event_bytes;

    if (length > most)
        length = most;
    return length / WPP_SEGMENT_WINDOW * WPP_SEGMENT_WINDOW + WPP_SEGMENT_WINDOW;
}

/* What pieces are kept of parts that are not known yet is counted as of the last known one. */
static bool is_group_full(const struct wpp_segment_plan *p, uint64_t memory)
{
    return p->groups && p->kept + p->at_once * p->known.kept >= memory / WPP_GROUP_KEPT;
}

struct wpp_part_plan wpp_segment_plan_next(struct wpp_segment_plan *p, uint64_t elsewhere,
                                           uint32_t event_bytes)
{
    uint64_t memory = p->memory_max > elsewhere + MEMORY_LEAST ? p->memory_max - elsewhere
                                                               : MEMORY_LEAST;
    /* One share is the base's.  The events that wait take the more of a share the smaller the grammar
     * still is. */
    uint64_t all = p->groups ? (memory - memory / WPP_GROUP_KEPT) / (p->at_once + 1) : memory / p->at_once;
    uint64_t share = all;
    struct wpp_part_plan plan;

    if (share < MEMORY_LEAST)
        share = MEMORY_LEAST;
    look_back(p);
    plan = (struct wpp_part_plan){.fill = share / 4 * 3, .events = UINT64_MAX};
    plan.open = p->begun == 0 || p->at_once == 1 || is_group_full(p, memory)
                || (p->groups && !p->kept)
                || wpp_repeats_much(p->known.events, p->known.symbols);
    plan.may_end_early = p->at_once > 1;
    plan.memory = plan.open ? memory : share;
    if (!plan.open)
        plan.events = length_of_part(p, all, event_bytes);
    p->begun++;
    return plan;
}

void wpp_segment_plan_ended(struct wpp_segment_plan *p, uint64_t part, bool open,
                            const struct wpp_part_figures *figures)
{
    assert(part < p->begun && part + p->at_once >= p->begun);
    p->figures[part % p->at_once] = *figures;
    if (!open)
        return;
    p->known_part = part;
    p->known = *figures;
    p->kept = figures->kept;
}
