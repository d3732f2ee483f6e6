/* SPDX-License-Identifier: MIT */
#include "wpp/format/path-table.h"

#include <assert.h>
#include <stdlib.h>

enum { ENTRY = 0, EXIT = 1 };

/* Sizes of the shortest encodings: they limit counts before memory is allocated. */
enum {
    MIN_ROUTINE = 8, MIN_BLOCK = 2, MIN_LINE = 2, MIN_EDGE = 4, MIN_LANDING = 2, MIN_LEFT_OUT = 4,
    MIN_SOURCE = 9, MIN_INLINED = 3, MIN_RUN = 2, MIN_DERIVED = 2, MIN_SELECTED = 2
};

/* ---- Strings ----------------------------------------------------------------- */

bool wpp_parse_strings(struct wpp_view *v, struct wpp_arena *arena, struct wpp_string_table *out)
{
    size_t n = wpp_get_count(v, 1);

    if (v->failed || n == 0 || n > UINT32_MAX)
        return false;
    out->n = (uint32_t)n;
    out->text = wpp_arena_alloc(arena, n, sizeof *out->text);
    if (!out->text)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t length = wpp_get_count(v, 1);
        const uint8_t *bytes = wpp_get_bytes(v, length);

        /* A NUL inside would make two strings look like one. */
        if (!bytes || memchr(bytes, 0, length) || (i == 0 && length > 0))
            return false;
        out->text[i] = wpp_arena_string(arena, bytes, length);
        if (!out->text[i])
            return false;
    }
    return true;
}

static const char *get_string(struct wpp_view *v, const struct wpp_string_table *strings)
{
    assert(strings->n > 0);
    return strings->text[wpp_get_varint_max(v, strings->n - 1)];
}

/* ---- Decoding a routine -------------------------------------------------------- */

/* Reads a line number relative to `base`. */
static bool get_line(struct wpp_view *v, uint32_t base, uint32_t *line)
{
    int64_t delta = wpp_get_svarint(v);

    if (delta < -(int64_t)base || delta > (int64_t)UINT32_MAX - (int64_t)base)
        return false;
    *line = (uint32_t)((int64_t)base + delta);
    return true;
}

static bool parse_lines(struct wpp_view *v, const struct wpp_string_table *strings,
                        struct wpp_arena *arena, uint32_t base, struct wpp_block *block)
{
    size_t n = wpp_get_count(v, MIN_LINE);
    struct wpp_line *lines = wpp_arena_alloc(arena, n, sizeof *lines);

    if (!lines)
        return false;
    for (size_t i = 0; i < n; i++) {
        lines[i].file = get_string(v, strings);
        lines[i].inlined = 0;
        if (!get_line(v, base, &lines[i].line))
            return false;
    }
    block->n_lines = (uint32_t)n;
    block->lines = lines;
    return !v->failed;
}

static bool parse_blocks(struct wpp_view *v, const struct wpp_string_table *strings,
                         struct wpp_arena *arena, struct wpp_routine *r)
{
    size_t n = wpp_get_count(v, MIN_BLOCK);
    struct wpp_block *blocks;

    if (v->failed || n < 2 || n > INT32_MAX)
        return false;
    blocks = wpp_arena_alloc(arena, n, sizeof *blocks);
    if (!blocks)
        return false;
    for (size_t i = 0; i < n; i++) {
        blocks[i].insns = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        if (!parse_lines(v, strings, arena, r->line, &blocks[i]))
            return false;
        if (i <= EXIT && (blocks[i].insns > 0 || blocks[i].n_lines > 0))
            return false;
    }
    r->n_blocks = (uint32_t)n;
    r->blocks = blocks;
    return true;
}

