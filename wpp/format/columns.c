/* SPDX-License-Identifier: MIT */
#include "wpp/format/columns.h"

void wpp_put_columns(struct wpp_bytes *b, struct wpp_bytes *columns, unsigned n)
{
    wpp_put_varint(b, n);
    for (unsigned i = 0; i < n; i++)
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

    if (there < n)
        return false;
    for (size_t i = 0; i < there; i++)
        wpp_get_varint(v);
    for (size_t i = 0; i < there && !v->failed; i++) {
        struct wpp_view column = wpp_get_view(v, wpp_get_varint(&sizes));

        if (i < n)
            columns[i] = column;
    }
    return !v->failed;
}
