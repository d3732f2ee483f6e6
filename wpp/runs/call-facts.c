/* SPDX-License-Identifier: MIT */
/* call-facts.c - loops and callers, by the call tree, whose pieces are read once each. */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/call-tree.h"
#include "wpp/runs/run-facts.h"

#define NONE UINT32_MAX

/* ---- Loops ---------------------------------------------------------------------------------- */

/* What a piece does with a loop.  A visit begins when control comes to the header from outside; its
 * count is how often control goes back to the header until the next visit or the activation's end. */
struct visits {
    uint32_t loop;
    bool begins;               /* a visit begins in the piece */
    uint64_t before;           /* goes back before that; or at all, if none begins */
    uint64_t behind;           /* goes back since the last visit began */
    uint64_t most;             /* of the visits that begin and end in the piece */
    uint64_t counts;           /* these visits' counts: bit k: k; bit 63 is not used */
};

static void note_count(struct visits *v, uint64_t count)
{
    if (count > v->most)
        v->most = count;
    if (count < 63)
        v->counts |= UINT64_C(1) << count;
}

static void join(struct visits *v, const struct visits *next)
{
    if (!next->begins) {
        *(v->begins ? &v->behind : &v->before) += next->before;
        return;
    }
    if (v->begins) {
        note_count(v, v->behind + next->before);
    } else {
        v->before += next->before;
        v->begins = true;
    }
    v->behind = next->behind;
    if (next->most > v->most)
        v->most = next->most;
    v->counts |= next->counts;
}

/* The visits of all pieces, piece p's are visit[first[p] .. first[p+1]); and those of the piece at hand,
 * by loop. */
struct loop_search {
    struct run_facts *f;
    struct vocabulary *v;
    const struct facts_names *names;
    const struct call_tree *tree;
    size_t *first;
    struct visits *visit;
    size_t n, capacity;
    struct visits *now;        /* by loop of the routine at hand */
    uint32_t *touched, n_touched, now_size;
};

static bool make_now(struct loop_search *s, uint32_t loop)
{
    uint32_t n = 2 * loop + 16;
    struct visits *now;
    uint32_t *touched;

    if (loop < s->now_size)
        return true;
    now = realloc(s->now, n * sizeof *now);
    if (now)
        s->now = now;
    touched = realloc(s->touched, n * sizeof *touched);
    if (touched)
        s->touched = touched;
    if (!now || !touched)
        return false;
    for (uint32_t i = s->now_size; i < n; i++)
        now[i] = (struct visits){.loop = NONE};
    s->now_size = n;
    return true;
}

static bool add_visits(struct loop_search *s, const struct visits *next)
{
    if (!make_now(s, next->loop))
        return false;
    if (s->now[next->loop].loop == NONE) {
        s->now[next->loop] = *next;
        s->touched[s->n_touched++] = next->loop;
    } else {
        join(&s->now[next->loop], next);
    }
    return true;
}

static bool add_path(struct loop_search *s, uint32_t path)
{
    const struct known_path *p = &s->v->path[path];

    for (uint32_t i = 0; i < p->n_arrivals; i++) {
        const struct arrival *a = &p->arrival[i];

        if (!add_visits(s, &(struct visits){.loop = a->loop, .begins = !a->back,
                                            .before = a->back ? 1 : 0}))
            return false;
    }
    return true;
}

/* Keeps the visits of the piece at hand as the next one's. */
static bool keep_visits(struct loop_search *s)
{
    if (s->n + s->n_touched > s->capacity) {
        size_t n = 2 * (s->n + s->n_touched) + 64;
        struct visits *larger = realloc(s->visit, n * sizeof *larger);

        if (!larger)
            return false;
        s->visit = larger;
        s->capacity = n;
    }
    for (uint32_t i = 0; i < s->n_touched; i++) {
        s->visit[s->n++] = s->now[s->touched[i]];
        s->now[s->touched[i]].loop = NONE;
    }
    s->n_touched = 0;
    return true;
}

static bool read_piece(struct loop_search *s, uint32_t piece)
{
    const struct call_tree *t = s->tree;

    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i];

        if (item & CALL_TREE_CALL)
            continue;
        if (item & CALL_TREE_PIECE) {
            uint32_t p = item & CALL_TREE_NUMBER;

            for (size_t k = s->first[p]; k < s->first[p + 1]; k++)
                if (!add_visits(s, &s->visit[k]))
                    return false;
        } else if (s->names->path[item] != NONE && !add_path(s, s->names->path[item])) {
            return false;
        }
    }
    return keep_visits(s);
}

/* The activation ends, and with it the last visit.  `at`: the block in which it was when the run ended: a
 * visit in a loop with that block has not ended, and its count is not known; NONE: it has ended. */
