/* SPDX-License-Identifier: MIT */
/* turns.c - how often loops turn in a row.
 *
 * The turn of a loop, read from any of its paths on, is one of its rotations.  An event
 * is *on the loop* when the terminals that end with it are one of them.  Those that are
 * on it one behind the other are a *row*:
 *
 *      turn a b c          x  b  c  a  b  c  a  b  y
 *      on the loop                  1  1  1  1  1         5 events: 7 terminals, 2 turns
 *
 * A row may begin and end far from each other in the grammar.  So two things are known
 * of each run of the machine that sees rotations (hotpaths/machine.h):
 *
 *      head    of the loops that its first event is on: how many of its first events are
 *      tail    of the loops that its last event is on: how many of its last events are
 *
 * Both are all of its events when one row goes through it.  They are found bottom-up.
 * From the top down each row is counted by the run in which it begins and ends, as often
 * as that is entered.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"
#include "hotpaths/loops.h"
#include "hotpaths/machine.h"
#include "hotpaths/patterns.h"
#include "hotpaths/saturate.h"

/* A loop's rotations take the square of its turn in nodes: loops are counted together as
 * long as they do not take more than so many. */
#ifdef WPP_HOSTILE
enum { MOST_NODES = 20 };
#else
enum { MOST_NODES = HOT_TURN_MAX * HOT_TURN_MAX };
#endif

/* A turn twice over, from its least rotation on: what begins in its first half and is as
 * long as it is a rotation. */
struct loop {
    const uint32_t *twice;
    uint32_t length;
    uint32_t string;            /* whose loop it is */
};

/* The row that is being read of a loop. */
struct row {
    uint64_t events;
    uint64_t at;                /* the last place at which it was seen */
    bool open;                  /* it may have begun before the run */
    size_t head;                /* then: its place in ends[] */
};

struct turns {
    const struct wpp_grammar *g;
    const struct loop *loop;
    struct row *row;            /* of each loop */
    struct hot_turns *out;      /* of each loop */
    struct patterns patterns;   /* rotations */
    uint32_t *loop_of;          /* of each of them */
    struct machine_runs runs;
    uint64_t *ends;             /* of each run with events on loops: its first node, heads, tails */
    size_t n_ends, ends_size;
    size_t *first;              /* of each run, in ends[] */
    size_t first_size;
    size_t n_known;             /* of the runs in their order: whose ends are known */
    uint64_t place;             /* places are numbered as they are passed */
};

#define FOR_ON_LOOP(t, state, end) \
    for (uint32_t end = patterns_first(&(t)->patterns, (uint32_t)(state)); end; \
         end = (t)->patterns.node[end].more)

static uint32_t loop_at(const struct turns *t, uint32_t end)
{
    return t->loop_of[t->patterns.node[end].ends];
}

static uint64_t next_rotation(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct turns *t = ctx;

    return patterns_next(&t->patterns, (uint32_t)state, terminal);
}

static uint64_t reduce_node(void *ctx, uint64_t state, uint32_t terminal)
{
    const struct turns *t = ctx;

    return patterns_reduce(&t->patterns, (uint32_t)state, terminal);
}

static bool is_on_loop(void *ctx, uint64_t state)
{
    const struct turns *t = ctx;

    return patterns_first(&t->patterns, (uint32_t)state) != 0;
}

/* ---- Passing along a run ----------------------------------------------------------------
 * `times` is 0 on the way up: ends are found; on the way down rows are counted. */

static void count_row(struct turns *t, uint32_t loop, uint64_t times)
{
    struct hot_turns *out = &t->out[loop];
    uint64_t turns = 1 + (t->row[loop].events - 1) / t->loop[loop].length;

    out->least = out->rows == 0 || turns < out->least ? turns : out->least;
    out->most = turns > out->most ? turns : out->most;
    out->rows = saturating_add(out->rows, times);
    out->turns = saturating_add(out->turns, saturating_mul(turns, times));
}

static void end_row(struct turns *t, uint32_t loop, uint64_t times)
{
    if (!t->row[loop].open && times > 0)
        count_row(t, loop, times);
    else if (t->row[loop].open && times == 0)
        t->ends[t->row[loop].head] = t->row[loop].events;
}

static void pass_terminal(struct turns *t, uint64_t before, uint64_t behind, uint64_t times)
{
    FOR_ON_LOOP(t, behind, end) {
        struct row *row = &t->row[loop_at(t, end)];

        if (row->at + 1 != t->place)
            *row = (struct row){ 0 };
        row->events++;
        row->at = t->place;
    }
    FOR_ON_LOOP(t, before, end)
        if (t->row[loop_at(t, end)].at + 1 == t->place)
            end_row(t, loop_at(t, end), times);
}

static void pass_head(struct turns *t, uint32_t loop, uint64_t head, bool is_all, uint64_t times)
{
    struct row *row = &t->row[loop];

    if (row->at + 1 != t->place)
        *row = (struct row){ 0 };
    row->events += head;
    row->at = is_all ? t->place : 0;
    if (!is_all)
        end_row(t, loop, times);
}

static void pass_run(struct turns *t, uint64_t before, size_t passed, uint64_t times)
{
    const struct machine_run *run = &t->runs.run[passed];
    const uint64_t *ends = run->minded ? t->ends + t->first[passed] : NULL;
    uint64_t length = t->g->length[run->rule], first = ends ? *ends++ : 0;

    if (ends)
        FOR_ON_LOOP(t, first, end) {
            pass_head(t, loop_at(t, end), *ends, *ends == length, times);
            ends++;
        }
    FOR_ON_LOOP(t, before, end)
        if (t->row[loop_at(t, end)].at + 1 == t->place)
            end_row(t, loop_at(t, end), times);
    if (!ends)
        return;
    FOR_ON_LOOP(t, run->behind, end) {
        struct row *row = &t->row[loop_at(t, end)];

        if (row->at != t->place)
            *row = (struct row){ .events = *ends, .at = t->place };
        ends++;
    }
}

