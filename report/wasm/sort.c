/* SPDX-License-Identifier: MIT */
/* sort.c - qsort() and qsort_r() that keep the order of equals, as glibc's do where there is memory: so the
 * page shows what the tools show.
 *
 * Merge sort from the bottom up.  Without memory it is insertion sort.
 */
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *, const void *, void *);

static void merge(char *to, const char *a, const char *b, const char *end, size_t size, comparison *compare,
                  void *context)
{
    const char *middle = b;

    while (a < middle || b < end) {
        const char **from = b == end || (a < middle && compare(a, b, context) <= 0) ? &a : &b;

        memcpy(to, *from, size);
        to += size;
        *from += size;
    }
}

static void insert_all(char *base, size_t n, size_t size, comparison *compare, void *context)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && compare(base + (k - 1) * size, base + k * size, context) > 0; k--)
            for (size_t byte = 0; byte < size; byte++) {
                char c = base[k * size + byte];

                base[k * size + byte] = base[(k - 1) * size + byte];
                base[(k - 1) * size + byte] = c;
            }
}

void qsort_r(void *base, size_t n, size_t size, comparison *compare, void *context)
{
    char *spare = n > 1 && size > 0 ? malloc(n * size) : NULL, *from = base, *to = spare;

    if (n < 2 || size == 0)
        return;
    if (!spare) {
        insert_all(base, n, size, compare, context);
        return;
    }
    for (size_t width = 1; width < n; width *= 2) {
        char *other = from;

        for (size_t i = 0; i < n; i += 2 * width) {
            size_t middle = i + width < n ? i + width : n, end = i + 2 * width < n ? i + 2 * width : n;

            merge(to + i * size, from + i * size, from + middle * size, from + end * size, size, compare, context);
        }
        from = to;
        to = other;
    }
    if (from != base)
        memcpy(base, from, n * size);
    free(spare);
}

static int plain(const void *a, const void *b, void *compare)
{
    return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    qsort_r(base, n, size, plain, &compare);
}
