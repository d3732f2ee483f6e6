/* SPDX-License-Identifier: MIT */
#include "wpp/replay/string-finder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/read/reader.h"

enum { UNKNOWN = 0xffffffff, MARK_STEP = 64 };

/* What a rule does that begins in a state. */
struct effect {
    uint64_t count;                /* occurrences that end in it */
    uint32_t behind;               /* the state; UNKNOWN: it has not been made */
};

struct entry {
    uint32_t rule, before;         /* before == 0: the entry is free */
    struct effect effect;
};

/* A rule that is being read. */
struct reading {
    uint32_t rule, before, now;
    uint64_t next;                 /* symbol */
    uint64_t count;
};

struct string_finder {
    const struct wpp_grammar *g;
    struct prefix_sums events;     /* of the file */
    uint32_t n;                    /* of the string; the states are 0 to n - 1 */
    uint32_t *string, *shorter;    /* shorter[q]: the longest other state that state q is one of, too */
    struct effect *from_0;         /* by rule: most rules begin there */
    struct entry *table;           /* the others, by open addressing */
    size_t used, room;             /* room is a power of 2 */
    struct reading *stack;
    size_t depth, stack_room;
    uint32_t threads;              /* so many have been read */
    uint64_t first_start;          /* symbol of the first start rule */
    struct effect *marks;          /* of start rules, in front of every MARK_STEP-th symbol from there on: state, and
                                      occurrences of the thread before it */
};

/* ---- The automaton -------------------------------------------------------------------------------------- */

/* The state behind a terminal; *found: an occurrence ends there. */
static uint32_t step(const struct string_finder *f, uint32_t q, uint32_t terminal, bool *found)
{
    while (q > 0 && f->string[q] != terminal)
        q = f->shorter[q];
    q += f->string[q] == terminal;
    *found = q == f->n;
    return *found ? f->shorter[q] : q;
}

static void make_shorter(struct string_finder *f)
{
    f->shorter[0] = f->shorter[1] = 0;
    for (uint32_t i = 1; i < f->n; i++) {
        uint32_t q = f->shorter[i];

        while (q > 0 && f->string[q] != f->string[i])
            q = f->shorter[q];
        f->shorter[i + 1] = q + (f->string[q] == f->string[i]);
    }
}

/* ---- What is known ---------------------------------------------------------------------------------------- */

static size_t slot_of(const struct string_finder *f, uint32_t rule, uint32_t before)
{
    uint64_t hash = ((uint64_t)before << 32 | rule) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> 20) & (f->room - 1);

    while (f->table[i].before && (f->table[i].rule != rule || f->table[i].before != before))
        i = (i + 1) & (f->room - 1);
    return i;
}

static struct effect effect_of(const struct string_finder *f, uint32_t rule, uint32_t before)
{
    const struct entry *e;

    if (before == 0)
        return f->from_0[rule];
    e = &f->table[slot_of(f, rule, before)];
    return e->before ? e->effect : (struct effect){0, UNKNOWN};
}

/* What a symbol does; one that is a rule is known. */
static struct effect symbol_effect(const struct string_finder *f, uint32_t symbol, uint32_t before)
{
    struct effect e;
    bool found;

    if (symbol & WPP_RULE)
        return effect_of(f, symbol & ~WPP_RULE, before);
    e.behind = step(f, before, symbol, &found);
    e.count = found;
    return e;
}

static bool grow(struct string_finder *f)
{
    struct entry *old = f->table;
    size_t n = f->room;

    f->table = calloc(2 * n, sizeof *f->table);
    if (!f->table) {
        f->table = old;
        return false;
    }
    f->room = 2 * n;
    for (size_t i = 0; i < n; i++)
        if (old[i].before)
            f->table[slot_of(f, old[i].rule, old[i].before)] = old[i];
    free(old);
    return true;
}

