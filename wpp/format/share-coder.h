/* SPDX-License-Identifier: MIT */
/* share-coder.h - an entropy coder of symbols below 16 whose shares adapt, made for fast reading.
 *
 * docs/wpp-format.md, "Lanes", defines it.  A table of shares divides 32,768 slots among its symbols.
 * A stream consists of a state, 16-bit words that refill the state, and plain bits beside them:
 *
 *      state   x        slot = x % 32768 tells the symbol; the rest of x and the slot's place within
 *                       the symbol's share make the next x
 *      words   | | |    taken when x falls below 65536
 *      bits    |||||    numbers that nothing is known of
 *
 * A reader goes forward.  A writer notes the shares of what it writes, and makes the words backward
 * at the end of a block.
 */
#ifndef WPP_SHARE_CODER_H
#define WPP_SHARE_CODER_H

#include <assert.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "wpp/base/bytes.h"

enum {
    WPP_SHARE_SYMBOLS = 16,
    WPP_SHARE_BITS = 15,
    WPP_SHARE_SLOTS = 1 << WPP_SHARE_BITS,
    WPP_SHARE_LEAST = 4,         /* a share moves towards no fewer slots */
    WPP_SHARE_RATE = 6,          /* the slowest: by 1/64 of the way */
    WPP_STATE_LOW = 1 << 16      /* a state is never below; the first one of a writer */
};

/* Symbol s has the slots below[s] .. below[s + 1); below[0] is 0. */
struct wpp_shares {
    uint16_t below[WPP_SHARE_SYMBOLS + 1];
    uint16_t seen;               /* symbols so far, at most 2^WPP_SHARE_RATE - 1 */
};

/* All symbols have the same share. */
void wpp_shares_init(struct wpp_shares *t);

/* What below[] moves towards when symbol s has come. */
extern const int16_t wpp_share_aims[WPP_SHARE_SYMBOLS][WPP_SHARE_SYMBOLS];

/* 1, then 2 for two times, 3 for four times ..., at most WPP_SHARE_RATE: each time below[] moves by
 * 1/2^rate of the way. */
static inline int wpp_share_rate(struct wpp_shares *t)
{
    uint32_t next = (uint32_t)t->seen + 1;
    int rate = 32 - __builtin_clz(next);

    t->seen = (uint16_t)(next < (1 << WPP_SHARE_RATE) ? next : t->seen);
    return rate < WPP_SHARE_RATE ? rate : WPP_SHARE_RATE;
}

#ifdef __SSE2__
/* At the slowest rate, at which nearly all tables are, it is a constant. */
static inline void wpp_shares_learn(struct wpp_shares *t, uint32_t symbol)
{
    bool slow = __builtin_expect(t->seen == (1 << WPP_SHARE_RATE) - 1, 1);
    __m128i rate = slow ? _mm_cvtsi32_si128(WPP_SHARE_RATE) : _mm_cvtsi32_si128(wpp_share_rate(t));

    for (int i = 0; i < WPP_SHARE_SYMBOLS; i += 8) {
        __m128i was = _mm_loadu_si128((const __m128i *)(t->below + i));
        __m128i aim = _mm_loadu_si128((const __m128i *)(wpp_share_aims[symbol] + i));
        __m128i way = _mm_sub_epi16(aim, was);
        __m128i step = slow ? _mm_srai_epi16(way, WPP_SHARE_RATE) : _mm_sra_epi16(way, rate);

        _mm_storeu_si128((__m128i *)(t->below + i), _mm_add_epi16(was, step));
    }
}

static inline uint32_t wpp_shares_find(const struct wpp_shares *t, uint32_t slot)
{
    __m128i at = _mm_set1_epi16((short)slot);
    __m128i low = _mm_loadu_si128((const __m128i *)t->below);
    __m128i high = _mm_loadu_si128((const __m128i *)(t->below + 8));
    __m128i above = _mm_packs_epi16(_mm_cmpgt_epi16(low, at), _mm_cmpgt_epi16(high, at));

    return (uint32_t)__builtin_ctz((uint32_t)_mm_movemask_epi8(above) | 1 << 16) - 1;
}
#else
static inline void wpp_shares_learn(struct wpp_shares *t, uint32_t symbol)
{
    int rate = wpp_share_rate(t);

    for (int i = 0; i < WPP_SHARE_SYMBOLS; i++)
        t->below[i] = (uint16_t)(t->below[i] + ((wpp_share_aims[symbol][i] - t->below[i]) >> rate));
}

