/* SPDX-License-Identifier: MIT */
/* wpp-samples - makes path profiles of a processor's branch records. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpp/cli/tool.h"
#include "wpp/samples/branch-text.h"
#include "wpp/samples/run-records.h"
#include "wpp/samples/samples-profile.h"

static const char help[] =
    "Usage: wpp-samples [OPTION]... -o FILE PROGRAM [SAMPLES]\n"
    "       wpp-samples record [-o SAMPLES] [--period=N] [--] PROGRAM [ARGUMENT]...\n"
    "       wpp-samples --accuracy [OPTION]... RUN.wpp\n"
    "Makes a path profile of samples of the last taken branches, which a processor records without\n"
    "slowing the program down. PROGRAM is compiled by wpp-gcc with WPP_PLUGIN_ARGS=mode=map.\n"
    "SAMPLES is perf's file, or what perf script prints of it with the fields pid,ip,sym,brstack and\n"
    "its mmap events; `-` or no SAMPLES is such text on standard input.\n"
    "`wpp-samples record` runs PROGRAM under perf. --accuracy takes samples of a recorded run, whose\n"
    "paths are known, and says how well they are estimated.\n"
    "\n"
    "  -o, --output=FILE      the path profile, for wpp-profile; record: perf's file (perf.data);\n"
    "                         --accuracy: the run's own path profile, whose paths calls do not cut\n"
    "  -f, --force            replace FILE\n"
    "      --estimate=HOW     flow (default): the counts under which the samples are most likely;\n"
    "                         equal: a part of a path counts alike for all paths that contain it\n"
    "      --period=N         taken branches from one sample to the next (default 10000): what counts\n"
    "                         are multiplied by; record: what perf is told\n"
    "      --limit=N          paths from a block, at most (default 4096)\n"
    "      --regions          paths end where loops begin and end, and where two ways meet from\n"
    "                         different regions\n"
    "      --offsets          addresses are offsets in the file (perf's field brstackoff)\n"
    "      --accuracy         a table of accuracies, by depth and period\n"
    "      --plan             only the longest period of each depth that gives 95 %\n"
    "      --depth=N          --accuracy, --plan: how many branches a sample has (default 4, 8, 16 and\n"
    "                         32), 2 to 64\n"
    "      --format=F         text (default) or json: what is said about the samples\n"
    "  -q, --quiet            say nothing about the samples\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Accuracy is the share of the hot paths' flow that belongs to the most frequent paths of the\n"
    "estimate, as many as there are hot ones; hot are paths with 0.125 % of all executions.\n"
    "\n"
    "Exit status: 0 success, 1 an error, 2 wrong usage, 3 the file holds an incomplete run.\n";

#define HOT_SHARE 0.00125
#define GOOD 0.95
enum { DEFAULT_PERIOD = 10000, DEFAULT_LIMIT = 4096, MOST_LIMIT = 1 << 20 };
enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    const char *output, *program, *samples;
    enum estimate_how how;
    enum format format;
    uint64_t period, depth;
    struct path_rules rules;
    bool force, quiet, offsets, accuracy, plan, period_given;
};

enum { OPT_ESTIMATE = 0x100, OPT_PERIOD, OPT_LIMIT, OPT_REGIONS, OPT_OFFSETS, OPT_ACCURACY, OPT_PLAN, OPT_DEPTH,
       OPT_FORMAT };
static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"estimate", required_argument, NULL, OPT_ESTIMATE},
    {"period", required_argument, NULL, OPT_PERIOD},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"regions", no_argument, NULL, OPT_REGIONS},
    {"offsets", no_argument, NULL, OPT_OFFSETS},
    {"accuracy", no_argument, NULL, OPT_ACCURACY},
    {"plan", no_argument, NULL, OPT_PLAN},
    {"depth", required_argument, NULL, OPT_DEPTH},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"quiet", no_argument, NULL, 'q'},
    TOOL_OPTIONS
};

static uint64_t number_argument(const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t n = tool_count_argument(option, text);

    if (n < least || n > most)
        tool_usage("%s: %s is not from %llu to %llu", option, text, (unsigned long long)least,
                   (unsigned long long)most);
    return n;
}

static void parse_option(struct request *r, int option)
{
    static const char *const ways[] = {"equal", "flow", NULL};
    static const char *const formats[] = {"text", "json", NULL};

    switch (option) {
    case 'o':          r->output = optarg; break;
    case 'f':          r->force = true; break;
    case 'q':          r->quiet = true; break;
    case OPT_ESTIMATE: r->how = tool_choice_argument("--estimate", optarg, ways); break;
    case OPT_PERIOD:
        r->period = number_argument("--period", optarg, 1, UINT32_MAX);
        r->period_given = true;
        break;
    case OPT_LIMIT:    r->rules.limit = number_argument("--limit", optarg, 2, MOST_LIMIT); break;
    case OPT_REGIONS:  r->rules.regions = true; break;
    case OPT_OFFSETS:  r->offsets = true; break;
    case OPT_ACCURACY: r->accuracy = true; break;
    case OPT_PLAN:     r->plan = true; break;
    case OPT_DEPTH:    r->depth = number_argument("--depth", optarg, 2, MOST_DEPTH); break;
    case OPT_FORMAT:   r->format = tool_choice_argument("--format", optarg, formats); break;
    case 'h':          tool_help(help);
    case 'V':          tool_version();
    }
}

static void parse_options(int argc, char **argv, struct request *r)
{
    bool truth;
    int option;

    while ((option = tool_option(argc, argv, "o:fqhV", options)) != -1)
        parse_option(r, option);
    truth = r->accuracy || r->plan;
    if (optind == argc)
        tool_usage(truth ? "no recorded run given" : "no program given");
    r->program = argv[optind];
    r->samples = optind + 1 < argc ? argv[optind + 1] : truth ? r->program : "-";
    if (argc - optind > (truth ? 1 : 2))
        tool_usage("too many files: `%s`", argv[optind + (truth ? 1 : 2)]);
    if (!truth && !r->output)
        tool_usage("no output given (-o)");
    if (!truth && r->depth)
        tool_usage("--depth goes with --accuracy and --plan");
}

/* ---- Input ------------------------------------------------------------------------------------ */

