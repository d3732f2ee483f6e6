/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-pack.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/arena.h"
#include "wpp/base/error.h"
#include "wpp/base/intern.h"
#include "wpp/format/container.h"
#include "wpp/format/content.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/path-table.h"
#include "wpp/read/as-content.h"
#include "wpp/read/reader.h"
#include "wpp/runs/run-base.h"

/* A packed file is a frame of: varint n; then n sections in their order: varint kind, varint mode, and
 *
 *      OWN         varint: 1 if it is a code, which is stored as it is; varint size; bytes
 *      SHARED      varint: an item
 *      ROUTINES    varint n, n units; varint n, n sources: items.  The routines are those of the terminals
 *      TERMINALS   varint n, n items, each as svarint distance from the one before; varint size; what is
 *                  behind the terminals in the section
 */
enum mode { OWN, SHARED, ROUTINES, TERMINALS };
enum { TERMINALS_MOST = 1 << 28 };

/* ---- Items ---------------------------------------------------------------------------------- */

/* The strings of an item come first, then the rest. */
struct item_text { struct wpp_intern strings; struct wpp_bytes body; };

static void begin_item(struct item_text *t)
{
    *t = (struct item_text){0};
    wpp_intern_init(&t->strings);
}

static uint32_t end_item(struct run_base *b, enum item_kind kind, struct item_text *t)
{
    struct wpp_bytes all = {0};
    uint32_t number;

    wpp_put_intern(&all, &t->strings);
    wpp_put(&all, t->body.data, t->body.size);
    all.failed |= t->body.failed;
    number = base_item(b, kind, &all);
    wpp_bytes_free(&all);
    wpp_bytes_free(&t->body);
    wpp_intern_free(&t->strings);
    return number;
}

static uint32_t unit_item(struct run_base *b, const struct wpp_unit_content *u)
{
    struct item_text t;

    begin_item(&t);
    wpp_put_varint(&t.body, u->module);
    wpp_put_varint(&t.body, wpp_intern(&t.strings, u->compiler));
    wpp_put_varint(&t.body, wpp_intern(&t.strings, u->source));
    wpp_put_varint(&t.body, wpp_intern(&t.strings, u->directory));
    wpp_put_varint(&t.body, u->stage);
    wpp_put_varint(&t.body, u->level);
    return end_item(b, ITEM_UNIT, &t);
}

static uint32_t source_item(struct run_base *b, const struct wpp_source *s)
{
    struct item_text t;

    begin_item(&t);
    wpp_put_varint(&t.body, wpp_intern(&t.strings, s->directory));
    wpp_put_varint(&t.body, wpp_intern(&t.strings, s->file));
    wpp_put_u64(&t.body, s->hash);
    return end_item(b, ITEM_SOURCE, &t);
}

static uint32_t routine_item(struct run_base *b, const struct wpp_routine_content *r, uint32_t unit)
{
    struct item_text t;

    begin_item(&t);
    wpp_put_varint(&t.body, unit);
    wpp_put_varint(&t.body, r->base);
    wpp_put_routine(&t.body, &t.strings, r->routine);
    return end_item(b, ITEM_ROUTINE, &t);
}

