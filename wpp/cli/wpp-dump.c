/* SPDX-License-Identifier: MIT */
/* wpp-dump - shows what a recorded program did, event by event or line by line. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/dump-find.h"
#include "wpp/cli/run-place.h"
#include "wpp/cli/run-range.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/line-counts.h"
#include "wpp/replay/calls.h"
#include "wpp/replay/dump.h"
#include "wpp/replay/fold.h"

static const char help[] =
    "Usage: wpp-dump [OPTION]... FILE.wpp\n"
    "Shows what a recorded program did.  FILE `-` is standard input.\n"
    "\n"
    "What to show (default --events):\n"
    "      --events       EnterThread, EnterRoutine, NewPath, LeaveRoutine in execution order,\n"
    "                     indented by depth of calls, paths with their source lines; a remark\n"
    "                     after `#` marks events that the trace does not hold but implies\n"
    "      --lines        source lines in execution order, FILE:LINE each\n"
    "      --line-counts  how often each executed line was executed, as gcov counts it:\n"
    "                     FILE:LINE COUNT\n"
    "      --executions   line counts in which each copy counts that GCC made of a line: as\n"
    "                     often as the line stands in the paths of --events, again behind a call\n"
    "      --routines     the executed routines: calls, paths, cost, name, place\n"
    "      --calls        callers and callees, with counts: CALLS CALLER -> ROUTINE; `-` stands\n"
    "                     for no traced routine\n"
    "      --tokens       the trace's tokens: binary, 32 bits each, little-endian\n"
    "      --find=WHAT    how often WHAT was executed; event, time and call stack of the first\n"
    "                     execution.  WHAT is FILE:LINE, ROUTINE, or ROUTINE/PATH\n"
    "      --nth=K        which execution is found: K, counted from 1, or `first`, `last`, `all`\n"
    "      --stack[=PLACE]  the call stack at a place; at the end if none is given\n"
    "\n"
    "      --thread=N     show only thread N, counted from 0 (`wpp-info` lists them)\n"
    "      --range=A:B    show only events A to B-1 of the thread, thread 0 if none is chosen; either\n"
    "                     may be left out.  A and B are places; A:+N are N events from A on\n"
    "Places: an event's number (k, M and G stand for thousands, millions and billions); -N, N before\n"
    "the end; a time, 1.5s or 20ms; sort.c:59#3, swap#3, swap/2#3: the third execution, #-1 the last\n"
    "\n"
    "For events and lines:\n"
    "  -F, --only=ROUTINE    show only what runs in the routine and what it calls\n"
    "  -N, --without=ROUTINE leave out the routine and what it calls\n"
    "  -D, --depth=N         show only N levels of calls\n"
    "      --fold            write what repeats once, with `x N`\n"
    "      --inlined         show inlined calls as calls, in events\n"
    "\n"
    "      --no-demangle  show assembler names instead of those of the C++ source\n"
    "  -o, --output=FILE  write to FILE instead of standard output\n"
    "  -f, --force        replace FILE if it exists\n"
    "  -h, --help         print this text\n"
    "  -V, --version      print the version\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the file is damaged or holds an\n"
    "incomplete run.\n";

enum what {
    SHOW_EVENTS, SHOW_LINES, SHOW_LINE_COUNTS, SHOW_EXECUTIONS, SHOW_ROUTINES, SHOW_CALLS,
    SHOW_TOKENS, SHOW_FOUND, SHOW_STACK
};

struct request {
    enum what what;
    const char *path, *output;
    const char *thread, *range;    /* NULL: all */
    struct run_range events;       /* of `range` */
    struct find_request find;
    struct place stack;
    const char *nth, *only, *without;      /* NULL: not given */
    uint32_t depth;                /* 0: not given */
    bool force, assembler_names, fold, inlined;
};

