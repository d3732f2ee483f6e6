/* SPDX-License-Identifier: MIT */
/* numbering-random.c - path numbering on many random graphs, against enumeration.
 *
 * The oracle knows nothing of NumPaths, spanning trees or orders: it walks all
 * paths of the cut graph one by one, adds up what lies on their edges and
 * compares; and it runs the uncut graph as instrumented code would and asks
 * the emitted numbers where it has been. */
#include "gcc-plugin/numbering/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { MOST_PATHS = 3000, MOST_STEPS = 64 };

/* ---- Graphs ---------------------------------------------------------------- */

static uint64_t chance_state;

/* splitmix64 */
static uint64_t chance(uint64_t below)
{
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static uint64_t random_weight(void)
{
    return chance(20) == 0 ? UINT64_MAX - chance(3) : chance(6);
}

static void add_random_edge(struct pn_graph *g, uint32_t src, uint32_t dst, uint32_t flags)
{
    uint32_t edge = pn_add_edge(g, src, dst, random_weight(), flags);

    g->edge[edge].end_weight = random_weight();
}

static uint64_t random_limit(void)
{
    static const uint64_t limits[] = {2, 2, 3, 4, 8, 100, 4096, (uint64_t)1 << 32};

    return limits[chance(sizeof limits / sizeof *limits)];
}

enum shape { ANY, ACYCLIC, ENDLESS, N_SHAPES };

/* Inner vertices are 0 .. n-1, ENTRY n, EXIT n + 1; all are renamed by chance.
 * ENDLESS graphs have few ways to EXIT or none. */
static uint32_t random_target(enum shape shape, uint32_t src, uint32_t n)
{
    if (shape == ACYCLIC) {
        uint32_t from = src < n ? src + 1 : 0;
        uint32_t dst = from + (uint32_t)chance(n + 1 - from);
        return dst == n ? n + 1 : dst;
    }
    return chance(shape == ENDLESS ? 10 * n : n + 1) == 0 ? n + 1 : (uint32_t)chance(n);
}

static struct pn_graph *random_graph(enum shape shape)
{
    uint32_t n = 1 + (uint32_t)chance(9), name[16] = { 0 };
    uint32_t cuts = chance(2) ? 0 : 4 + (uint32_t)chance(12);
    struct pn_graph *g;

    for (uint32_t v = 0; v < n + 2; v++) {
        uint32_t other = (uint32_t)chance(v + 1);
        name[v] = name[other];
        name[other] = v;
    }
    g = pn_new(n + 2, name[n], name[n + 1]);
    for (uint32_t src = 0; src < n + 1; src++) {
        uint32_t degree = src == n ? 1 + (chance(4) == 0) : 1 + (uint32_t)chance(3);
        bool in_block = cuts && chance(cuts) == 0;
        for (uint32_t k = 0; k < degree; k++) {
            uint32_t flags = in_block ? PN_CUT | PN_SHARED_END : 0;
            if (cuts && chance(cuts) == 0)
                flags |= PN_CUT;
            if (cuts && chance(cuts) == 0)
                flags |= PN_SHARED_END;
            add_random_edge(g, name[src], name[random_target(shape, src, n)], flags);
        }
    }
    return g;
}

/* Programs of ifs, loops, calls, breaks and continues: reducible graphs. */
struct program {
    struct pn_graph *g;
    uint32_t next, last;      /* vertices not yet used: next .. last-1 */
};

static void flow(struct program *p, uint32_t src, uint32_t dst, uint32_t flags)
{
    if (chance(12) == 0)
        flags |= PN_CUT;
    add_random_edge(p->g, src, dst, flags);
}

static uint32_t statements(struct program *p, uint32_t at, uint32_t header, uint32_t after);

/* Where control stands after a statement that began at `at`, inside the loop
 * header .. after (PN_NONE: none). */
static uint32_t statement(struct program *p, uint32_t at, uint32_t header, uint32_t after)
{
    uint32_t a = p->next++, b = p->next++, end;

    switch (chance(6)) {
    case 0:                                   /* if (...) { } */
        flow(p, at, a, 0);
        flow(p, at, b, 0);
        flow(p, statements(p, a, header, after), b, 0);
        return b;
    case 1:                                   /* while (...) { } */
        end = p->next++;
        flow(p, at, end, 0);
        flow(p, end, a, 0);
        flow(p, end, b, 0);
        flow(p, statements(p, a, end, b), end, 0);
        return b;
    case 2:                                   /* do { } while (...) */
        flow(p, at, a, 0);
        end = statements(p, a, a, b);
        flow(p, end, a, 0);
        flow(p, end, b, 0);
        return b;
    case 3:                                   /* call */
        flow(p, at, a, PN_CUT | PN_SHARED_END);
        return a;
    case 4:                                   /* if (...) break; or continue; */
        flow(p, at, a, 0);
        if (header != PN_NONE)
            flow(p, at, chance(2) ? header : after, 0);
        return a;
    default:
        flow(p, at, a, 0);
        return a;
    }
}

static uint32_t statements(struct program *p, uint32_t at, uint32_t header, uint32_t after)
{
    for (uint64_t n = chance(4); n > 0 && p->next + 3 <= p->last; n--)
        at = statement(p, at, header, after);
    return at;
}

static struct pn_graph *random_program(void)
{
    struct program p = {pn_new(24, 0, 1), 3, 24};
    uint32_t at = 2;

    pn_add_edge(p.g, 0, 2, 1, 0);
    while (p.next + 3 <= p.last && chance(8))
        at = statement(&p, at, PN_NONE, PN_NONE);
    pn_add_edge(p.g, at, 1, 1, 0);
    return p.g;
}

static struct pn_graph *random_of_all(void)
{
    uint64_t shape = chance(N_SHAPES + 1);

    return shape == N_SHAPES ? random_program() : random_graph((enum shape)shape);
}

/* ---- Oracle: reachability and counts --------------------------------------- */

/* Marks what `from` reaches over CFG edges, but not through `without`. */
static void reach(const struct pn_graph *g, uint32_t from, uint32_t without, bool asked_cuts,
                  bool *reached)
{
    bool more = from != without;

    memset(reached, 0, g->n_vertices);
    reached[from] = more;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < g->n_edges; i++) {
            const struct pn_edge *e = &g->edge[i];
            if (!reached[e->src] || reached[e->dst] || e->dst == without
                || (!asked_cuts && (e->flags & PN_CUT)))
                continue;
            reached[e->dst] = more = true;
        }
    }
}

