/* SPDX-License-Identifier: MIT */
#include "wpp/format/grammar-join.h"

#include <assert.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/format/grammar-code.h"

struct segment {
    const struct wpp_segment_piece *lost;    /* NULL: it is there */
    struct wpp_grammar g;
    uint32_t *terminal;              /* the file's number of each of g's */
    uint32_t first_rule;             /* number of its rule 0 in the joined grammar */
};

struct join {
    struct segment *segments;
    uint32_t n, capacity;
    uint32_t n_terminals, n_threads;
    uint32_t n_known;                /* one more than the largest number of a terminal so far */
    /* An upper limit for terminals named so far.  A number is at most how many were named before
     * it, and a lost piece named at most one in each byte.  So no number requires more memory than
     * the file can describe. */
    uint32_t n_named;
    uint64_t n_rules, n_symbols;
    uint32_t gap;                    /* the terminal for events in lost pieces */
    struct wpp_error *error;
};

static bool wrong(struct join *j, const char *what)
{
    return wpp_fail(j->error, WPP_E_DAMAGED, "%s", what);
}

/* ---- Reading ---------------------------------------------------------------------------- */

static struct segment *next_segment(struct join *j)
{
    if (j->n == j->capacity) {
        uint32_t capacity = j->capacity ? 2 * j->capacity : 8;
        struct segment *larger = realloc(j->segments, capacity * sizeof *larger);

        if (!larger)
            return NULL;
        j->segments = larger;
        j->capacity = capacity;
    }
    j->segments[j->n] = (struct segment){0};
    return &j->segments[j->n++];
}

static bool read_terminals(struct join *j, struct segment *s, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);

    s->terminal = malloc((n + 1) * sizeof *s->terminal);
    if (!s->terminal)
        return wpp_fail_memory(j->error);
    s->g.n_terminals = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        uint64_t terminal = wpp_get_varint_max(v, j->n_named);

        j->n_named += terminal == j->n_named;
        if (terminal >= j->n_known)
            j->n_known = (uint32_t)terminal + 1;
        if (j->n_known > j->n_terminals)
            return wrong(j, "a segment has more terminals than there are");
        s->terminal[i] = (uint32_t)terminal;
    }
    assert(j->n_known <= j->n_named);
    return !v->failed || wrong(j, "a segment's terminals make no sense");
}

static bool too_many_rules(struct join *j)
{
    return j->n_rules + (j->n_threads == WPP_ANY ? 0 : j->n_threads) >= WPP_RULE;
}

static bool read_segment(struct join *j, struct wpp_view v)
{
    struct segment *s = next_segment(j);
    uint32_t n_terminals;

    if (!s)
        return wpp_fail_memory(j->error);
    if (!read_terminals(j, s, &v))
        return false;
    n_terminals = s->g.n_terminals;
    if (!wpp_grammar_decode(v, &s->g, j->error))
        return false;
    if (s->g.n_terminals != n_terminals || s->g.n_threads > j->n_threads)
        return wrong(j, "a segment has other terminals or threads than it says");
    assert(j->n_rules < WPP_RULE);
    s->first_rule = (uint32_t)j->n_rules;
    j->n_rules += s->g.n_rules;
    j->n_symbols += s->g.body[s->g.n_rules + s->g.n_threads];
    return !too_many_rules(j) || wrong(j, "there are more than 2^31 rules");
}

static uint32_t threads_of(const struct segment *s)
{
    return s->lost ? s->lost->n_threads : s->g.n_threads;
}

/* Numbers of terminals and threads as the segments have them, if the file's are unknown. */
static void settle_numbers(struct join *j)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < j->n; i++)
        most = threads_of(&j->segments[i]) > most ? threads_of(&j->segments[i]) : most;
    if (j->n_terminals == WPP_ANY)
        j->n_terminals = j->n_known;
    if (j->n_threads == WPP_ANY)
        j->n_threads = most;
}

static bool read_all(struct join *j, struct wpp_view code)
{
    while (wpp_left(&code) > 0) {
        size_t n = wpp_get_count(&code, 1);
        const uint8_t *bytes = wpp_get_bytes(&code, n);

        if (code.failed)
            return wrong(j, "a segment ends too early");
        if (!read_segment(j, wpp_view(bytes, n)))
            return false;
    }
    settle_numbers(j);
    return j->n_known == j->n_terminals || wrong(j, "there are terminals that no segment has");
}

static bool take_lost(struct join *j, const struct wpp_segment_piece *piece)
{
    const uint32_t most = WPP_RULE / 2 - 1;      /* terminals are 30 bits */
    struct segment *s = next_segment(j);

    if (!s)
        return wpp_fail_memory(j->error);
    s->lost = piece;
    if (j->n_named < most)
        j->n_named += piece->size < most - j->n_named ? (uint32_t)piece->size : most - j->n_named;
    j->n_symbols += piece->n_threads;        /* gaps, at most */
    return piece->n_threads <= j->n_threads || wrong(j, "a segment has other threads than it says");
}

/* A piece that was read derives as many events as the list says. */
static bool has_events(struct join *j, const struct wpp_segment_piece *piece)
{
    assert(j->n > 0);
    const struct wpp_grammar *g = &j->segments[j->n - 1].g;
    bool right = g->n_threads == piece->n_threads;

    for (uint32_t k = 0; right && k < g->n_threads; k++)
        right = g->length[g->n_rules + k] == piece->events[k];
    return right || wrong(j, "a segment has other events than it says");
}

