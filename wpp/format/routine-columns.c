/* SPDX-License-Identifier: MIT */
#include "wpp/format/routine-columns.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/base/intern.h"
#include "wpp/format/columns.h"
#include "wpp/format/path-table.h"

/* The columns, in the order of docs/wpp-format.md. */
enum column {
    STRINGS, TABLES,                                             /* of the section */
    UNIT, BASE, NAME, FILE_NAME, LINE, FLAGS, BLOCKS, STARTS, LANDINGS,    /* of routines */
    SHAPES, COSTS, N_LINES,                                      /* of blocks */
    KINDS, TARGETS, NEXT,                                        /* of edges */
    LINE_FILES, LINE_STEPS,                                      /* of lines */
    CALLS, RUNS, REFERENCES, RUN_LENGTHS,                        /* of inlined code */
    CALL_NAMES, CALL_FILES, CALL_STEPS,                          /* of inlined calls */
    N_COLUMNS
};

enum { ENTRY = 0, EXIT = 1, FIRST_INSIDE = 2 };

/* A block's shape: how many edges leave it, and of what kinds.
 *
 *      0                   none
 *      1 + a               one of kind a
 *      8 + 7 a + b         two of kinds a and b
 *      54 + n              n, three at least; the column of kinds has their kinds */
enum { KINDS_OF_EDGES = WPP_EDGE_END_STOP + 1, ONE = 1, TWO = ONE + KINDS_OF_EDGES,
       MORE = TWO + KINDS_OF_EDGES * KINDS_OF_EDGES - 3 };

/* How a routine's edges from ENTRY to where paths begin are written. */
enum { STARTS_FOLLOW = 0, STARTS_LISTED = 1 };

/* ---- Where code was last: what lines are relative to ------------------------------------- */

struct place {
    uint32_t file, line;
    bool known;
};

/* The code of the routine itself (0) or of an inlined call. */
struct code {
    struct place last;           /* its last line so far, or call in it */
    uint32_t name;               /* of the callee */
    bool fresh;                  /* nothing of it has come yet */
};

struct places {
    struct code *code;           /* by call of this routine, in the order of description */
    size_t n_code;
    struct place *begins;        /* by string: where code of this callee began, in the last call */
    size_t n_begins;
};

static void places_free(struct places *p)
{
    free(p->code);
    free(p->begins);
}

/* Makes room for calls below n_code and callees below n_begins.  False: no memory. */
static bool make_room(struct places *p, size_t n_code, size_t n_begins)
{
    if (n_code > p->n_code) {
        struct code *larger = realloc(p->code, 2 * n_code * sizeof *larger);

        if (!larger)
            return false;
        p->code = larger;
        p->n_code = 2 * n_code;
    }
    if (n_begins > p->n_begins) {
        struct place *larger = realloc(p->begins, 2 * n_begins * sizeof *larger);

        if (!larger)
            return false;
        memset(larger + p->n_begins, 0, (2 * n_begins - p->n_begins) * sizeof *larger);
        p->begins = larger;
        p->n_begins = 2 * n_begins;
    }
    return true;
}

static void begin_routine(struct places *p, uint32_t file, uint32_t line)
{
    assert(p->n_code > 0);
    p->code[0] = (struct code){{file, line, true}, 0, false};
}

/* Code of the call, or a call in it, is here. */
static void go_to(struct places *p, uint32_t call, uint32_t file, uint32_t line)
{
    struct code *c = &p->code[call];

    c->last = (struct place){file, line, true};
    if (c->fresh) {
        assert(c->name < p->n_begins);
        p->begins[c->name] = c->last;
    }
    c->fresh = false;
}

/* A new call, at the last place of its caller: its code probably begins where that of the same
 * callee did before. */
static void begin_call(struct places *p, uint32_t call, uint32_t caller, uint32_t name)
{
    assert(call < p->n_code && name < p->n_begins);
    p->code[call] = (struct code){p->begins[name].known ? p->begins[name] : p->code[caller].last,
                                  name, true};
}

/* ---- Writing --------------------------------------------------------------------------- */

