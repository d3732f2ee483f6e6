/* SPDX-License-Identifier: MIT */
/* compress.h - from a trace to a WPP, while the trace arrives.
 *
 *      wpp_compress_new -> wpp_compress_push ... -> wpp_compress_finish -> bytes of a file
 *                                                   (and wpp_compress_write, with a limit)
 *
 * The result depends on the bytes pushed (and the program's files on disk),
 * never on the sizes of the pieces or on time.  A trace that is cut or damaged
 * is used up to that point: what is missing becomes a note.
 */
#ifndef WPP_COMPRESS_H
#define WPP_COMPRESS_H

#include "wpp/base/bytes.h"
#include "wpp/base/whole-file.h"
#include "wpp/trace/module-files.h"
#include "wpp/trace/moved.h"
#include "wpp/wpp.h"

typedef struct wpp_compressor wpp_compressor;

enum wpp_compress_input {
    WPP_INPUT_TRACE,          /* docs/trace-format.md */
    WPP_INPUT_SYMBOLS         /* little-endian uint32 words, any values */
};

/* NULL: WPP_E_MEMORY. */
wpp_compressor *wpp_compress_new(enum wpp_compress_input input, struct wpp_error *error);
void wpp_compress_free(wpp_compressor *c);

/* What the process's allocator can be asked.  A library does not do that by itself: it may be in any
 * process. */
struct wpp_heap {
    uint64_t (*held)(void);               /* bytes that it has given and not got back */
    void (*trim)(void);                   /* what it has got back it gives back itself */
};
/* Before anything is pushed, and before a limit, which is kept by it. */
void wpp_compress_heap(wpp_compressor *c, const struct wpp_heap *heap);

/* Before anything is pushed: keeps the process's memory below `size` by cutting the trace
 * into segments, which wait in a file without a name in `folder`.  WPP_E_SYSTEM, _MEMORY. */
bool wpp_compress_limit(wpp_compressor *c, uint64_t size, const char *folder,
                        struct wpp_error *error);
enum { WPP_COMPRESS_LEAST = 32 << 20 };   /* of size */
/* Threads that several compressors share, all of which are used by one thread. */
struct wpp_crew {
    uint32_t size;                        /* so many there may be */
    uint32_t free;                        /* so many may still be made; 0: only later, perhaps */
};
enum { WPP_CREW_MOST = 256 };

/* Before anything is pushed, and with no limit: cuts the trace into segments of 2^24 events; as
 * long as the crew has threads free, each is built by one of them.  The crew makes no difference to
 * the file; a trace of one segment makes the same as without.  Segments wait as they do with a
 * limit.  WPP_E_SYSTEM. */
bool wpp_compress_jobs(wpp_compressor *c, struct wpp_crew *crew, const char *folder,
                       struct wpp_error *error);
/* Before anything is pushed, and with neither a limit nor jobs: when the trace is long, the one
 * thread of the crew builds the grammar while the caller's reads.  The file is the same.
 * WPP_E_MEMORY. */
bool wpp_compress_aside(wpp_compressor *c, struct wpp_crew *crew, struct wpp_error *error);
/* Before anything is pushed: a smaller file, for several times the processor time; but not when it
 * ends with WPP_ENDED_INTERRUPT or _LOOK, and only until another thread sets *enough (NULL: none
 * does). */
void wpp_compress_best(wpp_compressor *c, const bool *enough);
/* Before anything is pushed: where a module's file is not what was traced, these are looked at. */
void wpp_compress_hold(wpp_compressor *c, const struct wpp_module_files *held);
/* Before anything is pushed: where files of modules may be now. */
void wpp_compress_moved(wpp_compressor *c, const struct wpp_moved *moved);
/* So many bytes of what the heap holds are not the compressor's: they are not counted. */
void wpp_compress_others(wpp_compressor *c, uint64_t bytes);
/* Why there is no more, if the trace is incomplete, and how many of its lost events were dropped
 * on purpose. */
void wpp_compress_ended(wpp_compressor *c, enum wpp_ended why, uint64_t dropped);

/* Takes the next n bytes.  False when there can be no WPP at all; then only
 * wpp_compress_free() is allowed.
 *   WPP_E_FORMAT, WPP_E_VERSION   this is no trace that we know
 *   WPP_E_MEMORY */
bool wpp_compress_push(wpp_compressor *c, const void *bytes, size_t n, struct wpp_error *error);

/* Whether more input makes no difference: damage was met, or the process's end. */
bool wpp_compress_is_over(const wpp_compressor *c);

/* The process whose trace it is, 0 before its first record. */
uint32_t wpp_compress_pid(const wpp_compressor *c);

struct wpp_compress_progress {
    uint64_t bytes, tokens;
    uint64_t symbols, memory;    /* of the grammar: on right-hand sides; in bytes */
};
void wpp_compress_get_progress(const wpp_compressor *c, struct wpp_compress_progress *out);

/* Ends the input and makes the file.  *note: WPP_OK, or in one line what the
 * WPP lacks: WPP_E_INCOMPLETE, WPP_E_DAMAGED, WPP_E_SYSTEM (a full disk).  What a module ran whose
 * file is not the one that was traced is in the WPP, but it does not say what it is: see below.  False:
 * WPP_E_MEMORY, _FORMAT (no trace; symbols not a multiple of 4 bytes), _NOT_TRACED (no
 * input at all), _INCOMPLETE (cut within the first record); or no module's file is the one that
 * was traced, and then what is wrong with the first: WPP_E_MISMATCH, _NOT_TRACED, _SYSTEM, _FORMAT,
 * _VERSION. */
bool wpp_compress_finish(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *note,
                         struct wpp_error *error);

/* Then, *note: WPP_OK, or in one line whose files are not those that were traced: what is wrong with
 * the first of them, by one of the last five statuses. */
void wpp_compress_get_unread(const wpp_compressor *c, struct wpp_error *note);

/* Writes the file; with a limit, `file` is only what stands before the segments. */
bool wpp_compress_write(const wpp_compressor *c, const struct wpp_bytes *file,
                        struct wpp_output *out, struct wpp_error *error);

#endif
