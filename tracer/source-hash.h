/* SPDX-License-Identifier: MIT */
/* source-hash.h - a hash of a source file's contents.  The plugin stores it in the path table;
 * readers compare it with the file that is there now.
 *
 * The hash is FNV-1a 64 of the bytes, without a CR directly before an LF: a checkout may change
 * the line ends, but the lines stay the same.
 */
#ifndef WPP_SOURCE_HASH_H
#define WPP_SOURCE_HASH_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

struct wpp_source_hash {
    uint64_t hash;
    bool held;                 /* a CR has been read and is not in `hash` yet */
};

#define WPP_SOURCE_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

static inline void wpp_source_hash_byte(struct wpp_source_hash *h, unsigned char byte)
{
    h->hash = (h->hash ^ byte) * UINT64_C(0x100000001b3);
}

static inline void wpp_source_hash_add(struct wpp_source_hash *h, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (h->held && bytes[i] != '\n')
            wpp_source_hash_byte(h, '\r');
        h->held = bytes[i] == '\r';
        if (!h->held)
            wpp_source_hash_byte(h, bytes[i]);
    }
}

/* Hashes the regular file `name`, relative to the folder `at` (AT_FDCWD).  False: there is no
 * such file, or it cannot be read. */
static inline bool wpp_source_hash_file(int at, const char *name, uint64_t *out)
{
    struct wpp_source_hash h = {WPP_SOURCE_HASH_BEGIN, false};
    unsigned char bytes[16384];
    struct stat status;
    ssize_t got = -1;
    int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
            wpp_source_hash_add(&h, bytes, (size_t)got);
    close(fd);
    if (h.held)
        wpp_source_hash_byte(&h, '\r');
    *out = h.hash;
    return got == 0;
}

#endif
