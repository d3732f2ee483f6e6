/* SPDX-License-Identifier: MIT */
#include "wpp/trace/paused-counts.h"

#include <assert.h>
#include <stdlib.h>

void wpp_paused_counts_free(struct wpp_paused_counts *p)
{
    wpp_token_sums_free(&p->last);
    wpp_token_sums_free(&p->here);
    wpp_token_sums_free(&p->sums);
    free(p->modules);
    *p = (struct wpp_paused_counts){0};
}

bool wpp_paused_counts_load(struct wpp_paused_counts *p, uint32_t base, uint32_t count)
{
    size_t capacity = p->capacity ? 2 * p->capacity : 8;
    struct wpp_counted_module *larger;

    if (p->n_modules == p->capacity) {
        larger = realloc(p->modules, capacity * sizeof *larger);
        if (!larger)
            return false;
        p->modules = larger;
        p->capacity = capacity;
    }
    p->modules[p->n_modules++] = (struct wpp_counted_module){base, count, false, false};
    return true;
}

void wpp_paused_counts_unload(struct wpp_paused_counts *p, uint32_t base)
{
    for (size_t i = p->n_modules; i-- > 0;)
        if (p->modules[i].base == base) {
            p->modules[i].gone = true;
            p->modules[i].stopped = p->stopped;
            return;
        }
}

static bool add_all(struct wpp_token_sums *to, const struct wpp_token_sums *from, bool negative)
{
    if (!wpp_token_sums_reserve(to, from->n))
        return false;
    for (size_t i = 0; i < from->n; i++) {
        const struct wpp_token_sum *s = &from->list[i];

        wpp_token_sums_add_left(to, s->token, s->left, negative ? -s->sum : s->sum);
    }
    return true;
}

bool wpp_paused_counts_switch(struct wpp_paused_counts *p, bool stopped)
{
    bool done = p->stopped == stopped || add_all(&p->sums, &p->here, !stopped);

    p->here.n = 0;
    p->stopped = stopped;
    p->any = true;
    return done;
}

/* Whether recording was stopped when the entry's value was the last.  Slots of LEFT are of no module.
 * Entries come by module. */
static bool was_stopped(const struct wpp_paused_counts *p, const struct wpp_token_sum *s, size_t *hint)
{
    uint32_t token = s->token;

    if (s->left || token == 0)
        return p->stopped;
    for (size_t k = 0; k < p->n_modules; k++) {
        size_t i = (*hint + k) % p->n_modules;
        const struct wpp_counted_module *m = &p->modules[i];

        if (token < m->base || token - m->base >= m->count)
            continue;
        *hint = i;
        return m->gone ? m->stopped : p->stopped;
    }
    return p->stopped;
}

static void drop_stopped(struct wpp_paused_counts *p)
{
    size_t n = 0, hint = 0;

    for (size_t i = 0; i < p->last.n; i++)
        if (!was_stopped(p, &p->last.list[i], &hint))
            p->last.list[n++] = p->last.list[i];
    p->last.n = n;
}

/* Counters only grow, so no sum is negative. */
static void drop_zeros(struct wpp_token_sums *s, uint32_t *n_wrong)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        *n_wrong += (int64_t)s->list[i].sum < 0;
        if ((int64_t)s->list[i].sum > 0)
            s->list[n++] = s->list[i];
    }
    s->n = n;
}

bool wpp_paused_counts_settle(struct wpp_paused_counts *p, struct wpp_token_sums *out,
                              uint32_t *n_wrong)
{
    assert(out->n == 0);
    *n_wrong = 0;
    if (p->any) {
        drop_stopped(p);
        if (!add_all(&p->last, &p->sums, false))
            return false;
    }
    wpp_token_sums_free(out);
    *out = p->last;
    p->last = (struct wpp_token_sums){0};
    wpp_token_sums_settle(out);
    if (p->any)
        drop_zeros(out, n_wrong);
    return true;
}
