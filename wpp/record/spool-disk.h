/* SPDX-License-Identifier: MIT */
/* spool-disk.h - the temporary file for what the memory of the spool has no room for.
 *
 * The file has no name: it is gone when the recorder and its keeper are gone, however they end.  A
 * keeper has the same file.  The disk keeps some room free for everything else.
 */
#ifndef WPP_SPOOL_DISK_H
#define WPP_SPOOL_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_spool_disk {
    int fd;                      /* -1: there is no file */
    bool full;                   /* the last block had no room */
    int error;                   /* errno: why there is no file, or why it is full; 0: `most` */
    uint64_t most;               /* bytes */
};

/* Makes the file in the folder, for at most `most` bytes.  False: d->error says why. */
bool wpp_spool_disk_open(struct wpp_spool_disk *d, const char *folder, uint64_t most);
void wpp_spool_disk_close(struct wpp_spool_disk *d);

/* Says that `most` bytes are in use. */
void wpp_spool_disk_fill(struct wpp_spool_disk *d);
/* False: there is no room, or the disk fails. */
bool wpp_spool_disk_write(struct wpp_spool_disk *d, uint64_t at, const void *bytes, size_t n);
/* False: errno says why. */
bool wpp_spool_disk_read(const struct wpp_spool_disk *d, uint64_t at, void *bytes, size_t n);
/* Gives the room back to the file system. */
void wpp_spool_disk_drop(const struct wpp_spool_disk *d, uint64_t at, size_t n);

#endif
