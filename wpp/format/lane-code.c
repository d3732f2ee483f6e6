/* SPDX-License-Identifier: MIT */
#include "wpp/format/lane-code.h"

#include <stdlib.h>

/* ---- Structure ----------------------------------------------------------------------------- */

/* Symbols of the structure's stream: runs up to 14 as they are; a pause, the end of a thread, a new
 * terminal, and lengths of 2 to 13.  15 of both: a long number follows. */
enum { LONG = 15, RUN_MOST = LONG - 1, FIRST_LENGTH = 3, LENGTH_MOST = 2 + RUN_MOST - FIRST_LENGTH };
enum { WIDTH_BITS = 6, WIDTH_MOST = 50 };

static void init_structure(struct wpp_structure *s)
{
    for (int i = 0; i < WPP_SHARE_SYMBOLS; i++) {
        wpp_shares_init(&s->runs[i]);
        wpp_shares_init(&s->events[i]);
    }
    wpp_shares_init(&s->run_widths);
    wpp_shares_init(&s->length_widths);
}

static uint32_t symbol_of(const struct wpp_lane_event *e)
{
    if (e->kind != WPP_EVENT_REDUCE)
        return e->kind;
    return e->n <= LENGTH_MOST ? (uint32_t)e->n - 2 + FIRST_LENGTH : LONG;
}

/* The width of number + 1, then what is below its highest bit. */
static void write_long(struct wpp_stream_out *s, struct wpp_shares *widths, uint64_t number)
{
    unsigned width = 63 - (unsigned)__builtin_clzll(number + 1);

    assert(width <= WIDTH_MOST);
    wpp_share_write(s, widths, width < LONG ? width : LONG);
    if (width >= LONG)
        wpp_bits_write(s, width, WIDTH_BITS);
    wpp_bits_write(s, number + 1 - (UINT64_C(1) << width), width);
}

static uint64_t read_long(struct wpp_stream_in *s, struct wpp_shares *widths)
{
    unsigned width = wpp_share_read(s, widths);

    if (width == LONG)
        width = (unsigned)wpp_bits_read(s, WIDTH_BITS);
    return width > WIDTH_MOST ? UINT64_MAX
                              : (UINT64_C(1) << width) + wpp_bits_read(s, width) - 1;
}

/* ---- Writing ------------------------------------------------------------------------------- */

struct young { uint32_t symbol, first, last; };      /* terminals */

struct wpp_lane_writer {
    struct wpp_bytes *out;
    struct wpp_lane_model model;
    struct wpp_lane_places places;       /* of a young symbol: its number in the block */
    uint32_t terminals_room, rules_room;
    uint32_t n_terminals, n_rules;       /* so far; those in families: */
    uint32_t old_terminals, old_rules;
    uint32_t top;                        /* the symbol that was pushed last */
    struct wpp_structure tables;
    struct wpp_stream_out structure, lanes[WPP_LANES];
    struct wpp_bytes streams;
    uint32_t n_names, n_events, n_young;
    uint32_t run;                        /* names since the last event */
    uint32_t end;                        /* 1 + the last name, or 0 behind a new terminal */
    uint32_t names[WPP_BLOCK_NAMES], contexts[WPP_BLOCK_NAMES], ends[WPP_BLOCK_NAMES];
    struct wpp_lane_event event[WPP_BLOCK_NAMES];
    struct young young[WPP_BLOCK_NAMES];
};

struct wpp_lane_writer *wpp_lane_writer_new(struct wpp_bytes *out)
{
    struct wpp_lane_writer *w = malloc(sizeof *w);

    if (!w)
        return NULL;
    memset(w, 0, offsetof(struct wpp_lane_writer, names));
    w->out = out;
    init_structure(&w->tables);
    if (wpp_lane_model_init(&w->model))
        return w;
    free(w);
    return NULL;
}

void wpp_lane_writer_free(struct wpp_lane_writer *w)
{
    if (!w)
        return;
    wpp_lane_model_free(&w->model);
    wpp_stream_out_free(&w->structure);
    for (int k = 0; k < WPP_LANES; k++)
        wpp_stream_out_free(&w->lanes[k]);
    wpp_bytes_free(&w->streams);
    free(w->places.terminal);
    free(w->places.rule);
    free(w);
}

