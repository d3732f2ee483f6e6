/* SPDX-License-Identifier: MIT */
/* gzip.h - files that gunzip reads; zlib is behind this alone. */
#ifndef WPP_GZIP_H
#define WPP_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the bytes as a gzip file.  False: no memory.  Errors of `out` are the caller's to check. */
bool gzip_put(FILE *out, const void *data, size_t size);

#endif
