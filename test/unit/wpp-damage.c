/* SPDX-License-Identifier: MIT */
/* Files that are not as they were written: a bit flipped anywhere, cut anywhere,
 * grown; and files changed on purpose, with checksums that are right again,
 * which must be refused or be well-formed, whatever they say. */
#include "test/unit/random-content.h"
#include "test/unit/rows.h"
#include "test/unit/tap.h"
#include "test/unit/well-formed.h"
#include "wpp/format/container.h"
#include "wpp/read/reader.h"

enum { HEADER = 32, ENTRY = 40, N_SECTIONS = 7 };

/* Kinds of files: by columns, or as before. */
enum how { NEW, PROFILE, OLD };

static struct wpp_bytes encode_as(struct random *r, uint32_t n_threads, uint32_t start_length,
                                  enum how how)
{
    struct random_content *c = random_content(r, n_threads, start_length);
    struct wpp_bytes file = {0};

    if (how == PROFILE)
        rc_profile(c, r);
    if (how == OLD)
        file = rows_encode(&c->content);
    else if (!wpp_content_encode(&c->content, &file, NULL))
        abort();
    random_content_free(c);
    return file;
}

static struct wpp_bytes encode(struct random *r, uint32_t n_threads, uint32_t start_length)
{
    return encode_as(r, n_threads, start_length, NEW);
}

/* A copy of exactly n bytes, so that a read behind its end is an error. */
static wpp *open_exact(const void *data, size_t n, struct wpp_error *error)
{
    uint8_t *copy = malloc(n ? n : 1);
    wpp *w;

    memcpy(copy, data, n);
    *error = (struct wpp_error){.status = WPP_OK};
    w = wpp_open_memory(copy, n, "test", error);
    free(copy);
    return w;
}

static bool is_damage(const struct wpp_error *e)
{
    return (e->status == WPP_E_DAMAGED || e->status == WPP_E_INCOMPLETE ||
            e->status == WPP_E_FORMAT) && e->text[0] != '\0';
}

static void test_flips(void)
{
    struct random r = {77};
    struct wpp_bytes file = encode(&r, 2, 6);
    struct wpp_error error;
    size_t accepted = 0, unsaid = 0;

    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        wpp *w;

        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        w = open_exact(file.data, file.size, &error);
        accepted += w != NULL;
        unsaid += !w && !is_damage(&error);
        wpp_close(w);
        file.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    tap_ok(accepted == 0, "each of %zu flipped bits is found (%zu are not)", 8 * file.size,
           accepted);
    tap_ok(unsaid == 0, "and is called damage");
    wpp_bytes_free(&file);
}

static void test_cuts(void)
{
    struct random r = {78};
    struct wpp_bytes file = encode(&r, 2, 6);
    struct wpp_error error;
    size_t wrong = 0;
    wpp *w;

    for (size_t n = 0; n < file.size; n++) {
        w = open_exact(file.data, n, &error);
        wrong += w || error.status != (n < 8 ? WPP_E_FORMAT : WPP_E_INCOMPLETE);
        wpp_close(w);
    }
    tap_ok(wrong == 0, "a file cut after any byte is called cut");
    w = open_exact(file.data, file.size, &error);
    tap_ok(w != NULL, "the whole file is read");
    wpp_close(w);
    wpp_put_u8(&file, 0);
    w = open_exact(file.data, file.size, &error);
    tap_ok(!w && error.status == WPP_E_DAMAGED, "a byte too many is found");
    wpp_close(w);
    wpp_bytes_free(&file);
}

/* ---- Changed files with right checksums ------------------------------------------ */

static void set(struct wpp_bytes *file, size_t at, uint64_t value, size_t n)
{
    memcpy(file->data + at, &value, n);
}

/* Sections, stored as they are, under the given kinds. */
static struct wpp_bytes build(const struct wpp_bytes *contents, const uint32_t *kinds, uint32_t n)
{
    struct wpp_bytes file = {0};
    size_t at = HEADER + (size_t)n * ENTRY;

