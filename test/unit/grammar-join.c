/* SPDX-License-Identifier: MIT */
/* grammar-join.c - segments as one grammar, and what is no sequence of segments. */
#include "test/unit/tap.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/grammar-join.h"

#include <stdlib.h>
#include <string.h>

/* Two threads, S0 -> R a R, S1 -> (first: nothing, second: b), R -> a b. */
static const uint32_t symbols[] = {0, 1, WPP_RULE, 0, WPP_RULE, 1};

static void put_segment(struct wpp_bytes *out, uint32_t n_threads, const uint32_t terminals[2])
{
    uint64_t body[] = {0, 2, 5, n_threads == 2 ? 6 : 5}, length[] = {2, 5, 1};
    struct wpp_grammar g = {2, 1, n_threads, body, symbols, length};
    struct wpp_bytes b = {0};

    wpp_put_varint(&b, 2);
    wpp_put_varint(&b, terminals[0]);
    wpp_put_varint(&b, terminals[1]);
    wpp_grammar_encode(&g, &b);
    wpp_put_varint(out, b.size);
    wpp_put(out, b.data, b.size);
    wpp_bytes_free(&b);
}

static struct wpp_bytes two_segments(uint32_t last_terminal)
{
    struct wpp_bytes b = {0};

    put_segment(&b, 1, (const uint32_t[]){0, 1});
    put_segment(&b, 2, (const uint32_t[]){last_terminal, 0});
    return b;
}

static void test_joined(void)
{
    static const uint32_t want[] = {0, 1, 2, 0, WPP_RULE, 0, WPP_RULE, WPP_RULE | 1, 2,
                                    WPP_RULE | 1, 0};
    struct wpp_bytes b = two_segments(2);
    struct wpp_grammar g;
    uint32_t n;

    tap_ok(wpp_grammar_join(wpp_view(b.data, b.size), 3, 2, &g, &n, NULL) && n == 2,
           "two segments are read");
    tap_ok(g.n_terminals == 3 && g.n_rules == 2 && g.n_threads == 2 && g.body[4] == 11,
           "rules, threads and terminals are theirs together");
    tap_ok(memcmp(g.symbols, want, sizeof want) == 0, "the bodies are theirs one after the other");
    tap_ok(g.length[0] == 2 && g.length[1] == 2 && g.length[2] == 10 && g.length[3] == 1,
           "a thread is as long as in all segments");
    wpp_grammar_release(&g);
    tap_ok(wpp_grammar_join(wpp_view(b.data, 0), 0, 2, &g, &n, NULL) && n == 0
           && g.n_rules == 0 && g.length[0] == 0, "no segment makes threads without events");
    wpp_grammar_release(&g);
    wpp_bytes_free(&b);
}

static void test_wrong(const char *what, uint32_t last_terminal, uint32_t n_terminals,
                       uint32_t n_threads)
{
    struct wpp_bytes b = two_segments(last_terminal);
    struct wpp_error error = {.status = WPP_OK};
    struct wpp_grammar g;
    uint32_t n;

    /* Whatever is in g before is nobody's. */
    memset(&g, 0x5a, sizeof g);
    tap_ok(!wpp_grammar_join(wpp_view(b.data, b.size), n_terminals, n_threads, &g, &n, &error)
           && error.status == WPP_E_DAMAGED, "%s: %s", what, error.text);
    wpp_bytes_free(&b);
}

static void test_cut(void)
{
    struct wpp_bytes b = two_segments(2);
    struct wpp_grammar g;
    struct wpp_error error;
    unsigned refused = 0;
    uint32_t n;

    for (size_t size = 1; size < b.size; size++) {
        uint8_t *copy = malloc(size);     /* nothing behind it may be read */
        memcpy(copy, b.data, size);
        refused += !wpp_grammar_join(wpp_view(copy, size), 3, 2, &g, &n, &error)
                && error.status == WPP_E_DAMAGED;
        free(copy);
    }
    tap_ok(refused == b.size - 1, "cut anywhere, it is refused");
    wpp_bytes_free(&b);
}

/* Two segments, the first of which is lost and was of so many bytes: the other one has the
 * terminals `one` and the next. */
static bool joins_behind(uint64_t lost, uint32_t one, uint32_t *n_terminals)
{
    static const uint64_t events[] = {5};
    struct wpp_bytes b = {0};
    struct wpp_error error = {.status = WPP_OK};
    struct wpp_grammar g;
    bool joined;

    put_segment(&b, 1, (const uint32_t[]){one, one + 1});
    joined = wpp_grammar_join_pieces((const struct wpp_segment_piece[]){
        {.size = lost, .n_threads = 1, .events = events},
        {.code = wpp_view(b.data, b.size), .size = b.size, .n_threads = 1, .events = events},
    }, 2, WPP_ANY, WPP_ANY, WPP_ANY, &g, &error);
    if (!joined && (error.status != WPP_E_DAMAGED || error.text[0] == '\0'))
        abort();
    *n_terminals = g.n_terminals;
    wpp_grammar_release(&g);
    wpp_bytes_free(&b);
    return joined;
}

/* Without the section of terminals, their numbers alone say how many there are. */
static void test_lost(void)
{
    uint32_t n;

    tap_ok(joins_behind(20, 20, &n) && n == 23, "a lost segment may have named one terminal a byte");
    tap_ok(joins_behind(20, 3, &n) && n == 6, "or fewer");
    tap_ok(!joins_behind(20, 21, &n), "not more");
    tap_ok(!joins_behind(0, UINT32_C(1) << 29, &n), "whatever the numbers are");
    tap_ok(joins_behind(UINT64_MAX, (WPP_RULE / 2) - 2, &n) && n == WPP_RULE / 2 + 1
           && !joins_behind(UINT64_MAX, WPP_RULE / 2, &n), "and not more than there can be");
}

int main(void)
{
    test_joined();
    test_wrong("a terminal is skipped", 3, 4, 2);
    test_wrong("one terminal too many", 2, 2, 2);
    test_wrong("a terminal is in no segment", 2, 4, 2);
    test_wrong("one thread too many", 2, 3, 1);
    test_cut();
    test_lost();
    return tap_done();
}