/* `routine`: 1 + its item, or 0; `path` as the section has it. */
static uint32_t terminal_item(struct run_base *b, uint64_t routine, uint64_t path)
{
    struct wpp_bytes text = {0};
    uint32_t number;

    wpp_put_varint(&text, routine);
    wpp_put_varint(&text, path);
    number = base_item(b, ITEM_TERMINAL, &text);
    wpp_bytes_free(&text);
    return number;
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* The numbers of a run's items. */
struct run_items {
    uint32_t *unit, *routine, *source, *terminal;
    struct wpp_content c;
};

static void free_items(struct run_items *x)
{
    free(x->unit);
    free(x->routine);
    free(x->source);
    free(x->terminal);
}

static bool find_items(struct run_base *b, struct run_items *x)
{
    const struct wpp_content *c = &x->c;
    bool done;

    x->unit = malloc((c->n_units + (size_t)1) * sizeof *x->unit);
    x->routine = malloc((c->n_routines + (size_t)1) * sizeof *x->routine);
    x->source = malloc((c->n_sources + (size_t)1) * sizeof *x->source);
    x->terminal = malloc((c->n_terminals + (size_t)1) * sizeof *x->terminal);
    done = x->unit && x->routine && x->source && x->terminal;
    for (uint32_t i = 0; done && i < c->n_units; i++)
        done = (x->unit[i] = unit_item(b, &c->units[i])) != ITEM_NONE;
    for (uint32_t i = 0; done && i < c->n_sources; i++)
        done = (x->source[i] = source_item(b, &c->sources[i])) != ITEM_NONE;
    for (uint32_t i = 0; done && i < c->n_routines; i++)
        done = (x->routine[i] = routine_item(b, &c->routines[i], x->unit[c->routines[i].unit])) != ITEM_NONE;
    for (uint32_t i = 0; done && i < c->n_terminals; i++) {
        const struct wpp_terminal_content *t = &c->terminals[i];
        bool has = t->routine != WPP_NO_ROUTINE;
        uint64_t token = t->token - (has ? c->routines[t->routine].base : 0);

        if (has && t->left)
            token = WPP_LEFT_PATH(c->routines[t->routine].routine, token, t->left);
        x->terminal[i] = terminal_item(b, has ? x->routine[t->routine] + UINT64_C(1) : 0, token);
        done = x->terminal[i] != ITEM_NONE;
    }
    return done;
}

static void put_terminals(struct wpp_bytes *out, const struct run_items *x, struct wpp_view section)
{
    uint64_t n = wpp_get_varint(&section);
    int64_t before = -1;

    wpp_put_varint(out, n);
    for (uint64_t i = 0; i < n; i++) {
        wpp_put_svarint(out, (int64_t)x->terminal[i] - before - 1);
        before = x->terminal[i];
    }
    for (uint64_t i = 0; i < 2 * n; i++)
        wpp_get_varint(&section);
    wpp_put_varint(out, wpp_left(&section));
    wpp_put(out, section.p, wpp_left(&section));
}

static void put_routines(struct wpp_bytes *out, const struct run_items *x)
{
    wpp_put_varint(out, x->c.n_units);
    for (uint32_t i = 0; i < x->c.n_units; i++)
        wpp_put_varint(out, x->unit[i]);
    wpp_put_varint(out, x->c.n_sources);
    for (uint32_t i = 0; i < x->c.n_sources; i++)
        wpp_put_varint(out, x->source[i]);
}

static bool put_section(struct run_base *b, struct wpp_bytes *out, const struct run_items *x,
                        const struct wpp_section *s, bool is_code)
{
    uint32_t item;

    wpp_put_varint(out, s->kind);
    switch (s->kind) {
    case WPP_SECTION_ROUTINES:
        wpp_put_varint(out, ROUTINES);
        put_routines(out, x);
        return true;
    case WPP_SECTION_TERMINALS:
        wpp_put_varint(out, TERMINALS);
        put_terminals(out, x, wpp_view(s->content.data, s->content.size));
        return true;
    case WPP_SECTION_MODULES: case WPP_SECTION_LEFT_OUT:
        item = base_item(b, ITEM_SECTION, &s->content);
        wpp_put_varint(out, SHARED);
        wpp_put_varint(out, item);
        return item != ITEM_NONE;
    default:
        wpp_put_varint(out, OWN);
        wpp_put_varint(out, is_code);
        wpp_put_varint(out, s->content.size);
        wpp_put(out, s->content.data, s->content.size);
        return true;
    }
}

static bool put_sections(struct run_base *b, struct wpp_bytes *out, const struct run_items *x,
                         const struct wpp_container *c)
{
    bool done = true;

    wpp_put_varint(out, c->n);
    for (uint32_t i = 0; done && i < c->n; i++) {
        struct wpp_section s = {.kind = c->entries[i].kind};

        done = wpp_container_load(c, &s, "", NULL) &&
               put_section(b, out, x, &s, s.kind == WPP_SECTION_GRAMMAR);
        wpp_bytes_free(&s.content);
    }
    return done && !out->failed;
}

/* What the file holds, if it is one that packing is meant for. */
static bool pack_plain(struct run_base *b, const struct wpp_bytes *file, const wpp *w,
                       struct wpp_bytes *plain)
{
    struct wpp_container c;
    struct wpp_arena arena = {0};
    struct run_items x = {0};
    bool done = wpp_container_open(&c, file->data, file->size, "", NULL) && !wpp_container_is_cut(&c) &&
                wpp_as_content(w, &arena, &x.c) && find_items(b, &x) && put_sections(b, plain, &x, &c);

    free_items(&x);
    wpp_arena_free(&arena);
    return done;
}

bool run_pack(struct run_base *b, const struct wpp_bytes *file, struct wpp_bytes *out, bool *packed,
              struct wpp_error *error)
{
    uint32_t before = b->n;
    struct wpp_bytes plain = {0}, again = {0};
    wpp *w = wpp_open_memory(file->data, file->size, "", NULL);

    *packed = w && pack_plain(b, file, w, &plain) &&
              (b->example || base_item(b, ITEM_EXAMPLE, &plain) != ITEM_NONE) &&
              base_zip(b, &plain, out) &&
              run_unpack(b, wpp_view(out->data, out->size), &again, NULL) && again.size == file->size &&
              memcmp(again.data, file->data, file->size) == 0;
    if (!*packed) {
        run_base_cut(b, before);
        wpp_bytes_free(out);
        *out = (struct wpp_bytes){0};
    }
    wpp_close(w);
    wpp_bytes_free(&plain);
    wpp_bytes_free(&again);
    return !b->text.failed || wpp_fail_memory(error);
}

/* ---- Unpacking ------------------------------------------------------------------------------ */

struct unpacking {
    const struct run_base *b;
    struct wpp_arena arena;
    struct wpp_content c;
    struct wpp_unit_content *units;
    uint32_t *unit_items;
    struct wpp_routine_content *routines;
    struct wpp_source *sources;
    struct wpp_terminal_content *terminals;
    uint32_t *routine_of;          /* by item: 1 + the routine's number */
    struct wpp_view rest;          /* behind the terminals */
    bool has_units, has_terminals;
};

static const char *text_of(const struct wpp_string_table *strings, struct wpp_view *v)
{
    uint64_t n = wpp_get_varint_max(v, strings->n ? strings->n - 1 : 0);

    return strings->n && !v->failed ? strings->text[n] : "";
}

/* A view of an item behind its strings. */
static bool open_item(struct unpacking *u, uint64_t number, enum item_kind kind, struct wpp_view *v,
                      struct wpp_string_table *strings)
{
    return base_get(u->b, number, kind, v) && wpp_parse_strings(v, &u->arena, strings);
}

static bool get_units(struct unpacking *u, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);

    u->units = wpp_arena_alloc(&u->arena, n, sizeof *u->units);
    u->unit_items = wpp_arena_alloc(&u->arena, n, sizeof *u->unit_items);
    if (v->failed || !u->units || !u->unit_items)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct wpp_string_table strings;
        struct wpp_view item;

        u->unit_items[i] = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        if (v->failed || !open_item(u, u->unit_items[i], ITEM_UNIT, &item, &strings))
            return false;
        u->units[i].module = (uint32_t)wpp_get_varint_max(&item, UINT32_MAX);
        u->units[i].compiler = text_of(&strings, &item);
        u->units[i].source = text_of(&strings, &item);
        u->units[i].directory = text_of(&strings, &item);
        u->units[i].stage = (uint32_t)wpp_get_varint_max(&item, UINT32_MAX);
        u->units[i].level = (uint32_t)wpp_get_varint_max(&item, UINT32_MAX);
        if (item.failed)
            return false;
    }
    u->c.units = u->units;
    u->c.n_units = (uint32_t)n;
    u->c.n_modules = UINT32_MAX;   /* the modules are a section of their own */
    return true;
}