enum {
    OPT_WHAT = 0x100, OPT_THREAD = 0x200, OPT_RANGE, OPT_NO_DEMANGLE, OPT_NTH, OPT_FOLD, OPT_INLINED
};
/* First the options of the views, in the order of enum what. */
static const struct option options[] = {
    {"events", no_argument, NULL, OPT_WHAT + SHOW_EVENTS},
    {"lines", no_argument, NULL, OPT_WHAT + SHOW_LINES},
    {"line-counts", no_argument, NULL, OPT_WHAT + SHOW_LINE_COUNTS},
    {"executions", no_argument, NULL, OPT_WHAT + SHOW_EXECUTIONS},
    {"routines", no_argument, NULL, OPT_WHAT + SHOW_ROUTINES},
    {"calls", no_argument, NULL, OPT_WHAT + SHOW_CALLS},
    {"tokens", no_argument, NULL, OPT_WHAT + SHOW_TOKENS},
    {"find", required_argument, NULL, OPT_WHAT + SHOW_FOUND},
    {"stack", optional_argument, NULL, OPT_WHAT + SHOW_STACK},
    {"nth", required_argument, NULL, OPT_NTH},
    {"only", required_argument, NULL, 'F'},
    {"without", required_argument, NULL, 'N'},
    {"depth", required_argument, NULL, 'D'},
    {"fold", no_argument, NULL, OPT_FOLD},
    {"inlined", no_argument, NULL, OPT_INLINED},
    {"no-demangle", no_argument, NULL, OPT_NO_DEMANGLE},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"range", required_argument, NULL, OPT_RANGE},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    TOOL_OPTIONS
};

static void parse_stack(struct request *r, const char *text)
{
    if (!text)
        r->stack = (struct place){.kind = PLACE_FROM_END};
    else if (!place_parse(text, strlen(text), &r->stack))
        tool_usage("--stack: `%s` is no place in a run", text);
}

static void parse_depth(struct request *r, const char *text)
{
    uint64_t n = tool_count_argument("--depth", text);

    if (n == 0 || n > UINT32_MAX)
        tool_usage("--depth: %s levels of calls cannot be shown", text);
    r->depth = (uint32_t)n;
}

/* Options that do not go together. */
static void check_options(const struct request *r)
{
    bool in_order = r->what == SHOW_EVENTS || r->what == SHOW_LINES;

    if ((r->range || r->thread) && r->what == SHOW_ROUTINES)
        tool_usage("--routines covers all threads and events: it goes with neither --thread nor "
                   "--range");
    if (r->range && r->what == SHOW_STACK)
        tool_usage("--stack is about one place: it does not go with --range");
    if (r->nth && r->what != SHOW_FOUND)
        tool_usage("--nth goes with --find");
    if ((r->only || r->without || r->depth || r->fold) && !in_order)
        tool_usage("-F, -N, -D and --fold go with --events and --lines");
    if (r->inlined && r->what != SHOW_EVENTS)
        tool_usage("--inlined goes with --events");
}

static void parse_options(int argc, char **argv, struct request *r)
{
    const struct option *what = NULL;
    int option;

    while ((option = tool_option(argc, argv, "F:N:D:o:fhV", options)) != -1) {
        if (option >= OPT_WHAT && option < OPT_THREAD) {
            r->what = option - OPT_WHAT;
            if (what && what != &options[r->what])
                tool_usage("--%s and --%s show different things", what->name,
                           options[r->what].name);
            what = &options[r->what];
            if (r->what == SHOW_FOUND)
                r->find.what = optarg;
            if (r->what == SHOW_STACK)
                parse_stack(r, optarg);
            continue;
        }
        switch (option) {
        case OPT_THREAD: r->thread = optarg; break;
        case OPT_RANGE:  r->range = optarg; break;
        case OPT_NO_DEMANGLE: r->assembler_names = true; break;
        case OPT_NTH:    r->nth = optarg; find_parse_nth(optarg, &r->find); break;
        case OPT_FOLD:   r->fold = true; break;
        case OPT_INLINED: r->inlined = true; break;
        case 'F':        r->only = optarg; break;
        case 'N':        r->without = optarg; break;
        case 'D':        parse_depth(r, optarg); break;
        case 'o':        r->output = optarg; break;
        case 'f':        r->force = true; break;
        case 'h':        tool_help(help);
        case 'V':        tool_version();
        }
    }
    if (argc - optind != 1)
        tool_usage(argc == optind ? "no file given" : "more than one file given");
    r->path = argv[optind];
    check_options(r);
    if (r->range)
        run_range_parse(&r->events, r->range);
}

