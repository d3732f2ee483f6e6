/* SPDX-License-Identifier: MIT */
/* wpp-hot - the hot subpaths of a recorded run, in source lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hotpaths/hotpaths.h"
#include "hotpaths/report/query.h"
#include "hotpaths/report/report.h"
#include "wpp/base/clipped-output.h"
#include "wpp/cli/tool.h"

static const char help[] =
    "Usage: wpp-hot [OPTION]... FILE.wpp\n"
    "Finds the hot subpaths of a run: short sequences of acyclic paths that were\n"
    "executed one after the other and together cost much.  FILE `-`: standard input.\n"
    "\n"
    "What is hot\n"
    "  -c, --min-cost=N|P%      a subpath costs at least N (k, M, G), or P percent of\n"
    "                           the run; left out: what gives about 20 answers\n"
    "  -l, --min-length=N       paths in a subpath, at least (10, or -L if that is less)\n"
    "  -L, --max-length=N       and at most (100, or -l if that is more)\n"
    "      --cost=WHAT          insns (default), blocks, paths or time; insns are GCC's\n"
    "                           estimate of a block's instructions; time is what each\n"
    "                           path took on average, if the program was built to tell\n"
    "                           (WPP_PLUGIN_ARGS=time)\n"
    "      --thread=N           only the thread of this index (wpp-info lists them)\n"
    "      --algorithm=WHICH    exact (default): all minimal hot subpaths, exact\n"
    "                           frequencies; larus: one walk over the grammar, quicker,\n"
    "                           subpaths that do not overlap, frequencies are lower bounds\n"
    "      --no-sample          with exact: looks everywhere in a large file for what may be\n"
    "                           hot, not at a sample that hardly ever misses something\n"
    "\n"
    "What is printed\n"
    "  -n, --top=N              the N hottest (20)\n"
    "      --details[=N]        all paths of the first N answers; without N, of all answers\n"
    "                           (by default of three, about 40 executed lines of each)\n"
    "  -v, --verbose            also threads, all alternatives, and how answers were found:\n"
    "                           the minimal cost, what overlaps\n"
    "      --system             lines of system headers as they are\n"
    "      --full-names         C++ names in full, lines as long as need be\n"
    "      --format=text|json|csv\n"
    "      --rotations          with exact: a loop begun at each of its paths, not once\n"
    "      --extend             each made longer as long as it stays as frequent\n"
    "      --non-overlapping    count, and rank by, places that do not overlap; what is hot\n"
    "                           is decided with all places\n"
    "      --cover              for each, what share of the run it and those above it make\n"
    "                           up together\n"
    "      --callers            what came right before and behind, and how often\n"
    "      --source=DIR         look for source files below DIR first\n"
    "      --color=WHEN         auto (default), always, never\n"
    "\n"
    "The text: a table, a line for each answer, then the first three with their source.  An\n"
    "answer is a hot subpath, or several that are one loop with its alternatives: mostly the\n"
    "same paths in another order.\n"
    "  own    share of the run that is in this answer and in none above it\n"
    "  paths  share of its paths in the whole run, also apart and in another order\n"
    "  cost   of the answer, also of what answers above it have\n"
    "  times  executions of its first alternative; of a short loop, iterations\n"
    "  kind   loop; calls: a chain of calls; straight: code of one routine\n"
    "  where  function and lines, then other routines it runs through; `f in g`: f was\n"
    "         inlined into g\n"
    "  *      a line that was executed; code of system headers stands for the line of your\n"
    "         own that it was inlined into\n"
    "  ->     a call; `returns`: the path leaves its routine\n"
    "  x 9 (1/2.5/8)  nine times here; in the whole run 1 to 8 times in a row, 2.5 on average\n"
    "  A9 B   of alternatives: nine times the path with letter A, then B\n"
    "\n"
    "Other questions, which are answered instead\n"
    "      --annotate           source listings with what each line cost\n"
    "      --query='A before B' how often B came with an A since the B before it; A and B\n"
    "                           are a routine, routine/path or file:line\n"
    "      --query='before B'   which paths came right before B; or `behind B`\n"
    "\n"
    "  -h, --help\n"
    "  -V, --version\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the file is damaged or holds\n"
    "an incomplete run.\n";

enum cost_kind { COST_INSNS, COST_BLOCKS, COST_PATHS, COST_TIME };

static const char *const cost_names[] = { "insns", "blocks", "paths", "time", NULL };
static const char *const cost_units[] = { "instructions", "blocks", "paths", "ticks" };
static const char *const cost_origins[] = { "estimate of GCC", "count", "count", "clock" };
static const char *const cost_says[] = { " by GCC's estimate", "", "", " by the clock" };
static const char *const algorithms[] = { "larus", "exact", NULL };    /* enum hot_algorithm */
static const char *const formats[] = { "text", "json", "csv", NULL };
enum { FORMAT_TEXT };            /* the first of them */
static bool (*const reports[])(const struct report *) = { report_text, report_json, report_csv };

