/* SPDX-License-Identifier: MIT */
/* sequitur-base.c - grammars on a base, and one grammar of all pieces.
 * test: slow 2 */
#include "test/unit/combine.h"
#include "test/unit/sequitur-test.h"

enum { STARTS = 3, PIECES = 5 };
#ifdef WPP_HOSTILE
enum { SHORT = 300, LONG = 4000 };
#else
enum { SHORT = 300, LONG = 400000 };
#endif
enum { PERIOD = LONG / 1000 };

/* The text of each stream; part k of stream i is text[i] + at[i][k] .. at[i][k + 1]. */
struct texts {
    uint32_t *text[STARTS];
    size_t at[STARTS][PIECES + 1];
    size_t pieces, most;
};

static bool texts_new(struct texts *t, struct random *r, size_t pieces, size_t most,
                      uint32_t alphabet)
{
    *t = (struct texts){.pieces = pieces, .most = most};
    for (size_t i = 0; i < STARTS; i++) {
        t->text[i] = malloc(pieces * most * sizeof *t->text[i]);
        if (!t->text[i])
            return false;
        for (size_t k = 0; k < pieces; k++) {
            size_t at = t->at[i][k], n = random_below(r, 4) ? random_below(r, (uint32_t)most) : 0;
            uint32_t *out = t->text[i] + at;
            /* Half of them of what the parts before have said. */
            if (at > n && random_below(r, 2))
                memcpy(out, t->text[i] + random_below(r, (uint32_t)(at - n)), n * sizeof *out);
            else
                random_string(r, out, n, alphabet);
            t->at[i][k + 1] = at + n;
        }
    }
    return true;
}

static void texts_free(struct texts *t)
{
    for (size_t i = 0; i < STARTS; i++)
        free(t->text[i]);
}

/* Appends part k of all streams, in pieces of at most `most`, stream by stream or mixed. */
static int append_part(seq *s, const struct texts *t, size_t k, uint32_t most)
{
    size_t done[STARTS] = {0};
    int status = SEQ_OK;

    for (bool more = true; more && status == SEQ_OK;) {
        more = false;
        for (uint32_t i = 0; i < STARTS && status == SEQ_OK; i++) {
            size_t left = t->at[i][k + 1] - t->at[i][k] - done[i], n = left < most ? left : most;
            if (n)
                status = seq_append(s, i, t->text[i] + t->at[i][k] + done[i], n);
            done[i] += n;
            more |= done[i] < t->at[i][k + 1] - t->at[i][k];
        }
    }
    return status;
}

static bool is_sound(const seq *s)
{
    char why[128] = "";

    if (seq_check(s, why, sizeof why) == SEQ_OK)
        return true;
    tap_note("%s", why);
    return false;
}

/* Piece k on the base; in small pieces of input as well, with a check after each. */
static bool build_piece(const seq *base, const struct texts *t, size_t k, uint32_t most,
                        seq_piece **out)
{
    seq *s;
    bool good = seq_new_on(&s, base, NULL) == SEQ_OK && is_sound(s)
             && append_part(s, t, k, most) == SEQ_OK && is_sound(s)
             && seq_end_piece(s, out) == SEQ_OK && is_sound(s)
             && seq_append(s, 0, t->text[0], 1) == SEQ_E_STATE;
    struct seq_stats stats = {0};

    if (good)
        seq_get_stats(s, &stats);
    good = good && stats.rhs_symbols == seq_piece_symbols(*out);
    seq_free(s);
    return good;
}

/* Every rule is used twice, and its body has two symbols and names rules before it. */
static bool is_numbered(const struct seq_grammar *g)
{
    uint32_t *uses = calloc((size_t)g->rules + 1, sizeof *uses);
    bool good = uses != NULL;

    for (uint64_t k = 0; good && k < (uint64_t)g->rules + g->starts; k++) {
        good = k >= g->rules || g->body[k + 1] - g->body[k] >= 2;
        for (uint64_t i = g->body[k]; good && i < g->body[k + 1]; i++) {
            uint32_t rule = g->symbols[i] & ~SEQ_RULE;
            if (!(g->symbols[i] & SEQ_RULE))
                continue;
            good = rule < g->rules && rule < k;
            uses[good ? rule : 0]++;
        }
    }
    for (uint32_t k = 0; good && k < g->rules; k++)
        good = uses[k] >= 2;
    free(uses);
    return good;
}

static bool is_right(const struct seq_grammar *g, const struct texts *t)
{
    bool right = is_numbered(g);

    for (uint32_t i = 0; i < STARTS; i++)
        right = right && (i < g->starts ? derives(g, i, t->text[i], t->at[i][t->pieces])
                                        : t->at[i][t->pieces] == 0);
    return right;
}

/* Digrams of the pieces are made unique, and rules that several pieces have in common one. */
static bool can_be_joined(const struct seq_grammar *g, const struct texts *t)
{
    static const struct seq_config exact = {.size = sizeof exact, .flags = SEQ_EXACT};
    struct seq_grammar joined = {0};
    seq *s;
    bool good = seq_new(&s, &exact) == SEQ_OK && seq_finish(s) == SEQ_OK && seq_join(s, g) == SEQ_OK
             && is_sound(s) && seq_export(s, &joined) == SEQ_OK && is_right(&joined, t)
             && joined.body[joined.rules + joined.starts] <= g->body[g->rules + g->starts];

    seq_grammar_free(s, &joined);
    seq_free(s);
    return good;
}

