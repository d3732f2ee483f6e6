/* SPDX-License-Identifier: MIT */
#include "wpp/format/container.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

#include "wpp/base/error.h"
#include "wpp/format/grammar-code.h"

static const uint8_t magic[8] = {0x89, 'W', 'P', 'P', '\r', '\n', 0x1a, '\n'};

/* Offsets in the header, and in each entry of the section table that follows it. */
enum {
    AT_VERSION = 8, AT_SECTIONS = 12, AT_SIZE = 16, AT_CHECK = 24, HEADER_BYTES = 32,
    IN_KIND = 0, IN_PACKING = 4, IN_OFFSET = 8, IN_STORED = 16, IN_RAW = 24, IN_CHECK = 32,
    ENTRY_BYTES = 40
};

enum packing { STORED = 0, ZSTD = 1 };

/* A zstd block of 4 bytes stands for at most 128 KiB.  A larger size is an error; so the memory
 * allocated is bounded by the file's size. */
enum { MAX_EXPANSION = 1 << 15 };

enum { MIN_WINDOW_LOG = 10, MAX_WINDOW_LOG = 27 };

/* The checksum of the header without its checksum field, then the table. */
static uint64_t header_checksum(const uint8_t *file, uint32_t n)
{
    uint64_t hash = wpp_fnv(WPP_FNV_START, file, AT_CHECK);

    return wpp_fnv(hash, file + HEADER_BYTES, (size_t)n * ENTRY_BYTES);
}

/* ---- Writing ------------------------------------------------------------------ */

/* Large enough for matches anywhere in the section. */
static int window_log(size_t size)
{
    int log = MIN_WINDOW_LOG;

    while (log < MAX_WINDOW_LOG && (size_t)1 << log < size)
        log++;
    return log;
}

/* Matches of three bytes make the tables of routines small.  Level 19 would make them 10 % smaller
 * and takes fifteen times as long; after a short run of a large program, the user waits for nothing
 * else. */
static void configure(ZSTD_CCtx *ctx, size_t size)
{
    static const struct {
        ZSTD_cParameter name;
        int value;
    } settings[] = {
        {ZSTD_c_compressionLevel, 9}, {ZSTD_c_minMatch, 3},
        {ZSTD_c_hashLog, 18}, {ZSTD_c_chainLog, 18},
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ZSTD_CCtx_setParameter(ctx, settings[i].name, settings[i].value);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log(size));
}

/* Appends the section's compressed bytes, or the bytes themselves if these are not more. */
static bool put_packed(struct wpp_bytes *out, const struct wpp_section *section,
                       enum packing *packing)
{
    const struct wpp_bytes *raw = &section->content;

    if (section->dense) {
        *packing = STORED;
        wpp_put(out, raw->data, raw->size);
        return !out->failed;
    }
    size_t bound = ZSTD_compressBound(raw->size), size = 0;
    void *buffer = malloc(bound);
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    bool done = buffer && ctx;

    if (done) {
        configure(ctx, raw->size);
        size = ZSTD_compress2(ctx, buffer, bound, raw->data, raw->size);
        done = !ZSTD_isError(size);
    }
    if (done) {
        *packing = size < raw->size ? ZSTD : STORED;
        if (*packing == ZSTD)
            wpp_put(out, buffer, size);
        else
            wpp_put(out, raw->data, raw->size);
    }
    ZSTD_freeCCtx(ctx);
    free(buffer);
    return done && !out->failed;
}

static void put_entry(struct wpp_bytes *table, const struct wpp_section *s, uint64_t offset,
                      enum packing packing)
{
    wpp_put_u32(table, s->kind);
    wpp_put_u32(table, packing);
    wpp_put_u64(table, offset);
    wpp_put_u64(table, s->stored);
    wpp_put_u64(table, s->elsewhere ? s->stored : s->content.size);
    wpp_put_u64(table, s->check);
}

