/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resolver.h - IFUNC resolvers, which run while the program is being relocated. */
#ifndef WPP_RESOLVER_H
#define WPP_RESOLVER_H

#include "gcc-plugin/gcc-compat.h"

/* Puts a call of __wpp_resolver at the beginning of a resolver that is in the source.  Then it
 * may call traced routines of other units (tracer/trace-abi.h, BEFORE RECORDING BEGINS).  GCC's
 * own resolvers for target_clones call only libgcc and need none.  Nothing else of the resolver
 * changes, and it can be linked without a runtime.  Other routines stay unchanged. */
void guard_resolver(function *fun);

#endif
