/* SPDX-License-Identifier: MIT */
#include "wpp/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wpp_keep_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

bool wpp_fail(struct wpp_error *error, enum wpp_status status, const char *format, ...)
{
    va_list args;

    if (!error)
        return false;
    error->status = status;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    wpp_keep_one_line(error->text);
    return false;
}

bool wpp_fail_errno(struct wpp_error *error, const char *format, ...)
{
    int number = errno;
    va_list args;
    size_t used;

    if (!error)
        return false;
    error->status = WPP_E_SYSTEM;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", strerror(number));
    wpp_keep_one_line(error->text);
    errno = number;
    return false;
}

bool wpp_fail_memory(struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_MEMORY, "out of memory");
}