struct options {
    struct hot_config config;
    double percent;             /* of the run's cost; 0: not given as percent */
    enum cost_kind cost;
    unsigned format;            /* index of formats */
    bool rotations, extend, apart, cover, callers, annotate;
    bool verbose, system, full_names;
    uint64_t details;           /* how many answers are shown with their source */
    bool whole_details;         /* with all their paths */
    const char *query;
    const char *about_subpaths; /* the last option given that is about subpaths, or NULL */
    int algorithm;              /* index of algorithms */
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

static const char *directory_argument(const char *option, const char *text)
{
    struct stat s;

    if (stat(text, &s) != 0)
        tool_die(TOOL_ERROR, "%s: cannot look into %s: %s", option, text, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        tool_die(TOOL_ERROR, "%s: %s is no directory", option, text);
    return text;
}

enum { OPT_COST = 256, OPT_THREAD, OPT_ALGORITHM, OPT_FORMAT, OPT_SOURCE, OPT_COLOR,
       OPT_ROTATIONS, OPT_EXTEND, OPT_APART, OPT_COVER, OPT_CALLERS,
       OPT_ANNOTATE, OPT_QUERY, OPT_NO_SAMPLE, OPT_DETAILS, OPT_SYSTEM, OPT_FULL_NAMES };

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
        o->algorithm = (int)tool_choice_argument("--algorithm", optarg, algorithms);
        break;
    case OPT_FORMAT:
        o->format = tool_choice_argument("--format", optarg, formats);
        break;
    case OPT_NO_SAMPLE:
        o->config.no_sample = true;
        break;
    case OPT_ROTATIONS:
        o->rotations = true;
        break;
    case OPT_EXTEND:
        o->extend = true;
        break;
    case OPT_APART:
        o->apart = true;
        break;
    case OPT_COVER:
        o->cover = true;
        break;
    case OPT_CALLERS:
        o->callers = true;
        break;
    case OPT_DETAILS:
        o->whole_details = true;
        o->details = optarg ? tool_count_argument("--details", optarg) : UINT64_MAX;
        break;
    case 'v':
        o->verbose = true;
        break;
    case OPT_SYSTEM:
        o->system = true;
        break;
    case OPT_FULL_NAMES:
        o->full_names = true;
        break;
    case OPT_ANNOTATE:
        o->annotate = true;
        break;
    case OPT_QUERY:
        o->query = optarg;
        break;
    case OPT_SOURCE:
        o->source = directory_argument("--source", optarg);
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

/* Notes an option that is about finding or showing subpaths. */
static void note_subject(struct options *o, int option, const struct option *table)
{
    static const int of_all[] = { OPT_THREAD, OPT_SOURCE, OPT_COLOR, OPT_ANNOTATE, OPT_QUERY,
                                  OPT_SYSTEM, OPT_FULL_NAMES };

    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        if (option == of_all[i])
            return;
    while (table->name && table->val != option)
        table++;
    o->about_subpaths = table->name;
}

/* Sets lengths that were not given to the defaults, or to the given length beyond them. */
static void complete_lengths(struct hot_config *c)
{
    enum { MIN_LENGTH = 10, MAX_LENGTH = 100 };

    if (!c->max_length)
        c->max_length = c->min_length > MAX_LENGTH ? c->min_length : MAX_LENGTH;
    if (!c->min_length)
        c->min_length = c->max_length < MIN_LENGTH ? c->max_length : MIN_LENGTH;
}

static void refuse_conflicts(const struct options *o)
{
    if (o->annotate && o->query)
        tool_usage("--annotate and --query: one question at a time");
    if (o->annotate && o->cost != COST_INSNS)
        tool_usage("--annotate tells what lines cost in instructions, not by --cost=%s",
                   cost_names[o->cost]);
    if ((o->annotate || o->query) && o->about_subpaths)
        tool_usage("--%s is about hot subpaths, which %s does not look for", o->about_subpaths,
                   o->query ? "--query" : "--annotate");
    if ((o->extend || o->rotations) && o->algorithm == HOT_LARUS)
        tool_usage("%s: not with Larus' walk, which does not know how frequent a subpath is",
                   o->extend ? "--extend" : "--rotations");
    if (o->config.no_sample && o->algorithm == HOT_LARUS)
        tool_usage("--no-sample: Larus' walk takes none");
    if (o->config.min_length > o->config.max_length)
        tool_usage("--min-length %u is more than --max-length %u", o->config.min_length,
                   o->config.max_length);
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
        {"no-sample", no_argument, NULL, OPT_NO_SAMPLE},
        {"rotations", no_argument, NULL, OPT_ROTATIONS},
        {"extend", no_argument, NULL, OPT_EXTEND},
        {"non-overlapping", no_argument, NULL, OPT_APART},
        {"cover", no_argument, NULL, OPT_COVER},
        {"callers", no_argument, NULL, OPT_CALLERS},
        {"details", optional_argument, NULL, OPT_DETAILS},
        {"verbose", no_argument, NULL, 'v'},
        {"system", no_argument, NULL, OPT_SYSTEM},
        {"full-names", no_argument, NULL, OPT_FULL_NAMES},
        {"annotate", no_argument, NULL, OPT_ANNOTATE},
        {"query", required_argument, NULL, OPT_QUERY},
        {"source", required_argument, NULL, OPT_SOURCE},
        {"color", required_argument, NULL, OPT_COLOR},
        TOOL_OPTIONS
    };
    int option;

    while ((option = tool_option(argc, argv, "c:l:L:n:vhV", table)) != -1) {
        parse_option(o, option);
        note_subject(o, option, table);
    }
    if (optind + 1 != argc)
        tool_usage(optind == argc ? "which WPP file?" : "one WPP file at a time");
    complete_lengths(&o->config);
    refuse_conflicts(o);
    o->file = argv[optind];
}

/* ---- Costs ---------------------------------------------------------------------------- */

/* Average ticks of one execution; at least 1 if there were any. */
static bool set_mean_times(const wpp *w, uint64_t *cost)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *count = malloc(((size_t)n + 1) * sizeof *count);

