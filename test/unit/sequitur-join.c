/* SPDX-License-Identifier: MIT */
/* sequitur-join.c - grammars of pieces joined: all invariants, and what they derive.
 * test: slow 2 */
#include "test/unit/sequitur-test.h"

enum { MAX_TEXT = 400, STARTS = 2, PIECES = 4 };

struct texts {
    uint32_t symbol[STARTS][MAX_TEXT];
    size_t n[STARTS];
};

/* The grammar of a random piece, behind what `all` has; NULL: it failed. */
static seq *build_piece(struct random *r, struct texts *all, uint32_t alphabet,
                        const struct seq_config *config)
{
    uint32_t starts = 1 + random_below(r, STARTS);
    seq *s;

    if (seq_new(&s, config) != SEQ_OK)
        return NULL;
    for (uint32_t k = 0; k < starts; k++) {
        size_t room = MAX_TEXT - all->n[k], n = random_below(r, (uint32_t)room / 2 + 1);
        uint32_t *text = all->symbol[k] + all->n[k];

        /* Half of them of what the pieces before have said. */
        if (all->n[k] > n && random_below(r, 2))
            memcpy(text, all->symbol[k] + random_below(r, (uint32_t)(all->n[k] - n)),
                   n * sizeof *text);
        else
            random_string(r, text, n, alphabet);
        if (seq_append(s, k, text, n) != SEQ_OK) {
            seq_free(s);
            return NULL;
        }
        all->n[k] += n;
    }
    if (seq_finish(s) == SEQ_OK)
        return s;
    seq_free(s);
    return NULL;
}

static bool join(seq *s, const seq *piece)
{
    struct seq_grammar g;
    int status = seq_export(piece, &g);

    if (status == SEQ_OK)
        status = seq_join(s, &g);
    seq_grammar_free(piece, &g);
    return status == SEQ_OK;
}

static bool is_right(const seq *s, const struct texts *all)
{
    struct seq_grammar g;
    char why[128] = "";
    bool right = seq_check(s, why, sizeof why) == SEQ_OK && seq_export(s, &g) == SEQ_OK;

    if (!right) {
        tap_note("%s", why);
        return false;
    }
    for (uint32_t k = 0; k < g.starts; k++)
        right = right && derives(&g, k, all->symbol[k], all->n[k]);
    for (uint32_t k = g.starts; k < STARTS; k++)
        right = right && all->n[k] == 0;
    seq_grammar_free(s, &g);
    return right;
}

static bool try_one(uint64_t seed)
{
    static const uint32_t flags[] = {0, 0, SEQ_EXACT, SEQ_PLAIN};
    struct random r = {.state = seed};
    struct seq_config config = {.size = sizeof config, .flags = flags[random_below(&r, 4)]};
    uint32_t pieces = 2 + random_below(&r, PIECES - 1), alphabet = 1 + random_below(&r, 6);
    struct texts all = {0};
    seq *s = build_piece(&r, &all, alphabet, &config);
    bool right = s != NULL;

    while (right && --pieces) {
        seq *piece = build_piece(&r, &all, alphabet, &config);

        right = piece && join(s, piece) && is_right(s, &all);
        seq_free(piece);
    }
    seq_free(s);
    return right;
}

static void random_pieces(void)
{
    enum { COUNT = 15000 };
    uint64_t wrong = 0;

    for (uint64_t seed = 1; seed <= COUNT; seed++)
        if (!try_one(seed * UINT64_C(0x9E3779B97F4A7C15)) && !wrong)
            wrong = seed;
    if (wrong)
        tap_note("the first wrong one: %llu", (unsigned long long)wrong);
    tap_ok(wrong == 0, "pieces of random strings, joined");
}

/* A rule of the first grammar stands for the same of the second. */
static void equal_halves(void)
{
    static const uint32_t text[] = {1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4};
    enum { N = sizeof text / sizeof *text };
    struct seq_stats once, twice;
    struct texts all = {.n = {2 * N}};
    seq *a, *b;
    bool built = seq_new(&a, NULL) == SEQ_OK && seq_append(a, 0, text, N) == SEQ_OK &&
                 seq_finish(a) == SEQ_OK && seq_new(&b, NULL) == SEQ_OK &&
                 seq_append(b, 0, text, N) == SEQ_OK && seq_finish(b) == SEQ_OK;

    tap_ok(built, "two grammars of one text");
    if (!built)
        return;
    memcpy(all.symbol[0], text, sizeof text);
    memcpy(all.symbol[0] + N, text, sizeof text);
    seq_get_stats(a, &once);
    tap_ok(join(a, b) && is_right(a, &all), "joined");
    seq_get_stats(a, &twice);
    tap_ok(twice.rules <= once.rules + 1 && twice.rhs_symbols <= once.rhs_symbols + 2,
       "have one rule more");
    tap_ok(twice.symbols == 2 * once.symbols, "and twice the terminals");
    seq_free(a);
    seq_free(b);
}

static void refusals(void)
{
    static const uint64_t body[] = {0, 0}, length[] = {0};
    struct seq_grammar empty = {.starts = 1, .body = (uint64_t *)body,
                                .length = (uint64_t *)length};
    seq *s;

    if (seq_new(&s, NULL) != SEQ_OK)
        return;
    tap_ok(seq_join(s, &empty) == SEQ_E_STATE, "not before the end of the input");
    tap_ok(seq_finish(s) == SEQ_OK && seq_join(s, &empty) == SEQ_OK, "an empty stream is a stream");
    seq_free(s);
}

int main(void)
{
    equal_halves();
    refusals();
    random_pieces();
    return tap_done();
}
