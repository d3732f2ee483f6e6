/* SPDX-License-Identifier: MIT */
/* limited-segments.c - with a limit of memory: the trace is cut into segments (segment-plan.h), which
 * know nothing of each other and are put away in the order of the trace.
 *
 *      segments    | builders[0] | builders[1] | ... | maker, or a builder with its maker
 *      in a file     ended, the first one first        appended to
 */
#include "wpp/compress/compressor.h"

#include <string.h>

#include "wpp/base/error.h"

/* The tool's code, stack and libraries, unused parts of large pages, and what is not counted. */
enum { MEMORY_FIXED = 12 << 20 };
/* While parts are built, the alphabet may grow by 1 / ALPHABET_GROWTH of the limit. */
enum { ALPHABET_GROWTH = 16 };
/* Of each terminal: its token, a slot and an empty one, the segments' number for it, and, by each
 * builder, its place while a segment is encoded. */
enum { TERMINAL_BYTES = 4 + 8 + 8, ENCODED_TERMINAL_BYTES = 4 };

/* What memory is taken elsewhere is computed, not asked for: that would depend on what the builders
 * are doing. */
static uint64_t alphabet_bytes(const wpp_compressor *c)
{
    uint64_t each = TERMINAL_BYTES + ENCODED_TERMINAL_BYTES * (uint64_t)c->plan.at_once;

    return wpp_alphabet_mapped(&c->alphabet) + c->alphabet.n * each;
}

/* At the end of a window, so that it does not depend on how many tokens are mapped at once. */
static void look_at_alphabet(wpp_compressor *c)
{
    c->alphabet_n = c->alphabet.n;
    c->alphabet_now = alphabet_bytes(c);
}

static uint64_t memory_elsewhere(const wpp_compressor *c)
{
    return MEMORY_FIXED + c->alphabet_now + wpp_modules_bytes(&c->modules);
}

void wpp_limited_begin(wpp_compressor *c)
{
    wpp_segment_plan_init(&c->plan, c->memory_max);
    c->segments.ahead = c->plan.at_once - 1;
    c->window_left = WPP_SEGMENT_WINDOW;
    look_at_alphabet(c);
}

/* ---- The ends of parts ------------------------------------------------------------------ */

/* Puts the segments of the oldest part away.  Takes the maker. */
static bool put_away(wpp_compressor *c, struct wpp_segment_maker *maker, bool open)
{
    struct wpp_part_figures figures = wpp_segment_maker_figures(maker);
    uint32_t n;
    const struct wpp_segment *segments = wpp_segment_maker_segments(maker, &n);
    bool done = true;

    for (uint32_t i = 0; i < n && done; i++)
        done = wpp_segments_add(&c->segments, &segments[i], c->alphabet.n, &c->fatal);
    wpp_segment_plan_ended(&c->plan, c->parts_taken++, open, &figures);
    wpp_segment_maker_free(maker);
    c->heap->trim();
    return done;
}

/* Puts the part of the oldest builder away; waits for it. */
static bool take_from_builder(wpp_compressor *c)
{
    struct wpp_segment_maker *maker;
    int status = wpp_builder_take_segments(wpp_segmenter_oldest(c), &maker);

    c->crew->free++;
    if (status == SEQ_OK)
        return put_away(c, maker, false);
    wpp_segment_maker_free(maker);
    return wpp_segmenter_fail(c, status);
}

