/* SPDX-License-Identifier: MIT */
/* compressor.h - the compressor's state.  compress.c (reads the trace), segmenter.c and
 * limited-segments.c (build the grammar meanwhile) and assemble.c (makes the file) share it.
 * Internal to libwpp. */
#ifndef WPP_COMPRESSOR_H
#define WPP_COMPRESSOR_H

#include "sequitur/sequitur.h"
#include "wpp/base/arena.h"
#include "wpp/compress/builder.h"
#include "wpp/compress/compress.h"
#include "wpp/compress/piece-coder.h"
#include "wpp/format/content.h"
#include "wpp/format/segments.h"
#include "wpp/trace/alphabet.h"
#include "wpp/trace/buffers.h"
#include "wpp/trace/chunk-times.h"
#include "wpp/trace/modules.h"
#include "wpp/trace/path-counts.h"
#include "wpp/trace/path-times.h"
#include "wpp/trace/streams.h"
#include "wpp/trace/trace-reader.h"

struct wpp_compressor {
    enum wpp_compress_input input;
    uint64_t bytes;                   /* pushed so far */
    uint64_t tokens;
    struct wpp_trace trace;           /* of WPP_INPUT_TRACE */
    struct wpp_bytes word;            /* of WPP_INPUT_SYMBOLS: the beginning of a word */

    seq *grammar;                     /* of the whole or of the current part; NULL while its builder
                                         has it, and with a limit before the end */
    struct wpp_builder *builder;      /* of the current part */
    struct wpp_crew *crew;            /* threads for builders; NULL: none */
    bool aside;                       /* its one thread builds the whole grammar */
    enum wpp_anew anew;               /* which finished grammars are parsed anew */
    const bool *enough;               /* ... until this is true; or NULL */
    uint64_t part_begun;              /* terminals before the first part */
    uint64_t part_left;               /* terminals until the current part may end */
    seq *base;                        /* the first part, of the group; NULL before its end */
    seq_piece **pieces;               /* of the base and of further parts, in order */
    uint32_t n_pieces, pieces_size;
    struct wpp_piece_coder *coder;    /* of the pieces; NULL before the base's end */
    uint32_t starts;                  /* streams that have start rules in them for sure */
    uint64_t piece_symbols;           /* of all these */
    struct wpp_builder **builders;    /* of further parts, in order; room for the crew */
    uint32_t n_builders;
    uint64_t memory_max;              /* for the whole process; 0: no limit, and these are unused: */
    struct wpp_segment_plan plan;
    struct wpp_part_plan part_plan;   /* of the current part */
    struct wpp_segment_maker *maker;  /* of the current part; NULL: its builder has it, or there is
                                         no part yet */
    uint32_t window_left;             /* events until the part may end (WPP_SEGMENT_WINDOW) */
    uint64_t parts_taken;             /* their segments are put away, or their pieces in the group */
    uint32_t pieces_coded;            /* of groups that are put away */
    uint64_t alphabet_then;           /* bytes of the alphabet when this part began */
    uint64_t alphabet_now;            /* ... and at the end of the last window */
    uint32_t alphabet_n;              /* terminals then */
    const struct wpp_heap *heap;      /* the caller owns it; or NULL */
    uint64_t room_max;                /* without a limit: what a grammar may take; 0: all there is */
    char *room_folder;                /* where segments wait then */
    struct wpp_segments segments;     /* finished parts of the grammar */
    struct wpp_alphabet alphabet;
    struct wpp_modules modules;
    const struct wpp_module_files *held;      /* the caller owns them; or NULL: */
    const struct wpp_moved *moved;
    struct wpp_streams streams;       /* start rule k is streams.list[k] */
    struct wpp_buffers buffers;       /* of threads, as the ended process left them */
    struct wpp_path_times times;
    struct wpp_path_counts counts;
    struct wpp_part_of_profile part;  /* of a path profile */
    uint32_t counts_kind;             /* enum wpp_profile_kind of a path profile; else 0 */
    uint32_t current;                 /* stream of the current TOKENS record */
    uint32_t *terminals;              /* scratch: PIECE_TOKENS */