/* Keeps what a rule does.  False: no memory. */
static bool keep(struct string_finder *f, const struct reading *r)
{
    struct effect e = {r->count, r->now};

    if (r->before == 0) {
        f->from_0[r->rule] = e;
        return true;
    }
    if (2 * ++f->used > f->room && !grow(f))
        return false;
    f->table[slot_of(f, r->rule, r->before)] = (struct entry){r->rule, r->before, e};
    return true;
}

/* ---- Reading the grammar ------------------------------------------------------------------------------------ */

static bool push(struct string_finder *f, uint32_t rule, uint32_t before)
{
    if (f->depth == f->stack_room) {
        size_t room = f->stack_room ? 2 * f->stack_room : 64;
        struct reading *larger = realloc(f->stack, room * sizeof *larger);

        if (!larger)
            return false;
        f->stack = larger;
        f->stack_room = room;
    }
    f->stack[f->depth++] = (struct reading){rule, before, before, f->g->body[rule], 0};
    return true;
}

/* Reads the next symbol of the innermost rule, or begins to read the rule that it is, or ends this rule. */
static bool read_symbol(struct string_finder *f)
{
    struct reading *r = &f->stack[f->depth - 1];
    struct effect e;

    if (r->next == f->g->body[r->rule + 1]) {
        f->depth--;
        return keep(f, r);
    }
    if (r->rule >= f->g->n_rules && (r->next - f->first_start) % MARK_STEP == 0)
        f->marks[(r->next - f->first_start) / MARK_STEP] = (struct effect){r->count, r->now};
    e = symbol_effect(f, f->g->symbols[r->next], r->now);
    if (e.behind == UNKNOWN)
        return push(f, f->g->symbols[r->next] & ~WPP_RULE, r->now);
    r->now = e.behind;
    r->count += e.count;
    r->next++;
    return true;
}

enum string_state string_finder_go_on(struct string_finder *f, uint64_t symbols)
{
    for (; symbols > 0; symbols--) {
        if (f->depth == 0 && f->threads == f->g->n_threads)
            return STRING_READY;
        if (!(f->depth > 0 ? read_symbol(f) : push(f, f->g->n_rules + f->threads++, 0)))
            return STRING_NO_MEMORY;
    }
    return STRING_MORE;
}

static bool make_room(struct string_finder *f, const wpp *w, const uint32_t *terminals)
{
    size_t n_rules = f->g->n_rules + (size_t)f->g->n_threads;
    uint64_t n_start;

    f->events = wpp_event_sums(w);
    f->first_start = f->g->body[f->g->n_rules];
    n_start = f->g->body[n_rules] - f->first_start;
    f->room = 64;
    f->string = malloc(f->n * sizeof *f->string);
    f->shorter = malloc((f->n + (size_t)1) * sizeof *f->shorter);
    f->from_0 = malloc((n_rules + 1) * sizeof *f->from_0);
    f->table = calloc(f->room, sizeof *f->table);
    f->marks = malloc((n_start / MARK_STEP + 1) * sizeof *f->marks);
    if (!f->string || !f->shorter || !f->from_0 || !f->table || !f->marks)
        return false;
    memcpy(f->string, terminals, f->n * sizeof *terminals);
    for (size_t i = 0; i < n_rules; i++)
        f->from_0[i] = (struct effect){0, UNKNOWN};
    make_shorter(f);
    return true;
}

struct string_finder *string_finder_begin(const wpp *w, const uint32_t *terminals, uint32_t n,
                                          struct wpp_error *error)
{
    struct string_finder *f;

    assert(n > 0);
    if (wpp_missing(w) & WPP_PART_GRAMMAR) {
        wpp_fail(error, WPP_E_DAMAGED, "the grammar is missing");
        return NULL;
    }
    f = calloc(1, sizeof *f);
    if (f) {
        f->g = wpp_grammar(w);
        f->n = n;
    }
    if (!f || !make_room(f, w, terminals)) {
        string_finder_free(f);
        wpp_fail_memory(error);
        return NULL;
    }
    return f;
}

