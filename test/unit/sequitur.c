/* SPDX-License-Identifier: MIT */
/* sequitur.c - the grammars that the papers print, and the calls' contracts. */
#include "test/unit/sequitur-test.h"

#include <stdio.h>

/* The grammar of `string`, whose terminals are the characters from `first`. */
static void grammar_of(const char *string, char first, uint32_t flags, char out[512])
{
    struct seq_config config = {.size = sizeof config, .flags = flags};
    struct seq_grammar g;
    char why[128];
    seq *s;
    int status = seq_new(&s, &config);

    if (status == SEQ_OK)
        status = seq_append(s, 0, NULL, 0);
    for (const char *c = string; *c && status == SEQ_OK; c++)
        status = seq_append(s, 0, &(uint32_t){(uint32_t)(*c - first)}, 1);
    if (status == SEQ_OK)
        status = seq_finish(s);
    if (status == SEQ_OK && (status = seq_check(s, why, sizeof why)) != SEQ_OK)
        tap_note("%s: %s", string, why);
    snprintf(out, 512, "status %d", status);
    if (status == SEQ_OK && seq_export(s, &g) == SEQ_OK) {
        print_grammar(&g, first, out);
        seq_grammar_free(s, &g);
    }
    seq_free(s);
}

static void expect(const char *string, char first, uint32_t flags, const char *mode,
                   const char *expected)
{
    char found[512];

    grammar_of(string, first, flags, found);
    if (!tap_ok(strcmp(found, expected) == 0, "%s (%s) is %s", string, mode, expected))
        tap_note("found %s", found);
}

static void test_papers(void)
{
    /* Larus, Whole Program Paths, 3.2: the reason for the look-ahead. */
    expect("11111211111", '0', SEQ_PLAIN, "plain", "S -> AB2BA, A -> 11, B -> A1");
    expect("11111211111", '0', SEQ_EXACT, "exact", "S -> A2A, A -> BB1, B -> 11");
    expect("11111211111", '0', 0, "fast", "S -> A2A, A -> BB1, B -> 11");
    for (uint32_t flags = 0; flags <= SEQ_EXACT; flags++) {
        const char *mode = flags == SEQ_PLAIN ? "plain" : flags == SEQ_EXACT ? "exact" : "fast";
        expect("abcab", 'a', flags, mode, "S -> AcA, A -> ab");
        /* Larus, 3.1, after the d: C and B were used once and have dissolved. */
        expect("abcabdabcabd", 'a', flags, mode, "S -> AA, A -> BcBd, B -> ab");
        expect("abcabcabcabc", 'a', flags, mode, "S -> AA, A -> BB, B -> abc");
        expect("abcabcabcabcabc", 'a', flags, mode, "S -> AAB, A -> BB, B -> abc");
        /* Figure 5. */
        expect("abbcbcabbc", 'a', flags, mode, "S -> ABA, A -> abB, B -> bc");
        expect("", 'a', flags, mode, "S -> ");
        expect("a", 'a', flags, mode, "S -> a");
        expect("aaa", 'a', flags, mode, "S -> aaa");
        expect("aaaa", 'a', flags, mode, "S -> AA, A -> aa");
    }
    expect("1212131214", '0', SEQ_EXACT, "exact", "S -> AB3B4, A -> 12, B -> A1");
}

/* The common C++ program writes through a stale slot of its table here and
 * leaves a digram twice in the grammar; seq_check() would say so. */
static void test_stale_slots(void)
{
    static const char *const strings[] = {"babbbabb", "abbbaabbbaa", "bbaaabaaabb", "bbaaabbaaa"};
    char found[512];

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        for (uint32_t flags = 0; flags <= SEQ_EXACT; flags++) {
            grammar_of(strings[i], 'a', flags, found);
            tap_ok(strncmp(found, "S -> ", 5) == 0, "%s (flags %u): %s", strings[i], flags, found);
        }
}

/* Runs of three, of which a long match takes two into its rule: the digram that
 * stays there is present from then on, though the table held its neighbour. */
static void test_split_runs(void)
{
    static const char *const strings[] = {
        "baaabaaabaaabaaaabaaabaaaabaaabaaabaa",
        "baaaaaabbbaaaaaabbbbbaaaaaabaaaaaabaaaaaabaaaaaabbbaaaaaabbbbbaaaaaabaaaabaaaa",
    };
    char found[512];

    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        for (uint32_t flags = 0; flags <= SEQ_EXACT; flags++) {
            grammar_of(strings[i], 'a', flags, found);
            tap_ok(strncmp(found, "S -> ", 5) == 0, "%s (flags %u): %s", strings[i], flags, found);
        }
}

static void test_states(void)
{
    uint32_t symbols[] = {1, 2, 3};
    struct seq_grammar g;
    struct seq_stats stats;
    char why[64];
    seq *s;

    tap_ok(seq_new(&s, NULL) == SEQ_OK, "a grammar is made");
    tap_ok(seq_export(s, &g) == SEQ_E_STATE, "export before finish is refused");
    tap_ok(seq_append(s, 0, &(uint32_t){SEQ_TERMINAL_MAX + 1u}, 1) == SEQ_E_RANGE,
           "a terminal that is too large is refused");
    tap_ok(seq_append(s, 0, &(uint32_t){SEQ_TERMINAL_MAX}, 1) == SEQ_OK, "the largest is not");
    tap_ok(seq_append(s, 2, symbols, 3) == SEQ_OK, "streams may be opened in any order");
    tap_ok(seq_append(s, 1, symbols, 0) == SEQ_OK, "and stay empty");
    tap_ok(seq_check(s, why, sizeof why) == SEQ_OK, "an unfinished grammar is in order");
    tap_ok(seq_finish(s) == SEQ_OK, "finish");
    tap_ok(seq_finish(s) == SEQ_E_STATE, "a second finish is refused");
    tap_ok(seq_append(s, 0, symbols, 1) == SEQ_E_STATE, "append after finish is refused");
    tap_ok(seq_check(s, why, sizeof why) == SEQ_OK, "the finished grammar is in order");
    seq_get_stats(s, &stats);
    tap_ok(stats.symbols == 4 && stats.rhs_symbols == 4 && stats.rules == 0 && stats.starts == 3
           && stats.memory > 0 && stats.memory <= stats.memory_peak, "the figures are right");
    tap_ok(seq_export(s, &g) == SEQ_OK && g.rules == 0 && g.starts == 3 && g.body[3] == 4
           && g.length[0] == 1 && g.length[1] == 0 && g.length[2] == 3
           && derives(&g, 2, symbols, 3), "the export has three start rules");
    seq_grammar_free(s, &g);
    seq_free(s);
    seq_free(NULL);
}

int main(void)
{
    test_papers();
    test_stale_slots();
    test_split_runs();
    test_states();
    return tap_done();
}
