/* SPDX-License-Identifier: MIT */
/* A code in lanes: its coder of shares, grammars of all kinds there and back, and what is no code.
 *
 * `lane-code --example` writes the code of docs/wpp-format.md's example. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/grammar-reader.h"
#include "wpp/format/lane-code.h"

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

/* ---- Shares and numbers ---------------------------------------------------------------------- */

static bool is_table(const struct wpp_shares *t)
{
    bool good = t->below[0] == 0 && t->below[WPP_SHARE_SYMBOLS] == WPP_SHARE_SLOTS;

    for (int i = 0; i < WPP_SHARE_SYMBOLS; i++)
        good = good && t->below[i] < t->below[i + 1];
    return good;
}

/* What wpp_shares_learn() does, one by one. */
static void learn(struct wpp_shares *t, uint32_t symbol, uint32_t *seen)
{
    int rate = 1;

    while (rate < 6 && *seen + 1 >= 1u << rate)
        rate++;
    *seen += 1;
    for (uint32_t i = 1; i < 16; i++) {
        int aim = i <= symbol ? 4 * (int)i : 32768 - 4 * (16 - (int)i), step = aim - t->below[i];

        /* Rounded down. */
        t->below[i] = (uint16_t)(t->below[i] + (step >= 0 ? step >> rate
                                                          : -((-step + (1 << rate) - 1) >> rate)));
    }
}

static void test_shares(void)
{
    bool good = true, same = true, found = true;

    for (unsigned k = 0; k < 200; k++) {
        struct wpp_shares t, other;
        uint32_t seen = 0, likely = draw(16), often = 1 + draw(300);

        wpp_shares_init(&t);
        wpp_shares_init(&other);
        for (unsigned i = 0; i < 1000; i++) {
            uint32_t symbol = draw(often) ? likely : draw(16), slot = draw(WPP_SHARE_SLOTS), s = 0;

            wpp_shares_learn(&t, symbol);
            learn(&other, symbol, &seen);
            good = good && is_table(&t);
            same = same && memcmp(t.below, other.below, sizeof t.below) == 0;
            while (t.below[s + 1] <= slot)
                s++;
            found = found && wpp_shares_find(&t, slot) == s;
        }
    }
    tap_ok(good, "every symbol keeps a share");
    tap_ok(same, "shares move as the document says");
    tap_ok(found, "a slot's symbol is found");
}

enum { MANY = 20000 };

static void test_stream(void)
{
    static struct { uint32_t symbol, number, n; } what[MANY];
    static const uint8_t slack[WPP_STREAM_SLACK];
    struct wpp_stream_out out = {0};
    struct wpp_stream_in in;
    struct wpp_bytes bytes = {0};
    struct wpp_shares t, u;
    uint32_t n_words, n_bits;
    bool same = true, good = true;

    wpp_shares_init(&t);
    wpp_shares_init(&u);
    for (unsigned i = 0; i < MANY; i++) {
        what[i].symbol = draw(3) ? 5 : draw(16);
        what[i].n = 1 + (draw(2) ? draw(20) : draw(UINT32_MAX) >> draw(31));
        what[i].number = draw(what[i].n);
        wpp_share_write(&out, &t, what[i].symbol);
        wpp_number_write(&out, what[i].number, what[i].n);
    }
    wpp_stream_out_finish(&out, &bytes, &n_words, &n_bits);
    wpp_put(&bytes, slack, sizeof slack);
    tap_ok(!bytes.failed && bytes.size == 4 + 2 * n_words + n_bits + sizeof slack,
           "a stream is as long as it says");
    in = (struct wpp_stream_in){.state = wpp_get_u32(bytes.data), .word = bytes.data + 4,
                                .words_end = bytes.data + 4 + 2 * n_words,
                                .bits = bytes.data + 4 + 2 * n_words, .bits_end = 8 * n_bits};
    for (unsigned i = 0; i < MANY; i++) {
        same = same && wpp_share_read(&in, &u) == what[i].symbol
            && wpp_number_read(&in, what[i].n) == what[i].number;
        good = good && wpp_stream_in_is_good(&in);
    }
    tap_ok(same && good && wpp_stream_in_ends(&in), "symbols and numbers come back");
    wpp_stream_out_free(&out);
    wpp_bytes_free(&bytes);
}

/* ---- Grammars ---------------------------------------------------------------------------------- */

