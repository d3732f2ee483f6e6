/* SPDX-License-Identifier: MIT */
/* read-wpp - a reader of WPP files written from docs/wpp-format.md alone.
 *
 * Plain and slow on purpose; shares no code with the library.  Prints each
 * thread's tokens, thread after thread, as little-endian 32-bit words; with
 * --text one line a token: thread, token, routine, path, and the path's blocks
 * as they are regenerated from the routine's edges; with --left-out instead one
 * line a routine that was not instrumented: module, name, file, line, reason; with
 * --times ticks a second, then one line a terminal: token, ticks; with --counts, of a path profile,
 * its kind and its runs, then one line a terminal: routine, path, count, blocks; with --lines one line
 * for each line of a block: routine, block, file:line, and of inlined code the calls from the
 * innermost outwards, each callee@file:line; with --chunks one line a chunk: thread, events before it,
 * time.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void fail(const char *what)
{
    fprintf(stderr, "read-wpp: %s\n", what);
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

static unsigned get_byte(struct bytes *b)
{
    if (b->at >= b->n)
        fail("a section ends too early");
    return b->p[b->at++];
}

static uint64_t get_varint(struct bytes *b)
{
    uint64_t value = 0;
    unsigned byte, shift = 0;

    do {
        byte = get_byte(b);
        if (shift > 63)
            fail("a varint is too long");
        value += (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128);
    return value;
}

static const unsigned char *get_run(struct bytes *b, uint64_t n)
{
    const unsigned char *p = b->p + b->at;

    if (n > b->n - b->at)
        fail("a section ends too early");
    b->at += n;
    return p;
}

static char *get_string(struct bytes *b)
{
    uint64_t n = get_varint(b);
    const unsigned char *p = get_run(b, n);
    char *s = get_memory(n);

    memcpy(s, p, n);
    return s;
}

static uint64_t fixed(const unsigned char *p, int n)
{
    uint64_t value = 0;

    while (n-- > 0)
        value = value * 256 + p[n];
    return value;
}

static uint64_t checksum(uint64_t sum, const unsigned char *p, size_t n)
{
    while (n-- > 0) {
        sum ^= *p++;
        sum *= 0x100000001b3u;
    }
    return sum;
}

/* ---- The outside ---------------------------------------------------------------- */

static unsigned char *file;
static size_t file_size;

static void read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    size_t room = 1 << 16, got;

    if (!f)
        fail("cannot open the file");
    file = malloc(room);
    if (!file)
        fail("out of memory");
    while ((got = fread(file + file_size, 1, room - file_size, f)) > 0) {
        file_size += got;
        if (file_size == room) {
            room *= 2;
            file = realloc(file, room);
            if (!file)
                fail("out of memory");
        }
    }
    fclose(f);
}

static uint64_t version;         /* 6 to 12 */
static int by_columns;           /* routines and chunks */

static void check_outside(void)
{
    const uint64_t start = 0xcbf29ce484222325u;
    uint64_t n, sum, at;

    if (file_size < 32 || memcmp(file, "\x89WPP\r\n\x1a\n", 8) != 0)
        fail("no WPP file");
    n = fixed(file + 12, 4);
    by_columns = fixed(file + 8, 4) > 12;
    version = fixed(file + 8, 4) - (by_columns ? 8 : 0);
    if (version < 6 || version > 12 || n > 64 || file_size < 32 + 40 * n)
        fail("wrong version or size");
    sum = checksum(checksum(start, file, 24), file + 32, 40 * n);
    if (sum != fixed(file + 24, 8) || file_size != fixed(file + 16, 8))
        fail("wrong header");
    at = 32 + 40 * n;
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *entry = file + 32 + 40 * i;

        if (fixed(entry + 8, 8) != at || fixed(entry + 16, 8) > file_size - at)
            fail("wrong section table");
        if (checksum(start, file + at, fixed(entry + 16, 8)) != fixed(entry + 32, 8))
            fail("wrong checksum of a section");
        at += fixed(entry + 16, 8);
    }
    if (at != file_size)
        fail("sections do not fill the file");
}

static int has_section(unsigned kind)
{
    for (uint64_t i = 0; i < fixed(file + 12, 4); i++)
        if (fixed(file + 32 + 40 * i, 4) == kind)
            return 1;
    return 0;
}

static struct bytes section(unsigned kind)
{
    for (uint64_t i = 0; i < fixed(file + 12, 4); i++) {
        const unsigned char *entry = file + 32 + 40 * i, *data = file + fixed(entry + 8, 8);
        uint64_t n = fixed(entry + 24, 8);
        unsigned char *content;

        if (fixed(entry, 4) != kind)
            continue;
        content = get_memory(n);
        if (fixed(entry + 4, 4) == 0)
            memcpy(content, data, n);
        else if (ZSTD_decompress(content, n, data, fixed(entry + 16, 8)) != n)
            fail("a section cannot be decompressed");
        return (struct bytes){content, n, 0};
    }
    fail("a section is missing");
    return (struct bytes){0};
}

/* ---- Routines --------------------------------------------------------------------- */

struct edge {
    uint64_t source, target, value;
};

struct line {
    char *file;
    uint64_t block, number, call;
};

struct call {
    char *name, *file;
    uint64_t caller, line;
};

struct routine {
    char *name;
    uint64_t module;
    uint64_t base, line, n_edges, n_lines, n_paths, n_blocks;
    struct edge *edges;
    struct line *lines;          /* of all blocks */
    struct call *calls;          /* from 1 on */
};

static struct routine *routines;
static uint64_t n_routines;

static void read_edges(struct bytes *b, struct routine *r)
{
    uint64_t source = 0, value = 0;

    r->n_edges = get_varint(b);
    r->edges = get_memory(r->n_edges * sizeof *r->edges);
    for (uint64_t i = 0; i < r->n_edges; i++) {
        uint64_t step = get_varint(b), target = get_varint(b), delta = get_varint(b);

        source += step;
        value = step > 0 || i == 0 ? delta : value + delta;
        r->edges[i] = (struct edge){source, target, value};
        if (get_varint(b) >= 2)
            get_varint(b);
    }
}

static char *string_of(char **strings, uint64_t n_strings, uint64_t number)
{
    if (number >= n_strings)
        fail("a string does not exist");
    return strings[number];
}

static uint64_t get_line(struct bytes *b, uint64_t base)
{
    uint64_t zigzag = get_varint(b);

    return zigzag % 2 ? base - zigzag / 2 - 1 : base + zigzag / 2;
}

static void read_blocks(struct bytes *b, struct routine *r, char **strings, uint64_t n_strings)
{
    uint64_t blocks = r->n_blocks = get_varint(b);

    r->lines = get_memory((b->n - b->at) * sizeof *r->lines);
    for (uint64_t i = 0; i < blocks; i++) {
        get_varint(b);
        for (uint64_t lines = get_varint(b); lines > 0; lines--) {
            struct line *l = &r->lines[r->n_lines++];

            l->block = i;
            l->file = string_of(strings, n_strings, get_varint(b));
            l->number = get_line(b, r->line);
        }
    }
}

