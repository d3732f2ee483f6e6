/* SPDX-License-Identifier: MIT */
/* control.h - what a program built with wpp-gcc may say to the recording of itself.
 *
 *      #include <wpp/control.h>
 *
 *      wpp_stop();         from here on nothing is recorded, in any thread
 *      wpp_start();        from here on everything is, again
 *
 * Both are for the whole process and do nothing when it is so already; they may be
 * called anywhere, also in signal handlers.  A program that is to begin without
 * recording is run with WPP_OPTIONS=record=off.  In a program that is built without wpp
 * they do nothing. */
#ifndef WPP_CONTROL_H
#define WPP_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

void __wpp_start(void) __attribute__((weak));
void __wpp_stop(void) __attribute__((weak));

static inline __attribute__((always_inline)) void wpp_start(void)
{
    if (__wpp_start)
        __wpp_start();
}

static inline __attribute__((always_inline)) void wpp_stop(void)
{
    if (__wpp_stop)
        __wpp_stop();
}

#ifdef __cplusplus
}
#endif

#endif
