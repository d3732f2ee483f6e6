/* SPDX-License-Identifier: MIT */
#include "wpp/samples/path-estimate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MATCHES = 1 << 14, MOST_LIKELY = 64, ROUNDS = 40 };
#define LEAST_CHANCE 1e-4

/* ---- Numbers of what leads to a vertex, and from it --------------------------------------------- */

struct way {
    uint64_t val;              /* sum of its edges' */
    double chance;
};
struct ways {
    uint32_t n, capacity;
    struct way *way;
    bool failed;
};

static void add_way(struct ways *w, struct way way)
{
    if (w->n == w->capacity) {
        uint32_t n = w->capacity ? 2 * w->capacity : 256;
        struct way *more = realloc(w->way, n * sizeof *more);
        if (!more) {
            w->failed = true;
            return;
        }
        w->way = more;
        w->capacity = n;
    }
    w->way[w->n++] = way;
}

/* Chances of a routine's edges, forwards and backwards; NULL: all are the same. */
struct chances {
    const double *forwards, *backwards;
};

/* All ways from v to EXIT; with chances those that are likely. */
static void ways_from(const struct path_graph *g, const struct chances *c, uint32_t v, struct way sum,
                      struct ways *out)
{
    if (v == 1) {
        add_way(out, sum);
        return;
    }
    for (uint32_t i = g->first[v]; i < g->first[v + 1] && !out->failed; i++) {
        struct way next = {sum.val + g->edge[i].val, sum.chance * (c ? c->forwards[i] : 1)};
        if (!c || next.chance >= LEAST_CHANCE)
            ways_from(g, c, g->edge[i].dst, next, out);
    }
}

static void ways_to(const struct path_graph *g, const struct chances *c, uint32_t v, struct way sum,
                    struct ways *out)
{
    if (v == 0) {
        add_way(out, sum);
        return;
    }
    for (uint32_t k = g->in_first[v]; k < g->in_first[v + 1] && !out->failed; k++) {
        uint32_t i = g->in[k];
        struct way next = {sum.val + g->edge[i].val, sum.chance * (c ? c->backwards[i] : 1)};
        if (!c || next.chance >= LEAST_CHANCE)
            ways_to(g, c, g->edge[i].src, next, out);
    }
}

static int by_chance(const void *a, const void *b)
{
    const struct way *x = a, *y = b;

    if (x->chance != y->chance)
        return x->chance < y->chance ? 1 : -1;
    return (x->val > y->val) - (x->val < y->val);
}

/* Keeps the most likely. */
static void keep_likely(struct ways *w)
{
    if (w->n > MOST_LIKELY) {
        qsort(w->way, w->n, sizeof *w->way, by_chance);
        w->n = MOST_LIKELY;
    }
}

/* ---- Partial paths of a routine -------------------------------------------------------------------- */

static int by_routine(const void *a, const void *b)
{
    const struct partial_path *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    for (uint32_t i = 0; i < x->n && i < y->n; i++)
        if (x->edge[i] != y->edge[i])
            return x->edge[i] < y->edge[i] ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->age > y->age) - (x->age < y->age);
}

static struct partial_path *in_order(const struct partial_paths *found)
{
    struct partial_path *list = malloc((found->n + 1) * sizeof *list);
    uint64_t n = 0;

    for (uint64_t i = 0; list && i < found->n_slots; i++)
        n += partial_paths_get(found, i, &list[n]);
    if (list && n > 0)
        qsort(list, n, sizeof *list, by_routine);
    return list;
}

static uint32_t end_of(const struct path_graph *g, const struct partial_path *p)
{
    return p->n ? g->edge[p->edge[p->n - 1]].dst : p->vertex;
}

static uint64_t val_of(const struct path_graph *g, const struct partial_path *p)
{
    uint64_t val = 0;

    for (uint32_t i = 0; i < p->n; i++)
        val += g->edge[p->edge[i]].val;
    return val;
}

/* ---- Sums -------------------------------------------------------------------------------------------- */

