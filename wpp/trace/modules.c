/* SPDX-License-Identifier: MIT */
#include "wpp/trace/modules.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/trace/elf.h"
#include "wpp/trace/module-record.h"

void wpp_modules_free(struct wpp_modules *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        wpp_bytes_free(&m->loaded[i].tables);
    free(m->loaded);
    free(m->unread);
    wpp_arena_free(&m->arena);
    *m = (struct wpp_modules){0};
}

uint64_t wpp_modules_bytes(const struct wpp_modules *m)
{
    uint64_t bytes = wpp_arena_bytes(&m->arena);

    for (uint32_t i = 0; i < m->n; i++)
        bytes += m->loaded[i].tables.size;
    return bytes;
}

/* ---- Checking the file against the trace ---------------------------------------- */

/* The state of one module while it is added. */
struct adding {
    struct wpp_loaded_module *m;
    char *place;                       /* the path that is tried; NULL: a file that is held */
    struct wpp_arena *arena;
    struct wpp_load load;
    struct wpp_bytes units;            /* section wpp_units */
    struct wpp_error *error;
};

/* The file's name in messages. */
static const char *file_of(const struct adding *a)
{
    return a->place ? a->place : a->m->path;
}

static bool changed(const struct adding *a, const char *what)
{
    return wpp_fail(a->error, WPP_E_MISMATCH, "%s has changed since it was traced: %s", file_of(a),
                    what);
}

static bool check_build_id(const struct adding *a, struct wpp_elf *elf)
{
    struct wpp_bytes id = {0};
    bool read = wpp_elf_build_id(elf, &id, a->error), same;

    same = id.size == a->m->build_id_bytes &&
           (id.size == 0 || memcmp(id.data, a->m->build_id, id.size) == 0);
    wpp_bytes_free(&id);
    return read && (same || changed(a, "its build id is another"));
}

static struct wpp_unit unit_at(const struct adding *a, uint32_t i)
{
    struct wpp_unit unit;

    memcpy(&unit, a->units.data + i * sizeof unit, sizeof unit);
    return unit;
}

/* Compares the trace's hash over (id, count) of all units in order. */
static bool check_units(const struct adding *a)
{
    uint64_t hash = WPP_FNV_START, paths = 0;

    if (a->units.size != (uint64_t)a->load.n_units * sizeof(struct wpp_unit))
        return changed(a, "it has another number of instrumented objects");
    for (uint32_t i = 0; i < a->load.n_units; i++) {
        struct wpp_unit unit = unit_at(a, i);

        if (unit.abi != (unit.flags & WPP_UNIT_COUNTS ? WPP_ABI_COUNTS : WPP_ABI))
            return wpp_fail(a->error, WPP_E_VERSION, "%s was built by another version of the "
                            "plugin (its interface is %u, this program's %u)", file_of(a),
                            unit.abi, WPP_ABI);
        hash = wpp_fnv(hash, &unit.id, sizeof unit.id);
        hash = wpp_fnv(hash, &unit.count, sizeof unit.count);
        paths += unit.count;
    }
    if (hash != a->load.units || paths != a->load.count)
        return changed(a, "its instrumented routines are others");
    return true;
}

/* ---- Path tables -------------------------------------------------------------------- */

struct table_place {
    uint64_t id;
    struct wpp_unit_table table;
};

static int compare_tables(const void *a, const void *b)
{
    uint64_t x = ((const struct table_place *)a)->id, y = ((const struct table_place *)b)->id;

    return x < y ? -1 : x > y;
}

static bool bad_table(const struct adding *a)
{
    if (a->arena->failed)
        return wpp_fail_memory(a->error);
    return wpp_fail(a->error, WPP_E_FORMAT, "%s has a broken path table (section .wpp)",
                    file_of(a));
}

/* The bodies of all tables of the section; n_units is only a first guess of their number. */
static struct wpp_unit_body *find_bodies(const struct adding *a, size_t *n)
{
    struct wpp_view section = wpp_view(a->m->tables.data, a->m->tables.size);
    struct wpp_unit_body *list = NULL, body;
    size_t capacity = 0;
    int more;

