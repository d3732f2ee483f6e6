/* SPDX-License-Identifier: MIT */
/* bit-coder.h - an adaptive arithmetic coder of binary decisions: a likely bit takes less of the
 * code than an unlikely one.  docs/wpp-format.md, "Chances", defines it.
 *
 * A chance learns from the decisions that are made with it.  One function both writes and reads.
 * So code that makes decisions in an order that depends on earlier ones is needed only once:
 *
 *      bit = wpp_chance_code(c, &chance, bit);    writing: codes it; reading: ignores it
 *
 * Numbers without a known distribution are coded without chances: wpp_coder_even().
 */
#ifndef WPP_BIT_CODER_H
#define WPP_BIT_CODER_H

#include <assert.h>

#include "wpp/base/bytes.h"

struct wpp_chance {
    uint16_t one;                /* the probability of a 1, of 65,536; 0: always 0, which takes
                                    no bits */
    uint16_t seen;               /* how many decisions, at most WPP_CHANCE_SEEN */
};
#define WPP_CHANCE ((struct wpp_chance){1 << 15, 0})

enum { WPP_CHANCE_SEEN = 48 };
extern const uint16_t wpp_chance_rate[WPP_CHANCE_SEEN + 1];

struct wpp_coder {
    struct wpp_bytes *out;       /* NULL: reading */
    struct wpp_view in;
    uint32_t range;
    uint32_t value;              /* reading: the code minus the lower end of the range */
    uint64_t low;                /* writing: the lower end; bit 32 is a carry */
    uint64_t waiting;            /* writing: bytes that a carry may still change: `held`, */
    uint8_t held;                /* ... and waiting - 1 of 0xff behind it */
};

void wpp_coder_write(struct wpp_coder *c, struct wpp_bytes *out);
/* After the last decision. */
void wpp_coder_finish(struct wpp_coder *c);
void wpp_coder_read(struct wpp_coder *c, struct wpp_view in);
/* After the last decision: whether the code ends there, too. */
bool wpp_coder_ends(const struct wpp_coder *c);

void wpp_coder_put_byte(struct wpp_coder *c);

static inline void wpp_chance_learn(struct wpp_chance *chance, bool bit)
{
    assert(chance->seen <= WPP_CHANCE_SEEN);
    uint32_t rate = wpp_chance_rate[chance->seen];

    if (bit)
        chance->one += (uint16_t)((65536 - chance->one) * rate >> 16);
    else
        chance->one -= (uint16_t)(chance->one * rate >> 16);
    chance->seen += chance->seen < WPP_CHANCE_SEEN;
}

/* Narrows the range to `range`; adds or takes a code byte each time that it gets too narrow. */
static inline void wpp_coder_narrow(struct wpp_coder *c, uint32_t range)
{
    assert(range > 0);
    for (; range < UINT32_C(1) << 24; range <<= 8)
        if (c->out)
            wpp_coder_put_byte(c);
        else if (c->in.p < c->in.end)
            c->value = c->value << 8 | *c->in.p++;
        else {
            c->value <<= 8;
            c->in.failed = true;
        }
    c->range = range;
}

static inline bool wpp_chance_code(struct wpp_coder *c, struct wpp_chance *chance, bool bit)
{
    uint32_t bound = (c->range >> 16) * chance->one;

    assert(c->range >= UINT32_C(1) << 24);
    if (!c->out)
        bit = c->value < bound;
    if (bit) {
        c->range = bound;
    } else {
        c->range -= bound;
        if (c->out)
            c->low += bound;
        else
            c->value -= bound;
    }
    wpp_chance_learn(chance, bit);
    wpp_coder_narrow(c, c->range);
    return bit;
}

/* The most bytes that a decision takes. */
enum { WPP_DECISION_BYTES = 2 };

/* A chance as one number: `seen` in the upper half. */
static inline uint32_t wpp_chance_get(const struct wpp_chance *chance)
{
    return wpp_get_u32(chance);
}

static inline void wpp_chance_set(struct wpp_chance *chance, uint32_t now)
{
    memcpy(chance, &now, sizeof now);
}

