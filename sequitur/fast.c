/* SPDX-License-Identifier: MIT */
/* fast.c - appending with shortcuts.
 *
 * The algorithm is that of exact.c with three changes.  They break no invariant, because each ends
 * in the rewrites that exact.c uses too:
 *
 *   jump        instead of the next terminal, the longest known rule that derives the next
 *               terminals is appended (jumps.h);
 *   long match  when the digram at the end has a twin, the symbols behind the twin that derive
 *               the unread input join it: one rule is made for all of them, not one for each
 *               symbol in turn;
 *   lazy end    the digram at the end stays unsettled (neither looked up nor present) until it
 *               is known that its second symbol and the next one are not the whole body of a
 *               rule.  This is Larus' look-ahead; it costs one search where a chain of rules
 *               is climbed.
 *
 * A stream is cut into blocks of BLOCK terminals.  No shortcut looks past the end of a block, and
 * each block is settled completely.  So nothing depends on the sizes of the pieces in which the
 * input arrives.  The last terminals of a block may wait for the next one if a rule continues
 * there.
 */
#include "sequitur/digrams.h"
#include "sequitur/history.h"
#include "sequitur/jumps.h"
#include "sequitur/runs.h"

#include <string.h>

/* Jumps are tried only while there is credit.  Repeated input earns credit by its length; each
 * terminal that is not repeated costs one.  So a stream that is not predictable pays for few
 * searches.  A stream of a grammar on a base begins with all of it: the base may know its
 * beginning. */
#ifdef WPP_HOSTILE
enum { CREDIT_MAX = FAST_CREDIT, CREDIT_EARNED = 1 };
#else
enum { CREDIT_MAX = FAST_CREDIT, CREDIT_EARNED = 4 };
#endif

/* The position in the input at which the end of the active start rule is. */
struct cursor {
    const struct start *start;
    uint32_t guard;
    uint32_t absent;         /* the digram at this node is known to have no twin; or 0 */
    uint64_t at;             /* position of the first unread terminal */
    uint64_t end;            /* end of the block */
    uint64_t last;           /* the length of the symbol appended last */
    uint32_t credit;
    struct outlook outlooks[2];
    struct outlook *here;    /* of `at`, if its position is that */
    struct outlook *ahead;   /* of the next position of `at` */
};

int fast_new(seq *s)
{
    s->vectors = vectors_best();
    int status = history_new(s);

    if (status == SEQ_OK)
        status = jumps_new(s);
    return status == SEQ_OK ? runs_new(s) : status;
}

void fast_free(seq *s)
{
    runs_free(s);
    jumps_free(s);
    history_free(s);
}

uint64_t fast_memory(const seq *s)
{
    return s->history ? history_bytes(s) + jumps_bytes(s) : 0;
}

uint64_t fast_memory_max(const seq *s)
{
    return s->history ? s->history->most * sizeof *s->history->ring
                            + s->jumps->most * sizeof *s->jumps->table : 0;
}

uint64_t fast_spelling(const seq *s)
{
    return s->runs ? runs_spelling(s) : 0;
}

uint64_t fast_growth(const seq *s, uint32_t n)
{
    return s->runs ? runs_growth(s, n) : 0;
}

static void swap_outlooks(struct cursor *c)
{
    struct outlook *here = c->here;

    c->here = c->ahead;
    c->ahead = here;
}

static void earn(struct cursor *c, uint64_t length)
{
    uint64_t credit = c->credit + (length - 1) * CREDIT_EARNED;

    c->credit = credit < CREDIT_MAX ? (uint32_t)credit : CREDIT_MAX;
}

/* Chooses the symbol to append next. */
static uint32_t next_symbol(const seq *s, struct cursor *c)
{
    assert(c->at < c->end);
    if (!c->credit)
        return *history_at(s, c->at);
    if (c->here->position != c->at)
        swap_outlooks(c);
    if (c->here->position != c->at)
        outlook_look(s, c->here, c->at, c->end - c->at, c->last);
    uint32_t r = outlook_jump(s, c->here);

    return r ? VALUE_RULE | r : *history_at(s, c->at);
}

