/* SPDX-License-Identifier: MIT */
/* gather.c - extends the texts around borders; see gather.h. */
#include "hotpaths/exhaustive/gather.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/exhaustive/recipes.h"
#include "hotpaths/exhaustive/rule-ends.h"

/* A prefix that begins and ends in a rule, less than `longest` from its end. */
struct far_prefix {
    uint32_t depth;             /* from the rule's end, in terminals */
    uint32_t prefix;
    uint64_t cost;              /* of these terminals */
};

/* The prefixes of a rule: from `first` on, the deepest last. */
struct far_list {
    size_t first;
    uint32_t n;
    bool wanted;
};

struct far_prefixes {
    struct far_list *of;        /* of each rule that is a tail (rule-walk.h) */
    struct far_prefix *item;
    size_t n_items, size;
};

/* A walk that reads the stored ends of rules, where there are any. */
struct reader {
    struct rule_ends ends;
    struct rule_walk walk;
    uint32_t run[RULE_ENDS_MOST]; /* [at, n) is still to be read */
    uint32_t at, n;
};

struct gathering {
    const struct border_filter *s;
    const struct prefix_set *prefixes;
    uint32_t longest;
    uint64_t min_cost;
    uint64_t least;             /* for all borders */
    uint64_t least_here;        /* for the current border */
    const struct text *before;  /* its text of the round before, or NULL */
    uint32_t deepest, farthest; /* no hot subpath begins or ends farther from the border */
    struct far_prefixes far;
    struct reader reader;
    uint32_t *text;             /* 2 longest, the border in the middle */
    uint32_t begin, end;        /* the known part of it */
    struct text like;
    struct recipes recipes;
    struct texts *texts;
};

void gathered_init(struct gathered *g)
{
    *g = (struct gathered){ 0 };
    texts_init(&g->texts);
}

void gathered_clear(struct gathered *g)
{
    texts_clear(&g->texts);
    free(g->border);
    gathered_init(g);
}