/* The chance after a decision.  It moves towards 65,536 after a yes (all ones) and towards 0 after
 * a no (0); the change is rounded towards 0. */
static inline uint32_t wpp_chance_taught(uint32_t was, uint32_t yes)
{
    uint32_t one = (uint16_t)was, seen = was >> 16;
    int64_t step = (int64_t)((int32_t)(65536 & yes) - (int32_t)one) * wpp_chance_rate[seen];

    was += (uint32_t)((step + (65535 & ~(int32_t)yes)) >> 16);
    return was + ((uint32_t)(seen < WPP_CHANCE_SEEN) << 16);
}

/* wpp_chance_code() for writing, without a branch on the bit.  The processor cannot predict
 * improbable bits either, and a misprediction costs more than a decision. */
static inline void wpp_chance_write(struct wpp_coder *c, struct wpp_chance *chance, bool bit)
{
    uint32_t was = wpp_chance_get(chance), yes = -(uint32_t)bit;
    uint32_t bound = (c->range >> 16) * (uint16_t)was;
    uint32_t rest = c->range - bound;

    assert(c->out && rest > 0 && (!bit || bound > 0));
    c->low += bound & ~yes;
    c->range = rest + ((bound - rest) & yes);
    wpp_chance_set(chance, wpp_chance_taught(was, yes));
    while (__builtin_expect(c->range < UINT32_C(1) << 24, 0)) {
        c->range <<= 8;
        wpp_coder_put_byte(c);
    }
}

/* Whether the bytes of this many decisions can be read. */
static inline bool wpp_coder_has(const struct wpp_coder *c, unsigned decisions)
{
    return !c->out && wpp_left(&c->in) >= decisions * WPP_DECISION_BYTES;
}

/* wpp_chance_code() for reading when the bytes are known to be there; also without a branch.  `was`
 * is the chance's value, which the caller may have loaded before it knew the chance.  Returns all
 * ones for a yes, 0 for a no. */
static inline uint32_t wpp_chance_read(struct wpp_coder *c, struct wpp_chance *chance,
                                       uint32_t was)
{
    uint32_t bound = (c->range >> 16) * (uint16_t)was;
    uint64_t beyond = (uint64_t)c->value - bound;           /* negative: yes */
    uint32_t yes = (uint32_t)(beyond >> 32);
    uint32_t rest = c->range - bound;

    c->value = (uint32_t)beyond + (bound & yes);
    c->range = rest + ((bound - rest) & yes);
    wpp_chance_set(chance, wpp_chance_taught(was, yes));
    while (__builtin_expect(c->range < UINT32_C(1) << 24, 0)) {
        assert(c->in.p < c->in.end);
        c->range <<= 8;
        c->value = c->value << 8 | *c->in.p++;
    }
    return yes;
}

/* A number below n, all equally likely, n at most 65,536. */
static inline uint32_t wpp_coder_even_part(struct wpp_coder *c, uint32_t number, uint32_t n)
{
    assert(n > 0 && n <= 1 << 16 && (!c->out || number < n));
    uint32_t step = c->range / n;

    if (c->out) {
        c->low += (uint64_t)number * step;
    } else {
        number = c->value / step;
        c->value -= number * step;
    }
    wpp_coder_narrow(c, step);
    return number;
}

/* The same for any n but 0: first the part above the lowest 16 bits, then these.  Reading may give
 * n or more: then no writer has made the code. */
static inline uint32_t wpp_coder_even(struct wpp_coder *c, uint32_t number, uint32_t n)
{
    uint32_t most = (n - 1) >> 16, high = 0;

    if (most > 0) {
        high = wpp_coder_even_part(c, number >> 16, most + 1);
        if (high > most)
            return n;
    }
    uint32_t below = high == most ? ((n - 1) & 0xffff) + 1 : 1 << 16;
    uint32_t low = wpp_coder_even_part(c, number & 0xffff, below);

    return low < below ? high << 16 | low : n;
}

#endif