static void put_header(struct wpp_bytes *out, uint32_t version, uint32_t n, uint64_t file_size)
{
    wpp_put(out, magic, sizeof magic);
    wpp_put_u32(out, version);
    wpp_put_u32(out, n);
    wpp_put_u64(out, file_size);
    wpp_put_u64(out, 0);
}

static uint32_t version_of(const struct wpp_section *sections, uint32_t n)
{
    bool segments = false;
    unsigned forms = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (sections[i].kind == WPP_SECTION_COUNTS)
            return WPP_FILE_VERSION_PROFILE;
        segments |= sections[i].kind == WPP_SECTION_SEGMENTS;
        forms |= sections[i].forms;
    }
    if (forms & WPP_FORM_LANES)
        return segments ? WPP_FILE_VERSION_SEGMENT_LANES : WPP_FILE_VERSION_LANES;
    return (segments ? WPP_FILE_VERSION_SEGMENTS : WPP_FILE_VERSION)
         + (forms & WPP_FORM_EVEN ? WPP_FILE_VERSION_EVEN : 0);
}

bool wpp_container_write(struct wpp_section *sections, uint32_t n, struct wpp_bytes *out,
                         struct wpp_error *error)
{
    struct wpp_bytes table = {0}, packed = {0};
    uint64_t base = HEADER_BYTES + (uint64_t)n * ENTRY_BYTES, check;
    uint64_t elsewhere = 0;
    bool done = true;

    assert(n <= WPP_MAX_SECTIONS && out->size == 0);
    for (uint32_t i = 0; done && i < n; i++) {
        struct wpp_section *s = &sections[i];
        size_t begin = packed.size;
        enum packing packing = STORED;

        if (s->elsewhere) {
            assert(i == n - 1);
            elsewhere = s->stored;
        } else {
            done = !s->content.failed && put_packed(&packed, s, &packing);
            if (!done)
                break;
            s->stored = packed.size - begin;
            s->check = s->stored ? wpp_fnv(WPP_FNV_START, packed.data + begin, s->stored)
                                 : WPP_FNV_START;
        }
        put_entry(&table, s, base + begin, packing);
    }
    put_header(out, WPP_FILE_VERSION_COLUMNS + version_of(sections, n), n, base + packed.size + elsewhere);
    wpp_put(out, table.data, table.size);
    wpp_put(out, packed.data, packed.size);
    done = done && !table.failed && !packed.failed && !out->failed;
    if (done) {
        assert(table.size == base - HEADER_BYTES && out->size == base + packed.size);
        check = header_checksum(out->data, n);
        memcpy(out->data + AT_CHECK, &check, sizeof check);
    }
    wpp_bytes_free(&table);
    wpp_bytes_free(&packed);
    return done || wpp_fail_memory(error);
}

/* ---- Reading -------------------------------------------------------------------- */

static bool damaged(struct wpp_error *error, const char *path, const char *what)
{
    return wpp_fail(error, WPP_E_DAMAGED, "%s is damaged: %s", path, what);
}

/* The kind of a file that is no WPP file but one of those often taken for one. */
static const char *other_kind(const struct wpp_container *c)
{
    static const struct { const char *begins, *kind; } kinds[] = {
        { "WPPT", ": it is a trace; wpp-compress makes a WPP file of it" },
        { "\177ELF", ": it is a program or a part of one; wpp-record runs a program and makes "
                     "one" },
    };

    if (c->size == 0)
        return ": it is empty";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (c->size >= 4 && memcmp(c->file, kinds[i].begins, 4) == 0)
            return kinds[i].kind;
    return "";
}

static bool is_right_header(const uint8_t *file, uint64_t size)
{
    uint32_t n = wpp_get_u32(file + AT_SECTIONS);

    return n <= WPP_MAX_SECTIONS && size >= HEADER_BYTES + (uint64_t)n * ENTRY_BYTES
        && wpp_get_u64(file + AT_CHECK) == header_checksum(file, n);
}

