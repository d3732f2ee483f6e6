/* SPDX-License-Identifier: MIT */
/* segmenter.c - the growing grammar: one; or several, as the trace is cut.
 *
 *   with a limit of memory: segments (limited-segments.c)
 *
 *   without one: one grammar; when it has taken the room, it becomes a segment (put-away.c), and
 *   another one begins
 *
 *   with a crew: parts, which use the rules of the first one, the base, and become one grammar
 *
 *      base, pieces      | builders[0] | ... | builder or grammar
 *      ended; coded        ended, the first    appended to
 *      (piece-coder.h)     one first
 */
#include "wpp/compress/compressor.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

/* With a crew: terminals of a part behind the base, and the least number of terminals for which a
 * thread pays.  The base ends after so many terminals or more, when it has so many symbols, and
 * no more than LONG_SYMBOLS terminals for each.  What repeats more is as fast in one piece. */
#ifdef WPP_HOSTILE
enum { PART_TERMINALS = 1000, BASE_CHECK = 100, JOB_TERMINALS = 10, BASE_SYMBOLS = 1 };
#else
enum { PART_TERMINALS = 1 << 24, BASE_CHECK = 1 << 22, JOB_TERMINALS = 1 << 20,
       BASE_SYMBOLS = 1 << 20 };
#endif
enum { LONG_SYMBOLS = 64 };

bool wpp_segmenter_fail(wpp_compressor *c, int status)
{
    if (status == SEQ_E_NOMEM)
        return wpp_fail_memory(&c->fatal);
    return wpp_fail(&c->fatal, WPP_E_MEMORY, "the grammar has outgrown 32-bit symbol numbers");
}

static bool is_cut_in_parts(const wpp_compressor *c)
{
    return c->crew && !c->aside;
}

/* A first part may take the room before it is long enough to be a base. */
void wpp_segmenter_plan(wpp_compressor *c)
{
    c->part_begun = c->tokens;
    c->part_left = c->room_max ? BASE_CHECK : is_cut_in_parts(c) ? PART_TERMINALS : UINT64_MAX;
}

bool wpp_segmenter_begin(wpp_compressor *c)
{
    wpp_segmenter_plan(c);
    return seq_new(&c->grammar, NULL) == SEQ_OK || wpp_fail_memory(&c->fatal);
}

bool wpp_segmenter_end_grammar(wpp_compressor *c)
{
    int status = wpp_finish_grammar(c->grammar, c->streams.n, c->anew, c->enough);

    return status == SEQ_OK || wpp_segmenter_fail(c, status);
}

/* ---- Parts, with a crew ------------------------------------------------------------------- */

void wpp_segmenter_free_builder(wpp_compressor *c, struct wpp_builder *b)
{
    if (b)
        c->crew->free++;
    wpp_builder_free(b);
}

struct wpp_builder *wpp_segmenter_oldest(wpp_compressor *c)
{
    struct wpp_builder *oldest = c->builders[0];

    c->n_builders--;
    memmove(c->builders, c->builders + 1, c->n_builders * sizeof(struct wpp_builder *));
    return oldest;
}

bool wpp_segmenter_add_piece(wpp_compressor *c, seq_piece *piece)
{
    if (c->n_pieces == c->pieces_size) {
        uint32_t size = 2 * c->pieces_size + 8;
        seq_piece **pieces = realloc(c->pieces, size * sizeof(seq_piece *));

        if (!pieces) {
            seq_piece_free(piece);
            return wpp_fail_memory(&c->fatal);
        }
        c->pieces = pieces;
        c->pieces_size = size;
    }
    c->pieces[c->n_pieces++] = piece;
    c->piece_symbols += seq_piece_symbols(piece);
    if (c->crew && (c->crew->free > 0 || c->n_builders > 0))
        wpp_piece_coder_start(c->coder);
    return wpp_piece_coder_add(c->coder, piece) || wpp_fail_memory(&c->fatal);
}

