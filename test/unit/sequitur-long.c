/* SPDX-License-Identifier: MIT */
/* sequitur-long.c - texts of many blocks, for the shortcuts: every property
 * holds, the text comes back, and equal input gives equal bytes.
 * test: slow 3 */
#include "test/unit/sequitur-test.h"

#ifdef WPP_HOSTILE
enum { TEXT = 20000, TEXTS = 16, STARTS = 3, LONG_TEXT = 20000, FEW = 700 };
#else
enum { TEXT = 700000, TEXTS = 8, STARTS = 3, LONG_TEXT = 5000000, FEW = 1500 };
#endif

/* A program: nested loops whose bodies and trip counts vary. */
static size_t loops(struct random *r, uint32_t *out, size_t n, uint32_t depth, uint32_t symbol)
{
    size_t i = 0;
    uint32_t trips = 1 + random_below(r, 12);

    while (trips-- && i < n) {
        for (uint32_t k = 1 + random_below(r, 4); k && i < n; k--)
            out[i++] = symbol * 8 + k;
        if (depth && i < n)
            i += loops(r, out + i, n - i, depth - 1, symbol * 3 + random_below(r, 3));
    }
    return i;
}

/* Runs of one symbol, and of one long piece, broken at random: what makes
 * careless comparisons quadratic. */
static size_t runs(struct random *r, uint32_t *out, size_t n)
{
    size_t i = 0;

    while (i < n) {
        uint32_t period = 1 + random_below(r, 5);
        for (uint32_t k = random_below(r, (uint32_t)(n / 6) + 2); k && i < n; k--, i++)
            out[i] = k % period;
        if (i < n)
            out[i++] = 7 + random_below(r, 3);
    }
    return n;
}

static void make_text(struct random *r, uint32_t kind, uint32_t *out, size_t n)
{
    size_t i = 0;

    switch (kind % 4) {
    case 0:
        while (i < n)
            i += loops(r, out + i, n - i, 5, 1 + random_below(r, 3));
        break;
    case 1:
        runs(r, out, n);
        break;
    case 2:
        random_string(r, out, n, 40);
        break;
    default:                     /* little repeats */
        for (; i < n; i++)
            out[i] = i > 5000 && random_below(r, 3) ? out[i - 5000] : random_below(r, 2000);
        break;
    }
}

/* Stream k is text[k * TEXT / STARTS ..]; pieces are at most `piece` long. */
static int build(const uint32_t *text, uint32_t piece, struct random *r, seq **s)
{
    size_t part = TEXT / STARTS;
    size_t done[STARTS] = {0};
    int status = seq_new(s, NULL);

    for (size_t left = part * STARTS; left && status == SEQ_OK;) {
        uint32_t k = piece == UINT32_MAX ? (uint32_t)(STARTS - 1 - (left - 1) / part)
                                         : random_below(r, STARTS);
        size_t n = piece == UINT32_MAX ? part : 1 + random_below(r, piece);
        if (n > part - done[k])
            n = part - done[k];
        status = seq_append(*s, k, text + k * part + done[k], n);
        done[k] += n;
        left -= n;
    }
    return status == SEQ_OK ? seq_finish(*s) : status;
}

static bool is_right(const seq *s, const uint32_t *text)
{
    struct seq_grammar g;
    char why[128] = "";
    bool right = true;

    if (seq_check(s, why, sizeof why) != SEQ_OK || seq_export(s, &g) != SEQ_OK) {
        tap_note("%s", why);
        return false;
    }
    for (uint32_t k = 0; k < STARTS; k++)
        right = right && derives(&g, k, text + k * (TEXT / STARTS), TEXT / STARTS);
    seq_grammar_free(s, &g);
    return right;
}

static bool same_grammar(const seq *a, const seq *b)
{
    struct seq_grammar g, h;
    bool same;

    if (seq_export(a, &g) != SEQ_OK)
        return false;
    if (seq_export(b, &h) != SEQ_OK) {
        seq_grammar_free(a, &g);
        return false;
    }
    uint32_t rules = g.rules + g.starts;
    same = g.rules == h.rules && g.starts == h.starts
        && memcmp(g.body, h.body, (rules + 1) * sizeof *g.body) == 0
        && memcmp(g.symbols, h.symbols, g.body[rules] * sizeof *g.symbols) == 0;
    seq_grammar_free(a, &g);
    seq_grammar_free(b, &h);
    return same;
}

