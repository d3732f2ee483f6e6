/* SPDX-License-Identifier: MIT */
/* run-pack.h - WPPs of one build in little room: what many of them hold is kept once.
 *
 *      base     item 0 | item 1 | item 2 ...         the build's routines, paths, units, sources
 *      packed   numbers of items, and what is the run's own: summary, grammar, times
 *
 * An item is a string of bytes that means the same in every run.  Items are only ever added, so what
 * has been packed stays as it is.  A WPP comes back byte for byte: packing tries that, and refuses a
 * file of which it is not so.
 */
#ifndef WPP_RUN_PACK_H
#define WPP_RUN_PACK_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct run_base;

/* NULL: no memory. */
struct run_base *run_base_new(void);
void run_base_free(struct run_base *b);
uint32_t run_base_items(const struct run_base *b);

/* The items from number `first` on, for a file; and adds those of a file.  WPP_E_MEMORY, WPP_E_DAMAGED. */
bool run_base_save(const struct run_base *b, uint32_t first, struct wpp_bytes *out,
                   struct wpp_error *error);
bool run_base_load(struct run_base *b, struct wpp_view file, struct wpp_error *error);
/* Forgets the items from number n on: they could not be saved. */
void run_base_cut(struct run_base *b, uint32_t n);

/* Packs a whole WPP; adds items that the base has not.  *packed false: it is no WPP that can be packed, and
 * the base is as before.  WPP_E_MEMORY. */
bool run_pack(struct run_base *b, const struct wpp_bytes *file, struct wpp_bytes *out, bool *packed,
              struct wpp_error *error);

/* WPP_E_MEMORY, WPP_E_DAMAGED: also if the base has fewer items than it had then. */
bool run_unpack(const struct run_base *b, struct wpp_view packed, struct wpp_bytes *file,
                struct wpp_error *error);

#endif
