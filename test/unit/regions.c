/* SPDX-License-Identifier: MIT */
/* Regions of counters: what was counted comes as records, zeros and untouched pages do not; whatever a
 * program wrote into their heads, nothing is read elsewhere. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/unit/tap.h"
#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/record/regions.h"

enum { PAGES = 600 };
static struct wpp_regions r = {.pages = PAGES};
static uint64_t counted[20000];          /* by token */
static uint64_t left_sum;
static unsigned records, broken;

static void take(void *ctx, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    struct wpp_record h;
    struct wpp_counts counts;

    (void)ctx;
    memcpy(&h, at, sizeof h);
    memcpy(&counts, at + sizeof h + 4, sizeof counts);
    records++;
    at += sizeof h + 4 + sizeof counts;
    if (h.check != (uint32_t)wpp_fnv(WPP_FNV_START, &h, offsetof(struct wpp_record, check)) ||
        n != sizeof h + h.bytes || counts.at != 0 || h.pid != 7) {
        broken++;
        return;
    }
    for (uint32_t i = 0; i < counts.count; i++) {
        if (h.kind == WPP_REC_LEFT)
            left_sum += wpp_get_u64(at + 16 * i + 8);
        else if (counts.token + i < 20000)
            counted[counts.token + i] += wpp_get_u64(at + 8 * i);
    }
}

static void put(uint32_t page, size_t at, const void *bytes, size_t n)
{
    if (pwrite(r.fd, bytes, n, (off_t)(WPP_SHARE_REGION_AT(page) + at)) != (ssize_t)n)
        exit(1);
}

static void put_head(uint32_t page, uint32_t before, uint32_t pages, uint32_t kind, uint32_t token,
                     uint32_t count, uint32_t at)
{
    struct wpp_region head = {.before = before, .pages = pages, .pid = 7, .kind = kind,
                              .counts = {token, count, at, 0}};

    put(page, 0, &head, sizeof head);
}

static bool taken(uint32_t last)
{
    memset(counted, 0, sizeof counted);
    left_sum = records = broken = 0;
    return wpp_regions_take(&r, last, take, NULL);
}

/* A region of counters that begin behind 24 bytes, one of slots, one without counts. */
static void put_three(void)
{
    uint64_t one = 1, two = 2;
    struct wpp_left slot = {5, 6, 70};

    put_head(0, 0, 9, WPP_REC_COUNTS, 100, 4000, 24);
    put(1, 0, &two, 8);                              /* before the first counter */
    put(1, 24, &one, 8);
    put(1, 24 + 8 * 3999, &two, 8);                  /* the last one */
    put(1, 24 + 8 * 4000, &two, 8);                  /* behind it */
    put_head(10, 1, 8, WPP_REC_LEFT, 0, 2048, 0);
    put(11, 5 * 4096, &slot, sizeof slot);
    put_head(19, 11, 1, WPP_REC_COUNTS, 9000, 10, 0);
}

/* Heads that a program may have written. */
static bool refuses_heads(void)
{
    static const struct { uint32_t page, before, pages, kind, count, at; } heads[] = {
        {20, 21, 1, WPP_REC_COUNTS, 10, 0},          /* a circle */
        {20, 600, 1, WPP_REC_COUNTS, 10, 0},
        {20, UINT32_MAX, 1, WPP_REC_COUNTS, 10, 0},
        {20, 0, 256, WPP_REC_COUNTS, 10, 0},
        {599, 0, 1, WPP_REC_COUNTS, 10, 0},          /* beyond the end */
        {20, 0, 1, WPP_REC_TOKENS, 10, 0},
        {20, 0, 1, WPP_REC_COUNTS, 10, 4096},
        {20, 0, 1, WPP_REC_COUNTS, 10, 7},
        {20, 0, 1, WPP_REC_LEFT, 10, 8},
    };
    bool right = true;

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        put_head(heads[i].page, heads[i].before, heads[i].pages, heads[i].kind, 1, heads[i].count,
                 heads[i].at);
        right &= !taken(heads[i].page + 1) && records == 0;
        wpp_regions_drop(&r, heads[i].page + 1);
    }
    return right && !taken(601) && !taken(UINT32_MAX);
}

int main(void)
{
    uint64_t word = 3;

    r.fd = memfd_create("regions", MFD_CLOEXEC);
    if (r.fd < 0 || ftruncate(r.fd, (off_t)WPP_SHARE_REGION_AT(PAGES)) != 0) {
        tap_skip("no memory can be shared here");
        return tap_done();
    }
    tap_ok(taken(0) && records == 0, "a process without regions");
    put_three();
    tap_ok(taken(20) && broken == 0, "three regions are read");
    tap_ok(records == 3, "each has a record, also the one without counts: %u", records);
    tap_ok(counted[100] == 1 && counted[4099] == 2, "counters");
    tap_ok(counted[4100] == 0 && counted[99] == 0, "what stands before and behind them is none");
    tap_ok(left_sum == 70, "slots");
    put_head(0, 0, 9, WPP_REC_COUNTS, 100, UINT32_MAX, 24);
    tap_ok(taken(20) && broken == 0, "more counters than pages: as many as there are");
    wpp_regions_drop(&r, 20);
    tap_ok(lseek(r.fd, (off_t)WPP_SHARE_REGION_AT(0), SEEK_DATA) < 0, "what was dropped takes no memory");
    tap_ok(refuses_heads(), "wrong heads");
    put_head(20, 0, 1, WPP_REC_COUNTS, 1, 0, 4088);
    put(21, 4088, &word, 8);
    tap_ok(taken(21) && broken == 0 && counted[1] == 0, "no counters at all");
    return tap_done();
}
