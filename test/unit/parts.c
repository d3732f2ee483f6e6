/* SPDX-License-Identifier: MIT */
/* Inclusive costs against the run, event by event: a part has the cost of an event while one of its calls
 * is on the stack, else what the path has of its blocks.  Random recordings, or the files given. */

#include "wpp/profile/parts.h"

#include <math.h>
#include <stdlib.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/profile/context-tree.h"
#include "wpp/replay/events.h"

/* ---- The run ---------------------------------------------------------------------------- */

struct has { uint32_t part; double own; bool calls; };
struct frame { uint32_t routine, last; uint32_t called_from; };

struct oracle {
    const wpp *w;
    const struct parts *parts;
    struct has **of;             /* by terminal: the parts it has something of */
    uint32_t *n_of;
    double *inclusive, *since;   /* by part */
    uint32_t *active;
    double *calls;               /* by routine */
    double total;
    struct frame *stack;
    uint32_t depth, capacity;
};

static void list_parts(struct oracle *o, uint32_t t, struct has *all)
{
    const struct wpp_terminal *x = wpp_terminal(o->w, t);
    uint32_t stop = x->n_blocks ? x->blocks[x->n_blocks - 1] : 0, n = 0;

    if (x->routine == WPP_NO_ROUTINE)
        return;
    for (uint32_t i = 0; i < o->parts->n; i++) {
        const struct part *p = &o->parts->part[i];
        struct has h = {i, 0, false};

        if (!p->block && p->routine == x->routine)
            h = (struct has){i, (double)x->insns, true};
        for (uint32_t k = 0; k < p->n_blocks; k++) {
            if (p->block[k].routine != x->routine)
                continue;
            h.calls |= p->block[k].block == stop && p->block[k].calls;
            for (uint32_t b = 0; b < x->n_blocks; b++)
                if (x->blocks[b] == p->block[k].block)
                    h.own += p->block[k].share
                           * wpp_routine(o->w, x->routine)->blocks[x->blocks[b]].insns;
        }
        if (h.own > 0 || h.calls)
            all[n++] = h;
    }
    o->of[t] = malloc((n + 1) * sizeof **o->of);
    memcpy(o->of[t], all, n * sizeof *all);
    o->n_of[t] = n;
}

static void push(struct oracle *o, uint32_t routine)
{
    uint32_t from = o->depth ? o->stack[o->depth - 1].last : COSTS_NO_PATH;

    if (o->depth == o->capacity) {
        o->capacity = 2 * o->capacity + 64;
        o->stack = realloc(o->stack, o->capacity * sizeof *o->stack);
    }
    o->stack[o->depth++] = (struct frame){routine, COSTS_NO_PATH, from};
    for (uint32_t i = 0; from != COSTS_NO_PATH && i < o->n_of[from]; i++)
        if (o->of[from][i].calls && o->active[o->of[from][i].part]++ == 0)
            o->since[o->of[from][i].part] = o->total;
}

static void pop(struct oracle *o)
{
    uint32_t from = o->stack[--o->depth].called_from;

    for (uint32_t i = 0; from != COSTS_NO_PATH && i < o->n_of[from]; i++)
        if (o->of[from][i].calls && --o->active[o->of[from][i].part] == 0)
            o->inclusive[o->of[from][i].part] += o->total - o->since[o->of[from][i].part];
}

static void run_event(struct oracle *o, struct events *e, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(o->w, number);
    struct events_step step;

    events_next(e, t, t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(o->w, t->routine), &step);
    for (uint32_t i = 0; i < step.left; i++)
        pop(o);
    if (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN)
        push(o, t->routine);
    if (step.arrival == ARRIVAL_ENTER)
        o->calls[t->routine]++;
    o->total += (double)t->insns;
    if (t->routine == WPP_NO_ROUTINE)
        return;
    o->stack[o->depth - 1].last = number;
    for (uint32_t i = 0; i < o->n_of[number]; i++)
        if (!o->active[o->of[number][i].part])
            o->inclusive[o->of[number][i].part] += o->of[number][i].own;
    if (step.leaves)
        pop(o);
}

static void run_thread(struct oracle *o, uint32_t thread)
{
    struct events *e = events_new();
    wpp_cursor *cursor = wpp_cursor_new(o->w, thread, 0);
    uint32_t batch[1024];
    size_t got;

    while ((got = wpp_cursor_read(cursor, batch, 1024)) > 0)
        for (size_t i = 0; i < got; i++)
            run_event(o, e, batch[i]);
    while (o->depth > 0)
        pop(o);
    wpp_cursor_free(cursor);
    events_free(e);
}

