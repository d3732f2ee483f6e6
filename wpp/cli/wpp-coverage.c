/* SPDX-License-Identifier: MIT */
/* wpp-coverage - shows what runs executed of a program, and what they did not. */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/clipped-output.h"
#include "wpp/base/names.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"
#include "wpp/coverage/coverage-diff-report.h"
#include "wpp/coverage/coverage-report.h"
#include "wpp/coverage/exclusions.h"

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

/* Files whose runs count together. */
struct side {
    char **files;
    int n_files;
    struct cover_input *inputs;
    struct cover_program program;
    struct coverage coverage;
};

struct request {
    struct side base, side;            /* --diff compares with the base */
    const char *routine, *color;
    enum format format;
    struct wpp_moved moved;
    unsigned tables;
    uint64_t top;
    double least[N_MEASURES];          /* below 0: not asked for */
    bool top_given, all, executed_only, no_marks, full_names;
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
    case OPT_PRIME:      r->tables |= COVERAGE_PRIME; break;
    case OPT_MCDC:       r->tables |= COVERAGE_MCDC; break;
    case OPT_ALL:        r->all = true; break;
    case OPT_ROUTINE:    r->routine = optarg; break;
    case OPT_DIFF:       r->base.files[r->base.n_files++] = optarg; break;
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
    r->side.files = argv + optind;
    r->side.n_files = argc - optind;
    if (r->side.n_files == 0)
        tool_usage("no file given");
    set_tables(r);
    if ((r->top_given && r->top == 0) || (r->format == FORMAT_JSON && !r->top_given))
        r->top = UINT64_MAX;
}

/* ---- Inputs ----------------------------------------------------------------------------------------- */

static void open_inputs(struct side *s)
{
    s->inputs = calloc((size_t)s->n_files + 1, sizeof *s->inputs);
    if (!s->inputs)
        tool_die_of_memory();
    for (int i = 0; i < s->n_files; i++) {
        s->inputs[i] = (struct cover_input){profile_input_open_program(s->files[i]), s->files[i]};
        tool_need(s->files[i], s->inputs[i].w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    }
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

static void load(const struct request *r, struct side *s)
{
    struct wpp_error error;

    open_inputs(s);
    if (!cover_program_new(&s->program, s->inputs, (uint32_t)s->n_files, &r->moved,
                           r->executed_only, &error))
        tool_die_error(&error);
    if (!coverage_new(&s->coverage, &s->program))
        tool_die_of_memory();
    if (!r->no_marks)
        exclude(r, &s->coverage);
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

/* Says what its files lack, and frees all. */
static int unload(const struct request *r, struct side *s)
{
    int status = say_gaps(&s->program);

    coverage_free(&s->coverage);
    cover_program_free(&s->program);
    for (int i = 0; i < s->n_files; i++) {
        int its = tool_say_incomplete(s->files[i], s->inputs[i].w);

        if (!r->no_marks)
            tool_say_changed_sources(s->inputs[i].w);
        status = its != TOOL_OK ? its : status;
        wpp_close((wpp *)s->inputs[i].w);
    }
    free(s->inputs);
    return status;
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
        report.origin = origin = path_origins(c);
        if (!origin || !missed_paths_new(&missed, c, chosen))
            tool_die_of_memory();
    }
    if ((r->tables & COVERAGE_PRIME)
        && !prime_counts_new(&prime, c, chosen, MOST_PRIME_PATHS, &error))
        tool_die_error(&error);
    if ((r->tables & COVERAGE_MCDC) && !mcdc_new(&mcdc, c, chosen, &r->moved, &error))
        tool_die_error(&error);
    if (!(r->format == FORMAT_JSON ? coverage_json(&report) : coverage_text(&report)))
        tool_die_of_memory();
    end_text(&report.text);
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
    if (!coverage_diff_new(&diff, &r->base.coverage, &r->side.coverage)
        || !(r->format == FORMAT_JSON ? coverage_diff_json(&report) : coverage_diff_text(&report)))
        tool_die_of_memory();
    end_text(&report.text);
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

int main(int argc, char **argv)
{
    struct request r = {.top = 20, .least = {-1, -1, -1}};
    int status, its;

    tool_init("wpp-coverage");
    parse_options(argc, argv, &r);
    if (r.base.n_files > 0)
        load(&r, &r.base);
    load(&r, &r.side);
    if (r.base.n_files > 0)
        compare(&r);
    else
        show(&r, &r.side.coverage);
    tool_finish(TOOL_OK);
    its = check_thresholds(&r, &r.side.coverage.sums);
    status = unload(&r, &r.side);
    status = its != TOOL_OK ? its : status;
    its = r.base.n_files > 0 ? unload(&r, &r.base) : TOOL_OK;
    free(r.base.files);
    wpp_moved_free(&r.moved);
    return status != TOOL_OK ? status : its;
}
