/* SPDX-License-Identifier: MIT */
#include "wpp/record/regions.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/record/put-record.h"

/* A piece of a region's pages, in whole pages; what of it is not 0 becomes a record. */
enum { PIECE_BYTES = 8 * WPP_PAGE_BYTES };
struct piece {
    size_t at, n;                /* its place behind the region's first page; bytes */
    _Alignas(8) uint8_t bytes[PIECE_BYTES];
};

struct taking {
    const struct wpp_regions *regions;
    struct wpp_region head;
    uint64_t from;               /* of its pages, in the memory */
    bool any;                    /* it had a record */
    struct piece piece;
    struct wpp_bytes record;
    void (*take)(void *ctx, const void *record, size_t n);
    void *ctx;
};

uint64_t wpp_regions_fit(void)
{
    const uint64_t all = WPP_SHARE_REGION_AT(WPP_SHARE_PAGES);
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= all)
        return all;
    return limit.rlim_cur < WPP_SHARE_BYTES ? WPP_SHARE_BYTES
                                            : limit.rlim_cur & -(uint64_t)WPP_PAGE_BYTES;
}

/* ---- Regions ------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t n, uint64_t from)
{
    uint8_t *at = to;
    ssize_t got = 1;

    while (n > 0 && (got > 0 || (got < 0 && errno == EINTR))) {
        got = pread(fd, at, n, (off_t)from);
        if (got > 0) {
            at += got;
            n -= (size_t)got;
            from += (uint64_t)got;
        }
    }
    return n == 0;
}

/* A counter or a slot is a unit here. */
static size_t unit_bytes(const struct wpp_region *head)
{
    return head->kind == WPP_REC_LEFT ? sizeof(struct wpp_left) : sizeof(uint64_t);
}

/* Reads the head of the region whose first page is `last` - 1.  A program may have written anything
 * there: the pages of a process ascend, and its records are not longer than others. */
static bool read_head(const struct wpp_regions *r, uint32_t last, struct wpp_region *head)
{
    enum { MOST_PAGES = 255 };

    return last <= r->pages
           && read_all(r->fd, head, sizeof *head, WPP_SHARE_REGION_AT(last - 1))
           && head->before < last && head->pages <= MOST_PAGES && head->pages <= r->pages - last
           && head->counts.at < WPP_PAGE_BYTES
           && (head->kind == WPP_REC_COUNTS || head->kind == WPP_REC_LEFT)
           && head->counts.at % unit_bytes(head) == 0;
}

/* ---- Records ----------------------------------------------------------------------------- */

/* A unit that lies in the piece. */
static const uint8_t *unit_at(const struct taking *t, uint32_t i)
{
    return t->piece.bytes + (t->head.counts.at + i * unit_bytes(&t->head) - t->piece.at);
}

static bool is_zero(const struct taking *t, uint32_t i)
{
    const uint8_t *at = unit_at(t, i);

    return wpp_get_u64(at) == 0
           && (t->head.kind != WPP_REC_LEFT || wpp_get_u64(at + sizeof(uint64_t)) == 0);
}

/* Hands on units, of which the first has this number. */
static void put_units(struct taking *t, uint32_t first, uint32_t n, const uint8_t *units)
{
    const struct wpp_region *head = &t->head;
    uint32_t token = head->kind == WPP_REC_LEFT ? 0 : head->counts.token + first;
    struct wpp_counts counts = {token, n, 0, head->counts.tid};
    size_t bytes = n * unit_bytes(head);

    t->any = true;
    t->record.size = 0;
    wpp_put_record(&t->record, head->time, (uint16_t)head->kind, head->pid, head->tid,
                   4 + sizeof counts + bytes);
    wpp_put_u32(&t->record, 0);
    wpp_put(&t->record, &counts, sizeof counts);
    wpp_put(&t->record, units, bytes);
    if (!t->record.failed)
        t->take(t->ctx, t->record.data, t->record.size);
}

static void take_piece(struct taking *t)
{
    const struct wpp_counts *counts = &t->head.counts;
    size_t begin = t->piece.at > counts->at ? t->piece.at - counts->at : 0;
    uint32_t first = (uint32_t)(begin / unit_bytes(&t->head));
    uint32_t end = (uint32_t)((t->piece.at + t->piece.n - counts->at) / unit_bytes(&t->head));

    if (end > counts->count)
        end = counts->count;
    while (first < end && is_zero(t, first))
        first++;
    while (first < end && is_zero(t, end - 1))
        end--;
    if (first < end)
        put_units(t, first, end - first, unit_at(t, first));
}

/* The kernel leaves out pages that nobody touched.  A region without counts has a record without
 * counters: then a reader knows that nothing is missing. */
static bool take_region(struct taking *t)
{
    int fd = t->regions->fd;
    uint64_t end = t->from + t->head.pages * (uint64_t)WPP_PAGE_BYTES;
    off_t found;

    t->any = false;
    for (uint64_t at = t->from; at < end; at += t->piece.n) {
        found = lseek(fd, (off_t)at, SEEK_DATA);
        if (found < 0 && errno == ENXIO)
            break;
        if (found > (off_t)at)
            at = (uint64_t)found & -(uint64_t)WPP_PAGE_BYTES;
        if (at >= end)
            break;
        t->piece.at = at - t->from;
        t->piece.n = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;
        if (!read_all(fd, t->piece.bytes, t->piece.n, at))
            return false;
        take_piece(t);
    }
    if (!t->any)
        put_units(t, 0, 0, t->piece.bytes);
    return !t->record.failed;
}

bool wpp_regions_take(const struct wpp_regions *r, uint32_t last,
                      void (*take)(void *ctx, const void *record, size_t n), void *ctx)
{
    struct taking t = {.regions = r, .take = take, .ctx = ctx};
    bool done = true;

    for (; done && last > 0; last = t.head.before) {
        t.from = WPP_SHARE_REGION_AT(last);
        done = read_head(r, last, &t.head) && take_region(&t);
    }
    wpp_bytes_free(&t.record);
    return done;
}

void wpp_regions_drop(const struct wpp_regions *r, uint32_t last)
{
    struct wpp_region head;

    for (; last > 0 && read_head(r, last, &head); last = head.before)
        fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)WPP_SHARE_REGION_AT(last - 1),
                  (off_t)(1 + head.pages) * WPP_PAGE_BYTES);
}
