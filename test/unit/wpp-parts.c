/* SPDX-License-Identifier: MIT */
/* The parts of the library that have a simple equivalent, against it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/tap.h"
#include "wpp/base/bytes.h"
#include "wpp/base/intern.h"
#include "wpp/base/whole-file.h"
#include "wpp/cli/tool.h"
#include "wpp/format/bit-coder.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/number-tree.h"
#include "wpp/trace/alphabet.h"
#include "wpp/trace/chunk-times.h"
#include "wpp/trace/streams.h"

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

/* ---- Numbers and strings --------------------------------------------------------- */

static void test_numbers(void)
{
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX,
                                      UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
    static const uint8_t bad[][11] = {
        {0x80, 0x80, 0x80}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
        {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}};
    static const size_t bad_size[] = {3, 10, 11};
    struct wpp_bytes b = {0};
    struct wpp_view v;
    bool same = true;

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        wpp_put_varint(&b, values[i]);
        wpp_put_svarint(&b, (int64_t)values[i]);
        wpp_put_svarint(&b, -(int64_t)(values[i] >> 1));
    }
    v = wpp_view(b.data, b.size);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        same = same && wpp_get_varint(&v) == values[i] &&
               wpp_get_svarint(&v) == (int64_t)values[i] &&
               wpp_get_svarint(&v) == -(int64_t)(values[i] >> 1);
    tap_ok(same && !v.failed && wpp_left(&v) == 0, "numbers of all sizes come back");
    wpp_get_varint(&v);
    tap_ok(v.failed, "reading behind the end fails");
    wpp_bytes_free(&b);
    for (size_t i = 0; i < 3; i++) {
        v = wpp_view(bad[i], bad_size[i]);
        tap_ok(wpp_get_varint(&v) == 0 && v.failed, "a varint that is cut or too large fails");
    }
    v = wpp_view("\5ab", 3);
    tap_ok(wpp_get_count(&v, 1) == 0 && v.failed, "a count of more than there is fails");
}

static void test_sizes(void)
{
    static const struct { const char *text; uint64_t size, count; } good[] = {
        {"0", 0, 0}, {"17", 17, 17}, {"1k", 1024, 1000}, {"2M", 2 << 20, 2000000},
        {"3G", UINT64_C(3) << 30, UINT64_C(3000000000)}, {"5K", 5120, 5000},
        {"1.5k", 1536, 1500}, {"3.40M", 3565158, 3400000}, {"0.25G", 1 << 28, 250000000},
        {"1.0009k", 1024, 1000}, {"2.99999999999999999999M", 3145727, 2999999}};
    static const char *const bad[] = {"", "k", "-1", " 1", "1 ", "1kk", "1x", "0x10",
                                      "99999999999999999999", "99999999999G", "1.5", "1.k", ".5k", "1.5.5k",
                                      "1,5k", "1.5 k", "17179869184.5G"};
    uint64_t value;
    bool right = true;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        right = right && tool_parse_size(good[i].text, &value) && value == good[i].size &&
                tool_parse_count(good[i].text, &value) && value == good[i].count;
    tap_ok(right, "sizes and counts are understood");
    right = true;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        right = right && !tool_parse_size(bad[i], &value);
    right = right && tool_parse_count("18446744073.7G", &value) &&
            !tool_parse_count("18446744073.8G", &value);
    tap_ok(right, "others are refused");
}

static void test_intern(void)
{
    enum { N = 3000 };
    struct wpp_intern t;
    struct wpp_bytes b = {0};
    struct wpp_view v;
    char text[32];
    bool same = true;

    wpp_intern_init(&t);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < N; i++) {
            snprintf(text, sizeof text, "string %u", i);
            same = same && wpp_intern(&t, text) == i;
        }
    }
    same = same && wpp_intern(&t, "") == 0 && t.n == N;
    wpp_put_intern(&b, &t);
    v = wpp_view(b.data, b.size);
    same = same && wpp_get_varint(&v) == N && wpp_get_varint(&v) == 0;
    for (uint32_t i = 1; i < N; i++) {
        size_t n = wpp_get_varint(&v);

        snprintf(text, sizeof text, "string %u", i);
        same = same && n == strlen(text) && memcmp(wpp_get_bytes(&v, n), text, n) == 0;
    }
    tap_ok(same && !b.failed, "each string is kept once, in order");
    wpp_bytes_free(&b);
    wpp_intern_free(&t);
}

