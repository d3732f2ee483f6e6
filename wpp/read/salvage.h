/* SPDX-License-Identifier: MIT */
/* salvage.h - the segments of a damaged file that are intact.  Internal to libwpp.
 *
 *      list of segments    size, checksum, events of each
 *      segments            | 0 | 1 | damaged | 3 | cut off
 *
 *      thread k            its events of 0, of 1, Gap, of 3, Gap
 */
#ifndef WPP_SALVAGE_H
#define WPP_SALVAGE_H

#include "wpp/read/sections.h"

/* Reads the intact part of the section `segments`, which is e, into the open file's grammar and
 * notes the rest.  False: nothing could be read; the reason is in l->error, or is not worth
 * reporting. */
bool read_pieces(struct loading *l, const struct wpp_container *c, const struct wpp_entry *e);

#endif
