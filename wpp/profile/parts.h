/* SPDX-License-Identifier: MIT */
/* parts.h - the parts of a program that have rows in a profile: routines, inlined functions, loops;
 * with their self and inclusive costs.
 *
 * A part is a set of blocks.  An inlined function need not be whole blocks: where a block has lines
 * of several functions, its instructions are divided equally among its lines, and its last line
 * makes the calls that end it.  Code that was inlined into an inlined function is part of both.
 *
 *      routine f      block 2 [ f.c:3 ]
 *                     block 3 [ f.c:4, g.h:7 (g, inlined), h.h:9 (h, inlined into g), f.c:5 ]
 *
 *      self           f 2 + 3 * 2/4     g 3 * 1/4            h 3 * 1/4
 *      inclusive      f 2 + 3           g 3 * 2/4            h 3 * 1/4     and calls
 *
 * Inclusive costs are those of all events during which an activation of the part is on the stack.
 * While a part calls itself, directly or through others, each event counts once.  The sum over its
 * paths and their calls counts such events more than once.  It is exact for a part that does not
 * call itself, and an upper bound for others; parts_exact() computes these exactly.
 */
#ifndef WPP_PARTS_H
#define WPP_PARTS_H

#include "wpp/profile/run-costs.h"

enum part_kind { PART_ROUTINE, PART_INLINED, PART_LOOP };

struct part_block {
    uint32_t routine, block;
    double share;              /* of its instructions, including inlined ones; 0 .. 1 */
    bool calls;                /* the part makes the calls that end it */
};

struct part {
    enum part_kind kind;
    const char *name, *shown;  /* assembler name; name for people.  Of a loop: its function's */
    const char *file, *directory;
    uint32_t line, last_line;  /* 0: unknown */
    uint32_t routine;          /* the routine; of an inlined function's first copy */
    uint32_t copies;           /* of an inlined function: places where its code is */
    double calls;              /* activations; arrivals at inlined code; entries of a loop */
    double iterations;         /* of a loop */
    double self, inclusive;
    bool exact;                /* `inclusive` is exact, no upper bound */
    struct part_block *block;  /* by routine; NULL: all blocks of `routine` */
    uint32_t n_blocks;
};

struct parts {
    const struct run_costs *costs;
    struct part *part;         /* routines by number, inlined functions, then loops */
    uint32_t n, n_routines, n_functions;    /* n_functions: including inlined ones */
    double unread;             /* cost of events without routine */
    uint32_t *first_terminal;  /* by routine, n_routines + 1: its terminals are */
    uint32_t *terminal;        /* terminal[first_terminal[r] ..] */
};

/* `costs` must outlive it.  False: no memory. */
bool parts_new(struct parts *out, const struct run_costs *costs);
void parts_free(struct parts *p);

/* Makes `inclusive` of the n parts, given by number, exact.  False: no memory.  Cost: O(call tree)
 * for each 16 of them that call themselves. */
bool parts_exact(struct parts *p, const uint32_t *number, uint32_t n);

/* Numbers of the executed parts in [from, to), most expensive first, by inclusive or self costs.
 * The first `want` of them are exact and in order.  NULL: no memory; the caller frees it. */
uint32_t *parts_ranked(struct parts *p, uint32_t from, uint32_t to, bool inclusive, uint32_t want,
                       uint32_t *n);

#endif
