/* SPDX-License-Identifier: MIT */
/* wpp-profile - shows how often each path was executed, in no order: a path profile. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/table-output.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/compiler-counts.h"
#include "wpp/profile/edge-prediction-report.h"
#include "wpp/profile/path-report.h"
#include "wpp/profile/profile-diff-report.h"
#include "wpp/profile/profile-merge.h"
#include "wpp/profile/profile-write.h"

static const char help[] =
    "Usage: wpp-profile [OPTION]... FILE\n"
    "       wpp-profile --diff [OPTION]... A B\n"
    "       wpp-profile --merge -o OUT FILE...\n"
    "Shows how often each path of each routine was executed, of a WPP or of a path profile.\n"
    "FILE `-` is standard input.\n"
    "\n"
    "What to show (default: routines and hot paths):\n"
    "      --paths            all executed paths, with their blocks and lines\n"
    "      --blocks           executions of each block\n"
    "      --edges            executions of each edge of the control-flow graphs\n"
    "      --lines            executions of each source line, as gcov counts them\n"
    "      --edge-prediction  what the edges' counts alone would tell of the paths\n"
    "      --diff             paths of A and B that differ, and how much they have in common\n"
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
    "      --merge            sum all FILEs into OUT; routines that differ are kept apart\n"
    "      --for-compiler     counts as text for the plugin's argument use=, which runs this; names\n"
    "                         of routines, a line each, are read from standard input\n"
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
enum mode { MODE_SHOW, MODE_PREDICTION, MODE_DIFF, MODE_MERGE, MODE_COMPILER };

struct request {
    char **files;
    int n_files;
    const char *routine, *color, *output;
    enum format format;
    enum mode mode;
    const struct option *asked;          /* for the mode */
    struct path_request rows;
    bool top_given, share_given, full_names, force;
};

enum {
    OPT_MODE = 0x100, OPT_PATHS = 0x200, OPT_BLOCKS, OPT_EDGES, OPT_LINES, OPT_ROUTINE,
    OPT_MIN_SHARE, OPT_TOP, OPT_SORT, OPT_FORMAT, OPT_FULL_NAMES, OPT_COLOR
};
/* First the modes, in the order of enum mode behind MODE_SHOW. */
static const struct option options[] = {
    {"edge-prediction", no_argument, NULL, OPT_MODE + MODE_PREDICTION},
    {"diff", no_argument, NULL, OPT_MODE + MODE_DIFF},
    {"merge", no_argument, NULL, OPT_MODE + MODE_MERGE},
    {"for-compiler", no_argument, NULL, OPT_MODE + MODE_COMPILER},
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
    case OPT_MIN_SHARE:  r->rows.min_share = tool_share("--min-share", optarg); r->share_given = true; break;
    case OPT_TOP:
        r->rows.top = tool_count_argument("--top", optarg);
        r->top_given = true;
        break;
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

    if (r->mode == MODE_PREDICTION)
        rows->tables = PATH_TABLE_HOT;
    if (!rows->tables && r->routine && !r->share_given)
        rows->tables = PATH_TABLE_ROUTINES | PATH_TABLE_PATHS;
    else if (!rows->tables)
        rows->tables = PATH_TABLE_ROUTINES | PATH_TABLE_HOT;
    if ((r->top_given && rows->top == 0) || (r->format != FORMAT_TEXT && !r->top_given))
        rows->top = UINT32_MAX;
}

static void choose_mode(struct request *r, enum mode mode)
{
    const struct option *asked = &options[mode - 1];

    if (r->asked && r->asked != asked)
        tool_usage("--%s and --%s do different things", r->asked->name, asked->name);
    r->asked = asked;
    r->mode = mode;
}

static void check_files(const struct request *r)
{
    if (r->n_files == 0)
        tool_usage("no file given");
    if (r->mode == MODE_DIFF && r->n_files != 2)
        tool_usage("--diff compares two files");
    if (r->mode != MODE_DIFF && r->mode != MODE_MERGE && r->n_files > 1)
        tool_usage("more than one file given: --diff compares two, --merge sums them");
    if (r->mode == MODE_MERGE && !r->output)
        tool_usage("--merge: -o says where the sum is to be written");
    if (r->mode == MODE_COMPILER && strcmp(r->files[0], "-") == 0)
        tool_usage("--for-compiler reads names from standard input: FILE cannot be `-`");
    if (r->output && r->mode != MODE_SHOW && r->mode != MODE_MERGE)
        tool_usage("-o writes a path profile: it does not go with --%s", r->asked->name);
    if ((r->output || r->mode != MODE_SHOW) && r->rows.tables)
        tool_usage("--paths, --blocks, --edges and --lines do not go with %s%s",
                   r->asked ? "--" : "-o", r->asked ? r->asked->name : "");
    if ((r->output || r->mode == MODE_DIFF || r->mode == MODE_COMPILER) && r->routine)
        tool_usage("--routine does not go with %s%s", r->output ? "-o" : "--",
                   r->output ? "" : r->asked->name);
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    while ((option = tool_option(argc, argv, "o:fhV", options)) != -1) {
        if (option > OPT_MODE && option < OPT_PATHS)
            choose_mode(r, option - OPT_MODE);
        else
            parse_option(r, option);
    }
    r->files = argv + optind;
    r->n_files = argc - optind;
    check_files(r);
    set_defaults(r);
}