    if (!count)
        return false;
    wpp_terminal_counts(w, count);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t ticks = wpp_terminal(w, i)->ticks;
        uint64_t mean = count[i] ? ticks / count[i] + (ticks % count[i] >= (count[i] + 1) / 2) : 0;

        cost[i] = mean == 0 && ticks > 0 ? 1 : mean;
    }
    free(count);
    return true;
}

/* How many routines have no ticks at all; UINT32_MAX: no memory. */
static uint32_t count_untimed(const wpp *w, uint32_t n_routines)
{
    bool *timed = calloc((size_t)n_routines + 1, sizeof *timed);
    uint32_t untimed = n_routines;

    if (!timed)
        return UINT32_MAX;
    for (uint32_t i = 0; i < wpp_grammar(w)->n_terminals; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        if (t->routine != WPP_NO_ROUTINE && t->ticks > 0 && !timed[t->routine]) {
            timed[t->routine] = true;
            untimed--;
        }
    }
    free(timed);
    return untimed;
}

/* Warns that a listing by time does not show routines that were not timed. */
static void check_timed(const wpp *w, const char *file)
{
    struct wpp_summary s;
    uint32_t untimed;

    wpp_get_summary(w, &s);
    if (s.ticks_per_second == 0)
        tool_die(TOOL_ERROR, "%s has no times: build the program with WPP_PLUGIN_ARGS=time, and "
                 "let it end by exit()", file);
    untimed = count_untimed(w, s.n_routines);
    if (untimed == UINT32_MAX)
        tool_die(TOOL_ERROR, "%s: out of memory", file);
    if (untimed > 0)
        tool_warn("%s: %u of %u routines have no times and cost nothing here", file, untimed,
                  s.n_routines);
}