/* Is the edge cut, or (not `limited`) was it before the limit? */
static bool is_cut(const struct pn_edge *e, bool limited)
{
    return e->cut && (limited || !e->limited);
}

/* A cut edge ends a path of its own, unless a shared one did it before. */
static bool ends_own_path(const struct pn_graph *g, uint32_t index, bool limited)
{
    const struct pn_edge *e = &g->edge[index];

    for (uint32_t i = 0; i < index && (e->flags & PN_SHARED_END); i++)
        if (g->edge[i].src == e->src && is_cut(&g->edge[i], limited)
            && (g->edge[i].flags & PN_SHARED_END))
            return false;
    return true;
}

/* Paths from v to an end, by walking them all. */
static uint64_t count_from(const struct pn_graph *g, uint32_t v)
{
    uint64_t n = v == g->exit;

    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct pn_edge *e = &g->edge[i];
        if (e->src == v)
            n += e->cut ? ends_own_path(g, i, true) : count_from(g, e->dst);
    }
    return n;
}

/* ---- Oracle: every path ---------------------------------------------------- */

struct walk {
    const struct pn_graph *g;
    uint32_t dag[MOST_STEPS], n;
    uint64_t n_paths, real_below, others_from;
    bool *taken;
    const char *wrong;
};

static void path_ends(struct walk *w)
{
    const struct pn_graph *g = w->g;
    uint32_t again[MOST_STEPS];
    uint64_t val = 0, inc = 0;

    w->n_paths++;
    for (uint32_t i = 0; i < w->n; i++) {
        val += g->dag[w->dag[i]].val;
        inc += (uint64_t)g->dag[w->dag[i]].inc;
    }
    if (val >= g->num_paths)
        w->wrong = "a path's number is too large";
    else if (w->taken[val])
        w->wrong = "two paths have one number";
    else if (inc != val)
        w->wrong = "increments do not sum to the number";
    else if (pn_regenerate(g, val, again, MOST_STEPS) != w->n
             || memcmp(again, w->dag, w->n * sizeof *again) != 0)
        w->wrong = "regeneration gives another path";
    if (w->wrong)
        return;
    w->taken[val] = true;
    if (g->dag[w->dag[0]].kind == PN_REAL)
        w->real_below = val >= w->real_below ? val + 1 : w->real_below;
    else
        w->others_from = val < w->others_from ? val : w->others_from;
}

