/* SPDX-License-Identifier: MIT */
/* stops.h - the places of a run at which a source line begins, numbered in the order of execution.
 *
 * These are the lines that `wpp-dump --lines` writes.  A path has a list of lines (line-trail.h).  Its
 * first line begins there, too, unless the activation's path before it ended in the same line: then
 * the line goes on, after a call or round a loop, and the path *joins*:
 *
 *      main, 10: x = f() + 1; 11: return x;      paths     [10]  f's [3 4]  [10 11]
 *                                                stops      0        1 2        3
 *
 * Whether a path joins follows from the activation's items before it, so it is known for each item of
 * the call tree but the first one with lines of its piece; that one joins if its piece does.
 *
 *      all     stops in an item, calls included, if it does not join
 *      own     those of the activation itself
 *      first, last     its first and last path with lines that is in no call
 */
#ifndef WPP_STOPS_H
#define WPP_STOPS_H

#include "wpp/replay/stack.h"

#define STOPS_NONE UINT32_MAX

struct path_lines {
    uint32_t n;                    /* lines; a line that goes on in the next block counts once */
    const struct wpp_line *first, *last;
};

struct piece_stops {
    uint64_t all, own;
    uint32_t first, last;          /* terminals; STOPS_NONE: there is no line of its own */
};

enum stops_measure { STOPS_ALL, STOPS_OWN };

struct stops {
    const struct wpp_stacks *stacks;
    struct path_lines *path;       /* by terminal */
    struct piece_stops *piece;     /* by piece */
    uint64_t *joins;               /* a bit for each item */
    uint64_t *sums[2];             /* by measure: of all items before each 64th, modulo 2^64 */
};

/* False: no memory.  Cost: O(call tree + lines of all paths). */
bool stops_begin(struct stops *s, const wpp_stacks *stacks);
void stops_end(struct stops *s);

/* How many a thread has. */
uint64_t stops_of_thread(const struct stops *s, uint32_t thread);

/* A part of a piece's items, on the way down to an event. */
struct stops_level {
    uint32_t piece;
    uint64_t at;                   /* the item in which the event lies */
    uint64_t event;                /* which begins with this one */
};

/* An event, and what is known on the way to it. */
struct stops_spot {
    uint32_t terminal;
    bool joins;
    bool in_activation;
    uint64_t before;               /* stops before the event */
    uint64_t own_before;           /* likewise, in the innermost activation */
    uint32_t activation;           /* the innermost one, in the call tree */
    uint64_t first;                /* its first event */
    struct stops_level *level;     /* within it, or without one in the root; its own piece first */
    size_t n_levels, room;
};

/* Finds event < tokens.  All zero is a spot that holds nothing; one may be used again.  False: no
 * memory.  Cost: O(depth of the stack * d). */
bool stops_locate(const struct stops *s, uint32_t thread, uint64_t event, struct stops_spot *out);
void stops_spot_free(struct stops_spot *spot);

/* Stop number k of those that the measure counts in a piece that does not join and whose first event is
 * `first`: its event, and which line of the path it is.  k is less than their number.  Cost: O(d). */
void stops_nth(const struct stops *s, enum stops_measure m, uint32_t piece, uint64_t first, uint64_t k,
               uint64_t *event, uint32_t *line);

#endif
