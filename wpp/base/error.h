/* SPDX-License-Identifier: MIT */
/* error.h - fills struct wpp_error.  Internal to libwpp and the tools. */
#ifndef WPP_ERROR_H
#define WPP_ERROR_H

#include "wpp/wpp.h"

/* Stores status and text, returns false: `return wpp_fail(error, ...)`.
 * error may be NULL. */
bool wpp_fail(struct wpp_error *error, enum wpp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* WPP_E_SYSTEM with `: ` and errno's text appended. */
bool wpp_fail_errno(struct wpp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool wpp_fail_memory(struct wpp_error *error);

/* Replaces control characters: file names come from outside, and a message must stay one line of
 * text. */
void wpp_keep_one_line(char *text);

#endif
