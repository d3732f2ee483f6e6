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

/* Reads what is intact of the section `segments`, which is e, into the open file's grammar, and
 * says what is not.  False: nothing can be, for l->error or for no reason that is worth saying. */
bool read_pieces(struct loading *l, const struct wpp_container *c, const struct wpp_entry *e);

#endif
