/* SPDX-License-Identifier: MIT */
/* sample.c - borders that stand for all borders; see sample.h. */
#include "hotpaths/sample.h"

#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"

/* What `side` terminals at most cost of a rule's beginning and of its end, and how many terminals
 * it has, as far as that matters. */
struct rule_ends {
    float first, last;
    uint32_t length;
};

/* What `side` terminals before, and behind, all places of a rule cost, at least. */
struct beyond {
    double before, behind;
};

struct choosing {
    struct sample *s;
    const struct analysis *a;
    const struct wpp_grammar *g;
    double unit;
    uint32_t side;              /* more than 1: a terminal alone may end something hot */
    size_t most;                /* borders; more do not pay */
    struct rule_ends *ends;     /* of each rule */
    struct beyond *beyond;      /* of each rule */
};

static inline struct rule_ends cost_ends(const struct choosing *c, uint32_t symbol)
{
    float cost;

    if (symbol & WPP_RULE)
        return c->ends[symbol & ~WPP_RULE];
    cost = (float)c->a->cost[symbol];
    return (struct rule_ends){ cost, cost, 1 };
}

/* ---- Taking -------------------------------------------------------------------------------- */

/* A number for each symbol, below 1, alike to chance. */
static inline double chance(uint64_t at)
{
    uint64_t x = (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (double)((x ^ x >> 32) >> 11) * 0x1p-53;
}

/* How often the border counts if it is taken; else 0.  That is a whole number, so it may be
 * taken a little more often than it has to be. */
static inline uint64_t weigh(const struct choosing *c, uint64_t at, uint64_t frequency, double mass)
{
    double x = chance(at), times = (double)frequency;
    uint64_t weight;

    if (mass >= c->unit)
        return frequency;
    if (mass < 0.5 || x * (c->unit - mass) >= mass)
        return 0;               /* nothing around it; or so seldom that its weight does not matter */
    weight = (uint64_t)(times * c->unit / mass);
    return x * (double)weight < times ? weight : 0;
}

static int take(struct sample *s, uint32_t rule, uint64_t at, uint64_t weight)
{
    if (GROW(s->taken, s->size, s->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->taken[s->n++] = (struct sampled){ at, weight, rule };
    return HOT_OK;
}

/* Windows that meet are one. */
static int add_window(struct sample *s, uint32_t rule, uint64_t at, uint64_t end)
{
    struct sample_window *last = s->n_windows ? &s->window[s->n_windows - 1] : NULL;

    if (last && last->rule == rule && last->begin <= end) {
        last->begin = at;
        return HOT_OK;
    }
    if (GROW(s->window, s->windows_size, s->n_windows + 1) != HOT_OK)
        return HOT_E_MEMORY;
    s->window[s->n_windows++] = (struct sample_window){ at, end, rule };
    return HOT_OK;
}

/* Says the symbol what stands around its place. */
static inline void hand_down(struct choosing *c, uint32_t symbol, struct beyond all)
{
    if (!(symbol & WPP_RULE))
        return;
    c->beyond[symbol & ~WPP_RULE].before += all.before;
    c->beyond[symbol & ~WPP_RULE].behind += all.behind;
}

/* What stands around the ends of all places of a symbol, of which `last` is its own. */
static inline double mass_of(double last, bool is_long, struct beyond all)
{
    return last + all.behind + (is_long ? 0 : all.before);
}

/* ---- Rules ---------------------------------------------------------------------------------
 * Most are short. */

/* Where the rule ends too soon, all that stands beyond it is added: more than matters, but that
 * does no harm. */
static struct beyond around(const struct choosing *c, uint32_t rule, uint64_t at)
{
    uint64_t begin = c->g->body[rule], end = c->g->body[rule + 1], length = 0;
    double frequency = (double)c->a->frequency[rule], before = 0, behind = 0;
    struct rule_ends e;

    for (uint64_t i = at + 1; i < end && length < c->side; i++, length += e.length) {
        e = cost_ends(c, c->g->symbols[i]);
        behind += e.first;
    }
    behind = behind * frequency + (length < c->side ? c->beyond[rule].behind : 0);
    length = 0;
    for (uint64_t i = at; i > begin && length < c->side; i--, length += e.length) {
        e = cost_ends(c, c->g->symbols[i - 1]);
        before += e.last;
    }
    before = before * frequency + (length < c->side ? c->beyond[rule].before : 0);
    return (struct beyond){ before, behind };
}

static void hand_down_all(struct choosing *c, uint32_t rule)
{
    for (uint64_t at = c->g->body[rule]; at < c->g->body[rule + 1]; at++)
        hand_down(c, c->g->symbols[at], around(c, rule, at));
}

static int choose_in_rule(struct choosing *c, uint32_t rule)
{
    uint64_t begin = c->g->body[rule], frequency = c->a->frequency[rule];

    for (uint64_t at = c->g->body[rule + 1]; at-- > begin;) {
        struct rule_ends e = cost_ends(c, c->g->symbols[at]);
        double mass = mass_of((double)frequency * e.last, e.length >= c->side, around(c, rule, at));
        uint64_t weight = weigh(c, at, frequency, mass);

        if (weight && take(c->s, rule, at, weight) != HOT_OK)
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

/* ---- Start rules ---------------------------------------------------------------------------
 * They are long.  A stretch is so much of one that sums of it stay in a cache: of what the
 * symbols before the i-th cost and derive. */

#ifdef WPP_HOSTILE
enum { STRETCH = 3 };
#else
enum { STRETCH = 2048 };
#endif

struct stretch {
    uint64_t from;              /* the first symbol */
    size_t n;
    double *first, *last;
    uint64_t *length;
    size_t begin, end;          /* around the symbol in work: [begin, it), [behind it, end) */
};

static int stretch_init(struct stretch *s, size_t most)
{
    *s = (struct stretch){ 0 };
    s->first = malloc((most + 1) * sizeof *s->first);
    s->last = malloc((most + 1) * sizeof *s->last);
    s->length = malloc((most + 1) * sizeof *s->length);
    return s->first && s->last && s->length ? HOT_OK : HOT_E_MEMORY;
}

static void stretch_clear(struct stretch *s)
{
    free(s->first);
    free(s->last);
    free(s->length);
}

/* Symbols [from, to). */
static void add_up(struct stretch *s, const struct choosing *c, uint64_t from, uint64_t to)
{
    const uint32_t *symbols = c->g->symbols;
    double first = 0, last = 0;
    uint64_t length = 0;

    s->from = from;
    s->n = to - from;
    s->first[0] = s->last[0] = 0;
    s->length[0] = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct rule_ends e = cost_ends(c, symbols[from + i]);

        if (i + FETCH_AHEAD < s->n && (symbols[from + i + FETCH_AHEAD] & WPP_RULE)) {
            __builtin_prefetch(&c->ends[symbols[from + i + FETCH_AHEAD] & ~WPP_RULE]);
            __builtin_prefetch(&c->beyond[symbols[from + i + FETCH_AHEAD] & ~WPP_RULE], 1);
        }
        s->first[i + 1] = first += e.first;
        s->last[i + 1] = last += e.last;
        s->length[i + 1] = length += e.length;
    }
    s->begin = s->end = s->n;
}

/* Around the i-th symbol, which is asked for from the last one on. */
static inline struct beyond around_in(struct stretch *s, uint32_t side, size_t i)
{
    while (s->end > i + 1 && s->length[s->end - 1] - s->length[i + 1] >= side)
        s->end--;
    s->begin = s->begin < i ? s->begin : i;
    while (s->begin > 0 && s->length[i] - s->length[s->begin] < side)
        s->begin--;
    return (struct beyond){ s->last[i] - s->last[s->begin], s->first[s->end] - s->first[i + 1] };
}

/* Takes of symbols [from, to) of a start rule, and says all of them what stands around them. */
static int choose_in_stretch(struct choosing *c, struct stretch *s, uint32_t rule, uint64_t from,
                             uint64_t to)
{
    for (uint64_t at = to; at-- > from;) {
        size_t i = at - s->from;
        struct beyond all = around_in(s, c->side, i);
        bool is_long = s->length[i + 1] - s->length[i] >= c->side;
        uint64_t weight = weigh(c, at, 1, mass_of(s->last[i + 1] - s->last[i], is_long, all));

        hand_down(c, c->g->symbols[at], all);
        if (weight && (take(c->s, rule, at, weight) != HOT_OK ||
                       add_window(c->s, rule, at, s->from + s->end) != HOT_OK))
            return HOT_E_MEMORY;
    }
    return HOT_OK;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int choose_in_start(struct choosing *c, uint32_t rule)
{
    uint64_t begin = c->g->body[rule], end = c->g->body[rule + 1], to, from;
    struct stretch s;
    int status = stretch_init(&s, least_of(end - begin, STRETCH + 2 * (uint64_t)c->side));

    for (to = end; status == HOT_OK && to > begin && c->s->n <= c->most; to = from) {
        from = to - least_of(to - begin, STRETCH);
        add_up(&s, c, from - least_of(from - begin, c->side), to + least_of(end - to, c->side));
        status = choose_in_stretch(c, &s, rule, from, to);
    }
    stretch_clear(&s);
    return status;
}

/* ---- All rules ----------------------------------------------------------------------------- */

static void measure_ends(struct choosing *c, uint32_t rule)
{
    uint64_t begin = c->g->body[rule], end = c->g->body[rule + 1], length = 0;
    struct rule_ends out = { 0 }, e;

    for (uint64_t at = begin; at < end && length < c->side; at++, length += e.length) {
        e = cost_ends(c, c->g->symbols[at]);
        out.first += e.first;
    }
    out.length = (uint32_t)least_of(length, c->side);
    length = 0;
    for (uint64_t at = end; at-- > begin && length < c->side; length += e.length) {
        e = cost_ends(c, c->g->symbols[at]);
        out.last += e.last;
    }
    c->ends[rule] = out;
    c->beyond[rule] = (struct beyond){ 0, 0 };
}

/* What was taken in start rules comes behind what is taken in all others. */
static int choose_everywhere(struct choosing *c)
{
    const struct wpp_grammar *g = c->g;
    struct sample *s = c->s;
    struct sampled *in_starts;
    size_t n;
    int status = HOT_OK;

    for (uint32_t rule = 0; rule < g->n_rules; rule++)
        measure_ends(c, rule);
    for (uint32_t rule = g->n_rules; status == HOT_OK && rule < rule_count(g); rule++)
        if (c->a->frequency[rule])
            status = choose_in_start(c, rule);
    in_starts = s->taken;
    n = s->n;
    s->taken = NULL;
    s->n = s->size = 0;
    for (uint32_t rule = g->n_rules; rule-- > 0 && n <= c->most;)
        hand_down_all(c, rule);
    for (uint32_t rule = 0; status == HOT_OK && rule < g->n_rules && s->n + n <= c->most; rule++)
        if (c->a->frequency[rule])
            status = choose_in_rule(c, rule);
    if (status == HOT_OK && GROW(s->taken, s->size, s->n + n + 1) != HOT_OK)
        status = HOT_E_MEMORY;
    if (status == HOT_OK && n > 0)
        memcpy(s->taken + s->n, in_starts, n * sizeof *in_starts);
    s->n += status == HOT_OK ? n : 0;
    free(in_starts);
    return status;
}

/* Sums of costs of the whole run must not have stopped at the largest number. */
static bool is_countable(const struct analysis *a)
{
    uint64_t most = UINT64_C(1) << 62, events = 0;

    for (uint32_t k = 0; k < a->g->n_threads; k++) {
        uint64_t length = a->g->length[a->g->n_rules + k];

        if (length >= most - events)
            return false;
        events += length;
    }
    return a->total_cost < most;
}

void sample_all(struct sample *s, const struct analysis *a)
{
    *s = (struct sample){ .a = a, .all = true };
}

int sample_choose(struct sample *s, const struct analysis *a, uint64_t min_cost)
{
    uint64_t symbols = a->g->body[rule_count(a->g)];
    struct choosing c = { .s = s, .a = a, .g = a->g, .unit = (double)min_cost / SAMPLE_HITS,
                          .side = a->max_length > 2 ? a->max_length - 1 : 2,
                          .most = symbols / SAMPLE_PAYS };
    int status;

    *s = (struct sample){ .a = a };
    c.ends = scattered_array((size_t)a->g->n_rules + 1, sizeof *c.ends);
    c.beyond = scattered_array((size_t)a->g->n_rules + 1, sizeof *c.beyond);
    status = c.ends && c.beyond ? choose_everywhere(&c) : HOT_E_MEMORY;
    free(c.ends);
    free(c.beyond);
    if (status != HOT_OK || (s->n <= c.most && is_countable(a)))
        return status;
    sample_clear(s);
    sample_all(s, a);
    return HOT_OK;
}

void sample_clear(struct sample *s)
{
    free(s->taken);
    free(s->window);
    *s = (struct sample){ 0 };
}

/* ---- Asking -------------------------------------------------------------------------------- */

static bool comes_before(const struct sampled *t, uint32_t rule, uint64_t at)
{
    return t->rule != rule ? t->rule < rule : t->at > at;
}

uint64_t sample_weight(const struct sample *s, uint32_t rule, uint64_t at)
{
    size_t low = 0, high = s->n;

    if (s->all)
        return s->a->frequency[rule];
    while (low < high) {
        size_t i = low + (high - low) / 2;

        if (comes_before(&s->taken[i], rule, at))
            low = i + 1;
        else
            high = i;
    }
    return low < s->n && s->taken[low].at == at ? s->taken[low].weight : 0;
}

bool sample_check(const struct sample *s)
{
    const struct wpp_grammar *g = s->a->g;
    size_t window = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct sampled *t = &s->taken[i];

        if (t->at < g->body[t->rule] || t->at >= g->body[t->rule + 1] || t->weight == 0 ||
            (i > 0 && !comes_before(t - 1, t->rule, t->at)))
            return false;
        if (t->rule < g->n_rules)
            continue;
        while (window < s->n_windows && (s->window[window].rule != t->rule ||
                                         s->window[window].begin > t->at))
            window++;
        if (window == s->n_windows || t->at >= s->window[window].end)
            return false;
    }
    for (size_t i = 1; i < s->n_windows; i++)
        if (s->window[i].rule < s->window[i - 1].rule ||
            (s->window[i].rule == s->window[i - 1].rule &&
             s->window[i].end > s->window[i - 1].begin))
            return false;
    return true;
}
