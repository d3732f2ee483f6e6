/* SPDX-License-Identifier: MIT */
/* Segments of a part, and its pieces on a base: they hold all terminals, and they are the same however
 * many terminals come at once, and with a thread.  And the plan of parts.
 * test: slow 5 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/compress/builder.h"
#include "wpp/compress/piece-coder.h"
#include "wpp/compress/segment-maker.h"
#include "wpp/format/grammar-code.h"

#ifdef WPP_HOSTILE
enum { EVENTS = 60000, ROUNDS = 2, SEGMENTS = 1 };
#else
enum { EVENTS = 900000, ROUNDS = 2, SEGMENTS = 2 };
#endif
enum { STREAMS = 3, MEMORY = 8 << 20 };

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *r, uint32_t below)
{
    r->state = r->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % below);
}

/* Events of several streams: a stream's terminals stand in a row in `terminals`. */
struct text {
    uint32_t terminals[EVENTS];
    uint8_t stream[EVENTS];
};

static struct text *new_text(struct random *r, uint32_t alphabet)
{
    struct text *t = malloc(sizeof *t);
    uint32_t stream = 0;

    if (!t)
        abort();
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (draw(r, 20000) == 0)
            stream = draw(r, STREAMS);
        t->stream[i] = (uint8_t)stream;
        t->terminals[i] = draw(r, 3) || i < 100 ? draw(r, alphabet) : t->terminals[i - 1 - draw(r, 50)];
    }
    return t;
}

static struct wpp_segment_maker *new_maker(const seq *base)
{
    struct wpp_segment_maker *m = wpp_segment_maker_new(
        &(struct wpp_part_plan){.events = EVENTS, .memory = MEMORY, .fill = MEMORY / 4 * 3},
        base, WPP_ANEW_SMALL, NULL);

    if (!m)
        abort();
    return m;
}

/* Through the builder, if it is not NULL. */
static void append_all(struct random *r, const struct text *t, struct wpp_segment_maker *m,
                       struct wpp_builder *b, uint32_t most, uint32_t alphabet)
{
    for (uint32_t at = 0; at < EVENTS;) {
        uint32_t n = 1 + draw(r, most);
        int status;

        for (uint32_t i = 0; i < n && at + i < EVENTS; i++)
            if (t->stream[at + i] != t->stream[at])
                n = i;
        n = n < EVENTS - at ? n : EVENTS - at;
        status = b ? wpp_builder_append(b, t->stream[at], t->terminals + at, n, alphabet)
                   : wpp_segment_maker_append(m, t->stream[at], t->terminals + at, n, alphabet);
        if (status != SEQ_OK)
            abort();
        at += n;
    }
}

static struct wpp_segment_maker *make(struct random *r, const struct text *t, const seq *base,
                                      uint32_t most, uint32_t alphabet, bool thread)
{
    struct wpp_segment_maker *m = new_maker(base);
    struct wpp_builder *b = thread ? wpp_builder_new_segments(m) : NULL;
    int status;

    append_all(r, t, m, b, most, alphabet);
    if (b) {
        wpp_builder_end(b, STREAMS);
        status = wpp_builder_take_segments(b, &m);
    } else {
        status = wpp_segment_maker_end(m, STREAMS);
    }
    if (status != SEQ_OK)
        abort();
    return m;
}

static bool are_equal(const struct wpp_segment_maker *a, const struct wpp_segment_maker *b)
{
    uint32_t n, m;
    const struct wpp_segment *x = wpp_segment_maker_segments(a, &n);
    const struct wpp_segment *y = wpp_segment_maker_segments(b, &m);
    bool equal = n == m;

    for (uint32_t i = 0; equal && i < n; i++)
        equal = x[i].n_terminals == y[i].n_terminals && x[i].starts == y[i].starts &&
                memcmp(x[i].order, y[i].order, x[i].n_terminals * sizeof *x[i].order) == 0 &&
                x[i].code.size == y[i].code.size &&
                memcmp(x[i].code.data, y[i].code.data, x[i].code.size) == 0;
    return equal;
}

