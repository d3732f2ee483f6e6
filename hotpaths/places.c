/* SPDX-License-Identifier: MIT */
/* places.c - where hot subpaths can begin; see places.h. */
#include "hotpaths/places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"

/* The starts that begin and end in a rule, less than `longest` from its end. */
struct far_start {
    uint32_t depth;             /* from the rule's end, in terminals */
    uint32_t start;
    uint64_t cost;              /* of these terminals */
};

/* Those of rule r are item[first[r] .. first[r] + n[r]), the deepest last. */
struct far_starts {
    size_t *first;
    uint32_t *n;
    struct far_start *item;
    size_t n_items, size;
};

/* The text around one border is put together in `text`, the symbol's end before
 * text[L], what follows from there on.  As the middle of the text is L, an index
 * i below it is where a string begins that counts from L - i + 1. */
struct gathering {
    const struct sieve *s;
    uint64_t min_cost;
    uint32_t longest;           /* strings in question */
    const struct starts *starts;
    const struct far_starts *far;       /* NULL: places are being counted */
    struct outward_walk walk;
    uint32_t *text;             /* 2 L */
    uint64_t *count;            /* L: of the gram that begins there */
    uint64_t *cost;             /* 2 L + 1: of the text from there on, modulo 2^64 */

    struct warm_border border;  /* the one in work */
    bool terminal;              /* its symbol is one */
    uint32_t deepest;           /* start in the symbol that is still of interest */
    uint64_t gram[GRAM_MOST];   /* hashes, from the first before the middle on */
    uint32_t begin, end;        /* of the text that is known */
    bool goes_on;               /* behind the end there may be more that is hot */
    struct place *place;        /* L: those found in it, `at` in it, from right to left */
    uint64_t *hash;             /* L: of what they begin with */
    uint32_t n;
};

static uint32_t middle(const struct gathering *g)
{
    return g->s->a->max_length;
}

static bool can_cost(uint64_t frequency, uint64_t unit_cost, uint64_t min_cost)
{
    return (unsigned __int128)frequency * unit_cost >= min_cost;
}

static bool is_warm(const struct gathering *g, uint64_t count)
{
    return can_cost(count, g->border.across, g->min_cost);
}

/* ---- Gathering text ------------------------------------------------------------------- */

/* Puts the border into the text and counts its grams; false when all are rare.
 * (Where grams are single terminals there may be none yet.) */
static bool lay_border(struct gathering *g, uint64_t at, uint64_t end)
{
    const struct grams *grams = &g->s->grams;
    struct border b;
    uint32_t whole;             /* grams that are */
    uint64_t hash;
    bool warm = false;

    grams_border(grams, at, end, &b);
    if (b.n_before == 0)
        return grams->length == 1;
    if (b.n < grams->length)
        return false;
    hash = gram_hash(b.text, grams->length);
    whole = b.n - grams->length + 1 < b.n_before ? b.n - grams->length + 1 : b.n_before;
    for (uint32_t i = 0; i < b.n_before; i++) {
        if (i > 0 && i < whole)
            hash = gram_right(hash, grams->power, b.text[i - 1], b.text[i + grams->length - 1]);
        g->gram[i] = hash;
        gram_fetch(grams, hash);
    }
    for (uint32_t i = 0; i < b.n_before; i++) {
        uint64_t count = i < whole ? gram_count(grams, g->gram[i]) : 0;

        g->count[g->begin - b.n_before + i] = count;
        warm |= is_warm(g, count);
    }
    if (!warm)
        return false;
    g->begin -= b.n_before;
    g->end += b.n - b.n_before;
    memcpy(g->text + g->begin, b.text, b.n * sizeof *g->text);
    return true;
}

/* Writes what follows, until there is a gram behind all places that is rare. */
static int extend_right(struct gathering *g, uint64_t at, uint64_t end)
{
    const struct grams *grams = &g->s->grams;
    uint32_t first = middle(g), k = grams->length;
    uint64_t hash = 0;

    if (outward_walk_begin(&g->walk, at, end) != HOT_OK)
        return HOT_E_MEMORY;
    for (g->end = first; g->end < first + g->longest - 1; g->end++) {
        uint32_t next = outward_right(&g->walk);

        if (next == OUTWARD_NO_MEMORY)
            return HOT_E_MEMORY;
        if (next == OUTWARD_END)
            return HOT_OK;
        g->text[g->end] = next;
        if (g->end + 1 < first + k)
            continue;
        hash = g->end + 1 == first + k
                   ? gram_hash(g->text + first, k)
                   : gram_right(hash, grams->power, g->text[g->end - k], next);
        g->goes_on = is_warm(g, gram_count(grams, hash));
        if (!g->goes_on)
            return HOT_OK;
    }
    return HOT_OK;
}