static void walk_from(struct walk *w, uint32_t v)
{
    const struct pn_graph *g = w->g;

    if (v == g->exit) {
        path_ends(w);
        return;
    }
    for (uint32_t i = 0; i < g->n_edges && !w->wrong; i++) {
        const struct pn_edge *e = &g->edge[i];
        if (e->src != v || (e->cut && !ends_own_path(g, i, true)))
            continue;
        if (w->n > g->n_vertices || e->dag >= g->n_dag) {
            w->wrong = "a cycle, or an edge without DAG edge";
            return;
        }
        w->dag[w->n++] = e->dag;
        if (e->cut)
            path_ends(w);
        else
            walk_from(w, e->dst);
        w->n--;
    }
}

/* All paths from ENTRY and from each target of a cut edge. */
static const char *check_paths(const struct pn_graph *g)
{
    struct walk w = {.g = g, .others_from = UINT64_MAX};
    bool started[MOST_STEPS] = {false};

    w.taken = calloc(g->num_paths, 1);
    walk_from(&w, g->entry);
    for (uint32_t i = 0; i < g->n_edges && !w.wrong; i++) {
        const struct pn_edge *e = &g->edge[i];
        if (!e->cut || started[e->dst])
            continue;
        started[e->dst] = true;
        w.dag[w.n++] = e->start;
        walk_from(&w, e->dst);
        w.n--;
    }
    free(w.taken);
    if (!w.wrong && w.n_paths != g->num_paths)
        w.wrong = "numbers are not dense";
    if (!w.wrong && w.real_below > w.others_from)
        w.wrong = "paths from the routine's entry are not the first";
    return w.wrong;
}

/* ---- Oracle: cuts, order, weights ------------------------------------------ */

static const char *check_cuts(const struct pn_graph *g)
{
    bool reached[MOST_STEPS], round[MOST_STEPS];

    reach(g, g->entry, PN_NONE, true, reached);
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct pn_edge *e = &g->edge[i];
        if (!reached[e->src]) {
            if (e->cut || e->dag != PN_NONE)
                return "an unreached edge is cut or numbered";
            continue;
        }
        if ((e->flags & PN_CUT) && !e->cut)
            return "an edge is not cut as asked";
        reach(g, e->dst, PN_NONE, false, round);
        if (e->back && !round[e->src])
            return "a back edge lies on no cycle";
        if (e->limited && (e->back || e->dst == g->exit))
            return "the limit cut a back edge or an edge to EXIT";
    }
    return NULL;
}

/* In reducible graphs back edges lead to a vertex that dominates their source. */
static const char *check_headers(const struct pn_graph *g)
{
    bool round[MOST_STEPS];

    for (uint32_t i = 0; i < g->n_edges; i++) {
        if (!g->edge[i].back)
            continue;
        reach(g, g->entry, g->edge[i].dst, true, round);
        if (round[g->edge[i].src])
            return "a back edge does not lead to its loop's header";
    }
    return NULL;
}

