/* SPDX-License-Identifier: MIT */
/* deaths.h - where threads were when a signal killed their process. */
#ifndef WPP_DEATHS_H
#define WPP_DEATHS_H

#include "wpp/compress/compressor.h"

/* Sets deaths and n_deaths of the content, if the buffers of the process tell about any that fits
 * its end.  Files of modules are looked at for names and lines; what is not to be found there
 * stays unknown.  `routines` numbers executed routines by the tokens of their path 0, and others
 * behind them.  Memory is the arena's.  False: no memory. */
bool wpp_deaths_describe(const wpp_compressor *c, struct wpp_arena *arena,
                         struct wpp_alphabet *routines, struct wpp_content *content);

#endif
