/* SPDX-License-Identifier: MIT */
/* brute-hot.c - hot subpaths straight from the definition; see brute-hot.h. */
#include "test/reference/brute-hot.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

/* ---- Expansion ---------------------------------------------------------------- */

/* Writes out rule r behind `s`, which has room. */
static void write_out(const struct wpp_grammar *g, uint32_t r, struct brute_string *s)
{
    for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++) {
        if (g->symbols[i] & WPP_RULE)
            write_out(g, g->symbols[i] ^ WPP_RULE, s);
        else
            s->symbols[s->length++] = g->symbols[i];
    }
}

/* Walks the derivation tree and counts every node of it. */
static void count_instances(struct brute_run *run, uint32_t r)
{
    const struct wpp_grammar *g = run->g;

    run->instances[r]++;
    for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
        if (g->symbols[i] & WPP_RULE)
            count_instances(run, g->symbols[i] ^ WPP_RULE);
}

static size_t expansion_length(const struct wpp_grammar *g, uint32_t r)
{
    size_t n = 0;

    for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
        n += g->symbols[i] & WPP_RULE ? expansion_length(g, g->symbols[i] ^ WPP_RULE) : 1;
    return n;
}

void brute_expand(struct brute_run *run, const struct wpp_grammar *g)
{
    run->g = g;
    run->n_threads = g->n_threads;
    run->n_rules = g->n_rules + g->n_threads;
    run->rule = must(calloc(at_least_one(run->n_rules), sizeof *run->rule));
    run->instances = must(calloc(at_least_one(run->n_rules), sizeof *run->instances));
    for (uint32_t r = 0; r < run->n_rules; r++) {
        size_t n = expansion_length(g, r);

        run->rule[r].symbols = must(malloc(at_least_one(n) * sizeof(uint32_t)));
        write_out(g, r, &run->rule[r]);
    }
    for (uint32_t k = 0; k < run->n_threads; k++)
        count_instances(run, g->n_rules + k);
}

void brute_free(struct brute_run *run)
{
    for (uint32_t r = 0; r < run->n_rules; r++)
        free(run->rule[r].symbols);
    free(run->rule);
    free(run->instances);
}

const struct brute_string *brute_thread(const struct brute_run *run, uint32_t thread)
{
    return &run->rule[run->n_rules - run->n_threads + thread];
}

/* ---- The definition ------------------------------------------------------------- */

/* Most places differ in the first word. */
static bool stands_at(const struct brute_string *s, size_t at, const uint32_t *w, size_t length)
{
    return s->symbols[at] == w[0] && memcmp(s->symbols + at, w, length * sizeof *w) == 0;
}

uint64_t brute_occurrences(const struct brute_run *run, const uint32_t *w, size_t length)
{
    uint64_t n = 0;

    for (uint32_t k = 0; k < run->n_threads; k++) {
        const struct brute_string *s = brute_thread(run, k);

        for (size_t i = 0; i + length <= s->length; i++)
            n += stands_at(s, i, w, length);
    }
    return n;
}

uint64_t brute_cost(const uint64_t *cost, const uint32_t *w, size_t length)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < length; i++)
        sum += cost[w[i]];
    return sum;
}

bool brute_is_hot(const struct brute_run *run, const uint64_t *cost,
                  const struct brute_limits *limits, const uint32_t *w, size_t length)
{
    if (length < limits->min_length || length > limits->max_length)
        return false;
    return brute_occurrences(run, w, length) * brute_cost(cost, w, length) >= limits->min_cost;
}

bool brute_is_minimal(const struct brute_run *run, const uint64_t *cost,
                      const struct brute_limits *limits, const uint32_t *w, size_t length)
{
    for (size_t n = limits->min_length; n < length; n++)
        if (brute_is_hot(run, cost, limits, w, n))
            return false;
    return true;
}

struct place {
    const struct brute_string *s;
    size_t at;
};

/* All places of the run, in thread and position order; returns how many. */
static size_t all_places(const struct brute_run *run, struct place *out)
{
    size_t n = 0;

    for (uint32_t k = 0; k < run->n_threads; k++)
        for (size_t at = 0; at < brute_thread(run, k)->length; at++)
            out[n++] = (struct place){ brute_thread(run, k), at };
    return n;
}

/* Keeps those of the n places whose symbol `ahead` symbols on is the same; returns how many. */
static size_t keep_equal(struct place *place, size_t n, size_t ahead, uint32_t symbol)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct place p = place[i];

        place[kept] = p;
        kept += p.at + ahead < p.s->length && p.s->symbols[p.at + ahead] == symbol;
    }
    return kept;
}

/* The length of the shortest hot string that begins at `from`, or 0.  `same` holds all *n places of
 * the run; afterwards only those of that string. */
static size_t shortest_hot(const uint64_t *cost, const struct brute_limits *limits,
                           struct place from, struct place *same, size_t *n)
{
    const uint32_t *w = from.s->symbols + from.at;
    size_t left = from.s->length - from.at;

