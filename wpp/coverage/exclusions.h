/* SPDX-License-Identifier: MIT */
/* exclusions.h - marks in the sources that leave code out of the coverage, as lcov and gcovr know them.
 *
 *      LCOV_EXCL_LINE                     this line, with its branches
 *      LCOV_EXCL_START, LCOV_EXCL_STOP    the lines from START on, up to the one before STOP
 *      LCOV_EXCL_BR_LINE, ..._BR_START, ..._BR_STOP     their branches alone
 *      LCOV_EXCL_EXCEPTION_BR_LINE, ...                 of these those that exceptions take
 *      GCOVR_EXCL_BR_SOURCE               branches that lead to this line, wherever they are
 *      GCOVR_EXCL_BR_WITHOUT_HIT: 1/2     this line's branches, if 1 of its 2 was not executed
 *      GCOVR_EXCL_FUNCTION                the routine that begins on this line, with all its lines
 *
 * Each may begin with LCOV, GCOV or GCOVR; a STOP ends what began with the same word.  A routine whose
 * first line is excluded is excluded, too: it and its paths count nowhere.
 */
#ifndef WPP_EXCLUSIONS_H
#define WPP_EXCLUSIONS_H

#include "wpp/coverage/coverage.h"
#include "wpp/trace/moved.h"

/* What a person should know. */
struct exclusion_notes {
    uint32_t n_unread;         /* sources that cannot be read: their marks are not known */
    const char *unread;        /* the first of them; the coverage's */
    uint32_t n_open;           /* STARTs without STOP: they reach to the end of their file */
    const char *open;          /* the file of the first of them; the coverage's */
    uint32_t open_line;
    uint32_t n_wrong;          /* marks BR_WITHOUT_HIT with other figures than the run's: they exclude nothing */
    const char *wrong;         /* the file of the first of them; the coverage's */
    uint32_t wrong_line;
    unsigned long missed, all; /* the figures there */
};

/* Reads the sources, where `moved` says, then where they were compiled, and computes the sums anew.
 * False: no memory. */
bool exclusions_apply(struct coverage *c, const struct wpp_moved *moved,
                      struct exclusion_notes *notes);

#endif
