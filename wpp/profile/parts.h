/* SPDX-License-Identifier: MIT */
/* parts.h - the parts of a program that a profile has rows for: routines, the functions that the
 * compiler inlined, loops; what each cost itself, and with all that it called.
 *
 * A part is a set of blocks.  An inlined function need not be whole blocks: where a block has lines
 * of several functions, its instructions are those of its lines in equal parts, and its last line makes
 * the calls that end it.  What was inlined into an inlined function is part of both.
 *
 *      routine f      block 2 [ f.c:3 ]
 *                     block 3 [ f.c:4, g.h:7 (g, inlined), h.h:9 (h, inlined into g), f.c:5 ]
 *
 *      self           f 2 + 3 * 2/4     g 3 * 1/4            h 3 * 1/4
 *      inclusive      f 2 + 3           g 3 * 2/4            h 3 * 1/4     and calls
 *
 * Inclusive costs are those of all events at which an activation of the part is on the stack: while a
 * part calls itself, directly or through others, it counts once.  The sum over its paths and their
 * calls counts such events more than once; it is exact for a part that does not call itself, and an
 * upper bound for others, which parts_exact() puts right.
 */
#ifndef WPP_PARTS_H
#define WPP_PARTS_H

#include "wpp/profile/run-costs.h"

enum part_kind { PART_ROUTINE, PART_INLINED, PART_LOOP };

struct part_block {
    uint32_t routine, block;
    double share;              /* of its instructions, with what is inlined; 0 .. 1 */
    bool calls;                /* the calls that end it are the part's */
};

struct part {
    enum part_kind kind;
    const char *name, *shown;  /* assembler name; name for people.  Of a loop: of its function */
    const char *file, *directory;
    uint32_t line, last_line;  /* 0: unknown */
    uint32_t routine;          /* the routine; of an inlined function's first copy */
    uint32_t copies;           /* of an inlined function: places where its code stands */
    double calls;              /* activations; arrivals at inlined code; entries of a loop */
    double iterations;         /* of a loop */
    double self, inclusive;
    bool exact;                /* inclusive is, and no upper bound */
    struct part_block *block;  /* those of a routine side by side; NULL: all of `routine`'s */
    uint32_t n_blocks;
};

struct parts {
    const struct run_costs *costs;
    struct part *part;         /* routines by number, inlined functions, then loops */
    uint32_t n, n_routines, n_functions;    /* n_functions: with the inlined ones */
    double unread;             /* cost of events of no routine */
    uint32_t *first_terminal;  /* by routine, n_routines + 1: its terminals are */
    uint32_t *terminal;        /* terminal[first_terminal[r] ..] */
};

/* `costs` must outlive it.  False without memory. */
bool parts_new(struct parts *out, const struct run_costs *costs);
void parts_free(struct parts *p);

/* Makes `inclusive` exact of the n parts, given by number.  False without memory.
 * Cost: O(call tree) for each 16 of them that call themselves. */
bool parts_exact(struct parts *p, const uint32_t *number, uint32_t n);

/* Numbers of the parts [from, to) that were executed, the dearest first: by inclusive or self costs.
 * The first `want` of them are exact and in order.  NULL without memory; the caller frees it. */
uint32_t *parts_ranked(struct parts *p, uint32_t from, uint32_t to, bool inclusive, uint32_t want,
                       uint32_t *n);

#endif