/* Whether `value` is still the choice of next_symbol(). */
static bool still_next(const seq *s, const struct cursor *c, uint32_t value)
{
    return !is_rule(value)
        || (s->rules[rule_of(value)].guard && length_of(s, value) == c->last
            && derives_input(s, value, history_at(s, c->at)));
}

/* Always inline: gcc takes a function that only prefetches for one without effect and drops its
 * calls. */
#define FETCH __attribute__((always_inline)) static inline void

FETCH fetch_slot(const seq *s, uint32_t a, uint32_t b)
{
    __builtin_prefetch(digrams_slot(s, a, b));
}

enum { TERMINALS_AHEAD = 8, SLOTS_A_LINE = 8 };

/* A cluster that begins in one line of memory often continues on the next. */
FETCH fetch_slots(const seq *s, uint32_t a, uint32_t b)
{
    const uint64_t *slot = digrams_slot(s, a, b);

    __builtin_prefetch(slot);
    __builtin_prefetch(slot + SLOTS_A_LINE);
}

/* Prefetches the memory that this step, which appends `value`, and the next two will need.  The
 * guess of the next step tells where the step after it begins. */
static void look_ahead(const seq *s, struct cursor *c, uint32_t value)
{
    uint32_t last = s->nodes[c->guard].prev;

    c->last = length_of(s, value);
    fetch_slot(s, s->nodes[s->nodes[last].prev].value, s->nodes[last].value);
    fetch_slot(s, s->nodes[last].value, value);
    if (!is_rule(value) && c->end - c->at > TERMINALS_AHEAD + 1) {
        /* While single terminals follow each other, their digrams are known long before. */
        const uint32_t *later = history_at(s, c->at + TERMINALS_AHEAD);
        fetch_slots(s, later[0], later[1]);
    }
    if (!c->credit)
        return;
    struct outlook *ahead = c->ahead;
    uint64_t next = c->at + c->last;
    if (ahead->position != next)
        outlook_look(s, ahead, next, c->end - next, c->last);
    outlook_guess(s, ahead);
    if (ahead->guess)
        fetch_slot(s, value, VALUE_RULE | ahead->guess);
    if (ahead->length && ahead->length < ahead->n)
        outlook_look(s, c->here, next + ahead->length, ahead->n - ahead->length, ahead->length);
    swap_outlooks(c);
}

/* Walks over the symbols behind the digram at `twin` that derive the unread input, at most up to
 * the digram at w.  Advances the cursor; returns the last of these symbols. */
static uint32_t longest_run(const seq *s, struct cursor *c, uint32_t twin, uint32_t w)
{
    uint32_t last = s->nodes[twin].next;

    for (uint32_t n = s->nodes[last].next; n != w && !ends_body(s, n); n = s->nodes[n].next) {
        uint32_t value = s->nodes[n].value;
        uint64_t length = length_of(s, value);
        if (length > c->end - c->at || !derives_input(s, value, history_at(s, c->at)))
            break;
        c->at += length;
        last = n;
    }
    return last;
}

/* The rule whose whole body is first..last, or 0. */
static uint32_t rule_of_run(const seq *s, uint32_t first, uint32_t last)
{
    uint32_t value = s->nodes[s->nodes[first].prev].value;
    bool whole = is_guard(value) && !is_start_guard(value)
              && s->nodes[s->nodes[last].next].value == value;

    return whole ? rule_of(value) : 0;
}

/* Rule r has been put at the end of the start rule; dissolves the rules that this requires. */
static int end_with(seq *s, struct cursor *c, uint32_t r)
{
    if (history_saw(s, c->start, r, c->at))
        jumps_learn(s, r);
    c->absent = 0;
    earn(c, s->rules[r].length);
    dissolve_beginning(s, r);
    return restore(s);
}

