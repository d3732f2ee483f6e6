/* SPDX-License-Identifier: MIT */
/* From traces made by hand to WPPs: whole ones, cut after every byte, damaged,
 * incomplete; and programs that are not what was traced.
 * test: slow 3 */
#include <unistd.h>

#include "test/unit/tap.h"
#include "test/unit/trace-builder.h"
#include "wpp/compress/compress.h"
#include "wpp/read/reader.h"

static char directory[256], program[300];
static struct wpp_bytes units, tables;

static const unsigned paths_a[] = {3, 1, 5}, paths_b[] = {2, 7};
enum { BASE = 16, PATHS_A = 9, PATHS_B = 9 };

static void make_program(void)
{
    const char *parent = getenv("TMPDIR");
    struct wpp_bytes elf;

    snprintf(directory, sizeof directory, "%s/wpp-unit.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(directory))
        abort();
    snprintf(program, sizeof program, "%s/program", directory);
    tb_unit(&units, &tables, "a.c", paths_a, 3);
    wpp_put(&tables, "\0\0\0\0\0", 5);
    tb_unit(&units, &tables, "b.c", paths_b, 2);
    elf = tb_elf(&units, &tables, "1234");
    tb_write_file(program, &elf);
    wpp_bytes_free(&elf);
}

/* ---- Compressing ------------------------------------------------------------------- */

struct result {
    bool done;
    struct wpp_error error, note;
    struct wpp_bytes file;
    wpp *w;
};

/* In pieces of at most `piece` bytes, each at an odd address as often as not. */
static struct result compress(enum wpp_compress_input input, const uint8_t *bytes, size_t n,
                              size_t piece)
{
    struct result r = {.done = true};
    wpp_compressor *c = wpp_compress_new(input, &r.error);

    for (size_t at = 0; r.done && at < n; at += piece) {
        size_t now = n - at < piece ? n - at : piece;
        uint8_t *copy = malloc(now + 1), *odd = copy + at % 2;

        memcpy(odd, bytes + at, now);
        r.done = wpp_compress_push(c, odd, now, &r.error);
        free(copy);
    }
    r.done = r.done && wpp_compress_finish(c, &r.file, &r.note, &r.error);
    wpp_compress_free(c);
    if (r.done)
        r.w = wpp_open_memory(r.file.data, r.file.size, "test", &r.error);
    return r;
}

static void drop(struct result *r)
{
    wpp_close(r->w);
    wpp_bytes_free(&r->file);
}

/* Whether a thread's events are these tokens. */
static bool has_tokens(const wpp *w, uint32_t thread, const uint32_t *tokens, size_t n)
{
    struct wpp_cursor *c;
    bool same;
    uint32_t t;

    if (n == 0 && thread >= wpp_grammar(w)->n_threads)
        return true;
    c = wpp_cursor_new(w, thread, 0);
    same = c && wpp_thread(w, thread)->tokens == n;
    for (size_t i = 0; same && i < n; i++)
        same = wpp_cursor_read(c, &t, 1) == 1 && wpp_terminal(w, t)->token == tokens[i];
    wpp_cursor_free(c);
    return same;
}

/* ---- A trace of two threads -------------------------------------------------------------- */

/* Zeros are no events; 0xFFFF0007 is a control word; 5000 is in no module. */
static const uint32_t first_a[] = {16, 17, 24, 0, 25, 16, 17, 24, 33, 16};
static const uint32_t second_a[] = {17, 24, 0xFFFF0007, 5000, 16, 17};
static const uint32_t first_b[] = {33, 20, 20, 20, 20, 33};
static const uint32_t all_a[] = {16, 17, 24, 25, 16, 17, 24, 33, 16,
                                 17, 24, 0xFFFF0007, 5000, 16, 17};
static const size_t n_words = 22, n_a = 15, n_b = 6;

#define LENGTH(array) (sizeof(array) / sizeof (array)[0])

/* The records of the trace, so that tests can leave one out or change one. */
enum { PROCESS, LOAD, THREAD_A, TOKENS_A, THREAD_B, TOKENS_B, MORE_A, END_B, END, N_RECORDS };

static void put_part(struct wpp_bytes *t, int part)
{
    switch (part) {
    case PROCESS: tb_process(t); break;
    case LOAD: tb_module(t, 1, BASE, &units, "1234", program); break;
    case THREAD_A: tb_record(t, WPP_REC_THREAD, 4242, 0, "main", 4); break;
    case TOKENS_A: tb_tokens(t, 4242, 1, 0, first_a, LENGTH(first_a)); break;
    case THREAD_B: tb_record(t, WPP_REC_THREAD, 4243, 0, "unnamed", 7); break;
    case TOKENS_B: tb_tokens(t, 4243, 1, 0, first_b, LENGTH(first_b)); break;
    case MORE_A: tb_tokens(t, 4242, 2, LENGTH(first_a), second_a, LENGTH(second_a)); break;
    case END_B: tb_record(t, WPP_REC_THREAD_END, 4243, 2, "other", 5); break;
    case END: tb_end(t, 2, n_words, 0); break;
    }
}

static struct wpp_bytes make_trace(int without)
{
    struct wpp_bytes t = {0};

    for (int part = 0; part < N_RECORDS; part++)
        if (part != without)
            put_part(&t, part);
    return t;
}

static bool is_routine(const wpp *w, uint32_t token, const char *name, const char *file,
                       uint64_t path)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    for (uint32_t i = 0; i < s.n_terminals; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);
        const struct wpp_routine *r;

        if (t->token != token)
            continue;
        if (!name || t->routine == WPP_NO_ROUTINE)
            return !name && t->routine == WPP_NO_ROUTINE;
        r = wpp_routine(w, t->routine);
        return strcmp(r->name, name) == 0 && strcmp(r->file, file) == 0 && t->path == path &&
               t->n_blocks == 1 && t->blocks[0] == path + 2 && t->enters && t->leaves &&
               strcmp(r->module, program) == 0;
    }
    return false;
}

