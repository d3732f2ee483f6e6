/* SPDX-License-Identifier: MIT */
/* gram-counts.c - counts strings of k terminals; see gram-counts.h. */
#include "hotpaths/exhaustive/gram-counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"

#ifdef WPP_HOSTILE
enum { LEAST_BITS = 2, MOST_BITS = 4 };     /* nearly all grams share counts */
enum { NARROW_MOST = 3 };
enum { ROOM = 64 };
#else
enum { LEAST_BITS = 10, MOST_BITS = 20 };   /* 4 MB, most of which stays in the caches */
enum { NARROW_MOST = UINT16_MAX };
enum { ROOM = 4096 };
#endif

#define INLINE static inline __attribute__((always_inline))

/* Elements of a rule's ends: first[END_MOST], n, last[END_MOST], an unused one. */
enum { AT_N = END_MOST, AT_LAST = END_MOST + 1, END_SIZE = 2 * (END_MOST + 1) };

/* ---- Ends, of either width -------------------------------------------------------- */

typedef uint16_t __attribute__((may_alias)) narrow_code;
typedef uint32_t __attribute__((may_alias)) wide_code;

INLINE uint32_t get(const void *p, size_t i, bool wide)
{
    return wide ? ((const wide_code *)p)[i] : ((const narrow_code *)p)[i];
}

INLINE void put(void *p, size_t i, uint32_t value, bool wide)
{
    if (wide)
        ((wide_code *)p)[i] = value;
    else
        ((narrow_code *)p)[i] = (narrow_code)value;
}

INLINE void *element(const void *p, size_t i, bool wide)
{
    return (char *)p + (i << (wide ? 2 : 1));
}

INLINE void *ends_of_rule(const struct gram_counts *s, uint32_t rule, bool wide)
{
    return element(s->ends, (size_t)rule * END_SIZE, wide);
}

/* ---- Extents ------------------------------------------------------------------------ */

/* Terminals on one side of a border; at least the one that a subpath begins with. */
static uint64_t side(const struct gram_counts *s)
{
    return s->a->max_length > 1 ? s->a->max_length - 1 : 1;
}

static uint64_t most_of_side(const struct gram_counts *s)
{
    return side(s) * s->a->dearest;
}

/* Cost and length of one end of a symbol; the length is `side` if nothing beyond it can matter. */
struct reach_of_end {
    uint64_t cost, length;
};

static inline struct reach_of_end end_of(const struct gram_counts *s, uint32_t symbol, bool last)
{
    const struct extent *e = &s->extent[symbol & ~WPP_RULE];
    uint32_t cost;

    if (!(symbol & WPP_RULE))
        return (struct reach_of_end){ s->a->cost[symbol], 1 };
    cost = last ? e->last : e->first;
    return (struct reach_of_end){
        .cost = cost == EXTENT_MANY ? most_of_side(s) : cost,
        .length = (last ? e->last_closed : e->first_closed) ? side(s) : e->length,
    };
}

uint64_t gram_counts_last(const struct gram_counts *s, uint32_t symbol)
{
    return end_of(s, symbol, true).cost;
}

uint64_t gram_counts_across(const struct gram_counts *s, uint64_t before, uint64_t after,
                            uint32_t missing)
{
    uint64_t most = s->a->max_length * s->a->dearest;
    unsigned __int128 all = (unsigned __int128)before + after +
                            (unsigned __int128)missing * s->a->dearest;

    return all < most ? (uint64_t)all : most;
}

/* The text behind a border, as far as hot subpaths that cross it may go: the symbols up to `high`,
 * then terminals that cost `rest`.  Its length is at least side() if that is all; else the rule
 * ends there. */
struct behind {
    uint64_t high, length;
    uint64_t rest, rest_length;
    unsigned __int128 cost;     /* of everything */
};

/* Adds the symbol at `at` in front.  Whole symbols that are farther off than side() are left
 * out. */
static inline void behind_add(struct behind *b, const struct gram_counts *s, uint64_t at)
{
    const uint32_t *symbols = s->a->g->symbols;
    struct reach_of_end e = end_of(s, symbols[at], false);

    b->cost += e.cost;
    b->length += e.length;
    if (b->length - b->rest_length >= side(s)) {
        b->cost -= b->rest;
        b->length -= b->rest_length;
        b->rest = b->rest_length = 0;
    }
    for (; b->length > side(s) && b->rest_length == 0; b->high--) {
        assert(b->high > at);
        e = end_of(s, symbols[b->high - 1], false);
        if (b->length - e.length < side(s))
            return;
        b->cost -= e.cost;
        b->length -= e.length;
    }
}

