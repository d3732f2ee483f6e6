/* SPDX-License-Identifier: MIT */
/* wpp-hot - the hot subpaths of a recorded run, in source lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report.h"
#include "wpp/tool.h"

static const char help[] =
    "Usage: wpp-hot [OPTION]... FILE.wpp\n"
    "Finds the hot subpaths of a run: short sequences of acyclic paths that were\n"
    "executed one after the other and together cost much.  FILE `-`: standard input.\n"
    "\n"
    "What is hot\n"
    "  -c, --min-cost=N|P%      a subpath costs at least N (k, M, G), or P percent of\n"
    "                           the run; left out: what gives about 20 answers\n"
    "  -l, --min-length=N       paths in a subpath, at least (10)\n"
    "  -L, --max-length=N       and at most (100)\n"
    "      --cost=WHAT          insns (default), blocks or paths\n"
    "      --thread=N           only the thread of this index (wpp-info lists them)\n"
    "      --algorithm=WHICH    larus (default): one walk over the grammar, subpaths\n"
    "                           that do not overlap, frequencies are lower bounds;\n"
    "                           exact: all minimal hot subpaths, exact frequencies\n"
    "\n"
    "What is printed\n"
    "  -n, --top=N              the N hottest (20)\n"
    "      --format=text|json|csv\n"
    "      --rotations          with exact: a loop begun at each of its paths, not once\n"
    "      --source=DIR         look for source files below DIR first\n"
    "      --color=WHEN         auto (default), always, never\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 the file is damaged or the trace it was\n"
    "made from was incomplete.\n";

enum cost_kind { COST_INSNS, COST_BLOCKS, COST_PATHS };

static const char *const cost_names[] = { "insns", "blocks", "paths", NULL };
static const char *const cost_units[] = { "instructions", "blocks", "paths" };
static const char *const algorithms[] = { "larus", "exact", NULL };    /* enum hot_algorithm */
static const char *const formats[] = { "text", "json", "csv", NULL };
static bool (*const reports[])(const struct report *) = { report_text, report_json, report_csv };

struct options {
    struct hot_config config;
    double percent;             /* of the run's cost; 0: not given so */
    enum cost_kind cost;
    unsigned format;            /* index of formats */
    bool rotations;
    size_t top;
    const char *source;
    const char *color;
    const char *file;
};

/* ---- Options ------------------------------------------------------------------------ */

static void parse_min_cost(struct options *o, const char *text)
{
    char *end;

    o->percent = 0;
    o->config.min_cost = 0;
    if (text[0] && text[strlen(text) - 1] == '%') {
        errno = 0;
        o->percent = strtod(text, &end);
        if (errno || strcmp(end, "%") != 0 || !(o->percent > 0 && o->percent <= 100))
            tool_usage("--min-cost: `%s` is not a share like 0.5%%", text);
        return;
    }
    o->config.min_cost = tool_count_argument("--min-cost", text);
    if (!o->config.min_cost)
        tool_usage("--min-cost: must be at least 1");
}

static uint32_t small_argument(const char *option, const char *text, uint32_t least, uint32_t most)
{
    uint64_t n = tool_count_argument(option, text);

    if (n < least || n > most)
        tool_usage("%s: %s is not between %u and %u", option, text, least, most);
    return (uint32_t)n;
}

enum { OPT_COST = 256, OPT_THREAD, OPT_ALGORITHM, OPT_FORMAT, OPT_SOURCE, OPT_COLOR,
       OPT_ROTATIONS };

static void parse_option(struct options *o, int option)
{
    switch (option) {
    case 'c':
        parse_min_cost(o, optarg);
        break;
    case 'l':
        o->config.min_length = small_argument("--min-length", optarg, 1, HOT_LENGTH_MAX);
        break;
    case 'L':
        o->config.max_length = small_argument("--max-length", optarg, 1, HOT_LENGTH_MAX);
        break;
    case 'n':
        o->top = tool_count_argument("--top", optarg);
        break;
    case OPT_COST:
        o->cost = tool_choice_argument("--cost", optarg, cost_names);
        break;
    case OPT_THREAD:
        o->config.thread = small_argument("--thread", optarg, 0, HOT_ALL_THREADS - 1);
        break;
    case OPT_ALGORITHM:
        o->config.algorithm = tool_choice_argument("--algorithm", optarg, algorithms);
        break;
    case OPT_FORMAT:
        o->format = tool_choice_argument("--format", optarg, formats);
        break;
    case OPT_ROTATIONS:
        o->rotations = true;
        break;
    case OPT_SOURCE:
        o->source = optarg;
        break;
    case OPT_COLOR:
        o->color = optarg;
        break;
    case 'h':
        tool_help(help);
    case 'V':
        tool_version();
    }
}

