/* SPDX-License-Identifier: MIT */
/* invariants.c - the invariants of grammar.h, digrams.h and history.h. */
#include "sequitur/base.h"
#include "sequitur/digrams.h"
#include "sequitur/history.h"
#include "sequitur/runs.h"

#include <stdarg.h>
#include <stdio.h>

struct checker {
    const seq *s;
    uint32_t *uses;          /* by rule */
    uint64_t nodes;          /* guards and symbols seen */
    uint64_t held;           /* digrams in the table */
    char *why;
    size_t why_size;
};

__attribute__((format(printf, 2, 3)))
static int broken(struct checker *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (c->why_size)
        vsnprintf(c->why, c->why_size, format, args);
    va_end(args);
    return SEQ_E_BROKEN;
}

/* G8. */
static bool mark_allowed(const seq *s, uint32_t n)
{
    const struct node *last = &s->nodes[s->nodes[n].next];

    return s->nodes[n].mark == MARK_POSTPONED
        && is_start_guard(s->nodes[last->next].value);
}

/* G5 and one direction of G6, for the digram at n. */
static int check_digram(struct checker *c, uint32_t n)
{
    const seq *s = c->s;
    uint32_t next = s->nodes[n].next;
    uint32_t a = s->nodes[n].value;
    uint32_t b = s->nodes[next].value;

    if (s->nodes[n].mark)
        return mark_allowed(s, n) ? SEQ_OK
                                  : broken(c, "node %u bears mark %u", n, s->nodes[n].mark);
    if (s->runs && runs_touch(s, n))
        return broken(c, "the symbols at node %u and behind it are of one terminal", n);
    uint32_t held = digrams_find(s, a, b);
    if (!held)
        return broken(c, "digram %x %x at node %u is not in the table", a, b, n);
    if (held == n)
        c->held++;
    else if (s->nodes[held].next != n && next != held)
        return broken(c, "digram %x %x stands at nodes %u and %u", a, b, held, n);
    uint32_t third = s->nodes[next].next;
    if (a == b && s->nodes[third].value == a && s->nodes[s->nodes[third].next].value == a
        && !s->nodes[third].mark)
        return broken(c, "a run of four %x begins at node %u", a, n);
    return SEQ_OK;
}

/* G7 for rule r. */
static bool repeats_right(const seq *s, uint32_t r)
{
    uint32_t guard = s->rules[r].guard;
    uint32_t first = s->nodes[guard].next;
    bool start = is_start_guard(s->nodes[guard].value);
    bool pair = s->nodes[s->nodes[first].next].next == guard && !start;

    if (!start && s->rules[r].first != s->nodes[first].value)
        return false;
    for (uint32_t n = first; n != guard; n = s->nodes[n].next)
        if (s->nodes[n].whole != (pair && n == first ? r : 0))
            return false;
    return true;
}

/* A run has no body yet. */
static int check_run(struct checker *c, uint32_t r)
{
    uint32_t guard = c->s->rules[r].guard;

    c->uses[r]++;
    c->nodes++;
    return c->s->nodes[guard].next == guard ? SEQ_OK : broken(c, "run %u has a body", r);
}

/* A rule of the base has no body here, or two symbols (base.h). */
static int check_base_rule(struct checker *c, uint32_t r)
{
    uint32_t guard = c->s->rules[r].guard;
    uint32_t first = c->s->nodes[guard].next;

    c->nodes += first == guard ? 1 : 3;
    return first == guard ? SEQ_OK : check_digram(c, first);
}