static int append_in_pieces(seq *s, uint32_t k, const uint32_t *text, size_t length,
                            struct random *r)
{
    int status = SEQ_OK;

    for (size_t i = 0, n; i < length && status == SEQ_OK; i += n) {
        n = 1 + random_below(r, (uint32_t)length / 2 + 1);
        if (n > length - i)
            n = length - i;
        status = seq_append(s, k, text + i, n);
    }
    return status;
}

/* The text as one stream, or as some by turns; what comes at a turn as a whole and in pieces: the
 * same bytes. */
static bool pieces_do_not_matter(const uint32_t *text, uint32_t streams, struct random *r)
{
    seq *whole, *pieces;
    int status = seq_new(&whole, NULL);

    if (status == SEQ_OK && (status = seq_new(&pieces, NULL)) != SEQ_OK)
        seq_free(whole);
    if (status != SEQ_OK)
        return false;
    for (size_t i = 0, n; i < TEXT && status == SEQ_OK; i += n) {
        uint32_t k = random_below(r, streams);
        n = streams > 1 ? 1 + random_below(r, TEXT / 40) : TEXT;
        if (n > TEXT - i)
            n = TEXT - i;
        status = seq_append(whole, k, text + i, n);
        if (status == SEQ_OK)
            status = append_in_pieces(pieces, k, text + i, n, r);
    }
    if (status == SEQ_OK)
        status = seq_finish(whole);
    if (status == SEQ_OK)
        status = seq_finish(pieces);
    bool same = status == SEQ_OK && seq_check(pieces, NULL, 0) == SEQ_OK
             && same_grammar(whole, pieces);
    seq_free(whole);
    seq_free(pieces);
    return same;
}

/* Copies of what was there a while ago, between terminals some of which repeat. */
static void make_turns(struct random *r, uint32_t *text, size_t n)
{
    uint32_t far = 20 + random_below(r, 300), alphabet = 2 + random_below(r, 6);
    uint32_t seldom = 5 + random_below(r, 30);

    for (size_t i = 0; i < n;) {
        bool copies = i > far && random_below(r, seldom);
        uint32_t back = copies ? 1 + random_below(r, far) : 1;
        uint32_t length = copies ? 1 + random_below(r, 60) : random_below(r, 4);

        if (!copies)
            text[i++] = random_below(r, alphabet);
        for (; length > 0 && i < n; length--, i++)
            text[i] = text[i - back];
    }
}

/* Streams by turns, some terminals each, at once and one by one: where a turn ends within a run
 * whose beginning filled a block, pieces say how much of the run is there. */
static bool terminals_do_not_matter(uint64_t seed)
{
    enum { N = 3000, MOST_STREAMS = 3, TURN = 60 };
    static uint32_t text[N];
    struct random r = {seed};
    uint32_t streams = 2 + random_below(&r, MOST_STREAMS - 1);
    seq *whole = NULL, *pieces = NULL;
    bool same = seq_new(&whole, NULL) == SEQ_OK && seq_new(&pieces, NULL) == SEQ_OK;

    make_turns(&r, text, N);
    for (size_t i = 0, n; i < N && same; i += n) {
        uint32_t k = random_below(&r, streams);
        n = 1 + random_below(&r, TURN);
        if (n > N - i)
            n = N - i;
        same = seq_append(whole, k, text + i, n) == SEQ_OK;
        for (size_t j = 0; j < n && same; j++)
            same = seq_append(pieces, k, text + i + j, 1) == SEQ_OK;
    }
    same = same && seq_finish(whole) == SEQ_OK && seq_finish(pieces) == SEQ_OK
        && same_grammar(whole, pieces);
    seq_free(whole);
    seq_free(pieces);
    return same;
}

