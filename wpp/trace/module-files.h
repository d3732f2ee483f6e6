/* SPDX-License-Identifier: MIT */
/* module-files.h - the programs' files, open from the moment that a process has said which they are.
 *
 *      wpp_module_files_open() --- who takes records ---> spool --- the worker ---> wpp_module_files_keep()
 *                                                                            wpp_module_files_find()
 *
 * The compressor reads a module when it comes to its record: seconds after the process has
 * written it, with a ring when the process has ended.  By then the file may be gone, or
 * another build may stand in its place.  What is open stays what it was.
 *
 * The list is the worker's alone, the newest of it last.  A file is the same as another if
 * device, inode and path are; then one of them is kept.  What a fork of ours takes out of
 * the spool may have been opened after it was made: it knows such a descriptor by its not
 * being that file.
 */
#ifndef WPP_MODULE_FILES_H
#define WPP_MODULE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "wpp/base/bytes.h"

#ifdef WPP_HOSTILE
enum { WPP_MODULE_FILES_MOST = 2 };
#else
enum { WPP_MODULE_FILES_MOST = 64 };
#endif

struct wpp_module_file {
    int fd;
    dev_t device;
    ino_t inode;
    char *path;
};

struct wpp_module_files {
    unsigned open;               /* descriptors, with those on their way; both threads' */
    unsigned n;
    struct wpp_module_file list[WPP_MODULE_FILES_MOST];
};

/* If `record` is of a module: opens its file, and appends to `out` what wpp_module_files_keep() is to
 * be told.  False if there is nothing to tell: it is no such record, the file cannot be
 * opened, or so many are that processes would lack descriptors. */
bool wpp_module_files_open(struct wpp_module_files *h, const void *record, size_t n,
                           struct wpp_bytes *out);

/* Takes what was opened; what has been held longest gives way. */
void wpp_module_files_keep(struct wpp_module_files *h, const void *told, size_t n);

/* Of the files that were at `path`, the one that came so many before the last: its
 * descriptor, which stays the list's; -1 if there are not so many. */
int wpp_module_files_find(const struct wpp_module_files *h, const char *path, unsigned before);

void wpp_module_files_free(struct wpp_module_files *h);

#endif
