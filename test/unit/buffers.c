/* SPDX-License-Identifier: MIT */
/* Traces of processes that did not say that they ended: what their buffers hold
 * beyond their records, wherever they were stopped. */
#include "test/unit/tap.h"
#include "test/unit/trace-builder.h"
#include "wpp/base/error.h"
#include "wpp/compress/compress.h"
#include "wpp/read/reader.h"
#include "wpp/trace/buffers.h"

enum { TID = 77, TOKENS = 40 };

static uint32_t token(uint32_t n)
{
    return 1000 + n % 7;
}

static void put_tokens(struct wpp_bytes *b, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        wpp_put_u32(b, token(n));
}

/* A BUFFER payload with tokens FROM .. TO-1 and `zeros` words behind them. */
static struct wpp_bytes make_buffer(uint32_t tid, uint32_t from, uint32_t to, uint32_t skip,
                                    uint32_t zeros, uint64_t length)
{
    struct wpp_buffer head = {.first = from, .length = length, .tid = tid};
    static const uint8_t nothing[WPP_PAGE_BYTES];
    struct wpp_bytes payload = {0};

    wpp_put_u32(&payload, skip);
    wpp_put(&payload, nothing, skip);
    wpp_put(&payload, &head, sizeof head);
    wpp_put(&payload, nothing, WPP_PAGE_BYTES - sizeof head);
    wpp_put(&payload, "the header of a record, or of none..............................",
            WPP_HEADER_BYTES);
    put_tokens(&payload, from, to);
    wpp_put(&payload, nothing, 4 * zeros);
    return payload;
}

static void put_buffer(struct wpp_bytes *trace, struct wpp_bytes payload)
{
    tb_record(trace, WPP_REC_BUFFER, TID, 0, payload.data, payload.size);
    wpp_bytes_free(&payload);
}

/* A process with one thread that has handed over its first `n` tokens, in two records. */
static void put_thread(struct wpp_bytes *trace, uint32_t n)
{
    uint32_t tokens[TOKENS], half = n / 2;

    for (uint32_t i = 0; i < n; i++)
        tokens[i] = token(i);
    tb_process(trace);
    tb_record(trace, WPP_REC_THREAD, TID, 0, "thread", 6);
    tb_tokens(trace, TID, 1, 0, tokens, half);
    tb_tokens(trace, TID, 2, half, tokens + half, n - half);
}

/* How many tokens the trace's WPP has, all of them right, or -1; and whether it
 * is complete. */
static int read_back(const struct wpp_bytes *trace, bool *complete)
{
    struct wpp_error error, note = {.status = WPP_OK};
    struct wpp_bytes file = {0};
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_TRACE, &error);
    struct wpp_cursor *cursor;
    uint32_t n = 0, t;
    bool right = true;
    wpp *w;

    if (!wpp_compress_push(c, trace->data, trace->size, &error) ||
        !wpp_compress_finish(c, &file, &note, &error))
        abort();
    wpp_compress_free(c);
    w = wpp_open_memory(file.data, file.size, "test", &error);
    cursor = wpp_cursor_new(w, 0, 0);
    while (wpp_cursor_read(cursor, &t, 1) == 1)
        right &= wpp_terminal(w, t)->token == token(n++);
    wpp_cursor_free(cursor);
    *complete = note.status == WPP_OK;
    wpp_close(w);
    wpp_bytes_free(&file);
    return right ? (int)n : -1;
}

/* The process may have stopped before, within or after handing over what its
 * buffer holds, and within or after clearing it. */
static void test_everywhere(void)
{
    bool right = true;

    for (uint32_t handed = 0; handed <= TOKENS; handed++) {
        for (uint32_t first = 0; first <= TOKENS; first += 8) {
            for (uint32_t end = first; end <= TOKENS; end += 4) {
                struct wpp_bytes trace = {0};
                bool complete, gap = handed < first;
                uint32_t want = gap || end < handed ? handed : end;

                put_thread(&trace, handed);
                put_buffer(&trace, make_buffer(TID, first, end, end % 5, first, 0));
                right &= read_back(&trace, &complete) == (int)want;
                right &= complete == !gap;
                wpp_bytes_free(&trace);
            }
        }
    }
    tap_ok(right, "a buffer adds what is missing, and no more");
}

