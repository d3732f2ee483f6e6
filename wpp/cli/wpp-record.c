/* SPDX-License-Identifier: MIT */
/* wpp-record - runs a program and compresses its trace while it runs.
 *
 *      program and its children --- shared memory ---> this thread ---> spool ---> worker
 *        WPP_OUT=recorder:PATH                              |                         |
 *                                 trace, as it came (--trace)      a compressor each, FILE.wpp
 *
 * The program must only become slower, and never see another effect.  Whatever goes wrong here,
 * its records are taken, and its exit status is kept.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/base/error.h"
#include "wpp/cli/heap.h"
#include "wpp/cli/record-run.h"
#include "wpp/cli/tool.h"
#include "wpp/profile/profile-sum.h"
#include "wpp/record/child.h"
#include "wpp/record/machine.h"
#include "wpp/record/process-files.h"
#include "wpp/record/recorder.h"
#include "wpp/record/spool.h"
#include "wpp/record/why-nothing.h"
#include "wpp/record/worker.h"
#include "wpp/trace/event-limit.h"

static const char help[] =
    "Usage: wpp-record [-o FILE] [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Runs PROGRAM, which was built with wpp-gcc, and records its whole program path.\n"
    "Processes that PROGRAM starts have files of their own in the folder FILE.d.\n"
    "\n"
    "  -o, --output=FILE   write FILE instead of `PROGRAM.wpp` in this directory. An old FILE\n"
    "                      is kept as FILE.old. `-` is standard output; the output of PROGRAM\n"
    "                      then goes to standard error\n"
    "      --merge         PROGRAM was built to count paths: add the counts of all processes to the\n"
    "                      path profile FILE. Several recordings may do so at the same time\n"
    "      --runs=DIR      add the recording as a run to the store DIR instead of writing a file;\n"
    "                      several recordings may do so at the same time\n"
    "      --label=LABEL   label the run pass, fail, or auto (the default): pass if PROGRAM exits\n"
    "                      with status 0\n"
    "      --oracle=CMD    label the run by the shell command CMD: status 0 is pass, 125 is unknown,\n"
    "                      any other status is fail. CMD sees WPP_STATUS, WPP_SIGNAL and WPP_RUN\n"
    "      --limit=N       stop recording after about N events; PROGRAM goes on\n"
    "      --duration=S    stop recording after S seconds; PROGRAM goes on\n"
    "      --ring=SIZE     keep the last SIZE bytes of events of each thread, 4 an event. They\n"
    "                      are compressed at the end, so PROGRAM hardly waits\n"
    "      --spool=SIZE    let waiting events take up to SIZE of memory (default: a quarter of\n"
    "                      the machine's, at most 1G). More of them wait on disk\n"
    "      --spool-dir=DIR let them wait in a nameless file in DIR instead of FILE's folder\n"
    "      --spool-disk=SIZE\n"
    "                      let that file take up to SIZE (default: a twentieth of the disk stays\n"
    "                      free; 0: no file). When it is full, PROGRAM waits\n"
    "      --memory=SIZE   compress each process in about SIZE of memory, at least 32M. The\n"
    "                      process is cut into segments with a grammar each; when PROGRAM\n"
    "                      is over, several are built at the same time. Without SIZE a\n"
    "                      process has about half of the machine's\n"
    "      --best          make the file 1.5 to 35 percent smaller, in three to nine times the\n"
    "                      time to compress it\n"
    "  -j, --jobs=N        when PROGRAM is over, compress waiting events with N processors\n"
    "                      (0: all, the default). With 1 the grammar is one piece, and up to 5\n"
    "                      percent smaller\n"
    "      --stopped       begin without recording, until PROGRAM calls wpp_start() or the\n"
    "                      signal comes\n"
    "      --signal=NAME   stop recording at this signal (USR2, for instance), and start it\n"
    "                      again at the next one; it goes to wpp-record or to a process. With a\n"
    "                      ring, wpp-record writes the contents of the ring to FILE.d instead\n"
    "      --trace=FILE    keep the uncompressed trace of the first process, too\n"
    "      --progress      show progress while PROGRAM runs, too, on its terminal. By default\n"
    "                      progress is shown when PROGRAM is over\n"
    "  -q, --quiet         report only errors and what is missing\n"
    "  -h, --help          print this text\n"
    "  -V, --version       print the version\n"
    "\n"
    "Exit status: the status of PROGRAM; 128 plus the signal's number if a signal ended it;\n"
    "127 if PROGRAM was not found, 126 if it cannot be run; 1 if nothing could be recorded;\n"
    "2 for a wrong option.\n";

enum { NOT_FOUND = 127, NOT_RUNNABLE = 126 };

struct options {
    const char *output, *trace;
    uint64_t limit;              /* of events; 0: none */
    double duration;             /* in seconds; 0: no limit */
    uint64_t ring;               /* in bytes; 0: everything is kept */
    uint64_t machine;            /* bytes of memory that there are */
    uint64_t spool;              /* bytes of memory for waiting events */
    uint64_t spool_disk;         /* bytes of disk for them */
    const char *spool_folder;    /* NULL: the output's */
    bool one_piece;              /* --jobs=1: traces are not cut */
    uint32_t jobs;               /* processors for the rest; 0: all */
    uint64_t memory;             /* bytes for compressing; 0: no limit */
    int signal;                  /* stops and starts recording; 0: no signal does */
    bool merge;                  /* adds counts to the output */
    const char *runs;            /* the store to which the run is added; or NULL */
    const char *oracle;
    enum record_label label;
    bool label_given;
    bool best;                   /* makes a smaller file */
    bool stopped;
    bool progress, quiet;
    char **command;
};