static void test_whole(void)
{
    struct wpp_bytes t = make_trace(-1);
    struct result r = compress(WPP_INPUT_TRACE, t.data, t.size, SIZE_MAX / 2);
    struct wpp_summary s;
    bool same = true;

    if (!tap_ok(r.w && r.note.status == WPP_OK, "a whole trace is compressed")) {
        tap_note("%s %s", r.error.text, r.note.text);
        return;
    }
    wpp_get_summary(r.w, &s);
    tap_ok(s.n_threads == 2 && has_tokens(r.w, 0, all_a, n_a) &&
           has_tokens(r.w, 1, first_b, n_b), "each thread has its tokens");
    tap_ok(is_routine(r.w, 16, "f2", "a.c", 0) && is_routine(r.w, 17, "f2", "a.c", 1) &&
           is_routine(r.w, 20, "f4", "a.c", 0) && is_routine(r.w, 24, "f4", "a.c", 4) &&
           is_routine(r.w, 25, "f2", "b.c", 0) && is_routine(r.w, 33, "f3", "b.c", 6),
           "tokens lead to their routines, paths and blocks");
    tap_ok(is_routine(r.w, 5000, NULL, NULL, 0) && is_routine(r.w, 0xFFFF0007, NULL, NULL, 0),
           "tokens of no module stay symbols");
    tap_ok(strcmp(s.program, "/bin/prog") == 0 && strcmp(s.command, "prog -x 1") == 0 &&
           strcmp(s.host, "box") == 0 && s.pid == 4242 && s.started == 1700000000 &&
           s.nanoseconds == 200 && s.tokens == n_a + n_b && s.lost == 0 && s.complete &&
           s.trace_bytes == t.size && s.n_modules == 1 && s.n_instrumented_routines == 5 &&
           s.n_routines == 4, "the summary says what the trace said");
    tap_ok(strcmp(wpp_thread(r.w, 0)->name, "main") == 0 && wpp_thread(r.w, 0)->tid == 4242 &&
           strcmp(wpp_thread(r.w, 1)->name, "other") == 0, "threads keep names and numbers");
    for (size_t piece = 1; piece < 140; piece += 1 + piece / 8) {
        struct result again = compress(WPP_INPUT_TRACE, t.data, t.size, piece);

        same = same && again.done && again.file.size == r.file.size &&
               memcmp(again.file.data, r.file.data, r.file.size) == 0;
        drop(&again);
    }
    tap_ok(same, "in whatever pieces it comes, the file is the same");
    drop(&r);
    wpp_bytes_free(&t);
}

