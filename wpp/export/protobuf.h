/* SPDX-License-Identifier: MIT */
/* protobuf.h - writes fields of protobuf messages: a key (number of the field, kind) and a value.
 *
 *      [field << 3 | 0] varint                  pb_number
 *      [field << 3 | 2] length, bytes           pb_string, pb_message
 */
#ifndef WPP_PROTOBUF_H
#define WPP_PROTOBUF_H

#include "wpp/base/bytes.h"

static inline void pb_number(struct wpp_bytes *b, uint32_t field, uint64_t value)
{
    wpp_put_varint(b, (uint64_t)field << 3);
    wpp_put_varint(b, value);
}

static inline void pb_bytes(struct wpp_bytes *b, uint32_t field, const void *data, size_t size)
{
    wpp_put_varint(b, (uint64_t)field << 3 | 2);
    wpp_put_varint(b, size);
    wpp_put(b, data, size);
}

/* Adds the inner message and empties it. */
static inline void pb_message(struct wpp_bytes *b, uint32_t field, struct wpp_bytes *inner)
{
    pb_bytes(b, field, inner->data, inner->size);
    b->failed |= inner->failed;
    inner->size = 0;
}

#endif
