/* SPDX-License-Identifier: MIT */
#include "wpp/map/address-map.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"
#include "wpp/base/error.h"
#include "wpp/format/path-table.h"
#include "wpp/trace/elf.h"

enum { MAX_PARTS = 2, MIN_BLOCK = 4, FLAGS = 2 * MAP_LANDING - 1 };

/* What is needed while reading. */
struct reading {
    struct address_map *m;
    struct wpp_elf elf;
    const char *path;
    struct wpp_error *error;
    uint32_t n_units, cap_blocks, cap_routines;
    struct wpp_unit_table *units;
};

static bool damaged(const struct reading *r, const char *what)
{
    return wpp_fail(r->error, WPP_E_DAMAGED, "%s: its address map is damaged (%s); build it anew",
                    r->path, what);
}

/* ---- Units: section .wpp_map ------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct wpp_unit_table *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static bool count_units(struct wpp_view section, size_t *n)
{
    struct wpp_unit_body unit;
    int more;

    for (*n = 0; (more = wpp_next_unit(&section, &unit)) > 0; ++*n)
        if (!wpp_check_units(&unit, 1))
            return false;
    return more == 0;
}

static bool read_units(struct reading *r, struct wpp_view section)
{
    struct wpp_unit_body unit;
    size_t n;

    if (!count_units(section, &n) || n >= UINT32_MAX)
        return damaged(r, "section .wpp_map");
    r->units = wpp_arena_alloc(&r->m->arena, n, sizeof *r->units);
    if (!r->units)
        return wpp_fail_memory(r->error);
    while (wpp_next_unit(&section, &unit) > 0) {
        struct wpp_unit_table *table = &r->units[r->n_units++];

        table->id = unit.id;
        if (!wpp_parse_unit(unit.body, &r->m->arena, table))
            return r->m->arena.failed ? wpp_fail_memory(r->error) : damaged(r, "a unit of .wpp_map");
    }
    qsort(r->units, r->n_units, sizeof *r->units, by_id);
    return true;
}

static const struct wpp_unit_table *find_unit(const struct reading *r, uint64_t id)
{
    struct wpp_unit_table key = {.id = id};

    return r->n_units == 0 ? NULL : bsearch(&key, r->units, r->n_units, sizeof *r->units, by_id);
}

/* ---- Addresses: section .wpp_addr --------------------------------------------------------- */

static bool grow(void *array, uint32_t n, uint32_t *capacity, size_t size)
{
    void **p = array, *more;

    if (n < *capacity)
        return true;
    *capacity = *capacity ? 2 * *capacity : 64;
    more = realloc(*p, *capacity * size);
    if (more)
        *p = more;
    return more != NULL;
}

static bool add_block(struct reading *r, struct map_block block)
{
    struct address_map *m = r->m;

    if (m->n_blocks == MAP_NONE - 1 || !grow(&m->block, m->n_blocks, &r->cap_blocks, sizeof *m->block))
        return wpp_fail_memory(r->error);
    m->block[m->n_blocks++] = block;
    return true;
}

/* The blocks of one part, which lie one behind the other from its address on.  *there: the linker kept
 * the part.  An address at which there is no code stands for a routine that it dropped. */
static bool read_part(struct reading *r, struct wpp_view *v, uint32_t routine, bool *there)
{
    size_t n = wpp_get_count(v, MIN_BLOCK);
    uint64_t at = 0;

    if (n > 0 && !v->failed) {
        struct wpp_view address = wpp_get_view(v, 8);
        at = address.failed ? 0 : wpp_get_u64(address.p);
        *there &= wpp_elf_has_code(&r->elf, at);
    }
    for (size_t i = 0; i < n && !v->failed; i++) {
        struct map_block block = {.routine = routine, .next = MAP_NONE};

        block.block = (uint32_t)wpp_get_varint_max(v, MAP_NONE - 1);
        block.begin = at + wpp_get_varint_max(v, UINT32_MAX);
        at = block.end = block.begin + wpp_get_varint_max(v, UINT32_MAX);
        block.flags = (uint32_t)wpp_get_varint_max(v, UINT32_MAX) & FLAGS;
        if (!v->failed && !add_block(r, block))
            return false;
    }
    return !v->failed || damaged(r, "a routine of .wpp_addr");
}

