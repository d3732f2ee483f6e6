/* SPDX-License-Identifier: MIT */
#include "wpp/record/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that ask us to end; we pass them on to the program: on_signal(). */
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

extern char **environ;

bool child_forwards(int signal)
{
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        if (signal == forwarded[i])
            return true;
    return false;
}

/* ---- Signals ---------------------------------------------------------------------------- */

/* Globals, because a signal handler has no other access. */
static struct {
    struct wpp_recorder *recorder;
    volatile sig_atomic_t program;   /* its pid, 0 when it has ended */
    volatile sig_atomic_t asked;     /* we have been asked to end */
    volatile sig_atomic_t interrupts;
    volatile sig_atomic_t switched;  /* --signal has come */
    int switching;                   /* --signal, or 0 */
} signals;

/* A terminal sends its signals to us and to the program.  Only a signal meant for us alone has
 * to be passed on. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
    int error = errno;

    (void)context;
    if (signal == signals.switching) {
        signals.switched = 1;
    } else if (signal != SIGCHLD) {
        signals.asked = 1;
        signals.interrupts = signals.interrupts + (signal == SIGINT);
        if (info->si_code != SI_KERNEL && signals.program)
            kill((pid_t)signals.program, signal);
    }
    wpp_recorder_wake(signals.recorder);
    errno = error;
}

static void set_signal(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};

    action.sa_sigaction = handler;
    sigaction(signal, &action, NULL);
}

static bool is_ignored(int signal)
{
    struct sigaction now;

    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* nohup starts us with SIGHUP or SIGTERM ignored, and we keep that.  Scripts' background jobs
 * ignore the other signals, but users send them to end a recording: so we handle these. */
static void set_signals(void (*handler)(int, siginfo_t *, void *))
{
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        if ((forwarded[i] != SIGHUP && forwarded[i] != SIGTERM) || !is_ignored(forwarded[i]))
            set_signal(forwarded[i], handler);
    if (signals.switching)
        set_signal(signals.switching, handler);
    /* If the reader of the trace copy goes away, the write fails and we report it. */
    signal(SIGPIPE, SIG_IGN);
}

/* Blocked signals stay pending until the program's pid is known. */
static sigset_t block_signals(void)
{
    sigset_t set, old;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
        sigaddset(&set, forwarded[i]);
    if (signals.switching)
        sigaddset(&set, signals.switching);
    sigprocmask(SIG_BLOCK, &set, &old);
    return old;
}

void child_let_go(void)
{
    set_signal(SIGCHLD, NULL);
    /* Its sender cannot know that we are about to end. */
    if (signals.switching)
        signal(signals.switching, SIG_IGN);
    signals.switching = 0;
    set_signals(NULL);
}

bool child_asked_to_end(void)
{
    return signals.asked;
}

unsigned child_interrupts(void)
{
    return (unsigned)signals.interrupts;
}

bool child_switched(void)
{
    bool switched = signals.switched;

    signals.switched = 0;
    return switched;
}

/* ---- The program -------------------------------------------------------------------- */

/* posix_spawn reports a failed exec, and searches PATH like the shell. */
static int spawn(struct child *p, char **command, bool aside, const sigset_t *mask)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int error;

    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    error = posix_spawn_file_actions_init(&actions);
    if (!error && aside)
        error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(&p->pid, command[0], &actions, &attributes, command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int child_start(struct child *p, char **command, int switching, bool aside,
                struct wpp_recorder *recorder)
{
    sigset_t mask;
    int error;

    signals.recorder = recorder;
    signals.switching = switching;
    mask = block_signals();
    set_signal(SIGCHLD, on_signal);
    /* Processes whose parents have ended become our children, so we know of them. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* The program inherits the signals that we were started to ignore; set_signals() comes
     * later. */
    error = spawn(p, command, aside, &mask);
    set_signals(on_signal);
    if (!error)
        signals.program = p->pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return error;
}

char *child_file(const char *name)
{
    const char *path = getenv("PATH");
    char *file;
    int n;

    if (strchr(name, '/'))
        return strdup(name);
    for (; path; path = path[n] ? path + n + 1 : NULL) {
        n = (int)strcspn(path, ":");
        if (asprintf(&file, "%.*s%s%s", n, path, n > 0 ? "/" : "", name) < 0)
            return NULL;
        if (access(file, X_OK) == 0)
            return file;
        free(file);
    }
    return NULL;
}

/* Only children of this thread: others do not belong to the program. */
void child_reap(struct child *p)
{
    pid_t pid;
    int status;

    while ((pid = waitpid(-1, &status, WNOHANG | __WNOTHREAD)) > 0) {
        if (pid != p->pid)
            continue;
        signals.program = 0;
        p->ended = true;
        p->status = status;
    }
    p->has_children = pid == 0;
}

unsigned child_exited(const struct child *p)
{
    return p->ended && WIFEXITED(p->status) ? 1 + (unsigned)WEXITSTATUS(p->status) : 0;
}

unsigned child_killed(const struct child *p)
{
    return p->ended && WIFSIGNALED(p->status) ? (unsigned)WTERMSIG(p->status) : 0;
}

int child_exit_status(const struct child *p)
{
    return WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
}
