/* SPDX-License-Identifier: MIT */
#include "wpp/runs/suspects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

void suspects_init(struct suspects *s)
{
    *s = (struct suspects){0};
    vocabulary_init(&s->v);
    run_vectors_init(&s->vectors);
}

void suspects_free(struct suspects *s)
{
    free(s->run);
    free(s->count);
    run_vectors_free(&s->vectors);
    run_vector_free(&s->at_hand);
    loop_figures_free(&s->loops);
    run_orders_free(&s->orders);
    run_facts_free(&s->facts);
    vocabulary_free(&s->v);
    for (uint32_t i = 0; i < s->n_witnesses; i++)
        wpp_close(s->witness[i].w);
    free(s->witness);
    free(s->when);
    *s = (struct suspects){0};
}

/* ---- Adding --------------------------------------------------------------------------------- */

bool suspects_keep(struct suspects *s, wpp *w, int64_t run, uint32_t process)
{
    if (s->n_witnesses == s->witness_capacity) {
        uint32_t n = 2 * s->witness_capacity + 16;
        struct witness *larger = realloc(s->witness, n * sizeof *larger);

        if (!larger)
            return false;
        s->witness = larger;
        s->witness_capacity = n;
    }
    s->witness[s->n_witnesses++] = (struct witness){w, run, process};
    return true;
}

static bool make_counts(struct suspects *s)
{
    struct predicate_count *larger;
    uint32_t n = s->v.capacity;

    if (s->v.n <= s->n_counts)
        return true;
    larger = realloc(s->count, n * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + s->n_counts, 0, (n - s->n_counts) * sizeof *larger);
    s->count = larger;
    s->n_counts = n;
    return true;
}

