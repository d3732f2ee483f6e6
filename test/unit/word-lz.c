/* SPDX-License-Identifier: MIT */
/* Squeezing: what is squeezed comes back to the byte, takes no more room than it had, and is
 * smaller where words repeat. */
#include "test/unit/tap.h"
#include "wpp/record/word-lz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MARK = 0xa5 };

static uint64_t state = 1;

static uint32_t random_below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((state >> 32) * n >> 32);
}

/* Words of an alphabet, in which runs, repeats of any distance and length and new words
 * follow each other. */
static void make_words(uint32_t *words, size_t n, uint32_t alphabet, uint32_t longest)
{
    size_t i = 0;

    while (i < n) {
        size_t many = 1 + random_below(longest);
        size_t distance = i == 0 ? 0 : 1 + random_below((uint32_t)(random_below(4) ? i : i < 9 ? i : 9));
        bool again = i > 0 && random_below(4) > 0;

        for (size_t k = 0; k < many && i < n; k++, i++)
            words[i] = again ? words[i - distance] : random_below(alphabet) * 0x10001u;
    }
}

/* The bytes from guard to guard: none of these is touched, neither way. */
struct guarded {
    uint8_t before[GUARD];
    uint8_t bytes[SQUEEZE_MOST + GUARD];
};

static void clear(struct guarded *g)
{
    memset(g, MARK, sizeof *g);
}

static bool is_clear(const struct guarded *g, size_t n)
{
    bool is = true;

    for (size_t i = 0; i < GUARD; i++)
        is &= g->before[i] == MARK && g->bytes[n + i] == MARK;
    return is;
}

/* Returns the squeezed size; n where it gets no smaller; more than that: wrong. */
static size_t there_and_back(const void *from, size_t n)
{
    static struct guarded squeezed, back;
    size_t size;

    clear(&squeezed);
    clear(&back);
    size = wpp_word_lz_pack(squeezed.bytes, from, n);
    if (size >= n + (n == 0) || !is_clear(&squeezed, n))
        return SIZE_MAX;
    if (size == 0)
        return n;
    wpp_word_lz_unpack(back.bytes, n, squeezed.bytes);
    return is_clear(&back, n) && memcmp(back.bytes, from, n) == 0 ? size : SIZE_MAX;
}

static void check_random(void)
{
    enum { TIMES = 40000 };
    static uint32_t words[SQUEEZE_MOST / 4];
    unsigned wrong = 0, squeezed = 0;

    for (int t = 0; t < TIMES; t++) {
        size_t n = random_below(8) ? random_below(3000) : random_below(SQUEEZE_MOST + 1), size;

        make_words(words, n / 4 + (n % 4 != 0), 1 + random_below(t % 2 ? 9 : 60000),
                   1 + random_below(t % 3 ? 30 : 5000));
        size = there_and_back(words, n);
        wrong += size > n;
        squeezed += size < n;
    }
    tap_ok(wrong == 0 && squeezed > TIMES / 2, "%d random texts come back, %u of them squeezed; %u wrong",
           TIMES, squeezed, wrong);
}

/* Every number of words as they are, and of words again, at each end of what a byte holds. */
static void check_lengths(void)
{
    static uint32_t words[SQUEEZE_MOST / 4];
    unsigned wrong = 0, times = 0;

    for (size_t new = 1; new < 800; new++)
        for (size_t again = 1; again < 800; again += 1 + random_below(60), times++) {
            size_t n = 300 + new + again;

            memset(words, 0, 300 * 4);
            for (size_t i = 0; i < new; i++)
                words[300 + i] = (uint32_t)i + 1;
            for (size_t i = 0; i < again; i++)
                words[300 + new + i] = words[300 + i];
            wrong += there_and_back(words, n * 4 + new % 4) > n * 4 + 3;
        }
    tap_ok(wrong == 0, "%u numbers of new and repeated words", times);
}

static void check_sizes(void)
{
    static uint32_t words[SQUEEZE_MOST / 4];
    unsigned wrong = 0;

    for (size_t n = 0; n <= 2048; n++)
        wrong += there_and_back(words, n) > n;
    tap_ok(wrong == 0, "every number of bytes up to 2048");
    tap_ok(there_and_back(words, SQUEEZE_MOST) < 400, "the most, one word all over: %zu bytes",
           there_and_back(words, SQUEEZE_MOST));
    for (size_t i = 0; i < SQUEEZE_MOST / 4; i++)
        words[i] = (uint32_t)(i * 2654435761u);
    tap_ok(there_and_back(words, SQUEEZE_MOST) == SQUEEZE_MOST, "what does not repeat stays");
    for (size_t i = 0; i < SQUEEZE_MOST / 4; i++)
        words[i] = i % 8 == 0 ? random_below(1 << 30) : (uint32_t)(i % 8);
    tap_ok(there_and_back(words, SQUEEZE_MOST) < SQUEEZE_MOST / 3,
           "seven of eight words repeat: %zu bytes of %d", there_and_back(words, SQUEEZE_MOST),
           SQUEEZE_MOST);
}

int main(void)
{
    check_random();
    check_lengths();
    check_sizes();
    return tap_done();
}
