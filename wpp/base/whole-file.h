/* SPDX-License-Identifier: MIT */
/* whole-file.h - files that appear under their name only when complete.
 *
 *   path is                             written to                    commit
 *   absent or a regular file            unnamed or temporary file     renamed onto path
 *                                       in the same directory
 *   `-`, /dev/stdout, /dev/fd/N         the descriptor                nothing
 *   any other device, FIFO, socket      path itself                   nothing
 *
 * What is no regular file is never replaced, truncated or unlinked.  A symbolic
 * link is followed: what it points to is replaced, not the link.
 */
#ifndef WPP_WHOLE_FILE_H
#define WPP_WHOLE_FILE_H

#include "wpp/wpp.h"

struct wpp_output;

enum wpp_output_flag {
    WPP_OUTPUT_REPLACE = 1u,     /* an existing regular file may be replaced */
    WPP_OUTPUT_KEEP_OLD = 2u     /* with REPLACE: it is kept as PATH.old */
};

/* NULL on error: WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_ARGUMENT (the file exists
 * and may not be replaced, or is a directory, or has no name). */
struct wpp_output *wpp_output_open(const char *path, unsigned flags, struct wpp_error *error);

/* The descriptor to write to; it stays the output's. */
int wpp_output_fd(const struct wpp_output *out);
/* Whether nothing is renamed at the end: the data goes out as it is written. */
bool wpp_output_in_place(const struct wpp_output *out);

/* Whether `path` names the standard output, `-` for instance. */
bool wpp_output_is_standard(const char *path);

/* Whether an output on `path` would go to the regular file `input` (`-`: what standard input
 * reads), under whatever name. */
bool wpp_output_is_input(const char *path, const char *input);

/* Whether both paths lead to one file, which need not be there yet, by whatever names: then who
 * writes both loses one. */
bool wpp_output_is_same(const char *a, const char *b);

/* Where files without a name may be kept that belong to an output on `path`: its folder, or
 * when it is written in place, $TMPDIR or /tmp.  To be freed; NULL: no memory. */
char *wpp_output_folder(const char *path, bool in_place);

/* Writes all of it, or fails with WPP_E_SYSTEM. */
bool wpp_output_write(struct wpp_output *out, const void *data, size_t size,
                      struct wpp_error *error);

/* In a fork of the process that opened it, when that is gone: whether it has ended the
 * output under its name; and a new beginning, whatever it wrote.  False: in place nothing
 * can be taken back; WPP_E_SYSTEM, WPP_E_MEMORY. */
bool wpp_output_is_done(const struct wpp_output *out);
bool wpp_output_begin_again(struct wpp_output *out, struct wpp_error *error);

/* Either ends the output and frees it.  Commit closes the file and gives it
 * its name (WPP_E_SYSTEM; WPP_E_ARGUMENT when the name was taken meanwhile): on
 * failure nothing is left behind.  Abandon leaves nothing behind either;
 * out may be NULL. */
bool wpp_output_commit(struct wpp_output *out, struct wpp_error *error);
void wpp_output_abandon(struct wpp_output *out);

#endif
