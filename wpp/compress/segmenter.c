/* SPDX-License-Identifier: MIT */
/* segmenter.c - the growing grammar: one; or several, as the trace is cut.
 *
 *   with a limit of memory: segments, which know nothing of each other and are put away
 *
 *      segments | grammar
 *      in a file  appended to
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
/* The tool's code, stack and libraries, and the unused parts of large pages. */
enum { MEMORY_FIXED = 12 << 20, MEMORY_LEAST = 8 << 20 };
/* Memory is rounded up to this, so that lengths of names make no difference. */
enum { MEMORY_GRAIN = 1 << 18 };
/* In a segment, the alphabet may grow by 1 / ALPHABET_GROWTH of the limit. */
enum { ALPHABET_GROWTH = 16 };
/* Of each terminal: its token, a slot and an empty one, the segments' number for it, and its
 * place while a segment is encoded. */
enum { TERMINAL_BYTES = 4 + 8 + 8 + 4 };

static bool fail_engine(wpp_compressor *c, int status)
{
    if (status == SEQ_E_NOMEM)
        return wpp_fail_memory(&c->fatal);
    return wpp_fail(&c->fatal, WPP_E_MEMORY, "the grammar has outgrown 32-bit symbol numbers");
}

/* The process's memory besides the engine: the heap, the alphabet's pages, the code, and unused
 * parts of large pages of the engine's arrays.  The heap gives freed memory back first.  How
 * much it would keep depends on addresses, and the file's segments must not depend on these. */
static uint64_t memory_elsewhere(const wpp_compressor *c)
{
    uint64_t held, own;

    c->heap->trim();
    held = c->heap->held();
    own = held > c->memory_others ? held - c->memory_others : 0;
    return (own + MEMORY_GRAIN - 1) / MEMORY_GRAIN * MEMORY_GRAIN + MEMORY_FIXED
         + wpp_alphabet_mapped(&c->alphabet);
}

/* Memory of the alphabet, with the segments' data about its terminals. */
static uint64_t alphabet_bytes(const wpp_compressor *c)
{
    return wpp_alphabet_mapped(&c->alphabet) + (uint64_t)c->alphabet.n * TERMINAL_BYTES;
}

bool wpp_segmenter_begin(wpp_compressor *c)
{
    struct seq_config config = {.size = sizeof config};
    uint64_t elsewhere;

    if (c->memory_max) {
        elsewhere = memory_elsewhere(c);
        config.memory_max = c->memory_max > elsewhere + MEMORY_LEAST ? c->memory_max - elsewhere
                                                                     : MEMORY_LEAST;
    }
    c->alphabet_bytes = alphabet_bytes(c);
    c->part_left = c->crew && !c->aside ? PART_TERMINALS : UINT64_MAX;
    return seq_new(&c->grammar, &config) == SEQ_OK || wpp_fail_memory(&c->fatal);
}

static bool end_grammar(wpp_compressor *c)
{
    int status = wpp_finish_grammar(c->grammar, c->streams.n, c->anew, c->enough);

    return status == SEQ_OK || fail_engine(c, status);
}

/* ---- Segments, with a limit of memory ----------------------------------------------------- */

/* Puts the current segment away, if the disk has room. */
static bool end_segment(wpp_compressor *c)
{
    struct wpp_segment segment;
    bool done;

    if (!end_grammar(c))
        return false;
    if (!wpp_segment_encode(c->grammar, c->alphabet.n, c->anew == WPP_ANEW_ALL, &segment))
        return wpp_fail_memory(&c->fatal);
    seq_free(c->grammar);
    c->grammar = NULL;
    done = wpp_segments_add(&c->segments, &segment, c->alphabet.n, &c->fatal);
    wpp_segment_free(&segment);
    c->heap->trim();
    return done;
}

/* Begins another segment.  If segments can no longer be put away, the trace ends here. */
static bool begin_segment(wpp_compressor *c)
{
    if (!end_segment(c))
        return false;
    if (!c->segments.full)
        return wpp_segmenter_begin(c);
    wpp_note(c, WPP_E_SYSTEM, "segments of the grammar cannot be put away: %s; the first %llu "
             "events were taken", strerror(c->segments.full), (unsigned long long)c->tokens);
    c->over = c->skipping = true;        /* there is no grammar any more */
    return true;
}

/* Whether the segment must end: the grammar is full, or the alphabet has grown into the
 * grammar's part. */
static bool is_full(const wpp_compressor *c)
{
    return c->memory_max &&
           (seq_is_full(c->grammar) ||
            alphabet_bytes(c) - c->alphabet_bytes >= c->memory_max / ALPHABET_GROWTH);
}

/* ---- Parts, with a crew ------------------------------------------------------------------- */

