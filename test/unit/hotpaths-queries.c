/* SPDX-License-Identifier: MIT */
/* hotpaths-queries.c - what is said of given strings, against the expanded trace. */
#include "hotpaths/hotpaths.h"
#include "test/reference/brute-hot.h"
#include "test/unit/small-grammar.h"
#include "test/unit/tap.h"

enum { MOST_STRINGS = 6, MOST_LENGTH = 8 };

struct trial {
    struct small_grammar s;
    struct brute_run run;
    struct hot_string strings[MOST_STRINGS];
    size_t n;
};

static bool is_same(struct hot_string a, struct hot_string b)
{
    return a.length == b.length && !memcmp(a.terminals, b.terminals, a.length * sizeof(uint32_t));
}

/* Strings of the threads, that differ; now and then one that stands nowhere. */
static void choose_strings(struct trial *t)
{
    static const uint32_t nowhere[] = { 25, 25 };
    size_t wanted = 1 + random_below(MOST_STRINGS);

    t->n = 0;
    for (int tries = 0; tries < 50 && t->n < wanted; tries++) {
        const struct brute_string *s = brute_thread(&t->run, random_below(t->run.n_threads));
        struct hot_string string = { nowhere, 2 };
        bool known = false;

        if (s->length && random_below(10)) {
            size_t from = random_below((uint32_t)s->length), most = s->length - from;

            string.terminals = s->symbols + from;
            string.length = 1 + random_below((uint32_t)(most < MOST_LENGTH ? most : MOST_LENGTH));
        }
        for (size_t i = 0; i < t->n; i++)
            known |= is_same(string, t->strings[i]);
        if (!known)
            t->strings[t->n++] = string;
    }
}

static bool stands_at(const struct brute_string *s, size_t at, struct hot_string w)
{
    return at + w.length <= s->length &&
           !memcmp(s->symbols + at, w.terminals, w.length * sizeof *w.terminals);
}

static bool places_agree(const struct trial *t)
{
    uint64_t got[MOST_STRINGS * 3];
    bool good = hot_places(&t->s.g, t->strings, t->n, got) == HOT_OK;

    for (size_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->run.n_threads; k++) {
            const struct brute_string *s = brute_thread(&t->run, k);
            uint64_t n = 0;

            for (size_t at = 0; at < s->length; at++)
                n += stands_at(s, at, t->strings[i]);
            good &= got[i * t->run.n_threads + k] == n;
        }
    return good;
}

static bool in_scope(uint32_t thread, uint32_t k)
{
    return thread == HOT_ALL_THREADS || thread == k;
}

/* The most places that do not overlap: of all ways to choose them. */
static uint64_t most_apart(const struct brute_string *s, struct hot_string string)
{
    uint64_t *best = calloc(s->length + 1, sizeof *best), most;

    for (size_t end = 1; end <= s->length; end++) {
        uint32_t w = string.length;
        best[end] = best[end - 1];
        if (end >= w && stands_at(s, end - w, string) && best[end - w] + 1 > best[end])
            best[end] = best[end - w] + 1;
    }
    most = best[s->length];
    free(best);
    return most;
}

static bool apart_agrees(const struct trial *t)
{
    uint64_t *got = calloc(t->run.n_threads + 1, sizeof *got);
    bool good = true;

    for (size_t i = 0; i < t->n; i++) {
        good &= hot_places_apart(&t->s.g, t->strings[i], got) == HOT_OK;
        for (uint32_t k = 0; k < t->run.n_threads; k++)
            good &= got[k] == most_apart(brute_thread(&t->run, k), t->strings[i]);
    }
    free(got);
    return good;
}

static bool cover_agrees(const struct trial *t, uint32_t thread)
{
    uint64_t got, sum = 0;

    for (uint32_t k = 0; k < t->run.n_threads; k++) {
        const struct brute_string *s = brute_thread(&t->run, k);
        bool *covered = calloc(s->length + 1, sizeof *covered);

        for (size_t i = 0; i < t->n; i++)
            for (size_t at = 0; at < s->length; at++)
                if (stands_at(s, at, t->strings[i]))
                    memset(covered + at, true, t->strings[i].length);
        for (size_t at = 0; at < s->length; at++)
            sum += covered[at] && in_scope(thread, k) ? t->s.cost[s->symbols[at]] : 0;
        free(covered);
    }
    return hot_cover(&t->s.g, t->s.cost, thread, t->strings, t->n, &got) == HOT_OK && got == sum;
}