static double seconds_argument(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value > 0 && value < 1e9))
        tool_usage("%s: `%s` is not a number of seconds", option, text);
    return value;
}

static bool is_unfit(int signal)
{
    static const int unfit[] = WPP_UNFIT_SIGNALS;

    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (signal == unfit[i])
            return true;
    return false;
}

/* Reads a signal's name or number; refuses signals that we or the runtime need. */
static int signal_argument(const char *text)
{
    const char *name = strncmp(text, "SIG", 3) == 0 ? text + 3 : text;
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end)
        number = 0;
    for (int i = 1; i < NSIG && !number; i++) {
        const char *known = sigabbrev_np(i);

        if (known && strcmp(name, known) == 0)
            number = i;
    }
    if (number < 1 || number >= NSIG)
        tool_usage("--signal: there is no signal `%s`", text);
    if (is_unfit((int)number) || number == SIGCHLD || number == SIGPIPE)
        tool_usage("--signal: %s has another meaning", text);
    if (child_forwards((int)number))
        tool_usage("--signal: %s ends the recording", text);
    return (int)number;
}

static uint64_t at_least(uint64_t value, uint64_t least, const char *complaint)
{
    if (value < least)
        tool_usage("%s", complaint);
    return value;
}

static void check_runs(const struct options *o)
{
    if (!o->runs && o->label_given)
        tool_usage("--label: --runs says to which store the run is added");
    if (!o->runs && o->oracle)
        tool_usage("--oracle: --runs says to which store the run is added");
    if (o->oracle && o->label_given)
        tool_usage("--label and --oracle: only one of them can label a run");
    if (o->runs && (o->output || o->merge))
        tool_usage("--runs adds the recording to a store: -o and --merge do not go with it");
    if (o->runs && o->memory)
        tool_usage("--runs: --memory does not go with it");
    if (o->runs && !*o->runs)
        tool_usage("--runs: the store's name is empty");
}

static struct options parse_options(int argc, char **argv)
{
    enum { TRACE = 256, LIMIT, DURATION, RING, MEMORY, SIGNAL, SPOOL, SPOOL_DIR, SPOOL_DISK, STOPPED,
           BEST, PROGRESS, MERGE, RUNS, LABEL, ORACLE };
    static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                          {"trace", required_argument, NULL, TRACE},
                                          {"merge", no_argument, NULL, MERGE},
                                          {"runs", required_argument, NULL, RUNS},
                                          {"label", required_argument, NULL, LABEL},
                                          {"oracle", required_argument, NULL, ORACLE},
                                          {"limit", required_argument, NULL, LIMIT},
                                          {"duration", required_argument, NULL, DURATION},
                                          {"ring", required_argument, NULL, RING},
                                          {"spool", required_argument, NULL, SPOOL},
                                          {"spool-dir", required_argument, NULL, SPOOL_DIR},
                                          {"spool-disk", required_argument, NULL, SPOOL_DISK},
                                          {"memory", required_argument, NULL, MEMORY},
                                          {"best", no_argument, NULL, BEST},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"signal", required_argument, NULL, SIGNAL},
                                          {"stopped", no_argument, NULL, STOPPED},
                                          {"progress", no_argument, NULL, PROGRESS},
                                          {"quiet", no_argument, NULL, 'q'},
                                          TOOL_OPTIONS};
    enum { RING_SPOOL = 16 << 20, SPOOL_MOST = 1 << 30 };
    struct options o = {.machine = wpp_machine_memory(), .spool_disk = UINT64_MAX};
    int option;

    o.spool = o.machine / 4;
    if (o.spool > SPOOL_MOST)
        o.spool = SPOOL_MOST;
    /* `+`: options behind the program's name are the program's. */
    while ((option = tool_option(argc, argv, "+o:j:qhV", table)) != -1) {
        switch (option) {
        case 'o': o.output = optarg; break;
        case 'q': o.quiet = true; break;
        case PROGRESS: o.progress = true; break;
        case TRACE: o.trace = optarg; break;
        case MERGE: o.merge = true; break;
        case RUNS: o.runs = optarg; break;
        case LABEL:
            o.label = tool_choice_argument("--label", optarg, record_label_names);
            o.label_given = true;
            break;
        case ORACLE: o.oracle = optarg; break;
        case LIMIT:
            o.limit = at_least(tool_count_argument("--limit", optarg), 1,
                               "--limit: 0 events are nothing to record");
            break;
        case DURATION: o.duration = seconds_argument("--duration", optarg); break;
        case RING:
            o.ring = at_least(tool_size_argument("--ring", optarg), 4096,
                              "--ring: less than 4k keeps nothing worth it");
            break;
        case 'j':
            o.one_piece = tool_count_argument("--jobs", optarg) == 1;
            o.jobs = tool_jobs_argument(optarg, WPP_CREW_MOST);
            break;
        case MEMORY:
            o.memory = at_least(tool_size_argument("--memory", optarg), WPP_COMPRESS_LEAST,
                                "--memory: less than 32M is not enough");
            break;
        case BEST: o.best = true; break;
        case SIGNAL: o.signal = signal_argument(optarg); break;
        case SPOOL: o.spool = tool_size_argument("--spool", optarg); break;
        case SPOOL_DIR: o.spool_folder = optarg; break;
        case SPOOL_DISK: o.spool_disk = tool_size_argument("--spool-disk", optarg); break;
        case STOPPED: o.stopped = true; break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    }
    /* A ring takes records at once: records waiting for it would soon be dropped. */
    if (o.ring && o.spool > RING_SPOOL)
        o.spool = RING_SPOOL;
    if (o.merge && !o.output)
        tool_usage("--merge: -o says which file the counts are added to");
    if (o.merge && strcmp(o.output, "-") == 0)
        tool_usage("--merge: counts cannot be added to the standard output");
    if (o.merge && o.ring)
        tool_usage("--merge adds up counts: --ring, which keeps the last events, does not go with it");
    check_runs(&o);
    if (optind == argc)
        tool_usage("no program given");
    o.command = argv + optind;
    return o;
}