/* ---- Chances ------------------------------------------------------------------------ */

enum { DECISIONS = 200000, KINDS = 40 };

/* Decisions of many kinds, some all but certain: kind k is yes k times in KINDS - 1. */
static bool decision(uint32_t *kind)
{
    *kind = draw(KINDS);
    return draw(KINDS - 1) < *kind;
}

/* As long as there are bytes for it. */
static bool read_quickly(struct wpp_coder *c, struct wpp_chance *chance)
{
    return wpp_coder_has(c, 1) ? wpp_chance_read(c, chance, wpp_chance_get(chance)) != 0
                               : wpp_chance_code(c, chance, false);
}

/* Both ways to write are one. */
static void write_decision(struct wpp_coder *c, struct wpp_chance *chance, bool wanted)
{
    if (draw(2))
        wpp_chance_write(c, chance, wanted);
    else
        wpp_chance_code(c, chance, wanted);
}

static bool all_come_back(struct wpp_view code, unsigned n, const uint32_t *kinds,
                          const bool *wanted)
{
    struct wpp_chance chances[KINDS];
    struct wpp_coder c;
    bool same = true;

    wpp_coder_read(&c, code);
    for (unsigned k = 0; k < KINDS; k++)
        chances[k] = WPP_CHANCE;
    for (unsigned i = 0; i < n; i++)
        same = same && read_quickly(&c, &chances[kinds[i]]) == wanted[i];
    return same && wpp_coder_ends(&c);
}

static void test_chances(void)
{
    static bool wanted[DECISIONS];
    static uint32_t kinds[DECISIONS];
    struct wpp_chance chances[KINDS];
    struct wpp_bytes code = {0};
    struct wpp_coder c;
    unsigned good = 0, quick = 0, refused = 0;

    for (unsigned n = 0; n <= DECISIONS; n = n < 300 ? n + 1 : n + 66567) {
        bool same = true;

        code.size = 0;
        wpp_coder_write(&c, &code);
        for (unsigned k = 0; k < KINDS; k++)
            chances[k] = WPP_CHANCE;
        for (unsigned i = 0; i < n; i++) {
            wanted[i] = decision(&kinds[i]);
            write_decision(&c, &chances[kinds[i]], wanted[i]);
        }
        wpp_coder_finish(&c);
        wpp_coder_read(&c, wpp_view(code.data, code.size));
        for (unsigned k = 0; k < KINDS; k++)
            chances[k] = WPP_CHANCE;
        for (unsigned i = 0; i < n; i++)
            same = same && wpp_chance_code(&c, &chances[kinds[i]], !wanted[i]) == wanted[i];
        good += same && wpp_coder_ends(&c);
        quick += all_come_back(wpp_view(code.data, code.size), n, kinds, wanted);
        wpp_put_u8(&code, 0);
        wpp_coder_read(&c, wpp_view(code.data, code.size));
        for (unsigned i = 0; i < n; i++)
            wpp_chance_code(&c, &chances[kinds[i]], false);
        refused += !wpp_coder_ends(&c);
    }
    tap_ok(good == 303, "decisions come back (%u of 303 codes)", good);
    tap_ok(quick == 303, "and read quickly (%u of 303 codes)", quick);
    tap_ok(refused == 303, "a byte too many is noticed");
    /* The average kind is worth 0.72 bits, the code of the last round all of them. */
    tap_ok(code.size < DECISIONS * 0.74 / 8, "%zu bytes for %d decisions of 0.72 bits", code.size,
           DECISIONS);
    wpp_bytes_free(&code);
}

