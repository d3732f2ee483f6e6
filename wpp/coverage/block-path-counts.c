/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/block-path-counts.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/coverage/path-automaton.h"
#include "wpp/profile/path-profile.h"
#include "wpp/replay/call-tree.h"

#define NO_NODE UINT32_MAX

/* An item of the call tree, a path or a piece, that is entered in a state. */
struct node {
    uint32_t item, state;
    uint32_t after;            /* the state behind it */
    uint64_t times;
};

/* A piece that is being read. */
struct open_piece { uint32_t item, state, now; uint64_t next; };

struct counting {
    const struct coverage *c;
    struct block_paths *paths; /* by routine */
    struct path_automaton automaton;
    uint32_t *root;            /* by routine; 0: it has none */
    uint32_t *routine_of;      /* by root's number in the automaton */
    /* Of one input: */
    const wpp *w;
    struct call_tree tree;
    uint64_t *times;           /* by activation */
    struct node *node;         /* what a piece consists of stands before it */
    uint32_t n_nodes, node_capacity;
    uint32_t *slot;            /* open addressing over (item, state): 1 + node */
    uint32_t n_slots;
    struct open_piece *open;
    size_t n_open, open_capacity;
};

/* ---- Nodes ---------------------------------------------------------------------------------------- */

static uint32_t *slot_of(const struct counting *k, uint32_t item, uint32_t state)
{
    uint64_t hash = ((uint64_t)item << 32 | state) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> 32) & (k->n_slots - 1);

    while (k->slot[i] && (k->node[k->slot[i] - 1].item != item
                          || k->node[k->slot[i] - 1].state != state))
        i = (i + 1) & (k->n_slots - 1);
    return &k->slot[i];
}

static uint32_t find_node(const struct counting *k, uint32_t item, uint32_t state)
{
    return k->n_slots > 0 ? *slot_of(k, item, state) - 1 : NO_NODE;
}

static bool grow_nodes(struct counting *k)
{
    uint32_t capacity = 2 * k->node_capacity + 1024, n_slots = 4096;
    struct node *node;
    uint32_t *slot;

    if (k->n_nodes < k->node_capacity)
        return true;
    while (n_slots < 2 * (uint64_t)capacity && n_slots < UINT32_C(1) << 31)
        n_slots *= 2;
    if (capacity > UINT32_C(1) << 30)
        return false;
    node = realloc(k->node, capacity * sizeof *node);
    if (!node)
        return false;
    k->node = node;
    slot = calloc(n_slots, sizeof *slot);
    if (!slot)
        return false;
    free(k->slot);
    k->slot = slot;
    k->n_slots = n_slots;
    k->node_capacity = capacity;
    for (uint32_t i = 0; i < k->n_nodes; i++)
        *slot_of(k, k->node[i].item, k->node[i].state) = i + 1;
    return true;
}

static bool add_node(struct counting *k, uint32_t item, uint32_t state, uint32_t after)
{
    if (!grow_nodes(k))
        return false;
    k->node[k->n_nodes] = (struct node){item, state, after, 0};
    *slot_of(k, item, state) = k->n_nodes + 1;
    k->n_nodes++;
    return true;
}

/* ---- Reading ---------------------------------------------------------------------------------------- */

/* The state behind a path; adds `times` to the given paths that end in it. */
static uint32_t read_path(const struct counting *k, uint32_t terminal, uint32_t state, uint64_t times,
                          uint64_t *count)
{
    const struct wpp_terminal *t = wpp_terminal(k->w, terminal);

    for (uint32_t i = 0; i < t->n_blocks; i++) {
        uint32_t path;

        state = path_automaton_next(&k->automaton, state, t->blocks[i]);
        path = k->automaton.state[state].path;
        if (count && path != AUTOMATON_NO_PATH)
            count[path] = profile_add(count[path], times);
    }
    return state;
}

