/* SPDX-License-Identifier: MIT */
/* loop-turns.c - how often loops are repeated in a row.
 *
 * One iteration of a loop, read from any of its paths on, is one of its rotations.  An event is *on
 * the loop* when the terminals that end with it are a rotation.  Consecutive events on the loop are
 * a *row*:
 *
 *      turn a b c          x  b  c  a  b  c  a  b  y
 *      on the loop                  1  1  1  1  1         5 events: 7 terminals, 2 iterations
 *
 * A row may begin and end far from each other in the grammar.  So two facts are found about each
 * run of the machine that recognizes rotations (hotpaths/automata/grammar-automaton.h):
 *
 *      head    for the loops that its first event is on: how many of its first events are
 *      tail    for the loops that its last event is on: how many of its last events are
 *
 * Both are all of its events when one row goes through it.  They are found bottom-up.  Top-down,
 * each row is counted by the run in which it begins and ends, as often as that run is entered.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/automata/grammar-automaton.h"
#include "hotpaths/automata/string-automaton.h"
#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/saturate.h"
#include "hotpaths/strings/rotations.h"

/* The most nodes of loops that are counted together: a loop's rotations take the square of its
 * length in nodes. */
#ifdef WPP_HOSTILE
enum { MOST_NODES = 20 };
#else
enum { MOST_NODES = HOT_TURN_MAX * HOT_TURN_MAX };
#endif

/* One iteration twice, from its least rotation on: each string of its length that begins in the
 * first half is a rotation. */
struct loop {
    const uint32_t *twice;
    uint32_t length;
    uint32_t string;            /* the string to which the loop belongs */
};

/* The row of a loop that is being read. */
struct row {
    uint64_t events;
    uint64_t at;                /* its last place so far */
    bool open;                  /* it may have begun before the run */
    size_t head;                /* in that case, the index of its head in made[] */
};

/* Rows during a pass along a run.  Ends may be found within it while rows are counted. */
struct rows {
    struct row *of;             /* of each loop */
    uint64_t place;             /* places are numbered in the order of the pass */
};

/* A state of the machine is a node, the beginning of a rotation that was read last.  Behind a run
 * that has a head or a tail it is patterns.n + the index of these in ends[]: few runs have
 * different ones.
 *
 *      first node | node behind << 32
 *      a head for each loop that the first is on; ALL: it is all of the run's events
 *      a tail for each loop that the node behind is on
 */
#define ALL (UINT64_C(1) << 63)

struct turns {
    const struct wpp_grammar *g;
    const struct loop *loop;
    struct rows up, down;
    struct hot_turns *out;      /* of each loop */
    struct patterns patterns;   /* rotations */
    uint32_t *loop_of;          /* of each rotation */
    struct machine_runs runs;
    uint64_t *ends;
    size_t n_ends, ends_size;
    uint64_t *table;            /* of the ends (hash-table.h) */
    size_t n_known, table_size;
    uint64_t *made;             /* the ends that are being found */
    size_t made_size;
};

#define FOR_ON_LOOP(t, node_, end) \
    for (uint32_t end = patterns_first(&(t)->patterns, node_); end; \
         end = (t)->patterns.node[end].more)

static const uint64_t *ends_of(const struct turns *t, uint32_t state)
{
    assert(state < t->patterns.n + t->n_ends);
    return state < t->patterns.n ? NULL : t->ends + (state - t->patterns.n);
}

static uint32_t node_of(const struct turns *t, uint32_t state)
{
    return state < t->patterns.n ? state : (uint32_t)(*ends_of(t, state) >> 32);
}

static uint32_t loop_at(const struct turns *t, uint32_t end)
{
    return t->loop_of[t->patterns.node[end].ends];
}

static uint32_t next_rotation(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct turns *t = ctx;

    return patterns_next(&t->patterns, node_of(t, state), terminal);
}

static uint32_t reduce_rotation(void *ctx, uint32_t state, uint32_t terminal)
{
    const struct turns *t = ctx;

    return patterns_reduce(&t->patterns, node_of(t, state), terminal);
}