/* Each block of the routine has one place. */
static bool place_blocks(struct reading *r, struct map_routine *out, uint32_t first)
{
    struct address_map *m = r->m;
    uint32_t *place = wpp_arena_alloc(&m->arena, out->r.n_blocks, sizeof *place);

    if (!place)
        return wpp_fail_memory(r->error);
    if (m->n_blocks - first != out->r.n_blocks - 2)
        return damaged(r, "a routine's number of blocks");
    memset(place, 0xff, out->r.n_blocks * sizeof *place);
    for (uint32_t i = first; i < m->n_blocks; i++) {
        uint32_t b = m->block[i].block;
        if (b < 2 || b >= out->r.n_blocks || place[b] != MAP_NONE)
            return damaged(r, "a block's number");
        place[b] = i;
        if ((m->block[i].flags & MAP_FALLS) && i + 1 < m->n_blocks)
            m->block[i].next = i + 1;
    }
    out->place = place;
    return true;
}

/* Where control goes on behind an edge of the DAG; 0: it is no edge of the graph. */
static uint32_t arc_target(const struct wpp_routine *r, const struct wpp_edge *e)
{
    if (e->kind == WPP_EDGE_REAL)
        return e->src == 0 ? 0 : e->dst;
    if (e->kind == WPP_EDGE_START)
        return 0;
    return e->to < r->n_blocks ? e->to : 1;
}

bool address_map_find_arcs(struct address_map *m, struct map_routine *out)
{
    const struct wpp_routine *r = &out->r;
    uint32_t *first = wpp_arena_alloc(&m->arena, r->n_blocks + (size_t)1, sizeof *first);
    uint32_t *arc = wpp_arena_alloc(&m->arena, r->n_edges, sizeof *arc), n = 0, e = 0;
    uint8_t *kind = wpp_arena_alloc(&m->arena, r->n_edges, 1);

    if (!first || !arc || !kind)
        return false;
    for (uint32_t b = 0; b < r->n_blocks; b++) {
        first[b] = n;
        for (; e < r->n_edges && r->edges[e].src == b; e++)
            if (arc_target(r, &r->edges[e])) {
                kind[n] = (uint8_t)r->edges[e].kind;
                arc[n++] = arc_target(r, &r->edges[e]);
            }
    }
    first[r->n_blocks] = n;
    out->first_arc = first;
    out->arc = arc;
    out->arc_kind = kind;
    return true;
}

static bool read_routine(struct reading *r, const struct wpp_unit_table *unit, uint64_t number,
                         struct wpp_routine *out)
{
    struct address_map *m = r->m;
    struct wpp_view encoded = unit->routines[number].encoded;

    if (!wpp_parse_routine(&encoded, &unit->strings, &m->arena, out))
        return m->arena.failed ? wpp_fail_memory(r->error) : damaged(r, "a routine of .wpp_map");
    out->directory = unit->directory;
    out->module = r->path;
    out->shown = out->name;
    out->stage = unit->stage;
    return true;
}

/* The unit and routine that an entry names: u64 id, varint number. */
static const struct wpp_unit_table *read_name(const struct reading *r, struct wpp_view *v, uint64_t *number)
{
    struct wpp_view id = wpp_get_view(v, 8);
    const struct wpp_unit_table *unit = id.failed ? NULL : find_unit(r, wpp_get_u64(id.p));

    *number = wpp_get_varint(v);
    return unit && !v->failed && *number < unit->n_routines ? unit : NULL;
}

/* Where the blocks were before the layout, if the compiler has told. */
static bool read_layout(struct reading *r, struct wpp_view *v, struct map_routine *out)
{
    struct address_map *m = r->m;
    uint64_t known = wpp_get_varint_max(v, 1), number;
    const struct wpp_unit_table *unit = known && !v->failed ? read_name(r, v, &number) : NULL;
    struct wpp_routine *layout;
    uint32_t *origin;

    if (v->failed || (known && (!unit || unit->stage != WPP_STAGE_LAYOUT)))
        return damaged(r, "a routine before its layout");
    if (!known)
        return wpp_left(v) == 0 || damaged(r, "the end of a routine");
    layout = wpp_arena_alloc(&m->arena, 1, sizeof *layout);
    origin = wpp_arena_alloc(&m->arena, out->r.n_blocks, sizeof *origin);
    if (!layout || !origin)
        return wpp_fail_memory(r->error);
    if (!read_routine(r, unit, number, layout))
        return false;
    if (layout->n_blocks <= 2)
        return damaged(r, "a routine before its layout");
    for (uint32_t b = 2; b < out->r.n_blocks; b++) {
        origin[b] = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        if (v->failed || origin[b] == 1 || origin[b] >= layout->n_blocks)
            return damaged(r, "a block before the layout");
    }
    out->layout = layout;
    out->origin = origin;
    return wpp_left(v) == 0 || damaged(r, "the end of a routine");
}

