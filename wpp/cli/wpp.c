/* SPDX-License-Identifier: MIT */
/* wpp - `wpp SUB arguments` runs wpp-SUB from the directory where wpp itself is. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/similar.h"
#include "wpp/cli/tool.h"

/* `DIR/wpp-` for the directory of this executable, behind symbolic links. */
static char *own_prefix(void)
{
    char *self = realpath("/proc/self/exe", NULL), *prefix;
    char *slash = self ? strrchr(self, '/') : NULL;

    if (!slash)
        tool_die(TOOL_ERROR, "cannot find my own directory: %s", strerror(errno));
    if (asprintf(&prefix, "%.*s/wpp-", (int)(slash - self), self) < 0)
        tool_die(TOOL_ERROR, "out of memory");
    free(self);
    return prefix;
}

static int is_command(const struct dirent *entry)
{
    return strncmp(entry->d_name, "wpp-", 4) == 0;
}

/* Lists the commands beside this one; returns their number, 0 if unknown.  The caller frees each
 * and all. */
static int list_commands(const char *prefix, struct dirent ***entries)
{
    char *directory = strndup(prefix, strlen(prefix) - strlen("/wpp-"));
    int n = directory ? scandir(directory, entries, is_command, alphasort) : 0;

    free(directory);
    return n > 0 ? n : 0;
}

_Noreturn static void refuse_command(const char *prefix, const char *command)
{
    struct similar s = {.asked = command};
    struct dirent **entries = NULL;
    int n = list_commands(prefix, &entries);

    for (int i = 0; i < n; i++)
        similar_offer(&s, entries[i]->d_name + strlen("wpp-"));
    if (s.best)
        tool_usage("`%s` is no command; did you mean `%s`?", command, s.best);
    tool_usage("`%s` is no command", command);
}

_Noreturn static void show_help(const char *prefix)
{
    struct dirent **entries = NULL;
    int n = list_commands(prefix, &entries);

    printf("Usage: wpp COMMAND [ARGUMENT]...\n"
           "       wpp help [COMMAND]\n\n"
           "Records, compresses and explains whole program paths. The same as wpp-COMMAND.\n\n"
           "Commands:");
    for (int i = 0; i < n; i++) {
        printf(" %s", entries[i]->d_name + 4);
        free(entries[i]);
    }
    free(entries);
    puts("\n\n`wpp help COMMAND` or `wpp COMMAND --help` explains a command.\n"
         "`wpp --version` prints the version.");
    exit(tool_finish(TOOL_OK));
}

/* argv[0] is `wpp`, argv[1] the command's name. */
_Noreturn static void run(const char *prefix, char **argv)
{
    const char *command = argv[1];
    char *path;

    if (command[0] == '-' || strchr(command, '/'))
        tool_usage("`%s` is no command", command);
    if (asprintf(&path, "%s%s", prefix, command) < 0)
        tool_die(TOOL_ERROR, "out of memory");
    argv[1] = path;
    execv(path, argv + 1);
    if (errno == ENOENT)
        refuse_command(prefix, command);
    tool_die(TOOL_ERROR, "cannot run %s: %s", path, strerror(errno));
}

/* `wpp help`, `wpp help COMMAND`; `wpp help help` is the same as the first. */
_Noreturn static void help(const char *prefix, int argc, char **argv)
{
    char *asking[] = { argv[0], argv[2], "--help", NULL };

    if (argc > 3)
        tool_usage("help is about one command at a time");
    if (argc < 3 || strcmp(argv[2], "help") == 0 || strcmp(argv[2], "--help") == 0
        || strcmp(argv[2], "-h") == 0)
        show_help(prefix);
    run(prefix, asking);
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    char *prefix;

    tool_init("wpp");
    prefix = own_prefix();
    if (strcmp(command, "-V") == 0 || strcmp(command, "--version") == 0)
        tool_version();
    if (strcmp(command, "-h") == 0 || strcmp(command, "--help") == 0)
        show_help(prefix);
    if (strcmp(command, "help") == 0)
        help(prefix, argc, argv);
    if (argc < 2)
        tool_usage("no command given");
    run(prefix, argv);
}
