/* SPDX-License-Identifier: MIT */
/* compress.h - makes a WPP from a trace, while the trace arrives.
 *
 *      wpp_compress_new -> wpp_compress_push ... -> wpp_compress_finish -> bytes of a file
 *                                                   (and wpp_compress_write, with a limit)
 *
 * The result depends on the pushed bytes and on the program's files on disk, never on the sizes
 * of the pieces or on time.  A cut or damaged trace is used up to that point; a note says what
 * is missing.
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

/* A request to the process's allocator.  The caller provides it, because a library may be in
 * any process. */
struct wpp_heap {
    void (*trim)(void);                   /* returns freed memory to the system */
};
/* To be called before a push, and before wpp_compress_limit(), which needs it. */
void wpp_compress_heap(wpp_compressor *c, const struct wpp_heap *heap);

/* Threads that several compressors share; one thread uses all these compressors. */
struct wpp_crew {
    uint32_t size;                        /* largest number of threads */
    uint32_t free;                        /* threads that may still be made; 0: perhaps later */
};
enum { WPP_CREW_MOST = 256 };

/* To be called before a push: keeps the process's memory below `size` by cutting the trace into
 * segments.  Threads of the crew build them, if some are free; NULL: no crew.  The file does not
 * depend on the crew.  Segments wait in an unnamed file in `folder`.  WPP_E_SYSTEM, _MEMORY. */
bool wpp_compress_limit(wpp_compressor *c, uint64_t size, const char *folder,
                        struct wpp_crew *crew, struct wpp_error *error);
enum { WPP_COMPRESS_LEAST = 32 << 20 };   /* of size */

/* To be called before a push, and with no limit: cuts a long trace that repeats little into parts,
 * which use the rules of the first one, and become one grammar.  A thread of the crew builds each
 * part, if one is free; a crew may be empty.  The file does not depend on the crew.
 * WPP_E_MEMORY. */
bool wpp_compress_jobs(wpp_compressor *c, struct wpp_crew *crew, struct wpp_error *error);
/* To be called before a push, with neither a limit nor jobs.  If the trace is long, the crew's
 * one thread builds the grammar while the caller's thread reads.  The file is the same.
 * WPP_E_MEMORY. */
bool wpp_compress_aside(wpp_compressor *c, struct wpp_crew *crew, struct wpp_error *error);
/* To be called before a push, after jobs or aside, and with neither a limit nor best: when what has been
 * built takes about `size` bytes, it is put away as a segment, and another grammar begins.  So a
 * recorder lives as long as its program.  A smaller file is as without; no file depends on the crew.
 * Segments wait in an unnamed file in `folder`; if there can be none, in memory.  WPP_E_MEMORY. */
bool wpp_compress_room(wpp_compressor *c, uint64_t size, const char *folder, struct wpp_error *error);
/* To be called before a push: makes a smaller file for several times the processor time.  This
 * does not happen if the trace ends with WPP_ENDED_INTERRUPT or _LOOK.  It stops when another
 * thread sets *enough (NULL: none does). */
void wpp_compress_best(wpp_compressor *c, const bool *enough);
/* To be called before a push: files that are tried if a module's file is not the traced one. */
void wpp_compress_hold(wpp_compressor *c, const struct wpp_module_files *held);
/* To be called before a push: where files of modules may be now. */
void wpp_compress_moved(wpp_compressor *c, const struct wpp_moved *moved);
/* Why the trace ends, if it is incomplete; `dropped` of its lost events were dropped on purpose. */
void wpp_compress_ended(wpp_compressor *c, enum wpp_ended why, uint64_t dropped);

/* Takes the next n bytes.  False: there can be no WPP, and only wpp_compress_free() is allowed.
 *     WPP_E_FORMAT, WPP_E_VERSION   this is no trace that we know
 *     WPP_E_MEMORY */
bool wpp_compress_push(wpp_compressor *c, const void *bytes, size_t n, struct wpp_error *error);

/* Whether further input makes no difference: after damage, or after the process's end. */
bool wpp_compress_is_over(const wpp_compressor *c);

/* The process whose trace it is, 0 before its first record. */
uint32_t wpp_compress_pid(const wpp_compressor *c);

struct wpp_compress_progress {
    uint64_t bytes, tokens;
    uint64_t symbols, memory;    /* of the grammar: on right-hand sides; in bytes */
};
void wpp_compress_get_progress(const wpp_compressor *c, struct wpp_compress_progress *out);

/* Ends the input and makes the file.  *note: WPP_OK, or in one line what the WPP lacks:
 * WPP_E_INCOMPLETE, WPP_E_DAMAGED, WPP_E_SYSTEM (a full disk).  If a module's file is not the
 * traced one, the WPP holds the module's terminals without their routines: see below.
 *
 * False:
 * - WPP_E_MEMORY
 * - WPP_E_FORMAT: no trace, or symbols that are not a multiple of 4 bytes
 * - WPP_E_NOT_TRACED: no input at all
 * - WPP_E_INCOMPLETE: cut within the first record
 * - no module's file is the traced one; then the error of the first: WPP_E_MISMATCH,
 *   _NOT_TRACED, _SYSTEM, _FORMAT, _VERSION */
bool wpp_compress_finish(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *note,
                         struct wpp_error *error);

/* After that, *note: WPP_OK, or one line about modules whose files are not the traced ones: the
 * error of the first, one of the last five statuses. */
void wpp_compress_get_unread(const wpp_compressor *c, struct wpp_error *note);

/* Writes the file; with a limit, `file` is only the part before the segments. */
bool wpp_compress_write(const wpp_compressor *c, const struct wpp_bytes *file,
                        struct wpp_output *out, struct wpp_error *error);

#endif
