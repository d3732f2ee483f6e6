/* SPDX-License-Identifier: MIT */
/* grammar-automaton.h - runs a finite machine over all threads, without expanding the grammar.
 *
 * The effect of a rule on the machine depends only on the state in which the rule is entered.  So
 * each rule is read once in each state in which it is ever entered:
 *
 *      run     (rule, state before) -> state behind, times
 *
 * `behind` is found bottom-up.  `times`, how often the rule is entered in that state, is found
 * top-down.  State 0 is the state at a thread's beginning.
 *
 * In a machine that looks for strings, the state soon does not depend on earlier terminals.  A rule
 * is *settled* when the state behind it is the same for all states before it.  If a rule's first
 * symbol is settled, the state before the rule matters only within that symbol:
 *
 *      head(r) = head(first symbol)  if that is a settled rule
 *                r                   else
 *
 *      r in state s  =  r in state 0, but in it head(r) in state s instead of 0
 *
 * So only heads are read in other states than 0, and there are few of them.  The runs of all rules
 * in state 0 are in an array, 8 bytes each, because a reading mostly waits for this memory.
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
    uint32_t *thread;           /* set to the number of the thread that is counted; NULL: all
                                   together */
    uint32_t (*next)(void *ctx, uint32_t state, uint32_t terminal);
    /* The machine goes from `state` to `behind` by `terminal`, this many times. */
    int (*step)(void *ctx, uint32_t state, uint32_t terminal, uint32_t behind, uint64_t times);
    /* All others may be NULL.  An equivalent state for the next terminal `terminal`: the same state
     * follows, and the step does the same. */
    uint32_t (*reduce)(void *ctx, uint32_t state, uint32_t terminal);
    /* Whether the state behind `terminal` is always the same: whatever came before `before`, or
     * (MACHINE_NO_TERMINAL) before `terminal` itself.  NULL: never. */
    bool (*settles)(void *ctx, uint32_t before, uint32_t terminal);
    uint64_t memory;            /* this many terminals also settle a rule; 0: no number does */
    bool (*minds)(void *ctx, uint32_t state);
    /* Called for each run when it and the runs in it are known.  Returns the state behind the run:
     * `behind`, or another one that is equivalent for all input.  May settle the rule if the run is
     * the rule's own.  MACHINE_NO_STATE: no memory. */
    uint32_t (*finish)(void *ctx, size_t run, uint32_t behind, bool minded);
};

#define MACHINE_NO_STATE    UINT32_MAX
#define MACHINE_NO_TERMINAL UINT32_MAX

/* Calls `step` for everything that is read, in any order.  `thread`: only this one, or
 * HOT_ALL_THREADS.  HOT_OK, HOT_E_MEMORY, or the result of `step` if that is not HOT_OK. */
int machine_run(const struct machine *m, const struct wpp_grammar *g, uint32_t thread);

/* ---- The runs themselves: for more than sums over events -------------------------------- */

/* The run of a rule in state 0.  `times` includes its other runs, and all heads in it that are read
 * in other states. */
struct machine_run {
    uint32_t times;             /* modulo 2^32; the rest is in `more` */
    uint32_t behind;
};

struct machine_head {
    uint32_t rule : 31;
    bool settled : 1;           /* the rule with this head is settled */
};

/* The run of a head in another state. */
struct machine_other {
    uint64_t times;
    uint32_t behind;
    uint32_t rule, before;      /* `before` is reduced */
    uint32_t last;              /* the previous other run of this rule; 0: none */
    bool minded;
};

/* Run r < n_rules is the own run of rule r, in state 0; run n_rules + i is other[i].  Times are 0
 * except while threads are counted.  They stay below 2^64, since the number of all events does.  A
 * rule is minded if the machine minds a state behind a terminal of its expansion. */
struct machine_runs {
    const struct machine *m;
    const struct wpp_grammar *g;
    struct machine_run *run;
    uint32_t *first;            /* of each rule, the terminal read first */
    struct machine_head *head;  /* of each rule */
    struct machine_other *other;
    size_t n_other, other_size;
    uint64_t *more;             /* of each rule, times / 2^32 */
    bool *minded;               /* of each rule */
    uint32_t *latest;           /* of each rule, its newest other run; 0: none */
    uint32_t *final;            /* of each rule, the terminal read last; only until all are read */
    uint64_t *table;            /* of other runs (hash-table.h) */
    size_t table_size;
    struct machine_open *open;  /* a stack of runs that are being read */
    size_t depth, open_size;
    bool *touched;              /* of each MACHINE_BLOCK rules: whether some have times */
};

#ifdef WPP_HOSTILE
enum { MACHINE_BLOCK = 2 };
#else
enum { MACHINE_BLOCK = 64 };
#endif

/* Reads all rules in state 0; all runs must be zero at first.  HOT_OK or HOT_E_MEMORY;
 * machine_clear either way. */
int machine_begin(struct machine_runs *s, const struct machine *m, const struct wpp_grammar *g);
void machine_clear(struct machine_runs *s);

/* The run of a rule that is entered in this state: its own, or another one of its head, which is
 * read if it does not exist yet.  Returns as machine_begin. */
int machine_enter_other(struct machine_runs *s, uint32_t rule, uint32_t before, size_t *run);

static inline int machine_enter(struct machine_runs *s, uint32_t rule, uint32_t before,
                                size_t *run)
{
    *run = rule;
    return before ? machine_enter_other(s, rule, before, run) : HOT_OK;
}

/* The other run with this number, if it is one. */
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

/* The states behind the run itself, and behind a rule that uses it. */
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

/* Counts that a rule uses this run `times` more times. */
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

/* Calls `pass` for each run that is entered (and minded, if the machine minds states); runs that
 * contain it come before it.  Leaves all times 0.  Returns the result of `pass`, if not HOT_OK. */
int machine_descend(struct machine_runs *s, void *ctx,
                    int (*pass)(void *ctx, size_t run, uint64_t times));

/* Prefetches the data of a symbol some way ahead. */
enum { MACHINE_AHEAD = 16 };
static inline void machine_fetch(const struct machine_runs *s, uint32_t symbol)
{
    if (symbol & WPP_RULE)
        __builtin_prefetch(&s->run[symbol & ~WPP_RULE], 1);
}

#endif