static bool open_piece(struct counting *k, uint32_t item, uint32_t state)
{
    if (k->n_open == k->open_capacity) {
        size_t capacity = 2 * k->open_capacity + 64;
        struct open_piece *larger = realloc(k->open, capacity * sizeof *larger);

        if (!larger)
            return false;
        k->open = larger;
        k->open_capacity = capacity;
    }
    k->open[k->n_open++] =
        (struct open_piece){item, state, state, k->tree.first[item & CALL_TREE_NUMBER]};
    return true;
}

/* Takes the next item of the innermost open piece, or closes it. */
static bool read_item(struct counting *k)
{
    struct open_piece *p = &k->open[k->n_open - 1];
    uint32_t item, known;

    if (p->next == k->tree.first[(p->item & CALL_TREE_NUMBER) + 1]) {
        k->n_open--;
        return add_node(k, p->item, p->state, p->now);
    }
    item = k->tree.item[p->next];
    if (item & CALL_TREE_CALL) {
        p->next++;
        return true;
    }
    known = find_node(k, item, p->now);
    if (known != NO_NODE) {
        p->next++;
        p->now = k->node[known].after;
        return true;
    }
    if (item & CALL_TREE_PIECE)
        return open_piece(k, item, p->now);
    return add_node(k, item, p->now, read_path(k, item, p->now, 0, NULL));
}

static bool read_piece(struct counting *k, uint32_t item, uint32_t state)
{
    bool done = find_node(k, item, state) != NO_NODE || open_piece(k, item, state);

    while (done && k->n_open > 0)
        done = read_item(k);
    return done;
}

/* ---- Counting --------------------------------------------------------------------------------------- */

/* How often each activation occurs in the run: a piece's items are smaller. */
static bool count_activations(struct counting *k)
{
    const struct call_tree *t = &k->tree;
    uint64_t *piece = calloc(t->n_pieces + (size_t)1, sizeof *piece);

    k->times = calloc(t->n_activations + (size_t)1, sizeof *k->times);
    if (!piece || !k->times) {
        free(piece);
        return false;
    }
    for (uint32_t i = 0; i < t->n_threads; i++)
        piece[t->root[i]] = profile_add(piece[t->root[i]], 1);
    for (uint32_t p = t->n_pieces; p-- > 0;)
        for (uint64_t i = t->first[p]; piece[p] > 0 && i < t->first[p + 1]; i++) {
            uint32_t item = t->item[i], number = item & CALL_TREE_NUMBER, below = number;

            if (item & CALL_TREE_CALL) {
                k->times[number] = profile_add(k->times[number], piece[p]);
                below = t->activation[number].piece;
            }
            if (item & (CALL_TREE_CALL | CALL_TREE_PIECE))
                piece[below] = profile_add(piece[below], piece[p]);
        }
    free(piece);
    return true;
}

static uint32_t coverage_routine(const struct counting *k, uint32_t input, uint32_t routine)
{
    return k->c->body_of[k->c->program->body_of[input][routine]];
}

static bool read_activations(struct counting *k, uint32_t input)
{
    for (uint32_t i = 0; i < k->tree.n_activations; i++) {
        const struct activation *a = &k->tree.activation[i];
        uint32_t routine = coverage_routine(k, input, a->routine), item = a->piece | CALL_TREE_PIECE;

        if (k->times[i] == 0 || routine == UINT32_MAX || k->root[routine] == 0)
            continue;
        if (!read_piece(k, item, k->root[routine]))
            return false;
        uint32_t node = find_node(k, item, k->root[routine]);
        k->node[node].times = profile_add(k->node[node].times, k->times[i]);
    }
    return true;
}

/* The routine to whose automaton a state belongs. */
static uint64_t *counts_of(const struct counting *k, uint32_t state)
{
    while (k->automaton.state[state].fail != state)
        state = k->automaton.state[state].fail;
    return k->paths[k->routine_of[k->automaton.state[state].block]].count;
}

static void add_to_parts(struct counting *k, const struct node *n)
{
    uint32_t state = n->state, piece = n->item & CALL_TREE_NUMBER;

    if (!(n->item & CALL_TREE_PIECE)) {
        read_path(k, n->item, n->state, n->times, counts_of(k, n->state));
        return;
    }
    for (uint64_t i = k->tree.first[piece]; i < k->tree.first[piece + 1]; i++) {
        uint32_t part;

        if (k->tree.item[i] & CALL_TREE_CALL)
            continue;
        part = find_node(k, k->tree.item[i], state);
        k->node[part].times = profile_add(k->node[part].times, n->times);
        state = k->node[part].after;
    }
}