static bool add_estimate(struct path_estimates *e, uint32_t routine, uint64_t path, double count)
{
    if (e->n == e->capacity) {
        uint64_t n = e->capacity ? 2 * e->capacity : 1024;
        struct path_estimate *more = realloc(e->path, n * sizeof *more);
        if (!more)
            return false;
        e->path = more;
        e->capacity = n;
    }
    e->path[e->n++] = (struct path_estimate){routine, path, count};
    return true;
}

static int by_path(const void *a, const void *b)
{
    const struct path_estimate *x = a, *y = b;

    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->path > y->path) - (x->path < y->path);
}

/* Joins entries of one path, from the first-th on. */
static void join(struct path_estimates *e, uint64_t first)
{
    uint64_t n = first;

    if (e->n > first)
        qsort(e->path + first, e->n - first, sizeof *e->path, by_path);
    for (uint64_t i = first; i < e->n; i++)
        if (n > first && by_path(&e->path[n - 1], &e->path[i]) == 0)
            e->path[n - 1].count += e->path[i].count;
        else
            e->path[n++] = e->path[i];
    e->n = n;
}

/* ---- Equal parts --------------------------------------------------------------------------------------- */

static bool spread_equally(struct path_estimates *e, const struct path_graph *g,
                           const struct partial_path *p, struct ways *to, struct ways *from)
{
    uint32_t end = end_of(g, p);
    double matches = g->from_entry[p->vertex] * g->to_exit[end];

    if (p->vertex == 0)
        matches = g->to_exit[end];
    if (matches > MOST_MATCHES) {
        e->unspread += (double)p->count;
        return true;
    }
    e->spread += (double)p->count;
    to->n = from->n = 0;
    ways_to(g, NULL, p->vertex, (struct way){val_of(g, p), 1}, to);
    ways_from(g, NULL, end, (struct way){0, 1}, from);
    for (uint32_t i = 0; i < to->n; i++)
        for (uint32_t k = 0; k < from->n; k++)
            if (!add_estimate(e, p->routine, to->way[i].val + from->way[k].val,
                              (double)p->count / to->n / from->n))
                return false;
    return !to->failed && !from->failed;
}

static bool take_whole(struct path_estimates *e, const struct path_graph *g, const struct partial_path *p)
{
    bool whole = p->vertex == 0 && end_of(g, p) == 1;

    *(whole ? &e->spread : &e->unspread) += (double)p->count;
    return !whole || add_estimate(e, p->routine, val_of(g, p), (double)p->count);
}

/* ---- Flow ------------------------------------------------------------------------------------------------ */

/* An execution of a path has an age: branches from its begin to its end, those of callees with them.  A
 * sample shows it whole, or its begin and `age` further branches, or its end with `age` branches before it, but not
 * the branch with which it began.  In the last two cases its own age is larger:
 *
 *      count[path][0 .. OLD)    executions of that age
 *      count[path][OLD]         of any larger age: no sample shows them whole
 *
 * Each execution has equally many begins and ends in samples, one for each place that these can have. */
enum { OLD = 64, AGES = OLD + 1 };

struct seen_part {
    double count;              /* begins and ends, halves of executions */
    uint32_t age;
    bool whole;
    uint64_t first, end;       /* pairs: the full paths that contain it */
};

struct likelihood {
    uint64_t n_seen, n_pairs, cap_pairs, n_paths;
    struct seen_part *seen;
    struct { uint64_t path; double chance; } *pair;
    double (*count)[AGES];     /* by path, from the routine's first estimate on */
    double (*older)[AGES];     /* those with an age larger than the index */
    double (*wanted)[AGES];    /* what of the parts of that age falls to each of them */
};

/* How likely each edge is among those of its source, and of its target. */
static bool find_chances(const struct path_graph *g, const struct partial_path *p, uint64_t n,
                         double *forwards, double *backwards)
{
    double *out = calloc(g->n_vertices, sizeof *out), *in = calloc(g->n_vertices, sizeof *in);

    for (uint32_t i = 0; i < g->n_edges; i++)
        forwards[i] = 1e-3;
    for (uint64_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < p[k].n; i++)
            forwards[p[k].edge[i]] += (double)p[k].count;
    for (uint32_t i = 0; out && in && i < g->n_edges; i++) {
        out[g->edge[i].src] += forwards[i];
        in[g->edge[i].dst] += forwards[i];
    }
    for (uint32_t i = 0; out && in && i < g->n_edges; i++) {
        backwards[i] = forwards[i] / in[g->edge[i].dst];
        forwards[i] /= out[g->edge[i].src];
    }
    free(out);
    free(in);
    return out && in;
}