/* Settling also ends all rows.  An iteration of one path is followed by itself. */
static bool settles_rotation(void *ctx, uint32_t before, uint32_t terminal)
{
    const struct turns *t = ctx;

    return !patterns_continue(&t->patterns, before, terminal) &&
           ((before != terminal && before != MACHINE_NO_TERMINAL) ||
            !patterns_first(&t->patterns, patterns_next(&t->patterns, 0, terminal)));
}

static bool is_on_loop(void *ctx, uint32_t state)
{
    const struct turns *t = ctx;

    return patterns_first(&t->patterns, state) != 0;
}

/* ---- Passing along a run ----------------------------------------------------------------
 * `times` is 0 bottom-up, where ends are found; top-down rows are counted. */

static void count_row(struct turns *t, uint32_t loop, uint64_t events, uint64_t times)
{
    struct hot_turns *out = &t->out[loop];
    assert(events > 0);
    uint64_t turns = 1 + (events - 1) / t->loop[loop].length;

    out->least = out->rows == 0 || turns < out->least ? turns : out->least;
    out->most = turns > out->most ? turns : out->most;
    out->rows = saturating_add(out->rows, times);
    out->turns = saturating_add(out->turns, saturating_mul(turns, times));
}

static void end_row(struct turns *t, const struct rows *rows, uint32_t loop, uint64_t times)
{
    const struct row *row = &rows->of[loop];

    assert(!row->open || row->head > 0);         /* made[0] holds the nodes */
    if (!row->open && times > 0)
        count_row(t, loop, row->events, times);
    else if (row->open && times == 0)
        t->made[row->head] = row->events;
}

/* Ends the rows that are not continued at this place. */
static void end_rows(struct turns *t, const struct rows *rows, uint32_t before, uint64_t times)
{
    FOR_ON_LOOP(t, before, end)
        if (rows->of[loop_at(t, end)].at + 1 == rows->place)
            end_row(t, rows, loop_at(t, end), times);
}

static void pass_terminal(struct turns *t, struct rows *rows, uint32_t before, uint32_t behind,
                          uint64_t times)
{
    FOR_ON_LOOP(t, behind, end) {
        struct row *row = &rows->of[loop_at(t, end)];

        if (row->at + 1 != rows->place)
            *row = (struct row){ 0 };
        row->events++;
        row->at = rows->place;
    }
    end_rows(t, rows, before, times);
}

static void pass_head(struct turns *t, struct rows *rows, uint32_t loop, uint64_t head,
                      bool is_all, uint64_t times)
{
    struct row *row = &rows->of[loop];

    if (row->at + 1 != rows->place)
        *row = (struct row){ 0 };
    row->events += head;
    row->at = is_all ? rows->place : 0;
    if (!is_all)
        end_row(t, rows, loop, times);
}

static void pass_heads(struct turns *t, struct rows *rows, const uint64_t *ends, uint64_t times)
{
    FOR_ON_LOOP(t, (uint32_t)*ends++, end) {
        pass_head(t, rows, loop_at(t, end), *ends & ~ALL, *ends & ALL, times);
        ends++;
    }
}

/* Rows that were continued from the head already have their tails. */
static void pass_tails(struct turns *t, struct rows *rows, const uint64_t *ends)
{
    uint32_t behind = (uint32_t)(*ends >> 32);

    FOR_ON_LOOP(t, (uint32_t)*ends++, end)
        ends++;
    FOR_ON_LOOP(t, behind, end) {
        struct row *row = &rows->of[loop_at(t, end)];

        if (row->at != rows->place)
            *row = (struct row){ .events = *ends, .at = rows->place };
        ends++;
    }
}

/* Passes a rule whose heads and tails belong to these states. */
static void pass_ends(struct turns *t, struct rows *rows, uint32_t before, uint32_t heads,
                      uint32_t tails, uint64_t times)
{
    if (ends_of(t, heads))
        pass_heads(t, rows, ends_of(t, heads), times);
    end_rows(t, rows, before, times);
    if (ends_of(t, tails))
        pass_tails(t, rows, ends_of(t, tails));
}

/* Passes a rule that is entered in `state`, and goes to the state behind it.  Its heads are those
 * of its head, unless they are all of it: then it is not settled. */