/* The call that a reference other than 1 means; n calls have been described. */
static uint64_t call_meant(uint64_t reference, uint64_t n)
{
    if (reference == 1 || reference > n + 1)
        fail("a reference to an inlined call is wrong");
    return reference == 0 ? 0 : n + 2 - reference;
}

static void read_inlined(struct bytes *b, struct routine *r, char **strings, uint64_t n_strings)
{
    uint64_t calls = get_varint(b), described = 0, at = 0;
    uint64_t *last = get_memory((calls + 1) * sizeof *last);      /* line in each one's code */

    last[0] = r->line;
    r->calls = get_memory((calls + 1) * sizeof *r->calls);
    for (uint64_t runs = get_varint(b); runs > 0; runs--) {
        uint64_t reference = get_varint(b), call, n, m;

        if (reference != 1) {
            call = call_meant(reference, described);
        } else {
            for (m = 1; (reference = get_varint(b)) == 1; m++)
                ;
            call = call_meant(reference, described);
            for (; m > 0; m--) {
                struct call *c = &r->calls[++described];

                if (described > calls)
                    fail("there are too many inlined calls");
                c->caller = call;
                c->name = string_of(strings, n_strings, get_varint(b));
                c->file = string_of(strings, n_strings, get_varint(b));
                c->line = last[call] = get_line(b, last[call]);
                call = described;
            }
        }
        n = get_varint(b);
        if (n == 0 || n > r->n_lines - at)
            fail("a run of inlined lines is wrong");
        for (; n > 0; n--) {
            r->lines[at].call = call;
            last[call] = r->lines[at++].number;
        }
    }
    if (described != calls)
        fail("there are too few inlined calls");
}

static uint64_t *unit_modules;   /* of each object file: its module */
static uint64_t n_units;

static void read_routine(struct bytes *b, struct routine *r, char **strings, uint64_t n_strings)
{
    uint64_t unit;
    size_t size;
    struct bytes own;

    unit = get_varint(b);
    if (unit >= n_units)
        fail("a unit does not exist");
    r->module = unit_modules[unit];
    r->base = get_varint(b);
    size = get_varint(b);
    own = (struct bytes){get_run(b, size), size, 0};
    r->name = string_of(strings, n_strings, get_varint(&own));
    get_varint(&own);
    r->line = get_varint(&own);
    get_varint(&own);
    r->n_paths = get_varint(&own);
    read_blocks(&own, r, strings, n_strings);
    read_edges(&own, r);
    if (own.at < own.n)
        for (uint64_t fields = 2 * get_varint(&own); fields > 0; fields--)
            get_varint(&own);
    if (own.at < own.n)
        read_inlined(&own, r, strings, n_strings);
}

static void print_lines(void)
{
    for (uint64_t i = 0; i < n_routines; i++) {
        const struct routine *r = &routines[i];

        for (uint64_t k = 0; k < r->n_lines; k++) {
            const struct line *l = &r->lines[k];

            printf("%s %llu %s:%llu", r->name, (unsigned long long)l->block, l->file,
                   (unsigned long long)l->number);
            for (uint64_t c = l->call; c > 0; c = r->calls[c].caller)
                printf(" %s@%s:%llu", r->calls[c].name, r->calls[c].file,
                       (unsigned long long)r->calls[c].line);
            putchar('\n');
        }
    }
}

/* What is behind the routines. */
static void print_sources(struct bytes *b, char **strings, uint64_t n_strings)
{
    for (uint64_t left = b->at < b->n ? get_varint(b) : 0; left > 0; left--) {
        const char *directory = string_of(strings, n_strings, get_varint(b));
        const char *name = string_of(strings, n_strings, get_varint(b));
        const unsigned char *hash = get_run(b, 8);

        printf("%s %s ", directory, name);
        for (int i = 7; i >= 0; i--)
            printf("%02x", hash[i]);
        putchar('\n');
    }
}

static void read_units(struct bytes *b)
{
    n_units = get_varint(b);
    unit_modules = get_memory(n_units * sizeof *unit_modules);
    for (uint64_t i = 0; i < n_units; i++) {
        unit_modules[i] = get_varint(b);
        for (int fields = 5; fields > 0; fields--)
            get_varint(b);
    }
}

static void read_rows(struct bytes b, int sources)
{
    uint64_t n = get_varint(&b);
    char **strings = get_memory(n * sizeof *strings);

    for (uint64_t i = 0; i < n; i++)
        strings[i] = get_string(&b);
    read_units(&b);
    n_routines = get_varint(&b);
    routines = get_memory(n_routines * sizeof *routines);
    for (uint64_t i = 0; i < n_routines; i++)
        read_routine(&b, &routines[i], strings, n);
    if (sources)
        print_sources(&b, strings, n);
}

/* ---- Routines by columns ---------------------------------------------------------- */

enum {
    STRINGS, TABLES, UNIT, BASE, NAME, SOURCE, LINE, FLAGS, BLOCKS, STARTS, LANDINGS, SHAPES, COSTS,
    LINES, KINDS, TARGETS, GOES_ON, LINE_FILES, LINE_STEPS, CALLS, RUNS, REFERENCES, RUN_LINES,
    CALLEES, CALL_FILES, CALL_STEPS, COLUMNS
};

static struct bytes columns[COLUMNS];
static char **texts;
static uint64_t n_texts;

static uint64_t get_zigzag(uint64_t from, uint64_t zigzag)
{
    return zigzag % 2 ? from - zigzag / 2 - 1 : from + zigzag / 2;
}

static uint64_t get_column(int column)
{
    return get_varint(&columns[column]);
}

static uint64_t get_column_step(int column, uint64_t from)
{
    return get_zigzag(from, get_column(column));
}

static void cut_columns(struct bytes b)
{
    uint64_t n = get_varint(&b), size[COLUMNS] = {0};

    for (uint64_t i = 0; i < n; i++) {
        uint64_t bytes = get_varint(&b);

        if (i < COLUMNS)
            size[i] = bytes;
    }
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = (struct bytes){get_run(&b, size[i]), size[i], 0};
}

static void cut_strings(void)
{
    struct bytes *b = &columns[STRINGS];

    texts = get_memory(b->n * sizeof *texts);
    while (b->at < b->n) {
        uint64_t n = strlen((const char *)b->p + b->at) + 1;

        texts[n_texts++] = (char *)b->p + b->at;
        get_run(b, n);
    }
    if (n_texts == 0 || texts[0][0])
        fail("there is no empty string");
}

/* The block named from block `from`, or `none`. */
static uint64_t get_name(int column, uint64_t from, uint64_t none)
{
    uint64_t name = get_column(column);

    return name == 0 ? none : get_zigzag(from + 1, name - 1);
}

/* Reads an edge; marks where execution goes on behind it. */
static void column_edge(struct routine *r, struct edge *e, uint64_t source, uint64_t kind,
                        char *goes_on)
{
    uint64_t block = kind < 2 ? get_name(TARGETS, source, 1) : get_name(GOES_ON, source, 0);

    if (kind > 6 || block >= r->n_blocks)
        fail("an edge is wrong");
    *e = (struct edge){source, kind < 2 ? block : 1, 0};
    if (kind >= 2)
        goes_on[block] = 1;
}

