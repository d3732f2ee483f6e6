/* SPDX-License-Identifier: MIT */
#include "wpp/base/intern.h"

#include <assert.h>
#include <stdlib.h>

void wpp_intern_init(struct wpp_intern *t)
{
    *t = (struct wpp_intern){0};
    wpp_intern(t, "");
}

void wpp_intern_free(struct wpp_intern *t)
{
    wpp_bytes_free(&t->text);
    free(t->slots);
}

/* At most half of the slots are taken, so every search ends. */
static struct wpp_intern_slot *find(const struct wpp_intern *t, uint64_t hash, const char *s,
                                    size_t length)
{
    uint32_t mask = t->n_slots - 1;

    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        struct wpp_intern_slot *slot = &t->slots[i];

        if (slot->number == 0)
            return slot;
        if (slot->hash == hash && slot->length == length &&
            memcmp(t->text.data + slot->offset, s, length) == 0)
            return slot;
    }
}

static bool grow(struct wpp_intern *t)
{
    uint32_t n_slots = t->n_slots ? 2 * t->n_slots : 64;
    struct wpp_intern_slot *slots = calloc(n_slots, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t i = 0; i < t->n_slots; i++) {
        uint32_t j = (uint32_t)t->slots[i].hash & (n_slots - 1);

        if (t->slots[i].number == 0)
            continue;
        while (slots[j].number != 0)
            j = (j + 1) & (n_slots - 1);
        slots[j] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    return true;
}

uint32_t wpp_intern(struct wpp_intern *t, const char *s)
{
    size_t length = strlen(s);
    uint64_t hash = wpp_fnv(WPP_FNV_START, s, length);
    struct wpp_intern_slot *slot;

    if (t->failed || (t->n >= t->n_slots / 2 && !grow(t))) {
        t->failed = true;
        return 0;
    }
    slot = find(t, hash, s, length);
    if (slot->number == 0) {
        wpp_put_varint(&t->text, length);
        slot->hash = hash;
        slot->offset = (uint32_t)t->text.size;
        slot->length = (uint32_t)length;
        wpp_put(&t->text, s, length);
        t->failed = t->text.failed || t->text.size > UINT32_MAX;
        slot->number = ++t->n;
    }
    assert(slot->number <= t->n);
    return slot->number - 1;
}

void wpp_put_intern(struct wpp_bytes *b, const struct wpp_intern *t)
{
    wpp_put_varint(b, t->n);
    wpp_put(b, t->text.data, t->text.size);
    b->failed |= t->failed;
}
