/* SPDX-License-Identifier: MIT */
/* hotpaths-memory.c - each allocation of the analyses fails once: the answer is
 * HOT_E_MEMORY, and (under the sanitizers) nothing leaks or is freed twice.
 *
 * The library has no allocator to pass, so it is compiled into this test with
 * the allocation functions replaced. */
#include "test/unit/failing-allocations.h"     /* from here on */
#include "test/unit/tap.h"

#include "hotpaths/automata/grammar-automaton.c"
#include "hotpaths/automata/string-automaton.c"
#include "hotpaths/automata/suffix-automaton.c"
#include "hotpaths/base/rule-walk.c"
#include "hotpaths/base/subpath-set.c"
#include "hotpaths/exact-search.c"
#include "hotpaths/exhaustive/border-filter.c"
#include "hotpaths/exhaustive/border-texts.c"
#include "hotpaths/exhaustive/gather.c"
#include "hotpaths/exhaustive/gram-counts.c"
#include "hotpaths/exhaustive/places.c"
#include "hotpaths/exhaustive/prefix-set.c"
#include "hotpaths/exhaustive/recipes.c"
#include "hotpaths/exhaustive/refine.c"
#include "hotpaths/exhaustive/rule-ends.c"
#include "hotpaths/hotpaths.c"
#include "hotpaths/larus/larus.c"
#include "hotpaths/larus/limited-ends.c"
#include "hotpaths/sampled/candidate-counts.c"
#include "hotpaths/sampled/candidates.c"
#include "hotpaths/sampled/loop-candidates.c"
#include "hotpaths/sampled/sample.c"
#include "hotpaths/strings/overlaps.c"
#include "hotpaths/strings/rotations.c"

/* A Fibonacci string: rule r -> (r-1) (r-2), and behind it what costs nothing: no point of a
 * sample lies there, so that one pays. */
enum { RULES = 12, FREE = 9000, SYMBOLS = 2 * (RULES + 1) + FREE };

static const uint64_t cost[] = { 3, 4, 0 };

static void fibonacci(struct wpp_grammar *g, uint64_t *body, uint32_t *symbols, uint64_t *length)
{
    uint64_t n = 0;

    for (uint32_t r = 0; r <= RULES; r++) {
        body[r] = n;
        symbols[n++] = r ? WPP_RULE | (r - 1) : 0;
        symbols[n++] = r > 1 ? WPP_RULE | (r - 2) : 1;
        length[r] = r > 1 ? length[r - 1] + length[r - 2] : 2 + r;
    }
    length[RULES] += FREE;
    for (int i = 0; i < FREE; i++)
        symbols[n++] = 2;
    body[RULES + 1] = n;
    *g = (struct wpp_grammar){ .n_terminals = 3, .n_rules = RULES, .n_threads = 1, .body = body,
                               .symbols = symbols, .length = length };
}

/* How many allocations can fail, each with the right answer; -1: a wrong one. */
static long fail_in_turn(const struct wpp_grammar *g, const struct hot_config *config)
{
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

/* Whether such a search looks at a sample. */
static bool is_sampled(const struct wpp_grammar *g, const struct hot_config *config)
{
    struct analysis a;
    bool sampled;

    if (prepare(&a, g, cost, config) != HOT_OK)
        abort();
    sampled = sample_pays(&a, config->min_cost);
    free(a.frequency);
    return sampled;
}

int main(void)
{
    static const char *const names[] = { "larus", "exact" };
    uint64_t body[RULES + 2], length[RULES + 1];
    static uint32_t symbols[SYMBOLS];
    struct wpp_grammar g;

    fibonacci(&g, body, symbols, length);
    for (int i = 0; i < 6; i++) {
        struct hot_config config = {
            .size = sizeof config, .algorithm = i % 2 ? HOT_EXACT : HOT_LARUS, .min_length = 2,
            .max_length = i < 4 ? 5 : 40, .min_cost = i / 2 ? 960 : 0, .wanted = 5,
            .thread = HOT_ALL_THREADS,
        };
        long failed = fail_in_turn(&g, &config);

        tap_ok(failed > 5, "%s, minimal cost %s, L = %u: %ld allocations fail in turn",
               names[i % 2], i / 2 ? "given" : "chosen", config.max_length, failed);
        if (config.algorithm == HOT_EXACT && config.min_cost)
            tap_ok(is_sampled(&g, &config), "of a search that looks at a sample");
    }
    return tap_done();
}
