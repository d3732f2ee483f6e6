/* SPDX-License-Identifier: MIT */
/* hotpaths-factors.c - which strings stand in those of a set, against looking at every place. */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/automata/suffix-automaton.h"
#include "test/unit/small-grammar.h"
#include "test/unit/tap.h"

enum { STRINGS = 6, LONGEST = 20, LETTERS = 3, SETS = 3000, DRAWS = 20 };

struct set {
    uint32_t text[STRINGS][LONGEST];
    struct hot_string string[STRINGS];
    size_t n;
};

static bool equal(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static void draw_set(struct set *s)
{
    uint32_t letters = 1 + random_below(LETTERS);

    s->n = 0;
    for (int i = 0; i < STRINGS; i++) {
        uint32_t length = 1 + random_below(LONGEST);
        bool is_new = true;

        for (uint32_t k = 0; k < length; k++)
            s->text[s->n][k] = random_below(letters);
        for (size_t k = 0; k < s->n; k++)
            if (s->string[k].length == length && equal(s->text[k], s->text[s->n], length))
                is_new = false;
        s->string[s->n] = (struct hot_string){ s->text[s->n], length };
        s->n += is_new;
    }
}

/* Where the word ends in the strings: a bit of each string's places. */
static bool ends_of(const struct set *s, const uint32_t *word, uint32_t length, uint32_t *ends)
{
    bool any = false;

    for (size_t i = 0; i < s->n; i++) {
        ends[i] = 0;
        for (uint32_t end = length; end <= s->string[i].length; end++)
            if (equal(s->text[i] + end - length, word, length))
                ends[i] |= UINT32_C(1) << end;
        any |= ends[i] != 0;
    }
    return any;
}

/* Along a word: it goes on as long as what was read stands somewhere, which is told again. */
static size_t wrong_along(const struct factors *f, const struct set *s, const uint32_t *word,
                          uint32_t length)
{
    uint32_t state = 0, ends[STRINGS], told[LONGEST];
    size_t wrong = 0;

    for (uint32_t n = 1; n <= length; n++) {
        bool stands = ends_of(s, word, n, ends);

        state = factors_next(f, state, word[n - 1]);
        if (stands != (state != 0))
            return wrong + 1;
        if (!stands)
            return wrong;
        factors_text(f, state, n, told);
        wrong += !equal(told, word, n) || f->state[state].length < n;
    }
    return wrong;
}

static uint32_t state_of(const struct factors *f, struct hot_string x)
{
    uint32_t state = 0;

    for (uint32_t i = 0; i < x.length; i++)
        state = factors_next(f, state, x.terminals[i]);
    return state;
}

static bool end_together(const struct set *s, struct hot_string x, struct hot_string y)
{
    uint32_t of_x[STRINGS], of_y[STRINGS];

    ends_of(s, x.terminals, x.length, of_x);
    ends_of(s, y.terminals, y.length, of_y);
    return equal(of_x, of_y, (uint32_t)s->n);
}

static struct hot_string draw_factor(const struct set *s)
{
    const struct hot_string *from = &s->string[random_below((uint32_t)s->n)];
    uint32_t at = random_below(from->length);

    return (struct hot_string){ from->terminals + at, 1 + random_below(from->length - at) };
}

int main(void)
{
    size_t wrong_words = 0, wrong_pairs = 0, words = 0, together = 0;

    for (int i = 0; i < SETS; i++) {
        struct set s;
        struct patterns p;
        struct factors f;

        draw_set(&s);
        if (patterns_init(&p, s.string, s.n, false) != HOT_OK || factors_init(&f, &p) != HOT_OK)
            abort();
        for (int k = 0; k < DRAWS; k++, words++) {
            struct hot_string x = draw_factor(&s), y = draw_factor(&s);
            bool is_one = end_together(&s, x, y);
            uint32_t word[LONGEST];

            wrong_pairs += is_one != (state_of(&f, x) == state_of(&f, y));
            together += is_one && x.length != y.length;
            memcpy(word, x.terminals, x.length * sizeof *word);
            if (random_below(3))
                word[random_below(x.length)] = random_below(LETTERS);
            wrong_words += wrong_along(&f, &s, word, x.length) > 0;
        }
        factors_clear(&f);
        patterns_clear(&p);
    }
    tap_ok(wrong_words == 0, "%zu words: each is followed as far as it stands in the strings", words);
    tap_ok(wrong_pairs == 0 && together > 0,
           "factors that end at the same places, and no others, are in one state");
    return tap_done();
}
