/* SPDX-License-Identifier: MIT */
/* death-section.c - reads the section of deaths (docs/wpp-format.md, 13). */
#include "wpp/base/demangle.h"
#include "wpp/format/path-table.h"
#include "wpp/read/sections.h"

#include <assert.h>

enum { MIN_DEATH = 5 };

/* A routine of which no path has ended: section 3 does not have it. */
static const struct wpp_routine *get_unfinished(struct loading *l, struct wpp_view *v,
                                                const struct wpp_string_table *strings,
                                                const char *module)
{
    const char *directory = strings->text[wpp_get_varint_max(v, strings->n - 1)];
    uint32_t stage = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    struct wpp_routine *r = wpp_arena_alloc(l->arena, 1, sizeof *r);

    if (!r || v->failed || !wpp_parse_routine(v, strings, l->arena, r))
        return NULL;
    r->directory = directory;
    r->stage = stage;
    r->module = module;
    return section_show_names(l, r) ? r : NULL;
}

static bool get_routine(struct loading *l, struct wpp_view *v,
                        const struct wpp_string_table *strings, struct wpp_death *d)
{
    uint64_t code = wpp_get_varint_max(v, (uint64_t)l->w->n_routines + 1);

    d->number = WPP_NO_ROUTINE;
    if (code == 0)
        return !v->failed;
    if (code >= 2)
        d->number = (uint32_t)(code - 2);
    d->routine = code == 1 ? get_unfinished(l, v, strings, d->module)
                           : &l->w->routines[d->number];
    return d->routine != NULL;
}

static bool get_death(struct loading *l, struct wpp_view *v,
                      const struct wpp_string_table *strings, struct wpp_death *d)
{
    uint32_t last = section_lacks(l, WPP_PART_THREADS) ? UINT32_MAX : l->w->n_threads;
    int64_t code;
    uint32_t module;

    d->thread = (uint32_t)wpp_get_varint_max(v, last);
    d->signal = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    code = wpp_get_svarint(v);
    d->code = (int32_t)code;
    d->address = wpp_get_varint(v);
    d->place = (uint32_t)wpp_get_varint_max(v, WPP_DEATH_IN_CALL);
    d->module = d->symbol = d->file = "";
    d->number = WPP_NO_ROUTINE;
    if (v->failed || code != d->code || d->signal == 0 || d->thread == last)
        return false;
    if (d->place == WPP_DEATH_UNKNOWN)
        return true;
    if (!section_get_module(l, v, &module))
        return false;
    d->module = section_module_path(l, module);
    d->offset = wpp_get_varint(v);
    d->symbol = strings->text[wpp_get_varint_max(v, strings->n - 1)];
    d->file = strings->text[wpp_get_varint_max(v, strings->n - 1)];
    d->line = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    return !v->failed && get_routine(l, v, strings, d);
}

bool section_get_deaths(struct loading *l, struct wpp_view *v)
{
    struct wpp_string_table strings;
    struct wpp_death *deaths;
    size_t n;

    if (!wpp_parse_strings(v, l->arena, &strings))
        return false;
    n = wpp_get_count(v, MIN_DEATH);
    deaths = wpp_arena_alloc(l->arena, n, sizeof *deaths);
    if (!deaths || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!get_death(l, v, &strings, &deaths[i]))
            return false;
    l->w->deaths = deaths;
    l->w->summary.n_deaths = (uint32_t)n;
    return true;
}

const struct wpp_death *wpp_death(const wpp *w, uint32_t index)
{
    assert(index < w->summary.n_deaths);
    return &w->deaths[index];
}
