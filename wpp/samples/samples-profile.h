/* SPDX-License-Identifier: MIT */
/* samples-profile.h - estimated counts of paths as a path profile (docs/wpp-format.md, 12). */
#ifndef WPP_SAMPLES_PROFILE_H
#define WPP_SAMPLES_PROFILE_H

#include "wpp/base/bytes.h"
#include "wpp/samples/path-estimate.h"

struct samples_layout {
    double placed, unplaced;   /* executions of the final code's edges that have one before the layout, or not */
    uint32_t unknown;          /* routines whose graph before the layout is not known */
};

/* Each count is multiplied by `scale` and rounded; what becomes 0 is left out.  WPP_E_MEMORY; WPP_E_ARGUMENT:
 * the routines have more paths than such a file can number. */
bool samples_profile_encode(const struct address_map *map, const char *program, struct path_graphs *graphs,
                            const struct path_estimates *e, double scale, struct wpp_bytes *out,
                            struct wpp_error *error);

/* The same as a profile of edges of the graphs before the layout of blocks, for the plugin's argument use=
 * (docs/profile-use.md). */
bool samples_layout_encode(const struct address_map *map, const char *program, struct path_graphs *graphs,
                           const struct path_estimates *e, double scale, struct samples_layout *figures,
                           struct wpp_bytes *out, struct wpp_error *error);

#endif
