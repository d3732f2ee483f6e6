/* SPDX-License-Identifier: MIT */
/* equal-rules.c - both properties of a whole grammar, in which many rules may be equal.
 *
 * A rule does not know where it is used.  So when restore() finds two equal rules, q and r, it
 * looks at all symbols to make uses of q uses of r.  While terminals are appended, that is seldom.
 * When grammars are joined or bodies parsed anew, thousands of rules may be equal.  Then:
 *
 *      note_equal     q's digram is not present for now; its node waits in `equals`
 *      merge          when the queue is empty: which rule becomes which, all symbols once, and the
 *                     rules that are not used any more go
 *
 * until no rules are equal.  What became equal only by that is found in the next turn: equal rules
 * of depth d take d turns at most.
 */
#include "sequitur/digrams.h"

#include <string.h>

/* The node is marked as if it were in the queue, so its number is not given to another one. */
int note_equal(seq *s, uint32_t w)
{
    int status = SEQ_OK;

    if (s->equals_count == s->equals_size)
        status = seq_grow(s, (void **)&s->equals, &s->equals_size, sizeof *s->equals,
                          s->equals_count + UINT64_C(64), UINT32_MAX);
    if (status != SEQ_OK)
        return s->status = status;
    s->nodes[w].mark |= MARK_QUEUED;
    s->equals[s->equals_count++] = w;
    return SEQ_OK;
}

/* The rule that r becomes, by way of others. */
static uint32_t final(const uint32_t *becomes, uint32_t r)
{
    while (becomes[r])
        r = becomes[r];
    return r;
}

/* The rule that is equal to the one whose digram, w, was noted; 0: something has changed since. */
static uint32_t equal_to(const seq *s, uint32_t w)
{
    bool overlaps;

    if (s->nodes[w].value == VALUE_FREE || ends_body(s, s->nodes[w].next) || !s->nodes[w].whole)
        return 0;
    uint32_t twin = find_twin(s, w, &overlaps);
    return twin ? s->nodes[twin].whole : 0;
}

/* Enters the rule whose digram, w, was noted.  If something has changed since, the digram goes back
 * to the queue.  Changes no body, so what was entered before stays right. */
static int decide(seq *s, uint32_t w, uint32_t *becomes)
{
    uint32_t q = s->nodes[w].whole, r = equal_to(s, w);

    s->nodes[w].mark = 0;
    if (r && final(becomes, r) != q) {
        assert(!becomes[q]);
        becomes[q] = final(becomes, r);
    } else if (seq_room(s) == SEQ_OK) {
        enqueue(s, w);
    }
    return s->status;
}

static int rename_all(seq *s, const uint32_t *becomes, uint32_t rules)
{
    for (uint32_t n = 1; n < s->nodes_used; n++) {
        uint32_t value = s->nodes[n].value;
        if (!is_rule(value) || rule_of(value) >= rules || !becomes[rule_of(value)])
            continue;
        if (seq_room(s) != SEQ_OK)
            return s->status;
        rename_use(s, n, final(becomes, rule_of(value)));
    }
    return SEQ_OK;
}

/* Frees the rules that have become others.  The rules that these have may have lost all uses but
 * one. */
static int free_all(seq *s, const uint32_t *becomes, uint32_t rules)
{
    for (uint32_t q = 1; q < rules; q++)
        if (becomes[q])
            free_pair(s, q);
    for (uint32_t q = 1; q < rules; q++) {
        if (!becomes[q] || !s->rules[final(becomes, q)].guard)
            continue;
        if (seq_room(s) != SEQ_OK)
            return s->status;
        dissolve_beginning(s, final(becomes, q));
    }
    return SEQ_OK;
}

/* Merges the rules that were noted. */
static int merge(seq *s)
{
    uint32_t rules = s->rules_used;
    uint32_t *becomes = seq_memory(s, NULL, 0, rules * sizeof *becomes);
    int status = SEQ_OK;

    if (!becomes)
        return s->status = SEQ_E_NOMEM;
    memset(becomes, 0, rules * sizeof *becomes);
    for (uint32_t i = 0; i < s->equals_count && status == SEQ_OK; i++)
        status = decide(s, s->equals[i], becomes);
    s->equals_count = 0;
    if (status == SEQ_OK)
        status = rename_all(s, becomes, rules);
    if (status == SEQ_OK)
        status = free_all(s, becomes, rules);
    seq_memory(s, becomes, rules * sizeof *becomes, 0);
    return status;
}

int restore_all(seq *s)
{
    s->bulk = true;
    int status = restore(s);

    while (status == SEQ_OK && s->equals_count > 0) {
        status = merge(s);
        if (status == SEQ_OK)
            status = restore(s);
    }
    s->bulk = false;
    if (s->equals)
        seq_memory(s, s->equals, s->equals_size * sizeof *s->equals, 0);
    s->equals = NULL;
    s->equals_size = s->equals_count = 0;
    return status;
}
