/* SPDX-License-Identifier: MIT */
/* suspect-ranking.c - suspects_rank() and suspects_eliminate(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/runs/suspects.h"

#define NONE UINT32_MAX

/* ---- Scores --------------------------------------------------------------------------------- */

/* How many bits it takes to name a predicate, by kind. */
struct costs { double of[PREDICATE_KINDS]; };

struct kind_set { uint32_t kind; uint64_t set; };

static int compare_kind_sets(const void *left, const void *right)
{
    const struct kind_set *a = left, *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->set < b->set ? -1 : a->set > b->set;
}

/* Of those predicates that are true of some failing run.  False: no memory. */
static bool find_costs(const struct suspects *s, struct costs *out)
{
    struct kind_set *list = malloc((s->v.n + (size_t)1) * sizeof *list);
    double pairs = (double)s->orders.n * ((double)s->orders.n - 1), numbers = (double)s->loops.n;
    uint32_t n = 0;

    *out = (struct costs){{0}};
    if (!list)
        return false;
    for (uint32_t p = 0; p < s->v.n; p++)
        if (s->v.predicate[p].kind < PREDICATE_KINDS && s->count[p].fail > 0)
            list[n++] = (struct kind_set){s->v.predicate[p].kind, s->count[p].set};
    qsort(list, n, sizeof *list, compare_kind_sets);
    for (uint32_t i = 0; i < n; i++)
        out->of[list[i].kind] += i == 0 || compare_kind_sets(&list[i - 1], &list[i]) != 0;
    free(list);
    out->of[PREDICATE_BEFORE] = pairs;
    out->of[PREDICATE_LOOP] = out->of[PREDICATE_DEPTH] = numbers;
    for (uint32_t k = 0; k < PREDICATE_KINDS; k++)
        out->of[k] = out->of[k] > 1 ? log2(out->of[k]) : 0;
    return true;
}

/* Rounded, so that equal scores are equal though they were computed from different numbers. */
static double score_of(const struct suspicion *s, enum suspect_sort sort, double cost)
{
    const double digits = 1e12;
    double score = sort == SUSPECT_OCHIAI                ? s->ochiai
                   : sort == SUSPECT_TARANTULA           ? s->tarantula
                   : sort == SUSPECT_BITS                ? fmax(s->bits - cost, 0)
                   : sort == SUSPECT_IMPORTANCE          ? s->importance
                   : s->increase > s->increase_error     ? s->increase
                                                         : 0;

    return round(score * digits) / digits;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* By score; those of one score by how much else speaks for them, then the earliest in failing runs, since causes
 * come before what they lead to, then the simplest. */
struct ordering { const struct suspects *s; };

static int compare_suspects(const void *left, const void *right, void *ctx)
{
    const struct suspect *a = left, *b = right;
    const struct vocabulary *v = &((const struct ordering *)ctx)->s->v;
    const float *when = ((const struct ordering *)ctx)->s->when;
    uint32_t kind_a = v->predicate[a->predicate].kind, kind_b = v->predicate[b->predicate].kind;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->by.ochiai != b->by.ochiai)
        return a->by.ochiai > b->by.ochiai ? -1 : 1;
    if (a->by.increase != b->by.increase)
        return a->by.increase > b->by.increase ? -1 : 1;
    if (when[a->predicate] != when[b->predicate])
        return when[a->predicate] < when[b->predicate] ? -1 : 1;
    if (kind_a != kind_b)
        return kind_a < kind_b ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

/* Suspects that are true of the same runs: group k has member[first[k] .. first[k+1]), in the order of scores. */
struct groups {
    uint32_t *of;              /* by suspect */
    uint32_t *first, *member;  /* predicates */
};

static void groups_free(struct groups *g)
{
    free(g->of);
    free(g->first);
    free(g->member);
}

/* By the groups that g->of tells.  False: no memory. */
static bool gather_members(struct groups *g, const struct ranking *r, size_t n_groups)
{
    g->first = calloc(n_groups + 2, sizeof *g->first);
    g->member = malloc((r->n + 1) * sizeof *g->member);
    if (!g->first || !g->member)
        return false;
    for (size_t i = 0; i < r->n; i++)
        g->first[g->of[i] + 2]++;
    for (size_t k = 0; k < n_groups; k++)
        g->first[k + 2] += g->first[k + 1];
    for (size_t i = 0; i < r->n; i++)
        g->member[g->first[g->of[i] + 1]++] = r->suspect[i].predicate;
    return true;
}

/* Numbers groups in the order of their first members.  SIZE_MAX: no memory; else how many there are. */
static size_t find_groups(struct groups *g, const struct ranking *r)
{
    size_t n_slots = 16, n = 0;
    struct slot { uint64_t set; uint32_t group; } *slots;  /* group: its number plus 1 */

    while (n_slots < 2 * r->n)
        n_slots *= 2;
    slots = calloc(n_slots, sizeof *slots);
    g->of = malloc((r->n + 1) * sizeof *g->of);
    if (!slots || !g->of)
        n = SIZE_MAX;
    for (size_t i = 0; n != SIZE_MAX && i < r->n; i++) {
        size_t s = r->suspect[i].set & (n_slots - 1);

        while (slots[s].group && slots[s].set != r->suspect[i].set)
            s = (s + 1) & (n_slots - 1);
        if (!slots[s].group)
            slots[s] = (struct slot){r->suspect[i].set, (uint32_t)++n};
        g->of[i] = slots[s].group - 1;
    }
    free(slots);
    return n;
}

/* Puts the first of those that are true of the same runs in place of all.  on: by suspect, the predicate
 * that lies on the lines which are asked for, or NONE; afterwards that of any of those.  False: no memory. */
static bool collapse(struct ranking *r, struct groups *g, uint32_t *on)
{
    size_t n_groups = find_groups(g, r), n = 0;

    if (n_groups == SIZE_MAX || !gather_members(g, r, n_groups))
        return false;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t k = g->of[i];

        if (k == n) {
            r->suspect[n] = r->suspect[i];
            on[n++] = on[i];
            continue;
        }
        r->suspect[k].others++;
        on[k] = on[k] == NONE ? on[i] : on[k];
    }
    r->n = n;
    return true;
}