struct writer {
    struct wpp_bytes column[N_COLUMNS];
    struct wpp_intern strings;
    const char *last_text;       /* the string looked up last, and its number */
    uint32_t last_number;
    struct places places;
    uint32_t unit, name, file;   /* of the routine before */
    /* Of the routine being written. */
    const struct wpp_routine *routine;
    uint32_t *number, *chain;    /* by call: its number in the file, or 0; and room for a chain */
    uint32_t n_calls;            /* that have a number */
    bool failed;                 /* no memory */
};

static void put(struct writer *w, enum column column, uint64_t value)
{
    wpp_put_varint(&w->column[column], value);
}

static void put_difference(struct writer *w, enum column column, uint64_t value, uint64_t from)
{
    wpp_put_svarint(&w->column[column], (int64_t)(value - from));
}

/* Names of files come in long runs of one pointer. */
static uint32_t number_of(struct writer *w, const char *text)
{
    if (text != w->last_text)
        w->last_number = wpp_intern(&w->strings, text);
    w->last_text = text;
    return w->last_number;
}

static void put_tables(struct writer *w, const struct wpp_content *c)
{
    put(w, TABLES, c->n_units);
    for (uint32_t i = 0; i < c->n_units; i++) {
        const struct wpp_unit_content *u = &c->units[i];

        put(w, TABLES, u->module);
        put(w, TABLES, number_of(w, u->compiler));
        put(w, TABLES, number_of(w, u->source));
        put(w, TABLES, number_of(w, u->directory));
        put(w, TABLES, u->stage);
        put(w, TABLES, u->level);
    }
    put(w, TABLES, c->n_routines);
    put(w, TABLES, c->n_sources);
    for (uint32_t i = 0; i < c->n_sources; i++) {
        put(w, TABLES, number_of(w, c->sources[i].directory));
        put(w, TABLES, number_of(w, c->sources[i].file));
        wpp_put_u64(&w->column[TABLES], c->sources[i].hash);
    }
}

/* A block that an edge of `src` names; 0 stands for `none`. */
static void put_block_name(struct writer *w, enum column column, uint32_t block, uint32_t src,
                           uint32_t none)
{
    int64_t distance = (int64_t)block - src - 1;

    put(w, column, block == none ? 0 : 1 + (distance < 0 ? -2 * (uint64_t)distance - 1
                                                         : 2 * (uint64_t)distance));
}

static void put_out_edges(struct writer *w, const struct wpp_edge *e, uint32_t n)
{
    put(w, SHAPES, n == 0   ? 0
                   : n == 1 ? ONE + e[0].kind
                   : n == 2 ? TWO + KINDS_OF_EDGES * e[0].kind + e[1].kind
                            : MORE + (uint64_t)n);
    for (uint32_t i = 0; i < n; i++) {
        if (n > 2)
            put(w, KINDS, e[i].kind);
        if (e[i].kind <= WPP_EDGE_START)
            put_block_name(w, TARGETS, e[i].dst, e[i].src, EXIT);
        else
            put_block_name(w, NEXT, e[i].to, e[i].src, UINT32_MAX);
    }
}

/* Marks the blocks at which a path goes on, as ends of paths and landings say; returns how many. */
static uint32_t mark_starts(const struct wpp_edge *edges, size_t n_edges,
                            const struct wpp_landing *landings, uint32_t n_landings, bool *marks)
{
    uint32_t n = 0;

    for (size_t i = 0; i < n_edges; i++)
        if (edges[i].kind >= WPP_EDGE_END_BACK && edges[i].to != UINT32_MAX
            && edges[i].to >= FIRST_INSIDE) {
            n += !marks[edges[i].to];
            marks[edges[i].to] = true;
        }
    for (uint32_t i = 0; i < n_landings; i++) {
        n += !marks[landings[i].dst];
        marks[landings[i].dst] = true;
    }
    return n;
}