static uint64_t column_shape(struct routine *r, struct edge *edges, uint64_t source, char *goes_on)
{
    uint64_t shape = get_column(SHAPES), n = shape == 0 ? 0 : shape < 8 ? 1 : shape < 57 ? 2
                                                                                     : shape - 54;

    for (uint64_t i = 0; i < n; i++)
        column_edge(r, &edges[i], source, n == 1 ? shape - 1
                    : n > 2 ? get_column(KINDS) : i == 0 ? (shape - 8) / 7 : (shape - 8) % 7,
                    goes_on);
    return n;
}

/* The paths from a block on; also gives its edges their values. */
static uint64_t number_block(struct routine *r, uint64_t block, uint64_t *paths, uint64_t *first)
{
    if (block == 1)
        return 1;
    if (paths[block] == ~(uint64_t)0)
        fail("edges go in a circle");
    if (paths[block] > 0)
        return paths[block];
    paths[block] = ~(uint64_t)0;
    uint64_t n = 0;
    for (uint64_t i = first[block]; i < first[block + 1]; i++) {
        r->edges[i].value = n;
        n += number_block(r, r->edges[i].target, paths, first);
    }
    if (n == 0)
        fail("a path ends nowhere");
    return paths[block] = n;
}

static void column_edges(struct routine *r, const char *lands)
{
    struct bytes *targets = &columns[TARGETS], *ends = &columns[GOES_ON];
    uint64_t most = targets->n - targets->at + ends->n - ends->at, n = 0, of_entry, starts = 0;
    struct edge *edges = get_memory(most * sizeof *edges);
    uint64_t *first = get_memory((r->n_blocks + 1) * sizeof *first);
    char *goes_on = get_memory(r->n_blocks);
    int listed = get_column(STARTS) == 1;

    of_entry = n = column_shape(r, edges, 0, goes_on);
    for (uint64_t b = 2; b < r->n_blocks; b++)
        n += column_shape(r, edges + n, b, goes_on);
    r->edges = get_memory((n + r->n_blocks) * sizeof *r->edges);
    memcpy(r->edges, edges, of_entry * sizeof *edges);
    for (uint64_t b = 2; !listed && b < r->n_blocks; b++)
        if (goes_on[b] || lands[b])
            r->edges[of_entry + starts++] = (struct edge){0, b, 0};
    memcpy(r->edges + of_entry + starts, edges + of_entry, (n - of_entry) * sizeof *edges);
    r->n_edges = n + starts;
    for (uint64_t i = 0; i < r->n_edges; i++)
        first[r->edges[i].source + 1]++;
    for (uint64_t b = 0; b < r->n_blocks; b++)
        first[b + 1] += first[b];
    r->n_paths = number_block(r, 0, get_memory(r->n_blocks * sizeof(uint64_t)), first);
}

struct place {
    uint64_t file, line, known;
};

static struct place *callee_begins;     /* of callees, by string */

static char *get_place(struct place *at, struct place *begin, int files, int steps,
                       uint64_t *line)
{
    uint64_t source = get_column(files);

    at->file = source == 0 ? at->file : source - 1;
    *line = at->line = get_column_step(steps, at->line);
    if (begin && !at->known)
        *begin = (struct place){at->file, at->line, 1};
    at->known = 1;
    return string_of(texts, n_texts, at->file);
}

static void column_lines(struct routine *r, uint64_t source)
{
    uint64_t n_calls = get_column(CALLS), runs = n_calls > 0 ? get_column(RUNS) : 0, described = 0;
    struct place *at = get_memory((n_calls + 1) * sizeof *at);
    uint64_t *callee = get_memory((n_calls + 1) * sizeof *callee);

    at[0] = (struct place){source, r->line, 1};
    r->calls = get_memory((n_calls + 1) * sizeof *r->calls);
    for (uint64_t i = 0; i < r->n_lines || runs > 0;) {
        uint64_t call = 0, n = r->n_lines - i;

        if (runs > 0) {
            uint64_t new = 0, reference;

            while ((reference = get_column(REFERENCES)) == 1)
                new++;
            for (call = call_meant(reference, described); new > 0; new--, call = described) {
                struct call *c = &r->calls[++described];
                struct place *begin;

                if (described > n_calls)
                    fail("there are too many inlined calls");
                callee[described] = get_column(CALLEES);
                c->caller = call;
                c->name = string_of(texts, n_texts, callee[described]);
                c->file = get_place(&at[call], call ? &callee_begins[callee[call]] : NULL, CALL_FILES,
                                    CALL_STEPS, &c->line);
                begin = &callee_begins[callee[described]];
                at[described] = begin->known ? *begin : at[call];
                at[described].known = 0;
            }
            n = get_column(RUN_LINES);
            if (n == 0 || n > r->n_lines - i)
                fail("a run of inlined lines is wrong");
            runs--;
        }
        for (; n > 0; n--, i++) {
            r->lines[i].file = get_place(&at[call], call ? &callee_begins[callee[call]] : NULL, LINE_FILES,
                                         LINE_STEPS, &r->lines[i].number);
            r->lines[i].call = call;
        }
    }
    if (described != n_calls)
        fail("there are too few inlined calls");
}

static void column_blocks(struct routine *r)
{
    r->lines = get_memory((columns[LINE_STEPS].n - columns[LINE_STEPS].at) * sizeof *r->lines);
    for (uint64_t b = 2; b < r->n_blocks; b++) {
        get_column(COSTS);
        for (uint64_t n = get_column(LINES); n > 0; n--) {
            if (r->n_lines >= columns[LINE_STEPS].n - columns[LINE_STEPS].at)
                fail("there are too many lines");
            r->lines[r->n_lines++].block = b;
        }
    }
}

static void read_columns(int sources)
{
    uint64_t unit = 0, name = 0, source = 0;

    cut_columns(section(3));
    cut_strings();
    callee_begins = get_memory(n_texts * sizeof *callee_begins);
    read_units(&columns[TABLES]);
    n_routines = get_column(TABLES);
    routines = get_memory(n_routines * sizeof *routines);
    for (uint64_t i = 0; i < n_routines; i++) {
        struct routine *r = &routines[i];
        char *lands;
        uint64_t code, block = 0;

        unit = get_column_step(UNIT, unit);
        if (unit >= n_units)
            fail("a unit does not exist");
        r->module = unit_modules[unit];
        r->base = get_column(BASE);
        name = get_column_step(NAME, name + 1);
        r->name = string_of(texts, n_texts, name);
        code = get_column(SOURCE);
        source = code == 0 ? source : code - 1;
        r->line = get_column(LINE);
        get_column(FLAGS);
        r->n_blocks = get_column(BLOCKS);
        if (r->n_blocks < 2 || r->n_blocks > columns[SHAPES].n + 2)
            fail("a routine has a wrong number of blocks");
        lands = get_memory(r->n_blocks);
        for (uint64_t n = get_column(LANDINGS); n > 0; n--) {
            uint64_t landing;

            block += get_column(LANDINGS);
            landing = get_column_step(LANDINGS, block);
            if (landing >= r->n_blocks)
                fail("a landing is wrong");
            lands[landing] = 1;
        }
        column_edges(r, lands);
        column_blocks(r);
        column_lines(r, source);
    }
    if (sources)
        print_sources(&columns[TABLES], texts, n_texts);
    for (int i = 0; i < COLUMNS; i++)
        if (i != TABLES && columns[i].at < columns[i].n)
            fail("a column is not used up");
}

