/* SPDX-License-Identifier: MIT */
/* Runs a random program of calls, returns, longjmps and exceptions, writes down
 * the paths a trace would hold, and lets the machine find the stack again.  The
 * program keeps the true stack; the machine never sees it. */

#include "wpp/replay/events.h"

#include <stdlib.h>

#include "test/unit/tap.h"

/* One routine of this shape for all: calls end blocks 2 and 3, 4 is the last.
 *
 *      ENTRY -> 2 -call-> 3 -call-> 4 -> EXIT,  setjmp returns to 3
 *               5 -> EXIT: where exceptions of block 3 land, in CATCHERs
 */
enum { BLOCK_ENTRY, BLOCK_EXIT, BLOCK_FIRST, BLOCK_SECOND, BLOCK_LAST, BLOCK_LANDING, N_BLOCKS };
enum { EDGE_IN, EDGE_START_SECOND, EDGE_START_LAST, EDGE_START_LANDING, EDGE_CALL_FIRST,
       EDGE_CALL_SECOND, EDGE_OUT, EDGE_STOP, EDGE_CAUGHT, N_EDGES };

static const struct wpp_edge edges[N_EDGES] = {
    [EDGE_IN] = {BLOCK_ENTRY, BLOCK_FIRST, WPP_EDGE_REAL, UINT32_MAX, 0},
    [EDGE_START_SECOND] = {BLOCK_ENTRY, BLOCK_SECOND, WPP_EDGE_START, UINT32_MAX, 1},
    [EDGE_START_LAST] = {BLOCK_ENTRY, BLOCK_LAST, WPP_EDGE_START, UINT32_MAX, 2},
    [EDGE_START_LANDING] = {BLOCK_ENTRY, BLOCK_LANDING, WPP_EDGE_START, UINT32_MAX, 3},
    [EDGE_CALL_FIRST] = {BLOCK_FIRST, BLOCK_EXIT, WPP_EDGE_END_CALL, BLOCK_SECOND, 0},
    [EDGE_CALL_SECOND] = {BLOCK_SECOND, BLOCK_EXIT, WPP_EDGE_END_CALL, BLOCK_LAST, 0},
    [EDGE_OUT] = {BLOCK_LAST, BLOCK_EXIT, WPP_EDGE_REAL, UINT32_MAX, 0},
    [EDGE_STOP] = {BLOCK_LAST, BLOCK_EXIT, WPP_EDGE_END_STOP, UINT32_MAX, 0},
    [EDGE_CAUGHT] = {BLOCK_LANDING, BLOCK_EXIT, WPP_EDGE_REAL, UINT32_MAX, 0},
};
static const struct wpp_block blocks[N_BLOCKS];
static const struct wpp_landing landings[] = {{BLOCK_SECOND, BLOCK_LANDING}};

enum { PATH_FIRST, PATH_SECOND, PATH_LAST, PATH_LANDING, PATH_STOP, N_PATHS };
static const struct { uint32_t block, edge[2]; bool enters, leaves; } paths[N_PATHS] = {
    [PATH_FIRST] = {BLOCK_FIRST, {EDGE_IN, EDGE_CALL_FIRST}, true, false},
    [PATH_SECOND] = {BLOCK_SECOND, {EDGE_START_SECOND, EDGE_CALL_SECOND}, false, false},
    [PATH_LAST] = {BLOCK_LAST, {EDGE_START_LAST, EDGE_OUT}, false, true},
    [PATH_LANDING] = {BLOCK_LANDING, {EDGE_START_LANDING, EDGE_CAUGHT}, false, true},
    [PATH_STOP] = {BLOCK_LAST, {EDGE_START_LAST, EDGE_STOP}, false, false},
};

enum { N_ROUTINES = 6, NONLOCAL_ROUTINE = 0, CATCHER = 5 };
static struct wpp_routine routines[N_ROUTINES];
static struct wpp_terminal terminals[N_ROUTINES][N_PATHS];

static void make_program(void)
{
    for (uint32_t r = 0; r < N_ROUTINES; r++) {
        routines[r] = (struct wpp_routine){
            .name = "r", .n_blocks = N_BLOCKS, .blocks = blocks, .n_edges = N_EDGES,
            .edges = edges, .flags = r == NONLOCAL_ROUTINE ? 6 : r == CATCHER ? 2 : 0,
            .n_landings = r == CATCHER, .landings = landings
        };
        for (uint32_t p = 0; p < N_PATHS; p++)
            terminals[r][p] = (struct wpp_terminal){
                .routine = r, .path = p, .n_blocks = 1, .blocks = &paths[p].block,
                .n_edges = 2, .edges = paths[p].edge,
                .enters = paths[p].enters, .leaves = paths[p].leaves
            };
    }
}

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

/* The program's true stack. */
struct truth {
    struct {
        uint32_t routine, next;    /* path that comes when it is on top */
        uint32_t number;           /* of NONLOCAL_ROUTINE's */
    } frame[64];
    uint32_t depth, counter;
};