/* ---- Ranges --------------------------------------------------------------------- */

/* The requested range of a thread; dies if the thread is too short. */
static struct dump_range range_of(wpp *w, const struct request *r, uint32_t thread)
{
    struct dump_range range = {
        .w = w, .thread = thread, .assembler_names = r->assembler_names, .inlined = r->inlined
    };

    run_range_events(&r->events, w, r->path, thread, &range.begin, &range.end);
    return range;
}

/* The requested ranges, one per thread: *n of them. */
static struct dump_range *find_ranges(wpp *w, const struct request *r, uint32_t *n)
{
    uint32_t n_threads = wpp_grammar(w)->n_threads;
    uint64_t first = r->thread ? tool_count_argument("--thread", r->thread) : 0;
    struct dump_range *ranges;

    if (r->thread && first >= n_threads)
        tool_die(TOOL_ERROR, "%s: no thread %s; it has %u, counted from 0", r->path, r->thread,
                 n_threads);
    *n = r->thread || (r->range && n_threads > 0) ? 1 : n_threads;
    if (*n > 0)
        range_of(w, r, first);
    ranges = calloc(*n + (size_t)1, sizeof *ranges);
    if (!ranges)
        tool_die(TOOL_ERROR, "out of memory");
    for (uint32_t i = 0; i < *n; i++)
        ranges[i] = range_of(w, r, first + i);
    return ranges;
}

/* Which routines an option names; dies if none has run. */
static const bool *choose(const wpp *w, const struct request *r, const char *name)
{
    const bool *chosen = name ? tool_choose_routines(w, name) : NULL;

    if (name && !chosen)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed", r->path, name);
    return chosen;
}

/* Shows events or lines of the ranges. */
static bool show_order(const wpp *w, const struct request *r, struct dump_range *ranges, uint32_t n,
                       struct wpp_error *error)
{
    struct dump_filter filter = {choose(w, r, r->only), choose(w, r, r->without), r->depth};
    FILE *out = r->fold ? fold_open(stdout) : stdout;
    bool ok = out != NULL || wpp_fail_memory(error);

    for (uint32_t i = 0; ok && i < n && !ferror(out); i++) {
        ranges[i].filter = filter;
        ok = (r->what == SHOW_LINES ? dump_lines : dump_events)(out, &ranges[i], error);
    }
    if (out && out != stdout && fclose(out) != 0 && !ferror(stdout))
        ok = wpp_fail_memory(error);
    free((void *)filter.only);
    free((void *)filter.hidden);
    return ok;
}

/* ---- Views that need no order ------------------------------------------------------ */

/* Names the unit of the counts, in text for people; other formats have only lines of counts. */
static void tell_kind(enum line_kind kind)
{
    if (!isatty(STDOUT_FILENO))
        return;
    puts(kind == LINE_COUNTS ? "# as gcov counts; --executions counts each copy of a line"
                             : "# all copies of a line; --line-counts counts as gcov does");
}

static bool show_line_counts(const wpp *w, const struct request *r,
                             const struct dump_range *ranges, uint32_t n, struct wpp_error *error)
{
    uint64_t *counts = calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof *counts);
    enum line_kind kind = r->what == SHOW_EXECUTIONS ? LINE_EXECUTIONS : LINE_COUNTS;
    struct line_counts lines;
    bool ok = counts != NULL || wpp_fail_memory(error);

    if (ok && !r->range && !r->thread)
        wpp_terminal_counts(w, counts);
    else
        for (uint32_t i = 0; ok && i < n; i++)
            ok = dump_count(&ranges[i], counts, error);
    if (ok && !line_counts_of(w, counts, kind, &lines))
        ok = wpp_fail_memory(error);
    free(counts);
    if (!ok)
        return false;
    tell_kind(kind);
    for (size_t i = 0; i < lines.n; i++) {
        name_put(stdout, lines.item[i].file);
        printf(":%u %llu\n", lines.item[i].line, (unsigned long long)lines.item[i].count);
    }
    line_counts_free(&lines);
    return true;
}

