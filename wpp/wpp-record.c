/* SPDX-License-Identifier: MIT */
/* wpp-record - runs a program and compresses its trace while it runs.
 *
 *      program --- WPP_OUT=fd:N, a pipe ---> wpp-record ---> compressor ---> FILE.wpp
 *                                                 \--------> trace, as it came (--trace)
 *
 * The program must never notice more than the pipe: whatever goes wrong here,
 * the pipe is read to its end and the program's exit status is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpp/compress.h"
#include "wpp/output.h"
#include "wpp/tool.h"

static const char help[] =
    "Usage: wpp-record [-o FILE] [--trace=FILE] [--] PROGRAM [ARGUMENT]...\n"
    "\n"
    "Runs PROGRAM, which was built with wpp-gcc, and records its whole program path.\n"
    "\n"
    "  -o, --output=FILE   write FILE instead of `PROGRAM.wpp` in this directory;\n"
    "                      what FILE was before is kept as FILE.old\n"
    "      --trace=FILE    keep the uncompressed trace, too\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n"
    "\n"
    "Exit status: the program's, 128 plus its number if a signal ended it; 127 if it\n"
    "was not found, 126 if it cannot be run; 1 if nothing could be recorded.\n";

enum {
    PIPE_BYTES = 1 << 20,        /* what an ordinary user may ask for */
    FIRST_FD = 100,              /* out of the way of programs that count on low numbers */
    NOT_FOUND = 127, NOT_RUNNABLE = 126
};

/* What asks us to end asks the program: see forward(). */
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

extern char **environ;

struct options {
    const char *output, *trace;
    char **command;
};

static struct options parse_options(int argc, char **argv)
{
    enum { TRACE = 256 };
    static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                          {"trace", required_argument, NULL, TRACE},
                                          TOOL_OPTIONS};
    struct options o = {0};
    int option;

    /* `+`: the program's own options are not ours. */
    while ((option = getopt_long(argc, argv, "+o:hV", table, NULL)) != -1) {
        switch (option) {
        case 'o': o.output = optarg; break;
        case TRACE: o.trace = optarg; break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        default: tool_usage(NULL);
        }
    }
    if (optind == argc)
        tool_usage("no program given");
    o.command = argv + optind;
    return o;
}

/* ---- The program -------------------------------------------------------------------- */

struct program {
    pid_t pid;
    int pipe;                    /* the trace comes here */
    int signals;                 /* signalfd: SIGCHLD and what is forwarded */
    bool ended;
    int status;                  /* of waitpid, when ended */
};

static void open_signals(struct program *p, sigset_t *old)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaddset(&set, forwarded[i]);
    sigprocmask(SIG_BLOCK, &set, old);
    /* A reader of the trace copy that goes away is an error to report. */
    signal(SIGPIPE, SIG_IGN);
    p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (p->signals < 0)
        tool_die(TOOL_ERROR, "cannot watch for signals: %s", strerror(errno));
}

/* posix_spawn reports a failed exec, and searches PATH as the shell does. */
static int spawn(struct program *p, char **command, int write_end, const sigset_t *mask)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int error;

    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawn_file_actions_init(&actions);
    /* Onto itself: this clears close-on-exec in the program alone. */
    posix_spawn_file_actions_adddup2(&actions, write_end, write_end);
    error = posix_spawnp(&p->pid, command[0], &actions, &attributes, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int start(struct program *p, char **command)
{
    int ends[2], write_end, error;
    char out[32];
    sigset_t mask;

    if (pipe2(ends, O_CLOEXEC) != 0)
        tool_die(TOOL_ERROR, "cannot make a pipe: %s", strerror(errno));
    /* Larger means fewer switches between the two; any size works. */
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
    write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, FIRST_FD);
    if (write_end < 0)
        tool_die(TOOL_ERROR, "cannot make a pipe: %s", strerror(errno));
    close(ends[1]);
    p->pipe = ends[0];
    snprintf(out, sizeof out, "fd:%d", write_end);
    setenv("WPP_OUT", out, 1);
    open_signals(p, &mask);
    error = spawn(p, command, write_end, &mask);
    close(write_end);
    return error;
}

/* A terminal sends its signals to us and the program alike; only one that was
 * meant for us alone has to be passed on. */
static void forward(struct program *p)
{
    struct signalfd_siginfo info;

    while (read(p->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD && info.ssi_code != SI_KERNEL)
            kill(p->pid, (int)info.ssi_signo);
    }
    if (!p->ended)
        p->ended = waitpid(p->pid, &p->status, WNOHANG) == p->pid;
}

static int exit_status(const struct program *p)
{
    return WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
}

/* ---- Recording ------------------------------------------------------------------------ */

struct recording {
    struct program program;
    wpp_compressor *compressor;  /* NULL once it has failed */
    struct wpp_output *wpp;
    struct wpp_output *trace;    /* NULL when not wanted, or failed */
    uint64_t bytes;
    bool trace_failed;
    struct wpp_error error;      /* of the compressor */
};