/* ---- A profile as a file ----------------------------------------------------------------- */

static void refuse_output(const struct request *r)
{
    if (strcmp(r->output, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a path profile");
    for (int i = 0; i < r->n_files; i++)
        if (wpp_output_is_input(r->output, r->files[i]))
            tool_die(TOOL_ERROR, "%s: output and input are the same file", r->files[i]);
}

static void write_file(const struct request *r, const struct wpp_bytes *file)
{
    struct wpp_output *out = tool_output(r->output, r->force, r->files[0]);
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

    refuse_output(r);
    tool_need(path, w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    if (!profile_write(w, &file, &error))
        tool_die_error(&error);
    write_file(r, &file);
    status = tool_say_incomplete(path, w);
    wpp_bytes_free(&file);
    wpp_close(w);
    return tool_finish(status);
}

static void say_merged(const struct request *r, const struct profile_merged *merged)
{
    if (merged->n_apart > 0)
        tool_warn("%u of %u routines differ from one of the same name and are kept apart, as %s "
                  "(%s:%u): the files are of several builds", merged->n_apart, merged->n_routines,
                  merged->apart->shown, merged->apart->file, merged->apart->line);
    if (merged->unread > 0)
        tool_warn("%s of modules that could not be read are left out of %s",
                  tool_amount((double)merged->unread, "execution"), r->output);
}

static int merge(const struct request *r)
{
    struct profile_input *inputs = calloc((size_t)r->n_files, sizeof *inputs);
    struct profile_merged merged;
    struct wpp_bytes file = {0};
    struct wpp_error error;
    int status = TOOL_OK;

    refuse_output(r);
    if (!inputs)
        tool_die_of_memory();
    for (int i = 0; i < r->n_files; i++) {
        inputs[i] = (struct profile_input){profile_input_open_program(r->files[i]), r->files[i]};
        tool_need(r->files[i], inputs[i].w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    }
    if (!profile_merge(inputs, (uint32_t)r->n_files, &file, &merged, &error))
        tool_die_error(&error);
    write_file(r, &file);
    say_merged(r, &merged);
    for (int i = 0; i < r->n_files; i++) {
        int its = tool_say_incomplete(r->files[i], inputs[i].w);

        status = its != TOOL_OK ? its : status;
        wpp_close((wpp *)inputs[i].w);
    }
    free(inputs);
    wpp_bytes_free(&file);
    return tool_finish(status);
}

/* ---- Views ------------------------------------------------------------------------------- */

/* The routines with that name; dies if there is none. */
static bool *choose(const wpp *w, const char *path, const char *asked)
{
    bool *chosen = tool_choose_routines(w, asked);

    if (!chosen)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed", path, asked);
    return chosen;
}

static struct table_text begin_text(const struct request *r)
{
    return table_output_begin(r->format == FORMAT_TEXT, r->full_names, tool_color(r->color));
}

/* A path profile of edges has no paths to predict. */
static void need_paths(const char *path, const struct path_profile *p)
{
    if (p->kind == WPP_PROFILE_EDGES)
        tool_die(TOOL_ERROR, "%s counts edges: --edge-prediction needs paths", path);
}

static bool predict(const struct request *r, const struct path_report *rows)
{
    static bool (*const views[])(const struct prediction_report *) = {
        [FORMAT_TEXT] = prediction_text, [FORMAT_JSON] = prediction_json,
        [FORMAT_CSV] = prediction_csv
    };
    struct edge_prediction prediction;
    bool ok;

    need_paths(rows->path, rows->p);
    if (!edge_prediction_new(&prediction, rows->p))
        return false;
    ok = views[r->format](&(struct prediction_report){&prediction, rows});
    edge_prediction_free(&prediction);
    return ok;
}

static int show(const struct request *r)
{
    static bool (*const views[])(const struct path_report *) = {
        [FORMAT_TEXT] = path_report_text, [FORMAT_JSON] = path_report_json,
        [FORMAT_CSV] = path_report_csv
    };
    const char *path = r->files[0];
    wpp *w = profile_input_open_program(path);
    bool *chosen = r->routine ? choose(w, path, r->routine) : NULL;
    struct path_profile profile;
    struct path_report report = {.path = path, .p = &profile, .request = r->rows};
    int status;

    report.request.chosen = chosen;
    if (!path_profile_new(&profile, w))
        tool_die_of_memory();
    report.text = begin_text(r);
    if (!path_report_take(&report)
        || !(r->mode == MODE_PREDICTION ? predict(r, &report) : views[r->format](&report)))
        tool_die_of_memory();
    table_output_end(&report.text);
    path_report_free(&report);
    path_profile_free(&profile);
    free(chosen);
    tool_finish(TOOL_OK);
    tool_say_changed_sources(w);
    status = tool_say_incomplete(path, w);
    wpp_close(w);
    return status;
}

static int compare(const struct request *r)
{
    static bool (*const views[])(const struct diff_report *) = {
        [FORMAT_TEXT] = diff_report_text, [FORMAT_JSON] = diff_report_json,
        [FORMAT_CSV] = diff_report_csv
    };
    struct path_profile side[2];
    struct profile_diff diff;
    struct diff_report report = {
        .path = {r->files[0], r->files[1]}, .d = &diff, .top = r->rows.top
    };
    wpp *w[2];
    int status = TOOL_OK;

    for (int i = 0; i < 2; i++) {
        w[i] = profile_input_open_program(r->files[i]);
        if (!path_profile_new(&side[i], w[i]))
            tool_die_of_memory();
    }
    if (side[0].kind != side[1].kind)
        tool_die(TOOL_ERROR, "%s counts %s, %s counts %s: they cannot be compared", r->files[0],
                 path_kind_text(side[0].kind), r->files[1], path_kind_text(side[1].kind));
    report.text = begin_text(r);
    if (!profile_diff_new(&diff, &side[0], &side[1]) || !diff_report_take(&report)
        || !views[r->format](&report))
        tool_die_of_memory();
    table_output_end(&report.text);
    diff_report_free(&report);
    profile_diff_free(&diff);
    tool_finish(TOOL_OK);
    for (int i = 0; i < 2; i++) {
        int its = tool_say_incomplete(r->files[i], w[i]);

        status = its != TOOL_OK ? its : status;
        path_profile_free(&side[i]);
        wpp_close(w[i]);
    }
    return status;
}

/* ---- For the compiler -------------------------------------------------------------------- */

struct names {
    char **name;
    size_t n, room;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of standard input, sorted. */
static void read_names(struct names *out)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;

    while ((length = getline(&line, &size, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (out->n == out->room) {
            out->room = 2 * out->room + 64;
            out->name = realloc(out->name, out->room * sizeof *out->name);
        }
        if (!out->name || !(out->name[out->n++] = strdup(line)))
            tool_die_of_memory();
    }
    free(line);
    if (out->n > 0)
        qsort(out->name, out->n, sizeof *out->name, compare_names);
}

/* The plugin reads the head before it knows the names. */
static int serve_compiler(const struct request *r)
{
    wpp *w = profile_input_open_program(r->files[0]);
    struct names names = {0};
    struct path_profile profile;
    int status = tool_say_incomplete(r->files[0], w);

    if (!path_profile_new(&profile, w) || !compiler_counts_head(stdout, &profile))
        tool_die_of_memory();
    if (!tool_flush())
        return TOOL_ERROR;
    read_names(&names);
    if (!compiler_counts_body(stdout, &profile, names.name, names.n))
        tool_die_of_memory();
    for (size_t i = 0; i < names.n; i++)
        free(names.name[i]);
    free(names.name);
    path_profile_free(&profile);
    wpp_close(w);
    return tool_finish(status);
}

int main(int argc, char **argv)
{
    struct request r = {.rows = {.min_share = 0.125}};

    tool_init("wpp-profile");
    parse_options(argc, argv, &r);
    switch (r.mode) {
    case MODE_DIFF: return compare(&r);
    case MODE_MERGE: return merge(&r);
    case MODE_COMPILER: return serve_compiler(&r);
    case MODE_SHOW: case MODE_PREDICTION: break;
    }
    return r.output ? convert(&r) : show(&r);
}
