/* SPDX-License-Identifier: MIT */
/* wpp-export - writes a run for other people's tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/cli/coverage-input.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/run-range.h"
#include "wpp/cli/tool.h"
#include "wpp/export/export-coverage.h"
#include "wpp/export/export-run.h"
#include "wpp/export/gzip.h"

static const char help[] =
    "Usage: wpp-export --to=FORMAT [OPTION]... FILE...\n"
    "Writes a recorded run, or a part of it, for another tool.  Coverage is that of all FILEs\n"
    "together, WPPs and path profiles; `-` is standard input.\n"
    "\n"
    "      --to=FORMAT        callgrind: costs of lines and calls, for KCachegrind, callgrind_annotate;\n"
    "                         folded: stacks, a line each, for flamegraph.pl, inferno;\n"
    "                         speedscope: stacks for speedscope.app, of a range its calls in order;\n"
    "                         chrome: calls in order, JSON for ui.perfetto.dev, chrome://tracing;\n"
    "                         perfetto: the same, protobuf, for ui.perfetto.dev, trace_processor;\n"
    "                         pprof: stacks for go tool pprof, protobuf;\n"
    "                         firefox: stacks for profiler.firefox.com;\n"
    "                         callgraph: who called whom, for Graphviz;\n"
    "                         flowgraph: the blocks of --routine=NAME, for Graphviz;\n"
    "                         lcov: coverage for genhtml, lcov;\n"
    "                         gcov: coverage for gcovr, in gcov's JSON;\n"
    "                         cobertura: coverage in XML for Jenkins, GitLab and others\n"
    "\n"
    "      --thread=N         only thread N, counted from 0 (`wpp-info` lists them)\n"
    "      --range=A:B        only events A to B-1 of the thread, thread 0 if none is chosen; places as\n"
    "                         wpp-dump takes them; A:+N are N events from A on\n"
    "      --routine=NAME     only routine NAME; costs and timelines: and all that it called\n"
    "      --limit=N          stacks: look at the N dearest calling contexts (default 100k); calls in\n"
    "                         order: show the N longest (default 100k); callgraph: N routines (default 60)\n"
    "      --depth=N          stacks and calls: only N deep (default 500)\n"
    "      --no-inlined       stacks without frames of inlined functions\n"
    "      --no-demangle      assembler names instead of those of the C++ source\n"
    "      --lcov=FORM        the tracefile's form: 1 (default), which lcov 1 and 2 read; 2.2\n"
    "      --executed-only    coverage without what no run executed: the program need not be there\n"
    "      --no-marks         coverage also of code that marks exclude, as LCOV_EXCL_LINE\n"
    "      --map=OLD=NEW      look for the program's files and sources of the folder OLD in NEW\n"
    "  -o, --output=FILE      write to FILE instead of standard output; gzip, if it ends in .gz\n"
    "  -f, --force            replace FILE if it exists\n"
    "  -h, --help             print this text\n"
    "  -V, --version          print the version\n"
    "\n"
    "Instructions are GCC's estimate when it compiled the program; on a timeline one takes a\n"
    "nanosecond.\n"
    "Path profiles have no order: they become coverage, flow graphs, and callgrind files without calls.\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 a file is damaged, holds an incomplete\n"
    "run, or a module is not there.\n";

enum {
    NEEDS_ORDER = 1,
    CALLEES = 2,                   /* --routine brings what the routine called */
    BINARY = 4,
    ONE_ROUTINE = 8
};

static const struct format {
    const char *name;
    bool (*write)(struct export_run *);        /* or */
    bool (*cover)(struct export_coverage *);
    unsigned is;
    uint64_t limit;                /* the default; 0: the format has none */
} formats[] = {
    {"callgrind", export_callgrind, NULL, CALLEES, 0},
    {"folded", export_folded, NULL, NEEDS_ORDER | CALLEES, 100000},
    {"speedscope", export_speedscope, NULL, NEEDS_ORDER | CALLEES, 100000},
    {"chrome", export_chrome, NULL, NEEDS_ORDER | CALLEES, 100000},
    {"perfetto", export_perfetto, NULL, NEEDS_ORDER | CALLEES | BINARY, 100000},
    {"pprof", export_pprof, NULL, NEEDS_ORDER | CALLEES | BINARY, 100000},
    {"firefox", export_firefox, NULL, NEEDS_ORDER | CALLEES, 100000},
    {"callgraph", export_call_graph, NULL, NEEDS_ORDER | CALLEES, 60},
    {"flowgraph", export_flow_graph, NULL, ONE_ROUTINE, 0},
    {"lcov", NULL, export_lcov, 0, 0},
    {"gcov", NULL, export_gcov, 0, 0},
    {"cobertura", NULL, export_cobertura, 0, 0},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

struct request {
    const char *path, *output, *thread, *routine, *limit;
    const struct format *to;
    struct run_range range;
    struct export_options options;
    struct coverage_input input;   /* its files are the tool's */
    struct coverage_options from;
    bool force, lcov_2, cover_option;
};

enum {
    OPT_TO = 0x100, OPT_THREAD, OPT_RANGE, OPT_ROUTINE, OPT_LIMIT, OPT_DEPTH, OPT_NO_INLINED,
    OPT_NO_DEMANGLE, OPT_LCOV, OPT_EXECUTED, OPT_NO_MARKS, OPT_MAP
};
static const struct option options[] = {
    {"to", required_argument, NULL, OPT_TO},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"range", required_argument, NULL, OPT_RANGE},
    {"routine", required_argument, NULL, OPT_ROUTINE},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"depth", required_argument, NULL, OPT_DEPTH},
    {"no-inlined", no_argument, NULL, OPT_NO_INLINED},
    {"no-demangle", no_argument, NULL, OPT_NO_DEMANGLE},
    {"lcov", required_argument, NULL, OPT_LCOV},
    {"executed-only", no_argument, NULL, OPT_EXECUTED},
    {"no-marks", no_argument, NULL, OPT_NO_MARKS},
    {"map", required_argument, NULL, OPT_MAP},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    TOOL_OPTIONS
};

