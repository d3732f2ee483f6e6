/* SPDX-License-Identifier: MIT */
#include "wpp/runs/predicates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"
#include "wpp/profile/same-routine.h"

#define NONE UINT32_MAX

const char *const predicate_names[] = {"line", "branch", "routine", "path", "loop", "exactly", "caller",
                                       "callers", "depth", "pair", "triple", "before", NULL};

/* Makes room for one more of an array.  False: no memory, and v->failed is set. */
static bool grow(struct vocabulary *v, void *array, uint32_t n, uint32_t *capacity, size_t size)
{
    void **p = array, *larger;
    uint32_t more = *capacity ? 2 * *capacity : 64;

    if (n < *capacity)
        return true;
    larger = realloc(*p, more * size);
    if (!larger) {
        v->failed = true;
        return false;
    }
    *p = larger;
    *capacity = more;
    return true;
}

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

static uint64_t hash_predicate(const struct predicate *p)
{
    uint64_t a = (uint64_t)p->kind << 32 | p->x, b = (uint64_t)p->y << 32 | p->z;

    return mix(a + mix(b + UINT64_C(0x9e3779b97f4a7c15)));
}

void vocabulary_init(struct vocabulary *v)
{
    *v = (struct vocabulary){0};
    vocabulary_predicate(v, (struct predicate){.kind = PREDICATE_RUN});
}

void vocabulary_free(struct vocabulary *v)
{
    for (uint32_t i = 0; i < v->n_paths; i++) {
        free(v->path[i].implied.predicate);
        free(v->path[i].arrival);
        free((uint32_t *)v->path[i].terminal.blocks);
    }
    for (uint32_t i = 0; i < v->n_routines; i++) {
        free(v->routine[i].implied.predicate);
        free(v->routine[i].branches);
        loops_free(&v->routine[i].loops);
    }
    for (uint32_t i = 0; i < v->n_files; i++)
        free(v->file[i]);
    free(v->predicate);
    free(v->slots);
    free(v->routine);
    free(v->routine_slots);
    free(v->path);
    free(v->path_of);
    free(v->file);
    *v = (struct vocabulary){0};
}

/* ---- Predicates ----------------------------------------------------------------------------- */

/* Makes the table twice as large when it is three quarters full. */
static bool make_slots(struct vocabulary *v)
{
    uint32_t n = v->n_slots ? 2 * v->n_slots : 1024, *slots;

    if (v->n < v->n_slots / 4 * 3)
        return true;
    slots = calloc(n, sizeof *slots);
    if (!slots) {
        v->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t s = (uint32_t)hash_predicate(&v->predicate[i]) & (n - 1);

        while (slots[s])
            s = (s + 1) & (n - 1);
        slots[s] = i + 1;
    }
    free(v->slots);
    v->slots = slots;
    v->n_slots = n;
    return true;
}

uint32_t vocabulary_predicate(struct vocabulary *v, struct predicate p)
{
    uint32_t s;

    if (!make_slots(v) || !grow(v, &v->predicate, v->n, &v->capacity, sizeof *v->predicate))
        return 0;
    for (s = (uint32_t)hash_predicate(&p) & (v->n_slots - 1); v->slots[s];
         s = (s + 1) & (v->n_slots - 1)) {
        const struct predicate *q = &v->predicate[v->slots[s] - 1];

        if (q->kind == p.kind && q->x == p.x && q->y == p.y && q->z == p.z)
            return v->slots[s] - 1;
    }
    v->predicate[v->n] = p;
    v->slots[s] = ++v->n;
    return v->n - 1;
}

uint32_t vocabulary_file(struct vocabulary *v, const char *name)
{
    char *copy;

    /* Mostly the file of the line before. */
    for (uint32_t i = v->n_files; i-- > 0;)
        if (strcmp(v->file[i], name) == 0)
            return i;
    copy = strdup(name);
    if (!copy || !grow(v, &v->file, v->n_files, &v->file_capacity, sizeof *v->file)) {
        v->failed = true;
        free(copy);
        return 0;
    }
    v->file[v->n_files] = copy;
    return v->n_files++;
}

