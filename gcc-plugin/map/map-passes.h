/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map-passes.h - mode=map: the addresses of a program's blocks, beside its code (docs/address-map.md).
 *
 * Labels are put into the finished instructions as notes, which no pass counts and no pass looks at: only
 * the last one comes behind.  So the code is that of a compile without the plugin, byte by byte. */
#ifndef WPP_MAP_PASSES_H
#define WPP_MAP_PASSES_H

#include "gcc-plugin/gcc-compat.h"

/* Registers the passes.  `limit`: of the paths from a block. */
void register_map_passes(const char *plugin_name, uint64_t limit);

#endif
