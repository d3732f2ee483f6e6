/* SPDX-License-Identifier: MIT */
/* Files that are damaged or cut, read as far as they are intact: each part that is read is the
 * whole file's, each other is missing, is empty, and that is said. */
#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/base/bytes.h"
#include "wpp/format/container.h"
#include "wpp/read/reader.h"

enum { HEADER = 32, ENTRY = 40, IN_OFFSET = 8, IN_STORED = 16 };

/* ---- Comparing ---------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool same_run(const struct wpp_summary *a, const struct wpp_summary *b)
{
    return same_text(a->program, b->program) && same_text(a->command, b->command) &&
           same_text(a->host, b->host) && a->pid == b->pid && a->started == b->started &&
           a->nanoseconds == b->nanoseconds && a->lost == b->lost && a->waited == b->waited &&
           a->stops == b->stops && a->stopped == b->stopped && a->unrecorded == b->unrecorded &&
           a->ended == b->ended && a->dropped == b->dropped &&
           a->exited == b->exited && a->killed == b->killed && a->early == b->early &&
           a->trace_bytes == b->trace_bytes && a->complete == b->complete;
}

static bool same_modules(const struct wpp_summary *a, const struct wpp_summary *b)
{
    return a->n_modules == b->n_modules && a->n_unread_modules == b->n_unread_modules &&
           a->n_limited_routines == b->n_limited_routines &&
           a->n_instrumented_routines == b->n_instrumented_routines;
}

/* `modules`: whether a knows them. */
static bool same_routines(const wpp *a, const wpp *b, bool modules)
{
    if (a->n_routines != b->n_routines)
        return false;
    for (uint32_t i = 0; i < a->n_routines; i++) {
        const struct wpp_routine *x = &a->routines[i], *y = &b->routines[i];

        if (!same_text(x->name, y->name) || !same_text(x->file, y->file) ||
            !same_text(x->shown, y->shown) || !same_text(x->directory, y->directory) ||
            !same_text(x->module, modules ? y->module : "") || x->line != y->line ||
            x->num_paths != y->num_paths || x->n_blocks != y->n_blocks ||
            x->n_edges != y->n_edges || x->n_inlined != y->n_inlined)
            return false;
    }
    return true;
}

static bool same_terminals(const wpp *a, const wpp *b, bool times)
{
    if (a->n_terminals != b->n_terminals)
        return false;
    for (uint32_t i = 0; i < a->n_terminals; i++) {
        const struct wpp_terminal *x = &a->terminals[i], *y = &b->terminals[i];

        if (x->token != y->token || x->routine != y->routine || x->path != y->path ||
            x->n_blocks != y->n_blocks || x->insns != y->insns || x->enters != y->enters ||
            x->leaves != y->leaves || x->control != y->control || x->ticks != (times ? y->ticks : 0))
            return false;
        for (uint32_t k = 0; k < x->n_blocks; k++)
            if (x->blocks[k] != y->blocks[k])
                return false;
    }
    return true;
}

/* How long threads are, their entries or the grammar tell. */
static bool same_threads(const wpp *a, const wpp *b)
{
    unsigned missing = wpp_missing(a);

    if (a->summary.is_profile || b->summary.is_profile)
        return a->n_threads == 0;
    if ((missing & WPP_PART_THREADS) && (missing & WPP_PART_GRAMMAR))
        return a->n_threads == 0 && a->summary.tokens == 0;
    if (a->n_threads != b->n_threads || a->summary.tokens != b->summary.tokens)
        return false;
    for (uint32_t k = 0; k < a->n_threads; k++) {
        bool named = !(missing & WPP_PART_THREADS);

        if (a->threads[k].tokens != b->threads[k].tokens ||
            a->threads[k].tid != (named ? b->threads[k].tid : 0) ||
            !same_text(a->threads[k].name, named ? b->threads[k].name : ""))
            return false;
    }
    return true;
}

