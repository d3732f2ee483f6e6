/* SPDX-License-Identifier: MIT */
/* profile-write.h - a path profile as a file, of a WPP or of a path profile.
 *
 * What the order of paths tells is left out: threads, chunks, the grammar, and control words, which
 * are no paths.  A WPP gives one run of paths that calls cut. */
#ifndef WPP_PROFILE_WRITE_H
#define WPP_PROFILE_WRITE_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

/* All parts of w but its threads and chunks must be there.  WPP_E_MEMORY. */
bool profile_write(const wpp *w, struct wpp_bytes *out, struct wpp_error *error);

/* Executions of each terminal, 0 of those that are no paths.  NULL without memory; the caller frees. */
uint64_t *profile_counts(const wpp *w);

#endif
