/* SPDX-License-Identifier: MIT */
/* sequitur-vectors.c - the loops of vectors.h do what it says, on every processor the same: against
 * their definitions, a terminal at a time, and whole grammars against each other. */
#include "sequitur/grammar.h"
#include "sequitur/jumps.h"
#include "sequitur/vectors.h"
#include "test/unit/sequitur-test.h"

enum { TRIALS = 3000, TEXT = TERMINALS_MOST + 64, ROWS = 37 };

struct variant {
    const char *name;
    const struct vectors *v;
};

static void fill(struct random *r, uint32_t *text, size_t n, uint32_t most)
{
    for (size_t i = 0; i < n; i++)
        text[i] = random_below(r, most);
}

/* Levels in pieces that begin and end anywhere. */
static bool sums_are_right(struct random *r, const struct vectors *v, const struct levels *l)
{
    uint32_t text[TEXT];
    two sums[LEVELS];
    uint64_t expected = 0;
    uint32_t done = 0;

    fill(r, text, TEXT, 1 << 30);
    for (int from = NARROW; from < LEVELS;) {
        int to = from + 1 + (int)random_below(r, (uint32_t)(LEVELS - from));
        v->sum(l->keys, text, from, to, sums);
        for (; from < to; from++) {
            for (; done < level_terminals(from); done += 2)
                expected += (uint64_t)(uint32_t)(text[done] + l->keys[done])
                          * (uint32_t)(text[done + 1] + l->keys[done + 1]);
            if (sums[from][0] + sums[from][1] != expected)
                return false;
        }
    }
    return true;
}

static uint64_t random_64(struct random *r)
{
    return (uint64_t)random_below(r, UINT32_MAX) << 32 | random_below(r, UINT32_MAX);
}

static bool places_are_right(struct random *r, const struct vectors *v)
{
    two sums[LEVELS];
    struct place places[LEVELS];
    int n = 1 + (int)random_below(r, LEVELS);
    uint64_t rows = 1 + random_below(r, JUMPS_MAX / WAYS);

    for (int i = 0; i < n; i++)
        sums[i] = (two){random_64(r), random_64(r)};
    v->place(sums, n, rows, places);
    for (int i = 0; i < n; i++) {
        struct place p = level_place(sums[i][0] + sums[i][1], rows);
        if (p.row != places[i].row || p.top != places[i].top || p.row >= rows * WAYS
            || place_hash(p) == 0)
            return false;
    }
    return true;
}

/* A table of few hashes, so that many are alike. */
static bool asks_right(struct random *r, const struct vectors *v)
{
    struct jump table[ROWS * WAYS];
    struct place places[LEVELS_ASKED];
    int n = 1 + (int)random_below(r, LEVELS_ASKED);

    for (int i = 0; i < ROWS * WAYS; i++)
        table[i] = (struct jump){.rule = random_below(r, 1 << 29), .more = random_below(r, 16),
                                 .marker = random_below(r, 2), .hash = random_below(r, 5)};
    for (int i = 0; i < n; i++)
        places[i] = (struct place){random_below(r, ROWS) * WAYS, (1 + random_below(r, 4)) << 2};
    uint32_t hits = v->ask(table, places, n);
    for (int i = 0; i < WAYS * n; i++) {
        const struct jump *e = &table[places[i / WAYS].row + (uint32_t)(i % WAYS)];
        bool names = e->hash == place_hash(places[i / WAYS]) && !e->marker;
        if (names != (hits >> i & 1))
            return false;
    }
    return WAYS * n == 32 || hits >> WAYS * n == 0;
}

static bool compares_right(struct random *r, const struct vectors *v)
{
    uint32_t a[100], b[100];
    uint64_t n = random_below(r, 101);
    uint64_t same = random_below(r, (uint32_t)n + 1);

    fill(r, a, 100, 1 << 30);
    memcpy(b, a, sizeof b);
    for (uint64_t i = same; i < 100; i++)
        if (i == same || random_below(r, 2))
            b[i] ^= UINT32_C(1) << random_below(r, 30);
    return v->common(a, b, n) == same;
}

