/* SPDX-License-Identifier: MIT */
/* rewrite.c - digram uniqueness and rule utility, restored after a change.
 *
 * A digram that a change made or joined anew is not present; it waits in the queue.  restore()
 * takes the oldest, looks for a present twin, and does one of three things:
 *   - there is no twin: the digram becomes present;
 *   - the twin is the whole body of a rule: that rule replaces the digram;
 *   - else it makes a new rule of the twin, used in both places.
 *
 * Only the digram's two symbols lost a use.  If the count of one fell to 1, its last use is in that
 * rule's body, and it dissolves there.  The queue empties because every replacement shortens the
 * grammar.
 */
#include "sequitur/digrams.h"

void enqueue(seq *s, uint32_t n)
{
    struct node *node = &s->nodes[n];

    if (node->mark & MARK_QUEUED)
        return;
    node->mark |= MARK_QUEUED;
    assert(s->queue_tail < s->queue_size);
    s->queue[s->queue_tail++] = n;
}

/* Queues the digram at n, if there is one. */
static void enqueue_digram(seq *s, uint32_t n)
{
    if (ends_body(s, n) || ends_body(s, s->nodes[n].next))
        return;
    __builtin_prefetch(digrams_slot(s, s->nodes[n].value, s->nodes[s->nodes[n].next].value));
    enqueue(s, n);
}

/* Removes the digram at n, which is about to vanish, from the table.  True if it was there. */
static bool unregister(seq *s, uint32_t n)
{
    return s->nodes[n].mark == 0 && !ends_body(s, n) && !ends_body(s, s->nodes[n].next)
        && digrams_remove(s, n);
}

/* Of the two equal digrams of a run `aaa` the table holds one.  If that one vanished, enters the
 * other, at n. */
static void inherit(seq *s, uint32_t n, uint32_t value)
{
    const struct node *node = &s->nodes[n];

    if (node->value == value && node->mark == 0 && s->nodes[node->next].value == value)
        digrams_insert(s, n);
}

/* Updates G7 for the rule and nodes of the body around n, which has changed there. */
static void note_body(seq *s, uint32_t n)
{
    uint32_t before = s->nodes[n].prev;
    uint32_t after = s->nodes[n].next;
    uint32_t guard = s->nodes[before].value;

    if (is_guard(guard)) {
        if (is_start_guard(guard))
            return;
        s->rules[rule_of(guard)].first = s->nodes[n].value;
        s->nodes[n].whole = s->nodes[s->nodes[after].next].value == guard ? rule_of(guard) : 0;
        return;
    }
    guard = s->nodes[after].value;
    if (is_guard(guard) && !is_start_guard(guard))
        s->nodes[before].whole =
            s->nodes[s->nodes[before].prev].value == guard ? rule_of(guard) : 0;
}

uint32_t append_symbol(seq *s, uint32_t guard, uint32_t value)
{
    uint32_t n = node_new(s, value);

    assert(is_guard(s->nodes[guard].value) && !is_guard(value));
    link_nodes(s, s->nodes[guard].prev, n);
    link_nodes(s, n, guard);
    if (is_rule(value))
        s->rules[rule_of(value)].count++;
    s->rules[rule_of(s->nodes[guard].value)].length += length_of(s, value);
    return n;
}

static void drop_use(seq *s, uint32_t value)
{
    if (!is_rule(value))
        return;
    assert(s->rules[rule_of(value)].count > 0);
    s->rules[rule_of(value)].count--;
}

uint32_t extract_rule(seq *s, uint32_t first, uint32_t last)
{
    uint32_t before = s->nodes[first].prev;
    uint32_t after = s->nodes[last].next;
    uint32_t left_value = s->nodes[first].value;
    uint32_t right_value = s->nodes[last].value;
    bool left_held = unregister(s, before);
    bool right_held = unregister(s, last);
    uint64_t length = 0;

    for (uint32_t n = first; n != after; n = s->nodes[n].next)
        length += length_of(s, s->nodes[n].value);
    assert(first != last && length >= 2);

    uint32_t r = rule_new(s, VALUE_GUARD);
    uint32_t symbol = node_new(s, VALUE_RULE | r);
    s->rules[r].count = 1;
    s->rules[r].length = length;
    link_nodes(s, s->rules[r].guard, first);
    link_nodes(s, last, s->rules[r].guard);
    link_nodes(s, before, symbol);
    link_nodes(s, symbol, after);
    s->newest = r;
    s->newest_use[0] = symbol;
    note_body(s, first);
    note_body(s, symbol);
    /* The reason for the other marks of `last` has gone with its right neighbour. */
    s->nodes[last].mark &= MARK_QUEUED;
    if (left_held && s->nodes[before].value == left_value)
        inherit(s, s->nodes[before].prev, left_value);
    if (right_held && s->nodes[after].value == right_value) {
        inherit(s, s->nodes[last].prev, right_value);
        inherit(s, after, right_value);
    }
    enqueue_digram(s, before);
    enqueue_digram(s, symbol);
    return r;
}

