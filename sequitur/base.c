/* SPDX-License-Identifier: MIT */
/* base.c - makes a grammar a base, and grammars on it; see base.h. */
#include "sequitur/base.h"
#include "sequitur/digrams.h"
#include "sequitur/history.h"
#include "sequitur/jumps.h"
#include "sequitur/pieces.h"
#include "sequitur/runs.h"

#include <string.h>

/* ---- The end of the input ----------------------------------------------------------- */

static int end_input(seq *s)
{
    if (s->finished || s->ended || !is_fast(s))
        return SEQ_E_STATE;
    if (s->status == SEQ_OK)
        s->status = fast_end(s);
    s->finished = s->ended = s->status == SEQ_OK;
    return s->status;
}

int seq_end_base(seq *s, seq_piece **out)
{
    int status = s->base ? SEQ_E_STATE : end_input(s);

    *out = NULL;
    if (status != SEQ_OK)
        return status;
    s->numbers = seq_memory(s, NULL, 0, s->rules_used * sizeof *s->numbers);
    return s->status = s->numbers ? piece_take(s, out) : SEQ_E_NOMEM;
}

int seq_end_piece(seq *s, seq_piece **out)
{
    int status = s->base ? end_input(s) : SEQ_E_STATE;

    *out = NULL;
    return status == SEQ_OK ? s->status = piece_take(s, out) : status;
}

/* ---- A grammar on a base -------------------------------------------------------------- */

static bool is_base_rule(const seq *base, uint32_t r)
{
    uint32_t guard = base->rules[r].guard;

    return guard && !is_start_guard(base->nodes[guard].value);
}

/* The first node of r's body if that has two symbols, else 0. */
static uint32_t pair_of(const seq *base, uint32_t r)
{
    uint32_t guard = base->rules[r].guard;
    uint32_t first = base->nodes[guard].next;

    return first != guard && base->nodes[first].whole == r ? first : 0;
}

/* Gives rule r of s a guard, and its body if it is a pair (B1, B2). */
static void copy_rule(seq *s, const seq *base, uint32_t r)
{
    uint32_t pair = pair_of(base, r);
    uint32_t guard = node_new(s, VALUE_GUARD | r);

    s->rules[r] = base->rules[r];
    s->rules[r].guard = guard;
    s->rules[r].count = IMMORTAL;
    if (!history_has(base, &base->rules[r]))
        s->rules[r].at = AT_UNKNOWN;
    link_nodes(s, guard, guard);
    if (!pair)
        return;
    uint32_t first = node_new(s, base->nodes[pair].value);
    uint32_t second = node_new(s, base->nodes[base->nodes[pair].next].value);
    link_nodes(s, guard, first);
    link_nodes(s, first, second);
    link_nodes(s, second, guard);
    s->nodes[first].whole = r;
    s->base_symbols += 2;
    digrams_insert(s, first);
}

static int copy_rules(seq *s, const seq *base)
{
    uint64_t nodes = (uint64_t)base->rules_used * 3 + 2 * STEP_NODES;
    int status = seq_grow(s, (void **)&s->rules, &s->rules_size, sizeof *s->rules,
                          base->rules_used + UINT64_C(2), RULE_MAX);

    if (status == SEQ_OK)
        status = seq_grow(s, (void **)&s->nodes, &s->nodes_size, sizeof *s->nodes, nodes, NODE_MAX);
    if (status != SEQ_OK)
        return status;
    for (uint32_t r = 1; r < base->rules_used; r++) {
        s->rules[r] = (struct rule){.at = AT_UNKNOWN};
        if (!is_base_rule(base, r))
            continue;
        if (seq_room(s) != SEQ_OK)
            return s->status;
        copy_rule(s, base, r);
        s->rules_live++;
        s->base_live++;
    }
    s->rules_used = s->base_rules = base->rules_used;
    return SEQ_OK;
}

static int copy_jumps(seq *s, const struct jumps *base)
{
    struct jumps *j = s->jumps;
    struct jump *table = seq_memory(s, j->table, jumps_bytes(s), base->size * sizeof *table);
    uint64_t most = j->most < base->most ? j->most : base->most;

    if (!table)
        return SEQ_E_NOMEM;
    j->table = table;
    j->size = base->size;
    j->most = most > base->size ? most : base->size;
    memcpy(table, base->table, base->size * sizeof *table);
    return SEQ_OK;
}

static int copy_runs(seq *s, const struct runs *base)
{
    struct runs *runs = s->runs;

    if (!base->n)
        return SEQ_OK;
    runs->list = seq_memory(s, NULL, 0, base->size * sizeof *runs->list);
    if (!runs->list)
        return SEQ_E_NOMEM;
    runs->size = base->size;
    runs->slots = seq_memory(s, NULL, 0, sizeof *runs->slots << base->bits);
    if (!runs->slots)
        return SEQ_E_NOMEM;
    runs->bits = base->bits;
    runs->n = base->n;
    memcpy(runs->list, base->list, base->n * sizeof *runs->list);
    memcpy(runs->slots, base->slots, sizeof *runs->slots << base->bits);
    return SEQ_OK;
}

/* Positions go on behind the base's, at the beginning of a lap.  The ring may be smaller than the
 * base's. */
static void share_history(struct history *h, const struct history *base)
{
    h->base = base->ring;
    h->lap = base->lap;
    h->most = h->most < base->most ? h->most : base->most;
    h->split = (base->end + base->lap - 1) & ~(base->lap - 1);
    h->end = h->oldest = h->split;
}

int seq_new_on(seq **out, const seq *base, const struct seq_config *config)
{
    *out = NULL;
    if (!base->ended || !base->history || (config && config->flags))
        return SEQ_E_STATE;
    int status = seq_new(out, config);
    if (status != SEQ_OK)
        return status;
    seq *s = *out;
    s->base = base;
    share_history(s->history, base->history);
    status = copy_jumps(s, base->jumps);
    if (status == SEQ_OK)
        status = copy_runs(s, base->runs);
    if (status == SEQ_OK)
        status = copy_rules(s, base);
    if (status != SEQ_OK) {
        seq_free(s);
        *out = NULL;
    }
    return status;
}

/* ---- Checking ---------------------------------------------------------------------------- */

/* Whether the body of r, if it is here, is the base's. */
static bool has_bases_body(const seq *s, uint32_t r)
{
    uint32_t guard = s->rules[r].guard;
    uint32_t pair = pair_of(s->base, r);
    uint32_t first = s->nodes[guard].next;

    if (!pair)
        return first == guard;
    uint32_t second = s->nodes[first].next;
    return first != guard && s->nodes[second].next == guard && s->nodes[first].whole == r
        && s->nodes[first].value == s->base->nodes[pair].value
        && s->nodes[second].value == s->base->nodes[s->base->nodes[pair].next].value;
}

bool base_check(const seq *s)
{
    uint32_t live = 0;

    for (uint32_t r = 1; r < s->base_rules; r++) {
        if (!is_base_rule(s->base, r)) {
            if (s->rules[r].guard)
                return false;
            continue;
        }
        live++;
        if (!s->rules[r].guard || s->rules[r].count < IMMORTAL || !has_bases_body(s, r)
            || s->rules[r].first != s->base->rules[r].first
            || s->rules[r].length != s->base->rules[r].length)
            return false;
    }
    return live == s->base_live;
}