static struct oracle run_all(const wpp *w, const struct parts *parts)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    struct oracle o = {.w = w, .parts = parts};
    struct has *all = malloc((parts->n + 1) * sizeof *all);

    o.of = calloc(n + 1, sizeof *o.of);
    o.n_of = calloc(n + 1, sizeof *o.n_of);
    o.inclusive = calloc(parts->n + 1, sizeof *o.inclusive);
    o.since = calloc(parts->n + 1, sizeof *o.since);
    o.active = calloc(parts->n + 1, sizeof *o.active);
    o.calls = calloc(parts->n_routines + 1, sizeof *o.calls);
    for (uint32_t t = 0; t < n; t++)
        list_parts(&o, t, all);
    for (uint32_t k = 0; k < wpp_grammar(w)->n_threads; k++)
        run_thread(&o, k);
    free(all);
    return o;
}

static void free_oracle(struct oracle *o)
{
    for (uint32_t t = 0; t < wpp_grammar(o->w)->n_terminals; t++)
        free(o->of[t]);
    free(o->of);
    free(o->n_of);
    free(o->inclusive);
    free(o->since);
    free(o->active);
    free(o->calls);
    free(o->stack);
}

/* ---- Checks -------------------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-6;
}

static bool compare(const struct parts *p, const struct oracle *o, const bool *bound, const char *name)
{
    double self = p->unread;

    for (uint32_t i = 0; i < p->n; i++) {
        const struct part *x = &p->part[i];

        if (i < p->n_functions)
            self += x->self;
        if (!is_near(x->inclusive, o->inclusive[i])) {
            tap_note("%s: part %u (%s, kind %d): %.3f, and is %.3f%s", name, i, x->name, x->kind,
                     x->inclusive, o->inclusive[i], bound[i] ? " (calls itself)" : "");
            return false;
        }
        if (i < p->n_routines && x->calls != o->calls[i]) {
            tap_note("%s: %s: %.0f calls, and there are %.0f", name, x->name, x->calls, o->calls[i]);
            return false;
        }
    }
    if (!is_near(self, o->total))
        tap_note("%s: self costs are %.3f, all is %.3f", name, self, o->total);
    return is_near(self, o->total);
}

/* The calling contexts: self costs are all costs, and of nodes of a routine that have none of it
 * above the inclusive costs are the routine's. */
static bool contexts_agree(const struct run_costs *c, const struct parts *p, const char *name)
{
    struct call_contexts t;
    double *inclusive = calloc(p->n_routines + 1, sizeof *inclusive), self = p->unread;
    uint32_t *above = calloc(20000, sizeof *above), n = 0;
    bool ok = contexts_below(&t, c, NULL, (struct context_limits){0, 10000});

    for (size_t i = 0; ok && i < t.n; i++) {
        const struct call_context *x = &t.node[i];
        bool again = false;

        n = x->depth;
        for (uint32_t k = 0; k < n; k++)
            again |= above[k] == x->routine;
        above[n] = x->routine;
        self += x->self;
        if (!again)
            inclusive[x->routine] += x->inclusive;
    }
    /* What has no routine may lie in no activation, or in one. */
    ok = ok && self >= c->total * (1 - 1e-9) - 1e-6 && self - p->unread <= c->total * (1 + 1e-9) + 1e-6;
    for (uint32_t r = 0; ok && r < p->n_routines; r++)
        if (!is_near(inclusive[r], p->part[r].inclusive)) {
            tap_note("%s: contexts of %s: %.3f, and it has %.3f", name, p->part[r].name, inclusive[r],
                     p->part[r].inclusive);
            ok = false;
        }
    contexts_free(&t);
    free(inclusive);
    free(above);
    return ok;
}

/* What led to a routine costs what it has, at each depth. */
static bool callers_agree(const struct run_costs *c, const struct parts *p, const char *name)
{
    bool *chosen = calloc(p->n_routines + 1, sizeof *chosen), ok = true;

    for (uint32_t r = 0; ok && r < p->n_routines && r < 12; r++) {
        struct call_contexts t;
        double sum[8] = {0};
        double nobody = 0;

        chosen[r] = true;
        ok = contexts_above(&t, c, chosen, (struct context_limits){0, 6});
        for (size_t i = 0; ok && i < t.n; i++) {
            sum[t.node[i].depth] += t.node[i].inclusive;
            if (t.node[i].routine == CONTEXT_NOBODY && t.node[i].depth == 1)
                nobody += t.node[i].inclusive;
        }
        ok = ok && is_near(sum[0], p->part[r].inclusive) && is_near(sum[1], sum[0])
          && is_near(sum[1] - nobody, sum[2]);
        if (!ok)
            tap_note("%s: callers of %s: %.3f, %.3f (%.3f by nobody), %.3f; it has %.3f", name,
                     p->part[r].name, sum[0], sum[1], nobody, sum[2], p->part[r].inclusive);
        contexts_free(&t);
        chosen[r] = false;
    }
    free(chosen);
    return ok;
}

static bool same_contexts(const struct call_contexts *a, const struct call_contexts *b)
{
    if (a->n != b->n || !is_near(a->total, b->total))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct call_context *x = &a->node[i], *y = &b->node[i];

        if (x->routine != y->routine || x->depth != y->depth || x->hidden != y->hidden || !is_near(x->calls, y->calls)
            || !is_near(x->inclusive, y->inclusive) || !is_near(x->self, y->self))
            return false;
    }
    return true;
}

