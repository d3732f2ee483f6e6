/* SPDX-License-Identifier: MIT */
/* wpp-samples - makes path profiles of a processor's branch records. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpp/cli/samples-accuracy.h"
#include "wpp/cli/samples-alike.h"
#include "wpp/cli/samples-request.h"
#include "wpp/cli/tool.h"
#include "wpp/samples/branch-text.h"
#include "wpp/samples/run-records.h"

static const char help[] =
    "Usage: wpp-samples [OPTION]... -o FILE PROGRAM [SAMPLES]\n"
    "       wpp-samples record [-o SAMPLES] [--period=N] [--] PROGRAM [ARGUMENT]...\n"
    "       wpp-samples --accuracy [OPTION]... RUN.wpp\n"
    "       wpp-samples --alike [OPTION]... PROGRAM\n"
    "Makes a path profile of samples of the last taken branches, which a processor records without\n"
    "slowing the program down. PROGRAM is compiled by wpp-gcc with WPP_PLUGIN_ARGS=mode=map.\n"
    "SAMPLES is perf's file, or what perf script prints of it with the fields pid,ip,sym,brstack and\n"
    "its mmap events; `-` or no SAMPLES is such text on standard input.\n"
    "`wpp-samples record` runs PROGRAM under perf. --accuracy takes samples of a recorded run, whose\n"
    "paths are known, and says how well they are estimated; --alike which paths no sample tells apart.\n"
    "\n"
    "  -o, --output=FILE      the path profile, for wpp-profile; record: perf's file (perf.data);\n"
    "                         --accuracy: the run's own path profile, whose paths calls do not cut\n"
    "  -f, --force            replace FILE\n"
    "      --estimate=HOW     flow (default): the counts under which the samples are most likely;\n"
    "                         equal: a part of a path counts alike for all paths that contain it\n"
    "      --layout           a profile for GCC (use=FILE), which lays out blocks by it\n"
    "      --period=N         taken branches from one sample to the next (default 10000): what counts\n"
    "                         are multiplied by; record: what perf is told\n"
    "      --limit=N          paths from a block, at most (default 4096)\n"
    "      --regions          paths end where loops begin and end, and where two ways meet from\n"
    "                         different regions\n"
    "      --offsets          addresses are offsets in the file (perf's field brstackoff)\n"
    "      --accuracy         a table of accuracies, by depth and period\n"
    "      --by-routine       --accuracy: by routine, those first of which most is lost\n"
    "      --plan             only the longest period of each depth that gives 95 %\n"
    "      --alike            the paths that samples can never tell apart, by routine\n"
    "      --depth=N          --accuracy, --plan, --alike: how many branches a sample has (default 4, 8,\n"
    "                         16 and 32; --by-routine: 16), 2 to 64\n"
    "      --format=F         text (default) or json: what is said about the samples\n"
    "  -q, --quiet            say nothing about the samples\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Accuracy is the share of the hot paths' flow that belongs to the most frequent paths of the\n"
    "estimate, as many as there are hot ones; hot are paths with 0.125 % of all executions.\n"
    "\n"
    "Exit status: 0 success, 1 an error, 2 wrong usage, 3 the file holds an incomplete run.\n";

enum { DEFAULT_PERIOD = 10000, DEFAULT_LIMIT = 4096, MOST_LIMIT = 1 << 20 };

enum { OPT_ESTIMATE = 0x100, OPT_PERIOD, OPT_LAYOUT, OPT_LIMIT, OPT_REGIONS, OPT_OFFSETS, OPT_ACCURACY, OPT_BY_ROUTINE, OPT_PLAN, OPT_ALIKE, OPT_DEPTH,
       OPT_FORMAT };
static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"estimate", required_argument, NULL, OPT_ESTIMATE},
    {"period", required_argument, NULL, OPT_PERIOD},
    {"layout", no_argument, NULL, OPT_LAYOUT},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"regions", no_argument, NULL, OPT_REGIONS},
    {"offsets", no_argument, NULL, OPT_OFFSETS},
    {"accuracy", no_argument, NULL, OPT_ACCURACY},
    {"by-routine", no_argument, NULL, OPT_BY_ROUTINE},
    {"plan", no_argument, NULL, OPT_PLAN},
    {"alike", no_argument, NULL, OPT_ALIKE},
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

static void parse_option(struct samples_request *r, int option)
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
    case OPT_LAYOUT:   r->layout = true; break;
    case OPT_LIMIT:    r->rules.limit = number_argument("--limit", optarg, 2, MOST_LIMIT); break;
    case OPT_REGIONS:  r->rules.regions = true; break;
    case OPT_OFFSETS:  r->offsets = true; break;
    case OPT_ACCURACY: r->accuracy = true; break;
    case OPT_BY_ROUTINE: r->by_routine = true; break;
    case OPT_PLAN:     r->plan = true; break;
    case OPT_ALIKE:    r->alike = true; break;
    case OPT_DEPTH:    r->depth = number_argument("--depth", optarg, 2, MOST_DEPTH); break;
    case OPT_FORMAT:   r->format = tool_choice_argument("--format", optarg, formats); break;
    case 'h':          tool_help(help);
    case 'V':          tool_version();
    }
}

/* Options that go with some questions only. */
static void check_options(const struct samples_request *r, bool truth)
{
    if (r->alike && truth)
        tool_usage("--alike asks of a program, --accuracy and --plan of a run");
    if (r->layout && (r->alike || truth))
        tool_usage("--layout goes with samples of a program");
    if (r->by_routine && (!r->accuracy || r->plan))
        tool_usage("--by-routine goes with --accuracy alone");
    if (!truth && !r->alike && !r->output)
        tool_usage("no output given (-o)");
    if (!truth && !r->alike && r->depth)
        tool_usage("--depth goes with --accuracy, --plan and --alike");
}

