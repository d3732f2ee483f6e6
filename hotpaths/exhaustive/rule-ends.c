/* SPDX-License-Identifier: MIT */
/* rule-ends.c - see rule-ends.h. */
#include "hotpaths/exhaustive/rule-ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/hash-table.h"

static size_t code_size(const struct rule_ends *f)
{
    return f->grams->wide ? sizeof(uint32_t) : sizeof(uint16_t);
}

static void read_codes(const struct rule_ends *f, size_t at, uint32_t n, uint32_t *out)
{
    const uint16_t *narrow = (const uint16_t *)f->codes + at;

    if (f->grams->wide)
        memcpy(out, (const uint32_t *)f->codes + at, n * sizeof *out);
    else
        for (uint32_t i = 0; i < n; i++)
            out[i] = narrow[i];
}

static uint32_t read_end(const struct rule_ends *f, size_t place, uint32_t *out)
{
    uint32_t n;

    read_codes(f, place, 1, &n);
    assert(n <= RULE_ENDS_MOST && place + 1 + n <= f->n);
    read_codes(f, place + 1, n, out);
    return n;
}

uint32_t rule_ends_first(const struct rule_ends *f, uint32_t rule, uint32_t *out)
{
    return f->first[rule] ? read_end(f, f->first[rule], out) : gram_counts_short(f->grams, rule,
                                                                                 out);
}

uint32_t rule_ends_last(const struct rule_ends *f, uint32_t rule, uint32_t *out)
{
    return f->last[rule] ? read_end(f, f->last[rule], out) : gram_counts_short(f->grams, rule, out);
}

void rule_ends_fetch_place(const struct rule_ends *f, uint32_t rule, bool last)
{
    __builtin_prefetch(last ? &f->last[rule] : &f->first[rule]);
    gram_counts_fetch(f->grams, rule);
}

void rule_ends_fetch(const struct rule_ends *f, uint32_t rule, bool last)
{
    enum { LINE = 64 };
    size_t place = rule_ends_place(f, rule, last);
    const char *codes = (const char *)f->codes + place * code_size(f);

    if (place)
        for (size_t i = 0; i < 3; i++)
            __builtin_prefetch(codes + i * LINE);
}

/* ---- Equal ends ----------------------------------------------------------------------- */

enum { WANTED_FIRST = 1, WANTED_LAST = 2 };

/* Equal ends are searched only if one in four of the first TRIAL_OF_ENDS ends occurred before. */
#ifdef WPP_HOSTILE
enum { TRIAL_OF_ENDS = 16 };
#else
enum { TRIAL_OF_ENDS = 1 << 15 };
#endif

/* An end as stored in codes. */
struct packed_end {
    size_t bytes;
    union {
        uint16_t narrow[RULE_ENDS_MOST + 1];
        uint32_t wide[RULE_ENDS_MOST + 1];
        uint64_t words[(RULE_ENDS_MOST + 1) / 2 + 1];
    };
};

static void pack(const struct rule_ends *f, const uint32_t *end, uint32_t n, struct packed_end *out)
{
    assert(n <= RULE_ENDS_MOST);
    out->bytes = (n + 1) * code_size(f);
    out->words[out->bytes / sizeof *out->words] = 0;
    if (f->grams->wide) {
        out->wide[0] = n;
        memcpy(out->wide + 1, end, n * sizeof *end);
        return;
    }
    out->narrow[0] = (uint16_t)n;
    for (uint32_t i = 0; i < n; i++)
        out->narrow[i + 1] = (uint16_t)end[i];
}

static uint64_t hash_of_end(const struct packed_end *x)
{
    uint64_t hash = 0;

    for (size_t i = 0; i * sizeof *x->words < x->bytes; i++) {
        hash = (hash ^ x->words[i]) * ROLLING_MULTIPLIER;
        hash ^= hash >> 32;
    }
    return rolling_mix(hash) & SLOT_HASH;
}

/* The slot of an equal end, or the empty one where this one belongs. */
static size_t end_slot(const struct rule_ends *f, const struct packed_end *x, uint64_t hash)
{
    size_t mask = f->table_size - 1, slot = SLOT_HOME(hash) & mask;

    for (; f->table[slot]; slot = (slot + 1) & mask) {
        const char *there = (const char *)f->codes + SLOT_NUMBER(f->table[slot]) * code_size(f);

        if (SLOT_TAG(f->table[slot]) == SLOT_TAG(hash) && memcmp(there, x->words, x->bytes) == 0)
            break;
    }
    return slot;
}

static void forget_places(struct rule_ends *f)
{
    free(f->table);
    f->table = NULL;
    f->table_size = 0;
    f->given_up = true;
}

