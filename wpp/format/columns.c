/* SPDX-License-Identifier: MIT */
#include "wpp/format/columns.h"

void wpp_put_columns(struct wpp_bytes *b, struct wpp_bytes *columns, unsigned n)
{
    unsigned some = n;

    while (some > 0 && columns[some - 1].size == 0)
        some--;
    wpp_put_varint(b, some);
    for (unsigned i = 0; i < some; i++)
        wpp_put_varint(b, columns[i].size);
    for (unsigned i = 0; i < n; i++) {
        wpp_put(b, columns[i].data, columns[i].size);
        b->failed |= columns[i].failed;
        wpp_bytes_free(&columns[i]);
    }
}

bool wpp_get_columns(struct wpp_view *v, struct wpp_view *columns, unsigned n)
{
    size_t there = wpp_get_count(v, 1);
    struct wpp_view sizes = *v;

    for (size_t i = 0; i < there; i++)
        wpp_get_varint(v);
    for (size_t i = there; i < n; i++)
        columns[i] = wpp_view(v->p, 0);
    for (size_t i = 0; i < there && !v->failed; i++) {
        struct wpp_view column = wpp_get_view(v, wpp_get_varint(&sizes));

        if (i < n)
            columns[i] = column;
    }
    return !v->failed;
}