    wpp_put(&file, "\x89WPP\r\n\x1a\n", 8);
    wpp_put_u32(&file, WPP_FILE_VERSION + WPP_FILE_VERSION_COLUMNS);
    wpp_put_u32(&file, n);
    wpp_put_u64(&file, 0);
    wpp_put_u64(&file, 0);
    for (uint32_t i = 0; i < n; i++) {
        wpp_put_u32(&file, kinds[i]);
        wpp_put_u32(&file, 0);
        wpp_put_u64(&file, at);
        wpp_put_u64(&file, contents[i].size);
        wpp_put_u64(&file, contents[i].size);
        wpp_put_u64(&file, wpp_fnv(WPP_FNV_START, contents[i].data, contents[i].size));
        at += contents[i].size;
    }
    for (uint32_t i = 0; i < n; i++)
        wpp_put(&file, contents[i].data, contents[i].size);
    set(&file, 16, file.size, 8);
    return file;
}

static void seal(struct wpp_bytes *file)
{
    uint64_t n = wpp_get_u32(file->data + 12);
    uint64_t sum = wpp_fnv(WPP_FNV_START, file->data, 24);

    if (HEADER + n * ENTRY <= file->size)
        set(file, 24, wpp_fnv(sum, file->data + HEADER, n * ENTRY), 8);
}

static void load_contents(const struct wpp_bytes *file, const uint32_t *kinds, uint32_t n,
                          struct wpp_bytes *contents)
{
    struct wpp_container c;

    if (!wpp_container_open(&c, file->data, file->size, "test", NULL))
        abort();
    for (uint32_t i = 0; i < n; i++) {
        struct wpp_section s = {.kind = kinds[i]};

        if (!wpp_container_load(&c, &s, "test", NULL))
            abort();
        contents[i] = s.content;
    }
}

/* One to three small changes that keep most of the structure. */
static void mutate(struct wpp_bytes *b, struct random *r)
{
    static const uint8_t telling[] = {0, 1, 2, 0x7f, 0x80, 0xff};

    for (uint32_t k = 1 + draw(r, 3); k > 0 && b->size > 0; k--) {
        size_t at = draw(r, (uint32_t)b->size);

        switch (draw(r, 6)) {
        case 0: b->data[at] ^= (uint8_t)(1 << draw(r, 8)); break;
        case 1: b->data[at] = telling[draw(r, sizeof telling)]; break;
        case 2: b->data[at] += (uint8_t)(1 + draw(r, 3)); break;
        case 3: b->size = at; break;
        case 4: memmove(b->data + at, b->data + at + 1, --b->size - at); break;
        case 5:
            wpp_put_u8(b, 0);
            memmove(b->data + at + 1, b->data + at, b->size - 1 - at);
            b->data[at] = telling[draw(r, sizeof telling)];
        }
    }
}

struct outcome {
    unsigned refused, accepted, malformed, unsaid, pieces;
};

/* What is read of it piece by piece is as well-formed; when the whole is not, that is said. */
static void try_intact(const struct wpp_bytes *file, bool whole, struct random *r,
                       struct outcome *o)
{
    wpp *w = wpp_open_memory_intact(file->data, file->size, "test", NULL);
    bool grammar = w && !(wpp_missing(w) & WPP_PART_GRAMMAR);
    uint32_t n = 0;

    if (w)
        wpp_damages(w, &n);
    o->pieces += w && !whole;
    o->unsaid += w ? (n > 0) == whole : whole;
    o->malformed += w && (!is_well_formed(w) || (grammar && !walks(w, draw(r, UINT32_MAX))));
    wpp_close(w);
}

static void try_file(struct wpp_bytes *file, struct random *r, struct outcome *o)
{
    struct wpp_error error;
    wpp *w;

    seal(file);
    w = open_exact(file->data, file->size, &error);
    o->refused += w == NULL;
    o->accepted += w != NULL;
    o->malformed += w && (!is_well_formed(w) || !walks(w, draw(r, UINT32_MAX)));
    o->unsaid += !w && !is_damage(&error) && error.status != WPP_E_VERSION;
    try_intact(file, w != NULL, r, o);
    wpp_close(w);
}

