/* SPDX-License-Identifier: MIT */
/* join-grammars.c - one grammar behind another; see join-grammars.h.
 *
 * Both are finished: what is left of their input is the rules.  Those of the second come
 * bottom-up (seq_export() numbers them so).  Of each body, what the first grammar has a rule
 * for becomes a use of that rule, from left to right, as appending would climb:
 *
 *      second   7 -> a b       first has  P -> a b     7 is P
 *               8 -> 7 c d                             8 -> P c d, a rule of its own
 *               start -> 8 8 7                         start -> ... 8 8 P
 *
 * A body of which one symbol is left is that rule; the others are copied.  Uses are counted
 * as they are copied, so rule utility holds: a body with a copied rule in it is copied, too.
 * Copied digrams are not present.  All of them wait in the queue, and restore() makes digrams
 * unique: some stand in the first grammar, some have become equal to each other.
 */
#include "test/reference/join-grammars.h"

#include "sequitur/digrams.h"

struct joining {
    seq *s;
    const struct seq_grammar *g;
    uint32_t *value;         /* by rule of g: what stands for it */
    uint32_t *body;          /* of the rule in work, as far as it has been read */
    uint64_t size;           /* of the longest body */
    uint64_t n;
};

static uint64_t longest_body(const struct seq_grammar *g)
{
    uint64_t longest = 0;

    for (uint64_t k = 0; k < (uint64_t)g->rules + g->starts; k++)
        if (g->body[k + 1] - g->body[k] > longest)
            longest = g->body[k + 1] - g->body[k];
    return longest;
}

/* The rule whose whole body ends what has been read: *length symbols of it.  0: none. */
static uint32_t rule_at_end(const struct joining *j, uint64_t *length)
{
    const seq *s = j->s;
    uint32_t n = digrams_find(s, j->body[j->n - 2], j->body[j->n - 1]);

    if (!n || !ends_body(s, s->nodes[s->nodes[n].next].next))
        return 0;
    uint64_t at = j->n - 2;
    for (n = s->nodes[n].prev; !ends_body(s, n); n = s->nodes[n].prev)
        if (at-- == 0 || s->nodes[n].value != j->body[at])
            return 0;
    *length = j->n - at;
    return is_start_guard(s->nodes[n].value) ? 0 : rule_of(s->nodes[n].value);
}

static void read_body(struct joining *j, uint64_t k)
{
    const struct seq_grammar *g = j->g;

    j->n = 0;
    for (uint64_t i = g->body[k]; i < g->body[k + 1]; i++) {
        uint32_t symbol = g->symbols[i], r;
        uint64_t length;

        j->body[j->n++] = symbol & SEQ_RULE ? j->value[symbol & ~SEQ_RULE] : symbol;
        while (j->n > 1 && (r = rule_at_end(j, &length))) {
            j->n -= length;
            j->body[j->n++] = VALUE_RULE | r;
        }
    }
}

/* Appends what was read to the body of r; its digrams, and the one it joins, wait. */
static int copy_body(struct joining *j, uint32_t r)
{
    seq *s = j->s;
    uint32_t guard = s->rules[r].guard;
    int status = seq_grow(s, (void **)&s->queue, &s->queue_size, sizeof *s->queue,
                          s->queue_tail + j->n + STEP_QUEUE, UINT32_MAX);

    for (uint64_t i = 0; status == SEQ_OK && i < j->n; i++) {
        uint32_t last = s->nodes[guard].prev;

        status = seq_room(s);
        if (status != SEQ_OK)
            break;
        append_symbol(s, guard, j->body[i]);
        if (last != guard)
            enqueue(s, last);
    }
    return status;
}

/* What stands for rule k. */
static int take_rule(struct joining *j, uint32_t k)
{
    seq *s = j->s;
    int status = seq_room(s);

    if (status != SEQ_OK)
        return status;
    read_body(j, k);
    if (j->n == 1) {
        j->value[k] = j->body[0];
        return SEQ_OK;
    }
    uint32_t r = rule_new(s, VALUE_GUARD);
    j->value[k] = VALUE_RULE | r;
    status = copy_body(j, r);
    if (status == SEQ_OK) {
        uint32_t first = s->nodes[s->rules[r].guard].next;
        s->rules[r].first = s->nodes[first].value;
        s->nodes[first].whole = j->n == 2 ? r : 0;
    }
    return status;
}

static int take_all(struct joining *j)
{
    seq *s = j->s;
    const struct seq_grammar *g = j->g;
    int status = SEQ_OK;

    for (uint32_t k = 0; status == SEQ_OK && k < g->rules; k++)
        status = take_rule(j, k);
    for (uint32_t k = 0; status == SEQ_OK && k < g->starts; k++) {
        read_body(j, (uint64_t)g->rules + k);
        status = copy_body(j, s->starts[k].rule);
        s->symbols += g->length[g->rules + k];
    }
    s->active = 0;
    s->ahead = NO_TERMINAL;
    s->newest = 0;
    return status == SEQ_OK ? restore(s) : status;
}

int join_grammars(seq *s, const struct seq_grammar *g)
{
    struct joining j = {.s = s, .g = g, .size = longest_body(g) + 1};

    if (!s->finished)
        return SEQ_E_STATE;
    if (s->status == SEQ_OK && g->starts > 0)
        s->status = seq_open_starts(s, g->starts - 1);
    if (s->status != SEQ_OK)
        return s->status;
    j.value = seq_memory(s, NULL, 0, ((size_t)g->rules + 1) * sizeof *j.value);
    j.body = seq_memory(s, NULL, 0, j.size * sizeof *j.body);
    s->status = j.value && j.body ? take_all(&j) : SEQ_E_NOMEM;
    if (j.value)
        seq_memory(s, j.value, ((size_t)g->rules + 1) * sizeof *j.value, 0);
    if (j.body)
        seq_memory(s, j.body, j.size * sizeof *j.body, 0);
    return s->status;
}