int gathered_begin(struct gathered *g, const struct border_filter *s)
{
    for (size_t i = 0; i < s->n_borders; i++) {
        const struct text *t = &s->texts.entry[s->border[i].text];

        assert(s->border[i].text < s->texts.n);
        if (!t->near && !t->left_open)
            continue;
        if (GROW(g->border, g->size, g->n + 1) != HOT_OK)
            return HOT_E_MEMORY;
        g->border[g->n++] = (struct gathered_border){
            .at = s->border[i].at, .rule = s->border[i].rule, .text = s->border[i].text,
            .first_text = s->border[i].text,
        };
    }
    return HOT_OK;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Begins at the end of a rule, or of the tail that stands for it. */
static int reader_begin_at_end(struct reader *r, uint32_t rule, const struct wpp_grammar *g)
{
    r->at = 0;
    r->n = rule_ends_last(&r->ends, rule, r->run);
    return rule_walk_begin(&r->walk, g->body[rule], r->n ? g->body[rule] : g->body[rule + 1]);
}

static int reader_begin(struct reader *r, uint64_t at, uint64_t end)
{
    r->at = r->n = 0;
    return rule_walk_begin(&r->walk, at, end);
}

static uint32_t read_right(struct reader *r)
{
    while (r->at == r->n) {
        uint32_t symbol = rule_walk_right_symbol(&r->walk);

        if (symbol == RULE_WALK_END || !(symbol & WPP_RULE))
            return symbol;
        r->at = 0;
        r->n = rule_ends_first(&r->ends, symbol & ~WPP_RULE, r->run);
        if (r->n == 0 && rule_walk_right_enter(&r->walk, symbol & ~WPP_RULE) != HOT_OK)
            return RULE_WALK_NO_MEMORY;
    }
    return r->run[r->at++];
}

static uint32_t read_left(struct reader *r)
{
    while (r->at == r->n) {
        uint32_t symbol = rule_walk_left_symbol(&r->walk);

        if (symbol == RULE_WALK_END || !(symbol & WPP_RULE))
            return symbol;
        r->at = 0;
        r->n = rule_ends_last(&r->ends, symbol & ~WPP_RULE, r->run);
        if (r->n == 0 && rule_walk_left_enter(&r->walk, symbol & ~WPP_RULE) != HOT_OK)
            return RULE_WALK_NO_MEMORY;
    }
    return r->run[--r->n];
}

/* ---- Starts within rules ---------------------------------------------------------------- */

/* Lists the prefixes of a rule, walking left from its end. */
static int list_prefixes(struct gathering *g, uint32_t rule)
{
    const struct wpp_grammar *grammar = g->s->a->g;
    const struct prefix_set *prefixes = g->prefixes;
    struct far_prefixes *f = &g->far;
    uint64_t hash = 0, cost = 0;

    if (reader_begin_at_end(&g->reader, rule, grammar) != HOT_OK)
        return HOT_E_MEMORY;
    for (uint32_t n = 1; n < g->longest; n++) {
        uint32_t *first = g->text + g->longest - n, prefix;

        *first = read_left(&g->reader);
        if (*first == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
        if (*first == RULE_WALK_END)
            return HOT_OK;
        cost += g->s->a->cost[*first];
        if (n < prefixes->length)
            continue;
        hash = n == prefixes->length ? rolling_hash(first, n)
                                     : rolling_left(hash, prefixes->power, *first,
                                                    first[prefixes->length]);
        prefix = prefix_set_find(prefixes, first, hash);
        if (prefix == NO_PREFIX)
            continue;
        if (GROW(f->item, f->size, f->n_items + 1) != HOT_OK)
            return HOT_E_MEMORY;
        f->item[f->n_items++] = (struct far_prefix){ n, prefix, cost };
        f->of[rule].n++;
    }
    return HOT_OK;
}

/* Stores the ends of rules that are needed for texts and lists of prefixes. */
static int fill_rule_ends(struct gathering *g, const struct gathered *borders)
{
    const struct rule_walks *o = &g->s->walks;
    struct rule_ends *f = &g->reader.ends;

    for (size_t i = 0; i < borders->n; i++) {
        const struct gathered_border *b = &borders->border[i];
        uint64_t end = o->g->body[b->rule + 1], length = 0;

        for (uint64_t at = b->at; at < end && length < g->longest - 1; at++) {
            uint32_t symbol = o->g->symbols[at];

            if (symbol & WPP_RULE)
                rule_ends_want(f, symbol & ~WPP_RULE, at == b->at);
            if (at == b->at && (symbol & WPP_RULE))
                rule_ends_want(f, o->tail[symbol & ~WPP_RULE], true);
            if (at > b->at)
                length += symbol & WPP_RULE ? o->g->length[symbol & ~WPP_RULE] : 1;
        }
    }
    if (rule_ends_fill(f) != HOT_OK)
        return HOT_E_MEMORY;
#ifdef WPP_HOSTILE
    assert(rule_ends_check(f, o));
#endif
    return HOT_OK;
}

/* For the rules whose text is open at the end; a rule that ends with another rule shares its
 * list. */
static int find_far_prefixes(struct gathering *g, const struct gathered *borders)
{
    const struct rule_walks *o = &g->s->walks;
    struct far_prefixes *f = &g->far;
    int status = HOT_OK;

    f->of = calloc((size_t)o->g->n_rules + 1, sizeof *f->of);
    if (!f->of)
        return HOT_E_MEMORY;
    for (size_t i = 0; i < borders->n; i++) {
        uint32_t symbol = o->g->symbols[borders->border[i].at];

        if (symbol & WPP_RULE)
            f->of[o->tail[symbol & ~WPP_RULE]].wanted = true;
    }
    for (uint32_t rule = 0; status == HOT_OK && rule < o->g->n_rules; rule++) {
        f->of[rule].first = f->n_items;
        if (f->of[rule].wanted)
            status = list_prefixes(g, rule);
    }
    return status;
}

/* How deep in a symbol a hot subpath can begin that goes on behind the symbol, and whose beginning
 * was not seen near the border. */
static uint32_t find_deepest(const struct gathering *g, uint32_t symbol)
{
    const struct far_prefixes *f = &g->far;
    const struct far_list *list = &f->of[g->s->walks.tail[symbol & ~WPP_RULE]];

    for (uint32_t i = list->n; i-- > 0;) {
        const struct far_prefix *p = &f->item[list->first + i];
        struct border_filter_rest rest = { .n = g->s->a->max_length - p->depth,
                                           .known = g->like.after, .missing = g->like.missing };

        assert(p->depth > 0 && p->depth < g->longest);
        if (border_filter_reach(g->s, g->min_cost, g->least,
                                g->prefixes->entry[p->prefix].frequency, p->cost, rest))
            return p->depth;
    }
    return 0;
}

/* ---- Text --------------------------------------------------------------------------------- */

/* Whether no string that holds the gram and crosses the current border is hot. */
static bool is_rare(const struct gathering *g, uint64_t hash)
{
    return gram_counts_get(&g->s->grams, hash) < g->least_here;
}

/* Writes the following terminals as far as hot subpaths may go, up to a rare gram behind the
 * border. */
static int extend_right(struct gathering *g, uint64_t at, uint64_t end)
{
    const struct gram_counts *grams = &g->s->grams;
    uint32_t first = g->longest, k = grams->length;
    uint64_t hash = 0;

    assert(g->farthest < g->longest);            /* half of the text's room is behind the border */
    if (reader_begin(&g->reader, at, end) != HOT_OK)
        return HOT_E_MEMORY;
    g->like.right_open = g->farthest == g->longest - 1;
    for (g->end = first; g->end < first + g->farthest; g->end++) {
        uint32_t next = read_right(&g->reader);

        if (next == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
        if (next == RULE_WALK_END)
            return HOT_OK;
        g->text[g->end] = next;
        if (g->end + 1 < first + k)
            continue;
        hash = g->end + 1 == first + k
                   ? rolling_hash(g->text + first, k)
                   : rolling_right(hash, grams->power[k - 1], g->text[g->end - k], next);
        if (!is_rare(g, hash))
            continue;
        g->like.right_open = false;
        return HOT_OK;
    }
    return HOT_OK;
}

/* Writes the symbol's end, back to the deepest prefix, or to a rare gram that is part of every
 * string that begins there and goes on behind the border. */
static int extend_left(struct gathering *g, uint64_t at)
{
    const struct gram_counts *grams = &g->s->grams;
    uint32_t k = grams->length;
    uint64_t hash = 0;
    bool hashed = false;

    assert(g->deepest <= g->longest);
    if (reader_begin(&g->reader, at, at + 1) != HOT_OK)
        return HOT_E_MEMORY;
    for (g->begin = g->longest; g->longest - g->begin < g->deepest; g->begin--) {
        uint32_t next = read_left(&g->reader), i = g->begin - 1;

        if (next == RULE_WALK_NO_MEMORY)
            return HOT_E_MEMORY;
        if (next == RULE_WALK_END)
            return HOT_OK;
        g->text[i] = next;
        if (i + k > g->end)
            continue;
        hash = hashed ? rolling_left(hash, grams->power[k - 1], next, g->text[i + k])
                      : rolling_hash(g->text + i, k);
        hashed = true;
        if (i + k > g->longest + 1 || !is_rare(g, hash))
            continue;
        g->like.left_open = false;
        return HOT_OK;
    }
    return HOT_OK;
}

/* Nearly the least count of a gram in a hot subpath that crosses the current border. */
static uint64_t least_across(const struct gathering *g, uint32_t symbol)
{
    const struct gram_counts *grams = &g->s->grams;
    uint64_t least = unit_cost_needed(gram_counts_across(grams, gram_counts_last(grams, symbol),
                                                         g->like.after, g->like.missing),
                                      g->min_cost);

    least = border_filter_round_down(least);
    return least > g->least ? least : g->least;
}

/* Kinds of numbers for an end of a symbol: what identifies the string. */
enum { PART_TERMINAL = 1, PART_SHORT, PART_STORED, PART_LONG, PART_TEXT };

static uint64_t part_of(const struct gathering *g, uint32_t symbol, bool last)
{
    const struct rule_walks *o = &g->s->walks;
    uint32_t rule = symbol & ~WPP_RULE, place;

    if (!(symbol & WPP_RULE))
        return (uint64_t)PART_TERMINAL << 32 | symbol;
    if (o->g->length[rule] <= END_MOST)
        return (uint64_t)PART_SHORT << 32 | rule;
    place = rule_ends_place(&g->reader.ends, rule, last);
    if (place)
        return (uint64_t)PART_STORED << 32 | place;
    return (uint64_t)PART_LONG << 32 | (last ? o->tail : o->head)[rule];
}

/* Finds the parts of the current border's text; false: there are too many.  `seen`: its text of the
 * round before contains all that may be left of it. */
static bool recipe_of(const struct gathering *g, const struct gathered_border *b, uint32_t seen,
                      struct recipe *out)
{
    const struct wpp_grammar *grammar = g->s->a->g;
    uint64_t end = grammar->body[b->rule + 1], length = 0;
    int n = 1;

    *out = (struct recipe){ .cut = (uint64_t)g->deepest << 32 | (uint64_t)g->like.left_open << 16 |
                                   border_filter_class(g->least_here) };
    out->part[0] = seen != NO_TEXT ? (uint64_t)PART_TEXT << 32 | seen
                                   : part_of(g, grammar->symbols[b->at], true);
    if (seen != NO_TEXT && g->farthest < g->longest - 1)
        return true;
    for (uint64_t i = b->at + 1; i < end && length < g->farthest; i++) {
        uint32_t symbol = grammar->symbols[i];

        if (n == RECIPE_PARTS)
            return false;
        out->part[n++] = part_of(g, symbol, false);
        length += symbol & WPP_RULE ? grammar->length[symbol & ~WPP_RULE] : 1;
    }
    return true;
}

/* Gathers the text of the current border, which is the first with this recipe. */
static int gather_text(struct gathering *g, const struct gathered_border *b, uint32_t recipe)
{
    if (extend_right(g, b->at + 1, g->s->a->g->body[b->rule + 1]) != HOT_OK ||
        extend_left(g, b->at) != HOT_OK)
        return HOT_E_MEMORY;
    if (g->begin == g->longest)
        return HOT_OK;
    g->like.n_before = g->longest - g->begin;
    g->like.n = g->end - g->begin;
    g->like.frequency = g->like.after = g->like.missing = 0;     /* the recipe has these */
    return texts_add(g->texts, &g->like, g->text + g->begin, &g->recipes.sum[recipe].text);
}

/* Limits how far from the current border a hot subpath may begin and end.  One that begins in
 * strings seen in the round before begins and ends within that text, unless the text is open. */
static bool limit_text(struct gathering *g, uint32_t symbol)
{
    const struct text *t = g->before;
    uint32_t far = symbol & WPP_RULE ? find_deepest(g, symbol) : 0;

    g->farthest = t && !t->right_open && t->n - t->n_before < g->longest - 1 ? t->n - t->n_before
                                                                             : g->longest - 1;
    g->deepest = far ? far : t ? t->n_before : 0;
    return far > 0;
}

/* Finds the border's text of this round; its recipe's number until have_texts().  *keep: the border
 * is needed in this round or a later one. */
static int gather(struct gathering *g, const struct texts *seen, struct gathered_border *b,
                  bool *keep)
{
    const struct wpp_grammar *grammar = g->s->a->g;
    const struct text *first = &g->s->texts.entry[b->first_text];
    uint32_t symbol = grammar->symbols[b->at], before = b->text;
    bool far, near, is_new, known;
    struct recipe recipe;

    b->text = NO_TEXT;
    g->before = before != NO_TEXT ? &seen->entry[before] : NULL;
    g->like = (struct text){ .terminal = !(symbol & WPP_RULE),
                             .frequency = g->s->a->frequency[b->rule],
                             .after = first->after, .missing = first->missing };
    g->like.left_open = (symbol & WPP_RULE) && (!g->before || g->before->left_open) &&
                        grammar->length[symbol & ~WPP_RULE] >= g->longest;
    near = g->before && g->before->near;
    far = limit_text(g, symbol);
    *keep = near || far || g->like.left_open;
    if (!near && !far)
        return HOT_OK;
    g->least_here = least_across(g, symbol);
    known = !g->recipes.given_up && recipe_of(g, b, far ? NO_TEXT : before, &recipe);
    if (recipes_note(&g->recipes, known ? &recipe : NULL, &g->like, &b->text, &is_new) != HOT_OK)
        return HOT_E_MEMORY;
    return is_new ? gather_text(g, b, b->text) : HOT_OK;
}

/* Replaces recipes by texts. */
static void have_texts(const struct gathering *g, struct gathered *borders, struct texts *texts)
{
    for (size_t i = 0; i < g->recipes.n; i++) {
        const struct recipe_sum *sum = &g->recipes.sum[i];

        if (sum->text != NO_TEXT)
            text_merge(&texts->entry[sum->text],
                       &(struct text){ .frequency = sum->frequency, .after = sum->after,
                                       .missing = sum->missing });
    }
    for (size_t i = 0; i < borders->n; i++)
        if (borders->border[i].text != NO_TEXT) {
            assert(borders->border[i].text < g->recipes.n);
            borders->border[i].text = g->recipes.sum[borders->border[i].text].text;
        }
}

/* Prefetches the ends of the symbols around a border: the one that ends there and the few behind it
 * that are part of its text.  For long rules: the place of these ends. */
static void fetch_around(const struct gathering *g, const struct gathered_border *b)
{
    enum { SYMBOLS = 6 };
    const struct wpp_grammar *grammar = g->s->a->g;
    uint64_t end = b->at + SYMBOLS < grammar->body[b->rule + 1] ? b->at + SYMBOLS
                                                                : grammar->body[b->rule + 1];

    for (uint64_t i = b->at; i < end; i++)
        if (grammar->symbols[i] & WPP_RULE)
            rule_ends_fetch_place(&g->reader.ends, grammar->symbols[i] & ~WPP_RULE, i == b->at);
}

static void fetch_long(const struct gathering *g, const struct gathered_border *b)
{
    enum { SYMBOLS = 2 };
    const struct wpp_grammar *grammar = g->s->a->g;

    for (uint64_t i = b->at; i < b->at + SYMBOLS && i < grammar->body[b->rule + 1]; i++)
        if (grammar->symbols[i] & WPP_RULE)
            rule_ends_fetch(&g->reader.ends, grammar->symbols[i] & ~WPP_RULE, i == b->at);
}

/* Prefetches data of the next borders, of the farther ones first. */
static void fetch(const struct gathering *g, const struct gathered *borders, size_t i,
                  const struct texts *seen)
{
    const struct rule_walks *o = &g->s->walks;
    const struct gathered_border *b = &borders->border[i + FETCH_AHEAD];
    uint32_t symbol;

    if (i + FETCH_AHEAD >= borders->n)
        return;
    symbol = o->g->symbols[b->at];
    if (b->text != NO_TEXT)
        __builtin_prefetch(&seen->entry[b->text]);
    __builtin_prefetch(&g->s->texts.entry[b->first_text]);
    if (symbol & WPP_RULE)
        __builtin_prefetch(&o->tail[symbol & ~WPP_RULE]);
    b -= FETCH_AHEAD / 2;
    symbol = o->g->symbols[b->at];
    if (symbol & WPP_RULE)
        __builtin_prefetch(&g->far.of[o->tail[symbol & ~WPP_RULE]]);
    fetch_around(g, b);
    fetch_long(g, b - FETCH_AHEAD / 4);
}

static void gathering_clear(struct gathering *g)
{
    free(g->far.of);
    free(g->far.item);
    free(g->text);
    recipes_clear(&g->recipes);
    rule_ends_clear(&g->reader.ends);
    rule_walk_clear(&g->reader.walk);
}

int gathered_extend(struct gathered *borders, const struct prefix_set *prefixes, uint32_t longest,
                    const struct border_filter *s, uint64_t min_cost)
{
    const struct texts *seen = borders->texts.n ? &borders->texts : &s->texts;
    struct gathering g = { .s = s, .prefixes = prefixes, .longest = longest, .min_cost = min_cost,
                           .least = border_filter_least(s, min_cost),
                           .reader = { .walk = { .o = &s->walks } } };
    struct texts texts;
    size_t kept = 0;
    int status;

    assert(longest <= s->a->max_length);
    texts_init(&texts);
    g.texts = &texts;
    recipes_init(&g.recipes);
    g.text = malloc(2 * (size_t)longest * sizeof *g.text);
    status = rule_ends_init(&g.reader.ends, &s->grams, longest - 1);
    if (status == HOT_OK)
        status = fill_rule_ends(&g, borders);
    if (status == HOT_OK)
        status = g.text ? find_far_prefixes(&g, borders) : HOT_E_MEMORY;
    for (size_t i = 0; status == HOT_OK && i < borders->n; i++) {
        struct gathered_border b = borders->border[i];
        bool keep;

        fetch(&g, borders, i, seen);
        status = gather(&g, seen, &b, &keep);
        if (status == HOT_OK && keep)
            borders->border[kept++] = b;
    }
    borders->n = kept;
    if (status == HOT_OK)
        have_texts(&g, borders, &texts);
    texts_clear(&borders->texts);
    borders->texts = texts;
    gathering_clear(&g);
#ifdef WPP_HOSTILE
    assert(status != HOT_OK || texts_check(&texts));
#endif
    return status;
}