static bool add_routine(struct reading *r, const struct wpp_unit_table *unit, uint64_t number,
                        uint32_t first_block, struct wpp_view *rest)
{
    struct address_map *m = r->m;
    struct map_routine *out;

    if (!grow(&m->routine, m->n_routines, &r->cap_routines, sizeof *m->routine))
        return wpp_fail_memory(r->error);
    out = &m->routine[m->n_routines];
    *out = (struct map_routine){.compiler = unit->compiler, .source = unit->source,
                                .level = unit->level};
    if (!read_routine(r, unit, number, &out->r) || !read_layout(r, rest, out))
        return false;
    if (!place_blocks(r, out, first_block))
        return false;
    if (!address_map_find_arcs(m, out))
        return wpp_fail_memory(r->error);
    m->n_routines++;
    return true;
}

static bool read_addresses_of_one(struct reading *r, struct wpp_view v)
{
    uint32_t first = r->m->n_blocks;
    uint64_t number, parts;
    const struct wpp_unit_table *unit = read_name(r, &v, &number);
    bool there = true;

    if (!unit || unit->stage != WPP_STAGE_FINAL)
        return damaged(r, "a routine that no unit has");
    parts = wpp_get_varint_max(&v, MAX_PARTS);
    for (uint64_t part = 0; part < parts; part++)
        if (!read_part(r, &v, r->m->n_routines, &there))
            return false;
    if (!there) {
        r->m->n_blocks = first;
        return true;
    }
    return add_routine(r, unit, number, first, &v);
}

static bool read_addresses(struct reading *r, struct wpp_view section)
{
    while (wpp_left(&section) > 0) {
        struct wpp_view one;

        if (*section.p == 0) {
            section.p++;
            continue;
        }
        if (wpp_left(&section) < 8 || memcmp(section.p, "WPPA", 4))
            return damaged(r, "section .wpp_addr");
        one = wpp_view(section.p + 8, 0);
        one.end += wpp_get_u32(section.p + 4);
        if (wpp_get_u32(section.p + 4) > wpp_left(&section) - 8)
            return damaged(r, "the end of .wpp_addr");
        section.p = one.end;
        if (!read_addresses_of_one(r, one))
            return false;
    }
    return true;
}

/* ---- Order ---------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b, void *blocks)
{
    const struct map_block *x = (const struct map_block *)blocks + *(const uint32_t *)a;
    const struct map_block *y = (const struct map_block *)blocks + *(const uint32_t *)b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->routine == y->routine || x->end != y->end)
        return x->end != y->end ? (x->end > y->end) - (x->end < y->end) : (x > y) - (x < y);
    return (x > y) - (x < y);
}

/* Whether two routines share code: a linker has folded equal ones (--icf).  The first one stays. */
static bool overlap(const struct map_block *a, const struct map_block *b)
{
    return a->routine != b->routine && a->end > b->begin && b->end > b->begin;
}

static void renumber(struct address_map *m, const uint32_t *order, uint32_t *place,
                     struct map_block *sorted)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->n_blocks; i++) {
        if (n > 0 && overlap(&sorted[n - 1], &m->block[order[i]])) {
            place[order[i]] = MAP_NONE;
            continue;
        }
        place[order[i]] = n;
        sorted[n++] = m->block[order[i]];
    }
    for (uint32_t i = 0; i < n; i++)
        if (sorted[i].next != MAP_NONE)
            sorted[i].next = place[sorted[i].next];
    for (uint32_t i = 0; i < m->n_routines; i++) {
        uint32_t *of = (uint32_t *)m->routine[i].place;
        for (uint32_t b = 2; b < m->routine[i].r.n_blocks; b++)
            of[b] = place[of[b]];
    }
    free(m->block);
    m->block = sorted;
    m->n_blocks = n;
}

static bool sort_blocks(struct address_map *m)
{
    uint32_t *order = malloc((m->n_blocks + (size_t)1) * sizeof *order);
    uint32_t *place = malloc((m->n_blocks + (size_t)1) * sizeof *place);
    struct map_block *sorted = malloc((m->n_blocks + (size_t)1) * sizeof *sorted);
    bool done = order && place && sorted;

    for (uint32_t i = 0; done && i < m->n_blocks; i++)
        order[i] = i;
    if (done) {
        qsort_r(order, m->n_blocks, sizeof *order, by_address, m->block);
        renumber(m, order, place, sorted);
    } else {
        free(sorted);
    }
    free(order);
    free(place);
    return done;
}