/* Of ENTRY's n edges, those that are not written because they follow from the others. */
static uint32_t count_following(struct writer *w, uint32_t n)
{
    const struct wpp_routine *r = w->routine;
    bool *marks = calloc(r->n_blocks, sizeof *marks);
    uint32_t n_starts = marks ? mark_starts(r->edges, r->n_edges, r->landings, r->n_landings, marks)
                              : 0;
    bool follow = marks && n_starts <= n;

    w->failed |= !marks;
    for (uint32_t i = 0; follow && i < n - n_starts; i++)
        follow = r->edges[i].kind != WPP_EDGE_START;
    for (uint32_t i = n - n_starts; follow && i < n; i++)
        follow = r->edges[i].kind == WPP_EDGE_START && marks[r->edges[i].dst]
              && (i == n - n_starts || r->edges[i].dst > r->edges[i - 1].dst);
    free(marks);
    put(w, STARTS, follow ? STARTS_FOLLOW : STARTS_LISTED);
    return follow ? n_starts : 0;
}

static void put_edges(struct writer *w)
{
    const struct wpp_routine *r = w->routine;
    uint32_t e = 0;

    for (uint32_t src = 0; src < r->n_blocks; src++) {
        uint32_t first = e;

        while (e < r->n_edges && r->edges[e].src == src)
            e++;
        assert(src != EXIT || e == first);
        if (src != EXIT)
            put_out_edges(w, r->edges + first,
                          e - first - (src == ENTRY ? count_following(w, e) : 0));
    }
    assert(e == r->n_edges);
}

static void put_landings(struct writer *w)
{
    uint32_t src = 0;

    put(w, LANDINGS, w->routine->n_landings);
    for (uint32_t i = 0; i < w->routine->n_landings; i++) {
        const struct wpp_landing *l = &w->routine->landings[i];

        assert(l->src >= src);
        put(w, LANDINGS, l->src - src);
        put_difference(w, LANDINGS, l->dst, l->src);
        src = l->src;
    }
}

static void put_blocks(struct writer *w)
{
    for (uint32_t v = FIRST_INSIDE; v < w->routine->n_blocks; v++) {
        put(w, COSTS, w->routine->blocks[v].insns);
        put(w, N_LINES, w->routine->blocks[v].n_lines);
    }
}

/* A place in the code of a call, which has its number in the file. */
static void put_place(struct writer *w, uint32_t call, const char *file, uint32_t line,
                      enum column files, enum column steps)
{
    const struct place *last = &w->places.code[call].last;
    uint32_t number = number_of(w, file);

    put(w, files, number == last->file ? 0 : (uint64_t)number + 1);
    put_difference(w, steps, line, last->line);
    go_to(&w->places, call, number, line);
}

static uint64_t reference_of(const struct writer *w, uint32_t call)
{
    assert(call <= w->routine->n_inlined && w->number[call] <= w->n_calls);
    return call == 0 ? 0 : w->number[call] == 0 ? 1 : (uint64_t)w->n_calls + 2 - w->number[call];
}

static void put_new_call(struct writer *w, uint32_t call)
{
    const struct wpp_inlined *c = &w->routine->inlined[call - 1];
    uint32_t caller = w->number[c->caller], name = number_of(w, c->name);

    put(w, CALL_NAMES, name);
    put_place(w, caller, c->file, c->line, CALL_FILES, CALL_STEPS);
    w->number[call] = ++w->n_calls;
    if (make_room(&w->places, w->n_calls + (size_t)1, w->strings.n))
        begin_call(&w->places, w->n_calls, caller, name);
    else
        w->failed = true;
}

/* Of a new call, the calls that contain it come first, as far as they are new. */
static void put_reference(struct writer *w, uint32_t call)
{
    uint32_t n = 0;

    for (; call && !w->number[call]; call = w->routine->inlined[call - 1].caller) {
        assert(w->routine->inlined[call - 1].caller < call);
        w->chain[n++] = call;
        put(w, REFERENCES, 1);
    }
    put(w, REFERENCES, reference_of(w, call));
    while (n > 0 && !w->failed)
        put_new_call(w, w->chain[--n]);
}

/* A walk through the lines of all blocks. */
struct line_walk {
    const struct wpp_routine *routine;
    uint32_t block, next;
};

static const struct wpp_line *next_line(struct line_walk *walk)
{
    for (; walk->block < walk->routine->n_blocks; walk->block++, walk->next = 0) {
        const struct wpp_block *b = &walk->routine->blocks[walk->block];

        if (walk->next < b->n_lines)
            return &b->lines[walk->next++];
    }
    return NULL;
}

