/* SPDX-License-Identifier: MIT */
/* suspect-ranking.c - suspects_rank() and suspects_eliminate(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/runs/suspects.h"

#define NONE UINT32_MAX

/* Rounded, so that equal scores are equal though they were computed from different numbers. */
static double score_of(const struct suspicion *s, enum suspect_sort sort)
{
    const double digits = 1e12;
    double score = sort == SUSPECT_OCHIAI                ? s->ochiai
                   : sort == SUSPECT_TARANTULA           ? s->tarantula
                   : sort == SUSPECT_IMPORTANCE          ? s->importance
                   : s->increase > s->increase_error     ? s->increase
                                                         : 0;

    return round(score * digits) / digits;
}

/* By score; those of one score by how much else speaks for them, then the simplest first. */
struct ordering { const struct suspects *s; };

static int compare_suspects(const void *left, const void *right, void *ctx)
{
    const struct suspect *a = left, *b = right;
    const struct vocabulary *v = &((const struct ordering *)ctx)->s->v;
    uint32_t kind_a = v->predicate[a->predicate].kind, kind_b = v->predicate[b->predicate].kind;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->by.ochiai != b->by.ochiai)
        return a->by.ochiai > b->by.ochiai ? -1 : 1;
    if (a->by.increase != b->by.increase)
        return a->by.increase > b->by.increase ? -1 : 1;
    if (kind_a != kind_b)
        return kind_a < kind_b ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

/* Puts the first of those that are true of the same runs in place of all.  on: by suspect, the predicate
 * that lies on the lines which are asked for, or NONE; afterwards that of any of those. */
static bool collapse(struct ranking *r, uint32_t *on)
{
    size_t n_slots = 16, n = 0;
    uint32_t *slots;

    while (n_slots < 2 * r->n)
        n_slots *= 2;
    slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        size_t s = r->suspect[i].set & (n_slots - 1), k;

        while (slots[s] && r->suspect[slots[s] - 1].set != r->suspect[i].set)
            s = (s + 1) & (n_slots - 1);
        k = slots[s] - (size_t)1;
        if (slots[s]) {
            r->suspect[k].others++;
            on[k] = on[k] == NONE ? on[i] : on[k];
            continue;
        }
        r->suspect[n] = r->suspect[i];
        on[n] = on[i];
        slots[s] = (uint32_t)++n;
    }
    r->n = n;
    free(slots);
    return true;
}

/* Keeps those that lie on the lines: each is shown by the predicate that does. */
static void keep_those_on(struct ranking *r, const uint32_t *on)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (on[i] == NONE)
            continue;
        r->suspect[n] = r->suspect[i];
        r->suspect[n++].predicate = on[i];
    }
    r->n = n;
}

static void number(struct ranking *r)
{
    for (size_t i = 0, end; i < r->n; i = end) {
        for (end = i + 1; end < r->n && r->suspect[end].score == r->suspect[i].score; end++)
            ;
        for (size_t k = i; k < end; k++) {
            r->suspect[k].rank = (uint32_t)i + 1;
            r->suspect[k].ties = (uint32_t)(end - i);
        }
    }
}

static void take_all(const struct suspects *s, const struct suspect_request *request,
                     const uint32_t *fail, uint32_t n_fail, struct ranking *out)
{
    for (uint32_t p = 0; p < s->v.n; p++) {
        uint32_t kind = s->v.predicate[p].kind;
        struct run_counts_of n;
        struct suspect x = {.predicate = p, .set = s->count[p].set};

        if (kind >= PREDICATE_KINDS || !(request->kinds >> kind & 1))
            continue;
        n = suspects_counts(s, p);
        if (fail) {
            n.fail = fail[p];
            n.seen_fail = fail[s->v.predicate[p].site];
        }
        out->n_predicates += n.fail > 0;
        x.by = suspicion_of(n, n_fail, s->n_pass);
        x.score = score_of(&x.by, request->sort);
        if (x.score > 0 || request->all)
            out->suspect[out->n++] = x;
    }
}

