/* SPDX-License-Identifier: MIT */
/* exact.c - SEQUITUR(1), and SEQUITUR, to the letter.
 *
 * A terminal is appended when the next one of its stream is known.  So the look-ahead does not
 * depend on where a piece of input ends.
 */
#include "sequitur/grammar.h"

static int append_one(seq *s, const struct start *start, uint32_t terminal, uint32_t ahead)
{
    uint32_t guard = s->rules[start->rule].guard;
    uint32_t last = s->nodes[guard].prev;

    assert(terminal <= SEQ_TERMINAL_MAX);
    if (seq_room(s) != SEQ_OK)
        return s->status;
    append_symbol(s, guard, terminal);
    s->active = guard;
    s->ahead = s->flags & SEQ_PLAIN ? NO_TERMINAL : ahead;
    if (last == guard)
        return SEQ_OK;
    enqueue(s, last);
    if (s->nodes[s->nodes[last].prev].mark & MARK_POSTPONED)
        enqueue(s, s->nodes[last].prev);
    return restore(s);
}

int exact_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n)
{
    assert(start < s->starts_count);
    struct start *t = &s->starts[start];

    for (size_t i = 0; i < n; i++) {
        if (terminals[i] > SEQ_TERMINAL_MAX)
            return SEQ_E_RANGE;
        if (t->held != NO_TERMINAL && append_one(s, t, t->held, terminals[i]) != SEQ_OK)
            return s->status;
        t->held = terminals[i];
        s->symbols++;
    }
    return SEQ_OK;
}

int exact_finish(seq *s)
{
    for (uint32_t k = 0; k < s->starts_count; k++) {
        struct start *t = &s->starts[k];
        if (t->held != NO_TERMINAL && append_one(s, t, t->held, NO_TERMINAL) != SEQ_OK)
            return s->status;
        t->held = NO_TERMINAL;
    }
    return SEQ_OK;
}
