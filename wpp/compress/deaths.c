/* SPDX-License-Identifier: MIT */
/* deaths.c - from the program counter of a killed thread to a routine and a line.
 *
 *      address in memory --load address of its module--> address in its file
 *              --symbol table--> name of the function --path table--> routine
 *              --.debug_line-->  file and line
 *
 * If the thread was in code that is not traced, the words on its stack that may be return addresses
 * tell which call led there.  Some of them may be left from calls that have returned:
 *
 *      word 0   in f, which begins at A      true, if the call before word 1 is `call A`
 *      word 1   in g, behind `call B`        then word 0 is an old one
 */
#include "wpp/compress/deaths.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/trace/function-symbols.h"
#include "wpp/trace/line-table.h"

/* ---- Names of files --------------------------------------------------------------------- */

/* Appends the names of a path's folders to `out`, which has room, without `.`, and with `..` taken
 * out where a name stands before it. */
static void add_clean(char *out, const char *path)
{
    while (*path) {
        size_t n = strcspn(path, "/");
        char *last = strrchr(out, '/');

        if (n == 2 && strncmp(path, "..", 2) == 0 && last && strcmp(last, "/..") != 0)
            *last = '\0';
        else if (n > 0 && !(n == 1 && *path == '.'))
            strncat(strcat(out, "/"), path, n);
        path += n + (path[n] == '/');
    }
}

static char *clean_path(struct wpp_arena *arena, const char *directory, const char *file)
{
    char *out = wpp_arena_alloc(arena, strlen(directory) + strlen(file) + 4, 1);

    if (!out)
        return NULL;
    if (*file != '/')
        add_clean(out, directory);
    add_clean(out, file);
    return out;
}

/* Whether the name in the line table, which may lack the compiler's directory, is that of the path
 * table's file. */
static bool is_same_file(struct wpp_arena *arena, const char *name, const char *directory,
                         const char *file)
{
    const char *a = clean_path(arena, "", name), *b = clean_path(arena, directory, file);
    size_t n = a ? strlen(a) : 0, m = b ? strlen(b) : 0;

    if (!a || !b || n > m)
        return false;
    return strcmp(b + (m - n), a) == 0 && (*name != '/' || n == m);
}

/* ---- The routine ------------------------------------------------------------------------- */

struct place {
    const struct wpp_loaded_module *module;
    uint64_t offset;                   /* the instruction: of a call its last byte */
    uint64_t begin;                    /* of the function */
    uint64_t called;                   /* of a call: what it calls, if it says that itself; else 0 */
    const char *symbol;
    struct wpp_line_place line;        /* line 0: not known */
    const struct wpp_unit_table *unit; /* NULL: no routine */
    uint32_t token;                    /* of its path 0 */
    struct wpp_routine *routine;
};

/* The name as its table has it: parts that GCC moves away are named after the routine. */
static size_t name_length(const char *symbol)
{
    const char *part = strstr(symbol, ".cold");

    return part && (part[5] == '\0' || part[5] == '.') ? (size_t)(part - symbol) : strlen(symbol);
}

/* Whether the encoded routine has this name. */
static bool is_named(const struct wpp_unit_table *unit, struct wpp_view encoded, const char *symbol)
{
    size_t n = name_length(symbol);
    const char *name;

    wpp_get_varint(&encoded);
    name = unit->strings.text[wpp_get_varint_max(&encoded, unit->strings.n - 1)];
    return strlen(name) == n && memcmp(name, symbol, n) == 0;
}

/* Sets the file to what the routine's table calls it.  False: it has no code of that file. */
static bool adopt_file(struct wpp_arena *arena, struct place *p, const struct wpp_routine *r)
{
    const char *last = NULL;

    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++) {
            const char *file = r->blocks[b].lines[i].file;

            if (file != last && is_same_file(arena, p->line.file, p->unit->directory, file)) {
                p->line.file = file;
                return true;
            }
            last = file;
        }
    return false;
}

/* Static functions of several units may have one name; then the file tells which it is. */
static bool take_routine(struct wpp_arena *arena, struct place *p,
                         const struct wpp_module_unit *u, uint32_t i, bool only)
{
    struct wpp_view encoded = u->table.routines[i].encoded;
    struct wpp_routine *r = wpp_arena_alloc(arena, 1, sizeof *r);
    struct place found = *p;

    if (!r || !wpp_parse_routine(&encoded, &u->table.strings, arena, r))
        return false;
    found.unit = &u->table;
    found.token = u->base + (uint32_t)u->table.routines[i].first_path;
    found.routine = r;
    if (!(found.line.line && adopt_file(arena, &found, r)) && !only)
        return false;
    *p = found;
    return true;
}

