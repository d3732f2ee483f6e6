/* SPDX-License-Identifier: MIT */
/* hotpaths-memory.c - each allocation of the analyses fails once: the answer is
 * HOT_E_MEMORY, and (under the sanitizers) nothing leaks or is freed twice.
 *
 * The library has no allocator to pass, so it is compiled into this test with
 * the allocation functions replaced. */
#include "test/unit/tap.h"
#include "test/unit/failing-allocations.h"     /* from here on */

#include "hotpaths/ends.c"
#include "hotpaths/exact.c"
#include "hotpaths/flat-ends.c"
#include "hotpaths/found.c"
#include "hotpaths/frequent.c"
#include "hotpaths/grams.c"
#include "hotpaths/hotpaths.c"
#include "hotpaths/larus.c"
#include "hotpaths/loops.c"
#include "hotpaths/outward.c"
#include "hotpaths/places.c"
#include "hotpaths/gather.c"
#include "hotpaths/patterns.c"
#include "hotpaths/recipes.c"
#include "hotpaths/rounds.c"
#include "hotpaths/sample.c"
#include "hotpaths/sieve.c"
#include "hotpaths/starts.c"
#include "hotpaths/text-queue.c"
#include "hotpaths/tally.c"
#include "hotpaths/texts.c"

/* A Fibonacci string: rule r -> (r-1) (r-2). */
enum { RULES = 12 };

static void fibonacci(struct wpp_grammar *g, uint64_t *body, uint32_t *symbols, uint64_t *length)
{
    uint64_t n = 0;

    for (uint32_t r = 0; r <= RULES; r++) {
        body[r] = n;
        symbols[n++] = r ? WPP_RULE | (r - 1) : 0;
        symbols[n++] = r > 1 ? WPP_RULE | (r - 2) : 1;
        length[r] = r > 1 ? length[r - 1] + length[r - 2] : 2 + r;
    }
    body[RULES + 1] = n;
    *g = (struct wpp_grammar){ .n_terminals = 2, .n_rules = RULES, .n_threads = 1, .body = body,
                               .symbols = symbols, .length = length };
}

/* How many allocations can fail, each with the right answer; -1: a wrong one. */
static long fail_in_turn(const struct wpp_grammar *g, const struct hot_config *config)
{
    static const uint64_t cost[] = { 3, 4 };

    for (long turn = 0;; turn++) {
        hot_result *r;
        int status;

        allocations_left = turn;
        status = hot_find(&r, g, cost, config);
        allocations_left = -1;
        hot_free(r);
        if (status == HOT_OK)
            return turn;
        if (status != HOT_E_MEMORY || r)
            return -1;
    }
}

int main(void)
{
    static const char *const names[] = { "larus", "exact" };
    uint64_t body[RULES + 2], length[RULES + 1];
    uint32_t symbols[2 * (RULES + 1)];
    struct wpp_grammar g;

    fibonacci(&g, body, symbols, length);
    for (int i = 0; i < 4; i++) {
        struct hot_config config = {
            .size = sizeof config, .algorithm = i % 2 ? HOT_EXACT : HOT_LARUS, .min_length = 2,
            .max_length = 5, .min_cost = i / 2 ? 20 : 0, .wanted = 5, .thread = HOT_ALL_THREADS,
        };
        long failed = fail_in_turn(&g, &config);

        tap_ok(failed > 5, "%s, minimal cost %s: %ld allocations fail in turn", names[i % 2],
               i / 2 ? "given" : "chosen", failed);
    }
    return tap_done();
}
