/* SPDX-License-Identifier: MIT */
/* grammar-automaton.h - a finite machine reads all threads, and nothing is expanded.
 *
 * What a machine makes of a rule depends on the state in which it comes to it
 * alone.  So each rule is read once in each state that it is ever entered in:
 *
 *      run     (rule, state before) -> state behind, times
 *
 * `behind` is found bottom-up, `times`, how often the rule is entered in that
 * state, top-down.  State 0 is the one at a thread's beginning.
 *
 * Machines that look for strings soon forget what was before.  A rule is *settled*
 * when the state behind it is the same whatever was before.  If its first symbol is,
 * then what was before matters only there:
 *
 *      head(r) = head(first symbol)  if that is a settled rule
 *                r                   else
 *
 *      r in state s  =  r in state 0, but in it head(r) in state s instead of 0
 *
 * So only heads are read in other states than 0, and they are few; of all rules the
 * runs in state 0 are in an array, 8 bytes each: it is memory that a reading waits for.
 */
#ifndef WPP_GRAMMAR_AUTOMATON_H
#define WPP_GRAMMAR_AUTOMATON_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/hotpaths.h"

struct machine {
    void *ctx;
    bool backwards;             /* threads are read from their end */
    uint32_t *thread;           /* where to say which thread is counted; NULL: all together */
    uint32_t (*next)(void *ctx, uint32_t state, uint32_t terminal);
    /* The machine goes from `state` to `behind` by `terminal`, so many times. */
    int (*step)(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind, uint64_t times);
    /* All others may be NULL.  A state that is as good as this one when `terminal` comes:
     * the same one follows, and the step does the same. */
    uint32_t (*reduce)(void *ctx, uint32_t state, uint32_t terminal);
    /* Whether the state behind `terminal` is the same whatever came before `before`, or
     * (MACHINE_NO_TERMINAL) before itself.  NULL: it never is. */
    bool (*settles)(void *ctx, uint32_t before, uint32_t terminal);
    uint64_t memory;            /* so many terminals settle it as well; 0: none do */
    bool (*minds)(void *ctx, uint32_t state);
    /* Is told of each run when it is known, as is what it contains, and says what state is
     * behind it: `behind`, or another that is as good whatever comes.  May find a rule settled
     * whose own run it is.  MACHINE_NO_STATE: no memory. */
    uint32_t (*finish)(void *ctx, size_t run, uint32_t behind, bool minded);
};

#define MACHINE_NO_STATE    UINT32_MAX
#define MACHINE_NO_TERMINAL UINT32_MAX

/* Calls `step` for whatever is read, in any order.  `thread`: only this one, or
 * HOT_ALL_THREADS.  HOT_OK, HOT_E_MEMORY, or what `step` returned, if not HOT_OK. */
int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread);

/* ---- The runs themselves: for what is more than a sum over events ------------------- */

/* Of a rule in state 0.  `times` counts its other runs, too, and all heads that are read in
 * it in other states. */
struct machine_run {
    uint32_t times;             /* modulo 2^32; the rest is in `more` */
    uint32_t behind;
};

struct machine_head {
    uint32_t rule : 31;
    bool settled : 1;           /* the rule that has this head */
};

/* Of a head in another state. */
struct machine_other {
    uint64_t times;
    uint32_t behind;
    uint32_t rule, before;      /* reduced */
    uint32_t last;              /* the other run of this rule that was made before; 0: none */
    bool minded;
};

/* Run r < n_rules is that of rule r in state 0, its own; run n_rules + i is other[i].  Times are
 * 0 but while threads are counted, and stay below 2^64, as the number of all events does.  What
 * is minded: a state behind a terminal of the expansion. */
