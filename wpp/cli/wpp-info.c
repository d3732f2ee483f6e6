/* SPDX-License-Identifier: MIT */
/* wpp-info - shows the contents of a WPP file: the columns of Larus' Table 1, and more. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/cli/tool.h"
#include "wpp/read/skip-reasons.h"
#include "wpp/replay/last-path.h"

static const char help[] =
    "Usage: wpp-info [OPTION]... FILE.wpp...\n"
    "Says what was recorded and how well it compressed; several files make a table.\n"
    "FILE `-` is standard input.\n"
    "\n"
    "      --format=FORMAT  text (default), table (also for one file), or json: an object\n"
    "                       a file, a line each; sizes in bytes, times in nanoseconds\n"
    "      --uninstrumented list the routines that were compiled with wpp but left out,\n"
    "                       with the reason and the place; text or json\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n"
    "\n"
    "Of a damaged file the intact parts are shown; an unknown figure is `-` in a table, null in\n"
    "JSON. Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 a file is damaged or holds an\n"
    "incomplete run.\n";

enum format { FORMAT_TEXT, FORMAT_TABLE, FORMAT_JSON };
static const char *const format_names[] = {"text", "table", "json", NULL};

struct info {
    const char *path;
    struct wpp_summary s;
    uint64_t *counts;          /* by terminal */
    uint64_t insns, calls;     /* executed */
    uint64_t limited;          /* events of routines with paths cut at the limit */
    uint64_t cut;              /* of these, events that end only at that limit */
    uint64_t *unread;          /* events of each unread module */
    unsigned missing;          /* enum wpp_part */
    struct last_path last;     /* if a signal killed it */
};

/* Whether a figure is known: its parts must be intact.  Half a grammar says nothing of the run. */
static bool knows(const struct info *i, unsigned parts)
{
    return (i->missing & parts) == 0 && !((parts & WPP_PART_GRAMMAR) && i->s.unread);
}

enum {
    TABLES = WPP_PART_ROUTINES | WPP_PART_TERMINALS,
    COUNTS = TABLES | WPP_PART_GRAMMAR | WPP_PART_COUNTS
};

/* Whether the number of events of each thread is known.  The thread's entry gives it, and so do its
 * start rule and the list of segments. */
static bool knows_events(const struct info *i)
{
    if (i->s.is_profile)
        return knows(i, WPP_PART_COUNTS);
    return (i->missing & (WPP_PART_THREADS | WPP_PART_GRAMMAR))
        != (WPP_PART_THREADS | WPP_PART_GRAMMAR);
}

/* Whether the file has the order of the paths; a path profile has only counts. */
static bool knows_order(const struct info *i)
{
    return knows(i, WPP_PART_GRAMMAR) && !i->s.is_profile;
}

/* Whether the WPP is of a program, not of plain symbols. */
static bool is_program(const struct info *i)
{
    return knows(i, WPP_PART_SUMMARY) ? i->s.program[0] : i->s.n_modules || i->s.n_routines;
}

/* ---- Figures -------------------------------------------------------------------- */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static double seconds(const struct info *i)
{
    return i->s.nanoseconds / 1e9;
}

/* Does not count control words: they are terminals of the trace, but no paths. */
static uint32_t paths_executed(const struct info *i)
{
    return i->s.n_terminals - i->s.n_controls;
}

/* Size of the events as an array of 32-bit words, which the paper compresses. */
static double token_bytes(const struct info *i)
{
    return 4.0 * i->s.recorded;
}

/* 31.7, 1,473. */
static const char *ratio_text(double value, char out[static 32])
{
    if (value < 999.5)
        snprintf(out, 32, "%.3g", value);
    else
        snprintf(out, 32, "%s", tool_grouped((uint64_t)(value + 0.5)));
    return out;
}

/* Counts events of limited routines.  A path that is cut at the limit goes on with another
 * event. */
static void gather_limit(const wpp *w, const struct wpp_terminal *t, uint64_t count, struct info *i)
{
    const struct wpp_routine *routine;

    if (t->routine == WPP_NO_ROUTINE)
        return;
    routine = wpp_routine(w, t->routine);
    if (!(routine->flags & WPP_ROUTINE_LIMITED))
        return;
    i->limited += count;
    if (t->n_edges > 0 && routine->edges[t->edges[t->n_edges - 1]].kind == WPP_EDGE_END_LIMIT)
        i->cut += count;
}

