/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.h - which paths of which routines each copy of a program counts.
 *
 * Afraz, Saha and Kanade, P3: Partitioned Path Profiling (ESEC/FSE 2015).  The program is built k
 * times.  Copy c counts, in routine r, the paths all of whose edges are in set[r][c]: its
 * *interesting* paths there.  Their numbers are shared with no other path (PSPP), so the copy knows
 * their exact counts.
 *
 * Invariants (p3_check):
 *      cover     every path of every routine is interesting in at least one copy
 *      owner     the first copy in which a path is interesting owns it: the union of the copies
 *                takes its count from there alone, so none is summed twice; the owners' paths are
 *                all num_paths
 *      compared  one routine is whole in every copy.  Its counts, and those of other paths that are
 *                interesting in several copies, are equal in all of these if the program is
 *                deterministic
 *      load      the cost of all sets of a copy, as far as the planner's counts are right
 */
#ifndef WPP_PARTITION_PLAN_H
#define WPP_PARTITION_PLAN_H

#include "gcc-plugin/partition/probes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define P3_MAX_COPIES 64

/* One routine.  Routines with the same file, name and DAG are one: with static ones of a header,
 * and with one that several units hold and the linker takes once, each copy must do the same. */
struct p3_entry {
    char *file, *name;
    uint64_t hash;             /* p3_hash() */
    uint32_t n_edges;
    bool compared;
    uint64_t **set;            /* by copy: its edges, NULL: none */
};

struct p3_plan {
    uint32_t copies;
    bool calls_cut;            /* for mode=calls-cut; otherwise for mode=paths.  The caller of
                                  p3_make_plan() sets it */
    bool measured;             /* by counts, not by the number of increments */
    uint64_t id;               /* FNV-1a 64 of its file's bytes, if it was read */
    uint64_t load[P3_MAX_COPIES];
    uint32_t n;
    struct p3_entry *entry;    /* ascending by file, name and hash */
};

void p3_plan_free(struct p3_plan *p);

/* NULL: the plan does not have this routine, or its DAG was another.  Then copy 0 counts it whole,
 * and the others do not count it at all. */
const struct p3_entry *p3_find(const struct p3_plan *p, const char *file, const char *name,
                               uint64_t hash);

/* The copies in which the path of these edges is interesting: bit c for copy c.  Its owner is the
 * lowest. */
uint64_t p3_holders(const struct p3_plan *p, const struct p3_entry *e, const uint32_t *edges,
                    uint32_t n);

/* The same for a path that is left where these edges, some of its first ones, have led: the copies in
 * which an interesting path begins with them.  g: the routine's.  0 without memory. */
uint64_t p3_holders_of_prefix(const struct p3_plan *p, const struct p3_entry *e,
                              const struct pn_graph *g, const uint32_t *edges, uint32_t n);

/* The loads for these routines, by their counts (NULL: 1); those that the plan does not have are
 * whole in copy 0.  False without memory. */
bool p3_loads(const struct p3_plan *p, const struct p3_routine *routine, uint32_t n,
              const struct p3_prices *prices, uint64_t *load);

/* Cover and owner for one routine: no path is enumerated.  False with *why: a static text.  Time
 * grows with the number of different sets of copies that prefixes of paths have, 2^copies
 * at worst. */
bool p3_check_routine(const struct p3_plan *p, const struct p3_entry *e, const struct pn_graph *g,
                      const char **why);

/* Everything, but for the loads if prices is NULL.  The plan has exactly these routines. */
bool p3_check(const struct p3_plan *p, const struct p3_routine *routine, uint32_t n,
              const struct p3_prices *prices, const char **why);

/* ---- Making one ------------------------------------------------------------------------- */

enum p3_method {
    P3_WHOLE,                  /* PBL: each routine in one copy */
    P3_PAPER,                  /* Algorithm 2: what is called in one place at most is split */
    P3_SPLIT                   /* what is split lowers the largest load: found by trying */
};

struct p3_config {
    uint32_t copies;           /* 1 .. P3_MAX_COPIES */
    enum p3_method method;
    bool measured;             /* costs are executions; else each edge counts 1, as in the paper */
    bool compare;              /* choose a routine to compare; else that invariant does not hold */
    struct p3_prices prices;
    uint32_t tasks;            /* at most so many of a routine; 0: the paper's threshold, and for
                                  P3_SPLIT 4 for each copy */
};

/* NULL without memory, or if copies is wrong.  Deterministic, and routines may come in
 * any order. */
struct p3_plan *p3_make_plan(const struct p3_routine *routine, uint32_t n,
                             const struct p3_config *config);

#ifdef __cplusplus
}
#endif
#endif