static const struct format *parse_format(const char *text)
{
    const char *names[N_FORMATS + 1] = {0};

    for (size_t i = 0; i < N_FORMATS; i++)
        names[i] = formats[i].name;
    return &formats[tool_choice_argument("--to", text, names)];
}

static uint32_t parse_depth(const char *text)
{
    uint64_t n = tool_count_argument("--depth", text);

    if (n < 1 || n > 100000)
        tool_usage("--depth: %s is not from 1 to 100,000", text);
    return (uint32_t)n;
}

/* Those that only coverage has. */
static void parse_cover_option(struct request *r, int option)
{
    static const char *const forms[] = {"1", "2.2", NULL};

    r->cover_option = true;
    switch (option) {
    case OPT_LCOV:        r->lcov_2 = tool_choice_argument("--lcov", optarg, forms) == 1; break;
    case OPT_EXECUTED:    r->from.executed_only = true; break;
    case OPT_NO_MARKS:    r->from.no_marks = true; break;
    case OPT_MAP:         coverage_input_map(&r->from, optarg); break;
    }
}

static void parse_option(struct request *r, int option)
{
    switch (option) {
    case OPT_TO:          r->to = parse_format(optarg); break;
    case OPT_THREAD:      r->thread = optarg; break;
    case OPT_RANGE:       run_range_parse(&r->range, optarg); break;
    case OPT_ROUTINE:     r->routine = optarg; break;
    case OPT_LIMIT:       r->limit = optarg; break;
    case OPT_DEPTH:       r->options.depth = parse_depth(optarg); break;
    case OPT_NO_INLINED:  r->options.inlined = false; break;
    case OPT_NO_DEMANGLE: r->options.assembler_names = true; break;
    case 'o':             r->output = optarg; break;
    case 'f':             r->force = true; break;
    case 'h':             tool_help(help);
    case 'V':             tool_version();
    default:              parse_cover_option(r, option);
    }
}

static void check_options(struct request *r)
{
    if (!r->to)
        tool_usage("--to=FORMAT says what to write");
    if (r->input.n_files > 1 && (!r->to->cover || r->thread || r->range.text))
        tool_usage("more than one file given: only coverage of whole runs is summed");
    if (r->cover_option && !r->to->cover)
        tool_usage("--lcov, --executed-only, --no-marks and --map go with lcov, gcov and cobertura");
    if (r->to->is & ONE_ROUTINE && !r->routine)
        tool_usage("--to=%s is of one routine: --routine=NAME says which", r->to->name);
    if (r->limit && r->to->limit == 0)
        tool_usage("--limit does not go with --to=%s, which has all", r->to->name);
    r->options.limit = r->limit ? tool_count_argument("--limit", r->limit) : r->to->limit;
    if (r->limit && r->options.limit == 0)
        tool_usage("--limit: there would be nothing to write");
    if (r->to->is & BINARY && !r->output)
        tool_refuse_terminal(STDOUT_FILENO, r->to->name);
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    while ((option = tool_option(argc, argv, "o:fhV", options)) != -1)
        parse_option(r, option);
    r->input.options = &r->from;
    r->input.files = argv + optind;
    r->input.n_files = argc - optind;
    if (r->input.n_files == 0)
        tool_usage("no file given");
    r->path = argv[optind];
    check_options(r);
}

/* ---- Which part of the run ------------------------------------------------------------------------ */

static void find_thread(wpp *w, struct request *r)
{
    uint32_t n = wpp_grammar(w)->n_threads;
    uint64_t thread = r->thread ? tool_count_argument("--thread", r->thread) : 0;

    if (r->thread && thread >= n)
        tool_die(TOOL_ERROR, "%s: no thread %s; it has %u, counted from 0", r->path, r->thread, n);
    if ((!r->thread && !r->range.text) || n == 0)
        return;
    r->options.thread = (uint32_t)thread;
    r->options.ranged = r->range.text != NULL;
    if (r->options.ranged)
        run_range_events(&r->range, w, r->path, (uint32_t)thread, &r->options.begin, &r->options.end);
}

