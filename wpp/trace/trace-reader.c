/* SPDX-License-Identifier: MIT */
#include "wpp/trace/trace-reader.h"

#include <assert.h>

#include "wpp/base/error.h"

/* The largest payload that is kept whole: command lines and paths.  The runtime writes no larger
 * ones. */
enum { MAX_PAYLOAD = 1 << 20 };

_Static_assert(sizeof(struct wpp_record) == WPP_HEADER_BYTES, "no padding in the header");

void wpp_trace_init(struct wpp_trace *t, const struct wpp_trace_sink *sink)
{
    *t = (struct wpp_trace){.sink = *sink, .state = WPP_IN_HEADER, .left = WPP_HEADER_BYTES};
}

void wpp_trace_free(struct wpp_trace *t)
{
    wpp_bytes_free(&t->pending);
}

static bool is_between_records(const struct wpp_trace *t)
{
    return t->state == WPP_IN_HEADER && t->left == WPP_HEADER_BYTES;
}

/* Whether the bytes so far, fewer than a header, are the beginning of an unmade one. */
static bool begins_unmade(const struct wpp_trace *t)
{
    size_t n = t->pending.size < 4 ? t->pending.size : 4;

    return t->state == WPP_IN_HEADER && t->record_offset > 0
        && (n == 0 || memcmp(t->pending.data, "\0\0\0", n) == 0);
}

bool wpp_trace_at_boundary(const struct wpp_trace *t)
{
    return is_between_records(t) || t->state == WPP_IN_UNMADE || begins_unmade(t);
}

bool wpp_trace_begins_well(const struct wpp_trace *t)
{
    size_t n = t->pending.size < 4 ? t->pending.size : 4;

    return n == 0 || memcmp(t->pending.data, &(uint32_t){WPP_TRACE_MAGIC}, n) == 0;
}

/* ---- From one state to the next --------------------------------------------------- */

static void begin_header(struct wpp_trace *t)
{
    t->state = WPP_IN_HEADER;
    t->left = WPP_HEADER_BYTES;
}

static void end_payload(struct wpp_trace *t)
{
    t->state = WPP_IN_PAD;
    t->left = -t->record.bytes & 3;
    if (t->left == 0)
        begin_header(t);
}

static bool known_kind(unsigned kind)
{
    return kind >= WPP_REC_PROCESS && kind <= WPP_REC_MERGED;
}

static enum wpp_trace_result damaged(const struct wpp_trace *t, struct wpp_error *error,
                                     const char *what)
{
    wpp_fail(error, WPP_E_DAMAGED, "the trace is damaged at byte %llu: %s",
             (unsigned long long)t->record_offset, what);
    return WPP_TRACE_WRONG;
}

/* A process that makes its file longer, for a record whose payload changes later, writes the first
 * word of the header last.  If it was killed before, that word is 0.  The rest of the header may be
 * there, and what stands before the pages; all else is 0. */
static void begin_unmade(struct wpp_trace *t)
{
    struct wpp_record made = t->record;

    made.magic = WPP_TRACE_MAGIC;
    t->state = WPP_IN_UNMADE;
    t->left = UINT64_MAX;
    t->room = made.check == (uint32_t)wpp_fnv(WPP_FNV_START, &made, offsetof(struct wpp_record, check))
              ? 2 * WPP_PAGE_BYTES : 0;
}

static enum wpp_trace_result push_unmade(struct wpp_trace *t, const uint8_t *bytes, size_t n,
                                         struct wpp_error *error)
{
    for (size_t i = t->room < n ? t->room : n; i < n; i++)
        if (bytes[i] != 0)
            return damaged(t, error, "no record begins here");
    t->room -= t->room < n ? t->room : n;
    return WPP_TRACE_OK;
}

/* Says what a file is that begins with `magic`, if a user may take it for a trace. */
static const char *other_kind(uint32_t magic)
{
    if (memcmp(&magic, "\x89WPP", sizeof magic) == 0)
        return "it is a WPP file, compressed already";
    if (memcmp(&magic, "\177ELF", sizeof magic) == 0)
        return "it is a program or a part of one; wpp-record runs a program";
    return "it does not begin with WPPT";
}

static enum wpp_trace_result check_header(const struct wpp_trace *t, struct wpp_error *error)
{
    const struct wpp_record *r = &t->record;
    uint32_t check = (uint32_t)wpp_fnv(WPP_FNV_START, r, offsetof(struct wpp_record, check));

    if (r->magic != WPP_TRACE_MAGIC && t->record_offset == 0) {
        wpp_fail(error, WPP_E_FORMAT, "this is no trace: %s", other_kind(r->magic));
        return WPP_TRACE_WRONG;
    }
    if (r->magic != WPP_TRACE_MAGIC)
        return damaged(t, error, "no record begins here");
    if (r->check != check)
        return damaged(t, error, "a record's header has a wrong checksum");
    if (r->version != WPP_TRACE_VERSION) {
        wpp_fail(error, WPP_E_VERSION, "the trace has format version %u, this program reads "
                 "version %u", r->version, WPP_TRACE_VERSION);
        return WPP_TRACE_WRONG;
    }
    if (r->kind == WPP_REC_TOKENS && r->bytes % 4 != 0)
        return damaged(t, error, "a record of tokens ends within a token");
    if (r->kind != WPP_REC_TOKENS && known_kind(r->kind) && r->bytes > MAX_PAYLOAD)
        return damaged(t, error, "a record is impossibly long");
    return WPP_TRACE_OK;
}

