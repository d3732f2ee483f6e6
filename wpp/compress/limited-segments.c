/* SPDX-License-Identifier: MIT */
/* limited-segments.c - with a limit of memory: the trace is cut into segments (segment-plan.h), which
 * know nothing of each other and are put away in the order of the trace.
 *
 *      segments  | base, pieces  | builders[0] | ... | maker, or a builder with its maker
 *      in a file   the group's;    ended, the first    appended to
 *                  being coded     one first
 */
#include "wpp/compress/compressor.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

/* The tool's code, stack and libraries, unused parts of large pages, and what is not counted. */
enum { MEMORY_FIXED = 12 << 20 };
/* While parts are built, the alphabet may grow by 1 / ALPHABET_GROWTH of the limit. */
enum { ALPHABET_GROWTH = 16 };
/* Of each terminal: its token, a slot and an empty one, the segments' number for it, and, by each
 * builder, its place while a segment is encoded. */
enum { TERMINAL_BYTES = 4 + 8 + 8, ENCODED_TERMINAL_BYTES = 4 };
/* About what the model of a group's code has of each terminal. */
enum { MODEL_TERMINAL_BYTES = 120 };

/* What memory is taken elsewhere is computed, not asked for: that would depend on what the builders
 * are doing. */
static uint64_t alphabet_bytes(const wpp_compressor *c)
{
    uint64_t each = TERMINAL_BYTES + ENCODED_TERMINAL_BYTES * (uint64_t)c->plan.at_once
                  + (c->plan.groups ? MODEL_TERMINAL_BYTES : 0);

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
    wpp_segment_plan_init(&c->plan, c->memory_max, c->anew != WPP_ANEW_ALL);
    c->segments.ahead = c->plan.groups ? 0 : c->plan.at_once - 1;
    c->window_left = WPP_SEGMENT_WINDOW;
    look_at_alphabet(c);
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* Makes the open part the base of a group. */
static bool begin_group(wpp_compressor *c, struct wpp_segment_maker *maker)
{
    seq_piece *piece;
    int status = wpp_segment_maker_end_base(maker, c->streams.n, &c->base, &piece);

    if (status != SEQ_OK)
        return wpp_segmenter_fail(c, status);
    c->coder = wpp_piece_coder_new(c->base);
    if (c->coder)
        return wpp_segmenter_add_piece(c, piece);
    seq_piece_free(piece);
    return wpp_fail_memory(&c->fatal);
}

/* ---- The ends of parts ------------------------------------------------------------------ */

static bool take_segments(wpp_compressor *c, struct wpp_segment_maker *maker)
{
    uint32_t n;
    const struct wpp_segment *segments = wpp_segment_maker_segments(maker, &n);
    seq_piece *piece;

    for (uint32_t i = 0; i < n; i++)
        if (!wpp_segments_add(&c->segments, &segments[i], c->alphabet.n, &c->fatal))
            return false;
    while ((piece = wpp_segment_maker_take_piece(maker)))
        if (!wpp_segmenter_add_piece(c, piece))
            return false;
    return true;
}

/* Puts the segments of the oldest part away, or adds its pieces to the group.  Takes the maker. */
static bool put_away(wpp_compressor *c, struct wpp_segment_maker *maker, bool open)
{
    struct wpp_part_figures figures = wpp_segment_maker_figures(maker);
    bool done = take_segments(c, maker);

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

/* Ends the open part, and makes it a segment or a base. */
static bool end_open_part(wpp_compressor *c)
{
    struct wpp_segment_maker *maker = c->maker;
    int status;
    bool is_base = wpp_segment_maker_may_be_base(maker, &status) && c->plan.groups;

    c->maker = NULL;
    if (status == SEQ_OK && !is_base)
        status = wpp_segment_maker_end(maker, c->streams.n);
    if (status == SEQ_OK && (!is_base || begin_group(c, maker)))
        return put_away(c, maker, true);
    wpp_segment_maker_free(maker);
    return status == SEQ_OK ? false : wpp_segmenter_fail(c, status);
}

/* Ends the current part, now or when its builder has finished it. */
static bool end_part(wpp_compressor *c)
{
    struct wpp_segment_maker *maker = c->maker;
    int status;

    if (maker && c->part_plan.open)
        return end_open_part(c);
    if (c->builder) {
        wpp_builder_end(c->builder, c->streams.n);
        c->builders[c->n_builders++] = c->builder;
        c->builder = NULL;
        return true;
    }
    c->maker = NULL;
    status = wpp_segment_maker_end(maker, c->streams.n);
    if (status == SEQ_OK && take_from_builders(c))
        return put_away(c, maker, false);
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

/* An open part begins: all before it is put away, and it is alone. */
static bool be_alone(wpp_compressor *c)
{
    if (!take_from_builders(c) || !wpp_segmenter_put_group_away(c))
        return false;
    wpp_segmenter_all_in_segments(c);
    return true;
}

/* Plans another part and makes its maker, unless the trace ends. */
static bool plan_part(wpp_compressor *c)
{
    if (!find_thread(c))
        return false;
    c->part_plan = wpp_segment_plan_next(&c->plan, memory_elsewhere(c),
                                         wpp_builder_terminal_bytes(c->alphabet_n));
    c->part_left = c->part_plan.events;
    c->alphabet_then = c->alphabet_now;
    if (c->part_plan.open && !be_alone(c))
        return false;
    if (c->segments.n && c->segments.full) {
        bool done = be_alone(c);
        wpp_segmenter_end_trace(c);
        return done;
    }
    c->maker = wpp_segment_maker_new(&c->part_plan, c->base, c->anew, c->enough);
    return c->maker || wpp_fail_memory(&c->fatal);
}

/* Begins another part: a thread builds it, if one is free and it is not an open one. */
static bool begin_part(wpp_compressor *c)
{
    if (!plan_part(c))
        return false;
    if (c->over || c->part_plan.open || !c->crew || !c->crew->free)
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

/* It need not be a base any more. */
static bool end_last_open_part(wpp_compressor *c)
{
    struct wpp_segment_maker *maker = c->maker;
    int status = wpp_segment_maker_end(maker, c->streams.n);

    c->maker = NULL;
    if (status == SEQ_OK)
        return put_away(c, maker, true);
    wpp_segment_maker_free(maker);
    return wpp_segmenter_fail(c, status);
}

bool wpp_limited_end(wpp_compressor *c)
{
    bool only = c->plan.begun <= 1 && !c->segments.n && !c->base;

    if (only)
        return end_only_grammar(c);
    if (c->maker && c->part_plan.open)
        return end_last_open_part(c);
    if ((c->maker || c->builder) && !end_part(c))
        return false;
    return take_from_builders(c) && wpp_segmenter_put_group_away(c);
}
