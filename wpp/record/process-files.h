/* SPDX-License-Identifier: MIT */
/* process-files.h - the processes of a recording, each with a compressor and a file.
 *
 * The first process that records anything gets the requested file, FILE.  Later processes get
 * PROGRAM.PID.wpp in the folder FILE.d beside it.  An older folder of that name becomes
 * FILE.d.old, even if the new recording makes no folder: the old folder belongs to FILE.old.
 *
 * Or files are summed into FILE by the sink.  Only what it cannot sum has a file in FILE.d, to which
 * several recordings may add.
 */
#ifndef WPP_PROCESS_FILES_H
#define WPP_PROCESS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/base/whole-file.h"
#include "wpp/compress/compress.h"
#include "wpp/trace/module-files.h"

struct wpp_process_file;

struct wpp_process_files_sink {
    void *ctx;
    /* Reports that a process has no file, or what its file lacks. */
    void (*tell)(void *ctx, const char *program, const struct wpp_error *error, bool has_file);
    /* Takes a finished file over, to sum it with others.  False: it cannot, and *error says why; then
     * the process has a file in the folder.  Later `summed` says that there are no more. */
    bool (*sum)(void *ctx, const char *program, struct wpp_bytes *file, struct wpp_error *error);
    void (*summed)(void *ctx);
};

struct wpp_process_files {
    struct wpp_process_files_sink sink;
    const char *path;            /* FILE */
    uint64_t ring;               /* bytes of tokens kept for each thread; 0: all */
    uint64_t memory;             /* limit for compressing; 0: no limit */
    uint64_t room;               /* without a limit and `best`: wpp_compress_room(); 0: none */
    const struct wpp_heap *heap; /* of this process, or NULL without `memory` */
    bool best;                   /* make files as small as possible (wpp_compress_best), ... */
    bool enough;                 /* ... until another thread sets this; atomic */
    struct wpp_crew crew;        /* size 0: traces are not cut for a crew */
    bool sums;                   /* files go to the sink's `sum`; FILE is not ours */
    struct wpp_output *first;    /* open on FILE until a process takes it; NULL with `sums` */
    bool first_is_done;          /* the killed recorder had already finished FILE */
    bool single;                 /* FILE is a pipe or device: there is no folder beside it */
    bool single_told;
    struct wpp_process_file **list;       /* by the recorder's number; NULL: recorded nothing */
    uint32_t n;
    struct wpp_process_file *running;     /* linked list of those that are not over */
    struct wpp_module_files held;        /* only the worker uses it, except `open` */
    uint32_t begun, written, failed, dumps;
    uint32_t summed, apart;      /* processes that `sum` took, and that it could not take */
    uint32_t cut;                /* number of written files that an interrupt cut short */
    bool first_is_cut;           /* ... FILE is one of them */
    uint64_t looks;              /* number of dumps asked for */
    char *folder;                /* FILE.d, if made; else NULL */
    uint64_t tokens, symbols;    /* of the processes that are over */
    uint64_t first_tokens;       /* of these: of the process in FILE */
    struct wpp_process_files_shared *shared;      /* shared with a keeper, which may have to
                                                     finish the files; or NULL */
};

/* `first` is open on `path`; runs owns it from now on.  NULL: files are summed. */
void wpp_process_files_init(struct wpp_process_files *runs, const char *path,
                            struct wpp_output *first, const struct wpp_process_files_sink *sink);
void wpp_process_files_free(struct wpp_process_files *runs);

void wpp_process_files_bytes(struct wpp_process_files *runs, uint32_t process, const void *bytes,
                             size_t n);
/* Likewise, if the process has begun and is not over. */
void wpp_process_files_rest(struct wpp_process_files *runs, uint32_t process, const void *bytes,
                            size_t n);
/* Writes the process's file.  If something is missing in it, the file says why. */
void wpp_process_files_over(struct wpp_process_files *runs, uint32_t process, enum wpp_ended why);

/* From now on there are no forks: a crew of threads may build grammars. */
void wpp_process_files_call_crew(struct wpp_process_files *runs);

/* Writes the contents of the process's ring, and `rest` behind it, into a file of the folder. */
void wpp_process_files_dump(struct wpp_process_files *runs, uint32_t process, const void *rest,
                            size_t n);

/* In a keeper whose recorder was killed: unfinished files are emptied, to be written again. */
void wpp_process_files_inherit(struct wpp_process_files *runs);

/* Writes the files of all processes. */
void wpp_process_files_all_over(struct wpp_process_files *runs, enum wpp_ended why);

/* Totals of all processes so far. */
struct wpp_process_files_figures {
    uint64_t tokens;             /* events */
    uint64_t symbols;            /* on right-hand sides of their grammars */
    uint64_t memory;             /* bytes, of the grammars and rings */
    uint32_t begun;              /* processes */
};
struct wpp_process_files_figures wpp_process_files_figures(const struct wpp_process_files *runs);

#endif
