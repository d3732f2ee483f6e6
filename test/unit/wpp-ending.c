/* SPDX-License-Identifier: MIT */
/* Which grammars are parsed anew when they end. */
#include "test/unit/tap.h"
#include "wpp/compress/finish-grammar.h"

#include <stdlib.h>

/* Some of 60 words, again and again in the same order, whose parse as they came is no good one. */
static seq *make(unsigned repeats)
{
    enum { WORDS = 60, LONGEST = 12, TEXT = 400 };
    static uint32_t word[WORDS][LONGEST];
    static unsigned length[WORDS];
    seq *s;

    srand(4711);
    for (int w = 0; w < WORDS; w++) {
        length[w] = 3 + (unsigned)rand() % (LONGEST - 3);
        for (unsigned i = 0; i < length[w]; i++)
            word[w][i] = (uint32_t)rand() % 3;
    }
    if (seq_new(&s, NULL) != SEQ_OK)
        return NULL;
    for (unsigned r = 0; r < repeats; r++) {
        srand(815);
        for (int i = 0; i < TEXT; i++) {
            int w = rand() % (1 + rand() % WORDS);
            if (seq_append(s, 0, word[w], length[w]) != SEQ_OK)
                return NULL;
        }
    }
    return s;
}

static uint64_t ended(unsigned repeats, enum wpp_anew anew, uint64_t *symbols)
{
    seq *s = make(repeats);
    struct seq_stats stats = {0};
    char why[200] = "";

    if (!s || wpp_finish_grammar(s, 1, anew, NULL) != SEQ_OK || seq_check(s, why, sizeof why) != SEQ_OK)
        tap_ok(false, "%u times: %s", repeats, why);
    if (s)
        seq_get_stats(s, &stats);
    seq_free(s);
    *symbols = stats.symbols;
    return stats.rhs_symbols;
}

int main(void)
{
    /* Once derives three terminals a symbol, 160 times 500. */
    static const unsigned repeats[] = {1, 160};
    uint64_t n, never, small, all;

    for (int i = 0; i < 2; i++) {
        never = ended(repeats[i], WPP_ANEW_NEVER, &n);
        small = ended(repeats[i], WPP_ANEW_SMALL, &n);
        all = ended(repeats[i], WPP_ANEW_ALL, &n);
        tap_ok(all < never, "%u times, %llu terminals: all, %llu symbols of %llu", repeats[i],
               (unsigned long long)n, (unsigned long long)all, (unsigned long long)never);
#ifdef WPP_HOSTILE
        if (i) {
            tap_skip("tiny tables make of it what is not small");
            continue;
        }
#endif
        tap_ok(i ? small < never : small == never, "%s: %llu symbols",
               i ? "small, so once" : "not small, so not", (unsigned long long)small);
    }

    seq *s = NULL;
    struct seq_stats stats;
    tap_ok(seq_new(&s, NULL) == SEQ_OK && wpp_finish_grammar(s, 3, WPP_ANEW_SMALL, NULL) == SEQ_OK,
           "nothing at all");
    seq_get_stats(s, &stats);
    tap_ok(stats.symbols == 0 && stats.rhs_symbols == 0, "is nothing, in three streams");
    seq_free(s);
    return tap_done();
}