static const char *check_limit(const struct pn_graph *g, uint64_t limit)
{
    bool reached[MOST_STEPS];

    reach(g, g->entry, PN_NONE, true, reached);
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        uint64_t paths, uncut = 0, n_out = 0, n_limited = 0;
        if (!reached[v] || v == g->exit)
            continue;
        paths = count_from(g, v);
        for (uint32_t i = 0; i < g->n_edges; i++) {
            const struct pn_edge *e = &g->edge[i];
            if (e->src != v)
                continue;
            n_out++;
            n_limited += e->limited;
            uncut += is_cut(e, false) ? ends_own_path(g, i, false) : count_from(g, e->dst);
        }
        if (v == g->entry ? n_limited > 0 : n_limited > 0 && uncut <= limit)
            return "the limit cut a vertex without need";
        if (v != g->entry && paths > limit && paths > n_out)
            return "a vertex keeps more paths than the limit";
    }
    return NULL;
}

static const char *check_order(const struct pn_graph *g)
{
    for (uint32_t i = 1; i < g->n_dag; i++) {
        const struct pn_dag_edge *a = &g->dag[i - 1], *b = &g->dag[i];
        if (a->src != b->src)
            continue;
        if (a->src == g->entry) {
            if (a->kind == b->kind && a->kind != PN_START && a->edge >= b->edge)
                return "ENTRY's edges are not in the order added";
            continue;
        }
        uint64_t paths_a = count_from(g, a->dst), paths_b = count_from(g, b->dst);
        if (paths_a < paths_b || (paths_a == paths_b && a->edge >= b->edge))
            return "the successor with the most paths is not first";
    }
    return NULL;
}

static const char *check_weights(const struct pn_graph *g)
{
    for (uint32_t i = 0; i < g->n_dag; i++) {
        uint64_t most = 0;
        for (uint32_t k = 0; k < g->n_edges; k++) {
            const struct pn_edge *e = &g->edge[k];
            uint64_t weight = g->dag[i].kind == PN_END ? e->end_weight : e->weight;
            if (e->dag == i && weight > most)
                most = weight;
        }
        if (g->dag[i].weight != most)
            return "a DAG edge has not the weight of its CFG edges";
    }
    return NULL;
}

static uint64_t cost(const struct pn_graph *g, const struct pn_dag_edge *d)
{
    return d->src == g->entry ? 0 : d->weight;
}

/* A spanning tree is maximal when no chord is dearer than an edge of the tree
 * path it could replace: the dearer tree edges alone must join its ends. */
static const char *check_chords(const struct pn_graph *g)
{
    for (uint32_t i = 0; i < g->n_dag; i++) {
        bool joined[MOST_STEPS] = {false}, more = true;
        if (!g->dag[i].chord)
            continue;
        joined[g->dag[i].src] = true;
        while (more) {
            more = joined[g->entry] != joined[g->exit];
            joined[g->entry] = joined[g->exit] = joined[g->entry] || joined[g->exit];
            for (uint32_t k = 0; k < g->n_dag; k++) {
                const struct pn_dag_edge *d = &g->dag[k];
                if (d->chord || cost(g, d) < cost(g, &g->dag[i])
                    || joined[d->src] == joined[d->dst])
                    continue;
                joined[d->src] = joined[d->dst] = more = true;
            }
        }
        if (!joined[g->dag[i].dst])
            return "a chord is dearer than a tree edge";
    }
    return NULL;
}

/* ---- Oracle: what instrumented code would do ------------------------------- */

enum { WALK_STEPS = 200 };

struct run {
    uint32_t edge[WALK_STEPS], n_edges;       /* CFG edges in the order walked */
    uint64_t token[WALK_STEPS + 1], n_tokens;
    bool finished;                            /* EXIT was reached */
};

/* Walks the cyclic graph at random: adds the increments of REAL edges, emits
 * at cut edges and at EXIT. */