    *n = 0;
    while ((more = wpp_next_unit(&section, &body)) > 0) {
        if (*n == capacity) {
            struct wpp_unit_body *larger;

            capacity = capacity ? 2 * capacity : (size_t)a->load.n_units + 1;
            larger = realloc(list, capacity * sizeof *list);
            if (!larger) {
                a->arena->failed = true;
                more = -1;
                break;
            }
            list = larger;
        }
        list[(*n)++] = body;
    }
    if (more < 0 || !wpp_check_units(list, *n)) {
        bad_table(a);
        free(list);
        return NULL;
    }
    if (!list) {
        wpp_fail(a->error, WPP_E_NOT_TRACED, "%s has lost its path table (section .wpp); trace "
                 "the file as the linker made it", file_of(a));
        return NULL;
    }
    return list;
}

/* All tables of the section, sorted by id. */
static struct table_place *list_tables(const struct adding *a, size_t *n)
{
    struct wpp_unit_body *bodies = find_bodies(a, n);
    struct table_place *list = bodies ? calloc(*n, sizeof *list) : NULL;

    a->arena->failed |= bodies && !list;
    for (size_t i = 0; list && i < *n; i++) {
        list[i].id = bodies[i].id;
        if (!wpp_parse_unit(bodies[i].body, a->arena, &list[i].table)) {
            free(list);
            list = NULL;
        }
    }
    if (bodies && !list)
        bad_table(a);
    free(bodies);
    if (list)
        qsort(list, *n, sizeof *list, compare_tables);
    return list;
}

/* Names of limited routines are not needed, only their number. */
static uint32_t count_limited(const struct wpp_unit_table *table)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < table->n_routines; i++) {
        struct wpp_view r = table->routines[i].encoded;

        for (int field = 0; field < 4; field++)    /* size, name, file, line */
            wpp_get_varint(&r);
        n += (wpp_get_varint(&r) & WPP_ROUTINE_LIMITED) != 0;
    }
    return n;
}

static bool add_unit(const struct adding *a, uint32_t i, uint32_t base,
                     const struct table_place *list, size_t n)
{
    struct wpp_unit unit = unit_at(a, i);
    struct table_place key = {.id = unit.id};
    const struct table_place *found = bsearch(&key, list, n, sizeof *list, compare_tables);
    struct wpp_module_unit *u = &a->m->units[i];

    if (!found)
        return wpp_fail(a->error, WPP_E_NOT_TRACED, "%s has lost a part of its path table "
                        "(section .wpp)", file_of(a));
    u->table = found->table;
    if (u->table.paths != unit.count)
        return bad_table(a);
    u->base = base;
    u->count = unit.count;
    a->m->n_routines += u->table.n_routines;
    a->m->n_limited += count_limited(&u->table);
    return true;
}

