/* SPDX-License-Identifier: MIT */
/* page-timeline.c - a part of a thread as bars: the rules that derive it, and its activations.
 *
 *      column          0   1   2   3   4   5   6   7
 *      level 0       | rule 7        | rule 7        |     what the start rule uses there
 *      level 1       | rule 3 | r 5  | rule 3 | r 5  |     what that uses, where it is wide enough
 *
 * One event is looked up for each column.  A rule or activation around it that is wider than a column is
 * a bar with its true ends; a narrower one stands for its column.  What contains the whole view is no
 * bar: it is listed apart, outermost first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "wpp/read/reader.h"

struct bar {
    double begin, end;             /* columns */
    uint32_t what;                 /* a symbol, or a routine */
    double first, length;          /* events */
    bool sampled;                  /* narrower than its column */
};

struct bars { struct bar *bar; size_t n, room; };

struct chart {
    struct page_run *r;
    const struct page_view *v;
    const struct page_clock *clock;    /* NULL: columns are of events */
    double first, last;                /* events of the view: [first, last) */
    double tokens;
    struct bars level[PAGE_CALL_LEVELS];       /* or fewer levels of rules */
    uint32_t n_levels;
    FILE *out;
};

/* ---- The axis ------------------------------------------------------------------------------------ */

/* Where `at` is between the points of `x`, as a value of `y`. */
static double interpolate(const double *x, const double *y, size_t n, double at)
{
    size_t low = 0, high = n - 1;

    if (at <= x[0])
        return y[0];
    if (at >= x[n - 1])
        return y[n - 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (x[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return x[high] > x[low] ? y[low] + (y[high] - y[low]) * ((at - x[low]) / (x[high] - x[low])) : y[low];
}

static double place_of(const struct chart *c, double event)
{
    return c->clock ? interpolate(c->clock->first, c->clock->time, c->clock->n, event) : event;
}

/* The event at the beginning of a column. */
static double event_at(const struct chart *c, double column)
{
    double place = c->v->from + (c->v->to - c->v->from) * column / c->v->columns;
    double event = c->clock ? interpolate(c->clock->time, c->clock->first, c->clock->n, place) : place;

    event = floor(event);
    return event < 0 ? 0 : event > c->tokens ? c->tokens : event;
}

static double column_of(const struct chart *c, double event)
{
    double column = (place_of(c, event) - c->v->from) / (c->v->to - c->v->from) * c->v->columns;

    return column < 0 ? 0 : column > c->v->columns ? c->v->columns : column;
}

/* ---- Bars ---------------------------------------------------------------------------------------- */

/* Whether [first, first + length) is the whole view or more. */
static bool covers(const struct chart *c, double first, double length)
{
    return first <= c->first && first + length >= c->last;
}

static bool add_bar(struct chart *c, uint32_t level, uint32_t column, struct bar bar)
{
    struct bars *b = &c->level[level];
    struct bar *last = b->n ? &b->bar[b->n - 1] : NULL;

    bar.begin = column_of(c, bar.first);
    bar.end = column_of(c, bar.first + bar.length);
    bar.sampled = bar.end - bar.begin < 1;
    if (bar.sampled) {
        bar.begin = column;
        bar.end = column + 1;
        if (last && last->sampled && last->what == bar.what && last->end == bar.begin) {
            last->end = bar.end;
            last->length = bar.first + bar.length - last->first;
            return true;
        }
    }
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 64;
        struct bar *larger = realloc(b->bar, room * sizeof *larger);

        if (!larger)
            return false;
        b->bar = larger;
        b->room = room;
    }
    b->bar[b->n++] = bar;
    c->n_levels = level >= c->n_levels ? level + 1 : c->n_levels;
    return true;
}

static void clear_bars(struct chart *c)
{
    for (uint32_t i = 0; i < PAGE_CALL_LEVELS; i++) {
        free(c->level[i].bar);
        c->level[i] = (struct bars){0};
    }
    c->n_levels = 0;
}

/* The routine that a bar is mostly of; -1: none. */
static int64_t routine_of(const struct chart *c, const struct bar *b, bool symbols)
{
    uint32_t routine = !symbols ? b->what : b->what & WPP_RULE ? c->r->mostly[b->what & ~WPP_RULE]
                     : wpp_terminal(c->r->w, b->what)->routine;

    return routine == WPP_NO_ROUTINE ? -1 : (int64_t)routine;
}

/* Symbols are written as numbers of rules, or -1 - terminal. */
static void put_bars(struct chart *c, bool symbols)
{
    fputc('[', c->out);
    for (uint32_t i = 0; i < c->n_levels; i++) {
        fputs(i ? ",[" : "[", c->out);
        for (size_t k = 0; k < c->level[i].n; k++) {
            const struct bar *b = &c->level[i].bar[k];
            int64_t what = !symbols ? (int64_t)b->what : b->what & WPP_RULE
                         ? (int64_t)(b->what & ~WPP_RULE) : -1 - (int64_t)b->what;

            fprintf(c->out, "%s%.2f,%.2f,%" PRId64 ",%.17g,%.17g,%d,%" PRId64, k ? "," : "", b->begin, b->end,
                    what, b->first, b->length, b->sampled, routine_of(c, b, symbols));
        }
        fputc(']', c->out);
    }
    fputc(']', c->out);
    clear_bars(c);
}

/* ---- Rules --------------------------------------------------------------------------------------- */

/* The instances around an event, from the start rule inwards. */
struct instance { uint32_t symbol; double first, length; };
struct instances {
    struct instance *at;
    size_t n, covering;            /* those that are the whole view or more come first */
};

static struct instance child_at(const struct chart *c, uint32_t rule, double first, double event)
{
    const struct wpp_grammar *g = wpp_grammar(c->r->w);
    struct prefix_sums sums = wpp_event_sums(c->r->w);
    uint64_t rest = (uint64_t)(event - first);
    uint64_t i = prefix_sums_find(&sums, g->body[rule], g->body[rule + 1], &rest);
    uint32_t s = g->symbols[i];

    return (struct instance){s, event - (double)rest, s & WPP_RULE ? (double)g->length[s & ~WPP_RULE] : 1};
}

/* Whether the instance is opened: its parts may be seen. */
static bool is_open(const struct chart *c, const struct instance *i, size_t level)
{
    return (i->symbol & WPP_RULE) && level < PAGE_RULE_LEVELS
        && column_of(c, i->first + i->length) - column_of(c, i->first) >= 1;
}

static bool look_at_rules(struct chart *c, struct instances *k, uint32_t column, double event)
{
    while (k->n > 1 && k->at[k->n - 1].first + k->at[k->n - 1].length <= event)
        k->n--;
    k->covering = k->covering < k->n ? k->covering : k->n;
    while (is_open(c, &k->at[k->n - 1], k->n - k->covering)) {
        struct instance *top = &k->at[k->n - 1];
        struct instance child = child_at(c, top->symbol & ~WPP_RULE, top->first, event);

        k->at[k->n++] = child;
        if (k->covering == k->n - 1 && covers(c, child.first, child.length))
            k->covering = k->n;
        else if (!add_bar(c, (uint32_t)(k->n - k->covering - 1), column,
                          (struct bar){.what = child.symbol, .first = child.first, .length = child.length}))
            return false;
    }
    return true;
}

static void put_covering_rules(const struct chart *c, const struct instances *k)
{
    fputs(",\"insideRules\":[", c->out);
    for (size_t i = 1; i < k->covering; i++)
        fprintf(c->out, "%s[%" PRId64 ",%.17g,%.17g]", i > 1 ? "," : "", k->at[i].symbol & WPP_RULE
                ? (int64_t)(k->at[i].symbol & ~WPP_RULE) : -1 - (int64_t)k->at[i].symbol,
                k->at[i].first, k->at[i].length);
    fputc(']', c->out);
}

static bool put_rules(struct chart *c)
{
    const struct wpp_grammar *g = wpp_grammar(c->r->w);
    struct instances k = {.at = malloc((c->r->w->depth + (size_t)2) * sizeof *k.at), .n = 1, .covering = 1};
    double before = -1;
    bool ok = k.at && page_need_mostly(c->r);

    if (ok)
        k.at[0] = (struct instance){(g->n_rules + c->v->thread) | WPP_RULE, 0, c->tokens};
    for (uint32_t i = 0; ok && i < c->v->columns; i++) {
        double event = event_at(c, i);

        if (event != before && event < c->tokens)
            ok = look_at_rules(c, &k, i, event);
        before = event;
    }
    if (ok) {
        put_covering_rules(c, &k);
        fputs(",\"rules\":", c->out);
        put_bars(c, true);
    }
    free(k.at);
    return ok;
}

/* ---- Activations --------------------------------------------------------------------------------- */

struct calls_seen {
    bool begun;
    struct wpp_frame *frame;       /* of the column before */
    size_t n, covering;
};

static void put_covering_calls(const struct chart *c, const struct wpp_frame *frame, size_t n)
{
    const size_t most = 200;
    size_t from = n > most ? n - most : 0;

    fprintf(c->out, ",\"insideCallsLeftOut\":%zu,\"insideCalls\":[", from);
    for (size_t i = from; i < n; i++)
        fprintf(c->out, "%s[%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]", i > from ? "," : "",
                frame[i].routine, frame[i].first, frame[i].end - frame[i].first);
    fputc(']', c->out);
}

/* The outermost activations that are those of the column before; at first, those around the view. */
static size_t same_calls(struct chart *c, struct calls_seen *s, const struct wpp_frame *frame, size_t n)
{
    size_t same = 0;

    if (!s->begun) {
        while (same < n && covers(c, (double)frame[same].first,
                                  (double)(frame[same].end - frame[same].first)))
            same++;
        s->covering = same;
        put_covering_calls(c, frame, same);
        s->begun = true;
        return same;
    }
    while (same < n && same < s->n && frame[same].first == s->frame[same].first
           && frame[same].routine == s->frame[same].routine)
        same++;
    return same;
}

static bool look_at_calls(struct chart *c, struct calls_seen *s, uint32_t column, double event)
{
    struct wpp_frame *frame;
    size_t n;
    bool ok = true;

    if (!wpp_stack_at(c->r->stacks, c->v->thread, (uint64_t)event, &frame, &n))
        return false;
    for (size_t i = same_calls(c, s, frame, n); ok && i < n && i < s->covering + PAGE_CALL_LEVELS; i++)
        if (i >= s->covering)
            ok = add_bar(c, (uint32_t)(i - s->covering), column,
                         (struct bar){.what = frame[i].routine, .first = (double)frame[i].first,
                                      .length = (double)(frame[i].end - frame[i].first)});
    free(s->frame);
    s->frame = frame;
    s->n = n;
    return ok;
}

static bool put_calls(struct chart *c)
{
    struct calls_seen s = {0};
    double before = -1;
    bool ok = page_need_stacks(c->r, NULL);

    for (uint32_t i = 0; ok && i < c->v->columns; i++) {
        double event = event_at(c, i);

        if (event != before && event < c->tokens)
            ok = look_at_calls(c, &s, i, event);
        before = event;
    }
    free(s.frame);
    if (!s.begun)
        fputs(",\"insideCallsLeftOut\":0,\"insideCalls\":[]", c->out);
    fputs(",\"calls\":", c->out);
    put_bars(c, false);
    return ok;
}

/* ---- New paths ------------------------------------------------------------------------------------ */

/* Pairs: a column, and how many paths were executed there for the first time. */
static bool put_firsts(struct chart *c)
{
    const struct page_firsts *f;
    size_t k = 0;
    const char *between = "";

    if (!page_need_firsts(c->r))
        return false;
    f = &c->r->firsts[c->v->thread];
    fputs(",\"new\":[", c->out);
    while (k < f->n && (double)f->event[k] < c->first)
        k++;
    for (uint32_t i = 0; i < c->v->columns; i++) {
        double end = event_at(c, i + 1.0);
        size_t n = 0;

        for (; k < f->n && (double)f->event[k] < end; k++)
            n++;
        if (n > 0) {
            fprintf(c->out, "%s%" PRIu32 ",%zu", between, i, n);
            between = ",";
        }
    }
    fputc(']', c->out);
    return true;
}

/* ---- Repetition ----------------------------------------------------------------------------------------- */

/* How many symbols of the start rule begin before an event. */
static uint64_t symbols_before(const struct chart *c, double event)
{
    const struct wpp_grammar *g = wpp_grammar(c->r->w);
    struct prefix_sums sums = wpp_event_sums(c->r->w);
    uint32_t rule = g->n_rules + c->v->thread;
    uint64_t rest = (uint64_t)event, i;

    if (event >= c->tokens)
        return g->body[rule + 1] - g->body[rule];
    i = prefix_sums_find(&sums, g->body[rule], g->body[rule + 1], &rest);
    return i - g->body[rule] + (rest > 0);
}

/* Pairs, by column: its events, and symbols of the start rule that begin there.  Few symbols: it repeats
 * what other parts of the run do. */
static void put_repetition(struct chart *c)
{
    double event = event_at(c, 0);
    uint64_t symbols = symbols_before(c, event);

    fputs(",\"symbols\":[", c->out);
    for (uint32_t i = 0; i < c->v->columns; i++) {
        double next = event_at(c, i + 1.0);
        uint64_t more = next != event ? symbols_before(c, next) : symbols;

        fprintf(c->out, "%s%.17g,%" PRIu64, i ? "," : "", next - event, more - symbols);
        event = next;
        symbols = more;
    }
    fputc(']', c->out);
}

/* Writes the view itself; false: there is none, which is said. */
static bool begin_chart(struct chart *c)
{
    struct page_run *r = c->r;
    const struct page_view *v = c->v;
    const struct wpp_grammar *g = wpp_grammar(r->w);

    if (v->thread >= g->n_threads || v->columns < 1 || v->columns > PAGE_COLUMNS || !(v->from < v->to)
        || (v->by_time && r->clock[v->thread].n == 0)) {
        fputs("{\"error\":\"there is no such part of the run\"}", c->out);
        return false;
    }
    c->clock = v->by_time ? &r->clock[v->thread] : NULL;
    c->tokens = (double)g->length[g->n_rules + v->thread];
    c->first = event_at(c, 0);
    c->last = event_at(c, v->columns);
    fprintf(c->out, "{\"thread\":%" PRIu32 ",\"byTime\":%s,\"from\":%.17g,\"to\":%.17g,\"columns\":%" PRIu32
            ",\"first\":%.17g,\"last\":%.17g", v->thread, v->by_time ? "true" : "false", v->from, v->to,
            v->columns, c->first, c->last);
    return true;
}

static bool put_rules_and_more(struct chart *c)
{
    bool ok = put_rules(c) && put_firsts(c);

    put_repetition(c);
    return ok;
}

static bool put_chart(struct page_run *r, const struct page_view *v, bool (*put)(struct chart *), FILE *out)
{
    struct chart c = {.r = r, .v = v, .out = out};
    bool ok;

    if (!page_need_clock(r))
        return false;
    if (!begin_chart(&c))
        return true;
    ok = put(&c);
    fputc('}', out);
    return ok;
}

bool page_timeline(struct page_run *r, const struct page_view *v, FILE *out)
{
    return put_chart(r, v, put_rules_and_more, out);
}

bool page_calls(struct page_run *r, const struct page_view *v, FILE *out)
{
    return put_chart(r, v, put_calls, out);
}