static bool neighbours_agree(const struct trial *t, uint32_t thread, bool before)
{
    static uint64_t got[MOST_STRINGS * MAX_TERMINALS], want[MOST_STRINGS * MAX_TERMINALS];

    memset(want, 0, sizeof want);
    for (size_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->run.n_threads; k++) {
            const struct brute_string *s = brute_thread(&t->run, k);
            for (size_t at = 0; in_scope(thread, k) && at < s->length; at++) {
                size_t next = before ? at - 1 : at + t->strings[i].length;
                if (stands_at(s, at, t->strings[i]) && next < s->length)
                    want[i * MAX_TERMINALS + s->symbols[next]]++;
            }
        }
    return hot_neighbours(&t->s.g, thread, t->strings, t->n, before, got) == HOT_OK &&
           !memcmp(got, want, t->n * MAX_TERMINALS * sizeof *got);
}

/* Grown strings are as frequent, and could not go on. */
static bool extension_holds(const struct trial *t)
{
    enum { MOST = 60 };
    uint32_t *string[MOST_STRINGS], length[MOST_STRINGS];
    uint64_t frequency[MOST_STRINGS];
    bool good;

    for (size_t i = 0; i < t->n; i++) {
        length[i] = t->strings[i].length;
        string[i] = malloc(length[i] * sizeof **string);
        memcpy(string[i], t->strings[i].terminals, length[i] * sizeof **string);
        frequency[i] = brute_occurrences(&t->run, string[i], length[i]);
    }
    good = hot_extend(&t->s.g, HOT_ALL_THREADS, string, length, frequency, t->n, MOST) == HOT_OK;
    for (size_t i = 0; i < t->n; i++) {
        uint32_t *longer = malloc((length[i] + 2) * sizeof *longer);

        good &= brute_occurrences(&t->run, string[i], length[i]) == frequency[i];
        memcpy(longer + 1, string[i], length[i] * sizeof *longer);
        for (uint32_t x = 0; x < 4 && length[i] < MOST && frequency[i]; x++) {
            longer[0] = longer[length[i] + 1] = x;
            good &= brute_occurrences(&t->run, longer, length[i] + 1) < frequency[i];
            good &= brute_occurrences(&t->run, longer + 1, length[i] + 1) < frequency[i];
        }
        free(longer);
        free(string[i]);
    }
    return good;
}

static bool order_agrees(const struct trial *t, uint32_t thread)
{
    bool is_a[MAX_TERMINALS], is_b[MAX_TERMINALS];
    struct hot_order want = { 0 }, got;

    for (int i = 0; i < MAX_TERMINALS; i++) {
        is_a[i] = !random_below(3);
        is_b[i] = !random_below(3);
    }
    for (uint32_t k = 0; k < t->run.n_threads; k++) {
        const struct brute_string *s = brute_thread(&t->run, k);

        for (size_t at = 0; in_scope(thread, k) && at < s->length; at++) {
            size_t from = at;

            want.a += is_a[s->symbols[at]];
            if (!is_b[s->symbols[at]])
                continue;
            want.b++;
            while (from > 0 && !is_a[s->symbols[from - 1]] && !is_b[s->symbols[from - 1]])
                from--;
            want.b_after_a += from > 0 && is_a[s->symbols[from - 1]];
        }
    }
    return hot_before(&t->s.g, thread, is_a, is_b, &got) == HOT_OK && got.a == want.a &&
           got.b == want.b && got.b_after_a == want.b_after_a;
}

static bool beside_agrees(const struct trial *t, uint32_t thread, bool before)
{
    uint64_t want[MAX_TERMINALS] = { 0 }, got[MAX_TERMINALS];
    bool is_b[MAX_TERMINALS];

    for (int i = 0; i < MAX_TERMINALS; i++)
        is_b[i] = !random_below(3);
    for (uint32_t k = 0; k < t->run.n_threads; k++) {
        const struct brute_string *s = brute_thread(&t->run, k);

        for (size_t at = 1; in_scope(thread, k) && at < s->length; at++) {
            uint32_t one = s->symbols[before ? at - 1 : at], other = s->symbols[before ? at : at - 1];

            want[one] += is_b[other] && !is_b[one];
        }
    }
    return hot_beside(&t->s.g, thread, is_b, before, got) == HOT_OK &&
           !memcmp(got, want, sizeof want);
}

/* What is no repetition of something shorter: its own turn, else that. */
static size_t turn_of(struct hot_string w)
{
    size_t period = brute_period(w.terminals, w.length);

    return w.length % period == 0 ? period : w.length;
}

/* Each piece of a thread that reads along the loop and cannot be made longer, from each
 * place and each phase. */
static struct hot_turns rows_of(const struct trial *t, uint32_t thread, struct hot_string w)
{
    struct hot_turns rows = { 0 };
    size_t turn = turn_of(w);

