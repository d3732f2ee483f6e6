/* SPDX-License-Identifier: GPL-3.0-or-later */
/* use-passes.h - the places among GCC's passes at which counts are used. */
#ifndef WPP_USE_PASSES_H
#define WPP_USE_PASSES_H

#include "gcc-plugin/use/use.h"

/* Registers passes that use the open file's counts, and for the early stage turns on the optimisations of
 * -fprofile-use.  Refuses other profiles; without optimisation it warns and does nothing.
 * name: of the plugin.  limit: of paths of a vertex.  `counts` must outlive the compilation. */
void register_use_passes(const char *name, profile_use &counts, uint64_t limit);

#endif