enum { STEPS = 60000, THREADS = 5 };

/* A grammar of random steps, as arrays. */
struct made {
    struct wpp_grammar g;
    uint64_t body[STEPS + THREADS + 1], length[STEPS + THREADS];
    uint32_t symbols[2 * STEPS];
    uint64_t n_symbols;
    uint32_t stack[2 * STEPS], starts[2 * STEPS];
    uint64_t start_end[THREADS];
};

static uint64_t length_of(const struct made *m, uint32_t symbol)
{
    return symbol & WPP_RULE ? m->length[symbol & ~WPP_RULE] : 1;
}

static void take(struct made *m, uint32_t rule, const uint32_t *symbols, uint64_t n)
{
    m->body[rule] = m->n_symbols;
    m->length[rule] = 0;
    for (uint64_t i = 0; i < n; i++) {
        m->symbols[m->n_symbols++] = symbols[i];
        m->length[rule] += length_of(m, symbols[i]);
    }
    m->body[rule + 1] = m->n_symbols;
}

/* What the random steps are like. */
struct taste {
    uint32_t steps, terminals, longest, threads;
    uint32_t run;                /* steps between reductions, in the mean */
    uint32_t recent;             /* rules named are of the last so many */
};

/* Reduces the top n symbols, which must derive less than 2^40 events. */
static bool reduce(struct made *m, struct wpp_grammar_coder *c, uint64_t *top, uint64_t n)
{
    uint64_t length = 0;

    for (uint64_t i = *top - n; i < *top; i++)
        length += length_of(m, m->stack[i]);
    if (length >> 40)
        return true;
    uint32_t begin = m->stack[*top - n], rule = m->g.n_rules++;

    take(m, rule, m->stack + *top - n, n);
    *top -= n;
    m->stack[(*top)++] = WPP_RULE | rule;
    return wpp_grammar_coder_reduce(c, n, begin);
}

static uint32_t draw_symbol(const struct made *m, const struct taste *t)
{
    uint32_t n = m->g.n_rules, recent = n < t->recent ? n : t->recent;

    if (recent > 0 && draw(4))
        return WPP_RULE | (n - 1 - draw(1 + draw(recent)));
    if (m->g.n_terminals < t->terminals && draw(8) == 0)
        return m->g.n_terminals;
    return m->g.n_terminals ? draw(m->g.n_terminals) : 0;
}

/* Makes it while it is coded. */
static bool make(struct made *m, const struct taste *t, struct wpp_grammar_coder *c)
{
    uint64_t top = 0, begin = 0, n_starts = 0;
    bool done = true;

    m->g = (struct wpp_grammar){0};
    m->n_symbols = 0;
    for (uint32_t i = 0; done && i < t->steps; i++) {
        if (top - begin >= 2 && draw(t->run) == 0) {
            uint64_t most = top - begin < t->longest ? top - begin : t->longest;

            done = reduce(m, c, &top, 2 + draw(1 + draw((uint32_t)most - 1)));
        } else {
            uint32_t symbol = draw_symbol(m, t);

            m->g.n_terminals += symbol == m->g.n_terminals;
            m->stack[top++] = symbol;
            done = wpp_grammar_coder_symbol(c, symbol);
        }
        if (m->g.n_threads + 1 < t->threads && draw(t->steps / t->threads) == 0) {
            m->start_end[m->g.n_threads++] = begin = top;
            done = done && wpp_grammar_coder_end(c);
        }
    }
    m->start_end[m->g.n_threads++] = top;
    for (uint32_t k = 0; k < m->g.n_threads; k++) {
        take(m, m->g.n_rules + k, m->stack + n_starts, m->start_end[k] - n_starts);
        n_starts = m->start_end[k];
    }
    m->g.body = m->body;
    m->g.length = m->length;
    m->g.symbols = m->symbols;
    return done && wpp_grammar_coder_end(c);
}

static bool is_same(const struct wpp_grammar *a, const struct wpp_grammar *b)
{
    size_t bodies = (size_t)a->n_rules + a->n_threads;

    return a->n_terminals == b->n_terminals && a->n_rules == b->n_rules
        && a->n_threads == b->n_threads
        && memcmp(a->body, b->body, (bodies + 1) * sizeof *a->body) == 0
        && memcmp(a->length, b->length, bodies * sizeof *a->length) == 0
        && memcmp(a->symbols, b->symbols, a->body[bodies] * sizeof *a->symbols) == 0;
}

