/* SPDX-License-Identifier: MIT */
/* left-out.h - why a routine is not instrumented.
 */
#ifndef WPP_LEFT_OUT_H
#define WPP_LEFT_OUT_H

#include <stdint.h>

/* A wpp_reason in words. */
const char *left_out_reason(uint32_t reason);

#endif