/* Expands a symbol of the grammar behind what `out` holds. */
static void expand(const struct wpp_grammar *g, const uint32_t *order, uint32_t symbol, uint32_t *out,
                   uint32_t *n)
{
    if (!(symbol & WPP_RULE)) {
        out[(*n)++] = order[symbol];
        return;
    }
    symbol &= ~WPP_RULE;
    for (uint64_t i = g->body[symbol]; i < g->body[symbol + 1]; i++)
        expand(g, order, g->symbols[i], out, n);
}

/* Whether the segments derive stream k's terminals. */
static bool derive(const struct wpp_segment_maker *m, const struct text *t, uint32_t k)
{
    uint32_t *out = malloc(EVENTS * sizeof *out), n = 0, at = 0, segments;
    const struct wpp_segment *s = wpp_segment_maker_segments(m, &segments);
    bool equal = true;

    for (uint32_t i = 0; i < segments; i++) {
        struct wpp_grammar g;
        struct wpp_error error;

        if (!wpp_grammar_decode(wpp_view(s[i].code.data, s[i].code.size), &g, &error))
            abort();
        if (k < g.n_threads)
            expand(&g, s[i].order, WPP_RULE | (g.n_rules + k), out, &n);
        wpp_grammar_release(&g);
    }
    for (uint32_t i = 0; i < EVENTS; i++)
        if (t->stream[i] == k)
            equal = equal && at < n && out[at++] == t->terminals[i];
    free(out);
    return equal && at == n;
}

static void test_segments(struct random *r)
{
    unsigned wrong = 0, lost = 0, few = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint32_t alphabet = round % 2 ? 40000 : 100000, n;
        struct text *t = new_text(r, alphabet);
        struct wpp_segment_maker *one = make(r, t, NULL, 100000, alphabet, false);
        struct wpp_segment_maker *other = make(r, t, NULL, 7, alphabet, false);
        struct wpp_segment_maker *third = make(r, t, NULL, 30000, alphabet, true);

        wrong += !are_equal(one, other) || !are_equal(one, third);
        for (uint32_t k = 0; k < STREAMS; k++)
            lost += !derive(one, t, k);
        wpp_segment_maker_segments(one, &n);
        few += n < SEGMENTS || wpp_segment_maker_figures(one).events != EVENTS;
        wpp_segment_maker_free(one);
        wpp_segment_maker_free(other);
        wpp_segment_maker_free(third);
        free(t);
    }
    tap_ok(!few, "a part has several segments, of all its events");
    tap_ok(!wrong, "they do not depend on pieces and threads: %u do", wrong);
    tap_ok(!lost, "nothing is lost: %u streams differ", lost);
}

/* ---- Pieces ------------------------------------------------------------------------------ */

/* An open part of the text, ended as a base. */
static seq *make_base(struct random *r, const struct text *t, uint32_t alphabet, seq_piece **piece)
{
    struct wpp_segment_maker *m = wpp_segment_maker_new(
        &(struct wpp_part_plan){.open = true, .may_end_early = true, .memory = UINT64_C(1) << 30,
                                .fill = MEMORY}, NULL, WPP_ANEW_SMALL, NULL);
    seq *base = NULL;
    int status;

    if (!m)
        abort();
    append_all(r, t, m, NULL, 1000, alphabet);
    while (wpp_segment_maker_room(m) > 0) {        /* up to the end of a window */
        uint32_t n = wpp_segment_maker_room(m);
        if (wpp_segment_maker_append(m, 0, t->terminals, n, alphabet) != SEQ_OK)
            abort();
    }
    if (!wpp_segment_maker_may_be_base(m, &status)
        || wpp_segment_maker_end_base(m, STREAMS, &base, piece) != SEQ_OK)
        abort();
    wpp_segment_maker_free(m);
    return base;
}

