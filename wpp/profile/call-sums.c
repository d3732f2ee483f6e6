/* SPDX-License-Identifier: MIT */
#include "wpp/profile/call-sums.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/profile/tree-walk.h"

struct summing {
    const struct run_costs *costs;
    struct tree_walk walk;
    bool by_site, unseen;
    struct call_sum *sum;
    size_t n, room;
};

static int compare(const void *a, const void *b)
{
    const struct call_sum *x = a, *y = b;

    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->terminal != y->terminal)
        return x->terminal < y->terminal ? -1 : 1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

static void join(struct summing *s)
{
    size_t n = 0;

    if (s->n > 0)
        qsort(s->sum, s->n, sizeof *s->sum, compare);
    for (size_t i = 0; i < s->n; i++) {
        if (n > 0 && compare(&s->sum[n - 1], &s->sum[i]) == 0) {
            s->sum[n - 1].calls += s->sum[i].calls;
            s->sum[n - 1].cost += s->sum[i].cost;
        } else {
            s->sum[n++] = s->sum[i];
        }
    }
    s->n = n;
}

/* Makes room; grows only where joining does not help. */
static bool make_room(struct summing *s)
{
    struct call_sum *larger;
    size_t room = 2 * s->room + 1024;

    if (s->n < s->room)
        return true;
    join(s);
    if (2 * s->n < s->room)
        return true;
    larger = realloc(s->sum, room * sizeof *larger);
    if (!larger)
        return false;
    s->sum = larger;
    s->room = room;
    return true;
}

static bool on_call(void *ctx, struct walk_site site, uint32_t activation, double times)
{
    struct summing *s = ctx;
    const struct activation *a = &s->costs->tree->activation[activation];

    if (!tree_walk_put_activation(&s->walk, activation, times))
        return false;
    if (site.caller == WALK_NONE || (a->unseen && !s->unseen))
        return true;
    if (!make_room(s))
        return false;
    s->sum[s->n++] = (struct call_sum){
        .caller = site.caller, .terminal = s->by_site ? site.terminal : WALK_NONE, .callee = a->routine,
        .calls = times, .cost = times * s->costs->piece[a->piece]
    };
    return true;
}

bool call_sums_new(struct call_sums *out, const struct run_costs *costs, enum calls_by by, bool unseen)
{
    struct summing s = {.costs = costs, .by_site = by == CALLS_BY_SITE, .unseen = unseen};
    bool ok = tree_walk_begin(&s.walk, costs->w, costs->tree);

    s.walk.call = on_call;
    s.walk.ctx = &s;
    for (uint32_t k = 0; ok && k < costs->tree->n_threads; k++)
        ok = tree_walk_put_root(&s.walk, k);
    ok = ok && tree_walk(&s.walk);
    tree_walk_end(&s.walk);
    join(&s);
    *out = (struct call_sums){s.sum, s.n};
    if (!ok)
        call_sums_free(out);
    assert(call_sums_check(out));
    return ok;
}

void call_sums_free(struct call_sums *s)
{
    free(s->sum);
    *s = (struct call_sums){0};
}

bool call_sums_check(const struct call_sums *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->sum[i].calls <= 0 || s->sum[i].cost < 0
            || (i > 0 && compare(&s->sum[i - 1], &s->sum[i]) >= 0))
            return false;
    return true;
}
