/* SPDX-License-Identifier: MIT */
/* at-once.h - the same work for two runs. */
#ifndef WPP_AT_ONCE_H
#define WPP_AT_ONCE_H

/* Calls work(context, 0) and work(context, 1), each in a thread of its own if one can be had; returns
 * when both have. */
void at_once(void (*work)(void *context, unsigned which), void *context);

#endif
