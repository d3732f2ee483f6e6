/* SPDX-License-Identifier: MIT */
/* source-text-file.h - opens a source file where it is now. */
#ifndef WPP_SOURCE_TEXT_FILE_H
#define WPP_SOURCE_TEXT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "wpp/trace/moved.h"

/* The file at `path`, or where `moved` says, which may be NULL.  *out is NULL if none of these is an
 * ordinary file that can be read.  False: no memory. */
bool source_text_file_open(const char *path, const struct wpp_moved *moved, FILE **out);

#endif
