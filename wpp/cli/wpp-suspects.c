/* SPDX-License-Identifier: MIT */
/* wpp-suspects - ranks what goes with failure in a store of runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/compare/run-diff-report.h"
#include "wpp/runs/suspects-report.h"

static const char help[] =
    "Usage: wpp-suspects [OPTION]... DIR\n"
    "Ranks what is true of the failing runs in the store DIR, and not of the passing ones. For each\n"
    "suspect: in how many runs it is true and in how many it could be, its place in the source, the\n"
    "shortest failing run, the passing run most like it, and where these two part.\n"
    "\n"
    "      --kinds=LIST       only these kinds, separated by commas: line, branch, routine, path, loop,\n"
    "                         exactly, caller, callers, pair, triple, before (default: all)\n"
    "      --sort=SCORE       importance (default), increase, ochiai or tarantula\n"
    "      --eliminate        one suspect for each bug: leave out the failing runs that a suspect\n"
    "                         explains, and rank the others again\n"
    "  -n, --top=N            show N suspects (default 10; 0: all)\n"
    "      --all              show all predicates, also those that are true of the same runs\n"
    "  -q, --brief            do not compare runs\n"
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
    "log(failing runs).\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct request {
    const char *folder;
    struct suspect_request rank;
    enum format format;
    uint64_t top;
    bool top_given, eliminate, brief;
};

enum { OPT_KINDS = 0x100, OPT_SORT, OPT_ELIMINATE, OPT_ALL, OPT_FORMAT };
static const struct option options[] = {
    {"kinds", required_argument, NULL, OPT_KINDS},
    {"sort", required_argument, NULL, OPT_SORT},
    {"eliminate", no_argument, NULL, OPT_ELIMINATE},
    {"top", required_argument, NULL, 'n'},
    {"all", no_argument, NULL, OPT_ALL},
    {"brief", no_argument, NULL, 'q'},
    {"format", required_argument, NULL, OPT_FORMAT},
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

static void parse_option(struct request *r, int option)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const sorts[] = {"importance", "increase", "ochiai", "tarantula", NULL};

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
    case 'h':           tool_help(help);
    case 'V':           tool_version();
    }
}

static void parse_options(int argc, char **argv, struct request *r)
{
    enum { DEFAULT_TOP = 10 };
    int option;

    while ((option = tool_option(argc, argv, "n:qhV", options)) != -1)
        parse_option(r, option);
    if (argc - optind != 1)
        tool_usage(argc == optind ? "no store given" : "one store is looked at, not %d", argc - optind);
    if (r->eliminate && r->rank.all)
        tool_usage("--eliminate ranks anew for each suspect: --all does not go with it");
    r->folder = argv[optind];
    if (!r->top_given)
        r->top = r->format == FORMAT_TEXT ? DEFAULT_TOP : 0;
    if (r->top == 0)
        r->top = UINT64_MAX;
}

/* ---- Reading the runs ----------------------------------------------------------------------- */

struct reading {
    struct run_store *store;
    struct suspects s;
    uint32_t n_unknown, n_unusable, done;
    int64_t *builds;
    uint32_t n_builds;
};

static void note_build(struct reading *r, int64_t build)
{
    for (uint32_t i = 0; i < r->n_builds; i++)
        if (r->builds[i] == build)
            return;
    r->builds = realloc(r->builds, (r->n_builds + (size_t)1) * sizeof *r->builds);
    if (!r->builds)
        tool_die_of_memory();
    r->builds[r->n_builds++] = build;
}

static bool read_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct reading *r = ctx;
    wpp **process;
    bool done = true;

    if (run->label == RUN_UNKNOWN) {
        r->n_unknown++;
        return true;
    }
    tool_progress("%u runs read", r->done++);
    process = store_open_run(r->store, run, error);
    if (!process)
        return false;
    if (!store_run_is_usable(process, run->n_processes)) {
        r->n_unusable++;
        store_close_run(process, run->n_processes);
        return true;
    }
    note_build(r, run->build);
    done = suspects_add(&r->s, run->id, run->label == RUN_FAIL, process, run->n_processes, error);
    free(process);
    return done;
}