/* Reads one edge after *prev (the first one when prev is NULL). */
static bool parse_edge(struct wpp_view *v, const struct wpp_routine *r,
                       const struct wpp_edge *prev, struct wpp_edge *e)
{
    assert(r->n_blocks >= 2);
    uint64_t step = wpp_get_varint_max(v, r->n_blocks - 1), val, to;

    e->dst = (uint32_t)wpp_get_varint_max(v, r->n_blocks - 1);
    val = wpp_get_varint(v);
    e->kind = (uint32_t)wpp_get_varint_max(v, WPP_EDGE_END_STOP);
    to = e->kind >= WPP_EDGE_END_BACK ? wpp_get_varint_max(v, r->n_blocks) : 0;
    e->to = to > 0 ? (uint32_t)to - 1 : UINT32_MAX;
    e->src = (prev ? prev->src : 0) + (uint32_t)step;
    e->val = val;
    if (prev && step == 0 && __builtin_add_overflow(prev->val, val, &e->val))
        return false;
    if (v->failed || e->src >= r->n_blocks || e->src == EXIT || e->dst == ENTRY)
        return false;
    if (e->kind == WPP_EDGE_START)
        return e->src == ENTRY && e->dst != EXIT;
    return e->kind == WPP_EDGE_REAL || (e->dst == EXIT && e->to != ENTRY);
}

static bool parse_edges(struct wpp_view *v, struct wpp_arena *arena, struct wpp_routine *r)
{
    size_t n = wpp_get_count(v, MIN_EDGE);
    struct wpp_edge *edges;

    if (v->failed || n > INT32_MAX)
        return false;
    edges = wpp_arena_alloc(arena, n, sizeof *edges);
    if (!edges)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!parse_edge(v, r, i > 0 ? &edges[i - 1] : NULL, &edges[i]))
            return false;
    r->n_edges = (uint32_t)n;
    r->edges = edges;
    return true;
}

static bool parse_landings(struct wpp_view *v, struct wpp_arena *arena, struct wpp_routine *r)
{
    struct wpp_landing *landings;
    uint32_t src = 0;
    size_t n;

    if (wpp_left(v) == 0)      /* a table from before there were landings */
        return true;
    n = wpp_get_count(v, MIN_LANDING);
    if (v->failed || n > INT32_MAX)
        return false;
    landings = wpp_arena_alloc(arena, n, sizeof *landings);
    if (!landings)
        return false;
    for (size_t i = 0; i < n; i++) {
        assert(src < r->n_blocks);
        src += (uint32_t)wpp_get_varint_max(v, r->n_blocks - 1 - src);
        landings[i].src = src;
        landings[i].dst = (uint32_t)wpp_get_varint_max(v, r->n_blocks - 1);
        if (v->failed || src <= EXIT || landings[i].dst <= EXIT)
            return false;
        if (i > 0 && landings[i - 1].src == src && landings[i - 1].dst >= landings[i].dst)
            return false;
    }
    r->n_landings = (uint32_t)n;
    r->landings = landings;
    return true;
}

/* ---- Inlined code: the lines of each inlined call ---------------------------------- */

/* A walk through the lines of all blocks in runs, with the calls described so far. */
struct inlined_walk {
    const struct wpp_routine *routine;
    uint32_t block, next;      /* the next line */
    uint32_t n;                /* calls described so far */
    uint32_t *line;            /* by call, with the routine itself at 0: its last line so far; 0:
                                  none */
};

static bool walk_begin(struct inlined_walk *w, const struct wpp_routine *routine)
{
    *w = (struct inlined_walk){.routine = routine};
    w->line = calloc(routine->n_inlined + (size_t)1, sizeof *w->line);
    if (w->line)
        w->line[0] = routine->line;
    return w->line != NULL;
}

/* The next line, or NULL after the last. */
static struct wpp_line *next_line(struct inlined_walk *w)
{
    for (; w->block < w->routine->n_blocks; w->block++, w->next = 0) {
        const struct wpp_block *b = &w->routine->blocks[w->block];

        if (w->next < b->n_lines)
            return (struct wpp_line *)&b->lines[w->next++];
    }
    return NULL;
}

/* The call of a reference other than 1 and within the range; 0 is the routine's own code. */
static uint32_t call_of(struct wpp_view *v, const struct inlined_walk *w, uint64_t reference)
{
    v->failed |= reference == 1 || reference > w->n + (uint64_t)1;
    return v->failed || reference == 0 ? 0 : (uint32_t)(w->n + 2 - reference);
}

/* Reads new calls, each inlined into the one before; returns the last one. */
static uint32_t parse_calls(struct wpp_view *v, const struct wpp_string_table *strings,
                            struct inlined_walk *w)
{
    struct wpp_inlined *calls = (struct wpp_inlined *)w->routine->inlined;
    uint64_t n = 1, reference;
    uint32_t caller;

