/* SPDX-License-Identifier: MIT */
#include "wpp/json.h"

#include <stdint.h>

/* Length of the UTF-8 sequence at s, 0 if there is none (RFC 3629). */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)
        || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

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
