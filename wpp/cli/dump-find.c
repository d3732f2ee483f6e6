/* SPDX-License-Identifier: MIT */
#include "wpp/cli/dump-find.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/cli/run-place.h"
#include "wpp/cli/tool.h"
#include "wpp/replay/stack.h"
#include "wpp/replay/stack-text.h"

void find_parse_nth(const char *text, struct find_request *out)
{
    static const char *const words[] = {"first", "last", "all"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            out->which = (enum find_which)i;
            return;
        }
    out->which = FIND_NTH;
    if (!tool_parse_count(text, &out->nth) || out->nth == 0)
        tool_usage("--nth: `%s` is none of first, last, all, and no number from 1 on", text);
}

/* ---- Printing ------------------------------------------------------------------------------------ */

static void print_moment(const wpp *w, uint32_t thread, uint64_t event)
{
    uint64_t time;

    printf("event %llu", (unsigned long long)event);
    if (wpp_grammar(w)->n_threads > 1)
        printf(" of thread %u", thread);
    if (wpp_time_of(w, thread, event, &time))
        printf(", about %.6f s after the beginning", (double)time / 1e9);
    putchar('\n');
}

static void print_stack(const wpp *w, const wpp_stacks *stacks, uint32_t thread, uint64_t event,
                        const struct wpp_line *at, bool assembler_names)
{
    struct wpp_frame *frames;
    size_t n;

    if (!wpp_stack_at(stacks, thread, event, &frames, &n) ||
        !stack_print(stdout, w, frames, n, at, assembler_names))
        tool_die_of_memory();
    if (n == 0)
        puts(event == wpp_thread(w, thread)->tokens ? "no activation is left" : "no activation is known");
    free(frames);
}

/* Those up to an event alone, which may be much less work. */
static wpp_stacks *stacks_with(const wpp *w, uint32_t thread, uint64_t event)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens;
    struct wpp_error error;
    wpp_stacks *stacks = stacks_until(w, thread, event < tokens ? event + 1 : tokens, &error);

    if (!stacks)
        tool_die_error(&error);
    return stacks;
}

static wpp_stacks *all_stacks(const wpp *w)
{
    struct wpp_error error;
    wpp_stacks *stacks = wpp_stacks_new(w, &error);

    if (!stacks)
        tool_die_error(&error);
    return stacks;
}

/* ---- Executions ----------------------------------------------------------------------------------- */

struct finding {
    const struct find_request *request;
    const struct dump_range *ranges;
    uint32_t n_ranges;
    wpp_finder *finder;
    wpp_stacks *stacks;            /* where all executions are shown; else NULL */
    uint64_t total;                /* executions in all ranges */
};

/* In the events of the range that have been read. */
static uint64_t count_in(const struct finding *f, const struct dump_range *r)
{
    uint64_t read = wpp_events_read(r->w, r->thread), end = r->end < read ? r->end : read;

    return r->begin < end ? wpp_finder_count(f->finder, r->thread, r->begin, end) : 0;
}

/* Prints execution k of the range, counted from 0. */
static void show_execution(const struct finding *f, const struct dump_range *r, uint64_t k)
{
    uint64_t before = wpp_finder_count(f->finder, r->thread, 0, r->begin), event;
    const struct wpp_line *at;
    wpp_stacks *stacks;
    wpp_cursor *cursor;
    uint32_t within, terminal;

    if (!wpp_finder_nth(f->finder, r->thread, before + k, &event, &within))
        return;
    cursor = wpp_cursor_new(r->w, r->thread, event);
    if (!cursor || wpp_cursor_read(cursor, &terminal, 1) != 1)
        tool_die_of_memory();
    wpp_cursor_free(cursor);
    at = place_line(r->w, f->request->what, terminal, within);
    putchar('\n');
    print_moment(r->w, r->thread, event);
    stacks = f->stacks ? f->stacks : stacks_with(r->w, r->thread, event);
    print_stack(r->w, stacks, r->thread, event, at, r->assembler_names);
    if (stacks != f->stacks)
        wpp_stacks_free(stacks);
}

/* Shows executions [first, first + n) of all, counted through the ranges. */
static void show_executions(const struct finding *f, uint64_t first, uint64_t n)
{
    for (uint32_t i = 0; n > 0 && i < f->n_ranges; i++) {
        uint64_t here = count_in(f, &f->ranges[i]);

        for (uint64_t k = first; n > 0 && k < here && !ferror(stdout); k++, n--)
            show_execution(f, &f->ranges[i], k);
        first = first > here ? first - here : 0;
    }
}

static void show_asked(const struct finding *f)
{
    switch (f->request->which) {
    case FIND_FIRST: show_executions(f, 0, 1); break;
    case FIND_LAST: show_executions(f, f->total - 1, 1); break;
    case FIND_ALL: show_executions(f, 0, f->total); break;
    case FIND_NTH: show_executions(f, f->request->nth - 1, 1); break;
    }
}