static uint32_t line_site(struct vocabulary *v, uint32_t file, uint32_t line)
{
    return vocabulary_predicate(v, (struct predicate){.kind = PREDICATE_LINES, .x = file, .y = line});
}

uint32_t vocabulary_line(struct vocabulary *v, const char *file, uint32_t line)
{
    uint32_t f = vocabulary_file(v, file), site = line_site(v, f, line);

    return vocabulary_predicate(v, (struct predicate){.kind = PREDICATE_LINE, .x = f, .y = line,
                                                      .site = site});
}

/* ---- Implied predicates --------------------------------------------------------------------- */

struct gathering {
    struct vocabulary *v;
    struct implied to;
    uint32_t capacity;
};

static void gather(struct gathering *g, uint32_t predicate)
{
    for (uint32_t i = g->to.n; i-- > 0 && i + 8 > g->to.n;)
        if (g->to.predicate[i] == predicate)
            return;
    if (grow(g->v, &g->to.predicate, g->to.n, &g->capacity, sizeof *g->to.predicate))
        g->to.predicate[g->to.n++] = predicate;
}

/* A routine was executed: its lines are observed. */
static struct implied implied_by_routine(struct vocabulary *v, const struct wpp_routine *r)
{
    struct gathering g = {.v = v};

    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++) {
            const struct wpp_line *line = &r->blocks[b].lines[i];

            gather(&g, line_site(v, vocabulary_file(v, line->file), line->line));
        }
    return g.to;
}

/* By block: whether several edges leave it; those that begin paths leave none. */
static bool *find_branches(struct vocabulary *v, const struct wpp_routine *r)
{
    uint8_t *ways = calloc(r->n_blocks + (size_t)1, 1);

    if (!ways) {
        v->failed = true;
        return NULL;
    }
    for (uint32_t e = 0; e < r->n_edges; e++)
        if (r->edges[e].kind != WPP_EDGE_START && ways[r->edges[e].src] < 2)
            ways[r->edges[e].src]++;
    for (uint32_t b = 0; b < r->n_blocks; b++)
        ways[b] = ways[b] > 1;
    return (bool *)ways;
}

static void gather_branch(struct gathering *g, const struct wpp_routine *r, uint32_t routine,
                          uint32_t edge)
{
    const struct wpp_edge *e = &r->edges[edge];
    const bool *branches = g->v->routine[routine].branches;
    uint32_t site;

    if (e->kind == WPP_EDGE_START || !branches || !branches[e->src])
        return;
    site = vocabulary_predicate(g->v, (struct predicate){.kind = PREDICATE_BLOCK, .x = routine,
                                                         .y = e->src});
    gather(g, site);
    gather(g, vocabulary_predicate(g->v, (struct predicate){.kind = PREDICATE_BRANCH, .x = routine,
                                                            .y = edge, .site = site}));
}

static struct implied implied_by_path(struct vocabulary *v, const struct wpp_terminal *t,
                                      const struct wpp_routine *r, uint32_t routine)
{
    struct gathering g = {.v = v};

    for (uint32_t i = 0; i < t->n_edges; i++)
        gather_branch(&g, r, routine, t->edges[i]);
    for (uint32_t i = 0; i < t->n_blocks; i++)
        for (uint32_t k = 0; k < r->blocks[t->blocks[i]].n_lines; k++) {
            const struct wpp_line *line = &r->blocks[t->blocks[i]].lines[k];

            gather(&g, vocabulary_line(v, line->file, line->line));
        }
    return g.to;
}

/* ---- Loops ---------------------------------------------------------------------------------- */

/* The loops of the routine's graph: as if each block and edge had been executed once. */
static void find_loops(struct vocabulary *v, const struct wpp_routine *r, struct loops *out)
{
    uint32_t n = r->n_blocks > r->n_edges ? r->n_blocks : r->n_edges;
    uint64_t *ones = malloc((n + (size_t)1) * sizeof *ones);
    struct flow flow = {0};

    *out = (struct loops){0};
    for (uint32_t i = 0; ones && i < n; i++)
        ones[i] = 1;
    if (!ones || !flow_new(&flow, r, ones, ones) || !loops_find(out, &flow))
        v->failed = true;
    flow_free(&flow);
    free(ones);
}

