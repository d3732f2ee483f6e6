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
    p->any |= p->stopped != stopped;
    p->stopped = stopped;
    return done;
}

static int compare_bases(const void *a, const void *b)
{
    const struct wpp_counted_module *x = a, *y = b;

    return (x->base > y->base) - (x->base < y->base);
}

/* The module of the token, or NULL.  They are sorted by base. */
static const struct wpp_counted_module *module_of(const struct wpp_paused_counts *p, uint32_t token)
{
    size_t low = 0, high = p->n_modules;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->modules[middle].base <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && token - p->modules[low - 1].base < p->modules[low - 1].count
               ? &p->modules[low - 1] : NULL;
}

/* Whether recording was stopped when the entry's value was the last.  Slots of LEFT are of no module. */
static bool was_stopped(const struct wpp_paused_counts *p, const struct wpp_token_sum *s)
{
    const struct wpp_counted_module *m = s->left ? NULL : module_of(p, s->token);

    return m && m->gone ? m->stopped : p->stopped;
}

static void drop_stopped(struct wpp_paused_counts *p)
{
    size_t n = 0;

    if (p->n_modules > 0)
        qsort(p->modules, p->n_modules, sizeof *p->modules, compare_bases);
    for (size_t i = 0; i < p->last.n; i++)
        if (!was_stopped(p, &p->last.list[i]))
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