/* Unread modules, in ascending order of their tokens. */
struct by_token { uint32_t first, n, module; };

static int compare_tokens(const void *a, const void *b)
{
    const struct by_token *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static struct by_token *sort_unread(const wpp *w, uint32_t n)
{
    struct by_token *list = malloc((n + (size_t)1) * sizeof *list);

    if (!list)
        tool_die(TOOL_ERROR, "out of memory");
    for (uint32_t k = 0; k < n; k++) {
        const struct wpp_unread_module *m = wpp_unread_module(w, k);

        list[k] = (struct by_token){m->token, m->n_tokens, k};
    }
    qsort(list, n, sizeof *list, compare_tokens);
    return list;
}

/* Finds the unread module of a token, if any: the last one whose first token is not above it. */
static void count_unread(const struct by_token *list, uint32_t token, uint64_t count,
                         struct info *i)
{
    uint32_t low = 0, high = i->s.n_unread_modules;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (list[middle].first <= token)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && token - list[low - 1].first < list[low - 1].n)
        i->unread[list[low - 1].module] += count;
}

static void gather_unread(const wpp *w, struct info *i)
{
    uint32_t n = i->s.n_unread_modules;
    struct by_token *list = sort_unread(w, n);

    i->unread = calloc(n + (size_t)1, sizeof *i->unread);
    if (!i->unread)
        tool_die(TOOL_ERROR, "out of memory");
    for (uint32_t t = 0; n > 0 && t < wpp_grammar(w)->n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(w, t);

        if (terminal->routine == WPP_NO_ROUTINE)
            count_unread(list, terminal->token, i->counts[t], i);
    }
    free(list);
}

static void gather_counts(const wpp *w, struct info *i)
{
    const struct wpp_grammar *g = wpp_grammar(w);

    i->counts = calloc(g->n_terminals + (size_t)1, sizeof *i->counts);
    if (!i->counts)
        tool_die(TOOL_ERROR, "out of memory");
    wpp_terminal_counts(w, i->counts);
    for (uint32_t t = 0; t < g->n_terminals; t++) {
        const struct wpp_terminal *terminal = wpp_terminal(w, t);
        i->insns += i->counts[t] * terminal->insns;
        i->calls += terminal->enters ? i->counts[t] : 0;
        gather_limit(w, terminal, i->counts[t], i);
    }
    gather_unread(w, i);
}

static void gather(const wpp *w, const char *path, struct info *i)
{
    struct wpp_error error;

    *i = (struct info){.path = path, .missing = wpp_missing(w)};
    wpp_get_summary(w, &i->s);
    if (knows(i, COUNTS))
        gather_counts(w, i);
    if (knows(i, COUNTS | WPP_PART_SUMMARY) && !i->s.is_profile && i->s.program[0]
        && !last_path_of_run(w, &i->last, &error))
        tool_die_error(&error);
}

/* ---- Text ------------------------------------------------------------------------- */

/* A size in MB; a small one, which would lose its digits there, in kB. */
static const char *size_text(double bytes, char text[32])
{
    snprintf(text, 32, "%.3f %s", bytes < 1e5 ? bytes / 1e3 : bytes / 1e6,
             bytes < 1e5 ? "kB" : "MB");
    return text;
}

static void print_rate(const char *name, double bytes, double time, const char *remark)
{
    char size[32];

    printf("%-18s %s", name, size_text(bytes, size));
    if (time > 0)
        printf(", %.3f MB/s", bytes / 1e6 / time);
    printf("%s\n", remark);
}

static void print_when(const struct info *i)
{
    char when[64];
    time_t started = i->s.started;
    struct tm tm;

    if (i->s.started && localtime_r(&started, &tm)
        && strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &tm))
        printf("%-18s %s\n", "started", when);
    if (i->s.nanoseconds)
        printf("%-18s %.3f s\n", "time", seconds(i));
}

static void print_name(const char *what, const char *name)
{
    printf("%-18s ", what);
    name_put(stdout, name);
    putchar('\n');
}