/* Lines behind the last inlined ones need no run. */
static void put_lines(struct writer *w)
{
    struct line_walk walk = {w->routine, 0, 0};
    const struct wpp_line *line = next_line(&walk);
    uint64_t n_runs = 0;

    while (line && !w->failed) {
        uint32_t call = line->inlined;
        uint64_t n = 0;

        if (call)
            put_reference(w, call);
        for (; line && line->inlined == call && !w->failed; line = next_line(&walk), n++)
            put_place(w, w->number[call], line->file, line->line, LINE_FILES, LINE_STEPS);
        if (line && !call)
            put(w, REFERENCES, 0);
        if (line || call) {
            put(w, RUN_LENGTHS, n);
            n_runs++;
        }
    }
    put(w, CALLS, w->n_calls);
    if (w->n_calls > 0)
        put(w, RUNS, n_runs);
}

static void put_inside(struct writer *w, uint32_t file)
{
    size_t n = w->routine->n_inlined + (size_t)1;

    w->n_calls = 0;
    w->number = calloc(2 * n, sizeof *w->number);
    if (w->number && make_room(&w->places, 1, w->strings.n)) {
        w->chain = w->number + n;
        begin_routine(&w->places, file, w->routine->line);
        put_lines(w);
    } else {
        w->failed = true;
    }
    free(w->number);
}

static void put_routine(struct writer *w, const struct wpp_routine_content *c)
{
    const struct wpp_routine *r = w->routine = c->routine;
    uint32_t name = number_of(w, r->name), file = number_of(w, r->file);

    put_difference(w, UNIT, c->unit, w->unit);
    put(w, BASE, c->base);
    put_difference(w, NAME, name, w->name + (uint64_t)1);
    put(w, FILE_NAME, file == w->file ? 0 : (uint64_t)file + 1);
    put(w, LINE, r->line);
    put(w, FLAGS, r->flags);
    put(w, BLOCKS, r->n_blocks);
    w->unit = c->unit;
    w->name = name;
    w->file = file;
    put_edges(w);
    put_landings(w);
    put_blocks(w);
    put_inside(w, file);
}

static void put_strings(struct writer *w)
{
    struct wpp_view v = wpp_view(w->strings.text.data, w->strings.text.size);

    for (uint32_t i = 0; i < w->strings.n && !w->strings.failed; i++) {
        size_t n = wpp_get_varint(&v);

        wpp_put(&w->column[STRINGS], wpp_get_bytes(&v, n), n);
        wpp_put_u8(&w->column[STRINGS], 0);
    }
    w->failed |= w->strings.failed;
}

/* Names of routines get their numbers before other strings, and so mostly ascend by 1. */
void wpp_put_routine_columns(struct wpp_bytes *b, const struct wpp_content *content)
{
    struct writer w = {0};

    wpp_intern_init(&w.strings);
    w.failed = w.strings.failed;
    put_tables(&w, content);
    for (uint32_t i = 0; i < content->n_routines; i++)
        wpp_intern(&w.strings, content->routines[i].routine->name);
    for (uint32_t i = 0; i < content->n_routines && !w.failed; i++) {
        assert(content->routines[i].unit < content->n_units);
        put_routine(&w, &content->routines[i]);
    }
    put_strings(&w);
    wpp_put_columns(b, w.column, N_COLUMNS);
    b->failed |= w.failed;
    wpp_intern_free(&w.strings);
    places_free(&w.places);
}

/* ---- Reading --------------------------------------------------------------------------- */

/* Sizes of the shortest encodings: they limit counts before memory is allocated. */
enum { MIN_UNIT = 6, MIN_SOURCE = 10, MIN_LANDING = 2 };

struct columns {
    struct wpp_view column[N_COLUMNS];
    struct wpp_arena *arena;
    const char **text;           /* the strings */
    uint32_t n_text;
    struct places places;
    uint32_t file;               /* of the routine before */
    struct wpp_edge *edges;      /* of the routine being read, without the starts that follow */
    size_t n_edges, capacity;
    bool *marks;                 /* by block, all false between routines */
    size_t n_marks;
};

static uint64_t get(struct columns *c, enum column column)
{
    return wpp_get_varint(&c->column[column]);
}

static uint64_t get_max(struct columns *c, enum column column, uint64_t max)
{
    return wpp_get_varint_max(&c->column[column], max);
}

