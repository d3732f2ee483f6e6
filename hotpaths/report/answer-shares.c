/* SPDX-License-Identifier: MIT */
/* answer-shares.c - the share that each answer adds to those above it; see answer-shares.h. */
#include "hotpaths/report/answer-shares.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/saturate.h"

/* ---- Groups --------------------------------------------------------------------------------- */

/* Sorts the items into answers, by their leaders: those of one answer are neighbours in
 * `members`. */
static int gather(struct answers *a, const struct shown_list *s)
{
    size_t *at = calloc(s->n + 1, sizeof *at), used = 0;

    a->answer = calloc(s->n + 1, sizeof *a->answer);
    a->members = malloc((s->n + 1) * sizeof *a->members);
    if (!at || !a->answer || !a->members) {
        free(at);
        return HOT_E_MEMORY;
    }
    for (size_t i = 0; i < s->n; i++) {
        size_t leader = s->item[i].group;

        assert(leader <= i);
        if (leader == i) {
            at[i] = a->n;
            a->answer[a->n++].leader = i;
        }
        a->answer[at[leader]].n_members++;
    }
    assert(a->n <= s->n);
    for (size_t k = 0; k < a->n; k++) {
        a->answer[k].member = a->members + used;
        used += a->answer[k].n_members;
        a->answer[k].n_members = 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        struct answer *answer = &a->answer[at[s->item[i].group]];

        assert(answer->leader <= i && answer->n_members < s->n);
        answer->member[answer->n_members++] = i;
    }
    free(at);
    return HOT_OK;
}

void answers_free(struct answers *a)
{
    free(a->answer);
    free(a->members);
    *a = (struct answers){ 0 };
}

/* ---- Covering ------------------------------------------------------------------------------- */

struct choosing {
    struct answers *a;
    const struct shown_list *s;
    size_t *part;               /* of each answer: the least index of those that it may overlap */
    bool *stale;                /* of each answer: one with a common path has been chosen since */
    uint64_t *covered;          /* of each part: cost covered by the chosen ones */
    size_t *stamp;              /* of each terminal: 1 + the leader of the last answer that
                                   contains it */
    struct hot_string *string;  /* scratch, room for all */
    size_t readings;
};

static size_t add_strings(struct choosing *c, size_t n, const struct answer *answer)
{
    for (size_t i = 0; i < answer->n_members; i++) {
        const struct hot_subpath *p = &c->s->item[answer->member[i]].path;

        assert(answer->member[i] < c->s->n && n < c->s->n);     /* each subpath is there once */
        c->string[n++] = (struct hot_string){ p->terminals, p->length };
    }
    return n;
}

static int read_cover(struct choosing *c, size_t n, uint64_t *covered)
{
    c->readings++;
    return hot_cover(c->s->g, c->s->cost, c->s->thread, c->string, n, covered);
}

static size_t part_root(size_t *part, size_t k)
{
    while (part[k] != k)
        k = part[k] = part[part[k]];
    return k;
}

/* Finds the parts: answers with a common path are in the same part. */
static int find_parts(struct choosing *c)
{
    size_t *last = calloc((size_t)c->s->g->n_terminals + 1, sizeof *last);

    if (!last)
        return HOT_E_MEMORY;
    for (size_t k = 0; k < c->a->n; k++)
        c->part[k] = k;
    for (size_t k = 0; k < c->a->n; k++)
        for (size_t i = 0; i < c->a->answer[k].n_members; i++) {
            const struct hot_subpath *p = &c->s->item[c->a->answer[k].member[i]].path;

            for (uint32_t t = 0; t < p->length; t++) {
                size_t *before = &last[p->terminals[t]];

                if (*before)
                    c->part[part_root(c->part, k)] = part_root(c->part, *before - 1);
                *before = k + 1;
            }
        }
    for (size_t k = 0; k < c->a->n; k++)
        c->part[k] = part_root(c->part, k);
    for (size_t k = 0; k < c->a->n; k++)
        assert(c->part[c->part[k]] == c->part[k]);
    free(last);
    return HOT_OK;
}

