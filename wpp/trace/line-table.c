/* SPDX-License-Identifier: MIT */
/* line-table.c - runs the line programs of .debug_line (DWARF 5, section 6.2).
 *
 *      unit     header | directories | files | program
 *      program  makes rows (address, file, line); a row holds until the next one's address
 *      sequence rows with ascending addresses, up to an end_sequence
 *
 * Only the unit that has the address needs its files' names.
 */
#include "wpp/trace/line-table.h"

#include <stdlib.h>

#include "wpp/base/arena.h"
#include "wpp/base/error.h"

/* ---- Reading ------------------------------------------------------------------------- */

static void read_one(struct wpp_elf *elf, const char *name, struct wpp_bytes *out)
{
    struct wpp_error ignored;
    bool found;

    if (!wpp_elf_read(elf, name, out, &found, &ignored))
        wpp_bytes_free(out);
}

void wpp_line_table_read(struct wpp_line_table *t, struct wpp_elf *elf)
{
    *t = (struct wpp_line_table){0};
    read_one(elf, ".debug_line", &t->lines);
    read_one(elf, ".debug_line_str", &t->line_strings);
    read_one(elf, ".debug_str", &t->strings);
}

void wpp_line_table_free(struct wpp_line_table *t)
{
    wpp_bytes_free(&t->lines);
    wpp_bytes_free(&t->line_strings);
    wpp_bytes_free(&t->strings);
}

/* ---- Numbers and strings -------------------------------------------------------------- */

static uint64_t get_number(struct wpp_view *v, size_t bytes)
{
    const uint8_t *p = wpp_get_bytes(v, bytes);
    uint64_t n = 0;

    for (size_t i = 0; p && i < bytes; i++)
        n |= (uint64_t)p[i] << 8 * i;
    return n;
}

/* Signed LEB128, which is not bytes.h's svarint. */
static int64_t get_sleb(struct wpp_view *v)
{
    uint64_t n = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = (uint8_t)get_number(v, 1);
        if (shift < 64)
            n |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !v->failed);
    if (byte & 0x40 && shift < 64)
        n |= ~UINT64_C(0) << shift;
    return (int64_t)n;
}

/* A string that ends with a NUL; NULL: the view fails. */
static const char *get_text(struct wpp_view *v)
{
    const uint8_t *p = v->p, *end = v->failed ? NULL : memchr(p, 0, wpp_left(v));

    if (!end) {
        v->failed = true;
        return NULL;
    }
    v->p = end + 1;
    return (const char *)p;
}

static const char *text_at(const struct wpp_bytes *strings, uint64_t offset)
{
    if (offset >= strings->size || !memchr(strings->data + offset, 0, strings->size - offset))
        return NULL;
    return (const char *)strings->data + offset;
}

/* ---- A unit -------------------------------------------------------------------------- */

struct unit {
    const struct wpp_line_table *t;
    size_t offset_bytes;               /* 4 or 8: the format of DWARF */
    unsigned version;
    uint8_t min_instruction, line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[255];             /* of the standard opcodes */
    struct wpp_view names;             /* directories and files */
    struct wpp_view program;
};

/* Takes the next unit.  False: there is none, or not one that can be read. */
static bool next_unit(struct wpp_view *section, struct unit *u)
{
    uint64_t length = get_number(section, 4), header;
    struct wpp_view v;

    u->offset_bytes = 4;
    if (length == UINT32_MAX) {
        length = get_number(section, 8);
        u->offset_bytes = 8;
    }
    v = wpp_get_view(section, length);
    if (section->failed || v.failed)
        return false;
    u->version = (unsigned)get_number(&v, 2);
    if (u->version >= 5)
        get_number(&v, 2);             /* sizes of addresses and of segment selectors */
    header = get_number(&v, u->offset_bytes);
    u->names = wpp_get_view(&v, header);
    u->program = v;
    v = u->names;
    u->min_instruction = (uint8_t)get_number(&v, 1);
    if (u->version >= 4)
        get_number(&v, 1);             /* operations in an instruction: 1 on this machine */
    get_number(&v, 1);                 /* default_is_stmt */
    u->line_base = (int8_t)get_number(&v, 1);
    u->line_range = (uint8_t)get_number(&v, 1);
    u->opcode_base = (uint8_t)get_number(&v, 1);
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->operands[i - 1] = (uint8_t)get_number(&v, 1);
    u->names = v;
    if (v.failed || u->version < 2 || u->version > 5 || u->line_range == 0 || u->opcode_base == 0)
        u->program = wpp_view(v.end, 0);    /* nothing is found in this one */
    return true;
}