/* Makes room for another end, and for comparing it with one of maximal length.  Grows by quarters,
 * because the array is large. */
static int room_for_end(struct rule_ends *f)
{
    size_t need = f->n + 2 * ((size_t)f->most + 1), size = need + need / 4;
    void *codes;

    if (need <= f->size)
        return HOT_OK;
    codes = realloc(f->codes, size * code_size(f));
    if (!codes)
        return HOT_E_MEMORY;
    f->codes = codes;
    f->size = size;
    return HOT_OK;
}

static void append(struct rule_ends *f, const struct packed_end *x, uint32_t *place)
{
    assert(f->n > 0 && f->n + x->bytes / code_size(f) <= f->size);
    memcpy((char *)f->codes + f->n * code_size(f), x->words, x->bytes);
    *place = (uint32_t)f->n;
    f->n += x->bytes / code_size(f);
}

/* Stores an end; *place: its place, or that of an equal one. */
static int keep_end(struct rule_ends *f, const uint32_t *end, uint32_t n, uint32_t *place)
{
    struct packed_end x;
    uint64_t hash;
    size_t slot;

    if (f->n > UINT32_MAX - 2 * ((size_t)f->most + 1) || room_for_end(f) != HOT_OK)
        return HOT_E_MEMORY;
    pack(f, end, n, &x);
    if (f->asked++ == TRIAL_OF_ENDS && 4 * f->known < f->asked)
        forget_places(f);
    if (f->given_up) {
        append(f, &x, place);
        return HOT_OK;
    }
    if (hash_table_grow(&f->table, &f->table_size, f->n_table + 1) != HOT_OK)
        return HOT_E_MEMORY;
    hash = hash_of_end(&x);
    slot = end_slot(f, &x, hash);
    if (f->table[slot]) {
        *place = SLOT_NUMBER(f->table[slot]);
        f->known++;
        return HOT_OK;
    }
    append(f, &x, place);
    f->table[slot] = SLOT_TAG(hash) | (*place + UINT64_C(1));
    f->n_table++;
    return HOT_OK;
}

/* ---- Filling ------------------------------------------------------------------------- */

/* Writes the first or last terminals of a symbol to out; returns how many. */
static uint32_t end_of_symbol(const struct rule_ends *f, uint32_t symbol, bool last, uint32_t *out)
{
    uint32_t rule = symbol & ~WPP_RULE;

    if (symbol & WPP_RULE)
        return last ? rule_ends_last(f, rule, out) : rule_ends_first(f, rule, out);
    *out = symbol;
    return 1;
}

/* Collects the first n terminals of a rule; those of the rules below are known. */
static void collect_first(const struct rule_ends *f, uint32_t rule, uint32_t n, uint32_t *out)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint32_t part[RULE_ENDS_MOST], done = 0;

    for (uint64_t i = g->body[rule]; done < n; i++) {
        uint32_t has = end_of_symbol(f, g->symbols[i], false, part);

        assert(has > 0 && i < g->body[rule + 1]);
        has = has < n - done ? has : n - done;
        memcpy(out + done, part, has * sizeof *out);
        done += has;
    }
}

static void collect_last(const struct rule_ends *f, uint32_t rule, uint32_t n, uint32_t *out)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint32_t part[RULE_ENDS_MOST], left = n;

    for (uint64_t i = g->body[rule + 1]; left > 0; i--) {
        uint32_t has = end_of_symbol(f, g->symbols[i - 1], true, part);
        uint32_t used = has < left ? has : left;

        assert(has > 0 && i > g->body[rule]);
        memcpy(out + left - used, part + has - used, used * sizeof *out);
        left -= used;
    }
}

/* The place of a symbol's end.  A symbol that begins (ends) with a long rule has the beginning
 * (end) of that rule. */
static uint32_t place_of_symbol(const struct rule_ends *f, uint32_t symbol, bool last)
{
    uint32_t rule = symbol & ~WPP_RULE;

    if (!(symbol & WPP_RULE) || f->grams->a->g->length[rule] < f->most)
        return 0;
    return rule_ends_place(f, rule, last);
}

static int keep_rule(struct rule_ends *f, uint32_t rule)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint32_t end[RULE_ENDS_MOST];
    int status = HOT_OK;

    if (g->length[rule] <= f->most) {
        collect_first(f, rule, (uint32_t)g->length[rule], end);
        status = keep_end(f, end, (uint32_t)g->length[rule], &f->first[rule]);
        f->last[rule] = f->first[rule];
        return status;
    }
    if (f->wanted[rule] & WANTED_FIRST)
        f->first[rule] = place_of_symbol(f, g->symbols[g->body[rule]], false);
    if (f->wanted[rule] & WANTED_LAST)
        f->last[rule] = place_of_symbol(f, g->symbols[g->body[rule + 1] - 1], true);
    if ((f->wanted[rule] & WANTED_FIRST) && !f->first[rule]) {
        collect_first(f, rule, f->most, end);
        status = keep_end(f, end, f->most, &f->first[rule]);
    }
    if (status == HOT_OK && (f->wanted[rule] & WANTED_LAST) && !f->last[rule]) {
        collect_last(f, rule, f->most, end);
        status = keep_end(f, end, f->most, &f->last[rule]);
    }
    return status;
}