static bool get_sources(struct unpacking *u, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);

    u->sources = wpp_arena_alloc(&u->arena, n, sizeof *u->sources);
    if (v->failed || !u->sources)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct wpp_string_table strings;
        struct wpp_view item;
        const uint8_t *hash;

        if (!open_item(u, wpp_get_varint(v), ITEM_SOURCE, &item, &strings))
            return false;
        u->sources[i].directory = text_of(&strings, &item);
        u->sources[i].file = text_of(&strings, &item);
        hash = wpp_get_bytes(&item, 8);
        if (item.failed)
            return false;
        u->sources[i].hash = wpp_get_u64(hash);
    }
    u->c.sources = u->sources;
    u->c.n_sources = (uint32_t)n;
    return !v->failed;
}

/* The number of a routine that a terminal names, counted in order of first terminals. */
static bool get_routine(struct unpacking *u, uint64_t item, uint32_t *number)
{
    struct wpp_string_table strings;
    struct wpp_view v;
    struct wpp_routine *r;
    uint64_t unit_item, base;
    uint32_t unit = 0;

    if (item >= u->b->n || !open_item(u, item, ITEM_ROUTINE, &v, &strings))
        return false;
    *number = u->routine_of[item] - 1;
    if (u->routine_of[item])
        return true;
    unit_item = wpp_get_varint(&v);
    base = wpp_get_varint_max(&v, UINT32_MAX);
    while (unit < u->c.n_units && u->unit_items[unit] != unit_item)
        unit++;
    r = wpp_arena_alloc(&u->arena, 1, sizeof *r);
    if (v.failed || unit == u->c.n_units || !r || !wpp_parse_routine(&v, &strings, &u->arena, r))
        return false;
    *number = u->c.n_routines++;
    u->routine_of[item] = *number + 1;
    u->routines[*number] = (struct wpp_routine_content){unit, (uint32_t)base, r};
    return true;
}