bool loop_has(const struct loop *l, uint32_t block)
{
    uint32_t low = 0, high = l->n_blocks;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (l->blocks[middle] == block)
            return true;
        if (l->blocks[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static void arrive(struct known_path *p, const struct loops *loops, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < loops->n; i++)
        if (loops->loop[i].header == to)
            p->arrival[p->n_arrivals++] = (struct arrival){i, loop_has(&loops->loop[i], from)};
}

/* The first block of a path is where the one before has arrived, unless the routine is entered. */
static void find_arrivals(struct vocabulary *v, struct known_path *p)
{
    const struct known_routine *k = &v->routine[p->routine];
    const struct wpp_routine *r = wpp_routine(k->w, k->number);
    const struct wpp_terminal *t = &p->terminal;
    enum { ENTRY = 0 };

    if (k->loops.n == 0 || t->n_blocks == 0)
        return;
    p->arrival = malloc((t->n_blocks + (size_t)2) * sizeof *p->arrival);
    if (!p->arrival) {
        v->failed = true;
        return;
    }
    if (t->enters)
        arrive(p, &k->loops, ENTRY, t->blocks[0]);
    for (uint32_t i = 1; i < t->n_blocks; i++)
        arrive(p, &k->loops, t->blocks[i - 1], t->blocks[i]);
    if (t->n_edges > t->n_blocks) {
        const struct wpp_edge *e = &r->edges[t->edges[t->n_edges - 1]];

        if (e->kind >= WPP_EDGE_END_BACK && e->to < r->n_blocks)
            arrive(p, &k->loops, e->src, e->to);
    }
}

/* ---- Routines and paths --------------------------------------------------------------------- */

uint64_t vocabulary_routine_hash(const wpp *w, uint32_t routine)
{
    const struct wpp_routine *r = wpp_routine(w, routine);
    uint64_t h = wpp_fnv(WPP_FNV_START, r->name, strlen(r->name) + 1);

    h = wpp_fnv(h, r->file, strlen(r->file) + 1);
    h = mix(h ^ r->num_paths);
    h = mix(h ^ ((uint64_t)r->n_blocks << 32 | r->n_edges));
    for (uint32_t i = 0; i < r->n_edges; i++)
        h = mix(h + ((uint64_t)r->edges[i].src << 32 | r->edges[i].dst));
    return h;
}

static bool make_routine_slots(struct vocabulary *v)
{
    uint32_t n = v->n_routine_slots ? 2 * v->n_routine_slots : 256, *slots;

    if (v->n_routines < v->n_routine_slots / 2)
        return true;
    slots = malloc(n * sizeof *slots);
    if (!slots) {
        v->failed = true;
        return false;
    }
    memset(slots, 0xFF, n * sizeof *slots);
    for (uint32_t i = 0; i < v->n_routines; i++) {
        uint32_t s = (uint32_t)v->routine[i].hash & (n - 1);

        while (slots[s] != NONE)
            s = (s + 1) & (n - 1);
        slots[s] = i;
    }
    free(v->routine_slots);
    v->routine_slots = slots;
    v->n_routine_slots = n;
    return true;
}

static uint32_t add_routine(struct vocabulary *v, const wpp *w, uint32_t number, uint64_t hash)
{
    const struct wpp_routine *r = wpp_routine(w, number);
    uint32_t n = v->n_routines;

    if (!grow(v, &v->routine, n, &v->routine_capacity, sizeof *v->routine))
        return 0;
    v->routine[n] = (struct known_routine){.w = w, .number = number, .hash = hash,
                                           .branches = find_branches(v, r)};
    v->n_routines++;
    v->routine[n].predicate = vocabulary_predicate(v, (struct predicate){.kind = PREDICATE_ROUTINE,
                                                                         .x = n});
    v->routine[n].implied = implied_by_routine(v, r);
    find_loops(v, r, &v->routine[n].loops);
    return n;
}

uint32_t vocabulary_routine(struct vocabulary *v, const wpp *w, uint32_t routine, bool *kept)
{
    const struct wpp_routine *r = wpp_routine(w, routine);
    uint64_t hash = vocabulary_routine_hash(w, routine);
    uint32_t s;

    if (!make_routine_slots(v))
        return 0;
    for (s = (uint32_t)hash & (v->n_routine_slots - 1); v->routine_slots[s] != NONE;
         s = (s + 1) & (v->n_routine_slots - 1)) {
        const struct known_routine *k = &v->routine[v->routine_slots[s]];

        if (k->hash == hash && routine_same(wpp_routine(k->w, k->number), r))
            return v->routine_slots[s];
    }
    *kept = true;
    v->routine_slots[s] = v->n_routines;
    return add_routine(v, w, routine, hash);
}

/* path_of[] reaches as far as the predicates. */
static bool note_path(struct vocabulary *v, uint32_t predicate, uint32_t path)
{
    if (predicate >= v->path_of_size) {
        uint32_t n = v->capacity, *larger = realloc(v->path_of, n * sizeof *larger);

        if (!larger) {
            v->failed = true;
            return false;
        }
        memset(larger + v->path_of_size, 0xFF, (n - v->path_of_size) * sizeof *larger);
        v->path_of = larger;
        v->path_of_size = n;
    }
    v->path_of[predicate] = path;
    return true;
}

/* The terminal with arrays of its own. */
static bool copy_terminal(struct vocabulary *v, const struct wpp_terminal *t,
                          struct wpp_terminal *out)
{
    uint32_t *copy = malloc((t->n_blocks + (size_t)t->n_edges + 1) * sizeof *copy);

    if (!copy) {
        v->failed = true;
        return false;
    }
    memcpy(copy, t->blocks, t->n_blocks * sizeof *copy);
    memcpy(copy + t->n_blocks, t->edges, t->n_edges * sizeof *copy);
    *out = *t;
    out->blocks = copy;
    out->edges = copy + t->n_blocks;
    return true;
}

uint32_t vocabulary_add_path(struct vocabulary *v, const struct wpp_terminal *t, uint32_t routine)
{
    uint32_t p = vocabulary_predicate(v, (struct predicate){
        .kind = PREDICATE_PATH, .x = routine, .y = (uint32_t)t->path, .z = (uint32_t)(t->path >> 32),
        .site = v->routine[routine].predicate});
    struct known_path path = {.predicate = p, .routine = routine};
    const struct known_routine *k = &v->routine[routine];

    if (v->failed)
        return 0;
    if (p < v->path_of_size && v->path_of[p] != NONE)
        return v->path_of[p];
    if (!grow(v, &v->path, v->n_paths, &v->path_capacity, sizeof *v->path) ||
        !note_path(v, p, v->n_paths) || !copy_terminal(v, t, &path.terminal))
        return 0;
    path.implied = implied_by_path(v, t, wpp_routine(k->w, k->number), routine);
    find_arrivals(v, &path);
    v->path[v->n_paths++] = path;
    return v->n_paths - 1;
}

uint32_t vocabulary_path(struct vocabulary *v, const wpp *w, uint32_t terminal, uint32_t routine)
{
    return vocabulary_add_path(v, wpp_terminal(w, terminal), routine);
}

bool vocabulary_path_fits(const struct vocabulary *v, const struct wpp_terminal *t, uint32_t routine)
{
    const struct wpp_routine *r = wpp_routine(v->routine[routine].w, v->routine[routine].number);

    if (t->n_edges > t->n_blocks + (uint64_t)1)
        return false;
    for (uint32_t i = 0; i < t->n_blocks; i++)
        if (t->blocks[i] >= r->n_blocks)
            return false;
    for (uint32_t i = 0; i < t->n_edges; i++)
        if (t->edges[i] >= r->n_edges)
            return false;
    return true;
}

const struct known_path *predicate_path(const struct vocabulary *v, uint32_t predicate)
{
    assert(v->predicate[predicate].kind == PREDICATE_PATH && v->path_of[predicate] != NONE);
    return &v->path[v->path_of[predicate]];
}
