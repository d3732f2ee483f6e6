/* SPDX-License-Identifier: MIT */
/* compressor.h - the compressor's state, shared by compress.c (taking the trace
 * in), segmenter.c (the grammar meanwhile) and assemble.c (putting the file together).
 * Internal to libwpp. */
#ifndef WPP_COMPRESSOR_H
#define WPP_COMPRESSOR_H

#include "sequitur/sequitur.h"
#include "wpp/base/arena.h"
#include "wpp/compress/builder.h"
#include "wpp/compress/compress.h"
#include "wpp/format/content.h"
#include "wpp/format/segments.h"
#include "wpp/trace/alphabet.h"
#include "wpp/trace/buffers.h"
#include "wpp/trace/chunk-times.h"
#include "wpp/trace/modules.h"
#include "wpp/trace/path-times.h"
#include "wpp/trace/streams.h"
#include "wpp/trace/trace-reader.h"

struct wpp_compressor {
    enum wpp_compress_input input;
    uint64_t bytes;                   /* pushed */
    uint64_t tokens;
    struct wpp_trace trace;           /* of WPP_INPUT_TRACE */
    struct wpp_bytes word;            /* of WPP_INPUT_SYMBOLS: the beginning of a word */

    seq *grammar;                     /* of the segment at hand; NULL while its builder has it */
    struct wpp_builder *builder;
    struct wpp_crew *crew;            /* of builders; NULL: there are none */
    bool aside;                       /* .. one, which builds all of the grammar */
    enum wpp_anew anew;               /* which finished grammars are parsed anew */
    const bool *enough;               /* ... until this is true; or NULL */
    uint64_t segment_left;            /* terminals that the segment at hand may still take */
    struct wpp_builder **builders;    /* of segments before, in order; room for the crew */
    uint32_t n_builders;
    uint64_t memory_max;              /* for all of the process; 0: no matter */
    uint64_t memory_others;           /* but for so much that the heap has given to others */
    const struct wpp_heap *heap;      /* the caller's, or NULL */
    struct wpp_segments segments;     /* what was before this grammar */
    struct wpp_alphabet alphabet;
    uint64_t alphabet_bytes;          /* when this grammar began */
    struct wpp_modules modules;
    const struct wpp_module_files *held;      /* the caller's, or NULL; likewise: */
    const struct wpp_moved *moved;
    struct wpp_streams streams;       /* start rule k is streams.list[k] */
    struct wpp_buffers buffers;       /* of threads, as the process left them */
    struct wpp_path_times times;
    uint32_t current;                 /* stream of the TOKENS record at hand */
    uint32_t *terminals;              /* scratch: PIECE_TOKENS */

    struct wpp_chunk_times when;

    /* The run, from the process records. */
    bool begun, ended;                /* PROCESS and END were read */
    bool rest_taken;                  /* without END: all that was in buffers is known */
    uint32_t pid, next_sequence;
    uint64_t first_time, last_time;
    uint64_t stopped_at;              /* time of the STOPPED that holds, 0 if none does */
    uint64_t lost;
    struct wpp_summary run;           /* strings in the arena */
    struct wpp_arena arena;

    struct wpp_error note;            /* the first thing found missing, WPP_OK if none */
    struct wpp_error fatal;           /* set inside a callback that returns false */
    bool skipping;                    /* the record at hand is of another process */
    bool over;                        /* what follows cannot or need not be read */
};

/* What the WPP lacks.  The first note stays: what follows is mostly its consequence. */
void wpp_note(wpp_compressor *c, enum wpp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* False, of all of these: c->fatal says why. */
bool wpp_segmenter_begin(wpp_compressor *c);
/* To the stream `current`; less than n when segments can no more be put away. */
bool wpp_segmenter_append(wpp_compressor *c, const uint32_t *terminals, size_t n);
/* As long as they can. */
bool wpp_segmenter_goes_on(const wpp_compressor *c);
/* All segments are put away then, or the grammar is finished. */
bool wpp_segmenter_end(wpp_compressor *c);
void wpp_segmenter_drop(wpp_compressor *c);
/* Of the segment at hand. */
struct seq_stats wpp_segmenter_stats(const wpp_compressor *c);

/* Takes the finished grammar and all the rest to a file's bytes. */
bool wpp_assemble(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *error);

#endif