/* Builds all, the pieces in some order. */
static bool build(const struct texts *t, uint32_t most, bool backwards, seq **base,
                  struct seq_grammar *g)
{
    seq_piece *piece[PIECES] = {0};
    bool good = seq_new(base, NULL) == SEQ_OK && append_part(*base, t, 0, most) == SEQ_OK
             && seq_end_base(*base, &piece[0]) == SEQ_OK && is_sound(*base);

    for (size_t i = 1; good && i < t->pieces; i++) {
        size_t k = backwards ? t->pieces - i : i;
        good = build_piece(*base, t, k, most, &piece[k]);
    }
    good = good && combine_pieces(*base, piece, t->pieces, STARTS, g) == SEQ_OK && is_right(g, t);
    for (size_t k = 0; k < PIECES; k++)
        seq_piece_free(piece[k]);
    return good;
}

static bool try_one(uint64_t seed, size_t most)
{
    struct random r = {.state = seed};
    struct texts t;
    struct seq_grammar g = {0}, again = {0};
    seq *base = NULL, *base_again = NULL;
    size_t pieces = 1 + random_below(&r, PIECES);
    uint32_t alphabet = 1 + random_below(&r, random_below(&r, 4) ? 6 : 3000);
    bool good = texts_new(&t, &r, pieces, most, alphabet)
             && build(&t, UINT32_MAX, false, &base, &g)
             && build(&t, UINT32_MAX, true, &base_again, &again) && equal(&g, &again)
             && can_be_joined(&g, &t);

    combined_free(&g);
    combined_free(&again);
    seq_free(base);
    seq_free(base_again);
    texts_free(&t);
    if (!good)
        tap_note("seed %llu", (unsigned long long)seed);
    return good;
}

static void try_many(size_t most, unsigned n)
{
    unsigned right = 0;

    for (unsigned i = 1; i <= n; i++)
        right += try_one(i * UINT64_C(0x9E3779B97F4A7C15), most);
    tap_ok(right == n, "%u of %u texts of up to %zu terminals a part: derived, in any order", right,
           n, most);
}

/* What the base has said twice is a few of its rules. */
static void test_shares(void)
{
    struct random r = {77};
    struct texts t = {.pieces = 2, .most = LONG};
    struct seq_grammar g = {0};
    seq_piece *piece[2] = {0};
    seq *base = NULL, *s = NULL;

    t.text[0] = malloc(LONG * 2 * sizeof *t.text[0]);
    random_string(&r, t.text[0], PERIOD, 40);
    for (size_t i = PERIOD; i < 2 * LONG; i++)
        t.text[0][i] = t.text[0][i - PERIOD];
    t.at[0][1] = LONG;
    t.at[0][2] = 2 * LONG;
    bool good = seq_new(&base, NULL) == SEQ_OK && append_part(base, &t, 0, UINT32_MAX) == SEQ_OK
             && seq_end_base(base, &piece[0]) == SEQ_OK && seq_new_on(&s, base, NULL) == SEQ_OK
             && append_part(s, &t, 1, UINT32_MAX) == SEQ_OK
             && seq_end_piece(s, &piece[1]) == SEQ_OK
             && combine_pieces(base, piece, 2, STARTS, &g) == SEQ_OK && is_right(&g, &t);
    tap_ok(good, "a text again and again, in two parts");
    tap_ok(good && seq_piece_symbols(piece[1]) * 2 < seq_piece_symbols(piece[0]),
           "the second part has %llu symbols where the first has %llu",
           good ? (unsigned long long)seq_piece_symbols(piece[1]) : 0,
           good ? (unsigned long long)seq_piece_symbols(piece[0]) : 0);
    combined_free(&g);
    seq_piece_free(piece[0]);
    seq_piece_free(piece[1]);
    seq_free(s);
    seq_free(base);
    free(t.text[0]);
}

static void test_states(void)
{
    static const struct seq_config exact = {.size = sizeof exact, .flags = SEQ_EXACT};
    const uint32_t text[] = {1, 2, 1, 2};
    struct seq_grammar g;
    seq_piece *piece;
    seq *s, *on, *x;

    tap_ok(seq_new(&s, NULL) == SEQ_OK && seq_append(s, 0, text, 4) == SEQ_OK
               && seq_new_on(&on, s, NULL) == SEQ_E_STATE && !on
               && seq_end_piece(s, &piece) == SEQ_E_STATE && !piece,
           "a grammar that has not ended is no base, and no piece without one");
    tap_ok(seq_end_base(s, &piece) == SEQ_OK && seq_finish(s) == SEQ_E_STATE
               && seq_export(s, &g) == SEQ_E_STATE && seq_reparse(s, 1, NULL) == SEQ_E_STATE
               && seq_append(s, 0, text, 4) == SEQ_E_STATE,
           "a base is not finished, exported, parsed anew or appended to");
    seq_piece_free(piece);
    tap_ok(seq_end_base(s, &piece) == SEQ_E_STATE && seq_new_on(&on, s, &exact) == SEQ_E_STATE,
           "it ends once, and exact grammars have no base");
    tap_ok(seq_new_on(&on, s, NULL) == SEQ_OK && seq_end_base(on, &piece) == SEQ_E_STATE,
           "a piece is no base");
    seq_free(on);
    seq_free(s);
    tap_ok(seq_new(&x, &exact) == SEQ_OK && seq_end_base(x, &piece) == SEQ_E_STATE,
           "nor is an exact grammar");
    seq_free(x);
}

int main(void)
{
    try_many(12, 3000);
    try_many(SHORT, 400);
    try_many(LONG, 12);
    test_shares();
    test_states();
    return tap_done();
}
