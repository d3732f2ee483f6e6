/* SPDX-License-Identifier: MIT */
#include "wpp/compress/segment-maker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many terminals come at once depends on time where threads are at work.  How much
 * memory the engine has at a moment depends on it.  So they wait for each other: all terminals of
 * one stream that follow each other, up to the end of a window, are appended at once. */
struct wpp_segment_maker {
    struct wpp_part_plan plan;
    const seq *base;             /* NULL: none */
    enum wpp_anew anew;
    const bool *enough;

    seq *grammar;                /* NULL: it has no terminals yet */
    uint32_t alphabet;           /* the terminals so far are below it */
    uint32_t stream;             /* of those that wait */
    uint32_t n;                  /* terminals that wait */
    uint32_t left;               /* in the window, behind these */
    uint32_t waiting[WPP_SEGMENT_WINDOW];

    struct wpp_segment *segments;
    seq_piece **pieces;          /* in place of them, on a base */
    uint32_t n_segments, n_pieces, room;
    uint32_t taken;              /* pieces */
    struct wpp_part_figures figures;
};

struct wpp_segment_maker *wpp_segment_maker_new(const struct wpp_part_plan *plan, const seq *base,
                                                enum wpp_anew anew, const bool *enough)
{
    struct wpp_segment_maker *m = calloc(1, sizeof *m);

    if (m) {
        m->plan = *plan;
        m->base = base;
        m->anew = anew;
        m->enough = enough;
        m->left = WPP_SEGMENT_WINDOW;
    }
    return m;
}

void wpp_segment_maker_free(struct wpp_segment_maker *m)
{
    if (!m)
        return;
    seq_free(m->grammar);
    for (uint32_t i = 0; i < m->n_segments; i++)
        wpp_segment_free(&m->segments[i]);
    for (uint32_t i = m->taken; i < m->n_pieces; i++)
        seq_piece_free(m->pieces[i]);
    free(m->segments);
    free(m->pieces);
    free(m);
}

/* ---- Segments ---------------------------------------------------------------------------- */

static struct wpp_segment *new_segment(struct wpp_segment_maker *m)
{
    if (m->n_segments == m->room) {
        uint32_t room = 2 * m->room + 1;
        struct wpp_segment *segments = realloc(m->segments, room * sizeof *segments);

        if (!segments)
            return NULL;
        m->segments = segments;
        m->room = room;
    }
    return &m->segments[m->n_segments];
}

/* Counts the grammar before it is finished: its memory is that of appending. */
static void count(struct wpp_segment_maker *m, bool is_full)
{
    struct seq_stats stats;

    seq_get_stats(m->grammar, &stats);
    m->figures.events += stats.symbols;
    if (m->n_segments == 0 && m->n_pieces == 0)
        m->figures.fit = is_full ? stats.symbols
                                 : wpp_events_that_fit(stats.symbols, stats.memory, m->plan.fill);
}

static void count_piece(struct wpp_segment_maker *m, const seq_piece *piece)
{
    m->figures.symbols += seq_piece_symbols(piece);
    m->figures.kept += seq_piece_symbols(piece) * WPP_PIECE_SYMBOL_BYTES;
}

static int end_piece(struct wpp_segment_maker *m, uint32_t streams, bool is_full)
{
    int status;

    if (m->n_pieces == m->room) {
        uint32_t room = 2 * m->room + 1;
        seq_piece **pieces = realloc(m->pieces, room * sizeof(seq_piece *));

        if (!pieces)
            return SEQ_E_NOMEM;
        m->pieces = pieces;
        m->room = room;
    }
    count(m, is_full);
    status = wpp_finish_piece(m->grammar, streams, &m->pieces[m->n_pieces]);
    seq_free(m->grammar);
    m->grammar = NULL;
    if (status == SEQ_OK)
        count_piece(m, m->pieces[m->n_pieces++]);
    return status;
}

static int end_segment(struct wpp_segment_maker *m, uint32_t streams, bool is_full)
{
    struct wpp_segment *segment = new_segment(m);
    int status;

    if (!segment)
        return SEQ_E_NOMEM;
    count(m, is_full);
    status = wpp_finish_grammar(m->grammar, streams, m->anew, m->enough);
    if (status != SEQ_OK)
        return status;
    if (!wpp_segment_encode(m->grammar, m->alphabet, m->anew == WPP_ANEW_ALL, segment))
        return SEQ_E_NOMEM;
    m->figures.symbols += segment->symbols;
    m->n_segments++;
    seq_free(m->grammar);
    m->grammar = NULL;
    return SEQ_OK;
}

static int end_grammar(struct wpp_segment_maker *m, uint32_t streams, bool is_full)
{
    return m->base ? end_piece(m, streams, is_full) : end_segment(m, streams, is_full);
}

