/* SPDX-License-Identifier: MIT */
/* intern.h - a string table under construction: it stores each text once, with a number.
 * Numbers count up from 0, the empty string, in order of first use. */
#ifndef WPP_INTERN_H
#define WPP_INTERN_H

#include <stdint.h>

#include "wpp/base/bytes.h"

struct wpp_intern {
    struct wpp_bytes text;     /* the strings in their written form: lengths and bytes */
    uint32_t n;
    uint32_t n_slots;          /* a power of two, or 0 before the first use */
    struct wpp_intern_slot {
        uint64_t hash;
        uint32_t offset;       /* of the bytes in text */
        uint32_t length;
        uint32_t number;       /* plus 1; 0: the slot is empty */
    } *slots;
    bool failed;               /* memory has run out; stays set */
};

void wpp_intern_init(struct wpp_intern *t);
void wpp_intern_free(struct wpp_intern *t);
uint32_t wpp_intern(struct wpp_intern *t, const char *s);
/* Appends varint n and the n strings; also passes on a failure. */
void wpp_put_intern(struct wpp_bytes *b, const struct wpp_intern *t);

#endif