void replace_pair(seq *s, uint32_t n, uint32_t r)
{
    uint32_t before = s->nodes[n].prev;
    uint32_t right = s->nodes[n].next;
    uint32_t after = s->nodes[right].next;
    uint32_t left_value = s->nodes[n].value;
    uint32_t right_value = s->nodes[right].value;
    bool left_held = unregister(s, before);
    bool right_held = unregister(s, right);

    assert(!is_guard(left_value) && !is_guard(right_value));
    assert(digrams_find(s, left_value, right_value) != n);
    drop_use(s, left_value);
    drop_use(s, right_value);
    s->rules[r].count++;
    s->nodes[n].value = VALUE_RULE | r;
    s->nodes[n].mark &= MARK_QUEUED;
    s->nodes[n].whole = 0;
    link_nodes(s, n, after);
    node_free(s, right);
    note_body(s, n);
    if (left_held && s->nodes[before].value == left_value)
        inherit(s, s->nodes[before].prev, left_value);
    if (right_held && s->nodes[after].value == right_value)
        inherit(s, after, right_value);
    enqueue_digram(s, before);
    enqueue_digram(s, n);
}

void replace_end(seq *s, uint32_t n, uint32_t r)
{
    uint32_t before = s->nodes[n].prev;
    uint32_t old = s->nodes[n].value;
    bool held = unregister(s, before);

    assert(s->nodes[n].next == s->active && n != s->active);
    drop_use(s, old);
    s->rules[r].count++;
    s->nodes[n].value = VALUE_RULE | r;
    if (held && s->nodes[before].value == old)
        inherit(s, s->nodes[before].prev, old);
    if (!ends_body(s, before))
        s->nodes[before].mark |= MARK_UNSETTLED;
}

/* The digrams at the two joints are looked up like all others. */
void dissolve_if_single(seq *s, uint32_t n)
{
    uint32_t value = s->nodes[n].value;

    if (!is_rule(value) || s->rules[rule_of(value)].count != 1)
        return;
    uint32_t r = rule_of(value);
    uint32_t guard = s->rules[r].guard;
    uint32_t first = s->nodes[guard].next;
    uint32_t last = s->nodes[guard].prev;
    uint32_t before = s->nodes[n].prev;
    uint32_t after = s->nodes[n].next;

    assert(guard && first != last && first != guard);        /* G3 */
    unregister(s, before);
    unregister(s, n);
    s->nodes[before].whole = 0;
    s->nodes[first].whole = 0;
    link_nodes(s, before, first);
    link_nodes(s, last, after);
    note_body(s, first);
    s->rules[r].count = 0;
    rule_free(s, r);
    node_free(s, n);
    enqueue_digram(s, before);
    enqueue_digram(s, last);
}

void dissolve_beginning(seq *s, uint32_t r)
{
    uint32_t first = s->nodes[s->rules[r].guard].next;
    uint32_t second = s->nodes[first].next;

    dissolve_if_single(s, first);
    dissolve_if_single(s, second);
}

/* The leftmost present digram of the run that does not overlap w.  Equal digrams of one symbol are
 * in one run, at any position of `held` and w in it. */
static uint32_t find_in_run(const seq *s, uint32_t held, uint32_t w)
{
    uint32_t value = s->nodes[w].value;
    uint32_t n = held;

    while (s->nodes[s->nodes[n].prev].value == value)
        n = s->nodes[n].prev;
    for (; s->nodes[s->nodes[n].next].value == value; n = s->nodes[n].next)
        if (s->nodes[n].mark == 0 && n != w && s->nodes[n].next != w && s->nodes[w].next != n)
            return n;
    return 0;
}

uint32_t find_twin(const seq *s, uint32_t w, bool *overlaps)
{
    uint32_t a = s->nodes[w].value;
    uint32_t b = s->nodes[s->nodes[w].next].value;
    uint32_t held = digrams_find(s, a, b);
    uint32_t twin = held && a == b ? find_in_run(s, held, w) : held;

    *overlaps = held && !twin;
    return twin;
}

void take_over(seq *s, uint32_t n)
{
    uint32_t held = digrams_find(s, s->nodes[n].value, s->nodes[s->nodes[n].next].value);

    if (held != n) {
        digrams_remove(s, held);
        digrams_insert(s, n);
    }
}

/* SEQUITUR(1): w ends the active start rule.  Whether its second symbol and the terminal ahead are
 * the whole body of a rule: that rule will be applied, and no new one is made. */
