/* SPDX-License-Identifier: MIT */
/* hotpaths.c - the hot subpath analyses against the paper's example and, on
 * random grammars, against brute force on the expanded trace.
 * test: slow 4 */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/hotpaths.h"
#include "test/reference/brute-hot.h"
#include "test/unit/small-grammar.h"
#include "test/unit/tap.h"

/* ---- Running -------------------------------------------------------------------- */

/* In the hostile build, where samples always pay, half of the searches go without. */
static struct hot_config config_of(enum hot_algorithm algorithm, uint32_t min_length,
                                   uint32_t max_length, uint64_t min_cost)
{
    return (struct hot_config){ .size = sizeof(struct hot_config), .algorithm = algorithm,
                                .min_length = min_length, .max_length = max_length,
                                .min_cost = min_cost, .wanted = 20,
                                .thread = HOT_ALL_THREADS, .no_sample = random_below(2) };
}

/* Subpaths that are compared as text, and letters of one. */
enum { WORDS = 32, LETTERS = 64 };

/* What was found as text in alphabetical order: `ab:6 bc:9`. */
static void as_text(const hot_result *r, char out[static WORDS * LETTERS])
{
    char word[WORDS][LETTERS];
    size_t n = hot_count(r) < WORDS ? hot_count(r) : WORDS;

    for (size_t i = 0; i < n; i++) {
        struct hot_subpath p = hot_get(r, i);
        char name[32] = "";

        for (uint32_t j = 0; j < p.length && j < sizeof name - 1; j++)
            name[j] = (char)('a' + p.terminals[j]);
        snprintf(word[i], sizeof word[i], "%s:%llu", name, (unsigned long long)p.frequency);
    }
    qsort(word, n, sizeof word[0], (int (*)(const void *, const void *))strcmp);
    *out = '\0';
    for (size_t i = 0; i < n; i++)
        out = stpcpy(stpcpy(out, i ? " " : ""), word[i]);
}

static void expect(const char *name, const struct small_grammar *s,
                   const struct hot_config *config, const char *wanted)
{
    hot_result *r;
    char got[WORDS * LETTERS] = "";
    int status = hot_find(&r, &s->g, s->cost, config);

    if (status == HOT_OK)
        as_text(r, got);
    if (!tap_ok(status == HOT_OK && strcmp(got, wanted) == 0, "%s", name))
        tap_note("status %d, wanted '%s', got '%s'", status, wanted, got);
    hot_free(r);
}

/* ---- The paper's example ----------------------------------------------------------- */

static void paper_example(void)
{
    /* Figure 5's string abbcbcabbc three times in a larger WPP: ab 6, bb 6,
     * bc 9, ca 3 times, and cb 3 times too. */
    static const char *const printed[] = { "ab", "bc", "AB", "CBC", "DxDyDz", NULL };
    /* abbcabbc, whose grammar fits what the text says (docs/errata.md). */
    static const char *const told[] = { "ab", "bc", "AB", "CC", "DxDyDz", NULL };
    struct hot_config walk = config_of(HOT_LARUS, 2, 3, 6);
    struct hot_config exact = config_of(HOT_EXACT, 2, 3, 6);
    struct small_grammar s;

    from_text(&s, 1, printed);
    expect("paper, the printed string: the walk finds ab and bc", &s, &walk, "ab:6 bc:9");
    expect("paper, the printed string: what is hot", &s, &exact, "ab:6 bb:6 bc:9 ca:3 cb:3");
    from_text(&s, 1, told);
    expect("paper, the grammar of the text: the walk finds ab and bc", &s, &walk, "ab:6 bc:6");
    expect("paper, the grammar of the text: what is hot", &s, &exact, "ab:6 bb:6 bc:6 ca:3");
}

/* ---- Where the printed algorithm errs ------------------------------------------------ */

