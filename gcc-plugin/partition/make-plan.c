/* SPDX-License-Identifier: GPL-3.0-or-later */
/* make-plan.c - the tasks of all routines, distributed over the copies.
 *
 * distribute() is the paper's: the largest task first, to the copy with the least load.  A copy
 * that gets several tasks of a routine has one set of edges, their union, which costs less than
 * their sum.  So the load that counts is that which the copy would have with the task.  (The paper
 * adds up the tasks' own costs: P3_PAPER.)  And with a target, a task goes where it adds least, as
 * long as that copy's load stays below the target: tasks that share increments come together.
 *
 * Which routines are split:
 *
 *      P3_PAPER     those that the program calls in one place at most
 *      P3_SPLIT     each routine is tried, by descending cost: it stays split if the largest
 *                   load falls
 */
#include "gcc-plugin/partition/distinct.h"
#include "gcc-plugin/partition/plan.h"
#include "gcc-plugin/partition/tasks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASKS_PER_COPY = 4,        /* of a routine that is split: enough to even out the loads */
    /* A routine with 1/100 of a copy's fair load may be compared.  It need not be split, nor need
     * any if the largest load is only that much above the fair one. */
    SMALL_SHARE = 100,
    VAIN_TRIES = 8             /* tried routines in a row that gain nothing: then the search ends */
};

struct part {                  /* of the plan: one routine */
    const struct p3_routine *r;
    uint64_t whole;            /* cost in one piece */
    struct p3_tasks tasks;     /* none until it is to be split */
    uint64_t *task_cost;
    bool split;
    uint32_t copy;             /* if not split */
    uint64_t **set, *cost;     /* if split, by copy: the union of its tasks there, and its cost */
};

struct item {
    uint64_t cost;
    uint32_t part, task;       /* PN_NONE: all of the routine */
    uint32_t edges;            /* of the routine: evens out what costs nothing */
};

struct planner {
    const struct p3_config *config;
    struct distinct d;
    struct part *part;
    uint64_t total;            /* of whole routines */
    struct item *item;
    uint32_t n_items;
    uint64_t load[P3_MAX_COPIES], edges[P3_MAX_COPIES];
    uint64_t target;           /* tasks go where they add least, as long as the load stays below */
};

/* ---- Costs ----------------------------------------------------------------------------------- */

static bool cost_of(const struct planner *p, const struct part *part, const uint64_t *set,
                    uint64_t *cost)
{
    return p3_probes(part->r, set, &p->config->prices, NULL, cost);
}