bool wpp_container_knows(const void *begin)
{
    return memcmp(begin, magic, sizeof magic) == 0;
}

/* Takes the version as it stands in a header.  False: it is none that we know. */
static bool take_version(struct wpp_container *c, uint32_t version)
{
    c->columns = version > WPP_FILE_VERSION_LAST;
    c->version = version - (c->columns ? WPP_FILE_VERSION_COLUMNS : 0);
    return c->version >= WPP_FILE_VERSION && c->version <= WPP_FILE_VERSION_LAST;
}

static bool other_version(uint32_t version, const char *path, struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_VERSION,
                    "%s has format version %u, this program reads versions %u to %u and %u to %u",
                    path, version, WPP_FILE_VERSION, WPP_FILE_VERSION_LAST,
                    WPP_FILE_VERSION + WPP_FILE_VERSION_COLUMNS,
                    WPP_FILE_VERSION_LAST + WPP_FILE_VERSION_COLUMNS);
}

static bool check_header(struct wpp_container *c, const char *path, struct wpp_error *error)
{
    bool known;

    if (c->size < sizeof magic || memcmp(c->file, magic, sizeof magic) != 0)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no WPP file%s", path, other_kind(c));
    if (c->size < HEADER_BYTES)
        return wpp_fail(error, WPP_E_INCOMPLETE, "%s is cut short in its header", path);
    known = take_version(c, wpp_get_u32(c->file + AT_VERSION));
    c->n = wpp_get_u32(c->file + AT_SECTIONS);
    c->whole = wpp_get_u64(c->file + AT_SIZE);
    if (!is_right_header(c->file, c->size))
        return c->size < c->whole
                   ? wpp_fail(error, WPP_E_INCOMPLETE, "%s is cut short or damaged in its header",
                              path)
                   : damaged(error, path, "its header has a wrong checksum");
    if (!known)
        return other_version(wpp_get_u32(c->file + AT_VERSION), path, error);
    if (c->size < c->whole)
        return wpp_fail(error, WPP_E_INCOMPLETE,
                        "%s is cut short: %llu of its %llu bytes are there",
                        path, (unsigned long long)c->size, (unsigned long long)c->whole);
    return c->size == c->whole || damaged(error, path, "something follows its end");
}

/* Reads entry i of a file that begins with `head`. */
static struct wpp_entry read_entry(const uint8_t *head, uint32_t i)
{
    const uint8_t *p = head + HEADER_BYTES + (size_t)i * ENTRY_BYTES;

    return (struct wpp_entry){
        .kind = wpp_get_u32(p + IN_KIND), .packing = wpp_get_u32(p + IN_PACKING),
        .offset = wpp_get_u64(p + IN_OFFSET), .stored = wpp_get_u64(p + IN_STORED),
        .raw = wpp_get_u64(p + IN_RAW), .check = wpp_get_u64(p + IN_CHECK),
    };
}

static bool lies_inside(const struct wpp_container *c, const struct wpp_entry *e)
{
    return e->offset <= c->size && e->stored <= c->size - e->offset;
}

static bool has_its_checksum(const struct wpp_container *c, const struct wpp_entry *e)
{
    return wpp_fnv(WPP_FNV_START, c->file + e->offset, e->stored) == e->check;
}

/* Checks that sections lie end to end and fill the file, and their checksums. */
static bool check_sections(struct wpp_container *c, const char *path, struct wpp_error *error)
{
    uint64_t at = HEADER_BYTES + (uint64_t)c->n * ENTRY_BYTES;

    assert(c->n <= WPP_MAX_SECTIONS && at <= c->size);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct wpp_entry e = c->entries[i] = read_entry(c->file, i);

        if (e.offset != at || !lies_inside(c, &e))
            return damaged(error, path, "its section table does not fit its size");
        if (!has_its_checksum(c, &e))
            return wpp_fail(error, WPP_E_DAMAGED, "%s is damaged: section %u (kind %u) has a "
                            "wrong checksum", path, i, e.kind);
        at += e.stored;
    }
    return at == c->size || damaged(error, path, "its section table does not fit its size");
}

