/* SPDX-License-Identifier: MIT */
#include "wpp/replay/fold.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP_MAX = 64,                /* items in a group */
    LIST_MAX = 4096,               /* items that wait; then the first half is written */
    NODES_MAX = 1 << 20            /* then all is written, and the table is emptied */
};
#define NO_NODE UINT32_MAX

/* A line, or a group.  Each is in the table once. */
struct node {
    uint64_t count;                /* of a group; 0: a line */
    char *text;                    /* of a line, without its end */
    uint32_t *items;               /* of a group */
    uint32_t n;                    /* items, or bytes of the text */
};

struct fold {
    FILE *out;
    char *line;                    /* the part of a line that has come */
    size_t length, line_room;
    struct node *node;
    uint32_t n_nodes, nodes_room;
    uint32_t *slot;                /* hash table of 1 + nodes; 0: free */
    uint32_t n_slots;              /* a power of two, more than twice n_nodes */
    uint32_t list[LIST_MAX];
    uint32_t n;
};

/* ---- The table --------------------------------------------------------------------------------- */

static const void *content(const struct node *x, size_t *size)
{
    *size = x->count ? x->n * sizeof *x->items : x->n;
    return x->count ? (const void *)x->items : x->text;
}

static uint64_t hash_of(const struct node *x)
{
    size_t size;
    const unsigned char *p = content(x, &size);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ x->count;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static bool is_same(const struct node *a, const struct node *b)
{
    size_t size, other;
    const void *p = content(a, &size), *q = content(b, &other);

    return a->count == b->count && size == other && memcmp(p, q, size) == 0;
}

static uint32_t *slot_of(const struct fold *f, const struct node *x)
{
    uint64_t i = hash_of(x) & (f->n_slots - 1);

    while (f->slot[i] && !is_same(&f->node[f->slot[i] - 1], x))
        i = (i + 1) & (f->n_slots - 1);
    return &f->slot[i];
}

static bool grow_table(struct fold *f)
{
    uint32_t room = f->nodes_room ? 2 * f->nodes_room : 256;
    struct node *node = realloc(f->node, room * sizeof *node);
    uint32_t *slot;

    if (!node)
        return false;
    f->node = node;
    slot = calloc(4 * (size_t)room, sizeof *slot);
    if (!slot)
        return false;
    free(f->slot);
    f->slot = slot;
    f->nodes_room = room;
    f->n_slots = 4 * room;
    for (uint32_t i = 0; i < f->n_nodes; i++)
        *slot_of(f, &f->node[i]) = i + 1;
    return true;
}

/* The number of a node with this content, which is copied.  NO_NODE: no memory. */
static uint32_t intern(struct fold *f, const struct node *x)
{
    struct node kept = *x;
    uint32_t *slot;
    size_t size;
    const void *from = content(x, &size);
    void *copy;

    if (f->n_nodes == f->nodes_room && !grow_table(f))
        return NO_NODE;
    slot = slot_of(f, x);
    if (*slot)
        return *slot - 1;
    copy = malloc(size + 1);
    if (!copy)
        return NO_NODE;
    memcpy(copy, from, size);
    if (x->count)
        kept.items = copy;
    else
        kept.text = copy;
    f->node[f->n_nodes] = kept;
    *slot = ++f->n_nodes;
    return f->n_nodes - 1;
}

static void empty_table(struct fold *f)
{
    for (uint32_t i = 0; i < f->n_nodes; i++)
        free(f->node[i].count ? (void *)f->node[i].items : f->node[i].text);
    f->n_nodes = 0;
    if (f->slot)
        memset(f->slot, 0, f->n_slots * sizeof *f->slot);
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static uint32_t first_line(const struct fold *f, uint32_t node)
{
    while (f->node[node].count)
        node = f->node[node].items[0];
    return node;
}

static void put_blanks(FILE *out, size_t n)
{
    while (n-- > 0)
        putc_unlocked(' ', out);
}

static size_t indentation(const struct node *line)
{
    size_t n = 0;

    while (n < line->n && line->text[n] == ' ')
        n++;
    return n;
}

/* A group's braces stand as far to the right as its first line, which moves two columns on. */
static void put_node(const struct fold *f, uint32_t number, size_t shift)
{
    const struct node *x = &f->node[number];
    size_t blanks;

    if (!x->count) {
        put_blanks(f->out, shift);
        fwrite_unlocked(x->text, 1, x->n, f->out);
        putc_unlocked('\n', f->out);
        return;
    }
    if (x->n == 1 && !f->node[x->items[0]].count) {
        const struct node *line = &f->node[x->items[0]];

        put_blanks(f->out, shift);
        fwrite_unlocked(line->text, 1, line->n, f->out);
        fprintf(f->out, "  x %llu\n", (unsigned long long)x->count);
        return;
    }
    blanks = shift + indentation(&f->node[first_line(f, number)]);
    put_blanks(f->out, blanks);
    fprintf(f->out, "x %llu {\n", (unsigned long long)x->count);
    for (uint32_t i = 0; i < x->n; i++)
        put_node(f, x->items[i], shift + 2);
    put_blanks(f->out, blanks);
    fputs("}\n", f->out);
}

static void write_items(struct fold *f, uint32_t n)
{
    assert(n <= f->n);
    for (uint32_t i = 0; i < n; i++)
        put_node(f, f->list[i], 0);
    f->n -= n;
    memmove(f->list, f->list + n, f->n * sizeof *f->list);
}

/* ---- Folding ------------------------------------------------------------------------------------- */

/* Whether a group's items are these p. */
static bool is_group_of(const struct node *x, const uint32_t *items, uint32_t p)
{
    return x->count && x->n == p && memcmp(x->items, items, p * sizeof *items) == 0;
}

/* Puts a group of `count` times the last p items in the place of the last n. */
static bool replace(struct fold *f, uint32_t n, uint32_t p, uint64_t count)
{
    struct node group = {.count = count, .items = f->list + f->n - p, .n = p};
    uint32_t number = intern(f, &group);

    if (number == NO_NODE)
        return false;
    f->n -= n;
    f->list[f->n++] = number;
    return true;
}

/* Whether the last p items repeat what stands before them; if so, makes one group of both.  A group of
 * one group would say the same as that one with a larger count. */
static bool fold_last(struct fold *f, uint32_t p, bool *folded)
{
    const uint32_t *last = f->list + f->n - p;
    const struct node *before = f->n > p ? &f->node[last[-1]] : NULL;

    *folded = false;
    if (before && is_group_of(before, last, p)) {
        *folded = true;
        return replace(f, p + 1, p, before->count + 1);
    }
    if (f->n < 2 * p || memcmp(last - p, last, p * sizeof *last) != 0
        || (p == 1 && f->node[*last].count))
        return true;
    *folded = true;
    return replace(f, 2 * p, p, 2);
}

static bool fold_end(struct fold *f)
{
    bool folded = true;

    while (folded) {
        folded = false;
        for (uint32_t p = 1; !folded && p <= GROUP_MAX && p <= f->n; p++)
            if (!fold_last(f, p, &folded))
                return false;
    }
    return true;
}

static bool take_line(struct fold *f, const char *text, size_t n)
{
    struct node line = {.text = (char *)text, .n = (uint32_t)n};
    uint32_t number;

    if (f->n == LIST_MAX)
        write_items(f, LIST_MAX / 2);
    if (f->n_nodes >= NODES_MAX) {
        write_items(f, f->n);
        empty_table(f);
    }
    number = intern(f, &line);
    if (number == NO_NODE)
        return false;
    f->list[f->n++] = number;
    return fold_end(f);
}

/* ---- The stream ----------------------------------------------------------------------------------- */

static bool keep_part(struct fold *f, const char *text, size_t n)
{
    if (f->length + n > f->line_room) {
        size_t room = 2 * (f->length + n);
        char *line = realloc(f->line, room);

        if (!line)
            return false;
        f->line = line;
        f->line_room = room;
    }
    memcpy(f->line + f->length, text, n);
    f->length += n;
    return true;
}

static ssize_t put_text(void *cookie, const char *text, size_t size)
{
    struct fold *f = cookie;
    const char *end = text + size;

    for (const char *p = text; p < end;) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        bool kept = keep_part(f, p, (size_t)((line_end ? line_end : end) - p));

        if (kept && line_end) {
            kept = take_line(f, f->line, f->length);
            f->length = 0;
        }
        if (!kept) {
            errno = ENOMEM;
            return 0;
        }
        p = line_end ? line_end + 1 : end;
    }
    return ferror(f->out) ? 0 : (ssize_t)size;
}

static int close_fold(void *cookie)
{
    struct fold *f = cookie;
    int failed;

    write_items(f, f->n);
    fwrite(f->line, 1, f->length, f->out);
    failed = ferror(f->out) ? EOF : 0;
    empty_table(f);
    free(f->node);
    free(f->slot);
    free(f->line);
    free(f);
    return failed;
}

FILE *fold_open(FILE *out)
{
    struct fold *f = calloc(1, sizeof *f);
    FILE *stream;

    if (!f)
        return NULL;
    f->out = out;
    stream = fopencookie(f, "w", (cookie_io_functions_t){.write = put_text, .close = close_fold});
    if (!stream)
        free(f);
    return stream;
}