/* The code of the base and all pieces, which the maker gives. */
static struct wpp_segment code_all(const seq *base, const seq_piece *first, struct wpp_segment_maker *m,
                                   uint32_t *n, uint32_t alphabet)
{
    struct wpp_piece_coder *c = wpp_piece_coder_new(base);
    struct wpp_segment s = {.order = malloc(alphabet * sizeof *s.order), .n_terminals = alphabet};
    seq_piece *pieces[100];

    if (!c || !s.order || !wpp_piece_coder_add(c, first))
        abort();
    *n = 0;
    while ((pieces[*n] = wpp_segment_maker_take_piece(m)))
        if (!wpp_piece_coder_add(c, pieces[(*n)++]))
            abort();
    if (!wpp_piece_coder_finish(c, STREAMS, &s.code, s.order, &s.n_terminals))
        abort();
    wpp_piece_coder_free(c);
    for (uint32_t i = 0; i < *n; i++)
        seq_piece_free(pieces[i]);
    return s;
}

/* Whether stream k ends with the text's. */
static bool ends_with(const struct wpp_segment *s, const struct text *t, uint32_t k)
{
    uint32_t *out = malloc(4 * EVENTS * sizeof *out), n = 0, at = EVENTS;
    struct wpp_grammar g;
    struct wpp_error error;
    bool equal = wpp_grammar_decode(wpp_view(s->code.data, s->code.size), &g, &error);

    if (!equal || !out || g.length[g.n_rules + k] > 4 * EVENTS)
        abort();
    expand(&g, s->order, WPP_RULE | (g.n_rules + k), out, &n);
    for (uint32_t i = n; equal && at > 0;)
        if (t->stream[--at] == k)
            equal = i > 0 && out[--i] == t->terminals[at];
    wpp_grammar_release(&g);
    free(out);
    return equal;
}

static void test_pieces(struct random *r)
{
    const uint32_t alphabet = 1000;
    struct text *first = new_text(r, alphabet), *t = new_text(r, alphabet);
    seq_piece *piece;
    seq *base = make_base(r, first, alphabet, &piece);
    struct wpp_segment segments[3];
    uint32_t n[3];
    bool equal = true, all = true;

    for (int i = 0; i < 3; i++) {
        struct wpp_segment_maker *m = make(r, t, base, i == 1 ? 9 : 50000, alphabet, i == 2);

        segments[i] = code_all(base, piece, m, &n[i], alphabet);
        equal = equal && n[i] == n[0] && segments[i].code.size == segments[0].code.size &&
                memcmp(segments[i].code.data, segments[0].code.data, segments[0].code.size) == 0;
        wpp_segment_maker_free(m);
    }
    for (uint32_t k = 0; k < STREAMS; k++)
        all = all && ends_with(&segments[0], t, k);
    for (int i = 0; i < 3; i++)
        wpp_segment_free(&segments[i]);
    tap_ok(equal, "pieces on a base do not depend on it either");
    tap_ok(n[0] >= SEGMENTS, "a part has several: %u", n[0]);
    tap_ok(all, "nothing is lost");
    seq_piece_free(piece);
    seq_free(base);
    free(first);
    free(t);
}

static void test_dropping(struct random *r)
{
    struct text *t = new_text(r, 1000);

    for (int round = 0; round < 20; round++) {
        struct wpp_builder *b = wpp_builder_new_segments(new_maker(NULL));

        for (uint32_t n = draw(r, 30), at = 0; n > 0; n--, at += 100)
            wpp_builder_append(b, 0, t->terminals + at, 100, 1000);
        if (round % 2)
            wpp_builder_end(b, STREAMS);
        wpp_builder_free(b);
    }
    free(t);
    tap_ok(true, "builders of segments are dropped at any time");
}

/* ---- The plan ---------------------------------------------------------------------------- */