static void run_program(const struct pn_graph *g, struct run *run)
{
    uint32_t v = g->entry;
    uint64_t r = 0;

    run->n_edges = run->n_tokens = 0;
    while (v != g->exit && run->n_edges < WALK_STEPS) {
        uint32_t choice = 0, degree = 0;
        for (uint32_t i = 0; i < g->n_edges; i++)
            if (g->edge[i].src == v && chance(++degree) == 0)
                choice = i;
        const struct pn_edge *e = &g->edge[choice];
        run->edge[run->n_edges++] = choice;
        r += (uint64_t)g->dag[e->dag].inc;
        if (e->cut) {
            run->token[run->n_tokens++] = r;
            r = (uint64_t)g->dag[e->start].inc;
        }
        v = e->dst;
    }
    run->finished = v == g->exit;
    if (run->finished)
        run->token[run->n_tokens++] = r;
}

/* Does DAG edge d, followed by a path that begins at `next`, stand for e? */
static bool stands_for(const struct pn_graph *g, const struct pn_dag_edge *d, uint32_t next,
                       uint32_t e)
{
    const struct pn_edge *cfg = &g->edge[e];

    if (d->kind == PN_END && (cfg->flags & PN_SHARED_END))
        return cfg->cut && cfg->src == d->src && cfg->dst == next;
    return d->edge == e && (d->kind == PN_REAL || cfg->dst == next);
}

/* The tokens alone give back the edges walked. */
static const char *check_run(const struct pn_graph *g)
{
    struct run run;
    uint32_t path[MOST_STEPS], at = 0;

    run_program(g, &run);
    for (uint64_t t = 0; t < run.n_tokens; t++) {
        uint32_t next[MOST_STEPS] = {0};
        uint32_t n = pn_regenerate(g, run.token[t], path, MOST_STEPS);
        bool starts = n > 0 && g->dag[path[0]].kind == PN_START;
        if (n == 0 || starts != (t > 0))
            return "an emitted number is no path, or one from a wrong start";
        if (t + 1 < run.n_tokens)
            pn_regenerate(g, run.token[t + 1], next, MOST_STEPS);
        else if (!run.finished)
            return NULL;                      /* where the last path led is not known */
        for (uint32_t i = starts; i < n; i++)
            if (at == run.n_edges
                || !stands_for(g, &g->dag[path[i]], g->dag[next[0]].dst, run.edge[at++]))
                return "emitted numbers give another walk";
    }
    return run.finished && at != run.n_edges ? "emitted numbers give a shorter walk" : NULL;
}

/* ---- Many random graphs ---------------------------------------------------- */

static const char *check_all(struct pn_graph *g, uint64_t limit)
{
    const char *wrong = NULL;

    if (pn_number(g, limit) != PN_OK)
        return "pn_number fails";
    if (pn_check(g, &wrong) != PN_OK)
        return wrong;
    if ((wrong = check_cuts(g)))
        return wrong;
    if (g->num_paths > MOST_PATHS)
        return NULL;
    if ((wrong = check_paths(g)) || (wrong = check_limit(g, limit)) || (wrong = check_order(g))
        || (wrong = check_weights(g)) || (wrong = check_chords(g)))
        return wrong;
    for (int i = 0; i < 3 && !wrong; i++)
        wrong = check_run(g);
    return wrong;
}

static void dump(const struct pn_graph *g, uint64_t limit)
{
    tap_note("limit %llu, ENTRY %u, EXIT %u", (unsigned long long)limit, g->entry, g->exit);
    for (uint32_t i = 0; i < g->n_edges; i++)
        tap_note("%u -> %u flags %u weight %llu", g->edge[i].src, g->edge[i].dst,
                 g->edge[i].flags, (unsigned long long)g->edge[i].weight);
}

