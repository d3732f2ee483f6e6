/* SPDX-License-Identifier: MIT */
/* process-files.h - the processes of a recording, each with a compressor and a file.
 *
 * The first process that records anything gets the file that was asked for,
 * FILE; those that follow are put beside it, into the folder FILE.d, as
 * PROGRAM.PID.wpp.  A folder of that name from before becomes FILE.d.old, also
 * when nothing is put there now: it belongs to FILE.old.
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
    /* What is to be told of a process: that it has no file, or what its file lacks. */
    void (*tell)(void *ctx, const char *program, const struct wpp_error *error, bool has_file);
};

struct wpp_process_files {
    struct wpp_process_files_sink sink;
    const char *path;            /* FILE */
    uint64_t ring;               /* bytes of tokens kept of each thread, 0: all */
    uint64_t memory;             /* for compressing, 0: what it takes */
    const struct wpp_heap *heap; /* of this process, or NULL without `memory` */
    bool best;                   /* files as small as may be (wpp_compress_best), */
    bool enough;                 /* ... until anybody sets this: it is atomic */
    struct wpp_crew crew;        /* of size 0: traces are not cut for it */
    struct wpp_output *first;    /* open on it until a process takes it */
    bool first_is_done;          /* by who is gone: it is as it should be */
    bool single;                 /* FILE is a pipe or device: there is no folder beside it */
    bool single_told;
    struct wpp_process_file **list;       /* by the recorder's number, NULL: has recorded nothing */
    uint32_t n;
    struct wpp_process_file *running;     /* those that are not over, one linked to the next */
    struct wpp_module_files held;        /* but for `open` */
    uint32_t begun, written, failed, dumps;
    uint32_t cut;                /* of those written: by an interrupt */
    bool first_is_cut;           /* ... FILE, too */
    uint64_t looks;              /* dumps that were asked for */
    char *folder;                /* made, when not NULL */
    uint64_t tokens, symbols;    /* of the processes that are over */
    uint64_t first_tokens;       /* of them: of the one in FILE */
    struct wpp_process_files_shared *shared;      /* with a fork that may have to end the work, or NULL */
};

/* `first` is open on `path`; it is the runs' from now on. */
void wpp_process_files_init(struct wpp_process_files *runs, const char *path, struct wpp_output *first,
                            const struct wpp_process_files_sink *sink);
void wpp_process_files_free(struct wpp_process_files *runs);

void wpp_process_files_bytes(struct wpp_process_files *runs, uint32_t process, const void *bytes,
                             size_t n);
/* Writes the process's file, which says why it holds no more if that is not all. */
void wpp_process_files_over(struct wpp_process_files *runs, uint32_t process, enum wpp_ended why);

/* From now on there are no forks: grammars may be built by threads. */
void wpp_process_files_call_crew(struct wpp_process_files *runs);

/* Writes what the process's ring holds, and `rest` behind it, into a file of the folder. */
void wpp_process_files_dump(struct wpp_process_files *runs, uint32_t process, const void *rest,
                            size_t n);

/* In a fork of who has begun the files and is gone: they are to be written anew. */
void wpp_process_files_inherit(struct wpp_process_files *runs);

/* Writes the files of all processes. */
void wpp_process_files_all_over(struct wpp_process_files *runs, enum wpp_ended why);

/* Of all processes so far. */
struct wpp_process_files_figures {
    uint64_t tokens;             /* events */
    uint64_t symbols;            /* on right-hand sides of their grammars */
    uint64_t memory;             /* bytes, of the grammars and rings */
    uint32_t begun;              /* processes */
};
struct wpp_process_files_figures wpp_process_files_figures(const struct wpp_process_files *runs);

#endif
