/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handler.h - routines that the kernel may call as signal handlers. */
#ifndef WPP_HANDLER_H
#define WPP_HANDLER_H

#include "gcc-plugin/gcc-compat.h"

/* Gives a routine that could be a signal handler (void, with a handler's parameters) this entry
 * code:
 *
 *      if (the return address is the kernel's way back from a signal) {
 *          region = __wpp_signal_begin();
 *          the routine itself, called with the same arguments
 *          __wpp_signal_end(region);
 *          return;
 *      }
 *
 * Nothing else of the routine changes, including its tail calls.  To be called when its events
 * are written. */
void bracket_handler(function *fun);

#endif
