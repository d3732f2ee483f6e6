/* SPDX-License-Identifier: MIT */
/* Files whose grammar is in segments, some of which are damaged or cut off: the others are read,
 * and Gap stands in the place of those.
 * test: slow 3 */
#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/format/container.h"
#include "wpp/format/grammar-code.h"
#include "wpp/read/reader.h"

enum { SEGMENTS = 4, ALL = (1 << SEGMENTS) - 1 };

/* Each segment is the same grammar; so a thread's events are SEGMENTS times `events`. */
struct sample {
    struct wpp_bytes file;
    uint64_t begin[SEGMENTS + 1];    /* of the segments in the file, and its end */
    uint32_t n_threads;
    uint32_t *events[RC_THREADS];    /* in one segment */
    uint64_t n_events[RC_THREADS];
    wpp *w;
};

/* Its terminals are numbered from `first` on. */
static void put_segment(struct wpp_segments *s, struct wpp_bytes *all, const struct wpp_grammar *g,
                        uint32_t first)
{
    struct wpp_bytes b = {0};
    size_t begin = all->size;

    wpp_put_varint(&b, g->n_terminals);
    for (uint32_t i = 0; i < g->n_terminals; i++)
        wpp_put_varint(&b, first + i);
    if (!wpp_grammar_encode(g, &b))
        abort();
    wpp_put_varint(all, b.size);
    wpp_put(all, b.data, b.size);
    wpp_put_varint(&s->list, all->size - begin);
    wpp_put_u64(&s->list, wpp_fnv(WPP_FNV_START, all->data + begin, all->size - begin));
    wpp_put_varint(&s->list, g->n_threads);
    for (uint32_t k = 0; k < g->n_threads; k++)
        wpp_put_varint(&s->list, g->length[g->n_rules + k]);
    s->n++;
    wpp_bytes_free(&b);
}

/* Without the list: as files were made before there was one.  The last segment's terminals
 * are numbered from `last` on: only 0 is right. */
static struct sample new_sample_numbered(struct random *r, bool with_list, uint32_t last)
{
    struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), 30);
    struct wpp_grammar *g = &c->content.grammar;
    struct wpp_segments segments = {0};
    struct wpp_bytes all = {0};
    struct sample s = {.n_threads = g->n_threads};

    for (uint32_t k = 0; k < g->n_threads; k++) {
        uint32_t *end;

        s.n_events[k] = g->length[g->n_rules + k];
        s.events[k] = end = malloc((s.n_events[k] + 1) * sizeof *end);
        rc_expand(g, g->n_rules + k, &end);
        c->threads[k].tokens *= SEGMENTS;
    }
    for (unsigned i = 0; i < SEGMENTS; i++) {
        s.begin[i] = all.size;
        put_segment(&segments, &all, g, i + 1 < SEGMENTS ? 0 : last);
    }
    segments.bytes = all.size;
    segments.check = wpp_fnv(WPP_FNV_START, all.data, all.size);
    c->content.segments = &segments;
    if (!wpp_content_encode(&c->content, &s.file, NULL))
        abort();
    for (unsigned i = 0; i < SEGMENTS; i++)
        s.begin[i] += s.file.size;
    wpp_put(&s.file, all.data, all.size);
    s.begin[SEGMENTS] = s.file.size;
    if (!with_list) {
        /* One of a kind that nobody knows. */
        for (uint32_t i = 0; i < wpp_get_u32(s.file.data + 12); i++)
            if (wpp_get_u32(s.file.data + 32 + 40 * i) == WPP_SECTION_SEGMENT_LIST)
                s.file.data[32 + 40 * i] = 99;
        uint64_t sum = wpp_fnv(WPP_FNV_START, s.file.data, 24);

        sum = wpp_fnv(sum, s.file.data + 32, 40 * wpp_get_u32(s.file.data + 12));
        memcpy(s.file.data + 24, &sum, sizeof sum);
    }
    s.w = wpp_open_memory(s.file.data, s.file.size, "test", NULL);
    wpp_bytes_free(&all);
    wpp_bytes_free(&segments.list);
    random_content_free(c);
    return s;
}

static struct sample new_sample(struct random *r, bool with_list)
{
    return new_sample_numbered(r, with_list, 0);
}

static void free_sample(struct sample *s)
{
    for (uint32_t k = 0; k < s->n_threads; k++)
        free(s->events[k]);
    wpp_close(s->w);
    wpp_bytes_free(&s->file);
}

static bool is_gap(const wpp *w, uint32_t terminal)
{
    return wpp_terminal(w, terminal)->control && wpp_terminal(w, terminal)->token == WPP_GAP
        && wpp_terminal(w, terminal)->routine == WPP_NO_ROUTINE;
}

