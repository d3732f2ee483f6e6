/* SPDX-License-Identifier: MIT */
/* node-arena.c - the arenas of nodes and rules, and the room that a step may take. */
#include "sequitur/digrams.h"

#include <string.h>

static int queue_room(seq *s)
{
    uint32_t waiting = s->queue_tail - s->queue_head;

    assert(s->queue_head <= s->queue_tail && s->queue_tail <= s->queue_size);
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
    assert(status != SEQ_OK || s->nodes_size - s->nodes_live > STEP_NODES);
    assert(status != SEQ_OK || s->rules_free || s->rules_size > s->rules_used);
    assert(status != SEQ_OK || s->queue_size - s->queue_tail >= STEP_QUEUE);
    return s->status = status;
}

uint32_t node_new(seq *s, uint32_t value)
{
    uint32_t n = s->nodes_free;

    if (n) {
        assert(s->nodes[n].value == VALUE_FREE);
        s->nodes_free = s->nodes[n].next;
    } else {
        n = s->nodes_used++;
    }
    assert(n < s->nodes_size);
    s->nodes_live++;
    s->nodes[n] = (struct node){.value = value};
    return n;
}

/* A node that waits in the queue is reused only after it has left the queue. */
void node_free(seq *s, uint32_t n)
{
    struct node *node = &s->nodes[n];

    assert(n > 0 && n < s->nodes_used && s->nodes_live > 0);
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

    assert(guard_kind == VALUE_GUARD || guard_kind == VALUE_START);
    if (r) {
        assert(s->rules[r].guard == 0);
        s->rules_free = s->rules[r].count;
    } else {
        r = s->rules_used++;
    }
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
    assert(s->rules_live > 0 && !is_start_guard(s->nodes[rule->guard].value));
    node_free(s, rule->guard);
    rule->guard = 0;
    rule->count = s->rules_free;
    s->rules_free = r;
    s->rules_live--;
}
