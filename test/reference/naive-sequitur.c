/* SPDX-License-Identifier: MIT */
#include "test/reference/naive-sequitur.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RULES = 96, MAX_BODY = 256, MAX_STARTS = 4, MAX_IDS = 2048 };
#define NOTHING UINT32_MAX
#define A_RULE UINT32_C(0x80000000)

struct symbol {
    uint32_t value;          /* a terminal or A_RULE | rule */
    unsigned id;             /* never used again */
};

struct body {
    bool live;
    unsigned length;
    struct symbol at[MAX_BODY];
};

struct place {
    unsigned rule;
    unsigned i;
};

struct naive {
    bool look_ahead;
    struct body rules[MAX_RULES];        /* the first MAX_STARTS are start rules */
    uint32_t held[MAX_STARTS];
    unsigned ids;
    bool waits[MAX_IDS];                 /* by id: the digram there is in the queue */
    bool postponed[MAX_IDS];             /* by id: left for the rule that the look-ahead saw */
    unsigned queue[MAX_IDS];
    unsigned head, tail;
    unsigned active;
    uint32_t ahead;
    bool merged;
};

static void must(bool truth)
{
    if (!truth)
        abort();
}

struct naive *naive_new(bool look_ahead)
{
    struct naive *g = calloc(1, sizeof *g);

    must(g != NULL);
    g->look_ahead = look_ahead;
    for (unsigned k = 0; k < MAX_STARTS; k++) {
        g->rules[k].live = true;
        g->held[k] = NOTHING;
    }
    return g;
}

void naive_free(struct naive *g)
{
    free(g);
}

static unsigned new_id(struct naive *g)
{
    must(g->ids < MAX_IDS);
    return g->ids++;
}

static bool find_id(const struct naive *g, unsigned id, struct place *p)
{
    for (p->rule = 0; p->rule < MAX_RULES; p->rule++)
        for (p->i = 0; g->rules[p->rule].live && p->i < g->rules[p->rule].length; p->i++)
            if (g->rules[p->rule].at[p->i].id == id)
                return true;
    return false;
}

static bool is_digram(const struct naive *g, struct place p)
{
    return p.i + 1 < g->rules[p.rule].length;
}

static bool is_present(const struct naive *g, struct place p)
{
    unsigned id = g->rules[p.rule].at[p.i].id;

    return is_digram(g, p) && !g->waits[id] && !g->postponed[id];
}

static void wait_at(struct naive *g, unsigned rule, int i)
{
    if (i < 0 || !is_digram(g, (struct place){rule, (unsigned)i}))
        return;
    unsigned id = g->rules[rule].at[i].id;
    if (g->waits[id])
        return;
    g->waits[id] = true;
    must(g->tail < MAX_IDS);
    g->queue[g->tail++] = id;
}

/* Replaces `old` symbols at p by the `new` ones. */
static void splice(struct naive *g, struct place p, unsigned old, const struct symbol *new,
                   unsigned count)
{
    struct body *b = &g->rules[p.rule];

    must(b->length - old + count <= MAX_BODY);
    memmove(b->at + p.i + count, b->at + p.i + old,
            (b->length - p.i - old) * sizeof *b->at);
    memcpy(b->at + p.i, new, count * sizeof *new);
    b->length += count - old;
}

static unsigned uses(const struct naive *g, unsigned rule)
{
    unsigned n = 0;

    for (unsigned r = 0; r < MAX_RULES; r++)
        for (unsigned i = 0; g->rules[r].live && i < g->rules[r].length; i++)
            n += g->rules[r].at[i].value == (A_RULE | rule);
    return n;
}

static bool same_digram(const struct naive *g, struct place p, struct place q)
{
    const struct symbol *a = g->rules[p.rule].at + p.i;
    const struct symbol *b = g->rules[q.rule].at + q.i;

    return a[0].value == b[0].value && a[1].value == b[1].value;
}

static bool overlap(struct place p, struct place q)
{
    return p.rule == q.rule && (p.i == q.i || p.i + 1 == q.i || q.i + 1 == p.i);
}