/* What ends the copy: nothing, a terminal like the one before it, one that is too large. */
static bool copies_right(struct random *r, const struct vectors *v)
{
    uint32_t in[101], out[100];
    size_t n = random_below(r, 101);
    size_t end = random_below(r, 3) ? random_below(r, 101) : 100;

    for (uint32_t i = 0; i < 101; i++)
        in[i] = i % 2 ? SEQ_TERMINAL_MAX - random_below(r, 9) : random_below(r, 9);
    if (end < n && random_below(r, 2))
        in[1 + end] = in[end];
    else if (end < n)
        in[1 + end] = SEQ_TERMINAL_MAX + 1 + random_below(r, UINT32_MAX - SEQ_TERMINAL_MAX - 1);
    else
        end = n;
    return v->copy_single(out, in + 1, n) == end && memcmp(out, in, end * sizeof *in) == 0;
}

static void test_variant(struct variant x)
{
    struct random r = {11};
    struct levels l;
    int wrong[5] = {0};

    levels_init(&l);
    for (int i = 0; i < TRIALS; i++) {
        wrong[0] += !sums_are_right(&r, x.v, &l);
        wrong[1] += !places_are_right(&r, x.v);
        wrong[2] += !asks_right(&r, x.v);
        wrong[3] += !compares_right(&r, x.v);
        wrong[4] += !copies_right(&r, x.v);
    }
    tap_ok(wrong[0] == 0, "%s: sums of levels (%d wrong)", x.name, wrong[0]);
    tap_ok(wrong[1] == 0, "%s: places (%d wrong)", x.name, wrong[1]);
    tap_ok(wrong[2] == 0, "%s: entries that name rules (%d wrong)", x.name, wrong[2]);
    tap_ok(wrong[3] == 0, "%s: how far two places are alike (%d wrong)", x.name, wrong[3]);
    tap_ok(wrong[4] == 0, "%s: single terminals (%d wrong)", x.name, wrong[4]);
}

static seq *build(const struct vectors *v, const uint32_t *text, size_t n)
{
    seq *s;

    if (seq_new(&s, NULL) != SEQ_OK)
        return NULL;
    s->vectors = v;
    if (seq_append(s, 0, text, n) == SEQ_OK && seq_finish(s) == SEQ_OK
        && seq_check(s, NULL, 0) == SEQ_OK)
        return s;
    seq_free(s);
    return NULL;
}

/* Texts that are long enough for all levels. */
static void test_grammars(struct variant x, struct variant y)
{
    enum { LONG = 30000 };
    struct random r = {5};
    uint32_t *text = malloc(LONG * sizeof *text);
    struct seq_grammar a, b;
    int same = 0, trials = 40;

    for (int i = 0; i < trials; i++) {
        random_string(&r, text, LONG, 1 + random_below(&r, 60));
        seq *s = build(x.v, text, LONG);
        seq *t = build(y.v, text, LONG);
        if (!s || !t || seq_export(s, &a) != SEQ_OK || seq_export(t, &b) != SEQ_OK)
            break;
        same += equal(&a, &b) && derives(&a, 0, text, LONG);
        seq_grammar_free(s, &a);
        seq_grammar_free(t, &b);
        seq_free(s);
        seq_free(t);
    }
    tap_ok(same == trials, "%s and %s: the same grammars (%d of %d)", x.name, y.name, same, trials);
    free(text);
}

int main(void)
{
    struct variant plain = {"plain", &vectors_plain};
    struct variant avx2 = {"avx2", vectors_avx2};

    test_variant(plain);
    if (vectors_best() == avx2.v) {
        test_variant(avx2);
        test_grammars(plain, avx2);
    } else {
        tap_skip("this processor has no AVX2");
    }
    return tap_done();
}
