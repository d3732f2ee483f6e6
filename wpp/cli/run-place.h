/* SPDX-License-Identifier: MIT */
/* run-place.h - places in a run (wpp/replay/place-text.h) for the tools' main functions: what makes no
 * sense ends the program with a message.  `path` names the file in it. */
#ifndef WPP_RUN_PLACE_H
#define WPP_RUN_PLACE_H

#include "wpp/replay/place-text.h"

/* The event; a number may lie behind the thread's end.  Executions are looked for in the grammar: as much
 * as is needed of it is read (wpp_read_until()). */
uint64_t place_event(const struct place *p, wpp *w, const char *path, uint32_t thread);

/* The weights of what is looked for, to be freed. */
uint32_t *place_weights(const wpp *w, const char *path, const char *what);

#endif