/* shape N_SHAPES: programs. */
static void test_random(const char *what, int shape, uint32_t n)
{
    const char *wrong = NULL;
    uint32_t n_enumerated = 0, n_limited = 0;

    for (uint32_t seed = 0; seed < n && !wrong; seed++) {
        chance_state = (uint64_t)(shape + 1) << 32 | seed;
        struct pn_graph *g = shape == N_SHAPES ? random_program()
                                               : random_graph((enum shape)shape);
        uint64_t limit = random_limit();
        wrong = check_all(g, limit);
        if (!wrong && shape == N_SHAPES)
            wrong = check_headers(g);
        if (wrong) {
            tap_note("seed %u: %s", seed, wrong);
            dump(g, limit);
        }
        n_enumerated += g->num_paths <= MOST_PATHS;
        n_limited += g->n_limited > 0;
        pn_free(g);
    }
    tap_ok(!wrong, "%u random %s", n, what);
    tap_ok(n_enumerated > n / 2 && n_limited > n / 20,
           "most of these %s were enumerated, many were limited", what);
}

/* ---- Numbering again, and pn_check's eyes ---------------------------------- */

static void test_again(void)
{
    bool right = true;

    chance_state = 77;
    for (int i = 0; i < 1000 && right; i++) {
        struct pn_graph *g = random_of_all();
        right = pn_number(g, 8) == PN_OK;
        uint32_t n = g->n_dag;
        struct pn_dag_edge *before = malloc(n * sizeof *before);
        memcpy(before, g->dag, n * sizeof *before);
        right = right && pn_number(g, 2) == PN_OK && pn_number(g, 8) == PN_OK && g->n_dag == n;
        for (uint32_t k = 0; k < n && right; k++) {
            const struct pn_dag_edge *a = &before[k], *b = &g->dag[k];
            right = a->src == b->src && a->dst == b->dst && a->kind == b->kind
                    && a->edge == b->edge && a->val == b->val && a->inc == b->inc
                    && a->chord == b->chord && a->weight == b->weight;
        }
        free(before);
        pn_free(g);
    }
    tap_ok(right, "a graph numbered again has the same numbers");
}

enum { N_DAMAGES = 15 };

/* Changes one result; false where this graph has no such place. */
static bool damage(struct pn_graph *g, int what)
{
    struct pn_dag_edge *d = &g->dag[chance(g->n_dag)];
    struct pn_edge *e = &g->edge[chance(g->n_edges)];

    switch (what) {
    case 0: d->val++; return true;
    case 1: d->inc += chance(2) ? 1 : -1; return true;
    case 2: d->chord = !d->chord; return true;
    case 3: d->kind = (d->kind + 1 + chance(2)) % 3; return true;
    case 4: d->dst = (d->dst + 1) % g->n_vertices; return true;
    case 5: d->edge++; return true;
    case 6: d->src++; return true;
    case 7: g->num_paths++; return true;
    case 8: g->n_limited++; return true;
    case 9: g->first[chance(g->n_vertices + 1)]++; return true;
    case 10: e->cut = !e->cut; return true;
    case 11: e->back = !e->back; return true;
    case 12: e->limited = !e->limited; return true;
    case 13: e->dag++; return true;
    case 14: e->start++; return true;
    default: return false;
    }
}

static void test_damage(void)
{
    for (int what = 0; what < N_DAMAGES; what++) {
        uint32_t missed = 0, made = 0;
        chance_state = (uint64_t)what;
        for (int i = 0; i < 500; i++) {
            struct pn_graph *g = random_of_all();
            const char *why = NULL;
            if (pn_number(g, random_limit()) == PN_OK && damage(g, what)) {
                made++;
                missed += pn_check(g, &why) != PN_E_GRAPH || !why;
            }
            pn_free(g);
        }
        tap_ok(made == 500 && missed == 0, "pn_check sees damage of kind %d (missed %u)", what,
               missed);
    }
}

int main(void)
{
    test_random("graphs of all kinds", ANY, 20000);
    test_random("acyclic graphs", ACYCLIC, 10000);
    test_random("graphs that seldom reach EXIT", ENDLESS, 10000);
    test_random("structured programs", N_SHAPES, 10000);
    test_again();
    test_damage();
    return tap_done();
}