/* The lines of the path that had not ended have a line of their own. */
static void print_last_path(const struct info *i)
{
    printf("%-18s ", "ended");
    last_path_say(stdout, &i->last, false);
    putchar('\n');
    if (i->last.kind != LAST_PATH_PART)
        return;
    printf("%-18s ", "unfinished path");
    last_path_lines(stdout, &i->last);
    putchar('\n');
}

static void print_end(const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    const char *name = sigabbrev_np((int)s->killed);

    if (s->exited)
        printf("%-18s with status %u\n", "ended", s->exited - 1);
    if (i->last.kind != LAST_PATH_NONE)
        print_last_path(i);
    else if (s->killed && name)
        printf("%-18s killed by SIG%s\n", "ended", name);
    else if (s->killed)
        printf("%-18s killed by signal %u\n", "ended", s->killed);
}

/* Whether the run may have an unfinished last path: an event is a finished path, and a killed
 * process leaves none for its last one. */
static bool may_end_in_a_path(const struct wpp_summary *s)
{
    return s->complete && !s->lost && (s->killed || s->ended == WPP_ENDED_UNTOLD);
}

/* How much was executed meanwhile is known of events only. */
static void print_stops(const struct wpp_summary *s)
{
    printf("%-18s %s time%s, as was asked for: %.3f s ", "stopped", tool_grouped(s->stops),
           s->stops == 1 ? "" : "s", s->stopped / 1e9);
    if (s->is_profile)
        puts("were not counted");
    else
        printf("and %s events were not recorded\n", tool_grouped(s->unrecorded));
}

static void print_complete(const struct info *i)
{
    const struct wpp_summary *s = &i->s;

    if (!s->complete || s->lost)
        printf("%-18s no: %s\n", "complete", tool_why_incomplete(s));
    else if (i->last.kind == LAST_PATH_PART)
        printf("%-18s to its last event: it was killed in the middle of a path\n", "complete");
    else if (s->killed)
        printf("%-18s to its last event: it was killed, maybe in the middle of a path\n",
               "complete");
    else if (s->ended == WPP_ENDED_UNTOLD)
        printf("%-18s to its last event: it was killed, or left by _exit or exec\n", "complete");
    else
        printf("%-18s yes\n", "complete");
}

static void print_run(const struct info *i)
{
    const struct wpp_summary *s = &i->s;

    if (!s->program[0]) {
        printf("%-18s %s\n", "program", "none: plain symbols");
        return;
    }
    print_name("program", s->program);
    if (s->command[0])
        print_name("command", s->command);
    printf("%-18s ", "recorded on");
    name_put(stdout, s->host[0] ? s->host : "?");
    if (s->pid)
        printf(", process %u", s->pid);
    putchar('\n');
    print_when(i);
    print_end(i);
    print_complete(i);
    if (s->dropped)
        printf("%-18s %s event%s before the last ones\n", "dropped", tool_grouped(s->dropped),
               s->dropped == 1 ? "" : "s");
    if (s->lost > s->dropped)
        printf("%-18s %s event%s\n", "lost", tool_grouped(s->lost - s->dropped),
               s->lost - s->dropped == 1 ? "" : "s");
    if (s->stops)
        print_stops(s);
    if (s->early)
        printf("%-18s %s event%s before recording began\n", "early", tool_grouped(s->early),
               s->early == 1 ? "" : "s");
    if (s->waited)
        printf("%-18s %.3f s for its recorder\n", "waited", s->waited / 1e9);
}

static void print_times(const struct info *i)
{
    const struct wpp_summary *s = &i->s;

    if (s->ticks_per_second)
        printf("%-18s %.3f s in all paths, by a clock of %.0f MHz\n", "timed",
               (double)s->ticks / (double)s->ticks_per_second, (double)s->ticks_per_second / 1e6);
}

static const char *percent_of_events(const struct info *i, uint64_t n, char out[static 32])
{
    double percent = 100 * ratio(n, i->s.recorded);

    if (percent > 0 && percent < 0.001)
        snprintf(out, 32, "less than 0.001 %%");
    else
        snprintf(out, 32, "%.3g %%", percent);
    return out;
}