static uint64_t *costs_of(const wpp *w, enum cost_kind kind)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *cost = malloc(((size_t)n + 1) * sizeof *cost);

    for (uint32_t i = 0; cost && i < n; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);

        /* A raw symbol has no blocks and counts as one.  A control word ran no code. */
        cost[i] = t->control ? 0 : kind == COST_INSNS ? t->insns
                  : kind == COST_BLOCKS && t->n_blocks ? t->n_blocks : 1;
    }
    if (cost && kind == COST_TIME && !set_mean_times(w, cost)) {
        free(cost);
        return NULL;
    }
    return cost;
}

/* The cost that is `percent` of the run: of the sum over the threads analysed. */
static uint64_t share_of_run(const wpp *w, const uint64_t *cost, const struct options *o)
{
    struct hot_config probe = o->config;
    hot_result *r;
    double share;
    int status;

    probe.algorithm = HOT_LARUS;
    probe.min_cost = UINT64_MAX;        /* finds nothing, but computes the total */
    status = hot_find(&r, wpp_grammar(w), cost, &probe);
    if (status != HOT_OK)
        tool_die(TOOL_ERROR, "%s: %s", o->file, hot_status_text(status));
    share = (double)hot_total_cost(r) * o->percent / 100;
    hot_free(r);
    return share < 1 ? 1 : share >= 0x1p64 ? UINT64_MAX : (uint64_t)share;
}

/* ---- Main ------------------------------------------------------------------------------ */

/* Tells a waiting user what takes so long. */
static void announce(const struct wpp_grammar *g, const struct options *o)
{
    uint64_t n = g->body[g->n_rules + g->n_threads];

    tool_stage("searching %s%s", tool_amount((double)n, "symbol"),
               o->config.algorithm == HOT_EXACT ? " (--algorithm=larus is quicker)" : "");
}

static hot_result *analyse(const wpp *w, const uint64_t *cost, struct options *o)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    hot_result *result;
    int status;

    o->config.algorithm = (enum hot_algorithm)o->algorithm;
    announce(g, o);
    if (o->percent > 0)
        o->config.min_cost = share_of_run(w, cost, o);
    status = hot_find(&result, g, cost, &o->config);
    tool_stage_end();
    if (status != HOT_OK)
        tool_die(TOOL_ERROR, "%s: %s", o->file, hot_status_text(status));
    return result;
}

/* In text, other subpaths of the same answers may be shown than the first ones. */
static size_t candidates(const struct options *o)
{
    enum { FEW = 50 };

    return o->format == FORMAT_TEXT && o->top > 0 && o->top < FEW && !o->rotations ? FEW : o->top;
}

