/* SPDX-License-Identifier: MIT */
#include "wpp/cli/samples-request.h"

#include <stdio.h>

#include "wpp/base/bytes.h"
#include "wpp/base/whole-file.h"
#include "wpp/cli/tool.h"
#include "wpp/samples/samples-profile.h"

static void say_layout(const struct samples_request *r, const struct samples_layout *f)
{
    double all = f->placed + f->unplaced;

    if (r->format == SAMPLES_TEXT)
        printf("%5.1f %%  of the executed edges were there before the layout of blocks\n", samples_percent(f->placed, all));
    if (f->unknown > 0)
        tool_warn("of %s routines the graph before the layout is not known; compile them with optimization",
                  tool_grouped(f->unknown));
}

void samples_write(const struct samples_request *r, const struct address_map *map, const char *program,
                   struct path_graphs *graphs, const struct path_estimates *e, double scale)
{
    struct wpp_output *out = tool_output(r->output, r->force, r->samples);
    struct samples_layout figures;
    struct wpp_bytes bytes = {0};
    struct wpp_error error;
    bool done = r->layout ? samples_layout_encode(map, program, graphs, e, scale, &figures, &bytes, &error)
                          : samples_profile_encode(map, program, graphs, e, scale, &bytes, &error);

    if (!done
        || !wpp_output_write(out, bytes.data, bytes.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    wpp_bytes_free(&bytes);
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    if (r->layout && !r->quiet)
        say_layout(r, &figures);
}
