/* SPDX-License-Identifier: MIT */
/* A part of a run, cut out of its call tree, is that part; and a run as stacks has the weights of its
 * events: against the tree written out event by event.  Random recordings, or the given files. */
#include "wpp/export/stacks.h"
#include "wpp/export/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/call-tree-cut.h"

/* ---- The tree, written out ---------------------------------------------------------------- */

/* An event, and a hash of the routines on the stack, outermost first. */
struct event { uint32_t terminal; uint64_t stack; };

struct events_list { struct event *event; size_t n, room; };

struct writing_out {
    const struct call_tree *tree;
    const bool *chosen;            /* stacks begin at the outermost one of these; NULL: at the thread's */
    struct events_list *out;
};

static uint64_t push(uint64_t stack, uint32_t routine)
{
    return (stack ^ (routine + 1)) * UINT64_C(0x9E3779B97F4A7C15) ^ stack >> 31;
}

static void write_out(const struct writing_out *x, uint32_t piece, uint64_t stack, bool inside)
{
    const struct call_tree *t = x->tree;

    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL) {
            const struct activation *a = &t->activation[number];
            bool in = inside || x->chosen[a->routine];

            write_out(x, a->piece, in ? push(stack, a->routine) : stack, in);
        } else if (item & CALL_TREE_PIECE) {
            write_out(x, number, stack, inside);
        } else if (inside) {
            if (x->out->n == x->out->room) {
                x->out->room = 2 * x->out->room + 64;
                x->out->event = realloc(x->out->event, x->out->room * sizeof *x->out->event);
            }
            x->out->event[x->out->n++] = (struct event){item, stack};
        }
    }
}

static struct events_list written_out(const struct call_tree *t, uint32_t thread, const bool *chosen)
{
    struct events_list list = {0};
    struct writing_out x = {.tree = t, .chosen = chosen, .out = &list};

    write_out(&x, t->root[thread], 0, !chosen);
    return list;
}

static bool equal(const struct event *a, const struct event *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].terminal != b[i].terminal || a[i].stack != b[i].stack)
            return false;
    return true;
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

static bool cut_is_right(const wpp *w, uint32_t thread, uint64_t begin, uint64_t end)
{
    struct call_tree whole, part;
    struct wpp_error error;
    struct events_list want, got;
    bool ok = call_tree_new(&whole, w, &error) && call_tree_new(&part, w, &error)
           && call_tree_cut(&part, thread, begin, end);

    want = written_out(&whole, thread, NULL);
    got = written_out(&part, thread, NULL);
    ok = ok && got.n == end - begin && equal(want.event + begin, got.event, got.n);
    for (uint32_t k = 0; ok && k < part.n_threads; k++)
        ok = k == thread || part.root[k] == 0;
    free(want.event);
    free(got.event);
    call_tree_free(&whole);
    call_tree_free(&part);
    return ok;
}

/* Cuts, also empty ones and such at both ends. */
static bool cuts_are_right(const wpp *w, struct random *r)
{
    bool ok = true;

    for (uint32_t k = 0; ok && k < wpp_grammar(w)->n_threads; k++) {
        uint32_t n = (uint32_t)wpp_thread(w, k)->tokens;

        for (int i = 0; ok && i < 8; i++) {
            uint32_t begin = i < 2 ? 0 : draw(r, n + 1);
            uint32_t end = i % 4 == 1 ? n : begin + draw(r, n - begin + 1);

            ok = cut_is_right(w, k, begin, end);
            if (!ok)
                tap_note("thread %u, events %u to %u of %u", k, begin, end, n);
        }
    }
    return ok;
}

static bool only_is_right(const wpp *w, const bool *chosen)
{
    struct call_tree whole, part;
    struct wpp_error error;
    bool ok = call_tree_new(&whole, w, &error) && call_tree_new(&part, w, &error)
           && call_tree_only(&part, chosen);

    for (uint32_t k = 0; ok && k < whole.n_threads; k++) {
        struct events_list want = written_out(&whole, k, chosen), got = written_out(&part, k, NULL);

        ok = want.n == got.n && equal(want.event, got.event, got.n);
        free(want.event);
        free(got.event);
    }
    call_tree_free(&whole);
    call_tree_free(&part);
    return ok;
}

/* ---- Stacks ------------------------------------------------------------------------------------ */

struct weight { uint64_t stack; double weight; };

static int by_stack(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;

    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Sums equal stacks, leaves out what weighs nothing. */
static size_t summed(struct weight *w, size_t n)
{
    size_t kept = 0;

    if (n > 0)
        qsort(w, n, sizeof *w, by_stack);
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && w[kept - 1].stack == w[i].stack)
            w[kept - 1].weight += w[i].weight;
        else if (w[i].weight != 0)
            w[kept++] = w[i];
    return kept;
}

