/* SPDX-License-Identifier: MIT */
/* A made-up process counts, stops and starts recording, loses modules and is killed at any moment.
 * What comes out is what a second counter counted while recording ran. */
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/trace/paused-counts.h"

enum { MODULES = 3, EACH = 4, TOKENS = MODULES * EACH, COPIES = 2, LEFTS = 5, FIRST = 16 };

static struct process {
    uint64_t counter[COPIES][TOKENS], left[LEFTS];
    uint64_t right[TOKENS], right_left[LEFTS];
    bool gone[MODULES], stopped;
    struct wpp_paused_counts trace;
} p;

static void put(struct wpp_token_sums *to, uint32_t token, uint32_t left, uint64_t n)
{
    if (!wpp_token_sums_reserve(to, 1))
        exit(1);
    if (n > 0)
        wpp_token_sums_add_left(to, token, left, n);
}

static void put_left(struct wpp_token_sums *to)
{
    for (uint32_t i = 0; i < LEFTS; i++)
        put(to, i ? FIRST + i : 0, i ? 2 + i : 0, p.left[i]);
}

/* Values of the modules that are there. */
static void put_values(struct wpp_token_sums *to, bool also_gone)
{
    for (int c = 0; c < COPIES; c++)
        for (uint32_t t = 0; t < TOKENS; t++)
            if (also_gone || !p.gone[t / EACH])
                put(to, FIRST + t, 0, p.counter[c][t]);
    put_left(to);
}

static void count(void)
{
    uint32_t t = (uint32_t)rand() % TOKENS, l = (uint32_t)rand() % LEFTS;

    if (p.gone[t / EACH])
        return;
    p.counter[rand() % COPIES][t]++;
    p.left[l]++;
    p.right[t] += !p.stopped;
    p.right_left[l] += !p.stopped;
}

/* False: it is killed before the note is written. */
static bool switch_over(bool killed)
{
    put_values(&p.trace.here, false);
    if (killed)
        return false;
    p.stopped = !p.stopped;
    return wpp_paused_counts_switch(&p.trace, p.stopped);
}

static uint64_t sum_of(const struct wpp_token_sums *s, uint32_t token, uint32_t left)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].token == token && s->list[i].left == left)
            return s->list[i].sum;
    return 0;
}

static bool is_right(void)
{
    struct wpp_token_sums sums = {0};
    uint32_t n_wrong;
    size_t n = 0;
    bool right;

    put_values(&p.trace.last, true);
    right = wpp_paused_counts_settle(&p.trace, &sums, &n_wrong) && n_wrong == 0;
    for (uint32_t t = 0; right && t < TOKENS; t++, n += p.right[t - 1] > 0)
        right = sum_of(&sums, FIRST + t, 0) == p.right[t];
    for (uint32_t i = 0; right && i < LEFTS; i++, n += p.right_left[i - 1] > 0)
        right = sum_of(&sums, i ? FIRST + i : 0, i ? 2 + i : 0) == p.right_left[i];
    right = right && sums.n == n;
    wpp_token_sums_free(&sums);
    wpp_paused_counts_free(&p.trace);
    return right;
}

static bool run(int seed, bool switches)
{
    bool lives = true;

    srand((unsigned)seed);
    memset(&p, 0, sizeof p);
    for (uint32_t m = 0; m < MODULES; m++)
        if (!wpp_paused_counts_load(&p.trace, FIRST + m * EACH, EACH))
            exit(1);
    if (switches && rand() % 4 == 0) {
        p.stopped = true;
        wpp_paused_counts_switch(&p.trace, true);
    }
    for (int i = rand() % 200; lives && i > 0; i--) {
        int m = rand() % MODULES, what = rand() % 20;

        if (what == 0 && switches)
            lives = switch_over(rand() % 10 == 0);
        else if (what == 1 && !p.gone[m] && rand() % 4 == 0) {
            p.gone[m] = true;
            wpp_paused_counts_unload(&p.trace, (uint32_t)(FIRST + m * EACH));
        } else
            count();
    }
    return is_right();
}

int main(void)
{
    struct wpp_token_sums sums = {0};
    uint32_t n_wrong;
    int wrong = 0;

    for (int seed = 0; seed < 500; seed++)
        wrong += !run(seed, false);
    tap_ok(wrong == 0, "without stops all values count");
    for (int seed = 0; seed < 20000; seed++)
        wrong += !run(seed, true);
    tap_ok(wrong == 0, "20,000 processes that stop and start");

    memset(&p, 0, sizeof p);
    wpp_paused_counts_switch(&p.trace, true);
    put(&p.trace.here, FIRST, 0, 7);
    wpp_paused_counts_switch(&p.trace, false);
    put(&p.trace.last, FIRST, 0, 5);
    put(&p.trace.last, FIRST + 1, 0, 5);
    tap_ok(wpp_paused_counts_settle(&p.trace, &sums, &n_wrong) && n_wrong == 1 && sums.n == 1 &&
           sums.list[0].token == FIRST + 1, "a sum below 0 is left out, and said");
    wpp_token_sums_free(&sums);
    wpp_paused_counts_free(&p.trace);
    return tap_done();
}
