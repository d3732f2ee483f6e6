/* SPDX-License-Identifier: MIT */
/* sequitur.h - an online SEQUITUR(1) grammar engine.
 *
 * The engine reads a stream of terminal symbols and makes a context-free grammar that derives
 * exactly that stream (Nevill-Manning and Witten 1997; the one-symbol look-ahead is Larus, Whole
 * Program Paths, section 3.2).  Several streams can share one set of rules; each has a start rule
 * of its own.
 *
 * The library does no I/O, keeps no global state and prints nothing.  All memory comes from the
 * caller's allocator.  One `seq` must not be used by two threads at once; different ones may.
 * Equal input gives equal grammars, for any sizes of the pieces of input.
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
    SEQ_E_RANGE = -2,    /* a terminal above SEQ_TERMINAL_MAX, or too many for 32-bit nodes */
    SEQ_E_STATE = -3,    /* append or finish after finish; export, join or reparse before it */
    SEQ_E_BROKEN = -4    /* seq_check() found a violated invariant */
};

/* realloc semantics: p == NULL allocates, size == 0 frees and returns NULL.  old_size is the size
 * with which p was allocated. */
typedef void *seq_realloc(void *ctx, void *p, size_t old_size, size_t size);

struct seq_config {
    size_t size;             /* sizeof(struct seq_config), for later growth */
    seq_realloc *realloc;    /* NULL: the C library's, with huge pages for large blocks */
    void *realloc_ctx;
    uint32_t flags;          /* 0, SEQ_EXACT or SEQ_PLAIN */
    uint64_t memory_max;     /* the limit for seq_is_full(); 0: none */
};
/* Without flags the engine takes shortcuts (docs/sequitur.md): the grammar differs from
 * SEQUITUR(1)'s in places, but has all of its properties. */
#define SEQ_PLAIN 1u         /* SEQUITUR as of 1997, without the look-ahead */
#define SEQ_EXACT 2u         /* SEQUITUR(1) to the letter */

/* Makes an empty grammar.  config may be NULL.  SEQ_OK or SEQ_E_NOMEM. */
int seq_new(seq **out, const struct seq_config *config);
void seq_free(seq *s);

/* Whether the grammar should be finished now.  If not, it may take more than config.memory_max to
 * append 16,384 more terminals and export then.  The limit should be at least 8 MB.  Shortcuts use
 * at most an eighth of it for the input that they look back to. */
bool seq_is_full(const seq *s);

/* Appends n terminals to the stream `start` (0-based; streams below it that do not exist yet are
 * made, empty).  The last terminals may wait inside for the next ones.  Streams share rules, so the
 * order in which their terminals arrive is part of the input.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE
 * (the terminals before one that is too large have been taken), SEQ_E_STATE. */
int seq_append(seq *s, uint32_t start, const uint32_t *terminals, size_t n);

/* Ends the input: appends the terminals that the look-ahead held back.  Afterwards all functions
 * but seq_append and seq_finish are allowed.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE, SEQ_E_STATE. */
int seq_finish(seq *s);

struct seq_grammar;

/* After seq_finish(s): appends the derivation of start rule k of g to that of start rule k of s,
 * for each k.  The result is one grammar with all invariants.  g is numbered as an export is, and
 * stays the caller's.  Rules that are used only once in g are so in the result, until
 * seq_reparse().  Afterwards as after seq_finish.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE,
 * SEQ_E_STATE. */
int seq_join(seq *s, const struct seq_grammar *g);

/* After seq_finish, and afterwards as then: makes another grammar with all invariants that derives
 * the same, mostly in fewer symbols and with a shorter code (docs/sequitur.md, "Parsed anew").
 * Each of about three rounds takes several times as long as appending did, and 24 bytes for each
 * number below that of the largest terminal.  The current round is given up when another thread
 * sets *enough (NULL: none does).  SEQ_OK, SEQ_E_NOMEM (the grammar is unusable, free it),
 * SEQ_E_RANGE, SEQ_E_STATE. */
int seq_reparse(seq *s, unsigned rounds, const bool *enough);

struct seq_stats {
    uint64_t symbols;        /* terminals appended, all streams */
    uint64_t rhs_symbols;    /* symbols on all right-hand sides, start rules included */
    uint32_t rules;          /* live rules, start rules not counted */
    uint32_t starts;
    uint64_t memory;         /* bytes currently held from the allocator */
    uint64_t memory_peak;
    uint64_t history;        /* the most of these that the input read last took */
};
void seq_get_stats(const seq *s, struct seq_stats *out);

