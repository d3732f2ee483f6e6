/* SPDX-License-Identifier: MIT */
#include "wpp/format/segments.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "wpp/base/bytes.h"
#include "wpp/base/error.h"
#include "wpp/base/nameless-file.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/renumber.h"

#define NO_NUMBER UINT32_MAX

/* ---- The file without a name --------------------------------------------------------- */

static off_t end_in_file(const struct wpp_segments *s)
{
    assert(s->rest.size <= s->bytes);
    return (off_t)(s->bytes - s->rest.size);
}

/* Beyond the size of a file, fallocate() ignores the limit on file sizes (ulimit -f). */
static int reserve(int fd, off_t from, off_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && (rlim_t)(from + bytes) > limit.rlim_cur)
        return EFBIG;
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, from, bytes) == 0 ? 0 : errno;
}

/* Reserves room for segments as large as the last one and for the rest of the WPP.  Where free room
 * cannot be known, a full disk is noticed only at a write. */
static void keep_room(struct wpp_segments *s, uint64_t segment)
{
    const off_t tables = 1 << 20;
    int error = reserve(s->fd, end_in_file(s),
                        (off_t)(segment * (1 + (uint64_t)s->ahead)) + tables);

    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        s->full = error;
}

void wpp_segments_give_room(const struct wpp_segments *s)
{
    while (ftruncate(s->fd, end_in_file(s)) != 0 && errno == EINTR)
        ;
}

bool wpp_segments_open(struct wpp_segments *s, const char *folder, struct wpp_error *error)
{
    *s = (struct wpp_segments){.fd = wpp_nameless_file(folder), .check = WPP_FNV_START};
    if (s->fd < 0)
        return wpp_fail_errno(error, "cannot create a file in %s", folder);
    keep_room(s, 0);
    return true;
}

void wpp_segments_close(struct wpp_segments *s)
{
    if (s->fd >= 0)
        close(s->fd);
    wpp_bytes_free(&s->rest);
    wpp_bytes_free(&s->list);
    free(s->number);
    free(s->order);
    *s = (struct wpp_segments){.fd = -1};
}

/* Writes at our own offset, behind the last segment: a fork of ours that outlives us continues from
 * its own.  False: the disk has no room. */
static bool write_to_file(struct wpp_segments *s, const struct wpp_bytes *bytes)
{
    return wpp_pwrite_all(s->fd, bytes->data, bytes->size, end_in_file(s));
}

static bool put_away(struct wpp_segments *s, const struct wpp_bytes *bytes,
                     struct wpp_error *error)
{
    if (s->rest.size > 0 || !write_to_file(s, bytes)) {
        if (!s->full)
            s->full = errno;
        wpp_put(&s->rest, bytes->data, bytes->size);
        if (s->rest.failed)
            return wpp_fail_memory(error);
    }
    s->bytes += bytes->size;
    s->check = wpp_fnv(s->check, bytes->data, bytes->size);
    return true;
}

/* ---- Copying --------------------------------------------------------------------------- */

static bool punch(const struct wpp_segments *s, off_t up_to)
{
    return up_to > 0 && fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, up_to) == 0;
}

/* `up_to`: how much of the file has been read.  If the disk has no room for a piece, that part of
 * the file is freed. */
static bool write_piece(const struct wpp_segments *s, struct wpp_output *out, const uint8_t *piece,
                        size_t n, off_t up_to, struct wpp_error *error)
{
    bool punched = false;

    while (n > 0) {
        ssize_t written = write(wpp_output_fd(out), piece, n);

        if (written >= 0) {
            piece += written;
            n -= (size_t)written;
        } else if ((errno == ENOSPC || errno == EDQUOT) && !punched) {
            punched = true;
            if (!punch(s, up_to))
                return wpp_fail_errno(error, "cannot write the segments of the grammar");
        } else if (errno != EINTR) {
            return wpp_fail_errno(error, "cannot write the segments of the grammar");
        }
    }
    return true;
}

bool wpp_segments_copy(const struct wpp_segments *s, struct wpp_output *out,
                       struct wpp_error *error)
{
    uint8_t piece[1 << 16];

    for (off_t at = 0, end = end_in_file(s); at < end;) {
        size_t left = (size_t)(end - at);
        size_t n = left < sizeof piece ? left : sizeof piece;

        if (!wpp_pread_all(s->fd, piece, n, at))
            return wpp_fail_errno(error, "cannot read the segments of the grammar back");
        at += (off_t)n;
        if (!write_piece(s, out, piece, n, at, error))
            return false;
    }
    return write_piece(s, out, s->rest.data, s->rest.size, end_in_file(s), error);
}

/* ---- A segment ------------------------------------------------------------------------- */