/* The first present digram that equals the one at w without overlapping it. */
static bool find_twin(const struct naive *g, struct place w, struct place *twin)
{
    struct place p;
    bool found = false;

    for (p.rule = 0; p.rule < MAX_RULES; p.rule++)
        for (p.i = 0; g->rules[p.rule].live && p.i + 1 < g->rules[p.rule].length; p.i++) {
            if (!is_present(g, p) || overlap(p, w) || !same_digram(g, p, w))
                continue;
            /* Uniqueness held before: more than one only within a run. */
            must(!found || p.rule == twin->rule);
            if (!found)
                *twin = p;
            found = true;
        }
    return found;
}

static bool is_whole_rule(const struct naive *g, struct place p)
{
    return p.rule >= MAX_STARTS && p.i == 0 && g->rules[p.rule].length == 2;
}

static bool some_rule_is(const struct naive *g, uint32_t a, uint32_t b)
{
    for (unsigned r = MAX_STARTS; r < MAX_RULES; r++) {
        const struct body *body = &g->rules[r];
        if (body->live && body->length == 2 && body->at[0].value == a && body->at[1].value == b
            && is_present(g, (struct place){r, 0}))
            return true;
    }
    return false;
}

static unsigned new_rule(struct naive *g)
{
    unsigned r = MAX_STARTS;

    while (r < MAX_RULES && g->rules[r].live)
        r++;
    must(r < MAX_RULES);
    g->rules[r].live = true;
    g->rules[r].length = 0;
    return r;
}

/* The digram at p becomes a use of `rule`; the symbol keeps the name of the first. */
static void use_rule(struct naive *g, struct place p, unsigned rule)
{
    struct symbol symbol = {A_RULE | rule, g->rules[p.rule].at[p.i].id};

    g->postponed[symbol.id] = false;
    splice(g, p, 2, &symbol, 1);
    wait_at(g, p.rule, (int)p.i - 1);
    wait_at(g, p.rule, (int)p.i);
}

static unsigned make_rule(struct naive *g, struct place twin, unsigned w_id)
{
    unsigned r = new_rule(g);
    struct symbol symbol = {A_RULE | r, new_id(g)};
    struct place w;

    splice(g, (struct place){r, 0}, 0, g->rules[twin.rule].at + twin.i, 2);
    g->postponed[g->rules[r].at[1].id] = false;
    splice(g, twin, 2, &symbol, 1);
    wait_at(g, twin.rule, (int)twin.i - 1);
    wait_at(g, twin.rule, (int)twin.i);
    must(find_id(g, w_id, &w));
    use_rule(g, w, r);
    return r;
}

/* Rule utility for the i-th symbol of a rule. */
static void dissolve(struct naive *g, unsigned rule, unsigned i)
{
    uint32_t value = g->rules[rule].at[i].value;

    if (!(value & A_RULE) || uses(g, value & ~A_RULE) != 1)
        return;
    struct body *inner = &g->rules[value & ~A_RULE];
    inner->live = false;
    splice(g, (struct place){rule, i}, 1, inner->at, inner->length);
    wait_at(g, rule, (int)i - 1);
    wait_at(g, rule, (int)(i + inner->length) - 1);
}

/* Two rules came to be the same. */
static void merge(struct naive *g, unsigned from, unsigned to)
{
    g->merged = true;
    g->rules[from].live = false;
    for (unsigned r = 0; r < MAX_RULES; r++)
        for (unsigned i = 0; g->rules[r].live && i < g->rules[r].length; i++)
            if (g->rules[r].at[i].value == (A_RULE | from)) {
                g->rules[r].at[i].value = A_RULE | to;
                g->postponed[g->rules[r].at[i].id] = false;
                wait_at(g, r, (int)i - 1);
                wait_at(g, r, (int)i);
            }
}

bool naive_merged(const struct naive *g)
{
    return g->merged;
}