/* Functions are compared by name: GCC's copies of a routine share theirs. */
static uint64_t name_hash(const char *name, uint64_t stack)
{
    return push(stack, (uint32_t)wpp_fnv(WPP_FNV_START, name, strlen(name)));
}

/* Adds the weights of the events in a piece. */
static void weigh(const wpp *w, const struct call_tree *t, uint32_t piece, uint64_t stack,
                  struct weight *out, size_t *n)
{
    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL) {
            const struct activation *a = &t->activation[number];

            weigh(w, t, a->piece, name_hash(wpp_routine(w, a->routine)->name, stack), out, n);
        } else if (item & CALL_TREE_PIECE) {
            weigh(w, t, number, stack, out, n);
        } else {
            const struct wpp_terminal *terminal = wpp_terminal(w, item);
            bool unread = terminal->routine == WPP_NO_ROUTINE;

            out[(*n)++] = (struct weight){
                unread ? name_hash("(not read)", stack) : stack, (double)terminal->insns
            };
        }
    }
}

static size_t weights_of_stacks(const struct stacks *s, struct weight **out)
{
    *out = calloc(s->n + (size_t)1, sizeof **out);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct stack_node *n = &s->node[i];

        /* Beside itself, a node holds the hash of its stack. */
        (*out)[i].stack = name_hash(s->function[n->function].name,
                                    n->parent == STACK_ROOT ? 0 : (*out)[n->parent].stack);
        (*out)[i].weight = n->weight;
    }
    return summed(*out, s->n);
}

static bool stacks_are_right(const wpp *w, bool lines, bool inlined)
{
    struct export_options options = {
        .thread = UINT32_MAX, .limit = UINT64_MAX, .depth = UINT32_MAX, .inlined = inlined
    };
    struct wpp_summary summary;
    struct export_run run;
    struct stacks s;
    struct wpp_error error;
    struct weight *want, *got;
    size_t n = 0, m;
    double total = 0;
    bool ok = export_run_new(&run, w, &options, &error) && stacks_new(&s, &run, lines);

    if (!ok)
        return false;
    wpp_get_summary(w, &summary);
    want = calloc(summary.tokens + 1, sizeof *want);
    for (uint32_t k = 0; k < run.tree.n_threads; k++)
        weigh(w, &run.tree, run.tree.root[k], 0, want, &n);
    n = summed(want, n);
    m = weights_of_stacks(&s, &got);
    for (size_t i = 0; i < m; i++)
        total += got[i].weight;
    ok = total == export_total(&run) && s.cut == 0;
    if (!inlined) {                /* then a stack is one of routines */
        ok = ok && m == n;
        for (size_t i = 0; ok && i < n; i++)
            ok = want[i].stack == got[i].stack && want[i].weight == got[i].weight;
    }
    free(want);
    free(got);
    stacks_free(&s);
    export_run_free(&run);
    return ok;
}

/* Whatever is cut, the weights are the run's. */
static bool limits_are_right(const wpp *w, struct random *r)
{
    struct export_options options = {
        .thread = UINT32_MAX, .limit = 1 + draw(r, 20), .depth = 1 + draw(r, 10)
    };
    struct export_run run;
    struct stacks s;
    struct wpp_error error;
    double total = 0;
    bool ok = export_run_new(&run, w, &options, &error) && stacks_new(&s, &run, false);

    for (uint32_t i = 0; ok && i < s.n; i++)
        total += s.node[i].weight;
    ok = ok && total == export_total(&run);
    stacks_free(&s);
    export_run_free(&run);
    return ok;
}

/* ---- Timelines ---------------------------------------------------------------------------------- */

struct calls_list { struct timeline_call *call; size_t n, room; };

/* Adds the calls in a piece, which begins at *at. */
static void list_calls(const wpp *w, const struct call_tree *t, uint32_t piece, struct timeline_call around,
                       double *at, struct calls_list *out)
{
    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL) {
            struct timeline_call inner = around;
            size_t mine = out->n;

            if (out->n == out->room) {
                out->room = 2 * out->room + 64;
                out->call = realloc(out->call, out->room * sizeof *out->call);
            }
            inner.routine = t->activation[number].routine;
            inner.unseen = t->activation[number].unseen;
            inner.begin = *at;
            out->call[out->n++] = inner;
            inner.depth++;
            list_calls(w, t, t->activation[number].piece, inner, at, out);
            out->call[mine].end = *at;
        } else if (item & CALL_TREE_PIECE) {
            list_calls(w, t, number, around, at, out);
        } else {
            *at += (double)wpp_terminal(w, item)->insns;
        }
    }
}

static int longest_first(const void *a, const void *b)
{
    const struct timeline_call *x = a, *y = b;
    double left = x->end - x->begin, right = y->end - y->begin;

    return left > right ? -1 : left < right;
}

struct nesting { const struct timeline_call *open[10000]; size_t n, edges; bool ok; };

