/* SPDX-License-Identifier: MIT */
#include "wpp/samples/path-windows.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20, MOST_STRETCHES = 1 << 17, CALL_RECORDS = 2 };

/* ---- Costs ------------------------------------------------------------------------------------ */

static bool falls(const struct address_map *m, const struct map_routine *r, const struct wpp_edge *e)
{
    uint32_t from = r->place[e->src], to = r->place[e->dst];

    return from != MAP_NONE && to != MAP_NONE && m->block[from].next == to;
}

bool record_costs_new(struct record_costs *out, const struct address_map *m, uint32_t routine,
                      const struct path_graph *g, struct wpp_arena *arena)
{
    const struct map_routine *r = &m->routine[routine];

    out->g = g;
    out->edge = wpp_arena_alloc(arena, g->n_edges, 1);
    out->block = wpp_arena_alloc(arena, g->n_vertices, 1);
    if (!out->edge || !out->block)
        return false;
    for (uint32_t i = 0; i < g->n_edges; i++)
        out->edge[i] = g->edge[i].src < 2 || g->edge[i].dst == 1 || !falls(m, r, &g->edge[i]);
    for (uint32_t v = 2; v < g->n_vertices; v++)
        if (r->place[v] != MAP_NONE && (m->block[r->place[v]].flags & MAP_CALLS))
            out->block[v] = CALL_RECORDS;
    return true;
}

/* ---- Cores -------------------------------------------------------------------------------------- */

/* Whether ways meet before the vertex or in it, and part behind it or in it.  Along a path such vertices lie
 * side by side. */
static bool in_core(const struct path_graph *g, uint32_t v)
{
    return g->from_entry[v] >= 2 && g->to_exit[v] >= 2;
}

bool path_windows_is_alike(const struct record_costs *costs, uint32_t k, uint64_t path)
{
    const struct path_graph *g = costs->g;
    uint32_t v = 0, records = 0;

    while (v != 1) {
        uint32_t i = g->first[v + 1];
        bool inside = in_core(g, v);
        while (i > g->first[v] + 1 && g->edge[i - 1].val > path)
            i--;
        i--;
        path -= g->edge[i].val;
        if (inside)
            records += costs->block[v] + (in_core(g, g->edge[i].dst) ? costs->edge[i] : 0u);
        v = g->edge[i].dst;
    }
    return records >= k - 1;
}

/* What is needed to count. */
struct counting {
    const struct record_costs *costs;
    const struct path_graph *g;
    uint32_t k;
    double *ways;              /* [v * k + c]: ways from ENTRY to v, in the core, that have c of its records before
                                  v's own; c = k - 1: that many or more */
};

/* Vertices, each behind those that lead to it; NULL without memory. */
static uint32_t *sources_first(const struct path_graph *g)
{
    uint32_t *order = malloc(g->n_vertices * sizeof *order), *left = calloc(g->n_vertices, sizeof *left), n = 0;

    if (!order || !left) {
        free(order);
        free(left);
        return NULL;
    }
    for (uint32_t i = 0; i < g->n_edges; i++)
        left[g->edge[i].dst]++;
    for (uint32_t v = 0; v < g->n_vertices; v++)
        if (left[v] == 0)
            order[n++] = v;
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = g->first[order[at]]; i < g->first[order[at] + 1]; i++)
            if (--left[g->edge[i].dst] == 0)
                order[n++] = g->edge[i].dst;
    free(left);
    return order;
}

static uint32_t capped(const struct counting *w, uint32_t records)
{
    return records < w->k - 1 ? records : w->k - 1;
}

/* Adds the ways along edge i; returns how many alike paths leave their cores by it. */
static double pass_edge(struct counting *w, uint32_t i)
{
    uint32_t u = w->g->edge[i].src, v = w->g->edge[i].dst;
    double alike = 0;

    if (!in_core(w->g, u)) {
        if (in_core(w->g, v))
            w->ways[(size_t)v * w->k] += w->g->from_entry[u];
        return 0;
    }
    for (uint32_t c = 0; c < w->k; c++) {
        uint32_t behind = capped(w, c + w->costs->block[u]);
        double n = w->ways[(size_t)u * w->k + c];
        if (in_core(w->g, v))
            w->ways[(size_t)v * w->k + capped(w, behind + w->costs->edge[i])] += n;
        else if (behind == w->k - 1)
            alike += n;
    }
    return alike;
}

