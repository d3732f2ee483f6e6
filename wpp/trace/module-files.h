/* SPDX-License-Identifier: MIT */
/* module-files.h - keeps files of modules open from the moment a process names them.
 *
 *      recording thread ------------> spool ------------> worker
 *      wpp_module_files_open()                            wpp_module_files_keep()
 *                                                         wpp_module_files_find()
 *
 * The compressor reads a module when it comes to the module's record.  That is seconds after the
 * process has written the record, and with a ring when the process has ended.  By then the file
 * may be gone, or another build may stand in its place.  An open file stays the same.
 *
 * Only the worker uses the list, whose last entry is the newest.  Two files are the same if
 * device, inode and path are; then one of them is kept.  A fork of ours may take a message out
 * of the spool whose file was opened after the fork.  It recognises that its descriptor is not
 * that file.
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
    unsigned open;               /* open descriptors, also those in the spool; both threads use
                                    it */
    unsigned n;
    struct wpp_module_file list[WPP_MODULE_FILES_MOST];
};

/* If `record` is of a module: opens its file, and appends to `out` the message for
 * wpp_module_files_keep().  False, without message: another record, the file cannot be opened,
 * or processes would lack descriptors. */
bool wpp_module_files_open(struct wpp_module_files *h, const void *record, size_t n,
                           struct wpp_bytes *out);

/* Takes an opened file; the oldest one may be closed for it. */
void wpp_module_files_keep(struct wpp_module_files *h, const void *told, size_t n);

/* Of the files that were at `path`: the one that is `before` entries older than the newest.
 * Returns its descriptor, which the list keeps; -1 if there are fewer entries. */
int wpp_module_files_find(const struct wpp_module_files *h, const char *path, unsigned before);

void wpp_module_files_free(struct wpp_module_files *h);

#endif