static struct made made;

/* The code of a random grammar in lanes; false if an even code would be as short. */
static bool code_in_lanes(const struct taste *t, struct wpp_bytes *out)
{
    static uint32_t order[STEPS];
    struct wpp_grammar_coder *c = wpp_grammar_coder_new(false);
    bool done = c && make(&made, t, c)
             && wpp_grammar_coder_finish(c, out, order, made.g.n_terminals);

    wpp_grammar_coder_free(c);
    return done && wpp_grammar_forms(out) == WPP_FORM_LANES;
}

static void test_grammars(const char *what, struct taste t, unsigned n)
{
    unsigned coded = 0, same = 0;

    for (unsigned i = 0; i < n; i++) {
        struct wpp_bytes code = {0};
        struct wpp_grammar again;
        struct wpp_error error;

        if (code_in_lanes(&t, &code)) {
            coded++;
            if (wpp_grammar_decode(wpp_view(code.data, code.size), &again, &error)) {
                same += is_same(&made.g, &again);
                wpp_grammar_release(&again);
            }
        }
        wpp_bytes_free(&code);
    }
    tap_ok(coded > n / 2 && same == coded, "%s: %u of %u come back", what, same, coded);
}

/* ---- Beginnings ---------------------------------------------------------------------------------- */

/* The event of a thread. */
static uint32_t event_of(const struct wpp_grammar *g, uint32_t thread, uint64_t event)
{
    uint32_t rule = g->n_rules + thread;

    for (uint64_t i = g->body[rule];; i++) {
        uint32_t symbol = g->symbols[i];
        uint64_t length = symbol & WPP_RULE ? g->length[symbol & ~WPP_RULE] : 1;

        if (event >= length) {
            event -= length;
        } else if (symbol & WPP_RULE) {
            rule = symbol & ~WPP_RULE;
            i = g->body[rule] - 1;
        } else {
            return symbol;
        }
    }
}

/* Whether g derives a beginning of what made.g does, in so many places of each thread. */
static bool is_beginning(const struct wpp_grammar *g, unsigned places)
{
    bool same = g->n_terminals == made.g.n_terminals && g->n_threads == made.g.n_threads
             && g->n_rules <= made.g.n_rules
             && memcmp(g->body, made.g.body, g->n_rules * sizeof *g->body) == 0;

    for (uint32_t k = 0; same && k < g->n_threads; k++) {
        uint64_t n = g->length[g->n_rules + k];

        same = n <= made.g.length[made.g.n_rules + k];
        for (unsigned i = 0; same && n > 0 && i < places; i++) {
            uint64_t event = i ? (uint64_t)draw(1u << 31) * draw(1u << 31) % n : n - 1;

            same = event_of(g, k, event) == event_of(&made.g, k, event);
        }
    }
    return same;
}

/* What the start rule of a thread, or all of them, derive. */
static uint64_t weight_of(const struct wpp_grammar *g, const struct wpp_reading_goal *goal)
{
    uint64_t *weight = calloc(g->n_rules + (size_t)g->n_threads + 1, sizeof *weight), all = 0;

    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++) {
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            weight[r] += g->symbols[i] & WPP_RULE ? weight[g->symbols[i] & ~WPP_RULE]
                                                  : goal->weights ? goal->weights[g->symbols[i]] : 1;
        if (r >= g->n_rules && (goal->thread == WPP_ALL_THREADS || goal->thread == r - g->n_rules))
            all += weight[r];
    }
    free(weight);
    return all;
}

/* Reads to random goals, the next one each time; *parts: so many that were not yet all.  Whether all that was
 * shown is right. */
