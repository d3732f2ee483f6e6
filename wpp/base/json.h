/* SPDX-License-Identifier: MIT */
/* json.h - strings in JSON output. */
#ifndef WPP_JSON_H
#define WPP_JSON_H

#include <stdio.h>

/* Writes `s` with quotes.  A byte that is not valid UTF-8 becomes U+FFFD. */
void json_string(FILE *out, const char *s);

#endif
