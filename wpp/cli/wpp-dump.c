/* SPDX-License-Identifier: MIT */
/* wpp-dump - shows what a recorded program did, event by event or line by line. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/line-counts.h"
#include "wpp/replay/calls.h"
#include "wpp/replay/dump.h"

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
    "\n"
    "      --no-demangle  show assembler names instead of those of the C++ source\n"
    "      --thread=N     show only thread N, counted from 0 (`wpp-info` lists them)\n"
    "      --range=A:B    show only events A to B-1 of the thread; either may be left out. -N is\n"
    "                     N before the end, A:+N are N events from A on; k, M and G stand for\n"
    "                     thousands, millions and billions\n"
    "  -o, --output=FILE  write to FILE instead of standard output\n"
    "  -f, --force        replace FILE if it exists\n"
    "  -h, --help         print this text\n"
    "  -V, --version      print the version\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the file is damaged or holds an\n"
    "incomplete run.\n";

enum what {
    SHOW_EVENTS, SHOW_LINES, SHOW_LINE_COUNTS, SHOW_EXECUTIONS, SHOW_ROUTINES, SHOW_CALLS,
    SHOW_TOKENS
};

struct request {
    enum what what;
    const char *path, *output;
    const char *thread, *range;    /* NULL: all */
    uint64_t begin, end;           /* of the range; end may be beyond the thread's */
    bool begin_back, end_back;     /* these count from the thread's end */
    bool counted;                  /* `end` is a number of events from `begin` on */
    bool force, assembler_names;
};

enum { OPT_WHAT = 0x100, OPT_THREAD = 0x200, OPT_RANGE, OPT_NO_DEMANGLE };
/* First the options of the views, in the order of enum what. */
static const struct option options[] = {
    {"events", no_argument, NULL, OPT_WHAT + SHOW_EVENTS},
    {"lines", no_argument, NULL, OPT_WHAT + SHOW_LINES},
    {"line-counts", no_argument, NULL, OPT_WHAT + SHOW_LINE_COUNTS},
    {"executions", no_argument, NULL, OPT_WHAT + SHOW_EXECUTIONS},
    {"routines", no_argument, NULL, OPT_WHAT + SHOW_ROUTINES},
    {"calls", no_argument, NULL, OPT_WHAT + SHOW_CALLS},
    {"tokens", no_argument, NULL, OPT_WHAT + SHOW_TOKENS},
    {"no-demangle", no_argument, NULL, OPT_NO_DEMANGLE},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"range", required_argument, NULL, OPT_RANGE},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    TOOL_OPTIONS
};

/* `N` or, counted from the end, `-N`. */
static uint64_t parse_place(const char *text, bool *back)
{
    *back = text[0] == '-';
    return tool_count_argument("--range", text + *back);
}

/* `A:B`, `A:`, `:B`, `A:+N`. */
static void parse_range(struct request *r)
{
    const char *text = r->range, *colon = strchr(text, ':');
    char first[32];

    if (!colon || (size_t)(colon - text) >= sizeof first)
        tool_usage("--range: `%s` is not of the form A:B", text);
    memcpy(first, text, colon - text);
    first[colon - text] = '\0';
    if (first[0])
        r->begin = parse_place(first, &r->begin_back);
    if (colon[1] == '+') {
        r->counted = true;
        r->end = tool_count_argument("--range", colon + 2);
    } else if (colon[1]) {
        r->end = parse_place(colon + 1, &r->end_back);
    }
    if (!r->counted && r->begin_back == r->end_back
        && (r->begin_back ? r->begin < r->end : r->begin > r->end))
        tool_usage("--range: %s ends before it begins", text);
}

static void parse_options(int argc, char **argv, struct request *r)
{
    const struct option *what = NULL;
    int option;

    while ((option = tool_option(argc, argv, "o:fhV", options)) != -1) {
        if (option >= OPT_WHAT && option < OPT_THREAD) {
            r->what = option - OPT_WHAT;
            if (what && what != &options[r->what])
                tool_usage("--%s and --%s show different things", what->name,
                           options[r->what].name);
            what = &options[r->what];
            continue;
        }
        switch (option) {
        case OPT_THREAD: r->thread = optarg; break;
        case OPT_RANGE:  r->range = optarg; break;
        case OPT_NO_DEMANGLE: r->assembler_names = true; break;
        case 'o':        r->output = optarg; break;
        case 'f':        r->force = true; break;
        case 'h':        tool_help(help);
        case 'V':        tool_version();
        }
    }
    if (argc - optind != 1)
        tool_usage(argc == optind ? "no file given" : "more than one file given");
    r->path = argv[optind];
    if ((r->range || r->thread) && r->what == SHOW_ROUTINES)
        tool_usage("--routines covers all threads and events: it goes with neither --thread nor "
                   "--range");
    if (r->range)
        parse_range(r);
}

