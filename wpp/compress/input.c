/* SPDX-License-Identifier: MIT */
#include "wpp/compress/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "wpp/base/error.h"

#ifdef WPP_HOSTILE
enum { BUFFER_BYTES = 4099 };
#else
enum { BUFFER_BYTES = 1 << 20 };     /* the largest capacity of a pipe */
#endif

bool wpp_feed(wpp_compressor *c, int fd, wpp_feed_hook *hook, void *ctx,
              struct wpp_error *error)
{
    uint8_t *buffer = malloc(BUFFER_BYTES);
    bool good = buffer != NULL || wpp_fail_memory(error);

    while (good) {
        ssize_t n = read(fd, buffer, BUFFER_BYTES);

        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            good = wpp_fail_errno(error, "cannot read it");
        else
            good = (!hook || hook(ctx, buffer, (size_t)n, error)) &&
                   wpp_compress_push(c, buffer, (size_t)n, error);
    }
    free(buffer);
    return good;
}