static void print_limited(const struct info *i)
{
    uint32_t n = i->s.n_limited_routines;
    char limited[32], cut[32];

    if (i->limited == 0) {
        printf("%-18s %s routine%s paths cut at the limit, but %s not executed\n", "limited",
               tool_grouped(n), n == 1 ? " has" : "s have", n == 1 ? "was" : "were");
        return;
    }
    printf("%-18s %s routine%s paths cut at the limit: %s events (%s), of which %s (%s) "
           "only because of it\n", "limited", tool_grouped(n), n == 1 ? " has" : "s have",
           tool_grouped(i->limited), percent_of_events(i, i->limited, limited),
           tool_grouped(i->cut),
           percent_of_events(i, i->cut, cut));
}

static void print_routines(const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    bool modules = knows(i, WPP_PART_MODULES), executed = knows(i, WPP_PART_ROUTINES);

    if (!modules && !executed)
        return;
    printf("%-18s ", "routines");
    if (modules)
        printf("%s instrumented in %u module%s%s", tool_grouped(s->n_instrumented_routines),
               s->n_modules, s->n_modules == 1 ? "" : "s", executed ? ", " : "");
    if (executed)
        printf("%s executed", tool_grouped(s->n_routines));
    putchar('\n');
}

/* Lists unread modules: their events have no routines. */
static void print_unread(const wpp *w, const struct info *i)
{
    for (uint32_t k = 0; k < i->s.n_unread_modules; k++) {
        printf("%-18s ", "unreadable");
        if (i->unread)
            printf("%s event%s: ", tool_grouped(i->unread[k]), i->unread[k] == 1 ? "" : "s");
        name_put(stdout, wpp_unread_module(w, k)->why);
        putchar('\n');
    }
}

static void print_code(const wpp *w, const struct info *i)
{
    const struct wpp_summary *s = &i->s;

    print_routines(i);
    print_unread(w, i);
    if (s->n_limited_routines && knows(i, COUNTS))
        print_limited(i);
    if (s->n_left_out)
        printf("%-18s %s not instrumented (--uninstrumented lists them)\n", "left out",
               tool_grouped(s->n_left_out));
    if (!knows(i, COUNTS))
        return;
    printf("%-18s %s\n", "calls", tool_grouped(i->calls));
    printf("%-18s %s\n", "instructions", tool_grouped(i->insns));
}

static void print_threads(const wpp *w, const struct info *i)
{
    printf("%-18s %s\n", "threads", tool_grouped(i->s.n_threads));
    for (uint32_t t = 0; t < i->s.n_threads; t++) {
        const struct wpp_thread *thread = wpp_thread(w, t);
        printf("%18u %s event%s", t, tool_grouped(thread->recorded),
               thread->recorded == 1 ? "" : "s");
        if (thread->tid)
            printf(", thread %u ", thread->tid);
        name_put(stdout, thread->name);
        putchar('\n');
    }
}

static const char *const kinds[] = {
    [WPP_PROFILE_PATHS] = "paths", [WPP_PROFILE_CUT_PATHS] = "paths that calls cut",
    [WPP_PROFILE_EDGES] = "edges"
};

/* Of a path profile, in place of the trace's sizes. */
static void print_profile(const struct info *i)
{
    char size[32];

    if (knows(i, WPP_PART_COUNTS)) {
        printf("%-18s counts of %s, in no order\n", "path profile", kinds[i->s.profile_kind]);
        if (i->s.part.copy > 0)
            printf("%-18s %u of %u, plan %016llx\n", "copy", i->s.part.copy, i->s.part.copies,
                   (unsigned long long)i->s.part.plan);
        printf("%-18s %s\n", "runs", tool_grouped(i->s.runs));
        printf("%-18s %s\n", "executions", tool_grouped(i->s.recorded));
    }
    printf("%-18s %s\n", "size", size_text((double)i->s.file_bytes, size));
    if (knows(i, TABLES))
        printf("%-18s %s\n", "paths executed", tool_grouped(paths_executed(i)));
}