    for (; (reference = wpp_get_varint(v)) == 1; n++)
        ;
    caller = call_of(v, w, reference);
    v->failed |= n > w->routine->n_inlined - w->n;
    for (; !v->failed && n > 0; n--) {
        assert(w->n < w->routine->n_inlined && caller <= w->n);
        struct wpp_inlined *call = &calls[w->n++];

        call->name = get_string(v, strings);
        call->file = get_string(v, strings);
        call->shown = NULL;
        call->caller = caller;
        v->failed |= !get_line(v, w->line[caller], &call->line);
        w->line[caller] = call->line;
        caller = w->n;
    }
    return caller;
}

static bool parse_run(struct wpp_view *v, const struct wpp_string_table *strings,
                      struct inlined_walk *w)
{
    uint64_t reference = wpp_get_varint(v), n;
    uint32_t call = reference == 1 ? parse_calls(v, strings, w) : call_of(v, w, reference);

    n = wpp_get_varint(v);
    if (v->failed || n == 0)
        return false;
    for (; n > 0; n--) {
        struct wpp_line *line = next_line(w);

        if (!line)
            return false;
        assert(call <= w->n);
        line->inlined = call;
        w->line[call] = line->line;
    }
    return true;
}

/* The part is missing where nothing was inlined, and in tables made before it existed. */
static bool parse_inlined(struct wpp_view *v, const struct wpp_string_table *strings,
                          struct wpp_arena *arena, struct wpp_routine *r)
{
    size_t n = wpp_left(v) > 0 ? wpp_get_count(v, MIN_INLINED) : 0, n_runs;
    struct inlined_walk walk;
    bool good = true;

    if (n == 0)
        return !v->failed;
    if (n > INT32_MAX)
        return false;
    r->n_inlined = (uint32_t)n;
    r->inlined = wpp_arena_alloc(arena, n, sizeof *r->inlined);
    if (!r->inlined || !walk_begin(&walk, r)) {
        arena->failed = true;
        return false;
    }
    n_runs = wpp_get_count(v, MIN_RUN);
    for (size_t i = 0; good && i < n_runs; i++)
        good = parse_run(v, strings, &walk);
    free(walk.line);
    return good && !v->failed && walk.n == n;
}

/* ---- The numbering ---------------------------------------------------------------- */

/* Index of the first edge of each vertex, and one past the last. */
static void find_first_edges(const struct wpp_routine *r, uint32_t *first)
{
    uint32_t e = 0;

    for (uint32_t v = 0; v <= r->n_blocks; v++) {
        while (e < r->n_edges && r->edges[e].src < v)
            e++;
        first[v] = e;
    }
    assert(e == r->n_edges);                 /* no edge begins behind the last vertex */
}

/* What a walk through the DAG needs. */
struct numbering {
    const struct wpp_routine *routine;
    struct wpp_edge *edges;      /* the routine's, to be given their values; NULL: to be checked */
    uint64_t limit;              /* of paths */
    uint32_t *first;             /* by vertex; one more, behind the last */
    uint64_t *num_paths;         /* by vertex; 0: not known yet */
    uint32_t *next;              /* by vertex: the edge to look at */
    uint32_t *stack;             /* the vertices of the current walk */
};

/* Checks the value of edge i, or sets it. */
static bool is_numbered(const struct numbering *n, uint32_t i, uint64_t val)
{
    if (n->edges)
        n->edges[i].val = val;
    return n->routine->edges[i].val == val && val < n->limit;
}

/* Computes NumPaths of every vertex that ENTRY reaches, in postorder of a depth-first walk, and
 * applies the equations of Ball and Larus at each: Val of an edge is the sum of NumPaths over the
 * targets of the edges before it.  A vertex that is reached on the way although it is unfinished
 * means a cycle.  Returns the paths from ENTRY, or 0. */