static void read_routines(int sources)
{
    if (by_columns)
        read_columns(sources);
    else
        read_rows(section(3), sources);
}

/* ---- Terminals ---------------------------------------------------------------------- */

struct terminal {
    uint64_t routine;            /* 0: none */
    uint64_t path;               /* as it stands in the file */
    uint64_t executed, seen;     /* in version 12: how often; of these, printed */
};

static struct terminal *terminals;
static uint64_t n_terminals, longest_rule;

static void read_terminals(void)
{
    struct bytes b = section(4);

    n_terminals = get_varint(&b);
    terminals = get_memory(n_terminals * sizeof *terminals);
    for (uint64_t i = 0; i < n_terminals; i++)
        terminals[i].routine = get_varint(&b);
    for (uint64_t i = 0; i < n_terminals; i++)
        terminals[i].path = get_varint(&b);
    for (uint64_t i = 0; version == 12 && i < n_terminals; i++)
        terminals[i].executed = get_varint(&b);
    if (version == 12)
        longest_rule = get_varint(&b);
}

/* Whether the terminals were executed as often as it says. */
static void check_executed(void)
{
    for (uint64_t i = 0; i < n_terminals; i++)
        if (terminals[i].executed != terminals[i].seen)
            fail("a terminal was executed another number of times than it says");
}

/* The number of the whole path; *end: the block in which it was left, or EXIT. */
static uint64_t path_of(const struct terminal *t, uint64_t *end)
{
    const struct routine *r = t->routine ? &routines[t->routine - 1] : NULL;

    *end = 1;
    if (!r || t->path < r->n_paths)
        return t->path;
    *end = (t->path - r->n_paths) % r->n_blocks;
    if (*end < 2 || (t->path - r->n_paths) / r->n_blocks >= r->n_paths)
        fail("a path was left nowhere");
    return (t->path - r->n_paths) / r->n_blocks;
}

static uint64_t token_of(const struct terminal *t)
{
    uint64_t end;

    return path_of(t, &end) + (t->routine ? routines[t->routine - 1].base : 0);
}

static void print_blocks(const struct routine *r, const struct terminal *t)
{
    uint64_t at = 0, end, number = path_of(t, &end);

    while (at != end) {
        const struct edge *taken = NULL;

        for (uint64_t i = 0; i < r->n_edges; i++)
            if (r->edges[i].source == at && r->edges[i].value <= number)
                taken = &r->edges[i];
        if (!taken || at == 1)
            fail("a path ends nowhere");
        number -= taken->value;
        at = taken->target;
        if (at != 1)
            printf(" %llu", (unsigned long long)at);
    }
}

static void print_terminal(uint64_t number, unsigned thread, int text)
{
    const struct terminal *t = &terminals[number];
    const struct routine *r = t->routine ? &routines[t->routine - 1] : NULL;
    uint64_t token = token_of(t);

    if (!text) {
        for (int i = 0; i < 4; i++)
            putchar((int)(token >> 8 * i & 255));
        return;
    }
    printf("%u %llu %s %llu", thread, (unsigned long long)token, r ? r->name : "-",
           (unsigned long long)t->path);
    if (r)
        print_blocks(r, t);
    putchar('\n');
}

/* ---- The grammar ---------------------------------------------------------------------- */

/* A symbol is a terminal's number, or n_local + a rule's.  The grammar of a segment has
 * n_local terminals of its own; local[i] is the file's number of its terminal i. */
struct list {
    uint64_t *symbols;
    uint64_t n, room;
};

static struct list *rules;
static uint64_t n_rules, n_local;
static uint64_t *local;

static void add(struct list *l, uint64_t symbol)
{
    if (l->n == l->room) {
        l->room = 2 * l->room + 4;
        l->symbols = realloc(l->symbols, l->room * sizeof *l->symbols);
        if (!l->symbols)
            fail("out of memory");
    }
    l->symbols[l->n++] = symbol;
}

static uint64_t n_printed;

static void print_symbol(uint64_t symbol, unsigned thread, int text)
{
    if (symbol < n_local) {
        n_printed++;
        terminals[local[symbol]].seen++;
        print_terminal(local[symbol], thread, text);
        return;
    }
    for (uint64_t i = 0; i < rules[symbol - n_local].n; i++)
        print_symbol(rules[symbol - n_local].symbols[i], thread, text);
}

/* ---- Chances ---- */

struct chance {
    uint32_t one, seen;
};

static int even;                 /* whether the code at hand is */
static struct bytes code;
static uint32_t range, value;

static void begin_code(void)
{
    range = 0xffffffff;
    for (int i = 0; i < 4; i++)
        value = value << 8 | get_byte(&code);
}

static int decide(struct chance *c)
{
    uint32_t bound, rate;
    int yes;

    if (c->seen == 0)
        c->one = 32768;
    rate = 65536 / (c->seen + 3);
    bound = range / 65536 * c->one;
    yes = value < bound;
    if (yes) {
        range = bound;
        c->one += (65536 - c->one) * rate / 65536;
    } else {
        range -= bound;
        value -= bound;
        c->one -= c->one * rate / 65536;
    }
    if (c->seen < 48)
        c->seen++;
    for (; range < 1 << 24; range <<= 8)
        value = value << 8 | get_byte(&code);
    return yes;
}

/* ---- The machine ---- */

/* With each symbol of a list its chance. */
struct choice {
    struct list list;
    struct chance *chances, present;
};

static struct list stack;
static struct choice *families, *followers, known;    /* by terminal; the last: nothing */
static uint64_t *first, *last;                        /* by symbol */

static void add_choice(struct choice *c, uint64_t symbol)
{
    add(&c->list, symbol);
    c->chances = realloc(c->chances, c->list.room * sizeof *c->chances);
    if (!c->chances)
        fail("out of memory");
    c->chances[c->list.n - 1] = (struct chance){0, 0};
}

static uint64_t get_number(struct choice *c)
{
    uint64_t x = 0, p = 1;

    while (2 * p < c->list.n)
        p *= 2;
    for (; p > 0; p /= 2)
        if (x + p < c->list.n && decide(&c->chances[x + p]))
            x += p;
    return x;
}

static void new_symbol(uint64_t symbol, uint64_t begins, uint64_t ends)
{
    first[symbol] = begins;
    last[symbol] = ends;
    add_choice(&families[begins], symbol);
    add(&stack, symbol);
}

static struct choice *followers_here(void)
{
    return &followers[stack.n > 0 ? last[stack.symbols[stack.n - 1]] : n_local];
}

