/* SPDX-License-Identifier: MIT */
/* hotpaths-queries-memory.c - each allocation of what is said of given strings fails once:
 * the answer is HOT_E_MEMORY, and (under the sanitizers) nothing leaks or is freed twice.
 *
 * The library has no allocator to pass, so it is compiled into this test with the
 * allocation functions replaced. */
#include "test/unit/failing-allocations.h"     /* from here on */
#include "test/unit/tap.h"

#include "hotpaths/automata/grammar-automaton.c"
#include "hotpaths/automata/string-automaton.c"
#include "hotpaths/strings/loop-turns.c"
#include "hotpaths/strings/overlaps.c"
#include "hotpaths/strings/rotations.c"
#include "hotpaths/strings/string-queries.c"

/* (a b)^8 c (a b)^4 a: rules 0 -> a b, 1 -> 0 0, 2 -> 1 1; start -> 2 2 c 2 a. */
#define R(n) (WPP_RULE | (n))
static const uint32_t symbols[] = { 0, 1, R(0), R(0), R(1), R(1), R(2), R(2), 2, R(2), 0 };
static const uint64_t body[] = { 0, 2, 4, 6, 11 }, length[] = { 2, 4, 8, 26 };
static const struct wpp_grammar grammar = { .n_terminals = 3, .n_rules = 3, .n_threads = 1,
                                            .body = body, .symbols = symbols, .length = length };
static const struct hot_string strings[] = {
    { (const uint32_t[]){ 0, 1 }, 2 }, { (const uint32_t[]){ 1 }, 1 },
};

static int count_turns(void)
{
    struct hot_turns got[2];
    int status = hot_count_turns(&grammar, HOT_ALL_THREADS, strings, 2, got);

    return status != HOT_OK || (got[0].rows == 2 && got[0].least == 4 && got[0].most == 8 &&
                                got[1].rows == 12) ? status : HOT_E_ARGUMENT;
}

static int ask_places(void)
{
    uint64_t got[2];
    int status = hot_places(&grammar, strings, 2, got);

    return status != HOT_OK || (got[0] == 12 && got[1] == 12) ? status : HOT_E_ARGUMENT;
}

static int ask_cover(void)
{
    static const uint64_t cost[] = { 1, 2, 4 };
    uint64_t got;
    int status = hot_cover(&grammar, cost, HOT_ALL_THREADS, strings, 1, &got);

    return status != HOT_OK || got == 36 ? status : HOT_E_ARGUMENT;
}

static int ask_pieces(void)
{
    const struct hot_string alone[] = { { (const uint32_t[]){ 0, 1, 0, 1 }, 4 },
                                               { (const uint32_t[]){ 1, 0, 1 }, 3 } };
    static const uint64_t cost[] = { 1, 2, 4 }, frequency[] = { 10, 10 };
    struct hot_pieces got[2];
    int status = hot_count_pieces(&grammar, cost, HOT_ALL_THREADS, alone, frequency, 2, got);

    return status != HOT_OK || (got[0].pieces == 2 && got[0].cost == 36 && got[1].pieces == 2 &&
                                got[1].cost == 34) ? status : HOT_E_ARGUMENT;
}

static int ask_before(void)
{
    static const bool is_a[] = { true, false, false }, is_b[] = { false, false, true };
    struct hot_order got;
    int status = hot_before(&grammar, HOT_ALL_THREADS, is_a, is_b, &got);

    return status != HOT_OK || (got.a == 13 && got.b_after_a == 1) ? status : HOT_E_ARGUMENT;
}

static int extend(void)
{
    uint32_t *terminals[] = { malloc(sizeof(uint32_t)) }, n = 1;
    uint64_t frequency = 12;
    int status;

    if (!terminals[0])
        return HOT_E_MEMORY;
    terminals[0][0] = 1;
    status = hot_extend(&grammar, HOT_ALL_THREADS, terminals, &n, &frequency, 1, 9);
    free(terminals[0]);
    return status != HOT_OK || n == 2 ? status : HOT_E_ARGUMENT;
}

/* How many allocations can fail, each with the right answer; -1: a wrong one. */
static long fail_in_turn(int (*ask)(void))
{
    for (long turn = 0;; turn++) {
        int status;

        allocations_left = turn;
        status = ask();
        allocations_left = -1;
        if (status == HOT_OK)
            return turn;
        if (status != HOT_E_MEMORY)
            return -1;
    }
}

int main(void)
{
    static const struct {
        const char *name;
        int (*ask)(void);
    } questions[] = { { "turns in a row", count_turns }, { "places", ask_places },
                      { "cover", ask_cover }, { "pieces", ask_pieces }, { "what comes before", ask_before },
                      { "strings that grow", extend } };

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        long failed = fail_in_turn(questions[i].ask);

        tap_ok(failed > 1, "%s: %ld allocations fail in turn", questions[i].name, failed);
    }
    return tap_done();
}