static void read_all(struct reading *r, const struct request *request)
{
    struct wpp_error error;

    suspects_init(&r->s);
    r->store = store_open(request->folder, RUN_STORE_READ);
    if (!run_store_walk(r->store, &(struct run_choice){0}, read_run, r, &error))
        tool_die_error(&error);
    tool_progress_end();
    if (r->n_unusable > 0)
        tool_warn("%u run%s are left out: their paths are damaged", r->n_unusable,
                  r->n_unusable == 1 ? "" : "s");
    if (r->s.n_fail == 0 || r->s.n_pass == 0)
        tool_die(TOOL_ERROR, "%s has no run that %s: nothing can be compared", request->folder,
                 r->s.n_fail == 0 ? "failed" : "passed");
    if (r->s.n_fail == 1 && request->rank.sort == SUSPECT_IMPORTANCE)
        tool_warn("only one run failed: importance needs two (--sort=ochiai)");
    if (!suspects_end(&r->s, request->rank.kinds >> PREDICATE_BEFORE & 1))
        tool_die_of_memory();
}

/* ---- Where two runs part --------------------------------------------------------------------- */

static char *describe(const struct run_diff *d)
{
    for (uint32_t i = 0; i < d->n_threads; i++) {
        const struct thread_diff *t = &d->thread[i];
        struct run_place place;
        char *text = NULL, name[60];

        if (t->n_partings == 0)
            continue;
        place = run_diff_place(d, &t->parting[0]);
        if (!place.routine) {
            text = strdup("at their beginning");
        } else {
            name_shorten(place.routine->shown, name, sizeof name);
            if (asprintf(&text, "after %s equal paths, in %s at %s:%u",
                         tool_grouped(t->parting[0].common), name,
                         place.line ? place.line->file : place.routine->file,
                         place.line ? place.line->line : place.routine->line) < 0)
                text = NULL;
        }
        if (!text)
            tool_die_of_memory();
        wpp_keep_one_line(text);
        return text;
    }
    return NULL;
}

static void die_of_run(int64_t id, const struct wpp_error *error)
{
    tool_die(TOOL_ERROR, "run %lld: %s", (long long)id, error->text);
}

/* Of their first processes. */
static char *compare(struct run_store *s, int64_t fail, int64_t pass)
{
    wpp *w[2] = {store_open_first(s, fail), store_open_first(s, pass)};
    struct run_diff_request request = {.by = COMMON_BY_PATH, .partings = 1, .least = 32};
    struct run_diff d;
    struct wpp_error error;
    char *text;

    if (!run_diff_new(&d, (const wpp *const *)w, &request, &error))
        die_of_run(fail, &error);
    text = describe(&d);
    run_diff_free(&d);
    wpp_close(w[0]);
    wpp_close(w[1]);
    return text;
}

/* Rows often have the same runs: these are compared once. */
static struct suspect_parting *compare_runs(struct reading *r, const struct ranking *ranking,
                                            size_t rows)
{
    struct suspect_parting *p = calloc(rows + 1, sizeof *p);

    if (!p)
        tool_die_of_memory();
    for (size_t i = 0; i < rows; i++) {
        size_t same = 0;

        p[i].pair = suspects_nearest(&r->s, ranking->suspect[i].predicate);
        if (p[i].pair.fail == UINT32_MAX || p[i].pair.pass == UINT32_MAX)
            continue;
        while (p[same].pair.fail != p[i].pair.fail || p[same].pair.pass != p[i].pair.pass)
            same++;
        if (same < i)
            p[i].text = p[same].text ? strdup(p[same].text) : NULL;
        else
            p[i].text = compare(r->store, r->s.run[p[i].pair.fail].id, r->s.run[p[i].pair.pass].id);
    }
    return p;
}

/* ---- Report ---------------------------------------------------------------------------------- */

static void report(struct reading *r, const struct request *request, const struct ranking *ranking)
{
    struct suspects_report report = {
        .out = stdout, .s = &r->s, .ranking = ranking, .sort = request->rank.sort,
        .n_unknown = r->n_unknown, .n_builds = r->n_builds, .eliminated = request->eliminate,
        .rows = ranking->n < request->top ? ranking->n : (size_t)request->top
    };
    struct suspect_parting *parting = NULL;

    if (!request->brief && request->format != FORMAT_CSV)
        report.parting = parting = compare_runs(r, ranking, report.rows);
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

int main(int argc, char **argv)
{
    struct request request = {.rank = {.kinds = (1u << PREDICATE_KINDS) - 1}};
    struct reading r = {0};
    struct ranking ranking;

    tool_init("wpp-suspects");
    parse_options(argc, argv, &request);
    read_all(&r, &request);
    if (request.eliminate ? !suspects_eliminate(&r.s, &request.rank, (size_t)request.top, &ranking)
                          : !suspects_rank(&r.s, &request.rank, NULL, &ranking))
        tool_die_of_memory();
    report(&r, &request, &ranking);
    ranking_free(&ranking);
    suspects_free(&r.s);
    run_store_close(r.store);
    free(r.builds);
    return tool_finish(TOOL_OK);
}