static bool same_grammar(const wpp *a, const wpp *b)
{
    const struct wpp_grammar *g = wpp_grammar(a), *h = wpp_grammar(b);
    size_t n = (size_t)g->n_rules + g->n_threads;

    return g->n_rules == h->n_rules && g->n_threads == h->n_threads &&
           g->n_terminals == h->n_terminals && a->summary.n_rules == b->summary.n_rules &&
           a->summary.rhs_symbols == b->summary.rhs_symbols &&
           memcmp(g->body, h->body, (n + 1) * sizeof *g->body) == 0 &&
           memcmp(g->length, h->length, n * sizeof *g->length) == 0 &&
           memcmp(g->symbols, h->symbols, g->body[n] * sizeof *g->symbols) == 0;
}

static bool derives_nothing(const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);

    for (uint32_t k = 0; k < g->n_threads; k++)
        if (g->length[k] != 0 || g->body[k + 1] != 0 || wpp_cursor_new(w, k, 0))
            return false;
    return g->n_rules == 0 && w->summary.n_rules == 0 && w->summary.rhs_symbols == 0;
}

static bool same_chunks(const wpp *a, const wpp *b)
{
    for (uint64_t i = 0; a->n_chunks == b->n_chunks && i < a->n_chunks; i++)
        if (a->chunks[i].thread != b->chunks[i].thread ||
            a->chunks[i].first != b->chunks[i].first || a->chunks[i].time != b->chunks[i].time)
            return false;
    return a->n_chunks == b->n_chunks;
}

static bool same_left_out(const wpp *a, const wpp *b, bool modules)
{
    for (uint32_t i = 0; a->n_left_out == b->n_left_out && i < a->n_left_out; i++)
        if (!same_text(a->left_out[i].name, b->left_out[i].name) ||
            !same_text(a->left_out[i].module, modules ? b->left_out[i].module : "") ||
            a->left_out[i].line != b->left_out[i].line)
            return false;
    return a->n_left_out == b->n_left_out && a->summary.n_left_out == b->summary.n_left_out;
}

static bool same_counts(const wpp *a, const wpp *b)
{
    return a->summary.tokens == b->summary.tokens && a->summary.runs == b->summary.runs &&
           a->summary.profile_kind == b->summary.profile_kind &&
           memcmp(a->counts, b->counts, b->n_terminals * sizeof *a->counts) == 0;
}

static bool counts_nothing(const wpp *w)
{
    return !w->counts && w->summary.tokens == 0 && w->summary.runs == 0;
}

static wpp *nothing(void)
{
    static struct wpp empty = {.summary = {.program = "", .command = "", .host = ""}};

    return &empty;
}

/* Each part is that of the whole file, or is missing and empty. */
static const char *compare(const wpp *a, const wpp *whole)
{
    unsigned missing = wpp_missing(a);
    bool modules = !(missing & WPP_PART_MODULES), times = !(missing & WPP_PART_TIMES);
#define OF(part) (missing & WPP_PART_##part ? nothing() : whole)

    if (!same_run(&a->summary, &OF(SUMMARY)->summary))
        return "summary";
    if (!same_modules(&a->summary, &OF(MODULES)->summary))
        return "modules";
    if (!same_routines(a, OF(ROUTINES), modules))
        return "routines";
    if (!same_terminals(a, OF(TERMINALS), times))
        return "terminals";
    if (!same_threads(a, whole))
        return "threads";
    if ((missing & WPP_PART_GRAMMAR) || a->summary.is_profile ? !derives_nothing(a)
                                                                  : !same_grammar(a, whole))
        return "grammar";
    if (!same_chunks(a, OF(CHUNKS)))
        return "chunks";
    if (!same_left_out(a, OF(LEFT_OUT), modules))
        return "left out";
    if (a->summary.ticks != OF(TIMES)->summary.ticks ||
        a->summary.ticks_per_second != OF(TIMES)->summary.ticks_per_second)
        return "times";
    /* Where both have lost all that only one of them has, only the version can tell. */
    if (a->summary.is_profile != whole->summary.is_profile &&
        !(missing & (WPP_PART_GRAMMAR | WPP_PART_COUNTS)))
        return "whether it is a path profile";
    if (whole->counts && (missing & (WPP_PART_COUNTS | WPP_PART_GRAMMAR) ? !counts_nothing(a) : !same_counts(a, whole)))
        return "counts";
#undef OF
    return NULL;
}