/* Finds the cost of an answer.  For a single subpath, and for disjoint ones, that is the own
 * cost. */
static int find_cost(struct choosing *c, struct answer *answer, bool disjoint)
{
    if (answer->n_members > 1 && !disjoint)
        return read_cover(c, add_strings(c, 0, answer), &answer->cost);
    for (size_t i = 0; i < answer->n_members; i++)
        answer->cost = saturating_add(answer->cost,
                                      c->s->item[answer->member[i]].path.own_cost);
    return HOT_OK;
}

/* Finds how much answer k adds to the first n, which are chosen; those of other parts do not
 * matter. */
static int ask(struct choosing *c, size_t n, size_t k)
{
    size_t root = c->part[k], strings = 0;
    uint64_t covered;
    int status;

    for (size_t i = 0; i < n; i++)
        if (c->part[i] == root)
            strings = add_strings(c, strings, &c->a->answer[i]);
    status = read_cover(c, add_strings(c, strings, &c->a->answer[k]), &covered);
    if (status == HOT_OK) {
        uint64_t adds = covered > c->covered[root] ? covered - c->covered[root] : 0;

        /* Never more than before: occurrences that do not overlap are counted differently. */
        if (adds < c->a->answer[k].own)
            c->a->answer[k].own = adds;
        c->stale[k] = false;
    }
    return status;
}

static void swap_answers(struct choosing *c, size_t i, size_t k)
{
    struct answer answer = c->a->answer[i];
    size_t part = c->part[i];
    bool stale = c->stale[i];

    c->a->answer[i] = c->a->answer[k];
    c->part[i] = c->part[k];
    c->stale[i] = c->stale[k];
    c->a->answer[k] = answer;
    c->part[k] = part;
    c->stale[k] = stale;
}

/* From n on, the answer with the largest own cost, which may be an upper bound; of equals the one
 * with the best rank. */
static size_t best_from(const struct choosing *c, size_t n)
{
    size_t best = n;

    for (size_t k = n + 1; k < c->a->n; k++) {
        const struct answer *a = &c->a->answer[k], *b = &c->a->answer[best];

        if (a->own > b->own || (a->own == b->own && a->leader < b->leader))
            best = k;
    }
    return best;
}

static bool has_stamped(const struct choosing *c, const struct answer *a, size_t stamp)
{
    for (size_t i = 0; i < a->n_members; i++) {
        const struct hot_subpath *p = &c->s->item[a->member[i]].path;

        for (uint32_t t = 0; t < p->length; t++)
            if (c->stamp[p->terminals[t]] == stamp)
                return true;
    }
    return false;
}

/* Marks the answers behind n that may overlap it: they must be asked again. */
static void make_stale(struct choosing *c, size_t n)
{
    const struct answer *a = &c->a->answer[n];
    size_t stamp = a->leader + 1;

    for (size_t i = 0; i < a->n_members; i++) {
        const struct hot_subpath *p = &c->s->item[a->member[i]].path;

        for (uint32_t t = 0; t < p->length; t++)
            c->stamp[p->terminals[t]] = stamp;
    }
    for (size_t k = n + 1; k < c->a->n; k++)
        if (c->part[k] == c->part[n] && !c->stale[k])
            c->stale[k] = has_stamped(c, &c->a->answer[k], stamp);
}

/* Chooses the next answer, behind n. */
static int choose_next(struct choosing *c, size_t n, size_t most_readings)
{
    size_t k, root;

    for (;;) {
        k = best_from(c, n);
        root = c->part[k];
        if (!c->stale[k])
            break;
        if (c->readings >= most_readings) {
            c->a->answer[k].at_most = true;
            break;
        }
        if (ask(c, n, k) != HOT_OK)
            return HOT_E_MEMORY;
    }
    c->covered[root] = saturating_add(c->covered[root], c->a->answer[k].own);
    swap_answers(c, n, k);
    make_stale(c, n);
    return HOT_OK;
}