/* Prints the sizes of trace and file, and a rate if the time is known. */
static void print_sizes(const struct info *i)
{
    char grammar[64], size[32], times[32];

    if (knows_events(i)) {
        printf("%-18s %s\n", "events", tool_grouped(i->s.recorded));
        print_rate("trace", token_bytes(i), seconds(i), "");
    }
    snprintf(grammar, sizeof grammar, " (grammar %s)", size_text(i->s.grammar_bytes, size));
    print_rate("WPP", i->s.file_bytes, seconds(i), i->s.grammar_bytes ? grammar : "");
    if (knows_events(i))
        printf("%-18s %s\n", "trace / WPP",
               ratio_text(ratio(token_bytes(i), i->s.file_bytes), times));
}

static void print_grammar(const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    bool paths = knows(i, TABLES), grammar = knows(i, WPP_PART_GRAMMAR);

    if (paths)
        printf("%-18s %s\n", is_program(i) ? "paths executed" : "distinct symbols",
               tool_grouped(paths_executed(i)));
    if (grammar)
        printf("%-18s %s\n", "rules", tool_grouped(s->n_rules));
    if (grammar && paths)
        printf("%-18s %.2f\n", "rules per path", ratio(s->n_rules, paths_executed(i)));
    if (s->n_segments > 1)
        printf("%-18s %s\n", "segments", tool_grouped(s->n_segments));
    if (s->parts > 1)
        printf("%-18s %s\n", "parts", tool_grouped(s->parts));
    if (!grammar)
        return;
    printf("%-18s %s\n", "right-hand sides", tool_grouped(s->rhs_symbols));
    printf("%-18s %s event%s\n", "longest rule", tool_grouped(i->s.longest_rule),
           i->s.longest_rule == 1 ? "" : "s");
}

static void print_text(const wpp *w, const struct info *i)
{
    if (knows(i, WPP_PART_SUMMARY))
        print_run(i);
    print_times(i);
    if (is_program(i))
        print_code(w, i);
    if (i->s.is_profile) {
        print_profile(i);
        return;
    }
    print_sizes(i);
    print_grammar(i);
    if (knows_events(i))
        print_threads(w, i);
}

/* ---- Table ------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int name_width(char **paths, int n)
{
    int width = 8;

    for (int i = 0; i < n; i++) {
        int length = strlen(base_name(paths[i]));
        width = length > width ? length : width;
    }
    return width;
}

static void print_head(int width)
{
    printf("%-*s %8s %10s %9s %9s %8s %9s %7s %9s %9s %7s\n", width, "", "time", "trace", "trace/s",
           "WPP", "WPP/s", "trace/", "threads", "paths", "rules", "rules/");
    printf("%-*s %8s %10s %9s %9s %8s %9s %7s %9s %9s %7s\n", width, "WPP file", "s", "MB", "MB/s",
           "MB", "MB/s", "WPP", "", "executed", "", "path");
}

/* Prints a column with a width and digits after the point; `-`: unknown. */
static void print_column(int width, int digits, bool known, double value)
{
    if (known)
        printf(" %*.*f", width, digits, value);
    else
        printf(" %*s", width, "-");
}

static void print_row(const struct info *i, int width)
{
    const struct wpp_summary *s = &i->s;
    const char *name = base_name(i->path);
    double trace = token_bytes(i) / 1e6, size = s->file_bytes / 1e6, time = seconds(i);
    bool timed = knows(i, WPP_PART_SUMMARY), counted = knows_events(i) && !s->is_profile;
    bool paths = knows(i, TABLES), grammar = knows_order(i);

    name_put(stdout, name);
    printf("%*s", width - (int)strlen(name), "");
    print_column(8, 2, timed, time);
    print_column(10, 2, counted, trace);
    print_column(9, 2, timed && counted, ratio(trace, time));
    print_column(9, 3, true, size);
    print_column(8, 3, timed, ratio(size, time));
    print_column(9, 1, counted, ratio(trace, size));
    print_column(7, 0, counted, s->n_threads);
    printf(" %9s %9s", paths ? tool_grouped(paths_executed(i)) : "-",
           grammar ? tool_grouped(s->n_rules) : "-");
    print_column(7, 2, paths && grammar, ratio(s->n_rules, paths_executed(i)));
    printf("%s\n", timed && (!s->complete || s->lost) ? "  incomplete"
           : i->missing || s->unread ? "  damaged"
           : s->is_profile ? "  path profile" : "");
}

