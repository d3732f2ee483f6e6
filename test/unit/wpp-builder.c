/* SPDX-License-Identifier: MIT */
/* Grammars and parts that are built by threads of their own: the same as those that are not, however
 * the terminals come; and builders that are stopped in the middle. */
#include <stdlib.h>
#include <string.h>

#include "test/unit/combine.h"
#include "test/unit/tap.h"
#include "wpp/compress/builder.h"

/* WIDE: an alphabet whose terminals take four bytes while they wait. */
enum { STREAMS = 3, TERMINALS = 50, WIDE = 1 << 17 };

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
        wpp_builder_append(b, stream, terminals, n, draw(r, 5) ? TERMINALS : WIDE) != SEQ_OK)
        abort();
}

/* A base that has seen some of it, and its piece. */
static seq *new_base(struct random *r, seq_piece **piece)
{
    seq *base = new_grammar(), *twin = new_grammar();
    struct wpp_builder *b = wpp_builder_new(twin, NULL);

    if (!b)
        abort();
    for (uint32_t n = 300; n > 0; n--)
        append_some(r, base, b);
    wpp_builder_free(b);
    if (seq_end_base(base, piece) != SEQ_OK)
        abort();
    return base;
}

static seq *new_part(const seq *base)
{
    seq *grammar;

    if (seq_new_on(&grammar, base, NULL) != SEQ_OK)
        abort();
    return grammar;
}

static bool are_equal(const struct seq_grammar *a, const struct seq_grammar *b)
{
    size_t n = (size_t)a->rules + a->starts;

    return a->rules == b->rules && a->starts == b->starts &&
           memcmp(a->body, b->body, (n + 1) * sizeof *a->body) == 0 &&
           memcmp(a->symbols, b->symbols, a->body[n] * sizeof *a->symbols) == 0 &&
           memcmp(a->length, b->length, n * sizeof *a->length) == 0;
}

/* Whether both parts make the same grammar with the base. */
static bool are_same_parts(const seq *base, seq_piece *first, seq_piece *part, seq_piece *other)
{
    seq_piece *one[] = {first, part}, *two[] = {first, other};
    struct seq_grammar a = {0}, b = {0};
    bool same = combine_pieces(base, one, 2, STREAMS, &a) == SEQ_OK
             && combine_pieces(base, two, 2, STREAMS, &b) == SEQ_OK
             && are_equal(&a, &b);

    combined_free(&a);
    combined_free(&b);
    return same;
}

/* Some at a time, as many as there may be.  Half of them have their grammar from the caller. */
static void test_parts(struct random *r)
{
    enum { AT_ONCE = 4, ROUNDS = 25 };
    seq_piece *first, *part, *other;
    seq *base = new_base(r, &first);
    unsigned wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct wpp_builder *builders[AT_ONCE];
        seq *grammars[AT_ONCE];

        for (int i = 0; i < AT_ONCE; i++) {
            grammars[i] = new_part(base);
            builders[i] = wpp_builder_new(i % 2 ? new_part(base) : NULL, base);
            if (!builders[i])
                abort();
            for (uint32_t n = draw(r, 300); n > 0; n--)
                append_some(r, grammars[i], builders[i]);
            wpp_builder_end(builders[i], STREAMS);
        }
        for (int i = 0; i < AT_ONCE; i++) {
            bool good = wpp_finish_piece(grammars[i], STREAMS, &part) == SEQ_OK;

            good = wpp_builder_take(builders[i], &other) == SEQ_OK && good;
            wrong += !good || !are_same_parts(base, first, part, other);
            seq_piece_free(part);
            seq_piece_free(other);
            seq_free(grammars[i]);
        }
    }
    seq_piece_free(first);
    seq_free(base);
    tap_ok(!wrong, "parts by threads are those without: %u of %d are not", wrong, AT_ONCE * ROUNDS);
}

