/* SPDX-License-Identifier: MIT */
/* hotpaths-sample.c - the exact search where it looks at a sample: what is counted afterwards
 * against brute force, the sample's promises, and the same answers as without one.
 * test: slow 3 */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/sampled/candidate-counts.h"
#include "hotpaths/sampled/candidates.h"
#include "test/reference/brute-hot.h"
#include "test/unit/small-grammar.h"
#include "test/unit/tap.h"

/* ---- A grammar ready for analysis --------------------------------------------------- */

static struct analysis analysis_of(const struct wpp_grammar *g, const uint64_t *cost,
                                   uint32_t max_length)
{
    struct analysis a = { .g = g, .cost = cost, .min_length = 1, .max_length = max_length };

    a.frequency = calloc((size_t)rule_count(g) + 1, sizeof *a.frequency);
    if (!a.frequency)
        abort();
    for (uint32_t k = 0; k < g->n_threads; k++)
        a.frequency[g->n_rules + k] = 1;
    for (uint32_t rule = rule_count(g); rule-- > 0;)
        for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
            uint32_t symbol = g->symbols[i];

            if (symbol & WPP_RULE) {
                a.frequency[symbol & ~WPP_RULE] += a.frequency[rule];
                continue;
            }
            a.total_cost += a.frequency[rule] * cost[symbol];
            if (a.frequency[rule] && cost[symbol] > a.dearest)
                a.dearest = cost[symbol];
        }
    return a;
}

/* ---- Counting beginnings ------------------------------------------------------------------ */

enum { STRINGS = 12, LONGEST = 50, SAMPLE_TRIALS = 2000 };

static bool differs(const struct hot_string *strings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strings[i].length == strings[n].length &&
            memcmp(strings[i].terminals, strings[n].terminals,
                   strings[n].length * sizeof(uint32_t)) == 0)
            return false;
    return true;
}

/* Pieces of the trace, most of them changed at their end. */
static size_t draw_strings(const struct brute_run *run, struct hot_string *strings,
                           uint32_t text[STRINGS][LONGEST])
{
    size_t n = 0;

    for (int i = 0; i < STRINGS; i++) {
        const struct brute_string *t = brute_thread(run, random_below(run->n_threads));
        uint32_t length = 1 + random_below(LONGEST), from;

        if (t->length == 0)
            continue;
        from = random_below((uint32_t)t->length);
        length = t->length - from < length ? (uint32_t)t->length - from : length;
        memcpy(text[n], t->symbols + from, length * sizeof **text);
        if (random_below(3))
            text[n][length - 1] = random_below(4);
        strings[n] = (struct hot_string){ text[n], length };
        n += differs(strings, n);
    }
    return n;
}

/* Node by node along each string, from `least` terminals on. */
static size_t count_wrong(const struct brute_run *run, uint32_t least, const struct patterns *p,
                          const struct hot_string *strings, size_t n, const uint64_t *times)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0, node = 0; k < strings[i].length; k++) {
            node = patterns_next(p, node, strings[i].terminals[k]);
            wrong += k + 1 >= least &&
                     times[node] != brute_occurrences(run, strings[i].terminals, k + 1);
        }
    return wrong;
}

static void count_trials(const char *name, int trials, void (*draw)(struct small_grammar *))
{
    size_t wrong = 0, strings_drawn = 0;

    for (int i = 0; i < trials; i++) {
        struct hot_string strings[STRINGS];
        uint32_t text[STRINGS][LONGEST];
        uint64_t times[STRINGS * LONGEST + 1];
        struct small_grammar s;
        struct brute_run run;
        struct analysis a;
        struct patterns p;
        uint32_t least;
        size_t n;

        draw(&s);
        brute_expand(&run, &s.g);
        a = analysis_of(&s.g, s.cost, LONGEST);
        n = draw_strings(&run, strings, text);
        least = 1 + random_below(1 + random_below(24));
        if (patterns_init(&p, strings, n, false) != HOT_OK ||
            candidate_counts_find(&a, least, &p, times) != HOT_OK)
            abort();
        wrong += count_wrong(&run, least, &p, strings, n, times);
        strings_drawn += n;
        patterns_clear(&p);
        free(a.frequency);
        brute_free(&run);
    }
    tap_ok(wrong == 0 && strings_drawn > (size_t)trials, "%s: %zu strings and all they begin with "
           "are counted as often as they stand in the trace", name, strings_drawn);
}