/* ---- The number tree ------------------------------------------------------------------- */

/* As the format's document says it, with chances in the order of their nodes. */
static uint32_t code_plainly(struct wpp_coder *c, struct wpp_chance *chances, uint32_t n,
                             uint32_t number)
{
    uint32_t at = 0, p = 1;

    while (2 * p < n)
        p *= 2;
    for (; p && n > 1; p /= 2)
        if (at + p < n && wpp_chance_code(c, &chances[at + p], number >= at + p))
            at += p;
    return at;
}

/* Bounds grow by and by, past all sizes of what numbers lie in; half of the numbers are among
 * the last, so that ways end at the bound. */
enum { NUMBERS = 150000, NUMBERS_EACH = 3 };

static uint32_t a_number(uint32_t n)
{
    return draw(2) ? draw(n) : n - 1 - draw(n < 40 ? n : 40);
}

static uint64_t beside_of(uint32_t number)
{
    return number * UINT64_C(0x9E3779B97F4A7C15);
}

static bool write_numbers(struct wpp_bytes *code, uint32_t *numbers)
{
    struct wpp_number_tree h = {0};
    struct wpp_coder c;
    bool done = true;

    wpp_coder_write(&c, code);
    for (uint32_t n = 1; n <= NUMBERS; n++) {
        done = done && wpp_number_tree_grow(&h, beside_of(n - 1));
        for (unsigned k = 0; k < NUMBERS_EACH; k++) {
            uint32_t number = a_number(n);

            *numbers++ = number;
            done = done && wpp_number_tree_code(&h, &c, number) == number;
        }
    }
    wpp_coder_finish(&c);
    wpp_number_tree_free(&h);
    return done;
}

static void test_number_tree(void)
{
    static uint32_t numbers[NUMBERS * NUMBERS_EACH];
    static struct wpp_chance chances[NUMBERS];
    struct wpp_bytes code = {0};
    struct wpp_number_tree h = {0};
    struct wpp_coder c, plain;
    bool same = write_numbers(&code, numbers), lie_beside = true;
    const uint32_t *next = numbers;

    tap_ok(same, "numbers of all sizes are written in the tree");
    wpp_coder_read(&c, wpp_view(code.data, code.size));
    plain = c;
    for (uint32_t n = 1; n <= NUMBERS; n++) {
        chances[n - 1] = WPP_CHANCE;
        same = same && wpp_number_tree_grow(&h, beside_of(n - 1));
        for (unsigned k = 0; same && k < NUMBERS_EACH; k++, next++) {
            same = wpp_number_tree_code(&h, &c, 0) == *next
                   && code_plainly(&plain, chances, n, 0) == *next
                   && c.value == plain.value && c.range == plain.range && c.in.p == plain.in.p;
            lie_beside = lie_beside && wpp_number_tree_beside(&h, *next) == beside_of(*next);
        }
    }
    tap_ok(same && wpp_coder_ends(&c), "and are read, by the decisions of the format's document");
    tap_ok(lie_beside, "each with what belongs to it");
    wpp_number_tree_free(&h);
    wpp_bytes_free(&code);
}

/* ---- Numbers without chances ------------------------------------------------------------- */

static const uint32_t even_bounds[] = {
    1, 2, 3, 255, 256, 257, 65535, 65536, 65537, 131072, 131073, 1000003, UINT32_C(1) << 30,
    UINT32_C(0x7fffffff), UINT32_MAX
};
enum { EVEN_BOUNDS = sizeof even_bounds / sizeof *even_bounds, EVEN_EACH = 300 };

/* The first, the last, and others; decisions are made in between. */
static uint32_t even_number(uint32_t n, unsigned k)
{
    return k == 0 ? 0 : k == 1 ? n - 1 : k % 3 ? draw(n) : n - 1 - draw(n < 70000 ? n : 70000);
}