/* The copy must not endanger the recording. */
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

static void take(struct recording *r, const void *bytes, size_t n)
{
    r->bytes += n;
    copy_trace(r, bytes, n);
    if (r->compressor && !wpp_compress_push(r->compressor, bytes, n, &r->error)) {
        wpp_compress_free(r->compressor);
        r->compressor = NULL;
    }
}

/* Other processes may hold the pipe open for as long as they like (a daemon that
 * the program started); when the program has ended, its trace has an end or
 * there is none to come, and the pipe is empty, that is all. */
static bool nothing_to_come(const struct recording *r)
{
    struct pollfd pipe = {.fd = r->program.pipe, .events = POLLIN};
    uint32_t pid;

    if (!r->program.ended)
        return false;
    if (poll(&pipe, 1, 0) != 0)
        return false;
    if (!r->compressor || r->bytes == 0 || wpp_compress_is_over(r->compressor))
        return true;
    pid = wpp_compress_pid(r->compressor);
    return pid == 0 || pid == (uint32_t)r->program.pid;
}

static void record(struct recording *r)
{
    struct pollfd wait[] = {{.fd = r->program.pipe, .events = POLLIN},
                            {.fd = r->program.signals, .events = POLLIN}};
    uint8_t *buffer = malloc(PIPE_BYTES);

    if (!buffer)
        tool_die(TOOL_ERROR, "out of memory");
    while (!nothing_to_come(r)) {
        ssize_t n;

        if (poll(wait, 2, -1) < 0 && errno != EINTR)
            tool_die(TOOL_ERROR, "cannot wait for the program: %s", strerror(errno));
        if (wait[1].revents)
            forward(&r->program);
        if (!wait[0].revents)
            continue;
        n = read(r->program.pipe, buffer, PIPE_BYTES);
        if (n == 0)
            break;
        if (n > 0)
            take(r, buffer, (size_t)n);
        else if (errno != EINTR)
            tool_die(TOOL_ERROR, "cannot read the program's trace: %s", strerror(errno));
    }
    free(buffer);
}

/* The pipe may end long before the program does. */
static void wait_for_end(struct program *p)
{
    struct pollfd wait = {.fd = p->signals, .events = POLLIN};

    for (forward(p); !p->ended; forward(p))
        poll(&wait, 1, -1);
}

/* ---- Results -------------------------------------------------------------------------------- */

static bool write_wpp(struct recording *r, struct wpp_error *note)
{
    struct wpp_bytes file = {0};
    bool done = r->compressor && wpp_compress_finish(r->compressor, &file, note, &r->error) &&
                wpp_output_write(r->wpp, file.data, file.size, &r->error);

    if (done)
        done = wpp_output_commit(r->wpp, &r->error);
    else
        wpp_output_abandon(r->wpp);
    wpp_bytes_free(&file);
    return done;
}

static void keep_trace(struct recording *r)
{
    struct wpp_error error;

    if (!r->trace)
        return;
    if (r->bytes == 0) {
        wpp_output_abandon(r->trace);
    } else if (!wpp_output_commit(r->trace, &error)) {
        tool_warn("%s", error.text);
        r->trace_failed = true;
    }
}

static int finish(struct recording *r, const char *program)
{
    int status = exit_status(&r->program);
    struct wpp_error note = {.status = WPP_OK};

    keep_trace(r);
    if (r->bytes == 0) {
        wpp_output_abandon(r->wpp);
        tool_warn("%s recorded nothing: it is not instrumented; build it with wpp-gcc "
                  "(make CC=wpp-gcc)", program);
        return status ? status : TOOL_ERROR;
    }
    if (!write_wpp(r, &note)) {
        tool_warn("%s: %s", program, r->error.text);
        return status ? status : TOOL_ERROR;
    }
    if (note.status != WPP_OK)
        tool_warn("%s: %s", program, note.text);
    return status ? status : r->trace_failed ? TOOL_ERROR : TOOL_OK;
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

int main(int argc, char **argv)
{
    struct recording r = {0};
    struct options o;
    char *name;
    int error;

    tool_init("wpp-record");
    o = parse_options(argc, argv);
    name = o.output ? strdup(o.output) : default_output(o.command[0]);
    if (!name)
        tool_die(TOOL_ERROR, "out of memory");
    if (strcmp(name, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a WPP file");
    r.wpp = open_output(name);
    if (o.trace)
        r.trace = open_output(o.trace);
    r.compressor = wpp_compress_new(WPP_INPUT_TRACE, &r.error);
    if (!r.compressor)
        tool_die_error(&r.error);
    error = start(&r.program, o.command);
    if (error) {
        wpp_output_abandon(r.wpp);
        wpp_output_abandon(r.trace);
        tool_die(error == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "cannot run %s: %s", o.command[0],
                 strerror(error));
    }
    record(&r);
    close(r.program.pipe);
    wait_for_end(&r.program);
    error = finish(&r, o.command[0]);
    wpp_compress_free(r.compressor);
    free(name);
    return error;
}
