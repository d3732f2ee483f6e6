/* SPDX-License-Identifier: MIT */
#include "wpp/base/csv.h"

void csv_text(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', out);
        putc(*s, out);
    }
    fputs("\",", out);
}
