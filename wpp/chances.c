/* SPDX-License-Identifier: MIT */
#include "wpp/chances.h"

/* 65,536 / (seen + 1.5), rounded down: the share of what a decision teaches. */
const uint16_t wpp_chance_rate[WPP_CHANCE_SEEN + 1] = {
    43690, 26214, 18724, 14563, 11915, 10082, 8738, 7710, 6898, 6241,
    5698, 5242, 4854, 4519, 4228, 3971, 3744, 3542, 3360, 3196,
    3048, 2912, 2788, 2674, 2570, 2473, 2383, 2299, 2221, 2148,
    2080, 2016, 1956, 1899, 1846, 1795, 1747, 1702, 1659, 1618,
    1579, 1542, 1506, 1472, 1440, 1409, 1379, 1351, 1323,
};

enum { CODE_BYTES = 4 };

void wpp_coder_write(struct wpp_coder *c, struct wpp_bytes *out)
{
    *c = (struct wpp_coder){.out = out, .range = UINT32_MAX};
}

/* The top byte of `low` goes out, as soon as no carry can reach it. */
void wpp_coder_put_byte(struct wpp_coder *c)
{
    if (c->waiting == 0 || c->low < UINT32_C(0xff000000) || c->low > UINT32_MAX) {
        uint8_t carry = (uint8_t)(c->low >> 32);

        for (uint8_t byte = c->held; c->waiting > 0; c->waiting--, byte = 0xff)
            wpp_put_u8(c->out, (uint8_t)(byte + carry));
        c->held = (uint8_t)(c->low >> 24);
    }
    c->waiting++;
    c->low = (c->low & 0x00ffffff) << 8;
}

void wpp_coder_finish(struct wpp_coder *c)
{
    for (int i = 0; i < CODE_BYTES + 1; i++)
        wpp_coder_put_byte(c);
}

void wpp_coder_read(struct wpp_coder *c, struct wpp_view in)
{
    *c = (struct wpp_coder){.in = in, .range = UINT32_MAX};
    const uint8_t *first = wpp_get_bytes(&c->in, CODE_BYTES);

    for (int i = 0; first && i < CODE_BYTES; i++)
        c->value = c->value << 8 | first[i];
}

bool wpp_coder_ends(const struct wpp_coder *c)
{
    return !c->in.failed && wpp_left(&c->in) == 0 && c->value == 0;
}
