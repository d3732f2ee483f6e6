/* SPDX-License-Identifier: MIT */
/* wpp-runs - looks after a folder of recorded runs, which wpp-record --runs fills. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wpp/base/error.h"
#include "wpp/base/json.h"
#include "wpp/cli/runs-ranks.h"
#include "wpp/cli/runs-triage.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"

static const char help[] =
    "Usage: wpp-runs DIR COMMAND [OPTION]... [ARGUMENT]...\n"
    "Looks after the store of runs in the folder DIR, to which wpp-record adds runs.\n"
    "\n"
    "Commands:\n"
    "  list [RUN]...          show runs: number, label, how they ended, size and command\n"
    "  add FILE...            add WPPs as runs\n"
    "  label LABEL RUN...     label runs pass, fail or unknown\n"
    "  export RUN             write the WPP of a run (-o)\n"
    "  novel RUN|FILE.wpp     show what a run did that no other run in DIR did, with first events\n"
    "  cluster                put failing runs together that end alike\n"
    "  ranks [JOB]            put ranks of a parallel program together that did the same; of the other ones,\n"
    "                         where they part from these. Without JOB, of the job that was recorded last\n"
    "  pack                   make the store smaller: what the runs of a build share is kept once\n"
    "  merge DIR2...          add the runs of other stores that DIR has not\n"
    "  prune [RUN]...         remove runs: the given ones, or all but the last N of each label\n"
    "                         (--keep=N)\n"
    "\n"
    "RUN is a number, or several as 3-7. Without RUN, list shows all.\n"
    "\n"
    "      --label=LABEL      list, prune: only runs with that label: pass, fail or unknown;\n"
    "                         add: label the runs so. auto: pass if the program exited with status 0\n"
    "      --keep=N           prune: keep the last N runs of each label\n"
    "  -o, --output=FILE      export: write FILE (default: standard output)\n"
    "      --process=N        export: process N of the run, counted from 0 (default 0)\n"
    "      --last=N           cluster: compare the last N events (default 1000)\n"
    "      --alike=P          cluster: percent of pairs of paths in common (default 50)\n"
    "      --copy=FOLDER      cluster: copy the input of each run into a folder of its cluster in FOLDER, under\n"
    "                         names as AFL++ gives them\n"
    "      --input=N          cluster: argument N of a run's command names its input (default: the last one\n"
    "                         that is a file)\n"
    "      --casr=FOLDER      cluster: write a report on each run into a folder of its cluster in FOLDER, for\n"
    "                         casr-cli and casr-cluster\n"
    "      --by=WAY           ranks: compare the order of all paths, which follow each other (steps), or\n"
    "                         which were executed (paths); auto, the default: the finest of these in which\n"
    "                         most ranks are alike\n"
    "      --format=F         list, novel, cluster, ranks: text (default) or json\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage; of novel: 0 something is new, 3 nothing is.\n";

enum format { FORMAT_TEXT, FORMAT_JSON };

struct request {
    const char *folder;
    char **arguments;
    int n_arguments;
    const char *label, *output;    /* NULL: not given */
    uint64_t keep, process;
    struct cluster_request cluster;
    bool keep_given, process_given, format_given, cluster_given, by_given;
    unsigned by;                   /* enum ranks_by; RANKS_WAYS: auto */
    int status;                    /* of the process, if all goes well */
    enum format format;
    int64_t *ids;                  /* NULL: no runs were named */
    size_t n_ids;
};

enum { OPT_LABEL = 0x100, OPT_KEEP, OPT_PROCESS, OPT_FORMAT, OPT_LAST, OPT_ALIKE, OPT_BY, OPT_COPY, OPT_INPUT,
       OPT_CASR };