/* An answer of the tree of contexts is that of the call tree. */
static bool answers_alike(const struct run_costs *c, const struct context_tree *t, const bool *chosen, bool above,
                          struct context_limits limits, uint32_t *n_left)
{
    struct call_contexts want, got;
    bool ok = (above ? contexts_above : contexts_below)(&want, c, chosen, limits);
    enum contexts_status status = (above ? context_tree_above : context_tree_below)(&got, t, chosen, limits);

    *n_left += status == CONTEXTS_LEFT;
    ok = ok && (status == CONTEXTS_LEFT || (status == CONTEXTS_DONE && same_contexts(&want, &got)));
    contexts_free(&want);
    contexts_free(&got);
    return ok;
}

/* Of a tree of contexts that holds all, and of one that holds few; of one routine and of two. */
static bool tree_agrees(const struct run_costs *c, uint32_t n_routines, uint32_t seed, const char *name,
                        uint32_t n_left[2])
{
    static const struct context_limits limits[] = {{0, 5}, {0.001, 60}, {0.05, 3}};
    bool *chosen = calloc(n_routines + 1, sizeof *chosen), ok = true;

    for (uint32_t few = 0; ok && few < 2; few++) {
        struct context_tree t;

        ok = context_tree_new(&t, c, few ? 1 + seed % 40 : 1 << 20);
        while (ok && t.opening)
            ok = context_tree_open(&t, 1 + seed) && context_tree_check(&t);
        ok = ok && answers_alike(c, &t, NULL, false, limits[seed % 3], &n_left[few]);
        for (uint32_t r = 0; ok && r < n_routines && r < 12; r++) {
            uint32_t other = (r * 7 + seed) % n_routines;

            chosen[r] = true;
            chosen[other] = chosen[other] || seed % 2;
            ok = answers_alike(c, &t, chosen, false, limits[(seed + r) % 3], &n_left[few])
              && answers_alike(c, &t, chosen, true, limits[(seed + r) % 3], &n_left[few]);
            if (!ok)
                tap_note("%s: the contexts of routine %u", name, r);
            chosen[r] = chosen[other] = false;
        }
        context_tree_free(&t);
    }
    free(chosen);
    return ok;
}

struct seen { uint32_t recursive, left[2]; };

static bool is_right(const wpp *w, const char *name, uint32_t seed, struct seen *seen, bool contexts)
{
    struct call_tree tree;
    struct run_costs costs;
    struct parts parts;
    struct wpp_error error;
    bool ok = call_tree_new(&tree, w, &error) && run_costs_new(&costs, w, &tree, UINT32_MAX)
           && parts_new(&parts, &costs);

    if (!ok)
        return false;
    struct oracle o = run_all(w, &parts);
    uint32_t *all = calloc(parts.n + 1, sizeof *all);
    bool *bound = calloc(parts.n + 1, sizeof *bound);

    for (uint32_t i = 0; i < parts.n; i++) {
        all[i] = i;
        bound[i] = !parts.part[i].exact;
        seen->recursive += bound[i];
        ok = ok && parts.part[i].inclusive >= o.inclusive[i] * (1 - 1e-9) - 1e-6;
    }
    if (!ok)
        tap_note("%s: an upper bound is none", name);
    ok = ok && parts_exact(&parts, all, parts.n) && compare(&parts, &o, bound, name);
    ok = ok && (!contexts || contexts_agree(&costs, &parts, name));
    ok = ok && (!contexts || callers_agree(&costs, &parts, name));
    ok = ok && tree_agrees(&costs, parts.n_routines, seed, name, seen->left);
    free(all);
    free(bound);
    free_oracle(&o);
    parts_free(&parts);
    run_costs_free(&costs);
    call_tree_free(&tree);
    return ok;
}

int main(int argc, char **argv)
{
    struct random r = {47};
    struct wpp_error error;
    struct seen seen = {0};
    uint32_t wrong = 0;

    for (int i = 1; i < argc; i++) {
        wpp *w = wpp_open(argv[i], &error);

        tap_ok(w && is_right(w, argv[i], (uint32_t)i, &seen, false), "%s", argv[i]);
        wpp_close(w);
    }
    for (uint32_t seed = 0; argc == 1 && seed < 200; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed / 2);
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        wrong += !w || !is_right(w, "random", seed, &seen, true);
        wpp_close(w);
        random_content_free(c);
    }
    if (argc == 1) {
        tap_ok(wrong == 0, "200 random recordings: inclusive costs, calls and contexts are the run's");
        tap_ok(seen.recursive > 100, "and %u parts call themselves", seen.recursive);
        tap_ok(seen.left[0] == 0 && seen.left[1] > 100, "a small tree of contexts leaves %u questions", seen.left[1]);
    }
    return tap_done();
}
