/* SPDX-License-Identifier: MIT */
/* wpp.c - libFuzzer against the reader of WPP files, whole and in pieces.
 *
 * The input is a file without what a fuzzer cannot guess, the checksums:
 *
 *      1 byte      version; what is cut off or follows the end, or which byte of the header is wrong
 *      1 byte      odd: sections stand by rows, as before
 *      sections    u8 kind, u8 state, u16 bytes, and so many: its content
 *
 * The state says what is wrong with the section: nothing, one byte, two, its entry.  The fuzzer's
 * own mutations are joined by one that begins with a file of random content.  Whatever is
 * read must be as wpp.h promises; what the strict way refuses must be said by the other.  What can be
 * read whole can be parsed anew (recompress.h), and says the same then.  A run is equal to itself. */
#include <stdlib.h>

#include "test/unit/random-content.h"
#include "test/unit/rows.h"
#include "test/unit/well-formed.h"
#include "wpp/base/bytes.h"
#include "wpp/compare/run-diff.h"
#include "wpp/compress/recompress.h"
#include "wpp/format/container.h"
#include "wpp/format/grammar-code.h"
#include "wpp/read/reader.h"
#include "wpp/replay/check.h"

enum { HEADER = 32, ENTRY = 40, PIECE = 4, SECTIONS = 12 };
enum state { INTACT, ONE_BYTE, TWO_BYTES, LOST_ENTRY, STATES };

struct section {
    uint32_t kind;
    enum state state;
    const uint8_t *content;
    size_t size;
};

static uint32_t take_sections(const uint8_t *data, size_t size, struct section *out)
{
    uint32_t n = 0;

    while (size >= PIECE && n < SECTIONS) {
        struct section *s = &out[n++];

        *s = (struct section){data[0], data[1] % 16 < STATES ? data[1] % 16 : INTACT, data + PIECE,
                              data[2] | (size_t)data[3] << 8};
        s->size = s->size < size - PIECE ? s->size : size - PIECE;
        data += PIECE + s->size;
        size -= PIECE + s->size;
    }
    return n;
}

static void put_table(struct wpp_bytes *file, const struct section *s, uint32_t n)
{
    uint64_t at = HEADER + (uint64_t)n * ENTRY;

    for (uint32_t i = 0; i < n; i++) {
        wpp_put_u32(file, s[i].kind);
        wpp_put_u32(file, 0);
        wpp_put_u64(file, at);
        wpp_put_u64(file, s[i].size);
        wpp_put_u64(file, s[i].size);
        wpp_put_u64(file, wpp_fnv(WPP_FNV_START, s[i].content, s[i].size));
        at += s[i].size;
    }
}

static void seal(struct wpp_bytes *file, uint32_t n)
{
    uint64_t sum = wpp_fnv(WPP_FNV_START, file->data, 24);

    sum = wpp_fnv(sum, file->data + HEADER, (size_t)n * ENTRY);
    memcpy(file->data + 24, &sum, sizeof sum);
}

static void hurt(struct wpp_bytes *file, const struct section *s, uint32_t n)
{
    size_t at = HEADER + (size_t)n * ENTRY;

    for (uint32_t i = 0; i < n; at += s[i++].size) {
        if (s[i].state == LOST_ENTRY)
            memset(file->data + HEADER + i * ENTRY + 3, 0x5a, 20);
        if (s[i].size > 0 && (s[i].state == ONE_BYTE || s[i].state == TWO_BYTES))
            file->data[at + s[i].size / 2] ^= 0x11;
        if (s[i].size > 1 && s[i].state == TWO_BYTES)
            file->data[at] ^= 0x81;
    }
}

/* Behind the magic number. */
static void hurt_header(struct wpp_bytes *file, uint8_t where)
{
    file->data[8 + where % 16] ^= 0x11;
}

/* Its checksum may be that of the header as it is, of another one, or of what the header was. */
static void seal_header(struct wpp_bytes *file, uint32_t n, uint8_t what)
{
    enum { AS_IT_IS = 3, ANOTHER = 4, AS_IT_WAS = 5 };
    uint8_t how = what >> 1 & 7, where = what >> 4;
    uint64_t size = file->size;

    memcpy(file->data + 16, &size, sizeof size);
    if (how == AS_IT_IS || how == ANOTHER)
        hurt_header(file, where);
    seal(file, n);
    if (how == ANOTHER || how == AS_IT_WAS)
        hurt_header(file, where);
}

