/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/module-tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/demangle.h"
#include "wpp/base/error.h"
#include "wpp/format/path-table.h"
#include "wpp/trace/elf.h"

struct reading {
    const char *path;          /* of the module as it ran */
    const char *place;         /* of the file that is read */
    const uint8_t *build_id;
    size_t n_build_id;
    struct wpp_arena *arena;
    struct wpp_demangler demangler;
    struct module_tables *out;
    uint32_t capacity;
    struct wpp_error *error;
};

static bool broken(const struct reading *r)
{
    if (r->arena->failed)
        return wpp_fail_memory(r->error);
    return wpp_fail(r->error, WPP_E_FORMAT, "%s has a broken path table (section .wpp)", r->place);
}

/* C's names may look like those of C++. */
static bool is_c(const char *compiler)
{
    return strncmp(compiler, "GNU C", 5) == 0 && compiler[5] != '+';
}

/* Room for n more routines. */
static bool make_room(struct reading *r, uint32_t n)
{
    struct module_routine *larger;

    if (n <= r->capacity - r->out->n)
        return true;
    if (n > UINT32_MAX / 4 || r->capacity > UINT32_MAX / 4)
        return false;
    r->capacity = 2 * r->capacity + n;
    larger = wpp_arena_alloc(r->arena, r->capacity, sizeof *larger);
    if (!larger)
        return false;
    if (r->out->n > 0)
        memcpy(larger, r->out->routine, r->out->n * sizeof *larger);
    r->out->routine = larger;
    return true;
}

static bool add_routine(struct reading *r, const struct wpp_unit_table *unit,
                        const struct wpp_unit_routine *encoded)
{
    struct wpp_view view = encoded->encoded;
    struct module_routine *m = &r->out->routine[r->out->n];

    if (!wpp_parse_routine(&view, &unit->strings, r->arena, &m->routine))
        return false;
    m->source = unit->source;
    m->optimised = unit->stage == WPP_STAGE_LATE && unit->level > 0;
    m->routine.directory = unit->directory;
    m->routine.module = r->path;
    m->routine.stage = unit->stage;
    m->routine.shown = is_c(unit->compiler)
        ? m->routine.name : wpp_demangle(&r->demangler, r->arena, m->routine.name);
    r->out->n += m->routine.shown != NULL;
    return m->routine.shown != NULL;
}

static bool add_unit(struct reading *r, const struct wpp_unit_body *body)
{
    struct wpp_unit_table unit;

    if (!wpp_check_units(body, 1) || !wpp_parse_unit(body->body, r->arena, &unit)
        || !make_room(r, unit.n_routines))
        return broken(r);
    for (uint32_t i = 0; i < unit.n_routines; i++)
        if (!add_routine(r, &unit, &unit.routines[i]))
            return broken(r);
    return true;
}

static bool add_units(struct reading *r, const struct wpp_bytes *tables)
{
    struct wpp_view section = wpp_view(tables->data, tables->size);
    struct wpp_unit_body body;
    int more;

    while ((more = wpp_next_unit(&section, &body)) > 0)
        if (!add_unit(r, &body))
            return false;
    return more == 0 || broken(r);
}

static bool read_tables(struct reading *r, struct wpp_elf *elf)
{
    struct wpp_bytes id = {0}, tables = {0};
    bool found, good;

    good = wpp_elf_build_id(elf, &id, r->error);
    if (good && (id.size != r->n_build_id || (id.size && memcmp(id.data, r->build_id, id.size) != 0)))
        good = wpp_fail(r->error, WPP_E_MISMATCH, "%s has changed since it was traced: its build id "
                        "is another", r->place);
    good = good && wpp_elf_read(elf, ".wpp", &tables, &found, r->error);
    if (good && !found)
        good = wpp_fail(r->error, WPP_E_NOT_TRACED, "%s has lost its path table (section .wpp)",
                        r->place);
    good = good && add_units(r, &tables);
    wpp_bytes_free(&id);
    wpp_bytes_free(&tables);
    return good;
}

static bool read_place(struct reading *r)
{
    struct wpp_elf elf;
    bool good;

    *r->out = (struct module_tables){0};
    r->capacity = 0;
    if (!wpp_elf_open(&elf, r->place, r->error))
        return false;
    good = read_tables(r, &elf);
    wpp_elf_close(&elf);
    return good;
}

/* Of several places, the error is that of the first file that exists. */
bool module_tables_read(const char *path, const uint8_t *build_id, size_t n_build_id,
                        const struct wpp_moved *moved, struct wpp_arena *arena,
                        struct module_tables *out, struct wpp_error *error)
{
    struct wpp_error told = {0}, why;
    struct reading r = {.path = path, .build_id = build_id, .n_build_id = n_build_id,
                        .arena = arena, .out = out, .error = &why};
    bool there = false;
    char *place;

    for (unsigned i = 0; wpp_moved_place(moved, path, i, &place); i++) {
        bool done, exists;

        if (!place) {
            *error = told;
            return false;
        }
        r.place = place;
        done = read_place(&r);
        exists = access(place, F_OK) == 0;
        if (!done && (i == 0 || (exists && !there)))
            told = why;
        there |= exists;
        free(place);
        if (done)
            return true;
        if (why.status == WPP_E_MEMORY)
            break;
    }
    return wpp_fail_memory(error);
}