bool wpp_container_open(struct wpp_container *c, const void *file, size_t size, const char *path,
                        struct wpp_error *error)
{
    *c = (struct wpp_container){.file = file, .size = size};
    return check_header(c, path, error) && check_sections(c, path, error);
}

/* ---- Reading what is intact ------------------------------------------------------------ */

enum { HEAD_MAX = HEADER_BYTES + WPP_MAX_SECTIONS * ENTRY_BYTES };

/* Header and table, as far as the file has them, for mending. */
struct head {
    uint8_t bytes[HEAD_MAX];
    size_t size;
};

/* Finds the one wrong byte if there are n sections; it may be one of the checksum.  *byte: its
 * right value; *at: its offset. */
static bool find_wrong_byte(const struct head *h, uint32_t n, uint64_t *at, uint8_t *byte)
{
    uint8_t covered[HEAD_MAX];
    uint64_t want = wpp_get_u64(h->bytes + AT_CHECK), difference;
    size_t size = AT_CHECK + (size_t)n * ENTRY_BYTES, place;

    assert(n <= WPP_MAX_SECTIONS && size + HEADER_BYTES - AT_CHECK <= h->size);
    memcpy(covered, h->bytes, AT_CHECK);
    memcpy(covered + AT_CHECK, h->bytes + HEADER_BYTES, size - AT_CHECK);
    if (wpp_fnv_mend(covered, size, want, &place, byte)) {
        *at = place < AT_CHECK ? place : place + (HEADER_BYTES - AT_CHECK);
        return true;
    }
    difference = want ^ wpp_fnv(WPP_FNV_START, covered, size);
    for (unsigned k = 0; k < sizeof want; k++)
        if ((difference & ~(UINT64_C(0xff) << 8 * k)) == 0) {
            *at = AT_CHECK + k;
            *byte = h->bytes[*at] ^ (uint8_t)(difference >> 8 * k);
            return true;
        }
    return false;
}

/* Mends that byte.  False also if the header then has another number of sections than n. */
static bool mend_for(struct head *h, uint32_t n, uint64_t *at)
{
    uint8_t byte, was;

    if (n > WPP_MAX_SECTIONS || HEADER_BYTES + (size_t)n * ENTRY_BYTES > h->size
        || !find_wrong_byte(h, n, at, &byte))
        return false;
    assert(*at < h->size);
    was = h->bytes[*at];
    h->bytes[*at] = byte;
    if (is_right_header(h->bytes, h->size))
        return true;
    h->bytes[*at] = was;
    return false;
}

/* The offset of the first section also tells how many sections there are. */
static bool mend_head(struct head *h, uint64_t *at)
{
    uint64_t first = h->size < HEADER_BYTES + ENTRY_BYTES
                         ? 0 : wpp_get_u64(h->bytes + HEADER_BYTES + IN_OFFSET);

    return mend_for(h, wpp_get_u32(h->bytes + AT_SECTIONS), at)
        || (first >= HEADER_BYTES && first <= HEAD_MAX
            && mend_for(h, (uint32_t)((first - HEADER_BYTES) / ENTRY_BYTES), at));
}

/* The order of kinds in a path profile: 1 to 4, then perhaps 8 and 9, then 12; only 12 ends where
 * the file does. */
static bool is_in_profile(const struct wpp_container *c, const struct wpp_entry *e, uint32_t i)
{
    bool last = e->offset + e->stored == c->size;

    switch (e->kind) {
    case WPP_SECTION_COUNTS: return last && i >= WPP_SECTION_TERMINALS;
    case WPP_SECTION_LEFT_OUT: return !last && i == WPP_SECTION_TERMINALS;
    case WPP_SECTION_TIMES: return !last && i - WPP_SECTION_TERMINALS <= 1;
    default: return e->kind <= WPP_SECTION_TERMINALS && e->kind == i + 1;
    }
}