/* Of the last one, the first bit and the highest one. */
static uint32_t version_of(uint8_t what)
{
    if ((what & 0x81) == 0x81)
        return WPP_FILE_VERSION_PROFILE;
    return what & 1 ? WPP_FILE_VERSION_SEGMENTS : WPP_FILE_VERSION;
}

static struct wpp_bytes make_file(const uint8_t *data, size_t size)
{
    struct section sections[SECTIONS];
    uint32_t n = take_sections(data + 2, size - 2, sections);
    struct wpp_bytes file = {0};

    wpp_put(&file, "\x89WPP\r\n\x1a\n", 8);
    wpp_put_u32(&file, version_of(data[0]) + (data[1] & 1 ? 0 : WPP_FILE_VERSION_COLUMNS));
    wpp_put_u32(&file, n);
    wpp_put_u64(&file, 0);
    wpp_put_u64(&file, 0);
    put_table(&file, sections, n);
    for (uint32_t i = 0; i < n; i++)
        wpp_put(&file, sections[i].content, sections[i].size);
    seal_header(&file, n, data[0]);
    hurt(&file, sections, n);
    if ((data[0] >> 1 & 7) == 1)
        wpp_put(&file, "behind", 6);
    if ((data[0] >> 1 & 7) == 2)
        file.size -= file.size * (data[0] >> 4) / 17;
    return file;
}

static uint64_t count_of(const wpp *w, uint32_t terminal)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t n = 0;

    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++)
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            n += g->symbols[i] == terminal ? w->frequencies[r] : 0;
    return n;
}

static bool is_same(const wpp *a, const wpp *b)
{
    const struct wpp_grammar *g = wpp_grammar(a), *h = wpp_grammar(b);
    bool same = g->n_threads == h->n_threads && g->n_terminals == h->n_terminals;

    for (uint32_t k = 0; same && k < g->n_threads; k++)
        same = g->length[g->n_rules + k] == h->length[h->n_rules + k];
    for (uint32_t t = 0; same && t < g->n_terminals && t < 100; t++)
        same = count_of(a, t) == count_of(b, t);
    return same;
}

static void look_at(const wpp *w)
{
    bool grammar = !(wpp_missing(w) & WPP_PART_GRAMMAR);
    struct wpp_error error;

    if (!is_well_formed(w) || (grammar && !walks(w, 0x9e3779b97f4a7c15)))
        abort();
    /* What they say does not matter: the grammar need not be SEQUITUR's. */
    if (grammar)
        check_grammar(w, &error);
    if (!(wpp_missing(w) & (WPP_PART_ROUTINES | WPP_PART_TERMINALS)))
        check_paths(w, &error);
}

/* Neither does the order of its events, nor whether a path of them can follow another. */
static void compare_to_itself(const wpp *w)
{
    const wpp *both[2] = {w, w};
    struct run_diff_request request = {.partings = 2, .least = 3};

    if (w->summary.is_profile || (wpp_missing(w) & (WPP_PART_GRAMMAR | WPP_PART_ROUTINES
                                                    | WPP_PART_TERMINALS)))
        return;
    for (unsigned by = 0; by < 3; by++) {
        struct run_diff d;
        struct wpp_error error;

        request.by = by;
        if (!run_diff_new(&d, both, &request, &error))
            continue;              /* too long */
        if (!d.equal)
            abort();
        run_diff_free(&d);
    }
}

/* As many events of each thread, and each terminal as often.  What nobody needs who reads all may
 * be wrong in it: a list of segments, or such beside a grammar.  A path profile has no grammar. */