/* Writes more of the symbol's end, as long as grams are not rare. */
static int extend_left(struct gathering *g, uint64_t at)
{
    const struct grams *grams = &g->s->grams;
    bool has_gram = g->begin < middle(g);
    uint64_t hash = has_gram ? gram_hash(g->text + g->begin, grams->length) : 0;

    if (has_gram && !is_warm(g, g->count[g->begin]))
        return HOT_OK;
    if (outward_walk_begin(&g->walk, at, at + 1) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t i = middle(g); i > g->begin; i--)
        if (outward_left(&g->walk) == OUTWARD_NO_MEMORY)
            return HOT_E_MEMORY;
    while (middle(g) - g->begin < g->deepest) {
        uint32_t next = outward_left(&g->walk);

        if (next == OUTWARD_NO_MEMORY)
            return HOT_E_MEMORY;
        if (next == OUTWARD_END)
            return HOT_OK;
        hash = has_gram ? gram_left(hash, grams->power, next,
                                    g->text[g->begin - 1 + grams->length])
                        : gram_hash(&next, 1);
        has_gram = true;
        if (!is_warm(g, gram_count(grams, hash)))
            return HOT_OK;
        g->text[--g->begin] = next;
        g->count[g->begin] = gram_count(grams, hash);
    }
    return HOT_OK;
}

/* Whether something hot can begin in what the border shows. */
static bool has_near_start(const struct gathering *g)
{
    const struct starts *starts = g->starts;
    uint64_t cost = 0;

    if (starts->length != g->s->grams.length)
        return true;
    for (uint32_t i = middle(g); i-- > g->begin;) {
        uint32_t start;

        cost += g->s->a->cost[g->text[i]];
        if (i + starts->length > g->end || !is_warm(g, g->count[i]))
            continue;
        start = starts_find(starts, g->text + i, g->gram[i - g->begin]);
        if (start != NO_START &&
            can_cost(starts->entry[start].frequency, cost + g->border.after, g->min_cost))
            return true;
    }
    return false;
}

/* How deep in the symbol something hot can begin that crosses the border.  When
 * places are counted nothing is known yet. */
static uint32_t find_deepest(const struct gathering *g)
{
    uint32_t rule = g->s->a->g->symbols[g->border.at] & ~WPP_RULE;

    if (g->terminal)
        return 0;
    if (!g->far)
        return g->longest - 1;
    for (uint32_t i = g->far->n[rule]; i-- > 0;) {
        const struct far_start *f = &g->far->item[g->far->first[rule] + i];

        if (can_cost(g->starts->entry[f->start].frequency, f->cost + g->border.after, g->min_cost))
            return f->depth;
    }
    return g->border.near && g->starts->length > g->s->grams.length ? g->starts->length - 1 : 0;
}

/* Gathers the text around the border; none when there can be no place in it. */
static int gather(struct gathering *g)
{
    uint64_t at = g->border.at, end = g->s->a->g->body[g->border.rule + 1];
    bool near = g->border.near;

    g->begin = g->end = middle(g);
    g->terminal = !(g->s->a->g->symbols[at] & WPP_RULE);
    g->deepest = find_deepest(g);
    g->goes_on = true;
    if ((!near && !g->deepest) || !lay_border(g, at, end))
        return HOT_OK;
    if (g->longest == g->s->grams.length)
        return HOT_OK;          /* strings as long as a gram: the border shows all */
    near = near && (!g->far || has_near_start(g));
    if (g->deepest && extend_left(g, at) != HOT_OK)
        return HOT_E_MEMORY;
    if (near || !g->far || middle(g) - g->begin >= g->starts->length)
        return extend_right(g, at + 1, end);
    g->begin = g->end;
    return HOT_OK;
}

/* ---- Places in the text ------------------------------------------------------------------ */

/* Sums costs up; returns what may come behind the text. */
static uint64_t sum_text(struct gathering *g)
{
    uint64_t known;

    g->cost[g->end] = 0;
    for (uint32_t i = g->end; i-- > g->begin;)
        g->cost[i] = g->cost[i + 1] + g->s->a->cost[g->text[i]];
    known = g->cost[middle(g)];
    return g->goes_on && g->border.after > known ? g->border.after - known : 0;
}