    for (uint32_t k = 0; k < t->run.n_threads; k++) {
        const struct brute_string *s = brute_thread(&t->run, k);

        for (size_t at = 0; in_scope(thread, k) && at < s->length; at++)
            for (size_t phase = 0; phase < turn; phase++) {
                size_t n = 0, turns;

                if (at > 0 && s->symbols[at - 1] == w.terminals[(phase + turn - 1) % turn])
                    continue;
                while (at + n < s->length && s->symbols[at + n] == w.terminals[(phase + n) % turn])
                    n++;
                turns = n / turn;
                if (turns == 0)
                    continue;
                rows.least = rows.rows == 0 || turns < rows.least ? turns : rows.least;
                rows.most = turns > rows.most ? turns : rows.most;
                rows.rows++;
                rows.turns += turns;
            }
    }
    return rows;
}

/* Also of a rotation of the first string, which is the same loop, and of it twice over. */
static bool turns_agree(const struct trial *t, uint32_t thread, uint64_t *most)
{
    struct hot_string strings[MOST_STRINGS + 2];
    struct hot_turns got[MOST_STRINGS + 2];
    uint32_t turned[MOST_LENGTH], twice[2 * MOST_LENGTH], length = t->strings[0].length;
    bool good;

    for (uint32_t i = 0; i < 2 * length; i++)
        twice[i] = t->strings[0].terminals[i % length];
    memcpy(turned, twice + 1 + random_below(length), length * sizeof *turned);
    strings[0] = (struct hot_string){ turned, length };
    strings[1] = (struct hot_string){ twice, 2 * length };
    memcpy(strings + 2, t->strings, t->n * sizeof *strings);
    good = hot_count_turns(&t->s.g, thread, strings, t->n + 2, got) == HOT_OK;
    for (size_t i = 0; i < t->n + 2; i++) {
        struct hot_turns want = rows_of(t, thread, strings[i]);

        good &= got[i].rows == want.rows && got[i].turns == want.turns &&
                got[i].least == want.least && got[i].most == want.most;
        *most = want.most > *most ? want.most : *most;
    }
    return good;
}

/* A turn that is too long is not counted; the one beside it is. */
static void long_turn(void)
{
    static uint32_t string[HOT_TURN_MAX + 1] = { 1 };
    static struct small_grammar s;
    struct hot_string turns[] = { { string, HOT_TURN_MAX + 1 }, { string + 1, 1 } };
    struct hot_turns got[2];

    from_text(&s, 1, (const char *const[]){ "aaaa", "AAAbAbb", NULL });
    tap_ok(hot_count_turns(&s.g, HOT_ALL_THREADS, turns, 2, got) == HOT_OK && got[0].rows == 0 &&
               got[1].rows == 2 && got[1].turns == 16 && got[1].least == 4 && got[1].most == 12,
           "a turn of more than %d paths is not counted, the one beside it is", HOT_TURN_MAX);
}

/* A row whose turns no loop could count: 2^62 of them, and a short one. */
static void long_row(void)
{
    static struct small_grammar s;
    static const uint32_t a = 0, three[] = { 0, 0, 0 };
    struct hot_string string = { three, 3 };
    struct hot_turns got;
    uint64_t places, covered, behind[MAX_TERMINALS];

    begin(&s);
    s.g.n_rules = 62;
    s.g.n_threads = 1;
    for (uint32_t r = 0; r < 62; r++) {
        s.body[r + 1] = s.body[r];
        add_symbol(&s, r, r ? WPP_RULE | (r - 1) : 0);
        add_symbol(&s, r, r ? WPP_RULE | (r - 1) : 0);
    }
    s.body[63] = s.body[62];
    add_symbol(&s, 62, WPP_RULE | 61);
    add_symbol(&s, 62, 1);
    add_symbol(&s, 62, WPP_RULE | 0);
    tap_ok(hot_count_turns(&s.g, HOT_ALL_THREADS, &(struct hot_string){ &a, 1 }, 1, &got) == HOT_OK &&
               got.rows == 2 && got.least == 2 && got.most == UINT64_C(1) << 62 &&
               got.turns == (UINT64_C(1) << 62) + 2, "a row of 2^62 turns, and one of 2");
    tap_ok(hot_places(&s.g, &string, 1, &places) == HOT_OK && places == (UINT64_C(1) << 62) - 2 &&
               hot_cover(&s.g, s.cost, 0, &string, 1, &covered) == HOT_OK &&
               covered == UINT64_C(1) << 62 &&
               hot_neighbours(&s.g, 0, &string, 1, false, behind) == HOT_OK &&
               behind[0] == (UINT64_C(1) << 62) - 3 && behind[1] == 1,
           "three of them: 2^62 - 2 places");
}

