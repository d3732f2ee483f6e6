/* SPDX-License-Identifier: MIT */
#include "wpp/cli/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/base/similar.h"
#include "wpp/replay/last-path.h"
#include "wpp/replay/place-text.h"

/* The process's name: a process is one tool. */
static const char *name = "wpp";
static int output_error;   /* errno of the first failed write to standard output */
static int trouble;        /* the status of every failure; 0: each has its own */

/* For fopencookie(); 0: the write failed. */
static ssize_t write_output(void *cookie, const char *data, size_t size)
{
    size_t done = 0;

    (void)cookie;
    if (isatty(STDOUT_FILENO))
        tool_stage_end();
    while (done < size) {
        ssize_t n = write(STDOUT_FILENO, data + done, size - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            output_error = output_error ? output_error : errno;
            return 0;
        }
        done += (size_t)n;
    }
    return (ssize_t)size;
}

static void on_limit(int signal)
{
    (void)signal;
}

/* Makes a file that may grow no more (ulimit -f) an error of its write.  It sets a handler and
 * does not ignore the signal: a program that we become or start then has the signal's default
 * action. */
static void bear_limit(void)
{
    struct sigaction now, bear = {.sa_handler = on_limit, .sa_flags = SA_RESTART};

    if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(SIGXFSZ, &bear, NULL);
}

/* Opens closed standard descriptors.  Otherwise the next opened file would get the number and
 * our output.  Each is opened so that its use fails as if it were closed; a program that we
 * start has it closed. */
static void open_standard(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0
            && open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            return;
}

/* Standard output becomes a stream that keeps errno: a plain stream only remembers that it
 * failed. */
void tool_init(const char *tool)
{
    FILE *output = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_output});

    name = tool;
    open_standard();
    bear_limit();
    if (output)
        stdout = output;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
}

const char *tool_name(void)
{
    return name;
}

/* ---- Messages ------------------------------------------------------------ */

static void say(const char *format, va_list args)
{
    char line[1024];

    vsnprintf(line, sizeof line, format, args);
    wpp_keep_one_line(line);
    tool_progress_end();
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", name, line);
}

void tool_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
}

void tool_die(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    exit(trouble ? trouble : status);
}

void tool_set_trouble(int status)
{
    trouble = status;
}

void tool_usage(const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tool_warn("%s (%s --help explains)", text, name);
    exit(TOOL_USAGE);
}

int tool_exit_status(enum wpp_status status)
{
    switch (status) {
    case WPP_OK:
        return TOOL_OK;
    case WPP_E_DAMAGED:
    case WPP_E_INCOMPLETE:
        return TOOL_INCOMPLETE;
    default:
        return TOOL_ERROR;
    }
}

void tool_die_error(const struct wpp_error *error)
{
    tool_die(tool_exit_status(error->status), "%s", error->text);
}

void tool_die_of_memory(void)
{
    struct wpp_error error;

    wpp_fail_memory(&error);
    tool_die_error(&error);
}

const char *tool_grouped(uint64_t n)
{
    static char buffers[8][NUMBER_TEXT];
    static unsigned turn;

    return number_grouped(n, buffers[turn++ % 8]);
}

const char *tool_amount(double n, const char *what)
{
    static char buffers[4][64];
    static unsigned turn;
    static const char unit[] = " kMGT";
    char *out = buffers[turn++ % 4];
    int i = 0;

    for (; n >= 999.95 && unit[i + 1]; i++)
        n /= 1000;
    if (i == 0)
        snprintf(out, sizeof *buffers, "%.0f %s%s", n, what, n == 1 ? "" : "s");
    else
        snprintf(out, sizeof *buffers, "%.1f %c %ss", n, unit[i], what);
    return out;
}

/* ---- Common options -------------------------------------------------------- */

static bool has_value(const struct option *longs, int value)
{
    while (longs->name && longs->val != value)
        longs++;
    return longs->name != NULL;
}

