/* SPDX-License-Identifier: MIT */
/* put-record.h - heads of the records that a recorder adds to a process's trace. */
#ifndef WPP_PUT_RECORD_H
#define WPP_PUT_RECORD_H

#include <stddef.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

/* Appends a header; the caller appends `payload` bytes. */
static inline void wpp_put_record(struct wpp_bytes *out, uint64_t time, uint16_t kind, uint32_t pid,
                                  uint32_t tid, size_t payload)
{
    struct wpp_record h = {.magic = WPP_TRACE_MAGIC, .version = WPP_TRACE_VERSION, .time = time,
                           .kind = kind, .bytes = (uint32_t)payload, .pid = pid, .tid = tid};

    h.check = (uint32_t)wpp_fnv(WPP_FNV_START, &h, offsetof(struct wpp_record, check));
    wpp_put(out, &h, sizeof h);
}

#endif