static int pass_used(struct turns *t, struct rows *rows, uint32_t rule, uint32_t *state,
                     uint64_t times)
{
    uint32_t before = *state;
    size_t run;
    int status = machine_enter(&t->runs, rule, before, &run);

    if (status != HOT_OK)
        return status;
    *state = machine_behind(&t->runs, rule, run);
    pass_ends(t, rows, node_of(t, before), machine_end(&t->runs, run), *state, times);
    if (times > 0)
        machine_add(&t->runs, rule, run, times);
    return HOT_OK;
}

/* Passes along a rule in `state`, and goes to the state behind it. */
static int pass_rule(struct turns *t, struct rows *rows, uint32_t rule, uint32_t *state,
                     uint64_t times)
{
    const uint32_t *body = t->g->symbols + t->g->body[rule];
    uint64_t n = t->g->body[rule + 1] - t->g->body[rule];

    for (uint64_t i = 0; i < n; i++) {
        uint32_t symbol = body[i], before = *state;
        int status = HOT_OK;

        if (i + MACHINE_AHEAD < n)
            machine_fetch(&t->runs, body[i + MACHINE_AHEAD]);
        rows->place++;
        if (symbol & WPP_RULE) {
            status = pass_used(t, rows, symbol & ~WPP_RULE, state, times);
        } else {
            *state = next_rotation(t, before, symbol);
            pass_terminal(t, rows, node_of(t, before), *state, times);
        }
        if (status != HOT_OK)
            return status;
    }
    return HOT_OK;
}

/* Passes along a run whose first event is at `first`.  Rows that begin with it may have begun
 * earlier: their heads are stored in made[], from 1 on. */
static int pass_along(struct turns *t, struct rows *rows, size_t at, uint32_t first,
                      uint64_t times)
{
    uint32_t state = machine_before(&t->runs, at);
    size_t head = 1;

    rows->place++;
    FOR_ON_LOOP(t, first, end)
        rows->of[loop_at(t, end)] = (struct row){ .at = rows->place, .open = true,
                                                  .head = head++ };
    return pass_rule(t, rows, machine_rule(&t->runs, at), &state, times);
}

/* ---- Bottom-up and top-down ---------------------------------------------------------------- */

static uint32_t first_node(struct turns *t, size_t at)
{
    return next_rotation(t, machine_before(&t->runs, at),
                         t->runs.first[machine_rule(&t->runs, at)]);
}

static uint64_t hash_ends(const uint64_t *ends, size_t n)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ ends[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash * UINT64_C(0xd6e8feb86659fd93) & SLOT_HASH;
}

/* The state of the ends that were found, n words; or MACHINE_NO_STATE. */
static uint32_t state_of_ends(struct turns *t, size_t n)
{
    uint64_t hash = hash_ends(t->made, n);
    size_t slot;

    if (hash_table_grow(&t->table, &t->table_size, t->n_known + 1) != HOT_OK)
        return MACHINE_NO_STATE;
    slot = SLOT_HOME(hash) & (t->table_size - 1);
    for (; t->table[slot]; slot = (slot + 1) & (t->table_size - 1)) {
        const uint64_t *known = t->ends + SLOT_NUMBER(t->table[slot]);

        if (SLOT_TAG(t->table[slot]) == SLOT_TAG(hash) && known[0] == t->made[0] &&
            memcmp(known, t->made, n * sizeof *known) == 0)
            return t->patterns.n + SLOT_NUMBER(t->table[slot]);
    }
    if (t->patterns.n + t->n_ends >= MACHINE_NO_STATE ||
        GROW(t->ends, t->ends_size, t->n_ends + n) != HOT_OK)
        return MACHINE_NO_STATE;
    memcpy(t->ends + t->n_ends, t->made, n * sizeof *t->made);
    t->table[slot] = SLOT_TAG(hash) | (t->n_ends + 1);
    t->n_ends += n;
    t->n_known++;
    return t->patterns.n + (uint32_t)(t->n_ends - n);
}

/* Whether the whole derivation of a rule follows one loop: `at` is its run in state 0, and `tails`
 * are those of the node behind. */
static bool is_along(const struct turns *t, size_t at, uint32_t last, const uint64_t *tails)
{
    FOR_ON_LOOP(t, last, end)
        if (*tails++ + t->loop[loop_at(t, end)].length == t->g->length[at] + 1)
            return true;
    return false;
}

/* A rule that is as long as all rotations, and follows no loop, is settled: it always ends in the
 * same state, and no row goes through it. */