/* ---- A grammar that is large enough -------------------------------------------------------- */

#ifdef WPP_HOSTILE
enum { TOKENS = 50000 };        /* the whole search is slow there, and each sample pays */
#else
enum { TOKENS = 4000000 };
#endif
enum { WORDS = 60, WORD_MOST = 30, LETTERS = 40, PIECE = 4096, TURNS = 20 };

/* Words, of which the first ones come most often, the very first one many times in a row, and
 * noise between them. */
struct text_source {
    uint32_t word[WORDS][WORD_MOST], length[WORDS];
};

static void make_words(struct text_source *t)
{
    for (int i = 0; i < WORDS; i++) {
        t->length[i] = 3 + random_below(WORD_MOST - 2);
        for (uint32_t k = 0; k < t->length[i]; k++)
            t->word[i][k] = random_below(LETTERS);
    }
}

static uint32_t write_piece(const struct text_source *t, uint32_t *out)
{
    uint32_t n = 0;

    while (n < PIECE - WORD_MOST * TURNS) {
        uint32_t w = random_below(WORDS), turns;

        w = random_below(w + 1);
        turns = w == 0 ? 1 + random_below(TURNS - 1) : 1;
        if (random_below(4) == 0)
            out[n++] = random_below(LETTERS);
        while (turns-- > 0) {
            memcpy(out + n, t->word[w], t->length[w] * sizeof *out);
            n += t->length[w];
        }
    }
    return n;
}

struct large {
    seq *q;
    struct seq_grammar made;
    struct wpp_grammar g;
    uint64_t cost[LETTERS];
};

static void make_large(struct large *l)
{
    struct text_source *t = malloc(sizeof *t);
    uint32_t piece[PIECE];

    if (!t || seq_new(&l->q, NULL) != SEQ_OK)
        abort();
    make_words(t);
    for (uint32_t n = 0, k = 0; n < TOKENS; k++) {
        uint32_t length = write_piece(t, piece);

        if (seq_append(l->q, k % 3 == 0, piece, length) != SEQ_OK)
            abort();
        n += length;
    }
    free(t);
    if (seq_finish(l->q) != SEQ_OK || seq_export(l->q, &l->made) != SEQ_OK)
        abort();
    l->g = (struct wpp_grammar){ .n_terminals = LETTERS, .n_rules = l->made.rules,
                                 .n_threads = l->made.starts, .body = l->made.body,
                                 .symbols = l->made.symbols, .length = l->made.length };
    for (uint32_t i = 0; i < LETTERS; i++)
        l->cost[i] = i == 0 ? 0 : i < 4 ? 90 : 1 + random_below(12);
}

static void free_large(struct large *l)
{
    seq_grammar_free(l->q, &l->made);
    seq_free(l->q);
}

/* ---- What a sample promises ------------------------------------------------------------------ */

/* Whether the window is what stands around text[at]. */
static bool is_around(const struct sample *s, size_t window, const struct brute_string *t,
                      size_t at, uint32_t side)
{
    const struct sample_window *w = &s->window[window];
    uint32_t middle = sample_middle(s, window);
    size_t before = at < side ? at : side, left = t->length - 1 - at;
    size_t behind = left < side ? left : side;

    return w->begin == middle - before && w->end == middle + 1 + behind &&
           memcmp(s->text + w->begin, t->symbols + at - before,
                  (before + 1 + behind) * sizeof *s->text) == 0;
}

/* Whether each part of the run has its window, in order: what does not fit any terminal of its
 * part is wrong. */
static size_t wrong_windows(const struct sample *s, const struct brute_run *run,
                            const struct analysis *a)
{
    size_t window = 0, wrong = 0;
    uint64_t cost = 0;
    bool fits = false;

    for (uint32_t k = 0; k < run->n_threads; k++) {
        const struct brute_string *t = brute_thread(run, k);

        for (size_t at = 0; at < t->length; at++) {
            uint64_t to = cost + a->cost[t->symbols[at]];

            while (window < s->n && window * s->unit < to) {
                fits = fits || is_around(s, window, t, at, a->max_length - 1);
                if ((window + 1) * s->unit > to)
                    break;
                wrong += !fits;
                fits = false;
                window++;
            }
            cost = to;
        }
    }
    /* the point of the last part may lie behind the run's end */
    return wrong + (window + 1 < s->n) + (window < cost / s->unit) + (window < s->n && !fits);
}