static void slips(void)
{
    struct hot_config c;
    struct small_grammar s;

    /* The prefix of a rule must end before its first find although the string
     * was cleared: else `ab` of A would be charged again inside `xab`. */
    static const char *const freeze[] = { "abc", "xA", "ByBzAwAuA", NULL };
    from_text(&s, 1, freeze);
    c = config_of(HOT_LARUS, 2, 4, 10);
    expect("a find is not extended to the left by the rules above", &s, &c, "ab:5");

    /* A prefix that stopped at a find must not go on behind it. */
    static const char *const resume[] = { "ab", "xAcd", "ByBzAwAuA", NULL };
    from_text(&s, 1, resume);
    c = config_of(HOT_LARUS, 2, 4, 8);
    expect("a prefix does not resume behind a find", &s, &c, "ab:5");

    /* A suffix that reaches back into a find of its prefix is cut there: else
     * `cdey` would be charged for the `c` of `xabc`. */
    static const char *const overlap[] = { "abcde", "xAy", "BuBvB", NULL };
    from_text(&s, 1, overlap);
    s.cost['x' - 'a'] = s.cost['y' - 'a'] = 10;
    c = config_of(HOT_LARUS, 4, 4, 39);
    expect("a suffix does not reach back into a find", &s, &c, "xabc:3");

    /* The window holds the last L terminals, not the first. */
    static const char *const slide[] = { "aaaab", "AcAdA", NULL };
    from_text(&s, 1, slide);
    s.cost[1] = 10;
    c = config_of(HOT_LARUS, 2, 2, 33);
    expect("the window slides", &s, &c, "ab:3");

    /* Equal strings from two rules are one answer with the sum; what only the
     * start rule joins is not charged by the walk. */
    static const char *const twice[] = { "ab", "xa", "by", "BC", "AADdADeDfabba", "b", NULL };
    from_text(&s, 2, twice);
    s.cost['x' - 'a'] = s.cost['y' - 'a'] = 0;
    c = config_of(HOT_LARUS, 2, 2, 6);
    expect("charged per rule, reported with the sum", &s, &c, "ab:6");
    c = config_of(HOT_EXACT, 2, 2, 6);
    expect("the exact count adds what the walk cannot charge", &s, &c, "ab:7");
}

static void edges(void)
{
    static const char *const one[] = { "abcabc", "ab", "", NULL };
    struct hot_config c = config_of(HOT_LARUS, 1, 1, 2);
    struct small_grammar s;
    hot_result *r;

    from_text(&s, 3, one);
    expect("length one: terminals; several threads, one of them empty", &s, &c, "");
    c.algorithm = HOT_EXACT;
    expect("length one, exact", &s, &c, "a:3 b:3 c:2");
    c.thread = 1;
    c.min_cost = 1;
    expect("one thread alone", &s, &c, "a:1 b:1");
    c.algorithm = HOT_LARUS;
    expect("one thread alone, walked", &s, &c, "a:1 b:1");
    c.thread = 2;
    expect("an empty thread", &s, &c, "");
    c = config_of(HOT_LARUS, 7, 9, 1);
    expect("nothing is as long as asked", &s, &c, "");

    memset(s.cost, 0, sizeof s.cost);
    c = config_of(HOT_EXACT, 1, 3, 1);
    expect("free of cost, exact", &s, &c, "");
    c.algorithm = HOT_LARUS;
    c.min_cost = 0;
    expect("free of cost, with a cost to be chosen", &s, &c, "");

    c = config_of(HOT_LARUS, 0, 3, 1);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_ARGUMENT && !r, "no minimal length");
    c = config_of(HOT_LARUS, 4, 3, 1);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_ARGUMENT, "lengths crossed");
    c = config_of(HOT_LARUS, 1, HOT_LENGTH_MAX + 1, 1);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_ARGUMENT, "length too large");
    c = config_of(HOT_LARUS, 1, 3, 1);
    c.thread = 3;
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_ARGUMENT, "no such thread");
    c = config_of((enum hot_algorithm)7, 1, 3, 1);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_ARGUMENT, "no such algorithm");
    s.cost[0] = UINT64_MAX / 2;
    c = config_of(HOT_LARUS, 1, 3, 1);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_E_COST, "cost too large");
}