/* No option begins with `word`, which has `length` characters. */
_Noreturn static void suggest_option(const char *word, int length, const struct option *longs)
{
    char asked[64];
    struct similar s = {.asked = asked};

    snprintf(asked, sizeof asked, "%.*s", length > 2 ? length - 2 : 0, word + 2);
    for (; longs->name; longs++)
        similar_offer(&s, longs->name);
    if (s.best)
        tool_usage("there is no option `%.*s`; did you mean `--%s`?", length, word, s.best);
    tool_usage("there is no option `%.*s`", length, word);
}

/* `word`, of `length` characters, is the beginning of no option, or of several. */
_Noreturn static void refuse_long_option(const char *word, int length, const struct option *longs)
{
    char names[256] = "";
    const struct option *all = longs;
    size_t used = 0, n = 0, left = 0;

    for (int i = 0; length > 2 && longs[i].name; i++)
        left += strncmp(longs[i].name, word + 2, (size_t)length - 2) == 0;
    for (; left > 0 && used < sizeof names; longs++)
        if (strncmp(longs->name, word + 2, (size_t)length - 2) == 0) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s--%s",
                                     n++ == 0 ? "" : left == 1 ? " or " : ", ", longs->name);
            left--;
        }
    if (n == 0)
        suggest_option(word, length, all);
    tool_usage("option `%.*s` may be %s", length, word, names);
}

/* Reports a wrong option.  optopt is 0 for unknown long options, else the option's value.
 * `word` is the long option, or the word that contains the short one. */
_Noreturn static void refuse_option(const char *word, const char *shorts,
                                    const struct option *longs)
{
    const char *known = optopt > 0 && optopt < 128 ? strchr(shorts, optopt) : NULL;
    int length = (int)strcspn(word, "=");

    if (optopt == 0)
        refuse_long_option(word, length, longs);
    if (strncmp(word, "--", 2) == 0 && has_value(longs, optopt))
        tool_usage("option `%.*s` takes %s argument", length, word, word[length] ? "no" : "an");
    if (known && known[1] == ':')
        tool_usage("option `-%c` takes an argument", optopt);
    tool_usage("there is no option `-%c`", optopt);
}

int tool_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    int option;

    opterr = 0;
    option = getopt_long(argc, argv, shorts, longs, NULL);
    if (option == '?')
        refuse_option(argv[optind - 1], shorts, longs);
    return option;
}

void tool_help(const char *text)
{
    fputs(text, stdout);
    exit(tool_finish(TOOL_OK));
}

void tool_version(void)
{
    printf("%s %s\n", name, WPP_VERSION);
    exit(tool_finish(TOOL_OK));
}

bool tool_parse_size(const char *text, uint64_t *out)
{
    return number_parse(text, 1024, out);
}

bool tool_parse_count(const char *text, uint64_t *out)
{
    return number_parse(text, 1000, out);
}

uint64_t tool_size_argument(const char *option, const char *text)
{
    uint64_t value;

    if (!tool_parse_size(text, &value))
        tool_usage("%s: `%s` is not a size like 4096, 64k, 16M or 1.5G", option, text);
    return value;
}

uint64_t tool_count_argument(const char *option, const char *text)
{
    uint64_t value;

    if (!tool_parse_count(text, &value))
        tool_usage("%s: `%s` is not a number like 20, 50k, 1.5M or 2G", option, text);
    return value;
}

