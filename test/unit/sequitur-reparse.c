/* SPDX-License-Identifier: MIT */
/* sequitur-reparse.c - grammars parsed anew: all invariants, what they derive, and their size.
 * test: slow 2 */
#include "test/unit/sequitur-test.h"

enum { MAX_TEXT = 600, STARTS = 3 };

struct texts {
    uint32_t symbol[STARTS][MAX_TEXT];
    size_t n[STARTS];
    uint32_t starts;
};

static void make_texts(struct random *r, struct texts *t)
{
    uint32_t alphabet = 1 + random_below(r, random_below(r, 3) ? 4 : 30);

    t->starts = random_below(r, 3) ? 1 : 1 + random_below(r, STARTS);
    for (uint32_t k = 0; k < t->starts; k++) {
        t->n[k] = random_below(r, random_below(r, 4) ? 80 : MAX_TEXT);
        random_string(r, t->symbol[k], t->n[k], alphabet);
    }
}

static seq *build(const struct texts *t, uint32_t flags)
{
    struct seq_config config = {.size = sizeof config, .flags = flags};
    seq *s;
    int status = seq_new(&s, &config);

    if (status == SEQ_OK)
        status = seq_append(s, t->starts - 1, NULL, 0);
    for (uint32_t k = 0; status == SEQ_OK && k < t->starts; k++)
        status = seq_append(s, k, t->symbol[k], t->n[k]);
    if (status == SEQ_OK)
        status = seq_finish(s);
    if (status == SEQ_OK)
        return s;
    seq_free(s);
    return NULL;
}

/* All invariants hold, and each stream is what it was; g is the export. */
static bool is_right(const seq *s, const struct texts *t, struct seq_grammar *g)
{
    char why[128] = "";
    struct seq_stats stats;
    uint64_t n = 0;

    if (seq_check(s, why, sizeof why) != SEQ_OK || seq_export(s, g) != SEQ_OK) {
        tap_note("%s", why);
        return false;
    }
    bool right = g->starts == t->starts;
    for (uint32_t k = 0; right && k < t->starts; k++) {
        right = derives(g, k, t->symbol[k], t->n[k]);
        n += t->n[k];
    }
    seq_get_stats(s, &stats);
    return right && stats.symbols == n && stats.rules == g->rules &&
           stats.rhs_symbols == g->body[g->rules + g->starts];
}

struct sizes {
    uint64_t before, after;
};

/* Twice, from two grammars of the same input: both must be equal to the last number. */
static bool try_one(uint64_t seed, struct sizes *sizes)
{
    static const uint32_t flags[] = {0, 0, SEQ_EXACT, SEQ_PLAIN};
    static struct texts t;
    struct random r = {.state = seed};
    struct seq_grammar g[2] = {{0}, {0}};
    struct seq_stats stats;
    seq *s[2];
    bool right = true;

    make_texts(&r, &t);
    uint32_t flag = flags[random_below(&r, 4)], rounds = random_below(&r, 4);
    for (int i = 0; i < 2; i++) {
        s[i] = build(&t, flag);
        if (!s[i])
            return false;
        seq_get_stats(s[i], &stats);
        right = right && seq_reparse(s[i], rounds, NULL) == SEQ_OK && is_right(s[i], &t, &g[i]);
    }
    right = right && equal(&g[0], &g[1]);
    sizes->before += stats.rhs_symbols;
    sizes->after += right ? g[0].body[g[0].rules + g[0].starts] : 0;
    for (int i = 0; i < 2; i++) {
        seq_grammar_free(s[i], &g[i]);
        seq_free(s[i]);
    }
    return right;
}

static void random_texts(void)
{
    enum { COUNT = 8000 };
    struct sizes sizes = {0, 0};
    uint64_t wrong = 0;

    for (uint64_t seed = 1; seed <= COUNT && !wrong; seed++)
        if (!try_one(seed * UINT64_C(0x9E3779B97F4A7C15), &sizes))
            wrong = seed;
    if (wrong)
        tap_note("the first wrong one: %llu", (unsigned long long)wrong);
    tap_ok(wrong == 0, "random strings, parsed anew");
    tap_note("%llu symbols before, %llu after", (unsigned long long)sizes.before,
             (unsigned long long)sizes.after);
}