static void check_digram(struct naive *g, struct place w)
{
    unsigned id = g->rules[w.rule].at[w.i].id;
    struct place twin;
    unsigned r;

    if (!find_twin(g, w, &twin))
        return;
    if (is_whole_rule(g, twin) && is_whole_rule(g, w)) {
        merge(g, w.rule, r = twin.rule);
    } else if (is_whole_rule(g, twin)) {
        use_rule(g, w, r = twin.rule);
    } else if (is_whole_rule(g, w)) {
        use_rule(g, twin, r = w.rule);
    } else if (w.rule == g->active && w.i + 2 == g->rules[w.rule].length && g->ahead != NOTHING
               && some_rule_is(g, g->rules[w.rule].at[w.i + 1].value, g->ahead)) {
        g->postponed[id] = true;
        return;
    } else {
        r = make_rule(g, twin, id);
    }
    unsigned last = g->rules[r].length - 1;
    unsigned last_id = g->rules[r].at[last].id;
    struct place p;
    dissolve(g, r, 0);
    if (find_id(g, last_id, &p))
        dissolve(g, p.rule, p.i);
}

static void repair(struct naive *g)
{
    struct place p;

    while (g->head < g->tail) {
        unsigned id = g->queue[g->head++];
        g->waits[id] = g->postponed[id] = false;
        if (find_id(g, id, &p) && is_digram(g, p))
            check_digram(g, p);
    }
    g->head = g->tail = 0;
}

static void append_one(struct naive *g, unsigned start, uint32_t terminal, uint32_t ahead)
{
    struct body *b = &g->rules[start];
    struct symbol symbol = {terminal, new_id(g)};

    splice(g, (struct place){start, b->length}, 0, &symbol, 1);
    g->active = start;
    g->ahead = g->look_ahead ? ahead : NOTHING;
    wait_at(g, start, (int)b->length - 2);
    if (b->length >= 3 && g->postponed[b->at[b->length - 3].id])
        wait_at(g, start, (int)b->length - 3);
    repair(g);
}

void naive_append(struct naive *g, unsigned start, uint32_t terminal)
{
    must(start < MAX_STARTS);
    if (g->held[start] != NOTHING)
        append_one(g, start, g->held[start], terminal);
    g->held[start] = terminal;
}

/* The two properties over the whole grammar, by looking at every pair. */
static void verify(const struct naive *g)
{
    struct place p, twin;

    for (p.rule = 0; p.rule < MAX_RULES; p.rule++) {
        if (!g->rules[p.rule].live)
            continue;
        must(p.rule < MAX_STARTS || (uses(g, p.rule) >= 2 && g->rules[p.rule].length >= 2));
        for (p.i = 0; is_digram(g, p); p.i++)
            must(!find_twin(g, p, &twin));
    }
}

void naive_finish(struct naive *g)
{
    for (unsigned k = 0; k < MAX_STARTS; k++)
        if (g->held[k] != NOTHING)
            append_one(g, k, g->held[k], NOTHING);
    verify(g);
}

struct listing {
    const struct naive *g;
    uint32_t *words;
    size_t count, room;
    unsigned rules;
    unsigned number[MAX_RULES];          /* 1 + number, 0 for none yet */
};

static void list_body(struct listing *l, const struct body *b)
{
    must(l->count + 1 + b->length <= l->room);
    l->words[l->count++] = b->length;
    for (unsigned i = 0; i < b->length; i++) {
        uint32_t value = b->at[i].value;
        l->words[l->count++] = value & A_RULE ? A_RULE | (l->number[value & ~A_RULE] - 1) : value;
    }
}

/* Lists the rules that this one reaches first, those they need before them. */
static void list_below(struct listing *l, unsigned rule)
{
    const struct body *b = &l->g->rules[rule];

    for (unsigned i = 0; i < b->length; i++) {
        unsigned below = b->at[i].value & ~A_RULE;
        if (!(b->at[i].value & A_RULE) || l->number[below])
            continue;
        list_below(l, below);
        l->number[below] = ++l->rules;
        list_body(l, &l->g->rules[below]);
    }
}

size_t naive_export(const struct naive *g, unsigned starts, uint32_t *words, size_t room)
{
    struct listing l = {.g = g, .words = words, .room = room};

    for (unsigned k = 0; k < starts; k++)
        list_below(&l, k);
    for (unsigned k = 0; k < starts; k++)
        list_body(&l, &g->rules[k]);
    return l.count;
}