/* Changes the subpaths as the options tell, and makes their outlines. */
static int choose(struct shown_list *s, const wpp *w, const hot_result *result,
                  const struct options *o)
{
    enum { MOST = 1000 };
    int status = shown_choose(s, result, o->rotations, candidates(o));

    if (status == HOT_OK && o->extend)
        status = shown_extend(s, o->config.max_length > MOST ? o->config.max_length : MOST);
    if (status == HOT_OK && o->apart)
        status = shown_apart(s);
    if (status == HOT_OK)
        status = shown_outline(s, w, o->format == FORMAT_TEXT);
    return status;
}

/* Counts what else was asked for about `n` subpaths, which[i], or about all.  It is counted in the
 * grammar, also for subpaths found by Larus' walk. */
static int look_closer(struct shown_list *s, const struct options *o, const size_t *which, size_t n)
{
    bool split = o->config.algorithm == HOT_EXACT && s->thread == HOT_ALL_THREADS &&
                 s->g->n_threads > 1 && (o->verbose || o->format != FORMAT_TEXT);
    int status = split ? shown_split(s) : HOT_OK;

    if (status == HOT_OK && o->callers)
        status = shown_find_neighbours(s, which, n);
    if (status == HOT_OK)
        status = shown_count_turns(s, which, n);
    return status;
}

static bool has_routines(const wpp *w)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    return s.n_routines > 0;
}

static uint64_t clocked(const wpp *w)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    return s.ticks;
}

/* Standard output, as wide as the terminal; close it by close_text(). */
static FILE *open_text(const struct options *o, unsigned *columns)
{
    FILE *out = stdout;

    *columns = o->full_names || o->format != FORMAT_TEXT ? 0 : tool_columns();
    if (*columns)
        out = clipped_open(stdout, *columns);
    if (!out)
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    return out;
}

static void close_text(FILE *out)
{
    if (out != stdout)
        fclose(out);
}

/* JSON and CSV: each subpath separately. */
static int print_subpaths(struct report *r, struct shown_list *s, const struct options *o)
{
    int status = o->cover ? shown_cover(s) : HOT_OK;

    if (status == HOT_OK)
        status = look_closer(s, o, NULL, s->n);
    return status == HOT_OK && !reports[o->format](r) ? HOT_E_MEMORY : status;
}

static int tell_answers(struct report *r, struct shown_list *s, const struct options *o,
                        const struct answers *a)
{
    size_t details = a->n < o->details ? a->n : (size_t)o->details;
    size_t *which = malloc((details + 1) * sizeof *which);
    int status = which ? HOT_OK : HOT_E_MEMORY;

    for (size_t i = 0; which && i < details; i++)
        which[i] = a->answer[i].leader;
    if (status == HOT_OK)
        status = look_closer(s, o, which, details);
    free(which);
    s->covers = o->cover;
    r->details = details;
    r->whole_details = o->whole_details;
    return status == HOT_OK && !report_text(r) ? HOT_E_MEMORY : status;
}

/* Text: subpaths that are one answer are shown together. */
static int print_answers(struct report *r, struct shown_list *s, const struct options *o)
{
    struct answers a;
    bool disjoint = o->config.algorithm == HOT_LARUS && !o->apart;
    int status = answers_find(&a, s, disjoint, o->top);

    r->answers = &a;
    if (status == HOT_OK)
        status = tell_answers(r, s, o, &a);
    answers_free(&a);
    return status;
}

/* The report without the results of an analysis. */
static struct report begin_report(const wpp *w, const struct options *o)
{
    struct report r = {
        .w = w, .file_name = o->file, .color = tool_color(o->color), .system = o->system,
        .full_names = o->full_names, .verbose = o->verbose, .sources = source_text_new(o->source),
    };

    if (r.sources && !source_text_changes(r.sources, w, &r.changes))
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    r.out = open_text(o, &r.columns);
    return r;
}