static void settle(struct turns *t, size_t at, uint32_t last, const uint64_t *tails)
{
    if (at < t->g->n_rules && t->g->length[at] >= t->patterns.deepest &&
        !is_along(t, at, last, tails))
        t->runs.head[at].settled = true;
}

/* A head whose row did not end is all of the run; then it is a tail as well. */
static uint32_t find_ends(void *ctx, size_t at, uint32_t behind, bool minded)
{
    struct turns *t = ctx;
    uint32_t first, last = node_of(t, behind);
    const uint64_t *tails;
    size_t n = 1;

    if (patterns_first(&t->patterns, last) == 0)
        settle(t, at, last, NULL);
    if (!minded)
        return behind;
    first = first_node(t, at);
    FOR_ON_LOOP(t, first, end)
        n++;
    FOR_ON_LOOP(t, last, end)
        n++;
    if (n == 1)
        return last;
    if (GROW(t->made, t->made_size, n) != HOT_OK)
        return MACHINE_NO_STATE;
    t->made[0] = first | (uint64_t)last << 32;
    if (pass_along(t, &t->up, at, first, 0) != HOT_OK)
        return MACHINE_NO_STATE;
    n = 1;
    FOR_ON_LOOP(t, first, end)
        n++;
    tails = t->made + n;
    FOR_ON_LOOP(t, last, end) {
        const struct row *row = &t->up.of[loop_at(t, end)];

        assert(row->at == t->up.place);
        if (row->open)
            t->made[row->head] = row->events | ALL;
        t->made[n++] = row->events;
    }
    settle(t, at, last, tails);
    return state_of_ends(t, n);
}

static int count_rows(void *ctx, size_t at, uint64_t times)
{
    struct turns *t = ctx;

    return pass_along(t, &t->down, at, first_node(t, at), times);
}

/* The thread itself has no ends: nothing comes before it, and rows at its end are counted. */
static int count_thread(struct turns *t, uint32_t thread)
{
    uint32_t state = 0;
    int status;

    t->down.place++;
    status = pass_rule(t, &t->down, t->g->n_rules + thread, &state, 1);
    if (status != HOT_OK)
        return status;
    FOR_ON_LOOP(t, node_of(t, state), end)
        end_row(t, &t->down, loop_at(t, end), 1);
    return HOT_OK;
}

/* ---- Loops
 * ------------------------------------------------------------------------------------ */

static int make_patterns(struct turns *t, uint32_t n_loops)
{
    struct hot_string *rotation;
    size_t n = 0;
    int status = HOT_E_MEMORY;

    for (uint32_t i = 0; i < n_loops; i++)
        n += t->loop[i].length;
    rotation = malloc((n + 1) * sizeof *rotation);
    t->loop_of = malloc((n + 1) * sizeof *t->loop_of);
    n = 0;
    for (uint32_t i = 0; rotation && t->loop_of && i < n_loops; i++)
        for (uint32_t k = 0; k < t->loop[i].length; k++) {
            rotation[n] = (struct hot_string){ t->loop[i].twice + k, t->loop[i].length };
            t->loop_of[n++] = i;
        }
    if (rotation && t->loop_of)
        status = patterns_init(&t->patterns, rotation, n, false);
    free(rotation);
    return status;
}

/* Counts for loops that are all different. */
static int count_loops(const struct wpp_grammar *g, uint32_t thread, const struct loop *loop,
                       uint32_t n, struct hot_turns *out)
{
    struct turns t = { .g = g, .loop = loop, .out = out };
    struct machine m = { .ctx = &t, .next = next_rotation, .minds = is_on_loop,
                         .reduce = reduce_rotation, .settles = settles_rotation,
                         .finish = find_ends };
    int status = make_patterns(&t, n);

    t.up.of = calloc((size_t)n + 1, sizeof *t.up.of);
    t.down.of = calloc((size_t)n + 1, sizeof *t.down.of);
    if (!t.up.of || !t.down.of)
        status = HOT_E_MEMORY;
    if (status == HOT_OK)
        status = machine_begin(&t.runs, &m, g);
    for (uint32_t k = 0; k < g->n_threads && status == HOT_OK; k++)
        if (thread == HOT_ALL_THREADS || thread == k)
            status = count_thread(&t, k);
    if (status == HOT_OK)
        status = machine_descend(&t.runs, &t, count_rows);
    machine_clear(&t.runs);
    patterns_clear(&t.patterns);
    free(t.loop_of);
    free(t.up.of);
    free(t.down.of);
    free(t.ends);
    free(t.table);
    free(t.made);
    return status;
}

