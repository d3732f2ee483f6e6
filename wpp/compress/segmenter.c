/* SPDX-License-Identifier: MIT */
/* segmenter.c - the growing grammar.  It is one piece, built here or by a builder; or it is cut
 * into segments, because of a limit of memory or for a crew.
 *
 *      segments | builders[0] | ... | builder or grammar
 *      put away   ended, the first one first   appended to
 */
#include "wpp/compress/compressor.h"

#include <string.h>

#include "wpp/base/error.h"

/* With a crew: terminals of a segment, and the least number of terminals for which a thread
 * pays. */
#ifdef WPP_HOSTILE
enum { SEGMENT_TERMINALS = 1000, JOB_TERMINALS = 10 };
#else
enum { SEGMENT_TERMINALS = 1 << 24, JOB_TERMINALS = 1 << 20 };
#endif
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
    c->segment_left = c->crew && !c->aside ? SEGMENT_TERMINALS : UINT64_MAX;
    return seq_new(&c->grammar, &config) == SEQ_OK || wpp_fail_memory(&c->fatal);
}

static bool end_grammar(wpp_compressor *c)
{
    int status = wpp_finish_grammar(c->grammar, c->streams.n, c->anew, c->enough);

    return status == SEQ_OK || fail_engine(c, status);
}

/* Puts a segment away, if the disk has room. */
static bool put_segment_away(wpp_compressor *c, struct wpp_segment *segment)
{
    bool done = wpp_segments_add(&c->segments, segment, c->alphabet.n, &c->fatal);

    wpp_segment_free(segment);
    if (c->heap)
        c->heap->trim();
    return done;
}

static void free_builder(wpp_compressor *c, struct wpp_builder *b)
{
    if (b)
        c->crew->free++;
    wpp_builder_free(b);
}

/* Puts the oldest segment of the builders away; waits for it. */
static bool take_from_builder(wpp_compressor *c)
{
    struct wpp_segment segment;
    int status = wpp_builder_take(c->builders[0], &segment);

    c->crew->free++;
    c->n_builders--;
    memmove(c->builders, c->builders + 1, c->n_builders * sizeof(struct wpp_builder *));
    if (status != SEQ_OK)
        return fail_engine(c, status);
    return put_segment_away(c, &segment);
}

static bool take_from_builders(wpp_compressor *c)
{
    while (c->n_builders > 0)
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Puts finished segments away; waits for an unfinished one if no other thread is free. */
static bool find_thread(wpp_compressor *c)
{
    while (c->n_builders > 0 && (!c->crew->free || wpp_builder_is_done(c->builders[0])))
        if (!take_from_builder(c))
            return false;
    return true;
}

/* Puts the current segment away, now or when its builder has finished it. */
static bool end_segment(wpp_compressor *c)
{
    struct wpp_segment segment;

    if (c->builder) {
        wpp_builder_end(c->builder, c->streams.n, c->alphabet.n, c->anew, c->enough);
        c->builders[c->n_builders++] = c->builder;
        c->builder = NULL;
        return find_thread(c);
    }
    if (!take_from_builders(c) || !end_grammar(c))
        return false;
    if (!wpp_segment_encode(c->grammar, c->alphabet.n, &segment))
        return wpp_fail_memory(&c->fatal);
    seq_free(c->grammar);
    c->grammar = NULL;
    return put_segment_away(c, &segment);
}

/* Begins another segment.  If segments can no longer be put away, the trace ends here. */
static bool begin_segment(wpp_compressor *c)
{
    if (!end_segment(c))
        return false;
    if (!c->segments.full)
        return wpp_segmenter_begin(c);
    if (!take_from_builders(c))
        return false;
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

/* Looks for a thread to build the segment.  Without one the segment is built here, as without
 * jobs. */
static void find_builder(wpp_compressor *c)
{
    if (!c->crew || !c->crew->free || c->builder ||
        (!c->segments.n && !c->n_builders && c->tokens < JOB_TERMINALS))
        return;
    c->builder = wpp_builder_new(c->grammar, c->aside);
    if (!c->builder)
        return;
    c->grammar = NULL;
    c->crew->free--;
}

static bool append_to_segment(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    int status;

    find_builder(c);
    status = c->builder ? wpp_builder_append(c->builder, c->current, terminals, n)
                        : seq_append(c->grammar, c->current, terminals, n);
    return status == SEQ_OK || fail_engine(c, status);
}

/* Appends across ends of segments, up to the last segment that can be put away. */
bool wpp_segmenter_append(wpp_compressor *c, const uint32_t *terminals, size_t n)
{
    while (n > 0 && !c->over) {
        size_t now = n < c->segment_left ? n : (size_t)c->segment_left;

        if (!append_to_segment(c, terminals, now))
            return false;
        c->streams.list[c->current].tokens += now;
        c->tokens += now;
        c->segment_left -= c->crew ? now : 0;
        terminals += now;
        n -= now;
        if ((is_full(c) || (n > 0 && !c->segment_left)) && !begin_segment(c))
            return false;
    }
    return true;
}

/* Ends the grammar.  A single piece stays one grammar; an empty last segment is dropped. */
bool wpp_segmenter_end(wpp_compressor *c)
{
    struct wpp_builder *builder = c->builder;
    bool one_piece = !c->segments.n && !c->n_builders;
    int status;

    if (one_piece && builder) {
        c->builder = NULL;
        c->crew->free++;
        status = wpp_builder_give_back(builder, &c->grammar);
        if (status != SEQ_OK)
            return fail_engine(c, status);
    }
    if (!one_piece && c->grammar && wpp_segmenter_stats(c).symbols == 0) {
        seq_free(c->grammar);
        c->grammar = NULL;
    }
    if (!wpp_segmenter_goes_on(c))
        return take_from_builders(c);
    return one_piece ? end_grammar(c) : end_segment(c) && take_from_builders(c);
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
}

bool wpp_segmenter_goes_on(const wpp_compressor *c)
{
    return c->grammar || c->builder;
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