/* ---- Ranges --------------------------------------------------------------------- */

/* A place before the beginning becomes the beginning. */
static uint64_t place_of(uint64_t n, bool back, uint64_t tokens)
{
    return !back ? n : n < tokens ? tokens - n : 0;
}

/* The requested range of a thread; dies if the thread is too short. */
static struct dump_range range_of(const wpp *w, const struct request *r, uint32_t thread)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens;
    uint64_t begin = place_of(r->begin, r->begin_back, tokens);
    uint64_t end = place_of(r->end, r->end_back, tokens);

    if (begin > tokens)
        tool_die(TOOL_ERROR, "%s: thread %u has only %llu event%s", r->path, thread,
                 (unsigned long long)tokens, tokens == 1 ? "" : "s");
    if (r->counted)
        end = r->end < tokens - begin ? begin + r->end : tokens;
    end = end < tokens ? end : tokens;
    return (struct dump_range){w, thread, begin, end > begin ? end : begin, r->assembler_names};
}

/* The requested ranges, one per thread: *n of them. */
static struct dump_range *find_ranges(const wpp *w, const struct request *r, uint32_t *n)
{
    uint32_t n_threads = wpp_grammar(w)->n_threads;
    uint64_t first = r->thread ? tool_count_argument("--thread", r->thread) : 0;
    struct dump_range *ranges;

    if (r->thread && first >= n_threads)
        tool_die(TOOL_ERROR, "%s: no thread %s; it has %u, counted from 0", r->path, r->thread,
                 n_threads);
    if (r->range && !r->thread && n_threads > 1)
        tool_usage("--range: %s has %u threads; choose one by --thread", r->path, n_threads);
    *n = r->thread ? 1 : n_threads;
    if (*n > 0)
        range_of(w, r, first);
    ranges = calloc(*n + (size_t)1, sizeof *ranges);
    if (!ranges)
        tool_die(TOOL_ERROR, "out of memory");
    for (uint32_t i = 0; i < *n; i++)
        ranges[i] = range_of(w, r, first + i);
    return ranges;
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

static bool show(const wpp *w, const struct request *r, const struct dump_range *ranges,
                 uint32_t n, struct wpp_error *error)
{
    static bool (*const views[])(FILE *, const struct dump_range *, struct wpp_error *) = {
        [SHOW_EVENTS] = dump_events, [SHOW_LINES] = dump_lines, [SHOW_TOKENS] = dump_tokens
    };
    bool ok = true;

    if (r->what == SHOW_ROUTINES)
        return show_routines(w, r, error);
    if (r->what == SHOW_CALLS)
        return show_calls(w, r, ranges, n, error);
    if (r->what == SHOW_LINE_COUNTS || r->what == SHOW_EXECUTIONS)
        return show_line_counts(w, r, ranges, n, error);
    for (uint32_t i = 0; ok && i < n && !ferror(stdout); i++)
        ok = views[r->what](stdout, &ranges[i], error);
    return ok;
}

/* With -o, makes the file the standard output. */
static struct wpp_output *redirect(const struct request *r)
{
    struct wpp_output *out;

    if (!r->output)
        return NULL;
    out = tool_output(r->output, r->force, r->path);
    if (dup2(wpp_output_fd(out), STDOUT_FILENO) < 0)
        tool_die(TOOL_ERROR, "cannot redirect standard output");
    return out;
}

/* Gives the file its name; after an error leaves no file. */
static void keep_output(struct wpp_output *out, const char *path)
{
    struct wpp_error error;

    if (!tool_flush()) {
        const char *why = strerror(errno);

        wpp_output_abandon(out);
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, why);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
}

int main(int argc, char **argv)
{
    struct request r = {.what = SHOW_EVENTS, .end = UINT64_MAX};
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
    w = tool_open(r.path);
    need_parts(w, &r);
    need_source(w, &r);
    ranges = find_ranges(w, &r, &n);
    out = redirect(&r);
    if (!show(w, &r, ranges, n, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    free(ranges);
    if (out)
        keep_output(out, r.output);
    tool_finish(TOOL_OK);
    if (r.what != SHOW_CALLS && r.what != SHOW_TOKENS)
        tool_say_changed_sources(w);
    status = tool_say_incomplete(r.path, w);
    wpp_close(w);
    return status;
}
