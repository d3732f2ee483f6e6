/* SPDX-License-Identifier: MIT */
/* grammar.h - the engine's data: symbols, rules, starts.  Private.
 *
 *   rules[r]           guard of r                 the body, a ring of nodes
 *   +--------+        +-----------+     +-----------+     +-----------+
 *   | guard  |------->| GUARD | r |<--->| terminal  |<--->| RULE | q  |<--> (guard)
 *   | count  |        +-----------+     +-----------+     +-----------+
 *   | length |
 *   | at     |        digram at a node = (its value, the value of its successor)
 *   +--------+
 *
 * Nodes and rules are numbers into arenas, so an arena may move as it grows.  Number 0 is unused in
 * both.  A start rule is a rule whose guard has the value START.
 *
 * Invariants, which seq_check() tests:
 *   G1  every live node is in exactly one ring; next and prev agree;
 *   G2  rules[r].count is the number of nodes with value RULE|r; it is at
 *       least 2, and 0 for a start rule;
 *   G3  a body has at least 2 symbols, a start rule's any number;
 *   G4  rules[r].length is the number of terminals r derives (with shortcuts: of the
 *       symbols of the joined stream, runs.h, and only while input may come);
 *   G5  a digram whose node has no mark is *present*.  No two present
 *       digrams are equal unless they overlap (the two of `aaa`);
 *   G6  the digram table holds one node for each present digram, no others;
 *   G7  node.whole and rule.first repeat facts about the ring, which save a
 *       walk through it; they are not maintained for start rules;
 *   G8  between calls the only mark is POSTPONED, on the last digram of a
 *       start rule.
 */
#ifndef SEQUITUR_GRAMMAR_H
#define SEQUITUR_GRAMMAR_H

#include "sequitur/sequitur.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node's value: a terminal, or one of these with a rule's number. */
#define VALUE_RULE  UINT32_C(0x80000000)
#define VALUE_GUARD UINT32_C(0xC0000000)
#define VALUE_START UINT32_C(0xE0000000)
#define VALUE_FREE  UINT32_C(0xFFFFFFFF)
#define VALUE_BITS  UINT32_C(0x1FFFFFFF)         /* bits of the rule's number */
#define RULE_MAX    (VALUE_BITS - 1)
#define NODE_MAX    (UINT32_MAX - 1)

/* Why a digram is not present. */
enum mark {
    MARK_QUEUED = 1,         /* it waits in the queue to be checked */
    MARK_POSTPONED = 2,      /* the look-ahead found a rule that will take its second symbol */
    MARK_UNSETTLED = 4       /* the lazy end (fast.c) has not looked it up yet */
};

struct node {
    uint32_t value;
    uint32_t prev;
    uint32_t next;           /* of a free node: the next free one */
    uint32_t mark : 3;
    uint32_t whole : 29;     /* the rule whose whole body is the digram here, or 0 */
};

#define AT_UNKNOWN UINT64_MAX

struct rule {
    uint32_t guard;          /* 0: the number is free */
    uint32_t count;          /* of a free one: the next free number */
    uint64_t length;
    uint64_t at;             /* its last position in the history, or AT_UNKNOWN */
    uint32_t first;          /* the value of its first symbol; 0 while it has none */
    uint32_t run;            /* the number of its run (runs.h); 0: none */
};

#define NO_TERMINAL UINT32_MAX

struct start {
    uint32_t rule;
    uint32_t held;           /* exact: read, not yet appended; NO_TERMINAL if none */
    uint32_t *staged;        /* fast: its next block so far: in the history's ring, or */
    uint32_t *own;           /* ... here */
    uint32_t staged_count;
    uint32_t own_size;
    uint32_t unread;         /* fast: how many terminals of its last block are read with the next */
    uint32_t credit;         /* fast: see fast.c */
    uint32_t last;           /* fast: the terminal read last */
    uint64_t times;          /* fast: how often that was read in a row */
    uint64_t piece_begin;    /* fast: a contiguous part of the stream in the history begins here */
    uint64_t piece_end;      /* ... and ends here */
};

/* The digram table: sorted 64-bit slots tag<<32|node with gaps (digrams.h). */
struct digrams {
    uint64_t *slots;
    uint64_t homes;          /* a tag's home is tag * homes >> 32 */
    uint64_t spill;          /* slots behind the last home */
    uint64_t used;
    uint64_t limit;          /* digrams_room() is called before used exceeds it */
    const uint64_t *watch;   /* ... and when this slot is taken: a cluster may need the slots
                                behind it */
    uint64_t frontier;       /* growing: tags below it have not moved yet; 0: not growing */
    uint64_t old_homes;      /* ... their homes are tag * old_homes >> 32 */
    uint64_t old_end;        /* ... and they lie below this slot, apart from those added since */
    uint64_t raw[2];         /* ... the slots from raw[0] to raw[1] have never been written */
};

