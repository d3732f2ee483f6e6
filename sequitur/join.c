/* SPDX-License-Identifier: MIT */
/* join.c - appends one grammar to another.
 *
 * Both are finished: only their rules remain of their input.  The rules of the second one are read
 * bottom-up (seq_export() numbers them so).  Whatever part of a body is also a body in the first
 * grammar becomes a use of that rule, from left to right, as appending would climb:
 *
 *      second   7 -> a b       first has  P -> a b     7 is P
 *               8 -> 7 c d                             8 -> P c d, a rule of its own
 *               start -> 8 8 7                         start -> ... 8 8 P
 *
 * If one symbol is left of a body, its rule is that symbol; the other bodies are copied.  Uses are
 * counted as they are copied, so rule utility holds: a body that uses a copied rule is copied, too.
 *
 * Copied digrams are not present until everything is copied.  Then those that are unique become
 * present.  The others, which the first grammar has or which have become equal, are left to
 * restore().
 */
#include "sequitur/digrams.h"

struct joining {
    seq *s;
    const struct seq_grammar *g;
    uint32_t *value;         /* by rule of g: the symbol that stands for it */
    uint32_t *body;          /* the current rule's body, as far as it has been read; NULL: the
                                first grammar has no digram, so bodies are those of g */
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

/* The rule whose whole body is the last *length symbols read; 0: none. */
static uint32_t rule_at_end(const struct joining *j, uint64_t *length)
{
    const seq *s = j->s;
    assert(j->n >= 2 && j->n <= j->size);
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

static uint32_t value_of(const struct joining *j, uint64_t i)
{
    uint32_t symbol = j->g->symbols[i];

    assert(!(symbol & SEQ_RULE) || (symbol & ~SEQ_RULE) < j->g->rules);
    return symbol & SEQ_RULE ? j->value[symbol & ~SEQ_RULE] : symbol;
}

static void read_body(struct joining *j, uint64_t k)
{
    const struct seq_grammar *g = j->g;

    j->n = j->body ? 0 : g->body[k + 1] - g->body[k];
    if (!j->body)
        return;
    for (uint64_t i = g->body[k]; i < g->body[k + 1]; i++) {
        uint64_t length;
        uint32_t r;

        assert(j->n < j->size);
        j->body[j->n++] = value_of(j, i);
        while (j->n > 1 && (r = rule_at_end(j, &length))) {
            j->n -= length;
            j->body[j->n++] = VALUE_RULE | r;
        }
    }
}

/* Appends the symbols read of body k to the body of r.  Marks its digrams, and the digram at the
 * joint, as if they waited in the queue. */
static int copy_body(struct joining *j, uint64_t k, uint32_t r)
{
    seq *s = j->s;
    uint32_t guard = s->rules[r].guard;

    for (uint64_t i = 0; i < j->n; i++) {
        uint32_t last = s->nodes[guard].prev;

        if (seq_room(s) != SEQ_OK)
            return s->status;
        append_symbol(s, guard, j->body ? j->body[i] : value_of(j, j->g->body[k] + i));
        if (last != guard)
            s->nodes[last].mark |= MARK_QUEUED;
    }
    return SEQ_OK;
}

/* Unique digrams become present; the others wait in the queue. */
static int settle(seq *s)
{
    enum { AHEAD = 12 };
    bool overlaps;

    for (uint32_t n = 1; n < s->nodes_used; n++) {
        if (n + AHEAD < s->nodes_used) {
            const struct node *soon = &s->nodes[n + AHEAD];
            __builtin_prefetch(digrams_slot(s, soon->value, s->nodes[soon->next].value), 1);
        }
        if (s->nodes[n].value == VALUE_FREE || !(s->nodes[n].mark & MARK_QUEUED))
            continue;
        s->nodes[n].mark = 0;
        if (ends_body(s, s->nodes[n].next))
            continue;
        if (seq_room(s) != SEQ_OK)
            return s->status;
        if (find_twin(s, n, &overlaps))
            enqueue(s, n);
        else if (!overlaps)
            digrams_insert(s, n);
    }
    return restore_all(s);
}

/* Finds or makes the symbol that stands for rule k. */
static int take_rule(struct joining *j, uint32_t k)
{
    seq *s = j->s;
    int status = seq_room(s);

    if (status != SEQ_OK)
        return status;
    read_body(j, k);
    assert(j->n >= 2 || (j->body && j->n == 1));
    if (j->n == 1) {
        j->value[k] = j->body[0];
        return SEQ_OK;
    }
    uint32_t r = rule_new(s, VALUE_GUARD);
    j->value[k] = VALUE_RULE | r;
    status = copy_body(j, k, r);
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

    assert(s->starts_count >= g->starts);
    for (uint32_t k = 0; status == SEQ_OK && k < g->rules; k++)
        status = take_rule(j, k);
    for (uint32_t k = 0; status == SEQ_OK && k < g->starts; k++) {
        read_body(j, (uint64_t)g->rules + k);
        status = copy_body(j, (uint64_t)g->rules + k, s->starts[k].rule);
        s->symbols += g->length[g->rules + k];
    }
    s->active = 0;
    s->ahead = NO_TERMINAL;
    s->newest = 0;
    return status == SEQ_OK ? settle(s) : status;
}

int seq_join(seq *s, const struct seq_grammar *g)
{
    struct joining j = {.s = s, .g = g, .size = longest_body(g) + 1};

    if (!s->finished || s->ended)
        return SEQ_E_STATE;
    if (s->status == SEQ_OK && g->starts > 0)
        s->status = seq_open_starts(s, g->starts - 1);
    if (s->status != SEQ_OK)
        return s->status;
    j.value = seq_memory(s, NULL, 0, ((size_t)g->rules + 1) * sizeof *j.value);
    if (s->digrams.used)
        j.body = seq_memory(s, NULL, 0, j.size * sizeof *j.body);
    s->status = j.value && (j.body || !s->digrams.used) ? take_all(&j) : SEQ_E_NOMEM;
    if (j.value)
        seq_memory(s, j.value, ((size_t)g->rules + 1) * sizeof *j.value, 0);
    if (j.body)
        seq_memory(s, j.body, j.size * sizeof *j.body, 0);
    return s->status;
}
