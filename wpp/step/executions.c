/* SPDX-License-Identifier: MIT */
#include "wpp/step/executions.h"

#include <stdlib.h>

static bool terminal_at(const wpp *w, uint32_t thread, uint64_t event, uint32_t *terminal)
{
    wpp_cursor *c = wpp_cursor_new(w, thread, event);
    bool found = c && wpp_cursor_read(c, terminal, 1) == 1;

    wpp_cursor_free(c);
    return found;
}

/* The lines of an event's path at which executions begin.  *out is from malloc.  False: no memory. */
static bool places_in(const struct sought *s, uint32_t thread, uint64_t event, uint32_t **out, uint32_t *n)
{
    uint64_t here = wpp_finder_count(s->finder, thread, event, event + 1);
    uint32_t terminal = 0, line = s->line;

    *n = 0;
    *out = calloc(here + (size_t)1, sizeof **out);
    if (!*out || !terminal_at(s->w, thread, event, &terminal)) {
        free(*out);
        return false;
    }
    if (s->n_files == 0)
        *n = here > 0;
    for (size_t i = 0; i < s->n_files && here > 0 && *n == 0; i++)
        *n = stepper_executions(s->w, terminal, s->files[i], line, *out, (uint32_t)here);
    *n = *n < here ? *n : (uint32_t)here;
    return true;
}

uint64_t executions_of(const struct sought *s, uint32_t thread)
{
    return wpp_finder_count(s->finder, thread, 0, wpp_thread(s->w, thread)->tokens);
}

bool executions_before(const struct sought *s, const struct run_place *p, bool also_here, uint64_t *n)
{
    uint32_t *places, here;

    *n = wpp_finder_count(s->finder, p->thread, 0, p->event);
    if (p->event >= wpp_thread(s->w, p->thread)->tokens)
        return true;
    if (!places_in(s, p->thread, p->event, &places, &here))
        return false;
    for (uint32_t i = 0; i < here; i++)
        *n += places[i] < p->line || (also_here && places[i] == p->line);
    free(places);
    return true;
}

bool executions_place(const struct sought *s, uint32_t thread, uint64_t k, struct run_place *out)
{
    struct run_place to = {.thread = thread};
    uint32_t within, *places, n;

    if (!wpp_finder_nth(s->finder, thread, k, &to.event, &within)
        || !places_in(s, thread, to.event, &places, &n))
        return false;
    to.line = within < n ? places[within] : 0;
    free(places);
    *out = to;
    return true;
}