static bool take_from_builders(wpp_compressor *c)
{
    while (c->n_builders > 0)
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Ends the current part, now or when its builder has finished it. */
static bool end_part(wpp_compressor *c)
{
    struct wpp_segment_maker *maker = c->maker;
    int status;

    if (c->builder) {
        wpp_builder_end(c->builder, c->streams.n);
        c->builders[c->n_builders++] = c->builder;
        c->builder = NULL;
        return true;
    }
    c->maker = NULL;
    status = wpp_segment_maker_end(maker, c->streams.n);
    if (status == SEQ_OK && take_from_builders(c))
        return put_away(c, maker, c->part_plan.open);
    wpp_segment_maker_free(maker);
    return status == SEQ_OK ? false : wpp_segmenter_fail(c, status);
}

/* ---- The beginnings --------------------------------------------------------------------- */

/* Waits for the parts that must have ended before another one begins, and takes those that have. */
static bool find_thread(wpp_compressor *c)
{
    while (c->n_builders > 0 &&
           (c->parts_taken + c->plan.at_once <= c->plan.begun || !c->crew->free ||
            wpp_builder_is_done(c->builders[0])))
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Segments can no longer be put away: the trace ends here. */
static void end_trace(wpp_compressor *c)
{
    wpp_note(c, WPP_E_SYSTEM, "segments of the grammar cannot be put away: %s; the first %llu "
             "events were taken", strerror(c->segments.full), (unsigned long long)c->tokens);
    c->over = c->skipping = true;
}

/* Begins another part: a thread builds it, if one is free and it is not an open one. */
static bool begin_part(wpp_compressor *c)
{
    if (!find_thread(c))
        return false;
    if (c->segments.n && c->segments.full) {
        bool done = take_from_builders(c);
        end_trace(c);
        return done;
    }
    c->part_plan = wpp_segment_plan_next(&c->plan, memory_elsewhere(c),
                                         wpp_builder_terminal_bytes(c->alphabet_n));
    c->part_left = c->part_plan.events;
    c->alphabet_then = c->alphabet_now;
    if (c->part_plan.open && !take_from_builders(c))
        return false;
    c->maker = wpp_segment_maker_new(&c->part_plan, c->anew, c->enough);
    if (!c->maker)
        return wpp_fail_memory(&c->fatal);
    if (c->part_plan.open || !c->crew || !c->crew->free)
        return true;
    c->builder = wpp_builder_new_segments(c->maker);
    if (!c->builder)
        return true;
    c->maker = NULL;
    c->crew->free--;
    return true;
}

/* ---- Appending --------------------------------------------------------------------------- */

/* Whether the part ends at the end of this window. */
static bool is_over(wpp_compressor *c, int *status)
{
    uint64_t grown = c->alphabet_now - c->alphabet_then;

    if (grown >= c->memory_max / ALPHABET_GROWTH / (c->part_plan.open ? 1 : c->plan.at_once))
        return true;
    return c->part_plan.open ? wpp_segment_maker_is_full(c->maker, status) : c->part_left == 0;
}

/* Another terminal comes behind the end of a window. */
static bool end_window(wpp_compressor *c)
{
    int status = SEQ_OK;
    bool over = is_over(c, &status);

    c->window_left = WPP_SEGMENT_WINDOW;
    return status != SEQ_OK ? wpp_segmenter_fail(c, status) : !over || end_part(c);
}

bool wpp_limited_append(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    int status;

    if (n == 0)
        return true;
    if (c->window_left == 0 && !end_window(c))
        return false;
    if (!c->maker && !c->builder && !begin_part(c))
        return false;
    if (c->over)
        return true;
    status = c->builder
                 ? wpp_builder_append(c->builder, c->current, terminals, n, c->alphabet.n)
                 : wpp_segment_maker_append(c->maker, c->current, terminals, n, c->alphabet.n);
    if (status != SEQ_OK)
        return wpp_segmenter_fail(c, status);
    c->streams.list[c->current].tokens += n;
    c->tokens += n;
    c->window_left -= (uint32_t)n;
    c->part_left -= c->part_plan.open ? 0 : n;
    if (c->window_left == 0)
        look_at_alphabet(c);
    return true;
}

/* What has never been full stays one grammar. */
static bool end_only_grammar(wpp_compressor *c)
{
    int status = SEQ_OK;

    if (c->maker)
        status = wpp_segment_maker_give_back(c->maker, &c->grammar);
    wpp_segment_maker_free(c->maker);
    c->maker = NULL;
    if (status == SEQ_OK && !c->grammar)
        status = seq_new(&c->grammar, NULL);
    return status == SEQ_OK ? wpp_segmenter_end_grammar(c) : wpp_segmenter_fail(c, status);
}

bool wpp_limited_end(wpp_compressor *c)
{
    bool only = c->plan.begun <= 1 && !c->segments.n;

    if (only)
        return end_only_grammar(c);
    if ((c->maker || c->builder) && !end_part(c))
        return false;
    return take_from_builders(c);
}
