/* SPDX-License-Identifier: MIT */
/* Routines and chunks by columns: read back as they were written, beside the same by rows; changed
 * in any way they are refused or make sense; old files written anew are as new ones.
 * `columns --example` writes the routines of docs/wpp-format.md's example, `--example chunks` the
 * chunks. */
#include "test/unit/random-content.h"
#include "test/unit/rows.h"
#include "test/unit/tap.h"
#include "wpp/compress/recompress.h"
#include "wpp/format/chunk-columns.h"
#include "wpp/format/routine-columns.h"

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- Routines ------------------------------------------------------------------------- */

static bool same_call(const struct wpp_routine *a, uint32_t x, const struct wpp_routine *b,
                      uint32_t y)
{
    for (; x && y; x = a->inlined[x - 1].caller, y = b->inlined[y - 1].caller) {
        const struct wpp_inlined *c = &a->inlined[x - 1], *d = &b->inlined[y - 1];

        if (!same_text(c->name, d->name) || !same_text(c->file, d->file) || c->line != d->line)
            return false;
    }
    return x == y;
}

static bool same_blocks(const struct wpp_routine *a, const struct wpp_routine *b)
{
    for (uint32_t v = 0; v < a->n_blocks; v++) {
        if (a->blocks[v].insns != b->blocks[v].insns || a->blocks[v].n_lines != b->blocks[v].n_lines)
            return false;
        for (uint32_t i = 0; i < a->blocks[v].n_lines; i++) {
            const struct wpp_line *x = &a->blocks[v].lines[i], *y = &b->blocks[v].lines[i];

            if (!same_text(x->file, y->file) || x->line != y->line
                || !same_call(a, x->inlined, b, y->inlined))
                return false;
        }
    }
    return true;
}

static bool same_routine(const struct wpp_routine *a, const struct wpp_routine *b)
{
    if (!same_text(a->name, b->name) || !same_text(a->file, b->file) || a->line != b->line
        || a->flags != b->flags || a->num_paths != b->num_paths || a->n_blocks != b->n_blocks
        || a->n_edges != b->n_edges || a->n_landings != b->n_landings)
        return false;
    for (uint32_t e = 0; e < a->n_edges; e++) {
        const struct wpp_edge *x = &a->edges[e], *y = &b->edges[e];

        if (x->src != y->src || x->dst != y->dst || x->kind != y->kind || x->to != y->to
            || x->val != y->val)
            return false;
    }
    for (uint32_t i = 0; i < a->n_landings; i++)
        if (a->landings[i].src != b->landings[i].src || a->landings[i].dst != b->landings[i].dst)
            return false;
    return same_blocks(a, b);
}

static bool same_tables(const struct wpp_routine_tables *t, const struct wpp_content *c)
{
    if (t->n_units != c->n_units || t->n_routines != c->n_routines || t->n_sources != c->n_sources)
        return false;
    for (uint32_t i = 0; i < t->n_units; i++) {
        const struct wpp_unit_content *a = &t->units[i], *b = &c->units[i];

        if (a->module != b->module || !same_text(a->compiler, b->compiler)
            || !same_text(a->source, b->source) || !same_text(a->directory, b->directory)
            || a->stage != b->stage || a->level != b->level)
            return false;
    }
    for (uint32_t i = 0; i < t->n_sources; i++)
        if (!same_text(t->sources[i].file, c->sources[i].file)
            || !same_text(t->sources[i].directory, c->sources[i].directory)
            || t->sources[i].hash != c->sources[i].hash)
            return false;
    for (uint32_t i = 0; i < t->n_routines; i++)
        if (t->unit_of[i] != c->routines[i].unit || t->bases[i] != c->routines[i].base
            || !same_routine(&t->routines[i], c->routines[i].routine))
            return false;
    return true;
}

/* Landings of ascending blocks, and edges from ENTRY to where paths go on: as the compiler lists
 * them, so that they need not be written, in every other routine. */
