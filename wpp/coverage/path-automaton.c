/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/path-automaton.h"

#include <assert.h>
#include <stdlib.h>

static bool is_root(const struct path_automaton *a, uint32_t state)
{
    return a->state[state].fail == state;
}

/* 0: no memory. */
static uint32_t add_state(struct path_automaton *a, uint32_t block)
{
    if (a->n + 1 >= a->capacity) {
        uint64_t capacity = 2 * (uint64_t)a->capacity + 1024;
        struct automaton_state *larger =
            capacity < UINT32_MAX ? realloc(a->state, capacity * sizeof *larger) : NULL;

        if (!larger)
            return 0;
        a->state = larger;
        a->capacity = (uint32_t)capacity;
    }
    if (a->n == 0)
        a->n = 1;
    a->state[a->n] = (struct automaton_state){block, 0, 0, 0, AUTOMATON_NO_PATH};
    return a->n++;
}

static bool add_root(struct path_automaton *a, uint32_t n_blocks, uint32_t *root)
{
    if (a->n_roots == a->root_capacity) {
        uint32_t capacity = 2 * a->root_capacity + 64;
        uint32_t **first = realloc(a->first, capacity * sizeof *first), *n_first;

        if (!first)
            return false;
        a->first = first;
        n_first = realloc(a->n_first, capacity * sizeof *n_first);
        if (!n_first)
            return false;
        a->n_first = n_first;
        a->root_capacity = capacity;
    }
    *root = add_state(a, a->n_roots);
    a->first[a->n_roots] = calloc(n_blocks + (size_t)1, sizeof **a->first);
    a->n_first[a->n_roots] = n_blocks;
    if (!a->first[a->n_roots])
        return false;
    a->n_roots++;
    if (*root)
        a->state[*root].fail = *root;
    return *root != 0;
}

static uint32_t child_of(const struct path_automaton *a, uint32_t state, uint32_t block)
{
    uint32_t child;

    if (is_root(a, state)) {
        assert(block < a->n_first[a->state[state].block]);
        return a->first[a->state[state].block][block];
    }
    for (child = a->state[state].child; child && a->state[child].block != block;)
        child = a->state[child].sibling;
    return child;
}

/* The states of a path, made where they are missing. */
static bool add_path(struct path_automaton *a, uint32_t root, const uint32_t *block, uint32_t n,
                     uint32_t number)
{
    uint32_t state = root;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t child = child_of(a, state, block[i]);

        if (!child) {
            child = add_state(a, block[i]);
            if (!child)
                return false;
            a->state[child].fail = root;
            a->state[child].sibling = a->state[state].child;
            a->state[state].child = child;
            if (state == root)
                a->first[a->state[root].block][block[i]] = child;
        }
        state = child;
    }
    a->state[state].path = number;
    return true;
}

uint32_t path_automaton_next(const struct path_automaton *a, uint32_t state, uint32_t block)
{
    for (;;) {
        uint32_t child = child_of(a, state, block);

        if (child || is_root(a, state))
            return child ? child : state;
        state = a->state[state].fail;
    }
}

/* Level by level: a state's suffixes are shorter. */
static bool add_fails(struct path_automaton *a, uint32_t root)
{
    uint32_t *queue = malloc((a->n - root + (size_t)1) * sizeof *queue), n = 0;

    if (!queue)
        return false;
    queue[n++] = root;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = queue[i];

        for (uint32_t child = a->state[state].child; child; child = a->state[child].sibling) {
            queue[n++] = child;
            if (state != root)
                a->state[child].fail =
                    path_automaton_next(a, a->state[state].fail, a->state[child].block);
        }
    }
    free(queue);
    return true;
}

bool path_automaton_add(struct path_automaton *a, uint32_t n_blocks, uint32_t n_paths,
                        const uint32_t *begin, const uint32_t *block, uint32_t *root)
{
    if (!add_root(a, n_blocks, root))
        return false;
    for (uint32_t i = 0; i < n_paths; i++)
        if (!add_path(a, *root, block + begin[i], begin[i + 1] - begin[i], i))
            return false;
    return add_fails(a, *root);
}

void path_automaton_free(struct path_automaton *a)
{
    for (uint32_t i = 0; i < a->n_roots; i++)
        free(a->first[i]);
    free(a->first);
    free(a->n_first);
    free(a->state);
    *a = (struct path_automaton){0};
}