/* Thread k is the segments' events, but for one Gap where some that are lost had any. */
static bool is_right_thread(const wpp *w, const struct sample *s, uint32_t k, unsigned lost)
{
    wpp_cursor *cursor = wpp_cursor_new(w, k, 0);
    uint64_t n = s->n_events[k], want = 0;
    bool right = cursor && wpp_thread(w, k)->recorded == SEGMENTS * n, gap = false;
    uint32_t next;

    for (unsigned i = 0; right && i < SEGMENTS; i++) {
        if (lost >> i & 1) {
            if (!gap && n > 0)
                right = wpp_cursor_read(cursor, &next, 1) == 1 && is_gap(w, next) && ++want;
            gap = true;
            continue;
        }
        for (uint64_t e = 0; right && e < n; e++)
            right = wpp_cursor_read(cursor, &next, 1) == 1 && next == s->events[k][e] && ++want;
        gap = gap && n == 0;
    }
    right = right && wpp_cursor_read(cursor, &next, 1) == 0 && wpp_thread(w, k)->tokens == want;
    wpp_cursor_free(cursor);
    return right;
}

static const char *compare(const wpp *w, const struct sample *s, unsigned lost)
{
    struct wpp_summary sum;
    uint64_t tokens = 0, all = 0, unread = 0;

    wpp_get_summary(w, &sum);
    if (lost == ALL)
        return wpp_missing(w) & WPP_PART_GRAMMAR ? NULL : "nothing is left";
    if (wpp_missing(w) & WPP_PART_GRAMMAR)
        return "the grammar is missing";
    if (sum.n_threads != s->n_threads || wpp_grammar(w)->n_threads != s->n_threads)
        return "other threads";
    for (uint32_t k = 0; k < s->n_threads; k++) {
        if (!is_right_thread(w, s, k, lost))
            return "a thread's events";
        tokens += wpp_thread(w, k)->tokens;
        all += wpp_thread(w, k)->recorded;
        unread += s->n_events[k] * (unsigned)__builtin_popcount(lost);
    }
    if (sum.tokens != tokens || sum.recorded != all || sum.unread != unread)
        return "sums";
    if (unread > 0 && !(wpp_missing(w) & WPP_PART_CHUNKS))
        return "chunks have no place any more";
    return NULL;
}

struct tally { unsigned files, wrong; };

/* `lost`: bit i for segment i. */
static void try(struct tally *t, const struct sample *s, const uint8_t *data, size_t n,
                unsigned lost)
{
    uint8_t *copy = malloc(n);
    wpp *w;
    const char *differs;
    uint32_t n_damages = 0;

    memcpy(copy, data, n);
    w = wpp_open_memory_intact(copy, n, "test", NULL);
    free(copy);
    /* Without summary, modules and routines words may be numbers or control words: then the terminals
     * are not read, and which of them is Gap cannot be looked up. */
    if (w && wpp_missing(w) & WPP_PART_TERMINALS) {
        wpp_close(w);
        return;
    }
    differs = w ? compare(w, s, lost) : lost != ALL ? "not opened" : NULL;
    if (w)
        wpp_damages(w, &n_damages);
    t->files++;
    if ((differs || (w && n_damages == 0)) && t->wrong++ < 5)
        tap_note("lost %x: %s", lost, differs ? differs : "not said");
    wpp_close(w);
}

static void change(struct sample *s, uint64_t from, uint64_t to, unsigned times, struct random *r)
{
    uint64_t at = from + draw(r, (uint32_t)(to - from));

    for (unsigned k = 0; k < times; k++)
        s->file.data[from + (at - from + k) % (to - from)] ^= (uint8_t)(1 + draw(r, 255));
}

static void test_lost(struct random *r)
{
    struct tally several = {0}, one = {0}, cuts = {0}, unlisted = {0};

    for (unsigned round = 0; round < 60; round++) {
        bool with_list = round % 5 != 0;
        struct sample s = new_sample(r, with_list);
        struct wpp_bytes kept = {0};

        if (!s.w)
            abort();
        wpp_put(&kept, s.file.data, s.file.size);
        for (unsigned lost = 1; lost <= ALL; lost++) {
            for (unsigned i = 0; i < SEGMENTS; i++)
                if (lost >> i & 1)
                    change(&s, s.begin[i], s.begin[i + 1], 2, r);
            try(with_list ? &several : &unlisted, &s, s.file.data, s.file.size,
                with_list ? lost : ALL);
            memcpy(s.file.data, kept.data, kept.size);
            /* One byte of each of these: segments are mended one by one. */
            for (unsigned i = 0; i < SEGMENTS; i++)
                if (lost >> i & 1)
                    change(&s, s.begin[i], s.begin[i + 1], 1, r);
            if (with_list)
                try(&one, &s, s.file.data, s.file.size, 0);
            memcpy(s.file.data, kept.data, kept.size);
        }
        for (size_t n = s.begin[0]; with_list && n < s.file.size; n += 1 + draw(r, 9)) {
            unsigned lost = 0;

            for (unsigned i = 0; i < SEGMENTS; i++)
                lost |= (unsigned)(s.begin[i + 1] > n) << i;
            try(&cuts, &s, s.file.data, n, lost);
        }
        wpp_bytes_free(&kept);
        free_sample(&s);
    }
    tap_ok(several.wrong == 0, "segments that are intact are read (%u files)", several.files);
    tap_ok(one.wrong == 0, "a changed byte in each costs nothing (%u files)", one.files);
    tap_ok(cuts.wrong == 0, "those before a cut are read (%u files)", cuts.files);
    tap_ok(unlisted.wrong == 0, "without the list of segments there is no grammar (%u files)",
           unlisted.files);
}

