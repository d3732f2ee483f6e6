/* SPDX-License-Identifier: MIT */
#include "wpp/export/escape.h"

#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/utf8.h"

static const char not_utf8[] = "\xef\xbf\xbd";

static void xml_sign(FILE *out, char c)
{
    switch (c) {
    case '&': fputs("&amp;", out); break;
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '"': fputs("&quot;", out); break;
    default: putc((unsigned char)c < ' ' || c == 0x7f ? '?' : c, out);
    }
}

void xml_text(FILE *out, const char *s)
{
    while (*s) {
        int n = utf8_length((const unsigned char *)s);

        if (n > 1)
            fwrite(s, 1, (size_t)n, out);
        else if (n == 1)
            xml_sign(out, *s);
        else
            fputs(not_utf8, out);
        s += n > 1 ? n : 1;
    }
}

void graph_text(FILE *out, const char *s, size_t columns)
{
    char shorter[256];

    if (columns > 0 && strlen(s) > columns) {
        name_shorten(s, shorter, columns < sizeof shorter ? columns + 1 : sizeof shorter);
        s = shorter;
    }
    while (*s) {
        int n = utf8_length((const unsigned char *)s);

        if (n > 1) {
            fwrite(s, 1, (size_t)n, out);
        } else if (n == 1) {
            if (*s == '"' || *s == '\\')
                putc('\\', out);
            putc((unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s, out);
        } else {
            fputs(not_utf8, out);
        }
        s += n > 1 ? n : 1;
    }
}

void utf8_put(struct wpp_bytes *b, const char *s)
{
    while (*s) {
        int n = utf8_length((const unsigned char *)s);

        if (n > 0)
            wpp_put(b, s, (size_t)n);
        else
            wpp_put(b, not_utf8, strlen(not_utf8));
        s += n > 0 ? n : 1;
    }
}