static bool room_for_pairs(struct likelihood *l, uint64_t n)
{
    void *more;

    if (l->n_pairs + n <= l->cap_pairs)
        return true;
    l->cap_pairs = 2 * (l->n_pairs + n);
    more = realloc(l->pair, l->cap_pairs * sizeof *l->pair);
    if (more)
        l->pair = more;
    return more != NULL;
}

/* Adds a part with all likely paths that contain it. */
static bool add_part(struct likelihood *l, const struct path_graph *g, const struct chances *c,
                     const struct partial_path *p, unsigned views, struct ways *to, struct ways *from)
{
    struct seen_part *s = &l->seen[l->n_seen];
    uint32_t age = p->vertex != 0 && p->age > 0 ? p->age - 1 : p->age;    /* the end is a branch itself */

    to->n = from->n = 0;
    ways_to(g, c, p->vertex, (struct way){val_of(g, p), 1}, to);
    ways_from(g, c, end_of(g, p), (struct way){0, 1}, from);
    keep_likely(to);
    keep_likely(from);
    if (to->failed || from->failed || !room_for_pairs(l, (uint64_t)to->n * from->n))
        return false;
    *s = (struct seen_part){.count = (double)p->count * views / 2, .age = age < OLD ? age : OLD - 1,
                            .whole = views == 2, .first = l->n_pairs};
    for (uint32_t i = 0; i < to->n; i++)
        for (uint32_t k = 0; k < from->n; k++) {
            l->pair[l->n_pairs].path = to->way[i].val + from->way[k].val;
            l->pair[l->n_pairs++].chance = to->way[i].chance * from->way[k].chance;
        }
    s->end = l->n_pairs;
    l->n_seen += s->end > s->first;
    return true;
}

static struct path_estimate *find(struct path_estimates *e, uint64_t first, uint32_t routine, uint64_t path)
{
    struct path_estimate key = {routine, path, 0};

    return bsearch(&key, e->path + first, e->n - first, sizeof key, by_path);
}

/* Lists the paths of all pairs, and has the pairs name them by their places. */
static bool list_paths(struct likelihood *l, struct path_estimates *e, uint32_t routine, uint64_t at)
{
    for (uint64_t k = 0; k < l->n_pairs; k++)
        if (!add_estimate(e, routine, l->pair[k].path, 0))
            return false;
    join(e, at);
    l->n_paths = e->n - at;
    for (uint64_t k = 0; k < l->n_pairs; k++)
        l->pair[k].path = (uint64_t)(find(e, at, routine, l->pair[k].path) - e->path) - at;
    l->count = calloc(l->n_paths + 1, sizeof *l->count);
    l->older = calloc(l->n_paths + 1, sizeof *l->older);
    l->wanted = calloc(l->n_paths + 1, sizeof *l->wanted);
    return l->count && l->older && l->wanted;
}

/* What was seen whole; of the rest, by the chances of the edges, as if it was old. */
static void begin_counts(struct likelihood *l)
{
    for (uint64_t i = 0; i < l->n_seen; i++) {
        const struct seen_part *s = &l->seen[i];
        double sum = 0;

        for (uint64_t k = s->first; k < s->end; k++)
            sum += l->pair[k].chance;
        for (uint64_t k = s->first; k < s->end; k++)
            l->count[l->pair[k].path][s->whole ? s->age : OLD] += s->count * l->pair[k].chance / sum;
    }
}

