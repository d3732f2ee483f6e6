/* SPDX-License-Identifier: MIT */
/* wpp-suspects - ranks what goes with failure in a store of runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/cli/next-build.h"
#include "wpp/cli/run-parting.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/suspects-input.h"
#include "wpp/cli/tool.h"
#include "wpp/runs/suspects-report.h"

static const char help[] =
    "Usage: wpp-suspects [OPTION]... DIR\n"
    "       wpp-suspects --next [OPTION]... DIR [EARLIER]...\n"
    "Ranks what is true of the failing runs in the store DIR, and not of the passing ones. For each\n"
    "suspect: in how many runs it is true and in how many it could be, its place in the source, the\n"
    "shortest failing run, the passing run most like it, and where these two part.\n"
    "\n"
    "      --kinds=LIST       only these kinds, separated by commas: line, branch, routine, path, loop,\n"
    "                         exactly, caller, callers, pair, triple, before (default: all)\n"
    "      --sort=SCORE       importance (default), increase, ochiai, tarantula or bits\n"
    "      --eliminate        one suspect for each bug: leave out the failing runs that a suspect\n"
    "                         explains, and rank the others again\n"
    "  -n, --top=N            show N suspects (default 10; 0: all)\n"
    "      --all              show all predicates, also those that are true of the same runs\n"
    "      --at=FILE:LINES    show only suspects that lie on these lines (12 or 12-20), or one that is true of\n"
    "                         the same runs does; several times: on any of them\n"
    "      --next             print which routines the next build should record, as arguments of the\n"
    "                         plugin: N that suspects lie in, and at most N that call them or are called\n"
    "                         and that no build of the stores EARLIER recorded\n"
    "  -j, --jobs=N           read the runs with N processors (0: all, the default; 1: without parts)\n"
    "      --with=slurm       read the runs in N parts by a job array of Slurm's; `processors`: here\n"
    "      --part=K/N         write what is true of part K of N of the runs, for a process of such an array\n"
    "  -o, --output=FILE      write that part to FILE\n"
    "  -q, --brief            do not compare runs; --next: print the arguments alone\n"
    "      --format=F         text (default), json or csv\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "line, branch, routine, path: it is executed. loop: it is gone round so often, or more, in a visit;\n"
    "exactly: just so often. caller, callers: a routine is called by this one, and that by this one. pair,\n"
    "triple: paths one right behind the other. before: a path is executed before another one.\n"
    "\n"
    "increase: the share of failing runs among those in which it is true, less that among those in which it\n"
    "was observed. importance: the harmonic mean of that and log(failing runs in which it is true) /\n"
    "log(failing runs).\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage; of --next: 3 if the runs have the paths of all these routines.\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    const char *folder;
    struct suspect_request rank;
    enum format format;
    uint64_t top;
    bool top_given, eliminate, brief, next;
    enum job_place with;
    uint32_t jobs;
    uint32_t part, n_parts;        /* n_parts 0: all is done here */
    const char *output;
    char **earlier;
    size_t n_earlier;
    struct line_range *at;         /* what rank.at points to */
};

enum { OPT_KINDS = 0x100, OPT_SORT, OPT_ELIMINATE, OPT_ALL, OPT_FORMAT, OPT_NEXT, OPT_WITH, OPT_PART, OPT_AT };
enum { JOBS_MOST = 1000, PARTS_MOST = 1000000 };
static const struct option options[] = {
    {"kinds", required_argument, NULL, OPT_KINDS},
    {"sort", required_argument, NULL, OPT_SORT},
    {"eliminate", no_argument, NULL, OPT_ELIMINATE},
    {"top", required_argument, NULL, 'n'},
    {"all", no_argument, NULL, OPT_ALL},
    {"brief", no_argument, NULL, 'q'},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"at", required_argument, NULL, OPT_AT},
    {"next", no_argument, NULL, OPT_NEXT},
    {"jobs", required_argument, NULL, 'j'},
    {"with", required_argument, NULL, OPT_WITH},
    {"part", required_argument, NULL, OPT_PART},
    {"output", required_argument, NULL, 'o'},
    TOOL_OPTIONS
};

static unsigned kinds_argument(const char *text)
{
    char *copy = strdup(text), *rest = copy, *word;
    unsigned kinds = 0;

    if (!copy)
        tool_die_of_memory();
    while ((word = strsep(&rest, ",")))
        kinds |= 1u << tool_choice_argument("--kinds", word, predicate_names);
    free(copy);
    return kinds;
}

/* K/N */
static void part_argument(struct request *r, const char *text)
{
    const char *slash = strchr(text, '/');
    char *first = slash ? strndup(text, (size_t)(slash - text)) : NULL;
    uint64_t k = 0, n = 0;

    if (!first || !tool_parse_count(first, &k) || !tool_parse_count(slash + 1, &n) || k < 1 || k > n ||
        n > PARTS_MOST)
        tool_usage("--part: `%s` is no part as 3/8", text);
    r->part = (uint32_t)k;
    r->n_parts = (uint32_t)n;
    free(first);
}

