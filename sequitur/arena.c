/* SPDX-License-Identifier: MIT */
/* arena.c - memory: the arenas of nodes and rules, the caller's allocator. */
#include "sequitur/digrams.h"

#include <string.h>

#ifdef WPP_HOSTILE
enum { FIRST_NODES = 8, FIRST_RULES = 2, FIRST_QUEUE = STEP_QUEUE };
#else
enum { FIRST_NODES = 1024, FIRST_RULES = 256, FIRST_QUEUE = 256 };
#endif

void *seq_memory(seq *s, void *p, size_t old_size, size_t size)
{
    if (!p && !size)
        return NULL;
    p = s->realloc(s->realloc_ctx, p, old_size, size);
    if (size && !p)
        return NULL;
    s->memory += size - old_size;
    if (s->memory_peak < s->memory)
        s->memory_peak = s->memory;
    return p;
}

/* What an array of so many elements grows by at least: a sixteenth, since slack is memory that nobody
 * uses.  A large one by less, as pages are moved then, not bytes (pages.c). */
enum { LARGE = 4 << 20 };

static uint64_t step_of(uint64_t size, size_t each)
{
    return size / (size * each < LARGE ? 16 : 64);
}

int seq_grow(seq *s, void **array, uint32_t *size, size_t each, uint64_t need, uint64_t max)
{
    uint64_t bigger = *size + step_of(*size, each);

    if (need > max)
        return SEQ_E_RANGE;
    if (bigger < need)
        bigger = need;
    if (bigger > max)
        bigger = max;
    void *p = seq_memory(s, *array, *size * each, bigger * each);
    if (!p)
        return SEQ_E_NOMEM;
    *array = p;
    *size = (uint32_t)bigger;
    return SEQ_OK;
}

static int queue_room(seq *s)
{
    uint32_t waiting = s->queue_tail - s->queue_head;

    if (s->queue_head >= STEP_QUEUE) {
        memmove(s->queue, s->queue + s->queue_head, waiting * sizeof *s->queue);
        s->queue_head = 0;
        s->queue_tail = waiting;
        return SEQ_OK;
    }
    return seq_grow(s, (void **)&s->queue, &s->queue_size, sizeof *s->queue,
                    s->queue_tail + UINT64_C(2) * STEP_QUEUE, UINT32_MAX);
}

int seq_room_slow(seq *s)
{
    int status = SEQ_OK;

    if (s->nodes_size - s->nodes_live <= STEP_NODES)
        status = seq_grow(s, (void **)&s->nodes, &s->nodes_size, sizeof *s->nodes,
                          s->nodes_live + UINT64_C(2) * STEP_NODES, NODE_MAX);
    if (status == SEQ_OK && !s->rules_free && s->rules_size == s->rules_used)
        status = seq_grow(s, (void **)&s->rules, &s->rules_size, sizeof *s->rules,
                          s->rules_used + UINT64_C(2), RULE_MAX);
    if (status == SEQ_OK
        && (s->digrams.used + STEP_DIGRAMS > s->digrams.limit || *s->digrams.watch != SLOT_EMPTY))
        status = digrams_room(s);
    if (status == SEQ_OK && s->queue_size - s->queue_tail < STEP_QUEUE)
        status = queue_room(s);
    return s->status = status;
}

uint32_t node_new(seq *s, uint32_t value)
{
    uint32_t n = s->nodes_free;

    if (n)
        s->nodes_free = s->nodes[n].next;
    else
        n = s->nodes_used++;
    assert(n < s->nodes_size);
    s->nodes_live++;
    s->nodes[n] = (struct node){.value = value};
    return n;
}

/* A node that waits in the queue is reused only after it has left it. */
void node_free(seq *s, uint32_t n)
{
    struct node *node = &s->nodes[n];

    node->value = VALUE_FREE;
    node->prev = 0;
    if (node->mark & MARK_QUEUED)
        return;
    node->next = s->nodes_free;
    s->nodes_free = n;
    s->nodes_live--;
}

uint32_t rule_new(seq *s, uint32_t guard_kind)
{
    uint32_t r = s->rules_free;

    if (r)
        s->rules_free = s->rules[r].count;
    else
        r = s->rules_used++;
    assert(r < s->rules_size);
    uint32_t guard = node_new(s, guard_kind | r);
    s->rules[r] = (struct rule){.guard = guard, .at = AT_UNKNOWN};
    link_nodes(s, guard, guard);
    s->rules_live += guard_kind == VALUE_GUARD;
    return r;
}

void rule_free(seq *s, uint32_t r)
{
    struct rule *rule = &s->rules[r];

    assert(rule->guard && rule->count == 0);
    node_free(s, rule->guard);
    rule->guard = 0;
    rule->count = s->rules_free;
    s->rules_free = r;
    s->rules_live--;
}

/* ---- The grammar as a whole ---------------------------------------------------- */

/* The first arenas; number 0 is nobody in both. */
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

/* The largest steps there are: the arenas' and the table's. */
static uint64_t next_growth(const seq *s)
{
    return step_of(s->nodes_size, sizeof *s->nodes) * sizeof *s->nodes
         + step_of(s->rules_size, sizeof *s->rules) * sizeof *s->rules
         + digrams_step(s) * sizeof *s->digrams.slots;
}

/* So many symbols may come before this is asked again, and those that wait in their streams' blocks
 * come in the end.  One takes a node, two slots, a place in the export and its part of a rule: of
 * four symbols that become one of two and its two uses, a guard and 32 bytes more. */
enum {
    MOST_APPENDED = 1 << 14,
    SYMBOL_BYTES = sizeof(struct node) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t)
};

bool seq_is_full(const seq *s)
{
    if (!s->memory_max)
        return false;
    uint64_t more = (s->staged + MOST_APPENDED) * SYMBOL_BYTES + fast_growth(s, MOST_APPENDED);
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
        s->starts[s->starts_count++] = (struct start){
            .rule = rule_new(s, VALUE_START), .held = NO_TERMINAL, .last = NO_TERMINAL,
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
    s->finished = s->status == SEQ_OK;
    return s->status;
}

void seq_get_stats(const seq *s, struct seq_stats *out)
{
    /* Every live node is nobody's: a guard (one a rule) or a symbol. */
    uint64_t rules = (uint64_t)s->rules_live + s->starts_count;

    *out = (struct seq_stats){
        .symbols = s->symbols, .rhs_symbols = s->nodes_live - rules, .rules = s->rules_live,
        .starts = s->starts_count, .memory = s->memory, .memory_peak = s->memory_peak,
        .history = s->memory_history,
    };
}