/* Closes it: hot subpaths go on behind it only by terminals that cost at most `cost`. */
static inline void behind_close(struct behind *b, const struct gram_counts *s, uint64_t at,
                                uint64_t cost)
{
    if (cost >= b->cost && b->length >= side(s))
        return;
    *b = (struct behind){ .high = at + 1, .length = side(s), .rest = cost,
                          .rest_length = side(s), .cost = cost };
}

/* The same for the text before a rule's end. */
struct before {
    uint64_t cost, length;
};

static inline void before_add(struct before *b, const struct gram_counts *s, uint32_t symbol)
{
    assert(b->length <= side(s));
    uint64_t left = side(s) - b->length;
    struct reach_of_end e = end_of(s, symbol, true);

    b->cost += e.length > left && e.cost > left * s->a->dearest ? left * s->a->dearest : e.cost;
    b->length += e.length < left ? e.length : left;
}

static uint32_t narrow_cost(unsigned __int128 cost)
{
    return cost < EXTENT_MANY ? (uint32_t)cost : EXTENT_MANY;
}

static void keep_extent(struct gram_counts *s, uint32_t rule, const struct behind *first,
                        const struct before *last)
{
    uint64_t length = s->a->g->length[rule];

    s->extent[rule] = (struct extent){
        .first = narrow_cost(first->cost), .last = narrow_cost(last->cost),
        .length = length < EXTENT_LONG ? (uint32_t)length : EXTENT_LONG,
        .first_closed = first->length >= side(s), .last_closed = last->length >= side(s),
    };
}

/* ---- One right-hand side from right to left ----------------------------------------- */

/* The text behind is in room[at .. at + n_after); it grows towards the beginning of room. */
struct sweep {
    const struct gram_counts *s;
    uint64_t begin, next;       /* symbols [begin, next) are to be read */
    uint64_t ahead;             /* what comes FETCH_AHEAD later has been prefetched: the symbols */
    uint32_t ahead_rule;        /* from here on, of this rule, and those of the rules before */
    bool with_extents;
    const void *ends;           /* of the current symbol */
    uint32_t n_before;
    bool cut, terminal;
    uint32_t at, n_after;
    uint32_t single[END_SIZE];  /* the ends of a terminal */
    uint32_t room[ROOM];
};

INLINE void sweep_init(struct sweep *w, const struct gram_counts *s, bool with_extents)
{
    w->s = s;
    w->ahead = UINT64_MAX;
    w->ahead_rule = 0;
    w->with_extents = with_extents;
}

/* Prefetches the ends of one more symbol, in the order of the sweep: right to left in each rule.
 * Most rules are shorter than the distance of prefetching. */
INLINE void fetch_ends(struct sweep *w, bool wide)
{
    const struct wpp_grammar *g = w->s->a->g;
    uint32_t symbol;

    while (w->ahead == g->body[w->ahead_rule]) {
        if (w->ahead_rule + 1 >= rule_count(g))
            return;
        w->ahead = g->body[++w->ahead_rule + 1];
    }
    symbol = g->symbols[--w->ahead];
    if (!(symbol & WPP_RULE))
        return;
    __builtin_prefetch(ends_of_rule(w->s, symbol & ~WPP_RULE, wide));
    if (w->with_extents)
        __builtin_prefetch(&w->s->extent[symbol & ~WPP_RULE]);
}

INLINE void sweep_begin(struct sweep *w, uint32_t rule, bool wide)
{
    const struct wpp_grammar *g = w->s->a->g;

    w->begin = g->body[rule];
    w->next = g->body[rule + 1];
    w->at = ROOM;
    w->n_after = 0;
    if (w->ahead_rule > rule || (w->ahead_rule == rule && w->ahead < w->next))
        return;
    w->ahead_rule = rule;       /* rules were skipped, or it is the first one */
    w->ahead = w->next;
    for (int i = 0; i < FETCH_AHEAD; i++)
        fetch_ends(w, wide);
}

/* Moves to the symbol before; false at the beginning. */
INLINE bool sweep_next(struct sweep *w, bool wide)
{
    const uint32_t *symbols = w->s->a->g->symbols;
    uint32_t symbol, n;

    if (w->next == w->begin)
        return false;
    symbol = symbols[--w->next];
    fetch_ends(w, wide);
    w->terminal = !(symbol & WPP_RULE);
    if (w->terminal) {
        put(w->single, END_SIZE - 2, symbol, wide);
        w->ends = w->single;
        w->n_before = 1;
        w->cut = false;
        return true;
    }
    w->ends = ends_of_rule(w->s, symbol & ~WPP_RULE, wide);
    n = get(w->ends, AT_N, wide);
    w->cut = n > END_MOST;
    w->n_before = w->cut ? END_MOST : n;
    return true;
}