static bool get_terminal(struct unpacking *u, uint64_t item, struct wpp_terminal_content *t)
{
    struct wpp_view v;
    uint64_t routine, path;

    if (!base_get(u->b, item, ITEM_TERMINAL, &v))
        return false;
    routine = wpp_get_varint(&v);
    path = wpp_get_varint(&v);
    *t = (struct wpp_terminal_content){.routine = WPP_NO_ROUTINE};
    if (routine > 0) {
        if (!get_routine(u, routine - 1, &t->routine))
            return false;
        path = wpp_path_until(u->routines[t->routine].routine, path, &t->left);
        path += u->routines[t->routine].base;
    }
    t->token = (uint32_t)path;
    return !v.failed && path <= UINT32_MAX;
}

static bool get_terminals(struct unpacking *u, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);
    int64_t before = -1;

    u->terminals = wpp_arena_alloc(&u->arena, n, sizeof *u->terminals);
    u->routines = wpp_arena_alloc(&u->arena, n, sizeof *u->routines);
    u->routine_of = wpp_arena_alloc(&u->arena, u->b->n, sizeof *u->routine_of);
    if (v->failed || n > TERMINALS_MOST || !u->terminals || !u->routines || !u->routine_of || !u->has_units)
        return false;
    for (size_t i = 0; i < n; i++) {
        before += wpp_get_svarint(v) + 1;
        if (v->failed || before < 0 || !get_terminal(u, (uint64_t)before, &u->terminals[i]))
            return false;
    }
    u->rest = wpp_get_view(v, wpp_get_count(v, 1));
    u->c.terminals = u->terminals;
    u->c.n_terminals = (uint32_t)n;
    u->c.routines = u->routines;
    u->has_terminals = true;
    return !v->failed && !u->rest.failed;
}