struct run {
    struct truth truth;
    struct events *machine;
    uint32_t wrong;        /* steps whose depth, arrival or leaving differ from the truth */
    uint32_t steps;
};

static void step(struct run *r, uint32_t routine, uint32_t path, enum events_arrival arrival,
                 uint32_t depth, uint32_t left)
{
    struct events_step got;
    const char *why;
    bool ok = events_next(r->machine, &terminals[routine][path], &routines[routine], &got);

    ok = ok && events_check(r->machine, &why);
    ok = ok && got.arrival == arrival && got.depth == depth && got.left == left;
    ok = ok && got.leaves == paths[path].leaves;
    ok = ok && events_depth(r->machine) == r->truth.depth;
    r->wrong += !ok;
    r->steps++;
}

/* What setjmp's return in the topmost frame writes down. */
static void frame_word(struct run *r, uint32_t left)
{
    uint32_t depth = r->truth.depth - 1;
    struct wpp_terminal word = {
        .token = 0xFFFF8000 + r->truth.frame[depth].number, .routine = WPP_NO_ROUTINE,
        .control = true
    };
    struct events_step got;
    bool ok = events_next(r->machine, &word, NULL, &got);

    r->truth.counter = r->truth.frame[depth].number + 1;
    r->wrong += !ok || got.arrival != ARRIVAL_FRAME || got.left != left || got.depth != depth;
    r->steps++;
}

static void call(struct run *r)
{
    struct truth *t = &r->truth;
    uint32_t routine = random_below(N_ROUTINES);

    t->frame[t->depth].routine = routine;
    t->frame[t->depth].next = PATH_SECOND;
    t->frame[t->depth].number = t->counter;
    t->counter += routine == NONLOCAL_ROUTINE;
    t->depth++;
    step(r, routine, PATH_FIRST, ARRIVAL_ENTER, t->depth - 1, 0);
    if (routine == NONLOCAL_ROUTINE && random_below(2))
        frame_word(r, 0);
}

static void go_on(struct run *r, enum events_arrival arrival, uint32_t left)
{
    struct truth *t = &r->truth;
    uint32_t depth = t->depth - 1, path = t->frame[depth].next;

    t->frame[depth].next++;
    t->depth -= paths[path].leaves;
    if (paths[path].leaves && t->frame[depth].routine == NONLOCAL_ROUTINE)
        t->counter = t->frame[depth].number;
    step(r, t->frame[depth].routine, path, arrival, depth, left);
}

/* A non-local return into any activation that set a jump, and its next path. */
static void long_jump(struct run *r)
{
    struct truth *t = &r->truth;
    uint32_t d = random_below(t->depth), left = t->depth - 1 - d;

    if (t->frame[d].routine != NONLOCAL_ROUTINE)
        return;
    t->depth = d + 1;
    t->frame[d].next = PATH_SECOND;
    frame_word(r, left);
    go_on(r, ARRIVAL_RESUME, 0);
}

/* An exception out of the topmost frame: the nearest catcher that is stopped at
 * its second call gets it. */
static void throw(struct run *r)
{
    struct truth *t = &r->truth;

    for (uint32_t d = t->depth; d-- > 0;) {
        if (t->frame[d].routine != CATCHER || t->frame[d].next != PATH_LAST)
            continue;
        uint32_t left = t->depth - 1 - d;
        t->depth = d;
        step(r, CATCHER, PATH_LANDING, left > 0 ? ARRIVAL_UNWIND : ARRIVAL_RESUME, d, left);
        return;
    }
}

static void test_random_programs(void)
{
    struct run r = {0};

    random_state = 1;
    for (int program = 0; program < 2000; program++) {
        r.machine = events_new();
        r.truth = (struct truth){0};
        call(&r);
        for (int i = 0; i < 60 && r.truth.depth > 0; i++) {
            uint32_t what = random_below(12);
            if (what < 6 && r.truth.depth < 64)
                call(&r);
            else if (what < 10)
                go_on(&r, ARRIVAL_RESUME, 0);
            else if (what < 11)
                throw(&r);
            else
                long_jump(&r);
        }
        events_free(r.machine);
    }
    tap_ok(r.steps > 50000 && r.wrong == 0, "%u steps of random programs: %u differ from the true stack",
           r.steps, r.wrong);
}

/* The same, but the machine comes in the middle: frames it has not seen appear
 * one by one, each at the bottom, as the program returns into them. */
static void test_from_the_middle(void)
{
    struct events *e = events_new();
    struct events_step s;
    bool ok;

    events_next(e, &terminals[1][PATH_SECOND], &routines[1], &s);
    tap_ok(s.arrival == ARRIVAL_UNSEEN && s.depth == 0 && s.left == 0 && events_depth(e) == 1,
           "an activation that began earlier gets a frame");
    events_next(e, &terminals[2][PATH_FIRST], &routines[2], &s);
    ok = s.arrival == ARRIVAL_ENTER && s.depth == 1;
    events_next(e, &terminals[3][PATH_LAST], &routines[3], &s);
    tap_ok(ok && s.arrival == ARRIVAL_UNSEEN && s.left == 2 && s.depth == 0 && s.leaves
           && events_depth(e) == 0,
           "an older one that comes later lies below all frames: they have left");
    events_free(e);
}