static void follow(struct choice *c, uint64_t terminal)
{
    if (c->list.n < 32)
        add_choice(c, terminal);
}

/* A number below n without chances. */
static uint64_t get_even(uint64_t n)
{
    uint64_t high = 0, low, below = n;
    uint32_t step;

    if (n > 65536) {
        high = get_even((n - 1) / 65536 + 1);
        below = high == (n - 1) / 65536 ? (n - 1) % 65536 + 1 : 65536;
    }
    step = range / below;
    low = value / step;
    if (low >= below)
        fail("a number is too large");
    value -= low * step;
    for (range = step; range < 1 << 24; range <<= 8)
        value = value << 8 | get_byte(&code);
    return high * 65536 + low;
}

static uint64_t get_first(void)
{
    struct choice *c = followers_here();
    uint64_t terminal, i;

    if (decide(&c->present)) {
        if (c->list.n == 0)
            fail("nothing has followed");
        for (i = 0; i + 1 < c->list.n; i++)
            if (decide(&c->chances[i]))
                break;
        return c->list.symbols[i];
    }
    if (known.list.n == 0)
        fail("there is no terminal yet");
    terminal = get_number(&known);
    follow(c, terminal);
    return terminal;
}

static struct chance is_rule;

static void use(void)
{
    if (even) {
        int rule = decide(&is_rule);
        uint64_t n = rule ? n_rules : known.list.n;

        if (n == 0)
            fail("there is no symbol yet");
        add(&stack, (rule ? n_local : 0) + get_even(n));
        return;
    }
    struct choice *family = &families[get_first()];

    add(&stack, family->list.symbols[get_number(family)]);
}

static void terminal(void)
{
    uint64_t number = known.list.n;

    if (number == n_local)
        fail("too many terminals");
    follow(followers_here(), number);
    add_choice(&known, number);
    new_symbol(number, number, number);
}

/* For steps by the two before, and for lengths. */
static struct {
    struct chance step[4][4][3], more[18], wide[63];
} chances;
enum { SYMBOL, REDUCE, NEW, END };
static int before, before_that;

static uint64_t get_length(void)
{
    uint64_t n = 2, m = 1;
    unsigned j = 0;

    for (; n <= 17; n++)
        if (!decide(&chances.more[n]))
            return n;
    while (j < 63 && decide(&chances.wide[j]))
        j++;
    for (; j > 0; j--) {
        struct chance new_chance = {0, 0};

        m = 2 * m + decide(&new_chance);
    }
    return 17 + m;
}

static void reduce(uint64_t all_rules)
{
    uint64_t n = get_length();
    struct list *rule = &rules[n_rules];

    if (n > stack.n || n_rules == all_rules)
        fail("a rule is too long, or one too many");
    for (uint64_t i = stack.n - n; i < stack.n; i++)
        add(rule, stack.symbols[i]);
    stack.n -= n;
    new_symbol(n_local + n_rules, first[rule->symbols[0]], last[rule->symbols[n - 1]]);
    n_rules++;
}

static int get_step(void)
{
    struct chance *c = chances.step[before_that][before];
    int asked = even ? SYMBOL : REDUCE, second = even ? REDUCE : SYMBOL;
    int step = decide(&c[0]) ? asked : decide(&c[1]) ? second : decide(&c[2]) ? NEW : END;

    before_that = before;
    before = step;
    return step;
}

/* ---- Lanes ---- */

/* A table of shares; all zero is a new one. */
struct table {
    uint32_t below[17], seen;
};

struct stream {
    uint32_t state;
    struct bytes words, bits;
    unsigned used;               /* bits of the byte at hand */
};

enum { STRUCTURE, LANE, STREAMS = 5, LANES = 4, CLASSES = 11, MOST = 512 };

static uint32_t get_share(struct stream *s, struct table *t)
{
    uint32_t slot = s->state % 32768, symbol = 0, rate = 1;

    for (int i = 0; t->seen == 0 && i <= 16; i++)
        t->below[i] = 2048 * i;
    while (t->below[symbol + 1] <= slot)
        symbol++;
    s->state = (t->below[symbol + 1] - t->below[symbol]) * (s->state / 32768) + slot
             - t->below[symbol];
    if (s->state < 65536) {
        s->state = 65536 * s->state + get_byte(&s->words);
        s->state += 256 * get_byte(&s->words);
    }
    t->seen++;
    while (rate < 6 && t->seen >= 1u << rate)
        rate++;
    for (int32_t i = 1; i <= 15; i++) {
        int32_t aim = i <= (int32_t)symbol ? 4 * i : 32768 - 4 * (16 - i);
        int32_t way = aim - (int32_t)t->below[i], step = way / (1 << rate);

        t->below[i] += step - (step * (1 << rate) > way);
    }
    return symbol;
}

static uint64_t get_bits(struct stream *s, unsigned n)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < n; i++) {
        if (s->used % 8 == 0)
            get_byte(&s->bits);
        bits |= (uint64_t)(s->bits.p[s->bits.at - 1] >> s->used++ % 8 & 1) << i;
    }
    return bits;
}

static uint64_t get_below(struct stream *s, uint64_t n)
{
    unsigned k = 0;
    uint64_t x;

    if (n == 0)
        fail("a number below 0");
    while (n >> k > 1)
        k++;
    x = get_bits(s, k);
    if (x >= ((uint64_t)2 << k) - n)
        x = 2 * x + get_bits(s, 1) - (((uint64_t)2 << k) - n);
    return x;
}

static uint64_t get_long(struct stream *s, struct table *widths)
{
    unsigned width = get_share(s, widths);

    if (width == 15)
        width = get_bits(s, 6);
    if (width > 50)
        fail("a number is too long");
    return ((uint64_t)1 << width) + get_bits(s, width) - 1;
}

static void end_stream(struct stream *s)
{
    if (s->state != 65536 || s->words.at != s->words.n || s->bits.at != s->bits.n)
        fail("a stream does not end where it should");
}

/* By rule: how many events it derives. */
static uint64_t *events_of;

/* The symbols that begin with a terminal, those named most often first. */
struct kinship {
    struct list list;
    uint64_t in_class[CLASSES];
};
struct after {
    struct table which, far_which;
    uint64_t near[14], far[14];
    unsigned n_near, n_far;
};
struct event { uint64_t run, length; int kind; };
enum { PAUSE, ENDS, CREATES, REDUCES };

static struct kinship *kin;
static struct after *afters;     /* 0: nothing; 1 + t: terminal t */
static struct table by_size[LANES][33];
static struct table run_tables[16], event_tables[16], run_widths, length_widths;
static unsigned *named;          /* by symbol: how often; at most MOST */
static uint64_t n_old;           /* terminals in families */

static unsigned bits_of(uint64_t n)
{
    unsigned bits = 0;

    for (; n > 0; n /= 2)
        bits++;
    return bits;
}

static uint64_t above(const struct kinship *f, unsigned class)
{
    uint64_t n = 0;

    while (++class < CLASSES)
        n += f->in_class[class];
    return n;
}