static void add_landings(struct random_content *c, struct random *r)
{
    for (uint32_t i = 0; i < c->content.n_routines; i++) {
        struct wpp_routine *d = &c->descriptions[i];
        struct wpp_landing *landings = calloc(d->n_blocks, sizeof *landings);

        for (uint32_t v = 2; draw(r, 2) && v < d->n_blocks; v++)
            landings[d->n_landings++] = (struct wpp_landing){v, 2 + draw(r, d->n_blocks - 2)};
        d->landings = landings;
    }
}

/* Each path's end says where execution goes on, at one of the edges from ENTRY; then these follow. */
static void let_starts_follow(struct random_content *c, struct random *r)
{
    for (uint32_t i = 0; i < c->content.n_routines; i++) {
        struct wpp_routine *d = &c->descriptions[i];
        struct wpp_edge *edges = (struct wpp_edge *)d->edges;
        uint32_t begin = 0, end, n = 0;

        while (begin < d->n_edges && edges[begin].kind != WPP_EDGE_START)
            begin++;
        for (end = begin; end < d->n_edges && edges[end].kind == WPP_EDGE_START;)
            end++;
        if (begin == end || draw(r, 2))
            continue;
        for (uint32_t e = end; e < d->n_edges; e++)
            if (edges[e].kind >= WPP_EDGE_END_BACK)
                edges[e].to = edges[begin + n++ % (end - begin)].dst;
    }
}

static void free_landings(struct random_content *c)
{
    for (uint32_t i = 0; i < RC_ROUTINES; i++)
        free((void *)c->descriptions[i].landings);
}

static struct random_content *draw_content(struct random *r)
{
    struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), 40);

    add_landings(c, r);
    let_starts_follow(c, r);
    return c;
}

/* How many edges the columns list: each has a byte in one of two. */
static uint64_t listed_edges(const struct wpp_bytes *b)
{
    struct wpp_view v = wpp_view(b->data, b->size);
    uint64_t n = 0;

    wpp_get_varint(&v);
    for (unsigned i = 0; i < 17; i++) {
        uint64_t size = wpp_get_varint(&v);

        n += i >= 15 ? size : 0;
    }
    return n;
}

static void test_routines(void)
{
    struct random r = {4};
    unsigned wrong = 0, wrong_rows = 0;
    uint64_t edges = 0, listed = 0;

    for (unsigned i = 0; i < 400; i++) {
        struct random_content *c = draw_content(&r);
        struct wpp_bytes b = {0}, rows = {0};
        struct wpp_arena arena = {0};
        struct wpp_routine_tables t;
        struct wpp_view v;

        wpp_put_routine_columns(&b, &c->content);
        v = wpp_view(b.data, b.size);
        wrong += !wpp_get_routine_columns(&v, &arena, &t) || !same_tables(&t, &c->content);
        rows_put_routines(&rows, &c->content);
        v = wpp_view(rows.data, rows.size);
        wrong_rows += !wpp_get_routine_rows(&v, &arena, &t) || !same_tables(&t, &c->content);
        listed += listed_edges(&b);
        for (uint32_t k = 0; k < c->content.n_routines; k++)
            edges += c->descriptions[k].n_edges;
        wpp_arena_free(&arena);
        wpp_bytes_free(&b);
        wpp_bytes_free(&rows);
        free_landings(c);
        random_content_free(c);
    }
    tap_ok(wrong == 0, "routines by columns are read as they were written (%u are not)", wrong);
    tap_ok(wrong_rows == 0, "and by rows");
    tap_ok(listed < edges && listed > edges / 2, "of %llu edges, %llu are listed",
           (unsigned long long)edges, (unsigned long long)listed);
}

/* ---- Routines that the compiler does not make ------------------------------------------- */

