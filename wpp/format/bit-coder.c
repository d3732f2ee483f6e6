/* SPDX-License-Identifier: MIT */
#include "wpp/format/bit-coder.h"

/* 65,536 / (seen + 3), rounded down: the weight of one more decision. */
const uint16_t wpp_chance_rate[WPP_CHANCE_SEEN + 1] = {
    21845, 16384, 13107, 10922, 9362, 8192, 7281, 6553, 5957, 5461,
    5041, 4681, 4369, 4096, 3855, 3640, 3449, 3276, 3120, 2978,
    2849, 2730, 2621, 2520, 2427, 2340, 2259, 2184, 2114, 2048,
    1985, 1927, 1872, 1820, 1771, 1724, 1680, 1638, 1598, 1560,
    1524, 1489, 1456, 1424, 1394, 1365, 1337, 1310, 1285,
};

enum { CODE_BYTES = 4 };

void wpp_coder_write(struct wpp_coder *c, struct wpp_bytes *out)
{
    *c = (struct wpp_coder){.out = out, .range = UINT32_MAX};
}

/* Writes the top byte of `low`, or keeps it while a carry may still reach it. */
void wpp_coder_put_byte(struct wpp_coder *c)
{
    assert(c->out && c->low >> 33 == 0);
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