/* Terminals that 16 bits cannot tell apart, in subpaths of several lengths. */
static void many_terminals(void)
{
    enum { LARGE = 70000, FOLD = 65536 };
    static uint64_t cost[LARGE];
    struct hot_config c = config_of(HOT_EXACT, 2, 3, 6);
    struct small_grammar s;
    static const char *const rules[] = { "ab", "cb", "AAABBAbABcAB", NULL };
    hot_result *r;
    bool good;

    from_text(&s, 1, rules);
    s.g.n_terminals = LARGE;
    for (uint32_t i = 0; i < LARGE; i++)
        cost[i] = 1;
    for (uint64_t i = 0; i < s.body[3]; i++)
        if (s.symbols[i] == 2)
            s.symbols[i] = FOLD;        /* c, else like a */
    good = hot_find(&r, &s.g, cost, &c) == HOT_OK && hot_count(r) > 0;
    for (size_t i = 0; good && i < hot_count(r); i++) {
        struct hot_subpath p = hot_get(r, i);
        uint64_t places;

        good = hot_places(&s.g, &(struct hot_string){ p.terminals, p.length }, 1, &places) ==
                   HOT_OK && places == p.frequency;
    }
    tap_ok(good, "terminals beyond 16 bits");
    hot_free(r);
}

/* ---- Loops --------------------------------------------------------------------------- */

static void loops(void)
{
    /* abc 64 times between other things, and a long turn that no subpath holds. */
    static const char *const tower[] = { "abc", "AA", "BB", "CC", "DD", "xEEyEEz", NULL };
    static const char *const wide[] = { "abcdefg", "AA", "BB", "CC", "DD", "xEyz", NULL };
    struct hot_config c = config_of(HOT_EXACT, 4, 6, 100);
    struct small_grammar s;
    hot_result *r;

    from_text(&s, 1, tower);
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_OK && hot_count(r) == 3 &&
               hot_count_leaders(r) == 1 && hot_get(r, 0).rotations == 3 &&
               hot_get(r, 0).turn == 3 && hot_get(r, 0).period == 3 &&
               hot_get(r, 0).own_cost <= 192 && hot_get(r, 0).cost > 200,
           "three rotations are one loop, whose share is no more than the whole");
    hot_free(r);
    from_text(&s, 1, wide);
    c.min_cost = 40;
    tap_ok(hot_find(&r, &s.g, s.cost, &c) == HOT_OK && hot_count(r) == 7 &&
               hot_count_leaders(r) == 1 && hot_get(r, 6).leader == 0 &&
               hot_get(r, 0).rotations == 7 && hot_get(r, 0).turn == 7 &&
               hot_get(r, 0).period == 4,
           "a turn that is longer than all subpaths");
    hot_free(r);
}

/* ---- Random grammars against brute force ------------------------------------------------ */

struct trial {
    struct small_grammar s;
    struct brute_run run;
    struct brute_limits limits;
    hot_result *walk, *exact;
};

static void begin_trial(struct trial *t, void (*draw)(struct small_grammar *))
{
    uint64_t total = 0;
    struct hot_config c;

    draw(&t->s);
    brute_expand(&t->run, &t->s.g);
    for (uint32_t k = 0; k < t->run.n_threads; k++)
        total += brute_cost(t->s.cost, brute_thread(&t->run, k)->symbols,
                            brute_thread(&t->run, k)->length);
    t->limits.min_length = 1 + random_below(random_below(8) ? 4 : 20);
    t->limits.max_length = t->limits.min_length + random_below(random_below(4) ? 8 : 80);
    t->limits.min_cost = 1 + random_below((uint32_t)total / (1 + random_below(30)) + 1);
    c = config_of(HOT_LARUS, t->limits.min_length, t->limits.max_length, t->limits.min_cost);
    if (hot_find(&t->walk, &t->s.g, t->s.cost, &c) != HOT_OK)
        abort();
    c.algorithm = HOT_EXACT;
    if (hot_find(&t->exact, &t->s.g, t->s.cost, &c) != HOT_OK)
        abort();
    if (hot_total_cost(t->walk) != total)
        abort();
}

