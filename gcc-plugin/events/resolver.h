/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolver.h - IFUNC resolvers, which run while the program is being relocated. */
#ifndef WPP_RESOLVER_H
#define WPP_RESOLVER_H

#include "gcc-plugin/gcc-compat.h"

/* Puts a call of __wpp_resolver at the begin of a resolver that is in the source (those that GCC
 * makes for target_clones call nothing but libgcc), so that traced routines of other units may
 * be called from there (tracer/trace-abi.h, BEFORE RECORDING BEGINS).  Nothing else of the
 * resolver changes, and it can be linked without a runtime.  Other routines are left alone. */
void guard_resolver(function *fun);

#endif
