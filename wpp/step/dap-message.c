/* SPDX-License-Identifier: MIT */
#include "wpp/step/dap-message.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/utf8.h"

enum {
    MOST_LINE = 1024,              /* bytes of a line of a header */
    MOST_LINES = 16,
    LEAST_ROOM = 1 << 13,          /* bytes that are read at once */
    MOST_BODY = 1 << 24            /* bytes of a message: an editor's have some thousand */
};

/* ---- Bytes ------------------------------------------------------------------------------------------ */

/* Reads until `n` bytes are there.  DAP_END: the input ends before. */
static enum dap_read fill(struct dap_channel *c, size_t n, struct wpp_error *error)
{
    if (c->room < n) {
        size_t room = n > LEAST_ROOM ? n : LEAST_ROOM;
        char *larger = realloc(c->data, room);

        if (!larger) {
            wpp_fail_memory(error);
            return DAP_WRONG;
        }
        c->data = larger;
        c->room = room;
    }
    while (c->n < n) {
        ssize_t got = read(c->in, c->data + c->n, c->room - c->n);

        if (got == 0)
            return DAP_END;
        if (got < 0 && errno != EINTR) {
            wpp_fail_errno(error, "the messages cannot be read");
            return DAP_WRONG;
        }
        c->n += got > 0 ? (size_t)got : 0;
    }
    return DAP_MESSAGE;
}

static void take(struct dap_channel *c, size_t n)
{
    memmove(c->data, c->data + n, c->n - n);
    c->n -= n;
}

/* ---- A header ---------------------------------------------------------------------------------------- */

static enum dap_read wrong(struct wpp_error *error, const char *what)
{
    wpp_fail(error, WPP_E_ARGUMENT, "the input is no message of the Debug Adapter Protocol: %s", what);
    return DAP_WRONG;
}

/* Takes a line, which ends in \r\n; `out` has room for MOST_LINE bytes.  A wrong line is an error as soon as it
 * ends: more input may never come. */
static enum dap_read take_line(struct dap_channel *c, char *out, struct wpp_error *error)
{
    size_t n = 0;

    for (;;) {
        enum dap_read got = c->n > n ? DAP_MESSAGE : fill(c, n + 1, error);
        char byte;

        if (got != DAP_MESSAGE)
            return got == DAP_END && n > 0 ? wrong(error, "it ends in a header") : got;
        byte = c->data[n++];
        if (byte == '\n')
            break;
        if (byte == '\0' || n == MOST_LINE)
            return wrong(error, "a line of the header is too long, or no text");
    }
    if (n < 2 || c->data[n - 2] != '\r')
        return wrong(error, "a line of the header does not end with \\r\\n");
    memcpy(out, c->data, n - 2);
    out[n - 2] = '\0';
    take(c, n);
    return DAP_MESSAGE;
}

/* `Content-Length: 58`; other fields are left out.  False: it is no field, or the length is none. */
static bool parse_field(const char *line, size_t *length)
{
    static const char name[] = "Content-Length:";
    const char *value = line + sizeof name - 1;
    char *end;
    unsigned long n;

    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return strchr(line, ':') != NULL;
    value += strspn(value, " \t");
    if (!isdigit((unsigned char)value[0]))
        return false;
    n = strtoul(value, &end, 10);
    end += strspn(end, " \t");
    *length = n;
    return *end == '\0' && n > 0 && n <= MOST_BODY;
}

static enum dap_read take_header(struct dap_channel *c, size_t *length, struct wpp_error *error)
{
    char line[MOST_LINE];
    int n = 0;

    *length = 0;
    for (;;) {
        enum dap_read got = take_line(c, line, error);

        if (got != DAP_MESSAGE)
            return got == DAP_END && n > 0 ? wrong(error, "it ends in a header") : got;
        if (!line[0])
            break;
        if (!parse_field(line, length))
            return wrong(error, "a line of the header is no field, or its length is none");
        if (++n > MOST_LINES)
            return wrong(error, "the header has too many lines");
    }
    return *length > 0 ? DAP_MESSAGE : wrong(error, "a header has no Content-Length");
}

/* ---- Messages ----------------------------------------------------------------------------------------- */

enum dap_read dap_read(struct dap_channel *c, json_t **out, struct wpp_error *error)
{
    json_error_t why;
    size_t length;
    enum dap_read got = take_header(c, &length, error);

    if (got != DAP_MESSAGE)
        return got;
    got = fill(c, length, error);
    if (got != DAP_MESSAGE)
        return got == DAP_END ? wrong(error, "it ends in a message, or the length is too large") : got;
    *out = json_loadb(c->data, length, 0, &why);
    take(c, length);
    if (*out && json_is_object(*out))
        return DAP_MESSAGE;
    if (*out) {
        json_decref(*out);
        return wrong(error, "a message is no object");
    }
    wpp_fail(error, WPP_E_ARGUMENT, "a message is no JSON, or its length is wrong: %s", why.text);
    wpp_keep_one_line(error->text);
    return DAP_WRONG;
}

bool dap_waits(const struct dap_channel *c)
{
    struct pollfd p = {.fd = c->in, .events = POLLIN};

    return c->n > 0 || poll(&p, 1, 0) > 0;
}

bool dap_send(struct dap_channel *c, json_t *message, struct wpp_error *error)
{
    char *text = NULL;

    if (message && json_object_set_new(message, "seq", json_integer(++c->sent)) == 0)
        text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text)
        return wpp_fail_memory(error);
    fprintf(c->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    free(text);
    if (fflush(c->out) != 0)
        return wpp_fail_errno(error, "the messages cannot be written");
    return true;
}

void dap_channel_free(struct dap_channel *c)
{
    free(c->data);
    *c = (struct dap_channel){0};
}

json_t *dap_text(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *out = malloc(3 * strlen(text) + 1);
    size_t n = 0;
    json_t *made;

    if (!out)
        return NULL;
    while (*text) {
        int length = utf8_length((const unsigned char *)text);

        memcpy(out + n, length ? text : replacement, length ? (size_t)length : 3);
        n += length ? (size_t)length : 3;
        text += length ? length : 1;
    }
    made = json_stringn(out, n);
    free(out);
    return made;
}