static void end_trial(struct trial *t)
{
    hot_free(t->walk);
    hot_free(t->exact);
    brute_free(&t->run);
}

static bool all_really_hot(const struct trial *t)
{
    for (size_t i = 0; i < hot_count(t->walk); i++) {
        struct hot_subpath p = hot_get(t->walk, i);

        if (!brute_is_hot(&t->run, t->s.cost, &t->limits, p.terminals, p.length))
            return false;
    }
    return true;
}

static bool never_too_frequent(const struct trial *t)
{
    for (size_t i = 0; i < hot_count(t->walk); i++) {
        struct hot_subpath p = hot_get(t->walk, i);

        if (p.frequency > brute_occurrences(&t->run, p.terminals, p.length) ||
            p.unit_cost != brute_cost(t->s.cost, p.terminals, p.length) ||
            p.cost != p.unit_cost * p.frequency || p.cost < t->limits.min_cost)
            return false;
    }
    return true;
}

static bool nothing_twice_and_ranked(const hot_result *r)
{
    for (size_t i = 0; i < hot_count(r); i++) {
        struct hot_subpath p = hot_get(r, i);

        if (i > 0 && hot_get(r, i - 1).own_cost < p.own_cost)
            return false;
        for (size_t j = 0; j < i; j++) {
            struct hot_subpath q = hot_get(r, j);

            if (p.length == q.length &&
                memcmp(p.terminals, q.terminals, p.length * sizeof *p.terminals) == 0)
                return false;
        }
    }
    return true;
}

/* Finds are disjoint places of the trace, so they cannot cost more than it. */
static bool disjoint(const struct trial *t)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < hot_count(t->walk); i++)
        sum += hot_get(t->walk, i).cost;
    return sum <= hot_total_cost(t->walk);
}

/* The walk's promise: whatever one rule alone makes hot is touched by a find
 * in that rule's expansion. */
static bool nothing_missed(const struct trial *t)
{
    bool good = true;

    for (uint32_t rule = 0; rule < t->run.n_rules && good; rule++) {
        const struct brute_string *s = &t->run.rule[rule];
        bool *marked = calloc(s->length + 1, sizeof *marked);

        for (size_t i = 0; i < hot_count(t->walk); i++) {
            struct hot_subpath p = hot_get(t->walk, i);

            for (size_t at = 0; at + p.length <= s->length; at++)
                if (memcmp(s->symbols + at, p.terminals, p.length * sizeof *p.terminals) == 0)
                    memset(marked + at, true, p.length);
        }
        good = brute_touches_crossing(&t->run, t->s.cost, &t->limits, rule, marked);
        free(marked);
    }
    return good;
}

struct expectation {
    const hot_result *r;
    size_t matched;
};

static void look_up(void *ctx, const uint32_t *w, size_t length, uint64_t frequency)
{
    struct expectation *e = ctx;

    for (size_t i = 0; i < hot_count(e->r); i++) {
        struct hot_subpath p = hot_get(e->r, i);

        if (p.length == length && p.frequency == frequency &&
            memcmp(p.terminals, w, length * sizeof *w) == 0)
            e->matched++;
    }
}

static bool exact_is_exact(const struct trial *t)
{
    struct expectation e = { t->exact, 0 };
    size_t n = brute_minimal_hot(&t->run, t->s.cost, &t->limits, look_up, &e);

    return n == e.matched && n == hot_count(t->exact);
}

