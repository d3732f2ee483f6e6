/* SPDX-License-Identifier: MIT */
/* number-text.c - numbers as people read them; see number-text.h. */
#include "wpp/base/number-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *number_grouped(uint64_t n, char out[static NUMBER_TEXT])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *p = out;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return out;
}

const char *number_scaled(uint64_t n, char out[static NUMBER_TEXT])
{
    static const char *const units[] = { "", " k", " M", " G", " T", " P", " E" };
    double value = (double)n;
    unsigned unit = 0;

    while (value >= 999.5 && unit < 6) {
        value /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(out, NUMBER_TEXT, "%" PRIu64, n);
    else
        snprintf(out, NUMBER_TEXT, "%.3g%s", value, units[unit]);
    return out;
}

const char *number_percent(double part, double whole, char out[static NUMBER_TEXT])
{
    double share = whole > 0 ? 100 * part / whole : 0;

    if (share == 0)
        return strcpy(out, "0 %");
    if (share < 0.005)
        snprintf(out, NUMBER_TEXT, "<0.01 %%");
    else
        snprintf(out, NUMBER_TEXT, share >= 9.95 ? "%.1f %%" : "%.2f %%", share);
    return out;
}

const char *number_mean(uint64_t sum, uint64_t n, char out[static NUMBER_TEXT])
{
    double mean = (double)sum / (double)n;

    if (mean >= 99.95 || sum % n == 0)
        return number_grouped((uint64_t)(mean + 0.5), out);
    snprintf(out, NUMBER_TEXT, "%.1f", mean);
    return out;
}

/* Reads a fraction: `.25` is 25 of 100.  It uses at most nine digits and ignores the rest.
 * False: there are no digits. */
static bool parse_fraction(char **text, uint64_t *digits, uint64_t *of)
{
    const char *begin = ++*text;

    for (; **text >= '0' && **text <= '9'; ++*text)
        if (*of < UINT64_C(1000000000)) {
            *digits = 10 * *digits + (uint64_t)(**text - '0');
            *of *= 10;
        }
    return *text > begin;
}

bool number_parse(const char *text, uint64_t base, uint64_t *out)
{
    char *end;
    uint64_t value, scale = 1, digits = 0, of = 1;
    bool whole;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno)
        return false;
    whole = *end != '.';
    if (!whole && !parse_fraction(&end, &digits, &of))
        return false;
    switch (*end) {
    case 'G': case 'g': scale *= base;    /* fall through */
    case 'M': case 'm': scale *= base;    /* fall through */
    case 'K': case 'k': scale *= base; end++;
    }
    if (*end || (!whole && scale == 1))
        return false;
    /* Nine digits and 2^30: the product has 60 bits. */
    return !__builtin_mul_overflow(value, scale, out)
        && !__builtin_add_overflow(*out, digits * scale / of, out);
}