struct history;
struct jumps;
struct runs;
struct vectors;

struct seq {
    struct node *nodes;
    uint32_t nodes_size;
    uint32_t nodes_used;     /* numbers below it have been given out */
    uint32_t nodes_free;     /* list */
    uint32_t nodes_live;

    struct rule *rules;
    uint32_t rules_size;
    uint32_t rules_used;
    uint32_t rules_free;     /* list */
    uint32_t rules_live;     /* not counting start rules */
    uint32_t newest;         /* the rule made last, and its uses: hints */
    uint32_t newest_use[2];

    struct digrams digrams;

    uint32_t *queue;         /* digrams to check, oldest first */
    uint32_t queue_head;
    uint32_t queue_tail;
    uint32_t queue_size;

    uint32_t *equals;        /* while a whole grammar is restored: digrams of rules that are
                                equal to others (equal-rules.c) */
    uint32_t equals_count;
    uint32_t equals_size;
    bool bulk;               /* ... and that is so now */

    struct start *starts;
    uint32_t starts_count;
    uint32_t starts_size;

    uint32_t active;         /* guard of the start rule that is being extended */
    uint32_t ahead;          /* exact: the next terminal of that stream, or NO_TERMINAL */

    struct history *history; /* fast only */
    struct jumps *jumps;     /* fast only */
    struct runs *runs;       /* fast only, while input may come */
    const struct vectors *vectors;   /* fast only */
    bool lazy;               /* fast: do not check the digram at the end of the active start rule */

    uint32_t base_rules;     /* rules below it are the base's (base.h); 0: there is none */
    uint32_t base_live;      /* how many of them live */
    uint32_t base_symbols;   /* on their right-hand sides that are here */
    const seq *base;
    uint32_t *numbers;       /* a base: by rule, its symbol in the piece (pieces.h) */
    uint32_t base_numbered;  /* a base: how many rules its piece has */
    bool ended;              /* a base or a piece that takes no more terminals; runs have no
                                bodies */

    uint32_t flags;
    uint64_t memory_max;     /* 0: none */
    bool finished;
    int status;              /* the first error sticks */
    uint64_t symbols;
    uint64_t staged;         /* fast: the sum of the streams' staged_count */
    uint64_t memory;
    uint64_t memory_peak;
    uint64_t memory_history;
    seq_realloc *realloc;
    void *realloc_ctx;
};

static inline bool is_fast(const seq *s)
{
    return !(s->flags & (SEQ_EXACT | SEQ_PLAIN));
}
static inline bool is_rule(uint32_t value)
{
    return (value & VALUE_GUARD) == VALUE_RULE;
}
static inline bool is_guard(uint32_t value)
{
    return (value & VALUE_GUARD) == VALUE_GUARD;
}
static inline bool is_start_guard(uint32_t value)
{
    return (value & VALUE_START) == VALUE_START;
}
/* The rule a symbol or guard names. */
static inline uint32_t rule_of(uint32_t value)
{
    return value & VALUE_BITS;
}
static inline uint64_t length_of(const seq *s, uint32_t value)
{
    return is_rule(value) ? s->rules[rule_of(value)].length : 1;
}
static inline bool ends_body(const seq *s, uint32_t n)
{
    return is_guard(s->nodes[n].value);
}

/* ---- node-arena.c ----------------------------------------------------------- */

/* The most that one step needs.  seq_room() provides it before the step begins, so that nothing
 * inside a step can fail.  (One rule is enough.) */
enum { STEP_NODES = 4, STEP_DIGRAMS = 16, STEP_QUEUE = 16 };

/* Makes room for one step.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int seq_room_slow(seq *s);
static inline int seq_room(seq *s)
{
    if (s->nodes_size - s->nodes_live > STEP_NODES
        && (s->rules_free || s->rules_size > s->rules_used)
        && s->digrams.used + STEP_DIGRAMS <= s->digrams.limit && *s->digrams.watch == UINT64_MAX
        && s->queue_size - s->queue_tail >= STEP_QUEUE)
        return SEQ_OK;
    return seq_room_slow(s);
}

uint32_t node_new(seq *s, uint32_t value);
void node_free(seq *s, uint32_t n);
/* An empty rule; guard_kind is VALUE_GUARD or VALUE_START. */
uint32_t rule_new(seq *s, uint32_t guard_kind);
/* Its body must have been moved elsewhere. */
void rule_free(seq *s, uint32_t r);