static bool end_visits(struct loop_search *s, uint32_t routine, const struct visits *kept, uint32_t at)
{
    struct visits v = *kept;
    const struct loop *loop = &s->v->routine[routine].loops.loop[v.loop];
    uint32_t block = loop->header;
    uint64_t ended = v.counts;
    uint32_t site = vocabulary_predicate(s->v, (struct predicate){.kind = PREDICATE_HEADER,
                                                                  .x = routine, .y = block});

    if (v.begins)
        note_count(&v, v.behind);
    if (!v.begins || v.before > 0)
        note_count(&v, v.before);
    if (at == NONE || !loop_has(loop, at))
        ended = v.counts;
    run_facts_add(s->f, site);
    for (uint64_t counts = ended; counts; counts &= counts - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(counts);

        run_facts_add(s->f, vocabulary_predicate(s->v, (struct predicate){
            .kind = PREDICATE_EXACTLY, .x = routine, .y = block, .z = k, .site = site}));
    }
    return run_facts_most(s->f, site, v.most);
}

/* ---- The end of the run ------------------------------------------------------------------------ */

/* The last path of an activation, without what it called; NONE: it has none. */
static uint32_t last_path_in(const struct call_tree *t, uint32_t piece)
{
    for (uint64_t i = t->first[piece + 1]; i-- > t->first[piece];) {
        uint32_t item = t->item[i], last;

        if (item & CALL_TREE_CALL)
            continue;
        if (!(item & CALL_TREE_PIECE))
            return item;
        last = last_path_in(t, item & CALL_TREE_NUMBER);
        if (last != NONE)
            return last;
    }
    return NONE;
}

/* How often each piece and activation stands in the tree. */
struct tree_uses { uint32_t *piece, *activation; };

static bool count_uses(const struct call_tree *t, struct tree_uses *uses)
{
    uses->piece = calloc(t->n_pieces + (size_t)1, sizeof *uses->piece);
    uses->activation = calloc(t->n_activations + (size_t)1, sizeof *uses->activation);
    if (!uses->piece || !uses->activation)
        return false;
    for (uint64_t i = 0; i < t->first[t->n_pieces]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        if (item & CALL_TREE_CALL)
            uses->activation[number]++;
        else if (item & CALL_TREE_PIECE)
            uses->piece[number]++;
    }
    for (uint32_t a = 0; a < t->n_activations; a++)
        uses->piece[t->activation[a].piece]++;
    for (uint32_t k = 0; k < t->n_threads; k++)
        uses->piece[t->root[k]]++;
    return true;
}

/* at[a]: the block in which activation a was when the run ended, if it had not ended.  These stand last in
 * what their callers did.  One of which the tree also has an equal one that has ended is left out. */
static void find_live(struct loop_search *s, uint32_t thread, const struct tree_uses *uses, uint32_t *at)
{
    const struct call_tree *t = s->tree;
    uint32_t piece = t->root[thread], live = t->live[thread];

    while (live > 0 && uses->piece[piece] == 1 && t->first[piece] < t->first[piece + 1]) {
        uint32_t item = t->item[t->first[piece + 1] - 1], number = item & CALL_TREE_NUMBER, path;
        const struct wpp_terminal *last;

        if (item & CALL_TREE_PIECE) {
            piece = number;
            continue;
        }
        if (!(item & CALL_TREE_CALL) || uses->activation[number] != 1)
            return;
        piece = t->activation[number].piece;
        path = last_path_in(t, piece);
        last = path == NONE ? NULL : wpp_terminal(s->names->w, path);
        if (last && last->n_blocks > 0 && uses->piece[piece] == 1)
            at[number] = last->blocks[last->n_blocks - 1];
        live--;
    }
}

/* NULL: no memory. */
static uint32_t *find_ends(struct loop_search *s)
{
    const struct call_tree *t = s->tree;
    uint32_t *at = malloc((t->n_activations + (size_t)1) * sizeof *at);
    struct tree_uses uses = {0};

    if (!at || !count_uses(t, &uses)) {
        free(at);
        at = NULL;
    } else {
        memset(at, 0xFF, (t->n_activations + (size_t)1) * sizeof *at);
        for (uint32_t k = 0; k < t->n_threads; k++)
            find_live(s, k, &uses, at);
    }
    free(uses.piece);
    free(uses.activation);
    return at;
}

static bool end_all_visits(struct loop_search *s, const uint32_t *at)
{
    const struct call_tree *t = s->tree;

    for (uint32_t a = 0; a < t->n_activations; a++) {
        const struct activation *x = &t->activation[a];

        for (size_t k = s->first[x->piece]; k < s->first[x->piece + 1]; k++)
            if (!end_visits(s, s->names->routine[x->routine], &s->visit[k], at[a]))
                return false;
    }
    return true;
}

