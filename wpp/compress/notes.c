/* SPDX-License-Identifier: MIT */
/* notes.c - what a compressor says of a trace that lacks something. */
#include "wpp/compress/compressor.h"

#include <stdarg.h>
#include <stdio.h>

#include "wpp/base/error.h"

/* The first note stays: what follows is mostly its consequence. */
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