/* Tokens of one thread within the first n bytes of the trace. */
static size_t tokens_before(const struct wpp_bytes *t, size_t n, uint32_t tid)
{
    size_t count = 0;

    for (size_t at = 0; at + 64 <= n;) {
        uint32_t bytes = wpp_get_u32(t->data + at + 8);

        if (t->data[at + 6] == WPP_REC_TOKENS && wpp_get_u32(t->data + at + 16) == tid)
            for (size_t word = at + 64; word + 4 <= n && word < at + 64 + bytes; word += 4)
                count += wpp_get_u32(t->data + word) != 0;
        at += 64 + ((bytes + 3) & ~3u);
    }
    return count;
}

static void test_cuts(void)
{
    struct wpp_bytes t = make_trace(-1);
    size_t wrong = 0, n = 0, first = 64 + ((wpp_get_u32(t.data + 8) + 3) & ~3u);

    for (size_t cut = 1; cut < t.size; cut++) {
        struct result r = compress(WPP_INPUT_TRACE, t.data, cut, 50);
        size_t a = tokens_before(&t, cut, 4242), b = tokens_before(&t, cut, 4243);
        struct wpp_summary s;

        n++;
        if (cut + 3 < first) {
            wrong += r.done || r.error.status != WPP_E_INCOMPLETE;
        } else if (cut < first && !r.w) {
            continue;    /* within the padding, which nothing waits for */
        } else if (!r.w || r.note.status != WPP_E_INCOMPLETE) {
            wrong++;
        } else {
            wpp_get_summary(r.w, &s);
            wrong += s.complete || s.tokens != a + b ||
                     !has_tokens(r.w, 0, all_a, a) || !has_tokens(r.w, 1, first_b, b);
        }
        drop(&r);
    }
    tap_ok(wrong == 0, "cut after any of %zu bytes, what is there is used and the cut is said", n);
    wpp_bytes_free(&t);
}