static uint64_t number_paths(struct numbering *n)
{
    const struct wpp_edge *edges = n->routine->edges;
    uint32_t depth = 0;

    memcpy(n->next, n->first, n->routine->n_blocks * sizeof *n->next);
    n->num_paths[EXIT] = 1;
    n->stack[depth++] = ENTRY;
    while (depth > 0) {
        uint32_t v = n->stack[depth - 1], i = n->next[v];

        if (i == n->first[v + 1]) {
            if (i == n->first[v])
                return 0;
            n->num_paths[v] = edges[i - 1].val + n->num_paths[edges[i - 1].dst];
            if (n->num_paths[v] > n->limit)
                return 0;
            depth--;
        } else if (n->num_paths[edges[i].dst] == 0) {
            if (depth == n->routine->n_blocks)
                return 0;
            n->stack[depth++] = edges[i].dst;
        } else {
            uint64_t val = i == n->first[v]
                               ? 0 : edges[i - 1].val + n->num_paths[edges[i - 1].dst];

            if (!is_numbered(n, i, val))
                return 0;
            n->next[v]++;
        }
    }
    return n->num_paths[ENTRY];
}

/* With `edges`, the routine's own, these get their values.  0: there are more paths than `limit`, or
 * another value is wrong, or it is no DAG, or no memory. */
static uint64_t walk_numbering(const struct wpp_routine *r, struct wpp_edge *edges, uint64_t limit,
                               struct wpp_arena *arena)
{
    size_t n = r->n_blocks;
    uint64_t *num_paths = calloc(n, sizeof *num_paths), paths = 0;
    uint32_t *scratch = calloc(3 * n + 1, sizeof *scratch);

    if (!num_paths || !scratch) {
        arena->failed = true;
    } else {
        find_first_edges(r, scratch);
        paths = number_paths(&(struct numbering){r, edges, limit, scratch, num_paths,
                                                 scratch + n + 1, scratch + 2 * n + 1});
    }
    free(num_paths);
    free(scratch);
    return paths;
}

static bool check_numbering(const struct wpp_routine *r, struct wpp_arena *arena)
{
    return walk_numbering(r, NULL, r->num_paths, arena) == r->num_paths;
}

bool wpp_number_routine(struct wpp_routine *r, struct wpp_arena *arena)
{
    r->num_paths = walk_numbering(r, (struct wpp_edge *)r->edges, UINT32_MAX, arena);
    return r->num_paths > 0;
}

static bool parse_derived(struct wpp_view *v, struct wpp_arena *arena, const struct wpp_routine *r,
                          struct wpp_derived_list *out)
{
    size_t n = wpp_left(v) > 0 ? wpp_get_count(v, MIN_DERIVED) : 0;

    out->n = (uint32_t)n;
    out->list = wpp_arena_alloc(arena, n, sizeof *out->list);
    if (v->failed || n > r->num_paths || !out->list)
        return false;
    for (size_t i = 0; i < n; i++)
        out->list[i] = (struct wpp_derived){
            (uint32_t)wpp_get_varint_max(v, (uint32_t)r->num_paths - 1),
            (uint32_t)wpp_get_varint_max(v, r->n_blocks - 1)
        };
    return !v->failed;
}

static bool parse_selection(struct wpp_view *v, struct wpp_arena *arena,
                            const struct wpp_routine *r, struct wpp_selection *out)
{
    uint64_t next = 0;
    size_t n;

    *out = (struct wpp_selection){.partial = wpp_left(v) > 0};
    if (!out->partial)
        return true;
    n = wpp_get_count(v, MIN_SELECTED);
    if (v->failed || n > r->n_edges)
        return false;
    out->n = (uint32_t)n;
    out->list = wpp_arena_alloc(arena, n, sizeof *out->list);
    for (size_t i = 0; out->list && i < n; i++) {
        next += wpp_get_varint_max(v, r->n_edges - 1);
        if (v->failed || next >= r->n_edges)
            return false;
        out->list[i] = (struct wpp_selected){(uint32_t)next++, wpp_get_varint(v)};
    }
    return out->list && !v->failed;
}

bool wpp_parse_routine(struct wpp_view *v, const struct wpp_string_table *strings,
                       struct wpp_arena *arena, struct wpp_routine *out)
{
    return wpp_parse_counted_routine(v, strings, arena, out, NULL, NULL);
}

bool wpp_parse_counted_routine(struct wpp_view *v, const struct wpp_string_table *strings,
                               struct wpp_arena *arena, struct wpp_routine *out,
                               struct wpp_derived_list *derived, struct wpp_selection *selection)
{
    struct wpp_view r = wpp_get_view(v, wpp_get_count(v, 1));

