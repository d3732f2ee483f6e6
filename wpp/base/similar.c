/* SPDX-License-Identifier: MIT */
#include "wpp/base/similar.h"

#include <string.h>

enum { MOST = 63 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned similar_distance(const char *a, const char *b)
{
    /* d[i % 3][k]: distance between the first i characters of a and the first k of b */
    unsigned d[3][MOST + 1];
    size_t n = strnlen(a, MOST), m = strnlen(b, MOST);

    for (unsigned k = 0; k <= m; k++)
        d[0][k] = k;
    for (unsigned i = 1; i <= n; i++) {
        unsigned *row = d[i % 3], *above = d[(i + 2) % 3], *before = d[(i + 1) % 3];

        row[0] = i;
        for (unsigned k = 1; k <= m; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = least(row[k], before[k - 2] + 1);
        }
    }
    return d[n % 3][m];
}

void similar_offer(struct similar *s, const char *candidate)
{
    unsigned distance = similar_distance(s->asked, candidate);
    size_t length = strlen(s->asked), may = length / 3 > 1 ? length / 3 : 1;

    if (distance > may || distance >= length || (s->best && distance >= s->distance))
        return;
    s->best = candidate;
    s->distance = distance;
}
