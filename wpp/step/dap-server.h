/* SPDX-License-Identifier: MIT */
/* dap-server.h - a session (session.h) for an editor, by the Debug Adapter Protocol: JSON messages, most of which are
 * requests.  It knows no terminal.
 *
 *      editor        initialize   launch        breakpoints   configurationDone      next
 *      server        answer       answer,       answers       answer,                answer,
 *                                 initialized                 stopped (entry)        stopped (step)
 */
#ifndef WPP_DAP_SERVER_H
#define WPP_DAP_SERVER_H

#include <stdint.h>
#include <stdio.h>

#include "wpp/wpp.h"

/* What holds where the editor does not say it. */
struct dap_defaults {
    const char *path;              /* of the run; NULL: none */
    const char *at;                /* where to begin; NULL: at the beginning */
    uint64_t thread;
};

/* Answers until the editor ends it, or its messages do.  False: what comes is no message, or there was no
 * memory; an error of the run's file is the editor's to show. */
bool dap_serve(int in, FILE *out, const struct dap_defaults *defaults, struct wpp_error *error);

/* Waits for one editor at a port of this machine's loopback address, 0: one that is free; `say` is told the port.
 * Returns the connection's descriptor; -1: errors. */
int dap_wait_for_editor(uint64_t port, void (*say)(unsigned port), struct wpp_error *error);

#endif
