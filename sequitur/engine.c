/* SPDX-License-Identifier: MIT */
/* engine.c - the grammar as a whole: made, appended to, finished, freed. */
#include "sequitur/digrams.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { FIRST_NODES = 8, FIRST_RULES = 2, FIRST_QUEUE = STEP_QUEUE };
#else
enum { FIRST_NODES = 1024, FIRST_RULES = 256, FIRST_QUEUE = 256 };
#endif

/* Allocates the first arenas.  In both, number 0 stands for no node and no rule. */
static int first_memory(seq *s)
{
    int status = seq_grow(s, (void **)&s->nodes, &s->nodes_size, sizeof *s->nodes,
                          FIRST_NODES, NODE_MAX);

    if (status == SEQ_OK)
        status = seq_grow(s, (void **)&s->rules, &s->rules_size, sizeof *s->rules,
                          FIRST_RULES, RULE_MAX);
    if (status == SEQ_OK)
        status = seq_grow(s, (void **)&s->queue, &s->queue_size, sizeof *s->queue,
                          FIRST_QUEUE, UINT32_MAX);
    if (status == SEQ_OK)
        status = digrams_new(s);
    if (status != SEQ_OK)
        return status;
    s->nodes[0] = (struct node){.value = VALUE_FREE};
    s->rules[0] = (struct rule){0};
    s->nodes_used = s->rules_used = 1;
    return is_fast(s) ? fast_new(s) : SEQ_OK;
}

int seq_new(seq **out, const struct seq_config *config)
{
    static const struct seq_config none;
    const struct seq_config *c = config ? config : &none;
    seq_realloc *allocate = c->realloc ? c->realloc : seq_pages;
    seq *s = allocate(c->realloc_ctx, NULL, 0, sizeof *s);

    *out = NULL;
    if (!s)
        return SEQ_E_NOMEM;
    *s = (seq){
        .ahead = NO_TERMINAL, .flags = c->flags, .memory = sizeof *s, .memory_peak = sizeof *s,
        .memory_max = c->memory_max,
        .realloc = allocate, .realloc_ctx = c->realloc_ctx,
    };
    int status = first_memory(s);
    if (status != SEQ_OK) {
        seq_free(s);
        return status;
    }
    *out = s;
    return SEQ_OK;
}

int seq_begin_anew(seq *s)
{
    *s = (seq){
        .ahead = NO_TERMINAL, .flags = SEQ_EXACT, .finished = true, .memory = s->memory,
        .memory_peak = s->memory_peak, .memory_max = s->memory_max,
        .memory_history = s->memory_history, .realloc = s->realloc, .realloc_ctx = s->realloc_ctx,
    };
    return s->status = first_memory(s);
}

static void give_back(seq *s, void *array, uint32_t *size, size_t each)
{
    seq_memory(s, array, *size * each, 0);
    *size = 0;
}

void seq_forget(seq *s)
{
    seq_memory(s, s->numbers, s->numbers ? s->rules_used * sizeof *s->numbers : 0, 0);
    s->numbers = NULL;
    for (uint32_t k = 0; s->starts_size && k < s->starts_count; k++)
        give_back(s, s->starts[k].own, &s->starts[k].own_size, sizeof(uint32_t));
    fast_free(s);
    digrams_free(s);
    give_back(s, s->starts, &s->starts_size, sizeof *s->starts);
    give_back(s, s->queue, &s->queue_size, sizeof *s->queue);
    give_back(s, s->rules, &s->rules_size, sizeof *s->rules);
    give_back(s, s->nodes, &s->nodes_size, sizeof *s->nodes);
    s->starts = NULL;
    s->queue = NULL;
    s->rules = NULL;
    s->nodes = NULL;
}

void seq_free(seq *s)
{
    if (!s)
        return;
    seq_forget(s);
    assert(s->memory == sizeof *s);
    s->realloc(s->realloc_ctx, s, sizeof *s, 0);
}

/* The memory of the next growth of both arenas and of the digram table. */
static uint64_t next_growth(const seq *s)
{
    return seq_growth(s->nodes_size, sizeof *s->nodes) * sizeof *s->nodes
         + seq_growth(s->rules_size, sizeof *s->rules) * sizeof *s->rules
         + digrams_step(s) * sizeof *s->digrams.slots;
}

/* The caller asks again after at most MOST_APPENDED symbols.  Symbols in the blocks of streams are
 * appended at the end.  A symbol takes a node, two slots, a slot in the export and its part of a
 * rule.  If four symbols become a rule of two and its two uses, that part is a guard and 32 bytes
 * more. */
enum {
    MOST_APPENDED = 1 << 14,
    SYMBOL_BYTES = sizeof(struct node) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t)
};

bool seq_is_full(const seq *s)
{
    if (!s->memory_max)
        return false;
    uint64_t more = (s->staged + MOST_APPENDED) * SYMBOL_BYTES + fast_growth(s, MOST_APPENDED);
    assert(s->memory >= fast_memory(s));
    uint64_t lasting = s->memory - fast_memory(s) + next_growth(s) + more;
    /* The shortcuts' memory is given back before runs are spelled and the export is made. */
    uint64_t before = fast_memory_max(s);
    uint64_t after = seq_export_size(s) + fast_spelling(s);
    return lasting + (before > after ? before : after) > s->memory_max;
}

int seq_open_starts(seq *s, uint32_t start)
{
    while (s->starts_count <= start) {
        int status = SEQ_OK;
        if (s->starts_count == s->starts_size)
            status = seq_grow(s, (void **)&s->starts, &s->starts_size, sizeof *s->starts,
                              s->starts_count + UINT64_C(4), RULE_MAX);
        if (status == SEQ_OK)
            status = seq_room(s);
        if (status != SEQ_OK)
            return s->status = status;
        assert(s->starts_count < s->starts_size);
        s->starts[s->starts_count++] = (struct start){
            .rule = rule_new(s, VALUE_START), .held = NO_TERMINAL, .last = NO_TERMINAL,
            .credit = s->base ? FAST_CREDIT : 0,
        };
    }
    return SEQ_OK;
}

int seq_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n)
{
    if (s->finished)
        return SEQ_E_STATE;
    if (s->status != SEQ_OK)
        return s->status;
    if (start >= RULE_MAX)
        return SEQ_E_RANGE;
    if (start >= s->starts_count && seq_open_starts(s, start) != SEQ_OK)
        return s->status;
    return is_fast(s) ? fast_append(s, start, terminals, n)
                      : exact_append(s, start, terminals, n);
}

int seq_finish(seq *s)
{
    if (s->finished)
        return SEQ_E_STATE;
    if (s->status == SEQ_OK)
        s->status = is_fast(s) ? fast_finish(s) : exact_finish(s);
    assert(s->status != SEQ_OK || s->queue_head == s->queue_tail);
    s->finished = s->status == SEQ_OK;
    return s->status;
}

void seq_get_stats(const seq *s, struct seq_stats *out)
{
    /* A live node is either a guard (one per rule) or a symbol. */
    uint64_t rules = (uint64_t)s->rules_live + s->starts_count;

    assert(s->nodes_live >= rules);
    *out = (struct seq_stats){
        .symbols = s->symbols, .rhs_symbols = s->nodes_live - rules - s->base_symbols,
        .rules = s->rules_live - s->base_live,
        .starts = s->starts_count, .memory = s->memory, .memory_peak = s->memory_peak,
        .history = s->memory_history,
    };
}