static void test_even_numbers(void)
{
    static uint32_t numbers[EVEN_BOUNDS][EVEN_EACH];
    struct wpp_chance chance = WPP_CHANCE;
    struct wpp_bytes code = {0};
    struct wpp_coder c;
    double bits = 0;
    bool same = true;

    wpp_coder_write(&c, &code);
    for (unsigned i = 0; i < EVEN_BOUNDS; i++)
        for (unsigned k = 0; k < EVEN_EACH; k++) {
            numbers[i][k] = even_number(even_bounds[i], k);
            wpp_coder_even(&c, numbers[i][k], even_bounds[i]);
            wpp_chance_code(&c, &chance, numbers[i][k] & 1);
            bits += 1 + log2(even_bounds[i]);
        }
    wpp_coder_finish(&c);
    wpp_coder_read(&c, wpp_view(code.data, code.size));
    chance = WPP_CHANCE;
    for (unsigned i = 0; i < EVEN_BOUNDS; i++)
        for (unsigned k = 0; k < EVEN_EACH; k++)
            same = same && wpp_coder_even(&c, 0, even_bounds[i]) == numbers[i][k]
                   && wpp_chance_code(&c, &chance, false) == (numbers[i][k] & 1);
    tap_ok(same && wpp_coder_ends(&c), "numbers without chances come back");
    tap_ok((double)code.size < bits / 8 * 1.003, "%zu bytes for %.0f bits of them", code.size, bits);
    /* 4 times a quarter of the range is less than the range. */
    wpp_coder_read(&c, wpp_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
    tap_ok(wpp_coder_even(&c, 0, 4) == 4, "a number that nobody has written is one too large");
    wpp_coder_read(&c, wpp_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8));
    tap_ok(wpp_coder_even(&c, 0, 1u << 18) == 1u << 18, "and so is one of two parts");
    wpp_bytes_free(&code);
}

/* ---- Tables ----------------------------------------------------------------------- */

/* Symbols of which nothing can be foreseen: a few rules of two, and a start rule of all. */
enum { EVEN_SYMBOLS = 200000, EVEN_RULES = 90, EVEN_TERMINALS = 500 };

static struct wpp_grammar *random_grammar(void)
{
    static uint32_t symbols[2 * EVEN_RULES + EVEN_SYMBOLS];
    static uint64_t body[EVEN_RULES + 2], length[EVEN_RULES + 1];
    static struct wpp_grammar g = {EVEN_TERMINALS, EVEN_RULES, 1, body, symbols, length};
    uint32_t n = 0;

    for (uint32_t r = 0; r < EVEN_RULES; r++, n += 2) {
        body[r] = n;
        symbols[n] = r < 2 ? 2 * r : draw(2) ? WPP_RULE | draw(r - 1) : draw(4);
        symbols[n + 1] = r < 2 ? 2 * r + 1 : draw(4);
        length[r] = (symbols[n] & WPP_RULE ? length[symbols[n] & ~WPP_RULE] : 1) + 1;
    }
    body[EVEN_RULES] = n;
    length[EVEN_RULES] = 0;
    for (uint32_t i = 0; i < EVEN_SYMBOLS; i++, n++) {
        bool is_rule = i < EVEN_RULES || draw(6) == 0;

        symbols[n] = i < EVEN_RULES ? WPP_RULE | i
                     : i < EVEN_RULES + EVEN_TERMINALS - 4 ? i - EVEN_RULES + 4
                     : is_rule ? WPP_RULE | draw(EVEN_RULES) : draw(EVEN_TERMINALS);
        length[EVEN_RULES] += symbols[n] & WPP_RULE ? length[symbols[n] & ~WPP_RULE] : 1;
    }
    body[EVEN_RULES + 1] = n;
    return &g;
}

static bool same_grammar(const struct wpp_grammar *a, const struct wpp_grammar *b)
{
    uint32_t bodies = a->n_rules + a->n_threads;

    return a->n_terminals == b->n_terminals && a->n_rules == b->n_rules
        && a->n_threads == b->n_threads
        && memcmp(a->body, b->body, (bodies + 1) * sizeof *a->body) == 0
        && memcmp(a->length, b->length, bodies * sizeof *a->length) == 0
        && memcmp(a->symbols, b->symbols, a->body[bodies] * sizeof *a->symbols) == 0;
}

