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

/* What the command line says.  The arguments of the editor's launch come first. */
struct dap_defaults {
    const char *path;              /* of the run; NULL: none */
    const char *at;                /* where to begin; NULL: at the beginning */
    uint64_t thread;
};

/* Answers until the editor disconnects or the input ends.  False: the input is no message of the protocol, or
 * there was no memory.  What is wrong with the run's file is an answer to the editor. */
bool dap_serve(int in, FILE *out, const struct dap_defaults *defaults, struct wpp_error *error);

/* Waits for one editor at a port of 127.0.0.1; 0: a port that is free.  Calls `say` with the port before it waits.
 * Returns the connection's descriptor; -1: `error` says why not. */
int dap_wait_for_editor(uint16_t port, void (*say)(unsigned port), struct wpp_error *error);

#endif