static int choose(struct choosing *c, bool disjoint, size_t top)
{
    struct answers *a = c->a;
    int status = find_parts(c);
    size_t n = 0;

    for (size_t k = 0; k < a->n && status == HOT_OK; k++) {
        status = find_cost(c, &a->answer[k], disjoint);
        a->answer[k].own = a->answer[k].cost;
        if (disjoint)
            c->part[k] = k;
    }
    c->readings = 0;
    for (; n < a->n && n < top && status == HOT_OK; n++) {
        status = choose_next(c, n, SHARES_READINGS);
        a->own = saturating_add(a->own, a->answer[n].own);
        a->n_subpaths += a->answer[n].n_members;
    }
    a->n = n;
    return status;
}

/* ---- In any order --------------------------------------------------------------------------- */

/* Executions of each terminal, of the list's thread or all. */
static int count_terminals(const struct shown_list *s, uint64_t *count)
{
    const struct wpp_grammar *g = s->g;
    size_t n = (size_t)g->n_rules + g->n_threads;
    uint64_t *times = calloc(n + 1, sizeof *times);

    if (!times)
        return HOT_E_MEMORY;
    memset(count, 0, g->n_terminals * sizeof *count);
    for (uint32_t k = 0; k < g->n_threads; k++)
        times[g->n_rules + k] = s->thread == HOT_ALL_THREADS || s->thread == k;
    for (size_t r = n; r-- > 0;)
        for (uint64_t i = g->body[r]; times[r] && i < g->body[r + 1]; i++) {
            uint32_t symbol = g->symbols[i];
            uint64_t *to = symbol & WPP_RULE ? &times[symbol & ~WPP_RULE] : &count[symbol];

            *to = saturating_add(*to, times[r]);
        }
    free(times);
    return HOT_OK;
}

/* seen[t] is k + 1 when terminal t is counted for answer k. */
static uint64_t any_order(const struct answers *a, size_t k, const struct shown_list *s,
                          const uint64_t *count, size_t *seen)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->answer[k].n_members; i++) {
        const struct hot_subpath *p = &s->item[a->answer[k].member[i]].path;

        for (uint32_t j = 0; j < p->length; j++) {
            uint32_t t = p->terminals[j];

            if (seen[t] != k + 1)
                sum = saturating_add(sum, saturating_mul(count[t], s->cost[t]));
            seen[t] = k + 1;
        }
    }
    return sum;
}

static int find_any_order(struct answers *a, const struct shown_list *s)
{
    uint64_t *count = malloc(((size_t)s->g->n_terminals + 1) * sizeof *count);
    size_t *seen = calloc((size_t)s->g->n_terminals + 1, sizeof *seen);
    int status = count && seen ? count_terminals(s, count) : HOT_E_MEMORY;

    for (size_t k = 0; status == HOT_OK && k < a->n; k++)
        a->answer[k].any_order = any_order(a, k, s, count, seen);
    free(count);
    free(seen);
    return status;
}

/* ---- The whole
 * --------------------------------------------------------------------------------- */

int answers_find(struct answers *a, const struct shown_list *s, bool disjoint, size_t top)
{
    struct choosing c = { .a = a, .s = s };
    int status;

    *a = (struct answers){ 0 };
    status = gather(a, s);
    c.part = calloc(a->n + 1, sizeof *c.part);
    c.stale = calloc(a->n + 1, sizeof *c.stale);
    c.stamp = calloc((size_t)s->g->n_terminals + 1, sizeof *c.stamp);
    c.covered = calloc(a->n + 1, sizeof *c.covered);
    c.string = calloc(s->n + 1, sizeof *c.string);
    if (!c.part || !c.stale || !c.stamp || !c.covered || !c.string)
        status = HOT_E_MEMORY;
    if (status == HOT_OK)
        status = choose(&c, disjoint, top);
    if (status == HOT_OK)
        status = find_any_order(a, s);
    free(c.part);
    free(c.stale);
    free(c.stamp);
    free(c.covered);
    free(c.string);
    return status;
}