static bool find_visits(struct loop_search *s)
{
    const struct call_tree *t = s->tree;
    uint32_t *at;
    bool done;

    s->first = calloc(t->n_pieces + (size_t)2, sizeof *s->first);
    if (!s->first)
        return false;
    for (uint32_t p = 0; p < t->n_pieces; p++) {
        s->first[p] = s->n;
        if (!read_piece(s, p))
            return false;
        s->first[p + 1] = s->n;
    }
    at = find_ends(s);
    done = at && end_all_visits(s, at);
    free(at);
    return done;
}

static bool facts_of_loops(struct run_facts *f, struct vocabulary *v,
                           const struct facts_names *names, const struct call_tree *tree)
{
    struct loop_search s = {.f = f, .v = v, .names = names, .tree = tree};
    bool done = find_visits(&s);

    free(s.first);
    free(s.visit);
    free(s.now);
    free(s.touched);
    return done;
}

/* ---- Callers -------------------------------------------------------------------------------- */

/* The routine in whose activation a piece runs, and the one that called that; NONE: no traced one. */
struct context { uint32_t routine, caller; };
struct contexts { struct context *list; uint32_t n, capacity; };

static bool add_context(struct contexts *c, struct context x)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->list[i].routine == x.routine && c->list[i].caller == x.caller)
            return true;
    if (c->n == c->capacity) {
        uint32_t n = 2 * c->capacity + 4;
        struct context *larger = realloc(c->list, n * sizeof *larger);

        if (!larger)
            return false;
        c->list = larger;
        c->capacity = n;
    }
    c->list[c->n++] = x;
    return true;
}

/* `in[p]`: contexts of piece p.  A piece's users have larger numbers, so they are known when its turn
 * comes. */
struct caller_search {
    struct run_facts *f;
    struct vocabulary *v;
    const struct facts_names *names;
    const struct call_tree *tree;
    struct contexts *in;
};

static void note_call(const struct caller_search *s, struct context from, uint32_t callee)
{
    uint32_t to = s->names->routine[callee], site;

    if (from.routine == NONE)
        return;
    site = vocabulary_predicate(s->v, (struct predicate){
        .kind = PREDICATE_CALLER, .x = s->names->routine[from.routine], .y = to,
        .site = s->v->routine[to].predicate});
    run_facts_add(s->f, site);
    if (from.caller == NONE)
        return;
    run_facts_add(s->f, vocabulary_predicate(s->v, (struct predicate){
        .kind = PREDICATE_CALLERS, .x = s->names->routine[from.caller],
        .y = s->names->routine[from.routine], .z = to, .site = site}));
}

static bool pass_on(const struct caller_search *s, uint32_t piece)
{
    const struct call_tree *t = s->tree;
    const struct contexts *in = &s->in[piece];

    for (uint64_t i = t->first[piece]; i < t->first[piece + 1]; i++) {
        uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER;

        for (uint32_t k = 0; k < in->n; k++) {
            if (item & CALL_TREE_CALL) {
                const struct activation *a = &t->activation[number];

                note_call(s, in->list[k], a->routine);
                if (!add_context(&s->in[a->piece],
                                 (struct context){a->routine, in->list[k].routine}))
                    return false;
            } else if ((item & CALL_TREE_PIECE) && !add_context(&s->in[number], in->list[k])) {
                return false;
            }
        }
    }
    return true;
}

static bool facts_of_callers(const struct caller_search *s)
{
    const struct call_tree *t = s->tree;
    bool done = true;

    for (uint32_t k = 0; done && k < t->n_threads; k++)
        done = add_context(&s->in[t->root[k]], (struct context){NONE, NONE});
    for (uint32_t p = t->n_pieces; done && p-- > 0;)
        done = pass_on(s, p);
    return done;
}

bool facts_of_calls(struct run_facts *f, struct vocabulary *v, const struct facts_names *names,
                    struct wpp_error *error)
{
    struct caller_search s = {f, v, names, NULL, NULL};
    struct call_tree tree;
    bool done;

    if (!call_tree_new(&tree, names->w, error))
        return false;
    s.tree = &tree;
    s.in = calloc(tree.n_pieces + (size_t)1, sizeof *s.in);
    done = (s.in && facts_of_loops(f, v, names, &tree) && facts_of_callers(&s) &&
            facts_of_depths(f, v, names, &tree)) || wpp_fail_memory(error);
    for (uint32_t p = 0; s.in && p < tree.n_pieces; p++)
        free(s.in[p].list);
    free(s.in);
    call_tree_free(&tree);
    return done;
}