/* ---- JSON --------------------------------------------------------------------------- */

static void json_text(const char *key, const char *value)
{
    printf("\"%s\":", key);
    json_string(stdout, value);
    putchar(',');
}

static void json_number(const char *key, uint64_t value)
{
    printf("\"%s\":%llu,", key, (unsigned long long)value);
}

static void json_null(const char *key)
{
    printf("\"%s\":null,", key);
}

/* Prints a text, or null if the damaged file does not have it. */
static void json_text_if(bool known, const char *key, const char *value)
{
    if (known)
        json_text(key, value);
    else
        json_null(key);
}

static void json_number_if(bool known, const char *key, uint64_t value)
{
    if (known)
        json_number(key, value);
    else
        json_null(key);
}

static void json_threads(const wpp *w, const struct info *i)
{
    bool names = knows(i, WPP_PART_THREADS);

    if (!knows_events(i)) {
        json_null("threads");
        return;
    }
    printf("\"threads\":[");
    for (uint32_t t = 0; t < i->s.n_threads; t++) {
        const struct wpp_thread *thread = wpp_thread(w, t);
        printf("%s{", t ? "," : "");
        json_number_if(names, "tid", thread->tid);
        json_text_if(names, "name", thread->name);
        printf("\"events\":%llu}", (unsigned long long)thread->recorded);
    }
    printf("],");
}

/* Where the process was killed. */
static void json_death(const struct info *i)
{
    const struct last_path *p = &i->last;

    if (p->kind == LAST_PATH_NONE || !p->death)
        return;
    printf("\"death\":{");
    json_number("signal", p->signal);
    json_number("thread", p->death->thread);
    if (p->routine) {
        json_text("routine", p->routine->name);
        if (p->line.line) {
            json_text("source", p->line.file);
            json_number("line", p->line.line);
        }
        printf("\"in_call\":%s,", p->death->place == WPP_DEATH_IN_CALL ? "true" : "false");
    }
    printf("\"finished\":%s},", p->kind == LAST_PATH_PART ? "false" : "true");
}

static void json_run(const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    bool run = knows(i, WPP_PART_SUMMARY);

    json_text_if(run, "program", s->program);
    json_text_if(run, "command", s->command);
    json_text_if(run, "host", s->host);
    json_number_if(run, "pid", s->pid);
    json_number_if(run, "started", s->started);
    json_number_if(run, "nanoseconds", s->nanoseconds);
    if (run)
        printf("\"complete\":%s,", s->complete ? "true" : "false");
    else
        json_null("complete");
    json_number_if(run, "lost", s->lost);
    json_number_if(knows_events(i), "events", s->recorded);
    json_number_if(run, "stops", s->stops);
    json_number_if(run, "stopped_nanoseconds", s->stopped);
    json_number_if(run, "unrecorded_events", s->unrecorded);
    json_number_if(run, "early_events", s->early);
    json_number_if(run, "ended", s->complete ? WPP_ENDED_UNSAID : s->ended);
    json_death(i);
    if (run)
        printf("\"in_a_path\":%s,", may_end_in_a_path(s) ? "true" : "false");
    else
        json_null("in_a_path");
    json_number_if(run, "dropped", s->dropped);
    json_number_if(run && s->exited, "exit_status", s->exited - 1);
    json_number_if(run && s->killed, "killed_by", s->killed);
    json_number_if(run, "waited_nanoseconds", s->waited);
    json_number_if(knows(i, WPP_PART_TIMES), "ticks", s->ticks);
    json_number_if(knows(i, WPP_PART_TIMES), "ticks_per_second", s->ticks_per_second);
    json_number_if(knows_events(i) && !s->is_profile, "token_bytes", 4 * s->recorded);
    json_number_if(run, "trace_bytes", s->trace_bytes);
}

/* Lists unread modules, if there are any. */
static void json_unread(const wpp *w, const struct info *i)
{
    uint32_t n = i->s.n_unread_modules;

    for (uint32_t k = 0; k < n; k++) {
        printf("%s{", k ? "," : "\"unread_modules\":[");
        json_text("module", wpp_unread_module(w, k)->path);
        json_number_if(i->unread != NULL, "events", i->unread ? i->unread[k] : 0);
        printf("\"why\":");
        json_string(stdout, wpp_unread_module(w, k)->why);
        putchar('}');
    }
    printf("%s", n ? "]," : "");
}