/* One routine of the given edges; true if it is read back, with its number of paths. */
static bool one_routine(struct wpp_edge *edges, uint32_t n_edges, uint32_t n_blocks,
                        uint64_t num_paths, uint32_t base)
{
    struct wpp_block blocks[80] = {{0}};
    struct wpp_routine d = {.name = "f", .file = "f.c", .line = INT32_MAX, .n_blocks = n_blocks,
                            .blocks = blocks, .n_edges = n_edges, .edges = edges};
    struct wpp_routine_content routine = {0, base, &d};
    struct wpp_unit_content unit = {0, "", "", "", 0, 0};
    struct wpp_content c = {.n_units = 1, .units = &unit, .n_routines = 1, .routines = &routine};
    struct wpp_bytes b = {0};
    struct wpp_arena arena = {0};
    struct wpp_routine_tables t;
    struct wpp_view v;
    bool read;

    wpp_put_routine_columns(&b, &c);
    v = wpp_view(b.data, b.size);
    read = wpp_get_routine_columns(&v, &arena, &t) && t.routines[0].num_paths == num_paths;
    wpp_arena_free(&arena);
    wpp_bytes_free(&b);
    return read;
}

static void test_numbering(void)
{
    struct wpp_edge line[] = {{.src = 0, .dst = 2, .to = UINT32_MAX},
                              {.src = 2, .dst = 1, .to = UINT32_MAX}};
    struct wpp_edge circle[] = {{.src = 0, .dst = 2, .to = UINT32_MAX},
                                {.src = 2, .dst = 3, .to = UINT32_MAX},
                                {.src = 3, .dst = 2, .to = UINT32_MAX}};
    struct wpp_edge doubling[80];
    uint32_t n = 0;

    tap_ok(one_routine(line, 2, 3, 1, UINT32_MAX), "the last token can be a routine's");
    tap_ok(!one_routine(circle, 3, 4, 0, 0), "a circle is refused");
    tap_ok(!one_routine(line, 1, 3, 0, 0), "and a path that ends nowhere");
    doubling[n++] = (struct wpp_edge){.src = 0, .dst = 2, .to = UINT32_MAX};
    for (uint32_t v = 2; v < 34; v++)
        for (unsigned k = 0; k < 2; k++)
            doubling[n++] = (struct wpp_edge){.src = v, .dst = v < 33 ? v + 1 : 1,
                                              .to = UINT32_MAX};
    tap_ok(!one_routine(doubling, n, 34, UINT64_C(1) << 32, 0), "2^32 paths are too many");
    /* The first block has one edge now. */
    memmove(doubling + 2, doubling + 3, (n - 3) * sizeof *doubling);
    tap_ok(one_routine(doubling, n - 1, 34, UINT64_C(1) << 31, 0), "2^31 are not");
    tap_ok(!one_routine(doubling, n - 1, 34, UINT64_C(1) << 31, UINT32_C(1) << 31 | 1),
           "but a routine must not go past the last token");
}

/* ---- Chunks --------------------------------------------------------------------------- */

/* The unit by its definition, tried out. */
static unsigned unit_by_definition(const struct wpp_chunk_list *l, uint32_t n_threads)
{
    unsigned __int128 sum = 0, n = 0;
    unsigned k = 0;

    for (uint32_t t = 0; t < n_threads; t++) {
        uint64_t first = 0, last = 0, some = 0;

        for (uint64_t i = 0; i < l->n; i++)
            if (l->list[i].thread == t) {
                first = some++ ? first : l->list[i].time;
                last = l->list[i].time;
            }
        n += some ? some - 1 : 0;
        sum += last > first ? last - first : 0;
    }
    while (n > 0 && k < 63 && ((unsigned __int128)128 << (k + 1)) * n <= sum)
        k++;
    return k;
}

static uint64_t draw_wide(struct random *r)
{
    return ((uint64_t)draw(r, UINT32_MAX) << 32 | draw(r, UINT32_MAX)) >> draw(r, 64);
}

static bool same_chunks(const struct wpp_chunk_list *a, const struct wpp_chunk_list *b, unsigned k)
{
    if (a->n != b->n)
        return false;
    for (uint64_t i = 0; i < a->n; i++)
        if (a->list[i].thread != b->list[i].thread || a->list[i].first != b->list[i].first
            || a->list[i].time != b->list[i].time >> k << k)
            return false;
    return true;
}