/* Periods are right, and own_cost and pieces are what the places make up together. */
static bool own_is_own(const struct trial *t)
{
    for (size_t i = 0; i < hot_count(t->exact); i++) {
        struct hot_subpath p = hot_get(t->exact, i);
        uint64_t pieces, own = brute_own_cost(&t->run, t->s.cost, p.terminals, p.length, &pieces);

        if (p.period != brute_period(p.terminals, p.length) || p.own_cost != own ||
            p.pieces != pieces ||
            p.own_unit_cost != brute_cost(t->s.cost, p.terminals, p.period) ||
            p.own_cost > hot_total_cost(t->exact))
            return false;
    }
    return true;
}

/* What is told as one loop is one, and no loop is told twice. */
static bool loops_are_loops(const struct trial *t)
{
    size_t leaders = 0;

    for (size_t i = 0; i < hot_count(t->exact); i++) {
        struct hot_subpath p = hot_get(t->exact, i), q = hot_get(t->exact, p.leader);
        uint32_t members = 0;

        leaders += p.leader == i;
        if (p.leader > i || q.leader != p.leader || p.turn != q.turn)
            return false;
        for (size_t j = 0; j < hot_count(t->exact); j++) {
            struct hot_subpath other = hot_get(t->exact, j);
            bool same = p.turn == p.period && other.turn == p.turn && other.period == p.turn &&
                        brute_is_rotation(p.terminals, other.terminals, p.period);

            members += other.leader == p.leader;
            if (same && other.leader != p.leader)
                return false;
            if (other.leader == p.leader && j != i &&
                !brute_fit_a_loop(p.terminals, p.length, other.terminals, other.length, p.turn))
                return false;
        }
        if (members != p.rotations)
            return false;
    }
    return leaders == hot_count_leaders(t->exact);
}

static void random_trials(const char *name, int trials, void (*draw)(struct small_grammar *))
{
    int failed[8] = { 0 };
    size_t walked = 0, exact = 0, rotations = 0;

    for (int i = 0; i < trials; i++) {
        struct trial t;

        begin_trial(&t, draw);
        failed[0] += !all_really_hot(&t);
        failed[1] += !never_too_frequent(&t);
        failed[2] += !nothing_twice_and_ranked(t.walk) || !nothing_twice_and_ranked(t.exact);
        failed[3] += !disjoint(&t);
        failed[4] += !nothing_missed(&t);
        failed[5] += !exact_is_exact(&t);
        failed[6] += !own_is_own(&t);
        failed[7] += !loops_are_loops(&t);
        rotations += hot_count(t.exact) - hot_count_leaders(t.exact);
        walked += hot_count(t.walk);
        exact += hot_count(t.exact);
        end_trial(&t);
    }
    tap_ok(!failed[0], "%d %s: what the walk reports is hot", trials, name);
    tap_ok(!failed[1], "%s: the walk's frequencies are lower bounds", name);
    tap_ok(!failed[2], "%s: nothing is reported twice, the dearest comes first", name);
    tap_ok(!failed[3], "%s: the walk's finds do not overlap, so cost no more than the run", name);
    tap_ok(!failed[4], "%s: whatever one rule makes hot is touched by a find", name);
    tap_ok(!failed[5], "%s: exact: all minimal hot subpaths with their frequencies", name);
    tap_ok(!failed[6], "%s: exact: what places have for themselves", name);
    tap_ok(!failed[7], "%s: exact: rotations of a loop are told as one", name);
    tap_ok(walked > (size_t)trials && exact > walked && rotations > (size_t)trials / 10,
           "%s: the trials were not empty", name);
    tap_note("%zu subpaths walked, %zu exact, %zu of these rotations", walked, exact, rotations);
}

/* ---- The chosen minimal cost -------------------------------------------------------------- */

