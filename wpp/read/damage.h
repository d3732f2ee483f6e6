/* SPDX-License-Identifier: MIT */
/* damage.h - findings about a file that is read as far as it is intact: wpp_open_intact().
 *
 * Each finding is a struct wpp_damage, in the order in which the file is read.  Each part that
 * cannot be read is a bit of wpp_missing().  Internal to libwpp. */
#ifndef WPP_DAMAGE_H
#define WPP_DAMAGE_H

#include "wpp/format/container.h"
#include "wpp/wpp.h"

struct wpp_findings {
    unsigned missing;                /* enum wpp_part */
    uint32_t n, capacity;
    struct wpp_damage *list;         /* the texts are from malloc, too */
};

/* Adds a finding; `part`, if it is one, is missing.  False: no memory. */
bool wpp_findings_add(struct wpp_findings *f, unsigned part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void wpp_findings_free(struct wpp_findings *f);

/* Adds the findings about the file as a whole.  False: no memory. */
bool wpp_find_head(struct wpp_findings *f, const struct wpp_container *c);

/* Adds: the section that holds `part` cannot be read.  False: no memory. */
bool wpp_find_section(struct wpp_findings *f, unsigned part, const struct wpp_container *c,
                      uint32_t kind);
/* Adds: the section is intact but useless without `needs`, which is missing as a whole or in part;
 * or its content makes no sense. */
bool wpp_find_useless(struct wpp_findings *f, unsigned part, const struct wpp_entry *e,
                      unsigned needs);
bool wpp_find_nonsense(struct wpp_findings *f, unsigned part, const struct wpp_entry *e);
/* Adds a finding about a section that holds no part, unless it is intact. */
bool wpp_find_unread(struct wpp_findings *f, const struct wpp_entry *e);
/* Adds: the section can be read, since its one wrong byte is known. */
bool wpp_find_mended(struct wpp_findings *f, unsigned part, const struct wpp_entry *e);

#endif
