/* SPDX-License-Identifier: MIT */
/* runs.c - see runs.h. */
#include "sequitur/runs.h"
#include "sequitur/digrams.h"
#include "sequitur/four.h"
#include "sequitur/vectors.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { FIRST_BITS = 1 };
#else
enum { FIRST_BITS = 8 };
#endif
static size_t slots_size(const struct runs *runs)
{
    return runs->slots ? sizeof *runs->slots << runs->bits : 0;
}

int runs_new(seq *s)
{
    struct runs *runs = seq_memory(s, NULL, 0, sizeof *runs);

    if (!runs)
        return SEQ_E_NOMEM;
    *runs = (struct runs){0};
    s->runs = runs;
    return SEQ_OK;
}

void runs_free(seq *s)
{
    struct runs *runs = s->runs;

    if (!runs)
        return;
    seq_memory(s, runs->slots, slots_size(runs), 0);
    seq_memory(s, runs->list, runs->size * sizeof *runs->list, 0);
    seq_memory(s, runs, sizeof *runs, 0);
    s->runs = NULL;
}

/* ---- The table ------------------------------------------------------------------- */

/* The slot of the run, or the free one where it belongs. */
static struct run *run_slot(const struct runs *runs, uint32_t terminal, uint64_t times)
{
    uint64_t hash = (terminal + times * UINT64_C(0xD6E8FEB86659FD93))
                  * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mask = (UINT64_C(1) << runs->bits) - 1;
    uint64_t i = (hash ^ hash >> 32) & mask;

    assert(runs->slots && runs->n <= mask);     /* so a search ends at a free slot */
    while (runs->slots[i].rule
           && (runs->slots[i].times != times || runs->slots[i].terminal != terminal))
        i = (i + 1) & mask;
    return &runs->slots[i];
}

static int grow_slots(seq *s)
{
    struct runs *runs = s->runs;
    struct runs bigger = {.bits = runs->slots ? runs->bits + 1 : FIRST_BITS};

    bigger.slots = seq_memory(s, NULL, 0, sizeof *bigger.slots << bigger.bits);
    if (!bigger.slots)
        return SEQ_E_NOMEM;
    memset(bigger.slots, 0, sizeof *bigger.slots << bigger.bits);
    for (uint32_t i = 0; i < runs->n; i++)
        *run_slot(&bigger, runs->list[i].terminal, runs->list[i].times) = runs->list[i];
    seq_memory(s, runs->slots, slots_size(runs), 0);
    runs->slots = bigger.slots;
    runs->bits = bigger.bits;
    return SEQ_OK;
}

static int room_for_one(seq *s)
{
    struct runs *runs = s->runs;
    int status = seq_room(s);

    if (status == SEQ_OK && runs->n == runs->size)
        status = seq_grow(s, (void **)&runs->list, &runs->size, sizeof *runs->list,
                          runs->n + UINT64_C(4), UINT32_MAX - 1);
    if (status == SEQ_OK && (!runs->slots || runs->n >= UINT64_C(1) << runs->bits >> 1))
        status = grow_slots(s);
    return s->status = status;
}

static bool is_missing(const struct runs *runs, uint32_t terminal, uint64_t times)
{
    return !run_slot(runs, terminal, times)->rule;
}

/* Counts the runs that spell() will ask for: the numbers left when the lowest bits are removed one
 * by one, and the powers of two up to the highest bit.  The count may be too high: others may ask
 * for the same runs, or they may come later in the input. */
static unsigned count_missing(const struct runs *runs, uint32_t terminal, uint64_t times)
{
    unsigned missing = 0;

    for (uint64_t rest = times & (times - 1); rest & (rest - 1); rest &= rest - 1)
        missing += is_missing(runs, terminal, rest);
    for (uint64_t power = 2; power <= times / 2; power *= 2)
        missing += is_missing(runs, terminal, power);
    if (times & (times - 1))
        missing += is_missing(runs, terminal, UINT64_C(1) << (63 - __builtin_clzll(times)));
    return missing;
}

static uint32_t new_run(seq *s, uint32_t terminal, uint64_t times)
{
    struct runs *runs = s->runs;

    if (room_for_one(s) != SEQ_OK)
        return 0;
    assert(times >= 2 && is_missing(runs, terminal, times));
    assert(runs->n < runs->size);
    if (s->memory_max)
        runs->missing += count_missing(runs, terminal, times);
    uint32_t r = rule_new(s, VALUE_GUARD);
    s->rules[r].count = 1;
    s->rules[r].length = 1;
    s->rules[r].run = runs->n + 1;
    runs->list[runs->n] = (struct run){times, terminal, r};
    *run_slot(runs, terminal, times) = runs->list[runs->n++];
    return r;
}