/* A number below n, as its distance from another one. */
static bool get_near(struct columns *c, enum column column, uint64_t from, uint64_t n,
                     uint32_t *out)
{
    uint64_t number = from + (uint64_t)wpp_get_svarint(&c->column[column]);

    *out = (uint32_t)number;
    return number < n && !c->column[column].failed;
}

static bool get_strings(struct columns *c)
{
    size_t size = wpp_left(&c->column[STRINGS]);
    const char *p = wpp_arena_string(c->arena, c->column[STRINGS].p, size), *end = p + size;
    uint32_t n = 0;

    if (!p || size == 0 || size > UINT32_MAX || p[0] != 0 || end[-1] != 0)
        return false;
    for (const char *s = p; s < end; s += strlen(s) + 1)
        n++;
    c->text = wpp_arena_alloc(c->arena, n, sizeof *c->text);
    if (!c->text || !make_room(&c->places, 1, n)) {
        c->arena->failed = true;
        return false;
    }
    for (const char *s = p; s < end; s += strlen(s) + 1)
        c->text[c->n_text++] = s;
    c->column[STRINGS].p = c->column[STRINGS].end;
    return true;
}

static const char *get_text(struct columns *c, enum column column)
{
    return c->text[get_max(c, column, c->n_text - 1)];
}

static bool get_units(struct columns *c, struct wpp_routine_tables *out)
{
    size_t n = wpp_get_count(&c->column[TABLES], MIN_UNIT);

    out->units = wpp_arena_alloc(c->arena, n, sizeof *out->units);
    if (!out->units || n > UINT32_MAX)
        return false;
    out->n_units = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        struct wpp_unit_content *u = &out->units[i];

        u->module = (uint32_t)get_max(c, TABLES, UINT32_MAX);
        u->compiler = get_text(c, TABLES);
        u->source = get_text(c, TABLES);
        u->directory = get_text(c, TABLES);
        u->stage = (uint32_t)get_max(c, TABLES, UINT32_MAX);
        u->level = (uint32_t)get_max(c, TABLES, UINT32_MAX);
    }
    return !c->column[TABLES].failed;
}

static bool get_sources(struct columns *c, struct wpp_routine_tables *out)
{
    size_t n = wpp_get_count(&c->column[TABLES], MIN_SOURCE);

    out->sources = wpp_arena_alloc(c->arena, n, sizeof *out->sources);
    if (!out->sources || n > UINT32_MAX)
        return false;
    out->n_sources = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *hash;

        out->sources[i].directory = get_text(c, TABLES);
        out->sources[i].file = get_text(c, TABLES);
        hash = wpp_get_bytes(&c->column[TABLES], sizeof out->sources[i].hash);
        if (!hash)
            return false;
        out->sources[i].hash = wpp_get_u64(hash);
    }
    return true;
}

static bool get_tables(struct columns *c, struct wpp_routine_tables *out)
{
    uint64_t n;

    if (!get_units(c, out))
        return false;
    n = get(c, TABLES);
    if (n > wpp_left(&c->column[UNIT]) || n > UINT32_MAX || (n > 0 && out->n_units == 0))
        return false;
    out->n_routines = (uint32_t)n;
    out->routines = wpp_arena_alloc(c->arena, n, sizeof *out->routines);
    out->bases = wpp_arena_alloc(c->arena, n, sizeof *out->bases);
    out->unit_of = wpp_arena_alloc(c->arena, n, sizeof *out->unit_of);
    return !c->arena->failed && get_sources(c, out);
}

static bool get_landings(struct columns *c, struct wpp_routine *r)
{
    size_t n = wpp_get_count(&c->column[LANDINGS], MIN_LANDING);
    struct wpp_landing *landings = wpp_arena_alloc(c->arena, n, sizeof *landings);
    uint32_t src = 0;

    if (!landings || n > INT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        src += (uint32_t)get_max(c, LANDINGS, r->n_blocks - 1 - src);
        landings[i].src = src;
        if (!get_near(c, LANDINGS, src, r->n_blocks, &landings[i].dst) || src < FIRST_INSIDE
            || landings[i].dst < FIRST_INSIDE
            || (i > 0 && landings[i - 1].src == src && landings[i - 1].dst >= landings[i].dst))
            return false;
    }
    r->n_landings = (uint32_t)n;
    r->landings = n > 0 ? landings : NULL;
    return true;
}

