/* SPDX-License-Identifier: MIT */
/* lane-content.h - files of random contents (random-content.h) whose grammars are coded in lanes, as those of large
 * grammars are. */
#ifndef WPP_TEST_LANE_CONTENT_H
#define WPP_TEST_LANE_CONTENT_H

#include "test/unit/random-content.h"
#include "wpp/format/grammar-code.h"

/* Gives the coder the steps of a rule's right-hand side; a rule is written where it is used first. */
static bool lc_body(struct wpp_grammar_coder *c, const struct wpp_grammar *g, uint32_t rule, uint32_t *n_rules)
{
    bool done = true;

    for (uint64_t i = g->body[rule]; done && i < g->body[rule + 1]; i++) {
        uint32_t symbol = g->symbols[i], used = symbol & ~WPP_RULE;

        if (!(symbol & WPP_RULE) || used < *n_rules) {
            done = wpp_grammar_coder_symbol(c, symbol);
            continue;
        }
        done = lc_body(c, g, used, n_rules)
            && wpp_grammar_coder_reduce(c, g->body[used + 1] - g->body[used], g->symbols[g->body[used]]);
        (*n_rules)++;
    }
    return done;
}

/* Each thread does what it does so many times: its grammar's code takes several blocks. */
static void lc_repeat(struct random_content *c, uint32_t times)
{
    uint32_t n_threads = c->content.n_threads, rule = c->n_rules;
    uint64_t begin = c->body[rule], n = c->n_symbols - begin, end = begin;
    uint32_t *starts = malloc(n * sizeof *starts);

    memcpy(starts, c->symbols + begin, n * sizeof *starts);
    for (uint32_t k = 0, at = 0; k < n_threads; k++, rule++) {
        uint32_t length = (uint32_t)(c->body[rule + 1] - (begin + at));

        c->body[rule] = end;
        for (uint32_t i = 0; i < times; i++, end += length)
            memcpy(c->symbols + end, starts + at, length * sizeof *starts);
        c->length[rule] *= times;
        c->threads[k].tokens *= times;
        at += length;
    }
    c->body[rule] = end;
    c->n_symbols = (uint32_t)end;
    free(starts);
}

/* The file of a content, its grammar in lanes. */
static bool lc_encode(struct random_content *c, struct wpp_bytes *code, struct wpp_bytes *file)
{
    const struct wpp_grammar *g = &c->content.grammar;
    struct wpp_grammar_coder *coder = wpp_grammar_coder_new(false);
    static uint32_t order[RC_MAX];
    uint32_t n_rules = 0;
    bool done = coder != NULL;

    for (uint32_t k = 0; done && k < g->n_threads; k++)
        done = lc_body(coder, g, g->n_rules + k, &n_rules) && wpp_grammar_coder_end(coder);
    done = done && wpp_grammar_coder_finish(coder, code, order, g->n_terminals)
        && wpp_grammar_coder_counts(coder, c->counts, &c->content.longest_rule);
    wpp_grammar_coder_free(coder);
    c->content.grammar_code = code;
    c->content.executed = c->counts;
    return done && wpp_content_encode(&c->content, file, NULL);
}

#endif