/* The rule for terminal^times, times >= 2; 0 if memory failed. */
static uint32_t intern(seq *s, uint32_t terminal, uint64_t times)
{
    if (s->runs->slots) {
        const struct run *known = run_slot(s->runs, terminal, times);
        if (known->rule)
            return known->rule;
    }
    return new_run(s, terminal, times);
}

/* ---- Joining --------------------------------------------------------------------- */

/* Stages the complete run at the end of the stream. */
static bool stage_run(seq *s, struct start *t)
{
    uint32_t value = t->last;

    assert(value <= SEQ_TERMINAL_MAX && t->times > 0);
    if (t->times > 1) {
        uint32_t r = intern(s, t->last, t->times);
        if (!r)
            return false;
        value = VALUE_RULE | r;
    }
    t->staged[t->staged_count++] = value;
    return true;
}

/* in[-1] is read but not staged.  Reads up to a terminal that equals the one before it, or is too
 * large.  Returns how many were read; stages all of them but the last. */
static size_t stage_single(const seq *s, struct start *t, const uint32_t *in, size_t n,
                           uint32_t most)
{
    assert(t->staged_count <= most);
    if (n > most - t->staged_count)
        n = most - t->staged_count;
    size_t i = s->vectors->copy_single(t->staged + t->staged_count, in, n);
    assert(i <= n);
    t->staged_count += (uint32_t)i;
    return i;
}

static size_t skip_equal(const uint32_t *in, size_t i, size_t n)
{
    assert(i < n);
    uint32_t value = in[i];
    four all_value = {value, value, value, value};

    while (i + FOUR <= n && four_all(four_load(in + i) == all_value))
        i += FOUR;
    while (i < n && in[i] == value)
        i++;
    return i;
}

size_t runs_join(seq *s, struct start *t, const uint32_t *in, size_t n, uint32_t most)
{
    size_t i = 0;

    while (i < n && in[i] <= SEQ_TERMINAL_MAX) {
        if (in[i] == t->last) {
            size_t end = skip_equal(in, i, n);
            t->times += end - i;
            i = end;
            continue;
        }
        if (t->times && (t->staged_count == most || !stage_run(s, t)))
            break;
        t->times = 1;
        i++;
        i += stage_single(s, t, in + i, n - i, most);
        t->last = in[i - 1];
    }
    return i;
}

int runs_end(seq *s, struct start *t)
{
    if (t->times && stage_run(s, t))
        t->times = 0;
    return s->status;
}

/* ---- Spelling -------------------------------------------------------------------- */

/* terminal^times as a symbol.  After an error it does nothing: the status stays. */
static uint32_t symbol_for(seq *s, uint32_t terminal, uint64_t times)
{
    return times == 1 || s->status != SEQ_OK ? terminal : VALUE_RULE | intern(s, terminal, times);
}

static uint32_t add_to_body(seq *s, uint32_t r, uint32_t value)
{
    uint32_t guard = s->rules[r].guard;
    uint32_t n = node_new(s, value);

    link_nodes(s, s->nodes[guard].prev, n);
    link_nodes(s, n, guard);
    if (is_rule(value))
        s->rules[rule_of(value)].count++;
    return n;
}

/* Gives run i its body: the run without the lowest bit of its number, then that bit. */
static int spell(seq *s, uint32_t i)
{
    struct run run = s->runs->list[i];
    uint64_t lowest = run.times & -run.times;
    uint64_t left_times = run.times == lowest ? lowest / 2 : run.times - lowest;
    assert(left_times > 0 && left_times < run.times);
    uint32_t left = symbol_for(s, run.terminal, left_times);
    uint32_t right = symbol_for(s, run.terminal, run.times - left_times);

    if (s->status != SEQ_OK || seq_room(s) != SEQ_OK)
        return s->status;
    uint32_t n = add_to_body(s, run.rule, left);
    add_to_body(s, run.rule, right);
    s->nodes[n].whole = run.rule;
    s->rules[run.rule].first = left;
    s->rules[run.rule].count--;
    digrams_insert(s, n);
    return SEQ_OK;
}