/* How often points hit string[0 .. length), and how many do. */
static uint64_t hits_of(const struct sample *s, const uint32_t *string, uint32_t length,
                        uint64_t *points)
{
    uint64_t hits = 0;

    *points = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct sample_window *w = &s->window[i];
        uint32_t middle = sample_middle(s, i), here = 0;

        for (uint32_t at = w->begin; at <= middle; at++)
            here += at + length > middle && at + length <= w->end &&
                    s->text[at] == string[0] && s->text[at + length - 1] == string[length - 1] &&
                    memcmp(s->text + at, string, length * sizeof *string) == 0;
        hits += here;
        *points += here > 0;
    }
    return hits;
}

static bool begins_one(const struct subpath_set *f, const uint32_t *string, uint32_t length)
{
    for (size_t i = 0; i < f->n_entries; i++)
        if (f->entries[i].length >= length &&
            memcmp(f->terminals + f->entries[i].first, string, length * sizeof *string) == 0)
            return true;
    return false;
}

/* Of one place: the strings that begin there, up to the first that is hit enough. */
static size_t wrong_from(const struct sample *s, const struct analysis *a,
                         const struct subpath_set *f,
                         uint32_t at, uint32_t end, uint64_t need, uint64_t enough)
{
    size_t wrong = 0;

    for (uint32_t n = a->min_length; n <= a->max_length && n <= end - at; n++) {
        uint64_t points, hits = hits_of(s, s->text + at, n, &points);

        wrong += hits >= need && !begins_one(f, s->text + at, n);
        if (candidate_weight(hits, points) >= enough)
            break;
    }
    return wrong;
}

/* *looked: counts one that was not too much. */
static size_t wrong_candidates(const struct sample *s, const struct analysis *a, uint64_t need,
                               uint64_t enough, int *looked)
{
    struct subpath_set f;
    size_t wrong = 0;
    int status;

    subpath_set_init(&f);
    status = candidates_find(s, a, need, enough, &f);
    if (status != HOT_OK && status != SAMPLE_TOO_MUCH)
        abort();
    if (status == SAMPLE_TOO_MUCH) {
        wrong = !sample_is_too_much(a, f.n_terminals);
        subpath_set_clear(&f);
        return wrong;
    }
    ++*looked;
    for (size_t i = 0; i < f.n_entries; i++) {
        const struct subpath_entry *e = &f.entries[i];
        uint64_t points, hits = hits_of(s, f.terminals + e->first, e->length, &points);

        wrong += e->frequency != candidate_weight(hits, points) || hits < need ||
                 e->unit_cost != s->unit;
    }
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t at = s->window[i].begin; at <= sample_middle(s, i); at++)
            wrong += wrong_from(s, a, &f, at, s->window[i].end, need, enough);
    subpath_set_clear(&f);
    return wrong;
}

static void sample_trials(const char *name, int trials, void (*draw)(struct small_grammar *))
{
    size_t windows = 0, wrong = 0, strings_wrong = 0;
    int looked = 0;

    for (int i = 0; i < trials; i++) {
        struct rule_walks walks;
        struct small_grammar s;
        struct sample sample;
        struct brute_run run;
        struct analysis a;
        uint64_t need;

        draw(&s);
        brute_expand(&run, &s.g);
        a = analysis_of(&s.g, s.cost, 1 + random_below(12));
        a.min_length = 1 + random_below(a.max_length);
        need = 1 + random_below(6);
        if (rule_walks_init(&walks, &s.g, a.max_length) != HOT_OK ||
            sample_take(&sample, &walks, &a, 1 + a.total_cost * SAMPLE_HITS /
                                                   (1 + random_below(60))) != HOT_OK)
            abort();
        wrong += wrong_windows(&sample, &run, &a);
        strings_wrong += wrong_candidates(&sample, &a, need, need + random_below(6), &looked);
        windows += sample.n;
        sample_clear(&sample);
        rule_walks_clear(&walks);
        free(a.frequency);
        brute_free(&run);
    }
    tap_ok(wrong == 0 && windows > (size_t)trials,
           "%s: %zu windows, each around a terminal of its part of the run", name, windows);
    if (!tap_ok(strings_wrong == 0 && looked > trials / 4,
                "and strings that are hit often are found in those of %d runs", looked))
        tap_note("%zu wrong", strings_wrong);
}