static const struct option options[] = {
    {"label", required_argument, NULL, OPT_LABEL},
    {"keep", required_argument, NULL, OPT_KEEP},
    {"output", required_argument, NULL, 'o'},
    {"process", required_argument, NULL, OPT_PROCESS},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"last", required_argument, NULL, OPT_LAST},
    {"alike", required_argument, NULL, OPT_ALIKE},
    {"by", required_argument, NULL, OPT_BY},
    {"copy", required_argument, NULL, OPT_COPY},
    {"input", required_argument, NULL, OPT_INPUT},
    {"casr", required_argument, NULL, OPT_CASR},
    TOOL_OPTIONS
};

enum { DEFAULT_LAST = 1000, MOST_LAST = 100000000 };

static void parse_option(struct request *r, int option)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const char *const by_names[] = {"order", "steps", "paths", "auto", NULL};    /* ORDER RANKS BY */

    switch (option) {
    case OPT_LABEL:   r->label = optarg; break;
    case OPT_KEEP:
        r->keep = tool_count_argument("--keep", optarg);
        r->keep_given = true;
        break;
    case OPT_PROCESS:
        r->process = tool_count_argument("--process", optarg);
        r->process_given = true;
        break;
    case OPT_FORMAT:
        r->format = tool_choice_argument("--format", optarg, formats);
        r->format_given = true;
        break;
    case OPT_LAST:
        r->cluster.last = tool_count_argument("--last", optarg);
        if (r->cluster.last < 2 || r->cluster.last > MOST_LAST)
            tool_usage("--last: %s is not from 2 to %d", optarg, MOST_LAST);
        r->cluster_given = true;
        break;
    case OPT_ALIKE:
        r->cluster.alike = tool_share("--alike", optarg) / 100;
        r->cluster_given = true;
        break;
    case OPT_COPY:
        r->cluster.copy = optarg;
        r->cluster_given = true;
        break;
    case OPT_INPUT:
        r->cluster.input = tool_count_argument("--input", optarg);
        r->cluster_given = true;
        break;
    case OPT_CASR:
        r->cluster.reports = optarg;
        r->cluster_given = true;
        break;
    case OPT_BY:
        r->by = tool_choice_argument("--by", optarg, by_names);
        r->by_given = true;
        break;
    case 'o':         r->output = optarg; break;
    case 'h':         tool_help(help);
    case 'V':         tool_version();
    }
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static int64_t run_number(const char *text, const char *whole)
{
    char *end;
    long long n = strtoll(text, &end, 10);

    if (end == text || (*end && *end != '-') || n < 1)
        tool_usage("`%s` is no run: a number, or two as 3-7", whole);
    return n;
}

/* `7`, or `3-7`: their numbers are added to ids[]. */
static void add_range(struct request *r, const char *text)
{
    enum { MOST = 10000000 };
    int64_t first = run_number(text, text), last = first;
    const char *dash = strchr(text, '-');

    if (dash)
        last = run_number(dash + 1, text);
    if (last < first || last - first >= MOST || (dash && strchr(dash + 1, '-')))
        tool_usage("`%s` is no run: a number, or two as 3-7", text);
    r->ids = realloc(r->ids, (r->n_ids + (size_t)(last - first) + 1) * sizeof *r->ids);
    if (!r->ids)
        tool_die_of_memory();
    for (int64_t id = first; id <= last; id++)
        r->ids[r->n_ids++] = id;
}

static void take_ids(struct request *r, int first)
{
    for (int i = first; i < r->n_arguments; i++)
        add_range(r, r->arguments[i]);
}

static enum run_label label_argument(const char *text)
{
    return (enum run_label)tool_choice_argument("label", text, run_label_names);
}

static struct run_choice choice_of(const struct request *r)
{
    struct run_choice c = {.ids = r->ids, .n_ids = r->n_ids};

    if (r->label && r->ids)
        tool_usage("--label: runs are named one by one");
    if (r->label) {
        c.by_label = true;
        c.label = label_argument(r->label);
    }
    return c;
}

static void walk(struct run_store *s, const struct run_choice *choice, run_store_visit *each, void *ctx)
{
    struct wpp_error error;

    if (!run_store_walk(s, choice, each, ctx, &error))
        tool_die_error(&error);
}

/* ---- list ----------------------------------------------------------------------------------- */