/* The set of rules that are runs, as bits: lookups stay within the cache. */
static uint64_t *set_of_runs(seq *s, size_t *size)
{
    *size = (s->rules_used / 64 + 1) * sizeof(uint64_t);
    uint64_t *set = seq_memory(s, NULL, 0, *size);

    if (!set)
        return NULL;
    memset(set, 0, *size);
    for (uint32_t i = 0; i < s->runs->n; i++) {
        uint32_t r = s->runs->list[i].rule;
        assert(r < s->rules_used);
        set[r / 64] |= UINT64_C(1) << r % 64;
    }
    return set;
}

/* Dissolves runs that are used once. */
static int dissolve(seq *s)
{
    size_t size;
    uint64_t *set = set_of_runs(s, &size);
    uint32_t end = s->rules_used;       /* rules made meanwhile are no runs */
    int status = set ? SEQ_OK : SEQ_E_NOMEM;

    for (uint32_t n = 1; status == SEQ_OK && n < s->nodes_used; n++) {
        uint32_t r = rule_of(s->nodes[n].value);
        if (!is_rule(s->nodes[n].value) || r >= end || !(set[r / 64] >> r % 64 & 1)
            || s->rules[r].count > 1)
            continue;
        status = seq_room(s);
        if (status != SEQ_OK)
            break;
        dissolve_if_single(s, n);
        status = restore(s);
    }
    seq_memory(s, set, size, 0);
    return s->status = status;
}

int runs_spell(seq *s)
{
    for (uint32_t i = 0; i < s->runs->n; i++)
        if (spell(s, i) != SEQ_OK)
            return s->status;
    int status = dissolve(s);
    for (uint32_t i = 0; i < s->runs->n; i++)
        s->rules[s->runs->list[i].rule].run = 0;
    return status;
}

/* ---- Memory ---------------------------------------------------------------------- */

/* The table's bytes when there are n runs, and while it grew to that. */
static uint64_t slots_for(const struct runs *runs, uint64_t n)
{
    uint64_t size = runs->slots ? slots_size(runs) : sizeof *runs->slots << FIRST_BITS;
    bool grows = !runs->slots;

    for (; n >= size / sizeof *runs->slots / 2; size *= 2)
        grows = true;
    return grows ? size + size / 2 : size;
}

/* A body is two symbols and their digrams, one of which is in a table that may have grown.  A
 * missing run is also a rule, a guard and an entry of the list. */
enum {
    BODY_BYTES = 2 * (sizeof(struct node) + sizeof(uint32_t)) + 3 * sizeof(uint64_t),
    MISSING_BYTES = sizeof(struct rule) + sizeof(struct node) + sizeof(struct run)
                  + 2 * (sizeof(uint64_t) + sizeof(uint32_t))
};

uint64_t runs_spelling(const seq *s)
{
    const struct runs *runs = s->runs;
    uint64_t n = runs->n + runs->missing;
    uint64_t set = (s->rules_used + runs->missing) / 8;

    return n * BODY_BYTES + runs->missing * MISSING_BYTES + slots_for(runs, n) - slots_size(runs)
         + set;
}

uint64_t runs_growth(const seq *s, uint32_t n)
{
    return slots_for(s->runs, s->runs->n + (uint64_t)n / 2) - slots_size(s->runs);
}

/* ---- Checking -------------------------------------------------------------------- */

/* The terminal of a symbol that is a terminal or a run; NO_TERMINAL for other rules. */
static uint32_t terminal_of(const seq *s, uint32_t value)
{
    if (is_guard(value))
        return NO_TERMINAL;
    if (!is_rule(value))
        return value;
    uint32_t run = s->rules[rule_of(value)].run;
    assert(run <= s->runs->n);
    return run ? s->runs->list[run - 1].terminal : NO_TERMINAL;
}

bool runs_touch(const seq *s, uint32_t n)
{
    uint32_t terminal = terminal_of(s, s->nodes[n].value);

    return terminal != NO_TERMINAL && terminal == terminal_of(s, s->nodes[s->nodes[n].next].value);
}

bool runs_check(const seq *s)
{
    const struct runs *runs = s->runs;
    uint32_t marked = 0;

    for (uint32_t r = 1; r < s->rules_used; r++)
        marked += s->rules[r].guard && s->rules[r].run;
    for (uint32_t i = 0; i < runs->n; i++) {
        const struct run *run = &runs->list[i];
        if (s->rules[run->rule].run != i + 1 || s->rules[run->rule].length != 1 || run->times < 2
            || run_slot(runs, run->terminal, run->times)->rule != run->rule)
            return false;
    }
    return marked == runs->n;
}