uint32_t tool_processors(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

uint32_t tool_jobs_argument(const char *text, uint32_t most)
{
    uint64_t n = tool_count_argument("--jobs", text);

    if (n == 0)
        n = tool_processors();
    return n < most ? (uint32_t)n : most;
}

unsigned tool_choice_argument(const char *option, const char *text, const char *const *choices)
{
    char list[256] = "";

    for (unsigned i = 0; choices[i]; i++) {
        size_t used = strlen(list);

        if (strcmp(text, choices[i]) == 0)
            return i;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", choices[i]);
    }
    tool_usage("%s: `%s` is none of %s", option, text, list);
}

/* ---- Terminals --------------------------------------------------------------- */

bool tool_color(const char *when)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

    if (when && strcmp(when, "always") == 0)
        return true;
    if (when && strcmp(when, "never") == 0)
        return false;
    if (when && strcmp(when, "auto") != 0)
        tool_usage("--color: `%s` is none of auto, always, never", when);
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

void tool_refuse_terminal(int fd, const char *what)
{
    if (isatty(fd))
        tool_usage("%s is binary and not for a terminal; redirect it or give a file", what);
}

unsigned tool_columns(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool tool_flush(void)
{
    bool done = fflush(stdout) == 0 && !ferror(stdout);

    if (!done && output_error)
        errno = output_error;
    return done;
}

int tool_finish(int status)
{
    /* A closed standard output (>&-) is no error if nothing was written to it. */
    bool done = tool_flush() && (close(STDOUT_FILENO) == 0 || errno == EBADF);

    if (!done && errno == EPIPE)
        _exit(128 + SIGPIPE);
    if (!done)
        tool_die(TOOL_ERROR, "cannot write standard output: %s", strerror(errno));
    return status;
}

/* ---- Files that are damaged or incomplete --------------------------------------- */

int tool_say_damages(const char *path, const wpp *w)
{
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t i = 0; i < n; i++)
        tool_warn("%s: %s%s", path, damage[i].text, damage[i].part ? ": left out" : "");
    return n ? TOOL_INCOMPLETE : TOOL_OK;
}

const char *tool_why_incomplete(const struct wpp_summary *run)
{
    switch (run->ended) {
    case WPP_ENDED_LIMIT: return "stopped by --limit";
    case WPP_ENDED_DURATION: return "stopped by --duration";
    case WPP_ENDED_INTERRUPT: return "an interrupt left out events that waited to be compressed";
    case WPP_ENDED_DISK: return "events that waited on disk could not be read back";
    case WPP_ENDED_RECORDER: return "its recorder was killed";
    case WPP_ENDED_LOOK: return "the process ran on";
    case WPP_ENDED_UNREAD: return "the events of some modules could not be read";
    case WPP_ENDED_APART: return "it did not report its end, and some events (of a thread, of "
                                 "another runtime, or from after its last record) are in no record";
    }
    if (run->dropped)
        return "only the last events were kept";
    return run->lost ? "events were lost" : "cut short";
}

int tool_say_incomplete(const char *path, const wpp *w)
{
    struct wpp_summary run;
    int status = tool_say_damages(path, w);

    wpp_get_summary(w, &run);
    if (run.part.copy > 0) {
        tool_warn("%s: this is copy %u of %u of a partitioned profile; the answer covers only the "
                  "paths that it counts (wpp-p3 merge unites all)", path, run.part.copy,
                  run.part.copies);
        status = TOOL_INCOMPLETE;
    }
    if ((wpp_missing(w) & WPP_PART_SUMMARY) || (run.complete && !run.lost))
        return status;
    tool_warn("%s: the trace is incomplete (%s); the answer covers only the recorded part", path,
              tool_why_incomplete(&run));
    return TOOL_INCOMPLETE;
}

void tool_say_changes(const wpp *w, const struct source_changes *changes)
{
    struct wpp_summary run;
    const char *program;

    wpp_get_summary(w, &run);
    program = strrchr(run.program, '/') ? strrchr(run.program, '/') + 1 : run.program;
    if (changes->n == 1)
        tool_warn("%s has changed since %s was built: lines may be wrong", changes->file[0],
                  program);
    if (changes->n > 1)
        tool_warn("%s and %u other source file%s have changed since %s was built: lines may be "
                  "wrong", changes->file[0], changes->n - 1, changes->n == 2 ? "" : "s", program);
}

void tool_say_death(const wpp *w)
{
    struct last_path last;
    struct wpp_error error;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!last_path_of_run(w, &last, &error) || !(out = open_memstream(&text, &size)))
        tool_die_of_memory();
    last_path_say(out, &last, false);
    if (last.kind == LAST_PATH_PART) {
        fputs(", on a path that had not ended: ", out);
        last_path_lines(out, &last);
    }
    if (fclose(out) != 0)
        tool_die_of_memory();
    if (last.death)
        tool_warn("the run was %s", text);
    free(text);
    last_path_free(&last);
}

void tool_say_changed_sources(const wpp *w)
{
    struct source_changes changes;

    if (source_changes_find(&changes, w))
        tool_say_changes(w, &changes);
    source_changes_free(&changes);
}

