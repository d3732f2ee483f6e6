/* SPDX-License-Identifier: MIT */
/* Grammars that take the room there is become segments: nothing is lost, the file does not depend on the
 * number of threads, and one that does not take it is as without.
 * test: slow 6 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/tap.h"
#include "wpp/base/whole-file.h"
#include "wpp/compress/compress.h"
#include "wpp/read/reader.h"

/* A part behind the base has so many terminals (segmenter.c). */
#ifdef WPP_HOSTILE
enum { PART = 1000, ROUNDS = 60, MOST = 12 };
#else
enum { PART = 1 << 24, ROUNDS = 1, MOST = 2 };
#endif

static char folder[256], path[300];

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return (uint32_t)(*state >> 40) % below;
}

/* Words of a few letters, mostly such as came before; or runs of one letter. */
static void write_words(uint32_t *out, size_t n, uint64_t seed, bool repeats)
{
    uint32_t letter = 0, left = 0;

    for (size_t i = 0; i < n; i++) {
        if (left == 0) {
            letter = draw(&seed, 1000);
            left = (repeats ? 3000 : 5) + letter % 9;
        }
        left--;
        out[i] = 100 + (letter * 7 + (repeats ? left % 3 : left)) % 211;
    }
}

/* ---- One way to compress --------------------------------------------------------------- */

enum way { IN_PARTS, ONE_PIECE, ASIDE };

struct result {
    bool done;
    struct wpp_bytes bytes;      /* of the file */
    wpp *w;
};

static void no_trim(void)
{
}

static bool prepare(wpp_compressor *c, enum way way, struct wpp_crew *crew, uint64_t room)
{
    static const struct wpp_heap heap = {no_trim};
    bool done = true;

    wpp_compress_heap(c, &heap);
    if (way == IN_PARTS)
        done = wpp_compress_jobs(c, crew, NULL);
    else if (way == ASIDE)
        done = wpp_compress_aside(c, crew, NULL);
    return done && (room == 0 || wpp_compress_room(c, room, folder, NULL));
}

/* In pieces of `piece` words. */
static bool push(wpp_compressor *c, const uint32_t *words, size_t n, size_t piece)
{
    bool done = true;

    for (size_t at = 0; done && at < n; at += piece)
        done = wpp_compress_push(c, words + at, 4 * (n - at < piece ? n - at : piece), NULL);
    return done;
}

static bool write_file(wpp_compressor *c)
{
    struct wpp_output *out = wpp_output_open(path, WPP_OUTPUT_REPLACE, NULL);
    struct wpp_bytes file = {0};
    bool done = wpp_compress_finish(c, &file, NULL, NULL) && wpp_compress_write(c, &file, out, NULL) &&
                wpp_output_commit(out, NULL);

    wpp_bytes_free(&file);
    return done;
}

static bool read_file(struct wpp_bytes *out)
{
    FILE *f = fopen(path, "rb");
    static uint8_t piece[1 << 16];
    size_t n;

    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
        wpp_put(out, piece, n);
    if (f)
        fclose(f);
    return f && !out->failed;
}

static struct result compress(const uint32_t *words, size_t n, enum way way, uint32_t threads,
                              uint64_t room, size_t piece)
{
    struct wpp_crew crew = {threads, threads};
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_SYMBOLS, NULL);
    struct result r = {.done = prepare(c, way, &crew, room) && push(c, words, n, piece) &&
                               write_file(c) && read_file(&r.bytes)};

    wpp_compress_free(c);
    r.w = r.done ? wpp_open(path, NULL) : NULL;
    return r;
}

static void drop(struct result *r)
{
    wpp_close(r->w);
    wpp_bytes_free(&r->bytes);
}

static bool has_words(const wpp *w, const uint32_t *words, size_t n)
{
    struct wpp_cursor *c = w ? wpp_cursor_new(w, 0, 0) : NULL;
    static uint32_t got[4096];
    bool same = c != NULL;

    for (size_t at = 0; same && at < n;) {
        size_t now = wpp_cursor_read(c, got, 4096);

        same = now > 0 && now <= n - at;
        for (size_t i = 0; same && i < now; i++)
            same = wpp_terminal(w, got[i])->token == words[at + i];
        at += now;
    }
    same = same && wpp_cursor_read(c, got, 1) == 0;
    wpp_cursor_free(c);
    return same;
}