static uint32_t at_once(uint64_t megabytes)
{
    struct wpp_segment_plan p;

    wpp_segment_plan_init(&p, megabytes << 20, false);
    return p.at_once;
}

/* Two recordings whose parts end as late as they may, and as early: the same plan.  What a part was
 * like depends on its number only. */
static bool plan_is_fixed(struct random *r, uint64_t memory)
{
    struct wpp_segment_plan a, b;
    struct wpp_part_figures figures[200];
    uint64_t taken = 0;

    wpp_segment_plan_init(&a, memory, true);
    wpp_segment_plan_init(&b, memory, true);
    for (uint64_t i = 0; i < 200; i++) {
        struct wpp_part_plan x, y;

        figures[i] = (struct wpp_part_figures){1 << 24, draw(r, 4) ? 1 << 20 : 1 << 10,
                                               1 + draw(r, 1 << 24), draw(r, 1 << 24)};
        while (taken + a.at_once <= i)
            wpp_segment_plan_ended(&a, taken, false, &figures[taken]), taken++;
        x = wpp_segment_plan_next(&a, 1 << 24, 2);
        y = wpp_segment_plan_next(&b, 1 << 24, 2);
        if (x.open != y.open || x.events != y.events || x.memory != y.memory)
            return false;
        if (x.open) {
            for (; taken < i; taken++)
                wpp_segment_plan_ended(&a, taken, false, &figures[taken]);
            wpp_segment_plan_ended(&a, taken++, true, &figures[i]);
        }
        wpp_segment_plan_ended(&b, i, y.open, &figures[i]);
    }
    return true;
}

/* Grammars, and events that wait, within the limit. */
static bool plan_is_within(struct random *r, uint64_t memory)
{
    struct wpp_segment_plan p;
    uint64_t elsewhere = 12 << 20;

    wpp_segment_plan_init(&p, memory, false);
    for (uint64_t i = 0; i < 200; i++) {
        struct wpp_part_plan x = wpp_segment_plan_next(&p, elsewhere, 4);
        struct wpp_part_figures f = {1 << 24, 1 << 20, 1 + draw(r, 1u << 31), 1 << 20};

        if (x.open ? x.memory + elsewhere > memory
                   : x.memory * p.at_once + elsewhere > memory ||
                     (x.events - WPP_SEGMENT_WINDOW) * 4 * 2 * p.at_once + elsewhere > memory ||
                     x.events % WPP_SEGMENT_WINDOW || !x.events)
            return false;
        wpp_segment_plan_ended(&p, i, x.open, &f);
    }
    return true;
}

static void test_plan(struct random *r)
{
    tap_ok(at_once(32) == 1 && at_once(47) == 1 && at_once(48) == 2 && at_once(191) == 2 &&
           at_once(192) == 4 && at_once(1024) == 8 && at_once(3072) == 16 && at_once(1 << 20) == 64,
           "four times the memory: twice as many at once");
    tap_ok(wpp_events_that_fit(1000, 4 << 20, 8 << 20) == 1999 &&
           wpp_events_that_fit(1000, 1 << 20, 8 << 20) == 2000 &&
           wpp_events_that_fit(UINT64_C(1) << 40, 8 << 20, 4 << 20) >> 30 == 511,
           "events that fit, at most twice as many");
    for (uint64_t megabytes = 48; megabytes < 20000; megabytes *= 3) {
        tap_ok(plan_is_fixed(r, megabytes << 20), "%llu MB: the plan does not depend on time",
               (unsigned long long)megabytes);
        tap_ok(plan_is_within(r, megabytes << 20), "%llu MB: and keeps within it",
               (unsigned long long)megabytes);
    }
}

int main(void)
{
    struct random r = {.state = 20261128};

    test_plan(&r);
    test_segments(&r);
    test_pieces(&r);
    test_dropping(&r);
    return tap_done();
}
