/* SPDX-License-Identifier: MIT */
#include "wpp/step/dap-server.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/step/dap-requests.h"

/* ---- For the requests ------------------------------------------------------------------------------------- */

json_t *dap_refuse(struct dap_server *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(d->refusal, sizeof d->refusal, format, args);
    va_end(args);
    wpp_keep_one_line(d->refusal);
    return NULL;
}

void dap_later(struct dap_server *d, const char *event, json_t *body)
{
    json_t *message = json_pack("{s:s, s:s, s:o}", "type", "event", "event", event, "body", body);

    dap_append(d, d->later, message);
}

void dap_say(struct dap_server *d, const char *category, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    wpp_keep_one_line(text);
    strcat(text, "\n");
    dap_later(d, "output", json_pack("{s:s, s:o}", "category", category, "output", dap_text(text)));
}

void dap_append(struct dap_server *d, json_t *all, json_t *item)
{
    if (json_array_append_new(all, item) != 0)
        d->failed = true;
}

bool dap_integer(const json_t *arguments, const char *name, json_int_t *out)
{
    const json_t *value = json_object_get(arguments, name);

    *out = json_integer_value(value);
    return json_is_integer(value);
}

const char *dap_string(const json_t *arguments, const char *name)
{
    return json_string_value(json_object_get(arguments, name));
}

bool dap_thread(struct dap_server *d, const json_t *arguments, uint32_t *thread)
{
    uint32_t n = wpp_grammar(d->w)->n_threads;
    json_int_t id;

    if (!dap_integer(arguments, "threadId", &id) || id < 1 || id > (json_int_t)n) {
        dap_refuse(d, "there is no such thread; their numbers are 1 to %u", n);
        return false;
    }
    *thread = (uint32_t)(id - 1);
    return true;
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

enum needs { NOTHING, A_RUN };

static const struct {
    const char *command;
    dap_request *answer;
    enum needs needs;
} requests[] = {
    {"initialize", dap_initialize, NOTHING},
    {"launch", dap_launch, NOTHING},
    {"attach", dap_launch, NOTHING},
    {"disconnect", dap_disconnect, NOTHING},
    {"terminate", dap_terminate, NOTHING},
    {"configurationDone", dap_configured, A_RUN},
    {"setBreakpoints", dap_set_breakpoints, A_RUN},
    {"setFunctionBreakpoints", dap_set_routine_breakpoints, A_RUN},
    {"setExceptionBreakpoints", dap_set_exception_breakpoints, NOTHING},
    {"threads", dap_threads, A_RUN},
    {"stackTrace", dap_stack_trace, A_RUN},
    {"scopes", dap_scopes, A_RUN},
    {"variables", dap_variables, A_RUN},
    {"loadedSources", dap_loaded_sources, A_RUN},
    {"continue", dap_continue, A_RUN},
    {"reverseContinue", dap_reverse, A_RUN},
    {"next", dap_next, A_RUN},
    {"stepIn", dap_step_in, A_RUN},
    {"stepOut", dap_step_out, A_RUN},
    {"stepBack", dap_step_back, A_RUN},
    {"pause", dap_pause, A_RUN},
    {"evaluate", dap_evaluate, A_RUN},
    {"gotoTargets", dap_goto_targets, A_RUN},
    {"goto", dap_goto, A_RUN},
    {"restartFrame", dap_restart_frame, A_RUN},
};

static json_t *answer(struct dap_server *d, const char *command, const json_t *arguments)
{
    size_t n = sizeof requests / sizeof *requests, i = 0;

    while (i < n && strcmp(requests[i].command, command) != 0)
        i++;
    if (i == n)
        return dap_refuse(d, "wpp-step does not know the request `%.100s`", command);
    if (requests[i].needs == A_RUN && !d->w)
        return dap_refuse(d, "no run is open: `launch` opens one");
    return requests[i].answer(d, arguments);
}

/* The answer as a message; NULL: no memory.  It takes the body. */
static json_t *response(struct dap_server *d, json_int_t seq, const char *command, json_t *body)
{
    if (body)
        return json_pack("{s:s, s:I, s:b, s:s, s:o}", "type", "response", "request_seq", seq, "success", 1,
                         "command", command, "body", body);
    if (!d->refusal[0])
        dap_refuse(d, "out of memory");
    return json_pack("{s:s, s:I, s:b, s:s, s:o, s:{s:{s:i, s:o, s:b}}}", "type", "response", "request_seq", seq,
                     "success", 0, "command", command, "message", dap_text(d->refusal), "body", "error", "id", 1,
                     "format", dap_text(d->refusal), "showUser", strcmp(command, "evaluate") != 0);
}

static bool send_later(struct dap_server *d, struct wpp_error *error)
{
    size_t n = json_array_size(d->later);

    for (size_t i = 0; i < n; i++)
        if (!dap_send(&d->channel, json_incref(json_array_get(d->later, i)), error))
            return false;
    json_array_clear(d->later);
    return d->failed ? wpp_fail_memory(error) : true;
}

void dap_send_now(struct dap_server *d)
{
    struct wpp_error error;

    d->failed |= !send_later(d, &error);
}

/* Answers a request; what is none, as the answer to one, is left out. */
static bool take_message(struct dap_server *d, const json_t *message, struct wpp_error *error)
{
    const char *type = dap_string(message, "type"), *command = dap_string(message, "command");
    json_int_t seq;

    if (!type || !dap_integer(message, "seq", &seq))
        return wpp_fail(error, WPP_E_ARGUMENT, "a message has no type or no number");
    if (strcmp(type, "request") != 0)
        return true;
    if (!command)
        return wpp_fail(error, WPP_E_ARGUMENT, "a request has no command");
    d->refusal[0] = '\0';
    return dap_send(&d->channel, response(d, seq, command, answer(d, command, json_object_get(message, "arguments"))),
                    error)
        && send_later(d, error);
}

/* Goes on with a move until it is done or a message comes: that may be to pause it. */
static bool move(struct dap_server *d, struct wpp_error *error)
{
    bool ok = true;

    while (ok && d->moving != DAP_STAY) {
        dap_move_on(d);
        ok = send_later(d, error);
        if (d->moving != DAP_STAY && dap_waits(&d->channel))
            break;
    }
    return ok;
}

bool dap_serve(int in, FILE *out, const struct dap_defaults *defaults, struct wpp_error *error)
{
    struct dap_server d = {.channel = {.in = in, .out = out}, .defaults = defaults, .first_line = 1,
                           .first_column = 1, .later = json_array()};
    enum dap_read got = DAP_MESSAGE;
    bool ok = d.later || wpp_fail_memory(error);

    while (ok && !d.done) {
        json_t *message = NULL;

        got = dap_read(&d.channel, &message, error);
        if (got != DAP_MESSAGE)
            break;
        ok = take_message(&d, message, error) && move(&d, error);
        json_decref(message);
    }
    dap_close(&d);
    json_decref(d.later);
    dap_channel_free(&d.channel);
    return ok && got != DAP_WRONG;
}