static void improve_counts(struct likelihood *l)
{
    for (uint64_t p = 0; p < l->n_paths; p++) {
        l->older[p][OLD] = 0;
        for (unsigned age = OLD; age-- > 0;)
            l->older[p][age] = l->older[p][age + 1] + l->count[p][age + 1];
    }
    memset(l->wanted, 0, l->n_paths * sizeof *l->wanted);
    for (uint64_t i = 0; i < l->n_seen; i++) {
        const struct seen_part *s = &l->seen[i];
        double sum = 0;

        for (uint64_t k = s->first; !s->whole && k < s->end; k++)
            sum += l->older[l->pair[k].path][s->age];
        for (uint64_t k = s->first; sum > 0 && k < s->end; k++)
            l->wanted[l->pair[k].path][s->age] += s->count / sum;
    }
    for (uint64_t p = 0; p < l->n_paths; p++) {
        double factor = 0;
        for (unsigned age = 0; age < AGES; age++) {
            l->count[p][age] *= factor;
            factor += l->wanted[p][age];
        }
    }
    for (uint64_t i = 0; i < l->n_seen; i++)
        if (l->seen[i].whole)
            l->count[l->pair[l->seen[i].first].path][l->seen[i].age] += l->seen[i].count;
}

static void take_counts(const struct likelihood *l, struct path_estimates *e, uint64_t at)
{
    for (uint64_t p = 0; p < l->n_paths; p++)
        for (unsigned age = 0; age < AGES; age++)
            e->path[at + p].count += l->count[p][age];
}

/* The routine's partial paths p[0 .. n). */
static bool estimate_routine(struct path_estimates *e, const struct path_graph *g,
                             const struct partial_path *p, uint64_t n, struct ways *to, struct ways *from)
{
    struct likelihood l = {0};
    double *forwards = malloc(g->n_edges * sizeof *forwards);
    double *backwards = malloc(g->n_edges * sizeof *backwards);
    struct chances c = {forwards, backwards};
    uint64_t at = e->n;
    bool done;

    l.seen = malloc((n + 1) * sizeof *l.seen);
    done = forwards && backwards && l.seen && find_chances(g, p, n, forwards, backwards);
    for (uint64_t i = 0; done && i < n; i++) {
        unsigned views = (p[i].vertex == 0) + (end_of(g, &p[i]) == 1);
        if (views > 0)
            done = add_part(&l, g, &c, &p[i], views, to, from);
        *(views > 0 ? &e->spread : &e->unspread) += (double)p[i].count;
    }
    done = done && list_paths(&l, e, p->routine, at);
    if (done) {
        begin_counts(&l);
        for (unsigned round = 0; round < ROUNDS; round++)
            improve_counts(&l);
        take_counts(&l, e, at);
    }
    free(forwards);
    free(backwards);
    free(l.seen);
    free(l.pair);
    free(l.count);
    free(l.older);
    free(l.wanted);
    return done;
}

/* ---- All ---------------------------------------------------------------------------------------------------- */

static bool estimate_all(struct path_estimates *e, const struct partial_path *list, uint64_t n,
                         struct path_graphs *graphs, enum estimate_how how)
{
    struct ways to = {0}, from = {0};
    bool done = true;

    for (uint64_t i = 0, k; done && i < n; i = k) {
        const struct path_graph *g = path_graphs_of(graphs, list[i].routine);
        uint64_t at = e->n;

        for (k = i; k < n && list[k].routine == list[i].routine; k++)
            ;
        if (!g)
            done = false;
        else if (how == ESTIMATE_FLOW)
            done = estimate_routine(e, g, list + i, k - i, &to, &from);
        for (uint64_t j = i; done && how != ESTIMATE_FLOW && j < k; j++)
            done = how == ESTIMATE_WHOLE ? take_whole(e, g, &list[j])
                                         : spread_equally(e, g, &list[j], &to, &from);
        if (how != ESTIMATE_FLOW)
            join(e, at);
    }
    free(to.way);
    free(from.way);
    return done;
}

bool path_estimates_new(struct path_estimates *out, const struct partial_paths *found,
                        struct path_graphs *graphs, enum estimate_how how)
{
    struct partial_path *list = in_order(found);

    *out = (struct path_estimates){0};
    if (list && estimate_all(out, list, found->n, graphs, how)) {
        free(list);
        return true;
    }
    free(list);
    path_estimates_free(out);
    return false;
}

void path_estimates_free(struct path_estimates *e)
{
    free(e->path);
    *e = (struct path_estimates){0};
}
