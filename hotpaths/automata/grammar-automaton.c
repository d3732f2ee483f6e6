/* SPDX-License-Identifier: MIT */
/* grammar-automaton.c - runs finite machines over grammars; see grammar-automaton.h. */
#include "hotpaths/automata/grammar-automaton.h"

#include <assert.h>
#include <stdlib.h>

#include "hotpaths/base/hash-table.h"

/* A rule that is being read. */
struct machine_open {
    uint64_t at;                /* how many of its symbols have been read */
    uint32_t rule, before, state;
    bool minded;
};

/* The slot of the other run, or the empty one where it belongs. */
static size_t other_slot(const struct machine_runs *s, uint32_t rule, uint32_t before)
{
    uint64_t hash = hash_table_hash(rule, before);
    size_t mask = s->table_size - 1, slot = SLOT_HOME(hash) & mask;

    assert(s->n_other < s->table_size);          /* so a search ends */
    for (; s->table[slot]; slot = (slot + 1) & mask) {
        const struct machine_other *other = &s->other[SLOT_NUMBER(s->table[slot])];

        if (SLOT_TAG(s->table[slot]) == SLOT_TAG(hash) && other->rule == rule &&
            other->before == before)
            break;
    }
    return slot;
}

enum { NO_OTHER = 0 };          /* not the number of another run */

static size_t find_other(const struct machine_runs *s, uint32_t head, uint32_t before)
{
    uint64_t slot = s->table_size ? s->table[other_slot(s, head, before)] : 0;

    return slot ? s->g->n_rules + (size_t)SLOT_NUMBER(slot) : NO_OTHER;
}

static uint32_t reduced(const struct machine_runs *s, uint32_t rule, uint32_t before)
{
    return before && s->m->reduce ? s->m->reduce(s->m->ctx, before, s->first[rule]) : before;
}

/* ---- Reading --------------------------------------------------------------------------- */