static void test_giving_back(struct random *r)
{
    unsigned wrong = 0;

    for (int round = 0; round < 50; round++) {
        struct seq_grammar a = {0}, b = {0};
        seq *grammar = new_grammar(), *back;
        struct wpp_builder *builder = wpp_builder_new(new_grammar(), NULL);

        if (!builder)
            abort();
        for (uint32_t n = draw(r, 300); n > 0; n--)
            append_some(r, grammar, builder);
        bool good = wpp_builder_give_back(builder, &back) == SEQ_OK
                 && seq_finish(grammar) == SEQ_OK && seq_finish(back) == SEQ_OK
                 && seq_export(grammar, &a) == SEQ_OK && seq_export(back, &b) == SEQ_OK;
        wrong += !good || !are_equal(&a, &b);
        seq_grammar_free(grammar, &a);
        seq_grammar_free(back, &b);
        seq_free(grammar);
        seq_free(back);
    }
    tap_ok(!wrong, "so are grammars that are given back: %u are not", wrong);
}

/* Whatever the thread does at that moment. */
static void test_dropping(struct random *r)
{
    unsigned wrong = 0;
    seq_piece *first;
    seq *base = new_base(r, &first);

    for (int round = 0; round < 60; round++) {
        struct seq_stats stats;
        bool part = round % 4 < 2;
        seq *grammar = part ? new_part(base) : new_grammar();
        struct wpp_builder *b = wpp_builder_new(part ? NULL : new_grammar(), part ? base : NULL);

        if (!b)
            abort();
        for (uint32_t n = draw(r, 60); n > 0; n--)
            append_some(r, grammar, b);
        if (part && round % 3 == 0)
            wpp_builder_end(b, STREAMS);
        seq_get_stats(grammar, &stats);
        if (round % 2)
            wrong += wpp_builder_stats(b).symbols > stats.symbols;
        wpp_builder_free(b);
        seq_free(grammar);
    }
    wpp_builder_free(NULL);
    seq_piece_free(first);
    seq_free(base);
    tap_ok(!wrong, "builders are dropped at any time, and none had more than it was given");
}

/* One append that is larger than what may wait. */
static void test_much(void)
{
    enum { MUCH = 6000000 };
    uint32_t *terminals = malloc(MUCH * sizeof *terminals);
    struct wpp_builder *b = wpp_builder_new(new_grammar(), NULL);
    seq *back = NULL;
    struct seq_stats stats = {0};

    for (uint32_t i = 0; i < MUCH; i++)
        terminals[i] = i % 7;
    bool done = wpp_builder_append(b, 0, terminals, MUCH, WIDE) == SEQ_OK
             && wpp_builder_give_back(b, &back) == SEQ_OK;
    if (done)
        seq_get_stats(back, &stats);
    tap_ok(stats.symbols == MUCH, "more than may wait, at once");
    seq_free(back);
    free(terminals);
}

static void test_range(struct random *r)
{
    const uint32_t much = SEQ_TERMINAL_MAX + 1;
    seq_piece *first, *piece;
    seq *base = new_base(r, &first), *back = NULL;
    struct wpp_builder *b = wpp_builder_new(NULL, base);

    wpp_builder_append(b, 0, &much, 1, UINT32_MAX);
    wpp_builder_end(b, 1);
    tap_ok(wpp_builder_take(b, &piece) == SEQ_E_RANGE && !piece, "what the engine refuses is told");
    seq_piece_free(first);
    seq_free(base);
    b = wpp_builder_new(new_grammar(), NULL);
    wpp_builder_append(b, 0, &much, 1, UINT32_MAX);
    tap_ok(wpp_builder_give_back(b, &back) == SEQ_E_RANGE && back,
           "also when the grammar is given back");
    seq_free(back);
    b = wpp_builder_new(new_grammar(), NULL);
    int status = wpp_builder_append(b, 0, &much, 1, UINT32_MAX);
    for (int n = 0; n < 10000000 && status == SEQ_OK; n++) {
        const uint32_t more = 1;
        status = wpp_builder_append(b, 0, &more, 1, TERMINALS);
    }
    tap_ok(status == SEQ_E_RANGE, "and to who goes on appending");
    wpp_builder_free(b);
}

int main(void)
{
    struct random r = {.state = 20261124};

    test_parts(&r);
    test_giving_back(&r);
    test_dropping(&r);
    test_much();
    test_range(&r);
    return tap_done();
}