void tool_need(const char *path, const wpp *w, unsigned parts)
{
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t i = 0; i < n; i++)
        if (damage[i].part & parts)
            tool_die(TOOL_INCOMPLETE, "%s: %s; there is no answer without %s", path,
                     damage[i].text, wpp_part_name(damage[i].part));
}

void tool_need_order(const char *path, const wpp *w)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (run.is_profile)
        tool_die(TOOL_ERROR, "%s is a path profile, which does not hold the order of paths: "
                 "wpp-profile shows it", path);
    tool_need(path, w, TOOL_NEED_PATHS);
}

static int is_recording(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 4 && strcmp(entry->d_name + n - 4, ".wpp") == 0;
}

struct wpp_error *tool_explain_folder(const char *path, struct wpp_error *error)
{
    struct dirent **entries;
    struct stat status;
    int n;

    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return error;
    n = scandir(path, &entries, is_recording, alphasort);
    if (n > 0)
        wpp_fail(error, WPP_E_SYSTEM, "%s is a folder with %d recording%s: name one, as %s/%s",
                 path, n, n == 1 ? "" : "s", path, entries[0]->d_name);
    else
        wpp_fail(error, WPP_E_SYSTEM, "%s is a folder without a recording (*.wpp)", path);
    for (int i = 0; i < n; i++)
        free(entries[i]);
    if (n >= 0)
        free(entries);
    return error;
}

const char *tool_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static wpp *open_by(wpp *(*opens)(const char *, struct wpp_error *), const char *path)
{
    struct wpp_error error;
    wpp *w;

    tool_stage_reading(path);
    w = opens(path, &error);
    tool_stage_end();
    if (!w)
        tool_die_error(tool_explain_folder(path, &error));
    return w;
}

wpp *tool_open(const char *path)
{
    return open_by(wpp_open_intact, path);
}

wpp *tool_open_unread(const char *path)
{
    return open_by(wpp_open_unread, path);
}

void tool_read_until(const char *path, wpp *w, uint32_t thread, const uint32_t *weights, uint64_t n)
{
    struct wpp_error error;
    bool done;

    tool_stage_reading(path);
    done = wpp_read_until(w, thread, weights, n, &error);
    tool_stage_end();
    if (done)
        return;
    if (error.status == WPP_E_DAMAGED)
        tool_need_order(path, w);
    tool_die_error(&error);
}

double tool_share(const char *option, const char *text)
{
    char *end;
    double share = strtod(text, &end);

    if (end != text && *end == '%')
        end++;
    if (end == text || *end || !(share >= 0 && share <= 100))
        tool_usage("%s: `%s` is not a share from 0 to 100", option, text);
    return share;
}

bool *tool_choose_routines(const wpp *w, const char *asked)
{
    bool *chosen, any;

    if (!routines_named(w, asked, &chosen, &any))
        tool_die_of_memory();
    if (any)
        return chosen;
    free(chosen);
    return NULL;
}

/* ---- Outputs ---------------------------------------------------------------- */

struct wpp_output *tool_output(const char *path, bool force, const char *input)
{
    struct wpp_error error;
    struct wpp_output *out;

    if (input && wpp_output_is_input(path, input))
        tool_die(TOOL_ERROR, "%s: output and input are the same file", input);
    out = wpp_output_open(path, force ? WPP_OUTPUT_REPLACE : 0, &error);
    if (!out)
        tool_die_error(&error);
    return out;
}

struct wpp_output *tool_output_redirect(const char *path, bool force, const char *input)
{
    struct wpp_output *out;

    if (!path)
        return NULL;
    out = tool_output(path, force, input);
    if (dup2(wpp_output_fd(out), STDOUT_FILENO) < 0)
        tool_die(TOOL_ERROR, "cannot redirect standard output");
    return out;
}

void tool_output_keep(struct wpp_output *out, const char *path)
{
    struct wpp_error error;

    if (!out)
        return;
    if (!tool_flush()) {
        const char *why = strerror(errno);

        wpp_output_abandon(out);
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, why);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
}