/* fail: by predicate, in how many of n_fail runs it is true; NULL: of all failing runs. */
static bool rank(const struct suspects *s, const struct suspect_request *request, const uint32_t *fail,
                 uint32_t n_fail, struct ranking *out)
{
    uint32_t *on = malloc((s->v.n + (size_t)1) * sizeof *on);
    bool done;

    *out = (struct ranking){.suspect = malloc((s->v.n + (size_t)1) * sizeof *out->suspect)};
    done = out->suspect && on;
    if (done) {
        take_all(s, request, fail, n_fail, out);
        qsort_r(out->suspect, out->n, sizeof *out->suspect, compare_suspects, &(struct ordering){s});
        for (size_t i = 0; i < out->n; i++)
            on[i] = predicate_lies_on(&s->v, out->suspect[i].predicate, &request->at)
                        ? out->suspect[i].predicate : NONE;
        done = request->all || collapse(out, on);
    }
    if (done) {
        number(out);
        keep_those_on(out, on);
    } else {
        ranking_free(out);
    }
    free(on);
    return done;
}

bool suspects_rank(const struct suspects *s, const struct suspect_request *request, struct ranking *out)
{
    return rank(s, request, NULL, s->n_fail, out);
}

void ranking_free(struct ranking *r)
{
    free(r->suspect);
    *r = (struct ranking){0};
}

/* ---- Elimination ---------------------------------------------------------------------------- */

/* Failing runs that no suspect has explained yet. */
struct elimination {
    struct suspects *s;
    bool *explained;           /* by run */
    uint32_t left;
    uint32_t *fail;            /* by predicate: in how many of these it is true */
};

/* Adds what is true of the run at hand. */
static void count_facts(struct elimination *e)
{
    const struct suspects *s = e->s;
    const struct run_vector *v = &s->at_hand;

    for (uint32_t i = 0; i < v->n_facts; i++)
        e->fail[v->fact[i]]++;
    for (uint32_t p = s->v.n; p-- > 0;) {
        uint32_t kind = s->v.predicate[p].kind;

        /* Those that were added when all runs were there come last. */
        if (kind != PREDICATE_LOOP && kind != PREDICATE_BOTH && kind != PREDICATE_BEFORE)
            break;
        e->fail[p] += suspects_is_true(s, p);
    }
}

static bool count_unexplained(struct elimination *e, struct wpp_error *error)
{
    memset(e->fail, 0, e->s->v.n * sizeof *e->fail);
    for (uint32_t r = 0; r < e->s->n_runs; r++) {
        if (!e->s->run[r].fails || e->explained[r])
            continue;
        if (!suspects_read(e->s, r, error))
            return false;
        count_facts(e);
    }
    return true;
}

/* Explains the failing runs in which it is true. */
static bool explain(struct elimination *e, uint32_t predicate, struct wpp_error *error)
{
    for (uint32_t r = 0; r < e->s->n_runs; r++) {
        if (!e->s->run[r].fails || e->explained[r])
            continue;
        if (!suspects_read(e->s, r, error))
            return false;
        e->explained[r] = suspects_is_true(e->s, predicate);
        e->left -= e->explained[r];
    }
    return true;
}

/* One round: *found false if nothing has a score. */
static bool take_first(struct elimination *e, const struct suspect_request *request,
                       struct ranking *out, bool *found, struct wpp_error *error)
{
    struct ranking round;
    bool done;

    *found = false;
    if (!count_unexplained(e, error))
        return false;
    if (!rank(e->s, request, e->fail, e->left, &round))
        return wpp_fail_memory(error);
    if (out->n == 0)
        out->n_predicates = round.n_predicates;
    *found = round.n > 0 && round.suspect[0].score > 0;
    done = true;
    if (*found) {
        out->suspect[out->n] = round.suspect[0];
        out->suspect[out->n].rank = (uint32_t)out->n + 1;
        out->n++;
        done = explain(e, round.suspect[0].predicate, error);
    }
    ranking_free(&round);
    return done;
}

bool suspects_eliminate(struct suspects *s, const struct suspect_request *request, size_t most,
                        struct ranking *out, struct wpp_error *error)
{
    struct elimination e = {.s = s, .left = s->n_fail};
    bool found = true, done;

    e.explained = calloc(s->n_runs + (size_t)1, sizeof *e.explained);
    e.fail = malloc((s->v.n + (size_t)1) * sizeof *e.fail);
    *out = (struct ranking){.suspect = malloc((s->n_fail + (size_t)1) * sizeof *out->suspect)};
    done = (e.explained && e.fail && out->suspect) || wpp_fail_memory(error);
    while (done && found && e.left > 0 && out->n < most)
        done = take_first(&e, request, out, &found, error);
    free(e.explained);
    free(e.fail);
    if (!done)
        ranking_free(out);
    return done;
}