/* Whether these are all events of the run. */
static bool is_all(const struct dump_range *ranges, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ranges[i].begin > 0 || ranges[i].end < wpp_thread(ranges[i].w, ranges[i].thread)->tokens)
            return false;
    return n == wpp_grammar(ranges[0].w)->n_threads;
}

/* How often the thing was executed in the whole run.  False: 2^64 times or more. */
static bool count_all(const wpp *w, const uint32_t *weights, uint64_t *total)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *counts = malloc((n + (size_t)1) * sizeof *counts), part;
    bool fits = true;

    if (!counts)
        tool_die_of_memory();
    wpp_terminal_counts(w, counts);
    *total = 0;
    for (uint32_t i = 0; fits && i < n; i++)
        fits = !__builtin_mul_overflow(counts[i], (uint64_t)weights[i], &part)
            && !__builtin_add_overflow(*total, part, total);
    free(counts);
    return fits;
}

static wpp_finder *make_finder(const wpp *w, const uint32_t *weights)
{
    struct wpp_error error;
    wpp_finder *finder = wpp_finder_new(w, weights, &error);

    if (!finder)
        tool_die_error(&error);
    return finder;
}

/* Reads what the ranges need, and makes the finder; *total: executions in them. */
static void find_in_ranges(struct finding *f, wpp *w, const char *path, const uint32_t *weights)
{
    for (uint32_t i = 0; i < f->n_ranges; i++)
        tool_read_until(path, w, f->ranges[i].thread, NULL, f->ranges[i].end);
    f->finder = make_finder(w, weights);
    for (uint32_t i = 0; i < f->n_ranges; i++)
        f->total += count_in(f, &f->ranges[i]);
}

/* How often the thing was executed is known for the whole run: only what leads to an execution near the
 * beginning is read. */
static bool find_near_beginning(struct finding *f, wpp *w, const char *path, const uint32_t *weights)
{
    uint64_t k = f->request->which == FIND_NTH ? f->request->nth : 1;

    if ((f->request->which != FIND_FIRST && f->request->which != FIND_NTH) || !is_all(f->ranges, f->n_ranges)
        || !count_all(w, weights, &f->total))
        return false;
    tool_read_until(path, w, WPP_ALL_THREADS, weights, k <= f->total ? k : 0);
    f->finder = make_finder(w, weights);
    return true;
}

void find_show(const struct find_request *request, wpp *w, const char *path, const struct dump_range *ranges,
               uint32_t n)
{
    uint32_t *weights = place_weights(w, path, request->what);
    struct finding f = {.request = request, .ranges = ranges, .n_ranges = n};

    if (!find_near_beginning(&f, w, path, weights))
        find_in_ranges(&f, w, path, weights);
    name_put(stdout, request->what);
    printf(" was executed %s time%s\n", tool_grouped(f.total), f.total == 1 ? "" : "s");
    if (request->which == FIND_NTH && request->nth > f.total)
        tool_die(TOOL_ERROR, "%s: there is no execution %s of %s", path, tool_grouped(request->nth),
                 request->what);
    if (f.total > 0) {
        f.stacks = request->which == FIND_ALL ? all_stacks(w) : NULL;
        show_asked(&f);
    }
    wpp_stacks_free(f.stacks);
    wpp_finder_free(f.finder);
    free(weights);
}

/* ---- One stack -------------------------------------------------------------------------------------- */

/* The line at which the event's path begins. */
static const struct wpp_line *begin_of(const wpp *w, uint32_t thread, uint64_t event)
{
    wpp_cursor *cursor = wpp_cursor_new(w, thread, event);
    const struct wpp_line *line = NULL;
    uint32_t terminal;

    if (!cursor)
        tool_die_of_memory();
    if (wpp_cursor_read(cursor, &terminal, 1) == 1) {
        const struct wpp_terminal *t = wpp_terminal(w, terminal);
        const struct wpp_routine *r = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);

        for (uint32_t i = 0; r && !line && i < t->n_blocks; i++)
            if (r->blocks[t->blocks[i]].n_lines > 0)
                line = r->blocks[t->blocks[i]].lines;
    }
    wpp_cursor_free(cursor);
    return line;
}

void find_show_stack(const wpp *w, uint32_t thread, uint64_t event, bool assembler_names)
{
    wpp_stacks *stacks = stacks_with(w, thread, event);
    uint64_t tokens = wpp_thread(w, thread)->tokens;

    if (event == tokens)
        printf("the end, behind %s%llu event%s\n", wpp_grammar(w)->n_threads > 1 ? "the thread's " : "",
               (unsigned long long)tokens, tokens == 1 ? "" : "s");
    else
        print_moment(w, thread, event);
    print_stack(w, stacks, thread, event, event < tokens ? begin_of(w, thread, event) : NULL,
                assembler_names);
    wpp_stacks_free(stacks);
}
