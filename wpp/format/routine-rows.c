/* SPDX-License-Identifier: MIT */
/* routine-rows.c - the section `routines` of files of versions 6 to 12. */
#include "wpp/format/path-table.h"
#include "wpp/format/routine-columns.h"

/* Sizes of the shortest encodings: they limit counts before memory is allocated. */
enum { MIN_UNIT = 6, MIN_ROUTINE = 8, MIN_SOURCE = 10 };

static const char *get_text(struct wpp_view *v, const struct wpp_string_table *strings)
{
    return strings->text[wpp_get_varint_max(v, strings->n - 1)];
}

static bool get_units(struct wpp_view *v, const struct wpp_string_table *strings,
                      struct wpp_arena *arena, struct wpp_routine_tables *out)
{
    size_t n = wpp_get_count(v, MIN_UNIT);

    out->units = wpp_arena_alloc(arena, n, sizeof *out->units);
    if (!out->units || n > UINT32_MAX)
        return false;
    out->n_units = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        struct wpp_unit_content *u = &out->units[i];

        u->module = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        u->compiler = get_text(v, strings);
        u->source = get_text(v, strings);
        u->directory = get_text(v, strings);
        u->stage = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        u->level = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    }
    return !v->failed;
}

/* Older files end before them. */
static bool get_sources(struct wpp_view *v, const struct wpp_string_table *strings,
                        struct wpp_arena *arena, struct wpp_routine_tables *out)
{
    size_t n = wpp_left(v) > 0 ? wpp_get_count(v, MIN_SOURCE) : 0;

    out->sources = wpp_arena_alloc(arena, n, sizeof *out->sources);
    if (!out->sources || v->failed || n > UINT32_MAX)
        return false;
    out->n_sources = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        if (!wpp_parse_source(v, strings, true, &out->sources[i]))
            return false;
    return true;
}

bool wpp_get_routine_rows(struct wpp_view *v, struct wpp_arena *arena,
                          struct wpp_routine_tables *out)
{
    struct wpp_string_table strings;
    size_t n;

    *out = (struct wpp_routine_tables){0};
    if (!wpp_parse_strings(v, arena, &strings) || !get_units(v, &strings, arena, out))
        return false;
    n = wpp_get_count(v, MIN_ROUTINE);
    out->routines = wpp_arena_alloc(arena, n, sizeof *out->routines);
    out->bases = wpp_arena_alloc(arena, n, sizeof *out->bases);
    out->unit_of = wpp_arena_alloc(arena, n, sizeof *out->unit_of);
    if (arena->failed || n > UINT32_MAX || (n > 0 && out->n_units == 0))
        return false;
    out->n_routines = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        out->unit_of[i] = (uint32_t)wpp_get_varint_max(v, out->n_units - 1);
        out->bases[i] = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        if (v->failed || !wpp_parse_routine(v, &strings, arena, &out->routines[i])
            || out->routines[i].num_paths - 1 > UINT32_MAX - out->bases[i])
            return false;
    }
    return get_sources(v, &strings, arena, out);
}