    for (size_t length = 1; length <= limits->max_length && length <= left; length++) {
        *n = keep_equal(same, *n, length - 1, w[length - 1]);
        if (length >= limits->min_length && *n * brute_cost(cost, w, length) >= limits->min_cost)
            return length;
    }
    return 0;
}

size_t brute_minimal_hot(const struct brute_run *run, const uint64_t *cost,
                         const struct brute_limits *limits,
                         void (*each)(void *ctx, const uint32_t *w, size_t length,
                                      uint64_t frequency),
                         void *ctx)
{
    size_t found = 0, n_all = 0;
    struct place *all, *same;

    for (uint32_t k = 0; k < run->n_threads; k++)
        n_all += brute_thread(run, k)->length;
    all = must(malloc(at_least_one(n_all) * sizeof *all));
    same = must(malloc(at_least_one(n_all) * sizeof *same));
    all_places(run, all);
    for (size_t i = 0; i < n_all; i++) {
        size_t n = n_all, length;

        memcpy(same, all, n_all * sizeof *all);
        length = shortest_hot(cost, limits, all[i], same, &n);
        /* Once for all its places. */
        if (length > 0 && same[0].s == all[i].s && same[0].at == all[i].at) {
            each(ctx, all[i].s->symbols + all[i].at, length, n);
            found++;
        }
    }
    free(all);
    free(same);
    return found;
}

/* ---- Overlaps and loops ------------------------------------------------------------ */

uint32_t brute_period(const uint32_t *w, size_t length)
{
    size_t p = 1;

    while (memcmp(w, w + p, (length - p) * sizeof *w) != 0)
        p++;
    return (uint32_t)p;
}

uint64_t brute_own_cost(const struct brute_run *run, const uint64_t *cost, const uint32_t *w,
                        size_t length, uint64_t *pieces)
{
    uint64_t sum = 0;

    *pieces = 0;
    for (uint32_t k = 0; k < run->n_threads; k++) {
        const struct brute_string *s = brute_thread(run, k);
        size_t covered_to = 0;

        for (size_t i = 0; i + length <= s->length; i++) {
            size_t from = i > covered_to ? i : covered_to;

            if (memcmp(s->symbols + i, w, length * sizeof *w) != 0)
                continue;
            *pieces += i >= covered_to;
            sum += brute_cost(cost, s->symbols + from, i + length - from);
            covered_to = i + length;
        }
    }
    return sum;
}

bool brute_is_rotation(const uint32_t *a, const uint32_t *b, size_t n)
{
    for (size_t shift = 0; shift < n; shift++) {
        size_t i = 0;

        while (i < n && a[(i + shift) % n] == b[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Puts a piece down in the ring, UINT32_MAX being free; false where it does not fit. */
static bool put_piece(uint32_t *ring, size_t turn, const uint32_t *piece, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t *place = &ring[(at + i) % turn];

        if (*place != UINT32_MAX && *place != piece[i])
            return false;
        *place = piece[i];
    }
    return true;
}

bool brute_fit_a_loop(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, size_t turn)
{
    uint32_t *ring = must(malloc(at_least_one(turn) * sizeof *ring));
    bool fits = false;

    for (size_t at = 1; at < turn && !fits; at++) {
        memset(ring, 0xff, turn * sizeof *ring);
        fits = put_piece(ring, turn, a, n_a, 0) && put_piece(ring, turn, b, n_b, at);
    }
    free(ring);
    return fits;
}

/* ---- What the walk promises ------------------------------------------------------- */

/* For each symbol of r's expansion, which symbol of its body it comes from. */
static uint32_t *origins(const struct brute_run *run, uint32_t r)
{
    const struct wpp_grammar *g = run->g;
    uint32_t *origin = must(malloc(at_least_one(run->rule[r].length) * sizeof *origin));
    size_t n = 0;

    for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++) {
        size_t width = g->symbols[i] & WPP_RULE
                           ? run->rule[g->symbols[i] ^ WPP_RULE].length : 1;

        while (width-- > 0)
            origin[n++] = (uint32_t)(i - g->body[r]);
    }
    return origin;
}

static bool any(const bool *flags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (flags[i])
            return true;
    return false;
}

bool brute_touches_crossing(const struct brute_run *run, const uint64_t *cost,
                            const struct brute_limits *limits, uint32_t rule,
                            const bool *marked)
{
    const struct brute_string *s = &run->rule[rule];
    const uint32_t *body = run->g->symbols + run->g->body[rule];
    uint32_t *origin = origins(run, rule);
    bool good = true;

    for (size_t at = 0; at < s->length && good; at++) {
        uint64_t charge = 0;

        for (size_t n = 1; n <= limits->max_length && at + n <= s->length; n++) {
            bool crosses = origin[at] != origin[at + n - 1] || !(body[origin[at]] & WPP_RULE);

            charge += run->instances[rule] * cost[s->symbols[at + n - 1]];
            if (n < limits->min_length)
                continue;
            if (crosses && charge >= limits->min_cost && !any(marked + at, n))
                good = false;
        }
    }
    free(origin);
    return good;
}
