/* SPDX-License-Identifier: MIT */
/* machine.c - finite machines over grammars; see machine.h. */
#include "hotpaths/machine.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/grow.h"
#include "hotpaths/saturate.h"

/* A rule that is being read. */
struct machine_open {
    size_t run;
    uint64_t at;                /* symbols of it that are done */
    uint64_t state;
};

static size_t run_slot(const struct machine_runs *s, uint32_t rule, uint64_t before)
{
    uint64_t hash = (before * UINT64_C(0x9e3779b97f4a7c15) ^ rule) * UINT64_C(0xd6e8feb86659fd93);
    size_t mask = s->table_size - 1, slot = hash >> 32 & mask;

    for (; s->table[slot]; slot = (slot + 1) & mask) {
        const struct machine_run *run = &s->run[s->table[slot]];

        if (run->rule == rule && run->before == before)
            break;
    }
    return slot;
}

static uint64_t reduced(const struct machine_runs *s, uint32_t rule, uint64_t before)
{
    if (!s->m->reduce || before == s->m->start)
        return before;
    return s->m->reduce(s->m->ctx, before, s->run[rule].terminal);
}

size_t machine_find(const struct machine_runs *s, uint32_t rule, uint64_t before)
{
    uint32_t other;

    before = reduced(s, rule, before);
    if (s->run[rule].before == before && s->run[rule].is_run)
        return rule;
    other = s->table_size ? s->table[run_slot(s, rule, before)] : 0;
    return other ? other : MACHINE_NO_RUN;
}

static int grow_table(struct machine_runs *s)
{
    size_t size = s->table_size ? 2 * s->table_size : GROW_FIRST;
    uint32_t *table = calloc(size, sizeof *table);

    if (!table)
        return HOT_E_MEMORY;
    free(s->table);
    s->table = table;
    s->table_size = size;
    for (size_t i = s->n_rules; i < s->n; i++)
        table[run_slot(s, s->run[i].rule, s->run[i].before)] = (uint32_t)i;
    return HOT_OK;
}

