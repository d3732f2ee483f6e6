/* SPDX-License-Identifier: MIT */
/* machine.c - finite machines over grammars; see machine.h. */
#include "hotpaths/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"
#include "hotpaths/saturate.h"

#define UNKNOWN UINT64_MAX      /* a state behind that is not yet found */

struct run {
    uint64_t before, behind, times;
    uint32_t rule;
};

/* A rule that is being read. */
struct reading {
    size_t run;
    uint64_t at;                /* symbols of it that are done */
    uint64_t state;
};

struct runs {
    const struct machine *m;
    const struct wpp_grammar *g;
    struct run *run;            /* what a run contains stands before it, but for `order` */
    size_t n, size;
    size_t *order;              /* runs as they were finished: users last */
    size_t n_order, order_size;
    size_t *table;              /* open addressing, run + 1, 0 is empty */
    size_t table_size;
    struct reading *stack;
    size_t depth, stack_size;
};

static size_t run_slot(const struct runs *s, uint32_t rule, uint64_t before)
{
    uint64_t hash = (before * UINT64_C(0x9e3779b97f4a7c15) ^ rule) * UINT64_C(0xd6e8feb86659fd93);
    size_t mask = s->table_size - 1, slot = hash >> 32 & mask;

    for (; s->table[slot]; slot = (slot + 1) & mask) {
        const struct run *run = &s->run[s->table[slot] - 1];

        if (run->rule == rule && run->before == before)
            break;
    }
    return slot;
}

static int grow_runs(struct runs *s)
{
    size_t size = s->table_size ? 2 * s->table_size : GROW_FIRST;

    free(s->table);
    s->table = calloc(size, sizeof *s->table);
    if (!s->table)
        return HOT_E_MEMORY;
    s->table_size = size;
    for (size_t i = 0; i < s->n; i++)
        s->table[run_slot(s, s->run[i].rule, s->run[i].before)] = i + 1;
    return HOT_OK;
}

static uint32_t symbol_at(const struct runs *s, uint32_t rule, uint64_t at)
{
    const uint64_t *body = s->g->body;

    return s->g->symbols[s->m->backwards ? body[rule + 1] - 1 - at : body[rule] + at];
}

static int begin_run(struct runs *s, uint32_t rule, uint64_t before)
{
    while (2 * (s->n + 1) > s->table_size)
        if (grow_runs(s) != HOT_OK)
            return HOT_E_MEMORY;
    if (GROW(s->run, s->size, s->n + 1) != HOT_OK ||
        GROW(s->stack, s->stack_size, s->depth + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->table[run_slot(s, rule, before)] = s->n + 1;
    s->stack[s->depth++] = (struct reading){ .run = s->n, .state = before };
    s->run[s->n++] = (struct run){ .before = before, .behind = UNKNOWN, .rule = rule };
    return HOT_OK;
}

/* The state behind a symbol; UNKNOWN when the rule has to be read first. */
static uint64_t behind_symbol(const struct runs *s, uint32_t symbol, uint64_t state)
{
    size_t slot;

    if (!(symbol & WPP_RULE))
        return s->m->next(s->m->ctx, state, symbol);
    slot = run_slot(s, symbol & ~WPP_RULE, state);
    return s->table[slot] ? s->run[s->table[slot] - 1].behind : UNKNOWN;
}

/* Finds the state behind the topmost rule, or puts another on top of it. */
static int read_on(struct runs *s)
{
    struct reading *top = &s->stack[s->depth - 1];
    uint32_t rule = s->run[top->run].rule;
    uint64_t n = s->g->body[rule + 1] - s->g->body[rule];

    for (; top->at < n; top->at++) {
        uint32_t symbol = symbol_at(s, rule, top->at);
        uint64_t behind = behind_symbol(s, symbol, top->state);

        if (behind == UNKNOWN)
            return begin_run(s, symbol & ~WPP_RULE, top->state);
        top->state = behind;
    }
    s->run[top->run].behind = top->state;
    if (GROW(s->order, s->order_size, s->n_order + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->order[s->n_order++] = top->run;
    s->depth--;
    return HOT_OK;
}

static int read_rule(struct runs *s, uint32_t rule)
{
    int status = begin_run(s, rule, s->m->start);

    while (status == HOT_OK && s->depth > 0)
        status = read_on(s);
    return status;
}

/* What a run contains is entered as often as itself; terminals are read. */
static int hand_down(struct runs *s, const struct run *run, uint32_t thread)
{
    uint64_t n = s->g->body[run->rule + 1] - s->g->body[run->rule], state = run->before;
    int status = HOT_OK;

    for (uint64_t at = 0; at < n && status == HOT_OK; at++) {
        uint32_t symbol = symbol_at(s, run->rule, at);

        if (symbol & WPP_RULE) {
            struct run *used = &s->run[s->table[run_slot(s, symbol & ~WPP_RULE, state)] - 1];

            used->times = saturating_add(used->times, run->times);
            state = used->behind;
        } else {
            status = s->m->step(s->m->ctx, state, symbol, thread, run->times);
            state = s->m->next(s->m->ctx, state, symbol);
        }
    }
    assert(status != HOT_OK || state == run->behind);
    return status;
}

static int run_thread(struct runs *s, uint32_t thread)
{
    int status = read_rule(s, s->g->n_rules + thread);

    if (status != HOT_OK)
        return status;
    s->run[s->order[s->n_order - 1]].times = 1;
    for (size_t i = s->n_order; i-- > 0 && status == HOT_OK;) {
        struct run *run = &s->run[s->order[i]];

        if (run->times)
            status = hand_down(s, run, thread);
        run->times = 0;
    }
    return status;
}

int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread)
{
    struct runs s = { .m = m, .g = g };
    int status = HOT_OK;

    for (uint32_t k = 0; k < g->n_threads && status == HOT_OK; k++)
        if (thread == HOT_ALL_THREADS || thread == k)
            status = run_thread(&s, k);
    free(s.run);
    free(s.order);
    free(s.table);
    free(s.stack);
    return status;
}
