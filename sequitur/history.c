/* SPDX-License-Identifier: MIT */
/* history.c - see history.h. */
#include "sequitur/history.h"
#include "sequitur/base.h"

#include <string.h>

/* A rule that has left the window is compared by its children, to this depth. */
enum { DEPTH = 6, DEPTH_OF_CHECK = 10000 };
/* A comparison of fewer terminals is not probed first. */
enum { PROBE = 64 };

int history_new(seq *s)
{
    s->history = seq_memory(s, NULL, 0, sizeof *s->history);
    if (!s->history)
        return SEQ_E_NOMEM;
    struct history *h = s->history;
    *h = (struct history){.lap = LAP_MAX, .most = LAP_MAX - LAP_LACKS * BLOCK};
    while (s->memory_max && h->lap > 2 * BLOCK && h->most * sizeof *h->ring > s->memory_max / 8) {
        h->lap /= 2;
        h->most = h->lap;
    }
    assert((h->lap & (h->lap - 1)) == 0 && h->most % BLOCK == 0 && h->most <= h->lap);
    return SEQ_OK;
}

void history_free(seq *s)
{
    struct history *h = s->history;

    if (!h)
        return;
    seq_memory(s, h->ring, h->size * sizeof *h->ring, 0);
    seq_memory(s, h, sizeof *h, 0);
    s->history = NULL;
}

/* Grows the ring by a quarter, while no block has been overwritten: so all positions keep their
 * slots. */
static int grow(seq *s)
{
    struct history *h = s->history;
    uint64_t bigger = h->size + BLOCK + h->size / 4 / BLOCK * BLOCK;

    assert(h->end - h->split <= h->size);
    assert(h->size % BLOCK == 0 && h->size < h->most);
    if (bigger > h->most)
        bigger = h->most;
    uint32_t *p = seq_memory(s, h->ring, h->size * sizeof *p, bigger * sizeof *p);
    if (!p)
        return SEQ_E_NOMEM;
    h->ring = p;
    h->size = bigger;
    s->memory_history = bigger * sizeof *p;
    return SEQ_OK;
}

/* Whether the next block stands right behind the last one. */
static bool lap_goes_on(const struct history *h)
{
    uint64_t in_lap = h->end & (h->lap - 1);

    return in_lap != 0 && in_lap != h->most;
}

bool history_goes_on(const seq *s, const struct start *t)
{
    return t->piece_end == s->history->end && lap_goes_on(s->history);
}

/* `end`: the end of the last block in the ring, or of the next one. */
static void set_oldest(struct history *h, uint64_t end)
{
    uint64_t oldest = end - h->split > h->lap ? end - h->lap : h->split;

    assert(oldest >= h->oldest);             /* the window never moves back */
    h->oldest = oldest;
}

void history_yield(seq *s)
{
    struct history *h = s->history;

    if (lap_goes_on(h))
        set_oldest(h, h->end + BLOCK);
}

int history_lend(seq *s, struct start *t)
{
    struct history *h = s->history;

    assert(t->staged_count == 0);
    t->staged = t->own;
    if (h->lent || !lap_goes_on(h))
        return SEQ_OK;
    if (h->end - h->split == h->size && grow(s) != SEQ_OK)
        return SEQ_E_NOMEM;
    assert((h->end & (h->lap - 1)) + BLOCK <= h->size);
    h->lent = (uint32_t)(t - s->starts) + 1;
    t->staged = h->ring + (h->end & (h->lap - 1));
    history_yield(s);
    return SEQ_OK;
}

/* Copies the lent block to memory of its stream, so that the ring has the slots again. */
static int take_back(seq *s)
{
    assert(s->history->lent > 0 && s->history->lent <= s->starts_count);
    struct start *t = &s->starts[s->history->lent - 1];
    uint32_t n = t->staged_count;

    assert(n <= BLOCK);
    if (n > t->own_size &&
        seq_grow(s, (void **)&t->own, &t->own_size, sizeof *t->own, n, BLOCK) != SEQ_OK)
        return SEQ_E_NOMEM;
    if (n)
        memcpy(t->own, t->staged, n * sizeof *t->own);
    t->staged = t->own;
    s->history->lent = 0;
    return SEQ_OK;
}

