/* SPDX-License-Identifier: MIT */
/* wpp-profile - shows how often each path was executed, in no order: a path profile. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/clipped-output.h"
#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/path-report.h"
#include "wpp/profile/profile-write.h"

static const char help[] =
    "Usage: wpp-profile [OPTION]... FILE\n"
    "Shows how often each path of each routine was executed, of a WPP or of a path profile.\n"
    "FILE `-` is standard input.\n"
    "\n"
    "What to show (default: routines and hot paths):\n"
    "      --paths            all executed paths, with their blocks and lines\n"
    "      --blocks           executions of each block\n"
    "      --edges            executions of each edge of the control-flow graphs\n"
    "      --lines            executions of each source line, as gcov counts them\n"
    "      --routine=NAME     only the routine NAME; without another view, its paths\n"
    "\n"
    "      --min-share=P      hot: a path with P % of all executions (default 0.125)\n"
    "      --top=N            rows of a table (default 12 routines, 8 paths; 0: all)\n"
    "      --sort=KEY         order of routines: cost (default), count, paths, calls, name\n"
    "      --format=F         text (default), json, csv; json and csv have all rows\n"
    "      --full-names       C++ names in full, lines as long as need be\n"
    "      --color=WHEN       auto (default), always, never\n"
    "\n"
    "  -o, --output=OUT       write a path profile to OUT instead, without the order of paths\n"
    "  -f, --force            replace OUT if it exists\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "A path ends at a back edge, at the routine's end and, where calls cut paths, before a call.\n"
    "Cost: instructions, GCC's estimate.  Flow: executions of paths.  Calls: executions of paths\n"
    "that begin at the routine's entry.\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 a file is damaged or what it holds is incomplete.\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    char **files;
    int n_files;
    const char *routine, *color, *output;
    enum format format;
    struct path_request rows;
    bool top_given, share_given, full_names, force;
};

enum {
    OPT_PATHS = 0x100, OPT_BLOCKS, OPT_EDGES, OPT_LINES, OPT_ROUTINE, OPT_MIN_SHARE, OPT_TOP, OPT_SORT,
    OPT_FORMAT, OPT_FULL_NAMES, OPT_COLOR
};
static const struct option options[] = {
    {"paths", no_argument, NULL, OPT_PATHS},
    {"blocks", no_argument, NULL, OPT_BLOCKS},
    {"edges", no_argument, NULL, OPT_EDGES},
    {"lines", no_argument, NULL, OPT_LINES},
    {"routine", required_argument, NULL, OPT_ROUTINE},
    {"min-share", required_argument, NULL, OPT_MIN_SHARE},
    {"top", required_argument, NULL, OPT_TOP},
    {"sort", required_argument, NULL, OPT_SORT},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"full-names", no_argument, NULL, OPT_FULL_NAMES},
    {"color", required_argument, NULL, OPT_COLOR},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    TOOL_OPTIONS
};

static double parse_share(const char *text)
{
    char *end;
    double share = strtod(text, &end);

    if (end != text && *end == '%')
        end++;
    if (end == text || *end || !(share >= 0 && share <= 100))
        tool_usage("--min-share: `%s` is not a share from 0 to 100", text);
    return share;
}

static void parse_option(struct request *r, int option)
{
    static const char *const sorts[] = {"cost", "count", "paths", "calls", "name", NULL};
    static const char *const formats[] = {"text", "json", "csv", NULL};

    switch (option) {
    case OPT_PATHS:      r->rows.tables |= PATH_TABLE_PATHS; break;
    case OPT_BLOCKS:     r->rows.tables |= PATH_TABLE_BLOCKS; break;
    case OPT_EDGES:      r->rows.tables |= PATH_TABLE_EDGES; break;
    case OPT_LINES:      r->rows.tables |= PATH_TABLE_LINES; break;
    case OPT_ROUTINE:    r->routine = optarg; break;
    case OPT_MIN_SHARE:  r->rows.min_share = parse_share(optarg); r->share_given = true; break;
    case OPT_TOP:        r->rows.top = tool_count_argument("--top", optarg); r->top_given = true; break;
    case OPT_SORT:       r->rows.sort = tool_choice_argument("--sort", optarg, sorts); break;
    case OPT_FORMAT:     r->format = tool_choice_argument("--format", optarg, formats); break;
    case OPT_FULL_NAMES: r->full_names = true; break;
    case OPT_COLOR:      r->color = optarg; break;
    case 'o':            r->output = optarg; break;
    case 'f':            r->force = true; break;
    case 'h':            tool_help(help);
    case 'V':            tool_version();
    }
}

static void set_defaults(struct request *r)
{
    struct path_request *rows = &r->rows;

    if (!rows->tables && r->routine && !r->share_given)
        rows->tables = PATH_TABLE_ROUTINES | PATH_TABLE_PATHS;
    else if (!rows->tables)
        rows->tables = PATH_TABLE_ROUTINES | PATH_TABLE_HOT;
    if ((r->top_given && rows->top == 0) || (r->format != FORMAT_TEXT && !r->top_given))
        rows->top = UINT32_MAX;
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    while ((option = tool_option(argc, argv, "o:fhV", options)) != -1)
        parse_option(r, option);
    r->files = argv + optind;
    r->n_files = argc - optind;
    if (r->n_files != 1)
        tool_usage(r->n_files == 0 ? "no file given" : "more than one file given");
    set_defaults(r);
}

_Noreturn static void die_of_memory(void)
{
    struct wpp_error error;

    wpp_fail_memory(&error);
    tool_die_error(&error);
}

/* ---- A profile as a file ------------------------------------------------------------------------ */