static enum wpp_trace_result take_header(struct wpp_trace *t, const uint8_t *bytes,
                                         struct wpp_error *error)
{
    enum wpp_trace_result result;

    memcpy(&t->record, bytes, sizeof t->record);
    if (t->record.magic == 0 && t->record_offset > 0) {
        begin_unmade(t);
        return WPP_TRACE_OK;
    }
    result = check_header(t, error);
    if (result != WPP_TRACE_OK)
        return result;
    t->left = t->record.bytes;
    t->state = t->record.kind == WPP_REC_TOKENS ? WPP_IN_TOKENS
               : known_kind(t->record.kind)     ? WPP_IN_PAYLOAD
                                                : WPP_IN_UNKNOWN;
    if (t->state == WPP_IN_TOKENS && !t->sink.record(t->sink.ctx, &t->record, NULL))
        return WPP_TRACE_STOPPED;
    if (t->state == WPP_IN_PAYLOAD && t->left == 0) {
        if (!t->sink.record(t->sink.ctx, &t->record, bytes))
            return WPP_TRACE_STOPPED;
    }
    if (t->left == 0)
        end_payload(t);
    return WPP_TRACE_OK;
}

static enum wpp_trace_result take_payload(struct wpp_trace *t, const uint8_t *bytes)
{
    if (!t->sink.record(t->sink.ctx, &t->record, bytes))
        return WPP_TRACE_STOPPED;
    end_payload(t);
    return WPP_TRACE_OK;
}

/* ---- Pieces -------------------------------------------------------------------------- */

/* Hands on whole words directly from the piece; a word that lies across two pieces goes through
 * `pending`. */
static enum wpp_trace_result push_tokens(struct wpp_trace *t, const uint8_t *bytes, size_t n,
                                         size_t *taken, struct wpp_error *error)
{
    size_t have = t->pending.size;

    assert(have < 4 && n > 0);
    if (have > 0 || n < 4) {
        n = n < 4 - have ? n : 4 - have;
        wpp_put(&t->pending, bytes, n);
        if (t->pending.failed) {
            wpp_fail_memory(error);
            return WPP_TRACE_WRONG;
        }
        bytes = t->pending.data;
    } else {
        n -= n % 4;
    }
    *taken = n;
    t->left -= n;
    if (have + n >= 4) {
        t->pending.size = 0;
        if (!t->sink.tokens(t->sink.ctx, bytes, (have + n) / 4))
            return WPP_TRACE_STOPPED;
    }
    if (t->left == 0)
        end_payload(t);
    return WPP_TRACE_OK;
}

/* Takes headers and payloads: in place, if they are whole in the piece. */
static enum wpp_trace_result push_whole(struct wpp_trace *t, const uint8_t *bytes, size_t n,
                                        size_t *taken, struct wpp_error *error)
{
    const uint8_t *whole = bytes;

    *taken = n;
    if (t->pending.size > 0 || n < t->left) {
        wpp_put(&t->pending, bytes, n);
        if (t->pending.failed) {
            wpp_fail_memory(error);
            return WPP_TRACE_WRONG;
        }
        whole = t->pending.data;
    }
    t->left -= n;
    if (t->left > 0)
        return WPP_TRACE_OK;
    t->pending.size = 0;
    return t->state == WPP_IN_HEADER ? take_header(t, whole, error) : take_payload(t, whole);
}

enum wpp_trace_result wpp_trace_push(struct wpp_trace *t, const void *bytes, size_t n,
                                     struct wpp_error *error)
{
    const uint8_t *p = bytes, *end = p + n;
    enum wpp_trace_result result = WPP_TRACE_OK;

    while (result == WPP_TRACE_OK && p < end) {
        size_t piece = (size_t)(end - p) < t->left ? (size_t)(end - p) : (size_t)t->left;
        size_t taken = piece;

        assert(piece > 0);
        if (is_between_records(t))
            t->record_offset = t->offset;
        switch (t->state) {
        case WPP_IN_TOKENS:
            result = push_tokens(t, p, piece, &taken, error);
            break;
        case WPP_IN_HEADER:
        case WPP_IN_PAYLOAD:
            result = push_whole(t, p, piece, &taken, error);
            break;
        case WPP_IN_UNMADE:
            result = push_unmade(t, p, piece, error);
            break;
        case WPP_IN_UNKNOWN:
        case WPP_IN_PAD:
            t->left -= piece;
            if (t->left == 0 && t->state == WPP_IN_UNKNOWN)
                end_payload(t);
            else if (t->left == 0)
                begin_header(t);
            break;
        }
        p += taken;
        t->offset += taken;
    }
    return result;
}
