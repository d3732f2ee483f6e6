/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unused-calls.h - calls that GCC never makes. */
#ifndef WPP_UNUSED_CALLS_H
#define WPP_UNUSED_CALLS_H

#include "gcc-plugin/gcc-compat.h"

/* Takes out the calls of const and pure functions whose value nobody wants.  GCC drops them when
 * it expands the routine, or right after; but not those whose callee has been declared an
 * ordinary function by then (honest_callees in instrument.h): they would be made in the traced
 * program alone.  To be called before that, behind inlining (what is inlined is run), and before
 * paths are looked for, since none ends there; or, `early`, when GCC's passes over GIMPLE are
 * still to come.  Their lines stay.  False: there are none. */
bool drop_unused_calls(function *fun, bool early);

#endif