static void free_builder(wpp_compressor *c, struct wpp_builder *b)
{
    if (b)
        c->crew->free++;
    wpp_builder_free(b);
}

/* Takes the piece. */
static bool add_piece(wpp_compressor *c, seq_piece *piece)
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
    if (c->crew->free > 0 || c->n_builders > 0)
        wpp_piece_coder_start(c->coder);
    return wpp_piece_coder_add(c->coder, piece) || wpp_fail_memory(&c->fatal);
}

/* Takes the piece of the oldest builder; waits for it. */
static bool take_from_builder(wpp_compressor *c)
{
    seq_piece *piece;
    int status = wpp_builder_take(c->builders[0], &piece);

    c->crew->free++;
    c->n_builders--;
    memmove(c->builders, c->builders + 1, c->n_builders * sizeof(struct wpp_builder *));
    return status == SEQ_OK ? add_piece(c, piece) : fail_engine(c, status);
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
    return status == SEQ_OK || fail_engine(c, status);
}

/* Makes the grammar the base, if it may be one by now. */
static bool end_base(wpp_compressor *c)
{
    struct seq_stats stats;
    seq_piece *piece;
    int status;

    if (!take_grammar_back(c))
        return false;
    seq_get_stats(c->grammar, &stats);
    if (stats.rhs_symbols < BASE_SYMBOLS || stats.symbols / LONG_SYMBOLS > stats.rhs_symbols) {
        c->part_left = BASE_CHECK;
        return true;
    }
    status = seq_end_base(c->grammar, &piece);
    if (status != SEQ_OK)
        return fail_engine(c, status);
    c->base = c->grammar;
    c->grammar = NULL;
    c->part_left = PART_TERMINALS;
    c->starts = 0;
    c->coder = wpp_piece_coder_new(c->base);
    if (!c->coder) {
        seq_piece_free(piece);
        return wpp_fail_memory(&c->fatal);
    }
    return add_piece(c, piece);
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
        return find_thread(c);
    }
    if (!take_from_builders(c))
        return false;
    status = wpp_finish_piece(c->grammar, c->streams.n, &piece);
    seq_free(c->grammar);
    c->grammar = NULL;
    return status == SEQ_OK ? add_piece(c, piece) : fail_engine(c, status);
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
        status = c->builder ? wpp_builder_append(c->builder, c->current, terminals, n)
                            : seq_append(c->grammar, c->current, terminals, n);
    return status == SEQ_OK || fail_engine(c, status);
}

/* Appends across ends of segments and parts, up to the last segment that can be put away. */
bool wpp_segmenter_append(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    while (n > 0 && !c->over) {
        size_t now = n < c->part_left ? n : (size_t)c->part_left;

        if (!append_to_part(c, terminals, now))
            return false;
        c->streams.list[c->current].tokens += now;
        c->tokens += now;
        c->part_left -= c->crew ? now : 0;
        terminals += now;
        n -= now;
        if (is_full(c) && !begin_segment(c))
            return false;
        if (n > 0 && !c->part_left && !(c->base ? end_part(c) : end_base(c)))
            return false;
    }
    return true;
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

/* Ends the grammar.  A single piece stays one grammar; an empty last segment is dropped. */
bool wpp_segmenter_end(wpp_compressor *c)
{
    if (c->base)
        return end_parts(c);
    if (!take_grammar_back(c))
        return false;
    if (!c->segments.n || !c->grammar)
        return !c->grammar || end_grammar(c);
    if (wpp_segmenter_stats(c).symbols > 0)
        return end_segment(c);
    seq_free(c->grammar);
    c->grammar = NULL;
    return true;
}

void wpp_segmenter_drop(wpp_compressor *c)
{
    if (c->grammar)
        seq_free(c->grammar);
    c->grammar = NULL;
    free_builder(c, c->builder);
    c->builder = NULL;
    for (uint32_t i = 0; i < c->n_builders; i++)
        free_builder(c, c->builders[i]);
    c->n_builders = 0;
    wpp_piece_coder_free(c->coder);
    c->coder = NULL;
    for (uint32_t i = 0; i < c->n_pieces; i++)
        seq_piece_free(c->pieces[i]);
    c->n_pieces = 0;
    seq_free(c->base);
    c->base = NULL;
}

bool wpp_segmenter_goes_on(const wpp_compressor *c)
{
    return c->grammar || c->builder || c->base;
}

struct seq_stats wpp_segmenter_stats(const wpp_compressor *c)
{
    struct seq_stats stats = {0};

    if (c->builder)
        stats = wpp_builder_stats(c->builder);
    else if (c->grammar)
        seq_get_stats(c->grammar, &stats);
    return stats;
}
