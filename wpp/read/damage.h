/* SPDX-License-Identifier: MIT */
/* damage.h - what is wrong with a file that is read as far as it is intact: wpp_open_intact().
 *
 * Each finding is a struct wpp_damage, in the order of the file's reading, and each part that
 * cannot be read a bit of wpp_missing().  Internal to libwpp. */
#ifndef WPP_DAMAGE_H
#define WPP_DAMAGE_H

#include "wpp/format/container.h"
#include "wpp/wpp.h"

struct wpp_findings {
    unsigned missing;                /* enum wpp_part */
    uint32_t n, capacity;
    struct wpp_damage *list;         /* texts from malloc, too */
};

/* A finding; the part, if it is one's, is missing.  False: no memory. */
bool wpp_findings_add(struct wpp_findings *f, unsigned part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void wpp_findings_free(struct wpp_findings *f);

/* What is wrong with the file as a whole.  False: no memory. */
bool wpp_find_head(struct wpp_findings *f, const struct wpp_container *c);

/* The section that holds `part` cannot be read.  False: no memory. */
bool wpp_find_section(struct wpp_findings *f, unsigned part, const struct wpp_container *c,
                      uint32_t kind);
/* It can, but says nothing without `needs`, which is missing, all of it or in part; or makes no
 * sense. */
bool wpp_find_useless(struct wpp_findings *f, unsigned part, const struct wpp_entry *e,
                      unsigned needs);
bool wpp_find_nonsense(struct wpp_findings *f, unsigned part, const struct wpp_entry *e);
/* A section that holds no part: nothing, if it is intact. */
bool wpp_find_unread(struct wpp_findings *f, const struct wpp_entry *e);
/* It can, since its one wrong byte is known. */
bool wpp_find_mended(struct wpp_findings *f, unsigned part, const struct wpp_entry *e);

#endif