static bool count_ways(struct counting *w, double *alike)
{
    uint32_t *order = sources_first(w->g);

    w->ways = calloc((size_t)w->g->n_vertices * w->k, sizeof *w->ways);
    *alike = 0;
    for (uint32_t at = 0; order && w->ways && at < w->g->n_vertices; at++)
        for (uint32_t i = w->g->first[order[at]]; i < w->g->first[order[at] + 1]; i++)
            *alike += pass_edge(w, i);
    free(order);
    return order && w->ways;
}

/* ---- Stretches of k - 1 records ------------------------------------------------------------------ */

/* A walk through cores is a string of signs: an edge; the call of a block, and its return.  It begins and ends with
 * records.  Equal stretches of k - 1 records are one node. */
enum sign_kind { SIGN_EDGE, SIGN_CALL, SIGN_RETURN };

static uint32_t sign(enum sign_kind kind, uint32_t of) { return of << 2 | kind; }
static enum sign_kind kind_of(uint32_t s) { return s & 3; }

struct stretch {
    uint64_t hash;
    uint32_t first, n;         /* signs: word[first .. first + n) */
    uint32_t above;            /* another one of its class, or itself */
    double paths;              /* whose cores begin with it; of a class's first: of all */
};

struct stretches {
    struct counting *w;
    struct stretch *node;
    uint32_t n, *slot, n_words, cap_words, steps;
    uint32_t *word;
    uint32_t *walk;            /* signs from the first record on */
    uint32_t *record;          /* where its records are */
    bool failed, too_many;
};

enum { N_SLOTS = 2 * MOST_STRETCHES };

static bool is_record(const struct stretches *s, uint32_t sg)
{
    return kind_of(sg) != SIGN_EDGE || s->w->costs->edge[sg >> 2];
}

static uint32_t source_of(const struct stretches *s, uint32_t sg)
{
    return kind_of(sg) == SIGN_EDGE ? s->w->g->edge[sg >> 2].src : sg >> 2;
}

static uint32_t target_of(const struct stretches *s, uint32_t sg)
{
    return kind_of(sg) == SIGN_EDGE ? s->w->g->edge[sg >> 2].dst : sg >> 2;
}

static bool keep_words(struct stretches *s, const uint32_t *word, uint32_t n)
{
    if (s->n_words + n > s->cap_words) {
        uint32_t more = 2 * (s->n_words + n);
        uint32_t *grown = realloc(s->word, more * sizeof *grown);
        if (!grown)
            return false;
        s->word = grown;
        s->cap_words = more;
    }
    memcpy(s->word + s->n_words, word, n * sizeof *word);
    s->n_words += n;
    return true;
}

/* Paths whose cores have these records first.  A return has its call before it. */
static double paths_beginning(const struct stretches *s, const uint32_t *word, uint32_t n)
{
    uint32_t v = source_of(s, word[0]);

    if (kind_of(word[0]) == SIGN_RETURN || (kind_of(word[0]) == SIGN_EDGE && s->w->costs->block[v]))
        return 0;
    return s->w->ways[(size_t)v * s->w->k] * s->w->g->to_exit[target_of(s, word[n - 1])];
}

/* The node of the stretch; UINT32_MAX: there are too many, or no memory. */
static uint32_t node_of(struct stretches *s, const uint32_t *word, uint32_t n)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at;

    for (uint32_t i = 0; i < n; i++)
        hash = (hash ^ word[i]) * UINT64_C(0xff51afd7ed558ccd) ^ hash >> 29;
    for (at = (hash >> 20) % N_SLOTS; s->slot[at]; at = (at + 1) % N_SLOTS) {
        const struct stretch *node = &s->node[s->slot[at] - 1];
        if (node->hash == hash && node->n == n && !memcmp(s->word + node->first, word, n * sizeof *word))
            return s->slot[at] - 1;
    }
    s->too_many |= s->n == MOST_STRETCHES;
    s->failed |= !s->too_many && !keep_words(s, word, n);
    if (s->too_many || s->failed)
        return UINT32_MAX;
    s->node[s->n] = (struct stretch){hash, s->n_words - n, n, s->n, paths_beginning(s, word, n)};
    s->slot[at] = s->n + 1;
    return s->n++;
}

static uint32_t class_of(struct stretches *s, uint32_t node)
{
    while (s->node[node].above != node)
        node = s->node[node].above = s->node[s->node[node].above].above;
    return node;
}