static void count_at(struct kinship *f, uint64_t at)
{
    uint64_t symbol = f->list.symbols[at];
    unsigned class = bits_of(named[symbol]), low = above(f, class);

    if (named[symbol] == MOST)
        return;
    if (bits_of(++named[symbol]) == class)
        return;
    f->list.symbols[at] = f->list.symbols[low];
    f->list.symbols[low] = symbol;
    f->in_class[class]--;
    f->in_class[class + 1]++;
}

static uint64_t get_begin(struct stream *s, struct after *a, unsigned which)
{
    uint64_t terminal;

    if (which < a->n_near)
        return a->near[which];
    if (which != 15)
        fail("nothing has followed");
    which = get_share(s, &a->far_which);
    if (which < a->n_far)
        return a->far[which];
    if (which != 14)
        fail("nothing has followed");
    terminal = get_below(s, n_old);
    if (a->n_near < 14)
        a->near[a->n_near++] = terminal;
    else if (a->n_far < 14)
        a->far[a->n_far++] = terminal;
    return terminal;
}

/* A name: a symbol, or of a young one its number, and what it ends with: 1 + a terminal, or 0. */
struct name { uint64_t symbol, ends; int young; };
/* With which name a young symbol ends, if with any. */
struct young { uint64_t symbol; struct name *ends; };

static struct name *names;
static uint64_t n_names, n_young;
static struct young *youngs;

static uint64_t begin_of_lane(uint64_t k)
{
    uint64_t at = 0;

    for (uint64_t i = 0; i < k; i++)
        at += n_names / LANES + (i < n_names % LANES);
    return at;
}

static uint64_t end_of_young(const struct young *y, uint64_t round)
{
    uint64_t k = LANES - 1;

    if (!y->ends)
        return 0;
    while ((uint64_t)(y->ends - names) < begin_of_lane(k))
        k--;
    return (uint64_t)(y->ends - names) - begin_of_lane(k) < round ? y->ends->ends : 0;
}

static void get_names(struct stream *lanes)
{
    uint64_t context[LANES] = {0};

    for (uint64_t round = 0; round < begin_of_lane(1); round++) {
        struct kinship *family[LANES] = {NULL};
        uint64_t at[LANES];

        for (unsigned k = 0; k < LANES && begin_of_lane(k) + round < begin_of_lane(k + 1); k++) {
            struct stream *s = &lanes[k];
            struct name *name = &names[begin_of_lane(k) + round];
            struct after *a = &afters[context[k]];
            unsigned which = get_share(s, &a->which), class;

            if (which == 14) {
                uint64_t number = get_below(s, n_young);

                *name = (struct name){number, end_of_young(&youngs[number], round), 1};
            } else {
                family[k] = &kin[get_begin(s, a, which)];
                class = get_share(s, &by_size[k][bits_of(family[k]->list.n)]);
                if (class >= CLASSES)
                    fail("there is no such class");
                at[k] = above(family[k], class) + get_below(s, family[k]->in_class[class]);
                name->symbol = family[k]->list.symbols[at[k]];
                name->ends = 1 + last[name->symbol];
                name->young = 0;
            }
            context[k] = name->ends;
        }
        for (unsigned k = 0; k < LANES; k++)
            if (family[k])
                count_at(family[k], at[k]);
    }
}

/* Reads a block's events; returns how many. */
static uint64_t get_events(struct stream *s, struct event *list, uint64_t threads,
                           uint64_t all_rules)
{
    uint64_t n = 0, rules_here = n_rules, terminals_here = n_old, end = 0;
    unsigned event = PAUSE, run;

    n_names = n_young = 0;
    do {
        if (n == 65536)
            fail("a block is too long");
        list[n].run = run = get_share(s, &run_tables[event]);
        if (run == 15)
            list[n].run += get_long(s, &run_widths);
        event = get_share(s, &event_tables[run]);
        list[n].kind = event < REDUCES ? (int)event : REDUCES;
        list[n].length = event < REDUCES ? 0 : event - 1;
        if (event == 15)
            list[n].length += get_long(s, &length_widths);
        if (list[n].run > 65536 - n_names)
            fail("a block is too long");
        n_names += list[n].run;
        end = list[n].kind == CREATES ? 0 : list[n].run > 0 ? n_names : end;
        if (list[n].kind == CREATES || list[n].kind == REDUCES) {
            youngs[n_young].ends = end ? &names[end - 1] : NULL;
            youngs[n_young++].symbol = list[n].kind == CREATES ? terminals_here++
                                                               : n_local + rules_here++;
        }
        threads -= list[n].kind == ENDS;
    } while (list[n++].kind != PAUSE && threads > 0);
    /* A pause may follow the last thread's end: then its stream has not ended. */
    if (list[n - 1].kind == ENDS && (s->state != 65536 || s->words.at != s->words.n)) {
        run = get_share(s, &run_tables[event]);
        if (run != 0 || get_share(s, &event_tables[run]) != PAUSE)
            fail("more than a pause follows the last thread's end");
    }
    if (rules_here > all_rules || terminals_here > n_local)
        fail("too many symbols");
    return n;
}

static void join_family(uint64_t symbol, uint64_t begins, uint64_t ends)
{
    first[symbol] = begins;
    last[symbol] = ends;
    add(&kin[begins].list, symbol);
    kin[begins].in_class[0]++;
    add(&stack, symbol);
}

static uint64_t most;            /* of events_of */

static void reduce_to(uint64_t n)
{
    struct list *rule = &rules[n_rules];

    if (n > stack.n)
        fail("a rule is too long");
    for (uint64_t i = stack.n - n; i < stack.n; i++)
        add(rule, stack.symbols[i]);
    stack.n -= n;
    join_family(n_local + n_rules, first[rule->symbols[0]], last[rule->symbols[n - 1]]);
    for (uint64_t i = 0; i < n; i++)
        events_of[n_rules] += rule->symbols[i] < n_local ? 1 : events_of[rule->symbols[i] - n_local];
    if (events_of[n_rules] > most)
        most = events_of[n_rules];
    n_rules++;
}

static int has_come(uint64_t symbol)
{
    return symbol < n_local ? symbol < n_old : symbol - n_local < n_rules;
}

static void get_streams(struct stream *streams)
{
    uint64_t words[STREAMS], bytes[STREAMS];

    for (int k = 0; k < STREAMS; k++) {
        words[k] = get_varint(&code);
        bytes[k] = get_varint(&code);
    }
    for (int k = 0; k < STREAMS; k++) {
        streams[k].state = fixed(get_run(&code, 4), 4);
        streams[k].words = (struct bytes){get_run(&code, 2 * words[k]), 2 * words[k], 0};
        streams[k].bits = (struct bytes){get_run(&code, bytes[k]), bytes[k], 0};
        streams[k].used = 0;
    }
}

