/* SPDX-License-Identifier: MIT */
#include "wpp/trace/merged-trace.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/base/error.h"

bool wpp_merged_trace_is(const uint8_t *first, size_t n)
{
    struct wpp_record r;

    _Static_assert(offsetof(struct wpp_record, bytes) == WPP_MERGED_KNOWS, "magic, version, kind");
    if (n < WPP_MERGED_KNOWS)
        return false;
    memcpy(&r, first, WPP_MERGED_KNOWS);
    return r.magic == WPP_TRACE_MAGIC && r.kind == WPP_REC_MERGED;
}

static bool damaged(struct wpp_error *error, uint64_t at, const char *what)
{
    return wpp_fail(error, WPP_E_DAMAGED, "the trace is damaged at byte %llu: %s",
                    (unsigned long long)at, what);
}

/* The record at that place, which ends before `end`. */
static bool get_record(const uint8_t *file, uint64_t at, uint64_t end, struct wpp_record *r,
                       struct wpp_error *error)
{
    if (end - at < sizeof *r)
        return damaged(error, at, "it ends within a record's header");
    memcpy(r, file + at, sizeof *r);
    if (r->magic != WPP_TRACE_MAGIC)
        return damaged(error, at, "no record begins here");
    if (r->check != (uint32_t)wpp_fnv(WPP_FNV_START, r, offsetof(struct wpp_record, check)))
        return damaged(error, at, "a record's header has a wrong checksum");
    if (r->version != WPP_TRACE_VERSION)
        return wpp_fail(error, WPP_E_VERSION, "the trace has format version %u, this program reads "
                        "version %u", r->version, WPP_TRACE_VERSION);
    if (end - at - sizeof *r < (((uint64_t)r->bytes + 3) & ~UINT64_C(3)))
        return damaged(error, at, "it ends within a record");
    return true;
}

static bool add_piece(struct wpp_merged_trace *t, const struct wpp_merged_piece *piece)
{
    size_t room = t->n < t->room ? t->room : 2 * t->room + 256;
    struct wpp_merged_piece *larger = t->piece;

    if (room > t->room)
        larger = realloc(t->piece, room * sizeof *larger);
    if (!larger)
        return false;
    t->piece = larger;
    t->room = room;
    t->piece[t->n++] = *piece;
    return true;
}

static int compare_pieces(const void *left, const void *right)
{
    const struct wpp_merged_piece *a = left, *b = right;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool take_records(struct wpp_merged_trace *t, const uint8_t *file, uint64_t at, uint64_t end,
                         struct wpp_error *error)
{
    struct wpp_record r;

    for (uint64_t bytes; at < end; at += bytes) {
        if (!get_record(file, at, end, &r, error))
            return false;
        bytes = sizeof r + (((uint64_t)r.bytes + 3) & ~UINT64_C(3));
        if (!add_piece(t, &(struct wpp_merged_piece){r.process, r.pid, at, bytes}))
            return wpp_fail_memory(error);
    }
    return true;
}

uint64_t wpp_merged_trace_length(const uint8_t *file, size_t size)
{
    size_t at = sizeof(struct wpp_record) + offsetof(struct wpp_merged, length);

    return size < at + 8 ? 0 : wpp_get_u64(file + at);
}

bool wpp_merged_trace_read(struct wpp_merged_trace *t, const uint8_t *file, size_t size, uint64_t length,
                           struct wpp_error *error)
{
    struct wpp_record r;
    uint64_t begin;
    bool done;

    *t = (struct wpp_merged_trace){0};
    if (!get_record(file, 0, size, &r, error))
        return false;
    begin = sizeof r + (((uint64_t)r.bytes + 3) & ~UINT64_C(3));
    if (r.bytes < offsetof(struct wpp_merged, pages))
        return damaged(error, 0, "its first record is too short");
    if (length < begin)
        return damaged(error, sizeof r, "an impossible length");
    /* What lies behind `length` is of a process that was killed before it had written that. */
    done = take_records(t, file, begin, length < size ? length : size, error);
    if (t->n > 0)
        qsort(t->piece, t->n, sizeof *t->piece, compare_pieces);
    return done && (length <= size ||
                    wpp_fail(error, WPP_E_INCOMPLETE, "the trace is cut short at byte %llu",
                             (unsigned long long)size));
}

void wpp_merged_trace_free(struct wpp_merged_trace *t)
{
    free(t->piece);
    *t = (struct wpp_merged_trace){0};
}
