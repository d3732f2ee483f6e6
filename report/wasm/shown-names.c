/* SPDX-License-Identifier: MIT */
/* shown-names.c - takes the place of wpp/base/demangle.c. */
#include "report/wasm/shown-names.h"
#include "wpp/base/demangle.h"

const struct page_sources *shown_names;

const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name)
{
    (void)d, (void)arena;
    return shown_names ? page_sources_shown(shown_names, name) : name;
}