/* Rows that begin with the run's first event may have begun before it. */
static void open_rows(struct turns *t, size_t at)
{
    size_t head = t->first[at];

    FOR_ON_LOOP(t, t->ends[t->first[at]], end)
        t->row[loop_at(t, end)] = (struct row){ .at = t->place, .open = true, .head = ++head };
}

static void pass_along(struct turns *t, size_t at, uint64_t times, bool is_thread)
{
    const struct machine_run *run = &t->runs.run[at];
    const uint32_t *body = t->g->symbols + t->g->body[run->rule];
    uint64_t n = t->g->body[run->rule + 1] - t->g->body[run->rule], state = run->before;

    t->place++;
    if (!is_thread)
        open_rows(t, at);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t symbol = body[i];

        if (i + MACHINE_AHEAD < n)
            machine_fetch(&t->runs, body[i + MACHINE_AHEAD]);
        t->place++;
        if (symbol & WPP_RULE) {
            size_t used = machine_find(&t->runs, symbol & ~WPP_RULE, state);

            pass_run(t, state, used, times);
            t->runs.run[used].times = saturating_add(t->runs.run[used].times, times);
            state = t->runs.run[used].behind;
        } else {
            uint64_t behind = next_rotation(t, state, symbol);

            pass_terminal(t, state, behind, times);
            state = behind;
        }
    }
    assert(state == run->behind);
}

/* ---- Up and down -------------------------------------------------------------------------- */

static int find_ends(struct turns *t, size_t at)
{
    const struct machine_run *run = &t->runs.run[at];
    uint64_t first = next_rotation(t, run->before, t->runs.run[run->rule].terminal);
    size_t n_ends = t->n_ends + 1;

    FOR_ON_LOOP(t, first, end)
        n_ends++;
    FOR_ON_LOOP(t, run->behind, end)
        n_ends++;
    if (GROW(t->first, t->first_size, at + 1) != HOT_OK ||
        GROW(t->ends, t->ends_size, n_ends) != HOT_OK)
        return HOT_E_MEMORY;
    t->first[at] = t->n_ends;
    t->ends[t->n_ends++] = first;
    FOR_ON_LOOP(t, first, end)
        t->n_ends++;
    pass_along(t, at, 0, false);
    FOR_ON_LOOP(t, run->behind, end) {
        const struct row *row = &t->row[loop_at(t, end)];

        assert(row->at == t->place);
        if (row->open)
            t->ends[row->head] = row->events;
        t->ends[t->n_ends++] = row->events;
    }
    assert(t->n_ends == n_ends);
    return HOT_OK;
}

/* The thread itself has no ends: nothing is before it, and what stands at its end is told. */
static int count_thread(struct turns *t, uint32_t thread)
{
    int status = machine_read(&t->runs, thread);
    struct machine_run *run = t->runs.run;
    size_t last = t->runs.n_order - 1;

    for (; status == HOT_OK && t->n_known < last; t->n_known++)
        if (run[t->runs.order[t->n_known]].minded)
            status = find_ends(t, t->runs.order[t->n_known]);
    if (status != HOT_OK)
        return status;
    t->n_known++;
    pass_along(t, t->runs.order[last], 1, true);
    FOR_ON_LOOP(t, run[t->runs.order[last]].behind, end)
        end_row(t, loop_at(t, end), 1);
    for (size_t i = last; i-- > 0;) {
        size_t at = t->runs.order[i];

        if (run[at].times && run[at].minded)
            pass_along(t, at, run[at].times, false);
        run[at].times = 0;
    }
    return HOT_OK;
}

/* ---- Loops ------------------------------------------------------------------------------------ */

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

/* Of loops that differ. */
static int count_loops(const struct wpp_grammar *g, uint32_t thread, const struct loop *loop,
                       uint32_t n, struct hot_turns *out)
{
    struct turns t = { .g = g, .loop = loop, .out = out };
    struct machine m = { .ctx = &t, .next = next_rotation, .minds = is_on_loop,
                         .reduce = reduce_node };
    int status = make_patterns(&t, n);

    t.runs = (struct machine_runs){ .m = &m, .g = g };
    t.row = calloc((size_t)n + 1, sizeof *t.row);
    if (!t.row)
        status = HOT_E_MEMORY;
    for (uint32_t k = 0; k < g->n_threads && status == HOT_OK; k++)
        if (thread == HOT_ALL_THREADS || thread == k)
            status = count_thread(&t, k);
    machine_clear(&t.runs);
    patterns_clear(&t.patterns);
    free(t.loop_of);
    free(t.row);
    free(t.ends);
    free(t.first);
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

/* What is a turn several times over is the loop of that turn.  `twice` has room for two. */
static struct loop loop_of_string(struct hot_string s, uint32_t *twice)
{
    uint32_t length = loops_period(s.terminals, s.length, twice), least;

    if (s.length % length != 0)
        length = s.length;
    least = loops_least_rotation(s.terminals, length);
    for (uint32_t i = 0; i < 2 * length; i++)
        twice[i] = s.terminals[(least + i) % length];
    return (struct loop){ .twice = twice, .length = length };
}

/* Loops [from, end) together, but no more than fit: the first that is left. */
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
    uint32_t *of_string;        /* of each string its loop + 1; 0: it is too long */
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

/* Leaves one of equal ones. */
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
