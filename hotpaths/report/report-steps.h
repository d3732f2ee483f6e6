/* SPDX-License-Identifier: MIT */
/* report-steps.h - the paths of a subpath as text, in order.
 *
 *         routine  file:lines  path number  x times (least/mean/most in a row, in the whole run)
 *             line * source text             `*`: executed
 *           -> routine called within the subpath, indented by its depth
 *         x 3 (1/2.5/4):                     what repeats is told once
 *
 * The source of a path is shown where the path first appears in the report, unless one of the same
 * routine with the same lines did before; later steps name the answer that shows it.  In an answer
 * of several subpaths each path has a letter, in front.
 */
#ifndef WPP_REPORT_STEPS_H
#define WPP_REPORT_STEPS_H

#include "hotpaths/report/report-source.h"
#include "hotpaths/report/report.h"

/* Numbers of answers, 0 for none yet. */
struct mention {
    size_t shown;               /* with the terminal's source */
    size_t last;                /* that names the terminal, up to now */
};

/* Lines of a routine that were shown, by hash. */
struct seen_lines {
    uint64_t hash;
    size_t number;              /* of the answer */
};

struct teller {
    const struct report *r;
    const struct shown *shown;  /* the subpath that is told */
    size_t fold;                /* of its folds, how many are told */
    size_t number;              /* of the answer */
    struct mention *mentions;   /* of each terminal */
    struct seen_lines *seen;
    size_t n_seen, seen_size;
    uint32_t *letter;           /* of each terminal, from 1; 0: none.  NULL: there are no letters */
    uint32_t n_letters;
    uint64_t started;           /* the run; UINT64_MAX if unknown */
    struct report_doubts doubts;
};

/* False when there is no memory; steps_end either way. */
bool steps_begin(struct teller *t, const struct report *r);
void steps_end(struct teller *t);

enum { STEP_INDENT = 4 };       /* of the first level of calls; letters stand in it */

/* All steps of a subpath; each path of it once, where it comes first, by its letter; a single one
 * that belongs to none.  False when there is no memory. */
bool steps_put(struct teller *t, const struct shown *shown);
bool steps_put_different(struct teller *t, const struct shown *shown);
bool steps_put_one(struct teller *t, uint32_t terminal);

/* A step's head alone, in the indentation of the first level. */
bool steps_put_head(struct teller *t, uint32_t terminal);

/* 1 is A, 26 Z, 27 AA. */
enum { LETTER_TEXT = 8 };
const char *steps_letter(uint32_t number, char out[static LETTER_TEXT]);

#endif
