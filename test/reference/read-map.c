/* SPDX-License-Identifier: MIT */
/* read-map - a reader of address maps written from docs/address-map.md and docs/path-table-format.md alone.
 *
 * Plain and slow on purpose; shares no code with the library.  read-map ADDR MAP reads the bytes of the two
 * sections (objcopy --dump-section).  One line a block: begin, end, routine, block, flags, instructions, and the
 * addresses to which its edges lead, 0 outside of the routine, in their order.  With --origins instead: routine,
 * block, the block before the layout, and of how many.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "read-map: %s\n", what);
    exit(1);
}

/* All memory is kept until the end, and can be found from here: checkers want that. */
static struct kept {
    struct kept *next;
    max_align_t memory[];
} *kept;

static void *get_memory(size_t n)
{
    struct kept *p = calloc(sizeof *p + n + 1, 1);

    if (!p)
        fail("out of memory");
    p->next = kept;
    kept = p;
    return p->memory;
}

/* ---- Bytes ------------------------------------------------------------------ */

struct bytes {
    const unsigned char *p;
    size_t n, at;
};

static const unsigned char *get_run(struct bytes *b, uint64_t n)
{
    const unsigned char *p = b->p + b->at;

    if (n > b->n - b->at)
        fail("a section ends too early");
    b->at += n;
    return p;
}

static uint64_t get_fixed(struct bytes *b, unsigned n)
{
    const unsigned char *p = get_run(b, n);
    uint64_t value = 0;

    while (n-- > 0)
        value = value * 256 + p[n];
    return value;
}