static void run_lanes(uint64_t all_rules, unsigned threads, int all, unsigned wanted, int text)
{
    struct event *list = get_memory(65536 * sizeof *list);

    events_of = get_memory(all_rules * sizeof *events_of);
    most = 0;
    kin = get_memory(n_local * sizeof *kin);
    afters = get_memory((n_local + 1) * sizeof *afters);
    named = get_memory((n_local + all_rules) * sizeof *named);
    names = get_memory(65536 * sizeof *names);
    youngs = get_memory(65536 * sizeof *youngs);
    memset(by_size, 0, sizeof by_size);
    memset(run_tables, 0, sizeof run_tables);
    memset(event_tables, 0, sizeof event_tables);
    memset(&run_widths, 0, sizeof run_widths);
    memset(&length_widths, 0, sizeof length_widths);
    n_old = 0;
    for (unsigned thread = 0; thread < threads;) {
        struct stream streams[STREAMS];
        uint64_t n, at = 0;

        get_streams(streams);
        n = get_events(&streams[STRUCTURE], list, threads - thread, all_rules);
        get_names(&streams[LANE]);
        for (int k = 0; k < STREAMS; k++)
            end_stream(&streams[k]);
        for (uint64_t e = 0; e < n; e++) {
            for (uint64_t i = 0; i < list[e].run; i++, at++) {
                uint64_t symbol = names[at].young ? youngs[names[at].symbol].symbol
                                                  : names[at].symbol;

                if (!has_come(symbol))
                    fail("a symbol is used before it is there");
                add(&stack, symbol);
            }
            switch (list[e].kind) {
            case CREATES: join_family(n_old, n_old, n_old); n_old++; break;
            case REDUCES: reduce_to(list[e].length); break;
            case ENDS:
                for (uint64_t i = 0; (all || thread == wanted) && i < stack.n; i++)
                    print_symbol(stack.symbols[i], thread, text);
                stack.n = 0;
                thread++;
            }
        }
    }
    if (version == 12 && most != longest_rule)
        fail("the longest rule has another length than it says");
    if (fixed(get_run(&code, 24), 8) != 0 || code.at != code.n)
        fail("the grammar's code does not end with its last thread");
}

/* Runs the grammar in `code` and prints what its thread `wanted` derives, or all do. */
static void run_grammar(int all, unsigned wanted, int text)
{
    uint64_t all_rules, threads;

    uint64_t its_terminals = get_varint(&code);
    int in_lanes = its_terminals >= (uint64_t)1 << 31;

    even = !in_lanes && its_terminals >= 1 << 30;
    if (its_terminals - (in_lanes ? (uint64_t)1 << 31 : even ? 1 << 30 : 0) != n_local)
        fail("the grammar has other terminals");
    if (even && version < 8)
        fail("a code is even in a version that has none");
    if (in_lanes && version < 11)
        fail("a code has lanes in a version that has none");
    all_rules = get_varint(&code);
    threads = get_varint(&code);
    get_varint(&code);
    rules = get_memory(all_rules * sizeof *rules);
    first = get_memory((n_local + all_rules) * sizeof *first);
    last = get_memory((n_local + all_rules) * sizeof *last);
    families = get_memory((n_local + 1) * sizeof *families);
    followers = get_memory((n_local + 1) * sizeof *followers);
    memset(&chances, 0, sizeof chances);
    is_rule = (struct chance){0, 0};
    memset(&known, 0, sizeof known);
    before = before_that = SYMBOL;
    n_rules = 0;
    if (in_lanes) {
        run_lanes(all_rules, threads, all, wanted, text);
        return;
    }
    begin_code();
    for (unsigned thread = 0; thread < threads;)
        switch (get_step()) {
        case SYMBOL: use(); break;
        case REDUCE: reduce(all_rules); break;
        case NEW: terminal(); break;
        case END:
            for (uint64_t i = 0; (all || thread == wanted) && i < stack.n; i++)
                print_symbol(stack.symbols[i], thread, text);
            stack.n = 0;
            thread++;
        }
    if (code.at != code.n || value != 0)
        fail("the grammar's code does not end with its last thread");
}

/* What the list of segments says of segment i, which is `whole`: its size and checksum must be
 * right.  How many events of the thread it has; files made before there was a list: ~0. */
static uint64_t listed_events(uint64_t i, struct bytes whole, unsigned thread)
{
    struct bytes list;
    uint64_t events = 0;

    if (!has_section(11))
        return ~(uint64_t)0;
    list = section(11);
    if (i >= get_varint(&list))
        fail("a segment is not listed");
    for (uint64_t k = 0; k <= i; k++) {
        uint64_t n = get_varint(&list), sum = fixed(get_run(&list, 8), 8);
        uint64_t threads = get_varint(&list);

        if (k == i && (n != whole.n || checksum(0xcbf29ce484222325, whole.p, whole.n) != sum))
            fail("a segment has another size or checksum than its list says");
        events = 0;
        for (uint64_t t = 0; t < threads; t++) {
            uint64_t its = get_varint(&list);

            events = t == thread ? its : events;
        }
    }
    return events;
}

/* A thread's events are those of its start rules in all segments. */
static void run_segments(int text)
{
    struct bytes threads = section(5);
    uint64_t n_threads = get_varint(&threads);

    for (unsigned thread = 0; thread < n_threads; thread++) {
        struct bytes all = section(10);

        for (uint64_t segment = 0; all.at < all.n; segment++) {
            uint64_t begin = all.at, n = get_varint(&all), printed = n_printed, listed;

            listed = listed_events(segment, (struct bytes){all.p + begin, all.at + n - begin, 0},
                                   thread);
            code = (struct bytes){get_run(&all, n), n, 0};
            n_local = get_varint(&code);
            local = get_memory(n_local * sizeof *local);
            for (uint64_t i = 0; i < n_local; i++)
                if ((local[i] = get_varint(&code)) >= n_terminals)
                    fail("a segment has a terminal that does not exist");
            run_grammar(0, thread, text);
            if (listed != ~(uint64_t)0 && listed != n_printed - printed)
                fail("a segment has other events than its list says");
        }
    }
}

static void run_file(int text)
{
    if (version % 2 == 1) {
        run_segments(text);
        return;
    }
    code = section(6);
    n_local = n_terminals;
    local = get_memory(n_local * sizeof *local);
    for (uint64_t i = 0; i < n_local; i++)
        local[i] = i;
    run_grammar(1, 0, text);
    if (version == 12)
        check_executed();
}

/* ---- What was left out ------------------------------------------------------------------ */

static void print_left_out(void)
{
    struct bytes b = section(2), left_out = section(8);
    uint64_t n = get_varint(&b);
    char **modules = get_memory(n * sizeof *modules), **strings;

    for (uint64_t i = 0; i < n; i++) {
        modules[i] = get_string(&b);
        get_run(&b, get_varint(&b));
        get_varint(&b);
        get_varint(&b);
    }
    b = left_out;
    n = get_varint(&b);
    strings = get_memory(n * sizeof *strings);
    for (uint64_t i = 0; i < n; i++)
        strings[i] = get_string(&b);
    for (n = get_varint(&b); n > 0; n--) {
        const char *module = modules[get_varint(&b)], *name = strings[get_varint(&b)];
        const char *source = strings[get_varint(&b)];
        uint64_t line = get_varint(&b), reason = get_varint(&b);

        printf("%s %s %s %llu %llu\n", module, name, source, (unsigned long long)line,
               (unsigned long long)reason);
    }
}

