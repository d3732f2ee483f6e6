/* SPDX-License-Identifier: MIT */
/* chances.h - bits at the price of how likely they were: an adaptive arithmetic
 * coder of binary decisions.  docs/wpp-format.md, "Chances", defines it.
 *
 * A chance learns from the decisions that are made with it.  The same function
 * writes and reads, so that whoever makes decisions in an order that depends on
 * earlier ones is written once:
 *
 *      bit = wpp_chance_code(c, &chance, bit);    writing: codes it; reading: ignores it
 */
#ifndef WPP_CHANCES_H
#define WPP_CHANCES_H

#include "wpp/bytes.h"

struct wpp_chance {
    uint16_t one;                /* of 65,536: how likely 1 is; never 0 */
    uint16_t seen;               /* decisions, at most WPP_CHANCE_SEEN */
};
#define WPP_CHANCE ((struct wpp_chance){1 << 15, 0})

enum { WPP_CHANCE_SEEN = 48 };
extern const uint16_t wpp_chance_rate[WPP_CHANCE_SEEN + 1];

struct wpp_coder {
    struct wpp_bytes *out;       /* NULL: reading */
    struct wpp_view in;
    uint32_t range;
    uint32_t value;              /* reading: the code less the lower end of the range */
    uint64_t low;                /* writing: the lower end; bit 32 is a carry */
    uint64_t waiting;            /* writing: bytes that a carry may still change: `held`, */
    uint8_t held;                /* ... and waiting - 1 of 0xff behind it */
};

void wpp_coder_write(struct wpp_coder *c, struct wpp_bytes *out);
/* Behind the last decision. */
void wpp_coder_finish(struct wpp_coder *c);
void wpp_coder_read(struct wpp_coder *c, struct wpp_view in);
/* Behind the last decision: whether the code ends there, too. */
bool wpp_coder_ends(const struct wpp_coder *c);

void wpp_coder_put_byte(struct wpp_coder *c);

static inline void wpp_chance_learn(struct wpp_chance *chance, bool bit)
{
    uint32_t rate = wpp_chance_rate[chance->seen];

    if (bit)
        chance->one += (uint16_t)((65536 - chance->one) * rate >> 16);
    else
        chance->one -= (uint16_t)(chance->one * rate >> 16);
    chance->seen += chance->seen < WPP_CHANCE_SEEN;
}

static inline bool wpp_chance_code(struct wpp_coder *c, struct wpp_chance *chance, bool bit)
{
    uint32_t bound = (c->range >> 16) * chance->one;

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
    while (c->range < UINT32_C(1) << 24) {
        c->range <<= 8;
        if (c->out)
            wpp_coder_put_byte(c);
        else if (c->in.p < c->in.end)
            c->value = c->value << 8 | *c->in.p++;
        else {
            c->value <<= 8;
            c->in.failed = true;
        }
    }
    return bit;
}

/* A decision takes so many bytes at most. */
enum { WPP_DECISION_BYTES = 2 };

/* wpp_chance_code() for whoever reads many decisions in turn and knows that their bytes are
 * there: the same without a branch.  What was improbable cannot be foreseen by the processor
 * either, and a wrong guess costs as much as two decisions. */
static inline bool wpp_chance_read(struct wpp_coder *c, struct wpp_chance *chance)
{
    uint32_t one = chance->one;
    uint32_t bound = (c->range >> 16) * one;
    uint32_t yes = -(uint32_t)(c->value < bound);
    uint32_t far = (one ^ yes) - yes + (65536 & yes);       /* from what it was: 65536 - one, one */
    uint32_t step = far * wpp_chance_rate[chance->seen] >> 16;

    chance->one = (uint16_t)(one - ((step ^ yes) - yes));
    chance->seen += chance->seen < WPP_CHANCE_SEEN;
    c->value -= bound & ~yes;
    c->range = (bound & yes) | ((c->range - bound) & ~yes);
    unsigned bits = (unsigned)__builtin_clz(c->range) & 24;
    uint32_t next = (uint32_t)c->in.p[0] << 8 | c->in.p[1];
    c->range <<= bits;
    c->value = c->value << bits | next >> (16 - bits);
    c->in.p += bits / 8;
    return yes & 1;
}

#endif