/* Reads a block that an edge of `src` names, which is not ENTRY. */
static bool get_block_name(struct columns *c, enum column column, uint32_t src, uint32_t none,
                           uint32_t n_blocks, uint32_t *out)
{
    uint64_t code = get(c, column), block;

    *out = none;
    if (code == 0)
        return !c->column[column].failed;
    code--;
    block = (uint64_t)src + 1 + (code >> 1 ^ -(code & 1));
    *out = (uint32_t)block;
    return block > ENTRY && block < n_blocks;
}

static bool add_edge_room(struct columns *c)
{
    size_t capacity = c->capacity ? 2 * c->capacity : 256;
    struct wpp_edge *larger;

    if (c->n_edges < c->capacity)
        return true;
    larger = realloc(c->edges, capacity * sizeof *larger);
    if (!larger) {
        c->arena->failed = true;
        return false;
    }
    c->edges = larger;
    c->capacity = capacity;
    return true;
}

static bool get_edge(struct columns *c, uint32_t src, uint64_t kind, uint32_t n_blocks)
{
    struct wpp_edge e = {.src = src, .dst = EXIT, .kind = (uint32_t)kind, .to = UINT32_MAX};
    bool good = kind <= WPP_EDGE_START
                    ? get_block_name(c, TARGETS, src, EXIT, n_blocks, &e.dst)
                    : get_block_name(c, NEXT, src, UINT32_MAX, n_blocks, &e.to);

    if (!good || !add_edge_room(c)
        || (kind == WPP_EDGE_START && (src != ENTRY || e.dst == EXIT)))
        return false;
    c->edges[c->n_edges++] = e;
    return true;
}

static bool get_out_edges(struct columns *c, uint32_t src, uint32_t n_blocks)
{
    uint64_t shape = get(c, SHAPES);

    if (shape < ONE)
        return !c->column[SHAPES].failed;
    if (shape < TWO)
        return get_edge(c, src, shape - ONE, n_blocks);
    if (shape < MORE + 3)
        return get_edge(c, src, (shape - TWO) / KINDS_OF_EDGES, n_blocks)
            && get_edge(c, src, (shape - TWO) % KINDS_OF_EDGES, n_blocks);
    for (uint64_t left = shape - MORE; left > 0; left--) {
        uint64_t kind = get_max(c, KINDS, WPP_EDGE_END_STOP);

        if (c->column[KINDS].failed || !get_edge(c, src, kind, n_blocks))
            return false;
    }
    return true;
}

/* Makes the list of edges: those of ENTRY, the starts that follow, and the others. */
static bool take_edges(struct columns *c, struct wpp_routine *r, size_t n_of_entry, bool follow)
{
    uint32_t n_starts = follow ? mark_starts(c->edges, c->n_edges, r->landings, r->n_landings,
                                             c->marks) : 0;
    size_t n = c->n_edges + n_starts, to = n_of_entry;
    struct wpp_edge *edges = wpp_arena_alloc(c->arena, n, sizeof *edges);

    if (!edges || n > INT32_MAX)
        return false;
    for (size_t i = 0; i < n_of_entry; i++)
        edges[i] = c->edges[i];
    for (uint32_t v = FIRST_INSIDE; n_starts > 0 && v < r->n_blocks; v++)
        if (c->marks[v]) {
            edges[to++] = (struct wpp_edge){.src = ENTRY, .dst = v, .kind = WPP_EDGE_START,
                                            .to = UINT32_MAX};
            c->marks[v] = false;
        }
    assert(to == n_of_entry + n_starts);
    for (size_t i = n_of_entry; i < c->n_edges; i++)
        edges[to++] = c->edges[i];
    r->n_edges = (uint32_t)n;
    r->edges = edges;
    return true;
}

/* Room for marks of n blocks, all false. */
static bool add_marks(struct columns *c, size_t n)
{
    bool *larger;

    if (n <= c->n_marks)
        return true;
    larger = calloc(2 * n, sizeof *larger);
    if (!larger) {
        c->arena->failed = true;
        return false;
    }
    free(c->marks);
    c->marks = larger;
    c->n_marks = 2 * n;
    return true;
}

