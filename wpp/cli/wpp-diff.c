/* SPDX-License-Identifier: MIT */
/* wpp-diff - shows where two runs part, where they meet again, and what they executed differently. */
#include <stdlib.h>
#include <string.h>

#include "wpp/cli/table-output.h"
#include "wpp/cli/tool.h"
#include "wpp/compare/at-once.h"
#include "wpp/compare/run-diff-report.h"

static const char help[] =
    "Usage: wpp-diff [OPTION]... A B\n"
    "Shows where two runs part for the first time, in each thread: what both executed before, what\n"
    "each executes next, both call stacks, and where they meet again. Then the routines, lines and\n"
    "paths that one run executed more often. A and B are WPPs; `-` is standard input.\n"
    "\n"
    "      --by=WHAT          path, line or routine: what is compared (default: path if all routines\n"
    "                         were compiled to the same code, else line)\n"
    "      --ignore=ROUTINE   leave out what ROUTINE itself executed, but not what it called; this\n"
    "                         option may be given several times\n"
    "      --thread=A:B       only thread A of A and thread B of B, counted from 0; --thread=N is\n"
    "                         N:N (default: threads of one name, in their order)\n"
    "  -n, --partings=N       show up to N partings of each thread (default 1)\n"
    "      --meet=N           runs meet again where N paths, lines or calls are equal (default 32)\n"
    "  -q, --brief            only where they part: no counts\n"
    "      --top=N            rows of a table (default 8; 0: all)\n"
    "      --format=F         text (default) or json; json has all rows\n"
    "      --full-names       C++ names in full, lines as long as need be\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "A path ends at a back edge, at the routine's end and before a call. An event is the execution of\n"
    "one path; events are counted from 0. Instructions are GCC's estimate.\n"
    "\n"
    "Exit status: 0 the runs are equal, 1 they differ, 2 trouble.\n";

enum { STATUS_EQUAL = 0, STATUS_DIFFERENT = 1, STATUS_TROUBLE = 2 };
enum { DEFAULT_MEET = 32, MOST_MEET = 100000, MOST_PARTINGS = 1000000 };
enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    char *const *files;
    const char *by, *thread;       /* NULL: not given */
    enum format format;
    struct run_diff_request diff;
    char **ignore;
    uint64_t top;
    bool top_given, brief, full_names;
};

enum { OPT_BY = 0x100, OPT_IGNORE, OPT_THREAD, OPT_MEET, OPT_TOP, OPT_FORMAT, OPT_FULL_NAMES };
static const struct option options[] = {
    {"by", required_argument, NULL, OPT_BY},
    {"ignore", required_argument, NULL, OPT_IGNORE},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"partings", required_argument, NULL, 'n'},
    {"meet", required_argument, NULL, OPT_MEET},
    {"brief", no_argument, NULL, 'q'},
    {"top", required_argument, NULL, OPT_TOP},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"full-names", no_argument, NULL, OPT_FULL_NAMES},
    TOOL_OPTIONS
};
static const char *const kinds[] = {"path", "line", "routine", NULL};

/* A number from 1 to `most`. */
static uint64_t number_argument(const char *option, const char *text, uint64_t most)
{
    uint64_t n = tool_count_argument(option, text);

    if (n == 0 || n > most)
        tool_usage("%s: %s is not from 1 to %llu", option, text, (unsigned long long)most);
    return n;
}

/* `A:B`, or `N` for both. */
static void parse_thread(struct request *r, const char *text)
{
    const char *colon = strchr(text, ':');
    char first[32];
    uint64_t n[2];

    if (colon && (size_t)(colon - text) >= sizeof first)
        tool_usage("--thread: `%s` is not of the form A:B", text);
    snprintf(first, sizeof first, "%.*s", colon ? (int)(colon - text) : 31, text);
    n[SIDE_A] = tool_count_argument("--thread", colon ? first : text);
    n[SIDE_B] = colon ? tool_count_argument("--thread", colon + 1) : n[SIDE_A];
    r->thread = text;
    r->diff.one_thread = true;
    for (unsigned s = 0; s < 2; s++)
        r->diff.thread[s] = n[s] < UINT32_MAX ? (uint32_t)n[s] : UINT32_MAX;
}

