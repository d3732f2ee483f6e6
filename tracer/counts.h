/* SPDX-License-Identifier: MIT */
/* counts.h - the counters of modules whose paths are counted (trace-abi.h, COUNTERS).
 *
 *            the module's own           copies, at the distance that a thread's %gs base says
 *     place  | counters at home | - - - | home + distance 1 | - - - | home + distance 2 | - -
 *
 * A copy belongs to one thread at a time: nobody else adds to its counters.  It lies in the trace's
 * file if that is possible, in COUNTS records, or in the recorder's memory, and is complete there at
 * any time, however the process ends.  A copy whose thread has ended goes to the next new thread as
 * it is, for counts only add up.
 *
 * The distances are the same for all modules.  An executable's counters have their home where the
 * linker put them.  A library's get one near the executable's, so that the copies of both lie near
 * each other, and far from anything else.
 *
 *     home of the executable, LIBRARIES behind it: homes of libraries, within SPAN
 *     FIRST_DISTANCE behind that: the copies, one SPAN each
 *
 * An executable that lies high (a static position-independent one; or ld.so was told to run it) has
 * its copies below.  Such a distance is negative, which only the processor's own instruction takes.
 */
#ifndef WPP_COUNTS_H
#define WPP_COUNTS_H

#include "tracer/runtime.h"

#define SPAN (UINT64_C(1) << 32)

/* The counters of a module. */
struct place {
    struct place *next;
    const struct wpp_module *module;
    char *home;                 /* the page of the first counter */
    size_t bytes;               /* pages */
    uint32_t token, count;      /* of the first counter; counters */
    uint32_t at;                /* bytes from `home` to the first counter */
    bool moved;                 /* home is memory of ours: a library's */
};

/* A thread's copies of all places.  What is not kept in the trace's file, or in the recorder's memory,
 * is written at the end, and nothing twice: so each copy knows how much of it is kept. */
enum { MOST_KEPT = 250 };
struct copies {
    struct copies *next;
    int64_t distance;
    uint32_t tid;               /* of its last thread */
    bool findable;              /* tgkill finds the thread as long as it lives */
    struct {
        const struct place *place;      /* NULL: free */
        size_t bytes;                   /* the first ones of the copy are kept */
    } kept[MOST_KEPT];
};
_Static_assert(sizeof(struct copies) <= WPP_PAGE_BYTES, "copies fit a page");

/* ---- Places (counts.c) --------------------------------------------------------------- */

extern struct place *__wpp_places;

/* ---- Copies (count-copies.c) ----------------------------------------------------------- */

extern struct copies *__wpp_copies;
/* The executable's home, or what stands for it; 0: no place has a home yet. */
extern uint64_t __wpp_counts_anchor;

static inline char *at_distance(const struct place *p, const struct copies *c)
{
    return p->home + c->distance;
}

/* Maps zeros at an address; false: something else is there, or there is no memory. */
bool __wpp_copies_map(char *at, size_t bytes);
/* Makes a copy part of the trace, or as much of it as is possible. */
void __wpp_copies_keep(const struct place *p, struct copies *c);
/* How many of the copy's bytes are kept; NULL: none. */
size_t *__wpp_copies_kept(struct copies *c, const struct place *p);
/* The copy is no more. */
void __wpp_copies_forget(struct copies *c, const struct place *p);
/* Gives the calling thread copies of its own. */
void __wpp_copies_begin(void);
/* The calling thread's, or NULL. */
struct copies *__wpp_copies_mine(void);
/* In the child of a fork: the calling thread's are the only ones, and begin with 0. */
void __wpp_copies_forked(void);

/* ---- Touched pages (touched-pages.c) --------------------------------------------------- */

/* Most pages of a large table are never touched, and reading one would map it.  The kernel tells
 * which are, as long as the program may ask it. */
struct touched_pages {
    int fd;                     /* -1: any page may be touched */
    uint64_t first;             /* number of the page of flags[0] */
    size_t n;
    uint64_t flags[512];
};

void __wpp_touched_begin(struct touched_pages *t);
bool __wpp_touched(struct touched_pages *t, const char *at);
void __wpp_touched_end(struct touched_pages *t);

#endif