static void json_code(const wpp *w, const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    bool modules = knows(i, WPP_PART_MODULES), counts = knows(i, COUNTS);

    json_number_if(modules, "modules", s->n_modules);
    json_unread(w, i);
    json_number_if(modules, "instrumented_routines", s->n_instrumented_routines);
    json_number_if(knows(i, WPP_PART_ROUTINES), "routines", s->n_routines);
    json_number_if(modules, "limited_routines", s->n_limited_routines);
    json_number_if(counts, "limited_events", i->limited);
    json_number_if(counts, "cut_events", i->cut);
    json_number_if(knows(i, WPP_PART_LEFT_OUT), "uninstrumented_routines", s->n_left_out);
    json_number_if(counts, "calls", i->calls);
    json_number_if(counts, "instructions", i->insns);
}

/* Lists the damage of a damaged file. */
static void json_damages(const wpp *w, const struct info *i)
{
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t k = 0; k < n; k++) {
        printf("%s", k ? "," : "\"damages\":[");
        json_string(stdout, damage[k].text);
    }
    printf("%s", n ? "]," : "");
    if (i->s.unread)
        json_number("unread_events", i->s.unread);
}

/* Which copy of a partitioned program it is of (wpp-p3), if it is one. */
static void json_copy(const struct wpp_part_of_profile *part)
{
    if (part->copy > 0)
        printf("\"copy\":{\"number\":%u,\"copies\":%u,\"plan\":\"%016llx\"},", part->copy, part->copies,
               (unsigned long long)part->plan);
}

static void json_profile(const struct info *i)
{
    bool counts = knows(i, WPP_PART_COUNTS);

    json_text_if(counts, "profile", counts ? kinds[i->s.profile_kind] : NULL);
    json_number_if(counts, "runs", i->s.runs);
    json_copy(&i->s.part);
}

static void print_json(const wpp *w, const struct info *i)
{
    const struct wpp_summary *s = &i->s;
    bool grammar = knows_order(i), paths = knows(i, TABLES);

    putchar('{');
    json_text("file", i->path);
    json_damages(w, i);
    json_run(i);
    json_number("wpp_bytes", s->file_bytes);
    json_number_if(s->grammar_bytes || grammar, "grammar_bytes", s->grammar_bytes);
    if (knows_events(i) && !s->is_profile)
        printf("\"ratio\":%.3f,", ratio(token_bytes(i), s->file_bytes));
    else
        json_null("ratio");
    json_code(w, i);
    if (s->is_profile)
        json_profile(i);
    json_number_if(paths, "paths", paths_executed(i));
    json_number_if(grammar, "rules", s->n_rules);
    json_number_if(grammar || s->unread, "segments", s->n_segments);
    json_number_if(s->parts > 1, "parts", s->parts);
    json_number_if(grammar, "rhs_symbols", s->rhs_symbols);
    json_number_if(grammar, "longest_rule", i->s.longest_rule);
    json_threads(w, i);
    if (grammar && paths)
        printf("\"rules_per_path\":%.3f}\n", ratio(s->n_rules, paths_executed(i)));
    else
        printf("\"rules_per_path\":null}\n");
}

/* ---- What was left out ---------------------------------------------------------------- */

static void list_left_out(const wpp *w, const struct info *i, bool several)
{
    uint32_t n = i->s.n_left_out;

    if (several) {
        name_put(stdout, i->path);
        puts(":");
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct wpp_left_out *r = wpp_left_out(w, k);

        printf("%-15s ", left_out_reason(r->reason));
        name_put(stdout, r->shown);
        fputs("  ", stdout);
        name_put(stdout, r->file);
        printf(":%u\n", r->line);
    }
}

