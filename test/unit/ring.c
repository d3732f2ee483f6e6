/* SPDX-License-Identifier: MIT */
/* Random traces through a ring: what comes back is a trace, and of each thread
 * its last tokens. */
#include "test/unit/tap.h"
#include "test/unit/trace-builder.h"
#include "wpp/compress/compress.h"
#include "wpp/read/reader.h"
#include "wpp/trace/ring.h"

enum { THREADS = 3, MOST = 4000, RECORD = 50 };

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16) % n;
}

/* What was recorded: the tokens of each thread, and the lost ones among them as 0. */
struct recorded {
    struct wpp_bytes trace;
    uint32_t word[THREADS][MOST];
    uint32_t n[THREADS], sequence[THREADS];
    uint64_t tokens, lost;
};

static void record_tokens(struct recorded *r, uint32_t k, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        r->word[k][r->n[k] + i] = 1 + random_below(9);
    tb_tokens(&r->trace, 10 + k, r->sequence[k]++, r->n[k], r->word[k] + r->n[k], n);
    r->n[k] += n;
    r->tokens += n;
}

static void record_lost(struct recorded *r, uint32_t k, uint64_t n)
{
    struct wpp_record h = tb_header(WPP_REC_LOST, 10 + k, r->sequence[k]++, sizeof n);

    h.first = r->n[k];
    tb_put(&r->trace, h, &n);
    r->n[k] += (uint32_t)n;
    r->lost += n;
}

static void record_all(struct recorded *r, bool with_losses)
{
    memset(r, 0, sizeof *r);
    tb_process(&r->trace);
    for (uint32_t k = 0; k < THREADS; k++)
        tb_record(&r->trace, WPP_REC_THREAD, 10 + k, r->sequence[k]++, "thread", 6);
    for (int i = 0; i < 60; i++) {
        uint32_t k = random_below(THREADS);

        if (with_losses && random_below(10) == 0)
            record_lost(r, k, random_below(20));
        else
            record_tokens(r, k, 1 + random_below(RECORD));
    }
    tb_end(&r->trace, 1, r->tokens, r->lost);
}

static bool append(void *ctx, const void *bytes, size_t n)
{
    wpp_put(ctx, bytes, n);
    return true;
}

static struct wpp_bytes through_ring(const struct recorded *r, uint64_t limit)
{
    struct wpp_ring *ring = wpp_ring_new(limit);
    struct wpp_bytes out = {0};

    if (!wpp_ring_push(ring, r->trace.data, r->trace.size) ||
        wpp_ring_tokens(ring) != r->tokens || !wpp_ring_flush(ring, append, &out))
        abort();
    wpp_ring_free(ring);
    return out;
}

/* Whether a thread's events are the last ones of those recorded; how many in *n. */
static bool is_suffix(const wpp *w, uint32_t k, const struct recorded *r, uint64_t *n)
{
    struct wpp_cursor *c = wpp_cursor_new(w, k, 0);
    uint32_t at = r->n[k], t;
    bool same = true;

    *n = wpp_thread(w, k)->tokens;
    for (uint64_t left = *n; left > 0 && at > 0; at--)
        left -= r->word[k][at - 1] != 0;
    for (; at < r->n[k]; at++)
        if (r->word[k][at])
            same &= wpp_cursor_read(c, &t, 1) == 1 && wpp_terminal(w, t)->token == r->word[k][at];
    wpp_cursor_free(c);
    return same;
}

static uint64_t tokens_of(const struct recorded *r, uint32_t k)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < r->n[k]; i++)
        n += r->word[k][i] != 0;
    return n;
}

/* Each thread has as much as is asked for, and less than a record more; what is missing is
 * counted. */
static bool check(const struct recorded *r, const struct wpp_bytes *trace, uint64_t limit)
{
    struct wpp_error error, note;
    struct wpp_bytes file = {0};
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_TRACE, &error);
    struct wpp_summary s;
    uint64_t kept = 0, n;
    bool right = true;
    wpp *w;

    if (!wpp_compress_push(c, trace->data, trace->size, &error) ||
        !wpp_compress_finish(c, &file, &note, &error))
        abort();
    wpp_compress_free(c);
    w = wpp_open_memory(file.data, file.size, "test", &error);
    for (uint32_t k = 0; k < THREADS; k++) {
        right &= is_suffix(w, k, r, &n);
        right &= 4 * n >= limit || n == tokens_of(r, k);
        right &= 4 * n < limit + 4 * RECORD;
        kept += n;
    }
    wpp_get_summary(w, &s);
    right &= s.lost == r->lost + r->tokens - kept;
    right &= note.status == (s.lost ? WPP_E_INCOMPLETE : WPP_OK);
    wpp_close(w);
    wpp_bytes_free(&file);
    return right;
}

static void test_rings(bool with_losses, const char *name)
{
    bool right = true, same = true;

    for (int i = 0; i < 60; i++) {
        struct recorded r;
        struct wpp_bytes out;

        record_all(&r, with_losses);
        for (uint64_t limit = 4; limit <= 8192; limit *= 2) {
            out = through_ring(&r, limit);
            right &= check(&r, &out, limit);
            wpp_bytes_free(&out);
        }
        out = through_ring(&r, 1 << 20);
        same &= out.size == r.trace.size && memcmp(out.data, r.trace.data, out.size) == 0;
        wpp_bytes_free(&out);
        wpp_bytes_free(&r.trace);
    }
    tap_ok(right, "%s: the last tokens of each thread, and how many are not there", name);
    tap_ok(same, "%s: nothing changes where nothing is dropped", name);
}

static void test_wrong(void)
{
    struct wpp_ring *ring = wpp_ring_new(100);
    struct recorded r;

    record_all(&r, false);
    tap_ok(!wpp_ring_push(ring, r.trace.data, 63) &&
           !wpp_ring_push(ring, r.trace.data, r.trace.size - 1) &&
           !wpp_ring_push(ring, (const char *)r.trace.data + 4, 200), "pieces of records are refused");
    wpp_ring_free(ring);
    wpp_bytes_free(&r.trace);
}

int main(void)
{
    test_rings(false, "whole traces");
    test_rings(true, "traces with losses");
    test_wrong();
    return tap_done();
}