/* Adds the current symbol to the text behind.  A short one is copied with its padding, which later
 * ones overwrite. */
INLINE void sweep_pass(struct sweep *w, bool wide)
{
    size_t size = wide ? sizeof(uint32_t) : sizeof(uint16_t);

    assert(w->at <= ROOM && w->n_before <= END_MOST && w->n_after <= END_MOST);
    if (w->at < 2 * END_MOST) {
        memmove(element(w->room, ROOM - END_MOST, wide), element(w->room, w->at, wide),
                w->n_after * size);
        w->at = ROOM - END_MOST;
    }
    memcpy(element(w->room, w->at - END_MOST, wide),
           element(w->ends, w->cut ? 0 : AT_LAST, wide), END_MOST * size);
    w->at -= w->n_before;
    w->n_after += w->n_before;
    w->n_after = w->n_after < END_MOST ? w->n_after : END_MOST;
}

/* The hashes of the grams at the current border; returns how many. */
INLINE uint32_t sweep_grams(const struct sweep *w, uint64_t *hash, bool wide)
{
    const uint64_t *power = w->s->power;
    const void *after = element(w->room, w->at, wide);
    uint32_t k = w->s->length, most = k > 1 ? k - 1 : 1, n = 0;
    uint64_t behind[GRAM_MOST], before = 0;

    most = w->n_before < most ? w->n_before : most;
    if (w->n_after + most < k)
        return 0;
    behind[0] = 0;
    for (uint32_t i = 1; i < k && i <= w->n_after; i++)
        behind[i] = behind[i - 1] * ROLLING_MULTIPLIER + get(after, i - 1, wide) + 1;
    for (uint32_t i = 1; i <= most; i++) {
        before += (get(w->ends, AT_LAST + END_MOST - i, wide) + UINT64_C(1)) * power[i - 1];
        if (k - i <= w->n_after)
            hash[n++] = before * power[k - i] + behind[k - i];
    }
    assert(n <= GRAM_MOST);
    return n;
}

INLINE uint32_t short_rule(const struct gram_counts *s, uint32_t rule, uint32_t *out, bool wide)
{
    const void *ends = ends_of_rule(s, rule, wide);
    uint32_t n = get(ends, AT_N, wide);

    for (uint32_t i = 0; i < END_MOST; i++)
        out[i] = get(ends, i, wide);
    return n <= END_MOST ? n : 0;
}

uint32_t gram_counts_short(const struct gram_counts *s, uint32_t rule, uint32_t *out)
{
    return s->wide ? short_rule(s, rule, out, true) : short_rule(s, rule, out, false);
}

void gram_counts_fetch(const struct gram_counts *s, uint32_t rule)
{
    __builtin_prefetch(ends_of_rule(s, rule, s->wide));
}

/* ---- Counting ------------------------------------------------------------------------ */

static void charge(uint32_t *count, uint64_t frequency)
{
    *count = frequency < COUNT_MANY - *count ? *count + (uint32_t)frequency : COUNT_MANY;
}

/* Counts that wait until their memory is prefetched: few of them are in a cache.  The i-th is
 * waiting[i % CHARGES]. */
#ifdef WPP_HOSTILE
enum { CHARGES = 4 };
#else
enum { CHARGES = 64 };
#endif
static_assert((CHARGES & (CHARGES - 1)) == 0, "a power of two");

struct charges {
    uint64_t n;
    struct {
        uint32_t *at;
        uint64_t frequency;
    } waiting[CHARGES];
};

INLINE void charge_later(struct charges *c, uint32_t *at, uint64_t frequency)
{
    uint64_t i = c->n++ % CHARGES;

    __builtin_prefetch(at, 1);
    charge(c->waiting[i].at, c->waiting[i].frequency);
    c->waiting[i].at = at;
    c->waiting[i].frequency = frequency;
}

/* Grams of a single terminal are counted at that terminal. */
INLINE void count_border(const struct sweep *w, struct charges *c, uint64_t frequency, bool wide)
{
    const struct gram_counts *s = w->s;
    uint64_t hash[GRAM_MOST];
    uint32_t n = sweep_grams(w, hash, wide);

    if (s->length == 1 && !w->terminal)
        return;
    for (uint32_t i = 0; i < n; i++)
        charge_later(c, &s->count[rolling_mix(hash[i]) >> s->shift], frequency);
}