static void test_changed_contents(unsigned rounds, enum how how)
{
    static const uint32_t wpp_kinds[] = {1, 2, 3, 4, 5, 6, 7}, profile_kinds[] = {1, 2, 3, 4, 12};
    static const char *const names[] = {"files", "path profiles", "files of before"};
    bool profile = how == PROFILE;
    const uint32_t *kinds = profile ? profile_kinds : wpp_kinds, n = profile ? 5 : N_SECTIONS;
    struct random r = {4711};
    struct outcome o = {0};

    for (unsigned i = 0; i < rounds; i++) {
        struct wpp_bytes original = encode_as(&r, 1 + i % RC_THREADS, 2 + draw(&r, 12), how);
        struct wpp_bytes contents[N_SECTIONS], file;

        for (unsigned k = 0; k < 20; k++) {
            load_contents(&original, kinds, n, contents);
            mutate(&contents[draw(&r, n)], &r);
            if (k % 4 == 0)
                mutate(&contents[draw(&r, n)], &r);
            file = build(contents, kinds, n);
            set(&file, 8, (profile ? WPP_FILE_VERSION_PROFILE : WPP_FILE_VERSION)
                          + (how == OLD ? 0 : WPP_FILE_VERSION_COLUMNS), 4);
            try_file(&file, &r, &o);
            wpp_bytes_free(&file);
            for (unsigned s = 0; s < n; s++)
                wpp_bytes_free(&contents[s]);
        }
        wpp_bytes_free(&original);
    }
    tap_ok(o.malformed == 0, "of %u %s with changed contents, %u are refused, the others are "
           "well-formed, and pieces of %u", o.refused + o.accepted, names[how],
           o.refused, o.pieces);
    tap_ok(o.unsaid == 0, "and it is said why");
    tap_ok(o.refused > 0 && o.accepted > 0 && o.pieces > 0, "there were all");
}

static void test_changed_header(unsigned rounds)
{
    struct random r = {815};
    struct wpp_bytes original = encode(&r, 2, 400), file = {0};
    struct outcome o = {0};

    for (unsigned i = 0; i < rounds; i++) {
        size_t at = draw(&r, HEADER + N_SECTIONS * ENTRY);

        file.size = 0;
        wpp_put(&file, original.data, original.size);
        if (i % 2)
            file.data[at] ^= (uint8_t)(1 << draw(&r, 8));
        else
            file.data[at] = (uint8_t)draw(&r, 256);
        try_file(&file, &r, &o);
    }
    tap_ok(o.malformed == 0, "of %u files with changed headers, %u are refused, the others are "
           "well-formed", o.refused + o.accepted, o.refused);
    tap_ok(o.unsaid == 0, "and it is said why");
    wpp_bytes_free(&original);
    wpp_bytes_free(&file);
}

/* The checksum of the header as it is, with as many sections as there are. */
static void seal_all(struct wpp_bytes *file)
{
    uint64_t sum = wpp_fnv(WPP_FNV_START, file->data, 24);

    set(file, 24, wpp_fnv(sum, file->data + HEADER, N_SECTIONS * ENTRY), 8);
}

/* Whether what is read of it is well-formed, and it is said that the file is not. */
static bool is_said(const struct wpp_bytes *file)
{
    uint8_t *copy = malloc(file->size);
    uint32_t n = 0;
    wpp *w;

    memcpy(copy, file->data, file->size);
    w = wpp_open_memory_intact(copy, file->size, "test", NULL);
    if (w)
        wpp_damages(w, &n);
    bool said = !w || (n > 0 && is_well_formed(w));
    wpp_close(w);
    free(copy);
    return said;
}

/* Where one byte puts the checksum right, what it puts right may be the number of sections: more
 * than there is room for, or fewer than there are. */
static void test_counts(void)
{
    static const uint32_t counts[] = {0, 1, 6, 8, 63, 64, 65, 200, 255, 256, 4096, 1 << 24,
                                      UINT32_MAX};
    struct random r = {31};
    struct wpp_bytes file = encode(&r, 2, 100);
    bool good = true;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        set(&file, 12, counts[i], 4);
        seal_all(&file);
        good = good && is_said(&file);
        for (size_t k = 0; k < 4; k++) {
            set(&file, 12, N_SECTIONS, 4);
            file.data[12 + k] = (uint8_t)(counts[i] >> 8 * k);
            seal_all(&file);
            bool same = wpp_get_u32(file.data + 12) == N_SECTIONS;
            set(&file, 12, N_SECTIONS, 4);
            good = good && (same || is_said(&file));
        }
        set(&file, 12, N_SECTIONS, 4);
        seal_all(&file);
        set(&file, 12, counts[i], 4);
        good = good && is_said(&file);
        for (size_t k = 24; k < 32; k++) {
            seal_all(&file);
            file.data[k] ^= 0x40;
            good = good && is_said(&file);
        }
    }
    tap_ok(good, "no number of sections is believed that the table does not have");
    wpp_bytes_free(&file);
}