/* An entry's kind is not covered by the section's checksum.  But writers put kinds in order: 1 to
 * 5, then ascending, except that the segments are last. */
static bool is_in_order(const struct wpp_container *c, const struct wpp_entry *e, uint32_t i)
{
    uint32_t last = c->n ? c->entries[c->n - 1].kind : 0;

    if (wpp_container_is_profile(c))
        return e->kind > last && is_in_profile(c, e, i);
    if (e->kind > WPP_SECTION_SEGMENT_LIST || last == WPP_SECTION_SEGMENTS)
        return false;
    if (e->kind == WPP_SECTION_SEGMENTS)
        return true;
    return e->kind > last && (e->kind > WPP_SECTION_THREADS || e->kind == i + 1);
}

/* Checks the places of kinds 6 to 9.  Sections 1 to 7 are all there, except that a file with
 * segments has no 6; 8 and 9 may be missing. */
static bool is_in_place(const struct wpp_entry *e, uint32_t i, bool segments)
{
    uint32_t place = e->kind - 1 - segments;

    if (e->kind < WPP_SECTION_GRAMMAR || e->kind > WPP_SECTION_TIMES)
        return true;
    return i == place || (e->kind == WPP_SECTION_TIMES && i == place - 1);
}

/* Entry k was number place[k] of the table. */
static void forget_misplaced(struct wpp_container *c, const uint32_t *place)
{
    bool segments = wpp_container_has(c, WPP_SECTION_SEGMENTS);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->n; i++)
        if (wpp_container_is_profile(c) || is_in_place(&c->entries[i], place[i], segments))
            c->entries[kept++] = c->entries[i];
    c->n = kept;
}

/* Removes entries of kinds first to last. */
static void forget_entries(struct wpp_container *c, uint32_t first, uint32_t last)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->n; i++)
        if (c->entries[i].kind < first || c->entries[i].kind > last)
            c->entries[kept++] = c->entries[i];
    c->n = kept;
}

/* Keeps the entries whose section lies where the entry says and has its checksum, for a file of
 * this version. */
static void believe_as(struct wpp_container *c, const struct head *h, uint32_t version)
{
    uint64_t end = h->size;
    uint32_t place[WPP_MAX_SECTIONS];

    c->n = 0;
    c->version = version;
    for (uint32_t i = 0; HEADER_BYTES + (uint64_t)(i + 1) * ENTRY_BYTES <= end; i++) {
        struct wpp_entry e = read_entry(h->bytes, i);

        if (e.offset < HEADER_BYTES + (uint64_t)(i + 1) * ENTRY_BYTES || !lies_inside(c, &e)
            || !is_in_order(c, &e, i) || !has_its_checksum(c, &e))
            continue;
        assert(c->n < WPP_MAX_SECTIONS);
        place[c->n] = i;
        c->entries[c->n++] = e;
        end = e.offset < end ? e.offset : end;
    }
    forget_misplaced(c, place);
    /* If only one of these two is there, its kind may be wrong. */
    if (wpp_container_has(c, WPP_SECTION_LEFT_OUT) != wpp_container_has(c, WPP_SECTION_TIMES))
        forget_entries(c, WPP_SECTION_LEFT_OUT, WPP_SECTION_TIMES);
}

static bool has_order(const struct wpp_container *c)
{
    return wpp_container_has(c, WPP_SECTION_THREADS) || wpp_container_has(c, WPP_SECTION_GRAMMAR)
        || wpp_container_has(c, WPP_SECTION_CHUNKS) || wpp_container_has(c, WPP_SECTION_SEGMENTS);
}

