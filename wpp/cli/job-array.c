/* SPDX-License-Identifier: MIT */
#include "wpp/cli/job-array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpp/cli/tool.h"

const char *const job_place_names[] = {"processors", "slurm", NULL};

void job_put_word(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text_of(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        tool_die_of_memory();
    va_end(args);
    return text;
}

static pid_t start(char *const *argv)
{
    pid_t child = fork();

    if (child == 0) {
        execvp(argv[0], argv);
        fprintf(stderr, "%s: cannot run %s: %s\n", tool_name(), argv[0], strerror(errno));
        _exit(127);
    }
    if (child < 0)
        tool_die(TOOL_ERROR, "cannot start %s: %s", argv[0], strerror(errno));
    return child;
}

static void wait_for_one(void)
{
    int status;

    while (wait(&status) < 0)
        if (errno != EINTR)
            tool_die(TOOL_ERROR, "cannot wait for processes: %s", strerror(errno));
}

static void run_here(const char *folder, uint32_t n, uint32_t jobs)
{
    uint32_t running = 0;

    for (uint32_t k = 1; k <= n; k++) {
        char *script = text_of("%s/%u.sh", folder, k), *argv[] = {"sh", script, NULL};

        if (running == jobs) {
            wait_for_one();
            running--;
        }
        start(argv);
        running++;
        free(script);
    }
    for (; running > 0; running--)
        wait_for_one();
}

static void write_array(const char *script)
{
    FILE *out = fopen(script, "we");

    if (out)
        fputs("#!/bin/sh\nexec sh \"$SLURM_ARRAY_TASK_ID.sh\"\n", out);
    if (!out || fclose(out) != 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", script, strerror(errno));
}

static int run_under_slurm(const char *folder, const char *name, uint32_t n)
{
    char *script = text_of("%s/array.sh", folder);
    char *array = text_of("--array=1-%u", n), *job = text_of("--job-name=%s", name);
    char *output = text_of("--output=%s/slurm.%%a", folder), *chdir_to = text_of("--chdir=%s", folder);
    char *argv[] = {"sbatch", "--quiet", "--wait", array, job, "--ntasks=1", output, chdir_to, script, NULL};
    int status;
    pid_t child;

    write_array(script);
    child = start(argv);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            tool_die(TOOL_ERROR, "cannot wait for sbatch: %s", strerror(errno));
    free(script);
    free(array);
    free(job);
    free(output);
    free(chdir_to);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        tool_die(TOOL_ERROR, "sbatch is not there: --with=slurm needs Slurm");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int job_array_run(const char *folder, const char *name, uint32_t n, enum job_place place, uint32_t jobs)
{
    if (place == JOB_SLURM)
        return run_under_slurm(folder, name, n);
    run_here(folder, n, jobs);
    return 0;
}

void job_array_die(const char *what, int status)
{
    tool_die(TOOL_ERROR, "Slurm has run no %s; sbatch ended with status %d", what, status);
}