/* ---- Files ------------------------------------------------------------------------------ */

/* A file with all sections, each of some bytes, and what is read from it. */
struct sample {
    struct wpp_bytes file;
    uint32_t n;                      /* sections */
    bool profile;
    wpp *w;
};

static uint64_t offset_of(const struct sample *s, uint32_t i)
{
    return wpp_get_u64(s->file.data + HEADER + (size_t)i * ENTRY + IN_OFFSET);
}

static uint64_t stored_of(const struct sample *s, uint32_t i)
{
    return wpp_get_u64(s->file.data + HEADER + (size_t)i * ENTRY + IN_STORED);
}

static bool is_full(const struct sample *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (stored_of(s, i) < 4)
            return false;
    return s->n == (s->profile ? 7 : 9);
}

static struct sample new_sample(struct random *r, bool profile)
{
    struct sample s = {.profile = profile};

    do {
        struct random_content *c = random_content(r, 2, 9);

        if (profile)
            rc_profile(c, r);
        wpp_bytes_free(&s.file);
        if (!wpp_content_encode(&c->content, &s.file, NULL))
            abort();
        s.n = wpp_get_u32(s.file.data + 12);
        random_content_free(c);
    } while (!is_full(&s));
    s.w = wpp_open_memory(s.file.data, s.file.size, "test", NULL);
    if (!s.w)
        abort();
    return s;
}

static void free_sample(struct sample *s)
{
    wpp_close(s->w);
    wpp_bytes_free(&s->file);
}

/* The part of section i: samples have all sections of their kind, in order. */
static unsigned part_of(const struct sample *s, uint32_t i)
{
    static const unsigned profile[] = {
        WPP_PART_SUMMARY, WPP_PART_MODULES, WPP_PART_ROUTINES, WPP_PART_TERMINALS,
        WPP_PART_LEFT_OUT, WPP_PART_TIMES, WPP_PART_COUNTS
    };

    return s->profile ? profile[i] : 1u << i;
}

/* With what cannot be read without them. */
static unsigned and_useless(const struct sample *s, unsigned parts)
{
    /* Control words and plain symbols cannot be told apart then. */
    if ((parts & WPP_PART_SUMMARY) && (parts & WPP_PART_MODULES) && s->w->n_routines == 0
        && s->w->n_terminals > 0)
        parts |= WPP_PART_TERMINALS;
    if (parts & WPP_PART_ROUTINES)
        parts |= WPP_PART_TERMINALS;
    if (parts & WPP_PART_TERMINALS)
        parts |= WPP_PART_TIMES | (s->profile ? WPP_PART_COUNTS : 0);
    if ((parts & WPP_PART_THREADS) && (parts & WPP_PART_GRAMMAR))
        parts |= WPP_PART_CHUNKS;
    return parts;
}

/* A copy of exactly n bytes, so that a read behind its end is an error. */
static wpp *open_exact(const void *data, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct wpp_error error = {.status = WPP_OK};
    wpp *w;

    memcpy(copy, data, n);
    w = wpp_open_memory_intact(copy, n, "test", &error);
    free(copy);
    if (!w && (error.status == WPP_OK || error.text[0] == '\0'))
        abort();
    return w;
}

/* All that is wrong with the file is said: something is, and each missing part. */
static bool is_said(const wpp *w)
{
    uint32_t n;
    unsigned parts = 0;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t i = 0; i < n; i++) {
        parts |= damage[i].part;
        if (damage[i].text[0] == '\0' || strchr(damage[i].text, '\n'))
            return false;
    }
    return n > 0 && parts == wpp_missing(w);
}

struct tally {
    unsigned files, opened, wrong;
};

