/* SPDX-License-Identifier: MIT */
#include "wpp/base/json.h"

#include "wpp/base/utf8.h"

void json_string(FILE *out, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    putc('"', out);
    while (*s) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            s++;
        } else if (n > 1) {
            fwrite(s, 1, n, out);
            s += n;
        } else {
            if (*s == '"' || *s == '\\')
                fprintf(out, "\\%c", *s);
            else if (*s < 0x20 || *s == 0x7f)
                fprintf(out, "\\u%04x", *s);
            else
                putc(*s, out);
            s++;
        }
    }
    putc('"', out);
}
