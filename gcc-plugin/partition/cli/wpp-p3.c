/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpp-p3 - a path profile that several copies of a program share out (docs/p3.md). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gcc-plugin/partition/cli/p3.h"
#include "gcc-plugin/partition/plan-file.h"
#include "wpp/cli/tool.h"

const char p3_help[] =
    "Usage: wpp-p3 build -k N [-o DIR] [OPTION]... [--] COMMAND...\n"
    "       wpp-p3 run [-d DIR] [-o OUT] [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "       wpp-p3 merge [-d DIR] -o OUT FILE...\n"
    "       wpp-p3 plan -k N -o PLAN FILE\n"
    "\n"
    "Shares out a path profile among copies of a program: each counts some of the paths, all run\n"
    "on the same input, and together they give the exact profile.\n"
    "\n"
    "build: copies the source folder, and runs COMMAND in each copy\n"
    "  -k, --copies=N         how many copies: 1 to 64\n"
    "  -o, --output=DIR       where they are put (p3)\n"
    "  -s, --source=FOLDER    the folder to copy, which holds the working folder (.)\n"
    "      --profile=FILE     share out by the counts of this profile or WPP\n"
    "      --plan=PLAN        share out as this plan says\n"
    "      --method=whole|paper|split\n"
    "                         give copies whole routines (default), parts as in the paper, or parts\n"
    "                         where that lowers the largest load (default if counts are given)\n"
    "  -f, --force            make the copies in DIR anew\n"
    "run: runs the copies on the same input\n"
    "  -d, --dir=DIR          the folder of the copies (p3)\n"
    "  -o, --output=OUT       the profile (PROGRAM.prof)\n"
    "  -j, --jobs=N           run N copies at the same time (as many as processors)\n"
    "      --with=slurm       run them as a job array under Slurm\n"
    "      --own-folders      run each in its copy of the working folder\n"
    "      --keep             keep the folder with the profiles and outputs of the copies\n"
    "  -f, --force            replace OUT if it exists\n"
    "merge: unites the profiles of all copies, which run does itself\n"
    "      --plan=PLAN        instead of the plan in DIR\n"
    "plan: makes a plan of a program, a profile or a WPP\n"
    "\n"
    "  -h, --help             this text\n"
    "  -V, --version          the version\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 the copies do not agree or one was killed: the profile\n"
    "is not exact.  The status of run is PROGRAM's, if that is the same in all copies.\n";

char *p3_text(const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        tool_die_of_memory();
    va_end(args);
    return text;
}

const char *p3_bin(void)
{
    static char *folder;

    if (!folder) {
        folder = p3_real_path("/proc/self/exe");
        *strrchr(folder, '/') = '\0';
    }
    return folder;
}

char *p3_real_path(const char *path)
{
    char *real = realpath(path, NULL);

    if (!real)
        tool_die(TOOL_ERROR, "cannot find %s: %s", path, strerror(errno));
    return real;
}

char *p3_tree(const char *dir, uint32_t copies, uint32_t copy)
{
    return p3_text("%s/%0*u", dir, copies < 10 ? 1 : 2, copy);
}

struct p3_plan *p3_open_plan(const char *path)
{
    char why[512];
    struct p3_plan *plan = p3_read_plan(path, why, sizeof why);

    if (!plan)
        tool_die(TOOL_ERROR, "%s", why);
    return plan;
}

void p3_write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wex");

    if (!out || fputs(text, out) < 0 || fclose(out) != 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*command)(int argc, char **argv); } commands[] = {
        {"build", p3_build_command}, {"run", p3_run_command}, {"merge", p3_merge_command},
        {"plan", p3_plan_command}
    };
    const char *name = argc > 1 ? argv[1] : "";

    tool_init("wpp-p3");
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        tool_help(p3_help);
    if (strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0)
        tool_version();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0)
            return tool_finish(commands[i].command(argc - 1, argv + 1));
    if (!*name)
        tool_usage("no command given: build, run, merge or plan");
    tool_usage("`%s` is no command: build, run, merge or plan", name);
}