static int compare_loops(const struct loop *a, const struct loop *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (uint32_t i = 0; i < a->length; i++)
        if (a->twice[i] != b->twice[i])
            return a->twice[i] < b->twice[i] ? -1 : 1;
    return 0;
}

static int by_turn(const void *pa, const void *pb)
{
    const struct loop *a = pa, *b = pb;
    int order = compare_loops(a, b);

    return order ? order : a->string < b->string ? -1 : a->string > b->string;
}

/* A string that is several iterations of a shorter one belongs to the loop of that one.  `twice`
 * has room for two of the string. */
static struct loop loop_of_string(struct hot_string s, uint32_t *twice)
{
    uint32_t length = rotations_period(s.terminals, s.length, twice), least;

    if (s.length % length != 0)
        length = s.length;
    assert(s.length % length == 0);
    least = rotations_least(s.terminals, length);
    for (uint32_t i = 0; i < 2 * length; i++)
        twice[i] = s.terminals[(least + i) % length];
    return (struct loop){ .twice = twice, .length = length };
}

/* As many of the loops [from, end) as can be counted together; returns the first that is left. */
static uint32_t batch_end(const struct loop *loop, uint32_t from, uint32_t end)
{
    size_t nodes = 0;
    uint32_t i = from;

    for (; i < end && (i == from || nodes + (size_t)loop[i].length * loop[i].length <= MOST_NODES);
         i++)
        nodes += (size_t)loop[i].length * loop[i].length;
    return i;
}

struct loops {
    struct loop *loop;
    uint32_t n;
    uint32_t *of_string;        /* of each string: its loop + 1; 0: it is too long */
    uint32_t *symbols;
};

static int make_loops(struct loops *r, const struct hot_string *turns, size_t n)
{
    size_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += turns[i].length <= HOT_TURN_MAX ? 2 * turns[i].length : 0;
    r->loop = malloc((n + 1) * sizeof *r->loop);
    r->of_string = calloc(n + 1, sizeof *r->of_string);
    r->symbols = malloc((total + 1) * sizeof *r->symbols);
    if (n >= UINT32_MAX || !r->loop || !r->of_string || !r->symbols)
        return HOT_E_MEMORY;
    total = 0;
    for (size_t i = 0; i < n; i++)
        if (turns[i].length <= HOT_TURN_MAX) {
            r->loop[r->n] = loop_of_string(turns[i], r->symbols + total);
            r->loop[r->n++].string = (uint32_t)i;
            total += 2 * turns[i].length;
        }
    return HOT_OK;
}

/* Removes duplicates. */
static void merge_loops(struct loops *r)
{
    uint32_t kept = 0;

    if (r->n > 0)
        qsort(r->loop, r->n, sizeof *r->loop, by_turn);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t string = r->loop[i].string;

        if (kept == 0 || compare_loops(&r->loop[kept - 1], &r->loop[i]) != 0)
            r->loop[kept++] = r->loop[i];
        r->of_string[string] = kept;
    }
    r->n = kept;
}

int hot_count_turns(const struct wpp_grammar *g, uint32_t thread, const struct hot_string *turns,
                    size_t n, struct hot_turns *out)
{
    struct loops r = { 0 };
    struct hot_turns *of_loop = calloc(n + 1, sizeof *of_loop);
    int status = of_loop ? make_loops(&r, turns, n) : HOT_E_MEMORY;

    if (status == HOT_OK)
        merge_loops(&r);
    for (uint32_t from = 0, end; status == HOT_OK && from < r.n; from = end) {
        end = batch_end(r.loop, from, r.n);
        status = count_loops(g, thread, r.loop + from, end - from, of_loop + from);
    }
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; status == HOT_OK && i < n; i++)
        if (r.of_string[i])
            out[i] = of_loop[r.of_string[i] - 1];
    free(r.loop);
    free(r.of_string);
    free(r.symbols);
    free(of_loop);
    return status;
}