static bool find_whole_cost(struct planner *p, struct part *part)
{
    uint64_t *all = p3_full_set(part->r->graph->n_dag);
    bool ok = all && cost_of(p, part, all, &part->whole);

    free(all);
    p->total += part->whole;
    return ok;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static bool split_routine(const struct planner *p, const struct part *part, struct p3_tasks *out)
{
    const struct p3_config *config = p->config;
    const struct pn_graph *g = part->r->graph;

    if (config->method == P3_SPLIT)
        return p3_tasks_by_cost(out, part->r, &config->prices,
                                config->tasks ? config->tasks : TASKS_PER_COPY * config->copies);
    return p3_tasks_in_order(out, g, config->tasks ? config->tasks
                                                   : p3_task_threshold(g, config->copies));
}

static bool make_tasks(const struct planner *p, struct part *part)
{
    bool ok = split_routine(p, part, &part->tasks);

    if (ok) {
        part->task_cost = calloc(part->tasks.n, sizeof *part->task_cost);
        part->set = calloc(p->config->copies, sizeof *part->set);
        part->cost = calloc(p->config->copies, sizeof *part->cost);
        ok = part->task_cost && part->set && part->cost;
    }
    for (uint32_t t = 0; ok && t < part->tasks.n; t++)
        ok = cost_of(p, part, part->tasks.set[t], &part->task_cost[t]);
    return ok;
}

static void clear_sets(const struct planner *p, struct part *part)
{
    for (uint32_t c = 0; part->set && part->cost && c < p->config->copies; c++) {
        free(part->set[c]);
        part->set[c] = NULL;
        part->cost[c] = 0;
    }
}

static void free_part(const struct planner *p, struct part *part)
{
    clear_sets(p, part);
    p3_tasks_free(&part->tasks);
    free(part->task_cost);
    free(part->set);
    free(part->cost);
}

/* ---- Distributing ---------------------------------------------------------------------------- */

static int largest_first(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    if (x->edges != y->edges)
        return x->edges > y->edges ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

static bool list_items(struct planner *p)
{
    size_t n = 0;

    for (uint32_t i = 0; i < p->d.n; i++)
        n += p->part[i].split ? p->part[i].tasks.n : 1;
    free(p->item);
    p->item = calloc(n + 1, sizeof *p->item);
    if (!p->item)
        return false;
    p->n_items = 0;
    for (uint32_t i = 0; i < p->d.n; i++) {
        const struct part *part = &p->part[i];
        uint32_t edges = part->r->graph->n_dag;

        if (!part->split)
            p->item[p->n_items++] = (struct item){part->whole, i, PN_NONE, edges};
        for (uint32_t t = 0; part->split && t < part->tasks.n; t++)
            p->item[p->n_items++] = (struct item){part->task_cost[t], i, t, edges};
    }
    qsort(p->item, p->n_items, sizeof *p->item, largest_first);
    return true;
}

static bool is_better(const struct planner *p, uint64_t load, uint32_t copy, uint64_t best_load,
                      uint32_t best)
{
    return load != best_load ? load < best_load : p->edges[copy] < p->edges[best];
}

static void place_whole(struct planner *p, const struct item *item)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < p->config->copies; c++)
        if (is_better(p, p->load[c], c, p->load[best], best))
            best = c;
    p->part[item->part].copy = best;
    p->load[best] += item->cost;
    p->edges[best] += item->edges;
}

static void add_set(uint64_t *to, const uint64_t *set, uint32_t n_edges)
{
    for (size_t i = 0; i < p3_words(n_edges); i++)
        to[i] |= set[i];
}

/* What copy c would have of the routine with the task, and its cost; NULL without memory. */
static uint64_t *with_task(const struct planner *p, const struct part *part, uint32_t c,
                           uint32_t task, uint64_t *cost)
{
    uint32_t n = part->r->graph->n_dag;
    uint64_t *set = p3_new_set(n);

    *cost = part->task_cost[task];
    if (!set)
        return NULL;
    add_set(set, part->tasks.set[task], n);
    if (!part->set[c])
        return set;
    add_set(set, part->set[c], n);
    if (p->config->method == P3_PAPER) {
        *cost += part->cost[c];
    } else if (!cost_of(p, part, set, cost)) {
        free(set);
        return NULL;
    }
    return set;
}

/* A copy for a task. */
struct offer {
    uint32_t copy;
    uint64_t *set, cost;       /* of the routine, with the task */
    uint64_t load, more;       /* of the copy, and what of it the task adds */
    uint32_t new_edges;        /* that no task of the routine there has */
};

static bool is_better_offer(const struct planner *p, const struct offer *a, const struct offer *b)
{
    bool fits = a->load <= p->target, other_fits = b->load <= p->target;

    if (fits != other_fits)
        return fits;
    if (fits && a->more != b->more)
        return a->more < b->more;
    if (a->load == b->load && a->new_edges != b->new_edges)
        return a->new_edges < b->new_edges;
    return is_better(p, a->load, a->copy, b->load, b->copy);
}

static uint32_t new_edges(const struct part *part, uint32_t c, uint32_t task)
{
    uint32_t n = 0;

    for (size_t i = 0; i < p3_words(part->r->graph->n_dag); i++) {
        uint64_t there = part->set[c] ? part->set[c][i] : 0;

        n += (uint32_t)__builtin_popcountll(part->tasks.set[task][i] & ~there);
    }
    return n;
}