/* A header that is wrong in any bit ends the trace; the records before it count. */
static void test_flips(void)
{
    struct wpp_bytes t = make_trace(-1);
    size_t wrong = 0, n = 0;

    for (size_t at = 0; at < t.size; at += 64 + ((wpp_get_u32(t.data + at + 8) + 3) & ~3u)) {
        for (size_t bit = 0; bit < 8 * 60; bit++) {
            struct result r;

            t.data[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
            r = compress(WPP_INPUT_TRACE, t.data, t.size, 1000);
            t.data[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
            n++;
            if (at == 0)
                wrong += r.done || r.error.text[0] == '\0';
            else
                wrong += !r.w || r.note.status != WPP_E_DAMAGED ||
                         !has_tokens(r.w, 0, all_a, tokens_before(&t, at, 4242));
            drop(&r);
            bit += at > 0 ? 6 : 0;    /* all bits of the first header, a sample of the others */
        }
    }
    tap_ok(wrong == 0, "each of %zu flipped bits of headers is found", n);
    wpp_bytes_free(&t);
}

/* ---- Traces that lack something --------------------------------------------------------------- */

static void check_note(const char *name, struct wpp_bytes *t, enum wpp_status status,
                       const char *word)
{
    struct result r = compress(WPP_INPUT_TRACE, t->data, t->size, 1000);
    struct wpp_summary s = {.complete = true};

    if (r.w)
        wpp_get_summary(r.w, &s);
    if (!tap_ok(r.w && r.note.status == status && strstr(r.note.text, word) && !s.complete, "%s",
                name))
        tap_note("%s / %s", r.error.text, r.note.text);
    drop(&r);
    wpp_bytes_free(t);
}

static void test_incomplete(void)
{
    static const struct {
        int without;
        const char *name, *word;
    } cases[] = {{PROCESS, "the process's record is missing", "beginning"},
                 {THREAD_A, "a thread's beginning is missing", "missing"},
                 {TOKENS_A, "a record of tokens is missing", "missing"},
                 {TOKENS_B, "the only record of a thread is missing", "missing"}};
    struct wpp_bytes t;
    uint64_t lost = 7;

    for (size_t i = 0; i < LENGTH(cases); i++) {
        t = make_trace(cases[i].without);
        check_note(cases[i].name, &t, WPP_E_DAMAGED, cases[i].word);
    }
    t = make_trace(END);
    check_note("the end is missing", &t, WPP_E_INCOMPLETE, "no end");
    t = make_trace(END);
    tb_end(&t, 2, n_words + 1, 0);
    check_note("the end counts other tokens", &t, WPP_E_DAMAGED, "number of tokens");
    t = make_trace(END);
    tb_end(&t, 2, n_words, 3);
    check_note("tokens were lost", &t, WPP_E_INCOMPLETE, "3 events were lost");
    t = make_trace(END);
    tb_record(&t, WPP_REC_LOST, 4242, 3, &lost, sizeof lost);
    tb_tokens(&t, 4242, 4, LENGTH(first_a) + LENGTH(second_a) + lost, first_b, n_b);
    tb_end(&t, 2, n_words + n_b, 7);
    check_note("tokens were lost in between", &t, WPP_E_INCOMPLETE, "7 events were lost");
    t = make_trace(-1);
    put_part(&t, TOKENS_A);
    check_note("something follows the end", &t, WPP_E_DAMAGED, "follows");
}

static void test_other_process(void)
{
    struct wpp_bytes t = make_trace(END);
    struct wpp_record h = tb_header(WPP_REC_TOKENS, 4242, 0, 4 * n_b);
    struct result r;

    h.pid = 99;
    tb_put(&t, h, first_b);
    put_part(&t, END);
    r = compress(WPP_INPUT_TRACE, t.data, t.size, 10);
    tap_ok(r.w && r.note.status == WPP_E_INCOMPLETE && strstr(r.note.text, "99") &&
           has_tokens(r.w, 0, all_a, n_a), "another process's records are left out, and it is said");
    drop(&r);
    wpp_bytes_free(&t);
}

/* A record of a kind that a later version may define. */
static void test_unknown_record(void)
{
    struct wpp_bytes t = make_trace(END);
    struct result r;

    tb_record(&t, 77, 4242, 0, "what is this?", 13);
    put_part(&t, END);
    r = compress(WPP_INPUT_TRACE, t.data, t.size, 10);
    tap_ok(r.w && r.note.status == WPP_OK && has_tokens(r.w, 0, all_a, n_a),
           "a record of an unknown kind is skipped");
    drop(&r);
    wpp_bytes_free(&t);
}

/* Events before recording began, and words of modules that were not registered yet. */
static void test_early(void)
{
    static const uint32_t words[] = {0xF0000000, 17, 0, 0xFFFEFFFF, 16, 0xF0000003};
    static const uint32_t events[] = {17, 16};
    const uint64_t early = 83;
    struct wpp_bytes t = {0};
    struct wpp_summary s;
    struct result r;

    tb_process(&t);
    tb_record(&t, WPP_REC_EARLY, 4242, 0, &early, sizeof early);
    tb_record(&t, WPP_REC_THREAD, 4242, 0, "prog", 4);
    tb_tokens(&t, 4242, 1, 0, words, LENGTH(words));
    tb_record(&t, WPP_REC_EARLY, 4242, 0, &early, sizeof early);
    tb_end(&t, 1, LENGTH(words), 0);
    r = compress(WPP_INPUT_TRACE, t.data, t.size, 10);
    wpp_get_summary(r.w, &s);
    tap_ok(r.note.status == WPP_OK && s.complete && s.early == 2 * 83 + 3 && s.lost == 0 &&
           has_tokens(r.w, 0, events, LENGTH(events)), "early events are counted and left out");
    drop(&r);
    wpp_bytes_free(&t);
}

/* A thread id that the kernel gives again is another stream. */
static void test_tid_again(void)
{
    struct wpp_bytes t = make_trace(END);
    struct result r;

    tb_record(&t, WPP_REC_THREAD, 4243, 0, "third", 5);
    tb_tokens(&t, 4243, 1, 0, first_b, n_b);
    tb_end(&t, 2, n_words + n_b, 0);
    r = compress(WPP_INPUT_TRACE, t.data, t.size, 10);
    tap_ok(r.w && r.note.status == WPP_OK && has_tokens(r.w, 1, first_b, n_b) &&
           has_tokens(r.w, 2, first_b, n_b), "a thread id that comes again is another thread");
    drop(&r);
    wpp_bytes_free(&t);
}

/* ---- Programs that are not what was traced ---------------------------------------------------- */

static void check_refused(const char *name, struct wpp_bytes *t, enum wpp_status status,
                          const char *word)
{
    struct result r = compress(WPP_INPUT_TRACE, t->data, t->size, 1000);

    if (!tap_ok(!r.done && r.error.status == status && strstr(r.error.text, word), "%s", name))
        tap_note("%d %s", r.error.status, r.error.text);
    drop(&r);
}

static void check_program(const char *name, const struct wpp_bytes *some_units,
                          const struct wpp_bytes *some_tables, const char *build_id,
                          enum wpp_status status, const char *word)
{
    struct wpp_bytes elf = tb_elf(some_units, some_tables, build_id), t = make_trace(-1);

    tb_write_file(program, &elf);
    check_refused(name, &t, status, word);
    wpp_bytes_free(&elf);
    wpp_bytes_free(&t);
}

static void test_programs(void)
{
    struct wpp_bytes none = {0}, other_units = {0}, other_tables = {0}, t = make_trace(-1);
    struct wpp_bytes junk = {0};

    check_program("another build id", &units, &tables, "1235", WPP_E_MISMATCH, "has changed");
    tb_unit(&other_units, &other_tables, "a.c", paths_a, 3);
    check_program("an object less", &other_units, &other_tables, "1234", WPP_E_MISMATCH,
                  "has changed");
    tb_unit(&other_units, &other_tables, "c.c", paths_b, 2);
    check_program("other objects", &other_units, &other_tables, "1234", WPP_E_MISMATCH,
                  "has changed");
    check_program("no path table", &units, &none, "1234", WPP_E_NOT_TRACED, "path table");
    check_program("the path table of another", &units, &other_tables, "1234", WPP_E_NOT_TRACED,
                  "path table");
    tables.data[tables.size - 1] ^= 1;
    check_program("a damaged path table", &units, &tables, "1234", WPP_E_FORMAT, "path table");
    tables.data[tables.size - 1] ^= 1;
    wpp_put(&junk, "no ELF file at all, and longer than its header would be: 0123456789", 64);
    tb_write_file(program, &junk);
    check_refused("no ELF file any more", &t, WPP_E_MISMATCH, "no ELF file");
    unlink(program);
    check_refused("no file any more", &t, WPP_E_MISMATCH, "No such file");
    wpp_bytes_free(&other_units);
    wpp_bytes_free(&other_tables);
    wpp_bytes_free(&junk);
    wpp_bytes_free(&t);
}

/* Every byte of the ELF file changed in turn: an error or a WPP, no crash. */
/* A second module, the first of whose tokens is `offset` behind the first one's. */
static struct result with_second_module(uint32_t offset)
{
    struct wpp_bytes t = {0};
    struct result r;

    tb_process(&t);
    tb_module(&t, 1, BASE, &units, "1234", program);
    tb_module(&t, 2, BASE + offset, &units, "1234", program);
    for (int part = THREAD_A; part < END; part++)
        put_part(&t, part);
    tb_end(&t, 3, n_words, 0);
    r = compress(WPP_INPUT_TRACE, t.data, t.size, SIZE_MAX / 2);
    wpp_bytes_free(&t);
    return r;
}

static void test_modules_apart(void)
{
    struct wpp_unit unit;
    uint32_t count = 0;
    bool refused = true;

    for (size_t at = 0; at < units.size; at += sizeof unit) {
        memcpy(&unit, units.data + at, sizeof unit);
        count += unit.count;
    }
    for (uint32_t offset = 0; offset < count; offset++) {
        struct result r = with_second_module(offset);

        refused = refused && !r.w && r.error.status == WPP_E_DAMAGED;
        drop(&r);
    }
    tap_ok(refused, "two modules with a token in common are refused");
    struct result r = with_second_module(count);
    tap_ok(r.w && r.note.status == WPP_OK, "one right behind the other is fine");
    drop(&r);
}

static void test_broken_elf(void)
{
    struct wpp_bytes elf = tb_elf(&units, &tables, "1234"), t = make_trace(-1);
    size_t done = 0, refused = 0;

    for (size_t at = 0; at < elf.size; at++) {
        struct result r;
        uint8_t was = elf.data[at];

        elf.data[at] = at % 3 ? 0xff : (uint8_t)(was + 1);
        tb_write_file(program, &elf);
        elf.data[at] = was;
        r = compress(WPP_INPUT_TRACE, t.data, t.size, 1000);
        done += r.w != NULL;
        refused += !r.done && r.error.text[0] != '\0';
        drop(&r);
    }
    tap_ok(done + refused == elf.size && refused > tables.size,
           "each byte of the program changed: %zu refused, %zu do not matter", refused, done);
    elf.size /= 2;
    tb_write_file(program, &elf);
    check_refused("a program that is cut short", &t, WPP_E_MISMATCH, "program");
    wpp_bytes_free(&elf);
    wpp_bytes_free(&t);
}

/* ---- Plain symbols --------------------------------------------------------------------------- */

static void test_symbols(void)
{
    static uint32_t words[20000];
    uint64_t x = 88172645463325252;
    struct result r;
    bool same = true;

    /* Spread over all 32 bits, dense, and both extremes. */
    for (size_t i = 0; i < LENGTH(words); i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        words[i] = i % 3 == 0 ? (uint32_t)x : i % 3 == 1 ? (uint32_t)x % 50 : UINT32_MAX - i % 7;
    }
    for (size_t piece = 1000; same && piece < 100000; piece = 9 * piece + 1) {
        r = compress(WPP_INPUT_SYMBOLS, (const uint8_t *)words, sizeof words, piece);
        same = r.w && r.note.status == WPP_OK && has_tokens(r.w, 0, words, LENGTH(words));
        drop(&r);
    }
    tap_ok(same, "symbols of all sizes come back");
    r = compress(WPP_INPUT_SYMBOLS, (const uint8_t *)words, 42, 3);
    tap_ok(!r.done && r.error.status == WPP_E_FORMAT && strstr(r.error.text, "42"),
           "half a word is an error");
    r = compress(WPP_INPUT_SYMBOLS, (const uint8_t *)words, 0, 3);
    tap_ok(r.w && wpp_thread(r.w, 0)->tokens == 0, "no symbols are a WPP without events");
    drop(&r);
}

/* The file of words with --best, in a recording that ends so. */
static struct wpp_bytes best(const uint32_t *words, size_t n, enum wpp_ended why)
{
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_SYMBOLS, NULL);
    struct wpp_bytes file = {0};
    struct wpp_error note;

    wpp_compress_best(c, NULL);
    if (!wpp_compress_push(c, words, n * sizeof *words, NULL))
        tap_note("cannot be taken");
    wpp_compress_ended(c, why, 0);
    if (!wpp_compress_finish(c, &file, &note, NULL))
        tap_note("cannot be finished");
    wpp_compress_free(c);
    return file;
}

static bool is_equal(const struct wpp_bytes *a, const struct wpp_bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Pieces of what came before, which overlap each other. */
static void test_best(void)
{
    static uint32_t words[30000];
    uint64_t x = 88172645463325252;
    size_t n = 0;

    while (n < LENGTH(words)) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        for (size_t from = x % (n + 1), k = 3 + x / 64 % 9; k > 0 && n < LENGTH(words); k--, n++)
            words[n] = n < 600 ? (uint32_t)(x >> 4 * k) % 3 : words[from++ % 600];
    }
    struct result plain = compress(WPP_INPUT_SYMBOLS, (const uint8_t *)words, sizeof words, 997);
    struct wpp_bytes smaller = best(words, n, WPP_ENDED_UNSAID);
    struct wpp_bytes interrupted = best(words, n, WPP_ENDED_INTERRUPT);
    struct wpp_bytes looked = best(words, n, WPP_ENDED_LOOK);

    tap_ok(plain.w && !is_equal(&smaller, &plain.file), "the best file is another one: %zu, %zu",
           plain.file.size, smaller.size);
    tap_ok(is_equal(&interrupted, &plain.file), "but not when somebody does not want to wait");
    tap_ok(is_equal(&looked, &plain.file), "nor when a ring is looked into");
    drop(&plain);
    wpp_bytes_free(&smaller);
    wpp_bytes_free(&interrupted);
    wpp_bytes_free(&looked);
}

static void test_no_trace(void)
{
    struct result r = compress(WPP_INPUT_TRACE, (const uint8_t *)"", 0, 1);
    uint8_t text[200];

    tap_ok(!r.done && r.error.status == WPP_E_NOT_TRACED, "an empty trace is refused");
    memset(text, 'x', sizeof text);
    for (size_t n = 1; n <= sizeof text; n = 3 * n + 1) {
        r = compress(WPP_INPUT_TRACE, text, n, 7);
        tap_ok(!r.done && r.error.status == WPP_E_FORMAT, "%zu bytes that are no trace", n);
    }
}

int main(void)
{
    make_program();
    test_whole();
    test_cuts();
    test_flips();
    test_incomplete();
    test_other_process();
    test_unknown_record();
    test_early();
    test_tid_again();
    test_symbols();
    test_best();
    test_no_trace();
    test_modules_apart();
    test_programs();
    test_broken_elf();
    unlink(program);
    rmdir(directory);
    wpp_bytes_free(&units);
    wpp_bytes_free(&tables);
    return tap_done();
}