static void test_search_order(void)
{
    struct events *e = events_new();
    struct events_step s;

    /* 1 waits at SECOND; 1 again waits at LAST; then SECOND comes: the lower one. */
    events_next(e, &terminals[1][PATH_FIRST], &routines[1], &s);
    events_next(e, &terminals[1][PATH_FIRST], &routines[1], &s);
    events_next(e, &terminals[1][PATH_SECOND], &routines[1], &s);
    events_next(e, &terminals[2][PATH_FIRST], &routines[2], &s);
    events_next(e, &terminals[1][PATH_SECOND], &routines[1], &s);
    tap_ok(s.arrival == ARRIVAL_UNWIND && s.left == 2 && s.depth == 0,
           "of two activations of a routine the one that waits at the block is meant");

    /* The one activation of 1 now waits at LAST; SECOND contradicts that. */
    events_next(e, &terminals[2][PATH_FIRST], &routines[2], &s);
    events_next(e, &terminals[1][PATH_SECOND], &routines[1], &s);
    tap_ok(s.arrival == ARRIVAL_IMPOSSIBLE && s.left == 1 && s.depth == 0,
           "a block at which nothing waits is told as impossible");
    events_free(e);

    e = events_new();
    events_next(e, &terminals[NONLOCAL_ROUTINE][PATH_FIRST], &routines[NONLOCAL_ROUTINE], &s);
    events_next(e, &terminals[2][PATH_FIRST], &routines[2], &s);
    events_next(e, &terminals[NONLOCAL_ROUTINE][PATH_LAST], &routines[NONLOCAL_ROUTINE], &s);
    tap_ok(s.arrival == ARRIVAL_NONLOCAL && s.left == 1 && s.depth == 0,
           "a routine that non-local returns may enter can go on at any block");
    events_free(e);
}

/* An exception runs the cleanups of two activations of one routine, each ending
 * for good: the second cannot be the first's again. */
static void test_unwinding(void)
{
    struct events *e = events_new();
    struct events_step s;
    const struct wpp_routine *routine = &routines[NONLOCAL_ROUTINE];
    const struct wpp_terminal *t = terminals[NONLOCAL_ROUTINE];

    events_next(e, &t[PATH_FIRST], routine, &s);
    events_next(e, &t[PATH_FIRST], routine, &s);
    events_next(e, &t[PATH_STOP], routine, &s);
    tap_ok(s.arrival == ARRIVAL_NONLOCAL && s.depth == 1 && s.left == 0,
           "a cleanup runs in the innermost activation");
    events_next(e, &t[PATH_STOP], routine, &s);
    tap_ok(s.arrival == ARRIVAL_NONLOCAL && s.depth == 0 && s.left == 1,
           "the next in the one below");
    events_free(e);
}

static void test_raw_symbols(void)
{
    struct wpp_terminal raw = {.token = 7, .routine = WPP_NO_ROUTINE};
    struct events *e = events_new();
    struct events_step s;

    events_next(e, &terminals[1][PATH_FIRST], &routines[1], &s);
    tap_ok(events_next(e, &raw, NULL, &s) && s.arrival == ARRIVAL_NONE && events_depth(e) == 1
           && !s.leaves && s.left == 0, "a terminal without routine touches nothing");
    raw.token = 0xFFFF8000;
    events_next(e, &terminals[NONLOCAL_ROUTINE][PATH_FIRST], &routines[NONLOCAL_ROUTINE], &s);
    tap_ok(events_next(e, &raw, NULL, &s) && s.arrival == ARRIVAL_NONE,
           "a plain symbol is no Frame word, whatever its number");
    raw.control = true;
    tap_ok(events_next(e, &raw, NULL, &s) && s.arrival == ARRIVAL_FRAME, "a control word is");
    events_free(e);
}

static void test_deep(void)
{
    struct events *e = events_new();
    struct events_step s;
    bool ok = true;
    const char *why;

    for (uint32_t i = 0; i < 300000; i++)
        ok = ok && events_next(e, &terminals[1][PATH_FIRST], &routines[1], &s) && s.depth == i;
    tap_ok(ok && events_check(e, &why), "300000 activations deep");
    events_next(e, &terminals[NONLOCAL_ROUTINE][PATH_SECOND], &routines[NONLOCAL_ROUTINE], &s);
    tap_ok(s.left == 300000 && events_depth(e) == 1, "and all of them left at once");
    events_free(e);
}

int main(void)
{
    make_program();
    test_random_programs();
    test_from_the_middle();
    test_search_order();
    test_unwinding();
    test_raw_symbols();
    test_deep();
    return tap_done();
}