/* Unknown columns are `-`. */
struct routine_row {
    uint32_t index, paths;     /* executed paths */
    uint64_t calls, insns;
};

static int compare_rows(const void *a, const void *b)
{
    const struct routine_row *x = a, *y = b;

    if (x->insns != y->insns)
        return x->insns > y->insns ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void fill_rows(const wpp *w, const uint64_t *counts, struct routine_row *rows, uint32_t n)
{
    uint32_t n_paths = wpp_missing(w) & WPP_PART_TERMINALS ? 0 : wpp_grammar(w)->n_terminals;

    for (uint32_t i = 0; i < n; i++)
        rows[i] = (struct routine_row){.index = i};
    for (uint32_t i = 0; i < n_paths; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);
        if (t->routine == WPP_NO_ROUTINE)
            continue;
        rows[t->routine].paths++;
        rows[t->routine].calls += t->enters ? counts[i] : 0;
        rows[t->routine].insns += counts[i] * t->insns;
    }
    qsort(rows, n, sizeof *rows, compare_rows);
}

static void put_figure(int width, bool known, uint64_t n)
{
    if (known)
        printf("%*llu ", width, (unsigned long long)n);
    else
        printf("%*s ", width, "-");
}

static void show_row(const wpp *w, const struct request *r, const struct routine_row *row)
{
    const struct wpp_routine *routine = wpp_routine(w, row->index);
    bool counted = !(wpp_missing(w) & TOOL_NEED_PATHS);

    put_figure(16, counted, row->insns);
    put_figure(14, counted, row->calls);
    put_figure(8, !(wpp_missing(w) & WPP_PART_TERMINALS), row->paths);
    put_figure(12, true, routine->num_paths);
    putchar(' ');
    name_put(stdout, r->assembler_names ? routine->name : routine->shown);
    fputs("  ", stdout);
    name_put(stdout, routine->file);
    printf(":%u%s\n", routine->line, routine->flags & WPP_ROUTINE_LIMITED ? "  (limited)" : "");
}

static bool show_routines(const wpp *w, const struct request *r, struct wpp_error *error)
{
    struct wpp_summary s;
    wpp_get_summary(w, &s);
    uint64_t *counts = calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof *counts);
    struct routine_row *rows = calloc(s.n_routines + (size_t)1, sizeof *rows);
    bool ok = (counts && rows) || wpp_fail_memory(error);

    if (ok) {
        wpp_terminal_counts(w, counts);
        fill_rows(w, counts, rows, s.n_routines);
        printf("%16s %14s %8s %12s  %s\n", "instructions", "calls", "paths", "of possible",
               "routine");
    }
    for (uint32_t i = 0; ok && i < s.n_routines; i++)
        show_row(w, r, &rows[i]);
    free(counts);
    free(rows);
    return ok;
}

static void put_name(const wpp *w, const struct request *r, uint32_t number)
{
    const struct wpp_routine *routine = number == CALLS_NOBODY ? NULL : wpp_routine(w, number);

    name_put(stdout, !routine ? "-" : r->assembler_names ? routine->name : routine->shown);
}

static bool show_calls(const wpp *w, const struct request *r, const struct dump_range *ranges,
                       uint32_t n, struct wpp_error *error)
{
    struct calls calls = {0};
    bool ok = true;

    for (uint32_t i = 0; ok && i < n; i++)
        ok = calls_add(&calls, &ranges[i], error);
    calls_sort(&calls);
    for (size_t i = 0; ok && i < calls.n; i++) {
        put_figure(14, true, calls.list[i].count);
        putchar(' ');
        put_name(w, r, calls.list[i].caller);
        fputs(" -> ", stdout);
        put_name(w, r, calls.list[i].callee);
        putchar('\n');
    }
    calls_free(&calls);
    return ok;
}

/* A path profile has what needs no order; routines of a damaged file can be listed without
 * counts. */
