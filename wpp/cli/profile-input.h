/* SPDX-License-Identifier: MIT */
/* profile-input.h - opens what wpp-profile reads: a WPP or a path profile. */
#ifndef WPP_PROFILE_INPUT_H
#define WPP_PROFILE_INPUT_H

#include "wpp/wpp.h"

/* As wpp_open_intact(), with all parts that say how often each path was executed; or dies. */
wpp *profile_input_open(const char *path);
/* The same, but it dies of plain symbols, which have no paths. */
wpp *profile_input_open_program(const char *path);

#endif
