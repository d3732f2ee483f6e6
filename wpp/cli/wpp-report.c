/* SPDX-License-Identifier: MIT */
/* wpp-report - shows where a run's instructions went: routines, loops, lines, and callers. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/html-page.h"
#include "wpp/cli/table-output.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/line-costs.h"
#include "wpp/profile/line-counts.h"
#include "wpp/profile/profile-report.h"
#include "wpp/replay/source-files.h"

static const char help[] =
    "Usage: wpp-report [OPTION]... FILE.wpp\n"
    "       wpp-report --html -o PAGE.html [-f] [--no-source] FILE.wpp [FILE2.wpp]\n"
    "Shows where a recorded run spent its instructions: routines with what they called\n"
    "(inclusive) and without (self), loops, source lines.  FILE `-` is standard input.\n"
    "\n"
    "What to show (default: routines, loops and lines):\n"
    "      --routines         routines, and the functions that the compiler inlined\n"
    "      --loops            loops: how often entered, iterations, mean iterations per entry\n"
    "      --lines            source lines\n"
    "      --tree             the tree of calls from main on\n"
    "      --caller=NAME      the tree of calls below routine NAME\n"
    "      --callee=NAME      what called NAME: the tree of its callers\n"
    "\n"
    "      --top=N            rows of a table (default 20 routines, 10 loops, 10 lines; 0: all)\n"
    "      --sort=KEY         order of routines: inclusive (default), self, calls, name\n"
    "      --min-share=P      trees: only calls with P % of what the roots cost (default 1)\n"
    "      --depth=N          trees: only N calls deep (default 20)\n"
    "      --thread=N         only thread N, counted from 0 (`wpp-info` lists them)\n"
    "      --format=F         text (default), json, csv; json and csv have all rows\n"
    "      --full-names       C++ names in full, lines as long as need be\n"
    "      --color=WHEN       auto (default), always, never\n"
    "\n"
    "      --html             write one HTML file with the whole run in it: open it in a browser and\n"
    "                         look at the report, a timeline, the source, each event; of two runs\n"
    "                         also how they differ\n"
    "  -o, --output=PAGE      the file to write, `-` is standard output\n"
    "  -f, --force            replace PAGE if it exists\n"
    "      --no-source        no source text in the page\n"
    "\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Instructions are GCC's estimate when it compiled the program.  A routine that calls itself\n"
    "counts once in its inclusive cost.\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 the file is damaged or what it holds is "
    "incomplete.\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
enum tables { ROUTINES = 1, LOOPS = 2, LINES = 4, TREE = 8 };

struct request {
    const char *path, *path2, *thread, *caller, *callee, *color, *output;
    unsigned tables;
    enum profile_sort sort;
    enum format format;
    uint64_t top;
    bool top_given, full_names, html, force, no_source, about_text;
    double min_share;
    uint32_t depth;
};

enum {
    OPT_ROUTINES = 0x100, OPT_LOOPS, OPT_LINES, OPT_TREE, OPT_CALLER, OPT_CALLEE, OPT_TOP, OPT_SORT,
    OPT_MIN_SHARE, OPT_DEPTH, OPT_THREAD, OPT_FORMAT, OPT_FULL_NAMES, OPT_COLOR,
    OPT_HTML, OPT_NO_SOURCE
};
static const struct option options[] = {
    {"routines", no_argument, NULL, OPT_ROUTINES},
    {"loops", no_argument, NULL, OPT_LOOPS},
    {"lines", no_argument, NULL, OPT_LINES},
    {"tree", no_argument, NULL, OPT_TREE},
    {"caller", required_argument, NULL, OPT_CALLER},
    {"callee", required_argument, NULL, OPT_CALLEE},
    {"top", required_argument, NULL, OPT_TOP},
    {"sort", required_argument, NULL, OPT_SORT},
    {"min-share", required_argument, NULL, OPT_MIN_SHARE},
    {"depth", required_argument, NULL, OPT_DEPTH},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"full-names", no_argument, NULL, OPT_FULL_NAMES},
    {"color", required_argument, NULL, OPT_COLOR},
    {"html", no_argument, NULL, OPT_HTML},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"no-source", no_argument, NULL, OPT_NO_SOURCE},
    TOOL_OPTIONS
};

static uint32_t parse_depth(const char *text)
{
    uint64_t n = tool_count_argument("--depth", text);

    if (n < 1 || n > 10000)
        tool_usage("--depth: %s is not from 1 to 10000", text);
    return (uint32_t)n;
}

static void parse_option(struct request *r, int option)
{
    static const char *const sorts[] = {"inclusive", "self", "calls", "name", NULL};
    static const char *const formats[] = {"text", "json", "csv", NULL};

    switch (option) {
    case OPT_ROUTINES:   r->tables |= ROUTINES; break;
    case OPT_LOOPS:      r->tables |= LOOPS; break;
    case OPT_LINES:      r->tables |= LINES; break;
    case OPT_TREE:       r->tables |= TREE; break;
    case OPT_CALLER:     r->caller = optarg; r->tables |= TREE; break;
    case OPT_CALLEE:     r->callee = optarg; r->tables |= TREE; break;
    case OPT_TOP:        r->top = tool_count_argument("--top", optarg); r->top_given = true; break;
    case OPT_SORT:       r->sort = tool_choice_argument("--sort", optarg, sorts); break;
    case OPT_MIN_SHARE:  r->min_share = tool_share("--min-share", optarg); break;
    case OPT_DEPTH:      r->depth = parse_depth(optarg); break;
    case OPT_THREAD:     r->thread = optarg; break;
    case OPT_FORMAT:     r->format = tool_choice_argument("--format", optarg, formats); break;
    case OPT_FULL_NAMES: r->full_names = true; break;
    case OPT_COLOR:      r->color = optarg; break;
    case OPT_HTML:       r->html = true; break;
    case 'o':            r->output = optarg; break;
    case 'f':            r->force = true; break;
    case OPT_NO_SOURCE:  r->no_source = true; break;
    case 'h':            tool_help(help);
    case 'V':            tool_version();
    }
}

/* The page has all tables: the other options choose what a text shows. */
static void check_html(const struct request *r, int n_files)
{
    if (r->html) {
        if (r->about_text)
            tool_usage("--html: the page shows all; of the other options only -o, -f, --no-source go with it");
        if (!r->output)
            tool_usage("--html: say where to write the page (-o PAGE.html)");
        if (n_files > 2)
            tool_usage("more than two files given");
        if (wpp_output_is_standard(r->output))
            tool_refuse_terminal(STDOUT_FILENO, "a page");
    } else if (r->output || r->force || r->no_source) {
        tool_usage("%s goes with --html only", r->output ? "-o" : r->force ? "-f" : "--no-source");
    }
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option, n;

    while ((option = tool_option(argc, argv, "hVo:f", options)) != -1) {
        parse_option(r, option);
        r->about_text = r->about_text
                     || (option != OPT_HTML && option != 'o' && option != 'f' && option != OPT_NO_SOURCE);
    }
    n = argc - optind;
    check_html(r, n);
    if (n < 1 || (n > 1 && !r->html))
        tool_usage(n < 1 ? "no file given" : "more than one file given");
    r->path = argv[optind];
    r->path2 = n > 1 ? argv[optind + 1] : NULL;
    if (r->caller && r->callee)
        tool_usage("--caller and --callee show different trees");
    if (!r->tables)
        r->tables = ROUTINES | LOOPS | LINES;
    if (r->top_given && r->top == 0)
        r->top = UINT64_MAX;
    if (r->format != FORMAT_TEXT && !r->top_given)
        r->top = UINT64_MAX;
}

