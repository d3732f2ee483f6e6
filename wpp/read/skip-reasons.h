/* SPDX-License-Identifier: MIT */
/* skip-reasons.h - why a routine is not instrumented.
 */
#ifndef WPP_SKIP_REASONS_H
#define WPP_SKIP_REASONS_H

#include <stdint.h>

/* A wpp_reason as text. */
const char *left_out_reason(uint32_t reason);

#endif
