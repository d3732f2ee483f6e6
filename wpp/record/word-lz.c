/* SPDX-License-Identifier: MIT */
#include "wpp/record/word-lz.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    WORD = 4,
    SHORTEST = 2,        /* the fewest words that are worth a sequence */
    AT_A_TIME = 8,       /* words compared at once */
    HALF = 15,           /* the largest value of half a byte */
    PATIENCE = 5,        /* after 2^PATIENCE literal words, only every second word is looked up
                            ... */
    TABLE_BITS = 12
};

/* The bytes that a sequence needs besides its words, and those written beyond its end. */
enum { BESIDES = 3 + 2 * (SQUEEZE_MOST / WORD / 255 + 1), BEYOND = 4 * WORD };

static inline uint64_t load_two(const uint8_t *at)
{
    uint64_t two;

    memcpy(&two, at, sizeof two);
    return two;
}

static inline uint32_t hash(uint64_t two)
{
    return (uint32_t)(two * UINT64_C(0x9E3779B97F4A7C15) >> (64 - TABLE_BITS));
}

/* The number of equal words at both places.  It compares all at once: where they differ is
 * random, and a mispredicted branch costs more than a comparison. */
static inline size_t count_same(const uint8_t *a, const uint8_t *b)
{
#ifdef __SSE2__
    enum { HALF_OF_THEM = AT_A_TIME / 2 * WORD };
    __m128i first = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)a),
                                    _mm_loadu_si128((const __m128i *)b));
    __m128i second = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(a + HALF_OF_THEM)),
                                     _mm_loadu_si128((const __m128i *)(b + HALF_OF_THEM)));
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(first, second), _mm_setzero_si128());

    return (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(bytes));
#else
    size_t n = 0;

    while (n < AT_A_TIME && memcmp(a + n * WORD, b + n * WORD, WORD) == 0)
        n++;
    return n;
#endif
}

static uint8_t *put_more(uint8_t *to, size_t n)
{
    for (; n >= 255; n -= 255)
        *to++ = 255;
    *to++ = (uint8_t)n;
    return to;
}

static size_t take_more(const uint8_t **from)
{
    size_t n = 0;

    while (**from == 255)
        n += *(*from)++;
    return n + *(*from)++;
}

/* Writes the n literal words of a sequence; the other half of its first byte is already `m`. */
static inline uint8_t *put_words(uint8_t *to, const uint8_t *from, size_t n, size_t m)
{
    *to++ = (uint8_t)((n < HALF ? n : HALF) << 4 | m);
    if (n >= HALF)
        to = put_more(to, n - HALF);
    memcpy(to, from, BEYOND);            /* nearly always this copies all of them */
    if (n > BEYOND / WORD)
        memcpy(to, from, n * WORD);
    return to + n * WORD;
}

static inline uint8_t *put_again(uint8_t *to, size_t distance, size_t m)
{
    uint16_t d = (uint16_t)distance;

    memcpy(to, &d, sizeof d);
    to += sizeof d;
    return m >= HALF ? put_more(to, m - HALF) : to;
}

/* The end of look-ups: behind it lie words for one more comparison. */
static size_t last_look(size_t words)
{
    size_t margin = AT_A_TIME + SHORTEST;

    return words > margin ? words - margin : 0;
}

/* Writes the words from `done` on as the last sequence. */
static size_t finish(uint8_t *to, uint8_t *at, const uint8_t *from, size_t n, size_t done)
{
    size_t rest = n - done * WORD, words = rest / WORD;

    if ((size_t)(at - to) + rest + BESIDES > n)
        return 0;
    *at++ = (uint8_t)((words < HALF ? words : HALF) << 4);
    if (words >= HALF)
        at = put_more(at, words - HALF);
    memcpy(at, from + done * WORD, rest);
    return (size_t)(at - to) + rest;
}

size_t wpp_word_lz_pack(void *to_, const void *from_, size_t n)
{
    uint16_t table[1 << TABLE_BITS] = {0};       /* by hash: the last position of two words */
    const uint8_t *from = from_;
    uint8_t *to = to_, *at = to;
    size_t end = last_look(n / WORD), done = 0, i = 1;

    while (i < end) {
        uint64_t two = load_two(from + i * WORD);
        size_t before = table[hash(two)], m = SHORTEST, same;

        table[hash(two)] = (uint16_t)i;
        if (load_two(from + before * WORD) != two) {
            i += 1 + ((i - done) >> PATIENCE);
            continue;
        }
        do {
            same = count_same(from + (i + m) * WORD, from + (before + m) * WORD);
            m += same;
        } while (same == AT_A_TIME && i + m < end);
        if ((size_t)(at - to) + (i - done) * WORD + BESIDES + BEYOND > n)
            return 0;
        m -= SHORTEST;
        at = put_words(at, from + done * WORD, i - done, m < HALF ? m : HALF);
        at = put_again(at, i - before, m);
        table[hash(load_two(from + (i + 1) * WORD))] = (uint16_t)(i + 1);
        i = done = i + m + SHORTEST;
        table[hash(load_two(from + (i - 2) * WORD))] = (uint16_t)(i - 2);
        table[hash(load_two(from + (i - 1) * WORD))] = (uint16_t)(i - 1);
    }
    return finish(to, at, from, n, done);
}

/* Copies m repeated words.  The distance may be less than m: then word by word. */
static inline uint8_t *repeat(uint8_t *to, size_t distance, size_t m, const uint8_t *end)
{
    const uint8_t *from = to - distance * WORD;
    uint8_t *stop = to + m * WORD;

    if (distance >= BEYOND / WORD && end - stop >= BEYOND) {
        for (; to < stop; to += BEYOND, from += BEYOND)
            memcpy(to, from, BEYOND);
    } else {
        for (; to < stop; to += WORD, from += WORD)
            memcpy(to, from, WORD);
    }
    return stop;
}

void wpp_word_lz_unpack(void *to_, size_t n, const void *from_)
{
    const uint8_t *from = from_;
    uint8_t *to = to_, *end = to + n;
    size_t tail = n % WORD;

    for (;;) {
        uint8_t halves = *from++;
        size_t words = halves >> 4, m = halves & HALF;
        uint16_t distance;

        if (words == HALF)
            words += take_more(&from);
        memcpy(to, from, words * WORD);
        to += words * WORD;
        from += words * WORD;
        if ((size_t)(end - to) == tail)
            break;
        memcpy(&distance, from, sizeof distance);
        from += sizeof distance;
        if (m == HALF)
            m += take_more(&from);
        to = repeat(to, distance, m + SHORTEST, end);
    }
    memcpy(to, from, tail);
}