static bool room_for(struct wpp_segments *s, uint32_t n)
{
    uint32_t *number, *order;

    if (n <= s->capacity)
        return true;
    number = realloc(s->number, n * sizeof *number);
    s->number = number ? number : s->number;
    order = realloc(s->order, n * sizeof *order);
    s->order = order ? order : s->order;
    if (!number || !order)
        return false;
    memset(s->number + s->capacity, 0xff, (n - s->capacity) * sizeof *number);
    s->capacity = n;
    return true;
}

/* The engine's memory is freed as soon as the export exists; only then `code` begins to grow. */
static bool encode(seq *grammar, struct seq_grammar *g, uint32_t n, bool small,
                   struct wpp_segment *out)
{
    if (seq_export(grammar, g) != SEQ_OK)
        return false;
    seq_forget(grammar);
    out->symbols = g->body[g->rules + g->starts];
    out->starts = g->starts;
    out->length = malloc((g->starts + (size_t)1) * sizeof *out->length);
    if (!out->length || !wpp_renumber(g, n, out->order, &out->n_terminals))
        return false;
    assert(out->n_terminals <= n);
    memcpy(out->length, g->length + g->rules, g->starts * sizeof *out->length);
    struct wpp_grammar all = {out->n_terminals, g->rules, g->starts, g->body, g->symbols,
                              g->length};

    return small ? wpp_grammar_encode(&all, &out->code)
                 : wpp_grammar_encode_fast(&all, &out->code);
}

bool wpp_segment_encode(seq *grammar, uint32_t n, bool small, struct wpp_segment *out)
{
    struct seq_grammar g = {0};
    bool done;

    *out = (struct wpp_segment){.order = malloc(((size_t)n + 1) * sizeof *out->order)};
    done = out->order && encode(grammar, &g, n, small, out);
    seq_grammar_free(grammar, &g);
    if (!done)
        wpp_segment_free(out);
    return done;
}

void wpp_segment_free(struct wpp_segment *segment)
{
    free(segment->order);
    free(segment->length);
    wpp_bytes_free(&segment->code);
    *segment = (struct wpp_segment){0};
}

/* Writes the file's numbers of the segment's terminals 0, 1, ...: known ones, or the next one. */
static void put_terminals(struct wpp_segments *s, struct wpp_bytes *b,
                          const struct wpp_segment *segment)
{
    wpp_put_varint(b, segment->n_terminals);
    for (uint32_t i = 0; i < segment->n_terminals; i++) {
        uint32_t terminal = segment->order[i];

        assert(terminal < s->capacity);
        if (s->number[terminal] == NO_NUMBER) {
            assert(s->n_terminals < s->capacity);
            s->order[s->n_terminals] = terminal;
            s->number[terminal] = s->n_terminals++;
        }
        wpp_put_varint(b, s->number[terminal]);
    }
}

/* Lists what a reader needs to know whether the segment is intact, and what is missing if not. */
static bool list_segment(struct wpp_segments *s, const struct wpp_bytes *head,
                         const struct wpp_bytes *terminals, const struct wpp_segment *segment)
{
    const struct wpp_bytes *code = &segment->code;
    uint64_t check = wpp_fnv(WPP_FNV_START, head->data, head->size);

    check = wpp_fnv(check, terminals->data, terminals->size);
    wpp_put_varint(&s->list, head->size + terminals->size + code->size);
    wpp_put_u64(&s->list, wpp_fnv(check, code->data, code->size));
    wpp_put_varint(&s->list, segment->starts);
    for (uint32_t k = 0; k < segment->starts; k++)
        wpp_put_varint(&s->list, segment->length[k]);
    return !s->list.failed;
}

/* Writes the size of the segment, then its bytes. */
static bool put_segment(struct wpp_segments *s, const struct wpp_segment *segment,
                        struct wpp_error *error)
{
    struct wpp_bytes head = {0}, terminals = {0};
    bool done;

    put_terminals(s, &terminals, segment);
    wpp_put_varint(&head, terminals.size + segment->code.size);
    done = terminals.failed || head.failed || !list_segment(s, &head, &terminals, segment)
               ? wpp_fail_memory(error)
               : put_away(s, &head, error) && put_away(s, &terminals, error) &&
                 put_away(s, &segment->code, error);
    if (done && !s->full)
        keep_room(s, terminals.size + segment->code.size);
    wpp_bytes_free(&head);
    wpp_bytes_free(&terminals);
    return done;
}

bool wpp_segments_add(struct wpp_segments *s, const struct wpp_segment *segment, uint32_t n,
                      struct wpp_error *error)
{
    assert(segment->n_terminals <= n && s->n_terminals <= n);
    if (!room_for(s, n))
        return wpp_fail_memory(error);
    s->symbols += segment->symbols;
    s->forms |= wpp_grammar_forms(&segment->code);
    if (!put_segment(s, segment, error))
        return false;
    s->n++;
    return true;
}
