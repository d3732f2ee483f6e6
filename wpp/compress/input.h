/* SPDX-License-Identifier: MIT */
/* input.h - feeding a compressor from a descriptor: a file, a FIFO, a pipe. */
#ifndef WPP_INPUT_H
#define WPP_INPUT_H

#include "wpp/compress/compress.h"

/* Sees every piece before the compressor.  False, with *error set, ends the feeding. */
typedef bool wpp_feed_hook(void *ctx, const void *bytes, size_t n, struct wpp_error *error);

/* Reads fd to its end into c.  `hook` may be NULL.  False: WPP_E_SYSTEM, or the error of
 * wpp_compress_push() or of the hook. */
bool wpp_feed(wpp_compressor *c, int fd, wpp_feed_hook *hook, void *ctx,
              struct wpp_error *error);

#endif