static void end_report(struct report *r)
{
    close_text(r->out);
    fflush(stdout);
    tool_say_changes(r->w, &r->changes);
    source_changes_free(&r->changes);
    source_text_free(r->sources);
}

static void print(const wpp *w, const hot_result *result, const uint64_t *cost,
                  const struct options *o)
{
    struct shown_list shown = { .g = wpp_grammar(w), .cost = cost, .thread = o->config.thread };
    struct report r = begin_report(w, o);
    /* Raw symbols cost 1 with all options. */
    enum cost_kind kind = has_routines(w) ? o->cost : COST_PATHS;
    int status = choose(&shown, w, result, o);

    r.result = result;
    r.config = &o->config;
    r.shown = &shown;
    r.cost_name = cost_names[o->cost];
    r.cost_unit = cost_units[o->cost];
    r.cost_origin = cost_origins[kind];
    r.cost_says = cost_says[kind];
    if (o->cost == COST_TIME && o->config.thread == HOT_ALL_THREADS)
        r.clocked = clocked(w);
    if (status == HOT_OK && r.sources)
        status = o->format == FORMAT_TEXT ? print_answers(&r, &shown, o)
                                          : print_subpaths(&r, &shown, o);
    if (status != HOT_OK || !r.sources)
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    end_report(&r);
    shown_clear(&shown);
}

static void annotate(const wpp *w, const struct options *o)
{
    struct report report = begin_report(w, o);

    if (!report.sources || !report_annotate(&report, o->config.thread))
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    end_report(&report);
}

static void answer(const wpp *w, const struct options *o)
{
    struct report report;
    struct query q;

    switch (query_ask(&q, w, o->config.thread, o->query)) {
    case QUERY_OK:
        break;
    case QUERY_NO_MEMORY:
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    case QUERY_NO_ORDER:
        tool_usage("--query: `%s` is not like `A before B`, `before B` or `behind B`", o->query);
    case QUERY_NO_A:
        tool_die(TOOL_ERROR, "%s: nothing was executed that is called `%s`", o->file, q.a);
    case QUERY_NO_B:
        tool_die(TOOL_ERROR, "%s: nothing was executed that is called `%s`", o->file, q.b);
    }
    report = begin_report(w, o);
    if (!report.sources || !report_query(&report, &q))
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    end_report(&report);
    query_free(&q);
}

/* Finds and prints the hot subpaths. */
static void find(const wpp *w, struct options *o)
{
    uint64_t *cost;
    hot_result *result;

    if (o->cost == COST_TIME)
        check_timed(w, o->file);
    cost = costs_of(w, o->cost);
    if (!cost)
        tool_die(TOOL_ERROR, "%s: out of memory", o->file);
    result = analyse(w, cost, o);
    print(w, result, cost, o);
    hot_free(result);
    free(cost);
}

int main(int argc, char **argv)
{
    struct options o = {
        .config = { .size = sizeof o.config, .algorithm = HOT_LARUS, .wanted = 20,
                    .thread = HOT_ALL_THREADS },
        .top = 20, .details = 3, .algorithm = HOT_EXACT,
    };
    struct wpp_summary run;
    int status;
    wpp *w;

    tool_init("wpp-hot");
    parse_options(&o, argc, argv);
    w = tool_open(o.file);
    tool_need_order(o.file, w);
    tool_need(o.file, w, o.cost == COST_TIME ? WPP_PART_TIMES : 0);
    wpp_get_summary(w, &run);
    if (o.config.thread != HOT_ALL_THREADS && o.config.thread >= run.n_threads)
        tool_die(TOOL_ERROR, "%s: no thread %u; it has %u, counted from 0", o.file,
                 o.config.thread, run.n_threads);
    if (o.annotate)
        annotate(w, &o);
    else if (o.query)
        answer(w, &o);
    else
        find(w, &o);
    tool_finish(TOOL_OK);
    status = tool_say_incomplete(o.file, w);
    wpp_close(w);
    return status;
}