static bool all_seen(struct lines_seen *seen, const struct groups *g, size_t group)
{
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++)
        if (!lines_seen_all(seen, g->member[i]))
            return false;
    return true;
}

static bool see(struct lines_seen *seen, const struct groups *g, size_t group)
{
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++)
        if (!lines_seen_add(seen, g->member[i]))
            return false;
    return true;
}

/* Takes out what lies on no line that better ones do not lie on already.  False: no memory. */
static bool fold(const struct suspects *s, struct ranking *r, const struct groups *g, uint32_t *on)
{
    struct lines_seen seen;
    bool done = lines_seen_init(&seen, &s->v);
    size_t n = 0;

    for (size_t i = 0; done && i < r->n; i++) {
        if (all_seen(&seen, g, i))
            continue;
        done = see(&seen, g, i);
        r->suspect[n] = r->suspect[i];
        on[n++] = on[i];
    }
    r->n_folded = r->n - n;
    r->n = n;
    lines_seen_free(&seen);
    return done;
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
            r->suspect[k].row = (uint32_t)k + 1;
            r->suspect[k].rank = (uint32_t)i + 1;
            r->suspect[k].ties = (uint32_t)(end - i);
        }
    }
}

static void take_all(const struct suspects *s, const struct suspect_request *request, const struct costs *costs,
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
        x.score = score_of(&x.by, request->sort, costs->of[kind]);
        if (x.score > 0 || request->all)
            out->suspect[out->n++] = x;
    }
}

/* fail: by predicate, in how many of n_fail runs it is true; NULL: of all failing runs.  With `fail` the first suspect
 * alone is wanted. */
static bool rank(const struct suspects *s, const struct suspect_request *request, const uint32_t *fail,
                 uint32_t n_fail, struct ranking *out)
{
    uint32_t *on = malloc((s->v.n + (size_t)1) * sizeof *on);
    struct groups g = {0};
    struct costs costs;
    bool done;

    *out = (struct ranking){.suspect = malloc((s->v.n + (size_t)1) * sizeof *out->suspect)};
    done = out->suspect && on && find_costs(s, &costs);
    if (done) {
        take_all(s, request, &costs, fail, n_fail, out);
        qsort_r(out->suspect, out->n, sizeof *out->suspect, compare_suspects, &(struct ordering){s});
        for (size_t i = 0; i < out->n; i++)
            on[i] = predicate_lies_on(&s->v, out->suspect[i].predicate, &request->at)
                        ? out->suspect[i].predicate : NONE;
        if (!request->all)
            done = collapse(out, &g, on) && (fail || fold(s, out, &g, on));
    }
    if (done) {
        number(out);
        keep_those_on(out, on);
    } else {
        ranking_free(out);
    }
    groups_free(&g);
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
        if (kind != PREDICATE_LOOP && kind != PREDICATE_DEPTH && kind != PREDICATE_BOTH && kind != PREDICATE_BEFORE)
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