static void list_left_out_json(const wpp *w, const struct info *i)
{
    putchar('{');
    json_text("file", i->path);
    printf("\"uninstrumented\":[");
    for (uint32_t k = 0; k < i->s.n_left_out; k++) {
        const struct wpp_left_out *r = wpp_left_out(w, k);
        printf("%s{", k ? "," : "");
        json_text("reason", left_out_reason(r->reason));
        json_text("routine", r->name);
        json_text("source", r->file);
        json_number("line", r->line);
        printf("\"module\":");
        if (knows(i, WPP_PART_MODULES))
            json_string(stdout, r->module);
        else
            printf("null");
        putchar('}');
    }
    printf("]}\n");
}

/* ---- main ----------------------------------------------------------------------------- */

/* The request for each file. */
struct request {
    int format;                /* enum format, or -1: not given */
    bool uninstrumented, several;
    int width;                 /* of a table's first column */
};

static void print(const wpp *w, const struct info *i, const struct request *q)
{
    if (q->uninstrumented && q->format == FORMAT_JSON)
        list_left_out_json(w, i);
    else if (q->uninstrumented)
        list_left_out(w, i, q->several);
    else if (q->format == FORMAT_JSON)
        print_json(w, i);
    else if (q->format == FORMAT_TABLE)
        print_row(i, q->width);
    else
        print_text(w, i);
}

/* Reports that the list of routines without instrumentation is damaged; an empty list would be
 * wrong. */
static int refuse_list(const char *path, const wpp *w)
{
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t k = 0; k < n; k++)
        if (damage[k].part == WPP_PART_LEFT_OUT)
            tool_warn("%s: %s", path, damage[k].text);
    return TOOL_INCOMPLETE;
}

/* Reports what is incomplete; the figures show that themselves, the list does not. */
static int exit_status(const wpp *w, const struct info *i, const struct request *q)
{
    int status;

    if (q->uninstrumented)
        return tool_say_incomplete(i->path, w);
    status = tool_say_damages(i->path, w);
    return knows(i, WPP_PART_SUMMARY) && (!i->s.complete || i->s.lost) ? TOOL_INCOMPLETE : status;
}

/* The figures are enough; but what the program was doing when a signal killed it is read off its last
 * events. */
static wpp *open_to_show(const char *path, struct wpp_error *error)
{
    wpp *w = wpp_open_figures(path, error);
    struct wpp_summary s;

    if (!w)
        return NULL;
    wpp_get_summary(w, &s);
    if (s.killed == 0)
        return w;
    wpp_close(w);
    return wpp_open_intact(path, error);
}

/* Shows one file; returns its exit status. */
static int show(const char *path, const struct request *q)
{
    struct wpp_error error;
    struct info i;
    int status;
    wpp *w = open_to_show(path, &error);

    if (!w) {
        tool_warn("%s", tool_explain_folder(path, &error)->text);
        return tool_exit_status(error.status);
    }
    gather(w, path, &i);
    if (q->uninstrumented && !knows(&i, WPP_PART_LEFT_OUT)) {
        status = refuse_list(path, w);
    } else {
        print(w, &i, q);
        status = exit_status(w, &i, q);
    }
    free(i.counts);
    free(i.unread);
    last_path_free(&i.last);
    wpp_close(w);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, 'F'},
        {"uninstrumented", no_argument, NULL, 'U'}, TOOL_OPTIONS
    };
    struct request q = {.format = -1};
    int option, status = TOOL_OK;

    tool_init("wpp-info");
    while ((option = tool_option(argc, argv, "hV", options)) != -1)
        switch (option) {
        case 'U': q.uninstrumented = true; break;
        case 'F': q.format = tool_choice_argument("--format", optarg, format_names); break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    if (optind == argc)
        tool_usage("no file given");
    if (q.uninstrumented && q.format == FORMAT_TABLE)
        tool_usage("--uninstrumented has no table: give --format=text or json");
    if (!q.uninstrumented && (q.format < 0 || (q.format == FORMAT_TEXT && argc - optind > 1)))
        q.format = argc - optind > 1 ? FORMAT_TABLE : FORMAT_TEXT;
    q.several = argc - optind > 1;
    q.width = name_width(argv + optind, argc - optind);
    if (q.format == FORMAT_TABLE)
        print_head(q.width);
    for (int i = optind; i < argc; i++) {
        int its = show(argv[i], &q);
        if (its != TOOL_OK && status != TOOL_ERROR)
            status = its;
    }
    return tool_finish(status);
}
