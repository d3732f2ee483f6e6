/* SPDX-License-Identifier: MIT */
/* Records of several threads and processes against a limit: what came first is taken, also
 * when it comes late. */
#include "test/unit/tap.h"
#include "test/unit/trace-builder.h"
#include "wpp/trace/event-limit.h"

static struct wpp_event_limit limit;

static enum wpp_event_limit_result result(uint32_t process, unsigned kind, uint32_t tid,
                                          uint32_t words)
{
    struct wpp_record h = tb_header(kind, tid, 0, 4 * words);

    return wpp_event_limit_takes(&limit, process, &h);
}

static bool takes(uint32_t process, unsigned kind, uint32_t tid, uint32_t words)
{
    return result(process, kind, tid, words) == WPP_EVENT_LIMIT_TAKES;
}

/* Process 0 has threads 1 and 2, and 4 events of thread 1 have come. */
static bool begin(uint64_t most)
{
    wpp_event_limit_free(&limit);
    limit.most = most;
    return takes(0, WPP_REC_PROCESS, 1, 2) && takes(0, WPP_REC_MODULE_LOAD, 1, 2) &&
           takes(0, WPP_REC_THREAD, 1, 0) && takes(0, WPP_REC_THREAD, 2, 0) &&
           takes(0, WPP_REC_TOKENS, 1, 4);
}

int main(void)
{
    bool right = begin(0);

    for (int i = 0; i < 100; i++)
        right &= takes(0, WPP_REC_TOKENS, 1 + i % 2, 1000);
    tap_ok(right && !wpp_event_limit_is_reached(&limit), "without a limit everything is taken");

    right = begin(10) && takes(0, WPP_REC_TOKENS, 1, 5) && !wpp_event_limit_is_reached(&limit) &&
            takes(0, WPP_REC_TOKENS, 1, 3) && wpp_event_limit_is_reached(&limit);
    tap_ok(right, "the record that reaches the limit is taken whole");
    tap_ok(!takes(0, WPP_REC_TOKENS, 1, 3), "its stream's next one is not");
    tap_ok(takes(0, WPP_REC_TOKENS, 2, 7) && limit.tokens == 19,
           "of another, which lay in its chunk, it is");
    tap_ok(!takes(0, WPP_REC_TOKENS, 2, 7) && limit.tokens == 19, "but not the one behind that");
    tap_ok(!takes(0, WPP_REC_THREAD_END, 2, 0) && !takes(0, WPP_REC_END, 1, 4),
           "nor an end to what lacks something");
    tap_ok(result(0, WPP_REC_BUFFER, 1, 9) == WPP_EVENT_LIMIT_EMPTIES &&
           result(0, WPP_REC_BUFFER, 2, 9) == WPP_EVENT_LIMIT_EMPTIES,
           "nor the buffers, of which it stays that they were there");
    tap_ok(takes(0, WPP_REC_MODULE_LOAD, 1, 2), "modules are taken all the same");

    right = begin(10) && takes(0, WPP_REC_TOKENS, 1, 9);
    tap_ok(right && takes(0, WPP_REC_BUFFER, 2, 9) && takes(0, WPP_REC_BUFFER, 0, 0),
           "the buffer of one that had nothing to hand over is taken, and nobody's");

    right = begin(10) && takes(0, WPP_REC_TOKENS, 1, 9);
    tap_ok(right && !takes(0, WPP_REC_THREAD, 3, 0) && !takes(0, WPP_REC_TOKENS, 3, 1) &&
           !takes(0, WPP_REC_THREAD_END, 3, 0), "a thread that begins behind the limit is left out");
    tap_ok(!takes(0, WPP_REC_END, 1, 4), "and there is more than what was taken");

    right = begin(10) && takes(1, WPP_REC_PROCESS, 1, 2) && takes(1, WPP_REC_THREAD, 1, 0) &&
            takes(0, WPP_REC_TOKENS, 1, 9);
    tap_ok(right && takes(1, WPP_REC_TOKENS, 1, 5) && !takes(1, WPP_REC_TOKENS, 1, 5),
           "another process's thread of the same number is another");
    tap_ok(!takes(2, WPP_REC_PROCESS, 9, 2) && !takes(2, WPP_REC_MODULE_LOAD, 9, 2) &&
           !takes(2, WPP_REC_THREAD, 9, 0) && result(2, WPP_REC_BUFFER, 9, 0) == WPP_EVENT_LIMIT_LEAVES_OUT,
           "a process that begins behind the limit is left out");

    right = begin(10) && takes(0, WPP_REC_TOKENS, 1, 9);
    tap_ok(right && takes(0, WPP_REC_TOKENS, 2, 9) && takes(0, WPP_REC_THREAD_END, 2, 0) &&
           takes(0, WPP_REC_THREAD_END, 1, 0) && takes(0, WPP_REC_END, 1, 4),
           "where nothing follows, the end is taken");
    wpp_event_limit_free(&limit);
    return tap_done();
}