static int compare_left_out(const void *left, const void *right)
{
    const struct wpp_left_out *a = left, *b = right;
    int order = strcmp(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : (a->reason > b->reason) - (a->reason < b->reason);
}

/* Collects the routines left out of all objects, also of objects without instrumented routines.
 * An inline function, which many objects have, counts once. */
static bool collect_left_out(const struct adding *a, const struct table_place *list, size_t n)
{
    struct wpp_left_out *all;
    size_t total = 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        total += list[i].table.n_left_out;
    a->m->left_out = all = wpp_arena_alloc(a->arena, total, sizeof *all);
    if (!all || total > UINT32_MAX)
        return false;
    total = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(all + total, list[i].table.left_out, list[i].table.n_left_out * sizeof *all);
        total += list[i].table.n_left_out;
    }
    qsort(all, total, sizeof *all, compare_left_out);
    for (size_t i = 0; i < total; i++)
        if (kept == 0 || compare_left_out(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    a->m->n_left_out = (uint32_t)kept;
    return true;
}

static bool add_units(const struct adding *a)
{
    uint32_t base = a->load.base;
    struct table_place *list;
    size_t n;
    bool good = true;

    a->m->n_units = a->load.n_units;
    a->m->units = wpp_arena_alloc(a->arena, a->load.n_units, sizeof *a->m->units);
    if (!a->m->units)
        return wpp_fail_memory(a->error);
    list = list_tables(a, &n);
    if (!list)
        return false;
    for (uint32_t i = 0; good && i < a->load.n_units; i++) {
        good = add_unit(a, i, base, list, n);
        base += a->m->units[i].count;
    }
    good = good && (collect_left_out(a, list, n) || wpp_fail_memory(a->error));
    free(list);
    return good;
}

/* ---- Adding ---------------------------------------------------------------------------- */

static bool read_file(struct adding *a, struct wpp_elf *elf)
{
    bool has_units, has_tables;

    if (!check_build_id(a, elf) ||
        !wpp_elf_read(elf, "wpp_units", &a->units, &has_units, a->error) ||
        !wpp_elf_read(elf, ".wpp", &a->m->tables, &has_tables, a->error))
        return false;
    if (!has_units)
        return changed(a, "it is not instrumented any more");
    return check_units(a);
}

/* Reads the file at a->place, if it is the module's. */
static bool read_place(struct adding *a)
{
    struct wpp_elf elf;
    bool good;

    wpp_bytes_free(&a->units);
    wpp_bytes_free(&a->m->tables);
    if (!wpp_elf_open(&elf, a->place, a->error)) {
        struct wpp_error why = *a->error;

        return why.status != WPP_E_MEMORY &&
               wpp_fail(a->error, WPP_E_MISMATCH,
                        "a file that was traced is gone or unreadable: %s", why.text);
    }
    good = read_file(a, &elf);
    wpp_elf_close(&elf);
    return good;
}

/* Tries all places of the file.  If none fits, the error is that of the first file that exists. */
static bool read_places(struct adding *a, const struct wpp_moved *moved)
{
    struct wpp_error told = {0};
    bool there = false;

    for (unsigned i = 0; wpp_moved_place(moved, a->m->path, i, &a->place); i++) {
        if (!a->place) {
            *a->error = told;
            return false;
        }
        if (read_place(a))
            return true;
        bool exists = access(a->place, F_OK) == 0;
        if (i == 0 || (exists && !there))
            told = *a->error;
        there |= exists;
        free(a->place);
        a->place = NULL;
        if (a->error->status == WPP_E_MEMORY)
            return false;
    }
    return wpp_fail_memory(a->error);
}

/* The same for a held file that was at the path.  Its errors do not matter. */
static bool read_held(struct adding *a, int fd)
{
    struct wpp_error *error = a->error, ignored;
    struct wpp_elf elf;
    bool good;

    wpp_bytes_free(&a->units);
    wpp_bytes_free(&a->m->tables);
    a->error = &ignored;
    good = wpp_elf_adopt(&elf, fd, a->m->path, a->error);
    if (good) {
        good = read_file(a, &elf);
        wpp_elf_close(&elf);
    }
    a->error = error;
    return good;
}

static bool add_module(struct adding *a, const struct wpp_moved *moved,
                       const struct wpp_module_files *held)
{
    bool good;
    int fd;

    if (a->m->path[0] == '\0')
        return wpp_fail(a->error, WPP_E_MISMATCH, "the trace does not say which file its module "
                        "at token %u is", a->m->base);
    good = read_places(a, moved);
    for (unsigned i = 0; !good && held
         && (fd = wpp_module_files_find(held, a->m->path, i)) >= 0; i++)
        good = read_held(a, fd);
    return good && add_units(a);
}

static bool add_room(struct wpp_modules *m)
{
    uint32_t capacity = m->capacity ? 2 * m->capacity : 8;
    struct wpp_loaded_module *larger;

    if (m->n < m->capacity)
        return true;
    larger = realloc(m->loaded, capacity * sizeof *larger);
    if (!larger)
        return false;
    m->loaded = larger;
    m->capacity = capacity;
    return true;
}

static bool meets(const struct wpp_load *load, uint64_t base, uint64_t count)
{
    return load->base < base + count && base < (uint64_t)load->base + load->count;
}

/* Whether another module has one of these tokens: no two modules of a trace share tokens. */
static bool is_taken(const struct wpp_modules *m, const struct wpp_load *load)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (meets(load, m->loaded[i].base, m->loaded[i].count))
            return true;
    for (uint32_t i = 0; i < m->n_unread; i++)
        if (meets(load, m->unread[i].token, m->unread[i].n_tokens))
            return true;
    return false;
}

static bool add_unread(struct wpp_modules *m, const struct wpp_loaded_module *module,
                       const struct wpp_error *why)
{
    struct wpp_unread_module *larger =
        realloc(m->unread, (m->n_unread + (size_t)1) * sizeof *larger);
    char *text = larger ? wpp_arena_string(&m->arena, why->text, strlen(why->text)) : NULL;

    if (larger)
        m->unread = larger;
    if (!text)
        return false;
    if (m->n_unread == 0)
        m->first_unread = *why;
    m->unread[m->n_unread++] =
        (struct wpp_unread_module){module->path, text, module->base, module->count};
    return true;
}

bool wpp_modules_add(struct wpp_modules *m, const uint8_t *payload, size_t size,
                     const struct wpp_moved *moved, const struct wpp_module_files *held,
                     struct wpp_error *error)
{
    struct wpp_error why;
    struct adding a = {.arena = &m->arena, .error = &why};
    struct wpp_module_record record;
    bool good;

    if (!wpp_module_parse(payload, size, &record))
        return wpp_fail(error, WPP_E_DAMAGED, "a module's record makes no sense");
    if (is_taken(m, &record.load))
        return wpp_fail(error, WPP_E_DAMAGED, "two modules have the same tokens");
    if (!add_room(m))
        return wpp_fail_memory(error);
    a.load = record.load;
    a.m = &m->loaded[m->n];
    *a.m = (struct wpp_loaded_module){.base = a.load.base, .count = a.load.count, .load = a.load,
                                      .build_id_bytes = a.load.build_id_bytes};
    a.m->build_id =
        (const uint8_t *)wpp_arena_string(a.arena, record.build_id, a.load.build_id_bytes);
    a.m->path = wpp_arena_string(a.arena, record.path.p, wpp_left(&record.path));
    if (!a.m->build_id || !a.m->path)
        return wpp_fail_memory(error);
    good = add_module(&a, moved, held);
    free(a.place);
    wpp_bytes_free(&a.units);
    if (good) {
        m->n++;
        return true;
    }
    wpp_bytes_free(&a.m->tables);
    if (why.status == WPP_E_MEMORY || !add_unread(m, a.m, &why))
        return wpp_fail_memory(error);
    return true;
}

/* ---- Opening again ------------------------------------------------------------------- */

/* Whether the open file is the module's; else it is closed. */
static bool is_same(struct adding *a, struct wpp_elf *elf)
{
    bool same = read_file(a, elf);

    wpp_bytes_free(&a->units);
    wpp_bytes_free(&a->m->tables);
    elf->path = a->m->path;
    if (!same)
        wpp_elf_close(elf);
    return same;
}

static bool open_places(struct adding *a, const struct wpp_moved *moved, struct wpp_elf *elf)
{
    bool found = false;
    char *place;

    for (unsigned i = 0; !found && wpp_moved_place(moved, a->m->path, i, &place) && place; i++) {
        a->place = place;
        found = wpp_elf_open(elf, place, a->error) && is_same(a, elf);
        a->place = NULL;
        free(place);
    }
    return found;
}

bool wpp_modules_open(const struct wpp_loaded_module *module, const struct wpp_moved *moved,
                      const struct wpp_module_files *held, struct wpp_elf *elf)
{
    struct wpp_error ignored;
    struct wpp_loaded_module copy = {.path = module->path, .build_id = module->build_id,
                                     .build_id_bytes = module->build_id_bytes};
    struct adding a = {.m = &copy, .load = module->load, .error = &ignored};
    bool found = open_places(&a, moved, elf);
    int fd;

    for (unsigned i = 0; !found && held
         && (fd = wpp_module_files_find(held, copy.path, i)) >= 0; i++)
        found = wpp_elf_adopt(elf, fd, copy.path, &ignored) && is_same(&a, elf);
    return found;
}

/* ---- Finding ------------------------------------------------------------------------------ */

/* Index of the last routine whose first path is <= `path`. */
static uint32_t find_routine(const struct wpp_unit_table *table, uint32_t path)
{
    uint32_t low = 0, high = table->n_routines;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (table->routines[middle].first_path <= path)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t find_unit(const struct wpp_loaded_module *m, uint32_t token)
{
    uint32_t low = 0, high = m->n_units;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (m->units[middle].base <= token)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool wpp_modules_find(const struct wpp_modules *m, uint32_t token, struct wpp_token_place *out)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const struct wpp_loaded_module *module = &m->loaded[i];
        const struct wpp_module_unit *unit;

        if (token < module->base || token - module->base >= module->count)
            continue;
        out->module = i;
        out->unit = find_unit(module, token);
        unit = &module->units[out->unit];
        assert(token - unit->base < unit->count);
        out->routine = find_routine(&unit->table, token - unit->base);
        out->routine_base = unit->base + (uint32_t)unit->table.routines[out->routine].first_path;
        return true;
    }
    return false;
}
