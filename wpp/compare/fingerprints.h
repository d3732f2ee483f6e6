/* SPDX-License-Identifier: MIT */
/* fingerprints.h - the strings of keys that a grammar derives, compared without writing them out.
 *
 * A key says what an event is in words that two files share (common-keys.h).  Each terminal derives
 * a string of keys, perhaps an empty one.  The first key of a string may go on: it is left out
 * behind an equal key.
 *
 *      terminals   p         q              r          s
 *      strings     10 11     (11) 12 11     (empty)    (11)      in brackets: goes on
 *      p q r s     10 11 12 11
 *
 * A rule's string is that of its symbols one behind the other, by this law.  The law is associative,
 * so a rule's fingerprint is made of those of its symbols: the string's length, its first and last
 * key, and its polynomial hash modulo 2^61 - 1.  The hash of any part of a thread's string follows
 * from those of two prefixes.  Two different strings of n keys have the same hash with a chance below
 * n / 2^60, if nobody has made the files for it; the constants are fixed, so that the answer is the
 * same each time.
 */
#ifndef WPP_FINGERPRINTS_H
#define WPP_FINGERPRINTS_H

#include "wpp/wpp.h"

/* Set in a terminal's first key: it goes on.  Keys are below. */
#define KEY_GOES_ON UINT32_C(0x80000000)
#define KEY_NONE UINT32_MAX

/* Terminal t derives key[first[t] .. first[t+1]). */
struct key_strings {
    uint32_t n_terminals;
    uint64_t *first;           /* n_terminals + 1 */
    uint32_t *key;
};

struct fingerprint {
    uint64_t length, hash, power;  /* power: that of the base for `length` */
    uint32_t first, last;          /* keys; first with KEY_GOES_ON; KEY_NONE if empty */
};

/* What precedes a symbol within its right-hand side. */
struct fingerprint_sample {
    struct fingerprint print;
    uint64_t events;
};

struct fingerprints {
    const struct wpp_grammar *g;   /* the caller's, like the keys; they must live on */
    const struct key_strings *keys;
    struct fingerprint *terminal, *rule;   /* start rules included */
    struct fingerprint_sample *sample;     /* of every FINGERPRINT_STEP-th symbol of all rules */
};

enum { FINGERPRINT_STEP = 64 };

/* Keys of a rule, at most. */
#define FINGERPRINT_MOST (UINT64_C(1) << 62)

/* WPP_E_MEMORY; WPP_E_ARGUMENT: a rule has more than FINGERPRINT_MOST keys.  Cost: O(grammar + keys). */
bool fingerprints_new(struct fingerprints *out, const struct wpp_grammar *g,
                      const struct key_strings *keys, struct wpp_error *error);
void fingerprints_free(struct fingerprints *f);

/* In the costs, d is the grammar's depth. */

/* Keys that a thread derives. */
uint64_t fingerprints_length(const struct fingerprints *f, uint32_t thread);
/* The hash of its keys [begin, begin + n), which must exist.  O(d). */
uint64_t fingerprints_hash(const struct fingerprints *f, uint32_t thread, uint64_t begin,
                           uint64_t n);
/* How many keys its first `event` events derive.  O(d). */
uint64_t fingerprints_before(const struct fingerprints *f, uint32_t thread, uint64_t event);

/* A walk over a thread's keys. */
struct key_place { uint64_t next, end; };      /* of the grammar's symbols */

struct key_walk {
    const struct fingerprints *f;
    struct key_place *place;       /* rules that have begun, the start rule first */
    size_t n, room;
    uint32_t before;               /* the last key, or KEY_NONE */
    uint64_t event;                /* the event that derives the next key; the thread's number of
                                      them at the end */
    uint32_t terminal;             /* of that event; UINT32_MAX at the end */
    uint64_t next_key, end_key;    /* in the keys' array: the next one, and the end of its string */
};

/* Begins at key number `key`, which is at most the thread's length.  False: no memory.  O(d). */
bool key_walk_begin(struct key_walk *k, const struct fingerprints *f, uint32_t thread,
                    uint64_t key);
/* Writes up to n keys, and how many to *got: fewer than n only at the end.  False: no memory.  Cost:
 * O(n d), whatever number of events has no keys. */
bool key_walk_read(struct key_walk *k, uint32_t *out, size_t n, size_t *got);
void key_walk_end(struct key_walk *k);

/* ---- Two threads ------------------------------------------------------------------------- */

struct key_thread {
    const struct fingerprints *f;
    uint32_t thread;
};

/* How many keys from number i of a, and j of b, are equal.  O(d log n). */
uint64_t fingerprints_common(const struct key_thread *a, uint64_t i, const struct key_thread *b,
                             uint64_t j);

/* The arithmetic of the hashes, for strings that are in memory. */
uint64_t fingerprint_add_key(uint64_t hash, uint32_t key);
uint64_t fingerprint_power(uint64_t n);
/* The hash of the end of a string: of the whole, of what comes before, and the power of the end's
 * length. */
uint64_t fingerprint_end(uint64_t whole, uint64_t before, uint64_t power);

#endif