/* Each string by itself. */
static bool pieces_agree(const struct trial *t, uint32_t thread, int *overlaps)
{
    uint64_t frequency[MOST_STRINGS] = { 0 };
    struct hot_pieces got[MOST_STRINGS];
    bool good;

    for (size_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->run.n_threads; k++)
            for (size_t at = 0; in_scope(thread, k) && at < brute_thread(&t->run, k)->length; at++)
                frequency[i] += stands_at(brute_thread(&t->run, k), at, t->strings[i]);
    good = hot_count_pieces(&t->s.g, t->s.cost, thread, t->strings, frequency, t->n, got) == HOT_OK;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t cost = 0, pieces = 0;

        for (uint32_t k = 0; k < t->run.n_threads; k++) {
            const struct brute_string *s = brute_thread(&t->run, k);
            size_t covered_to = 0;

            for (size_t at = 0; in_scope(thread, k) && at < s->length; at++) {
                if (stands_at(s, at, t->strings[i])) {
                    pieces += at >= covered_to;
                    covered_to = at + t->strings[i].length;
                }
                cost += at < covered_to ? t->s.cost[s->symbols[at]] : 0;
            }
        }
        good &= got[i].pieces == pieces && got[i].cost == cost;
        *overlaps += pieces < frequency[i];
    }
    return good;
}

/* Periods 3, 6 and 8; a place 6 behind another has one between them. */
static void steps(void)
{
    static struct small_grammar s;
    static const uint32_t nine[] = { 0, 1, 0, 0, 1, 0, 0, 1, 0 };
    const struct hot_string string = { nine, 9 };
    const uint64_t frequency = 7;
    struct hot_pieces got;

    /* At 0, 3 and 11; at 0, 3 and 6; alone. */
    from_text(&s, 1, (const char *const[]){ "aba", "AAAAbaabaabacAAAAAcAAA", NULL });
    tap_ok(hot_count_pieces(&s.g, s.cost, 0, &string, &frequency, 1, &got) == HOT_OK &&
               got.pieces == 3 && got.cost == 20 + 15 + 9, "places that overlap are one piece");
}

static void random_trials(const char *name, int trials, void (*draw)(struct small_grammar *))
{
    int wrong[10] = { 0 }, asked = 0, overlaps = 0;
    uint64_t most = 0;

    for (int i = 0; i < trials; i++) {
        static struct trial t;
        uint32_t thread;

        draw(&t.s);
        brute_expand(&t.run, &t.s.g);
        choose_strings(&t);
        thread = random_below(2) ? random_below(t.run.n_threads) : HOT_ALL_THREADS;
        wrong[0] += !places_agree(&t);
        wrong[1] += !apart_agrees(&t);
        wrong[2] += !cover_agrees(&t, thread);
        wrong[9] += !pieces_agree(&t, thread, &overlaps);
        wrong[3] += !neighbours_agree(&t, thread, false);
        wrong[4] += !neighbours_agree(&t, thread, true);
        wrong[5] += !extension_holds(&t);
        wrong[6] += !order_agrees(&t, thread);
        wrong[8] += !beside_agrees(&t, thread, true) + !beside_agrees(&t, thread, false);
        wrong[7] += !turns_agree(&t, thread, &most);
        asked += (int)t.n;
        brute_free(&t.run);
    }
    tap_ok(!wrong[0], "%d %s: places, thread by thread", trials, name);
    tap_ok(!wrong[1], "%s: places that do not overlap", name);
    tap_ok(!wrong[2], "%s: what strings cover together", name);
    tap_ok(!wrong[9], "%s: what each makes up, where its places overlap one piece", name);
    tap_ok(overlaps > trials / 10, "%s: %d of them overlap themselves", name, overlaps);
    tap_ok(!wrong[3], "%s: what comes behind", name);
    tap_ok(!wrong[4], "%s: what comes before", name);
    tap_ok(!wrong[5], "%s: strings grow as far as they stay as frequent", name);
    tap_ok(!wrong[6], "%s: what comes before what", name);
    tap_ok(!wrong[8], "%s: what stands beside events of a set", name);
    tap_ok(!wrong[7], "%s: turns in a row", name);
    tap_ok(most > 20, "%s: up to %llu of them", name, (unsigned long long)most);
    tap_ok(asked > trials, "%s: %d strings were asked for", name, asked);
}

int main(void)
{
    long_turn();
    long_row();
    steps();
    random_trials("random grammars", 4000, random_grammar);
    random_trials("SEQUITUR grammars", 2000, sequitur_grammar);
    return tap_done();
}