/* Marks the ends that a rule's end needs: those of its symbols. */
static void want_below(struct rule_ends *f, uint32_t rule, bool last)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint64_t begin = g->body[rule], end = g->body[rule + 1];

    for (uint64_t n = 0; n < f->most && begin < end;) {
        uint32_t symbol = g->symbols[last ? --end : begin++];

        n += symbol & WPP_RULE ? g->length[symbol & ~WPP_RULE] : 1;
        if (symbol & WPP_RULE)
            rule_ends_want(f, symbol & ~WPP_RULE, last);
    }
}

int rule_ends_init(struct rule_ends *f, const struct gram_counts *grams, uint32_t reach)
{
    size_t n = (size_t)grams->a->g->n_rules + 1;

    *f = (struct rule_ends){ .grams = grams, .n = 1,
                             .most = reach < RULE_ENDS_MOST ? reach : RULE_ENDS_MOST };
    f->only_whole = reach > RULE_ENDS_MOST;
    f->first = calloc(n, sizeof *f->first);
    f->last = calloc(n, sizeof *f->last);
    f->wanted = calloc(n, sizeof *f->wanted);
    return f->first && f->last && f->wanted ? HOT_OK : HOT_E_MEMORY;
}

void rule_ends_want(struct rule_ends *f, uint32_t rule, bool last)
{
    uint64_t length = f->grams->a->g->length[rule];

    assert(f->wanted && rule < f->grams->a->g->n_rules);
    if (length > END_MOST && (length <= f->most || !f->only_whole))
        f->wanted[rule] |= last ? WANTED_LAST : WANTED_FIRST;
}

/* The symbols of a rule come before it. */
int rule_ends_fill(struct rule_ends *f)
{
    uint32_t n = f->grams->a->g->n_rules;
    int status = HOT_OK;

    for (uint32_t rule = n; rule-- > 0;) {
        if (f->wanted[rule] & WANTED_FIRST)
            want_below(f, rule, false);
        if (f->wanted[rule] & WANTED_LAST)
            want_below(f, rule, true);
    }
    for (uint32_t rule = 0; status == HOT_OK && rule < n; rule++)
        if (f->wanted[rule])
            status = keep_rule(f, rule);
    forget_places(f);
    free(f->wanted);
    f->wanted = NULL;
    return status;
}

void rule_ends_clear(struct rule_ends *f)
{
    free(f->first);
    free(f->last);
    free(f->codes);
    free(f->table);
    free(f->wanted);
    *f = (struct rule_ends){ 0 };
}

/* ---- Checking ------------------------------------------------------------------------ */

static bool agrees(uint32_t walked, uint32_t expected)
{
    return walked == expected || walked == RULE_WALK_NO_MEMORY;
}

static bool is_first(const struct rule_ends *f, uint32_t rule, struct rule_walk *w)
{
    uint32_t codes[RULE_ENDS_MOST], n = rule_ends_first(f, rule, codes);

    for (uint32_t i = 0; i < n; i++)
        if (!agrees(rule_walk_right(w), codes[i]))
            return false;
    return n == f->most || agrees(rule_walk_right(w), RULE_WALK_END);
}

static bool is_last(const struct rule_ends *f, uint32_t rule, struct rule_walk *w)
{
    uint32_t codes[RULE_ENDS_MOST], n = rule_ends_last(f, rule, codes);

    for (uint32_t i = n; i-- > 0;)
        if (!agrees(rule_walk_left(w), codes[i]))
            return false;
    return n == f->most || agrees(rule_walk_left(w), RULE_WALK_END);
}

bool rule_ends_check(const struct rule_ends *f, const struct rule_walks *o)
{
    struct rule_walk w = { .o = o };
    const uint64_t *body = o->g->body;
    bool right = true;

    for (uint32_t rule = 0; right && rule < o->g->n_rules; rule++) {
        if (f->first[rule] && rule_walk_begin(&w, body[rule], body[rule + 1]) == HOT_OK)
            right = is_first(f, rule, &w);
        if (right && f->last[rule] &&
            rule_walk_begin(&w, body[rule], body[rule + 1]) == HOT_OK)
            right = is_last(f, rule, &w);
    }
    rule_walk_clear(&w);
    return right;
}
