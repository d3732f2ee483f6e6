/* SPDX-License-Identifier: MIT */
/* tap.h - the unit tests' three verbs; test/run counts the lines they print. */
#ifndef WPP_TEST_TAP_H
#define WPP_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_failed;
static int tap_count;

/* One named check: prints `ok N - name` or `not ok N - name`. */
__attribute__((format(printf, 2, 3), unused))
static bool tap_ok(bool passed, const char *format, ...)
{
    va_list args;

    printf("%s %d - ", passed ? "ok" : "not ok", ++tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    tap_failed += !passed;
    return passed;
}

/* A check that cannot be made here, and why. */
__attribute__((format(printf, 1, 2), unused))
static void tap_skip(const char *format, ...)
{
    va_list args;

    printf("skip %d - ", ++tap_count);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* A detail of a failure. */
__attribute__((format(printf, 1, 2), unused))
static void tap_note(const char *format, ...)
{
    va_list args;

    fputs("# ", stdout);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* Closes the list: the value for main to return. */
__attribute__((unused))
static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed ? 1 : 0;
}

#endif