/* ---- Appending --------------------------------------------------------------------------- */

static int begin_grammar(struct wpp_segment_maker *m)
{
    struct seq_config config = {.size = sizeof config, .memory_max = m->plan.memory};

    return m->base ? seq_new_on(&m->grammar, m->base, &config) : seq_new(&m->grammar, &config);
}

static int append_waiting(struct wpp_segment_maker *m)
{
    int status = SEQ_OK;

    if (m->n > 0 && !m->grammar)
        status = begin_grammar(m);
    if (m->n > 0 && status == SEQ_OK)
        status = seq_append(m->grammar, m->stream, m->waiting, m->n);
    m->n = 0;
    return status;
}

/* Another terminal comes behind the end of the window. */
static int begin_window(struct wpp_segment_maker *m)
{
    int status = append_waiting(m);

    m->left = WPP_SEGMENT_WINDOW;
    if (status == SEQ_OK && m->grammar && seq_is_full(m->grammar))
        status = end_grammar(m, 0, true);
    return status;
}

int wpp_segment_maker_append(struct wpp_segment_maker *m, uint32_t stream,
                             const uint32_t *terminals, size_t n, uint32_t alphabet)
{
    int status = m->stream != stream ? append_waiting(m) : SEQ_OK;

    m->stream = stream;
    if (m->alphabet < alphabet)
        m->alphabet = alphabet;
    while (n > 0 && status == SEQ_OK) {
        size_t now;

        if (m->left == 0 && (status = begin_window(m)) != SEQ_OK)
            return status;
        now = n < m->left ? n : m->left;
        memcpy(m->waiting + m->n, terminals, now * sizeof *terminals);
        m->n += (uint32_t)now;
        m->left -= (uint32_t)now;
        terminals += now;
        n -= now;
    }
    return status;
}

uint32_t wpp_segment_maker_room(const struct wpp_segment_maker *m)
{
    return m->left;
}

bool wpp_segment_maker_is_full(struct wpp_segment_maker *m, int *status)
{
    struct seq_stats stats;

    assert(m->plan.open && m->left % WPP_SEGMENT_WINDOW == 0);
    *status = append_waiting(m);
    if (*status != SEQ_OK || !m->grammar)
        return false;
    seq_get_stats(m->grammar, &stats);
    return seq_is_full(m->grammar)
        || (m->plan.may_end_early && stats.memory >= m->plan.fill
            && !wpp_repeats_much(stats.symbols, stats.rhs_symbols));
}

/* ---- The end ----------------------------------------------------------------------------- */

int wpp_segment_maker_end(struct wpp_segment_maker *m, uint32_t streams)
{
    int status = append_waiting(m);

    return status == SEQ_OK && m->grammar ? end_grammar(m, streams, false) : status;
}

bool wpp_segment_maker_may_be_base(struct wpp_segment_maker *m, int *status)
{
    struct seq_stats stats;

    *status = append_waiting(m);
    if (*status != SEQ_OK || !m->plan.may_end_early || m->anew == WPP_ANEW_ALL || !m->grammar)
        return false;
    seq_get_stats(m->grammar, &stats);
    return !seq_is_full(m->grammar) && !wpp_repeats_much(stats.symbols, stats.rhs_symbols);
}

int wpp_segment_maker_end_base(struct wpp_segment_maker *m, uint32_t streams, seq **base,
                               seq_piece **piece)
{
    int status;

    assert(m->grammar && m->n == 0);
    *piece = NULL;
    count(m, false);
    status = streams ? seq_append(m->grammar, streams - 1, NULL, 0) : SEQ_OK;
    if (status == SEQ_OK)
        status = seq_end_base(m->grammar, piece);
    if (status == SEQ_OK)
        count_piece(m, *piece);
    *base = m->grammar;
    m->grammar = NULL;
    return status;
}

seq_piece *wpp_segment_maker_take_piece(struct wpp_segment_maker *m)
{
    return m->taken < m->n_pieces ? m->pieces[m->taken++] : NULL;
}

int wpp_segment_maker_give_back(struct wpp_segment_maker *m, seq **grammar)
{
    int status = append_waiting(m);

    assert(m->n_segments == 0);
    *grammar = m->grammar;
    m->grammar = NULL;
    return status;
}

const struct wpp_segment *wpp_segment_maker_segments(const struct wpp_segment_maker *m, uint32_t *n)
{
    *n = m->n_segments;
    return m->segments;
}

struct wpp_part_figures wpp_segment_maker_figures(const struct wpp_segment_maker *m)
{
    return m->figures;
}

struct seq_stats wpp_segment_maker_stats(const struct wpp_segment_maker *m)
{
    struct seq_stats stats = {0};

    if (m->grammar)
        seq_get_stats(m->grammar, &stats);
    return stats;
}