int history_add(seq *s, struct start *t, size_t n, uint64_t *from)
{
    struct history *h = s->history;
    bool stands = history_is_lent(s, t);

    assert(n <= BLOCK && h->end % BLOCK == 0);
    if (h->lent && !stands && take_back(s) != SEQ_OK)
        return SEQ_E_NOMEM;
    if (h->end - h->split == h->size && h->size < h->most && grow(s) != SEQ_OK)
        return SEQ_E_NOMEM;
    if ((h->end & (h->lap - 1)) == h->most)
        h->end += h->lap - h->most;
    if (t->piece_end != h->end || (h->end & (h->lap - 1)) == 0)
        t->piece_begin = h->end;
    assert((h->end & (h->lap - 1)) + BLOCK <= h->size);
    *from = h->end;
    if (!stands)
        memcpy(h->ring + (h->end & (h->lap - 1)), t->staged, n * sizeof *t->staged);
    t->staged = t->own;
    h->lent = 0;
    h->end += BLOCK;
    set_oldest(h, h->end);
    t->piece_end = *from + n;
    return SEQ_OK;
}

bool look_alike(const uint32_t *a, const uint32_t *b, uint64_t n)
{
    uint64_t x[2], y[2];

    if (n < 2 * PROBE)
        return true;
    for (uint64_t at = n - 4; at >= PROBE; at /= 2) {
        memcpy(x, a + at, sizeof x);
        memcpy(y, b + at, sizeof y);
        if ((x[0] ^ y[0]) | (x[1] ^ y[1]))
            return false;
    }
    return true;
}

static bool derives_deep(const seq *s, uint32_t value, const uint32_t *in, int depth)
{
    if (!is_rule(value))
        return *in == value;
    const struct rule *r = &s->rules[rule_of(value)];
    if (r->run)
        return *in == value;
    if (history_has(s, r)) {
        const uint32_t *known = history_at(s, r->at);
        return look_alike(known, in, r->length)
            && memcmp(known, in, r->length * sizeof *in) == 0;
    }
    if (is_of_base(s, rule_of(value)))
        return derives_deep(s->base, value, in, depth);
    if (depth == 0)
        return false;
    for (uint32_t n = s->nodes[r->guard].next; n != r->guard; n = s->nodes[n].next) {
        if (!derives_deep(s, s->nodes[n].value, in, depth - 1))
            return false;
        in += length_of(s, s->nodes[n].value);
    }
    return true;
}

bool derives_input(const seq *s, uint32_t value, const uint32_t *in)
{
    return derives_deep(s, value, in, DEPTH);
}

bool history_saw(seq *s, const struct start *t, uint32_t r, uint64_t end)
{
    struct rule *rule = &s->rules[r];

    assert(end >= t->piece_begin && end <= t->piece_end);
    if (rule->length > end - t->piece_begin || rule->at < s->history->split)
        return false;
    rule->at = end - rule->length;
    return true;
}

bool history_check(const seq *s, uint32_t *culprit)
{
    for (uint32_t r = s->base_rules ? s->base_rules : 1; s->history && r < s->rules_used; r++) {
        const struct rule *rule = &s->rules[r];
        if (!rule->guard || is_start_guard(s->nodes[rule->guard].value) || !history_has(s, rule))
            continue;
        uint64_t at = rule->at;
        for (uint32_t n = s->nodes[rule->guard].next; n != rule->guard; n = s->nodes[n].next) {
            *culprit = r;
            if (!derives_deep(s, s->nodes[n].value, history_at(s, at), DEPTH_OF_CHECK))
                return false;
            at += length_of(s, s->nodes[n].value);
        }
    }
    return true;
}
