/* SPDX-License-Identifier: MIT */
/* escape.h - names, which may hold any bytes, in the formats' texts. */
#ifndef WPP_ESCAPE_H
#define WPP_ESCAPE_H

#include <stdio.h>

#include "wpp/base/bytes.h"

/* As text or the value of an attribute in XML 1.0. */
void xml_text(FILE *out, const char *s);
/* In a quoted string of Graphviz' language, at most `columns` wide (0: any). */
void graph_text(FILE *out, const char *s, size_t columns);
/* As valid UTF-8: what is not becomes U+FFFD. */
void utf8_put(struct wpp_bytes *b, const char *s);

#endif