uint32_t wpp_lane_writer_terminals(const struct wpp_lane_writer *w)
{
    return w->n_terminals;
}

uint32_t wpp_lane_writer_rules(const struct wpp_lane_writer *w)
{
    return w->n_rules;
}

static void write_structure(struct wpp_lane_writer *w)
{
    struct wpp_stream_out *s = &w->structure;
    uint32_t before = WPP_EVENT_PAUSE;

    for (uint32_t i = 0; i < w->n_events; i++) {
        const struct wpp_lane_event *e = &w->event[i];
        uint32_t run = e->run < LONG ? e->run : LONG, symbol = symbol_of(e);

        wpp_share_write(s, &w->tables.runs[before], run);
        if (run == LONG)
            write_long(s, &w->tables.run_widths, e->run - LONG);
        wpp_share_write(s, &w->tables.events[run], symbol);
        if (symbol == LONG)
            write_long(s, &w->tables.length_widths, e->n - LENGTH_MOST - 1);
        before = symbol;
    }
}

/* The sizes of all streams, then the streams. */
static void put_streams(struct wpp_lane_writer *w)
{
    uint32_t words, bytes;

    w->streams.size = 0;
    for (int k = -1; k < WPP_LANES; k++) {
        wpp_stream_out_finish(k < 0 ? &w->structure : &w->lanes[k], &w->streams, &words, &bytes);
        wpp_put_varint(w->out, words);
        wpp_put_varint(w->out, bytes);
    }
    w->out->failed |= w->streams.failed;
    wpp_put(w->out, w->streams.data, w->streams.size);
}

/* Young symbols grow up: they join families. */
static void add_young(struct wpp_lane_writer *w)
{
    for (uint32_t i = 0; i < w->n_young; i++) {
        const struct young *y = &w->young[i];

        if (y->symbol & WPP_RULE)
            w->places.rule[y->symbol & ~WPP_RULE].place =
                wpp_lane_model_add_rule(&w->model, y->symbol & ~WPP_RULE, y->first, y->last);
        else
            w->places.terminal[y->symbol] = wpp_lane_model_add_terminal(&w->model);
    }
    w->old_terminals = w->n_terminals;
    w->old_rules = w->n_rules;
}

static bool put_block(struct wpp_lane_writer *w)
{
    struct wpp_names names = {w->n_names, w->n_young, w->names, w->ends, w->contexts};

    write_structure(w);
    wpp_lanes_write(&w->model, w->lanes, &w->places, &names);
    put_streams(w);
    add_young(w);
    w->n_names = w->n_events = w->n_young = w->end = 0;
    return !w->out->failed && !w->model.no_memory;
}

static bool add_event(struct wpp_lane_writer *w, enum wpp_event_kind kind, uint64_t n)
{
    assert(w->n_events < WPP_BLOCK_NAMES);
    w->event[w->n_events++] = (struct wpp_lane_event){w->run, kind, n};
    w->run = 0;
    return kind != WPP_EVENT_PAUSE || put_block(w);
}

/* Before something is added: a block that has room for a pause alone is put.  Not before: behind the last stream's end
 * there is no pause. */
static bool make_room(struct wpp_lane_writer *w)
{
    return w->n_events < WPP_BLOCK_NAMES - 1 || add_event(w, WPP_EVENT_PAUSE, 0);
}

