/* SPDX-License-Identifier: MIT */
/* Segments that are built by threads of their own: the same as those that are not, however the
 * terminals come; and builders that are stopped in the middle. */
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/compress/builder.h"

enum { STREAMS = 3, TERMINALS = 50 };

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *r, uint32_t below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % below);
}

static seq *new_grammar(void)
{
    seq *grammar;

    if (seq_new(&grammar, NULL) != SEQ_OK)
        abort();
    return grammar;
}

/* Terminals of a stream in a row, as a recording has them: appended to both. */
static void append_some(struct random *r, seq *grammar, struct wpp_builder *b)
{
    uint32_t terminals[200], n = draw(r, 200), first = draw(r, TERMINALS), stream = draw(r, STREAMS);

    for (uint32_t i = 0; i < n; i++)
        terminals[i] = draw(r, 9) ? (first + i % 5) % TERMINALS : draw(r, TERMINALS);
    if (seq_append(grammar, stream, terminals, n) != SEQ_OK ||
        wpp_builder_append(b, stream, terminals, n) != SEQ_OK)
        abort();
}

static struct wpp_segment encoded(seq *grammar)
{
    struct wpp_segment segment;

    if (seq_append(grammar, STREAMS - 1, NULL, 0) != SEQ_OK || seq_finish(grammar) != SEQ_OK ||
        !wpp_segment_encode(grammar, TERMINALS, &segment))
        abort();
    seq_free(grammar);
    return segment;
}

static bool are_equal(const struct wpp_segment *a, const struct wpp_segment *b)
{
    return a->n_terminals == b->n_terminals && a->starts == b->starts &&
           a->symbols == b->symbols && a->code.size == b->code.size &&
           memcmp(a->code.data, b->code.data, a->code.size) == 0 &&
           memcmp(a->order, b->order, a->n_terminals * sizeof *a->order) == 0 &&
           memcmp(a->length, b->length, a->starts * sizeof *a->length) == 0;
}

/* Some at a time, as many as there may be. */
static void test_segments(struct random *r)
{
    enum { AT_ONCE = 4, ROUNDS = 25 };
    unsigned wrong[2] = {0};

    for (int round = 0; round < ROUNDS; round++) {
        struct wpp_builder *builders[AT_ONCE];
        seq *grammars[AT_ONCE];

        for (int i = 0; i < AT_ONCE; i++) {
            grammars[i] = new_grammar();
            builders[i] = wpp_builder_new(new_grammar(), i >= AT_ONCE / 2);
            if (!builders[i])
                abort();
            for (uint32_t n = draw(r, 300); n > 0; n--)
                append_some(r, grammars[i], builders[i]);
            if (i % 2)
                wpp_builder_end(builders[i], STREAMS, TERMINALS, 0, NULL);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            struct wpp_segment a = encoded(grammars[i]), b;
            seq *back;

            if (i % 2) {
                wrong[1] += wpp_builder_take(builders[i], &b) != SEQ_OK;
            } else {
                wrong[0] += wpp_builder_give_back(builders[i], &back) != SEQ_OK;
                b = encoded(back);
            }
            wrong[i % 2] += !are_equal(&a, &b);
            wpp_segment_free(&a);
            wpp_segment_free(&b);
        }
    }
    tap_ok(!wrong[1], "segments by threads are those without: %u of %d are not", wrong[1],
           AT_ONCE / 2 * ROUNDS);
    tap_ok(!wrong[0], "so are those of grammars that are given back: %u are not", wrong[0]);
}

/* Whatever the thread does at that moment. */
static void test_dropping(struct random *r)
{
    unsigned wrong = 0;

    for (int round = 0; round < 60; round++) {
        struct seq_stats stats;
        seq *grammar = new_grammar();
        struct wpp_builder *b = wpp_builder_new(new_grammar(), round % 4 < 2);

        if (!b)
            abort();
        for (uint32_t n = draw(r, 60); n > 0; n--)
            append_some(r, grammar, b);
        if (round % 3 == 0)
            wpp_builder_end(b, STREAMS, TERMINALS, 0, NULL);
        seq_get_stats(grammar, &stats);
        if (round % 2)
            wrong += wpp_builder_stats(b).symbols > stats.symbols;
        wpp_builder_free(b);
        seq_free(grammar);
    }
    wpp_builder_free(NULL);
    tap_ok(!wrong, "builders are dropped at any time, and none had more than it was given");
}

/* One append that is larger than what may wait. */
static void test_much(void)
{
    enum { MUCH = 6000000 };
    uint32_t *terminals = malloc(MUCH * sizeof *terminals);
    struct wpp_builder *b = wpp_builder_new(new_grammar(), true);
    seq *back = NULL;
    struct seq_stats stats = {0};

    for (uint32_t i = 0; i < MUCH; i++)
        terminals[i] = i % 7;
    bool done = wpp_builder_append(b, 0, terminals, MUCH) == SEQ_OK
             && wpp_builder_give_back(b, &back) == SEQ_OK;
    if (done)
        seq_get_stats(back, &stats);
    tap_ok(stats.symbols == MUCH, "more than may wait, at once");
    seq_free(back);
    free(terminals);
}

static void test_range(void)
{
    const uint32_t much = SEQ_TERMINAL_MAX + 1;
    struct wpp_builder *b = wpp_builder_new(new_grammar(), false);
    struct wpp_segment segment;
    seq *back = NULL;

    wpp_builder_append(b, 0, &much, 1);
    wpp_builder_end(b, 1, 1, 0, NULL);
    tap_ok(wpp_builder_take(b, &segment) == SEQ_E_RANGE, "what the engine refuses is told");
    wpp_segment_free(&segment);
    b = wpp_builder_new(new_grammar(), false);
    wpp_builder_append(b, 0, &much, 1);
    tap_ok(wpp_builder_give_back(b, &back) == SEQ_E_RANGE && back,
           "also when the grammar is given back");
    seq_free(back);
    b = wpp_builder_new(new_grammar(), true);
    int status = wpp_builder_append(b, 0, &much, 1);
    for (int n = 0; n < 10000000 && status == SEQ_OK; n++) {
        const uint32_t more = 1;
        status = wpp_builder_append(b, 0, &more, 1);
    }
    tap_ok(status == SEQ_E_RANGE, "and to who goes on appending");
    wpp_builder_free(b);
}

int main(void)
{
    struct random r = {.state = 20261124};

    test_segments(&r);
    test_dropping(&r);
    test_much();
    test_range();
    return tap_done();
}
