/* SPDX-License-Identifier: MIT */
/* flat-ends.c - see flat-ends.h. */
#include "hotpaths/flat-ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/grow.h"

static size_t code_size(const struct flat_ends *f)
{
    return f->grams->wide ? sizeof(uint32_t) : sizeof(uint16_t);
}

static void read_codes(const struct flat_ends *f, size_t at, uint32_t n, uint32_t *out)
{
    const uint16_t *narrow = (const uint16_t *)f->codes + at;

    if (f->grams->wide)
        memcpy(out, (const uint32_t *)f->codes + at, n * sizeof *out);
    else
        for (uint32_t i = 0; i < n; i++)
            out[i] = narrow[i];
}

static void write_codes(struct flat_ends *f, const uint32_t *in, uint32_t n)
{
    uint16_t *narrow = (uint16_t *)f->codes + f->n;

    if (f->grams->wide)
        memcpy((uint32_t *)f->codes + f->n, in, n * sizeof *in);
    else
        for (uint32_t i = 0; i < n; i++)
            narrow[i] = (uint16_t)in[i];
    f->n += n;
}

uint32_t flat_ends_first(const struct flat_ends *f, uint32_t rule, uint32_t *out)
{
    uint32_t n;

    if (!f->place[rule])
        return grams_short(f->grams, rule, out);
    read_codes(f, f->place[rule], 1, &n);
    n = n ? n : f->most;
    read_codes(f, f->place[rule] + 1, n, out);
    return n;
}

uint32_t flat_ends_last(const struct flat_ends *f, uint32_t rule, uint32_t *out)
{
    size_t at = f->place[rule];
    uint32_t n;

    if (!at)
        return grams_short(f->grams, rule, out);
    read_codes(f, at, 1, &n);
    read_codes(f, n ? at + 1 : at + 1 + f->most, n ? n : f->most, out);
    return n ? n : f->most;
}

void flat_ends_fetch_place(const struct flat_ends *f, uint32_t rule)
{
    __builtin_prefetch(&f->place[rule]);
    grams_fetch(f->grams, rule);
}

void flat_ends_fetch(const struct flat_ends *f, uint32_t rule)
{
    enum { LINE = 64 };
    size_t at = f->place[rule];
    const char *codes = (const char *)f->codes + at * code_size(f);

    if (at)
        for (size_t i = 0; i < 3; i++)
            __builtin_prefetch(codes + i * LINE);
}

/* ---- Filling ------------------------------------------------------------------------- */

/* The end of a symbol, the first or the last: how many terminals of it there are in out. */
static uint32_t end_of_symbol(const struct flat_ends *f, uint32_t symbol, bool last, uint32_t *out)
{
    uint32_t rule = symbol & ~WPP_RULE;

    if (symbol & WPP_RULE)
        return last ? flat_ends_last(f, rule, out) : flat_ends_first(f, rule, out);
    *out = symbol;
    return 1;
}

/* Collects the first n terminals of a rule; those of the rules below are known. */
static void collect_first(const struct flat_ends *f, uint32_t rule, uint32_t n, uint32_t *out)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint32_t part[FLAT_MOST], done = 0;

    for (uint64_t i = g->body[rule]; done < n; i++) {
        uint32_t has = end_of_symbol(f, g->symbols[i], false, part);

        assert(has > 0 && i < g->body[rule + 1]);
        has = has < n - done ? has : n - done;
        memcpy(out + done, part, has * sizeof *out);
        done += has;
    }
}

static void collect_last(const struct flat_ends *f, uint32_t rule, uint32_t n, uint32_t *out)
{
    const struct wpp_grammar *g = f->grams->a->g;
    uint32_t part[FLAT_MOST], left = n;

    for (uint64_t i = g->body[rule + 1]; left > 0; i--) {
        uint32_t has = end_of_symbol(f, g->symbols[i - 1], true, part);
        uint32_t used = has < left ? has : left;

        assert(has > 0 && i > g->body[rule]);
        memcpy(out + left - used, part + has - used, used * sizeof *out);
        left -= used;
    }
}

/* Room for another rule; by quarters, for the array is large. */
static int flat_room(struct flat_ends *f)
{
    size_t need = f->n + 2 * (size_t)f->most + 1, size = need + need / 4;
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

static int keep_rule(struct flat_ends *f, uint32_t rule)
{
    uint64_t length = f->grams->a->g->length[rule];
    uint32_t n = length <= f->most ? (uint32_t)length : 0, end[FLAT_MOST];

    if (f->n > UINT32_MAX - 2 * (size_t)f->most || flat_room(f) != HOT_OK)
        return HOT_E_MEMORY;
    f->place[rule] = (uint32_t)f->n;
    write_codes(f, &n, 1);
    collect_first(f, rule, n ? n : f->most, end);
    write_codes(f, end, n ? n : f->most);
    if (n)
        return HOT_OK;
    collect_last(f, rule, f->most, end);
    write_codes(f, end, f->most);
    return HOT_OK;
}

int flat_ends_init(struct flat_ends *f, const struct grams *grams, uint32_t reach)
{
    const struct wpp_grammar *g = grams->a->g;
    uint64_t longest = reach > FLAT_MOST ? FLAT_MOST : UINT64_MAX;
    int status = HOT_OK;

    *f = (struct flat_ends){ .grams = grams, .most = reach < FLAT_MOST ? reach : FLAT_MOST, .n = 1 };
    f->place = calloc((size_t)g->n_rules + 1, sizeof *f->place);
    if (!f->place)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; status == HOT_OK && rule < g->n_rules; rule++)
        if (g->length[rule] > END_MOST && g->length[rule] <= longest && grams->a->frequency[rule])
            status = keep_rule(f, rule);
    return status;
}

void flat_ends_clear(struct flat_ends *f)
{
    free(f->place);
    free(f->codes);
    *f = (struct flat_ends){ 0 };
}

/* ---- Checking ------------------------------------------------------------------------ */

static bool agrees(uint32_t walked, uint32_t expected)
{
    return walked == expected || walked == OUTWARD_NO_MEMORY;
}

static bool is_first(const struct flat_ends *f, uint32_t rule, struct outward_walk *w)
{
    uint32_t codes[FLAT_MOST], n = flat_ends_first(f, rule, codes);

    for (uint32_t i = 0; i < n; i++)
        if (!agrees(outward_right(w), codes[i]))
            return false;
    return n == f->most || agrees(outward_right(w), OUTWARD_END);
}

static bool is_last(const struct flat_ends *f, uint32_t rule, struct outward_walk *w)
{
    uint32_t codes[FLAT_MOST], n = flat_ends_last(f, rule, codes);

    for (uint32_t i = n; i-- > 0;)
        if (!agrees(outward_left(w), codes[i]))
            return false;
    return n == f->most || agrees(outward_left(w), OUTWARD_END);
}

bool flat_ends_check(const struct flat_ends *f, const struct outward *o)
{
    struct outward_walk w = { .o = o };
    const uint64_t *body = o->g->body;
    bool right = true;

    for (uint32_t rule = 0; right && rule < o->g->n_rules; rule++) {
        if (!f->place[rule])
            continue;
        if (outward_walk_begin(&w, body[rule], body[rule + 1]) == HOT_OK)
            right = is_first(f, rule, &w);
        if (right && outward_walk_begin(&w, body[rule], body[rule + 1]) == HOT_OK)
            right = is_last(f, rule, &w);
    }
    outward_walk_clear(&w);
    return right;
}
