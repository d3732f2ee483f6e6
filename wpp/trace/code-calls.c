/* SPDX-License-Identifier: MIT */
#include "wpp/trace/code-calls.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/trace/function-symbols.h"

#define NONE UINT32_MAX

/* A symbol's code. */
struct place {
    uint64_t address, size;
    const char *name;
    uint32_t function;
};

struct reading {
    struct code_calls *out;
    struct wpp_elf elf;
    struct wpp_function_symbols symbols;
    struct place *place;       /* by address */
    uint32_t n;
    size_t capacity;           /* of out->call */
};

/* GCC appends `.cold`, `.constprop.0` and so on; a name may begin with a dot. */
size_t code_calls_name(const char *name)
{
    return name[0] ? 1 + strcspn(name + 1, ".") : 0;
}

/* ---- Functions ------------------------------------------------------------------------------ */

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool read_places(struct reading *r)
{
    size_t n = r->symbols.symbols.size / sizeof(Elf64_Sym);

    r->place = malloc((n + 1) * sizeof *r->place);
    if (!r->place || n >= NONE)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct wpp_function_symbol s;

        if (wpp_function_symbols_get(&r->symbols, i, &s) && s.size > 0)
            r->place[r->n++] = (struct place){s.address, s.size, s.name, NONE};
    }
    if (r->n > 0)
        qsort(r->place, r->n, sizeof *r->place, compare_places);
    return true;
}

/* The callee's name in a thunk's, which is `_ZThn0_` and the name, in C behind its length and in C++ without
 * `_Z`: that is *made, from malloc.  NULL: it is no thunk's, or no memory. */
static const char *name_in_thunk(const char *name, char **made)
{
    static const char begin[] = "_ZThn0_";
    const char *rest = name + sizeof begin - 1;
    char *end;
    unsigned long n;

    if (strncmp(name, begin, sizeof begin - 1) != 0)
        return NULL;
    n = strtoul(rest, &end, 10);
    if (end != rest && strlen(end) == n)
        return end;
    *made = malloc(strlen(rest) + 3);
    if (*made) {
        memcpy(*made, "_Z", 2);
        strcpy(*made + 2, rest);
    }
    return *made;
}

