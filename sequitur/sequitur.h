/* SPDX-License-Identifier: MIT */
/* sequitur.h - an online SEQUITUR(1) grammar engine.
 *
 * A stream of terminal symbols goes in, a context-free grammar that derives
 * exactly that stream comes out (Nevill-Manning and Witten 1997; the
 * one-symbol look-ahead is Larus, Whole Program Paths, section 3.2).
 * Several streams may be built over one shared rule set: each has a start
 * rule of its own.
 *
 * The library does no I/O, keeps no global state and prints nothing.  Every
 * byte comes from the caller's allocator.  One `seq` must not be used by two
 * threads at once; different ones may.  Equal input gives equal grammars,
 * whatever the sizes of the pieces it arrives in.
 */
#ifndef WPP_SEQUITUR_H
#define WPP_SEQUITUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct seq seq;

/* Terminals are 0 .. SEQ_TERMINAL_MAX. */
#define SEQ_TERMINAL_MAX ((UINT32_C(1) << 30) - 1)
/* In exported bodies a symbol with this bit set is a rule, else a terminal. */
#define SEQ_RULE UINT32_C(0x80000000)

enum seq_status {
    SEQ_OK = 0,
    SEQ_E_NOMEM = -1,    /* the allocator returned NULL; the grammar is unusable, free it */
    SEQ_E_RANGE = -2,    /* a terminal above SEQ_TERMINAL_MAX, or too many symbols for 32-bit nodes */
    SEQ_E_STATE = -3,    /* append or finish after finish; export, join or reparse before it */
    SEQ_E_BROKEN = -4    /* seq_check() found a violated invariant */
};

/* realloc semantics: p == NULL allocates, size == 0 frees and returns NULL.
 * old_size is what was asked for when p was made. */
typedef void *seq_realloc(void *ctx, void *p, size_t old_size, size_t size);

struct seq_config {
    size_t size;             /* sizeof(struct seq_config), for later growth */
    seq_realloc *realloc;    /* NULL: the C library's, and huge pages for what is large */
    void *realloc_ctx;
    uint32_t flags;          /* 0, SEQ_EXACT or SEQ_PLAIN */
    uint64_t memory_max;     /* bytes that seq_is_full() goes by; 0: none */
};
/* Without flags the engine takes shortcuts (docs/sequitur.md): the grammar
 * differs from SEQUITUR(1)'s in places, every property of it holds. */
#define SEQ_PLAIN 1u         /* SEQUITUR as of 1997, without the look-ahead */
#define SEQ_EXACT 2u         /* SEQUITUR(1) to the letter */

/* Makes an empty grammar.  config may be NULL.  SEQ_OK or SEQ_E_NOMEM. */
int seq_new(seq **out, const struct seq_config *config);
void seq_free(seq *s);

/* Whether the grammar should come to its end, lest appending 16,384 terminals more, and
 * exporting then, take more than config.memory_max.  That should be 8 MB at least.
 * Shortcuts are content with an eighth of it for the input they look back to. */
bool seq_is_full(const seq *s);

/* Appends n terminals to the stream `start` (0-based; streams below it that
 * do not exist yet come into being empty).  What was appended last may wait
 * inside for what follows; streams share rules, so the order in which their
 * terminals arrive is part of the input.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE
 * (the terminals before one that is too large have been taken),
 * SEQ_E_STATE. */
int seq_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n);

/* No more input: consumes what the look-ahead held back.  Afterwards all but seq_append and
 * seq_finish are allowed.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE, SEQ_E_STATE. */
int seq_finish(seq *s);

struct seq_grammar;

/* After seq_finish(s): puts what start rule k of g derives behind what start rule k of s
 * does, for each k, as one grammar with all invariants.  g, numbered as an export is, stays the
 * caller's; where it has rules that are used only once, so has the grammar, until seq_reparse().
 * Afterwards as after seq_finish.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE, SEQ_E_STATE. */
int seq_join(seq *s, const struct seq_grammar *g);

/* After seq_finish, and afterwards as then: another grammar with all invariants that derives the
 * same, in fewer symbols mostly and whose code is shorter (docs/sequitur.md, "Parsed anew").  Each
 * of some three rounds takes several times as long as appending did, and 24 bytes for each number
 * below that of the largest terminal; that at hand is given up when another thread sets *enough
 * (NULL: none does).  SEQ_OK, SEQ_E_NOMEM (the grammar is unusable, free
 * it), SEQ_E_RANGE, SEQ_E_STATE. */
int seq_reparse(seq *s, unsigned rounds, const bool *enough);

struct seq_stats {
    uint64_t symbols;        /* terminals appended, all streams */
    uint64_t rhs_symbols;    /* symbols on all right-hand sides, start rules included */
    uint32_t rules;          /* live rules, start rules not counted */
    uint32_t starts;
    uint64_t memory;         /* bytes now held from the allocator */
    uint64_t memory_peak;
    uint64_t history;        /* of these, what the input read last took at most */
};
void seq_get_stats(const seq *s, struct seq_stats *out);

/* Checks every invariant: digram uniqueness (overlapping runs like `aaa`
 * excepted), rule utility, bodies of at least two symbols, use counts,
 * expansion lengths, and that the digram table holds exactly the digrams of
 * the grammar.  At any time.  On SEQ_E_BROKEN a description is in why[0..why_size).  SEQ_OK,
 * SEQ_E_BROKEN, SEQ_E_NOMEM. */
int seq_check(const seq *s, char *why, size_t why_size);

/* A flat grammar.  Rules are numbered in the order in which their first use
 * ends in a left-to-right walk of the start rules 0, 1, ...: a rule's body
 * uses only rules with smaller numbers.  The body of rule r is
 * symbols[body[r] .. body[r+1]); start rule k is rule number rules + k. */
struct seq_grammar {
    uint32_t rules;          /* start rules not counted */
    uint32_t starts;
    uint64_t *body;          /* rules + starts + 1 offsets into symbols */
    uint32_t *symbols;       /* terminal, or SEQ_RULE | rule number */
    uint64_t *length;        /* rules + starts: terminals each derives */
};
/* After seq_finish.  The arrays belong to the caller: seq_grammar_free with
 * the same seq.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_STATE. */
int seq_export(const seq *s, struct seq_grammar *out);
void seq_grammar_free(const seq *s, struct seq_grammar *g);
/* After the export: gives back all other memory.  Then only seq_grammar_free, seq_get_stats
 * and seq_free are allowed. */
void seq_forget(seq *s);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