struct machine_runs {
    const struct machine *m;
    const struct wpp_grammar *g;
    struct machine_run *run;
    uint32_t *first;            /* of each rule, the terminal that is read first */
    struct machine_head *head;  /* of each rule */
    struct machine_other *other;
    size_t n_other, other_size;
    uint64_t *more;             /* of each rule, times / 2^32 */
    bool *minded;               /* of each rule */
    uint32_t *latest;           /* of each rule, its other run that was made last; 0: none */
    uint32_t *final;            /* of each rule, the terminal that is read last; until all are read */
    uint64_t *table;            /* of other runs (hash-table.h) */
    size_t table_size;
    struct machine_open *open;  /* a stack of runs that are being read */
    size_t depth, open_size;
    bool *touched;              /* of each MACHINE_BLOCK rules: some have times */
};

#ifdef WPP_HOSTILE
enum { MACHINE_BLOCK = 2 };
#else
enum { MACHINE_BLOCK = 64 };
#endif

/* Reads all rules in state 0, into runs that are all zero at first.  HOT_OK or
 * HOT_E_MEMORY; machine_clear either way. */
int machine_begin(struct machine_runs *s, const struct machine *m, const struct wpp_grammar *g);
void machine_clear(struct machine_runs *s);

/* The run that a rule entered in this state takes: its own, or another of its head, which is
 * read if it was not yet.  As machine_begin. */
int machine_enter_other(struct machine_runs *s, uint32_t rule, uint32_t before, size_t *run);

static inline int machine_enter(struct machine_runs *s, uint32_t rule, uint32_t before,
                                size_t *run)
{
    *run = rule;
    return before ? machine_enter_other(s, rule, before, run) : HOT_OK;
}

/* The other run, if it is one. */
static inline struct machine_other *machine_other(const struct machine_runs *s, size_t run)
{
    assert(run < s->g->n_rules + s->n_other);
    return run < s->g->n_rules ? NULL : &s->other[run - s->g->n_rules];
}

static inline uint32_t machine_rule(const struct machine_runs *s, size_t run)
{
    return run < s->g->n_rules ? (uint32_t)run : machine_other(s, run)->rule;
}

static inline uint32_t machine_before(const struct machine_runs *s, size_t run)
{
    return run < s->g->n_rules ? 0 : machine_other(s, run)->before;
}

/* Behind the run itself, and behind a rule that takes it. */
static inline uint32_t machine_end(const struct machine_runs *s, size_t run)
{
    return run < s->g->n_rules ? s->run[run].behind : machine_other(s, run)->behind;
}

static inline uint32_t machine_behind(const struct machine_runs *s, uint32_t rule, size_t run)
{
    return run == rule || s->head[rule].settled ? s->run[rule].behind
                                                : machine_other(s, run)->behind;
}

static inline bool machine_minded(const struct machine_runs *s, size_t run)
{
    return run < s->g->n_rules ? s->minded[run] : machine_other(s, run)->minded;
}

/* A rule takes this run so many times more. */
static inline void machine_add(struct machine_runs *s, uint32_t rule, size_t run, uint64_t times)
{
    uint64_t sum = (uint64_t)s->run[rule].times + (uint32_t)times;
    uint64_t more = (sum >> 32) + (times >> 32);

    assert(rule < s->g->n_rules);
    s->run[rule].times = (uint32_t)sum;
    if (more)
        s->more[rule] += more;
    s->touched[rule / MACHINE_BLOCK] = true;
    if (run != rule) {
        machine_other(s, run)->times += times;
        s->touched[machine_other(s, run)->rule / MACHINE_BLOCK] = true;
    }
}

/* Calls `pass` for each run that is entered (and, if the machine minds states, minded), what
 * contains it before it, and leaves all times 0.  What `pass` returned, if not HOT_OK. */
int machine_descend(struct machine_runs *s, void *ctx,
                    int (*pass)(void *ctx, size_t run, uint64_t times));

/* Fetches what is known of a symbol some way ahead into the caches. */
enum { MACHINE_AHEAD = 16 };
static inline void machine_fetch(const struct machine_runs *s, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        __builtin_prefetch(&s->run[symbol & ~WPP_RULE], 1);
}

#endif
