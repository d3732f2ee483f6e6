/* SPDX-License-Identifier: MIT */
/* The call tree, walked, is the run: each event in the activation in which the machine of events.h
 * has it when nothing is shared.  Random recordings, most of which no program could have made; or
 * those of the files that are given. */

#include "wpp/replay/call-tree.h"

#include <stdlib.h>
#include <unistd.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/events.h"

/* ---- The tree, event by event --------------------------------------------------------- */

/* Where a walk of the tree is: pieces and, where `routine` is one, activations. */
struct place { uint64_t next, end; uint32_t activation; };

struct walk {
    const struct call_tree *tree;
    struct place *stack;
    size_t n, capacity;
    uint32_t depth;              /* activations */
    uint64_t names;              /* hash of them, from the outermost */
    uint64_t *outer;             /* names by depth */
    size_t n_outer;
};

static uint64_t name_hash(uint64_t outer, uint32_t routine)
{
    return (outer + routine + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ outer >> 29;
}

static void enter_piece(struct walk *k, uint32_t piece, uint32_t activation)
{
    if (k->n == k->capacity) {
        k->capacity = 2 * k->capacity + 64;
        k->stack = realloc(k->stack, k->capacity * sizeof *k->stack);
        k->outer = realloc(k->outer, k->capacity * sizeof *k->outer);
    }
    k->stack[k->n++] = (struct place){k->tree->first[piece], k->tree->first[piece + 1], activation};
    if (activation != UINT32_MAX) {
        k->outer[k->depth++] = k->names;
        k->names = name_hash(k->names, k->tree->activation[activation].routine);
    }
}

/* The next terminal, or UINT32_MAX. */
static uint32_t next_event(struct walk *k)
{
    while (k->n > 0) {
        struct place *top = &k->stack[k->n - 1];
        uint32_t item, number;

        if (top->next == top->end) {
            if (top->activation != UINT32_MAX)
                k->names = k->outer[--k->depth];
            k->n--;
            continue;
        }
        item = k->tree->item[top->next++];
        number = item & CALL_TREE_NUMBER;
        if (item & CALL_TREE_CALL)
            enter_piece(k, k->tree->activation[number].piece, number);
        else if (item & CALL_TREE_PIECE)
            enter_piece(k, number, UINT32_MAX);
        else
            return item;
    }
    return UINT32_MAX;
}

/* ---- The run, event by event ------------------------------------------------------------ */

struct run {
    struct events *events;
    uint64_t *names;             /* hash of the activations by depth */
    uint32_t depth, capacity;
    uint32_t at;                 /* activations when the event ran */
};

static void run_event(struct run *r, const wpp *w, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(w, number);
    struct events_step step;

    events_next(r->events, t, t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine),
                &step);
    if (r->depth + 2 > r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        r->names = realloc(r->names, r->capacity * sizeof *r->names);
        r->names[0] = 0;
    }
    r->depth -= step.left;
    if (step.arrival == ARRIVAL_ENTER || step.arrival == ARRIVAL_UNSEEN) {
        r->names[r->depth + 1] = name_hash(r->names[r->depth], t->routine);
        r->depth++;
    }
    r->at = r->depth;
    r->depth -= step.leaves;
}

/* The first event of the thread that differs, or UINT64_MAX. */
static uint64_t first_difference(const wpp *w, const struct call_tree *tree, uint32_t thread)
{
    struct walk walk = {.tree = tree};
    struct run run = {.events = events_new()};
    wpp_cursor *cursor = wpp_cursor_new(w, thread, 0);
    uint32_t want;
    uint64_t i = 0;
    bool same = true;

    enter_piece(&walk, tree->root[thread], UINT32_MAX);
    while (same && cursor && wpp_cursor_read(cursor, &want, 1) == 1) {
        uint32_t got = next_event(&walk);

        run_event(&run, w, want);
        same = got == want && walk.depth == run.at && walk.names == run.names[run.at];
        i += same;
    }
    same = same && next_event(&walk) == UINT32_MAX;
    wpp_cursor_free(cursor);
    events_free(run.events);
    free(run.names);
    free(walk.stack);
    free(walk.outer);
    return same ? UINT64_MAX : i;
}

static bool is_right(const wpp *w, const char *name)
{
    struct call_tree tree;
    struct wpp_error error;
    const char *why = "";
    bool ok = call_tree_new(&tree, w, &error);

    if (!ok) {
        tap_note("%s: %s", name, error.text);
        return false;
    }
    ok = call_tree_check(&tree, w, &why);
    if (!ok)
        tap_note("%s: %s", name, why);
    for (uint32_t k = 0; ok && k < tree.n_threads; k++) {
        uint64_t i = first_difference(w, &tree, k);

        ok = i == UINT64_MAX;
        if (!ok)
            tap_note("%s: thread %u, event %llu", name, k, (unsigned long long)i);
    }
    call_tree_free(&tree);
    return ok;
}

/* ---- Recordings --------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct random r = {46};
    struct wpp_error error;
    uint32_t wrong = 0;

    for (int i = 1; i < argc; i++) {
        wpp *w = wpp_open(argv[i], &error);

        tap_ok(w && is_right(w, argv[i]), "%s", argv[i]);
        wpp_close(w);
    }
    for (uint32_t seed = 0; argc == 1 && seed < 300; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed);
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        wrong += !w || !is_right(w, "random");
        wpp_close(w);
        random_content_free(c);
    }
    if (argc == 1)
        tap_ok(wrong == 0, "300 random recordings: the tree derives each event in its activation");
    return tap_done();
}
