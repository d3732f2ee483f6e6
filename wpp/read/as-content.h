/* SPDX-License-Identifier: MIT */
/* as-content.h - an open file as the writer takes it (content.h), so that another can be made of
 * it. */
#ifndef WPP_AS_CONTENT_H
#define WPP_AS_CONTENT_H

#include "wpp/base/arena.h"
#include "wpp/format/content.h"
#include "wpp/wpp.h"

/* The run, modules, units, routines, terminals, sources and what was left out; no threads, chunks,
 * grammar or counts.  Arrays are the arena's or the wpp's: both must outlive the content.  The
 * parts MODULES, ROUTINES and TERMINALS must be there.  False without memory. */
bool wpp_as_content(const wpp *w, struct wpp_arena *arena, struct wpp_content *out);

#endif
