/* SPDX-License-Identifier: MIT */
/* control.h - how a program built with wpp-gcc stops and starts its own recording.
 *
 *      #include <wpp/control.h>
 *
 *      wpp_stop();         from here on nothing is recorded, in any thread
 *      wpp_start();        from here on everything is, again
 *
 * Both act on the whole process, and do nothing if recording is already stopped or started.
 * They may be called anywhere, also in signal handlers.  WPP_OPTIONS=record=off runs a program
 * that begins without recording.  In a program built without wpp both do nothing. */
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
