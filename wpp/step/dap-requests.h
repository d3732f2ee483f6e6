/* SPDX-License-Identifier: MIT */
/* dap-requests.h - what the files that answer requests share.
 *
 * A place of a thread is where it was left.  One that was not moved yet is at about the time of the thread that was
 * moved last.  Numbers that the editor keeps, of frames and variables, say which thread and row they are, so they
 * are right until the thread moves.
 */
#ifndef WPP_DAP_REQUESTS_H
#define WPP_DAP_REQUESTS_H

#include "wpp/step/dap-breakpoints.h"
#include "wpp/step/dap-message.h"
#include "wpp/step/dap-server.h"
#include "wpp/step/dap-sources.h"
#include "wpp/step/session.h"

enum dap_move {
    DAP_STAY, DAP_BEGIN, DAP_CONTINUE, DAP_REVERSE, DAP_NEXT, DAP_STEP_IN, DAP_STEP_OUT, DAP_NEXT_BACK, DAP_STEP_BACK
};

struct dap_server {
    struct dap_channel channel;
    const struct dap_defaults *defaults;
    int first_line, first_column;  /* the editor's number of what is 1 here */

    wpp *w;                        /* NULL: no run is open */
    wpp_stacks *stacks;
    struct session session;
    struct dap_sources sources;
    struct breakpoints breakpoints;
    bool configured;               /* the editor has said all that it wants before the beginning */
    bool stop_on_entry, back_into;

    uint32_t moved;                /* the thread that was moved last */
    enum dap_move moving;          /* it moves, and the breakpoints' finders are being made for it */
    struct breakpoint goto_line;   /* the line whose executions were asked for last */
    int first_target;              /* their numbers begin there; no two questions share any */

    char refusal[320];             /* why the request at hand cannot be answered */
    json_t *later;                 /* events to be sent behind the answer */
    bool failed;                   /* no memory for one of them */
    bool done;
};

/* Answers a request: the answer's body, or an empty object.  NULL: it is refused, or there is no memory. */
typedef json_t *dap_request(struct dap_server *d, const json_t *arguments);

/* dap-server.c */
json_t *dap_refuse(struct dap_server *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sends an event behind the answer.  It takes the body. */
void dap_later(struct dap_server *d, const char *event, json_t *body);
/* Sends now what dap_later() has: in front of something that takes long. */
void dap_send_now(struct dap_server *d);
/* A line for the editor's console. */
void dap_say(struct dap_server *d, const char *category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends an item that was made for the answer.  NULL: there was no memory for it. */
void dap_append(struct dap_server *d, json_t *all, json_t *item);
/* Arguments.  False: it is not there, or something else. */
bool dap_integer(const json_t *arguments, const char *name, json_int_t *out);
/* NULL likewise. */
const char *dap_string(const json_t *arguments, const char *name);
/* The argument `threadId`; false: refused. */
bool dap_thread(struct dap_server *d, const json_t *arguments, uint32_t *thread);

/* dap-launch.c */
dap_request dap_initialize, dap_launch, dap_configured, dap_disconnect, dap_terminate;
void dap_close(struct dap_server *d);

/* dap-moves.c */
dap_request dap_continue, dap_reverse, dap_next, dap_step_in, dap_step_out, dap_step_back, dap_pause;
/* The session looks at a thread from now on, which is not moved. */
void dap_look_at(struct dap_server *d, uint32_t thread);
/* It has moved there. */
void dap_moved_to(struct dap_server *d, struct run_place to);
/* The thread that was moved last stopped, for that reason; text NULL: none. */
void dap_stopped(struct dap_server *d, const char *reason, const char *text);
/* Does a part of the move; it is done when d->moving is DAP_STAY. */
void dap_move_on(struct dap_server *d);

/* dap-places.c */
/* Goes to a place as people write it.  False: there is none; the session's message says why. */
bool dap_go(struct dap_server *d, const char *place);
dap_request dap_evaluate, dap_goto_targets, dap_goto, dap_restart_frame;
dap_request dap_set_breakpoints, dap_set_routine_breakpoints, dap_set_exception_breakpoints;

/* dap-view.c */
dap_request dap_threads, dap_stack_trace, dap_scopes, dap_variables, dap_loaded_sources;
/* Looks at the thread and chooses the row that `frameId` means.  False: refused. */
bool dap_choose_frame(struct dap_server *d, json_int_t frame);
/* A source as JSON; what is wrong with it is said once. */
json_t *dap_source_json(struct dap_server *d, const char *directory, const char *file);

#endif