void string_finder_free(struct string_finder *f)
{
    if (!f)
        return;
    free(f->string);
    free(f->shorter);
    free(f->from_0);
    free(f->table);
    free(f->stack);
    free(f->marks);
    free(f);
}

/* ---- Asking --------------------------------------------------------------------------------------------------- */

/* A place in a rule: in front of a symbol. */
struct spot {
    uint64_t symbol;
    struct effect before;          /* the state there, and occurrences from the rule's beginning on */
};

/* The last place at or before a symbol of which something is kept. */
static struct spot nearest(const struct string_finder *f, uint32_t rule, uint32_t state, uint64_t symbol)
{
    uint64_t begin = f->g->body[rule], mark = (symbol - f->first_start) / MARK_STEP;

    if (rule < f->g->n_rules || f->first_start + mark * MARK_STEP <= begin)
        return (struct spot){begin, {0, state}};
    return (struct spot){f->first_start + mark * MARK_STEP, f->marks[mark]};
}

static void go_on(const struct string_finder *f, struct spot *s)
{
    struct effect e = symbol_effect(f, f->g->symbols[s->symbol++], s->before.behind);

    s->before.count += e.count;
    s->before.behind = e.behind;
}

/* Occurrences within the first `event` events of a thread. */
static uint64_t count_ended(const struct string_finder *f, uint32_t thread, uint64_t event)
{
    const struct wpp_grammar *g = f->g;
    uint32_t rule = g->n_rules + thread, state = 0;
    uint64_t sum = 0;

    while (event > 0 && event < g->length[rule]) {
        uint64_t at = prefix_sums_find(&f->events, g->body[rule], g->body[rule + 1], &event);
        struct spot s = nearest(f, rule, state, at);

        while (s.symbol < at)
            go_on(f, &s);
        sum += s.before.count;
        state = s.before.behind;
        if (!(g->symbols[at] & WPP_RULE))
            return sum;
        rule = g->symbols[at] & ~WPP_RULE;
    }
    return event > 0 ? sum + effect_of(f, rule, state).count : sum;
}

uint64_t string_finder_count(const struct string_finder *f, uint32_t thread, uint64_t event)
{
    /* One that begins before `event` ends n - 1 events later. */
    uint64_t tokens = f->g->length[f->g->n_rules + thread], end = event + f->n - 1;

    return event > 0 ? count_ended(f, thread, end < tokens ? end : tokens) : 0;
}

/* The last kept place of a start rule with at most k occurrences before it. */
static struct spot spot_before(const struct string_finder *f, uint32_t rule, uint64_t k)
{
    uint64_t begin = f->g->body[rule], end = f->g->body[rule + 1];
    uint64_t low = begin, high = end - 1;

    /* nearest(low) has at most k, nearest(high + MARK_STEP) more, or there is none. */
    while (high - low >= MARK_STEP) {
        uint64_t middle = low + (high - low + MARK_STEP) / 2;
        struct spot s = nearest(f, rule, 0, middle);

        if (s.before.count <= k)
            low = middle;
        else
            high = middle - MARK_STEP;
    }
    return nearest(f, rule, 0, low);
}

bool string_finder_nth(const struct string_finder *f, uint32_t thread, uint64_t k, uint64_t *event)
{
    const struct wpp_grammar *g = f->g;
    uint32_t rule = g->n_rules + thread;
    uint64_t before = 0;
    struct spot s;

    if (k >= f->from_0[rule].count)
        return false;
    s = spot_before(f, rule, k);
    for (;;) {
        struct spot behind = s;

        go_on(f, &behind);
        if (behind.before.count <= k) {
            s = behind;
            continue;
        }
        before += prefix_sums_between(&f->events, g->body[rule], s.symbol);
        if (!(g->symbols[s.symbol] & WPP_RULE))
            break;
        k -= s.before.count;
        rule = g->symbols[s.symbol] & ~WPP_RULE;
        s = (struct spot){g->body[rule], {0, s.before.behind}};
    }
    *event = before - (f->n - 1);
    return true;
}