static bool is_perf_data(int fd)
{
    char magic[8];

    return pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "PERFILE2", 8) == 0;
}

/* Becomes perf in a child; returns what it prints. */
static int run_perf_script(const char *file, pid_t *child)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0 || (*child = fork()) < 0)
        tool_die(TOOL_ERROR, "cannot run perf: %s", strerror(errno));
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execlp("perf", "perf", "script", "-i", file, "--show-mmap-events", "-F", "pid,ip,sym,brstack",
               (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

static int open_samples(const struct request *r, pid_t *child)
{
    int fd = strcmp(r->samples, "-") == 0 ? STDIN_FILENO : open(r->samples, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        tool_die(TOOL_ERROR, "cannot open %s: %s", r->samples, strerror(errno));
    if (fd == STDIN_FILENO && isatty(fd))
        tool_usage("no samples given");
    if (!is_perf_data(fd))
        return fd;
    if (fd == STDIN_FILENO)
        tool_usage("perf's data cannot come on standard input; name the file");
    close(fd);
    return run_perf_script(r->samples, child);
}

static void check_perf(pid_t child)
{
    int status;

    if (child <= 0 || waitpid(child, &status, 0) != child)
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        tool_die(TOOL_ERROR, "perf is not installed (Debian: linux-perf); print its data elsewhere with `perf "
                 "script --show-mmap-events -F pid,ip,sym,brstack`");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        tool_die(TOOL_ERROR, "perf script failed");
}

static void read_samples(const struct request *r, struct branch_text *text, struct block_trail *trail,
                         struct records_figures *figures)
{
    struct wpp_error error;
    int more;

    text->offsets = r->offsets;
    while ((more = branch_text_next(text, &error)) > 0)
        records_follow(trail, text->record, text->n, text->ip, figures);
    if (more < 0)
        tool_die_error(&error);
    if (trail->failed)
        tool_die_of_memory();
}

/* ---- What is said of the samples ---------------------------------------------------------------- */

static double share(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void say_text(const struct branch_text *t, const struct records_figures *f, const struct path_estimates *e)
{
    uint64_t strange = f->impossible_runs + f->impossible_jumps;

    printf("%s samples with %s branches, %.1f a sample\n", tool_grouped(f->samples), tool_grouped(f->records),
           f->samples ? (double)f->records / (double)f->samples : 0);
    printf("%5.1f %%  outside the mapped code\n", share((double)f->foreign, (double)f->records));
    printf("%5.1f %%  impossible: %s runs from one branch to the next, %s jumps\n",
           share((double)strange, (double)f->records), tool_grouped(f->impossible_runs),
           tool_grouped(f->impossible_jumps));
    printf("%5.1f %%  of the parts of paths say too little\n", share(e->unspread, e->spread + e->unspread));
    if (t->strange + t->left_out > 0)
        printf("%s branches could not be read, %s were too many for a sample\n", tool_grouped(t->strange),
               tool_grouped(t->left_out));
    printf("%s paths\n", tool_grouped(e->n));
}

static void say_json(const struct branch_text *t, const struct records_figures *f, const struct path_estimates *e)
{
    printf("{\"samples\": %llu, \"branches\": %llu, \"foreign\": %llu, \"impossible_runs\": %llu, "
           "\"impossible_jumps\": %llu, \"unread\": %llu, \"left_out\": %llu, \"unspread\": %.6f, \"paths\": %llu}\n",
           (unsigned long long)f->samples, (unsigned long long)f->records, (unsigned long long)f->foreign,
           (unsigned long long)f->impossible_runs, (unsigned long long)f->impossible_jumps,
           (unsigned long long)t->strange, (unsigned long long)t->left_out,
           share(e->unspread, e->spread + e->unspread) / 100, (unsigned long long)e->n);
}

/* ---- A profile ------------------------------------------------------------------------------------- */

static void write_profile(const struct request *r, const struct address_map *map, const char *program,
                          struct path_graphs *graphs, const struct path_estimates *e, double scale)
{
    struct wpp_output *out = tool_output(r->output, r->force, r->samples);
    struct wpp_bytes bytes = {0};
    struct wpp_error error;

    if (!samples_profile_encode(map, program, graphs, e, scale, &bytes, &error)
        || !wpp_output_write(out, bytes.data, bytes.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    wpp_bytes_free(&bytes);
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
}

static void check_samples(const struct request *r, const struct branch_text *t,
                          const struct records_figures *f, const struct path_estimates *e)
{
    if (f->samples == 0)
        tool_die(TOOL_ERROR, "%s: no samples with branch records among %s lines; perf's fields must hold brstack",
                 r->samples, tool_grouped(t->lines));
    if (e->n == 0)
        tool_die(TOOL_ERROR, "%s: no branch lies in the mapped code of %s; print with --show-mmap-events, of the same "
                 "program", r->samples, r->program);
}

static int make_profile(const struct request *r)
{
    struct branch_text *text = malloc(sizeof *text);
    struct records_figures figures = {0};
    struct partial_paths found = {0};
    struct path_estimates estimates;
    struct path_graphs graphs;
    struct address_map map;
    struct wpp_error error;
    pid_t child = 0;
    double depth;

    if (!text)
        tool_die_of_memory();
    if (!address_map_read(&map, r->program, &error))
        tool_die_error(&error);
    if (!path_graphs_new(&graphs, &map, r->rules))
        tool_die_of_memory();
    if (!branch_text_open(text, open_samples(r, &child), &map, r->program, &error))
        tool_die_error(&error);
    struct block_trail trail = {.graphs = &graphs, .found = &found, .split = r->how == ESTIMATE_EQUAL};
    read_samples(r, text, &trail, &figures);
    check_perf(child);
    if (!path_estimates_new(&estimates, &found, &graphs, r->how))
        tool_die_of_memory();
    check_samples(r, text, &figures, &estimates);
    depth = (double)figures.records / (double)figures.samples;
    write_profile(r, &map, r->program, &graphs, &estimates, (double)r->period / depth);
    if (!r->quiet)
        (r->format == FORMAT_JSON ? say_json : say_text)(text, &figures, &estimates);
    block_trail_free(&trail);
    partial_paths_free(&found);
    path_estimates_free(&estimates);
    path_graphs_free(&graphs);
    branch_text_close(text);
    address_map_free(&map);
    free(text);
    return TOOL_OK;
}

/* ---- Accuracy ---------------------------------------------------------------------------------------- */

enum { MOST_DEPTHS = 4, MOST_PERIODS = 5, MOST_SAMPLINGS = MOST_DEPTHS * MOST_PERIODS };

static size_t choose_samplings(const struct request *r, struct run_sampling *s)
{
    static const uint32_t depths[] = {4, 8, 16, 32};
    static const uint64_t periods[] = {1000, 10000, 100000, 1000000, 10000000};
    size_t n = 0;

    for (size_t d = 0; d < (r->depth ? 1 : MOST_DEPTHS); d++)
        for (size_t p = 0; p < (r->period_given ? 1 : MOST_PERIODS); p++)
            s[n++] = (struct run_sampling){.depth = r->depth ? (uint32_t)r->depth : depths[d],
                                           .period = r->period_given ? r->period : periods[p]};
    return n;
}

struct measured {
    struct path_accuracy equal, flow;
};

static struct path_accuracy measure(const struct partial_paths *found, struct path_graphs *graphs,
                                    enum estimate_how how, const struct path_estimates *actual)
{
    struct path_estimates e;
    struct path_accuracy out;

    if (!path_estimates_new(&e, found, graphs, how) || !path_accuracy_of(&e, actual, HOT_SHARE, &out))
        tool_die_of_memory();
    path_estimates_free(&e);
    return out;
}

static void print_row(const struct request *r, const struct run_sampling *s, const struct measured *m, bool first)
{
    if (r->format == FORMAT_JSON)
        printf("%s{\"depth\": %u, \"period\": %llu, \"samples\": %llu, \"equal\": %.6f, \"flow\": %.6f, "
               "\"equal_overlap\": %.6f, \"flow_overlap\": %.6f}", first ? "" : ", ", s->depth,
               (unsigned long long)s->period, (unsigned long long)s->figures.samples, m->equal.accuracy,
               m->flow.accuracy, m->equal.overlap, m->flow.overlap);
    else
        printf("%5u %12s %12s %8.1f %% %8.1f %% %9.1f %% %8.1f %%\n", s->depth, tool_grouped(s->period),
               tool_grouped(s->figures.samples), 100 * m->equal.accuracy, 100 * m->flow.accuracy,
               100 * m->equal.overlap, 100 * m->flow.overlap);
}

/* The rows of --plan: of each depth the longest period with a good accuracy. */
static bool is_planned(const struct run_sampling *s, const struct measured *m, size_t i, size_t n)
{
    if (m[i].flow.accuracy < GOOD)
        return false;
    for (size_t k = 0; k < n; k++)
        if (s[k].depth == s[i].depth && s[k].period > s[i].period && m[k].flow.accuracy >= GOOD)
            return false;
    return true;
}

static void print_accuracy(const struct request *r, const struct run_sampling *s, const struct measured *m, size_t n,
                           const struct path_accuracy *run, uint64_t branches)
{
    bool first = true;

    if (r->format == FORMAT_JSON)
        printf("{\"branches\": %llu, \"paths\": %llu, \"hot\": %llu, \"hot_flow\": %.6f, \"rows\": [",
               (unsigned long long)branches, (unsigned long long)run->n_paths, (unsigned long long)run->n_hot,
               run->hot_flow);
    else
        printf("%s taken branches, %s paths, %s of them hot with %.1f %% of the executions\n\n%s\n%s\n",
               tool_grouped(branches), tool_grouped(run->n_paths), tool_grouped(run->n_hot), 100 * run->hot_flow,
               "                                  accuracy              overlap",
               "depth       period      samples      equal       flow       equal       flow");
    for (size_t i = 0; i < n; i++) {
        if (s[i].figures.samples == 0 || (r->plan && !is_planned(s, m, i, n)))
            continue;
        print_row(r, &s[i], &m[i], first);
        first = false;
    }
    if (r->format == FORMAT_JSON)
        puts("]}");
    else if (r->plan && first)
        printf("no period gives %.0f %%\n", 100 * GOOD);
}

static int show_accuracy(const struct request *r)
{
    static struct run_sampling sampling[MOST_SAMPLINGS];
    struct measured m[MOST_SAMPLINGS];
    struct partial_paths paths = {0};
    struct path_estimates actual;
    struct path_accuracy itself;
    struct path_graphs graphs;
    struct address_map map;
    struct wpp_summary run;
    struct wpp_error error;
    size_t n = choose_samplings(r, sampling);
    wpp *w = tool_open(r->program);
    uint64_t branches;
    int status;

    tool_need_order(r->program, w);
    wpp_get_summary(w, &run);
    if (!run_map_new(&map, w, &error))
        tool_die_error(&error);
    if (!path_graphs_new(&graphs, &map, r->rules))
        tool_die_of_memory();
    if (!run_records(w, &graphs, sampling, n, &paths, &branches, &error))
        tool_die_error(&error);
    if (!path_estimates_new(&actual, &paths, &graphs, ESTIMATE_WHOLE)
        || !path_accuracy_of(&actual, &actual, HOT_SHARE, &itself))
        tool_die_of_memory();
    if (r->output)
        write_profile(r, &map, run.program, &graphs, &actual, 1);
    for (size_t i = 0; i < n; i++) {
        m[i].equal = measure(&sampling[i].found_split, &graphs, ESTIMATE_EQUAL, &actual);
        m[i].flow = measure(&sampling[i].found_whole, &graphs, ESTIMATE_FLOW, &actual);
    }
    print_accuracy(r, sampling, m, n, &itself, branches);
    for (size_t i = 0; i < n; i++)
        run_sampling_free(&sampling[i]);
    path_estimates_free(&actual);
    partial_paths_free(&paths);
    path_graphs_free(&graphs);
    address_map_free(&map);
    status = tool_say_incomplete(r->program, w);
    wpp_close(w);
    return status;
}

/* ---- Recording ------------------------------------------------------------------------------------------ */

static const char *vendor(void)
{
    static char line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");
    const char *found = "";

    while (info && fgets(line, sizeof line, info))
        if (strncmp(line, "vendor_id", 9) == 0 && strchr(line, ':')) {
            found = strchr(line, ':') + 2;
            break;
        }
    if (info)
        fclose(info);
    line[strcspn(line, "\n")] = '\0';
    return found;
}

/* Runs the words, without output if `quiet`; its exit status, 127 if there is no such program. */
static int run(char *const *words, bool quiet)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        int null = quiet ? open("/dev/null", O_WRONLY) : -1;
        if (null >= 0) {
            dup2(null, STDOUT_FILENO);
            dup2(null, STDERR_FILENO);
        }
        execvp(words[0], words);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        tool_die(TOOL_ERROR, "cannot run %s: %s", words[0], strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Taken branches, as both vendors count them; else cycles. */
static const char *const events[] = {"br_inst_retired.near_taken:u", "ex_ret_brn_tkn:u", "cycles:u"};

static _Noreturn void die_without_records(void)
{
    const char *name = vendor();
    const char *needed = !strcmp(name, "GenuineIntel") ? "an Intel processor's LBR, outside of a virtual machine or in one "
                         "that passes it on"
                       : !strcmp(name, "AuthenticAMD") ? "an AMD processor of Zen 3 (BRS) or later (LbrExtV2), outside of a "
                         "virtual machine" : "a processor with branch records";

    tool_die(TOOL_ERROR, "this machine gives no branch records; they need %s, and kernel.perf_event_paranoid of at most 2", needed);
}

static int record(int argc, char **argv)
{
    struct request r = {.period = DEFAULT_PERIOD, .output = "perf.data"};
    char period[32];
    char **words;
    int option;

    while ((option = tool_option(argc, argv, "+o:fqhV", options)) != -1)
        parse_option(&r, option);
    if (optind == argc)
        tool_usage("no program given");
    snprintf(period, sizeof period, "%llu", (unsigned long long)r.period);
    if (!r.force && access(r.output, F_OK) == 0)
        tool_die(TOOL_ERROR, "%s exists; -f replaces it", r.output);
    words = calloc((size_t)(argc - optind) + 16, sizeof *words);
    if (!words)
        tool_die_of_memory();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char *const probe[] = {"perf", "record", "-q", "-j", "any,u", "-e", (char *)events[i], "-o", "/dev/null", "--",
                               "true", NULL};
        char *const command[] = {"perf", "record", "-q", "-j", "any,u", "-e", (char *)events[i], "-c", period, "-o",
                                 (char *)r.output, "--"};
        int status = run(probe, true);

        if (status == 127)
            tool_die(TOOL_ERROR, "perf is not installed (Debian: linux-perf)");
        if (status != 0)
            continue;
        memcpy(words, command, sizeof command);
        memcpy(words + sizeof command / sizeof *command, argv + optind, (size_t)(argc - optind) * sizeof *argv);
        return run(words, false);
    }
    die_without_records();
}

int main(int argc, char **argv)
{
    struct request r = {.how = ESTIMATE_FLOW, .period = DEFAULT_PERIOD, .rules = {.limit = DEFAULT_LIMIT}};
    int status;

    tool_init("wpp-samples");
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return record(argc - 1, argv + 1);
    parse_options(argc, argv, &r);
    status = r.accuracy || r.plan ? show_accuracy(&r) : make_profile(&r);
    return tool_finish(status);
}