static void end_input(struct counting *k)
{
    call_tree_free(&k->tree);
    free(k->times);
    free(k->node);
    free(k->slot);
    k->times = NULL;
    k->node = NULL;
    k->slot = NULL;
    k->n_nodes = k->node_capacity = k->n_slots = 0;
}

static bool count_input(struct counting *k, uint32_t input, struct wpp_error *error)
{
    bool done;

    k->w = k->c->program->inputs[input].w;
    if (!call_tree_new(&k->tree, k->w, error))
        return false;
    done = count_activations(k) && read_activations(k, input);
    for (uint32_t i = k->n_nodes; done && i-- > 0;)
        if (k->node[i].times > 0)
            add_to_parts(k, &k->node[i]);
    end_input(k);
    return done || wpp_fail_memory(error);
}

/* ---- Automata --------------------------------------------------------------------------------------- */

/* A routine that was not executed needs none. */
static bool make_automata(struct counting *k)
{
    size_t n = k->c->n_routines + (size_t)1;
    bool done;

    k->root = calloc(n, sizeof *k->root);
    k->routine_of = calloc(n, sizeof *k->routine_of);
    done = k->root && k->routine_of;
    for (uint32_t i = 0; done && i < k->c->n_routines; i++) {
        const struct block_paths *p = &k->paths[i];

        if (p->n == 0 || !coverage_executed(&k->c->routine[i]))
            continue;
        k->routine_of[k->automaton.n_roots] = i;
        done = path_automaton_add(&k->automaton, k->c->routine[i].routine->n_blocks, p->n, p->first,
                                  p->block, &k->root[i]);
    }
    return done;
}

/* Where a path goes on behind a cut edge; UINT32_MAX: it does not, or that is not known. */
static uint32_t block_behind(const struct counting *k, const struct wpp_terminal *t)
{
    const struct wpp_edge *last = &wpp_routine(k->w, t->routine)->edges[t->edges[t->n_edges - 1]];

    return t->left || t->n_edges == 0 || last->kind == WPP_EDGE_REAL ? UINT32_MAX : last->to;
}

/* A path of a profile stands alone, but for the block that comes next. */
static void count_alone(struct counting *k, const struct cover_path *x, uint32_t routine)
{
    uint64_t *count = k->paths[routine].count;
    uint32_t state = read_path(k, x->terminal, k->root[routine], x->count, count);
    uint32_t behind = block_behind(k, wpp_terminal(k->w, x->terminal)), path;

    if (behind == UINT32_MAX)
        return;
    path = k->automaton.state[path_automaton_next(&k->automaton, state, behind)].path;
    if (path != AUTOMATON_NO_PATH)
        count[path] = profile_add(count[path], x->count);
}

static void count_profile(struct counting *k, uint32_t input)
{
    const struct cover_program *p = k->c->program;

    k->w = p->inputs[input].w;
    for (uint32_t i = 0; i < p->n_paths; i++) {
        uint32_t routine = k->c->body_of[p->path[i].body];

        if (p->path[i].input == input && routine != UINT32_MAX && k->root[routine] != 0)
            count_alone(k, &p->path[i], routine);
    }
}

static bool is_profile(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run.is_profile;
}

bool block_paths_count(const struct coverage *c, struct block_paths *paths, struct wpp_error *error)
{
    struct counting k = {.c = c, .paths = paths};
    bool done = make_automata(&k) || wpp_fail_memory(error);

    for (uint32_t i = 0; done && i < c->program->n_inputs; i++) {
        if (is_profile(c->program->inputs[i].w))
            count_profile(&k, i);
        else
            done = count_input(&k, i, error);
    }
    path_automaton_free(&k.automaton);
    free(k.root);
    free(k.routine_of);
    free(k.open);
    return done;
}