/* ---- The program's environment ------------------------------------------------------------- */

/* Adds to the user's settings for the program's runtime. */
static void add_runtime_option(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add_runtime_option(const char *format, ...)
{
    const char *given = getenv("WPP_OPTIONS");
    char option[32], *all;
    va_list args;

    va_start(args, format);
    vsnprintf(option, sizeof option, format, args);
    va_end(args);
    if (asprintf(&all, "%s%s%s", given ? given : "", given && *given ? ":" : "", option) < 0)
        tool_die(TOOL_ERROR, "out of memory");
    setenv("WPP_OPTIONS", all, 1);
    free(all);
}

static void set_environment(const struct options *o, const struct wpp_recorder *recorder)
{
    setenv("WPP_OUT", wpp_recorder_out(recorder), 1);
    if (o->stopped)
        add_runtime_option("record=off");
    /* A ring's signal is only for us, not for the runtime. */
    if (o->signal && !o->ring)
        add_runtime_option("signal=%d", o->signal);
}

/* ---- Recording ------------------------------------------------------------------------ */

struct recording {
    struct options options;
    struct child program;
    struct wpp_recorder *recorder;
    struct wpp_spool *spool;
    struct wpp_spool_disk disk;
    bool disk_told;              /* that it takes no more */
    struct wpp_worker worker;
    struct wpp_process_files runs;        /* only the worker uses them while it works */
    struct wpp_output *trace;    /* NULL when not wanted, or failed */
    struct profile_sum sum;      /* with --merge; only the worker uses it while it works */
    struct record_run run;       /* with --runs; likewise */
    bool run_failed;
    struct profile_sum_step *step;       /* shared with keepers; or NULL */
    bool sum_failed;
    unsigned sum_waits;          /* hundredths of a second that it has waited for the lock */
    uint32_t first;              /* number of the process in FILE; valid when bytes > 0 */
    uint64_t bytes;              /* bytes of records so far */
    struct wpp_event_limit limit;      /* counts the events of all processes */
    uint64_t first_tokens;       /* of the process in FILE */
    bool trace_failed;
    bool closed;                 /* a limit has been reached */
    bool dropped;                /* an interrupt, or a disk that failed, has dropped what waited */
    bool orphaned;               /* this is the keeper of a killed recorder */
    double begun, quiet_since, ended;    /* seconds */
    bool hurries;                /* the worker is told to hurry */
    uint64_t compressed;         /* tokens, at time `progressed` */
    double progressed, looked;   /* seconds */
    pthread_mutex_t messages;    /* protects standard error, to which the worker also writes */
};

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* An error of the copy does not end the recording. */
static void copy_trace(struct recording *r, const void *bytes, size_t n)
{
    struct wpp_error error;

    if (!r->trace || wpp_output_write(r->trace, bytes, n, &error))
        return;
    tool_warn("%s; the trace is not kept", error.text);
    wpp_output_abandon(r->trace);
    r->trace = NULL;
    r->trace_failed = true;
}

/* Says once that no more events fit on the disk, when the memory is full, too. */
static void look_after_disk(struct recording *r, const struct wpp_spool_sizes *sizes)
{
    if (r->disk_told || r->options.quiet || !(r->disk.error || r->disk.full) ||
        sizes->memory < r->options.spool - r->options.spool / 8)
        return;
    r->disk_told = true;
    pthread_mutex_lock(&r->messages);
    tool_warn("no more events can wait on disk (%s); %s waits",
              r->disk.error ? strerror(r->disk.error) : "--spool-disk", r->options.command[0]);
    pthread_mutex_unlock(&r->messages);
}

/* Whether much of the memory for waiting events is full, and the disk takes none. */
static bool is_short_of_room(const struct recording *r, const struct wpp_spool_sizes *sizes)
{
    return sizes->memory > r->options.spool / 2 && (r->disk.fd < 0 || r->disk.full);
}

/* The worker uses idle processor time.  If there is none, it must hurry and share the program's
 * processors, before the program has to wait. */
static void look_after_worker(struct recording *r)
{
    const double patience = 4, between_looks = 0.05;
    double now = seconds();
    struct wpp_spool_sizes sizes;
    uint64_t compressed;

    if (now - r->looked < between_looks)
        return;
    r->looked = now;
    sizes = wpp_spool_get_sizes(r->spool);
    look_after_disk(r, &sizes);
    compressed = wpp_worker_figures(&r->worker).tokens;
    if (sizes.waiting == 0 || compressed != r->compressed)
        r->progressed = now;
    r->compressed = compressed;
    if (r->hurries || (!is_short_of_room(r, &sizes) && now - r->progressed < patience))
        return;
    r->hurries = true;
    wpp_worker_hurry(&r->worker);
}

/* Dies if an entry cannot be put: later records would be useless without it. */
static void put(struct recording *r, enum wpp_spool_kind kind, uint32_t process,
                const void *bytes, size_t n)
{
    bool hurry = wpp_recorder_backlog(r->recorder) > WPP_RECORDER_ROOM / 4;

    if (!wpp_spool_put(r->spool, &(struct wpp_spool_entry){kind, process, bytes, n}, hurry))
        tool_die(TOOL_ERROR, "out of memory");
}

/* Opens the file that a module's record names, before anything removes it. */
static void hold_file(struct recording *r, uint32_t process, const void *record, size_t n)
{
    struct wpp_bytes told = {0};

    if (wpp_module_files_open(&r->runs.held, record, n, &told))
        put(r, WPP_SPOOL_FILE, process, told.data, told.size);
    wpp_bytes_free(&told);
}

static void take_record(struct recording *r, uint32_t process, struct wpp_record h,
                        const void *bytes, size_t n)
{
    uint64_t before = r->limit.tokens;
    enum wpp_event_limit_result taken = wpp_event_limit_takes(&r->limit, process, &h);

    if (taken == WPP_EVENT_LIMIT_LEAVES_OUT)
        return;
    if (taken == WPP_EVENT_LIMIT_EMPTIES) {
        h.bytes = 0;
        h.check = (uint32_t)wpp_fnv(WPP_FNV_START, &h, offsetof(struct wpp_record, check));
        bytes = &h;
        n = sizeof h;
    }
    if (r->bytes == 0)
        r->first = process;
    r->bytes += n;
    if (process == r->first) {
        r->first_tokens += r->limit.tokens - before;
        copy_trace(r, bytes, n);
    }
    hold_file(r, process, bytes, n);
    put(r, WPP_SPOOL_BYTES, process, bytes, n);
}

/* Takes one record, or several in which a process's remaining tokens come. */
static void take_bytes(void *ctx, uint32_t process, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    struct wpp_record h;

    for (size_t whole; n >= sizeof h; p += whole, n -= whole) {
        memcpy(&h, p, sizeof h);
        whole = sizeof h + (((size_t)h.bytes + 3) & ~(size_t)3);
        whole = whole < n ? whole : n;
        take_record(ctx, process, h, p, whole);
    }
}

static void take_look(void *ctx, uint32_t process, const void *bytes, size_t n)
{
    put(ctx, WPP_SPOOL_LOOK, process, bytes, n);
}

static void take_over(void *ctx, uint32_t process)
{
    struct recording *r = ctx;
    uint8_t why = wpp_event_limit_is_reached(&r->limit) ? WPP_ENDED_LIMIT
                  : r->closed                     ? WPP_ENDED_DURATION
                                                  : WPP_ENDED_UNSAID;

    put(r, WPP_SPOOL_OVER, process, &why, sizeof why);
}

/* The kernel tells only a parent how a process ended: so only the program's end is known. */
static struct wpp_exit how_it_ended(void *ctx, uint32_t pid)
{
    struct recording *r = ctx;

    if (pid != (uint32_t)r->program.pid)
        return (struct wpp_exit){0};
    child_reap(&r->program);
    return (struct wpp_exit){child_exited(&r->program), child_killed(&r->program)};
}

/* Reports for the worker.  A missing end is not reported if we ended the recording, nor a
 * missing beginning if the user asked for a ring. */
static void tell(void *ctx, const char *program, const struct wpp_error *error, bool has_file)
{
    struct recording *r = ctx;

    if (has_file && (error->status == WPP_E_INCOMPLETE || error->status == WPP_E_DAMAGED) &&
        (r->closed || wpp_event_limit_is_reached(&r->limit) || r->orphaned || r->dropped ||
         r->options.ring))
        return;
    pthread_mutex_lock(&r->messages);
    tool_warn("%s: %s", program, error->text);
    pthread_mutex_unlock(&r->messages);
}

/* ---- Sums ---------------------------------------------------------------------------------- */

static bool sum_process(void *ctx, const char *program, struct wpp_bytes *file,
                        struct wpp_error *error)
{
    struct recording *r = ctx;

    if (r->options.runs)
        return record_run_take(&r->run, program, file, error);
    return profile_sum_add(&r->sum, file, program, error);
}

static void say_lacks(const struct profile_sum *s, bool quiet)
{
    if (s->n_apart > 0 && s->apart && !quiet)
        tool_warn("%u of %u routines differ from one of the same name and are kept apart, as %s: the "
                  "runs are of several builds", s->n_apart, s->n_routines, s->apart);
    if (s->unread > 0)
        tool_warn("%s of modules that could not be read are left out of %s",
                  tool_amount((double)s->unread, "execution"), s->path);
}

/* The counts of a run must not be lost because of the file that they cannot be added to. */
static void keep_sum_apart(struct profile_sum *s, const struct wpp_error *why)
{
    struct wpp_error error;
    char *path;

    if (asprintf(&path, "%s.%ld", s->path, (long)getpid()) < 0)
        tool_die_of_memory();
    if (profile_sum_store_apart(s, path, &error))
        tool_warn("%s; the counts of this run are in %s", why->text, path);
    else
        tool_warn("%s; the counts of this run are lost", why->text);
    free(path);
}

/* Says that it waits, after a second.  An interrupt ends it. */
static bool wait_for_sum(void *ctx)
{
    struct recording *r = ctx;

    if (r->sum_waits++ == 100) {
        pthread_mutex_lock(&r->messages);
        tool_warn("waiting for %s, which another process has locked", r->options.output);
        pthread_mutex_unlock(&r->messages);
    }
    return !__atomic_load_n(&r->runs.enough, __ATOMIC_RELAXED);
}

/* The kernel does not tell a keeper how the program ended. */
static struct record_end program_end(const struct recording *r)
{
    bool known = !r->orphaned && r->program.ended;

    return (struct record_end){known, (uint32_t)r->program.pid, known ? child_exited(&r->program) : 0,
                               known ? child_killed(&r->program) : 0};
}

static void store_run(struct recording *r)
{
    struct record_end end = program_end(r);
    struct wpp_error error;

    pthread_mutex_lock(&r->messages);
    r->run_failed = !record_run_store(&r->run, &end, &error);
    pthread_mutex_unlock(&r->messages);
}

/* All processes are over. */
static void store_sum(void *ctx)
{
    struct recording *r = ctx;
    struct wpp_error error;
    bool stored;

    if (r->options.runs) {
        store_run(r);
        return;
    }
    stored = profile_sum_store(&r->sum, r->step, &error);      /* it may wait for others */
    pthread_mutex_lock(&r->messages);
    if (!stored) {
        r->sum_failed = true;
        keep_sum_apart(&r->sum, &error);
    } else {
        say_lacks(&r->sum, r->options.quiet);
    }
    pthread_mutex_unlock(&r->messages);
}

static double waited(const struct recording *r)
{
    return (double)wpp_recorder_waited(r->recorder) / 1e9;
}

/* Estimates the file's size, which is unknown before the file is made, from the bytes that a
 * symbol takes in most files. */
static double estimated_size(const struct wpp_process_files_figures *f)
{
    const double bytes_a_symbol = 1.3;

    return bytes_a_symbol * (double)f->symbols;
}

static void show_progress(struct recording *r)
{
    struct wpp_process_files_figures f;
    struct rusage usage;
    uint64_t on_disk;
    char disk[32] = "";
    double size, passed = (r->ended > 0 ? r->ended : seconds()) - r->begun;
    double tokens = (double)r->limit.tokens;

    if (r->options.quiet || !tool_progress_due())
        return;
    f = wpp_worker_figures(&r->worker);
    getrusage(RUSAGE_SELF, &usage);
    on_disk = wpp_spool_get_sizes(r->spool).disk;
    if (on_disk > 0)
        snprintf(disk, sizeof disk, ", %.0f MB wait on disk", (double)on_disk / 1e6);
    size = estimated_size(&f);
    pthread_mutex_lock(&r->messages);
    tool_progress("%s, %.1f M/s, waited %.1f s; %.0f %% in ~%.2f MB (1/~%.0f); "
                  "%u process%s, %ld MB%s", tool_amount(tokens, "event"), tokens / 1e6 / passed,
                  waited(r), 100 * (double)f.tokens / (tokens > 0 ? tokens : 1), size / 1e6,
                  size > 0 ? 4 * (double)f.tokens / size : 0, f.begun, f.begun == 1 ? "" : "es",
                  usage.ru_maxrss / 1024, disk);
    pthread_mutex_unlock(&r->messages);
}

/* Shows progress after the program's end; the program may have left its last line unfinished. */
static void show_rest(struct recording *r, bool *apart)
{
    if (!*apart && !r->options.quiet && tool_progress_due()) {
        tool_progress_apart();
        *apart = true;
    }
    show_progress(r);
}

/* Prints the last line; in full on a terminal. */
static void show_summary(const struct recording *r)
{
    double tokens = (double)wpp_process_files_figures(&r->runs).tokens;
    char size[64] = "";
    struct stat st;

    if (r->options.quiet || r->bytes == 0)
        return;
    if (r->options.runs) {
        if (r->run.id)
            tool_warn("%s of %u process%s: run %lld of %s", tool_amount(tokens, "event"), r->runs.summed,
                      r->runs.summed == 1 ? "" : "es", (long long)r->run.id, r->options.runs);
        return;
    }
    if (r->options.merge) {
        if (r->runs.summed > 0 && !r->sum_failed)
            tool_warn("%s of %u process%s added to %s",
                      tool_amount((double)r->sum.executions, "execution"), r->runs.summed,
                      r->runs.summed == 1 ? "" : "es", r->options.output);
        return;
    }
    if (!isatty(STDERR_FILENO)) {
        if (r->runs.written == 1 && !r->runs.failed && !r->trace_failed)
            tool_warn("%s%s in %s", r->options.ring ? "the last of " : "",
                      tool_amount(tokens, "event"), r->runs.path);
        return;
    }
    if (r->runs.written == 1 && stat(r->runs.path, &st) == 0 && st.st_size > 0)
        snprintf(size, sizeof size, ", %.3f MB, 1/%.0f of the events", (double)st.st_size / 1e6,
                 4 * tokens / (double)st.st_size);
    tool_progress_apart();
    fprintf(stderr, "wpp-record: %s in %.1f s, %.1f s of them waiting for us; "
            "compressed %.1f s later; %s%s\n", tool_amount(tokens, "event"), r->ended - r->begun,
            waited(r), seconds() - r->ended, r->runs.path, size);
}

/* Ends the recording where a limit is reached, or nothing more can be kept. */
static void check_limits(struct recording *r)
{
    const struct options *o = &r->options;

    if (r->closed)
        return;
    if (wpp_spool_failed(r->spool) || wpp_event_limit_is_reached(&r->limit) ||
        (o->duration > 0 && seconds() - r->begun >= o->duration)) {
        r->closed = true;
        wpp_recorder_close(r->recorder);
    }
}

/* Whether the recording is over.  After the program's end, processes that it has started may
 * record on.  Those that have not recorded yet get a moment to begin. */
static bool all_over(struct recording *r)
{
    const double moment = 0.2;
    struct wpp_recorder_processes processes;

    if (!r->program.ended)
        return false;
    if (r->closed || child_asked_to_end())
        return true;
    processes = wpp_recorder_count(r->recorder);
    if (processes.attached > 0)
        return false;
    if (processes.unborn == 0 && !r->program.has_children)
        return true;
    return seconds() - r->quiet_since >= moment;
}

static void act_on_signal(struct recording *r)
{
    if (!child_switched())
        return;
    if (r->options.ring)
        wpp_recorder_look(r->recorder, take_look);
    else
        wpp_recorder_signal(r->recorder, r->options.signal);
}

static void record(struct recording *r)
{
    enum { WAIT_MILLISECONDS = 20 };

    r->begun = r->quiet_since = r->progressed = seconds();
    for (;;) {
        bool lived = !r->program.ended;

        child_reap(&r->program);
        if (wpp_recorder_turn(r->recorder, 0) || (lived && r->program.ended))
            r->quiet_since = seconds();
        else if (all_over(r))
            break;
        else
            wpp_recorder_turn(r->recorder, WAIT_MILLISECONDS);
        act_on_signal(r);
        look_after_worker(r);
        if (r->options.progress)
            show_progress(r);
        check_limits(r);
    }
    if (!r->closed)
        wpp_recorder_close(r->recorder);
    r->ended = seconds();
}

/* Tokens that were not handed over at a process's end are counted only when they are compressed. */
static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A thread's last events are counted only when they are compressed.  So if some were left out,
 * the file has at least the counted events, but maybe not all. */
static void say_dropped(const struct recording *r)
{
    const struct wpp_process_files *runs = &r->runs;
    uint64_t first = runs->first_tokens, first_came = larger(first, r->first_tokens);
    uint64_t others = wpp_process_files_figures(runs).tokens - first;
    uint64_t others_came = larger(others, r->limit.tokens - r->first_tokens);
    bool first_cut = runs->first_is_cut || first < first_came;
    bool others_cut = runs->cut > runs->first_is_cut || others < others_came;
    char of[64] = "", rest[128] = "", why[128] = "interrupted";

    if (wpp_spool_failed(r->spool))
        snprintf(why, sizeof why, "events that waited on disk could not be read back (%s)",
                 strerror(wpp_spool_failed(r->spool)));

    if (r->options.merge || r->options.runs) {
        char cut[32] = "";

        if (r->sum_failed || r->run_failed)
            return;
        if (runs->cut > 0)
            snprintf(cut, sizeof cut, ", not all of %u", runs->cut);
        tool_warn("%s: %s has %s of %u process%s%s", why,
                  r->options.runs ? r->options.runs : r->options.output,
                  r->options.runs ? "a run" : "counts", runs->summed, runs->summed == 1 ? "" : "es", cut);
        return;
    }
    if (!first_cut && !others_cut) {
        tool_warn("%s: all events are kept%s", why,
                  runs->best ? ", in files that may be larger than --best makes them" : "");
        return;
    }
    if (first < first_came)
        snprintf(of, sizeof of, " of %s", tool_grouped(first_came));
    if (others_cut && others == others_came)
        snprintf(rest, sizeof rest, "; of the other processes the first %s are kept",
                 tool_grouped(others));
    else if (others_came > 0)
        snprintf(rest, sizeof rest, "; of the other processes %s of %s are kept",
                 tool_grouped(others), tool_grouped(others_came));
    tool_warn("%s: %s has %s %s%s events%s", why, runs->path, first_cut ? "the first" : "all",
              tool_grouped(first), of, rest);
}

/* Compresses the rest as fast as possible after the program's end.  An interrupt drops it. */
static void compress_rest(struct recording *r)
{
    enum { LOOK_MILLISECONDS = 5 };
    unsigned interrupts = child_interrupts();
    bool apart = false;

    if (!r->hurries)
        wpp_worker_hurry(&r->worker);
    wpp_spool_close(r->spool);
    while (!wpp_worker_is_over(&r->worker, LOOK_MILLISECONDS)) {
        show_rest(r, &apart);
        if (child_interrupts() != interrupts && !r->dropped) {
            __atomic_store_n(&r->runs.enough, true, __ATOMIC_RELAXED);
            r->dropped = true;              /* before the worker reports what the files lack */
            wpp_spool_drop(r->spool);
        }
    }
    wpp_worker_end(&r->worker);
    tool_progress_end();
    r->dropped |= wpp_spool_failed(r->spool) != 0;
    if (r->dropped)
        say_dropped(r);
}

static void keep_trace(struct recording *r, bool has_begun)
{
    struct wpp_error error;

    if (!r->trace)
        return;
    if (!has_begun) {
        wpp_output_abandon(r->trace);
    } else if (!wpp_output_commit(r->trace, &error)) {
        tool_warn("%s", error.text);
        r->trace_failed = true;
    }
}

/* ---- When we are killed: in the keeper ------------------------------------------------------- */

static void orphaned(void *ctx)
{
    struct recording *r = ctx;

    pthread_mutex_init(&r->messages, NULL);
    r->run.numbered = true;                 /* orphan_written() says it */
    r->orphaned = true;
}

static void take_rest(void *ctx, uint32_t process, const void *bytes, size_t n)
{
    struct recording *r = ctx;

    wpp_process_files_rest(&r->runs, process, bytes, n);
}

static void orphan_rest(void *ctx)
{
    struct recording *r = ctx;

    wpp_recorder_counts(r->recorder, take_rest);
}

static void orphan_written(void *ctx)
{
    struct recording *r = ctx;

    keep_trace(r, r->runs.begun > 0);
    if (r->options.runs && r->run.id)
        tool_warn("killed; %s holds the events recorded until then as run %lld", r->options.runs,
                  (long long)r->run.id);
    if (r->options.merge && r->runs.summed > 0 && !r->sum_failed)
        tool_warn("killed; the counts of %u process%s are added to %s", r->runs.summed,
                  r->runs.summed == 1 ? "" : "es", r->options.output);
    if (r->runs.written > 0)
        tool_warn("killed; %s holds the events recorded until then", r->runs.path);
}

/* ---- Results -------------------------------------------------------------------------------- */

static void say_why_nothing(const char *program)
{
    char *file = child_file(program), why[512];

    why_nothing(file, why, sizeof why);
    tool_warn("%s recorded nothing: %s", program, why);
    free(file);
}

/* The shell sees only our exit, so report the signal; SIGINT needs no report. */
static void say_killed(const struct recording *r)
{
    unsigned signal = child_killed(&r->program);
    const char *name = sigabbrev_np((int)signal);

    if (r->options.quiet || !signal || signal == SIGINT || signal == SIGPIPE)
        return;
    if (name)
        tool_warn("%s was killed by SIG%s", r->options.command[0], name);
    else
        tool_warn("%s was killed by signal %u", r->options.command[0], signal);
}

/* Reports files other than FILE. */
static void say_what_else(const struct recording *r)
{
    if (r->options.quiet)
        return;
    if ((r->options.merge || r->options.runs) && r->runs.written > 0)
        tool_warn("%u process%s not added: the folder %s", r->runs.written,
                  r->runs.written == 1 ? "" : "es", r->runs.folder);
    else if (r->runs.written > 1)
        tool_warn("%u processes recorded: %s and the folder %s", r->runs.written, r->runs.path,
                  r->runs.folder);
    if (r->runs.dumps > 0)
        tool_warn("%u time%s the ring was written to the folder %s", r->runs.dumps,
                  r->runs.dumps == 1 ? "" : "s", r->runs.folder);
}

static void judge(struct recording *r)
{
    struct record_end end = program_end(r);

    record_run_judge(&r->run, &end);
}

static int finish(struct recording *r)
{
    const char *program = r->options.command[0];
    int status = child_exit_status(&r->program);

    keep_trace(r, r->bytes > 0);
    show_summary(r);
    if (r->options.runs)
        judge(r);
    say_killed(r);
    if (r->bytes == 0) {
        say_why_nothing(program);
        return status ? status : TOOL_ERROR;
    }
    say_what_else(r);
    if (r->trace_failed || wpp_spool_failed(r->spool) || r->runs.failed || r->runs.apart ||
        r->sum_failed || r->run_failed)
        return status ? status : TOOL_ERROR;
    return status;
}

static struct wpp_output *open_output(const char *path)
{
    struct wpp_error error;
    struct wpp_output *out = wpp_output_open(path, WPP_OUTPUT_REPLACE | WPP_OUTPUT_KEEP_OLD,
                                             &error);

    if (!out)
        tool_die_error(&error);
    return out;
}

static char *default_output(const char *program)
{
    const char *slash = strrchr(program, '/');
    char *output;

    if (asprintf(&output, "%s.wpp", slash ? slash + 1 : program) < 0)
        tool_die(TOOL_ERROR, "out of memory");
    return output;
}

/* Whether `path`, when it becomes PATH.old, would replace `other`. */
static bool displaces(const char *path, const char *other)
{
    char *old;
    bool same;

    if (access(path, F_OK) != 0)
        return false;
    if (asprintf(&old, "%s.old", path) < 0)
        tool_die(TOOL_ERROR, "out of memory");
    same = wpp_output_is_same(old, other);
    free(old);
    return same;
}

/* Refuses outputs that would overwrite a needed file, also through a PATH.old. */
static void refuse_same_files(const struct options *o, const char *file)
{
    char *program = child_file(o->command[0]);
    const char *written[] = {file, o->trace};

    if (o->trace && wpp_output_is_same(file, o->trace))
        tool_usage("%s cannot be both the WPP and the trace", o->trace);
    if (o->trace && (displaces(o->trace, file) || displaces(file, o->trace)))
        tool_usage("%s and %s: one would become the .old of the other", file, o->trace);
    for (int i = 0; i < 2 && program; i++) {
        if (!written[i] || access(program, F_OK) != 0)
            continue;
        if (wpp_output_is_same(written[i], program))
            tool_usage("%s is the program, and would be written over", written[i]);
        if (displaces(written[i], program))
            tool_usage("%s is the program, and %s.old would be written over it", program,
                       written[i]);
    }
    free(program);
}

/* Whether we write to standard output: then the program's output must go elsewhere. */
static bool writes_to_standard_output(const struct options *o)
{
    return (o->output && wpp_output_is_standard(o->output)) ||
           (o->trace && wpp_output_is_standard(o->trace));
}

/* Allows a descriptor for each running process.  The program is started before, with the limit
 * that we got. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

enum { SMALL_SPOOL = 64 << 20 };

static void open_sum(struct recording *r, const char *name)
{
    struct wpp_error error;

    if (!profile_sum_begin(&r->sum, name, &error))
        tool_die_error(&error);
    r->sum.waits = wait_for_sum;
    r->sum.ctx = r;
    r->step = mmap(NULL, sizeof *r->step, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->step == MAP_FAILED)
        tool_die_of_memory();
}

/* A file is made in any case, since the keepers need its descriptor.  If none can be made, that is
 * said only when the memory is full.  A ring takes all events at once. */
static void open_disk(struct recording *r, const char *name)
{
    const char *folder = r->options.spool_folder;
    char *default_folder = NULL;

    r->disk.fd = -1;
    if (r->options.spool_disk == 0 || r->options.ring)
        return;
    if (!folder)
        folder = default_folder = wpp_output_folder(name, strcmp(name, "-") == 0 ||
                                                          (r->runs.first && r->runs.single));
    if (!folder)
        tool_die_of_memory();
    if (!wpp_spool_disk_open(&r->disk, folder, r->options.spool_disk) && r->options.spool_folder)
        tool_die(TOOL_ERROR, "--spool-dir: cannot make a file in %s: %s", folder,
                 strerror(r->disk.error));
    free(default_folder);
}

static void open_recording(struct recording *r, const char *name)
{
    struct wpp_error error;

    if (r->options.merge)
        open_sum(r, name);
    wpp_process_files_init(&r->runs, name, r->options.merge || r->options.runs ? NULL : open_output(name),
                           &(struct wpp_process_files_sink){r, tell, sum_process, store_sum});
    r->runs.ring = r->options.ring;
    r->runs.memory = r->options.memory;
    /* A store has each run as one grammar. */
    r->runs.room = r->options.runs ? 0 : r->options.machine / 2;
    r->runs.heap = &tool_heap;
    r->runs.best = r->options.best;
    if ((r->options.memory || !r->options.best) && !r->options.one_piece)
        r->runs.crew.size = r->options.jobs ? r->options.jobs
                                               : tool_jobs_argument("0", WPP_CREW_MOST);
    r->limit.most = r->options.limit;
    if (r->options.trace)
        r->trace = open_output(r->options.trace);
    r->recorder = wpp_recorder_new(&(struct wpp_recorder_sink){r, take_bytes, take_over,
                                                               how_it_ended}, &error);
    if (!r->recorder)
        tool_die_error(&error);
    pthread_mutex_init(&r->messages, NULL);
    open_disk(r, name);
    r->spool = wpp_spool_new(r->options.spool, r->disk.fd >= 0 ? &r->disk : NULL);
    r->worker = (struct wpp_worker){.spool = r->spool, .runs = &r->runs, .ctx = r,
                                    .orphaned = orphaned, .rest = orphan_rest,
                                    .written = orphan_written};
    /* A ring takes records at once; with a small spool the program would wait for an idle
     * worker. */
    r->hurries = r->worker.hurries = r->options.ring || r->options.spool < SMALL_SPOOL;
    if (!r->spool)
        tool_die(TOOL_ERROR, "out of memory");
}

static void open_run(struct recording *r)
{
    r->run = (struct record_run){.folder = r->options.runs, .label = r->options.label,
                                 .oracle = r->options.oracle, .numbered = !r->options.quiet};
    record_run_begin(&r->run);
}

int main(int argc, char **argv)
{
    struct recording r = {0};
    char *name;
    int error;

    tool_init("wpp-record");
    r.options = parse_options(argc, argv);
    if (r.options.runs)
        open_run(&r);
    name = r.options.runs ? strdup(r.run.path) : r.options.output ? strdup(r.options.output)
           : default_output(r.options.command[0]);
    if (!name)
        tool_die(TOOL_ERROR, "out of memory");
    if (strcmp(name, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a WPP file");
    refuse_same_files(&r.options, name);
    open_recording(&r, name);
    set_environment(&r.options, r.recorder);
    error = child_start(&r.program, r.options.command, r.options.signal,
                        writes_to_standard_output(&r.options), r.recorder);
    if (error) {
        wpp_process_files_free(&r.runs);
        wpp_output_abandon(r.trace);
        tool_die(error == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "cannot run %s: %s",
                 r.options.command[0], strerror(error));
    }
    raise_descriptors();
    error = wpp_worker_start(&r.worker);
    if (error)
        tool_die(TOOL_ERROR, "cannot start a thread: %s", strerror(error));
    record(&r);
    compress_rest(&r);
    error = finish(&r);
    child_let_go();
    wpp_recorder_free(r.recorder);
    wpp_spool_free(r.spool);
    wpp_spool_disk_close(&r.disk);
    wpp_event_limit_free(&r.limit);
    wpp_process_files_free(&r.runs);
    profile_sum_free(&r.sum);
    record_run_free(&r.run);
    free(name);
    return error;
}
