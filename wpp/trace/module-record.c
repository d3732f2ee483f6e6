/* SPDX-License-Identifier: MIT */
#include "wpp/trace/module-record.h"

#include <string.h>

bool wpp_module_parse(const uint8_t *payload, size_t size, struct wpp_module_record *out)
{
    struct wpp_view v = wpp_view(payload, size);
    const uint8_t *fixed = wpp_get_bytes(&v, sizeof out->load);

    if (!fixed)
        return false;
    memcpy(&out->load, fixed, sizeof out->load);
    out->build_id = wpp_get_bytes(&v, out->load.build_id_bytes);
    out->path = v;
    return out->build_id && out->load.count <= UINT32_MAX - out->load.base;
}