/* The walk has another record: it ends with a stretch, and with k records it joins two. */
static void note_record(struct stretches *s, uint32_t n, uint32_t n_records)
{
    uint32_t need = s->w->k - 1, node = UINT32_MAX, next;

    if (n_records == need)
        node_of(s, s->walk, n);
    if (n_records <= need)
        return;
    node = node_of(s, s->walk, s->record[need - 1] + 1);
    next = node == UINT32_MAX ? node : node_of(s, s->walk + s->record[1], n - s->record[1]);
    if (next == UINT32_MAX)
        return;
    node = class_of(s, node);
    next = class_of(s, next);
    s->node[node > next ? node : next].above = node < next ? node : next;
}

static void walk_on(struct stretches *s, uint32_t v, enum sign_kind stage, uint32_t n, uint32_t n_records);

static void walk_by(struct stretches *s, uint32_t sg, enum sign_kind stage, uint32_t n, uint32_t n_records)
{
    s->too_many |= ++s->steps > MOST_STEPS;
    if (s->failed || s->too_many)
        return;
    s->walk[n] = sg;
    if (is_record(s, sg)) {
        s->record[n_records++] = n;
        note_record(s, n + 1, n_records);
    }
    if (n_records < s->w->k)
        walk_on(s, target_of(s, sg), stage, n + 1, n_records);
}

/* Goes on from v.  stage: what comes next there: its call, the return from it, or an edge. */
static void walk_on(struct stretches *s, uint32_t v, enum sign_kind stage, uint32_t n, uint32_t n_records)
{
    const struct path_graph *g = s->w->g;

    if (stage == SIGN_CALL && s->w->costs->block[v])
        walk_by(s, sign(SIGN_CALL, v), SIGN_RETURN, n, n_records);
    else if (stage == SIGN_RETURN)
        walk_by(s, sign(SIGN_RETURN, v), SIGN_EDGE, n, n_records);
    else
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
            if (in_core(g, g->edge[i].dst) && (n > 0 || s->w->costs->edge[i]))
                walk_by(s, sign(SIGN_EDGE, i), SIGN_CALL, n, n_records);
}

/* Walks from each record of each core. */
static void find_stretches(struct stretches *s)
{
    for (uint32_t v = 2; v < s->w->g->n_vertices && !s->failed && !s->too_many; v++) {
        if (!in_core(s->w->g, v))
            continue;
        if (s->w->costs->block[v]) {
            walk_on(s, v, SIGN_CALL, 0, 0);
            walk_on(s, v, SIGN_RETURN, 0, 0);
        }
        walk_on(s, v, SIGN_EDGE, 0, 0);
    }
}

static void count_classes(struct stretches *s, struct path_windows *out)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t first = class_of(s, i);
        if (first != i)
            s->node[first].paths += s->node[i].paths;
        out->n_classes += first == i;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (s->node[i].above == i && s->node[i].paths > out->largest) {
            const struct stretch *node = &s->node[i];
            out->largest = node->paths;
            out->from = source_of(s, s->word[node->first]);
            out->to = target_of(s, s->word[node->first + node->n - 1]);
        }
    out->has_classes = true;
}

static bool find_classes(struct counting *w, struct path_windows *out)
{
    struct stretches s = {.w = w};

    s.node = malloc(MOST_STRETCHES * sizeof *s.node);
    s.slot = calloc(N_SLOTS, sizeof *s.slot);
    s.walk = malloc((4 * (size_t)w->g->n_vertices + 4) * sizeof *s.walk);
    s.record = malloc((w->k + (size_t)1) * sizeof *s.record);
    s.failed = !s.node || !s.slot || !s.walk || !s.record;
    if (!s.failed)
        find_stretches(&s);
    if (!s.failed && !s.too_many)
        count_classes(&s, out);
    free(s.node);
    free(s.slot);
    free(s.word);
    free(s.walk);
    free(s.record);
    return !s.failed;
}

bool path_windows_find(struct path_windows *out, const struct record_costs *costs, uint32_t k)
{
    struct counting w = {.costs = costs, .g = costs->g, .k = k};
    bool done;

    *out = (struct path_windows){0};
    done = count_ways(&w, &out->alike);
    if (done && out->alike > 0)
        done = find_classes(&w, out);
    else
        out->has_classes = true;
    free(w.ways);
    return done;
}