static bool place_task(struct planner *p, const struct item *item)
{
    struct part *part = &p->part[item->part];
    struct offer best = {0};

    for (uint32_t c = 0; c < p->config->copies; c++) {
        struct offer o = {.copy = c, .new_edges = new_edges(part, c, item->task)};

        o.set = with_task(p, part, c, item->task, &o.cost);
        if (!o.set) {
            free(best.set);
            return false;
        }
        o.load = p->load[c] - part->cost[c] + o.cost;
        o.more = o.load > p->load[c] ? o.load - p->load[c] : 0;
        if (!best.set || is_better_offer(p, &o, &best)) {
            free(best.set);
            best = o;
        } else {
            free(o.set);
        }
    }
    free(part->set[best.copy]);
    part->set[best.copy] = best.set;
    part->cost[best.copy] = best.cost;
    p->load[best.copy] = best.load;
    p->edges[best.copy] += item->edges;
    return true;
}

static bool distribute(struct planner *p, uint64_t *largest)
{
    memset(p->load, 0, sizeof p->load);
    memset(p->edges, 0, sizeof p->edges);
    for (uint32_t i = 0; i < p->d.n; i++)
        clear_sets(p, &p->part[i]);
    if (!list_items(p))
        return false;
    for (uint32_t i = 0; i < p->n_items; i++) {
        if (p->item[i].task == PN_NONE)
            place_whole(p, &p->item[i]);
        else if (!place_task(p, &p->item[i]))
            return false;
    }
    *largest = 0;
    for (uint32_t c = 0; c < p->config->copies; c++)
        if (*largest < p->load[c])
            *largest = p->load[c];
    return true;
}

/* ---- Which routines are split ---------------------------------------------------------------- */

static bool split_as_the_paper(struct planner *p)
{
    for (uint32_t i = 0; i < p->d.n; i++) {
        struct part *part = &p->part[i];

        if (part->r->callers > 1 && part->r->callers != PN_NONE)
            continue;
        if (!make_tasks(p, part))
            return false;
        part->split = part->tasks.n > 1;
    }
    return true;
}

/* Whether the largest load falls below *best with some target; the one that lowers it
 * most stays. */
static bool find_target(struct planner *p, uint64_t *best, bool *found)
{
    static const struct { unsigned numerator, denominator; } share[] = {
        {0, 1}, {31, 32}, {7, 8}, {3, 4}, {5, 8}, {1, 2}
    };
    uint64_t before = *best, target = p->target, largest;

    *found = false;
    for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
        p->target = before / share[i].denominator * share[i].numerator;
        if (!distribute(p, &largest))
            return false;
        if (largest < *best) {
            *best = largest;
            target = p->target;
            *found = true;
        }
    }
    p->target = target;
    return true;
}

static bool split_by_trying(struct planner *p)
{
    uint64_t best, fair = p->total / p->config->copies, least = fair / SMALL_SHARE;
    uint32_t n = p->d.n, vain = 0, *by_cost = calloc(n + (size_t)1, sizeof *by_cost);
    bool ok = by_cost && distribute(p, &best);

    for (uint32_t i = 0; ok && i < n; i++)
        by_cost[i] = p->item[i].part;      /* nothing is split yet: an item is a routine */
    for (uint32_t i = 0; ok && i < n; i++) {
        struct part *part = &p->part[by_cost[i]];
        bool found;

        if (part->whole <= least || best <= fair + least || vain == VAIN_TRIES)
            break;
        ok = make_tasks(p, part);
        if (!ok || part->tasks.n < 2)
            continue;
        part->split = true;
        ok = find_target(p, &best, &found);
        part->split = found;
        vain = found ? 0 : vain + 1;
    }
    free(by_cost);
    return ok;
}

/* ---- The routine that is compared ------------------------------------------------------------ */

static uint64_t activity(const struct part *part)
{
    const struct pn_graph *g = part->r->graph;
    uint64_t n = 0;

    for (uint32_t e = g->first[g->entry]; e < g->first[g->entry + 1]; e++)
        n += part->r->count ? part->r->count[e] : 1;
    return n;
}

