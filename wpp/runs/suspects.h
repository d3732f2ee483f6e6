/* SPDX-License-Identifier: MIT */
/* suspects.h - predicates of many runs, ranked by how much they go with failure.
 *
 *      suspects_init -> suspects_add, for each run -> suspects_end -> suspects_rank -> suspects_free
 *
 * In memory are, for each predicate, how many runs it is true of; the paths of each run; and all that is
 * true of the failing runs.
 */
#ifndef WPP_SUSPECTS_H
#define WPP_SUSPECTS_H

#include "wpp/runs/run-facts.h"
#include "wpp/runs/suspicion.h"

struct suspect_run {
    int64_t id;
    bool fails;
    uint64_t events;
    uint32_t *path, n_paths;           /* of the vocabulary, ascending */
    uint32_t *fact, n_facts;           /* predicates, ascending; only of failing runs */
    struct path_span *span;
    uint32_t n_spans, n_threads;
};

/* How many runs a predicate is true of; and a hash of which. */
struct predicate_count {
    uint32_t fail, pass;
    uint64_t set;
};

/* The most that a loop was gone round in a run. */
struct loop_record { uint32_t header, run; uint64_t most; };

struct suspects {
    struct vocabulary v;
    struct run_facts facts;            /* of the run at hand */
    struct suspect_run *run;
    uint32_t n_runs, run_capacity, n_fail, n_pass;
    struct predicate_count *count;     /* by predicate */
    uint32_t n_counts;
    struct loop_record *record;
    size_t n_records, record_capacity;
    wpp **witness;                     /* files that the vocabulary refers to */
    uint32_t n_witnesses, witness_capacity;
    bool pairs_left_out;               /* there were too many paths to look at all orders */
};

void suspects_init(struct suspects *s);
void suspects_free(struct suspects *s);

/* Adds a run with its processes, and takes these over.  WPP_E_MEMORY, WPP_E_ARGUMENT: too large. */
bool suspects_add(struct suspects *s, int64_t id, bool fails, wpp **process, uint32_t n,
                  struct wpp_error *error);

/* All runs are there: adds what only all of them show, how often loops must be gone round, and which
 * paths come before which.  False: no memory. */
bool suspects_end(struct suspects *s, bool orders);

enum suspect_sort { SUSPECT_IMPORTANCE, SUSPECT_INCREASE, SUSPECT_OCHIAI, SUSPECT_TARANTULA };

struct suspect_request {
    unsigned kinds;                    /* bit k: predicates of kind k */
    enum suspect_sort sort;
    bool all;                          /* also those with a score of 0, and none is left out because
                                          another is true of the same runs */
};

struct suspect {
    uint32_t predicate;
    uint32_t rank;                     /* 1 + the number of those with a higher score */
    uint32_t others;                   /* predicates that are true of the same runs, left out */
    uint64_t set;
    double score;
    struct suspicion by;
};

struct ranking {
    struct suspect *suspect;
    size_t n;
    size_t n_predicates;               /* that are true of some failing run, of these kinds */
};

/* `explained` (by run, or NULL): failing runs that do not count.  False: no memory. */
bool suspects_rank(const struct suspects *s, const struct suspect_request *request,
                   const bool *explained, struct ranking *out);
void ranking_free(struct ranking *r);

/* Liblit's elimination: takes the first, leaves out the failing runs in which it is true, ranks again,
 * until no failing run is left, nothing has a score, or there are `most`.  Their scores are those of
 * their round.  False: no memory. */
bool suspects_eliminate(const struct suspects *s, const struct suspect_request *request, size_t most,
                        struct ranking *out);

/* Whether a predicate is true of a failing run. */
bool suspect_is_true(const struct suspect_run *run, uint32_t predicate);

/* Of the failing runs in which it is true, the shortest; and of the passing ones, that which shares
 * most paths with it, as a share of all paths of both.  UINT32_MAX: there is none. */
struct suspect_pair { uint32_t fail, pass; double common; };
struct suspect_pair suspects_nearest(const struct suspects *s, uint32_t predicate);

/* |a and b| / |a or b| of two runs' paths. */
double suspect_run_similarity(const struct suspect_run *a, const struct suspect_run *b);

/* before-facts.c: adds PREDICATE_BEFORE.  False: no memory. */
bool suspects_add_orders(struct suspects *s);
/* A predicate that is found when all runs are there: its counts, and its truth in failing runs. */
bool suspects_add_late(struct suspects *s, struct predicate p, const bool *is_true,
                       uint32_t *predicate);
/* The counts of a predicate and its site; explained: as above. */
struct run_counts_of suspects_counts(const struct suspects *s, uint32_t predicate);

#endif