    out->name = get_string(&r, strings);
    out->file = get_string(&r, strings);
    out->line = (uint32_t)wpp_get_varint_max(&r, INT32_MAX);
    out->flags = (uint32_t)wpp_get_varint_max(&r, UINT32_MAX);
    out->num_paths = wpp_get_varint_max(&r, UINT32_MAX);
    if (r.failed || out->num_paths == 0)
        return false;
    return parse_blocks(&r, strings, arena, out) &&
           parse_edges(&r, arena, out) && parse_landings(&r, arena, out) &&
           parse_inlined(&r, strings, arena, out) && check_numbering(out, arena) &&
           (!derived || parse_derived(&r, arena, out, derived)) &&
           (!selection || parse_selection(&r, arena, out, selection));
}

/* ---- Encoding a routine ------------------------------------------------------------ */

static void put_block(struct wpp_bytes *b, struct wpp_intern *strings,
                      const struct wpp_block *block, uint32_t base)
{
    wpp_put_varint(b, block->insns);
    wpp_put_varint(b, block->n_lines);
    for (uint32_t i = 0; i < block->n_lines; i++) {
        wpp_put_varint(b, wpp_intern(strings, block->lines[i].file));
        wpp_put_svarint(b, (int64_t)block->lines[i].line - (int64_t)base);
    }
}

static void put_edge(struct wpp_bytes *b, const struct wpp_edge *prev, const struct wpp_edge *e)
{
    bool same = prev && prev->src == e->src;

    assert(!prev || prev->src < e->src || (same && prev->val <= e->val));
    wpp_put_varint(b, e->src - (prev ? prev->src : 0));
    wpp_put_varint(b, e->dst);
    wpp_put_varint(b, e->val - (same ? prev->val : 0));
    wpp_put_varint(b, e->kind);
    if (e->kind >= WPP_EDGE_END_BACK)
        wpp_put_varint(b, e->to == UINT32_MAX ? 0 : (uint64_t)e->to + 1);
}

static void put_landings(struct wpp_bytes *b, const struct wpp_routine *routine)
{
    uint32_t src = 0;

    wpp_put_varint(b, routine->n_landings);
    for (uint32_t i = 0; i < routine->n_landings; i++) {
        assert(routine->landings[i].src >= src);
        wpp_put_varint(b, routine->landings[i].src - src);
        wpp_put_varint(b, routine->landings[i].dst);
        src = routine->landings[i].src;
    }
}

/* Writes what parse_inlined reads.  A call's number is 1 + the number of calls described before it,
 * or 0 until it is described. */
struct inlined_writer {
    struct inlined_walk walk;
    struct wpp_intern *strings;
    struct wpp_bytes runs;
    uint64_t n_runs;
    uint32_t *number, *chain;
};

static uint64_t reference_of(const struct inlined_writer *w, uint32_t call)
{
    assert(call <= w->walk.routine->n_inlined && w->number[call] <= w->walk.n);
    return call == 0 ? 0 : w->number[call] == 0 ? 1 : (uint64_t)w->walk.n + 2 - w->number[call];
}

/* The call that contains it comes first, if that is new too. */
static void put_calls(struct inlined_writer *w, uint32_t call)
{
    const struct wpp_inlined *calls = w->walk.routine->inlined;
    uint32_t n = 0;

    for (; call && !w->number[call]; call = calls[call - 1].caller) {
        assert(calls[call - 1].caller < call);
        w->chain[n++] = call;
    }
    for (uint32_t i = 1; i < n; i++)
        wpp_put_varint(&w->runs, 1);
    wpp_put_varint(&w->runs, reference_of(w, call));
    while (n-- > 0) {
        const struct wpp_inlined *c = &calls[w->chain[n] - 1];
        uint32_t *line = &w->walk.line[c->caller];

        wpp_put_varint(&w->runs, wpp_intern(w->strings, c->name));
        wpp_put_varint(&w->runs, wpp_intern(w->strings, c->file));
        wpp_put_svarint(&w->runs, (int64_t)c->line - (int64_t)*line);
        *line = c->line;
        w->number[w->chain[n]] = ++w->walk.n;
    }
}