static bool reads_on(const struct wpp_bytes *code, unsigned *parts)
{
    static uint32_t weights[STEPS];
    struct wpp_grammar_reader *r = wpp_grammar_reader_new(wpp_view(code->data, code->size), NULL);
    struct wpp_grammar g;
    bool right = r != NULL;

    for (uint32_t i = 0; i < made.g.n_terminals; i++)
        weights[i] = draw(3) ? 0 : draw(4);
    for (unsigned i = 0; right && !wpp_grammar_reader_is_done(r) && i < 20; i++) {
        struct wpp_reading_goal goal = {draw(2) ? WPP_ALL_THREADS : draw(made.g.n_threads),
                                        draw(2) ? weights : NULL, i == 19 ? UINT64_MAX : draw(1u << (1 + 3 * i / 2))};

        goal.thread = i == 19 ? WPP_ALL_THREADS : goal.thread;
        right = wpp_grammar_reader_go_on(r, &goal, NULL);
        wpp_grammar_reader_show(r, &g);
        right = right && is_beginning(&g, 30)
             && (weight_of(&g, &goal) >= goal.n || wpp_grammar_reader_is_done(r)
                 || goal.thread < wpp_grammar_reader_threads(r));
        *parts += !wpp_grammar_reader_is_done(r) && g.n_rules > 0;
    }
    right = right && wpp_grammar_reader_is_done(r);
    if (right) {
        wpp_grammar_reader_take(r, &g);
        right = is_same(&g, &made.g);
        wpp_grammar_release(&g);
    }
    wpp_grammar_reader_free(r);
    return right;
}

static void test_beginnings(const char *what, struct taste t, unsigned n)
{
    unsigned coded = 0, right = 0, parts = 0;

    for (unsigned i = 0; i < n; i++) {
        struct wpp_bytes code = {0};

        if (code_in_lanes(&t, &code)) {
            coded++;
            right += reads_on(&code, &parts);
        }
        wpp_bytes_free(&code);
    }
    tap_ok(coded > n / 2 && right == coded && parts > n, "%s: %u of %u are read in parts (%u)", what, right, coded,
           parts);
}

/* n terminals, each once, and a second thread without any: the end of either thread may fill a block. */
static bool ends_well(uint32_t n)
{
    static uint32_t order[WPP_BLOCK_NAMES + 9];
    struct wpp_grammar_coder *c = wpp_grammar_coder_new(false);
    struct wpp_bytes code = {0};
    struct wpp_grammar g = {0};
    struct wpp_error error;
    bool done = c != NULL;

    for (uint32_t i = 0; done && i < n; i++)
        done = wpp_grammar_coder_symbol(c, i);
    done = done && wpp_grammar_coder_end(c) && wpp_grammar_coder_end(c) &&
           wpp_grammar_coder_finish(c, &code, order, n) &&
           wpp_grammar_forms(&code) == WPP_FORM_LANES &&
           wpp_grammar_decode(wpp_view(code.data, code.size), &g, &error) &&
           g.n_threads == 2 && g.length[0] == n && g.length[1] == 0;
    wpp_grammar_release(&g);
    wpp_grammar_coder_free(c);
    wpp_bytes_free(&code);
    return done;
}

static void test_ends(void)
{
    uint32_t wrong = 0;

    for (uint32_t n = WPP_BLOCK_NAMES - 8; n < WPP_BLOCK_NAMES + 8; n++)
        wrong += !ends_well(n);
    tap_ok(wrong == 0, "threads that end where a block is full (%u wrong)", wrong);
}

/* From a writer whose blocks had 32 events, and which had a pause behind the last thread's end in a
 * block that was full. */
