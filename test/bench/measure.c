/* SPDX-License-Identifier: MIT */
/* measure OUT COMMAND...: runs COMMAND and appends one line to OUT:
 *
 *     user_seconds system_seconds wall_seconds max_resident_kilobytes
 *
 * of the command and the descendants it waited for.  Ends with the command's
 * exit status; a command that a signal ended has 128 plus its number. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    double begin, wall;
    int status;
    pid_t child;
    FILE *out;

    if (argc < 3) {
        fputs("usage: measure OUT COMMAND...\n", stderr);
        return 2;
    }
    begin = now();
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("measure");
        return 1;
    }
    wall = now() - begin;
    out = fopen(argv[1], "a");
    if (!out || fprintf(out, "%.6f %.6f %.6f %ld\n", seconds(usage.ru_utime),
                        seconds(usage.ru_stime), wall, usage.ru_maxrss) < 0 || fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