static bool same_answers(const hot_result *x, const hot_result *y)
{
    bool same = hot_count(x) == hot_count(y);

    for (size_t i = 0; same && i < hot_count(x); i++) {
        struct hot_subpath p = hot_get(x, i), q = hot_get(y, i);

        same = p.length == q.length && p.frequency == q.frequency && p.cost == q.cost &&
               memcmp(p.terminals, q.terminals, p.length * sizeof *p.terminals) == 0;
    }
    return same;
}

static void compare(const struct large *l, uint32_t min_length, uint32_t max_length, double percent,
                    uint32_t thread)
{
    struct hot_config c = { .size = sizeof c, .algorithm = HOT_EXACT, .min_length = min_length,
                            .max_length = max_length, .min_cost = 1, .wanted = 20,
                            .thread = thread };
    struct analysis a = analysis_of(&l->g, l->cost, max_length);
    hot_result *sampled, *full;

    c.min_cost = (uint64_t)(percent / 100 * (double)a.total_cost);
    if (hot_find(&sampled, &l->g, l->cost, &c) != HOT_OK)
        abort();
    c.no_sample = true;
    if (hot_find(&full, &l->g, l->cost, &c) != HOT_OK)
        abort();
    tap_ok(sample_pays(&a, c.min_cost) && same_answers(sampled, full) && hot_count(full) > 0,
           "m = %u, L = %u, %g %%, thread %d: %zu answers as without a sample",
           min_length, max_length, percent, (int)thread, hot_count(full));
    free(a.frequency);
    hot_free(sampled);
    hot_free(full);
}

/* ---- A rule as long as the run --------------------------------------------------------- */

/* The first thread does all it does twice. */
static void compare_doubled(const struct large *l)
{
    uint32_t rules = l->g.n_rules + 1;
    uint64_t symbols = l->g.body[rules];
    struct large twice = { .g = { .n_terminals = LETTERS, .n_rules = rules, .n_threads = 1 } };
    uint64_t *body = malloc((rules + 2) * sizeof *body);
    uint64_t *length = malloc((rules + 1) * sizeof *length);
    uint32_t *symbol = malloc((symbols + 2) * sizeof *symbol);

    if (!body || !length || !symbol)
        abort();
    memcpy(body, l->g.body, (rules + 1) * sizeof *body);
    memcpy(length, l->g.length, rules * sizeof *length);
    memcpy(symbol, l->g.symbols, symbols * sizeof *symbol);
    symbol[symbols] = symbol[symbols + 1] = WPP_RULE | (rules - 1);
    body[rules + 1] = symbols + 2;
    length[rules] = 2 * length[rules - 1];
    memcpy(twice.cost, l->cost, sizeof twice.cost);
    twice.g.body = body;
    twice.g.length = length;
    twice.g.symbols = symbol;
    compare(&twice, 10, 30, 12, HOT_ALL_THREADS);
    free(body);
    free(length);
    free(symbol);
}

/* ---- A row that is hot by overlap alone -------------------------------------------------- */

enum { ROW_TRIALS = 10, NOISE = 150000, NOISE_LETTERS = 3000, ROW = 1100, ROW_LONGEST = 1000 };

/* One row of terminal 0 somewhere in noise: at n terminals it has ROW - n + 1 places.  The part of
 * the run that it is has less than one point of a sample. */
