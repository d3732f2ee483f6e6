/* SPDX-License-Identifier: MIT */
/* csv.h - texts in CSV output (RFC 4180). */
#ifndef WPP_CSV_H
#define WPP_CSV_H

#include <stdio.h>

/* Writes `s` with quotes, and a comma behind. */
void csv_text(FILE *out, const char *s);

#endif