static uint32_t count_named(const struct wpp_loaded_module *m, const char *symbol)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < m->n_units; u++)
        for (uint32_t i = 0; i < m->units[u].table.n_routines; i++)
            n += is_named(&m->units[u].table, m->units[u].table.routines[i].encoded, symbol);
    return n;
}

static bool find_routine(struct wpp_arena *arena, struct place *p, const char *symbol)
{
    const struct wpp_loaded_module *m = p->module;
    uint32_t n = count_named(m, symbol);

    for (uint32_t u = 0; n > 0 && u < m->n_units; u++)
        for (uint32_t i = 0; i < m->units[u].table.n_routines; i++)
            if (is_named(&m->units[u].table, m->units[u].table.routines[i].encoded, symbol) &&
                take_routine(arena, p, &m->units[u], i, n == 1))
                return true;
    return false;
}

/* ---- The place ---------------------------------------------------------------------------- */

/* A module's file, opened for all addresses of a death. */
struct opened {
    const struct wpp_loaded_module *module;
    uint64_t bias;                     /* address in memory less that in the file */
    struct wpp_elf elf;
    struct wpp_function_symbols symbols;
    struct wpp_line_table lines;
};

/* Whether one of the addresses is code of the module. */
static bool concerns(const struct opened *o, const struct wpp_fault *fault)
{
    bool any = wpp_elf_has_code(&o->elf, fault->pc - o->bias);

    for (uint32_t i = 0; !any && i < fault->n_calls && i < WPP_FAULT_CALLS; i++)
        any = wpp_elf_has_code(&o->elf, fault->calls[i] - 1 - o->bias);
    return any;
}

/* False: its file is gone, or it has none of the code. */
static bool open_module(const wpp_compressor *c, const struct wpp_loaded_module *m,
                        const struct wpp_fault *fault, struct opened *o)
{
    uint64_t header;
    bool known;

    *o = (struct opened){.module = m};
    if (!wpp_modules_open(m, c->moved, c->held, &o->elf))
        return false;
    known = wpp_elf_header_address(&o->elf, &header);
    o->bias = known ? m->load.address - header : 0;
    if (!known || !concerns(o, fault)) {
        wpp_elf_close(&o->elf);
        return false;
    }
    wpp_function_symbols_read(&o->symbols, &o->elf);
    wpp_line_table_read(&o->lines, &o->elf);
    return true;
}

static void close_module(struct opened *o)
{
    wpp_function_symbols_free(&o->symbols);
    wpp_line_table_free(&o->lines);
    wpp_elf_close(&o->elf);
}

/* Looks an address in memory up.  False: it is not code of the module. */
static bool look_up(struct wpp_arena *arena, const struct opened *o, uint64_t address,
                    struct place *p)
{
    const char *symbol;
    size_t at = 0;

    *p = (struct place){.module = o->module, .offset = address - o->bias, .symbol = ""};
    if (!wpp_elf_has_code(&o->elf, p->offset))
        return false;
    if (!wpp_line_table_find(&o->lines, p->offset, arena, &p->line))
        p->line = (struct wpp_line_place){"", 0};
    while (!p->routine && (symbol = wpp_function_symbols_next(&o->symbols, p->offset, &at,
                                                               &p->begin))) {
        if (!*p->symbol)
            p->symbol = wpp_arena_string(arena, symbol, strlen(symbol));
        if (!p->symbol)
            return false;
        if (find_routine(arena, p, symbol))
            p->symbol = p->routine->name;
    }
    return true;
}

/* What the call that ends with this byte calls. */
static uint64_t called_by(const struct opened *o, uint64_t last_byte)
{
    enum { CALL = 0xe8, CALL_BYTES = 5 };
    uint8_t code[CALL_BYTES];

    if (!wpp_elf_code(&o->elf, last_byte + 1 - CALL_BYTES, code, sizeof code) || code[0] != CALL)
        return 0;
    return last_byte + 1 + (uint64_t)(int32_t)wpp_get_u32(code + 1);
}

/* Whether the next call on the stack calls another routine than the one that this call is in. */
static bool is_contradicted(struct wpp_arena *arena, const struct opened *o,
                            const struct place *call, const struct place *next)
{
    struct place called;

    return next->called && next->called != call->begin &&
           look_up(arena, o, next->called, &called) && called.routine;
}