static bool finds_anything(const struct small_grammar *s, struct hot_config c)
{
    hot_result *r;
    bool some;

    c.min_cost = 1;
    if (hot_find(&r, &s->g, s->cost, &c) != HOT_OK)
        abort();
    some = hot_count(r) > 0;
    hot_free(r);
    return some;
}

static void chosen_cost(void)
{
    struct hot_config c = config_of(HOT_LARUS, 2, 8, 0);
    struct small_grammar s;
    hot_result *r;
    bool good = true, some = true;

    for (int i = 0; i < 400; i++) {
        hot_result *again;

        c.algorithm = i % 2 ? HOT_EXACT : HOT_LARUS;
        random_grammar(&s);
        c.wanted = 1 + random_below(5);
        c.min_cost = 0;
        if (hot_find(&r, &s.g, s.cost, &c) != HOT_OK)
            abort();
        c.min_cost = hot_min_cost(r);
        if (hot_find(&again, &s.g, s.cost, &c) != HOT_OK)
            abort();
        good &= hot_count(r) == hot_count(again) && c.min_cost > 0 &&
                hot_count_leaders(r) == hot_count_leaders(again);
        hot_free(again);
        some &= hot_count(r) > 0 || !finds_anything(&s, c);
        hot_free(r);
    }
    tap_ok(good, "a chosen cost is said, and finds the same when it is given");
    tap_ok(some, "a chosen cost finds something when there is anything to be found");
}

/* Doubling rules: 2^60 terminals; nothing may be expanded or overflow. */
static void astronomical(void)
{
    static uint64_t body[64], length[64];
    static uint32_t symbols[128];
    uint64_t cost[2] = { 3, 4 };
    struct wpp_grammar g = { .n_terminals = 2, .n_rules = 62, .n_threads = 1, .body = body,
                             .symbols = symbols, .length = length };
    struct hot_config c = config_of(HOT_EXACT, 2, 2, 1);
    hot_result *r;
    bool ended = true;
    uint64_t n = 0;

    for (uint32_t rule = 0; rule < 63; rule++) {
        symbols[n++] = rule ? WPP_RULE | (rule - 1) : 0;
        symbols[n++] = rule ? WPP_RULE | (rule - 1) : 1;
        length[rule] = UINT64_C(2) << rule;
        body[rule + 1] = n;
    }
    tap_ok(hot_find(&r, &g, cost, &c) == HOT_OK && hot_count(r) == 2 &&
               hot_get(r, 0).frequency == UINT64_C(1) << 62 &&
               hot_get(r, 1).frequency == (UINT64_C(1) << 62) - 1 &&
               hot_get(r, 0).cost == UINT64_MAX && hot_total_cost(r) == UINT64_MAX,
           "2^63 events, counted exactly; costs stop at the largest number");
    hot_free(r);
    /* Costs are tried up to the largest number, and no further. */
    for (int algorithm = 0; algorithm < 2; algorithm++)
        for (uint32_t wanted = 1; wanted < 30; wanted += 7) {
            c = config_of(algorithm ? HOT_EXACT : HOT_LARUS, 1, 2, 0);
            c.wanted = wanted;
            ended = ended && hot_find(&r, &g, cost, &c) == HOT_OK && hot_min_cost(r) > 0;
            hot_free(r);
        }
    tap_ok(ended, "a minimal cost is chosen");
    c = config_of(HOT_LARUS, 2, 100, UINT64_C(1) << 40);
    tap_ok(hot_find(&r, &g, cost, &c) == HOT_OK && hot_count(r) == 1 &&
               hot_get(r, 0).length == 2 && hot_get(r, 0).frequency == UINT64_C(1) << 62,
           "2^63 events, walked");
    hot_free(r);
}

int main(void)
{
    paper_example();
    slips();
    edges();
    many_terminals();
    loops();
    random_trials("random grammars", 30000, random_grammar);
    random_trials("SEQUITUR grammars", 8000, sequitur_grammar);
    chosen_cost();
    astronomical();
    return tap_done();
}