static inline void link_nodes(seq *s, uint32_t left, uint32_t right)
{
    assert(left != 0 && right != 0);
    s->nodes[left].next = right;
    s->nodes[right].prev = left;
}

/* ---- memory.c, pages.c --------------------------------------------------------- */

/* The default allocator (pages.c). */
seq_realloc seq_pages;

/* Calls the caller's allocator and counts the bytes.  NULL when it fails or for size 0. */
void *seq_memory(seq *s, void *p, size_t old_size, size_t size);

/* Grows an array of *size elements of `each` bytes to at least need, at most
 * max.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int seq_grow(seq *s, void **array, uint32_t *size, size_t each, uint64_t need, uint64_t max);
/* By how many elements an array of `size` elements grows at least. */
uint64_t seq_growth(uint64_t size, size_t each);

/* ---- engine.c --------------------------------------------------------------- */

/* Makes all streams up to `start` that do not exist yet.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int seq_open_starts(seq *s, uint32_t start);

/* After seq_forget(): makes an empty grammar again, exact and finished.  SEQ_OK, SEQ_E_NOMEM. */
int seq_begin_anew(seq *s);

/* ---- export.c -------------------------------------------------------------- */

/* Bytes that seq_export() allocates, for its result and for its own arrays. */
uint64_t seq_export_size(const seq *s);
/* The arrays of a grammar with so many bodies and symbols on them.  SEQ_OK, SEQ_E_NOMEM. */
int grammar_new(const seq *s, struct seq_grammar *g, uint64_t bodies, uint64_t symbols);
void grammar_free(const seq *s, struct seq_grammar *g, uint64_t bodies, uint64_t symbols);

/* ---- rewrite.c -------------------------------------------------------------- */

/* Queues the digram at n for restore(). */
void enqueue(seq *s, uint32_t n);
/* Checks queued digrams until the queue is empty: then both properties hold again.  SEQ_OK,
 * SEQ_E_NOMEM, SEQ_E_RANGE. */
int restore(seq *s);
/* Makes the symbol at n, a use of some rule, a use of r. */
void rename_use(seq *s, uint32_t n, uint32_t r);
/* Frees rule q, which has no uses and two symbols. */
void free_pair(seq *s, uint32_t q);
/* Replaces the symbol at n, the last of the active start rule, and the symbol that was to follow it
 * by r.  The digram that ends with r stays unsettled. */
void replace_end(seq *s, uint32_t n, uint32_t r);
/* The present digram that is equal to the one at w and does not overlap it, or 0. */
uint32_t find_twin(const seq *s, uint32_t w, bool *overlaps);
/* Moves the symbols first..last of a body into a new rule, and puts a symbol for the rule in their
 * place.  Returns the rule. */
uint32_t extract_rule(seq *s, uint32_t first, uint32_t last);
/* Replaces the digram at n, which must not be present, by rule r. */
void replace_pair(seq *s, uint32_t n, uint32_t r);
/* The first two symbols of r each lost a use to it.  Dissolves each that has a single use left,
 * which is in r. */
void dissolve_beginning(seq *s, uint32_t r);
/* If the symbol at n is the last use of its rule, replaces it by the rule's body. */
void dissolve_if_single(seq *s, uint32_t n);
/* Moves the table's entry for the digram that is equal to the one at n to n. */
void take_over(seq *s, uint32_t n);
/* Appends a symbol to the body that ends at `guard`.  Returns its node. */
uint32_t append_symbol(seq *s, uint32_t guard, uint32_t value);

/* ---- equal-rules.c ----------------------------------------------------------------- */

/* As restore(), for the digrams of a whole grammar.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int restore_all(seq *s);
/* Notes that the rule whose body is the digram at w is equal to another one. */
int note_equal(seq *s, uint32_t w);

/* ---- exact.c, fast.c: the two ways to append to a stream --------------------- */

int exact_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n);
int exact_finish(seq *s);
/* The most credit for jumps (fast.c). */
#ifdef WPP_HOSTILE
enum { FAST_CREDIT = 6 };
#else
enum { FAST_CREDIT = 4096 };
#endif
/* Bytes of history and jumps, and their maximum. */
uint64_t fast_memory(const seq *s);
uint64_t fast_memory_max(const seq *s);
/* The most bytes that the runs' bodies will take, with their export; and the most by which the
 * table of runs may grow with the next n symbols. */
uint64_t fast_spelling(const seq *s);
uint64_t fast_growth(const seq *s, uint32_t n);
int fast_new(seq *s);
void fast_free(seq *s);
int fast_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n);
/* Appends all that waits.  Runs have no bodies yet. */
int fast_end(seq *s);
int fast_finish(seq *s);

#endif
