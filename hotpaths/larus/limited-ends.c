/* SPDX-License-Identifier: MIT */
/* limited-ends.c - the L-limited prefixes and suffixes of rules; see limited-ends.h. */
#include "hotpaths/larus/limited-ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int limited_ends_store_init(struct limited_ends_store *s, const struct analysis *a,
                            uint64_t min_cost, uint32_t limit)
{
    const struct wpp_grammar *g = a->g;
    uint32_t rules = g->n_rules ? g->n_rules : 1;

    *s = (struct limited_ends_store){ .g = g, .limit = limit };
    s->of = calloc(rules, sizeof *s->of);
    s->readers = calloc(rules, sizeof *s->readers);
    if (!s->of || !s->readers)
        return HOT_E_MEMORY;
    for (uint32_t rule = 0; rule < rule_count(g); rule++) {
        if (rule_is_cold(a, rule, min_cost))
            continue;
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++)
            if (g->symbols[i] & WPP_RULE)
                s->readers[g->symbols[i] & ~WPP_RULE]++;
    }
    return HOT_OK;
}

void limited_ends_store_clear(struct limited_ends_store *s)
{
    for (uint32_t rule = 0; s->live && rule < s->g->n_rules; rule++) {
        s->live -= s->of[rule] != NULL;
        free(s->of[rule]);
    }
    free(s->of);
    free(s->readers);
    *s = (struct limited_ends_store){ 0 };
}

int limited_ends_keep(struct limited_ends_store *s, uint32_t rule, bool covers,
                      const uint32_t *prefix, uint32_t n_prefix, const uint32_t *suffix,
                      uint32_t n_suffix)
{
    struct limited_ends *e;
    size_t stored;

    if (rule >= s->g->n_rules || !s->readers[rule])
        return HOT_OK;
    assert(!s->of[rule]);
    assert(n_prefix <= s->limit && (covers || n_suffix <= s->limit));
    assert(!covers || n_prefix == s->g->length[rule]);
    if (covers)
        n_suffix = n_prefix;
    stored = covers ? n_prefix : (size_t)n_prefix + n_suffix;
    e = malloc(sizeof *e + stored * sizeof *e->symbols);
    if (!e)
        return HOT_E_MEMORY;
    *e = (struct limited_ends){ .n_prefix = n_prefix, .n_suffix = n_suffix, .covers = covers };
    if (n_prefix)
        memcpy(e->symbols, prefix, n_prefix * sizeof *e->symbols);
    if (!covers && n_suffix)
        memcpy(e->symbols + n_prefix, suffix, n_suffix * sizeof *e->symbols);
    s->of[rule] = e;
    s->live++;
    return HOT_OK;
}

const struct limited_ends *limited_ends_of(const struct limited_ends_store *s, uint32_t rule)
{
    assert(rule < s->g->n_rules && s->of[rule]);
    return s->of[rule];
}

void limited_ends_release(struct limited_ends_store *s, uint32_t rule)
{
    assert(s->readers[rule] > 0 && s->of[rule]);
    if (--s->readers[rule] > 0)
        return;
    free(s->of[rule]);
    s->of[rule] = NULL;
    s->live--;
}

bool limited_ends_check(const struct limited_ends_store *s)
{
    size_t live = 0;

    for (uint32_t rule = 0; rule < s->g->n_rules; rule++) {
        const struct limited_ends *e = s->of[rule];

        if (!e)
            continue;
        live++;
        if (!s->readers[rule] || e->n_prefix > s->limit || e->n_suffix > s->limit)
            return false;
        if (e->covers && (e->n_prefix != e->n_suffix || e->n_prefix != s->g->length[rule]))
            return false;
        if ((uint64_t)e->n_prefix > s->g->length[rule] ||
            (uint64_t)e->n_suffix > s->g->length[rule])
            return false;
    }
    return live == s->live;
}