/* Finds which call led out of the module's routines.  `last` is the token of the routine of the last
 * event; 0: unknown. */
static bool find_call(struct wpp_arena *arena, const struct opened *o,
                      const struct wpp_fault *fault, uint32_t last, struct place *p)
{
    struct place next;
    bool any = false;

    for (uint32_t i = 0; i < fault->n_calls && i < WPP_FAULT_CALLS; i++) {
        if (!look_up(arena, o, fault->calls[i] - 1, &next) || !next.routine)
            continue;
        next.called = called_by(o, next.offset);
        if (any && !is_contradicted(arena, o, p, &next))
            return true;
        *p = next;
        any = true;
        if (p->token == last)
            return true;
    }
    return any;
}

/* The module of the pc comes first; among calls, the routine of the last event. */
static enum wpp_death_place find_place(const wpp_compressor *c, struct wpp_arena *arena,
                                       const struct wpp_fault *fault, uint32_t last,
                                       struct place *p)
{
    enum wpp_death_place found = WPP_DEATH_UNKNOWN;
    struct opened o;
    struct place place;

    for (uint32_t i = 0; i < c->modules.n && found != WPP_DEATH_AT; i++) {
        if (!open_module(c, &c->modules.loaded[i], fault, &o))
            continue;
        if (look_up(arena, &o, fault->pc, &place) && place.routine) {
            found = WPP_DEATH_AT;
            *p = place;
        } else if (find_call(arena, &o, fault, last, &place) &&
                   (found == WPP_DEATH_UNKNOWN || place.token == last)) {
            found = WPP_DEATH_IN_CALL;
            *p = place;
        }
        close_module(&o);
    }
    return found;
}

/* ---- Describing ---------------------------------------------------------------------------- */

/* Whether a fault fits the process's end: after it a handler may have let the program go on. */
static bool is_its_end(const wpp_compressor *c, const struct wpp_kept_buffer *b)
{
    return b->fault.signal > 0 && b->fault.signal <= 64 && b->tid && !c->ended && !c->run.exited
        && (!c->run.killed || c->run.killed == b->fault.signal);
}

/* The token of path 0 of the routine whose path was the thread's last event; 0: none. */
static uint32_t last_routine(const wpp_compressor *c, const struct wpp_kept_buffer *b)
{
    struct wpp_token_place place;

    for (size_t i = b->n; i > 0; i--)
        if (wpp_modules_find(&c->modules, wpp_get_u32(b->words + 4 * (i - 1)), &place))
            return place.routine_base;
    return 0;
}

static bool describe(const wpp_compressor *c, struct wpp_arena *arena,
                     struct wpp_alphabet *routines, const struct wpp_content *content,
                     const struct wpp_kept_buffer *b, struct wpp_death_content *d)
{
    struct place p = {0};
    uint32_t n;

    *d = (struct wpp_death_content){.signal = b->fault.signal, .code = b->fault.code,
                                    .address = b->fault.address, .n = WPP_NO_ROUTINE,
                                    .symbol = "", .file = ""};
    d->place = find_place(c, arena, &b->fault, last_routine(c, b), &p);
    if (arena->failed || d->place == WPP_DEATH_UNKNOWN)
        return !arena->failed;
    d->module = (uint32_t)(p.module - c->modules.loaded);
    d->offset = p.offset;
    d->symbol = p.symbol;
    d->file = p.line.file;
    d->line = p.line.line;
    d->routine = p.routine;
    d->directory = p.unit->directory;
    d->stage = p.unit->stage;
    if (wpp_alphabet_map(routines, &p.token, 1, &n) < 0)
        return false;
    d->n = n < content->n_routines ? n : content->n_routines;
    return true;
}

bool wpp_deaths_describe(const wpp_compressor *c, struct wpp_arena *arena,
                         struct wpp_alphabet *routines, struct wpp_content *content)
{
    struct wpp_death_content *list = wpp_arena_alloc(arena, c->buffers.n, sizeof *list);
    const struct wpp_stream *stream;

    if (!list)
        return false;
    content->deaths = list;
    for (size_t i = 0; i < c->buffers.n; i++) {
        const struct wpp_kept_buffer *b = &c->buffers.list[i];

        stream = is_its_end(c, b) ? wpp_streams_find(&c->streams, b->tid) : NULL;
        if (!stream)
            continue;
        if (!describe(c, arena, routines, content, b, &list[content->n_deaths]))
            return false;
        list[content->n_deaths++].thread = (uint32_t)(stream - c->streams.list);
    }
    return true;
}
