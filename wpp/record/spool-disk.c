/* SPDX-License-Identifier: MIT */
#include "wpp/record/spool-disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "wpp/base/nameless-file.h"

bool wpp_spool_disk_open(struct wpp_spool_disk *d, const char *folder, uint64_t most)
{
    *d = (struct wpp_spool_disk){.fd = wpp_nameless_file(folder), .most = most};
    if (d->fd < 0)
        d->error = errno;
    return d->fd >= 0;
}

void wpp_spool_disk_close(struct wpp_spool_disk *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
}

/* A twentieth of the file system stays free, for the WPP and for other programs.  Where free room
 * cannot be known, a full disk is noticed at a write. */
static bool has_room(const struct wpp_spool_disk *d, size_t n)
{
    enum { KEPT_FREE = 20 };
    struct statvfs fs;

    return fstatvfs(d->fd, &fs) != 0 ||
           (uint64_t)fs.f_bavail * fs.f_frsize >= (uint64_t)fs.f_blocks * fs.f_frsize / KEPT_FREE + n;
}

void wpp_spool_disk_fill(struct wpp_spool_disk *d)
{
    d->full = true;
    d->error = 0;
}

bool wpp_spool_disk_write(struct wpp_spool_disk *d, uint64_t at, const void *bytes, size_t n)
{
    d->full = false;
    d->error = 0;
    if (!has_room(d, n)) {
        d->full = true;
        d->error = ENOSPC;
    } else if (!wpp_pwrite_all(d->fd, bytes, n, (off_t)at)) {
        d->full = true;
        d->error = errno;
        wpp_spool_disk_drop(d, at, n);
    }
    return !d->full;
}

bool wpp_spool_disk_read(const struct wpp_spool_disk *d, uint64_t at, void *bytes, size_t n)
{
    return wpp_pread_all(d->fd, bytes, n, (off_t)at);
}

void wpp_spool_disk_drop(const struct wpp_spool_disk *d, uint64_t at, size_t n)
{
    /* Where it fails, a later block uses the room again. */
    (void)!fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n);
}