/* A long text of phrases that overlap each other: the engine cuts it as they come, which is not
 * how they fit best. */
static void phrases(void)
{
    enum { N = 100000, WORDS = 200, LONGEST = 12 };
    static uint32_t text[N], word[WORDS][LONGEST], length[WORDS];
    struct random r = {.state = 4711};
    struct seq_stats before, after;
    struct seq_grammar g;
    char why[128] = "";
    seq *s;
    size_t n = 0;

    for (uint32_t w = 0; w < WORDS; w++) {
        length[w] = 3 + random_below(&r, LONGEST - 3);
        for (uint32_t i = 0; i < length[w]; i++)
            word[w][i] = random_below(&r, 3);
    }
    while (n < N) {
        uint32_t w = random_below(&r, 1 + random_below(&r, WORDS));
        for (uint32_t i = 0; i < length[w] && n < N; i++)
            text[n++] = word[w][i];
    }
    bool built = seq_new(&s, NULL) == SEQ_OK && seq_append(s, 0, text, N) == SEQ_OK &&
                 seq_finish(s) == SEQ_OK;
    tap_ok(built, "a long text");
    if (!built)
        return;
    seq_get_stats(s, &before);
    tap_ok(seq_reparse(s, 3, NULL) == SEQ_OK, "parsed anew");
    seq_get_stats(s, &after);
    tap_ok(seq_check(s, why, sizeof why) == SEQ_OK, "all invariants hold %s", why);
    tap_ok(seq_export(s, &g) == SEQ_OK && derives(&g, 0, text, N), "it derives the same");
    seq_grammar_free(s, &g);
#ifndef WPP_HOSTILE      /* where few digrams have a hash of their own, and few rules */
    tap_ok(after.rhs_symbols < before.rhs_symbols - before.rhs_symbols / 50,
           "two per cent fewer symbols (%llu, %llu)", (unsigned long long)before.rhs_symbols,
           (unsigned long long)after.rhs_symbols);
    tap_ok(after.rules < before.rules, "and fewer rules (%u, %u)", before.rules, after.rules);
#endif
    seq_free(s);
}

/* Memory that says `enough` after so many calls. */
struct patience {
    uint32_t calls, most;
    bool enough;
};

static void *patient_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    struct patience *patience = ctx;

    (void)old_size;
    patience->enough |= patience->calls++ == patience->most;
    if (size)
        return realloc(p, size);
    free(p);
    return NULL;
}

/* Symbols after three rounds that are enough after `most` calls for memory; 0 if something is
 * wrong.  *calls: how many there were. */
static uint64_t symbols_after(const uint32_t *text, size_t n, uint32_t most, uint32_t *calls)
{
    struct patience p = {.most = UINT32_MAX};
    struct seq_config config = {.size = sizeof config, .realloc = patient_realloc, .realloc_ctx = &p};
    struct seq_grammar g;
    uint64_t symbols = 0;
    seq *s;

    if (seq_new(&s, &config) != SEQ_OK)
        return 0;
    bool right = seq_append(s, 0, text, n) == SEQ_OK && seq_finish(s) == SEQ_OK;
    p = (struct patience){.most = most, .enough = most == 0};
    right = right && seq_reparse(s, 3, &p.enough) == SEQ_OK;
    *calls = p.calls;
    if (right && seq_check(s, NULL, 0) == SEQ_OK && seq_export(s, &g) == SEQ_OK) {
        symbols = derives(&g, 0, text, n) ? g.body[g.rules + g.starts] : 0;
        seq_grammar_free(s, &g);
    }
    seq_free(s);
    return symbols;
}

