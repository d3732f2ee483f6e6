/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support-code.h - code that a unit needs besides its routines' events. */
#ifndef WPP_SUPPORT_CODE_H
#define WPP_SUPPORT_CODE_H

#include <stdio.h>

/* Writes, as assembly, the unit's __wpp_event.  Also writes, once per module through COMDAT, the
 * entries to __wpp_refill for each register and the module's constructor and destructor.
 * shared: the code may become part of a shared library.  timed: __wpp_event counts each path's
 * time in __wpp_times. */
void write_support_code(FILE *assembly, bool shared, bool timed);

/* Writes only the module's constructor and destructor, for a unit without events. */
void write_module_records(FILE *assembly, bool counts);

#endif
