/* SPDX-License-Identifier: MIT */
/* predicates.h - what can be true of a run, in words that many runs share.
 *
 *      kind       true in a run that                             observed in a run that
 *      routine    executed the routine                           was recorded
 *      path       executed the path                              executed its routine
 *      branch     left a block by this edge, of several          executed the block
 *      line       executed the line                              executed a routine that has the line
 *      pair       executed path y right behind path x            executed x
 *      triple     ... z behind y behind x                        executed y right behind x
 *      before     executed x before some execution of y          executed x and y
 *      loop       went round the loop k times or more            came to the loop
 *                 in some visit
 *      exactly    ... exactly k times in some visit              came to the loop
 *      caller     called y from x                                executed y
 *      callers    called z from y, called from x                 called z from y
 *      depth      had k activations of the routine or more       executed the routine
 *                 within each other
 *
 * So each predicate has a site: the predicate that says whether it was observed.  Some predicates are
 * only sites.
 *
 * Routines of several files are one if routine_same() says so.  Numbers are given in order of first
 * use.  A file in which a routine was met first is kept open as its witness.
 */
#ifndef WPP_PREDICATES_H
#define WPP_PREDICATES_H

#include "wpp/profile/loops.h"
#include "wpp/wpp.h"

enum predicate_kind {
    PREDICATE_LINE, PREDICATE_BRANCH, PREDICATE_ROUTINE, PREDICATE_PATH, PREDICATE_LOOP,
    PREDICATE_EXACTLY, PREDICATE_CALLER, PREDICATE_CALLERS, PREDICATE_DEPTH, PREDICATE_PAIR, PREDICATE_TRIPLE,
    PREDICATE_BEFORE,
    /* Only sites: */
    PREDICATE_RUN, PREDICATE_BLOCK, PREDICATE_LINES, PREDICATE_HEADER, PREDICATE_BOTH
};
enum { PREDICATE_KINDS = PREDICATE_RUN };      /* that are ranked: those below */
extern const char *const predicate_names[];    /* by kind, then NULL */

/* x, y, z by kind:
 *      routine           routine
 *      path              routine, path's number: low and high half
 *      branch            routine, edge
 *      block, header     routine, block
 *      line, lines       file, line
 *      loop, exactly     routine, header, k
 *      caller, callers   routines
 *      depth             routine, unused, k
 *      pair, triple, before, both    numbers of paths' predicates
 */
struct predicate {
    uint32_t kind, x, y, z;
    uint32_t site;             /* number of another predicate; that of PREDICATE_RUN is 0, itself */
};

/* What else is true where a predicate is: of paths and routines. */
struct implied { uint32_t *predicate; uint32_t n; };

struct known_routine {
    const wpp *w;              /* the witness */
    uint32_t number;           /* in it */
    uint64_t hash;
    uint32_t predicate;        /* PREDICATE_ROUTINE */
    bool *branches;            /* by block: several edges leave it */
    struct loops loops;        /* of the graph, whatever was executed */
    struct implied implied;    /* lines, as sites */
};

/* A path comes to the header of a loop: from a block in the loop, or from elsewhere. */
struct arrival { uint32_t loop; bool back; };

struct known_path {
    uint32_t predicate;
    uint32_t routine;
    struct wpp_terminal terminal;      /* its blocks and edges are ours */
    struct arrival *arrival;   /* in order; also that of the path behind it, if it is known which */
    uint32_t n_arrivals;
    struct implied implied;    /* branches, blocks and lines */
};

struct vocabulary {
    struct predicate *predicate;
    uint32_t n, capacity;
    uint32_t *slots, n_slots;          /* numbers plus 1, by hash; a power of two, or 0 */
    struct known_routine *routine;
    uint32_t n_routines, routine_capacity;
    uint32_t *routine_slots, n_routine_slots;
    struct known_path *path;
    uint32_t n_paths, path_capacity;
    uint32_t *path_of, path_of_size;   /* by predicate: index of path[], or UINT32_MAX */
    char **file;
    uint32_t n_files, file_capacity;
    bool failed;                       /* memory has run out; stays set */
};

void vocabulary_init(struct vocabulary *v);
void vocabulary_free(struct vocabulary *v);

/* The number of a predicate; a new one gets the site. */
uint32_t vocabulary_predicate(struct vocabulary *v, struct predicate p);

/* The number of a routine of w, which must live on if *kept is set. */
uint32_t vocabulary_routine(struct vocabulary *v, const wpp *w, uint32_t routine, bool *kept);
/* The same for equal routines. */
uint64_t vocabulary_routine_hash(const wpp *w, uint32_t routine);
/* The path of a terminal whose routine has the number `routine`: an index of v->path. */
uint32_t vocabulary_path(struct vocabulary *v, const wpp *w, uint32_t terminal, uint32_t routine);
/* The same for a path of another process's, whose blocks and edges are the routine's. */
uint32_t vocabulary_add_path(struct vocabulary *v, const struct wpp_terminal *t, uint32_t routine);
bool vocabulary_path_fits(const struct vocabulary *v, const struct wpp_terminal *t, uint32_t routine);
uint32_t vocabulary_file(struct vocabulary *v, const char *name);

/* A line's predicate, and the site that says whether it was observed. */
uint32_t vocabulary_line(struct vocabulary *v, const char *file, uint32_t line);

/* Whether the block is in the loop. */
bool loop_has(const struct loop *l, uint32_t block);

/* The path of a predicate of that kind. */
const struct known_path *predicate_path(const struct vocabulary *v, uint32_t predicate);

#endif