/* `exit 0`, `SIGSEGV`, `?`. */
static const char *ended_text(const struct stored_run *run, char out[static 24])
{
    const char *name = run->killed ? sigabbrev_np((int)run->killed) : NULL;

    if (name)
        snprintf(out, 24, "SIG%s", name);
    else if (run->killed)
        snprintf(out, 24, "signal %u", run->killed);
    else if (run->exited)
        snprintf(out, 24, "exit %u", run->exited - 1);
    else
        snprintf(out, 24, "?");
    return out;
}

static bool list_text(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    char ended[24], *command = strdup(run->command);

    (void)ctx;
    if (!command)
        return wpp_fail_memory(error);
    wpp_keep_one_line(command);
    printf("%6lld  %-7s  %-8s %12s %5u %10s  %s\n", (long long)run->id, run_label_names[run->label],
           ended_text(run, ended), tool_grouped(run->events), run->n_processes,
           tool_grouped(run->bytes), command);
    free(command);
    return true;
}

static bool list_json(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    bool *first = ctx;

    (void)error;
    printf("%s\n    {\"run\": %lld, \"label\": \"%s\", ", *first ? "" : ",", (long long)run->id,
           run_label_names[run->label]);
    *first = false;
    if (run->exited)
        printf("\"exited\": %u, ", run->exited - 1);
    if (run->killed)
        printf("\"killed\": %u, ", run->killed);
    printf("\"events\": %llu, \"processes\": %u, \"bytes\": %llu, \"build\": %lld, \"started\": %llu, "
           "\"program\": ", (unsigned long long)run->events, run->n_processes,
           (unsigned long long)run->bytes, (long long)run->build, (unsigned long long)run->started);
    json_string(stdout, run->program);
    printf(", \"command\": ");
    json_string(stdout, run->command);
    if (run->job[0]) {
        printf(", \"job\": ");
        json_string(stdout, run->job);
        printf(", \"rank\": %lld", (long long)run->rank);
    }
    printf("}");
    return true;
}

static void list(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_READ);
    struct run_choice choice;
    bool first = true;

    take_ids(r, 0);
    choice = choice_of(r);
    if (r->format == FORMAT_TEXT) {
        printf("   run  label    ended          events procs  WPP bytes  command\n");
        walk(s, &choice, list_text, NULL);
    } else {
        printf("{\"runs\": [");
        walk(s, &choice, list_json, &first);
        printf("\n]}\n");
    }
    run_store_close(s);
}

/* ---- add, label ----------------------------------------------------------------------------- */

static enum run_label auto_label(const struct wpp_summary *run)
{
    if (run->exited == 0 && run->killed == 0)
        return RUN_UNKNOWN;
    return run->exited == 1 ? RUN_PASS : RUN_FAIL;
}

static void add_file(struct request *r, struct run_store *s, const char *path)
{
    struct run_process process = {.program = path};
    struct new_run run = {.process = &process, .n_processes = 1};
    struct wpp_summary sum;
    struct wpp_error error;
    int64_t id;
    wpp *w;

    if (!wpp_read_file(path, &process.file, &error))
        tool_die_error(tool_explain_folder(path, &error));
    w = wpp_open_memory(process.file.data, process.file.size, path, &error);
    if (!w)
        tool_die_error(&error);
    wpp_get_summary(w, &sum);
    wpp_close(w);
    run_key_new(&run.key);
    run.exited = sum.exited;
    run.killed = sum.killed;
    run.label = r->label && strcmp(r->label, "auto") != 0 ? label_argument(r->label) : auto_label(&sum);
    if (!run_store_add(s, &run, &id, &error))
        tool_die_error(&error);
    wpp_bytes_free(&process.file);
}

static void add(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_CREATE);

    if (r->n_arguments == 0)
        tool_usage("add: no file given");
    for (int i = 0; i < r->n_arguments; i++)
        add_file(r, s, r->arguments[i]);
    run_store_close(s);
}