static void turns(void)
{
#ifdef WPP_HOSTILE      /* elsewhere no block is full */
    enum { COUNT = 6000 };
#else
    enum { COUNT = 300 };
#endif
    uint64_t wrong = 0;

    for (uint64_t seed = 1; seed <= COUNT && !wrong; seed++)
        if (!terminals_do_not_matter(seed * UINT64_C(0x9E3779B97F4A7C15)))
            wrong = seed;
    tap_ok(wrong == 0, "%d texts by turns, whole or one by one; the first wrong one: %llu", COUNT,
           (unsigned long long)wrong);
}

/* Words of terminals, phrases of words, passages of phrases, the text of passages at random. */
enum { WORDS = 24, PARTS = 8, LEVELS_OF_TEXT = 6 };

static size_t put_passage(uint32_t *out, size_t n, uint32_t (*of)[WORDS][PARTS], uint32_t level,
                          uint32_t which)
{
    size_t i = 0;

    for (uint32_t k = 0; k < PARTS && i < n; k++)
        if (level == 0)
            out[i++] = of[0][which][k];
        else
            i += put_passage(out + i, n - i, of, level - 1, of[level][which][k]);
    return i;
}

static void make_passages(uint32_t *text)
{
    static uint32_t of[LEVELS_OF_TEXT][WORDS][PARTS];
    struct random r = {5};

    for (uint32_t level = 0; level < LEVELS_OF_TEXT; level++)
        for (uint32_t w = 0; w < WORDS; w++)
            for (uint32_t k = 0; k < PARTS; k++)
                of[level][w][k] = random_below(&r, level ? WORDS : 40);
    for (size_t i = 0; i < LONG_TEXT;)
        i += put_passage(text + i, LONG_TEXT - i, of, LEVELS_OF_TEXT - 1, random_below(&r, WORDS));
}

/* Blocks end in the middle of passages, which is not to be seen in the grammar.  Symbols on
 * right-hand sides, 0 if something is wrong.  With `others` there is a second stream, whose blocks
 * stand between the first one's. */
static uint64_t symbols_of_passages(uint32_t *text, bool others)
{
    seq *s;
    struct seq_grammar g;
    uint64_t symbols = 0;
    int status = seq_new(&s, NULL);

    make_passages(text);
    for (size_t i = 0, n; i < LONG_TEXT && status == SEQ_OK; i += n) {
        n = LONG_TEXT - i < 777 ? LONG_TEXT - i : 777;
        status = seq_append(s, 0, text + i, n);
        if (status == SEQ_OK && others)
            status = seq_append(s, 1, text + i, n);
    }
    if (status == SEQ_OK && seq_finish(s) == SEQ_OK && seq_check(s, NULL, 0) == SEQ_OK
        && seq_export(s, &g) == SEQ_OK) {
        bool right = derives(&g, 0, text, LONG_TEXT) && (!others || derives(&g, 1, text, LONG_TEXT));
        symbols = right ? g.body[g.rules + g.starts] : 0;
        seq_grammar_free(s, &g);
    }
    seq_free(s);
    return symbols;
}

int main(void)
{
    static uint32_t text[LONG_TEXT];
    struct random r = {99};

    for (uint32_t i = 0; i < TEXTS; i++) {
        uint32_t piece = i % 8 < 4 ? UINT32_MAX : TEXT / 50;
        seq *s = NULL;
        make_text(&r, i, text, TEXT);
        bool right = build(text, piece, &r, &s) == SEQ_OK && is_right(s, text);
        tap_ok(right, "text %u in %s is right", i, i % 8 < 4 ? "three wholes" : "mingled pieces");
        seq_free(s);
        if (i < 4) {
            tap_ok(pieces_do_not_matter(text, 1, &r), "text %u as one stream, whole or in pieces", i);
            tap_ok(pieces_do_not_matter(text, STARTS, &r),
                   "text %u as %u streams by turns, whole or in pieces", i, (uint32_t)STARTS);
        }
    }
    turns();
    uint64_t symbols = symbols_of_passages(text, false);
    tap_ok(symbols && symbols <= FEW, "ends of blocks are not seen: %llu symbols",
           (unsigned long long)symbols);
    symbols = symbols_of_passages(text, true);
    tap_ok(symbols != 0, "with blocks of another stream between: %llu symbols",
           (unsigned long long)symbols);
    return tap_done();
}