uint64_t suspects_hash(uint32_t run)
{
    uint64_t h = (run + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static bool make_run(struct suspects *s, const struct suspect_run *run)
{
    if (s->n_runs == s->run_capacity) {
        uint32_t n = 2 * s->run_capacity + 64;
        struct suspect_run *larger = realloc(s->run, n * sizeof *larger);

        if (!larger)
            return false;
        s->run = larger;
        s->run_capacity = n;
    }
    s->run[s->n_runs++] = *run;
    *(run->fails ? &s->n_fail : &s->n_pass) += 1;
    return true;
}

bool suspects_take_run(struct suspects *s, const struct suspect_run *run, struct wpp_error *error)
{
    const struct run_vector *v = &s->at_hand;
    uint64_t hash = suspects_hash(s->n_runs);

    if (!make_counts(s) || !make_run(s, run))
        return wpp_fail_memory(error);
    for (uint32_t i = 0; i < v->n_facts; i++) {
        struct predicate_count *c = &s->count[v->fact[i]];

        *(run->fails ? &c->fail : &c->pass) += 1;
        c->set += hash;
    }
    for (uint32_t i = 0; i < v->n_loops; i++)
        if (!loop_figures_note(&s->loops, v->loop[i].header, v->loop[i].most, run->fails, hash))
            return wpp_fail_memory(error);
    return run_vectors_add(&s->vectors, v, error);
}

bool suspects_add(struct suspects *s, int64_t id, bool fails, wpp **process, uint32_t n,
                  struct wpp_error *error)
{
    bool done = true;

    run_facts_begin(&s->facts);
    for (uint32_t i = 0; i < n; i++) {
        bool kept = false;

        if (done)
            done = run_facts_of(&s->facts, &s->v, process[i], &kept, error);
        if (!kept)
            wpp_close(process[i]);
        else if (!suspects_keep(s, process[i], id, i))
            done = wpp_fail_memory(error);
    }
    if (done && !run_vector_of(&s->at_hand, &s->facts))
        done = wpp_fail_memory(error);
    return done && suspects_take_run(s, &(struct suspect_run){id, fails, s->facts.events}, error);
}

/* ---- What only all runs show ---------------------------------------------------------------- */

bool suspects_add_late(struct suspects *s, struct predicate p, struct predicate_count count,
                       uint32_t *predicate)
{
    *predicate = vocabulary_predicate(&s->v, p);
    if (s->v.failed || !make_counts(s))
        return false;
    s->count[*predicate] = count;
    return true;
}

/* Whether a is a better threshold than b: by the scores, as the ranking has them. */
static bool is_better(const struct suspicion *a, const struct suspicion *b)
{
    if (a->importance != b->importance)
        return a->importance > b->importance;
    return a->ochiai > b->ochiai;
}

/* Of one loop's figures, the largest first: finds how many of them are to be at or above the
 * threshold.  0: none of the thresholds tells runs apart. */
static size_t best_threshold(const struct suspects *s, const struct loop_figure *figure, size_t n)
{
    struct run_counts_of c = {0};
    struct suspicion best = {0};
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        c.seen_fail += figure[i].fail;
        c.seen_pass += figure[i].pass;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        struct suspicion now;

        c.fail += figure[i].fail;
        c.pass += figure[i].pass;
        if (figure[i].most > UINT32_MAX)
            continue;
        now = suspicion_of(c, s->n_fail, s->n_pass);
        if (found > 0 && !is_better(&now, &best))
            continue;
        best = now;
        found = i + 1;
    }
    return found;
}

/* Of a loop's header or a routine. */
static bool add_loop(struct suspects *s, const struct loop_figure *figure, size_t n)
{
    struct predicate header = s->v.predicate[figure->header];
    size_t above = best_threshold(s, figure, n);
    struct predicate_count count = {0};
    uint32_t predicate;

    if (above == 0)
        return true;
    for (size_t i = 0; i < above; i++) {
        count.fail += figure[i].fail;
        count.pass += figure[i].pass;
        count.set += figure[i].set;
    }
    return suspects_add_late(s, (struct predicate){
        .kind = header.kind == PREDICATE_ROUTINE ? PREDICATE_DEPTH : PREDICATE_LOOP,
        .x = header.x, .y = header.y, .z = (uint32_t)figure[above - 1].most,
        .site = figure->header}, count, &predicate);
}

static bool add_loops(struct suspects *s)
{
    const struct loop_figure *f = s->loops.figure;

    loop_figures_sort(&s->loops);
    for (size_t i = 0, end; i < s->loops.n; i = end) {
        for (end = i + 1; end < s->loops.n && f[end].header == f[i].header; end++)
            ;
        if (!add_loop(s, f + i, end - i))
            return false;
    }
    return true;
}

bool suspects_end(struct suspects *s, bool orders, struct wpp_error *error)
{
    if (!add_loops(s))
        return wpp_fail_memory(error);
    return (!orders || suspects_add_orders(s, error)) && suspects_when(s, error);
}

/* ---- What is true of a run ------------------------------------------------------------------ */

bool suspects_read(struct suspects *s, uint32_t run, struct wpp_error *error)
{
    return run_vectors_read(&s->vectors, run, &s->at_hand, error) &&
           (run_orders_read(&s->orders, &s->at_hand) || wpp_fail_memory(error));
}

static bool is_loop_true(const struct suspects *s, const struct predicate *p)
{
    bool found;
    uint64_t most = run_vector_most(&s->at_hand, p->site, &found);

    return found && most >= p->z;
}

bool suspects_is_true(const struct suspects *s, uint32_t predicate)
{
    const struct predicate *p = &s->v.predicate[predicate];
    uint32_t order = (predicate - s->orders.predicate) / 2;

    switch (p->kind) {
    case PREDICATE_LOOP: case PREDICATE_DEPTH: return is_loop_true(s, p);
    case PREDICATE_BOTH: return run_orders_both(&s->orders, order);
    case PREDICATE_BEFORE: return run_orders_hold(&s->orders, order);
    default:               return run_vector_has(&s->at_hand, predicate);
    }
}

struct run_counts_of suspects_counts(const struct suspects *s, uint32_t predicate)
{
    const struct predicate_count *c = &s->count[predicate];
    const struct predicate_count *site = &s->count[s->v.predicate[predicate].site];

    return (struct run_counts_of){c->fail, c->pass, site->fail, site->pass};
}