/* A changed file; `expected` are the parts that must be missing, ~0: any. */
static void try(struct tally *t, const struct sample *s, const void *data, size_t n,
                unsigned expected)
{
    wpp *w = open_exact(data, n);
    const char *differs = w ? compare(w, s->w) : NULL;
    bool wrong = w ? differs || !is_said(w) || (expected != ~0u && wpp_missing(w) != expected)
                   : expected != ~0u && expected != wpp_present(s->w);

    t->files++;
    t->opened += w != NULL;
    if (wrong && t->wrong++ < 5)
        tap_note("%zu bytes: %s, missing %x of %x", n, differs ? differs : "not said",
                 w ? wpp_missing(w) : 0, expected);
    wpp_close(w);
}

/* ---- The checks --------------------------------------------------------------------------- */

static void test_mend(void)
{
    enum { SIZE = 300 };
    struct random r = {3};
    unsigned found = 0, invented = 0, rounds = 3000;

    for (unsigned i = 0; i < rounds; i++) {
        uint8_t data[SIZE], byte, was;
        size_t n = 1 + draw(&r, SIZE), at, place = draw(&r, (uint32_t)n);
        uint64_t sum;

        for (size_t k = 0; k < n; k++)
            data[k] = (uint8_t)draw(&r, 256);
        sum = wpp_fnv(WPP_FNV_START, data, n);
        was = data[place];
        data[place] ^= (uint8_t)(1 + draw(&r, 255));
        found += wpp_fnv_mend(data, n, sum, &at, &byte) && at == place && byte == was;
        data[(place + 1) % n] ^= (uint8_t)(1 + draw(&r, 255));
        invented += n > 1 && wpp_fnv_mend(data, n, sum, &at, &byte);
    }
    tap_ok(found == rounds, "a byte that has changed is found by its checksum (%u of %u)", found,
           rounds);
    tap_ok(invented == 0, "two are not taken for another one");
}

static void test_checksums_of_many(void)
{
    enum { MOST = 12, SIZE = 100 };
    struct random r = {4};
    unsigned same = 0, all = 0;

    for (unsigned i = 0; i < 3000; i++) {
        uint8_t data[MOST][SIZE];
        struct wpp_view views[MOST];
        uint64_t sums[MOST];
        size_t n = draw(&r, MOST + 1);

        for (size_t k = 0; k < n; k++) {
            size_t size = draw(&r, 4) ? draw(&r, SIZE + 1) : draw(&r, 2);
            for (size_t j = 0; j < size; j++)
                data[k][j] = (uint8_t)draw(&r, 256);
            views[k] = wpp_view(data[k], size);
        }
        wpp_fnv_each(views, n, sums);
        all += (unsigned)n;
        for (size_t k = 0; k < n; k++)
            same += sums[k] == wpp_fnv(WPP_FNV_START, views[k].p, wpp_left(&views[k]));
    }
    tap_ok(same == all, "checksums four at a time are those of one at a time (%u of %u)", same, all);
}

static void test_flips(struct random *r, bool profile)
{
    struct sample s = new_sample(r, profile);
    struct tally t = {0};

    for (size_t i = 0; i < s.file.size; i++) {
        uint8_t mask = (uint8_t)(draw(r, 2) ? 1u << draw(r, 8) : 1 + draw(r, 255));

        s.file.data[i] ^= mask;
        try(&t, &s, s.file.data, s.file.size, 0);
        s.file.data[i] ^= mask;
    }
    tap_ok(t.wrong == 0 && t.opened == t.files, "%s: any one changed byte costs nothing (%u of %u)",
           profile ? "a path profile" : "a WPP", t.files - t.wrong, t.files);
    free_sample(&s);
}

/* Two bytes, as far as a section has two: one would be mended. */
static void hurt(struct sample *s, uint32_t i, struct random *r)
{
    uint64_t at = offset_of(s, i), n = stored_of(s, i), first = draw(r, (uint32_t)n);

    s->file.data[at + first] ^= (uint8_t)(1 + draw(r, 255));
    s->file.data[at + (first + 1) % n] ^= (uint8_t)(1 + draw(r, 255));
}

