/* SPDX-License-Identifier: MIT */
/* module-record.h - the contents of a trace's MODULE_LOAD record (docs/trace-format.md). */
#ifndef WPP_MODULE_RECORD_H
#define WPP_MODULE_RECORD_H

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

/* The parsed payload of a MODULE_LOAD record. */
struct wpp_module_record {
    struct wpp_load load;
    const uint8_t *build_id;           /* load.build_id_bytes */
    struct wpp_view path;              /* the rest of the payload, without a NUL */
};
/* False: the payload is not valid. */
bool wpp_module_parse(const uint8_t *payload, size_t size, struct wpp_module_record *out);

#endif