static char *plain_name(const char *name)
{
    char *made = NULL, *plain;
    const char *inner = name_in_thunk(name, &made);

    inner = inner ? inner : name;
    plain = strndup(inner, code_calls_name(inner));
    free(made);
    return plain;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool name_functions(struct reading *r)
{
    struct code_calls *c = r->out;
    uint32_t n = 0;

    c->name = calloc(r->n + (size_t)1, sizeof *c->name);
    if (!c->name)
        return false;
    for (uint32_t i = 0; i < r->n; i++, c->n++)
        if (!(c->name[i] = plain_name(r->place[i].name)))
            return false;
    if (c->n > 0)
        qsort(c->name, c->n, sizeof *c->name, compare_names);
    for (uint32_t i = 0; i < c->n; i++) {
        if (n > 0 && strcmp(c->name[n - 1], c->name[i]) == 0)
            free(c->name[i]);
        else
            c->name[n++] = c->name[i];
    }
    c->n = n;
    for (uint32_t i = 0; i < r->n; i++) {
        char *plain = plain_name(r->place[i].name);

        if (!plain)
            return false;
        r->place[i].function = code_calls_find(c, plain);
        free(plain);
    }
    return true;
}

uint32_t code_calls_find(const struct code_calls *c, const char *name)
{
    size_t n = code_calls_name(name);
    uint32_t low = 0, high = c->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strncmp(c->name[middle], name, n);

        if (order == 0 && c->name[middle][n] == '\0')
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NONE;
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* The first place that begins at an address, or NULL. */
static const struct place *place_at(const struct reading *r, uint64_t address)
{
    uint32_t low = 0, high = r->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (r->place[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->n && r->place[low].address == address ? &r->place[low] : NULL;
}

static bool add_call(struct reading *r, uint32_t from, uint32_t to)
{
    struct code_calls *c = r->out;

    if (from == to)
        return true;
    if (c->n_calls == r->capacity) {
        size_t n = 2 * r->capacity + 256;
        struct code_call *larger = realloc(c->call, n * sizeof *larger);

        if (!larger)
            return false;
        c->call = larger;
        r->capacity = n;
    }
    c->call[c->n_calls++] = (struct code_call){from, to};
    return true;
}

/* `call`, `jmp`, and a conditional jump, with a distance of 32 bits: returns the length, or 0. */
static size_t is_jump(const uint8_t *code, size_t left)
{
    if (left >= 5 && (code[0] == 0xE8 || code[0] == 0xE9))
        return 5;
    return left >= 6 && code[0] == 0x0F && (code[1] & 0xF0) == 0x80 ? 6 : 0;
}

static bool search_place(struct reading *r, const struct place *p, const uint8_t *code)
{
    for (size_t i = 0; i < p->size; i++) {
        size_t n = is_jump(code + i, (size_t)p->size - i);
        const struct place *to;
        int32_t distance;

        if (n == 0)
            continue;
        memcpy(&distance, code + i + n - 4, sizeof distance);
        to = place_at(r, p->address + i + n + (uint64_t)(int64_t)distance);
        if (to && !add_call(r, p->function, to->function))
            return false;
    }
    return true;
}

static int compare_calls(const void *left, const void *right)
{
    const struct code_call *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void sort_calls(struct code_calls *c)
{
    size_t n = 0;

    if (c->n_calls > 0)
        qsort(c->call, c->n_calls, sizeof *c->call, compare_calls);
    for (size_t i = 0; i < c->n_calls; i++)
        if (n == 0 || compare_calls(&c->call[n - 1], &c->call[i]) != 0)
            c->call[n++] = c->call[i];
    c->n_calls = n;
}

/* Code that cannot be read, or of which a broken table says too much, is passed over. */
static bool search_all(struct reading *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct place *p = &r->place[i];
        uint8_t *code;
        bool done;

        if (p->size > r->elf.size)
            continue;
        code = malloc((size_t)p->size);
        done = code && (!wpp_elf_code(&r->elf, p->address, code, (size_t)p->size) || search_place(r, p, code));
        free(code);
        if (!done)
            return false;
    }
    sort_calls(r->out);
    return true;
}

/* ---- The module ----------------------------------------------------------------------------- */

static bool check_build_id(struct wpp_elf *elf, const uint8_t *build_id, size_t n, struct wpp_error *error)
{
    struct wpp_bytes id = {0};
    bool same = wpp_elf_build_id(elf, &id, error);

    if (same && (id.size != n || (n > 0 && memcmp(id.data, build_id, n) != 0)))
        same = wpp_fail(error, WPP_E_MISMATCH, "%s has changed since it was traced: its build id is another",
                        elf->path);
    wpp_bytes_free(&id);
    return same;
}

bool code_calls_read(struct code_calls *out, const char *path, const uint8_t *build_id, size_t n_build_id,
                     struct wpp_error *error)
{
    struct reading r = {.out = out};
    bool done;

    *out = (struct code_calls){0};
    if (!wpp_elf_open(&r.elf, path, error))
        return false;
    done = check_build_id(&r.elf, build_id, n_build_id, error);
    if (done) {
        wpp_function_symbols_read(&r.symbols, &r.elf);
        done = (read_places(&r) && name_functions(&r) && search_all(&r)) || wpp_fail_memory(error);
    }
    free(r.place);
    wpp_function_symbols_free(&r.symbols);
    wpp_elf_close(&r.elf);
    if (!done)
        code_calls_free(out);
    return done;
}

void code_calls_free(struct code_calls *c)
{
    for (uint32_t i = 0; c->name && i < c->n; i++)
        free(c->name[i]);
    free(c->name);
    free(c->call);
    *c = (struct code_calls){0};
}