static void put_run(struct inlined_writer *w, uint32_t call, uint64_t n, uint32_t last_line)
{
    uint64_t reference = reference_of(w, call);

    wpp_put_varint(&w->runs, reference);
    if (reference == 1)
        put_calls(w, call);
    wpp_put_varint(&w->runs, n);
    w->walk.line[call] = last_line;
    w->n_runs++;
}

/* Lines behind the last run are the routine's own and are not written. */
static void put_runs(struct inlined_writer *w)
{
    const struct wpp_line *line = next_line(&w->walk);

    while (line) {
        uint32_t call = line->inlined, last = 0;
        uint64_t n = 0;

        for (; line && line->inlined == call; line = next_line(&w->walk), n++)
            last = line->line;
        if (line || call)
            put_run(w, call, n, last);
    }
}

static void put_inlined(struct wpp_bytes *b, struct wpp_intern *strings,
                        const struct wpp_routine *routine)
{
    struct inlined_writer w = {.strings = strings};
    size_t n = routine->n_inlined + (size_t)1;

    if (routine->n_inlined == 0)
        return;
    w.number = calloc(2 * n, sizeof *w.number);
    if (walk_begin(&w.walk, routine) && w.number) {
        w.chain = w.number + n;
        put_runs(&w);
    } else {
        b->failed = true;
    }
    assert(w.walk.n <= routine->n_inlined);
    if (w.walk.n > 0) {
        wpp_put_varint(b, w.walk.n);
        wpp_put_varint(b, w.n_runs);
        wpp_put(b, w.runs.data, w.runs.size);
    }
    b->failed |= w.runs.failed;
    wpp_bytes_free(&w.runs);
    free(w.walk.line);
    free(w.number);
}

void wpp_put_routine(struct wpp_bytes *b, struct wpp_intern *strings,
                     const struct wpp_routine *routine)
{
    struct wpp_bytes r = {0};

    wpp_put_varint(&r, wpp_intern(strings, routine->name));
    wpp_put_varint(&r, wpp_intern(strings, routine->file));
    wpp_put_varint(&r, routine->line);
    wpp_put_varint(&r, routine->flags);
    wpp_put_varint(&r, routine->num_paths);
    wpp_put_varint(&r, routine->n_blocks);
    for (uint32_t i = 0; i < routine->n_blocks; i++)
        put_block(&r, strings, &routine->blocks[i], routine->line);
    wpp_put_varint(&r, routine->n_edges);
    for (uint32_t i = 0; i < routine->n_edges; i++)
        put_edge(&r, i > 0 ? &routine->edges[i - 1] : NULL, &routine->edges[i]);
    put_landings(&r, routine);
    put_inlined(&r, strings, routine);
    wpp_put_varint(b, r.size);
    wpp_put(b, r.data, r.size);
    b->failed |= r.failed;
    wpp_bytes_free(&r);
}

/* ---- Paths ---------------------------------------------------------------------------- */

/* The last edge of vertex v with val <= number; edges are sorted by (src, val). */
static uint32_t last_edge_below(const struct wpp_routine *r, uint32_t v, uint64_t number)
{
    uint32_t low = 0, high = r->n_edges;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct wpp_edge *e = &r->edges[middle];

        if (e->src < v || (e->src == v && e->val <= number))
            low = middle + 1;
        else
            high = middle;
    }
    assert(low > 0 && r->edges[low - 1].src == v);
    return low - 1;
}

uint64_t wpp_path_until(const struct wpp_routine *routine, uint64_t number, uint32_t *left)
{
    uint64_t rest = number - routine->num_paths;

    *left = 0;
    if (number < routine->num_paths)
        return number;
    assert(rest / routine->n_blocks < routine->num_paths);
    *left = (uint32_t)(rest % routine->n_blocks);
    return rest / routine->n_blocks;
}

/* The edges up to that into block `until`; 0: the path does not go through it. */
static uint32_t edges_until(const struct wpp_routine *routine, uint64_t number, uint32_t until,
                            uint32_t *out)
{
    uint32_t n = 0, v = ENTRY;

    while (v != EXIT && v != until) {
        uint32_t e = last_edge_below(routine, v, number);

        assert(n < routine->n_blocks);
        number -= routine->edges[e].val;
        v = routine->edges[e].dst;
        out[n++] = e;
    }
    return v == until ? n : 0;
}

