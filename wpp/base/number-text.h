/* SPDX-License-Identifier: MIT */
/* number-text.h - numbers as people read them, and write them. */
#ifndef WPP_NUMBER_TEXT_H
#define WPP_NUMBER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_TEXT = 32 };

/* Each but the last returns `out`. */

/* 1234567 as 1,234,567; as 1.23 M. */
const char *number_grouped(uint64_t n, char out[static NUMBER_TEXT]);
const char *number_scaled(uint64_t n, char out[static NUMBER_TEXT]);

/* A part of a whole: 12.3 %, 1.23 %; only what is 0 is 0 %. */
const char *number_percent(double part, double whole, char out[static NUMBER_TEXT]);

/* The mean of n > 0 numbers with this sum: 46.1, 1,234, and what is whole as such. */
const char *number_mean(uint64_t sum, uint64_t n, char out[static NUMBER_TEXT]);

/* `12`, `64k`, `1.5M`, `2G` in powers of `base`, which is 1000 or 1024.  False: it is something else, or
 * too large. */
bool number_parse(const char *text, uint64_t base, uint64_t *out);

#endif
