/* SPDX-License-Identifier: MIT */
/* put-away.c - puts what has been built away as a segment: a group, which is a base and its pieces, or a
 * grammar.  With a limit of memory that is done by plan (segment-plan.h); without one, when the room
 * is taken (compress.h, wpp_compress_room):
 *
 *      base | piece | piece | piece | builders ...  | next part
 *      ^^^^^^^^^^^^^^^^^^^^ known: their symbols      ^ is the room taken?
 */
#include "wpp/compress/compressor.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

/* Pieces may take as much of the room as of a limit of memory (segment-plan.h): coding them needs more.  A growing
 * grammar has so many bytes for each symbol, and may take half. */
enum { GRAMMAR_SYMBOL_BYTES = 36, GRAMMAR_KEPT = 2 };

static void trim(const wpp_compressor *c)
{
    if (c->heap)
        c->heap->trim();
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* How many events of each stream are in the group. */
static bool count_events(wpp_compressor *c, struct wpp_segment *segment)
{
    segment->starts = c->streams.n;
    segment->length = calloc(c->streams.n + (size_t)1, sizeof *segment->length);
    for (uint32_t k = 0; segment->length && k < c->streams.n; k++)
        segment->length[k] = c->streams.list[k].tokens - c->streams.list[k].in_segments;
    return segment->length != NULL;
}

/* Codes what is left, into a segment. */
static bool code_group(wpp_compressor *c, struct wpp_segment *segment)
{
    seq_forget(c->base);
    segment->symbols = c->piece_symbols;
    segment->n_terminals = c->alphabet.n;
    segment->order = malloc(((size_t)c->alphabet.n + 1) * sizeof *segment->order);
    return segment->order && count_events(c, segment) &&
           wpp_piece_coder_finish(c->coder, c->streams.n, &segment->code, segment->order,
                                  &segment->n_terminals);
}

bool wpp_segmenter_put_group_away(wpp_compressor *c)
{
    struct wpp_segment segment = {0};
    bool done = true;

    if (!c->base)
        return true;
    done = (code_group(c, &segment) || wpp_fail_memory(&c->fatal)) &&
           wpp_segments_add(&c->segments, &segment, c->alphabet.n, &c->fatal);
    wpp_segment_free(&segment);
    c->pieces_coded += c->n_pieces;
    wpp_segmenter_drop_pieces(c);
    trim(c);
    return done;
}

/* ---- A grammar ---------------------------------------------------------------------------- */

static bool put_grammar_away(wpp_compressor *c)
{
    struct wpp_segment segment = {0};
    int status;
    bool done;

    if (!c->grammar)
        return true;
    status = wpp_finish_grammar(c->grammar, c->streams.n, c->anew, c->enough);
    if (status != SEQ_OK)
        return wpp_segmenter_fail(c, status);
    done = (wpp_segment_encode(c->grammar, c->alphabet.n, false, &segment) || wpp_fail_memory(&c->fatal)) &&
           wpp_segments_add(&c->segments, &segment, c->alphabet.n, &c->fatal);
    wpp_segment_free(&segment);
    seq_free(c->grammar);
    c->grammar = NULL;
    trim(c);
    return done;
}

/* ---- When the room is taken ------------------------------------------------------------------ */

/* Symbols of all pieces.  The last ones may still be built, by the number of threads; so none of these is
 * looked at, and each is taken for as many as the last known one. */
static uint64_t symbols_of_pieces(const wpp_compressor *c)
{
    uint32_t ended = c->n_pieces + c->n_builders;
    uint32_t known = ended > WPP_ROOM_UNKNOWN ? ended - WPP_ROOM_UNKNOWN : 1;
    uint64_t symbols = 0, last = 0;

    for (uint32_t i = 0; i < known; i++)
        symbols += last = seq_piece_symbols(c->pieces[i]);
    return symbols + (ended - known) * last;
}

bool wpp_room_is_taken(const wpp_compressor *c)
{
    struct seq_stats stats = {0};

    if (c->base)
        return symbols_of_pieces(c) * WPP_PIECE_SYMBOL_BYTES >= c->room_max / WPP_GROUP_KEPT;
    if (c->grammar)
        seq_get_stats(c->grammar, &stats);
    return stats.rhs_symbols * GRAMMAR_SYMBOL_BYTES >= c->room_max / GRAMMAR_KEPT;
}

bool wpp_room_put_away(wpp_compressor *c)
{
    if (!(c->base ? wpp_segmenter_put_group_away(c) : put_grammar_away(c)))
        return false;
    wpp_segmenter_all_in_segments(c);
    if (c->segments.full)
        wpp_segmenter_end_trace(c);
    return true;
}

/* ---- Both ----------------------------------------------------------------------------------- */

void wpp_segmenter_all_in_segments(wpp_compressor *c)
{
    for (uint32_t k = 0; k < c->streams.n; k++)
        c->streams.list[k].in_segments = c->streams.list[k].tokens;
}

void wpp_segmenter_end_trace(wpp_compressor *c)
{
    wpp_note(c, WPP_E_SYSTEM, "segments of the grammar cannot be put away: %s; the first %llu "
             "events were taken", strerror(c->segments.full), (unsigned long long)c->tokens);
    c->over = c->skipping = true;
}