/* G1, G3, G4, G7 for rule r, and its digrams. */
static int check_body(struct checker *c, uint32_t r)
{
    const seq *s = c->s;
    uint32_t guard = s->rules[r].guard;
    uint64_t length = 0;
    uint64_t symbols = 0;
    uint32_t before = guard;

    for (uint32_t n = s->nodes[guard].next; n != guard; before = n, n = s->nodes[n].next) {
        uint32_t value = s->nodes[n].value;
        if (n == 0 || n >= s->nodes_used || is_guard(value) || s->nodes[n].prev != before
            || ++symbols > s->nodes_used)
            return broken(c, "rule %u: the ring is torn at node %u", r, n);
        if (is_rule(value)) {
            if (rule_of(value) >= s->rules_used || !s->rules[rule_of(value)].guard)
                return broken(c, "rule %u uses rule %u, which is none", r, rule_of(value));
            c->uses[rule_of(value)]++;
        }
        length += length_of(s, value);
        if (s->nodes[n].next != guard && check_digram(c, n) != SEQ_OK)
            return SEQ_E_BROKEN;
    }
    if (s->nodes[guard].prev != before)
        return broken(c, "rule %u: the ring is torn at its end", r);
    if (length != s->rules[r].length && !(s->finished && is_fast(s)))
        return broken(c, "rule %u derives %llu terminals, not %llu", r,
                      (unsigned long long)length, (unsigned long long)s->rules[r].length);
    if (symbols < 2 && !is_start_guard(s->nodes[guard].value))
        return broken(c, "rule %u has a body of %llu", r, (unsigned long long)symbols);
    if (!repeats_right(s, r))
        return broken(c, "rule %u: its first symbol or length of two is noted wrong", r);
    c->nodes += symbols + 1;
    return SEQ_OK;
}

/* G2. */
static int check_uses(struct checker *c)
{
    const seq *s = c->s;

    for (uint32_t r = 1; r < s->rules_used; r++) {
        if (!s->rules[r].guard || is_of_base(s, r))
            continue;
        bool start = is_start_guard(s->nodes[s->rules[r].guard].value);
        if (c->uses[r] != s->rules[r].count)
            return broken(c, "rule %u is used %u times, not %u", r, c->uses[r], s->rules[r].count);
        /* A run may still wait for its first use. */
        if (start ? c->uses[r] != 0 : c->uses[r] < 2 && !s->rules[r].run)
            return broken(c, "rule %u is used %u times", r, c->uses[r]);
    }
    return SEQ_OK;
}

/* The other direction of G6, and the table's own invariants. */
static int check_table(struct checker *c)
{
    const struct digrams *t = &c->s->digrams;

    if (t->used != c->held)
        return broken(c, "the table has %llu digrams, should have %llu",
                      (unsigned long long)t->used, (unsigned long long)c->held);
    return digrams_check(c->s) ? SEQ_OK : broken(c, "the table's slots are out of order");
}

static int check_all(struct checker *c)
{
    const seq *s = c->s;
    uint32_t live = 0;

    for (uint32_t r = 1; r < s->rules_used; r++) {
        uint32_t guard = s->rules[r].guard;
        if (!guard)
            continue;
        uint32_t value = s->nodes[guard].value;
        if (!is_guard(value) || value == VALUE_FREE || rule_of(value) != r)
            return broken(c, "rule %u: node %u is not its guard", r, guard);
        live += !is_start_guard(value);
        int status = is_of_base(s, r) ? check_base_rule(c, r)
                   : s->rules[r].run ? check_run(c, r) : check_body(c, r);
        if (status != SEQ_OK)
            return SEQ_E_BROKEN;
    }
    if (live != s->rules_live || c->nodes != s->nodes_live)
        return broken(c, "%u rules and %llu nodes live, not %u and %u", live,
                      (unsigned long long)c->nodes, s->rules_live, s->nodes_live);
    if (check_uses(c) != SEQ_OK || check_table(c) != SEQ_OK)
        return SEQ_E_BROKEN;
    if (s->base && !base_check(s))
        return broken(c, "a rule of the base has changed");
    if (s->runs && !runs_check(s))
        return broken(c, "the table of runs and the rules disagree");
    uint32_t culprit;
    if (!history_check(s, &culprit))
        return broken(c, "rule %u is not what the history says", culprit);
    return SEQ_OK;
}

int seq_check(const seq *s, char *why, size_t why_size)
{
    struct checker c = {.s = s, .why = why, .why_size = why_size};
    size_t size = s->rules_used * sizeof *c.uses;

    c.uses = s->realloc(s->realloc_ctx, NULL, 0, size);
    if (!c.uses)
        return SEQ_E_NOMEM;
    for (uint32_t r = 0; r < s->rules_used; r++)
        c.uses[r] = 0;
    int status = check_all(&c);
    s->realloc(s->realloc_ctx, c.uses, size, 0);
    return status;
}