static bool get_edges(struct columns *c, struct wpp_routine *r)
{
    bool follow = get_max(c, STARTS, STARTS_LISTED) == STARTS_FOLLOW;
    size_t n_of_entry;

    c->n_edges = 0;
    if (!add_marks(c, r->n_blocks) || !get_out_edges(c, ENTRY, r->n_blocks))
        return false;
    n_of_entry = c->n_edges;
    for (uint32_t src = FIRST_INSIDE; src < r->n_blocks; src++)
        if (!get_out_edges(c, src, r->n_blocks))
            return false;
    return take_edges(c, r, n_of_entry, follow) && wpp_number_routine(r, c->arena);
}

/* Room for the lines of all blocks, together; *n: how many there are. */
static struct wpp_line *get_blocks(struct columns *c, struct wpp_routine *r, size_t *n)
{
    struct wpp_block *blocks = wpp_arena_alloc(c->arena, r->n_blocks, sizeof *blocks);
    size_t room = wpp_left(&c->column[LINE_STEPS]), at = 0;
    struct wpp_line *lines;

    if (!blocks)
        return NULL;
    for (uint32_t v = FIRST_INSIDE; v < r->n_blocks; v++) {
        blocks[v].insns = (uint32_t)get_max(c, COSTS, UINT32_MAX);
        blocks[v].n_lines = (uint32_t)get_max(c, N_LINES, room < UINT32_MAX ? room : UINT32_MAX);
        room -= blocks[v].n_lines;
        *n += blocks[v].n_lines;
    }
    lines = wpp_arena_alloc(c->arena, *n, sizeof *lines);
    for (uint32_t v = 0; lines && v < r->n_blocks; at += blocks[v++].n_lines)
        blocks[v].lines = lines + at;
    r->blocks = blocks;
    return lines;
}

static bool get_place(struct columns *c, uint32_t call, enum column files, enum column steps,
                      const char **file, uint32_t *line)
{
    const struct place *last = &c->places.code[call].last;
    uint64_t number = get_max(c, files, c->n_text);

    number = number == 0 ? last->file : number - 1;
    *file = c->text[number];
    if (!get_near(c, steps, last->line, UINT32_MAX + UINT64_C(1), line)
        || c->column[files].failed)
        return false;
    go_to(&c->places, call, (uint32_t)number, *line);
    return true;
}

/* Sets the call of a reference other than 1; n calls have been described. */
static bool find_call(uint64_t reference, uint32_t n, uint32_t *call)
{
    *call = reference == 0 ? 0 : (uint32_t)(n + (uint64_t)2 - reference);
    return reference != 1 && reference <= n + (uint64_t)1;
}

/* Reads a reference with the calls that are described at it; *n: how many have been described. */
static bool get_reference(struct columns *c, const struct wpp_routine *r, uint32_t *n,
                          uint32_t *call)
{
    struct wpp_inlined *calls = (struct wpp_inlined *)r->inlined;
    uint64_t n_new = 0, reference;

    while ((reference = get(c, REFERENCES)) == 1)
        n_new++;
    if (c->column[REFERENCES].failed || n_new > r->n_inlined - *n
        || !find_call(reference, *n, call))
        return false;
    for (; n_new > 0; n_new--) {
        struct wpp_inlined *new = &calls[*n];
        uint32_t name = (uint32_t)get_max(c, CALL_NAMES, c->n_text - 1);

        new->name = c->text[name];
        new->caller = *call;
        if (!get_place(c, *call, CALL_FILES, CALL_STEPS, &new->file, &new->line))
            return false;
        begin_call(&c->places, ++*n, *call, name);
        *call = *n;
    }
    return !c->column[CALL_NAMES].failed;
}

static bool get_lines(struct columns *c, struct wpp_line *lines, size_t n, uint32_t call)
{
    for (size_t i = 0; i < n; i++) {
        lines[i].inlined = call;
        if (!get_place(c, call, LINE_FILES, LINE_STEPS, &lines[i].file, &lines[i].line))
            return false;
    }
    return true;
}

/* Reads the runs of lines, those of inlined calls and between them; what is left is the routine's
 * own. */
