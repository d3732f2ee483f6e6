/* SPDX-License-Identifier: MIT */
/* segment-maker.h - makes segments of one part of a trace, or pieces on a base: grammars that stay
 * within a limit.
 *
 * One thread at a time uses it.  They depend on the events and on the limit alone, not on how many
 * events come at once.
 */
#ifndef WPP_SEGMENT_MAKER_H
#define WPP_SEGMENT_MAKER_H

#include "wpp/compress/finish-grammar.h"
#include "wpp/compress/segment-plan.h"
#include "wpp/format/segments.h"

struct wpp_segment_maker;

/* With a base it makes pieces, and the base must live as long; NULL: segments.  `enough` as for
 * wpp_finish_grammar().  NULL: no memory. */
struct wpp_segment_maker *wpp_segment_maker_new(const struct wpp_part_plan *plan, const seq *base,
                                                enum wpp_anew anew, const bool *enough);
void wpp_segment_maker_free(struct wpp_segment_maker *m);

/* Appends n terminals, all below `alphabet`, to the stream.  If the grammar is full, it becomes a
 * segment or piece, and they begin the next one.  The engine's status. */
int wpp_segment_maker_append(struct wpp_segment_maker *m, uint32_t stream,
                             const uint32_t *terminals, size_t n, uint32_t alphabet);

/* How many terminals the current window still has room for. */
uint32_t wpp_segment_maker_room(const struct wpp_segment_maker *m);
/* Of an open part, after a multiple of WPP_SEGMENT_WINDOW terminals: whether it should end.  The
 * engine's status is in *status. */
bool wpp_segment_maker_is_full(struct wpp_segment_maker *m, int *status);

/* Ends the part, which has terminals; all streams below `streams` get start rules.  Then the segments
 * or pieces are there.  The engine's status. */
int wpp_segment_maker_end(struct wpp_segment_maker *m, uint32_t streams);
/* Of an open part: whether it is not full and repeats so little that it may be a base.  The engine's
 * status is in *status. */
bool wpp_segment_maker_may_be_base(struct wpp_segment_maker *m, int *status);
/* Ends it as a base, with its piece.  The engine's status. */
int wpp_segment_maker_end_base(struct wpp_segment_maker *m, uint32_t streams, seq **base,
                               seq_piece **piece);
/* Instead, if no segment has been made: the grammar, not yet finished.  The engine's status. */
int wpp_segment_maker_give_back(struct wpp_segment_maker *m, seq **grammar);

/* After the end.  The maker owns the segments. */
const struct wpp_segment *wpp_segment_maker_segments(const struct wpp_segment_maker *m, uint32_t *n);
/* Takes the next piece, in order; NULL: there are no more. */
seq_piece *wpp_segment_maker_take_piece(struct wpp_segment_maker *m);
struct wpp_part_figures wpp_segment_maker_figures(const struct wpp_segment_maker *m);

/* Figures of the current grammar. */
struct seq_stats wpp_segment_maker_stats(const struct wpp_segment_maker *m);

#endif
