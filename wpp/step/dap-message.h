/* SPDX-License-Identifier: MIT */
/* dap-message.h - messages of the Debug Adapter Protocol: each is a header, an empty line, and JSON.
 *
 *      Content-Length: 58\r\n
 *      \r\n
 *      {"seq":1,"type":"request","command":"threads"}
 */
#ifndef WPP_DAP_MESSAGE_H
#define WPP_DAP_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wpp/wpp.h"

/* Where messages come from and go to. */
struct dap_channel {
    int in;
    FILE *out;
    char *data;                    /* read, and not taken yet */
    size_t n, room;
    json_int_t sent;               /* so many messages */
};

enum dap_read { DAP_MESSAGE, DAP_END, DAP_WRONG };

/* Waits for the next message; *out is an object, and the caller's.  DAP_END: the input ends in front of it.
 * DAP_WRONG: what comes is no message, or cannot be read; `error` says so. */
enum dap_read dap_read(struct dap_channel *c, json_t **out, struct wpp_error *error);
/* Whether input is there. */
bool dap_waits(const struct dap_channel *c);
/* Numbers and sends a message, which it takes.  NULL is one for which there was no memory.  False: it could not
 * be sent; `error` says why. */
bool dap_send(struct dap_channel *c, json_t *message, struct wpp_error *error);
void dap_channel_free(struct dap_channel *c);

/* A text as JSON, which must be UTF-8: other bytes become U+FFFD.  NULL: no memory. */
json_t *dap_text(const char *text);

#endif