/* FILE:12, FILE:12-20 */
static void at_argument(struct request *r, const char *text)
{
    const char *colon = strrchr(text, ':'), *dash = colon ? strchr(colon, '-') : NULL;
    char *first = NULL, *file = NULL;
    uint64_t from = 0, to = 0;

    if (colon && colon > text) {
        file = strndup(text, (size_t)(colon - text));
        first = dash ? strndup(colon + 1, (size_t)(dash - colon - 1)) : strdup(colon + 1);
    }
    if (!first || !tool_parse_count(first, &from) || !tool_parse_count(dash ? dash + 1 : first, &to) ||
        from < 1 || to < from || to > UINT32_MAX)
        tool_usage("--at: `%s` are no lines as FILE:12-20", text);
    free(first);
    r->at = realloc(r->at, (r->rank.at.n + (size_t)1) * sizeof *r->at);
    if (!r->at)
        tool_die_of_memory();
    r->at[r->rank.at.n++] = (struct line_range){file, (uint32_t)from, (uint32_t)to};
    r->rank.at.range = r->at;
}

static void parse_option(struct request *r, int option)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const sorts[] = {"importance", "increase", "ochiai", "tarantula", "bits", NULL};

    switch (option) {
    case OPT_KINDS:     r->rank.kinds = kinds_argument(optarg); break;
    case OPT_SORT:      r->rank.sort = tool_choice_argument("--sort", optarg, sorts); break;
    case OPT_ELIMINATE: r->eliminate = true; break;
    case OPT_ALL:       r->rank.all = true; break;
    case OPT_FORMAT:    r->format = tool_choice_argument("--format", optarg, formats); break;
    case 'n':
        r->top = tool_count_argument("--top", optarg);
        r->top_given = true;
        break;
    case 'q':           r->brief = true; break;
    case OPT_AT:        at_argument(r, optarg); break;
    case OPT_NEXT:      r->next = true; break;
    case 'j':           r->jobs = tool_jobs_argument(optarg, JOBS_MOST); break;
    case OPT_WITH:      r->with = tool_choice_argument("--with", optarg, job_place_names); break;
    case OPT_PART:      part_argument(r, optarg); break;
    case 'o':           r->output = optarg; break;
    case 'h':           tool_help(help);
    case 'V':           tool_version();
    }
}

static void parse_options(int argc, char **argv, struct request *r)
{
    enum { DEFAULT_TOP = 10 };
    int option;

    while ((option = tool_option(argc, argv, "n:qj:o:hV", options)) != -1)
        parse_option(r, option);
    if (argc - optind != 1 && !(r->next && argc > optind))
        tool_usage(argc == optind ? "no store given" : "one store is looked at, not %d", argc - optind);
    if (r->eliminate && r->rank.all)
        tool_usage("--eliminate ranks anew for each suspect: --all does not go with it");
    if (r->next && (r->rank.all || r->eliminate || r->rank.at.n > 0 || r->format == FORMAT_CSV))
        tool_usage("--next: --all, --at, --eliminate and --format=csv do not go with it");
    if (r->eliminate && r->rank.at.n > 0)
        tool_usage("--eliminate ranks anew for each suspect: --at does not go with it");
    if ((r->n_parts > 0) != (r->output != NULL))
        tool_usage("--part and --output: one needs the other");
    r->folder = argv[optind];
    r->earlier = argv + optind + 1;
    r->n_earlier = (size_t)(argc - optind - 1);
    if (!r->top_given)
        r->top = r->format == FORMAT_TEXT || r->next ? DEFAULT_TOP : 0;
    if (r->top == 0)
        r->top = UINT64_MAX;
}

/* ---- Reading the runs ----------------------------------------------------------------------- */

static void read_all(struct suspects_input *in, const struct request *request)
{
    struct wpp_error error;

    suspects_input_read(in, request->folder, request->with, request->jobs);
    if (in->notes.n_unusable > 0)
        tool_warn("%u run%s are left out: their paths are damaged", in->notes.n_unusable,
                  in->notes.n_unusable == 1 ? "" : "s");
    if (in->s.n_fail == 0 || in->s.n_pass == 0)
        tool_die(TOOL_ERROR, "%s has no run that %s: nothing can be compared", request->folder,
                 in->s.n_fail == 0 ? "failed" : "passed");
    if (in->s.n_fail == 1 && request->rank.sort == SUSPECT_IMPORTANCE)
        tool_warn("only one run failed: importance needs two (--sort=ochiai)");
    if (!suspects_end(&in->s, request->rank.kinds >> PREDICATE_BEFORE & 1, &error))
        tool_die_error(&error);
}

/* ---- Report ---------------------------------------------------------------------------------- */