static uint32_t find_thread(const wpp *w, const struct request *r)
{
    struct wpp_summary run;
    uint64_t n;

    if (!r->thread)
        return UINT32_MAX;
    n = tool_count_argument("--thread", r->thread);
    wpp_get_summary(w, &run);
    if (n >= run.n_threads)
        tool_die(TOOL_ERROR, "%s has %u thread%s, there is no thread %s", r->path, run.n_threads,
                 run.n_threads == 1 ? "" : "s", r->thread);
    return (uint32_t)n;
}

static uint32_t rows(const struct request *r, uint32_t by_default, uint64_t all)
{
    uint64_t top = r->top ? r->top : by_default;

    return (uint32_t)(all < top ? all : top);
}

/* ---- Routines and loops ------------------------------------------------------------------- */

/* Global for qsort's comparison; a process makes one report. */
static const struct parts *sorted_parts;

static int by_calls(const void *a, const void *b)
{
    const struct part *x = &sorted_parts->part[*(const uint32_t *)a];
    const struct part *y = &sorted_parts->part[*(const uint32_t *)b];

    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
    const struct part *x = &sorted_parts->part[*(const uint32_t *)a];
    const struct part *y = &sorted_parts->part[*(const uint32_t *)b];
    int order = strcmp(x->shown, y->shown);

    return order ? order : x < y ? -1 : x > y;
}

