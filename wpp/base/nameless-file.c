/* SPDX-License-Identifier: MIT */
#include "wpp/base/nameless-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Not all file systems have O_TMPFILE. */
int wpp_nameless_file(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    char *name;

    if (fd >= 0 || asprintf(&name, "%s/.wpp.XXXXXX", folder) < 0)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

bool wpp_pread_all(int fd, void *bytes, size_t n, off_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, (char *)bytes + done, n - done, at + (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = ENODATA;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool wpp_pwrite_all(int fd, const void *bytes, size_t n, off_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, (const char *)bytes + done, n - done, at + (off_t)done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        done += (size_t)put;
    }
    return true;
}
