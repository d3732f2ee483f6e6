/* SPDX-License-Identifier: MIT */
#include "wpp/cli/samples-request.h"

#include "wpp/base/bytes.h"
#include "wpp/base/whole-file.h"
#include "wpp/cli/tool.h"
#include "wpp/samples/samples-profile.h"

void samples_write(const struct samples_request *r, const struct address_map *map, const char *program,
                   struct path_graphs *graphs, const struct path_estimates *e, double scale,
                   struct samples_layout *figures)
{
    struct wpp_output *out = tool_output(r->output, r->force, r->samples);
    struct wpp_bytes bytes = {0};
    struct wpp_error error;
    bool done = r->layout ? samples_layout_encode(map, program, graphs, e, scale, figures, &bytes, &error)
                          : samples_profile_encode(map, program, graphs, e, scale, &bytes, &error);

    if (!done
        || !wpp_output_write(out, bytes.data, bytes.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    wpp_bytes_free(&bytes);
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
}