static bool read_pieces(struct join *j, const struct wpp_segment_piece *pieces, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct wpp_view code = pieces[i].code;

        if (!code.p) {
            if (!take_lost(j, &pieces[i]))
                return false;
        } else if (wpp_get_count(&code, 1) != wpp_left(&code) || code.failed) {
            return wrong(j, "a segment has another size than it says");
        } else if (!read_segment(j, code) || !has_events(j, &pieces[i])) {
            return false;
        }
    }
    settle_numbers(j);
    return true;
}

/* ---- Joining ---------------------------------------------------------------------------- */

struct whole {
    uint64_t *body, *length;
    uint32_t *symbols;
    uint64_t n;                      /* symbols so far */
};

static void copy_body(struct whole *w, const struct segment *s, uint32_t rule)
{
    for (uint64_t i = s->g.body[rule]; i < s->g.body[rule + 1]; i++) {
        uint32_t symbol = s->g.symbols[i];

        assert(symbol & WPP_RULE ? (symbol & ~WPP_RULE) < s->g.n_rules : symbol < s->g.n_terminals);
        w->symbols[w->n++] = symbol & WPP_RULE ? symbol + s->first_rule : s->terminal[symbol];
    }
}

static void copy_rules(struct whole *w, const struct join *j)
{
    for (uint32_t i = 0; i < j->n; i++) {
        const struct segment *s = &j->segments[i];

        if (s->lost)
            continue;
        for (uint32_t r = 0; r < s->g.n_rules; r++) {
            copy_body(w, s, r);
            w->length[s->first_rule + r] = s->g.length[r];
            w->body[s->first_rule + r + 1] = w->n;
        }
    }
}

/* Copies thread k's start rule of segment s. */
static bool copy_start(struct whole *w, struct join *j, const struct segment *s, uint32_t k,
                       uint64_t *length, bool *gap)
{
    assert(k < threads_of(s));
    uint64_t events = s->lost ? 1 : s->g.length[s->g.n_rules + k];

    if (s->lost && (s->lost->events[k] == 0 || *gap))
        return true;
    if (s->lost)
        w->symbols[w->n++] = j->gap;
    else
        copy_body(w, s, s->g.n_rules + k);
    *gap = s->lost || (*gap && events == 0);
    return !__builtin_add_overflow(*length, events, length)
        || wrong(j, "a thread derives more than 2^64 events");
}

/* A segment is freed as soon as it is not needed any more: the joined grammar takes as much memory
 * again. */
static bool copy_starts(struct whole *w, struct join *j)
{
    for (uint32_t k = 0; k < j->n_threads; k++) {
        uint64_t number = j->n_rules + k, length = 0;
        bool gap = false;                    /* the last symbol copied is the gap */

        for (uint32_t i = 0; i < j->n; i++) {
            struct segment *s = &j->segments[i];

            if (k < threads_of(s) && !copy_start(w, j, s, k, &length, &gap))
                return false;
            if (k + 1 == j->n_threads)
                wpp_grammar_release(&s->g);
        }
        w->length[number] = length;
        w->body[number + 1] = w->n;
    }
    return true;
}

static bool join_all(struct join *j, struct wpp_grammar *out)
{
    assert(j->n_terminals != WPP_ANY && j->n_threads != WPP_ANY && j->n_rules < WPP_RULE);
    size_t n = (size_t)(j->n_rules + j->n_threads);
    struct whole w = {
        .body = malloc((n + 1) * sizeof *w.body), .length = malloc((n + 1) * sizeof *w.length),
        .symbols = malloc((j->n_symbols + 1) * sizeof *w.symbols),
    };

    *out = (struct wpp_grammar){j->n_terminals, (uint32_t)j->n_rules, j->n_threads, w.body,
                                w.symbols, w.length};
    if (!w.body || !w.length || !w.symbols)
        return wpp_fail_memory(j->error);
    w.body[0] = 0;
    copy_rules(&w, j);
    bool done = copy_starts(&w, j);
    assert(w.n <= j->n_symbols);
    return done;
}

static void free_segments(struct join *j)
{
    for (uint32_t i = 0; i < j->n; i++) {
        free(j->segments[i].terminal);
        wpp_grammar_release(&j->segments[i].g);
    }
    free(j->segments);
}

bool wpp_grammar_join(struct wpp_view code, uint32_t n_terminals, uint32_t n_threads,
                      struct wpp_grammar *out, uint32_t *n_segments, struct wpp_error *error)
{
    struct wpp_error unwanted;
    struct join j = {.n_terminals = n_terminals, .n_threads = n_threads,
                     .error = error ? error : &unwanted};
    bool done;

    *out = (struct wpp_grammar){0};
    done = read_all(&j, code) && join_all(&j, out);
    *n_segments = j.n;
    free_segments(&j);
    if (!done)
        wpp_grammar_release(out);
    return done;
}

bool wpp_grammar_join_pieces(const struct wpp_segment_piece *pieces, uint32_t n,
                             uint32_t n_terminals, uint32_t n_threads, uint32_t gap,
                             struct wpp_grammar *out, struct wpp_error *error)
{
    struct wpp_error unwanted;
    struct join j = {.n_terminals = n_terminals, .n_threads = n_threads,
                     .error = error ? error : &unwanted};
    bool done;

    *out = (struct wpp_grammar){0};
    done = read_pieces(&j, pieces, n);
    j.gap = gap < j.n_terminals ? gap : j.n_terminals++;
    done = done && join_all(&j, out);
    free_segments(&j);
    if (!done)
        wpp_grammar_release(out);
    return done;
}
