/* SPDX-License-Identifier: MIT */
/* utf8.h - names are bytes, but output must be UTF-8. */
#ifndef WPP_UTF8_H
#define WPP_UTF8_H

/* Length of the UTF-8 sequence at s; 0 if there is none (RFC 3629). */
static inline int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3
          : s[0] < 0xf5 ? 4 : 0;

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)
        || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

#endif