/* Stores the ends of a rule that was swept: its first terminals are the text behind its
 * beginning. */
INLINE void keep_ends(struct sweep *w, uint32_t rule, bool wide)
{
    const struct wpp_grammar *g = w->s->a->g;
    void *out = ends_of_rule(w->s, rule, wide);
    uint64_t length = g->length[rule], at = g->body[rule + 1];
    uint32_t n = length > END_MOST ? END_MOST : (uint32_t)length, left = n;

    for (uint32_t i = 0; i < END_MOST; i++)
        put(out, i, i < n ? get(w->room, w->at + i, wide) : 0, wide);
    put(out, AT_N, length > END_MOST ? END_MOST + 1 : n, wide);
    while (left > 0 && at > g->body[rule]) {
        uint32_t symbol = g->symbols[--at], has = 1;
        const void *ends = NULL;

        if (symbol & WPP_RULE) {
            ends = ends_of_rule(w->s, symbol & ~WPP_RULE, wide);
            has = get(ends, AT_N, wide) < END_MOST ? get(ends, AT_N, wide) : END_MOST;
        }
        for (uint32_t i = 1; i <= has && left > 0; i++, left--)
            put(out, AT_LAST + END_MOST - n + left - 1,
                ends ? get(ends, AT_LAST + END_MOST - i, wide) : symbol, wide);
    }
    assert(left == 0);           /* the body derives all of them */
    while (n < END_MOST)
        put(out, AT_LAST + END_MOST - ++n, 0, wide);
}

INLINE void count_all(struct gram_counts *s, bool wide)
{
    const struct wpp_grammar *g = s->a->g;
    struct charges charges = { 0 };
    struct sweep w;

    for (int i = 0; i < CHARGES; i++)
        charges.waiting[i].at = s->count;       /* adds 0, until the first real one comes */
    sweep_init(&w, s, false);
    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        uint64_t frequency = s->a->frequency[rule];

        if (!frequency)
            continue;
        sweep_begin(&w, rule, wide);
        while (sweep_next(&w, wide)) {
            count_border(&w, &charges, frequency, wide);
            sweep_pass(&w, wide);
        }
        if (rule < g->n_rules)
            keep_ends(&w, rule, wide);
    }
    for (int i = 0; i < CHARGES; i++)
        charge(charges.waiting[i].at, charges.waiting[i].frequency);
}

int gram_counts_init(struct gram_counts *s, const struct analysis *a)
{
    uint64_t symbols = a->g->body[rule_count(a->g)];
    unsigned bits = LEAST_BITS;
    size_t size;

    *s = (struct gram_counts){ .a = a, .wide = a->g->n_terminals > NARROW_MOST };
    s->length = a->min_length < GRAM_MOST ? a->min_length : GRAM_MOST;
    assert(s->length > 0);
    s->power[0] = 1;
    for (int i = 1; i <= GRAM_MOST; i++)
        s->power[i] = s->power[i - 1] * ROLLING_MULTIPLIER;
    while (bits < MOST_BITS && UINT64_C(1) << bits < symbols / 2)
        bits++;
    s->shift = 64 - bits;
    size = END_SIZE * (s->wide ? sizeof(uint32_t) : sizeof(uint16_t));
    s->count = scattered_array((size_t)1 << bits, sizeof *s->count);
    s->ends = scattered_array((size_t)a->g->n_rules + 1, size);
    s->extent = scattered_array((size_t)a->g->n_rules + 1, sizeof *s->extent);
    if (!s->count || !s->ends || !s->extent)
        return HOT_E_MEMORY;
    memset(s->count, 0, sizeof *s->count << bits);
    if (s->wide)
        count_all(s, true);
    else
        count_all(s, false);
    return HOT_OK;
}

void gram_counts_clear(struct gram_counts *s)
{
    free(s->count);
    free(s->ends);
    free(s->extent);
    *s = (struct gram_counts){ 0 };
}

/* ---- Showing the borders --------------------------------------------------------------- */

/* The result of a look at the grams of a border: the largest count of a frequent one, else 0; and
 * how far before the border the first and the last of the rare ones begin, 0: there are none. */
struct looked_up {
    uint64_t most;
    uint32_t first_rare, last_rare;
};