static void test_pause_behind(void)
{
    static const uint8_t code[] = {
        0xd4, 0x80, 0x80, 0x80, 0x08, 0x08, 0x01, 0x65, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0xed, 0x03, 0x01, 0x01, 0x69, 0x0b, 0xf7, 0x05, 0xf1, 0x06, 0x00, 0x00, 0x01, 0x00,
        0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x01,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x1a, 0x22, 0x16, 0x00, 0xb7, 0xc4, 0x5b, 0x93, 0xda, 0x0f,
        0xe4, 0x06, 0x00, 0x78, 0x07, 0x10, 0x39, 0x9e, 0xbb, 0x1f, 0x00, 0x03, 0x00, 0x00, 0x01, 0x00,
        0x00, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x02, 0x00, 0x02, 0x00, 0x02, 0x00, 0x01, 0xeb, 0x1b,
        0x28, 0x73, 0x70, 0x93, 0x06, 0x04, 0x9a, 0x93, 0x48, 0x01, 0xb6, 0xfa, 0xaa, 0x0d, 0xca, 0x6d,
        0x93, 0xd1, 0xe5, 0x02, 0x79, 0x04, 0x88, 0x2c, 0xc7, 0x00, 0x73, 0x0b, 0x35, 0x61, 0x29, 0x00,
        0x75, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    struct wpp_grammar g = {0};
    struct wpp_error error = {0};
    bool done = wpp_grammar_decode(wpp_view(code, sizeof code), &g, &error);

    tap_ok(done && g.n_threads == 1 && g.length[g.n_rules] == 131, "a pause behind the last end is read %s",
           error.text);
    wpp_grammar_release(&g);
}

/* Bytes that no writer has written are told, or mean another grammar; they never do harm. */
static void test_wrong(void)
{
    struct wpp_bytes code = {0};
    struct wpp_grammar again;
    struct wpp_error error = {0};
    unsigned told = 0, cuts = 0, sound = 0, hits = 0;
    bool done = code_in_lanes(&(struct taste){50000, 300, 20, 2, 6, 5000}, &code);

    tap_ok(done && code.size > 20000, "a grammar to be damaged");
    for (size_t n = 0; n < code.size; n += 1 + draw(300), cuts++) {
        uint8_t *copy = malloc(n + 1);

        memcpy(copy, code.data, n);
        told += !wpp_grammar_decode(wpp_view(copy, n), &again, &error)
             && error.status == WPP_E_DAMAGED;
        free(copy);
    }
    tap_ok(told == cuts, "each cut is told (%u of %u)", told, cuts);
    for (; hits < 3000; hits++) {
        size_t at = draw(hits % 3 ? (uint32_t)code.size : 200), n = 1 + draw(3);
        uint8_t was[4];

        n = at + n > code.size ? code.size - at : n;
        memcpy(was, code.data + at, n);
        for (size_t i = 0; i < n; i++)
            code.data[at + i] = (uint8_t)draw(256);
        done = wpp_grammar_decode(wpp_view(code.data, code.size), &again, &error);
        sound += done || error.status == WPP_E_DAMAGED;
        if (done)
            wpp_grammar_release(&again);
        memcpy(code.data + at, was, n);
    }
    tap_ok(sound == hits, "bytes that are changed do no harm (%u of %u)", sound, hits);
    wpp_bytes_free(&code);
}

/* ---- The document's example --------------------------------------------------------------------- */

static bool code_example(struct wpp_bytes *out)
{
    struct wpp_grammar_coder *c = wpp_grammar_coder_new(false);
    uint32_t order[3];
    bool done = c != NULL;

    /* S -> B A B, A -> b c, B -> a b A. */
    for (uint32_t i = 0; i < 2; i++)
        done = done && wpp_grammar_coder_symbol(c, i);
    done = done && wpp_grammar_coder_symbol(c, 1) && wpp_grammar_coder_symbol(c, 2)
        && wpp_grammar_coder_reduce(c, 2, 1) && wpp_grammar_coder_reduce(c, 3, 0)
        && wpp_grammar_coder_symbol(c, WPP_RULE | 0) && wpp_grammar_coder_symbol(c, WPP_RULE | 1)
        && wpp_grammar_coder_end(c) && wpp_grammar_coder_finish(c, out, order, 3);
    wpp_grammar_coder_free(c);
    return done;
}

static int write_example(void)
{
    struct wpp_bytes code = {0};
    bool done = code_example(&code);

    for (size_t i = 0; done && i < code.size; i++)
        printf("%02x%c", code.data[i], i % 16 == 15 || i + 1 == code.size ? '\n' : ' ');
    wpp_bytes_free(&code);
    return !done;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--example") == 0)
        return write_example();
    test_shares();
    test_stream();
    test_grammars("short ones", (struct taste){40, 5, 4, 2, 4, 10}, 2000);
    test_grammars("of several blocks", (struct taste){STEPS, 200, 12, 1, 8, STEPS}, 10);
    test_grammars("several threads", (struct taste){STEPS / 2, 20, 12, THREADS, 8, 1000}, 10);
    test_grammars("young rules", (struct taste){STEPS, 40, 5, 1, 3, 30}, 10);
    test_grammars("many terminals", (struct taste){STEPS, STEPS, 12, 1, 12, 300}, 5);
    test_grammars("long bodies", (struct taste){STEPS, 30, STEPS, 2, 300, 200}, 10);
    test_grammars("few reductions", (struct taste){STEPS, 3, 40, 1, 9000, 200}, 5);
    test_beginnings("beginnings", (struct taste){STEPS, 200, 12, 1, 8, STEPS}, 8);
    test_beginnings("beginnings of threads", (struct taste){STEPS, 20, 12, THREADS, 8, 1000}, 8);
    test_ends();
    test_pause_behind();
    test_wrong();
    return tap_done();
}
