/* SPDX-License-Identifier: MIT */
/* wpp-coverage - shows what runs executed of a program, and what they did not. */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/clipped-output.h"
#include "wpp/base/names.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"
#include "wpp/coverage/coverage-report.h"
#include "wpp/coverage/exclusions.h"

static const char help[] =
    "Usage: wpp-coverage [OPTION]... FILE...\n"
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
    "      --all              lines, branches and paths that were executed, too, with their counts\n"
    "      --routine=NAME     only the routine NAME; without another view, all of it\n"
    "\n"
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

enum { STATUS_UNDER = 4 };
enum format { FORMAT_TEXT, FORMAT_JSON };
enum measure { MEASURE_LINES, MEASURE_BRANCHES, MEASURE_PATHS, N_MEASURES };
static const char *const measure_name[N_MEASURES] = {"lines", "branches", "paths"};

struct request {
    char **files;
    int n_files;
    const char *routine, *color;
    enum format format;
    struct wpp_moved moved;
    unsigned tables;
    uint64_t top;
    double least[N_MEASURES];          /* below 0: not asked for */
    bool top_given, all, executed_only, no_marks, full_names;
};

enum {
    OPT_FILES = 0x100, OPT_ROUTINES, OPT_LINES, OPT_BRANCHES, OPT_PATHS, OPT_ALL, OPT_ROUTINE, OPT_EXECUTED,
    OPT_NO_MARKS,
    OPT_MAP, OPT_TOP, OPT_FORMAT, OPT_FULL_NAMES, OPT_COLOR, OPT_UNDER = 0x200
};
static const struct option options[] = {
    {"files", no_argument, NULL, OPT_FILES},
    {"routines", no_argument, NULL, OPT_ROUTINES},
    {"lines", no_argument, NULL, OPT_LINES},
    {"branches", no_argument, NULL, OPT_BRANCHES},
    {"paths", no_argument, NULL, OPT_PATHS},
    {"all", no_argument, NULL, OPT_ALL},
    {"routine", required_argument, NULL, OPT_ROUTINE},
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

static void add_move(struct wpp_moved *moved, const char *rule)
{
    enum wpp_moved_result result = wpp_moved_add(moved, rule);

    if (result == WPP_MOVED_WRONG)
        tool_usage("--map: `%s` does not have the form OLD=NEW, two folders or files", rule);
    if (result == WPP_MOVED_NO_MEMORY)
        tool_die_of_memory();
}

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
    case OPT_ALL:        r->all = true; break;
    case OPT_ROUTINE:    r->routine = optarg; break;
    case OPT_EXECUTED:   r->executed_only = true; break;
    case OPT_NO_MARKS:   r->no_marks = true; break;
    case OPT_MAP:        add_move(&r->moved, optarg); break;
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

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    while ((option = tool_option(argc, argv, "hV", options)) != -1)
        parse_option(r, option);
    r->files = argv + optind;
    r->n_files = argc - optind;
    if (r->n_files == 0)
        tool_usage("no file given");
    if (!r->tables && r->format == FORMAT_JSON)
        r->tables = COVERAGE_FILES | COVERAGE_ROUTINES | COVERAGE_LINES | COVERAGE_BRANCHES;
    else if (!r->tables)
        r->tables = r->routine ? COVERAGE_ROUTINES | COVERAGE_LINES | COVERAGE_BRANCHES
                                 | COVERAGE_PATHS
                               : COVERAGE_FILES;
    if ((r->top_given && r->top == 0) || (r->format == FORMAT_JSON && !r->top_given))
        r->top = UINT64_MAX;
}

/* ---- Inputs ----------------------------------------------------------------------------------------- */

static struct cover_input *open_inputs(const struct request *r)
{
    struct cover_input *inputs = calloc((size_t)r->n_files, sizeof *inputs);