/* A run of a rule that has one already. */
static int add_run(struct machine_runs *s, uint32_t rule, uint64_t before)
{
    while (2 * (s->n - s->n_rules + 1) > s->table_size)
        if (grow_table(s) != HOT_OK)
            return HOT_E_MEMORY;
    if (s->n >= UINT32_MAX || GROW(s->run, s->size, s->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->table[run_slot(s, rule, before)] = (uint32_t)s->n;
    s->run[s->n++] = (struct machine_run){ .rule = rule, .before = before, .is_run = true };
    return HOT_OK;
}

static int begin_run(struct machine_runs *s, uint32_t rule, uint64_t before)
{
    size_t run = s->run[rule].is_run ? s->n : rule;

    before = reduced(s, rule, before);
    if (GROW(s->open, s->open_size, s->depth + 1) != HOT_OK ||
        GROW(s->order, s->order_size, s->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    if (run != rule && add_run(s, rule, before) != HOT_OK)
        return HOT_E_MEMORY;
    s->run[run].is_run = true;
    s->run[run].before = before;
    s->open[s->depth++] = (struct machine_open){ .run = run, .state = before };
    return HOT_OK;
}

/* The first symbol of a rule, and the way to the next. */
static const uint32_t *symbols_of(const struct machine_runs *s, uint32_t rule, ptrdiff_t *step)
{
    const uint64_t *body = s->g->body;

    *step = s->m->backwards ? -1 : 1;
    return s->g->symbols + (s->m->backwards ? body[rule + 1] - 1 : body[rule]);
}

/* Finds the state behind the topmost rule, or puts another on top of it. */
static int read_on(struct machine_runs *s)
{
    struct machine_open *top = &s->open[s->depth - 1];
    struct machine_run *run = &s->run[top->run];
    uint64_t n = s->g->body[run->rule + 1] - s->g->body[run->rule];
    ptrdiff_t step;
    const uint32_t *symbols = symbols_of(s, run->rule, &step);

    for (; top->at < n; top->at++) {
        uint32_t symbol = symbols[(ptrdiff_t)top->at * step];

        if (top->at + MACHINE_AHEAD < n)
            machine_fetch(s, symbols[(ptrdiff_t)(top->at + MACHINE_AHEAD) * step]);
        if (symbol & WPP_RULE) {
            size_t used = machine_find(s, symbol & ~WPP_RULE, top->state);

            if (used == MACHINE_NO_RUN)
                return begin_run(s, symbol & ~WPP_RULE, top->state);
            top->state = s->run[used].behind;
            run->minded |= s->run[used].minded;
        } else {
            top->state = s->m->next(s->m->ctx, top->state, symbol);
            run->minded |= s->m->minds && s->m->minds(s->m->ctx, top->state);
        }
    }
    run->behind = top->state;
    s->order[s->n_order++] = top->run;
    s->depth--;
    return HOT_OK;
}

static int begin_rules(struct machine_runs *s)
{
    ptrdiff_t step;

    s->n = s->size = s->n_rules = s->g->n_rules + s->g->n_threads;
    s->run = calloc(s->n + 1, sizeof *s->run);
    if (!s->run)
        return HOT_E_MEMORY;
    for (uint32_t i = 0; i < s->n_rules; i++) {
        s->run[i].rule = i;
        if (s->g->body[i] < s->g->body[i + 1]) {
            uint32_t symbol = *symbols_of(s, i, &step);

            s->run[i].terminal = symbol & WPP_RULE ? s->run[symbol & ~WPP_RULE].terminal
                                                   : symbol;
        }
    }
    return HOT_OK;
}

int machine_read(struct machine_runs *s, uint32_t thread)
{
    int status = s->run ? HOT_OK : begin_rules(s);

    if (status != HOT_OK)
        return status;
    status = begin_run(s, s->g->n_rules + thread, s->m->start);
    while (status == HOT_OK && s->depth > 0)
        status = read_on(s);
    return status;
}

void machine_clear(struct machine_runs *s)
{
    free(s->run);
    free(s->order);
    free(s->table);
    free(s->open);
    *s = (struct machine_runs){ 0 };
}

/* ---- Sums over events ------------------------------------------------------------------ */

/* What a run contains is entered as often as itself; terminals are read. */
static int hand_down(struct machine_runs *s, const struct machine_run *run, uint32_t thread)
{
    uint64_t n = s->g->body[run->rule + 1] - s->g->body[run->rule], state = run->before;
    ptrdiff_t step;
    const uint32_t *symbols = symbols_of(s, run->rule, &step);
    int status = HOT_OK;

    for (uint64_t at = 0; at < n && status == HOT_OK; at++) {
        uint32_t symbol = symbols[(ptrdiff_t)at * step];

        if (at + MACHINE_AHEAD < n)
            machine_fetch(s, symbols[(ptrdiff_t)(at + MACHINE_AHEAD) * step]);
        if (symbol & WPP_RULE) {
            struct machine_run *used = &s->run[machine_find(s, symbol & ~WPP_RULE, state)];

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

static int run_thread(struct machine_runs *s, uint32_t thread)
{
    int status = machine_read(s, thread);

    if (status != HOT_OK)
        return status;
    s->run[s->order[s->n_order - 1]].times = 1;
    for (size_t i = s->n_order; i-- > 0 && status == HOT_OK;) {
        struct machine_run *run = &s->run[s->order[i]];

        if (run->times)
            status = hand_down(s, run, thread);
        run->times = 0;
    }
    return status;
}

int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread)
{
    struct machine_runs s = { .m = m, .g = g };
    int status = HOT_OK;

    for (uint32_t k = 0; k < g->n_threads && status == HOT_OK; k++)
        if (thread == HOT_ALL_THREADS || thread == k)
            status = run_thread(&s, k);
    machine_clear(&s);
    return status;
}