static void write_file(const struct request *r, const struct wpp_bytes *file, const char *input)
{
    struct wpp_output *out = tool_output(r->output, r->force, input);
    struct wpp_error error;

    if (!wpp_output_write(out, file->data, file->size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
}

static int convert(const struct request *r)
{
    const char *path = r->files[0];
    wpp *w = profile_input_open(path);
    struct wpp_bytes file = {0};
    struct wpp_error error;
    int status;

    if (strcmp(r->output, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a path profile");
    tool_need(path, w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    if (!profile_write(w, &file, &error))
        tool_die_error(&error);
    write_file(r, &file, path);
    status = tool_say_incomplete(path, w);
    wpp_bytes_free(&file);
    wpp_close(w);
    return tool_finish(status);
}

/* ---- Views -------------------------------------------------------------------------------------- */

/* The routines with that name; dies if there is none. */
static bool *choose(const wpp *w, const char *path, const char *asked)
{
    struct wpp_summary run;
    bool *chosen, any = false;

    wpp_get_summary(w, &run);
    chosen = calloc(run.n_routines + (size_t)1, sizeof *chosen);
    if (!chosen)
        die_of_memory();
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        chosen[i] = strcmp(r->name, asked) == 0 || name_fits(r->shown, asked, strlen(asked));
        any |= chosen[i];
    }
    if (!any)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed", path, asked);
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
        die_of_memory();
    return text;
}

static void end_text(struct table_text *text)
{
    if (text->out != stdout)
        fclose(text->out);
    short_names_free(text->names);
}

static int show(const struct request *r)
{
    static bool (*const views[])(const struct path_report *) = {
        [FORMAT_TEXT] = path_report_text, [FORMAT_JSON] = path_report_json,
        [FORMAT_CSV] = path_report_csv
    };
    const char *path = r->files[0];
    wpp *w = profile_input_open(path);
    bool *chosen = r->routine ? choose(w, path, r->routine) : NULL;
    struct path_profile profile;
    struct path_report report = {.path = path, .p = &profile, .request = r->rows};
    int status;

    report.request.chosen = chosen;
    if (!path_profile_new(&profile, w))
        die_of_memory();
    report.text = begin_text(r);
    if (!path_report_take(&report) || !views[r->format](&report))
        die_of_memory();
    end_text(&report.text);
    path_report_free(&report);
    path_profile_free(&profile);
    free(chosen);
    tool_finish(TOOL_OK);
    tool_say_changed_sources(w);
    status = tool_say_incomplete(path, w);
    wpp_close(w);
    return status;
}

int main(int argc, char **argv)
{
    struct request r = {.rows = {.min_share = 0.125}};

    tool_init("wpp-profile");
    parse_options(argc, argv, &r);
    return r.output ? convert(&r) : show(&r);
}