static bool get_runs(struct columns *c, struct wpp_routine *r, struct wpp_line *lines, size_t n)
{
    uint64_t n_calls = get_max(c, CALLS, wpp_left(&c->column[CALL_NAMES]));
    uint64_t n_runs = n_calls > 0 ? get(c, RUNS) : 0;
    uint32_t described = 0, call;
    size_t at = 0;

    r->n_inlined = (uint32_t)n_calls;
    r->inlined = n_calls > 0 ? wpp_arena_alloc(c->arena, n_calls, sizeof *r->inlined) : NULL;
    if (c->column[CALLS].failed || n_calls > INT32_MAX || c->arena->failed)
        return false;
    if (!make_room(&c->places, n_calls + 1, c->n_text)) {
        c->arena->failed = true;
        return false;
    }
    for (; n_runs > 0; n_runs--) {
        uint64_t length;

        if (!get_reference(c, r, &described, &call))
            return false;
        length = get_max(c, RUN_LENGTHS, n - at);
        if (length == 0 || !get_lines(c, lines + at, length, call))
            return false;
        at += length;
    }
    return described == n_calls && get_lines(c, lines + at, n - at, 0);
}

static bool get_inside(struct columns *c, struct wpp_routine *r, uint32_t file)
{
    size_t n_lines = 0;
    struct wpp_line *lines = get_blocks(c, r, &n_lines);

    if (!lines)
        return false;
    begin_routine(&c->places, file, r->line);
    return get_runs(c, r, lines, n_lines);
}

/* Each block has a byte in each of three columns, but for ENTRY and EXIT. */
static bool get_n_blocks(struct columns *c, struct wpp_routine *r)
{
    uint64_t n = get_max(c, BLOCKS, INT32_MAX);

    r->n_blocks = (uint32_t)n;
    return n >= FIRST_INSIDE && n - FIRST_INSIDE < wpp_left(&c->column[SHAPES])
        && n - FIRST_INSIDE <= wpp_left(&c->column[COSTS])
        && n - FIRST_INSIDE <= wpp_left(&c->column[N_LINES]);
}

static bool get_routine(struct columns *c, struct wpp_routine_tables *out, uint32_t i,
                        uint32_t *unit, uint32_t *name)
{
    struct wpp_routine *r = &out->routines[i];
    uint64_t file;

    if (!get_near(c, UNIT, *unit, out->n_units, unit)
        || !get_near(c, NAME, *name + (uint64_t)1, c->n_text, name))
        return false;
    out->unit_of[i] = *unit;
    out->bases[i] = (uint32_t)get_max(c, BASE, UINT32_MAX);
    r->name = c->text[*name];
    file = get_max(c, FILE_NAME, c->n_text);
    c->file = file == 0 ? c->file : (uint32_t)file - 1;
    r->file = c->text[c->file];
    r->line = (uint32_t)get_max(c, LINE, INT32_MAX);
    r->flags = (uint32_t)get_max(c, FLAGS, UINT32_MAX);
    return get_n_blocks(c, r) && get_landings(c, r) && get_edges(c, r) && get_inside(c, r, c->file)
        && r->num_paths - 1 <= UINT32_MAX - out->bases[i];
}

/* All columns must have been read to their ends; that of tables may have grown fields. */
static bool is_used_up(const struct columns *c)
{
    for (unsigned i = 0; i < N_COLUMNS; i++)
        if (c->column[i].failed || (i != TABLES && wpp_left(&c->column[i]) > 0))
            return false;
    return true;
}

bool wpp_get_routine_columns(struct wpp_view *v, struct wpp_arena *arena,
                             struct wpp_routine_tables *out)
{
    struct columns c = {.arena = arena};
    uint32_t unit = 0, name = 0;
    bool good;

    *out = (struct wpp_routine_tables){0};
    good = wpp_get_columns(v, c.column, N_COLUMNS) && get_strings(&c) && get_tables(&c, out);
    for (uint32_t i = 0; good && i < out->n_routines; i++)
        good = get_routine(&c, out, i, &unit, &name);
    good = good && is_used_up(&c);
    places_free(&c.places);
    free(c.edges);
    free(c.marks);
    return good;
}