uint32_t wpp_path_edges(const struct wpp_routine *routine, uint64_t number, uint32_t *out)
{
    uint32_t n = 0, v = ENTRY, left;

    number = wpp_path_until(routine, number, &left);
    if (left)
        return edges_until(routine, number, left, out);
    while (v != EXIT) {
        uint32_t e = last_edge_below(routine, v, number);

        assert(n < routine->n_blocks);
        number -= routine->edges[e].val;
        v = routine->edges[e].dst;
        out[n++] = e;
    }
    assert(number == 0);
    return n;
}

/* Of the selected edges of vertex v, the one with the largest val that is not above `left`; NULL:
 * there is none.  Edges, and so selected ones, are sorted by source. */
static const struct wpp_selected *selected_below(const struct wpp_routine *r,
                                                 const struct wpp_selection *s, uint32_t v,
                                                 uint64_t left)
{
    const struct wpp_selected *best = NULL;
    uint32_t low = 0, high = s->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (r->edges[s->list[middle].edge].src < v)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < s->n && r->edges[s->list[low].edge].src == v; low++)
        if (s->list[low].val <= left && (!best || s->list[low].val >= best->val))
            best = &s->list[low];
    return best;
}

bool wpp_selected_path(const struct wpp_routine *routine, const struct wpp_selection *selection,
                       uint64_t identifier, uint32_t left, uint64_t *number)
{
    uint32_t v = ENTRY;
    bool is_left = false;

    assert(selection->partial);
    *number = 0;
    while (v != EXIT) {
        const struct wpp_selected *s = selected_below(routine, selection, v, identifier);

        if (!s)
            return false;
        identifier -= s->val;
        is_left |= left != 0 && v == left;
        *number += is_left ? 0 : routine->edges[s->edge].val;
        v = routine->edges[s->edge].dst;
    }
    return identifier == 0 && (left == 0 || is_left);
}

/* ---- Unit tables -------------------------------------------------------------------------- */

int wpp_next_unit(struct wpp_view *section, struct wpp_unit_body *unit)
{
    const uint8_t *head;

    while (section->p < section->end && *section->p == 0)
        section->p++;
    if (section->p == section->end)
        return 0;
    head = wpp_get_bytes(section, 20);
    if (!head || memcmp(head, "WPPU", 4) != 0 || wpp_get_u32(head + 4) != 1)
        return -1;
    unit->id = wpp_get_u64(head + 8);
    unit->body = wpp_get_view(section, wpp_get_u32(head + 16));
    return unit->body.failed ? -1 : 1;
}

bool wpp_check_units(const struct wpp_unit_body *units, size_t n)
{
    enum { AT_ONCE = 64 };
    struct wpp_view bodies[AT_ONCE];
    uint64_t ids[AT_ONCE];

    for (size_t i = 0; i < n; i += AT_ONCE) {
        size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;

        for (size_t k = 0; k < some; k++)
            bodies[k] = units[i + k].body;
        wpp_fnv_each(bodies, some, ids);
        for (size_t k = 0; k < some; k++)
            if (ids[k] != units[i + k].id)
                return false;
    }
    return true;
}

/* Reads num_paths without decoding the rest. */
static uint64_t peek_num_paths(struct wpp_view encoded)
{
    struct wpp_view r = wpp_get_view(&encoded, wpp_get_count(&encoded, 1));

    for (int i = 0; i < 4; i++)
        wpp_get_varint(&r);
    return wpp_get_varint(&r);
}

static bool parse_unit_routines(struct wpp_view *v, struct wpp_unit_table *unit)
{
    uint64_t path = 0;

    for (uint32_t i = 0; i < unit->n_routines; i++) {
        struct wpp_unit_routine *r = &unit->routines[i];
        const uint8_t *begin = v->p;

        wpp_get_view(v, wpp_get_count(v, 1));
        if (v->failed)
            return false;
        r->encoded = wpp_view(begin, (size_t)(v->p - begin));
        r->first_path = path;
        r->num_paths = peek_num_paths(r->encoded);
        path += r->num_paths;
        if (r->num_paths == 0 || r->num_paths > UINT32_MAX || path > UINT32_MAX)
            return false;
    }
    return path == unit->paths;
}