static void test_even_grammar(void)
{
    const struct wpp_grammar *g = random_grammar();
    struct wpp_grammar again;
    struct wpp_bytes code = {0}, other = {0};
    struct wpp_error error = {0};
    unsigned told = 0, cuts = 0, sound = 0, hits = 0;
    const uint32_t twice[] = {0, 0};
    const uint64_t body[] = {0, 2}, length[] = {2};

    tap_ok(wpp_grammar_encode(g, &code) && wpp_grammar_forms(&code) == WPP_FORM_EVEN,
           "where nothing can be foreseen the code is even");
    tap_ok(wpp_grammar_decode(wpp_view(code.data, code.size), &again, &error)
               && same_grammar(g, &again), "and is read");
    wpp_grammar_release(&again);
    for (size_t n = 16; n < code.size; n += 997, cuts++)
        told += !wpp_grammar_decode(wpp_view(code.data, n), &again, &error)
             && error.status == WPP_E_DAMAGED;
    tap_ok(told == cuts, "each cut is told (%u of %u)", told, cuts);
    for (; hits < 60; hits++) {
        uint8_t *hit = &code.data[8 + draw((uint32_t)code.size - 8)], was = *hit;

        *hit ^= 1 << draw(8);
        bool done = wpp_grammar_decode(wpp_view(code.data, code.size), &again, &error);
        sound += done || error.status == WPP_E_DAMAGED;
        if (done)
            wpp_grammar_release(&again);
        *hit = was;
    }
    tap_ok(sound == hits, "a bit that is changed does no harm");
    tap_ok(wpp_grammar_encode(&(struct wpp_grammar){1, 0, 1, body, twice, length}, &other)
               && wpp_grammar_forms(&other) == 0, "a short code is not even");
    wpp_bytes_free(&code);
    wpp_bytes_free(&other);
}

/* A code that is cut could go on for as many symbols as it says there are: it is
 * left where its bytes end, whatever the decisions behind them would be. */
static void test_cut_grammar(void)
{
    enum { N = 50000 };
    static uint32_t symbols[N];
    const uint64_t body[] = {0, N}, length[] = {N};
    struct wpp_grammar g = {2, 0, 1, body, symbols, length}, again;
    struct wpp_bytes code = {0};
    struct wpp_error error = {0};
    unsigned told = 0, cuts = 0;

    for (unsigned i = 0; i < N; i++)
        symbols[i] = i == 1 || draw(50) == 7 ? i > 0 : 0;
    tap_ok(wpp_grammar_encode(&g, &code) && code.size > 500, "a grammar is written");
    for (size_t n = 16; n < code.size; n += 16, cuts++)
        told += !wpp_grammar_decode(wpp_view(code.data, n), &again, &error)
             && error.status == WPP_E_DAMAGED && strstr(error.text, "ends too early");
    tap_ok(told == cuts, "each cut is called one (%u of %u)", told, cuts);
    bool whole = wpp_grammar_decode(wpp_view(code.data, code.size), &again, &error);
    tap_ok(whole && again.body[1] == N && memcmp(again.symbols, symbols, sizeof symbols) == 0,
           "the whole is read");
    if (whole)
        wpp_grammar_release(&again);
    wpp_bytes_free(&code);
}

