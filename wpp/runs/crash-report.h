/* SPDX-License-Identifier: MIT */
/* crash-report.h - a run that failed, as a report that casr's tools take (casr-cluster, casr-cli).
 *
 * A report is a JSON object.  casr reads these of its members, and takes defaults for all others:
 *
 *      Date, Architecture, ExecutablePath, ProcCmdline     strings
 *      CrashSeverity     Type, ShortDescription, Description, Explanation: strings, all four are needed
 *      Stacktrace        array of strings as GDB prints frames: `#0  die () at work.c:11`
 *      CrashLine         `work.c:11`
 *
 * Of the stack the activations are known that had recorded a path or were on one.
 */
#ifndef WPP_CRASH_REPORT_H
#define WPP_CRASH_REPORT_H

#include <stdio.h>

#include "wpp/wpp.h"

/* Writes the report of a process that has its order; `out`'s errors are the caller's to check.  *has_stack
 * false: no activation is known, so nothing was written (casr takes no report without a stack).
 * WPP_E_MEMORY, WPP_E_ARGUMENT: too large a run.  Cost: wpp_stacks_new(). */
bool crash_report(FILE *out, const wpp *w, bool *has_stack, struct wpp_error *error);

#endif
