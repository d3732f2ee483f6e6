/* SPDX-License-Identifier: MIT */
/* whole-file.h - files that appear under their name only when they are complete.
 *
 *   path is                             written to                    commit
 *   absent or a regular file            unnamed or temporary file     renamed onto path
 *                                       in the same directory
 *   `-`, /dev/stdout, /dev/fd/N         the descriptor                nothing
 *   any other device, FIFO, socket      path itself                   nothing
 *
 * Only a regular file is replaced, truncated or unlinked.  A symbolic link is followed: its
 * target is replaced, not the link.
 */
#ifndef WPP_WHOLE_FILE_H
#define WPP_WHOLE_FILE_H

#include "wpp/wpp.h"

struct wpp_output;

enum wpp_output_flag {
    WPP_OUTPUT_REPLACE = 1u,     /* an existing regular file may be replaced */
    WPP_OUTPUT_KEEP_OLD = 2u     /* with REPLACE: the existing file is kept as PATH.old */
};

/* NULL on error: WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_ARGUMENT (the file exists and may not be
 * replaced, or is a directory, or has no name). */
struct wpp_output *wpp_output_open(const char *path, unsigned flags, struct wpp_error *error);

/* The descriptor to write to; the output keeps it. */
int wpp_output_fd(const struct wpp_output *out);
/* Whether nothing is renamed at the end: data goes out directly when it is written. */
bool wpp_output_in_place(const struct wpp_output *out);

/* Whether `path` names the standard output, for example `-`. */
bool wpp_output_is_standard(const char *path);

/* Whether an output on `path` would go to the regular file `input`, under any name.  `-`: the
 * file of standard input. */
bool wpp_output_is_input(const char *path, const char *input);

/* Whether both paths lead to one file, under any names; the file need not exist yet.  Then
 * writing both would lose one. */
bool wpp_output_is_same(const char *a, const char *b);

/* The folder for unnamed files that belong to an output on `path`: the output's folder, or if it
 * is written in place, $TMPDIR or /tmp.  The caller frees it; NULL: no memory. */
char *wpp_output_folder(const char *path, bool in_place);

/* Writes all of it, or fails with WPP_E_SYSTEM. */
bool wpp_output_write(struct wpp_output *out, const void *data, size_t size,
                      struct wpp_error *error);

/* For a fork whose parent opened the output and is gone.  is_done: whether the parent finished
 * the output under its name.  begin_again: begins a new file and drops everything written so
 * far.  False: output in place cannot be taken back; WPP_E_SYSTEM, WPP_E_MEMORY. */
bool wpp_output_is_done(const struct wpp_output *out);
bool wpp_output_begin_again(struct wpp_output *out, struct wpp_error *error);

/* Has the disk hold what was written, and gives the file its temporary name, which it returns.
 * Before a name is given, `soon` gets it.  NULL: WPP_E_SYSTEM; also for an output in place. */
typedef void wpp_output_soon(void *ctx, const char *temporary);
const char *wpp_output_settle(struct wpp_output *out, wpp_output_soon *soon, void *ctx,
                              struct wpp_error *error);

/* Both end the output and free it.  Commit closes the file and gives it its name.  WPP_E_SYSTEM;
 * WPP_E_ARGUMENT if the name was taken meanwhile.  After a failure no file is left, and abandon
 * never leaves one; out may be NULL there. */
bool wpp_output_commit(struct wpp_output *out, struct wpp_error *error);
void wpp_output_abandon(struct wpp_output *out);

#endif