/* Adds the input from `from` to the cursor to the length of the start rule. */
static void lengthen(seq *s, const struct cursor *c, uint64_t from)
{
    assert(c->at >= from && c->at <= c->end);
    s->rules[rule_of(s->nodes[c->guard].value)].length += c->at - from;
}

/* Looks up the unsettled digram at w.  *changed: whether that changed the end of the start rule. */
static int settle(seq *s, struct cursor *c, uint32_t w, bool *changed)
{
    bool overlaps = false;

    assert(s->nodes[w].mark == MARK_UNSETTLED);
    s->nodes[w].mark = 0;
    uint32_t twin = w == c->absent ? 0 : find_twin(s, w, &overlaps);
    *changed = twin != 0;
    if (!twin) {
        if (!overlaps)
            digrams_insert(s, w);
        return SEQ_OK;
    }
    take_over(s, twin);
    uint64_t before = c->at;
    uint32_t last = longest_run(s, c, twin, w);
    lengthen(s, c, before);
    uint32_t r = rule_of_run(s, twin, last);
    if (!r)
        r = extract_rule(s, twin, last);
    replace_pair(s, w, r);
    return end_with(s, c, r);
}

/* The node of the unsettled digram at the end, or 0. */
static uint32_t unsettled(const seq *s, uint32_t guard)
{
    uint32_t n = s->nodes[s->nodes[guard].prev].prev;

    return s->nodes[n].mark == MARK_UNSETTLED ? n : 0;
}

/* The last symbol of the start rule and `value` are the whole body of r: r replaces them. */
static int climb(seq *s, struct cursor *c, uint32_t value, uint32_t r)
{
    uint64_t before = c->at;

    c->at += length_of(s, value);
    lengthen(s, c, before);
    replace_end(s, s->nodes[c->guard].prev, r);
    return end_with(s, c, r);
}

/* Appends `value`; `twin` is the twin of the digram that it completes, or 0. */
static void append(seq *s, struct cursor *c, uint32_t value, uint32_t twin)
{
    uint32_t n = append_symbol(s, c->guard, value);
    uint32_t before = s->nodes[n].prev;

    c->at += length_of(s, value);
    assert(c->at <= c->end);
    if (is_rule(value)) {
        history_saw(s, c->start, rule_of(value), c->at);
        earn(c, length_of(s, value));
    } else if (c->credit) {
        c->credit--;
    }
    c->absent = 0;
    if (before == c->guard)
        return;
    s->nodes[before].mark = MARK_UNSETTLED;
    /* Since that search the digram to the left has become present.  It is equal if both lie in one
     * run. */
    if (!twin && s->nodes[before].value != value)
        c->absent = before;
}

/* Appends one symbol, after settling the end as far as required. */
static int append_next(seq *s, struct cursor *c)
{
    uint32_t value = next_symbol(s, c);

    look_ahead(s, c, value);
    for (;;) {
        if (seq_room(s) != SEQ_OK || jumps_room(s) != SEQ_OK)
            return s->status;
        uint32_t last = s->nodes[c->guard].prev;
        uint32_t twin = last == c->guard ? 0 : digrams_find(s, s->nodes[last].value, value);
        if (twin && s->nodes[twin].whole)
            return climb(s, c, value, s->nodes[twin].whole);
        uint64_t at = c->at;
        uint32_t w = unsettled(s, c->guard);
        bool changed = false;
        if (w && settle(s, c, w, &changed) != SEQ_OK)
            return s->status;
        if (!changed) {
            if (c->credit)
                outlook_fetch(s, c->here);
            append(s, c, value, twin);
            return SEQ_OK;
        }
        if (c->at == c->end)
            return SEQ_OK;
        if (c->at != at || !still_next(s, c, value))
            value = next_symbol(s, c);
    }
}

