/* SPDX-License-Identifier: MIT */
/* progress.c - a line on the terminal that overwrites itself while a tool works: how far it is, where a
 * tool knows that; which stage it is in and for how many seconds, where it does not. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "wpp/cli/tool.h"

/* A process is one tool, and has one line. */
static struct {
    int terminal;                  /* 0 not tested yet, 1 yes, -1 no */
    bool shown;
    uint64_t last;                 /* in milliseconds */
} progress;

/* The thread shows the line once a second, because the tool is within a library. */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;          /* protects `ended`; while the thread runs, `progress`, too */
    pthread_cond_t end;
    bool begun, ended;
    char what[200];
} stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

/* ---- The line ---------------------------------------------------------------------------------------- */

static uint64_t milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Whether we are in the foreground: a background job shares its terminal. */
static bool in_foreground(void)
{
    pid_t group = tcgetpgrp(STDERR_FILENO);

    return group < 0 || group == getpgrp();
}

/* The terminal's current width; 0: unknown. */
static int columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Cut to the width: a longer line would wrap, and its first part would stay. */
static void put_line(const char *text)
{
    char line[300];
    int width = columns();

    snprintf(line, sizeof line, "%s: %s", tool_name(), text);
    fprintf(stderr, "\r%.*s\033[K", width > 0 ? width - 1 : (int)sizeof line, line);
    fflush(stderr);
    progress.shown = true;
}

static void remove_line(void)
{
    if (progress.shown && in_foreground())
        fputs("\r\033[K", stderr);
    progress.shown = false;
}

/* ---- How far ----------------------------------------------------------------------------------------- */

bool tool_progress_due(void)
{
    if (progress.terminal == 0) {
        progress.terminal = isatty(STDERR_FILENO) ? 1 : -1;
        progress.last = milliseconds();
    }
    return progress.terminal > 0 && milliseconds() - progress.last >= 100 && in_foreground();
}

void tool_progress_apart(void)
{
    int width = columns();

    if (progress.shown || !isatty(STDERR_FILENO) || width == 0)
        return;
    fprintf(stderr, "%*s\r\033[K", width, "");
    fflush(stderr);
}

void tool_progress(const char *format, ...)
{
    char text[256];
    va_list args;

    if (!tool_progress_due())
        return;
    progress.last = milliseconds();
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_line(text);
}

void tool_progress_end(void)
{
    tool_stage_end();
    remove_line();
}

/* ---- Which stage ------------------------------------------------------------------------------------- */

static void *show_stage(void *unused)
{
    struct timespec next;
    char text[256];

    (void)unused;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&stage.lock);
    for (unsigned seconds = 1; !stage.ended; seconds++) {
        next.tv_sec++;
        while (!stage.ended && pthread_cond_timedwait(&stage.end, &stage.lock, &next) == 0)
            continue;
        if (stage.ended || !in_foreground())
            continue;
        snprintf(text, sizeof text, "%s ... %u s", stage.what, seconds);
        put_line(text);
    }
    pthread_mutex_unlock(&stage.lock);
    return NULL;
}

/* All signals are the main thread's. */
static bool start_thread(void)
{
    sigset_t all, before;
    bool started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&stage.thread, NULL, show_stage, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void tool_stage(const char *format, ...)
{
    va_list args;

    tool_stage_end();
    if (!isatty(STDERR_FILENO))
        return;
    va_start(args, format);
    vsnprintf(stage.what, sizeof stage.what, format, args);
    va_end(args);
    stage.ended = false;
    stage.begun = start_thread();
}

void tool_stage_reading(const char *path)
{
    tool_stage("reading %s", tool_file_name(path));
}

void tool_stage_end(void)
{
    if (!stage.begun)
        return;
    pthread_mutex_lock(&stage.lock);
    stage.ended = true;
    pthread_cond_signal(&stage.end);
    pthread_mutex_unlock(&stage.lock);
    pthread_join(stage.thread, NULL);
    stage.begun = false;
    remove_line();
}