/* Puts down the place at index i unless nothing hot can begin there. */
static void find_place(struct gathering *g, uint32_t i, uint32_t limit, uint64_t behind)
{
    const struct analysis *a = g->s->a;
    struct place p = { .at = i, .counts_from = g->terminal ? 1 : middle(g) - i + 1,
                       .rule = g->border.rule };

    p.limit = limit - i < a->max_length ? limit - i : a->max_length;
    if (p.limit < p.counts_from)
        return;
    p.reach = g->cost[i] - g->cost[i + p.limit];
    if (i + p.limit == g->end && p.limit < a->max_length) {
        uint64_t most = (a->max_length - p.limit) * a->dearest;

        p.reach += behind < most ? behind : most;
    }
    if (can_cost(g->count[i], p.reach, g->min_cost))
        g->place[g->n++] = p;
}

/* The places that begin with a string of `starts`' length. */
static void find_places(struct gathering *g)
{
    const struct starts *starts = g->starts;
    uint32_t length = starts->length, limit = g->end;
    uint64_t behind = sum_text(g), hash = 0;
    bool hashed = false;

    g->n = 0;
    for (uint32_t i = middle(g); i-- > g->begin;) {
        if (i + length > g->end)
            continue;
        hash = hashed ? gram_left(hash, starts->power, g->text[i], g->text[i + length])
                      : gram_hash(g->text + i, length);
        hashed = true;
        g->hash[g->n] = hash;
        if (!is_warm(g, g->count[i]))
            limit = i + g->s->grams.length - 1;     /* what begins here or before ends there */
        else if (i + length <= limit)
            find_place(g, i, limit, behind);
    }
}

/* ---- All borders --------------------------------------------------------------------------- */

static bool reserve(struct gathering *g)
{
    size_t most = middle(g);

    g->text = malloc(2 * most * sizeof *g->text);
    g->count = malloc(most * sizeof *g->count);
    g->cost = malloc((2 * most + 1) * sizeof *g->cost);
    g->place = malloc(most * sizeof *g->place);
    g->hash = malloc(most * sizeof *g->hash);
    return g->text && g->count && g->cost && g->place && g->hash;
}

static void release(struct gathering *g)
{
    free(g->text);
    free(g->count);
    free(g->cost);
    free(g->place);
    free(g->hash);
    outward_walk_clear(&g->walk);
}

/* ---- Counting -------------------------------------------------------------------------------- */

static int count_places(struct starts *starts, const struct gathering *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (starts_add(starts, g->text + g->place[i].at, g->hash[i],
                       g->s->a->frequency[g->border.rule], g->place[i].reach) != HOT_OK)
            return HOT_E_MEMORY;
    return HOT_OK;
}

/* The border in work, and its places; keeps it if it is warm and `keep`. */
static int count_border_places(struct starts *starts, struct sieve *s, struct gathering *g,
                               bool keep)
{
    if (gather(g) != HOT_OK)
        return HOT_E_MEMORY;
    /* Where grams are single terminals, any rule's last one may be warm. */
    if (g->begin == g->end && s->grams.length > 1)
        return HOT_OK;
    if (keep) {
        if (s->n_borders == UINT32_MAX ||
            GROW(s->border, s->borders_size, s->n_borders + 1) != HOT_OK)
            return HOT_E_MEMORY;
        s->border[s->n_borders++] = g->border;
    }
    find_places(g);
    return count_places(starts, g);
}

static int count_rule(struct starts *starts, struct sieve *s, struct gathering *g, uint32_t rule)
{
    struct reach_scan scan;
    int status = HOT_OK;

    reach_begin(&scan, &s->reach, rule);
    while (status == HOT_OK && reach_next(&scan)) {
        g->border = (struct warm_border){ .at = scan.at - 1, .across = reach_across(&scan),
                                          .after = reach_after(&scan), .rule = rule,
                                          .near = true };
        gram_prefetch(&s->grams, scan.at + FETCH_AHEAD, scan.end);
        status = count_border_places(starts, s, g, true);
    }
    return status;
}

static int count_all_rules(struct starts *starts, struct sieve *s, struct gathering *g)
{
    int status = HOT_OK;

    s->n_borders = 0;
    s->min_cost = 0;
    for (uint32_t rule = 0; status == HOT_OK && rule < rule_count(s->a->g); rule++)
        if (s->a->frequency[rule] > 0)
            status = count_rule(starts, s, g, rule);
    if (status == HOT_OK)
        s->min_cost = g->min_cost;
    return status;
}

static int count_known_borders(struct starts *starts, struct sieve *s, struct gathering *g)
{
    int status = HOT_OK;

    for (size_t i = 0; status == HOT_OK && i < s->n_borders; i++) {
        s->border[i].near = true;
        g->border = s->border[i];
        status = count_border_places(starts, s, g, false);
    }
    return status;
}