/* A path profile has counts and no order.  If the entries do not tell, the version decides. */
static void believe_entries(struct wpp_container *c, const struct head *h)
{
    bool profile = wpp_container_is_profile(c), counts;

    c->whole = c->size;
    believe_as(c, h, WPP_FILE_VERSION_PROFILE);
    counts = wpp_container_has(c, WPP_SECTION_COUNTS);
    believe_as(c, h, WPP_FILE_VERSION);
    if (counts != has_order(c))
        profile = counts;
    if (profile)
        believe_as(c, h, WPP_FILE_VERSION_PROFILE);
    else if (wpp_container_has(c, WPP_SECTION_SEGMENTS)
             && !wpp_container_has(c, WPP_SECTION_GRAMMAR))
        c->version = WPP_FILE_VERSION_SEGMENTS;
}

static void judge(const struct wpp_container *c, struct wpp_entry *e)
{
    size_t at;

    if (!lies_inside(c, e)) {
        e->state = WPP_ENTRY_CUT;
    } else if (!has_its_checksum(c, e)) {
        e->mended = wpp_fnv_mend(c->file + e->offset, e->stored, e->check, &at, &e->byte);
        e->mended_at = e->mended ? at : 0;
        e->state = e->mended ? WPP_ENTRY_INTACT : WPP_ENTRY_DAMAGED;
    }
}

/* Judges all entries, by an intact or mended table. */
static void judge_entries(struct wpp_container *c, const struct head *h)
{
    uint64_t at;

    c->n = wpp_get_u32(h->bytes + AT_SECTIONS);
    c->whole = wpp_get_u64(h->bytes + AT_SIZE);
    assert(c->n <= WPP_MAX_SECTIONS);
    at = HEADER_BYTES + (uint64_t)c->n * ENTRY_BYTES;
    for (uint32_t i = 0; i < c->n; i++) {
        c->entries[i] = read_entry(h->bytes, i);
        judge(c, &c->entries[i]);
        c->misfit |= c->entries[i].offset != at;
        at += c->entries[i].stored;
    }
    c->misfit |= at != c->whole;
}

static bool any_intact(const struct wpp_container *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->entries[i].state == WPP_ENTRY_INTACT)
            return true;
    return false;
}

bool wpp_container_salvage(struct wpp_container *c, const void *file, size_t size,
                           const char *path, struct wpp_error *error)
{
    struct head h = {.size = size < HEAD_MAX ? size : HEAD_MAX};
    bool right;

    if (wpp_container_open(c, file, size, path, error))
        return true;
    if (size < HEADER_BYTES)
        return false;
    memcpy(h.bytes, file, h.size);
    right = is_right_header(h.bytes, h.size);
    if (!right && mend_head(&h, &c->head_mended_at))
        c->head = WPP_HEAD_MENDED;
    else if (!right)
        c->head = WPP_HEAD_LOST;
    if (memcmp(h.bytes, magic, sizeof magic) != 0)
        return false;
    if (!take_version(c, wpp_get_u32(h.bytes + AT_VERSION)))
        return c->head != WPP_HEAD_LOST
            && other_version(wpp_get_u32(h.bytes + AT_VERSION), path, error);
    if (c->head == WPP_HEAD_LOST)
        believe_entries(c, &h);
    else
        judge_entries(c, &h);
    return any_intact(c);
}

/* ---- Sections ---------------------------------------------------------------------------- */

/* Unpacks one zstd frame of exactly `stored` bytes that holds exactly `raw` bytes. */
static bool unpack(const uint8_t *data, uint64_t stored, uint8_t *out, uint64_t raw)
{
    size_t n;

    if (ZSTD_getFrameContentSize(data, stored) != raw ||
        ZSTD_findFrameCompressedSize(data, stored) != stored)
        return false;
    n = ZSTD_decompress(out, raw, data, stored);
    return !ZSTD_isError(n) && n == raw;
}

