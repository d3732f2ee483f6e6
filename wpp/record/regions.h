/* SPDX-License-Identifier: MIT */
/* regions.h - counters that a process has in the recorder's memory (tracer/trace-abi.h draws it). */
#ifndef WPP_REGIONS_H
#define WPP_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_regions {
    int fd;                      /* of the memory */
    uint32_t pages;              /* of regions, that there are */
};

/* How large a memory may be: with all pages of regions, or fewer, or none, if files may not be as
 * large.  0: not even that. */
uint64_t wpp_regions_fit(void);

/* Calls `take` with COUNTS and LEFT records of what is not 0 in the process's regions; `last`: what
 * wpp_told says.  False: some of it could not be read. */
bool wpp_regions_take(const struct wpp_regions *r, uint32_t last,
                      void (*take)(void *ctx, const void *record, size_t n), void *ctx);
/* Gives the memory of these regions back. */
void wpp_regions_drop(const struct wpp_regions *r, uint32_t last);

#endif