static void improve(const struct wpp_bytes *file, const wpp *whole)
{
    struct wpp_bytes better = {0};
    struct wpp_error error;
    bool done = wpp_recompress(wpp_view(file->data, file->size), "fuzz", &better, &error);
    wpp *w = done ? wpp_open_memory(better.data, better.size, "fuzz", NULL) : NULL;

    wpp_bytes_free(&better);
    if (!w && (!whole || whole->summary.is_profile
               || (!done && error.status == WPP_E_DAMAGED)))
        return;
    if (!whole || !w || !is_well_formed(w) || !is_same(whole, w))
        abort();
    wpp_close(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wpp_bytes file;
    uint32_t n = 0;
    wpp *whole, *pieces;

    if (size < 2)
        return 0;
    file = make_file(data, size);
    whole = wpp_open_memory(file.data, file.size, "fuzz", NULL);
    pieces = wpp_open_memory_intact(file.data, file.size, "fuzz", NULL);
    if (whole) {
        look_at(whole);
        compare_to_itself(whole);
    }
    if (pieces) {
        look_at(pieces);
        wpp_damages(pieces, &n);
    }
    if (whole ? !pieces || n > 0 : pieces && n == 0)
        abort();
    improve(&file, whole);
    wpp_close(whole);
    wpp_close(pieces);
    wpp_bytes_free(&file);
    return 0;
}

/* ---- Files to begin with ------------------------------------------------------------------ */

/* A file's sections as an input; 0 if there is no room. */
static size_t put_input(const struct wpp_bytes *file, uint8_t *out, size_t max)
{
    struct wpp_container c;
    size_t n = 2;

    if (max < n || !wpp_container_open(&c, file->data, file->size, "fuzz", NULL))
        return 0;
    out[0] = wpp_container_is_profile(&c) ? 0x81 : (uint8_t)(c.version - WPP_FILE_VERSION);
    out[1] = !c.columns;
    for (uint32_t i = 0; i < c.n; i++) {
        struct wpp_section s = {.kind = c.entries[i].kind};
        size_t size;

        if (!wpp_container_load(&c, &s, "fuzz", NULL))
            abort();
        size = s.content.size;
        if (size > UINT16_MAX || max - n < PIECE + size) {
            wpp_bytes_free(&s.content);
            return 0;
        }
        memcpy(out + n, (uint8_t[]){(uint8_t)s.kind, STATES, (uint8_t)size, (uint8_t)(size >> 8)},
               PIECE);
        memcpy(out + n + PIECE, s.content.data, size);
        n += PIECE + size;
        wpp_bytes_free(&s.content);
    }
    return n;
}

/* Two segments of the same grammar, with their list. */
static void put_segments(const struct wpp_grammar *g, struct wpp_segments *s,
                         struct wpp_bytes *all)
{
    for (s->n = 0; s->n < 2; s->n++) {
        struct wpp_bytes b = {0};
        size_t begin = all->size;

        wpp_put_varint(&b, g->n_terminals);
        for (uint32_t i = 0; i < g->n_terminals; i++)
            wpp_put_varint(&b, i);
        wpp_grammar_encode(g, &b);
        wpp_put_varint(all, b.size);
        wpp_put(all, b.data, b.size);
        wpp_bytes_free(&b);
        wpp_put_varint(&s->list, all->size - begin);
        wpp_put_u64(&s->list, wpp_fnv(WPP_FNV_START, all->data + begin, all->size - begin));
        wpp_put_varint(&s->list, g->n_threads);
        for (uint32_t k = 0; k < g->n_threads; k++)
            wpp_put_varint(&s->list, g->length[g->n_rules + k]);
    }
    s->bytes = all->size;
    s->check = wpp_fnv(WPP_FNV_START, all->data, all->size);
}

static size_t begin_file(uint8_t *out, size_t max, unsigned seed)
{
    struct random r = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    struct random_content *c = random_content(&r, 1 + draw(&r, RC_THREADS), 2 + draw(&r, 9));
    struct wpp_segments segments = {0};
    struct wpp_bytes file = {0}, all = {0};
    size_t n;

    if (draw(&r, 4) == 0) {
        rc_profile(c, &r);
    } else if (draw(&r, 2)) {
        put_segments(&c->content.grammar, &segments, &all);
        for (uint32_t k = 0; k < c->content.n_threads; k++)
            c->threads[k].tokens *= 2;
        c->content.segments = &segments;
    }
    if (!c->content.segments && draw(&r, 4) == 0)
        file = rows_encode(&c->content);
    else if (!wpp_content_encode(&c->content, &file, NULL))
        abort();
    wpp_put(&file, all.data, all.size);
    n = put_input(&file, out, max);
    random_content_free(c);
    wpp_bytes_free(&file);
    wpp_bytes_free(&all);
    wpp_bytes_free(&segments.list);
    return n;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t n = size < 20 || seed % 64 == 0 ? begin_file(data, max, seed) : 0;

    return n ? n : LLVMFuzzerMutate(data, size, max);
}