static void parse_options(struct options *o, int argc, char **argv)
{
    static const struct option table[] = {
        {"min-cost", required_argument, NULL, 'c'},
        {"min-length", required_argument, NULL, 'l'},
        {"max-length", required_argument, NULL, 'L'},
        {"top", required_argument, NULL, 'n'},
        {"cost", required_argument, NULL, OPT_COST},
        {"thread", required_argument, NULL, OPT_THREAD},
        {"algorithm", required_argument, NULL, OPT_ALGORITHM},
        {"format", required_argument, NULL, OPT_FORMAT},
        {"rotations", no_argument, NULL, OPT_ROTATIONS},
        {"source", required_argument, NULL, OPT_SOURCE},
        {"color", required_argument, NULL, OPT_COLOR},
        TOOL_OPTIONS
    };
    int option;

    while ((option = tool_option(argc, argv, "c:l:L:n:hV", table)) != -1)
        parse_option(o, option);
    if (optind + 1 != argc)
        tool_usage(optind == argc ? "which WPP file?" : "one WPP file at a time");
    if (o->config.min_length > o->config.max_length)
        tool_usage("--min-length %u is more than --max-length %u", o->config.min_length,
                   o->config.max_length);
    o->file = argv[optind];
}

/* ---- Costs ---------------------------------------------------------------------------- */

static uint64_t *costs_of(const wpp *w, enum cost_kind kind)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *cost = malloc(((size_t)n + 1) * sizeof *cost);

    for (uint32_t i = 0; cost && i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        /* A raw symbol has no blocks; it counts as one.  A control word ran nothing. */
        cost[i] = t->control ? 0 : kind == COST_INSNS ? t->insns
                  : kind == COST_BLOCKS && t->n_blocks ? t->n_blocks : 1;
    }
    return cost;
}

/* What `percent` of the analysed cost is; the sum over the threads analysed. */
static uint64_t share_of_run(const wpp *w, const uint64_t *cost, const struct options *o)
{
    struct hot_config probe = o->config;
    hot_result *r;
    double share;
    int status;

    probe.algorithm = HOT_LARUS;
    probe.min_cost = UINT64_MAX;        /* finds nothing, but adds everything up */
    status = hot_find(&r, wpp_grammar(w), cost, &probe);
    if (status != HOT_OK)
        tool_die(TOOL_ERROR, "%s: %s", o->file, hot_status_text(status));
    share = (double)hot_total_cost(r) * o->percent / 100;
    hot_free(r);
    return share < 1 ? 1 : share >= 0x1p64 ? UINT64_MAX : (uint64_t)share;
}

/* ---- Main ------------------------------------------------------------------------------ */

static hot_result *analyse(const wpp *w, struct options *o)
{
    uint64_t *cost = costs_of(w, o->cost);
    hot_result *result;
    int status;

    if (!cost)
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    if (o->percent > 0)
        o->config.min_cost = share_of_run(w, cost, o);
    status = hot_find(&result, wpp_grammar(w), cost, &o->config);
    if (status != HOT_OK)
        tool_die(TOOL_ERROR, "%s: %s", o->file, hot_status_text(status));
    free(cost);
    return result;
}

/* The subpaths to be shown, *n of them: each, or the first of each loop. */
static size_t *choose(const hot_result *result, bool rotations, size_t *n)
{
    size_t *shown = malloc((hot_count(result) + 1) * sizeof *shown);

    *n = 0;
    for (size_t i = 0; shown && i < hot_count(result); i++)
        if (rotations || hot_get(result, i).leader == i)
            shown[(*n)++] = i;
    return shown;
}

static void print(const wpp *w, const hot_result *result, const struct options *o)
{
    size_t n;
    size_t *shown = choose(result, o->rotations, &n);
    struct report report = {
        .out = stdout, .w = w, .file_name = o->file, .result = result, .config = &o->config,
        .cost_name = cost_names[o->cost], .cost_unit = cost_units[o->cost], .shown = shown,
        .n_shown = n < o->top ? n : o->top, .n_all = n, .color = tool_color(o->color),
        .sources = source_text_new(o->source),
    };

    if (!shown || !report.sources || !reports[o->format](&report))
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    source_text_free(report.sources);
    free(shown);
}

int main(int argc, char **argv)
{
    struct options o = {
        .config = { .size = sizeof o.config, .algorithm = HOT_LARUS, .min_length = 10,
                    .max_length = 100, .wanted = 20, .thread = HOT_ALL_THREADS },
        .top = 20,
    };
    struct wpp_error error;
    struct wpp_summary run;
    hot_result *result;
    wpp *w;

    tool_init("wpp-hot");
    parse_options(&o, argc, argv);
    w = wpp_open(o.file, &error);
    if (!w)
        tool_die_error(&error);
    wpp_get_summary(w, &run);
    if (o.config.thread != HOT_ALL_THREADS && o.config.thread >= run.n_threads)
        tool_die(TOOL_ERROR, "%s: no thread %u; it has %u, counted from 0", o.file,
                 o.config.thread, run.n_threads);
    result = analyse(w, &o);
    print(w, result, &o);
    hot_free(result);
    wpp_close(w);
    if (run.complete)
        return tool_finish(TOOL_OK);
    tool_finish(TOOL_OK);
    tool_warn("%s: the trace is incomplete; the answer is about what was recorded", o.file);
    return TOOL_INCOMPLETE;
}