/* Whether a is to be compared rather than b: of those with a cost of at most `most` the largest,
 * for the more is counted the more is noticed; otherwise the smallest. */
static bool is_rather(const struct part *a, const struct part *b, uint64_t most)
{
    if ((a->whole <= most) != (b->whole <= most))
        return a->whole <= most;
    if (a->whole != b->whole)
        return (a->whole > b->whole) == (a->whole <= most);
    return activity(a) > activity(b);
}

static struct part *choose_compared(struct planner *p)
{
    uint64_t most = p->total / p->config->copies / SMALL_SHARE;
    struct part *best = NULL;

    for (uint32_t i = 0; i < p->d.n; i++) {
        struct part *part = &p->part[i];

        if (part->r->count && activity(part) == 0)
            continue;
        /* Nothing says that the others run at all. */
        if (!part->r->count && strcmp(part->r->name, "main") == 0)
            return part;
        if (!best || is_rather(part, best, most))
            best = part;
    }
    return best;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static bool write_entry(const struct planner *p, struct part *part, bool everywhere, uint64_t hash,
                        struct p3_entry *out)
{
    uint32_t n = part->r->graph->n_dag, copies = p->config->copies;

    *out = (struct p3_entry){
        .file = strdup(part->r->file), .name = strdup(part->r->name), .hash = hash, .n_edges = n,
        .compared = everywhere, .set = calloc(copies, sizeof *out->set)
    };
    if (!out->file || !out->name || !out->set)
        return false;
    for (uint32_t c = 0; c < copies; c++) {
        if (part->split && !everywhere) {
            out->set[c] = part->set[c];
            part->set[c] = NULL;
        } else if (everywhere || c == part->copy) {
            out->set[c] = p3_full_set(n);
            if (!out->set[c])
                return false;
        }
    }
    return true;
}

static struct p3_plan *write_plan(struct planner *p)
{
    struct p3_plan *plan = calloc(1, sizeof *plan);
    struct part *compared = p->config->compare ? choose_compared(p) : NULL;
    bool ok = plan && (plan->entry = calloc(p->d.n + (size_t)1, sizeof *plan->entry)) != NULL;

    if (plan) {
        plan->copies = p->config->copies;
        plan->measured = p->config->measured;
    }
    for (uint32_t i = 0; ok && i < p->d.n; i++) {
        struct part *part = &p->part[i];

        plan->n++;
        ok = write_entry(p, part, part == compared, p->d.hash[i], &plan->entry[i]);
    }
    if (ok)
        ok = p3_loads(plan, p->d.routine, p->d.n, &p->config->prices, plan->load);
    if (!ok) {
        p3_plan_free(plan);
        plan = NULL;
    }
    return plan;
}

static bool plan_all(struct planner *p)
{
    uint64_t largest;

    for (uint32_t i = 0; i < p->d.n; i++) {
        p->part[i].r = &p->d.routine[i];
        if (!find_whole_cost(p, &p->part[i]))
            return false;
    }
    if (p->config->copies > 1) {
        if (p->config->method == P3_PAPER && !split_as_the_paper(p))
            return false;
        if (p->config->method == P3_SPLIT && !split_by_trying(p))
            return false;
    }
    return distribute(p, &largest);
}

struct p3_plan *p3_make_plan(const struct p3_routine *routine, uint32_t n,
                             const struct p3_config *config)
{
    struct planner p = {.config = config};
    struct p3_plan *plan = NULL;

    if (config->copies < 1 || config->copies > P3_MAX_COPIES
        || !distinct_new(&p.d, routine, n, config->measured))
        return NULL;
    p.part = calloc(p.d.n + (size_t)1, sizeof *p.part);
    if (p.part && plan_all(&p))
        plan = write_plan(&p);
    for (uint32_t i = 0; p.part && i < p.d.n; i++)
        free_part(&p, &p.part[i]);
    free(p.part);
    free(p.item);
    distinct_free(&p.d);
    return plan;
}