/* Rows often have the same runs: these are compared once. */
static struct suspect_parting *compare_runs(struct suspects_input *in, const struct ranking *ranking,
                                            size_t rows)
{
    struct suspect_parting *p = calloc(rows + 1, sizeof *p);
    struct suspect_pair *pair = malloc((rows + 1) * sizeof *pair);
    uint32_t *predicate = malloc((rows + 1) * sizeof *predicate);
    struct wpp_error error;

    if (!p || !pair || !predicate)
        tool_die_of_memory();
    for (size_t i = 0; i < rows; i++)
        predicate[i] = ranking->suspect[i].predicate;
    if (!suspects_nearest(&in->s, predicate, rows, pair, &error))
        tool_die_error(&error);
    for (size_t i = 0; i < rows; i++) {
        size_t same = 0;

        p[i].pair = pair[i];
        if (pair[i].fail == UINT32_MAX || pair[i].pass == UINT32_MAX)
            continue;
        while (p[same].pair.fail != p[i].pair.fail || p[same].pair.pass != p[i].pair.pass)
            same++;
        if (same < i)
            p[i].text = p[same].text ? strdup(p[same].text) : NULL;
        else
            p[i].text = run_parting(in->store, in->s.run[pair[i].fail].id, in->s.run[pair[i].pass].id);
    }
    free(pair);
    free(predicate);
    return p;
}

static void report(struct suspects_input *in, const struct request *request, const struct ranking *ranking)
{
    struct suspects_report report = {
        .out = stdout, .s = &in->s, .ranking = ranking, .sort = request->rank.sort,
        .n_unknown = in->notes.n_unknown, .n_builds = in->notes.n_builds, .eliminated = request->eliminate,
        .at_lines = request->rank.at.n > 0,
        .rows = ranking->n < request->top ? ranking->n : (size_t)request->top
    };
    struct suspect_parting *parting = NULL;

    if (!request->brief && request->format != FORMAT_CSV)
        report.parting = parting = compare_runs(in, ranking, report.rows);
    if (request->format == FORMAT_TEXT)
        suspects_text(&report);
    else if (request->format == FORMAT_JSON)
        suspects_json(&report);
    else
        suspects_csv(&report);
    for (size_t i = 0; parting && i < report.rows; i++)
        free(parting[i].text);
    free(parting);
}

static bool note_id(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    (void)error;
    *(int64_t *)ctx = run->id;
    return true;
}

/* A run of each store: all runs of a store have the same build. */
static struct earlier_builds open_earlier(const struct request *request)
{
    struct earlier_builds earlier = {.w = calloc(request->n_earlier + 1, sizeof *earlier.w)};

    if (!earlier.w)
        tool_die_of_memory();
    for (size_t i = 0; i < request->n_earlier; i++) {
        struct run_store *store = store_open(request->earlier[i], RUN_STORE_READ);
        struct wpp_error error;
        int64_t id = 0;

        if (!run_store_walk(store, &(struct run_choice){0}, note_id, &id, &error))
            tool_die_error(&error);
        if (id)
            earlier.w[earlier.n++] = store_open_first(store, id);
        run_store_close(store);
    }
    return earlier;
}

static int suggest(struct suspects_input *in, const struct request *request)
{
    enum { NOTHING_NEW = 3 };
    struct suspect_request all = request->rank;
    struct ranking ranking;
    struct earlier_builds earlier = open_earlier(request);
    struct next_build next;
    int status;

    all.all = true;
    if (!suspects_rank(&in->s, &all, &ranking))
        tool_die_of_memory();
    next_build_find(&next, &in->s, &ranking, (size_t)request->top, &earlier);
    if (next.n == 0)
        tool_die(TOOL_ERROR, "no predicate has a score above 0: no routine is suspected%s",
                 all.sort == SUSPECT_IMPORTANCE ? " (--sort=ochiai asks for less)" : "");
    if (request->format == FORMAT_JSON)
        next_build_json(&next, &in->s);
    else
        next_build_text(&next);
    if (!request->brief)
        next_build_say(&next);
    status = next_build_is_new(&next) ? TOOL_OK : NOTHING_NEW;
    next_build_free(&next);
    ranking_free(&ranking);
    for (size_t i = 0; i < earlier.n; i++)
        wpp_close(earlier.w[i]);
    free(earlier.w);
    return status;
}

static void rank(struct suspects_input *in, const struct request *request)
{
    struct ranking ranking;
    struct wpp_error error;

    if (!request->eliminate && !suspects_rank(&in->s, &request->rank, &ranking))
        tool_die_of_memory();
    if (request->eliminate &&
        !suspects_eliminate(&in->s, &request->rank, (size_t)request->top, &ranking, &error))
        tool_die_error(&error);
    report(in, request, &ranking);
    ranking_free(&ranking);
}

int main(int argc, char **argv)
{
    struct request request = {.rank = {.kinds = (1u << PREDICATE_KINDS) - 1}, .jobs = tool_processors()};
    struct suspects_input in;
    int status = TOOL_OK;

    tool_init("wpp-suspects");
    parse_options(argc, argv, &request);
    if (request.n_parts > 0) {
        suspects_input_write_part(request.folder, request.part, request.n_parts, request.output);
        return tool_finish(TOOL_OK);
    }
    read_all(&in, &request);
    if (request.next)
        status = suggest(&in, &request);
    else
        rank(&in, &request);
    suspects_input_free(&in);
    for (uint32_t i = 0; i < request.rank.at.n; i++)
        free((char *)request.at[i].file);
    free(request.at);
    return tool_finish(status);
}
