/* SPDX-License-Identifier: MIT */
/* Grammars with one fault each: wpp-check must name it. */

#include "wpp/replay/check.h"

#include <string.h>

#include "test/unit/tap.h"

/* Rules in ascending order, then one start rule a thread; -1 ends a body. */
static bool check(uint32_t n_terminals, uint32_t n_rules, uint32_t n_threads,
                  const int64_t *bodies, struct wpp_error *error)
{
    uint32_t symbols[256];
    uint64_t body[32] = {0}, length[32] = {0};
    uint32_t n = 0;

    for (uint32_t r = 0; r < n_rules + n_threads; r++, bodies++) {
        for (; *bodies >= 0; bodies++) {
            uint32_t symbol = *bodies;
            symbols[n++] = symbol;
            length[r] += symbol & WPP_RULE ? length[symbol & 15] : 1;
        }
        body[r + 1] = n;
    }
    return check_rules(&(struct wpp_grammar){n_terminals, n_rules, n_threads, body, symbols, length},
                       false, error);
}

#define BODIES(...) ((const int64_t[]){__VA_ARGS__})
#define RULE(n) ((int64_t)(WPP_RULE | (n)))

static void fine(const char *name, uint32_t n_terminals, uint32_t n_rules, uint32_t n_threads,
                 const int64_t *bodies)
{
    struct wpp_error error = {0};
    bool ok = check(n_terminals, n_rules, n_threads, bodies, &error);

    if (!tap_ok(ok, "fine: %s", name))
        tap_note("%s", error.text);
}

static void wrong(const char *name, const char *why, uint32_t n_terminals, uint32_t n_rules,
                  uint32_t n_threads, const int64_t *bodies)
{
    struct wpp_error error = {0};
    bool ok = check(n_terminals, n_rules, n_threads, bodies, &error);

    if (!tap_ok(!ok && error.status == WPP_E_DAMAGED && strstr(error.text, why), "wrong: %s", name))
        tap_note("%s", ok ? "passed" : error.text);
}

static void test_lengths(void)
{
    uint32_t symbols[] = {0, 1, RULE(0), RULE(0)};
    uint64_t body[] = {0, 2, 4}, length[] = {2, 5};
    struct wpp_grammar g = {2, 1, 1, body, symbols, length};
    struct wpp_error error;

    tap_ok(!check_rules(&g, false, &error) && strstr(error.text, "as many events"), "wrong: a length");
    length[1] = 4;
    tap_ok(check_rules(&g, false, &error), "fine: the same with the right one");
}

int main(void)
{
    fine("nothing", 0, 0, 1, BODIES(-1));
    fine("one event", 1, 0, 1, BODIES(0, -1));
    fine("no thread", 0, 0, 0, BODIES(-1));
    fine("abab", 2, 1, 1, BODIES(0, 1, -1, RULE(0), RULE(0), -1));
    fine("aaa, whose digrams overlap", 1, 0, 1, BODIES(0, 0, 0, -1));
    fine("a rule over two threads", 3, 1, 2, BODIES(0, 1, -1, RULE(0), 2, -1, 2, RULE(0), -1));
    fine("S -> AAB, A -> BB, B -> abc", 3, 2, 1,
         BODIES(0, 1, 2, -1, RULE(0), RULE(0), -1, RULE(1), RULE(1), RULE(0), -1));

    wrong("a digram twice in a body", "digram", 2, 0, 1, BODIES(0, 1, 0, 1, -1));
    wrong("a digram twice in two threads", "digram", 2, 0, 2, BODIES(0, 1, -1, 0, 1, -1));
    wrong("aaaa, whose first and last do not overlap", "digram", 1, 0, 1, BODIES(0, 0, 0, 0, -1));
    wrong("aaa and aa", "digram", 2, 0, 2, BODIES(0, 0, 0, -1, 1, 0, 0, -1));
    wrong("a rule used once", "less than twice", 3, 1, 1, BODIES(0, 1, -1, RULE(0), 2, -1));
    wrong("a rule never used", "less than twice", 3, 1, 1, BODIES(0, 1, -1, 2, 2, -1));
    wrong("a rule of one symbol", "fewer than two", 1, 1, 1, BODIES(0, -1, RULE(0), RULE(0), -1));
    wrong("an empty rule", "fewer than two", 1, 1, 1, BODIES(-1, RULE(0), RULE(0), -1));
    wrong("a rule that uses itself", "not before", 1, 1, 1,
          BODIES(0, RULE(0), -1, RULE(0), RULE(0), -1));
    wrong("a start rule that is used", "not before", 1, 0, 2, BODIES(0, -1, RULE(0), -1));
    wrong("a terminal that does not exist", "does not exist", 1, 0, 1, BODIES(0, 1, -1));
    test_lengths();
    return tap_done();
}
