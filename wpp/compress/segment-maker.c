/* SPDX-License-Identifier: MIT */
#include "wpp/compress/segment-maker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Terminals come in pieces of any size, which depend on time where threads are at work.  How much
 * memory the engine has at a moment depends on them.  So it gets pieces of our own: all terminals of
 * one stream that follow each other, up to the end of a window. */
struct wpp_segment_maker {
    struct wpp_part_plan plan;
    enum wpp_anew anew;
    const bool *enough;

    seq *grammar;                /* NULL: it has no terminals yet */
    uint32_t alphabet;           /* the terminals so far are below it */
    uint32_t stream;             /* of the piece */
    uint32_t n;                  /* terminals in the piece */
    uint32_t left;               /* in the window, behind the piece */
    uint32_t piece[WPP_SEGMENT_WINDOW];

    struct wpp_segment *segments;
    uint32_t n_segments, room;
    struct wpp_part_figures figures;
};

struct wpp_segment_maker *wpp_segment_maker_new(const struct wpp_part_plan *plan,
                                                enum wpp_anew anew, const bool *enough)
{
    struct wpp_segment_maker *m = calloc(1, sizeof *m);

    if (m) {
        m->plan = *plan;
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
    free(m->segments);
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
    if (m->n_segments == 0)
        m->figures.fit = is_full ? stats.symbols
                                 : wpp_events_that_fit(stats.symbols, stats.memory, m->plan.fill);
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
    if (!wpp_segment_encode(m->grammar, m->alphabet, segment))
        return SEQ_E_NOMEM;
    m->figures.symbols += segment->symbols;
    m->n_segments++;
    seq_free(m->grammar);
    m->grammar = NULL;
    return SEQ_OK;
}

/* ---- Appending --------------------------------------------------------------------------- */

static int append_piece(struct wpp_segment_maker *m)
{
    int status = SEQ_OK;

    if (m->n > 0 && !m->grammar)
        status = seq_new(&m->grammar, &(struct seq_config){.size = sizeof(struct seq_config),
                                                           .memory_max = m->plan.memory});
    if (m->n > 0 && status == SEQ_OK)
        status = seq_append(m->grammar, m->stream, m->piece, m->n);
    m->n = 0;
    return status;
}

/* Another terminal comes behind the end of the window. */
static int begin_window(struct wpp_segment_maker *m)
{
    int status = append_piece(m);

    m->left = WPP_SEGMENT_WINDOW;
    if (status == SEQ_OK && m->grammar && seq_is_full(m->grammar))
        status = end_segment(m, 0, true);
    return status;
}

int wpp_segment_maker_append(struct wpp_segment_maker *m, uint32_t stream,
                             const uint32_t *terminals, size_t n, uint32_t alphabet)
{
    int status = m->stream != stream ? append_piece(m) : SEQ_OK;

    m->stream = stream;
    if (m->alphabet < alphabet)
        m->alphabet = alphabet;
    while (n > 0 && status == SEQ_OK) {
        size_t now;

        if (m->left == 0 && (status = begin_window(m)) != SEQ_OK)
            return status;
        now = n < m->left ? n : m->left;
        memcpy(m->piece + m->n, terminals, now * sizeof *terminals);
        m->n += (uint32_t)now;
        m->left -= (uint32_t)now;
        terminals += now;
        n -= now;
    }
    return status;
}

bool wpp_segment_maker_is_full(struct wpp_segment_maker *m, int *status)
{
    struct seq_stats stats;

    assert(m->plan.open && m->left % WPP_SEGMENT_WINDOW == 0);
    *status = append_piece(m);
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
    int status = append_piece(m);

    return status == SEQ_OK && m->grammar ? end_segment(m, streams, false) : status;
}

int wpp_segment_maker_give_back(struct wpp_segment_maker *m, seq **grammar)
{
    int status = append_piece(m);

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
