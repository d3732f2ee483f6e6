/* SPDX-License-Identifier: MIT */
#include "wpp/cli/run-place.h"

#include <stdlib.h>

#include "wpp/cli/tool.h"

_Noreturn static void die(const char *path, const struct wpp_error *error)
{
    tool_die(tool_exit_status(error->status), "%s: %s", path, error->text);
}

uint32_t *place_weights(const wpp *w, const char *path, const char *what)
{
    struct wpp_error error;
    uint32_t *weights = place_find_weights(w, what, &error);

    if (!weights)
        die(path, &error);
    return weights;
}

/* Executions that are counted from the last one need the whole thread. */
static uint64_t event_of_execution(const struct place *p, wpp *w, const char *path, uint32_t thread)
{
    uint32_t *weights = place_weights(w, path, p->what), within;
    struct wpp_error error;
    wpp_finder *f;
    uint64_t event;

    if (p->last)
        tool_read_until(path, w, thread, NULL, UINT64_MAX);
    else
        tool_read_until(path, w, thread, weights, p->n);
    f = wpp_finder_new(w, weights, &error);
    if (!f || !place_find_execution(p, w, f, thread, &event, &within, &error))
        die(path, &error);
    wpp_finder_free(f);
    free(weights);
    return event;
}

uint64_t place_event(const struct place *p, wpp *w, const char *path, uint32_t thread)
{
    struct wpp_error error;
    uint64_t event;

    if (p->kind == PLACE_EXECUTION)
        return event_of_execution(p, w, path, thread);
    if (!place_find_event(p, w, thread, &event, &error))
        die(path, &error);
    return event;
}