/* Sections that are missing, double or unknown. */
static void test_sections(void)
{
    static const uint32_t kinds[] = {1, 2, 3, 4, 5, 6, 7, 1000};
    struct random r = {9};
    struct wpp_bytes original = encode(&r, 1, 20), contents[N_SECTIONS + 1] = {0}, file;
    struct wpp_summary s;
    struct wpp_error error;
    bool good = true;
    wpp *w;

    load_contents(&original, kinds, N_SECTIONS, contents);
    wpp_put(&contents[N_SECTIONS], "later", 5);
    for (uint32_t i = 0; i < N_SECTIONS; i++) {
        struct wpp_bytes some[N_SECTIONS];
        uint32_t some_kinds[N_SECTIONS];

        memcpy(some, contents, sizeof some);
        memcpy(some_kinds, kinds, sizeof some_kinds);
        some_kinds[i] = 1000;
        file = build(some, some_kinds, N_SECTIONS);
        seal(&file);
        w = open_exact(file.data, file.size, &error);
        good = good && !w && error.status == WPP_E_DAMAGED;
        wpp_bytes_free(&file);
        some_kinds[i] = kinds[(i + 1) % N_SECTIONS];
        file = build(some, some_kinds, N_SECTIONS);
        seal(&file);
        w = open_exact(file.data, file.size, &error);
        good = good && !w && error.status == WPP_E_DAMAGED;
        wpp_bytes_free(&file);
    }
    tap_ok(good, "a section that is missing or double is found");
    file = build(contents, kinds, N_SECTIONS + 1);
    seal(&file);
    w = open_exact(file.data, file.size, &error);
    tap_ok(w != NULL, "an unknown section is skipped");
    wpp_close(w);
    wpp_bytes_free(&file);
    /* All but the grammar may have grown fields at their ends; that there are no unread modules is
     * said by no field at all, if none follows. */
    w = open_exact(original.data, original.size, &error);
    wpp_get_summary(w, &s);
    wpp_close(w);
    if (s.n_unread_modules == 0)
        wpp_put_varint(&contents[1], 0);
    for (uint32_t i = 0; i < N_SECTIONS; i++)
        if (i + 1 != WPP_SECTION_GRAMMAR)
            wpp_put(&contents[i], "later", 5);
    file = build(contents, kinds, N_SECTIONS);
    seal(&file);
    w = open_exact(file.data, file.size, &error);
    tap_ok(w != NULL, "bytes behind the last known field are skipped");
    wpp_close(w);
    good = true;
    for (uint32_t version = 0; version <= WPP_FILE_VERSION_LAST + WPP_FILE_VERSION_COLUMNS + 1;
         version++) {
        /* Rows are expected of the earlier versions; and it lacks the segments of three, and the
         * counts of two. */
        bool rows = version <= WPP_FILE_VERSION_LAST;
        uint32_t form = version - (rows ? 0 : WPP_FILE_VERSION_COLUMNS);
        bool known = form >= WPP_FILE_VERSION && form <= WPP_FILE_VERSION_LAST;
        bool whole = !rows && (form == WPP_FILE_VERSION
                               || form == WPP_FILE_VERSION + WPP_FILE_VERSION_EVEN);

        set(&file, 8, version, 4);
        seal(&file);
        w = open_exact(file.data, file.size, &error);
        good = good && (whole ? w != NULL
                        : !w && error.status == (known ? WPP_E_DAMAGED : WPP_E_VERSION));
        wpp_close(w);
    }
    tap_ok(good, "an earlier version is refused, and a later one");
    wpp_bytes_free(&file);
    for (uint32_t i = 0; i <= N_SECTIONS; i++)
        wpp_bytes_free(&contents[i]);
    wpp_bytes_free(&original);
}

int main(void)
{
    test_flips();
    test_cuts();
    test_sections();
    test_changed_contents(600, NEW);
    test_changed_contents(600, PROFILE);
    test_changed_contents(300, OLD);
    test_changed_header(4000);
    test_counts();
    return tap_done();
}
