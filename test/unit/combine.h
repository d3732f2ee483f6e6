/* SPDX-License-Identifier: MIT */
/* combine.h - the grammar that the steps of a seq_combiner build. */
#ifndef TEST_COMBINE_H
#define TEST_COMBINE_H

#include <stdlib.h>
#include <string.h>

#include "sequitur/sequitur.h"

/* A grammar being built: complete bodies, and the symbols of the current start rule. */
struct combined {
    struct seq_grammar g;
    uint64_t taken, symbols_room, bodies_room;
    uint32_t *stack;
    uint64_t depth, stack_room;
    bool wrong;                  /* a body is longer than what was there, or begins otherwise */
    bool no_memory;
};

static bool combined_grow(void *array, uint64_t n, uint64_t *room, size_t each)
{
    void *old, *larger;

    if (n <= *room)
        return true;
    memcpy(&old, array, sizeof old);
    larger = realloc(old, 2 * n * each);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    *room = 2 * n;
    return true;
}

static bool combined_symbol(void *ctx, uint32_t symbol)
{
    struct combined *c = ctx;

    c->wrong |= symbol & SEQ_RULE && (symbol & ~SEQ_RULE) >= c->g.rules;
    if (!combined_grow(&c->stack, c->depth + 1, &c->stack_room, sizeof *c->stack))
        return !(c->no_memory = true);
    c->stack[c->depth++] = symbol;
    return !c->wrong;
}

/* Moves the last n symbols of the stack to the next body. */
static bool combined_body(struct combined *c, uint64_t n)
{
    uint64_t k = (uint64_t)c->g.rules + c->g.starts, before = c->bodies_room, length = 0;

    c->wrong |= n > c->depth;
    if (c->wrong)
        return false;
    if (!combined_grow(&c->g.body, k + 2, &c->bodies_room, sizeof *c->g.body)
        || !combined_grow(&c->g.length, k + 2, &before, sizeof *c->g.length)
        || !combined_grow(&c->g.symbols, c->taken + n, &c->symbols_room, sizeof *c->g.symbols))
        return !(c->no_memory = true);
    c->depth -= n;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t symbol = c->stack[c->depth + i];

        c->g.symbols[c->taken + i] = symbol;
        length += symbol & SEQ_RULE ? c->g.length[symbol & ~SEQ_RULE] : 1;
    }
    c->g.body[k] = c->taken;
    c->taken += n;
    c->g.body[k + 1] = c->taken;
    c->g.length[k] = length;
    return true;
}

static bool combined_reduce(void *ctx, uint64_t n, uint32_t begin)
{
    struct combined *c = ctx;

    c->wrong |= n < 2 || n > c->depth || c->stack[c->depth - n] != begin;
    return combined_body(c, n) && combined_symbol(c, SEQ_RULE | c->g.rules++) ;
}

static void combined_free(struct seq_grammar *g)
{
    free(g->body);
    free(g->length);
    free(g->symbols);
    *g = (struct seq_grammar){0};
}

/* Adds all pieces, and walks their first start rule. */
static int combined_add(struct combined *c, seq_combiner *combiner, seq_piece *const *pieces, size_t n)
{
    struct seq_steps steps = {c, combined_symbol, combined_reduce, NULL};
    int status = SEQ_OK;

    for (size_t i = 0; status == SEQ_OK && i < n; i++) {
        status = seq_combiner_add(combiner, pieces[i]);
        if (status == SEQ_OK && !seq_combiner_walk(combiner, i, 0, &steps))
            status = c->wrong ? SEQ_E_BROKEN : SEQ_E_NOMEM;
    }
    return status;
}

/* Start rules are behind all rules; until then each is kept by itself. */
static bool combined_starts(struct combined *c, seq_combiner *combiner, size_t n, uint32_t starts)
{
    struct seq_steps steps = {c, combined_symbol, combined_reduce, NULL};
    uint32_t **start = calloc((size_t)starts + 1, sizeof(uint32_t *));
    uint64_t *size = calloc((size_t)starts + 1, sizeof *size);
    bool done = start && size;

    for (uint32_t k = 0; done && k < starts; k++) {
        for (size_t i = 0; done && k > 0 && i < n; i++)
            done = seq_combiner_walk(combiner, i, k, &steps);
        start[k] = malloc(c->depth * sizeof **start + 1);
        size[k] = c->depth;
        done = done && start[k];
        if (done && c->depth > 0)
            memcpy(start[k], c->stack, c->depth * sizeof **start);
        c->depth = 0;
    }
    for (uint32_t k = 0; done && k < starts; k++) {
        for (uint64_t i = 0; done && i < size[k]; i++)
            done = combined_symbol(c, start[k][i]);
        done = done && combined_body(c, size[k]);
        c->g.starts += done;
    }
    for (uint32_t k = 0; start && k < starts; k++)
        free(start[k]);
    free(start);
    free(size);
    return done;
}

/* One grammar of all pieces, to be freed by combined_free.  SEQ_OK, the combiner's error, or
 * SEQ_E_BROKEN. */
static int combine_pieces(const seq *base, seq_piece *const *pieces, size_t n, uint32_t starts,
                          struct seq_grammar *out)
{
    struct combined c = {.wrong = false};
    seq_combiner *combiner = NULL;
    int status = seq_combiner_new(&combiner, base);

    if (status == SEQ_OK)
        status = combined_add(&c, combiner, pieces, n);
    if (status == SEQ_OK && !combined_starts(&c, combiner, n, starts))
        status = c.wrong ? SEQ_E_BROKEN : SEQ_E_NOMEM;
    seq_combiner_free(combiner);
    free(c.stack);
    *out = c.g;
    if (status != SEQ_OK)
        combined_free(out);
    return status;
}

#endif