/* ---- Times --------------------------------------------------------------------------- */

static void print_times(void)
{
    struct bytes b = section(9);

    printf("%llu\n", (unsigned long long)get_varint(&b));
    for (uint64_t i = 0; i < n_terminals; i++) {
        const struct terminal *t = &terminals[i];
        uint64_t token = token_of(t);

        printf("%llu %llu\n", (unsigned long long)token, (unsigned long long)get_varint(&b));
    }
}

/* ---- Chunks -------------------------------------------------------------------------- */

static void print_chunks(void)
{
    struct bytes b = section(7), threads = section(5), low, high;
    uint64_t n = get_varint(&b), k = by_columns ? get_varint(&b) : 0, time = 0;
    uint64_t n_threads = get_varint(&threads);
    uint64_t *thread, *count = get_memory(n_threads * sizeof *count);
    uint64_t *step = get_memory(n_threads * sizeof *step);

    if (n > b.n)
        fail("there are too many chunks");
    thread = get_memory(n * sizeof *thread);
    for (uint64_t i = 0; by_columns && i < n; i++)
        if ((thread[i] = get_varint(&b)) >= n_threads)
            fail("a chunk is of no thread");
    high = b;
    for (uint64_t i = 0; by_columns && i < n; i++)
        get_varint(&high);
    low = (struct bytes){high.p, high.n, high.at};
    if (by_columns)
        get_run(&high, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t t = by_columns ? thread[i] : get_varint(&b);

        if (t >= n_threads)
            fail("a chunk is of no thread");
        if (by_columns) {
            uint64_t byte;

            count[t] += step[t] = get_zigzag(step[t], get_varint(&b));
            byte = get_byte(&low);
            time = get_zigzag(time, byte + 256 * get_varint(&high));
        } else {
            count[t] = get_varint(&b);
            time = get_zigzag(time, get_varint(&b));
        }
        printf("%llu %llu %llu\n", (unsigned long long)t, (unsigned long long)count[t],
               (unsigned long long)(time << k));
    }
}

/* ---- Deaths -------------------------------------------------------------------------- */

static int64_t signed_of(uint64_t n)
{
    return n & 1 ? -(int64_t)(n / 2) - 1 : (int64_t)(n / 2);
}

/* What is known of the place, behind the module. */
static void print_place(struct bytes *b, char **strings, uint64_t n_strings)
{
    uint64_t module = get_varint(b), offset = get_varint(b), line, routine;
    const char *symbol = string_of(strings, n_strings, get_varint(b));
    const char *name = string_of(strings, n_strings, get_varint(b));

    line = get_varint(b);
    routine = get_varint(b);
    if (routine > n_routines + 1)
        fail("a thread died in no routine");
    printf(" %llu 0x%llx %s %s:%llu %s", (unsigned long long)module, (unsigned long long)offset,
           symbol, name, (unsigned long long)line, routine == 0 ? "-" : routine == 1 ? "unfinished"
           : routines[routine - 2].name);
    if (routine != 1)
        return;
    string_of(strings, n_strings, get_varint(b));
    get_varint(b);
    get_run(b, get_varint(b));
}

static void print_deaths(void)
{
    struct bytes b;
    uint64_t n;
    char **strings;

    if (!has_section(13))
        return;
    b = section(13);
    n = get_varint(&b);
    strings = get_memory(n * sizeof *strings);
    for (uint64_t i = 0; i < n; i++)
        strings[i] = get_string(&b);
    for (uint64_t left = get_varint(&b); left > 0; left--) {
        uint64_t thread = get_varint(&b), signal = get_varint(&b), reason = get_varint(&b);
        uint64_t address = get_varint(&b), place = get_varint(&b);

        printf("%llu %llu %lld 0x%llx %llu", (unsigned long long)thread, (unsigned long long)signal,
               (long long)signed_of(reason), (unsigned long long)address, (unsigned long long)place);
        if (place)
            print_place(&b, strings, n);
        putchar('\n');
    }
}

/* ---- Counts --------------------------------------------------------------------------- */

/* By module, token and path; those without routine behind all others. */
static void check_order(const struct terminal *a, const struct terminal *b)
{
    const struct routine *x = a->routine ? &routines[a->routine - 1] : NULL;
    const struct routine *y = b->routine ? &routines[b->routine - 1] : NULL;

    if (!x ? y || a->path >= b->path
           : y && (x->module > y->module
                   || (x->module == y->module
                       && (token_of(a) > token_of(b)
                           || (token_of(a) == token_of(b) && a->path >= b->path)))))
        fail("the paths are not in order");
}

static void print_counts(void)
{
    struct bytes b = section(12);
    uint64_t kind = get_varint(&b), runs = get_varint(&b);

    if (kind < 1 || kind > 3 || runs == 0 || get_varint(&b) != n_terminals)
        fail("the counts are of other paths");
    printf("%llu %llu\n", (unsigned long long)kind, (unsigned long long)runs);
    for (uint64_t i = 0; i < n_terminals; i++) {
        const struct terminal *t = &terminals[i];
        const struct routine *r = t->routine ? &routines[t->routine - 1] : NULL;
        uint64_t count = get_varint(&b);

        if (count == 0)
            fail("a path was never executed");
        if (i > 0)
            check_order(t - 1, t);
        printf("%s %llu %llu", r ? r->name : "-", (unsigned long long)t->path,
               (unsigned long long)count);
        if (r)
            print_blocks(r, t);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    int counts = argc == 3 && strcmp(argv[1], "--counts") == 0;
    int times = argc == 3 && strcmp(argv[1], "--times") == 0;
    int text = argc == 3 && strcmp(argv[1], "--text") == 0;
    int left_out = argc == 3 && strcmp(argv[1], "--left-out") == 0;
    int lines = argc == 3 && strcmp(argv[1], "--lines") == 0;
    int sources = argc == 3 && strcmp(argv[1], "--sources") == 0;
    int deaths = argc == 3 && strcmp(argv[1], "--deaths") == 0;
    int chunks = argc == 3 && strcmp(argv[1], "--chunks") == 0;

    if (argc != 2 + text + left_out + times + lines + sources + counts + deaths + chunks)
        fail("usage: read-wpp [--text|--left-out|--times|--counts|--lines|--sources|--deaths|--chunks] "
             "FILE");
    read_file(argv[argc - 1]);
    check_outside();
    if (left_out) {
        print_left_out();
        return ferror(stdout) != 0;
    }
    if (chunks) {
        print_chunks();
        return ferror(stdout) != 0;
    }
    read_routines(sources);
    if (sources)
        return ferror(stdout) != 0;
    if (deaths) {
        print_deaths();
        return ferror(stdout) != 0;
    }
    if (lines) {
        print_lines();
        return ferror(stdout) != 0;
    }
    read_terminals();
    if (times) {
        print_times();
        return ferror(stdout) != 0;
    }
    if (counts) {
        print_counts();
        return ferror(stdout) != 0;
    }
    if (version == 10)
        fail("a path profile has no order: --counts");
    run_file(text);
    return ferror(stdout) != 0;
}