static bool get_own(struct wpp_view *v, struct wpp_section *s)
{
    uint64_t is_code = wpp_get_varint_max(v, 1);
    struct wpp_view bytes = wpp_get_view(v, wpp_get_count(v, 1));

    if (v->failed || bytes.failed)
        return false;
    wpp_put(&s->content, bytes.p, wpp_left(&bytes));
    s->dense = is_code;
    s->forms = is_code ? wpp_grammar_forms(&s->content) : 0;
    return !s->content.failed;
}

static bool get_shared(const struct unpacking *u, struct wpp_view *v, struct wpp_section *s)
{
    struct wpp_view item;

    if (!base_get(u->b, wpp_get_varint(v), ITEM_SECTION, &item) || v->failed)
        return false;
    wpp_put(&s->content, item.p, wpp_left(&item));
    return !s->content.failed;
}

static bool get_section(struct unpacking *u, struct wpp_view *v, struct wpp_section *s)
{
    s->kind = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    switch (wpp_get_varint(v)) {
    case OWN:       return get_own(v, s);
    case SHARED:    return get_shared(u, v, s);
    case ROUTINES:
        u->has_units = s->kind == WPP_SECTION_ROUTINES && get_units(u, v) && get_sources(u, v);
        return u->has_units;
    case TERMINALS: return s->kind == WPP_SECTION_TERMINALS && get_terminals(u, v);
    default:        return false;
    }
}

/* Routines and terminals are encoded as the writer does it. */
static bool fill_tables(const struct unpacking *u, struct wpp_section *sections, uint32_t n)
{
    struct wpp_section *routines = NULL, *terminals = NULL;

    for (uint32_t i = 0; i < n; i++) {
        if (sections[i].kind == WPP_SECTION_ROUTINES)
            routines = &sections[i];
        if (sections[i].kind == WPP_SECTION_TERMINALS)
            terminals = &sections[i];
    }
    if (!routines || !terminals || !u->has_terminals)
        return false;
    if (!wpp_content_tables(&u->c, &routines->content, &terminals->content))
        return false;
    wpp_put(&terminals->content, u->rest.p, wpp_left(&u->rest));
    return !terminals->content.failed;
}

static bool unpack_plain(struct unpacking *u, struct wpp_view v, struct wpp_bytes *file,
                         struct wpp_error *error)
{
    struct wpp_section sections[WPP_MAX_SECTIONS] = {{0}};
    uint32_t n = (uint32_t)wpp_get_varint_max(&v, WPP_MAX_SECTIONS);
    bool done = !v.failed;

    for (uint32_t i = 0; done && i < n; i++)
        done = get_section(u, &v, &sections[i]);
    done = done && wpp_left(&v) == 0 && fill_tables(u, sections, n);
    if (done)
        done = wpp_container_write(sections, n, file, error);
    else
        wpp_fail(error, WPP_E_DAMAGED, "a packed run is damaged");
    for (uint32_t i = 0; i < n && i < WPP_MAX_SECTIONS; i++)
        wpp_bytes_free(&sections[i].content);
    return done;
}

bool run_unpack(const struct run_base *b, struct wpp_view packed, struct wpp_bytes *file,
                struct wpp_error *error)
{
    struct unpacking u = {.b = b};
    struct wpp_bytes plain = {0};
    bool done = base_unzip(b, packed, &plain) || wpp_fail(error, WPP_E_DAMAGED, "a packed run is damaged");

    done = done && unpack_plain(&u, wpp_view(plain.data, plain.size), file, error);
    wpp_arena_free(&u.arena);
    wpp_bytes_free(&plain);
    return done;
}