/* Words of every kind against a search through all words so far. */
static bool same_alphabet(bool of_trace, uint32_t spread, uint64_t limit)
{
    enum { N = 6000 };
    static uint32_t words[N], out[N], known[N];
    struct wpp_alphabet a;
    uint32_t n = 0, n_out = 0, n_early = 0;
    bool same = wpp_alphabet_init(&a, of_trace);

    wpp_alphabet_limit(&a, limit);
    for (uint32_t i = 0; i < N; i++)
        words[i] = draw(5) ? draw(300) : draw(spread) * (UINT32_MAX / spread);
    for (uint32_t i = 0; same && i < N;) {
        uint32_t piece = 1 + draw(N - i);
        ptrdiff_t got = wpp_alphabet_map(&a, words + i, piece, out + n_out);

        same = got >= 0 && (uint32_t)got <= piece;
        n_out += (uint32_t)got;
        i += piece;
    }
    for (uint32_t i = 0, o = 0; same && i < N; i++) {
        uint32_t k = 0;

        if (of_trace && words[i] >= 0xF0000000 && words[i] < 0xFFFF0000) {
            n_early++;
            continue;
        }
        if (of_trace && words[i] == 0)
            continue;
        while (k < n && known[k] != words[i])
            k++;
        if (k == n)
            known[n++] = words[i];
        same = o < n_out && out[o++] == k;
    }
    same = same && a.n == n && a.n_early == n_early
        && memcmp(a.tokens, known, n * sizeof *known) == 0
        && wpp_alphabet_mapped(&a) <= limit;
    wpp_alphabet_free(&a);
    return same;
}

static void test_alphabet(void)
{
    const uint64_t none = UINT64_MAX;

    tap_ok(same_alphabet(false, 10, none) && same_alphabet(true, 10, none), "few words");
    tap_ok(same_alphabet(false, UINT32_MAX, none) && same_alphabet(true, UINT32_MAX, none),
           "words spread over all 32 bits");
    tap_ok(same_alphabet(true, 65536, none) && same_alphabet(true, 3000, none),
           "words with equal low bits");
    tap_ok(same_alphabet(false, UINT32_MAX, 1 << 20) && same_alphabet(true, 3000, 0),
           "words spread, and a limit to pages");
}

static void test_streams(void)
{
    struct wpp_streams s = {0};
    bool right = true;

    for (uint32_t i = 0; i < 2000; i++) {
        struct wpp_stream *stream = wpp_streams_add(&s, i % 700 * 1024);

        right = right && stream && wpp_streams_find(&s, i % 700 * 1024) == stream;
    }
    for (uint32_t i = 0; i < 700; i++)
        right = right && wpp_streams_find(&s, i * 1024) == &s.list[i < 600 ? 1400 + i : 700 + i];
    tap_ok(right && !wpp_streams_find(&s, 1), "a thread's newest stream is found");
    wpp_streams_free(&s);
}

/* ---- Outputs ------------------------------------------------------------------------- */

static bool holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;

    if (f)
        fclose(f);
    return f && n == strlen(text) && strcmp(got, text) == 0;
}

static bool write_text(const char *path, unsigned flags, const char *text, bool commit,
                       struct wpp_error *error)
{
    struct wpp_output *out = wpp_output_open(path, flags, error);

    if (!out)
        return false;
    if (commit && wpp_output_write(out, text, strlen(text), error))
        return wpp_output_commit(out, error);
    wpp_output_abandon(out);
    return !commit;
}

/* Against all records, of which each thread's 0, every, 2 * every, ... must be there. */
static void check_when(uint32_t n_streams, uint32_t n_records, uint64_t most)
{
    struct wpp_chunk *all = malloc(n_records * sizeof *all);
    struct wpp_streams streams = {0};
    struct wpp_chunk_times when = {0};
    uint64_t *seen = calloc(n_streams, sizeof *seen), at = 0, draw = 1;

    for (uint32_t i = 0; i < n_streams; i++)
        wpp_streams_add(&streams, 1000 + i);
    for (uint32_t i = 0; i < n_records; i++) {
        uint32_t k;

        draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407u;
        k = i < n_streams ? i : (uint32_t)(draw >> 33) % n_streams;
        streams.list[k].tokens = i * (uint64_t)3;
        all[i] = (struct wpp_chunk){k, i * (uint64_t)3, 7 * (uint64_t)i};
        if (!wpp_chunk_times_add(&when, &streams, k, 7 * (uint64_t)i))
            abort();
    }
    for (uint32_t i = 0; i < n_records; i++) {
        bool wanted = seen[all[i].thread]++ % when.every == 0;

        if (wanted && (at == when.n || when.list[at].thread != all[i].thread ||
                       when.list[at].first != all[i].first || when.list[at].time != all[i].time))
            break;
        at += wanted;
    }
    tap_ok(at == when.n && at > 0 && when.n <= most,
           "%u records of %u threads: %llu chunks, every %llu", n_records, n_streams,
           (unsigned long long)when.n, (unsigned long long)when.every);
    wpp_chunk_times_free(&when);
    wpp_streams_free(&streams);
    free(all);
    free(seen);
}