static int add_other(struct machine_runs *s, uint32_t rule, uint32_t before)
{
    size_t i = s->n_other, run = s->g->n_rules + i;

    assert(rule < s->g->n_rules && before != 0);
    if (run >= UINT32_MAX || GROW(s->other, s->other_size, i + 1) != HOT_OK ||
        hash_table_grow(&s->table, &s->table_size, i + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->other[i] = (struct machine_other){ .rule = rule, .before = before,
                                          .last = s->latest[rule] };
    s->table[other_slot(s, rule, before)] = SLOT_TAG(hash_table_hash(rule, before)) | (i + 1);
    s->latest[rule] = (uint32_t)run;
    s->n_other++;
    return HOT_OK;
}

static int finish_run(struct machine_runs *s, const struct machine_open *top)
{
    size_t run = top->before ? s->g->n_rules + s->n_other : top->rule;
    uint32_t behind = top->state;

    assert(s->depth > 0 && top == &s->open[s->depth - 1]);
    if (top->before && add_other(s, top->rule, top->before) != HOT_OK)
        return HOT_E_MEMORY;
    s->depth--;
    if (s->m->finish)
        behind = s->m->finish(s->m->ctx, run, behind, top->minded);
    if (run < s->g->n_rules) {
        s->run[run].behind = behind;
        s->minded[run] = top->minded;
    } else {
        machine_other(s, run)->behind = behind;
        machine_other(s, run)->minded = top->minded;
    }
    return behind == MACHINE_NO_STATE ? HOT_E_MEMORY : HOT_OK;
}

/* `before` must be reduced. */
static int begin_run(struct machine_runs *s, uint32_t rule, uint32_t before)
{
    if (GROW(s->open, s->open_size, s->depth + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->open[s->depth++] = (struct machine_open){ .rule = rule, .before = before,
                                                 .state = before };
    return HOT_OK;
}

/* The first symbol of a rule, and the step to the next. */
static const uint32_t *symbols_of(const struct machine_runs *s, uint32_t rule, ptrdiff_t *step)
{
    const uint64_t *body = s->g->body;

    *step = s->m->backwards ? -1 : 1;
    return s->g->symbols + (s->m->backwards ? body[rule + 1] - 1 : body[rule]);
}

/* Finds the state behind the topmost rule, or puts another rule on top of it. */
static int read_on(struct machine_runs *s)
{
    struct machine_open *top = &s->open[s->depth - 1];
    uint64_t n = s->g->body[top->rule + 1] - s->g->body[top->rule];
    ptrdiff_t step;
    const uint32_t *symbols = symbols_of(s, top->rule, &step);

    for (; top->at < n; top->at++) {
        uint32_t symbol = symbols[(ptrdiff_t)top->at * step];

        if (symbol & WPP_RULE) {
            uint32_t rule = symbol & ~WPP_RULE, before = reduced(s, rule, top->state);
            size_t used = before ? find_other(s, s->head[rule].rule, before) : rule;

            assert(rule < top->rule && s->head[rule].rule <= rule);
            if (before && used == NO_OTHER)
                return begin_run(s, s->head[rule].rule, before);
            top->state = machine_behind(s, rule, used);
            top->minded |= s->minded[rule] | machine_minded(s, used);
        } else {
            top->state = s->m->next(s->m->ctx, top->state, symbol);
            top->minded |= s->m->minds && s->m->minds(s->m->ctx, top->state);
        }
    }
    return finish_run(s, top);
}

static int read_run(struct machine_runs *s, uint32_t rule, uint32_t before)
{
    int status = begin_run(s, rule, before);

    while (status == HOT_OK && s->depth > 0)
        status = read_on(s);
    return status;
}

int machine_enter_other(struct machine_runs *s, uint32_t rule, uint32_t before, size_t *run)
{
    uint32_t head;
    int status;

    before = reduced(s, rule, before);
    *run = rule;
    if (!before)
        return HOT_OK;
    head = s->head[rule].rule;
    *run = find_other(s, head, before);
    if (*run != NO_OTHER)
        return HOT_OK;
    status = read_run(s, head, before);
    *run = s->g->n_rules + s->n_other - 1;
    assert(status != HOT_OK
           || (machine_rule(s, *run) == head && machine_before(s, *run) == before));
    return status;
}

/* Sets the facts about a rule that are known before it is read. */
static void begin_rule(struct machine_runs *s, uint32_t rule)
{
    const struct machine *m = s->m;
    uint64_t n = s->g->body[rule + 1] - s->g->body[rule];
    uint32_t last = MACHINE_NO_TERMINAL;
    bool settled = m->memory && s->g->length[rule] >= m->memory;
    ptrdiff_t step;
    const uint32_t *symbols = symbols_of(s, rule, &step);
    struct machine_head *head = &s->head[rule];

    head->rule = rule;
    s->first[rule] = *symbols;
    if (*symbols & WPP_RULE) {
        uint32_t below = *symbols & ~WPP_RULE;

        s->first[rule] = s->first[below];
        if (s->head[below].settled)
            head->rule = s->head[below].rule;
    }
    for (uint64_t at = 0; at < n; at++, symbols += step) {
        bool is_rule = *symbols & WPP_RULE;
        uint32_t below = *symbols & ~WPP_RULE, first = is_rule ? s->first[below] : below;

        assert(is_rule ? below < rule : below < s->g->n_terminals);
        settled = settled || (is_rule && s->head[below].settled) ||
                  (m->settles && m->settles(m->ctx, last, first));
        last = is_rule ? s->final[below] : below;
    }
    s->final[rule] = last;
    head->settled = settled;
    s->run[rule] = (struct machine_run){ 0 };
}

int machine_begin(struct machine_runs *s, const struct machine *m, const struct wpp_grammar *g)
{
    size_t n = (size_t)g->n_rules + 1;
    int status = HOT_OK;

    *s = (struct machine_runs){ .m = m, .g = g };
    s->run = scattered_array(n, sizeof *s->run);
    s->first = scattered_array(n, sizeof *s->first);
    s->head = scattered_array(n, sizeof *s->head);
    s->final = malloc(n * sizeof *s->final);
    s->more = calloc(n, sizeof *s->more);
    s->minded = calloc(n, sizeof *s->minded);
    s->latest = calloc(n, sizeof *s->latest);
    s->touched = calloc(n / MACHINE_BLOCK + 1, sizeof *s->touched);
    if (!s->run || !s->first || !s->head || !s->final || !s->more || !s->minded || !s->latest ||
        !s->touched)
        return HOT_E_MEMORY;
    for (uint32_t i = 0; i < g->n_rules && status == HOT_OK; i++) {
        assert(g->body[i] < g->body[i + 1]);
        begin_rule(s, i);
        status = read_run(s, i, 0);
    }
    free(s->final);
    s->final = NULL;
    return status;
}

void machine_clear(struct machine_runs *s)
{
    free(s->run);
    free(s->first);
    free(s->head);
    free(s->latest);
    free(s->final);
    free(s->more);
    free(s->minded);
    free(s->other);
    free(s->table);
    free(s->open);
    free(s->touched);
    *s = (struct machine_runs){ 0 };
}

/* ---- Counting -------------------------------------------------------------------------- */

/* How often the rule is entered at all, other runs included, as counted so far: runs that contain
 * it have been passed. */
static uint64_t take_times(struct machine_runs *s, uint32_t rule)
{
    uint64_t times = s->more[rule] << 32 | s->run[rule].times;

    s->run[rule].times = 0;
    if (s->more[rule])
        s->more[rule] = 0;
    return times;
}

static bool is_passed(const struct machine_runs *s, size_t run, uint64_t times)
{
    return times && (!s->m->minds || machine_minded(s, run));
}

static int descend_rule(struct machine_runs *s, uint32_t rule, void *ctx,
                        int (*pass)(void *ctx, size_t run, uint64_t times))
{
    uint64_t all = take_times(s, rule), times;
    int status = HOT_OK;

    for (uint32_t at = s->latest[rule]; at != NO_OTHER && status == HOT_OK;) {
        struct machine_other *other = machine_other(s, at);

        assert(other->rule == rule && other->last < at);
        times = other->times;
        other->times = 0;
        all -= times;
        if (is_passed(s, at, times))
            status = pass(ctx, at, times);
        at = other->last;
    }
    return status == HOT_OK && is_passed(s, rule, all) ? pass(ctx, rule, all) : status;
}

int machine_descend(struct machine_runs *s, void *ctx,
                    int (*pass)(void *ctx, size_t run, uint64_t times))
{
    uint32_t rule = s->g->n_rules;
    int status = HOT_OK;

    while (rule > 0 && status == HOT_OK) {
        uint32_t block = (rule - 1) / MACHINE_BLOCK, begin = block * MACHINE_BLOCK;

        if (s->touched[block])
            while (rule > begin && status == HOT_OK)
                status = descend_rule(s, --rule, ctx, pass);
        s->touched[block] = false;
        rule = begin;
    }
    return status;
}

/* ---- Sums over events ------------------------------------------------------------------ */

/* The symbols of a rule are entered as often as the rule itself; terminals are read. */
static int hand_down(struct machine_runs *s, uint32_t rule, uint32_t state, uint64_t times)
{
    const struct machine *m = s->m;
    uint64_t n = s->g->body[rule + 1] - s->g->body[rule];
    ptrdiff_t step;
    const uint32_t *symbols = symbols_of(s, rule, &step);
    int status = HOT_OK;

    for (uint64_t at = 0; at < n && status == HOT_OK; at++) {
        uint32_t symbol = symbols[(ptrdiff_t)at * step];

        if (at + MACHINE_AHEAD < n)
            machine_fetch(s, symbols[(ptrdiff_t)(at + MACHINE_AHEAD) * step]);
        if (symbol & WPP_RULE) {
            uint32_t used = symbol & ~WPP_RULE;
            size_t run;

            assert(used < rule);
            status = machine_enter(s, used, state, &run);
            if (status != HOT_OK)
                break;
            machine_add(s, used, run, times);
            state = machine_behind(s, used, run);
        } else {
            uint32_t behind = m->next(m->ctx, state, symbol);

            status = m->step(m->ctx, state, symbol, behind, times);
            state = behind;
        }
    }
    return status;
}

static int hand_run_down(void *ctx, size_t run, uint64_t times)
{
    struct machine_runs *s = ctx;

    return hand_down(s, machine_rule(s, run), machine_before(s, run), times);
}

int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread)
{
    struct machine_runs s;
    int status = machine_begin(&s, m, g);

    for (uint32_t k = 0; k < g->n_threads && status == HOT_OK; k++) {
        if (thread != HOT_ALL_THREADS && thread != k)
            continue;
        if (m->thread)
            *m->thread = k;
        status = hand_down(&s, g->n_rules + k, 0, 1);
        if (status == HOT_OK && m->thread)
            status = machine_descend(&s, &s, hand_run_down);
    }
    if (status == HOT_OK && !m->thread)
        status = machine_descend(&s, &s, hand_run_down);
    machine_clear(&s);
    return status;
}
