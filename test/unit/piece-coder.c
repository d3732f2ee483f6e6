/* SPDX-License-Identifier: MIT */
/* The code of one grammar of all pieces: with and without a thread the same, and what is read from it is
 * the grammar of all pieces; also where the code is an even one.
 * test: slow 2 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/combine.h"
#include "test/unit/tap.h"
#include "wpp/compress/piece-coder.h"
#include "wpp/format/grammar-code.h"

enum { STREAMS = 3, PIECES = 5 };
/* An even code is looked for after 65,536 symbols; in a hostile build lanes have no rival, and the engine is
 * slow. */
#ifdef WPP_HOSTILE
enum { MANY = 500, LONG = 600, LONGEST = 1500, FINDS_EVEN = false };
#else
enum { MANY = 2000, LONG = 30000, LONGEST = 200000, FINDS_EVEN = true };
#endif

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *r, uint32_t below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % below);
}

/* n terminals below `alphabet`, with repetitions and runs; even: without. */
static void append(struct random *r, seq *s, uint32_t stream, uint32_t n, uint32_t alphabet, bool even)
{
    uint32_t *text = malloc(n * sizeof *text + 1);

    if (!text)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t back = 1 + draw(r, 50);

        text[i] = even || i < back || draw(r, 9) == 0 ? draw(r, alphabet)
                  : draw(r, 4) == 0                   ? text[i - 1]
                                                      : text[i - back];
    }
    if (seq_append(s, stream, text, n) != SEQ_OK)
        abort();
    free(text);
}

static seq *build(struct random *r, seq_piece **piece, size_t n, uint32_t most, uint32_t alphabet,
                  bool even)
{
    seq *base, *s;
    int status = seq_new(&base, NULL);

    for (size_t k = 0; k < n && status == SEQ_OK; k++) {
        s = base;
        if (k > 0)
            status = seq_new_on(&s, base, NULL);
        /* Streams begin later than the first. */
        for (uint32_t i = 0; i < STREAMS && status == SEQ_OK; i++)
            append(r, s, i, i > k ? 0 : draw(r, most), alphabet, even);
        if (status == SEQ_OK)
            status = k > 0 ? seq_end_piece(s, &piece[k]) : seq_end_base(s, &piece[0]);
        if (k > 0)
            seq_free(s);
    }
    if (status != SEQ_OK)
        abort();
    return base;
}

/* The code, and the terminals by their new numbers.  The thread begins at a random piece. */
static bool code(const seq *base, seq_piece *const *piece, size_t n, size_t thread,
                 struct wpp_bytes *out, uint32_t *order, uint32_t terminals)
{
    struct wpp_piece_coder *c = wpp_piece_coder_new(base);
    bool done = c != NULL;

    for (size_t k = 0; k < n && done; k++) {
        if (k == thread)
            wpp_piece_coder_start(c);
        done = wpp_piece_coder_add(c, piece[k]);
    }
    uint32_t found = terminals;

    done = done && wpp_piece_coder_finish(c, STREAMS, out, order, &found) && found == terminals;
    wpp_piece_coder_free(c);
    return done;
}

/* Whether `read`, whose terminal t is order[t], is g. */
static bool are_equal(const struct wpp_grammar *read, const struct seq_grammar *g, const uint32_t *order)
{
    size_t n = (size_t)g->rules + g->starts;
    bool equal = read->n_rules == g->rules && read->n_threads == g->starts &&
                 memcmp(read->body, g->body, (n + 1) * sizeof *g->body) == 0 &&
                 memcmp(read->length, g->length, n * sizeof *g->length) == 0;

    for (uint64_t i = 0; equal && i < g->body[n]; i++)
        equal = (read->symbols[i] & WPP_RULE ? read->symbols[i] : order[read->symbols[i]]) ==
                g->symbols[i];
    return equal;
}

static uint32_t count_terminals(const struct seq_grammar *g, uint32_t alphabet)
{
    bool *seen = calloc(alphabet, sizeof *seen);
    uint32_t n = 0;

    for (uint64_t i = 0; seen && i < g->body[g->rules + g->starts]; i++) {
        uint32_t symbol = g->symbols[i];

        if (symbol & SEQ_RULE || seen[symbol])
            continue;
        seen[symbol] = true;
        n++;
    }
    free(seen);
    return n;
}

static bool try_one(uint64_t seed, uint32_t most, uint32_t alphabet, bool even)
{
    struct random r = {seed};
    size_t n = 1 + draw(&r, PIECES);
    seq_piece *piece[PIECES];
    seq *base = build(&r, piece, n, most, alphabet, even);
    struct seq_grammar g;
    struct wpp_grammar read = {0};
    struct wpp_bytes one = {0}, other = {0};
    uint32_t *order = calloc(2 * (size_t)alphabet, sizeof *order), terminals;
    struct wpp_error error;
    bool good = order && combine_pieces(base, piece, n, STREAMS, &g) == SEQ_OK;

    if (!good)
        abort();
    terminals = count_terminals(&g, alphabet);
    good = code(base, piece, n, SIZE_MAX, &one, order, terminals) &&
           code(base, piece, n, draw(&r, (uint32_t)n), &other, order + alphabet, terminals) &&
           one.size == other.size && memcmp(one.data, other.data, one.size) == 0 &&
           memcmp(order, order + alphabet, terminals * sizeof *order) == 0 &&
           wpp_grammar_forms(&one) != 0 && (!even || !FINDS_EVEN || wpp_grammar_forms(&one) == WPP_FORM_EVEN) &&
           wpp_grammar_decode(wpp_view(one.data, one.size), &read, &error) &&
           read.n_terminals == terminals && are_equal(&read, &g, order);
    wpp_grammar_release(&read);
    wpp_bytes_free(&one);
    wpp_bytes_free(&other);
    combined_free(&g);
    for (size_t k = 0; k < n; k++)
        seq_piece_free(piece[k]);
    seq_free(base);
    free(order);
    if (!good)
        tap_note("seed %llu", (unsigned long long)seed);
    return good;
}

static void try_many(unsigned n, uint32_t most, uint32_t alphabet, bool even)
{
    unsigned right = 0;

    for (unsigned i = 1; i <= n; i++)
        right += try_one(i * UINT64_C(0x9E3779B97F4A7C15), most, alphabet, even);
    tap_ok(right == n, "%u of %u, parts of up to %u events of %u paths%s", right, n, most, alphabet,
           even ? ", an even code" : "");
}

/* Coders that are dropped while their thread works. */
static void try_dropping(void)
{
    struct random r = {4711};
    seq_piece *piece[PIECES];
    seq *base = build(&r, piece, PIECES, 3000, 40, false);

    for (unsigned i = 0; i < 200; i++) {
        struct wpp_piece_coder *c = wpp_piece_coder_new(base);

        if (i % 2)
            wpp_piece_coder_start(c);
        for (size_t k = 0; k < i % (PIECES + 1); k++)
            wpp_piece_coder_add(c, piece[k]);
        wpp_piece_coder_start(c);
        wpp_piece_coder_free(c);
    }
    tap_ok(true, "coders are dropped in the middle");
    for (size_t k = 0; k < PIECES; k++)
        seq_piece_free(piece[k]);
    seq_free(base);
}

int main(void)
{
    try_many(MANY, 40, 3, false);
    try_many(MANY / 10, 1000, 60, false);
    try_many(20, LONG, 2000, false);
    try_many(2, LONGEST, LONGEST / 4, true);
    try_dropping();
    return tap_done();
}