static void label(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_WRITE);
    struct wpp_error error;
    enum run_label to;

    if (r->n_arguments < 2)
        tool_usage("label: a label and runs are needed");
    to = label_argument(r->arguments[0]);
    take_ids(r, 1);
    for (size_t i = 0; i < r->n_ids; i++)
        if (!run_store_label(s, r->ids[i], to, &error))
            tool_die_error(&error);
    run_store_close(s);
}

/* ---- export, merge, prune ------------------------------------------------------------------- */

static void export(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_READ);
    struct wpp_bytes file;
    struct wpp_error error;
    struct wpp_output *out;
    const char *path = r->output ? r->output : "-";

    take_ids(r, 0);
    if (r->n_ids != 1)
        tool_usage("export: one run is exported, not %zu", r->n_ids);
    if (strcmp(path, "-") == 0)
        tool_refuse_terminal(1, "a WPP file");
    if (r->process > UINT32_MAX ||
        !run_store_load(s, r->ids[0], (uint32_t)r->process, &file, &error)) {
        if (r->process > UINT32_MAX)
            tool_die(TOOL_ERROR, "no run has so many processes");
        tool_die_error(&error);
    }
    out = tool_output(path, true, "");
    if (!wpp_output_write(out, file.data, file.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    wpp_bytes_free(&file);
    run_store_close(s);
}

static void pack(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_WRITE);
    struct run_store_figures f;
    struct wpp_error error;

    if (r->n_arguments > 0)
        tool_usage("pack: all runs are packed");
    if (!run_store_pack(s, &f, &error) || !run_store_tidy(s, &error))
        tool_die_error(&error);
    printf("%s WPPs of %s bytes packed into %s, and %s that they share\n", tool_grouped(f.processes),
           tool_grouped(f.before), tool_grouped(f.after), tool_grouped(f.shared));
    run_store_close(s);
}

static void merge(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_CREATE);
    struct wpp_error error;
    uint64_t added;

    if (r->n_arguments == 0)
        tool_usage("merge: no other store given");
    for (int i = 0; i < r->n_arguments; i++) {
        struct run_store *from = store_open(r->arguments[i], RUN_STORE_READ);

        if (!run_store_merge(s, from, &added, &error))
            tool_die_error(&error);
        run_store_close(from);
    }
    run_store_close(s);
}

/* Runs that prune removes; `left` counts by label those that come later. */
struct pruning {
    const struct request *r;
    int64_t *ids;
    enum run_label *labels;
    size_t n, capacity;
};

static bool note_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct pruning *p = ctx;

    if (p->n == p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->ids = realloc(p->ids, p->capacity * sizeof *p->ids);
        p->labels = realloc(p->labels, p->capacity * sizeof *p->labels);
        if (!p->ids || !p->labels)
            return wpp_fail_memory(error);
    }
    p->ids[p->n] = run->id;
    p->labels[p->n++] = run->label;
    return true;
}

static void prune(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_WRITE);
    struct pruning p = {.r = r};
    struct run_choice choice;
    struct wpp_error error;
    uint64_t kept[RUN_FAIL + 1] = {0};

    take_ids(r, 0);
    choice = choice_of(r);
    if (!r->keep_given && !r->ids && !r->label)
        tool_usage("prune: which runs? RUN, --label or --keep says it");
    if (r->keep_given && r->ids)
        tool_usage("--keep: runs are named one by one");
    walk(s, &choice, note_run, &p);
    for (size_t i = p.n; i-- > 0;)
        if ((!r->keep_given || ++kept[p.labels[i]] > r->keep) &&
            !run_store_remove(s, p.ids[i], &error))
            tool_die_error(&error);
    if (!run_store_tidy(s, &error))
        tool_die_error(&error);
    free(p.ids);
    free(p.labels);
    run_store_close(s);
}

/* ---- novel, cluster ------------------------------------------------------------------------- */