static uint32_t segments_of(const wpp *w)
{
    struct wpp_summary summary = {0};

    if (w)
        wpp_get_summary(w, &summary);
    return summary.n_segments;
}

/* ---- Checks --------------------------------------------------------------------------- */

static bool same_bytes(const struct result *a, const struct result *b)
{
    return a->done && b->done && a->bytes.size == b->bytes.size &&
           memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0;
}

/* The room of a few words is taken at every end of a part. */
static bool is_cut(const uint32_t *words, size_t n, uint64_t room, uint64_t seed)
{
    struct result one = compress(words, n, IN_PARTS, 0, room, n);
    struct result two = compress(words, n, IN_PARTS, 1 + seed % 3, room, 1 + seed % 5000);
    bool right = has_words(one.w, words, n) && same_bytes(&one, &two);

    if (!right)
        tap_note("seed %llu: %zu words, room of %llu: %d %d", (unsigned long long)seed, n,
                 (unsigned long long)room, has_words(one.w, words, n), has_words(two.w, words, n));
    drop(&one);
    drop(&two);
    return right;
}

static void test_many(uint32_t *words)
{
    uint32_t wrong = 0, cut = 0;

    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        /* One in four is short. */
        uint64_t state = seed * (seed % 4 ? UINT64_C(0x9e3779b97f4a7c15) : 7919);
        size_t n = 1 + draw(&state, MOST * PART);
        uint64_t room = 1 + draw(&state, 20000);
        struct result r;

        write_words(words, n, state, seed % 3 == 0);
        wrong += !is_cut(words, n, room, seed);
        r = compress(words, n, seed % 2 ? ONE_PIECE : ASIDE, 1, room, 1 + draw(&state, 3000));
        if (!has_words(r.w, words, n)) {
            tap_note("seed %llu: %zu words, room of %llu, one piece", (unsigned long long)seed, n,
                     (unsigned long long)room);
            wrong++;
        }
        cut += segments_of(r.w) > 1;
        drop(&r);
    }
    tap_ok(wrong == 0, "in parts, in one piece and aside: %u wrong of %u", wrong, 2 * ROUNDS);
    tap_ok(cut > ROUNDS / 10, "some are cut");
}

/* What comes before a base would end, and what comes behind that. */
static void test_base(uint32_t *words)
{
    size_t n = PART + PART / 50;
    struct result r;

    write_words(words, n, 88172645463325252u, false);
    r = compress(words, n, IN_PARTS, 2, 1, n);
    tap_ok(has_words(r.w, words, n), "nothing is lost");
    tap_ok(segments_of(r.w) > 1, "in segments");
    drop(&r);
}

static void test_room_enough(uint32_t *words)
{
    size_t n = PART / 100 + 100;
    struct result with, without;

    write_words(words, n, 5, false);
    with = compress(words, n, IN_PARTS, 1, UINT64_C(1) << 40, n);
    without = compress(words, n, IN_PARTS, 1, 0, n);
    tap_ok(same_bytes(&with, &without), "with room enough the file is as without");
    drop(&with);
    drop(&without);
    strcpy(folder + strlen(folder), "/none");
    with = compress(words, n, ONE_PIECE, 1, 1, n);
    tap_ok(with.done && has_words(with.w, words, n), "without a file to put segments in, too");
    drop(&with);
}

int main(void)
{
    const char *parent = getenv("TMPDIR");
    uint32_t *words = malloc((size_t)(MOST + 1) * PART * sizeof *words);

    snprintf(folder, 200, "%s/wpp-unit.XXXXXX", parent ? parent : "/tmp");
    if (!words || !mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/file.wpp", folder);
#ifdef WPP_HOSTILE
    test_many(words);
#else
    (void)test_many;
#endif
    test_base(words);
    test_room_enough(words);
    remove(path);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    free(words);
    return tap_done();
}