static void parse_option(struct request *r, int option)
{
    static const char *const formats[] = {"text", "json", NULL};

    switch (option) {
    case OPT_BY:
        r->by = optarg;
        r->diff.by = tool_choice_argument("--by", optarg, kinds);
        break;
    case OPT_IGNORE:     r->ignore[r->diff.n_ignore++] = optarg; break;
    case OPT_THREAD:     parse_thread(r, optarg); break;
    case OPT_MEET:       r->diff.least = number_argument("--meet", optarg, MOST_MEET); break;
    case OPT_TOP:
        r->top = tool_count_argument("--top", optarg);
        r->top_given = true;
        break;
    case OPT_FORMAT:     r->format = tool_choice_argument("--format", optarg, formats); break;
    case OPT_FULL_NAMES: r->full_names = true; break;
    case 'n':            r->diff.partings = number_argument("--partings", optarg, MOST_PARTINGS); break;
    case 'q':            r->brief = true; break;
    case 'h':            tool_help(help);
    case 'V':            tool_version();
    }
}

static void parse_options(int argc, char **argv, struct request *r)
{
    int option;

    r->ignore = calloc((size_t)argc + 1, sizeof *r->ignore);
    if (!r->ignore)
        tool_die_of_memory();
    r->diff.ignore = r->ignore;
    while ((option = tool_option(argc, argv, "n:qhV", options)) != -1)
        parse_option(r, option);
    r->files = argv + optind;
    if (argc - optind != 2)
        tool_usage(argc == optind ? "no file given" : "two files are compared, not %d",
                   argc - optind);
    if (strcmp(r->files[SIDE_A], "-") == 0 && strcmp(r->files[SIDE_B], "-") == 0)
        tool_usage("only one of the files can be standard input");
    if ((r->top_given && r->top == 0) || (r->format == FORMAT_JSON && !r->top_given))
        r->top = UINT32_MAX;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static uint32_t n_routines(const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    return run.n_routines;
}

struct opening {
    char *const *files;
    wpp *w[2];
    struct wpp_error error[2];
};

static void open_one(void *opening, unsigned s)
{
    struct opening *o = opening;

    o->w[s] = wpp_open_intact(o->files[s], &o->error[s]);
}

static void open_files(const struct request *r, wpp *w[2])
{
    struct opening opening = {.files = r->files};

    tool_stage("reading %s and %s", tool_file_name(r->files[SIDE_A]), tool_file_name(r->files[SIDE_B]));
    at_once(open_one, &opening);
    tool_stage_end();
    for (unsigned s = 0; s < 2; s++) {
        w[s] = opening.w[s];
        if (!w[s])
            tool_die_error(tool_explain_folder(r->files[s], &opening.error[s]));
        tool_need_order(r->files[s], w[s]);
    }
    for (unsigned s = 0; s < 2; s++)
        if (n_routines(w[s]) == 0 && wpp_grammar(w[s])->n_terminals > 0
            && (n_routines(w[!s]) > 0 || (r->by && r->diff.by != COMMON_BY_PATH)))
            tool_die(STATUS_TROUBLE, "%s has no routines: it holds plain symbols", r->files[s]);
}

/* Dies if a thread does not exist, or no routine has an ignored name. */
static void check_request(const struct request *r, wpp *const w[2])
{
    for (unsigned s = 0; s < 2; s++) {
        uint32_t n = wpp_grammar(w[s])->n_threads;

        if (r->thread && r->diff.thread[s] >= n)
            tool_die(STATUS_TROUBLE, "%s: no thread %u; it has %u, counted from 0", r->files[s],
                     r->diff.thread[s], n);
    }
    for (size_t i = 0; i < r->diff.n_ignore; i++)
        if (!common_keys_name(w[SIDE_A], r->ignore[i])
            && !common_keys_name(w[SIDE_B], r->ignore[i]))
            tool_die(STATUS_TROUBLE, "--ignore: no routine `%s` was executed", r->ignore[i]);
}

/* ---- What to compare ------------------------------------------------------------------------ */

/* Paths, if there are routines that are the same and none that have changed, or no routines at all;
 * else lines, which is said. */
static enum common_by choose(const struct request *r, const struct profile_diff *d)
{
    uint32_t n_same = 0;

    if (d->n_routines == 0)
        return COMMON_BY_PATH;
    for (uint32_t i = 0; i < d->n_routines; i++)
        n_same += d->routine[i].number[SIDE_A] != DIFF_NONE
               && d->routine[i].number[SIDE_B] != DIFF_NONE;
    if (r->by) {
        if (r->diff.by == COMMON_BY_PATH && d->n_changed > 0)
            tool_warn("%u routine%s compiled to other code in %s: their paths are never equal "
                      "(--by=line)", d->n_changed, d->n_changed == 1 ? " was" : "s were",
                      r->files[SIDE_B]);
        return r->diff.by;
    }
    if (d->n_changed == 0 && n_same > 0)
        return COMMON_BY_PATH;
    if (n_same == 0)
        tool_warn("no routine of one file is the same in the other: lines are compared, not paths");
    else
        tool_warn("%u routine%s compiled to other code in %s: lines are compared, not paths",
                  d->n_changed, d->n_changed == 1 ? " was" : "s were", r->files[SIDE_B]);
    return COMMON_BY_LINE;
}

static struct table_text begin_text(const struct request *r)
{
    return table_output_begin(r->format == FORMAT_TEXT, r->full_names, false);
}

static void report(const struct request *r, const struct run_diff *d,
                   const struct run_counts *counts)
{
    struct run_diff_report report = {
        .path = {r->files[SIDE_A], r->files[SIDE_B]}, .d = d, .counts = counts, .top = r->top
    };

    report.text = begin_text(r);
    if (!(r->format == FORMAT_JSON ? run_diff_json : run_diff_text)(&report))
        tool_die_of_memory();
    table_output_end(&report.text);
}

/* Counts are shown if something differs: equal runs are said to be equal, and no more. */
static bool compare(struct request *r, wpp *const w[2])
{
    struct path_profile side[2];
    struct profile_diff profile;
    struct run_counts counts;
    struct run_diff d;
    struct wpp_error error;
    bool equal, counted;

    for (unsigned s = 0; s < 2; s++)
        if (!path_profile_new(&side[s], w[s]))
            tool_die_of_memory();
    if (!profile_diff_new(&profile, &side[SIDE_A], &side[SIDE_B]))
        tool_die_of_memory();
    r->diff.by = choose(r, &profile);
    tool_stage("looking for where the runs part");
    if (!run_diff_new(&d, (const wpp *const *)w, &r->diff, &error))
        tool_die_error(&error);
    equal = d.equal;
    counted = !equal && !r->brief && profile.n_routines > 0;
    tool_stage("comparing counts");
    if (counted && !run_counts_new(&counts, &profile, r->diff.ignore, r->diff.n_ignore, &error))
        tool_die_error(&error);
    tool_stage_end();
    report(r, &d, counted ? &counts : NULL);
    if (counted)
        run_counts_free(&counts);
    run_diff_free(&d);
    profile_diff_free(&profile);
    path_profile_free(&side[SIDE_A]);
    path_profile_free(&side[SIDE_B]);
    return equal;
}

int main(int argc, char **argv)
{
    struct request r = {.diff = {.partings = 1, .least = DEFAULT_MEET}};
    bool equal, damaged = false;
    wpp *w[2];

    tool_init("wpp-diff");
    tool_set_trouble(STATUS_TROUBLE);
    parse_options(argc, argv, &r);
    open_files(&r, w);
    check_request(&r, w);
    equal = compare(&r, w);
    tool_finish(STATUS_EQUAL);
    for (unsigned s = 0; s < 2; s++) {
        uint32_t n;

        tool_say_incomplete(r.files[s], w[s]);
        wpp_damages(w[s], &n);
        damaged |= n > 0;
        wpp_close(w[s]);
    }
    free(r.ignore);
    return !equal ? STATUS_DIFFERENT : damaged ? STATUS_TROUBLE : STATUS_EQUAL;
}