static void test_complete(void)
{
    struct wpp_bytes trace = {0};
    bool complete;

    put_thread(&trace, 10);
    put_buffer(&trace, make_buffer(TID, 0, 20, 0, 3, 0));
    tap_ok(read_back(&trace, &complete) == 20 && complete, "no END, but a buffer");
    trace.size -= 1;
    tap_ok(read_back(&trace, &complete) == 10 && !complete, "a buffer that is cut is none");
    trace.size = 0;
    put_thread(&trace, 10);
    tap_ok(read_back(&trace, &complete) == 10 && !complete, "neither END nor buffer");
    put_buffer(&trace, make_buffer(TID, 0, 20, 0, 3, 0));
    tb_record(&trace, WPP_REC_BUFFER, TID, 0, "", 0);
    tap_ok(read_back(&trace, &complete) == 20 && !complete, "a thread without a buffer");
    trace.size = 0;
    put_thread(&trace, 10);
    put_buffer(&trace, make_buffer(0, 0, 20, 0, 3, 0));
    tap_ok(read_back(&trace, &complete) == 10 && complete, "nobody's buffer");
    trace.size = 0;
    put_thread(&trace, 10);
    put_buffer(&trace, make_buffer(TID, 0, 20, 0, 3, 1000000));
    tap_ok(read_back(&trace, &complete) == 20 && !complete, "a trace that was longer");
    trace.size = 0;
    put_thread(&trace, 10);
    put_buffer(&trace, make_buffer(TID, 0, 20, 0, 3, 0));
    tb_end(&trace, 1, 10, 0);
    tap_ok(read_back(&trace, &complete) == 10 && complete, "END: what a buffer holds is old");
    wpp_bytes_free(&trace);
}

/* Killed within a write: the record is cut, at any byte, and the buffer has it all. */
static void test_cut_record(void)
{
    bool right = true;

    for (size_t cut = 1; cut < WPP_HEADER_BYTES + 4 * 5; cut++) {
        struct wpp_bytes trace = {0};
        bool complete;

        tb_process(&trace);
        tb_record(&trace, WPP_REC_THREAD, TID, 0, "thread", 6);
        put_buffer(&trace, make_buffer(TID, 0, 20, 0, 3, 0));
        tb_tokens(&trace, TID, 1, 0, (uint32_t[]){1000, 1001, 1002, 1003, 1004}, 5);
        trace.size -= cut;
        right &= read_back(&trace, &complete) == 20 && complete;
        wpp_bytes_free(&trace);
    }
    tap_ok(right, "a record cut anywhere is filled up from the buffer");
}

/* Any size of payload: refused, or no byte beyond it is read. */
static void test_short_payloads(void)
{
    struct wpp_bytes whole = make_buffer(TID, 0, 20, 3, 0, 0);
    bool right = true;

    for (size_t n = 1; n <= whole.size; n++) {
        struct wpp_buffers b = {0};
        uint8_t *exact = memcpy(malloc(n), whole.data, n);
        bool enough = n >= 4 + 3 + WPP_PAGE_BYTES + WPP_HEADER_BYTES;

        right &= wpp_buffers_add(&b, exact, n) == (enough ? WPP_BUFFERS_OK : WPP_BUFFERS_WRONG);
        if (enough)
            right &= b.n == 1 && b.list[0].n == (n - 4 - 3 - WPP_PAGE_BYTES - WPP_HEADER_BYTES) / 4;
        free(exact);
        wpp_buffers_free(&b);
    }
    memset(whole.data, 0xff, 4);
    right &= wpp_buffers_add(&(struct wpp_buffers){0}, whole.data, whole.size) == WPP_BUFFERS_WRONG;
    tap_ok(right, "payloads of any size");
    wpp_bytes_free(&whole);
}

int main(void)
{
    test_everywhere();
    test_complete();
    test_cut_record();
    test_short_payloads();
    return tap_done();
}