bool wpp_parse_left_out(struct wpp_view *v, const struct wpp_string_table *strings,
                        struct wpp_left_out *out)
{
    out->name = get_string(v, strings);
    out->file = get_string(v, strings);
    out->line = (uint32_t)wpp_get_varint_max(v, INT32_MAX);
    out->reason = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    return !v->failed;
}

/* Tables of an older plugin end before the list. */
static bool parse_left_out_list(struct wpp_view *v, struct wpp_arena *arena,
                                struct wpp_unit_table *unit)
{
    size_t n = wpp_left(v) > 0 ? wpp_get_count(v, MIN_LEFT_OUT) : 0;

    if (v->failed || n > UINT32_MAX)
        return false;
    unit->n_left_out = (uint32_t)n;
    unit->left_out = wpp_arena_alloc(arena, n, sizeof *unit->left_out);
    if (!unit->left_out)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!wpp_parse_left_out(v, &unit->strings, &unit->left_out[i]))
            return false;
    return true;
}

bool wpp_parse_source(struct wpp_view *v, const struct wpp_string_table *strings, bool directory,
                      struct wpp_source *out)
{
    struct wpp_view bytes;

    if (directory)
        out->directory = get_string(v, strings);
    out->file = get_string(v, strings);
    bytes = wpp_get_view(v, 8);
    out->hash = v->failed ? 0 : wpp_get_u64(bytes.p);
    return !v->failed;
}

/* Tables of an older plugin end before the list. */
static bool parse_sources(struct wpp_view *v, struct wpp_arena *arena, struct wpp_unit_table *unit)
{
    size_t n = wpp_left(v) > 0 ? wpp_get_count(v, MIN_SOURCE) : 0;

    if (v->failed || n > UINT32_MAX)
        return false;
    unit->n_sources = (uint32_t)n;
    unit->sources = wpp_arena_alloc(arena, n, sizeof *unit->sources);
    if (!unit->sources)
        return false;
    for (size_t i = 0; i < n; i++) {
        unit->sources[i].directory = unit->directory;
        if (!wpp_parse_source(v, &unit->strings, false, &unit->sources[i]))
            return false;
    }
    return true;
}

/* Only of a unit that is compiled for a copy of a partitioned profile. */
static bool parse_part(struct wpp_view *v, struct wpp_part_of_profile *out)
{
    *out = (struct wpp_part_of_profile){0};
    return wpp_left(v) > 0 ? wpp_get_part(v, out) : !v->failed;
}

bool wpp_get_part(struct wpp_view *v, struct wpp_part_of_profile *out)
{
    struct wpp_view id;

    out->copies = 0;
    out->copy = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    if (!v->failed && out->copy > 0)
        out->copies = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    id = wpp_get_view(v, 8);
    out->plan = v->failed ? 0 : wpp_get_u64(id.p);
    return !v->failed && out->copy > 0 && out->copy <= out->copies;
}

bool wpp_parse_unit(struct wpp_view body, struct wpp_arena *arena, struct wpp_unit_table *out)
{
    size_t n;

    if (!wpp_parse_strings(&body, arena, &out->strings))
        return false;
    out->compiler = get_string(&body, &out->strings);
    out->source = get_string(&body, &out->strings);
    out->directory = get_string(&body, &out->strings);
    out->stage = (uint32_t)wpp_get_varint_max(&body, UINT32_MAX);
    out->level = (uint32_t)wpp_get_varint_max(&body, UINT32_MAX);
    out->paths = wpp_get_varint(&body);
    n = wpp_get_count(&body, MIN_ROUTINE);
    if (body.failed || n > UINT32_MAX)
        return false;
    out->n_routines = (uint32_t)n;
    out->routines = wpp_arena_alloc(arena, n, sizeof *out->routines);
    if (!out->routines)
        return false;
    if (!parse_unit_routines(&body, out) || !parse_left_out_list(&body, arena, out)
        || !parse_sources(&body, arena, out))
        return false;
    out->mode = wpp_left(&body) > 0 ? (uint32_t)wpp_get_varint_max(&body, UINT32_MAX)
                                    : WPP_MODE_TRACED;
    return parse_part(&body, &out->part);
}