static bool finds_row(uint32_t before)
{
    static uint32_t text[NOISE + ROW];
    static uint64_t cost[NOISE_LETTERS];
    struct hot_config c = { .size = sizeof c, .algorithm = HOT_EXACT, .min_length = 10,
                            .max_length = ROW_LONGEST, .min_cost = 300000, .wanted = 20,
                            .thread = HOT_ALL_THREADS };
    struct seq_grammar made;
    struct wpp_grammar g;
    uint32_t shortest = 1;
    hot_result *r;
    bool good;
    seq *q;

    for (uint32_t i = 0; i < NOISE + ROW; i++)
        text[i] = i >= before && i < before + ROW ? 0 : 1 + random_below(NOISE_LETTERS - 1);
    for (uint32_t i = 0; i < NOISE_LETTERS; i++)
        cost[i] = 1;
    while ((uint64_t)shortest * (ROW - shortest + 1) < c.min_cost)
        shortest++;
    if (seq_new(&q, NULL) != SEQ_OK || seq_append(q, 0, text, NOISE + ROW) != SEQ_OK ||
        seq_finish(q) != SEQ_OK || seq_export(q, &made) != SEQ_OK)
        abort();
    g = (struct wpp_grammar){ .n_terminals = NOISE_LETTERS, .n_rules = made.rules,
                              .n_threads = made.starts, .body = made.body,
                              .symbols = made.symbols, .length = made.length };
    if (hot_find(&r, &g, cost, &c) != HOT_OK)
        abort();
    good = hot_count(r) == 1 && hot_get(r, 0).length == shortest &&
           hot_get(r, 0).frequency == ROW - shortest + 1;
    hot_free(r);
    seq_grammar_free(q, &made);
    seq_free(q);
    return good;
}

static void row_trials(void)
{
    int found = 0;

    for (int i = 0; i < ROW_TRIALS; i++)
        found += finds_row(1 + random_below(NOISE - 1));
    tap_ok(found == ROW_TRIALS, "a row of which no point need be in the sample, %d of %d times",
           found, ROW_TRIALS);
}

/* ---- Strings of two terminals --------------------------------------------------------------- */

enum { PAIRS = 1000, PAIR_TRIALS = 40 };

/* x t . x t . x t ..., so far from the beginning that chance is another one. */
static bool finds_pair(uint32_t before)
{
    static const uint64_t cost[] = { 100, 1, 0 };
    uint64_t body[2] = { 0, before + 3 * PAIRS }, length[1] = { body[1] };
    uint32_t *symbols = malloc(body[1] * sizeof *symbols);
    struct wpp_grammar g = { .n_terminals = 3, .n_threads = 1, .body = body, .symbols = symbols,
                             .length = length };
    struct hot_config c = { .size = sizeof c, .algorithm = HOT_EXACT, .min_length = 1,
                            .max_length = 2, .min_cost = 101 * PAIRS, .wanted = 20,
                            .thread = HOT_ALL_THREADS };
    hot_result *r;
    bool good;

    if (!symbols)
        abort();
    for (uint32_t i = 0; i < body[1]; i++)
        symbols[i] = i < before ? 2 : (i - before) % 3;
    if (hot_find(&r, &g, cost, &c) != HOT_OK)
        abort();
    good = hot_count(r) == 1 && hot_get(r, 0).length == 2 && hot_get(r, 0).frequency == PAIRS;
    hot_free(r);
    free(symbols);
    return good;
}

/* Nearly all that `x t` costs stands before the border of its gram t: once nothing but what
 * stands at and behind a terminal was asked for at L = 2, and t was rare in the sample. */
static void pair_trials(void)
{
    int found = 0;

    for (uint32_t i = 0; i < PAIR_TRIALS; i++)
        found += finds_pair(i * 3 * PAIRS);
    tap_ok(found == PAIR_TRIALS, "m = 1, L = 2: what is hot only with its cheap second terminal, "
           "%d of %d times", found, PAIR_TRIALS);
}

int main(void)
{
    struct large l;

    count_trials("random grammars", 6000, random_grammar);
    count_trials("SEQUITUR grammars", 6000, sequitur_grammar);
    pair_trials();
    sample_trials("random grammars", SAMPLE_TRIALS, random_grammar);
    sample_trials("SEQUITUR grammars", SAMPLE_TRIALS, sequitur_grammar);
    make_large(&l);
    compare(&l, 10, 12, 4, HOT_ALL_THREADS);
    compare(&l, 10, 30, 12, HOT_ALL_THREADS);
    compare(&l, 4, 20, 6, HOT_ALL_THREADS);
    compare(&l, 1, 45, 8, 1);
    compare_doubled(&l);
    free_large(&l);
    row_trials();
    return tap_done();
}