static uint64_t get_varint(struct bytes *b)
{
    uint64_t value = 0;
    unsigned byte, shift = 0;

    do {
        byte = *get_run(b, 1);
        if (shift > 63)
            fail("a varint is too long");
        value += (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return value;
}

static struct bytes get_part(struct bytes *b, uint64_t n)
{
    return (struct bytes){get_run(b, n), n, 0};
}

static struct bytes read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    struct bytes b = {0};
    unsigned char *p;
    long n;

    if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
        fail("a file cannot be read");
    b.p = p = get_memory((size_t)n);
    b.n = fread(p, 1, (size_t)n, f);
    fclose(f);
    return b;
}

/* Zero bytes before a magic are skipped.  Returns 0 at the end. */
static int find_magic(struct bytes *b, const char *magic)
{
    while (b->at < b->n && b->p[b->at] == 0)
        b->at++;
    if (b->at == b->n)
        return 0;
    if (memcmp(get_run(b, 4), magic, 4))
        fail("a magic is wrong");
    return 1;
}

/* ---- Units ------------------------------------------------------------------ */

struct unit {
    uint64_t id, stage, n_strings, n_routines, mode;
    char **strings;
    struct bytes *routines;
};

static struct unit units[10000];
static unsigned n_units;

static void read_unit(struct bytes b, struct unit *u)
{
    u->n_strings = get_varint(&b);
    if (u->n_strings > b.n)
        fail("there are too many strings");
    u->strings = get_memory(u->n_strings * sizeof *u->strings);
    for (uint64_t i = 0; i < u->n_strings; i++) {
        uint64_t n = get_varint(&b);
        const unsigned char *p = get_run(&b, n);
        u->strings[i] = get_memory(n);
        memcpy(u->strings[i], p, n);
    }
    for (int i = 0; i < 3; i++)
        get_varint(&b);
    u->stage = get_varint(&b);
    get_varint(&b);
    get_varint(&b);
    u->n_routines = get_varint(&b);
    if (u->n_routines > b.n)
        fail("there are too many routines");
    u->routines = get_memory(u->n_routines * sizeof *u->routines);
    for (uint64_t i = 0; i < u->n_routines; i++) {
        uint64_t n = get_varint(&b);
        u->routines[i] = get_part(&b, n);
    }
    for (uint64_t left_out = get_varint(&b); left_out > 0; left_out--)
        fail("a map leaves out no routine");
    for (uint64_t sources = get_varint(&b); sources > 0; sources--) {
        get_varint(&b);
        get_run(&b, 8);
    }
    u->mode = get_varint(&b);
}

static void read_units(struct bytes b)
{
    while (find_magic(&b, "WPPU")) {
        struct unit *u = &units[n_units++];

        if (n_units == sizeof units / sizeof *units || get_fixed(&b, 4) != 1)
            fail("a unit is wrong");
        u->id = get_fixed(&b, 8);
        read_unit(get_part(&b, get_fixed(&b, 4)), u);
        if (u->stage == 2 ? u->mode != 1 : u->stage != 3 || u->mode != 3)
            fail("a unit's stage or mode is wrong");
    }
}

/* ---- Routines ------------------------------------------------------------------ */

struct routine {
    char *name;
    uint64_t n_blocks, *insns, n_edges;
    struct edge { uint64_t from, to; } *edges;      /* of the graph; to 1: leaves the routine */
};

static struct routine read_routine(const struct unit *u, uint64_t number)
{
    struct bytes b;
    struct routine r = {0};
    uint64_t source = 0, n;

    if (number >= u->n_routines)
        fail("a routine does not exist");
    b = u->routines[number];
    n = get_varint(&b);
    if (n >= u->n_strings)
        fail("a string does not exist");
    r.name = u->strings[n];
    for (int i = 0; i < 4; i++)
        get_varint(&b);
    r.n_blocks = get_varint(&b);
    if (r.n_blocks > b.n)
        fail("there are too many blocks");
    r.insns = get_memory(r.n_blocks * sizeof *r.insns);
    for (uint64_t i = 0; i < r.n_blocks; i++) {
        r.insns[i] = get_varint(&b);
        for (uint64_t lines = 2 * get_varint(&b); lines > 0; lines--)
            get_varint(&b);
    }
    n = get_varint(&b);
    if (n > b.n)
        fail("there are too many edges");
    r.edges = get_memory(n * sizeof *r.edges);
    for (; n > 0; n--) {
        uint64_t target, kind, goes_on = 0;

        source += get_varint(&b);
        target = get_varint(&b);
        get_varint(&b);
        kind = get_varint(&b);
        if (kind >= 2)
            goes_on = get_varint(&b);
        if (source > 1 && kind != 1)
            r.edges[r.n_edges++] = (struct edge){source, goes_on ? goes_on - 1 : target};
    }
    return r;
}

static const struct unit *find_unit(uint64_t id, uint64_t stage)
{
    for (unsigned i = 0; i < n_units; i++)
        if (units[i].id == id && units[i].stage == stage)
            return &units[i];
    fail("a unit does not exist");
    return NULL;
}

/* ---- Addresses ------------------------------------------------------------------ */

struct block {
    uint64_t begin, end, flags;
};

static void read_parts(struct bytes *b, struct block *blocks, uint64_t n_blocks)
{
    uint64_t parts = get_varint(b);

    if (parts < 1 || parts > 2)
        fail("a routine has too many parts");
    for (; parts > 0; parts--) {
        uint64_t n = get_varint(b), at = n > 0 ? get_fixed(b, 8) : 0;
        for (; n > 0; n--) {
            uint64_t number = get_varint(b);
            if (number < 2 || number >= n_blocks)
                fail("a block does not exist");
            blocks[number].begin = at + get_varint(b);
            at = blocks[number].end = blocks[number].begin + get_varint(b);
            blocks[number].flags = get_varint(b);
        }
    }
}

static void print_blocks(const struct routine *r, const struct block *blocks)
{
    for (uint64_t b = 2; b < r->n_blocks; b++) {
        printf("%llx %llx %s %llu %llu %llu", (unsigned long long)blocks[b].begin, (unsigned long long)blocks[b].end,
               r->name, (unsigned long long)b, (unsigned long long)blocks[b].flags, (unsigned long long)r->insns[b]);
        for (uint64_t i = 0; i < r->n_edges; i++)
            if (r->edges[i].from == b)
                printf(" %llx", r->edges[i].to < 2 ? 0 : (unsigned long long)blocks[r->edges[i].to].begin);
        putchar('\n');
    }
}

/* Where the blocks were before the layout. */
static void read_layout(struct bytes *b, const struct routine *r, int print)
{
    struct routine layout;
    const struct unit *u;

    if (get_varint(b) == 0)
        return;
    u = find_unit(get_fixed(b, 8), 3);
    layout = read_routine(u, get_varint(b));
    for (uint64_t i = 2; i < r->n_blocks; i++) {
        uint64_t origin = get_varint(b);
        if (origin == 1 || origin >= layout.n_blocks || strcmp(layout.name, r->name))
            fail("a block before the layout does not exist");
        if (print)
            printf("%s %llu %llu %llu\n", r->name, (unsigned long long)i, (unsigned long long)origin,
                   (unsigned long long)layout.n_blocks);
    }
}

static void read_addresses(struct bytes b, int origins)
{
    while (find_magic(&b, "WPPA")) {
        struct bytes own = get_part(&b, get_fixed(&b, 4));
        const struct unit *u = find_unit(get_fixed(&own, 8), 2);
        struct routine r = read_routine(u, get_varint(&own));
        struct block *blocks = get_memory(r.n_blocks * sizeof *blocks);

        read_parts(&own, blocks, r.n_blocks);
        if (!origins)
            print_blocks(&r, blocks);
        read_layout(&own, &r, origins);
        if (own.at != own.n)
            fail("a routine has too many bytes");
    }
}

int main(int argc, char **argv)
{
    int origins = argc > 1 && !strcmp(argv[1], "--origins");

    if (argc - origins != 3)
        fail("usage: read-map [--origins] ADDR MAP");
    read_units(read_file(argv[2 + origins]));
    read_addresses(read_file(argv[1 + origins]), origins);
    while (kept) {
        struct kept *p = kept;
        kept = p->next;
        free(p);
    }
    return 0;
}
