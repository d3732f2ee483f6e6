/* SPDX-License-Identifier: MIT */
#include "wpp/cli/store-input.h"

#include <stdio.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"

struct run_store *store_open(const char *folder, enum run_store_use use)
{
    struct wpp_error error;
    struct run_store *s = run_store_open(folder, use, &error);

    if (!s)
        tool_die_error(&error);
    if (run_store_unread(s) > 0)
        tool_warn("%u run%s in %s/new %s damaged and left out", run_store_unread(s),
                  run_store_unread(s) == 1 ? "" : "s", folder, run_store_unread(s) == 1 ? "is" : "are");
    if (run_store_waiting(s) > 0)
        tool_warn("%u run%s in %s/new left out: they can be read when the store's owner has opened it",
                  run_store_waiting(s), run_store_waiting(s) == 1 ? "" : "s", folder);
    return s;
}

wpp *store_open_process(struct run_store *s, int64_t id, uint32_t process, struct wpp_error *error)
{
    struct wpp_bytes file;
    char name[64];
    wpp *w;

    if (!run_store_load(s, id, process, &file, error))
        return NULL;
    snprintf(name, sizeof name, "run %lld", (long long)id);
    w = wpp_open_memory_intact(file.data, file.size, name, error);
    wpp_bytes_free(&file);
    return w;
}

void store_close_run(wpp **process, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        wpp_close(process[i]);
    free(process);
}

wpp **store_open_run(struct run_store *s, const struct stored_run *run, struct wpp_error *error)
{
    wpp **process = calloc(run->n_processes + (size_t)1, sizeof *process);

    if (!process) {
        wpp_fail_memory(error);
        return NULL;
    }
    for (uint32_t i = 0; i < run->n_processes; i++) {
        process[i] = store_open_process(s, run->id, i, error);
        if (!process[i]) {
            store_close_run(process, i);
            return NULL;
        }
    }
    return process;
}

bool store_run_is_usable(wpp *const *process, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (wpp_missing(process[i]) & TOOL_NEED_PATHS)
            return false;
    return true;
}

wpp *store_open_first(struct run_store *s, int64_t id)
{
    struct wpp_error error;
    wpp *w = store_open_process(s, id, 0, &error);

    if (!w)
        tool_die(tool_exit_status(error.status), "run %lld: %s", (long long)id, error.text);
    return w;
}