static void test_chunks(void)
{
    enum { MANY = 300 };
    struct random r = {5};
    struct wpp_chunk list[MANY];
    unsigned wrong = 0, units = 0, rounded = 0;

    for (unsigned i = 0; i < 2000; i++) {
        uint32_t n_threads = 1 + draw(&r, 5);
        struct wpp_chunk_list l = {draw(&r, MANY), list}, got;
        uint64_t time = draw_wide(&r), step = 1 + draw_wide(&r) / MANY;
        struct wpp_bytes b = {0};
        struct wpp_arena arena = {0};
        struct wpp_view v;
        bool wild = draw(&r, 4) == 0;
        unsigned k;

        for (uint64_t c = 0; c < l.n; c++) {
            time += wild ? draw_wide(&r) : step;
            list[c] = (struct wpp_chunk){draw(&r, n_threads), wild ? draw_wide(&r) : 16368 * c, time};
        }
        k = wpp_chunk_unit(&l, n_threads);
        units += k != unit_by_definition(&l, n_threads);
        rounded += k > 0;
        wpp_put_chunk_columns(&b, &l, n_threads);
        v = wpp_view(b.data, b.size);
        wrong += !wpp_get_chunk_columns(&v, n_threads, &arena, &got) || wpp_left(&v) > 0
              || !same_chunks(&got, &l, k);
        wpp_arena_free(&arena);
        wpp_bytes_free(&b);
    }
    tap_ok(wrong == 0, "chunks are read as they were written, times rounded");
    tap_ok(units == 0 && rounded > 1000, "to the unit of the definition");
}

/* ---- What is wrong ----------------------------------------------------------------------- */

/* One to three small changes. */
static void change(struct wpp_bytes *b, struct random *r)
{
    static const uint8_t telling[] = {0, 1, 2, 0x3f, 0x7f, 0x80, 0xff};

    for (unsigned k = 1 + draw(r, 3); k > 0 && b->size > 0; k--) {
        size_t at = draw(r, (uint32_t)b->size);

        switch (draw(r, 4)) {
        case 0: b->data[at] ^= (uint8_t)(1 << draw(r, 8)); break;
        case 1: b->data[at] = telling[draw(r, sizeof telling)]; break;
        case 2: memmove(b->data + at, b->data + at + 1, --b->size - at); break;
        case 3: b->size = at; break;
        }
    }
}

/* A copy of exactly these bytes, so that a read behind their end is an error. */
static uint8_t *exact(const struct wpp_bytes *b)
{
    uint8_t *copy = malloc(b->size + !b->size);

    memcpy(copy, b->data, b->size);
    return copy;
}

/* Whether each edge's value is that of libnumbering's rule, computed by going through all paths that
 * begin with an edge. */
static uint64_t paths_from(const struct wpp_routine *r, uint32_t v, uint64_t *known)
{
    uint64_t n = 0;

    if (v == 1)
        return 1;
    for (uint32_t e = 0; e < r->n_edges && !known[v]; e++)
        if (r->edges[e].src == v) {
            if (r->edges[e].val != n)
                return 0;
            n += paths_from(r, r->edges[e].dst, known);
        }
    return known[v] = known[v] ? known[v] : n;
}

static bool is_routine_well(const struct wpp_routine *r)
{
    uint64_t *known = calloc(r->n_blocks, sizeof *known);
    bool well = paths_from(r, 0, known) == r->num_paths;

    free(known);
    for (uint32_t e = 0; well && e < r->n_edges; e++)
        well = r->edges[e].src < r->n_blocks && r->edges[e].dst < r->n_blocks
            && (e == 0 || r->edges[e - 1].src <= r->edges[e].src)
            && (r->edges[e].to == UINT32_MAX || r->edges[e].to < r->n_blocks);
    for (uint32_t v = 0; well && v < r->n_blocks; v++)
        for (uint32_t i = 0; well && i < r->blocks[v].n_lines; i++)
            well = r->blocks[v].lines[i].inlined <= r->n_inlined
                && strlen(r->blocks[v].lines[i].file) < 100;
    for (uint32_t i = 0; well && i < r->n_inlined; i++)
        well = r->inlined[i].caller <= i && strlen(r->inlined[i].name) < 100;
    return well;
}

