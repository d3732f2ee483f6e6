/* SPDX-License-Identifier: MIT */
/* wpp-coverage - shows what runs executed of a program, and what they did not. */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/cli/coverage-input.h"
#include "wpp/cli/table-output.h"
#include "wpp/cli/tool.h"
#include "wpp/coverage/coverage-diff-report.h"
#include "wpp/coverage/coverage-report.h"

static const char help[] =
    "Usage: wpp-coverage [OPTION]... FILE...\n"
    "       wpp-coverage --diff=A [OPTION]... B...\n"
    "Shows which lines, branches, routines and acyclic paths of a program were executed, and which were\n"
    "not, in all runs of the FILEs together.  FILEs are WPPs and path profiles; `-` is standard input.\n"
    "What was never executed is read from the program and its libraries, which must be there.\n"
    "\n"
    "What to show (default: files):\n"
    "      --files            shares of each source file\n"
    "      --routines         calls and paths of each routine\n"
    "      --lines            lines that were not executed\n"
    "      --branches         branches that were not executed\n"
    "      --paths            acyclic paths that were not executed, and how near runs came to them\n"
    "      --prime-paths      prime paths that were not executed: also across the rounds of loops\n"
    "      --mcdc             conditions that were not shown to matter (MC/DC), and vectors that would\n"
    "                         show them; of code that was compiled with -O0 or stage=early\n"
    "      --all              lines, branches and paths that were executed, too, with their counts\n"
    "      --routine=NAME     only the routine NAME; without another view, all of it\n"
    "\n"
    "      --diff=A           what only A or only the FILEs executed; may be given several times, then all\n"
    "                         As count together.  Default views: lines and routines\n"
    "      --executed-only    leave out what no run executed: the program need not be there\n"
    "      --no-marks         count code that marks in the sources exclude, as LCOV_EXCL_LINE\n"
    "      --map=OLD=NEW      look for the program's files and sources of the folder OLD in NEW\n"
    "      --top=N            rows of a table (default 20; 0: all)\n"
    "      --format=F         text (default) or json; json has all rows\n"
    "      --full-names       C++ names in full, lines as long as need be\n"
    "      --color=WHEN       auto (default), always, never\n"
    "      --fail-under-lines=P, --fail-under-branches=P, --fail-under-paths=P\n"
    "                         exit with status 4 if less than P % of them were executed\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Lines and branches are counted as gcov counts them.  An acyclic path ends at a back edge, at the\n"
    "routine's end and, where calls cut paths, before a call.\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 a file is damaged, what it holds is incomplete, or a module\n"
    "is not there, 4 less was executed than asked for.\n";

enum { STATUS_UNDER = 4, MOST_PRIME_PATHS = 10000 };
enum format { FORMAT_TEXT, FORMAT_JSON };
enum measure { MEASURE_LINES, MEASURE_BRANCHES, MEASURE_PATHS, N_MEASURES };
static const char *const measure_name[N_MEASURES] = {"lines", "branches", "paths"};

struct request {
    struct coverage_input base, side;  /* --diff compares with the base */
    struct coverage_options from;
    const char *routine, *color;
    enum format format;
    unsigned tables;
    uint64_t top;
    double least[N_MEASURES];          /* below 0: not asked for */
    bool top_given, all, full_names;
};

enum {
    OPT_FILES = 0x100, OPT_DIFF, OPT_ROUTINES, OPT_LINES, OPT_BRANCHES, OPT_PATHS, OPT_PRIME, OPT_MCDC, OPT_ALL, OPT_ROUTINE, OPT_EXECUTED,
    OPT_NO_MARKS,
    OPT_MAP, OPT_TOP, OPT_FORMAT, OPT_FULL_NAMES, OPT_COLOR, OPT_UNDER = 0x200
};
static const struct option options[] = {
    {"files", no_argument, NULL, OPT_FILES},
    {"routines", no_argument, NULL, OPT_ROUTINES},
    {"lines", no_argument, NULL, OPT_LINES},
    {"branches", no_argument, NULL, OPT_BRANCHES},
    {"paths", no_argument, NULL, OPT_PATHS},
    {"prime-paths", no_argument, NULL, OPT_PRIME},
    {"mcdc", no_argument, NULL, OPT_MCDC},
    {"all", no_argument, NULL, OPT_ALL},
    {"routine", required_argument, NULL, OPT_ROUTINE},
    {"diff", required_argument, NULL, OPT_DIFF},
    {"executed-only", no_argument, NULL, OPT_EXECUTED},
    {"no-marks", no_argument, NULL, OPT_NO_MARKS},
    {"map", required_argument, NULL, OPT_MAP},
    {"top", required_argument, NULL, OPT_TOP},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"full-names", no_argument, NULL, OPT_FULL_NAMES},
    {"color", required_argument, NULL, OPT_COLOR},
    {"fail-under-lines", required_argument, NULL, OPT_UNDER + MEASURE_LINES},
    {"fail-under-branches", required_argument, NULL, OPT_UNDER + MEASURE_BRANCHES},
    {"fail-under-paths", required_argument, NULL, OPT_UNDER + MEASURE_PATHS},
    TOOL_OPTIONS
};

