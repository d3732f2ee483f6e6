/* SPDX-License-Identifier: MIT */
/* What wpp.h answers about places in a run, against the run written out: executions by their order, the
 * call stack at every event, times.  Random recordings, most of which no program could have made; or
 * those of the files that are given. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/rule-effects.h"

/* ---- The run, written out --------------------------------------------------------------------- */

struct run {
    const wpp *w;
    uint32_t thread;
    uint64_t n;                  /* events */
    uint32_t *terminal;
    struct wpp_frame *made;      /* activations by the order of their beginning */
    uint32_t n_made;
    uint32_t *stack;             /* indices into `made` */
    uint32_t depth;
};

static bool read_run(struct run *r, const wpp *w, uint32_t thread)
{
    wpp_cursor *c = wpp_cursor_new(w, thread, 0);

    *r = (struct run){.w = w, .thread = thread, .n = wpp_thread(w, thread)->tokens};
    r->terminal = malloc((r->n + 1) * sizeof *r->terminal);
    r->made = malloc((r->n + 1) * sizeof *r->made);
    r->stack = malloc((r->n + 1) * sizeof *r->stack);
    if (!c || wpp_cursor_read(c, r->terminal, r->n + 1) != r->n)
        return false;
    wpp_cursor_free(c);
    return true;
}

static void free_run(struct run *r)
{
    free(r->terminal);
    free(r->made);
    free(r->stack);
}

/* Gives the machine event e and follows it on the stack; its activation, if it leaves, stays on top. */
static bool run_event(struct run *r, struct events *machine, uint64_t e)
{
    const struct wpp_terminal *t = wpp_terminal(r->w, r->terminal[e]);
    struct events_step step;

    events_next(machine, t, t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(r->w, t->routine), &step);
    for (; step.left > 0; step.left--)
        r->made[r->stack[--r->depth]].end = e;
    if (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN) {
        r->made[r->n_made] = (struct wpp_frame){
            .routine = t->routine, .unseen = step.arrival == ARRIVAL_UNSEEN, .first = e, .end = r->n
        };
        r->stack[r->depth++] = r->n_made++;
    }
    if (r->depth > 0 && t->routine != WPP_NO_ROUTINE) {
        r->made[r->stack[r->depth - 1]].last = e;
        r->made[r->stack[r->depth - 1]].terminal = r->terminal[e];
    }
    if (step.leaves)
        r->made[r->stack[r->depth - 1]].end = e + 1;
    return step.leaves;
}

/* ---- Stacks ------------------------------------------------------------------------------------- */

static bool same_frames(const struct run *r, const struct wpp_frame *got, size_t n)
{
    bool same = n == r->depth;

    for (size_t i = 0; same && i < n; i++) {
        const struct wpp_frame *want = &r->made[r->stack[i]];

        same = got[i].routine == want->routine && got[i].unseen == want->unseen &&
               got[i].first == want->first && got[i].last == want->last &&
               got[i].terminal == want->terminal;
    }
    return same;
}

/* Whether the frames' ends, which the machine does not know before, are right: looks them up by their
 * beginnings after the run. */
static bool right_ends(const struct run *r, const struct wpp_frame *got, size_t n)
{
    bool right = true;

    for (size_t i = 0; right && i < n; i++) {
        bool found = false;

        for (uint32_t k = 0; k < r->n_made && !found; k++)
            found = r->made[k].first == got[i].first && r->made[k].routine == got[i].routine &&
                    r->made[k].end == got[i].end;
        right = found;
    }
    return right;
}

/* The first event, or the end, at which the stack is wrong; UINT64_MAX if none. */
static uint64_t wrong_stack(struct run *r, const wpp_stacks *stacks, bool ends)
{
    struct events *machine = events_new();
    uint64_t wrong = UINT64_MAX;

    for (uint64_t e = 0; wrong == UINT64_MAX && e <= r->n; e++) {
        struct wpp_frame *got = NULL;
        size_t n;
        bool leaves = e < r->n && run_event(r, machine, e);

        if (!wpp_stack_at(stacks, r->thread, e, &got, &n) || !same_frames(r, got, n))
            wrong = e;
        r->depth -= leaves;
        free(got);
    }
    for (uint64_t e = 0; ends && wrong == UINT64_MAX && e <= r->n; e++) {
        struct wpp_frame *got;
        size_t n;

        if (!wpp_stack_at(stacks, r->thread, e, &got, &n) || !right_ends(r, got, n))
            wrong = e;
        free(got);
    }
    events_free(machine);
    return wrong;
}

/* Whether the machine has the same frames. */
static bool same_machine(const struct events *a, const struct events *b)
{
    bool same = a && events_depth(a) == events_depth(b);

    for (uint32_t i = 0; same && i < events_depth(a); i++) {
        const struct events_frame *x = &events_frames(a)[i], *y = &events_frames(b)[i];

        same = x->routine == y->routine && x->at == y->at && x->resume == y->resume &&
               x->label == y->label && x->nonlocal == y->nonlocal && x->numbered == y->numbered;
    }
    return same;
}