static void test_changed_routines(bool columns)
{
    struct random r = {6};
    unsigned refused = 0, accepted = 0, wrong = 0;

    for (unsigned i = 0; i < 20000; i++) {
        struct random_content *c = i % 20 ? NULL : draw_content(&r);
        static struct wpp_bytes whole;
        struct wpp_bytes b = {0};
        struct wpp_arena arena = {0};
        struct wpp_routine_tables t;
        struct wpp_view v;
        uint8_t *copy;

        if (c) {
            wpp_bytes_free(&whole);
            (columns ? wpp_put_routine_columns : rows_put_routines)(&whole, &c->content);
            free_landings(c);
            random_content_free(c);
        }
        wpp_put(&b, whole.data, whole.size);
        change(&b, &r);
        copy = exact(&b);
        v = wpp_view(copy, b.size);
        if ((columns ? wpp_get_routine_columns : wpp_get_routine_rows)(&v, &arena, &t)) {
            accepted++;
            for (uint32_t k = 0; k < t.n_routines; k++)
                wrong += !is_routine_well(&t.routines[k]);
        } else {
            refused++;
        }
        wrong += arena.failed;
        free(copy);
        wpp_arena_free(&arena);
        wpp_bytes_free(&b);
        if (i == 19999)
            wpp_bytes_free(&whole);
    }
    tap_ok(wrong == 0 && refused > 0 && accepted > 0, "of changed routines by %s, %u are refused, %u "
           "make sense", columns ? "columns" : "rows", refused, accepted);
}

static void test_changed_chunks(void)
{
    struct random r = {7};
    unsigned refused = 0, accepted = 0, wrong = 0;

    for (unsigned i = 0; i < 20000; i++) {
        struct wpp_chunk list[] = {{0, 0, 70000}, {1, 0, 70100}, {0, 16368, 1u << 30},
                                   {1, 9, UINT64_MAX}};
        struct wpp_chunk_list l = {4, list}, got;
        struct wpp_bytes b = {0};
        struct wpp_arena arena = {0};
        struct wpp_view v;
        uint8_t *copy;

        wpp_put_chunk_columns(&b, &l, 2);
        change(&b, &r);
        copy = exact(&b);
        v = wpp_view(copy, b.size);
        if (wpp_get_chunk_columns(&v, 2, &arena, &got)) {
            accepted++;
            for (uint64_t k = 0; k < got.n; k++)
                wrong += got.list[k].thread >= 2;
        } else {
            refused++;
        }
        wrong += arena.failed;
        free(copy);
        wpp_arena_free(&arena);
        wpp_bytes_free(&b);
    }
    tap_ok(wrong == 0 && refused > 0 && accepted > 0, "of changed chunks, %u are refused, %u make "
           "sense", refused, accepted);
}

/* ---- Files from before --------------------------------------------------------------------- */

/* Whether sections 3 and 7 are the same in both. */
static bool same_sections(const struct wpp_bytes *a, const struct wpp_bytes *b)
{
    static const uint32_t kinds[] = {WPP_SECTION_ROUTINES, WPP_SECTION_CHUNKS};
    struct wpp_container x, y;
    bool same = wpp_container_open(&x, a->data, a->size, "a", NULL)
             && wpp_container_open(&y, b->data, b->size, "b", NULL)
             && x.columns && y.columns;

    for (unsigned i = 0; same && i < 2; i++) {
        struct wpp_section s = {.kind = kinds[i]}, t = {.kind = kinds[i]};

        same = wpp_container_load(&x, &s, "a", NULL) && wpp_container_load(&y, &t, "b", NULL)
            && s.content.size == t.content.size
            && memcmp(s.content.data, t.content.data, s.content.size) == 0;
        wpp_bytes_free(&s.content);
        wpp_bytes_free(&t.content);
    }
    return same;
}

