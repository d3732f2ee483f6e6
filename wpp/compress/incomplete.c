/* SPDX-License-Identifier: MIT */
/* incomplete.c - the compressor's notes about an incomplete trace. */
#include "wpp/compress/compressor.h"

#include <stdarg.h>
#include <stdio.h>

#include "wpp/base/error.h"

/* Only the first note stays: later ones mostly follow from it. */
void wpp_note(wpp_compressor *c, enum wpp_status status, const char *format, ...)
{
    char text[sizeof c->note.text];
    va_list args;

    if (c->note.status != WPP_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wpp_fail(&c->note, status, "%s", text);
}