/* Whether the machine is put forward to some events as if it had run all before. */
static bool right_forward(struct run *r, struct random *random)
{
    struct events *machine = events_new();
    bool right = true;

    for (uint64_t e = 0; right && e <= r->n; e++) {
        if (draw(random, 1 + r->n / 20) == 0 || e == r->n) {
            struct events *forward = events_until(r->w, r->thread, e);

            right = same_machine(forward, machine);
            events_free(forward);
        }
        if (e < r->n)
            run_event(r, machine, e);
    }
    events_free(machine);
    return right;
}

/* ---- Executions --------------------------------------------------------------------------------- */

static bool right_executions(const struct run *r, const uint32_t *weights, struct random *random)
{
    struct wpp_error error;
    wpp_finder *f = wpp_finder_new(r->w, weights, &error);
    uint64_t *before = malloc((r->n + 1) * sizeof *before), k = 0, event;
    uint32_t within;
    bool right = f && before;

    for (uint64_t e = 0; right && e < r->n; e++) {
        before[e] = k;
        for (uint32_t i = 0; right && i < weights[r->terminal[e]]; i++, k++)
            right = wpp_finder_nth(f, r->thread, k, &event, &within) && event == e && within == i;
    }
    right = right && !wpp_finder_nth(f, r->thread, k, &event, &within);
    before[r->n] = k;
    for (int i = 0; right && i < 100; i++) {
        uint64_t a = draw(random, r->n + 1), b = draw(random, r->n + 1);

        right = wpp_finder_count(f, r->thread, a < b ? a : b, a < b ? b : a) ==
                (a < b ? before[b] - before[a] : before[a] - before[b]);
    }
    free(before);
    wpp_finder_free(f);
    return right;
}

static bool right_finds(const struct run *r, struct random *random)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;
    uint32_t *weights = calloc(n + (size_t)1, sizeof *weights);
    bool right = true;

    for (int times = 0; right && times < 4; times++) {
        uint32_t seldom = 1 + draw(random, 20);

        for (uint32_t i = 0; i < n; i++)
            weights[i] = draw(random, seldom) ? 0 : draw(random, 4);
        right = right_executions(r, weights, random);
    }
    free(weights);
    return right;
}

/* ---- Times ---------------------------------------------------------------------------------------- */

/* Times do not fall, and an event's time leads to the event or one as early. */
static bool right_times(const struct run *r)
{
    uint64_t before = 0, time, event;
    bool known = wpp_time_of(r->w, r->thread, 0, &before), right = true;

    for (uint64_t e = 0; known && right && e <= r->n; e += 1 + r->n / 1000) {
        right = wpp_time_of(r->w, r->thread, e, &time) && time >= before &&
                wpp_event_at(r->w, r->thread, time, &event) && event <= r->n;
        before = time;
    }
    return right && known == wpp_event_at(r->w, r->thread, 0, &event);
}

/* ---- Recordings ------------------------------------------------------------------------------------- */

static bool is_right(const wpp *w, const char *name, struct random *random, bool ends)
{
    struct wpp_error error;
    wpp_stacks *stacks = wpp_stacks_new(w, &error);
    bool right = stacks != NULL;

    for (uint32_t k = 0; right && k < wpp_grammar(w)->n_threads; k++) {
        struct run r;
        uint64_t wrong;

        right = read_run(&r, w, k);
        wrong = right ? wrong_stack(&r, stacks, ends) : 0;
        if (wrong != UINT64_MAX)
            tap_note("%s: thread %u: the stack at event %llu", name, k, (unsigned long long)wrong);
        right = wrong == UINT64_MAX && right_finds(&r, random);
        if (wrong == UINT64_MAX && !right)
            tap_note("%s: thread %u: an execution", name, k);
        r.depth = r.n_made = 0;
        if (right && !right_forward(&r, random)) {
            tap_note("%s: thread %u: the machine put forward", name, k);
            right = false;
        }
        free_run(&r);
    }
    wpp_stacks_free(stacks);
    return right;
}

/* Recordings with times that rise, as in a trace. */
static bool times_are_right(const wpp *w)
{
    bool right = true;

    for (uint32_t k = 0; right && k < wpp_grammar(w)->n_threads; k++) {
        struct run r;

        right = read_run(&r, w, k) && right_times(&r);
        free_run(&r);
    }
    return right;
}

enum { MANY = 200 };

/* How many random recordings are tried: MANY, or so many as the only argument, a number, says. */
static uint32_t many(int *argc, char **argv)
{
    if (*argc != 2 || strspn(argv[1], "0123456789") != strlen(argv[1]))
        return MANY;
    *argc = 1;
    return (uint32_t)strtoul(argv[1], NULL, 10);
}

int main(int argc, char **argv)
{
    struct random r = {49};
    struct wpp_error error;
    uint32_t wrong = 0, n = many(&argc, argv);

    for (int i = 1; i < argc; i++) {
        wpp *w = wpp_open(argv[i], &error);

        tap_ok(w && is_right(w, argv[i], &r, false) && times_are_right(w), "%s", argv[i]);
        wpp_close(w);
    }
    for (uint32_t seed = 0; argc == 1 && seed < n; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed % MANY);
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        wrong += !w || !is_right(w, "random", &r, seed % 10 == 0);
        wpp_close(w);
        random_content_free(c);
    }
    if (argc == 1)
        tap_ok(wrong == 0, "%u random recordings: stacks and executions as in the run written out", n);
    return tap_done();
}