static inline uint32_t wpp_shares_find(const struct wpp_shares *t, uint32_t slot)
{
    uint32_t symbol = 0;

    for (int i = 1; i < WPP_SHARE_SYMBOLS; i++)
        symbol += t->below[i] <= slot;
    return symbol;
}
#endif

/* ---- Reading ------------------------------------------------------------------------------- */

/* A reader takes at most 6 bytes of words and 16 of bits at a time between two checks of
 * wpp_stream_in_is_good(); so many bytes must follow the last stream. */
enum { WPP_STREAM_SLACK = 24 };

struct wpp_stream_in {
    uint32_t state;
    const uint8_t *word, *words_end;
    const uint8_t *bits;
    uint64_t bit, bits_end;      /* the next one; how many there are */
};

static inline bool wpp_stream_in_is_good(const struct wpp_stream_in *s)
{
    return s->word <= s->words_end && s->bit <= s->bits_end;
}

/* After the last symbol: whether the stream ends there, too. */
bool wpp_stream_in_ends(const struct wpp_stream_in *s);

/* No branch depends on what is read: the processor could not predict it. */
static inline uint32_t wpp_share_read(struct wpp_stream_in *s, struct wpp_shares *t)
{
    uint32_t x = s->state, slot = x % WPP_SHARE_SLOTS, symbol = wpp_shares_find(t, slot), refill;
    uint16_t word, low = t->below[symbol];

    x = (uint32_t)(t->below[symbol + 1] - low) * (x >> WPP_SHARE_BITS) + slot - low;
    memcpy(&word, s->word, sizeof word);
    refill = (x - WPP_STATE_LOW) >> 31 & ~x >> 31;
    s->state = x << 16 * refill | (word & -refill);
    s->word += refill * sizeof word;
    wpp_shares_learn(t, symbol);
    return symbol;
}

/* The next bits, 56 at least; then takes n of them. */
static inline uint64_t wpp_bits_peek(const struct wpp_stream_in *s)
{
    return wpp_get_u64(s->bits + (s->bit >> 3)) >> (s->bit & 7);
}

static inline uint64_t wpp_bits_read(struct wpp_stream_in *s, unsigned n)
{
    uint64_t bits = wpp_bits_peek(s) & ((UINT64_C(1) << n) - 1);

    assert(n <= 56);
    s->bit += n;
    return bits;
}

/* A number below n, which is not 0: floor(log2 n) bits, and for the larger ones one more. */
static inline uint32_t wpp_number_read(struct wpp_stream_in *s, uint32_t n)
{
    assert(n > 0);
    unsigned k = 31 - (unsigned)__builtin_clz(n);
    uint64_t bits = wpp_bits_peek(s);
    uint32_t few = (uint32_t)((UINT64_C(2) << k) - n);
    uint32_t number = (uint32_t)(bits & ((UINT64_C(1) << k) - 1));
    uint32_t more = 1 ^ (uint32_t)(((uint64_t)number - few) >> 63);

    s->bit += k + more;
    return number + ((number + (uint32_t)(bits >> k & 1) - few) & -more);
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* All zero is an empty stream.  `bits.failed`: no memory. */
struct wpp_stream_out {
    uint32_t *notes;             /* of each symbol: its first slot and its share */
    uint32_t n, room;
    struct wpp_bytes bits;
    uint64_t waiting;            /* bits that are no whole byte yet */
    unsigned n_waiting;
};

void wpp_stream_out_free(struct wpp_stream_out *s);
void wpp_share_write(struct wpp_stream_out *s, struct wpp_shares *t, uint32_t symbol);
void wpp_bits_write(struct wpp_stream_out *s, uint64_t bits, unsigned n);
void wpp_number_write(struct wpp_stream_out *s, uint32_t number, uint32_t n);
/* The words, with the state in front, and the bits are appended to `out`, and the stream is empty
 * again.  *words: how many. */
void wpp_stream_out_finish(struct wpp_stream_out *s, struct wpp_bytes *out, uint32_t *words,
                           uint32_t *bytes);

#endif