static void parse_threshold(struct request *r, enum measure m)
{
    char name[40];

    snprintf(name, sizeof name, "--fail-under-%s", measure_name[m]);
    r->least[m] = tool_share(name, optarg);
}

static void parse_option(struct request *r, int option)
{
    static const char *const formats[] = {"text", "json", NULL};

    switch (option) {
    case OPT_FILES:      r->tables |= COVERAGE_FILES; break;
    case OPT_ROUTINES:   r->tables |= COVERAGE_ROUTINES; break;
    case OPT_LINES:      r->tables |= COVERAGE_LINES; break;
    case OPT_BRANCHES:   r->tables |= COVERAGE_BRANCHES; break;
    case OPT_PATHS:      r->tables |= COVERAGE_PATHS; break;
    case OPT_PRIME:      r->tables |= COVERAGE_PRIME; break;
    case OPT_MCDC:       r->tables |= COVERAGE_MCDC; break;
    case OPT_ALL:        r->all = true; break;
    case OPT_ROUTINE:    r->routine = optarg; break;
    case OPT_DIFF:       r->base.files[r->base.n_files++] = optarg; break;
    case OPT_EXECUTED:   r->from.executed_only = true; break;
    case OPT_NO_MARKS:   r->from.no_marks = true; break;
    case OPT_MAP:        coverage_input_map(&r->from, optarg); break;
    case OPT_TOP:
        r->top = tool_count_argument("--top", optarg);
        r->top_given = true;
        break;
    case OPT_FORMAT:     r->format = tool_choice_argument("--format", optarg, formats); break;
    case OPT_FULL_NAMES: r->full_names = true; break;
    case OPT_COLOR:      r->color = optarg; break;
    case OPT_UNDER + MEASURE_LINES: case OPT_UNDER + MEASURE_BRANCHES: case OPT_UNDER + MEASURE_PATHS:
        parse_threshold(r, option - OPT_UNDER);
        break;
    case 'h':            tool_help(help);
    case 'V':            tool_version();
    }
}

static void set_tables(struct request *r)
{
    bool diff = r->base.n_files > 0;

    if (diff && (r->routine || r->all || (r->tables & (COVERAGE_FILES | COVERAGE_PRIME | COVERAGE_MCDC))))
        tool_usage("--diff does not go with --routine, --all, --files, --prime-paths and --mcdc");
    if (r->tables)
        return;
    if (r->format == FORMAT_JSON && !diff)
        r->tables = COVERAGE_FILES | COVERAGE_ROUTINES | COVERAGE_LINES | COVERAGE_BRANCHES;
    else if (diff)
        r->tables = COVERAGE_LINES | COVERAGE_ROUTINES;
    else if (r->routine)
        r->tables = COVERAGE_ROUTINES | COVERAGE_LINES | COVERAGE_BRANCHES | COVERAGE_PATHS;
    else
        r->tables = COVERAGE_FILES;
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    r->base.files = calloc((size_t)argc + 1, sizeof *r->base.files);
    if (!r->base.files)
        tool_die_of_memory();
    while ((option = tool_option(argc, argv, "hV", options)) != -1)
        parse_option(r, option);
    r->base.options = r->side.options = &r->from;
    r->side.files = argv + optind;
    r->side.n_files = argc - optind;
    if (r->side.n_files == 0)
        tool_usage("no file given");
    set_tables(r);
    if ((r->top_given && r->top == 0) || (r->format == FORMAT_JSON && !r->top_given))
        r->top = UINT64_MAX;
}

/* ---- Report ----------------------------------------------------------------------------------------- */