/* The digrams of terminals are prefetched this far ahead. */
enum { DIGRAMS_AHEAD = 16 };

/* Appends new terminals until a digram may have a twin.  This is all that append_next() does while
 * terminals follow each other without any known rule.
 *
 * Before and after, the digram at the end is unsettled and has no twin.  A digram becomes present
 * as soon as it is known to have no twin, not when the next one is known: one search finds its
 * slot. */
static int append_new(seq *s, struct cursor *c)
{
    const uint32_t *in = history_at(s, c->at);
    const uint32_t *end = in + (c->end - c->at);
    uint32_t last = s->nodes[c->guard].prev;
    uint32_t before = s->nodes[last].value;
    const uint32_t *begin = in;

    assert(s->nodes[c->absent].mark == MARK_UNSETTLED && s->nodes[c->absent].next == last);
    for (const uint32_t *p = in; p < end && p < in + DIGRAMS_AHEAD; p++)
        fetch_slots(s, p == in ? before : p[-1], *p);
    if (is_rule(*in) || !digrams_vacancy(s, digram_tag(before, *in)))
        return SEQ_OK;
    s->nodes[c->absent].mark = 0;
    digrams_insert(s, c->absent);
    for (; in < end && !is_rule(*in); before = *in++) {
        if (end - in > DIGRAMS_AHEAD)
            fetch_slots(s, in[DIGRAMS_AHEAD - 1], in[DIGRAMS_AHEAD]);
        if (seq_room(s) != SEQ_OK)
            return s->status;
        uint64_t tag = digram_tag(before, *in);
        uint64_t *slot = digrams_vacancy(s, tag);
        if (!slot)
            break;
        uint32_t n = node_new(s, *in);
        link_nodes(s, last, n);
        digrams_put(s, slot, tag << 32 | last);
        last = n;
    }
    link_nodes(s, last, c->guard);
    c->absent = s->nodes[last].prev;
    digrams_remove(s, c->absent);
    s->nodes[c->absent].mark = MARK_UNSETTLED;
    uint64_t from = c->at;
    c->at += (uint64_t)(in - begin);
    c->last = 1;
    lengthen(s, c, from);
    return SEQ_OK;
}

/* Whether a rule continues behind the end of the block, so near to the end that the remaining
 * terminals can wait for the next block. */
static bool should_wait(const seq *s, struct cursor *c)
{
    if (!c->credit || c->end - c->at > UNREAD_MAX)
        return false;
    if (c->here->position != c->at)
        swap_outlooks(c);
    if (c->here->position != c->at)
        outlook_look(s, c->here, c->at, c->end - c->at, c->last);
    return outlook_is_cut(s, c->here);
}

/* Appends the terminals from..end - 1 of the history.  If `may_wait`, the last t->unread of them
 * may remain. */
static int append_between(seq *s, struct start *t, uint64_t from, uint64_t end, bool may_wait)
{
    struct cursor c = {.start = t, .guard = s->rules[t->rule].guard, .credit = t->credit};
    int status = SEQ_OK;

    assert(from <= end && end - from <= BLOCK + UNREAD_MAX);
    c.outlooks[0].position = c.outlooks[1].position = NO_POSITION;
    c.here = &c.outlooks[0];
    c.ahead = &c.outlooks[1];
    c.at = from;
    c.end = end;
    s->active = c.guard;
    s->lazy = true;
    while (status == SEQ_OK && c.at < c.end && !(may_wait && should_wait(s, &c))) {
        if (!c.credit && c.absent)
            status = append_new(s, &c);
        if (status == SEQ_OK && c.at < c.end)
            status = append_next(s, &c);
    }
    assert(status != SEQ_OK || c.end - c.at <= (may_wait ? UNREAD_MAX : 0));
    t->credit = c.credit;
    t->unread = (uint32_t)(c.end - c.at);
    s->history->waiting = t->unread ? (uint32_t)(t - s->starts) + 1 : 0;
    s->lazy = false;
    uint32_t w = unsettled(s, c.guard);
    if (status == SEQ_OK && w) {
        enqueue(s, w);
        status = restore(s);
    }
    return status;
}

