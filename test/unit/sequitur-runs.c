/* SPDX-License-Identifier: MIT */
/* sequitur-runs.c - runs of one terminal: what they become, and in what pieces they come. */
#include "test/unit/sequitur-test.h"

enum { RUNS = 400, TEXT = 1 << 16 };

static seq *build(const uint32_t *text, size_t n, size_t piece)
{
    char why[128] = "no memory";
    seq *s;
    int status = seq_new(&s, NULL);

    for (size_t i = 0; status == SEQ_OK && i < n; i += piece) {
        status = seq_append(s, 0, text + i, i + piece < n ? piece : n - i);
        if (status == SEQ_OK && i < 32 * piece)
            status = seq_check(s, why, sizeof why);
    }
    if (status == SEQ_OK)
        status = seq_finish(s);
    if (status == SEQ_OK)
        status = seq_check(s, why, sizeof why);
    if (status != SEQ_OK)
        tap_note("status %d: %s", status, why);
    return s;
}

static size_t put_run(uint32_t *text, size_t n, uint32_t terminal, uint32_t times)
{
    while (times--)
        text[n++] = terminal;
    return n;
}

/* `lengths` are followed by 0; between the runs stands a terminal that stands nowhere else. */
static void test_becomes(const char *lengths, const char *expected)
{
    uint32_t text[256];
    struct seq_grammar g;
    char found[512] = "";
    size_t n = 0;

    for (uint32_t i = 0; lengths[i]; i++) {
        n = put_run(text, n, 0, (uint32_t)lengths[i]);
        text[n++] = 1 + i;
    }
    seq *s = build(text, n, 5);
    if (seq_export(s, &g) == SEQ_OK) {
        print_grammar(&g, 'a', found);
        tap_ok(strcmp(found, expected) == 0, "%s", expected);
        if (strcmp(found, expected) != 0)
            tap_note("found %s", found);
        seq_grammar_free(s, &g);
    }
    seq_free(s);
}

/* One run, however long, takes three symbols at most for each bit of its length. */
static void test_one_run(uint32_t times)
{
    uint32_t *text = malloc(times * sizeof *text);
    struct seq_stats stats;
    uint32_t bits = 32 - (uint32_t)__builtin_clz(times);

    seq *s = build(text, put_run(text, 0, 9, times), 1000);
    seq_get_stats(s, &stats);
    tap_ok(stats.rhs_symbols <= 3 * bits, "%u times one terminal: %llu symbols", times,
           (unsigned long long)stats.rhs_symbols);
    seq_free(s);
    free(text);
}

/* Random runs: all properties hold, the text comes back, pieces do not matter; and where
 * nothing else repeats, the grammar is the smaller for them. */
static void test_random(struct random *r, uint32_t alphabet, uint32_t longest)
{
    static const size_t pieces[] = {1, 7, 64, 4096};
    static uint32_t text[TEXT];
    struct seq_config exact = {.size = sizeof exact, .flags = SEQ_EXACT};
    struct seq_grammar first = {0}, other;
    struct seq_stats joined, single;
    bool same = true;
    size_t n = 0;
    seq *s = NULL, *t;

    for (uint32_t i = 0; i < RUNS && n + longest < TEXT; i++)
        n = put_run(text, n, random_below(r, alphabet), 1 + random_below(r, longest));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        t = build(text, n, pieces[i]);
        same = same && seq_export(t, &other) == SEQ_OK && derives(&other, 0, text, n)
            && (i == 0 || equal(&first, &other));
        if (i == 0) {
            s = t;
            first = other;
            continue;
        }
        seq_grammar_free(t, &other);
        seq_free(t);
    }
    tap_ok(same, "random runs up to %u of %u terminals come back", longest, alphabet);
    seq_get_stats(s, &joined);
    tap_ok(seq_new(&t, &exact) == SEQ_OK && seq_append(t, 0, text, n) == SEQ_OK
           && seq_finish(t) == SEQ_OK, "and are built exactly");
    seq_get_stats(t, &single);
    tap_ok(joined.rhs_symbols < single.rhs_symbols, "which takes more symbols: %llu, not %llu",
           (unsigned long long)single.rhs_symbols, (unsigned long long)joined.rhs_symbols);
    seq_grammar_free(s, &first);
    seq_free(s);
    seq_free(t);
}

static void *from_heap(void *ctx, void *at, size_t old, size_t size)
{
    (void)ctx;
    (void)old;
    if (size)
        return realloc(at, size);
    free(at);
    return NULL;
}

/* Runs that are used once and, dissolved, join what has been there twice: two new rules for
 * one that goes. */
static void test_dissolving(uint32_t groups)
{
    struct seq_config config = {.size = sizeof config, .realloc = from_heap};
    struct seq_stats before, after;
    uint32_t *text = malloc(groups * 28 * sizeof *text), single = 10 * groups;
    char why[128] = "";
    struct seq_grammar g = {0};
    size_t n = 0;
    seq *s = NULL;

    for (uint32_t b = 0; b < 10 * groups; b += 10) {
        uint32_t group[] = {b, b + 1, b + 1, b + 2, single, b + 3, b + 1, b + 4, single + 1,
                            b + 5, b + 1, b + 1, b + 6, single + 2, b + 7, b + 1, b + 1, b + 8,
                            single + 3, b, b + 1, b + 1, b + 1, b + 4, single + 4};
        memcpy(text + n, group, sizeof group);
        n += sizeof group / sizeof *group;
        single += 5;
    }
    int status = seq_new(&s, &config);
    if (status == SEQ_OK)
        status = seq_append(s, 0, text, n);
    seq_get_stats(s, &before);
    if (status == SEQ_OK)
        status = seq_finish(s);
    seq_get_stats(s, &after);
    if (status == SEQ_OK)
        status = seq_check(s, why, sizeof why);
    tap_ok(status == SEQ_OK && seq_export(s, &g) == SEQ_OK && derives(&g, 0, text, n)
           && after.rules > before.rules, "%u dissolved: %llu rules become %llu %s", groups,
           (unsigned long long)before.rules, (unsigned long long)after.rules, why);
    seq_grammar_free(s, &g);
    seq_free(s);
    free(text);
}

int main(void)
{
    struct random r = {3};

    test_becomes("\1\2\3", "S -> abAcAad, A -> aa");
    test_becomes("\4\4", "S -> AbAc, A -> BB, B -> aa");
    test_becomes("\15\14", "S -> AabAc, A -> BBB, B -> CC, C -> aa");
    test_one_run(2);
    test_one_run(3);
    test_one_run(1 << 20);
    test_one_run((1 << 20) - 1);
    test_dissolving(10);
    test_dissolving(500);
    test_random(&r, 4, 12);
    test_random(&r, 60, 40);
    test_random(&r, 3, 600);
    return tap_done();
}
