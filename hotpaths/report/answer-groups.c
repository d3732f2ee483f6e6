/* SPDX-License-Identifier: MIT */
/* answer-groups.c - finds hot subpaths that are one answer; see answer-groups.h. */
#include "hotpaths/report/answer-groups.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/saturate.h"

/* ---- Scopes ------------------------------------------------------------------------------ */

/* The loop whose back edge the path takes at its end; header SCOPE_NO_LOOP: none. */
static struct answer_scope loop_of(const wpp *w, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    struct answer_scope none = { t->routine, SCOPE_NO_LOOP };
    const struct wpp_edge *last;

    if (t->routine == WPP_NO_ROUTINE || t->n_edges == 0)
        return none;
    last = &wpp_routine(w, t->routine)->edges[t->edges[t->n_edges - 1]];
    return (struct answer_scope){ t->routine, last->kind == WPP_EDGE_END_BACK ? last->to
                                                                              : SCOPE_NO_LOOP };
}

static bool same_scope(struct answer_scope a, struct answer_scope b)
{
    return a.routine == b.routine && a.header == b.header;
}

/* The routine of the first step of the least depth. */
static struct answer_scope outermost(const wpp *w, const struct outline *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t routine = wpp_terminal(w, s->steps[i].terminal)->routine;

        if (s->steps[i].depth == 0 && routine != WPP_NO_ROUTINE)
            return (struct answer_scope){ routine, SCOPE_NO_LOOP };
    }
    return (struct answer_scope){ WPP_NO_ROUTINE, SCOPE_NO_LOOP };
}

struct answer_scope answer_scope(const wpp *w, const struct outline *s, size_t n)
{
    enum { MOST_LOOPS = 64 };
    struct answer_scope loops[MOST_LOOPS], best = outermost(w, s, n);
    size_t times[MOST_LOOPS], n_loops = 0, most = 0;

    for (size_t i = 0, k; i < n; i++) {
        struct answer_scope loop = loop_of(w, s->steps[i].terminal);

        for (k = 0; k < n_loops && !same_scope(loops[k], loop); k++)
            ;
        if (loop.header == SCOPE_NO_LOOP || k == MOST_LOOPS)
            continue;
        assert(k <= n_loops && n_loops <= MOST_LOOPS);
        if (k == n_loops) {
            loops[k] = loop;
            times[n_loops++] = 0;
        }
        times[k]++;
    }
    for (size_t k = 0; k < n_loops; k++)
        if (times[k] > most) {
            most = times[k];
            best = loops[k];
        }
    return best;
}

/* ---- Groups ------------------------------------------------------------------------------- */

/* Sets of terminals: t is in set number n when stamp[t] is n. */
struct sets {
    uint32_t *mine, *others;
    uint32_t n_others;
    const uint64_t *cost;
};

static void stamp(uint32_t *stamps, struct hot_string s, uint32_t number)
{
    for (uint32_t i = 0; i < s.length; i++)
        stamps[s.terminals[i]] = number;
}

/* Whether paths in the set make up more than half of the string's cost. */
static bool mostly_in(const struct sets *sets, const uint32_t *stamps, uint32_t number,
                      struct hot_string s)
{
    uint64_t within = 0, outside = 0;

    for (uint32_t i = 0; i < s.length; i++) {
        uint64_t *sum = stamps[s.terminals[i]] == number ? &within : &outside;

        *sum = saturating_add(*sum, sets->cost[s.terminals[i]]);
    }
    return within > outside;
}

/* A bit for each terminal, not always a different one: strings without a common bit have no common
 * path. */
static uint64_t bits_of(struct hot_string s)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < s.length; i++)
        bits |= UINT64_C(1) << (s.terminals[i] * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    return bits;
}

/* The first of `n_leaders` of which `a` is an alternative, or NULL. */
static const struct grouped *find_leader(struct sets *sets, const struct grouped *all,
                                         const uint64_t *bits, const size_t *leaders,
                                         size_t n_leaders, const struct grouped *a)
{
    uint32_t mine = (uint32_t)(a - all) + 1;

    assert(n_leaders < mine);           /* all of them rank above it */
    stamp(sets->mine, a->string, mine);
    for (size_t k = 0; k < n_leaders; k++) {
        const struct grouped *leader = &all[leaders[k]];

        if (!same_scope(leader->scope, a->scope) || !(bits[leaders[k]] & bits[a - all]) ||
            !mostly_in(sets, sets->mine, mine, leader->string))
            continue;
        assert(leaders[k] < (size_t)(a - all) && leader->leader == leaders[k]);
        stamp(sets->others, leader->string, ++sets->n_others);
        if (mostly_in(sets, sets->others, sets->n_others, a->string))
            return leader;
    }
    return NULL;
}

int answers_group(struct grouped *a, size_t n, const uint64_t *cost, uint32_t n_terminals)
{
    struct sets sets = { .mine = calloc((size_t)n_terminals + 1, sizeof *sets.mine),
                         .others = calloc((size_t)n_terminals + 1, sizeof *sets.others),
                         .cost = cost };
    uint64_t *bits = malloc((n + 1) * sizeof *bits);
    size_t *leaders = malloc((n + 1) * sizeof *leaders), n_leaders = 0;
    bool good = sets.mine && sets.others && bits && leaders;

    assert(n < UINT32_MAX);
    for (size_t i = 0; good && i < n; i++) {
        const struct grouped *leader;

        bits[i] = bits_of(a[i].string);
        leader = find_leader(&sets, a, bits, leaders, n_leaders, &a[i]);
        assert(a[i].string.length > 0 && n_leaders <= i);
        a[i].leader = leader ? (size_t)(leader - a) : i;
        if (!leader)
            leaders[n_leaders++] = i;
    }
    free(sets.mine);
    free(sets.others);
    free(bits);
    free(leaders);
    return good ? HOT_OK : HOT_E_MEMORY;
}