/* Appends the waiting terminals, if any. */
static int append_waiting(seq *s)
{
    if (!s->history->waiting)
        return SEQ_OK;
    assert(s->history->waiting <= s->starts_count);
    struct start *t = &s->starts[s->history->waiting - 1];
    assert(t->unread > 0 && t->unread <= t->piece_end - t->piece_begin);
    history_yield(s);
    return append_between(s, t, t->piece_end - t->unread, t->piece_end, false);
}

/* Appends the next block of a stream, the last one unless `may_wait`. */
static int append_block(seq *s, struct start *t, size_t n, bool may_wait)
{
    uint64_t from;
    int status = SEQ_OK;

    if (s->history->waiting != (uint32_t)(t - s->starts) + 1 || !history_goes_on(s, t))
        status = append_waiting(s);
    if (status == SEQ_OK)
        status = history_add(s, t, n, &from);
    if (status != SEQ_OK)
        return status;
    assert(t->unread <= from - t->piece_begin);
    return append_between(s, t, from - t->unread, from + n, may_wait);
}

static int flush(seq *s, struct start *t, bool may_wait)
{
    size_t n = t->staged_count;

    t->staged_count = 0;
    return n ? append_block(s, t, n, may_wait) : SEQ_OK;
}

/* Makes room to stage n more symbols and the run before them. */
static int stage_room(seq *s, struct start *t, size_t n)
{
    uint64_t need = t->staged_count + (uint64_t)n + 1;
    int status = t->staged_count == 0 && !history_is_lent(s, t) ? history_lend(s, t) : SEQ_OK;

    if (need > BLOCK)
        need = BLOCK;
    if (status != SEQ_OK || history_is_lent(s, t) || need <= t->own_size)
        return status;
    status = seq_grow(s, (void **)&t->own, &t->own_size, sizeof *t->own, need, BLOCK);
    t->staged = t->own;
    return status;
}

static int append_pieces(seq *s, struct start *t, const uint32_t *terminals, size_t n)
{
    while (n) {
        size_t joined = 0;
        s->status = stage_room(s, t, n);
        if (s->status == SEQ_OK)
            joined = runs_join(s, t, terminals, n, BLOCK);
        if (s->status == SEQ_OK && t->staged_count == BLOCK)
            s->status = flush(s, t, true);
        if (s->status != SEQ_OK)
            return s->status;
        assert(joined <= n && t->staged_count <= BLOCK);
        s->symbols += joined;
        terminals += joined;
        n -= joined;
        if (n && *terminals > SEQ_TERMINAL_MAX)
            return SEQ_E_RANGE;
    }
    return SEQ_OK;
}

int fast_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n)
{
    assert(start < s->starts_count);
    struct start *t = &s->starts[start];
    uint32_t before = t->staged_count;
    int status = append_pieces(s, t, terminals, n);

    s->staged = s->staged - before + t->staged_count;
    return status;
}

static int end_stream(seq *s, struct start *t)
{
    int status = t->times ? stage_room(s, t, 0) : SEQ_OK;

    if (status == SEQ_OK)
        status = runs_end(s, t);
    return status == SEQ_OK ? flush(s, t, false) : status;
}

int fast_end(seq *s)
{
    for (uint32_t k = 0; k < s->starts_count; k++) {
        int status = end_stream(s, &s->starts[k]);
        if (status != SEQ_OK)
            return status;
    }
    return append_waiting(s);
}

int fast_finish(seq *s)
{
    int status = fast_end(s);

    if (status != SEQ_OK)
        return status;
    jumps_free(s);
    history_free(s);
    status = runs_spell(s);
    runs_free(s);
    return status;
}