static void take_functions(struct profile_report *out, struct parts *p, const struct request *r)
{
    bool inclusive = r->sort == SORT_INCLUSIVE;
    uint32_t n, *number;

    number = parts_ranked(p, 0, p->n_functions, inclusive,
                          inclusive ? rows(r, 20, p->n_functions) : 0, &n);
    if (!number)
        tool_die_of_memory();
    sorted_parts = p;
    if (n > 0 && (r->sort == SORT_CALLS || r->sort == SORT_NAME))
        qsort(number, n, sizeof *number, r->sort == SORT_CALLS ? by_calls : by_name);
    out->function = number;
    out->all_functions = n;
    out->n_functions = rows(r, 20, n);
    if (!parts_exact(p, number, out->n_functions))
        tool_die_of_memory();
}

static void take_loops(struct profile_report *out, struct parts *p, const struct request *r)
{
    uint32_t n;

    out->loop = parts_ranked(p, p->n_functions, p->n, true, rows(r, 10, p->n - p->n_functions), &n);
    if (!out->loop)
        tool_die_of_memory();
    out->all_loops = n;
    out->n_loops = rows(r, 10, n);
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static int dearest_line(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    int order;

    if (x->insns != y->insns)
        return x->insns > y->insns ? -1 : 1;
    order = strcmp(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static uint64_t executions_of(const struct line_counts *counts, const char *file, uint32_t line)
{
    size_t low = 0, high = counts->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct line_count *c = &counts->item[middle];
        int order = strcmp(c->file, file);

        if (order == 0 ? c->line < line : order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < counts->n && counts->item[low].line == line
        && strcmp(counts->item[low].file, file) == 0 ? counts->item[low].count : 0;
}

static bool count_lines(const struct run_costs *c, struct line_counts *counts)
{
    uint32_t n = wpp_grammar(c->w)->n_terminals;
    uint64_t *times = calloc(n + (size_t)1, sizeof *times);
    bool ok;

    for (uint32_t t = 0; times && t < n; t++)
        times[t] = (uint64_t)c->count[t];
    ok = times && line_counts_of(c->w, times, LINE_EXECUTIONS, counts);
    free(times);
    return ok;
}

/* Gives files the same names as line-counts does. */
static bool name_files(const struct line_costs *line_costs, struct source_files *files,
                       uint32_t *number)
{
    for (size_t i = 0; i < line_costs->n; i++) {
        number[i] = source_files_add(files, line_costs->file[i].directory,
                                     line_costs->file[i].name);
        if (number[i] == SOURCE_FILE_NONE)
            return false;
    }
    return source_files_name(files);
}

/* Merges lines of two names of one file. */
static size_t merge_lines(struct profile_line *line, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        struct profile_line *last = kept ? &line[kept - 1] : NULL;

        if (last && last->line == line[i].line && strcmp(last->file, line[i].file) == 0)
            last->insns += line[i].insns;
        else
            line[kept++] = line[i];
    }
    return kept;
}

static int by_place(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    int order = strcmp(x->file, y->file);

    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static void take_lines(struct profile_report *out, const struct request *r, uint32_t thread,
                       struct source_files *files)
{
    struct line_costs line_costs;
    struct line_counts counts;
    struct profile_line *line;
    size_t n = 0;

    if (!line_costs_measure(&line_costs, out->w, thread) || !count_lines(out->costs, &counts))
        tool_die_of_memory();
    for (size_t i = 0; i < line_costs.n; i++)
        n += line_costs.file[i].n;
    line = calloc(n + 1, sizeof *line);
    uint32_t *number = calloc(line_costs.n + 1, sizeof *number);
    if (!line || !number || !name_files(&line_costs, files, number))
        tool_die_of_memory();
    n = 0;
    for (size_t i = 0; i < line_costs.n; i++)
        for (size_t k = 0; k < line_costs.file[i].n; k++)
            if (line_costs.file[i].line[k].insns > 0)
                line[n++] = (struct profile_line){files->file[number[i]].name,
                                                  line_costs.file[i].line[k].line,
                                                  line_costs.file[i].line[k].insns, 0};
    qsort(line, n, sizeof *line, by_place);
    n = merge_lines(line, n);
    qsort(line, n, sizeof *line, dearest_line);
    out->line = line;
    out->all_lines = n;
    out->n_lines = rows(r, 10, n);
    for (size_t i = 0; i < out->n_lines; i++)
        line[i].executions = executions_of(&counts, line[i].file, line[i].line);
    free(number);
    line_costs_free(&line_costs);
    line_counts_free(&counts);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Chooses the routines with that name; dies if there is none. */
static bool *choose(const wpp *w, const char *option, const char *asked)
{
    bool *chosen = tool_choose_routines(w, asked);

    if (!chosen)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed (an inlined function has no calls)",
                 option, asked);
    return chosen;
}

static void take_contexts(struct profile_report *out, const struct request *r,
                          struct call_contexts *contexts)
{
    bool *chosen = r->caller ? choose(out->w, "--caller", r->caller)
                 : r->callee ? choose(out->w, "--callee", r->callee) : NULL;
    struct context_limits limits = {
        .share = r->min_share / 100, .depth = r->depth
    };
    bool ok = r->callee ? contexts_above(contexts, out->costs, chosen, limits)
                        : contexts_below(contexts, out->costs, chosen, limits);

    free(chosen);
    if (!ok)
        tool_die_of_memory();
    out->contexts = contexts;
    out->callers = r->callee;
}

/* ---- main ------------------------------------------------------------------------------------ */

static void report(const wpp *w, const struct request *r)
{
    static bool (*const views[])(const struct profile_report *) = {
        [FORMAT_TEXT] = profile_text, [FORMAT_JSON] = profile_json, [FORMAT_CSV] = profile_csv
    };
    struct profile_report out = {
        .w = w, .path = r->path
    };
    bool color = tool_color(r->color);
    uint32_t thread = find_thread(w, r);
    struct call_tree tree;
    struct run_costs costs;
    struct parts parts = {0};
    struct call_contexts contexts = {0};
    struct source_files files = {0};
    struct wpp_error error;

    struct source_changes changes = {0};

    if (r->format == FORMAT_JSON && !source_changes_find(&changes, w))
        tool_die_of_memory();
    out.changes = &changes;
    tool_stage("following the calls of the run");
    if (!call_tree_new(&tree, w, &error))
        tool_die_error(&error);
    if (!run_costs_new(&costs, w, &tree, thread))
        tool_die_of_memory();
    out.costs = &costs;
    out.thread = thread;
    tool_stage("adding up costs");
    if (r->tables & (ROUTINES | LOOPS) && !parts_new(&parts, &costs))
        tool_die_of_memory();
    out.parts = &parts;
    if (r->tables & TREE)
        take_contexts(&out, r, &contexts);
    if (r->tables & ROUTINES)
        take_functions(&out, &parts, r);
    if (r->tables & LOOPS)
        take_loops(&out, &parts, r);
    if (r->tables & LINES)
        take_lines(&out, r, thread, &files);
    tool_stage_end();
    out.text = table_output_begin(r->format == FORMAT_TEXT, r->full_names, color);
    if (!views[r->format](&out))
        tool_die_of_memory();
    table_output_end(&out.text);
    source_changes_free(&changes);
    free((void *)out.function);
    free((void *)out.loop);
    free((void *)out.line);
    source_files_free(&files);
    contexts_free(&contexts);
    parts_free(&parts);
    run_costs_free(&costs);
    call_tree_free(&tree);
}

static int write_page(const struct request *r)
{
    const char *const path[] = {r->path, r->path2};
    struct html_page_request page = {
        .path = path, .n = r->path2 ? 2 : 1, .output = r->output, .force = r->force, .no_sources = r->no_source
    };

    return html_page_write(&page);
}

int main(int argc, char **argv)
{
    struct request r = {.min_share = 1, .depth = 20};
    struct wpp_summary run;
    int status;
    wpp *w;

    tool_init("wpp-report");
    parse_options(argc, argv, &r);
    if (r.html)
        return write_page(&r);
    w = tool_open(r.path);
    tool_need_order(r.path, w);
    wpp_get_summary(w, &run);
    if (run.n_routines == 0 && run.tokens > 0)
        tool_die(TOOL_ERROR, "%s has no routines: it holds plain symbols", r.path);
    report(w, &r);
    tool_finish(TOOL_OK);
    tool_say_changed_sources(w);
    tool_say_death(w);
    status = tool_say_incomplete(r.path, w);
    wpp_close(w);
    return status;
}
