/* SPDX-License-Identifier: MIT */
#include "wpp/record/machine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Long enough for any path of a control group that occurs. */
enum { PATH = 4096 };

/* The beginning of a small file, as a string. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* The number in a file, or `most`: there is none, no file, or the word `max`. */
static uint64_t number_in(const char *path, uint64_t most)
{
    char text[64], *end;
    uint64_t number;

    if (!read_text(path, text, sizeof text))
        return most;
    number = strtoull(text, &end, 10);
    return end != text && number < most ? number : most;
}

/* The group's limit and those of the groups around it.  Shortens the path. */
static uint64_t limit_of_group(const char *root, char *group, const char *file, uint64_t most)
{
    char path[2 * PATH];

    for (;;) {
        char *slash = strrchr(group, '/');

        snprintf(path, sizeof path, "%s%s/%s", root, group, file);
        most = number_in(path, most);
        if (!slash)
            return most;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup is HIERARCHY:CONTROLLERS:/GROUP; version 2 has no controllers. */
static uint64_t limit_of_line(char *line, uint64_t most)
{
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!group)
        return most;
    *controllers++ = '\0';
    *group++ = '\0';
    if (strcmp(line, "0") == 0)
        return limit_of_group("/sys/fs/cgroup", group, "memory.max", most);
    if (strstr(controllers, "memory"))
        return limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", most);
    return most;
}

static uint64_t limit_of_groups(uint64_t most)
{
    char text[PATH], *rest = text, *line;

    if (!read_text("/proc/self/cgroup", text, sizeof text))
        return most;
    while ((line = strsep(&rest, "\n")))
        most = limit_of_line(line, most);
    return most;
}

static uint64_t own_limit(int resource, uint64_t most)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) == 0 && limit.rlim_cur < most ? limit.rlim_cur : most;
}

uint64_t wpp_machine_memory(void)
{
    uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    most = own_limit(RLIMIT_AS, most);
    most = own_limit(RLIMIT_DATA, most);
    return limit_of_groups(most);
}