    struct wpp_chunk_times when;

    /* The run, from the process records. */
    bool begun, ended;                /* PROCESS and END have been read */
    bool rest_taken;                  /* without END: the buffers hold everything that was
                                         missing */
    uint32_t pid, next_sequence;
    uint64_t first_time, last_time;
    uint64_t stopped_at;              /* time of the STOPPED in force, or 0 */
    uint64_t lost;
    struct wpp_summary run;           /* strings in the arena */
    struct wpp_arena arena;

    struct wpp_error note;            /* the first thing found missing, WPP_OK if none */
    struct wpp_error fatal;           /* set inside a callback that returns false */
    bool skipping;                    /* the current record is of another process */
    bool over;                        /* further input cannot or need not be read */
};

/* Notes what the WPP lacks.  Only the first note stays: later ones mostly follow from it. */
void wpp_note(wpp_compressor *c, enum wpp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These return false after an error, in c->fatal. */
bool wpp_segmenter_begin(wpp_compressor *c);
/* How long the first part is at least; again after a change of the crew or the room. */
void wpp_segmenter_plan(wpp_compressor *c);
/* Appends n terminals to the stream `current`; none when no more segments can be put away. */
bool wpp_segmenter_append(wpp_compressor *c, const uint32_t *terminals, size_t n);
/* How many terminals, at most `most`, may be mapped and appended at once. */
size_t wpp_segmenter_room(const wpp_compressor *c, size_t most);
/* Whether segments can still be put away. */
bool wpp_segmenter_goes_on(const wpp_compressor *c);
/* Puts the last segment away, ends the last part, or finishes the only grammar. */
bool wpp_segmenter_end(wpp_compressor *c);
void wpp_segmenter_drop(wpp_compressor *c);
/* Figures of the current segment or part. */
struct seq_stats wpp_segmenter_stats(const wpp_compressor *c);

/* The same with a limit of memory; the segmenter calls these. */
void wpp_limited_begin(wpp_compressor *c);
bool wpp_limited_append(wpp_compressor *c, const uint32_t *terminals, size_t n);
bool wpp_limited_end(wpp_compressor *c);

/* Without a limit, when a part has ended, and another terminal comes: whether what has been built has
 * taken the room, by figures that do not depend on threads.  Of further parts at most
 * WPP_ROOM_UNKNOWN are still being built. */
bool wpp_room_is_taken(const wpp_compressor *c);
enum { WPP_ROOM_UNKNOWN = 32 };
/* Puts it away, when all parts have ended; and ends the trace if nothing more can be put away. */
bool wpp_room_put_away(wpp_compressor *c);

/* For both ways to cut.  Puts the group away, if there is one, all of whose parts have ended. */
bool wpp_segmenter_put_group_away(wpp_compressor *c);
/* What has come so far is in segments. */
void wpp_segmenter_all_in_segments(wpp_compressor *c);
/* Segments can no longer be put away: the trace ends here, which is said. */
void wpp_segmenter_end_trace(wpp_compressor *c);
/* Gives up a builder. */
void wpp_segmenter_free_builder(wpp_compressor *c, struct wpp_builder *b);
/* Takes the oldest builder off the list, which has one. */
struct wpp_builder *wpp_segmenter_oldest(wpp_compressor *c);
/* Takes a piece, to be coded with those before it. */
bool wpp_segmenter_add_piece(wpp_compressor *c, seq_piece *piece);
/* Drops the base, its pieces and their coder. */
void wpp_segmenter_drop_pieces(wpp_compressor *c);
/* The error of a builder or the engine. */
bool wpp_segmenter_fail(wpp_compressor *c, int status);
/* Finishes the only grammar. */
bool wpp_segmenter_end_grammar(wpp_compressor *c);

/* Makes a file's bytes from the finished grammar and all the rest. */
bool wpp_assemble(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *error);

#endif
