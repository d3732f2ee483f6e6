/* SPDX-License-Identifier: MIT */
/* suspects.h - predicates of many runs, ranked by how much they go with failure.
 *
 *      suspects_init -> suspects_add, for each run -> suspects_end -> suspects_rank -> suspects_free
 *                       suspects_take_part, for some        (suspects-part.h)
 *
 * In memory are, for each predicate, how many runs it is true of, and 32 bytes for each run; what is true
 * of a run is in a file (run-vectors.h), which is read once for each question.
 */
#ifndef WPP_SUSPECTS_H
#define WPP_SUSPECTS_H

#include "wpp/runs/loop-figures.h"
#include "wpp/runs/predicate-lines.h"
#include "wpp/runs/run-orders.h"
#include "wpp/runs/run-vectors.h"
#include "wpp/runs/suspicion.h"

struct suspect_run {
    int64_t id;
    bool fails;
    uint64_t events;
};

/* How many runs a predicate is true of; and a hash of which. */
struct predicate_count {
    uint32_t fail, pass;
    uint64_t set;
};

/* A file that the vocabulary refers to: process of a run of the store. */
struct witness {
    wpp *w;
    int64_t run;
    uint32_t process;
};

struct suspects {
    struct vocabulary v;
    struct run_facts facts;            /* of the run at hand */
    struct suspect_run *run;
    uint32_t n_runs, run_capacity, n_fail, n_pass;
    struct run_vectors vectors;        /* by run */
    struct run_vector at_hand;
    struct predicate_count *count;     /* by predicate */
    uint32_t n_counts;
    struct loop_figures loops;
    struct run_orders orders;
    struct witness *witness;
    uint32_t n_witnesses, witness_capacity;
    bool pairs_left_out;               /* there were too many paths to look at all orders */
    float *when;                       /* by predicate: when it becomes true in failing runs (suspects_when) */
};

void suspects_init(struct suspects *s);
void suspects_free(struct suspects *s);

/* Adds a run with its processes, and takes these over.  WPP_E_MEMORY, WPP_E_SYSTEM: no room for the file;
 * WPP_E_ARGUMENT: too large. */
bool suspects_add(struct suspects *s, int64_t id, bool fails, wpp **process, uint32_t n,
                  struct wpp_error *error);

/* All runs are there: adds what only all of them show, how often loops must be gone round, and which
 * paths come before which.  Errors as above, and of reading the file. */
bool suspects_end(struct suspects *s, bool orders, struct wpp_error *error);

/* ---- Ranking -------------------------------------------------------------------------------- */

enum suspect_sort { SUSPECT_IMPORTANCE, SUSPECT_INCREASE, SUSPECT_OCHIAI, SUSPECT_TARANTULA, SUSPECT_BITS };

struct suspect_request {
    unsigned kinds;                    /* bit k: predicates of kind k */
    enum suspect_sort sort;
    bool all;                          /* also those with a score of 0, and none is left out because
                                          another is true of the same runs, or lies on the same lines */
    struct line_ranges at;             /* only those that lie there, or of which one that is true of the
                                          same runs does; ranks are those among all */
};

struct suspect {
    uint32_t predicate;
    uint32_t row;                      /* its place in the list, from 1 */
    uint32_t rank;                     /* 1 + the number of those with a higher score */
    uint32_t ties;                     /* how many have this score, itself included */
    uint32_t others;                   /* predicates that are true of the same runs, left out */
    uint64_t set;
    double score;
    struct suspicion by;
};

struct ranking {
    struct suspect *suspect;
    size_t n;
    size_t n_predicates;               /* that are true of some failing run, of these kinds */
    size_t n_folded;                   /* suspects that were left out, since others above lie on all their lines */
};

/* The score by SUSPECT_BITS is what a predicate saves less what it takes to name it: log2 of how many of its kind there
 * are, of those that are true of the same runs one.  Of `before`: of all pairs of the paths that were looked at; of
 * loops and depths: of all numbers that could have been chosen.  False: no memory. */
bool suspects_rank(const struct suspects *s, const struct suspect_request *request, struct ranking *out);
void ranking_free(struct ranking *r);

/* Liblit's elimination: takes the first, leaves out the failing runs in which it is true, ranks again,
 * until no failing run is left, nothing has a score, or there are `most`.  Their scores are those of
 * their round.  Errors of memory and of reading the file, which each round reads twice. */
bool suspects_eliminate(struct suspects *s, const struct suspect_request *request, size_t most,
                        struct ranking *out, struct wpp_error *error);

/* Of the failing runs in which it is true, the shortest; and of the passing ones, that which shares
 * most paths with it, as a share of all paths of both.  UINT32_MAX: there is none. */
struct suspect_pair { uint32_t fail, pass; double common; };
/* For each of n predicates.  Errors as above; reads the file twice. */
bool suspects_nearest(struct suspects *s, const uint32_t *predicate, size_t n, struct suspect_pair *out,
                      struct wpp_error *error);

/* The counts of a predicate and its site. */
struct run_counts_of suspects_counts(const struct suspects *s, uint32_t predicate);

/* ---- For the parts of this ------------------------------------------------------------------ */

/* Adds a run whose vector is in s->at_hand, by numbers of the vocabulary.  Errors as suspects_add(). */
bool suspects_take_run(struct suspects *s, const struct suspect_run *run, struct wpp_error *error);
/* Keeps a file that the vocabulary refers to.  False: no memory. */
bool suspects_keep(struct suspects *s, wpp *w, int64_t run, uint32_t process);
/* Whether a predicate is true of the run that was read into s->at_hand, also one that was found when all
 * runs were there.  False for a run of which s->orders has not been told (run_orders_read). */
bool suspects_is_true(const struct suspects *s, uint32_t predicate);
/* Reads a run into s->at_hand, and its orders. */
bool suspects_read(struct suspects *s, uint32_t run, struct wpp_error *error);
/* Finds orders when all runs are there (run-orders.c).  Errors as suspects_end(). */
bool suspects_add_orders(struct suspects *s, struct wpp_error *error);
/* Finds s->when: the mean, over the failing runs in which a predicate is true, of when it becomes so, as a share of its
 * thread's paths that begin or end there.  Of several paths or routines, when the last of them does; of loops and
 * depths, when the routine is called.  Errors as suspects_end(). */
bool suspects_when(struct suspects *s, struct wpp_error *error);
/* Adds a predicate that was found when all runs were there.  False: no memory. */
bool suspects_add_late(struct suspects *s, struct predicate p, struct predicate_count count,
                       uint32_t *predicate);
/* Sums of these are the same for the same sets of runs, and for no others but by chance. */
uint64_t suspects_hash(uint32_t run);

#endif
