/* SPDX-License-Identifier: MIT */
/* left-out.h - what the path tables of a program's file say of routines that are not
 * instrumented, when there is no WPP to ask.
 */
#ifndef WPP_LEFT_OUT_H
#define WPP_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* A wpp_reason in words. */
const char *left_out_reason(uint32_t reason);

/* Whether the file was compiled with the plugin, which left out all that there was, and
 * why: the reasons in words, each once, separated by commas, cut to the size. */
bool left_out_altogether(const char *path, char *reasons, unsigned size);

#endif