static void parse_options(int argc, char **argv, struct samples_request *r)
{
    bool truth;
    int option, most;

    while ((option = tool_option(argc, argv, "o:fqhV", options)) != -1)
        parse_option(r, option);
    truth = r->accuracy || r->plan;
    most = truth || r->alike ? 1 : 2;
    if (optind == argc)
        tool_usage(truth ? "no recorded run given" : "no program given");
    r->program = argv[optind];
    r->samples = optind + 1 < argc ? argv[optind + 1] : truth ? r->program : "-";
    if (argc - optind > most)
        tool_usage("too many files: `%s`", argv[optind + most]);
    check_options(r, truth);
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
        execlp("perf", "perf", "script", "-i", file, "--show-mmap-events", "--show-task-events", "-F", "pid,ip,sym,brstack",
               (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

static int open_samples(const struct samples_request *r, pid_t *child)
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

static void read_samples(const struct samples_request *r, struct branch_text *text, struct block_trail *trail,
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

/* What is said of a profile: to `out`. */
struct said {
    FILE *out;
    const struct branch_text *text;
    const struct records_figures *figures;
    const struct path_estimates *estimates;
    const struct samples_layout *layout;       /* NULL: of the final code */
};

static void say_text(const struct said *s)
{
    const struct records_figures *f = s->figures;
    const struct branch_text *t = s->text;
    uint64_t strange = f->impossible_runs + f->impossible_jumps;

    fprintf(s->out, "%s samples with %s branches, %.1f a sample\n", tool_grouped(f->samples), tool_grouped(f->records),
            f->samples ? (double)f->records / (double)f->samples : 0);
    fprintf(s->out, "%5.1f %%  outside the mapped code\n", samples_percent((double)f->foreign, (double)f->records));
    fprintf(s->out, "%5.1f %%  impossible: %s runs from one branch to the next, %s jumps\n",
            samples_percent((double)strange, (double)f->records), tool_grouped(f->impossible_runs),
            tool_grouped(f->impossible_jumps));
    if (f->interrupts > 0)
        fprintf(s->out, "%5.1f %%  returns from the kernel\n", samples_percent((double)f->interrupts, (double)f->records));
    fprintf(s->out, "%5.1f %%  of the parts of paths say too little\n",
            samples_percent(s->estimates->unspread, s->estimates->spread + s->estimates->unspread));
    if (s->layout)
        fprintf(s->out, "%5.1f %%  of the executed edges were there before the layout of blocks\n",
                samples_percent(s->layout->placed, s->layout->placed + s->layout->unplaced));
    if (t->not_executed > 0)
        fprintf(s->out, "%s branches were not taken, or not executed\n", tool_grouped(t->not_executed));
    if (t->strange + t->left_out > 0)
        fprintf(s->out, "%s branches could not be read, %s were too many for a sample\n", tool_grouped(t->strange),
                tool_grouped(t->left_out));
    fprintf(s->out, "%s paths\n", tool_grouped(s->estimates->n));
}

static void say_json(const struct said *s)
{
    const struct records_figures *f = s->figures;
    const struct path_estimates *e = s->estimates;

    fprintf(s->out, "{\"samples\": %llu, \"branches\": %llu, \"foreign\": %llu, \"impossible_runs\": %llu, "
            "\"impossible_jumps\": %llu, \"interrupts\": %llu, \"not_executed\": %llu, \"unread\": %llu, \"left_out\": %llu, "
            "\"unspread\": %.6f, ", (unsigned long long)f->samples, (unsigned long long)f->records,
            (unsigned long long)f->foreign, (unsigned long long)f->impossible_runs,
            (unsigned long long)f->impossible_jumps, (unsigned long long)f->interrupts,
            (unsigned long long)s->text->not_executed, (unsigned long long)s->text->strange,
            (unsigned long long)s->text->left_out, samples_percent(e->unspread, e->spread + e->unspread) / 100);
    if (s->layout)
        fprintf(s->out, "\"placed\": %.6f, ",
                samples_percent(s->layout->placed, s->layout->placed + s->layout->unplaced) / 100);
    fprintf(s->out, "\"paths\": %llu}\n", (unsigned long long)e->n);
}

/* Standard output is the profile's, if it goes there. */
static void say(const struct samples_request *r, struct said s)
{
    s.out = strcmp(r->output, "-") == 0 ? stderr : stdout;
    if (!r->quiet)
        (r->format == SAMPLES_JSON ? say_json : say_text)(&s);
    if (s.layout && s.layout->unknown > 0)
        tool_warn("of %s routines the graph before the layout of blocks is not known; compile with optimization",
                  tool_grouped(s.layout->unknown));
}

/* ---- A profile ------------------------------------------------------------------------------------- */

static void check_samples(const struct samples_request *r, const struct branch_text *t,
                          const struct records_figures *f, const struct path_estimates *e)
{
    if (f->samples == 0)
        tool_die(TOOL_ERROR, "%s: no samples with branch records among %s lines; perf's fields must hold brstack",
                 r->samples, tool_grouped(t->lines));
    if (e->n == 0)
        tool_die(TOOL_ERROR, "%s: no branch lies in the mapped code of %s; print with --show-mmap-events, of the same "
                 "program", r->samples, r->program);
}

static int make_profile(const struct samples_request *r)
{
    struct branch_text *text = malloc(sizeof *text);
    struct records_figures figures = {0};
    struct partial_paths found = {0};
    struct path_estimates estimates;
    struct samples_layout layout;
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
    samples_write(r, &map, r->program, &graphs, &estimates, (double)r->period / depth, &layout);
    say(r, (struct said){.text = text, .figures = &figures, .estimates = &estimates,
                         .layout = r->layout ? &layout : NULL});
    block_trail_free(&trail);
    partial_paths_free(&found);
    path_estimates_free(&estimates);
    path_graphs_free(&graphs);
    branch_text_close(text);
    address_map_free(&map);
    free(text);
    return TOOL_OK;
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
    struct samples_request r = {.period = DEFAULT_PERIOD, .output = "perf.data"};
    char period[32];
    char **words;
    int option;

    while ((option = tool_option(argc, argv, "+o:fqhV", options)) != -1) {
        if (!strchr("ofqhV", option) && option != OPT_PERIOD)
            tool_usage("of these options, record takes -o, -f and --period alone");
        parse_option(&r, option);
    }
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
    struct samples_request r = {.how = ESTIMATE_FLOW, .period = DEFAULT_PERIOD, .rules = {.limit = DEFAULT_LIMIT}};
    int status;

    tool_init("wpp-samples");
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return record(argc - 1, argv + 1);
    parse_options(argc, argv, &r);
    status = r.accuracy || r.plan ? samples_accuracy(&r) : r.alike ? samples_alike(&r) : make_profile(&r);
    return tool_finish(status);
}