static void test_when(void)
{
    check_when(1, 1, 1);
    check_when(1, 100000, 1 << 14);
    check_when(3, 16384, 1 << 14);
    check_when(3, 16385, 1 << 14);
    check_when(7, 3000000, 1 << 14);
    check_when(20000, 50000, 1 << 16);
}

static void test_output(void)
{
    const char *parent = getenv("TMPDIR");
    char directory[256];
    struct wpp_error e;
    struct wpp_output *out;
    struct stat st;

    umask(022);
    snprintf(directory, sizeof directory, "%s/wpp-unit.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(directory) || chdir(directory) != 0)
        abort();
    tap_ok(write_text("a", 0, "one", true, &e) && holds("a", "one"), "a new file");
    tap_ok(stat("a", &st) == 0 && (st.st_mode & 0777) == 0644,
           "has the permissions of any new file");
    tap_ok(!write_text("a", 0, "two", true, &e) && e.status == WPP_E_ARGUMENT &&
           holds("a", "one"), "is not overwritten");
    tap_ok(write_text("a", WPP_OUTPUT_REPLACE, "two", false, &e) && holds("a", "one"),
           "nor by an output that is abandoned");
    tap_ok(write_text("a", WPP_OUTPUT_REPLACE, "three", true, &e) && holds("a", "three"),
           "unless that is wanted");
    tap_ok(write_text("a", WPP_OUTPUT_REPLACE | WPP_OUTPUT_KEEP_OLD, "four", true, &e) &&
           holds("a", "four") && holds("a.old", "three"), "or the old one is kept");
    out = wpp_output_open("b", 0, &e);
    tap_ok(out && access("b", F_OK) != 0, "a file has no name before it is complete");
    tap_ok(write_text("b", 0, "mine", true, &e), "another one takes the name");
    tap_ok(!wpp_output_commit(out, &e) && e.status == WPP_E_ARGUMENT && holds("b", "mine"),
           "then the first one does not get it");
    tap_ok(!write_text(".", 0, "", true, &e) && !write_text("no/where", 0, "", true, &e) &&
           e.status == WPP_E_SYSTEM, "directories, and what is in none, are errors");
    tap_ok(write_text("/dev/null", 0, "gone", true, &e) && stat("/dev/null", &st) == 0 &&
           S_ISCHR(st.st_mode), "a device is written in place");
    tap_ok(!write_text("/dev/full", 0, "much", true, &e) && e.status == WPP_E_SYSTEM,
           "and its errors are errors");
    tap_ok(symlink("a", "l") == 0 && write_text("l", WPP_OUTPUT_REPLACE, "five", true, &e) &&
           holds("a", "five") && lstat("l", &st) == 0 && S_ISLNK(st.st_mode),
           "a link is followed");
    unlink("a"), unlink("a.old"), unlink("b"), unlink("l");
    tap_ok(chdir("/") == 0 && rmdir(directory) == 0, "nothing else is left");
}

int main(void)
{
    test_numbers();
    test_sizes();
    test_intern();
    test_chances();
    test_number_tree();
    test_even_numbers();
    test_even_grammar();
    test_cut_grammar();
    test_alphabet();
    test_streams();
    test_when();
    test_output();
    return tap_done();
}
