/* SPDX-License-Identifier: MIT */
/* common-keys.h - the paths of two runs in words that both share: what fingerprints.h compares.
 *
 *      by path       a key for each path: its routine, and its number there.  Routines have one key
 *                    if they are the same (wpp/profile/same-routine.h), so a routine that was compiled
 *                    to other code has no path in common.  Control words, and paths of modules that
 *                    were not read, are keys too
 *      by line       a key each time that control comes to a line from another one, or round a loop:
 *                    the routine, the calls that were inlined around the line, and the line, counted
 *                    from the routine's own if it is in the same file.  So it does not matter where
 *                    two builds end their paths, nor that a routine has moved
 *      by routine    a key each time that a routine is entered
 *
 * By line and by routine two routines are one if their names are, and the last parts of their files'
 * names.  An ignored routine has no keys, nor has code of it that was inlined elsewhere; what it
 * calls has.  The word Gap is a key in any case.
 */
#ifndef WPP_COMMON_KEYS_H
#define WPP_COMMON_KEYS_H

#include "wpp/compare/fingerprints.h"
#include "wpp/wpp.h"

enum common_by { COMMON_BY_PATH, COMMON_BY_LINE, COMMON_BY_ROUTINE };
enum { SIDE_A, SIDE_B };

/* Where a key stands in the tables of one run, the first place of several. */
struct key_home {
    bool known;                    /* the run has it */
    uint32_t routine;              /* WPP_NO_ROUTINE: of no routine */
    uint32_t terminal;             /* by path, and of no routine; else UINT32_MAX */
    const struct wpp_line *line;   /* by line, or NULL */
};

struct key_side {
    const wpp *w;                  /* the caller's; must outlive the keys */
    uint32_t n_routines;
    uint32_t *routine;             /* by routine: its number among those of both runs */
    bool *ignored;                 /* by routine */
    struct key_strings strings;
    /* By line alone: */
    uint64_t *block;               /* by routine, n_routines + 1: its first block among all */
    uint64_t *line;                /* by block of all, and 1: its first line among all */
    uint32_t *line_key;            /* by line of all; KEY_NONE: it has none */
    bool *goes_on;                 /* by block of all: paths that begin there go on with a line */
};

struct common_keys {
    enum common_by by;
    struct key_side side[2];
    uint32_t n_routines;           /* of both runs */
    uint32_t *routine_of[2];       /* by their numbers: the first of each run, or WPP_NO_ROUTINE */
    uint32_t n;
    struct key_home (*home)[2];    /* by key, of each side */
};

/* `ignore`: names of routines as people write them.  WPP_E_MEMORY.
 * Cost: O(path table + keys of all terminals). */
bool common_keys_new(struct common_keys *out, const wpp *const w[2], enum common_by by,
                     char *const *ignore, size_t n_ignore, struct wpp_error *error);
/* Whether an executed routine, or one that was inlined in it, has that name. */
bool common_keys_name(const wpp *w, const char *asked);
void common_keys_free(struct common_keys *k);

/* By line: adds what `times` executions of a terminal did for each key: how often control came to the
 * line, and its instructions; those of a block are divided equally among its lines. */
void common_keys_add_lines(const struct common_keys *k, unsigned side, uint32_t terminal,
                           double times, double *executions, double *insns);

#endif