/* Somebody does not want to wait any more, at any time: what there is then is a grammar. */
static void enough(void)
{
    enum { N = 3000 };
    static uint32_t text[N];
    struct random r = {.state = 12};
    uint32_t calls, all;
    uint64_t none, best, last, between = 0, wrong = 0;

    for (size_t i = 0; i < N; i++)
        text[i] = i > 40 && random_below(&r, 12) ? text[i - 1 - random_below(&r, 40)] : random_below(&r, 6);
    none = symbols_after(text, N, 0, &calls);
    tap_ok(none && calls == 0, "enough from the beginning: no round");
    best = symbols_after(text, N, UINT32_MAX - 1, &all);
    tap_ok(best && best < none, "never enough: %llu symbols of %llu", (unsigned long long)best,
           (unsigned long long)none);
    for (uint32_t most = 1; most <= all; most++) {
        last = symbols_after(text, N, most, &calls);
        wrong += last == 0 || last > none;
        between += last != none && last != best;
    }
    tap_ok(wrong == 0, "enough at each of %u calls for memory: a grammar", all);
#ifndef WPP_HOSTILE
    tap_ok(between > 0, "and after a round it is that round's (%llu)", (unsigned long long)between);
#endif
}

/* Its start rule is as long as its rules are: 2^40 terminals cannot be compared one by one. */
static void long_runs(void)
{
    enum { TIMES = 40 };
    struct seq_grammar g;
    struct seq_stats stats;
    char why[128] = "";
    seq *s, *t;
    uint32_t two[2] = {0, 1};
    bool done = seq_new(&s, NULL) == SEQ_OK && seq_append(s, 0, two, 2) == SEQ_OK &&
                seq_finish(s) == SEQ_OK;

    for (int i = 0; done && i < TIMES; i++) {
        done = seq_new(&t, NULL) == SEQ_OK && seq_finish(t) == SEQ_OK &&
               seq_export(s, &g) == SEQ_OK && seq_join(t, &g) == SEQ_OK &&
               seq_join(t, &g) == SEQ_OK;
        if (done) {
            seq_grammar_free(s, &g);
            seq_free(s);
            s = t;
        }
    }
    done = done && seq_reparse(s, 2, NULL) == SEQ_OK && seq_check(s, why, sizeof why) == SEQ_OK;
    seq_get_stats(s, &stats);
    tap_ok(done && stats.symbols == UINT64_C(2) << TIMES, "2^%d terminals, %s", TIMES + 1, why);
    done = done && seq_export(s, &g) == SEQ_OK;
    tap_ok(done && g.length[g.rules] == UINT64_C(2) << TIMES, "and the start rule derives them");
    if (done)
        seq_grammar_free(s, &g);
    seq_free(s);
}

static void states(void)
{
    struct seq_grammar g;
    uint32_t text[] = {1, 2, 1, 2};
    seq *s;

    tap_ok(seq_new(&s, NULL) == SEQ_OK && seq_reparse(s, 1, NULL) == SEQ_E_STATE, "not before the end");
    tap_ok(seq_append(s, 1, text, 4) == SEQ_OK && seq_finish(s) == SEQ_OK &&
               seq_reparse(s, 1, NULL) == SEQ_OK && seq_reparse(s, 1, NULL) == SEQ_OK, "again and again");
    tap_ok(seq_append(s, 0, text, 4) == SEQ_E_STATE && seq_finish(s) == SEQ_E_STATE,
           "nothing more comes");
    tap_ok(seq_export(s, &g) == SEQ_OK && g.starts == 2 && g.rules == 1 &&
               derives(&g, 0, text, 0) && derives(&g, 1, text, 4), "two streams, one of them empty");
    seq_grammar_free(s, &g);
    seq_free(s);
    tap_ok(seq_new(&s, NULL) == SEQ_OK && seq_finish(s) == SEQ_OK && seq_reparse(s, 3, NULL) == SEQ_OK,
           "of nothing");
    seq_free(s);
}

int main(void)
{
    states();
    random_texts();
    phrases();
    enough();
    long_runs();
    return tap_done();
}
