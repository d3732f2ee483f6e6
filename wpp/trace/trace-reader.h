/* SPDX-License-Identifier: MIT */
/* trace-reader.h - parses a trace (docs/trace-format.md) as its bytes arrive.
 *
 * The bytes come in pieces of any size.  The sink gets tokens piece by piece, and every other
 * record when it is whole.  This reader checks magic, version, header checksum and record sizes.
 * The sink checks the meaning of records and their order.
 */
#ifndef WPP_TRACE_READER_H
#define WPP_TRACE_READER_H

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct wpp_trace_sink {
    void *ctx;
    /* A whole record; for WPP_REC_TOKENS its header, before any tokens, and payload is NULL.
     * False stops the reading for good. */
    bool (*record)(void *ctx, const struct wpp_record *record, const uint8_t *payload);
    /* The next n tokens of the current TOKENS record: 4 n bytes, any alignment. */
    bool (*tokens)(void *ctx, const void *words, size_t n);
};

enum wpp_trace_state {
    WPP_IN_HEADER, WPP_IN_PAYLOAD, WPP_IN_TOKENS, WPP_IN_UNKNOWN, WPP_IN_PAD,
    WPP_IN_UNMADE                 /* the process was killed before it had made this record */
};

struct wpp_trace {
    struct wpp_trace_sink sink;
    uint64_t offset;              /* bytes taken so far */
    uint64_t record_offset;       /* of the current record */
    enum wpp_trace_state state;
    uint64_t left;                /* missing bytes of the current state */
    size_t room;                  /* in WPP_IN_UNMADE: next bytes that need not be 0 */
    struct wpp_record record;
    struct wpp_bytes pending;     /* a header, a payload or a word that came in parts */
};

enum wpp_trace_result {
    WPP_TRACE_OK,
    WPP_TRACE_STOPPED,            /* the sink has returned false */
    WPP_TRACE_WRONG               /* see error; nothing that follows can be read */
};

void wpp_trace_init(struct wpp_trace *t, const struct wpp_trace_sink *sink);
void wpp_trace_free(struct wpp_trace *t);

/* Takes the next n bytes.  WPP_TRACE_WRONG: WPP_E_FORMAT (no trace, from the first byte on),
 * WPP_E_VERSION, WPP_E_DAMAGED, WPP_E_MEMORY.  After any result except WPP_TRACE_OK only
 * wpp_trace_free() is allowed. */
enum wpp_trace_result wpp_trace_push(struct wpp_trace *t, const void *bytes, size_t n,
                                     struct wpp_error *error);

/* Whether the bytes so far, fewer than a header, could be the beginning of one. */
bool wpp_trace_begins_well(const struct wpp_trace *t);
/* Whether the bytes so far end where a record ends, or within one that the process had not made when
 * it was killed. */
bool wpp_trace_at_boundary(const struct wpp_trace *t);

#endif