static struct table_text begin_text(const struct request *r)
{
    return table_output_begin(r->format == FORMAT_TEXT, r->full_names, tool_color(r->color));
}

static void show(const struct request *r, const struct coverage *c)
{
    bool *chosen = r->routine ? coverage_input_choose(c, r->routine) : NULL;
    struct missed_paths missed = {0};
    struct path_origin *origin = NULL;
    struct prime_counts prime = {0};
    struct mcdc mcdc = {0};
    struct wpp_error error;
    struct coverage_report report = {
        .c = c, .tables = r->tables, .chosen = chosen, .top = r->top, .all = r->all,
        .missed = &missed, .prime = &prime, .mcdc = &mcdc,
        .text = begin_text(r)
    };

    if (r->tables & COVERAGE_PATHS) {
        tool_stage("looking for missed paths");
        report.origin = origin = path_origins(c);
        if (!origin || !missed_paths_new(&missed, c, chosen))
            tool_die_of_memory();
    }
    if (r->tables & COVERAGE_PRIME)
        tool_stage("counting prime paths");
    if ((r->tables & COVERAGE_PRIME)
        && !prime_counts_new(&prime, c, chosen, MOST_PRIME_PATHS, &error))
        tool_die_error(&error);
    if (r->tables & COVERAGE_MCDC)
        tool_stage("counting vectors of decisions");
    if ((r->tables & COVERAGE_MCDC) && !mcdc_new(&mcdc, c, chosen, &r->from.moved, &error))
        tool_die_error(&error);
    tool_stage_end();
    if (!(r->format == FORMAT_JSON ? coverage_json(&report) : coverage_text(&report)))
        tool_die_of_memory();
    table_output_end(&report.text);
    missed_paths_free(&missed);
    prime_counts_free(&prime);
    mcdc_free(&mcdc);
    free(origin);
    free(chosen);
}

static void need_one_kind(const struct request *r)
{
    if (r->base.program.kind != r->side.program.kind && (r->tables & COVERAGE_PATHS))
        tool_die(TOOL_ERROR, "%s and %s count different paths: --paths cannot compare them",
                 r->base.files[0], r->side.files[0]);
}

static void compare(const struct request *r)
{
    struct coverage_diff diff;
    struct coverage_diff_report report = {
        .d = &diff, .tables = r->tables, .top = r->top, .text = begin_text(r)
    };

    need_one_kind(r);
    tool_stage("comparing");
    if (!coverage_diff_new(&diff, &r->base.coverage, &r->side.coverage)
        || !(r->format == FORMAT_JSON ? coverage_diff_json(&report) : coverage_diff_text(&report)))
        tool_die_of_memory();
    table_output_end(&report.text);
    coverage_diff_free(&diff);
}

/* ---- Thresholds ------------------------------------------------------------------------------------- */

/* Nothing to execute is all of it. */
static int check_thresholds(const struct request *r, const struct coverage_sums *sums)
{
    const struct coverage_share *share[N_MEASURES] = {&sums->lines, &sums->branches, &sums->paths};
    int status = TOOL_OK;

    for (unsigned m = 0; m < N_MEASURES; m++) {
        double whole = (double)share[m]->all, part = 100 * (double)share[m]->executed;

        if (r->least[m] < 0 || whole == 0 || part >= r->least[m] * whole)
            continue;
        tool_warn("%.2f %% of the %s were executed, less than %g %%", part / whole, measure_name[m],
                  r->least[m]);
        status = STATUS_UNDER;
    }
    return status;
}

static void load(struct coverage_input *in)
{
    coverage_input_open(in);
    coverage_input_merge(in, NULL);
}

int main(int argc, char **argv)
{
    struct request r = {.top = 20, .least = {-1, -1, -1}};
    int status, its;

    tool_init("wpp-coverage");
    parse_options(argc, argv, &r);
    if (r.base.n_files > 0)
        load(&r.base);
    load(&r.side);
    if (r.base.n_files > 0)
        compare(&r);
    else
        show(&r, &r.side.coverage);
    tool_finish(TOOL_OK);
    its = check_thresholds(&r, &r.side.coverage.sums);
    status = coverage_input_close(&r.side);
    status = its != TOOL_OK ? its : status;
    its = r.base.n_files > 0 ? coverage_input_close(&r.base) : TOOL_OK;
    free(r.base.files);
    wpp_moved_free(&r.from.moved);
    return status != TOOL_OK ? status : its;
}