INLINE struct looked_up look_up(const struct sweep *w, bool wide)
{
    uint64_t hash[GRAM_MOST];
    uint32_t n = sweep_grams(w, hash, wide), found = 0, rare, nearest;
    struct looked_up out = { 0 };

    if (n == 0 || (w->s->length == 1 && !w->terminal && w->n_after == 0))
        return out;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t count = gram_counts_get(w->s, hash[i]);

        found |= (uint32_t)(count > 0) << i;
        out.most = count > out.most ? count : out.most;
    }
    rare = ~found & ((UINT32_C(1) << n) - 1);
    if (rare && w->s->length > 1) {
        nearest = w->s->length > w->n_after ? w->s->length - w->n_after : 1;
        out.first_rare = nearest + 31 - (uint32_t)__builtin_clz(rare);
        out.last_rare = nearest + (uint32_t)__builtin_ctz(rare);
    }
    return out;
}

INLINE void show_border(const struct sweep *w, struct border *out, bool wide)
{
    out->at = w->next;
    out->terminal = w->terminal;
    out->cut = w->cut;
    out->n_before = w->n_before;
    out->n_after = w->n_after;
    for (uint32_t i = 0; i < END_MOST; i++)
        out->text[i] = get(w->ends, AT_LAST + i, wide);
    for (uint32_t i = 0; i < END_MOST; i++)
        out->text[END_MOST + i] = i < w->n_after ? get(w->room, w->at + i, wide) : 0;
}

/* Whether a subpath that crosses the border can cost enough, by the whole text around it. */
static bool may_be_hot(const struct sweep *w, const struct behind *behind, uint64_t count,
                       uint64_t min_cost, struct border *out)
{
    const struct gram_counts *s = w->s;
    uint64_t most = most_of_side(s);

    out->before = gram_counts_last(s, s->a->g->symbols[w->next]);
    out->after = behind->cost < most ? (uint64_t)behind->cost : most;
    out->missing = behind->length < side(s) ? (uint32_t)(side(s) - behind->length) : 0;
    return unit_cost_needed(count, min_cost) <=
           gram_counts_across(s, out->before, out->after, out->missing);
}

/* The arguments of gram_counts_show. */
struct showing {
    uint64_t min_cost;
    gram_counts_see *see;
    void *context;
};

/* No hot subpath holds a rare gram: those that begin before one end within it, those that end
 * behind one begin within it. */
INLINE void pass_extents(const struct sweep *w, struct behind *behind, struct before *before,
                         struct looked_up grams, bool wide)
{
    const struct gram_counts *s = w->s;
    const void *after = element(w->room, w->at, wide);
    uint64_t cost = 0;

    if (grams.first_rare) {
        for (uint32_t i = 0; i + 1 + grams.first_rare < s->length; i++)
            cost += s->a->cost[get(after, i, wide)];
        behind_close(behind, s, w->next, cost);
    }
    behind_add(behind, s, w->next);
    if (before->length >= side(s))
        return;
    if (!grams.last_rare) {
        before_add(before, s, s->a->g->symbols[w->next]);
        return;
    }
    for (uint32_t i = 1; i < grams.last_rare; i++)
        before->cost += s->a->cost[get(w->ends, AT_LAST + END_MOST - i, wide)];
    before->length = side(s);
}

INLINE int show_rule(struct sweep *w, struct gram_counts *s, struct border *b,
                     const struct showing *to, bool wide)
{
    struct behind behind = { .high = w->next };
    struct before before = { 0 };

    while (sweep_next(w, wide)) {
        struct looked_up grams = look_up(w, wide);

        if (grams.most > 0 && may_be_hot(w, &behind, grams.most, to->min_cost, b)) {
            show_border(w, b, wide);
            if (to->see(to->context, b) != HOT_OK)
                return HOT_E_MEMORY;
        }
        pass_extents(w, &behind, &before, grams, wide);
        sweep_pass(w, wide);
    }
    if (b->rule < s->a->g->n_rules)
        keep_extent(s, b->rule, &behind, &before);
    return HOT_OK;
}

INLINE int show_all(struct gram_counts *s, const struct showing *to, bool wide)
{
    const struct wpp_grammar *g = s->a->g;
    struct border b;
    struct sweep w;
    int status = HOT_OK;

    sweep_init(&w, s, true);
    for (b.rule = 0; status == HOT_OK && b.rule < rule_count(g); b.rule++) {
        if (!s->a->frequency[b.rule])
            continue;
        sweep_begin(&w, b.rule, wide);
        status = show_rule(&w, s, &b, to, wide);
    }
    return status;
}

int gram_counts_show(struct gram_counts *s, uint64_t min_cost, uint64_t least, gram_counts_see *see,
                     void *context)
{
    struct showing to = { min_cost, see, context };

    assert(min_cost > 0 && least > 0);
    s->least = least;
    return s->wide ? show_all(s, &to, true) : show_all(s, &to, false);
}