/* The list, and what the segments are about, may be damaged as well. */
static void test_others(struct random *r)
{
    struct tally t = {0};

    for (unsigned round = 0; round < 400; round++) {
        struct sample s = new_sample(r, true);
        uint32_t n = wpp_get_u32(s.file.data + 12);
        unsigned lost = 1 + draw(r, ALL);

        for (unsigned i = 0; i < SEGMENTS; i++)
            if (lost >> i & 1)
                change(&s, s.begin[i], s.begin[i + 1], 2, r);
        for (uint32_t i = 0; i + 1 < n; i++) {
            const uint8_t *entry = s.file.data + 32 + 40 * i;
            uint64_t at = wpp_get_u64(entry + 8), bytes = wpp_get_u64(entry + 16);

            if (draw(r, 3) || bytes < 3)
                continue;
            change(&s, at, at + bytes, 3, r);
            if (wpp_get_u32(entry) == WPP_SECTION_SEGMENT_LIST)
                lost = ALL;
            /* Without the paths, which terminal Gap is cannot be looked up. */
            if (wpp_get_u32(entry) == WPP_SECTION_ROUTINES ||
                wpp_get_u32(entry) == WPP_SECTION_TERMINALS)
                lost |= 1u << SEGMENTS;
        }
        if (!(lost >> SEGMENTS))
            try(&t, &s, s.file.data, s.file.size, lost);
        else
            wpp_close(wpp_open_memory_intact(s.file.data, s.file.size, "test", NULL));
        free_sample(&s);
    }
    tap_ok(t.wrong == 0 && t.files > 100, "whatever else is damaged (%u files)", t.files);
}

/* The list alone, or a section that nobody reads: nothing is missing, but something is wrong. */
static void test_unread(struct random *r)
{
    struct tally t = {0};

    for (unsigned round = 0; round < 40; round++) {
        struct sample s = new_sample(r, round % 2);
        uint32_t n = wpp_get_u32(s.file.data + 12);
        const uint8_t *entry = s.file.data + 32 + 40 * (n - 2);
        uint64_t at = wpp_get_u64(entry + 8);

        change(&s, at, at + wpp_get_u64(entry + 16), 1 + round / 2 % 2, r);
        try(&t, &s, s.file.data, s.file.size, 0);
        free_sample(&s);
    }
    tap_ok(t.wrong == 0, "damage where nothing is read is said (%u files)", t.files);
}

/* A file that was made up: the last segment has terminals that it would take gigabytes to
 * count, and no section of terminals says that there are none. */
static void test_numbers(struct random *r)
{
    struct sample s = new_sample_numbered(r, true, UINT32_C(1) << 29);
    const struct wpp_damage *damage;
    uint32_t n;
    bool said = false;
    wpp *w;

    if (s.w || wpp_get_u32(s.file.data + 32 + 3 * 40) != WPP_SECTION_TERMINALS)
        abort();
    change(&s, wpp_get_u64(s.file.data + 32 + 3 * 40 + 8),
           wpp_get_u64(s.file.data + 32 + 4 * 40 + 8), 2, r);
    change(&s, s.begin[0], s.begin[1], 2, r);
    w = wpp_open_memory_intact(s.file.data, s.file.size, "test", NULL);
    damage = w ? wpp_damages(w, &n) : NULL;
    for (uint32_t i = 0; w && i < n; i++)
        said |= damage[i].part == WPP_PART_GRAMMAR;
    tap_ok(w && (wpp_missing(w) & WPP_PART_GRAMMAR) && wpp_grammar(w)->n_terminals == 0 && said,
           "numbers of terminals that the file cannot hold are refused, and that is said");
    wpp_close(w);
    free_sample(&s);
}

int main(void)
{
    struct random r = {30};

    test_unread(&r);

    test_lost(&r);
    test_others(&r);
    test_numbers(&r);
    return tap_done();
}