/* Checks every invariant: digram uniqueness (overlapping runs like `aaa` excepted), rule utility,
 * bodies of at least two symbols, use counts, expansion lengths, and that the digram table holds
 * exactly the digrams of the grammar.  Allowed at any time.  On SEQ_E_BROKEN a description is in
 * why[0..why_size).  SEQ_OK, SEQ_E_BROKEN, SEQ_E_NOMEM. */
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
/* After seq_finish.  The arrays belong to the caller, who frees them by seq_grammar_free with the
 * same seq.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_STATE. */
int seq_export(const seq *s, struct seq_grammar *out);
void seq_grammar_free(const seq *s, struct seq_grammar *g);
/* After the export, or when no more grammars will be built on this base: frees all other memory.  Then
 * only seq_grammar_free, seq_combiner_new, seq_get_stats and seq_free are allowed. */
void seq_forget(seq *s);

/* ---- Grammars on a base
 *
 * A long input may be cut into parts whose grammars are built at the same time, each by a thread of
 * its own.  The first part's grammar becomes the base; the others use its rules, but do not change
 * them.
 *
 *      first part   seq_new, seq_append ..., seq_end_base     -> piece 0
 *      each other   seq_new_on, seq_append ..., seq_end_piece -> pieces 1, 2, ...
 *      meanwhile    seq_combiner_add, seq_combiner_walk       -> the steps of one grammar of all
 *
 * The result has rule utility, but digrams are unique within each piece only: pieces do not know
 * each other's rules. */

/* The rules of a finished part. */
typedef struct seq_piece seq_piece;

/* Ends the input of s, which has no flags, and makes it a base.  Afterwards only seq_new_on,
 * seq_combiner_new, seq_get_stats, seq_check and seq_free are allowed.  SEQ_OK,
 * SEQ_E_NOMEM, SEQ_E_RANGE, SEQ_E_STATE. */
int seq_end_base(seq *s, seq_piece **out);

/* Makes an empty grammar on a base, which must live as long.  config as for seq_new; its flags must
 * be 0.  Several threads may do this with one base.  Costs a copy of the base's rules.  SEQ_OK,
 * SEQ_E_NOMEM, SEQ_E_STATE (this is no base). */
int seq_new_on(seq **out, const seq *base, const struct seq_config *config);

/* Ends the input of s, which is on a base.  Afterwards only seq_get_stats, seq_check and seq_free
 * are allowed.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE, SEQ_E_STATE. */
int seq_end_piece(seq *s, seq_piece **out);

/* A piece needs neither its grammar nor the base. */
void seq_piece_free(seq_piece *piece);
/* Symbols on its right-hand sides. */
uint64_t seq_piece_symbols(const seq_piece *piece);

/* The steps that build one grammar of all pieces.  Start rule k derives what those of the pieces
 * derive, one after the other.  A rule's body comes before its first use, and rules are numbered as
 * they are reduced.  False from a function ends the walk. */
struct seq_steps {
    void *ctx;
    /* A terminal, or SEQ_RULE | the number of a rule. */
    bool (*symbol)(void *ctx, uint32_t symbol);
    /* The last n symbols, of which `begin` is the first, are the body of the next rule, and the rule
     * comes in their place. */
    bool (*reduce)(void *ctx, uint64_t n, uint32_t begin);
    /* NULL, or told what rules soon come: the number of one in about twelve symbols, and of one in
     * about five; UINT32_MAX: unknown. */
    void (*soon)(void *ctx, uint32_t far, uint32_t near);
};
typedef struct seq_combiner seq_combiner;

/* SEQ_OK, SEQ_E_NOMEM. */
int seq_combiner_new(seq_combiner **out, const seq *base);
void seq_combiner_free(seq_combiner *c);
/* The next piece, which must live as long; the first is the base's.  The time goes with its symbols.
 * After an error only seq_combiner_free is allowed.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE. */
int seq_combiner_add(seq_combiner *c, const seq_piece *piece);
/* The steps of what start rule `start` derives in piece k.  Start rule 0 is walked after each piece, before
 * the next one is added; then start rules 1, 2, ..., each in pieces 0, 1, ...  The time goes with the
 * steps.  False: no memory, or steps returned it; then nothing more may be walked. */
bool seq_combiner_walk(seq_combiner *c, size_t k, uint32_t start, const struct seq_steps *steps);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
