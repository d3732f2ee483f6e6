/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/source-text-file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL: it is no ordinary file that can be read; a FIFO would make us wait. */
static FILE *open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    FILE *in = NULL;

    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        in = fdopen(fd, "r");
    if (fd >= 0 && !in)
        close(fd);
    return in;
}

bool source_text_file_open(const char *path, const struct wpp_moved *moved, FILE **out)
{
    char *place;

    *out = NULL;
    for (unsigned i = 0; !*out; i++) {
        if (!wpp_moved_place(moved, path, i, &place))
            return false;
        if (!place)
            return true;
        *out = open_file(place);
        free(place);
    }
    return true;
}