static void test_old_files(void)
{
    struct random r = {8};
    unsigned wrong = 0, unread = 0, broken = 0;

    for (unsigned i = 0; i < 100; i++) {
        struct random_content *c = draw_content(&r);
        struct wpp_bytes old = rows_encode(&c->content), new = {0}, better = {0};
        struct wpp_error error;
        wpp *w = wpp_open_memory(old.data, old.size, "old", &error);

        unread += !w || w->n_routines != c->content.n_routines
               || w->n_chunks != c->content.n_chunks
               || (w->n_chunks > 0 && w->chunks[0].time != c->chunks[0].time);
        for (uint32_t k = 0; w && k < w->n_routines; k++)
            unread += !same_routine(&w->routines[k], &c->descriptions[k]);
        wpp_close(w);
        if (!wpp_content_encode(&c->content, &new, NULL))
            abort();
        wrong += !wpp_recompress(wpp_view(old.data, old.size), "old", &better, &error)
              || !same_sections(&better, &new);
        wpp_bytes_free(&better);
        /* The same sections under the other version are of the wrong form. */
        old.data[8] += WPP_FILE_VERSION_COLUMNS;
        memcpy(old.data + 24, (uint64_t[]){wpp_fnv(wpp_fnv(WPP_FNV_START, old.data, 24),
                                                   old.data + 32, 40 * (size_t)old.data[12])}, 8);
        w = wpp_open_memory(old.data, old.size, "old", &error);
        broken += !w && error.status == WPP_E_DAMAGED;
        wpp_close(w);
        wpp_bytes_free(&old);
        wpp_bytes_free(&new);
        free_landings(c);
        random_content_free(c);
    }
    tap_ok(unread == 0, "files with rows are read");
    tap_ok(wrong == 0, "and when they are written anew, they have the columns of new ones");
    tap_ok(broken == 100, "rows under a version with columns are refused (%u)", broken);
}

/* ---- The document's example ----------------------------------------------------------------- */

/* min() of min.h, inlined into a loop of f(). */
static void put_example(struct wpp_bytes *b)
{
    static const struct wpp_line lines[] = {
        {"f.c", 3, 0}, {"f.c", 4, 0}, {"min.h", 9, 1}, {"f.c", 5, 0}, {"f.c", 6, 0}
    };
    static const struct wpp_inlined min = {"min", NULL, "f.c", 4, 0};
    static const struct wpp_block blocks[] = {
        {0}, {0}, {4, 1, lines}, {6, 3, lines + 1}, {1, 1, lines + 4}
    };
    static const struct wpp_edge edges[] = {
        {.src = 0, .dst = 2, .to = UINT32_MAX},
        {.src = 0, .dst = 3, .kind = WPP_EDGE_START, .to = UINT32_MAX, .val = 2},
        {.src = 2, .dst = 3, .to = UINT32_MAX},
        {.src = 3, .dst = 1, .kind = WPP_EDGE_END_BACK, .to = 3},
        {.src = 3, .dst = 4, .to = UINT32_MAX, .val = 1},
        {.src = 4, .dst = 1, .to = UINT32_MAX}
    };
    static const struct wpp_routine f = {
        .name = "f", .file = "f.c", .line = 2, .num_paths = 4, .n_blocks = 5, .blocks = blocks,
        .n_edges = 6, .edges = edges, .n_inlined = 1, .inlined = &min
    };
    static const struct wpp_unit_content unit = {0, "C", "f.c", "/d", 0, 2};
    static const struct wpp_routine_content routine = {0, 16, &f};

    wpp_put_routine_columns(b, &(struct wpp_content){
        .n_units = 1, .units = &unit, .n_routines = 1, .routines = &routine});
}

static int write_example(bool chunks)
{
    static const struct wpp_chunk list[] = {{0, 0, 1000000}, {0, 16368, 1400000},
                                            {0, 32736, 1800000}};
    struct wpp_bytes b = {0};
    bool failed;

    if (chunks)
        wpp_put_chunk_columns(&b, &(struct wpp_chunk_list){3, list}, 1);
    else
        put_example(&b);
    failed = b.failed;
    for (size_t i = 0; i < b.size; i++)
        printf("%02x%c", b.data[i], i % 16 == 15 || i + 1 == b.size ? '\n' : ' ');
    wpp_bytes_free(&b);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--example") == 0)
        return write_example(argc > 2);
    test_routines();
    test_numbering();
    test_chunks();
    test_changed_routines(true);
    test_changed_routines(false);
    test_changed_chunks();
    test_old_files();
    return tap_done();
}