static bool load_packed(const struct wpp_entry *e, const uint8_t *data, struct wpp_section *out,
                        const char *path, struct wpp_error *error)
{
    if (e->packing > ZSTD || (e->packing == STORED && e->raw != e->stored) ||
        e->raw / MAX_EXPANSION > e->stored)
        return damaged(error, path, "a section's sizes are impossible");
    out->content = (struct wpp_bytes){.data = malloc(e->raw + 1), .capacity = e->raw + 1};
    if (!out->content.data)
        return wpp_fail_memory(error);
    out->content.size = e->raw;
    if (e->packing == STORED) {
        memcpy(out->content.data, data, e->raw);
        return true;
    }
    if (unpack(data, e->stored, out->content.data, e->raw))
        return true;
    wpp_bytes_free(&out->content);
    return damaged(error, path, "a section cannot be decompressed");
}

/* Loads a section from a copy in which the wrong byte is mended. */
static bool load_mended(const struct wpp_entry *e, const uint8_t *data, struct wpp_section *out,
                        const char *path, struct wpp_error *error)
{
    uint8_t *copy = malloc(e->stored);
    bool done;

    if (!copy)
        return wpp_fail_memory(error);
    memcpy(copy, data, e->stored);
    assert(e->mended_at < e->stored);
    copy[e->mended_at] = e->byte;
    done = load_packed(e, copy, out, path, error);
    free(copy);
    return done;
}

bool wpp_container_is_cut(const struct wpp_container *c)
{
    return c->version == WPP_FILE_VERSION_SEGMENTS
        || c->version == WPP_FILE_VERSION_SEGMENTS + WPP_FILE_VERSION_EVEN
        || c->version == WPP_FILE_VERSION_SEGMENT_LANES;
}

bool wpp_container_is_profile(const struct wpp_container *c)
{
    return c->version == WPP_FILE_VERSION_PROFILE;
}

const struct wpp_entry *wpp_container_find(const struct wpp_container *c, uint32_t kind,
                                           unsigned *n)
{
    const struct wpp_entry *found = NULL;

    assert(c->n <= WPP_MAX_SECTIONS);
    *n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->entries[i].kind == kind && (*n)++ == 0)
            found = &c->entries[i];
    return found;
}

bool wpp_container_has(const struct wpp_container *c, uint32_t kind)
{
    unsigned n;

    return wpp_container_find(c, kind, &n) != NULL;
}

static const struct wpp_entry *intact_entry(const struct wpp_container *c, uint32_t kind,
                                            const char *path, struct wpp_error *error)
{
    unsigned n;
    const struct wpp_entry *e = wpp_container_find(c, kind, &n);

    if (n == 1 && e->state == WPP_ENTRY_INTACT)
        return e;
    damaged(error, path, n == 1 ? "a section has a wrong checksum"
                         : n    ? "a section stands there twice" : "a section is missing");
    return NULL;
}

static bool load(const struct wpp_container *c, const struct wpp_entry *e, struct wpp_section *out,
                 const char *path, struct wpp_error *error)
{
    assert(e->state == WPP_ENTRY_INTACT && lies_inside(c, e));
    out->stored = e->stored;
    return (e->mended ? load_mended : load_packed)(e, c->file + e->offset, out, path, error);
}

bool wpp_container_load(const struct wpp_container *c, struct wpp_section *out, const char *path,
                        struct wpp_error *error)
{
    const struct wpp_entry *e = intact_entry(c, out->kind, path, error);

    return e && load(c, e, out, path, error);
}

bool wpp_container_view(const struct wpp_container *c, struct wpp_section *out,
                        struct wpp_view *view, const char *path, struct wpp_error *error)
{
    const struct wpp_entry *e = intact_entry(c, out->kind, path, error);

    if (e && e->packing == STORED && e->raw == e->stored && !e->mended) {
        out->stored = e->stored;
        *view = wpp_view(c->file + e->offset, e->stored);
        return true;
    }
    if (!e || !load(c, e, out, path, error))
        return false;
    *view = wpp_view(out->content.data, out->content.size);
    return true;
}