static void find_routines(const wpp *w, struct request *r)
{
    if (!r->routine)
        return;
    r->options.chosen = tool_choose_routines(w, r->routine);
    if (!r->options.chosen)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed", r->path, r->routine);
}

static wpp *open_input(struct request *r)
{
    wpp *w = profile_input_open_program(r->path);
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (run.is_profile && (r->to->is & NEEDS_ORDER || r->thread || r->range.text))
        tool_die(TOOL_ERROR, "%s is a path profile: it has no order of paths, and %s needs it", r->path,
                 r->to->is & NEEDS_ORDER ? r->to->name : r->range.text ? "--range" : "--thread");
    r->options.callees = r->to->is & CALLEES && !run.is_profile;
    return w;
}

/* ---- Output ------------------------------------------------------------------------------------------ */

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

/* Text is collected in memory if it is to be compressed. */
struct sink {
    FILE *out;
    char *text;
    size_t size;
};

static void begin_sink(struct sink *s, const struct request *r)
{
    *s = (struct sink){.out = stdout};
    if (r->output && ends_in(r->output, ".gz") && r->to->write != export_pprof)
        s->out = open_memstream(&s->text, &s->size);
    if (!s->out)
        tool_die_of_memory();
}

/* False: no memory. */
static bool end_sink(struct sink *s)
{
    bool ok = true;

    if (s->out != stdout)
        ok = fclose(s->out) == 0 && gzip_put(stdout, s->text, s->size);
    free(s->text);
    return ok;
}

static void end_output(struct wpp_output *out, const struct request *r, bool written)
{
    tool_stage_end();
    if (!written) {
        wpp_output_abandon(out);
        tool_die_of_memory();
    }
    tool_output_keep(out, r->output);
    tool_finish(TOOL_OK);
}

/* ---- The whole ---------------------------------------------------------------------------------------- */

static int export_whole_run(struct request *r)
{
    struct export_run run;
    struct wpp_output *out;
    struct wpp_error error;
    struct sink sink;
    int status;
    bool ok;
    wpp *w = open_input(r);

    find_thread(w, r);
    find_routines(w, r);
    tool_stage("following the calls of the run");
    if (!export_run_new(&run, w, &r->options, &error))
        tool_die_error(&error);
    run.path = r->path;
    out = tool_output_redirect(r->output, r->force, r->path);
    begin_sink(&sink, r);
    run.out = sink.out;
    tool_stage("writing %s", r->to->name);
    ok = r->to->write(&run);
    end_output(out, r, end_sink(&sink) && ok);
    if (run.note[0])
        tool_warn("%s", run.note);
    export_run_free(&run);
    free((void *)r->options.chosen);
    tool_say_changed_sources(w);
    status = tool_say_incomplete(r->path, w);
    wpp_close(w);
    return status;
}

/* The counts of a thread or range of the only input. */
static void merge_part(struct request *r)
{
    wpp *w = (wpp *)r->input.inputs[0].w;      /* the tool's own */
    struct wpp_summary summary;
    struct export_run part;
    struct wpp_error error;

    wpp_get_summary(w, &summary);
    if (summary.is_profile)
        tool_die(TOOL_ERROR, "%s is a path profile: it has no order of paths, and %s needs it", r->path,
                 r->range.text ? "--range" : "--thread");
    find_thread(w, r);
    tool_stage("following the calls of the run");
    if (!export_run_new(&part, w, &r->options, &error))
        tool_die_error(&error);
    coverage_input_merge(&r->input, part.count);
    export_run_free(&part);
}

static int export_whole_coverage(struct request *r)
{
    struct export_coverage x = {.c = &r->input.coverage, .lcov_2 = r->lcov_2};
    struct wpp_summary summary;
    struct wpp_output *out;
    struct sink sink;
    bool *chosen, ok;
    int status;

    coverage_input_open(&r->input);
    if (r->thread || r->range.text)
        merge_part(r);
    else
        coverage_input_merge(&r->input, NULL);
    wpp_get_summary(r->input.inputs[0].w, &summary);
    x.time = summary.started;
    chosen = r->routine ? coverage_input_choose(x.c, r->routine) : NULL;
    x.chosen = chosen;
    out = tool_output_redirect(r->output, r->force, r->path);
    begin_sink(&sink, r);
    x.out = sink.out;
    tool_stage("writing %s", r->to->name);
    ok = r->to->cover(&x);
    end_output(out, r, end_sink(&sink) && ok);
    free(chosen);
    status = coverage_input_close(&r->input);
    wpp_moved_free(&r->from.moved);
    return status;
}

int main(int argc, char **argv)
{
    struct request r = {.options = {.thread = UINT32_MAX, .inlined = true, .depth = 500}};

    tool_init("wpp-export");
    parse_options(argc, argv, &r);
    return r.to->cover ? export_whole_coverage(&r) : export_whole_run(&r);
}