static bool look_ahead(const seq *s, uint32_t w)
{
    uint32_t right = s->nodes[w].next;

    if (s->ahead == NO_TERMINAL || s->nodes[right].next != s->active)
        return false;
    uint32_t n = digrams_find(s, s->nodes[right].value, s->ahead);
    return n && s->nodes[n].whole;
}

void rename_use(seq *s, uint32_t n, uint32_t r)
{
    uint32_t before = s->nodes[n].prev;
    uint32_t after = s->nodes[n].next;
    uint32_t old = s->nodes[n].value;
    assert(is_rule(old) && rule_of(old) != r);
    bool left_held = unregister(s, before);
    bool right_held = unregister(s, n);

    drop_use(s, old);
    s->rules[r].count++;
    s->nodes[n].value = VALUE_RULE | r;
    note_body(s, n);
    if (left_held && s->nodes[before].value == old)
        inherit(s, s->nodes[before].prev, old);
    if (right_held && s->nodes[after].value == old)
        inherit(s, after, old);
    enqueue_digram(s, before);
    enqueue_digram(s, n);
}

void free_pair(seq *s, uint32_t q)
{
    uint32_t left = s->nodes[s->rules[q].guard].next;
    uint32_t right = s->nodes[left].next;

    assert(s->rules[q].count == 0 && s->nodes[right].next == s->rules[q].guard);
    drop_use(s, s->nodes[left].value);
    drop_use(s, s->nodes[right].value);
    node_free(s, left);
    node_free(s, right);
    rule_free(s, q);
}

/* Rules q and r have got the same body, a digram, which is present in r: uses of q become uses of
 * r, and q is freed.  One stream alone never leads here (docs/sequitur.md).  There is no list of a
 * rule's uses, so all symbols are searched unless q is the newest rule and its uses are still where
 * it was made. */
static int merge_rules(seq *s, uint32_t q, uint32_t r)
{
    uint32_t use = VALUE_RULE | q;
    uint32_t first = s->newest_use[0];
    uint32_t second = s->newest_use[1];

    if (s->newest == q && s->rules[q].count == 2 && first != second
        && s->nodes[first].value == use && s->nodes[second].value == use) {
        rename_use(s, first, r);
        rename_use(s, second, r);
    }
    for (uint32_t n = 1; s->rules[q].count; n++) {
        assert(n < s->nodes_used);
        if (s->nodes[n].value == use) {
            if (seq_room(s) != SEQ_OK)
                return s->status;
            rename_use(s, n, r);
        }
    }
    free_pair(s, q);
    return SEQ_OK;
}

/* Replaces the digram at w by rule r, whose body is its twin. */
static int use_whole_rule(seq *s, uint32_t w, uint32_t r)
{
    uint32_t q = s->nodes[w].whole;

    if (q)
        return merge_rules(s, q, r);
    replace_pair(s, w, r);
    return SEQ_OK;
}

/* Checks the digram at w, which has no mark and is not in the table. */
static int check(seq *s, uint32_t w)
{
    bool overlaps;
    uint32_t twin = find_twin(s, w, &overlaps);
    uint32_t r;

    if (!twin) {
        if (!overlaps)
            digrams_insert(s, w);
        return SEQ_OK;
    }
    if ((r = s->nodes[twin].whole)) {
        if (s->bulk && s->nodes[w].whole)
            return note_equal(s, w);
        if (use_whole_rule(s, w, r) != SEQ_OK)
            return s->status;
    } else if ((r = s->nodes[w].whole)) {
        take_over(s, w);
        replace_pair(s, twin, r);
    } else if (look_ahead(s, w)) {
        s->nodes[w].mark = MARK_POSTPONED;
        return SEQ_OK;
    } else {
        take_over(s, twin);
        r = extract_rule(s, twin, s->nodes[twin].next);
        replace_pair(s, w, r);
        s->newest_use[1] = w;
    }
    dissolve_beginning(s, r);
    return SEQ_OK;
}

int restore(seq *s)
{
    while (s->queue_head < s->queue_tail) {
        if (seq_room(s) != SEQ_OK)
            return s->status;
        uint32_t n = s->queue[s->queue_head++];
        struct node *node = &s->nodes[n];
        assert(n < s->nodes_used && node->mark & MARK_QUEUED);
        node->mark = 0;
        if (node->value == VALUE_FREE)
            node_free(s, n);
        else if (ends_body(s, node->next))
            continue;
        else if (s->lazy && s->nodes[node->next].next == s->active)
            node->mark = MARK_UNSETTLED;
        else if (check(s, n) != SEQ_OK)
            return s->status;
    }
    s->queue_head = s->queue_tail = 0;
    return SEQ_OK;
}
