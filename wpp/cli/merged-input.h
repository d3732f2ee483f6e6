/* SPDX-License-Identifier: MIT */
/* merged-input.h - the sum of the processes that have counted into one file (WPP_OPTIONS=merge). */
#ifndef WPP_MERGED_INPUT_H
#define WPP_MERGED_INPUT_H

#include <stdbool.h>

#include "wpp/base/bytes.h"
#include "wpp/trace/moved.h"
#include "wpp/wpp.h"

/* Whether the open file, which must be a regular one, is such a file. */
bool merged_input_is(int fd);

/* Makes a path profile of all processes.  *note: WPP_OK, or in one line what it lacks.  False: there can
 * be none. */
bool merged_input_sum(int fd, const struct wpp_moved *moved, struct wpp_bytes *file,
                      struct wpp_error *note, struct wpp_error *error);

#endif
