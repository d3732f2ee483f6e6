/* SPDX-License-Identifier: MIT */
/* run-base.h - the items of a base.  Internal to run-base.c and run-pack.c. */
#ifndef WPP_RUN_BASE_H
#define WPP_RUN_BASE_H

#include "wpp/runs/run-pack.h"

enum item_kind {
    ITEM_EXAMPLE,              /* what a run held besides items: others are like it */
    ITEM_SECTION,              /* the content of a section */
    ITEM_UNIT, ITEM_ROUTINE, ITEM_SOURCE, ITEM_TERMINAL
};

struct base_item { uint64_t offset; uint32_t size, kind; uint64_t hash; };

struct run_base {
    struct wpp_bytes text;     /* of all items, one behind the other */
    struct base_item *item;
    uint32_t n, capacity;
    uint32_t *slots, n_slots;  /* numbers plus 1, by hash; a power of two, or 0 */
    uint32_t example;          /* 1 + the first ITEM_EXAMPLE; 0: none */
};

enum { ITEM_NONE = UINT32_MAX };

/* The number of an item, which is added if it is new.  ITEM_NONE: no memory. */
uint32_t base_item(struct run_base *b, enum item_kind kind, const struct wpp_bytes *bytes);
/* An item that must be of this kind; false: there is none. */
bool base_get(const struct run_base *b, uint64_t number, enum item_kind kind, struct wpp_view *out);

/* One zstd frame: in the light of the example, if there is one.  False: no memory; of unzip also: no
 * such frame. */
bool base_zip(const struct run_base *b, const struct wpp_bytes *plain, struct wpp_bytes *out);
bool base_unzip(const struct run_base *b, struct wpp_view zipped, struct wpp_bytes *plain);

#endif
