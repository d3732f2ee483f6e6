/* SPDX-License-Identifier: MIT */
#include "wpp/format/share-coder.h"

#include <stdlib.h>

/* Symbols that have not come keep WPP_SHARE_LEAST slots each, those above s at the end. */
#define AIM(s, i) ((i) <= (s) ? (i) * WPP_SHARE_LEAST \
                              : WPP_SHARE_SLOTS - (WPP_SHARE_SYMBOLS - (i)) * WPP_SHARE_LEAST)
#define AIMS(s) {AIM(s, 0), AIM(s, 1), AIM(s, 2), AIM(s, 3), AIM(s, 4), AIM(s, 5), AIM(s, 6), \
                 AIM(s, 7), AIM(s, 8), AIM(s, 9), AIM(s, 10), AIM(s, 11), AIM(s, 12), AIM(s, 13), \
                 AIM(s, 14), AIM(s, 15)}

const int16_t wpp_share_aims[WPP_SHARE_SYMBOLS][WPP_SHARE_SYMBOLS] = {
    AIMS(0), AIMS(1), AIMS(2), AIMS(3), AIMS(4), AIMS(5), AIMS(6), AIMS(7),
    AIMS(8), AIMS(9), AIMS(10), AIMS(11), AIMS(12), AIMS(13), AIMS(14), AIMS(15)
};

void wpp_shares_init(struct wpp_shares *t)
{
    for (int i = 0; i <= WPP_SHARE_SYMBOLS; i++)
        t->below[i] = (uint16_t)(i * (WPP_SHARE_SLOTS / WPP_SHARE_SYMBOLS));
    t->seen = 0;
}

bool wpp_stream_in_ends(const struct wpp_stream_in *s)
{
    return s->state == WPP_STATE_LOW && s->word == s->words_end && s->bit <= s->bits_end
        && s->bits_end - s->bit < 8;
}

void wpp_stream_out_free(struct wpp_stream_out *s)
{
    free(s->notes);
    wpp_bytes_free(&s->bits);
    *s = (struct wpp_stream_out){0};
}

static bool has_room(struct wpp_stream_out *s)
{
    uint32_t room = s->room ? 2 * s->room : 1 << 10;
    uint32_t *larger;

    if (s->n < s->room)
        return true;
    larger = realloc(s->notes, room * sizeof *larger);
    if (!larger) {
        s->bits.failed = true;
        return false;
    }
    s->notes = larger;
    s->room = room;
    return true;
}

void wpp_share_write(struct wpp_stream_out *s, struct wpp_shares *t, uint32_t symbol)
{
    uint32_t low = t->below[symbol], share = t->below[symbol + 1] - low;

    assert(symbol < WPP_SHARE_SYMBOLS && share > 0 && share <= WPP_SHARE_SLOTS);
    if (has_room(s))
        s->notes[s->n++] = low << 16 | share;
    wpp_shares_learn(t, symbol);
}

void wpp_bits_write(struct wpp_stream_out *s, uint64_t bits, unsigned n)
{
    assert(n <= 56 && bits >> n == 0);
    s->waiting |= bits << s->n_waiting;
    s->n_waiting += n;
    for (; s->n_waiting >= 8; s->n_waiting -= 8, s->waiting >>= 8)
        wpp_put_u8(&s->bits, (uint8_t)s->waiting);
}

void wpp_number_write(struct wpp_stream_out *s, uint32_t number, uint32_t n)
{
    assert(number < n);
    unsigned k = 31 - (unsigned)__builtin_clz(n);
    uint32_t few = (uint32_t)((UINT64_C(2) << k) - n);

    if (number < few) {
        wpp_bits_write(s, number, k);
        return;
    }
    wpp_bits_write(s, ((uint64_t)number + few) >> 1, k);
    wpp_bits_write(s, (number + few) & 1, 1);
}

/* The words come last first: they are put down from the end of the notes' own memory, which is free
 * from there on. */
static uint32_t make_words(struct wpp_stream_out *s, uint32_t *state)
{
    uint8_t *at = (uint8_t *)(s->notes + s->n);
    uint32_t x = WPP_STATE_LOW, n = 0;

    for (uint32_t i = s->n; i-- > 0;) {
        uint32_t low = s->notes[i] >> 16, share = s->notes[i] & 0xffff;

        if (x >= (uint64_t)share << 17) {
            uint16_t word = (uint16_t)x;

            at -= sizeof word;
            memcpy(at, &word, sizeof word);
            n++;
            x >>= 16;
        }
        x = (x / share << WPP_SHARE_BITS) + x % share + low;
    }
    *state = x;
    return n;
}

void wpp_stream_out_finish(struct wpp_stream_out *s, struct wpp_bytes *out, uint32_t *words,
                           uint32_t *bytes)
{
    uint32_t state;

    if (s->n_waiting > 0)
        wpp_bits_write(s, 0, 8 - s->n_waiting);
    *words = make_words(s, &state);
    *bytes = (uint32_t)s->bits.size;
    wpp_put_u32(out, state);
    if (*words > 0)
        wpp_put(out, (uint8_t *)(s->notes + s->n) - 2 * (size_t)*words, 2 * (size_t)*words);
    if (*bytes > 0)
        wpp_put(out, s->bits.data, *bytes);
    s->n = 0;
    s->bits.size = 0;
    out->failed |= s->bits.failed;
}