int places_count(struct starts *starts, struct sieve *s, uint64_t min_cost)
{
    struct gathering g = { .s = s, .min_cost = min_cost, .starts = starts,
                           .longest = starts->length, .walk = { .o = &s->outward } };
    int status = reserve(&g) ? HOT_OK : HOT_E_MEMORY;

    assert(min_cost > 0);
    if (status == HOT_OK && s->min_cost && min_cost >= s->min_cost)
        status = count_known_borders(starts, s, &g);
    else if (status == HOT_OK)
        status = count_all_rules(starts, s, &g);
    release(&g);
    return status;
}

/* ---- Collecting ------------------------------------------------------------------------------ */

/* Lists the starts of a rule, walking left from its end. */
static int list_starts(struct far_starts *f, uint32_t rule, const struct gathering *g,
                       struct outward_walk *w)
{
    const struct wpp_grammar *grammar = g->s->a->g;
    const struct starts *starts = g->starts;
    uint64_t hash = 0, cost = 0;

    if (outward_walk_begin(w, grammar->body[rule], grammar->body[rule + 1]) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t n = 1; n < g->longest; n++) {
        uint32_t *first = g->text + g->longest - n, start;

        *first = outward_left(w);
        if (*first == OUTWARD_NO_MEMORY)
            return HOT_E_MEMORY;
        if (*first == OUTWARD_END)
            return HOT_OK;
        cost += g->s->a->cost[*first];
        if (n < starts->length)
            continue;
        hash = n == starts->length ? gram_hash(first, n)
                                   : gram_left(hash, starts->power, *first, first[starts->length]);
        start = starts_find(starts, first, hash);
        if (start == NO_START)
            continue;
        if (GROW(f->item, f->size, f->n_items + 1) != HOT_OK)
            return HOT_E_MEMORY;
        f->item[f->n_items++] = (struct far_start){ n, start, cost };
        f->n[rule]++;
    }
    return HOT_OK;
}

/* What has the same end as a rule below shares its list. */
static int find_far_starts(struct far_starts *f, const struct gathering *g)
{
    const struct outward *o = &g->s->outward;
    struct outward_walk walk = { .o = o };
    int status = HOT_OK;

    f->first = calloc((size_t)o->g->n_rules + 1, sizeof *f->first);
    f->n = calloc((size_t)o->g->n_rules + 1, sizeof *f->n);
    if (!f->first || !f->n)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; status == HOT_OK && rule < o->g->n_rules; rule++) {
        uint32_t tail = o->tail[rule];

        f->first[rule] = tail == rule ? f->n_items : f->first[tail];
        f->n[rule] = tail == rule ? 0 : f->n[tail];
        if (tail == rule)
            status = list_starts(f, rule, g, &walk);
    }
    outward_walk_clear(&walk);
    return status;
}

/* Keeps the places that go on behind a start which is still worth it, with the
 * text if there are any. */
static int collect_places(struct places *out, const struct gathering *g, uint32_t border)
{
    const struct starts *starts = g->starts;
    size_t n = out->n, n_text = g->end - g->begin;

    if (out->n_text + n_text > UINT32_MAX || GROW(out->place, out->size, n + g->n) != HOT_OK ||
        GROW(out->text, out->text_size, out->n_text + n_text) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t i = 0; i < g->n; i++) {
        struct place p = g->place[i];

        if (p.limit == starts->length)
            continue;
        p.start = starts_find(starts, g->text + p.at, g->hash[i]);
        if (p.start == NO_START ||
            !can_cost(starts->entry[p.start].frequency, p.reach, g->min_cost))
            continue;
        p.at = (uint32_t)(out->n_text + p.at - g->begin);
        p.border = border;
        out->place[out->n++] = p;
    }
    if (out->n == n)
        return HOT_OK;
    memcpy(out->text + out->n_text, g->text + g->begin, n_text * sizeof *out->text);
    out->n_text += n_text;
    return HOT_OK;
}

int places_collect(struct places *p, const struct starts *starts, uint32_t longest,
                   const struct sieve *s, uint64_t min_cost)
{
    struct far_starts far = { 0 };
    struct gathering g = { .s = s, .min_cost = min_cost, .starts = starts,
                           .longest = longest, .far = &far, .walk = { .o = &s->outward } };
    int status = reserve(&g) ? find_far_starts(&far, &g) : HOT_E_MEMORY;

    assert(longest <= s->a->max_length);
    p->n = p->n_text = 0;
    for (size_t i = 0; status == HOT_OK && i < s->n_borders; i++) {
        g.border = s->border[i];
        status = gather(&g);
        if (status == HOT_OK)
            find_places(&g);
        if (status == HOT_OK && g.n > 0)
            status = collect_places(p, &g, (uint32_t)i);
    }
    free(far.first);
    free(far.n);
    free(far.item);
    release(&g);
    return status;
}

void places_clear(struct places *p)
{
    free(p->text);
    free(p->place);
    *p = (struct places){ 0 };
}