static bool on_edge(void *ctx, const struct timeline_call *c, bool begins)
{
    struct nesting *x = ctx;

    x->edges++;
    if (begins) {
        const struct timeline_call *outer = x->n > 0 ? x->open[x->n - 1] : NULL;

        x->ok = x->ok && x->n == c->depth && c->begin < c->end
             && (!outer || (outer->thread == c->thread && outer->begin <= c->begin && c->end <= outer->end));
        x->open[x->n++] = c;
    } else {
        x->ok = x->ok && x->n > 0 && x->open[x->n - 1] == c;
        x->n -= x->n > 0;
    }
    return true;
}

/* The calls are there, and no shorter than any that is not. */
static bool timeline_is_right(const wpp *w, uint64_t limit)
{
    struct export_options options = {.thread = UINT32_MAX, .limit = limit, .depth = UINT32_MAX};
    static struct nesting nesting;
    struct export_run run;
    struct timeline t;
    struct wpp_error error;
    struct calls_list all = {0};
    size_t timed = 0;
    bool ok = export_run_new(&run, w, &options, &error) && timeline_new(&t, &run);

    if (!ok)
        return false;
    for (uint32_t k = 0; k < run.tree.n_threads; k++) {
        double at = 0;

        list_calls(w, &run.tree, run.tree.root[k], (struct timeline_call){.thread = k}, &at, &all);
    }
    ok = t.all == (double)all.n;
    if (all.n > 0)
        qsort(all.call, all.n, sizeof *all.call, longest_first);
    while (timed < all.n && all.call[timed].begin < all.call[timed].end)
        timed++;
    ok = ok && t.n == (limit < timed ? limit : timed);
    nesting = (struct nesting){.ok = true};
    ok = ok && timeline_visit(&t, on_edge, &nesting) && nesting.ok && nesting.n == 0
      && nesting.edges == 2 * (size_t)t.n;
    for (uint32_t i = 0; ok && i < t.n; i++) {
        bool found = false;

        for (size_t k = 0; k < timed && !found; k++)
            found = all.call[k].thread == t.call[i].thread && all.call[k].routine == t.call[i].routine
                 && all.call[k].depth == t.call[i].depth && all.call[k].begin == t.call[i].begin
                 && all.call[k].end == t.call[i].end && all.call[k].unseen == t.call[i].unseen;
        ok = found;
    }
    if (ok && t.n > 0)
        qsort(t.call, t.n, sizeof *t.call, longest_first);
    ok = ok && (t.n == 0 || longest_first(&t.call[t.n - 1], &all.call[t.n - 1]) == 0);
    free(all.call);
    timeline_free(&t);
    export_run_free(&run);
    return ok;
}

/* ---- Recordings -------------------------------------------------------------------------------- */

static uint32_t wrong_cuts, wrong_choices, wrong_stacks, wrong_limits, wrong_timelines;

static void check(const wpp *w, struct random *r)
{
    struct wpp_summary run;
    bool *chosen;

    wpp_get_summary(w, &run);
    chosen = calloc(run.n_routines + (size_t)1, 1);
    for (uint32_t i = 0; i < run.n_routines; i++)
        chosen[i] = draw(r, 3) == 0;
    wrong_cuts += !cuts_are_right(w, r);
    wrong_choices += !only_is_right(w, chosen);
    wrong_stacks += !stacks_are_right(w, false, false) || !stacks_are_right(w, true, false)
                 || !stacks_are_right(w, true, true);
    wrong_limits += !limits_are_right(w, r);
    wrong_timelines += !timeline_is_right(w, 1 + draw(r, 30)) || !timeline_is_right(w, UINT64_MAX);
    free(chosen);
}

static void check_file(const char *path, struct random *r)
{
    struct wpp_error error;
    wpp *w = wpp_open(path, &error);

    if (tap_ok(w != NULL, "%s is read", path))
        check(w, r);
    wpp_close(w);
}

int main(int argc, char **argv)
{
    struct random r = {110};
    struct wpp_error error;

    for (int i = 1; i < argc; i++)
        check_file(argv[i], &r);
    for (uint32_t seed = 0; argc == 1 && seed < 60; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed);
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        check(w, &r);
        wpp_close(w);
        random_content_free(c);
    }
    tap_ok(wrong_cuts == 0, "ranges are cut out of the tree (%u wrong)", wrong_cuts);
    tap_ok(wrong_choices == 0, "routines with all that they called, too (%u wrong)", wrong_choices);
    tap_ok(wrong_stacks == 0, "stacks weigh what their events do (%u wrong)", wrong_stacks);
    tap_ok(wrong_limits == 0, "with limits, all together weighs as much (%u wrong)", wrong_limits);
    tap_ok(wrong_timelines == 0, "timelines have the longest calls (%u wrong)", wrong_timelines);
    return tap_done();
}