/* ---- Opening ---------------------------------------------------------------------------------- */

static bool collect_sources(struct reading *r)
{
    struct address_map *m = r->m;
    size_t n = 0;

    for (uint32_t i = 0; i < r->n_units; i++)
        n += r->units[i].n_sources;
    m->sources = wpp_arena_alloc(&m->arena, n, sizeof *m->sources);
    for (uint32_t i = 0; m->sources && i < r->n_units; i++)
        for (uint32_t s = 0; s < r->units[i].n_sources; s++)
            m->sources[m->n_sources++] = r->units[i].sources[s];
    return m->sources || wpp_fail_memory(r->error);
}

static bool read_module(struct reading *r)
{
    struct wpp_bytes id = {0};
    bool done = wpp_elf_build_id(&r->elf, &id, r->error)
             && wpp_elf_segments(&r->elf, &r->m->arena, &r->m->segment, &r->m->n_segments, r->error);

    if (done && id.size <= sizeof r->m->build_id) {
        memcpy(r->m->build_id, id.data, id.size);
        r->m->build_id_size = (uint32_t)id.size;
    }
    wpp_bytes_free(&id);
    return done;
}

static bool read_open(struct reading *r, struct wpp_bytes *units, struct wpp_bytes *addresses)
{
    bool has_units, has_addresses;

    if (!wpp_elf_read(&r->elf, ".wpp_map", units, &has_units, r->error)
        || !wpp_elf_read(&r->elf, ".wpp_addr", addresses, &has_addresses, r->error))
        return false;
    if (!has_units || !has_addresses)
        return wpp_fail(r->error, WPP_E_NOT_TRACED, "%s has no address map; compile it with wpp-gcc and "
                        "WPP_PLUGIN_ARGS=mode=map", r->path);
    return read_units(r, wpp_view(units->data, units->size))
        && read_addresses(r, wpp_view(addresses->data, addresses->size)) && collect_sources(r)
        && read_module(r) && (sort_blocks(r->m) || wpp_fail_memory(r->error));
}

bool address_map_read(struct address_map *m, const char *path, struct wpp_error *error)
{
    struct wpp_bytes units = {0}, addresses = {0};
    struct reading r = {.m = m, .path = path, .error = error};
    bool done;

    *m = (struct address_map){0};
    r.path = wpp_arena_string(&m->arena, path, strlen(path));
    if (!r.path)
        return wpp_fail_memory(error);
    done = wpp_elf_open(&r.elf, r.path, error);
    if (done) {
        done = read_open(&r, &units, &addresses);
        wpp_elf_close(&r.elf);
    }
    wpp_bytes_free(&units);
    wpp_bytes_free(&addresses);
    if (!done)
        address_map_free(m);
    return done;
}

void address_map_free(struct address_map *m)
{
    free(m->block);
    free(m->routine);
    wpp_arena_free(&m->arena);
    *m = (struct address_map){0};
}

/* ---- Looking up ---------------------------------------------------------------------------------- */

/* The number of blocks that begin at the address or before. */
static uint32_t count_up_to(const struct address_map *m, uint64_t address)
{
    uint32_t low = 0, high = m->n_blocks;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->block[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t address_map_find(const struct address_map *m, uint64_t address)
{
    uint32_t n = count_up_to(m, address);

    return n > 0 && address < m->block[n - 1].end ? n - 1 : MAP_NONE;
}

uint32_t address_map_arrive(const struct address_map *m, uint64_t address)
{
    uint32_t at = address_map_find(m, address);

    while (at != MAP_NONE && at > 0 && m->block[at].begin == address && m->block[at - 1].begin == address
           && m->block[at - 1].routine == m->block[at].routine)
        at--;
    return at;
}

bool address_map_has_arc(const struct address_map *m, uint32_t from, uint32_t to)
{
    const struct map_block *a = &m->block[from], *b = &m->block[to];
    const struct map_routine *r = &m->routine[a->routine];

    if (a->routine != b->routine)
        return false;
    for (uint32_t i = r->first_arc[a->block]; i < r->first_arc[a->block + 1]; i++)
        if (r->arc[i] == b->block)
            return true;
    return false;
}
