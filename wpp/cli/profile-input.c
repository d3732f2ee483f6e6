/* SPDX-License-Identifier: MIT */
#include "wpp/cli/profile-input.h"

#include <string.h>

#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"

/* Of a file in memory, by the magic number that it begins with. */
static wpp *open_by_magic(const struct wpp_bytes *file, const char *path, struct wpp_error *error)
{
    return wpp_open_memory_intact(file->data, file->size, path, error);
}

wpp *profile_input_open(const char *path)
{
    const char *name = tool_file_name(path);
    struct wpp_bytes file = {0};
    struct wpp_error error;
    wpp *w = NULL;

    tool_stage_reading(path);
    if (wpp_read_file(path, &file, &error))
        w = open_by_magic(&file, name, &error);
    wpp_bytes_free(&file);
    tool_stage_end();
    if (!w)
        tool_die_error(tool_explain_folder(path, &error));
    tool_need(path, w, TOOL_NEED_PATHS);
    return w;
}

wpp *profile_input_open_program(const char *path)
{
    wpp *w = profile_input_open(path);
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (run.n_routines == 0 && run.tokens > 0)
        tool_die(TOOL_ERROR, "%s has no routines: it holds plain symbols", path);
    return w;
}
