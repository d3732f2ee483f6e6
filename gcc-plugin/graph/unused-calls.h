/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unused-calls.h - calls that GCC never makes. */
#ifndef WPP_UNUSED_CALLS_H
#define WPP_UNUSED_CALLS_H

#include "gcc-plugin/gcc-compat.h"

/* Removes calls of const and pure functions whose value is unused.  GCC itself drops them when
 * it expands the routine, or directly after.  But it keeps those whose callee has been declared
 * an ordinary function by then (honest_callees in instrument.h), so they would run only in the
 * traced program.
 *
 * To be called before that declaration, after inlining (inlined code runs), and before the
 * search for path ends, since no path ends at such a call.  `early`: GCC's passes over GIMPLE
 * are still to come.  The lines of the calls stay.  False: there are none. */
bool drop_unused_calls(function *fun, bool early);

#endif