    if (!inputs)
        tool_die_of_memory();
    for (int i = 0; i < r->n_files; i++) {
        inputs[i] = (struct cover_input){profile_input_open_program(r->files[i]), r->files[i]};
        tool_need(r->files[i], inputs[i].w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    }
    return inputs;
}

static int close_inputs(const struct request *r, struct cover_input *inputs)
{
    int status = TOOL_OK;

    for (int i = 0; i < r->n_files; i++) {
        int its = tool_say_incomplete(r->files[i], inputs[i].w);

        if (!r->no_marks)
            tool_say_changed_sources(inputs[i].w);
        status = its != TOOL_OK ? its : status;
        wpp_close((wpp *)inputs[i].w);
    }
    free(inputs);
    return status;
}

/* What is not known to be unexecuted is no small thing: it would make the shares too large. */
static int say_gaps(const struct cover_program *p)
{
    for (uint32_t i = 0; i < p->n_gaps; i++)
        tool_warn("what was not executed of %s is not known: %s (--map, --executed-only)",
                  p->gap[i].module, p->gap[i].why);
    if (p->unread > 0)
        tool_warn("%s of modules that could not be read are left out",
                  tool_amount((double)p->unread, "execution"));
    return p->n_gaps > 0 || p->unread > 0 ? TOOL_INCOMPLETE : TOOL_OK;
}

static void exclude(const struct request *r, struct coverage *c)
{
    struct exclusion_notes notes;

    if (!exclusions_apply(c, &r->moved, &notes))
        tool_die_of_memory();
    if (notes.n_open > 0)
        tool_warn("%s:%u: a mark EXCL_START has no EXCL_STOP: the rest of the file is excluded",
                  notes.open, notes.open_line);
    if (notes.n_unread > 0)
        tool_warn("%u source%s cannot be read, as %s: marks that exclude code there are not known "
                  "(--map, --no-marks)", notes.n_unread, notes.n_unread == 1 ? "" : "s",
                  notes.unread);
}

/* ---- Report ----------------------------------------------------------------------------------------- */

static bool *choose(const struct coverage *c, const char *asked)
{
    bool *chosen = calloc(c->n_routines + (size_t)1, sizeof *chosen), any = false;

    if (!chosen)
        tool_die_of_memory();
    for (uint32_t i = 0; i < c->n_routines; i++) {
        const struct wpp_routine *r = c->routine[i].routine;

        chosen[i] = strcmp(r->name, asked) == 0 || name_fits(r->shown, asked, strlen(asked));
        any |= chosen[i];
    }
    if (!any)
        tool_die(TOOL_ERROR, "the program has no routine `%s`", asked);
    return chosen;
}

static struct table_text begin_text(const struct request *r)
{
    struct table_text text = {
        .color = tool_color(r->color), .names = short_names_new(r->full_names),
        .columns = r->full_names || r->format != FORMAT_TEXT ? 0 : tool_columns()
    };

    text.out = text.columns ? clipped_open(stdout, text.columns) : stdout;
    if (!text.out || !text.names)
        tool_die_of_memory();
    return text;
}

static void end_text(struct table_text *text)
{
    if (text->out != stdout)
        fclose(text->out);
    short_names_free(text->names);
}

static void show(const struct request *r, const struct coverage *c)
{
    bool *chosen = r->routine ? choose(c, r->routine) : NULL;
    struct coverage_report report = {
        .c = c, .tables = r->tables, .chosen = chosen, .top = r->top, .all = r->all,
        .text = begin_text(r)
    };

    struct missed_paths missed = {0};
    struct path_origin *origin = NULL;

    if (r->tables & COVERAGE_PATHS) {
        origin = path_origins(c);
        if (!origin || !missed_paths_new(&missed, c, chosen))
            tool_die_of_memory();
        report.missed = &missed;
        report.origin = origin;
    }
    if (!(r->format == FORMAT_JSON ? coverage_json(&report) : coverage_text(&report)))
        tool_die_of_memory();
    end_text(&report.text);
    missed_paths_free(&missed);
    free(origin);
    free(chosen);
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

int main(int argc, char **argv)
{
    struct request r = {.top = 20, .least = {-1, -1, -1}};
    struct cover_input *inputs;
    struct cover_program program;
    struct coverage coverage;
    struct wpp_error error;
    int status, its;

    tool_init("wpp-coverage");
    parse_options(argc, argv, &r);
    inputs = open_inputs(&r);
    if (!cover_program_new(&program, inputs, (uint32_t)r.n_files, &r.moved, r.executed_only, &error))
        tool_die_error(&error);
    if (!coverage_new(&coverage, &program))
        tool_die_of_memory();
    if (!r.no_marks)
        exclude(&r, &coverage);
    show(&r, &coverage);
    status = tool_finish(say_gaps(&program));
    its = check_thresholds(&r, &coverage.sums);
    status = its != TOOL_OK ? its : status;
    coverage_free(&coverage);
    cover_program_free(&program);
    its = close_inputs(&r, inputs);
    wpp_moved_free(&r.moved);
    return status != TOOL_OK ? status : its;
}