/* A number is a run's; a file may be called so, too: ./17. */
static void novel(struct request *r)
{
    enum { NOTHING_NEW = 3 };
    struct run_store *s = store_open(r->folder, RUN_STORE_READ);
    const char *what = r->n_arguments == 1 ? r->arguments[0] : NULL;
    bool is_run;

    if (!what)
        tool_usage("novel: one run or file is looked at, not %d", r->n_arguments);
    is_run = what[strspn(what, "0123456789")] == 0;
    if (!triage_novel(s, is_run ? run_number(what, what) : 0, is_run ? NULL : what,
                      r->format == FORMAT_JSON))
        r->status = NOTHING_NEW;
    run_store_close(s);
}

static void cluster(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_READ);

    if (r->n_arguments > 0)
        tool_usage("cluster: all failing runs are looked at");
    if (r->cluster.input && !r->cluster.copy)
        tool_usage("--input: --copy says where the inputs go");
    r->cluster.json = r->format == FORMAT_JSON;
    triage_clusters(s, &r->cluster);
    run_store_close(s);
}

static void ranks(struct request *r)
{
    struct run_store *s = store_open(r->folder, RUN_STORE_READ);

    if (r->n_arguments > 1)
        tool_usage("ranks: one job is looked at, not %d", r->n_arguments);
    runs_ranks(s, r->n_arguments == 1 ? r->arguments[0] : NULL, r->by, r->format == FORMAT_JSON);
    run_store_close(s);
}

/* ---- Commands ------------------------------------------------------------------------------- */

enum { MAY_LABEL = 1, MAY_KEEP = 2, MAY_OUTPUT = 4, MAY_FORMAT = 8, MAY_CLUSTER = 16, MAY_BY = 32 };

static const struct command {
    const char *name;
    void (*run)(struct request *r);
    unsigned may;
} commands[] = {
    {"list", list, MAY_LABEL | MAY_FORMAT},
    {"add", add, MAY_LABEL},
    {"label", label, 0},
    {"export", export, MAY_OUTPUT},
    {"novel", novel, MAY_FORMAT},
    {"cluster", cluster, MAY_FORMAT | MAY_CLUSTER},
    {"ranks", ranks, MAY_FORMAT | MAY_BY},
    {"pack", pack, 0},
    {"merge", merge, 0},
    {"prune", prune, MAY_LABEL | MAY_KEEP},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void check_options(const struct request *r, const struct command *c)
{
    if (r->label && !(c->may & MAY_LABEL))
        tool_usage("--label does not go with %s", c->name);
    if (r->keep_given && !(c->may & MAY_KEEP))
        tool_usage("--keep does not go with %s", c->name);
    if ((r->output || r->process_given) && !(c->may & MAY_OUTPUT))
        tool_usage("--output and --process do not go with %s", c->name);
    if (r->cluster_given && !(c->may & MAY_CLUSTER))
        tool_usage("--last, --alike, --copy, --input and --casr do not go with %s", c->name);
    if (r->by_given && !(c->may & MAY_BY))
        tool_usage("--by does not go with %s", c->name);
    if (r->format_given && !(c->may & MAY_FORMAT))
        tool_usage("--format does not go with %s", c->name);
}

int main(int argc, char **argv)
{
    const char *names[N_COMMANDS + 1] = {NULL};
    struct request r = {.cluster = {.last = DEFAULT_LAST, .alike = 0.5}, .by = RANKS_WAYS, .status = TOOL_OK};
    const struct command *c;
    int option;

    tool_init("wpp-runs");
    while ((option = tool_option(argc, argv, "o:hV", options)) != -1)
        parse_option(&r, option);
    if (argc - optind < 2)
        tool_usage(argc == optind ? "no store given" : "no command given");
    for (size_t i = 0; i < N_COMMANDS; i++)
        names[i] = commands[i].name;
    r.folder = argv[optind];
    c = &commands[tool_choice_argument("command", argv[optind + 1], names)];
    r.arguments = argv + optind + 2;
    r.n_arguments = argc - optind - 2;
    check_options(&r, c);
    c->run(&r);
    free(r.ids);
    return tool_finish(r.status);
}