static bool resize(void *array, size_t n, size_t each)
{
    void *old, *larger;

    memcpy(&old, array, sizeof old);
    larger = realloc(old, n * each);
    if (larger)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

static bool add_terminal(struct wpp_lane_writer *w)
{
    uint32_t t = w->n_terminals, room = t + t / 2 + 64;

    if (t >= w->terminals_room) {
        if (!resize(&w->places.terminal, room, sizeof *w->places.terminal))
            return false;
        w->terminals_room = room;
    }
    if (t == WPP_LANE_TERMINALS)
        return false;
    w->places.terminal[t] = w->n_young;
    w->end = w->ends[w->n_young] = 0;
    w->young[w->n_young++] = (struct young){t, t, t};
    w->n_terminals++;
    w->top = t;
    return add_event(w, WPP_EVENT_NEW, 0);
}

bool wpp_lane_writer_symbol(struct wpp_lane_writer *w, uint32_t symbol)
{
    uint32_t name = symbol;

    if (!make_room(w))
        return false;
    if (symbol == w->n_terminals)
        return add_terminal(w);
    if (symbol & WPP_RULE) {
        assert((symbol & ~WPP_RULE) < w->n_rules);
        if ((symbol & ~WPP_RULE) >= w->old_rules)
            name = WPP_YOUNG | w->places.rule[symbol & ~WPP_RULE].place;
    } else {
        assert(symbol < w->n_terminals);
        if (symbol >= w->old_terminals)
            name = WPP_YOUNG | w->places.terminal[symbol];
    }
    w->names[w->n_names++] = name;
    w->end = w->n_names;
    w->run++;
    w->top = symbol;
    return w->n_names < WPP_BLOCK_NAMES || add_event(w, WPP_EVENT_PAUSE, 0);
}

static uint32_t first_of(const struct wpp_lane_writer *w, uint32_t symbol)
{
    return symbol & WPP_RULE ? w->places.rule[symbol & ~WPP_RULE].first : symbol;
}

static uint32_t last_of(const struct wpp_lane_writer *w, uint32_t symbol)
{
    uint32_t rule = symbol & ~WPP_RULE;

    if (!(symbol & WPP_RULE))
        return symbol;
    uint32_t first = w->places.rule[rule].first, place = w->places.rule[rule].place;

    return rule >= w->old_rules ? w->young[place].last
                                : (w->model.families[first].kin[place].context >> WPP_COUNT_BITS) - 1;
}

bool wpp_lane_writer_reduce(struct wpp_lane_writer *w, uint64_t n, uint32_t begin)
{
    uint32_t rule = w->n_rules, room = rule + rule / 2 + 64;

    if (!make_room(w))
        return false;
    if (rule >= w->rules_room) {
        if (!resize(&w->places.rule, room, sizeof *w->places.rule))
            return false;
        w->rules_room = room;
    }
    w->young[w->n_young] = (struct young){WPP_RULE | rule, first_of(w, begin), last_of(w, w->top)};
    w->ends[w->n_young] = w->end;
    w->places.rule[rule].first = w->young[w->n_young].first;
    w->places.rule[rule].place = w->n_young++;
    w->n_rules++;
    w->top = WPP_RULE | rule;
    return add_event(w, WPP_EVENT_REDUCE, n);
}

bool wpp_lane_writer_end(struct wpp_lane_writer *w)
{
    return make_room(w) && add_event(w, WPP_EVENT_END, 0);
}

bool wpp_lane_writer_finish(struct wpp_lane_writer *w)
{
    static const uint8_t slack[WPP_STREAM_SLACK];
    bool done = w->n_events == 0 || put_block(w);

    assert(w->run == 0);
    wpp_put(w->out, slack, sizeof slack);
    return done && !w->out->failed;
}

/* ---- Reading ------------------------------------------------------------------------------- */

bool wpp_lane_reader_init(struct wpp_lane_reader *r, struct wpp_view code)
{
    *r = (struct wpp_lane_reader){
        .code = code, .names = malloc(WPP_BLOCK_NAMES_MOST * sizeof *r->names),
        .contexts = malloc(WPP_BLOCK_NAMES_MOST * sizeof *r->contexts),
        .event = malloc(WPP_BLOCK_EVENTS_MOST * sizeof *r->event),
        .young = malloc(WPP_BLOCK_EVENTS_MOST * sizeof *r->young),
        .ends = malloc(WPP_BLOCK_EVENTS_MOST * sizeof *r->ends),
    };
    init_structure(&r->structure);
    return wpp_lane_model_init(&r->model) && r->names && r->contexts && r->event && r->young
        && r->ends;
}

void wpp_lane_reader_free(struct wpp_lane_reader *r)
{
    wpp_lane_model_free(&r->model);
    free(r->names);
    free(r->contexts);
    free(r->event);
    free(r->young);
    free(r->ends);
    r->names = r->contexts = r->young = r->ends = NULL;
    r->event = NULL;
}

/* The views of the block's streams; behind the last one is at least the slack. */
static bool find_streams(struct wpp_view *code, struct wpp_stream_in *streams)
{
    size_t words[1 + WPP_LANES], bytes[1 + WPP_LANES];

    for (int k = 0; k <= WPP_LANES; k++) {
        words[k] = wpp_get_count(code, 2);
        bytes[k] = wpp_get_count(code, 1);
    }
    for (int k = 0; k <= WPP_LANES; k++) {
        const uint8_t *state = wpp_get_bytes(code, 4);
        const uint8_t *word = wpp_get_bytes(code, 2 * words[k]);
        const uint8_t *bits = wpp_get_bytes(code, bytes[k]);

        if (code->failed)
            return false;
        streams[k] = (struct wpp_stream_in){wpp_get_u32(state), word, word + 2 * words[k], bits, 0,
                                            8 * (uint64_t)bytes[k]};
        if (streams[k].state < WPP_STATE_LOW)
            return false;
    }
    return wpp_left(code) >= WPP_STREAM_SLACK;
}

static bool read_event(struct wpp_lane_reader *r, struct wpp_stream_in *s, uint32_t *before,
                       struct wpp_lane_event *e)
{
    uint32_t run = wpp_share_read(s, &r->structure.runs[*before]), symbol;
    uint64_t more = run == LONG ? read_long(s, &r->structure.run_widths) : 0;

    if (more > WPP_BLOCK_NAMES_MOST || !wpp_stream_in_is_good(s))
        return false;
    e->run = run + (uint32_t)more;
    symbol = wpp_share_read(s, &r->structure.events[run]);
    more = symbol == LONG ? read_long(s, &r->structure.length_widths) : 0;
    if (more == UINT64_MAX || !wpp_stream_in_is_good(s))
        return false;
    e->kind = symbol < FIRST_LENGTH ? (enum wpp_event_kind)symbol : WPP_EVENT_REDUCE;
    e->n = symbol < LONG ? (uint64_t)symbol - FIRST_LENGTH + 2 : LENGTH_MOST + 1 + more;
    *before = symbol;
    return true;
}

static bool read_structure(struct wpp_lane_reader *r, struct wpp_stream_in *s, uint32_t terminals,
                           uint32_t rules, uint32_t threads)
{
    uint32_t before = WPP_EVENT_PAUSE, end = 0;
    struct wpp_lane_event *e;

    r->n_names = r->n_events = r->n_young = 0;
    do {
        if (r->n_events == WPP_BLOCK_EVENTS_MOST)
            return false;
        e = &r->event[r->n_events++];
        if (!read_event(r, s, &before, e) || e->run > WPP_BLOCK_NAMES_MOST - r->n_names)
            return false;
        r->n_names += e->run;
        end = e->kind == WPP_EVENT_NEW ? 0 : e->run > 0 ? r->n_names : end;
        r->ends[r->n_young] = end;
        if (e->kind == WPP_EVENT_NEW)
            r->young[r->n_young++] = terminals++;
        else if (e->kind == WPP_EVENT_REDUCE)
            r->young[r->n_young++] = WPP_RULE | rules++;
        threads -= e->kind == WPP_EVENT_END;
    } while (e->kind != WPP_EVENT_PAUSE && threads > 0);
    return wpp_stream_in_ends(s);
}

const char *wpp_lane_reader_next(struct wpp_lane_reader *r, uint32_t terminals, uint32_t rules,
                                 uint32_t threads)
{
    struct wpp_stream_in streams[1 + WPP_LANES];

    assert(threads > 0);
    if (!find_streams(&r->code, streams))
        return "its code ends too early";
    if (!read_structure(r, &streams[0], terminals, rules, threads))
        return "a block's structure makes no sense";
    return wpp_lanes_read(&r->model, streams + 1,
                          &(struct wpp_names){r->n_names, r->n_young, r->names, r->ends,
                                              r->contexts});
}

bool wpp_lane_reader_ends(const struct wpp_lane_reader *r)
{
    return wpp_left(&r->code) == WPP_STREAM_SLACK;
}