/* Takes the piece of the oldest builder; waits for it. */
static bool take_from_builder(wpp_compressor *c)
{
    seq_piece *piece;
    int status = wpp_builder_take(wpp_segmenter_oldest(c), &piece);

    c->crew->free++;
    return status == SEQ_OK ? wpp_segmenter_add_piece(c, piece) : wpp_segmenter_fail(c, status);
}

static bool take_from_builders(wpp_compressor *c)
{
    while (c->n_builders > 0)
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Takes finished pieces; waits for an unfinished one if no other thread is free. */
static bool find_thread(wpp_compressor *c)
{
    while (c->n_builders > 0 && (!c->crew->free || wpp_builder_is_done(c->builders[0])))
        if (!take_from_builder(c))
            return false;
    return true;
}

static bool take_grammar_back(wpp_compressor *c)
{
    struct wpp_builder *builder = c->builder;
    int status = SEQ_OK;

    if (builder) {
        c->builder = NULL;
        c->crew->free++;
        status = wpp_builder_give_back(builder, &c->grammar);
    }
    return status == SEQ_OK || wpp_segmenter_fail(c, status);
}

static bool may_be_base(const wpp_compressor *c)
{
    struct seq_stats stats;

    seq_get_stats(c->grammar, &stats);
    return is_cut_in_parts(c) && c->tokens - c->part_begun >= PART_TERMINALS
        && stats.rhs_symbols >= BASE_SYMBOLS && stats.symbols / LONG_SYMBOLS <= stats.rhs_symbols;
}

/* Makes the grammar the base, if it may be one by now. */
static bool end_base(wpp_compressor *c)
{
    seq_piece *piece;
    int status;

    if (!take_grammar_back(c))
        return false;
    if (!may_be_base(c)) {
        c->part_left = BASE_CHECK;
        return true;
    }
    status = seq_end_base(c->grammar, &piece);
    if (status != SEQ_OK)
        return wpp_segmenter_fail(c, status);
    c->base = c->grammar;
    c->grammar = NULL;
    c->part_left = PART_TERMINALS;
    c->starts = 0;
    c->coder = wpp_piece_coder_new(c->base);
    if (!c->coder) {
        seq_piece_free(piece);
        return wpp_fail_memory(&c->fatal);
    }
    return wpp_segmenter_add_piece(c, piece);
}

/* What the room is judged by is known. */
static bool know_pieces(wpp_compressor *c)
{
    while (c->room_max && c->n_builders > WPP_ROOM_UNKNOWN)
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Ends the current part behind the base, now or when its builder has finished it. */
static bool end_part(wpp_compressor *c)
{
    seq_piece *piece;
    int status;

    c->part_left = PART_TERMINALS;
    c->starts = c->streams.n;
    if (c->builder) {
        wpp_builder_end(c->builder, c->streams.n);
        c->builders[c->n_builders++] = c->builder;
        c->builder = NULL;
        return find_thread(c) && know_pieces(c);
    }
    if (!take_from_builders(c))
        return false;
    status = wpp_finish_piece(c->grammar, c->streams.n, &piece);
    seq_free(c->grammar);
    c->grammar = NULL;
    return status == SEQ_OK ? wpp_segmenter_add_piece(c, piece) : wpp_segmenter_fail(c, status);
}

/* Looks for a thread to build the current part.  Without one it is built here. */
static int find_builder(wpp_compressor *c)
{
    bool may = c->crew && c->crew->free && !c->builder && (c->base || c->tokens >= JOB_TERMINALS);

    if (may) {
        c->builder = wpp_builder_new(c->grammar, c->base);
        if (c->builder) {
            c->grammar = NULL;
            c->crew->free--;
        }
    }
    return c->builder || c->grammar ? SEQ_OK : seq_new_on(&c->grammar, c->base, NULL);
}

/* ---- Appending ---------------------------------------------------------------------------- */

static bool append_to_part(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    int status = find_builder(c);

    if (status == SEQ_OK)
        status = c->builder ? wpp_builder_append(c->builder, c->current, terminals, n, c->alphabet.n)
                            : seq_append(c->grammar, c->current, terminals, n);
    return status == SEQ_OK || wpp_segmenter_fail(c, status);
}

/* Ends the current part, if there is one.  Streams that have come since the last one ended need
 * start rules as well. */
static bool end_parts(wpp_compressor *c)
{
    bool missing = c->grammar || c->builder || c->starts != c->streams.n;

    if (missing && find_builder(c) != SEQ_OK)
        return wpp_fail_memory(&c->fatal);
    if ((missing && !end_part(c)) || !take_from_builders(c))
        return false;
    seq_forget(c->base);         /* no more grammars are built on it */
    return true;
}

/* ---- Room --------------------------------------------------------------------------------- */

/* Makes what there is a segment. */
static bool put_away(wpp_compressor *c)
{
    return (c->base ? end_parts(c) : take_grammar_back(c)) && wpp_room_put_away(c);
}

/* Without a file segments cannot wait: then all goes on as if there were room. */
static bool may_put_away(wpp_compressor *c)
{
    if (c->segments.fd < 0 && !wpp_segments_open(&c->segments, c->room_folder, NULL))
        c->room_max = 0;
    return c->room_max > 0;
}

/* It is time to end the part, and another terminal comes. */
static bool begin_part(wpp_compressor *c)
{
    bool ended = c->base ? end_part(c) : end_base(c);

    if (!ended || !c->room_max || !wpp_room_is_taken(c) || !may_put_away(c))
        return ended;
    return put_away(c) && (c->over || wpp_segmenter_begin(c));
}

/* Appends across ends of parts. */
bool wpp_segmenter_append(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    if (c->memory_max)
        return wpp_limited_append(c, terminals, n);
    while (n > 0 && !c->over) {
        size_t now = n < c->part_left ? n : (size_t)c->part_left;

        if (!append_to_part(c, terminals, now))
            return false;
        c->streams.list[c->current].tokens += now;
        c->tokens += now;
        c->part_left -= now;
        terminals += now;
        n -= now;
        if (n > 0 && !c->part_left && !begin_part(c))
            return false;
    }
    return true;
}

size_t wpp_segmenter_room(const wpp_compressor *c, size_t most)
{
    uint32_t room = c->window_left ? c->window_left : WPP_SEGMENT_WINDOW;

    return c->memory_max && room < most ? room : most;
}

/* Ends the grammar.  A single piece stays one grammar. */
bool wpp_segmenter_end(wpp_compressor *c)
{
    if (c->memory_max)
        return wpp_limited_end(c);
    if (c->segments.n)
        return put_away(c);
    if (c->base)
        return end_parts(c);
    return take_grammar_back(c) && wpp_segmenter_end_grammar(c);
}

void wpp_segmenter_drop_pieces(wpp_compressor *c)
{
    wpp_piece_coder_free(c->coder);
    c->coder = NULL;
    for (uint32_t i = 0; i < c->n_pieces; i++)
        seq_piece_free(c->pieces[i]);
    c->n_pieces = 0;
    c->piece_symbols = 0;
    seq_free(c->base);
    c->base = NULL;
}

void wpp_segmenter_drop(wpp_compressor *c)
{
    if (c->grammar)
        seq_free(c->grammar);
    c->grammar = NULL;
    wpp_segment_maker_free(c->maker);
    c->maker = NULL;
    wpp_segmenter_free_builder(c, c->builder);
    c->builder = NULL;
    for (uint32_t i = 0; i < c->n_builders; i++)
        wpp_segmenter_free_builder(c, c->builders[i]);
    c->n_builders = 0;
    wpp_segmenter_drop_pieces(c);
}

bool wpp_segmenter_goes_on(const wpp_compressor *c)
{
    return c->memory_max ? !c->over : c->grammar || c->builder || c->base;
}

struct seq_stats wpp_segmenter_stats(const wpp_compressor *c)
{
    struct seq_stats stats = {0};

    if (c->builder)
        stats = wpp_builder_stats(c->builder);
    else if (c->maker)
        stats = wpp_segment_maker_stats(c->maker);
    else if (c->grammar)
        seq_get_stats(c->grammar, &stats);
    return stats;
}