/* ---- Names of files -------------------------------------------------------------------- */

/* A name and its directory's number; the directories come first. */
struct name {
    const char *text;
    uint64_t directory;
};

enum { FORM_BLOCK = 0x09, FORM_DATA1 = 0x0b, FORM_DATA2 = 0x05, FORM_DATA4 = 0x06,
       FORM_DATA8 = 0x07, FORM_DATA16 = 0x1e, FORM_STRING = 0x08, FORM_STRP = 0x0e,
       FORM_UDATA = 0x0f, FORM_LINE_STRP = 0x1f };
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

static void get_field(const struct unit *u, struct wpp_view *v, uint64_t content, uint64_t form,
                      struct name *out)
{
    const char *text = NULL;
    uint64_t number = 0;

    switch (form) {
    case FORM_STRING: text = get_text(v); break;
    case FORM_STRP: text = text_at(&u->t->strings, get_number(v, u->offset_bytes)); break;
    case FORM_LINE_STRP:
        text = text_at(&u->t->line_strings, get_number(v, u->offset_bytes));
        break;
    case FORM_UDATA: number = wpp_get_varint(v); break;
    case FORM_DATA1: number = get_number(v, 1); break;
    case FORM_DATA2: number = get_number(v, 2); break;
    case FORM_DATA4: number = get_number(v, 4); break;
    case FORM_DATA8: number = get_number(v, 8); break;
    case FORM_DATA16: wpp_get_bytes(v, 16); break;
    case FORM_BLOCK: wpp_get_bytes(v, wpp_get_varint(v)); break;
    default: v->failed = true;
    }
    if (content == CONTENT_PATH)
        out->text = text;
    else if (content == CONTENT_DIRECTORY)
        out->directory = number;
}

/* Version 5: formats, then entries.  Sets *out to entry `wanted` and goes behind all. */
static bool get_entries(const struct unit *u, struct wpp_view *v, uint64_t wanted,
                        struct name *out)
{
    uint64_t n_formats = get_number(v, 1), formats[2 * 255], n;
    bool found = false;

    for (uint64_t i = 0; i < 2 * n_formats; i++)
        formats[i] = wpp_get_varint(v);
    n = wpp_get_varint(v);
    if (n_formats == 0 && n > 0)
        v->failed = true;
    for (uint64_t k = 0; k < n && !v->failed; k++) {
        struct name entry = {0};

        for (uint64_t i = 0; i < n_formats; i++)
            get_field(u, v, formats[2 * i], formats[2 * i + 1], &entry);
        if (k == wanted && !v->failed) {
            *out = entry;
            found = true;
        }
    }
    return found && out->text;
}

/* Before version 5: file 0 and directory 0 are not in the lists. */
static bool get_old_file(struct wpp_view *v, uint64_t wanted, struct name *out)
{
    for (uint64_t k = 1; !v->failed; k++) {
        const char *text = get_text(v);

        if (!text || !*text)
            return false;
        *out = (struct name){text, wpp_get_varint(v)};
        wpp_get_varint(v);
        wpp_get_varint(v);
        if (k == wanted)
            return !v->failed;
    }
    return false;
}

static const char *get_old_directory(struct wpp_view *v, uint64_t wanted)
{
    const char *text, *found = NULL;

    for (uint64_t k = 1; (text = get_text(v)) && *text; k++)
        if (k == wanted)
            found = text;
    return found;
}

static const char *join(struct wpp_arena *arena, const char *directory, const char *file)
{
    size_t n = strlen(directory), m = strlen(file);
    char *path = wpp_arena_alloc(arena, n + m + 2, 1);

    if (!path)
        return NULL;
    memcpy(path, directory, n);
    path[n] = '/';
    memcpy(path + n + 1, file, m);
    return path;
}

static const char *with_directory(struct wpp_arena *arena, const char *directory, const char *file)
{
    if (*file == '/' || !directory || !*directory)
        return wpp_arena_string(arena, file, strlen(file));
    return join(arena, directory, file);
}

/* In version 5 directory 0 is the one of the compiler, and others may be relative to it. */
static const char *name_5(const struct unit *u, uint64_t number, struct wpp_arena *arena)
{
    struct wpp_view v = u->names;
    struct name file, directory, compilers, ignored;
    bool has_directory = false, has_compilers;

    get_entries(u, &v, UINT64_MAX, &ignored);
    if (!get_entries(u, &v, number, &file))
        return NULL;
    v = u->names;
    has_directory = get_entries(u, &v, file.directory, &directory);
    v = u->names;
    has_compilers = get_entries(u, &v, 0, &compilers);
    if (has_directory && has_compilers && file.directory > 0 && *directory.text != '/')
        directory.text = join(arena, compilers.text, directory.text);
    return with_directory(arena, has_directory ? directory.text : NULL, file.text);
}

