/* SPDX-License-Identifier: MIT */
/* number-text.c - numbers as people read them; see number-text.h. */
#include "wpp/base/number-text.h"

#include <inttypes.h>
#include <stdio.h>
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