static void test_sections(struct random *r, bool profile)
{
    struct tally t = {0};

    for (unsigned round = 0; round < 60; round++) {
        struct sample s = new_sample(r, profile);
        struct wpp_bytes kept = {0};

        wpp_put(&kept, s.file.data, s.file.size);
        for (unsigned bits = 1; bits < 1u << s.n; bits += round < 3 ? 1 : 1 + draw(r, 99)) {
            unsigned lost = 0;

            for (uint32_t i = 0; i < s.n; i++)
                if (bits >> i & 1) {
                    hurt(&s, i, r);
                    lost |= part_of(&s, i);
                }
            try(&t, &s, s.file.data, s.file.size, and_useless(&s, lost));
            memcpy(s.file.data, kept.data, kept.size);
        }
        wpp_bytes_free(&kept);
        free_sample(&s);
    }
    tap_ok(t.wrong == 0, "sections that have changed are missing, the others are there (%u files)",
           t.files);
}

static void test_cuts(struct random *r, bool profile)
{
    struct sample s = new_sample(r, profile);
    struct tally t = {0};

    for (size_t n = 0; n < s.file.size; n++) {
        unsigned missing = 0;

        for (uint32_t i = 0; i < s.n; i++)
            if (offset_of(&s, i) + stored_of(&s, i) > n)
                missing |= part_of(&s, i);
        try(&t, &s, s.file.data, n, and_useless(&s, missing));
    }
    tap_ok(t.wrong == 0, "what stands before a cut is there (%u cuts)", t.files);
    t = (struct tally){0};
    wpp_put(&s.file, "more", 4);
    try(&t, &s, s.file.data, s.file.size, 0);
    tap_ok(t.wrong == 0 && t.opened == 1, "what follows the end costs nothing");
    free_sample(&s);
}

/* Whatever has become of header and table, what is read is right; entries that nothing
 * happened to are found. */
static void test_heads(struct random *r, bool profile)
{
    struct tally t = {0}, whole = {0};

    for (unsigned round = 0; round < 20; round++) {
        struct sample s = new_sample(r, profile);
        size_t end = HEADER + (size_t)s.n * ENTRY;
        struct wpp_bytes kept = {0};

        wpp_put(&kept, s.file.data, s.file.size);
        for (unsigned k = 0; k < 300; k++) {
            for (uint32_t n = 2 + draw(r, 12); n > 0; n--)
                s.file.data[draw(r, 8) ? draw(r, (uint32_t)end) : 16 + draw(r, 16)]
                    = draw(r, 3) ? (uint8_t)draw(r, 256) : (uint8_t)draw(r, 12);
            if (memcmp(s.file.data, kept.data, end) != 0)
                try(&t, &s, s.file.data, s.file.size, ~0u);
            memcpy(s.file.data, kept.data, end);
        }
        for (uint32_t i = 0; i < s.n; i++) {
            /* One of 8 and 9 alone may be taken for the other. */
            unsigned pair = WPP_PART_LEFT_OUT | WPP_PART_TIMES, lost = part_of(&s, i);

            lost |= lost & pair ? pair : 0;

            memset(s.file.data + HEADER + i * ENTRY, draw(r, 2) ? 0xff : 0, ENTRY);
            try(&whole, &s, s.file.data, s.file.size, and_useless(&s, lost));
            memcpy(s.file.data, kept.data, end);
        }
        wpp_bytes_free(&kept);
        free_sample(&s);
    }
    tap_ok(t.wrong == 0 && t.opened > t.files / 10,
           "with another header, what is read is right (%u of %u files)", t.opened, t.files);
    tap_ok(whole.wrong == 0, "an entry that is lost costs its section (%u files)", whole.files);
}

int main(void)
{
    struct random r = {20};

    test_mend();
    test_checksums_of_many();
    for (int profile = 0; profile < 2; profile++) {
        test_flips(&r, profile);
        test_sections(&r, profile);
        test_cuts(&r, profile);
        test_heads(&r, profile);
    }
    return tap_done();
}