static const char *name_old(const struct unit *u, uint64_t number, struct wpp_arena *arena)
{
    struct wpp_view v = u->names;
    struct name file;

    get_old_directory(&v, 0);
    if (!get_old_file(&v, number, &file))
        return NULL;
    v = u->names;
    return with_directory(arena, get_old_directory(&v, file.directory), file.text);
}

/* ---- The program ------------------------------------------------------------------------ */

struct row {
    uint64_t address, file;
    uint32_t line;
};

/* Finds the row that holds at an address. */
struct run {
    uint64_t wanted;
    struct row now, last;
    bool begun;                        /* the sequence has a row: `last` */
    uint64_t begin;                    /* its first row's address */
    bool found;
    struct row at;
};

/* Code that the linker has thrown away has its sequence at address 0 or 1. */
static void add_row(struct run *r)
{
    if (!r->begun)
        r->begin = r->now.address;
    else if (r->begin > 1 && r->last.address <= r->wanted && r->wanted < r->now.address) {
        r->found = true;
        r->at = r->last;
    }
    r->begun = true;
    r->last = r->now;
}

static void end_sequence(struct run *r)
{
    add_row(r);
    r->begun = false;
    r->now = (struct row){0, 1, 1};
}

enum { EXTENDED = 0, COPY = 1, ADVANCE_PC = 2, ADVANCE_LINE = 3, SET_FILE = 4, CONST_ADD_PC = 8,
       FIXED_ADVANCE_PC = 9, END_SEQUENCE = 1, SET_ADDRESS = 2 };

static void run_extended(struct wpp_view *v, struct run *r)
{
    struct wpp_view operand = wpp_get_view(v, wpp_get_varint(v));

    switch (get_number(&operand, 1)) {
    case END_SEQUENCE: end_sequence(r); break;
    case SET_ADDRESS:
        if (wpp_left(&operand) <= 8)
            r->now.address = get_number(&operand, wpp_left(&operand));
        break;
    default: break;
    }
}

static void run_standard(const struct unit *u, struct wpp_view *v, uint8_t opcode, struct run *r)
{
    switch (opcode) {
    case COPY: add_row(r); break;
    case ADVANCE_PC: r->now.address += wpp_get_varint(v) * u->min_instruction; break;
    case ADVANCE_LINE: r->now.line += (uint32_t)get_sleb(v); break;
    case SET_FILE: r->now.file = wpp_get_varint(v); break;
    case CONST_ADD_PC:
        r->now.address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->min_instruction;
        break;
    case FIXED_ADVANCE_PC: r->now.address += get_number(v, 2); break;
    default:
        for (int i = 0; i < u->operands[opcode - 1]; i++)
            wpp_get_varint(v);
    }
}

static void run_special(const struct unit *u, uint8_t opcode, struct run *r)
{
    uint8_t n = (uint8_t)(opcode - u->opcode_base);

    r->now.address += (uint64_t)(n / u->line_range) * u->min_instruction;
    r->now.line += (uint32_t)(u->line_base + n % u->line_range);
    add_row(r);
}

static bool run_program(const struct unit *u, struct run *r)
{
    struct wpp_view v = u->program;

    r->now = (struct row){0, 1, 1};
    r->begun = false;
    while (wpp_left(&v) > 0 && !v.failed && !r->found) {
        uint8_t opcode = (uint8_t)get_number(&v, 1);

        if (opcode >= u->opcode_base)
            run_special(u, opcode, r);
        else if (opcode == EXTENDED)
            run_extended(&v, r);
        else
            run_standard(u, &v, opcode, r);
    }
    return r->found;
}

bool wpp_line_table_find(const struct wpp_line_table *t, uint64_t address,
                         struct wpp_arena *arena, struct wpp_line_place *out)
{
    struct wpp_view section = wpp_view(t->lines.data, t->lines.size);
    struct unit u = {.t = t};

    while (wpp_left(&section) > 0 && next_unit(&section, &u)) {
        struct run r = {.wanted = address};

        if (!run_program(&u, &r))
            continue;
        out->file = u.version >= 5 ? name_5(&u, r.at.file, arena) : name_old(&u, r.at.file, arena);
        out->line = r.at.line;
        return out->file && out->line > 0;
    }
    return false;
}
