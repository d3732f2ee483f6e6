/* SPDX-License-Identifier: MIT */
/* report-steps.h - the paths of a subpath as text, in order.
 *
 *         routine  file:lines  path number  x times (least/mean/most in a row, in the whole run)
 *             line * source text             `*`: executed
 *           -> routine called within the subpath, indented by its depth
 *         x 3 (1/2.5/4):                     a repetition is shown once
 *
 * The source of a path is shown where the path first appears in the report, unless one of the same
 * routine with the same lines did before; later steps name the answer that shows it.  In an answer
 * of several subpaths each path has a letter, in front.
 */
#ifndef WPP_REPORT_STEPS_H
#define WPP_REPORT_STEPS_H

#include "hotpaths/report/report-source.h"
#include "hotpaths/report/report.h"

/* Numbers of answers; 0: none yet. */
struct mention {
    size_t shown;               /* it shows the terminal's source */
    size_t last;                /* the last one so far that names the terminal */
};

/* Lines of a routine that were shown; identified by a hash. */
struct seen_lines {
    uint64_t hash;
    size_t number;              /* of the answer */
};

struct steps {
    const struct report *r;
    const struct shown *shown;  /* the current subpath */
    size_t fold;                /* how many of its folds have been written */
    size_t number;              /* of the answer */
    struct mention *mentions;   /* of each terminal */
    struct seen_lines *seen;
    size_t n_seen, seen_size;
    uint32_t *letter;           /* of each terminal, from 1; 0: none.  NULL: no letters are used */
    uint32_t n_letters;
    size_t lines, left_out;     /* of the answer's paths: heads and executed lines; how many
                                   are not shown */
    uint64_t started;           /* start of the run; UINT64_MAX if unknown */
    struct report_doubts doubts;
};

/* False: no memory; steps_end either way. */
bool steps_begin(struct steps *t, const struct report *r);
void steps_end(struct steps *t);

enum { STEP_INDENT = 4 };       /* of the first level of calls; it holds the letters */

/* Writes all steps of a subpath.  A path with a letter is written once, where it comes first.
 * False: no memory. */
bool steps_put(struct steps *t, const struct shown *shown);
bool steps_put_different(struct steps *t, const struct shown *shown);
bool steps_put_one(struct steps *t, uint32_t terminal);

/* Whether the answer is long enough already; then counts paths that are left out. */
bool steps_leave_out(struct steps *t, size_t paths);

/* Writes only a step's head, in the indentation of the first level. */
bool steps_put_head(struct steps *t, uint32_t terminal);

/* 1 is A, 26 Z, 27 AA. */
enum { LETTER_TEXT = 8 };
const char *steps_letter(uint32_t number, char out[static LETTER_TEXT]);

#endif