static void need_parts(const wpp *w, const struct request *r)
{
    bool counts = r->what == SHOW_LINE_COUNTS || r->what == SHOW_EXECUTIONS;

    if (r->what == SHOW_ROUTINES)
        tool_need(r->path, w, WPP_PART_ROUTINES);
    else if (counts && !r->range && !r->thread)
        tool_need(r->path, w, TOOL_NEED_PATHS);
    else
        tool_need_order(r->path, w);
}

/* Dies for a WPP of plain symbols, which has no source: its output would look like that of a run
 * without events. */
static void need_source(const wpp *w, const struct request *r)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    if (r->what == SHOW_EVENTS || r->what == SHOW_TOKENS || (wpp_missing(w) & WPP_PART_SUMMARY)
        || s.program[0] || s.n_routines)
        return;
    tool_die(TOOL_ERROR, "%s has no %s: it holds plain symbols", r->path,
             r->what == SHOW_ROUTINES || r->what == SHOW_CALLS ? "routines" : "source lines");
}

/* ---- main ------------------------------------------------------------------------------ */

static void show_stack(wpp *w, const struct request *r, const struct dump_range *ranges)
{
    uint64_t tokens = wpp_thread(w, ranges->thread)->tokens;
    uint64_t event = place_event(&r->stack, w, r->path, ranges->thread);

    if (event > tokens)
        tool_die(TOOL_ERROR, "%s: thread %u has only %llu event%s", r->path, ranges->thread,
                 (unsigned long long)tokens, tokens == 1 ? "" : "s");
    tool_read_until(r->path, w, ranges->thread, NULL, event < tokens ? event + 1 : tokens);
    find_show_stack(w, ranges->thread, event, r->assembler_names);
}

/* Reads as much of the grammar as the ranges need.  Counts of all events are known without it. */
static void read_ranges(wpp *w, const struct request *r, const struct dump_range *ranges, uint32_t n)
{
    bool counts = r->what == SHOW_LINE_COUNTS || r->what == SHOW_EXECUTIONS;

    if (r->what == SHOW_ROUTINES || r->what == SHOW_FOUND || r->what == SHOW_STACK
        || (counts && !r->range && !r->thread))
        return;
    for (uint32_t i = 0; i < n; i++)
        tool_read_until(r->path, w, ranges[i].thread, NULL, ranges[i].end);
}

static bool show(wpp *w, const struct request *r, struct dump_range *ranges, uint32_t n,
                 struct wpp_error *error)
{
    bool ok = true;

    read_ranges(w, r, ranges, n);
    switch (r->what) {
    case SHOW_ROUTINES: return show_routines(w, r, error);
    case SHOW_CALLS: return show_calls(w, r, ranges, n, error);
    case SHOW_LINE_COUNTS:
    case SHOW_EXECUTIONS: return show_line_counts(w, r, ranges, n, error);
    case SHOW_EVENTS:
    case SHOW_LINES: return show_order(w, r, ranges, n, error);
    case SHOW_TOKENS:
        for (uint32_t i = 0; ok && i < n && !ferror(stdout); i++)
            ok = dump_tokens(stdout, &ranges[i], error);
        return ok;
    case SHOW_FOUND:
        if (n > 0)
            find_show(&r->find, w, r->path, ranges, n);
        return true;
    case SHOW_STACK:
        if (n > 0)
            show_stack(w, r, ranges);
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct request r = {.what = SHOW_EVENTS};
    struct wpp_error error;
    struct wpp_output *out;
    struct dump_range *ranges;
    uint32_t n;
    int status;
    wpp *w;

    tool_init("wpp-dump");
    parse_options(argc, argv, &r);
    if (r.what == SHOW_TOKENS && !r.output)
        tool_refuse_terminal(STDOUT_FILENO, "--tokens");
    w = tool_open_unread(r.path);
    need_parts(w, &r);
    need_source(w, &r);
    ranges = find_ranges(w, &r, &n);
    out = tool_output_redirect(r.output, r.force, r.path);
    if (!show(w, &r, ranges, n, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    free(ranges);
    tool_output_keep(out, r.output);
    tool_finish(TOOL_OK);
    if (r.what != SHOW_CALLS && r.what != SHOW_TOKENS)
        tool_say_changed_sources(w);
    status = tool_say_incomplete(r.path, w);
    wpp_close(w);
    return status;
}
