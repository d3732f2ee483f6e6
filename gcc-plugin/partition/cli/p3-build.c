/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p3-build.c - `wpp-p3 build`: copies of a source folder, each built for one copy of the plan. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gcc-plugin/partition/cli/p3.h"
#include "gcc-plugin/partition/cli/routines.h"
#include "gcc-plugin/partition/cli/tree-copy.h"
#include "gcc-plugin/partition/plan-file.h"
#include "wpp/cli/tool.h"

struct build {
    const char *dir;           /* all paths are absolute */
    const char *source;
    const char *here;          /* the working folder within the source: "" or "/sub/folder" */
    const char *profile, *plan_file;     /* as given, or NULL */
    struct p3_wishes wishes;
    bool force;
    char **command;
};

/* ---- One build --------------------------------------------------------------------------------- */

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        tool_die_of_memory();
}

/* In the child.  The plugin's arguments of the user stand behind ours. */
_Noreturn static void become_command(const struct build *b, const char *tree, const char *args,
                                     const char *log)
{
    const char *path = getenv("PATH"), *more = getenv("WPP_PLUGIN_ARGS");
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int in = open("/dev/null", O_RDONLY);

    set("WPP_PLUGIN_ARGS", more && *more ? p3_text("%s %s", args, more) : args);
    set("WPP_PREFIX_MAP", p3_text("%s=%s", tree, b->source));
    set("PATH", p3_text("%s/bin:%s:%s", b->dir, p3_bin(), path ? path : "/usr/bin:/bin"));
    if (out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", log, strerror(errno));
    if (chdir(p3_text("%s%s", tree, b->here)) != 0) {
        fprintf(stderr, "cannot enter %s%s: %s\n", tree, b->here, strerror(errno));
        _exit(126);
    }
    set("PWD", p3_text("%s%s", tree, b->here));
    execvp(b->command[0], b->command);
    fprintf(stderr, "cannot run %s: %s\n", b->command[0], strerror(errno));
    _exit(127);
}

/* Makes a copy of the source folder and runs the command in it; 0 is the one that counts all. */
static char *build_copy(const struct build *b, uint32_t copies, uint32_t copy, const char *args)
{
    char *tree = p3_tree(b->dir, copies, copy), *log = p3_text("%s.log", tree);
    struct wpp_error error;
    int status;
    pid_t child;

    if (!tree_copy(b->source, tree, b->dir, &error))
        tool_die_error(&error);
    child = fork();
    if (child == 0)
        become_command(b, tree, args, log);
    if (child < 0 || waitpid(child, &status, 0) != child)
        tool_die(TOOL_ERROR, "cannot start %s: %s", b->command[0], strerror(errno));
    if (WIFSIGNALED(status))
        tool_die(TOOL_ERROR, "%s was killed by signal %d in %s%s; see %s", b->command[0],
                 WTERMSIG(status), tree, b->here, log);
    if (WEXITSTATUS(status) != 0)
        tool_die(TOOL_ERROR, "%s failed with status %d in %s%s; see %s", b->command[0],
                 WEXITSTATUS(status), tree, b->here, log);
    return tree;
}

static struct routine_list tables_of(const char *tree)
{
    struct routine_list list = {0};
    struct wpp_error error;

    if (!routine_list_add_folder(&list, tree, &error))
        tool_die_error(&error);
    if (list.n == 0)
        tool_die(TOOL_ERROR, "the command made no program with wpp-gcc in %s: is all built already "
                 "(make clean), or does it call a compiler that is not called gcc, cc, g++ or c++?",
                 tree);
    return list;
}

/* ---- The plan ----------------------------------------------------------------------------------- */

/* The user's own arguments may choose another mode, for all builds. */
static struct p3_plan *plan_of_whole_build(const struct build *b)
{
    char *tree = build_copy(b, b->wishes.copies, 0, "mode=paths");
    struct routine_list list = tables_of(tree);
    struct p3_plan *plan;

    if (list.mixed || list.part.copy > 0
        || (list.kind != WPP_PROFILE_PATHS && list.kind != WPP_PROFILE_CUT_PATHS))
        tool_die(TOOL_ERROR, "not all programs in %s count paths: was a part of them built before "
                 "(make clean), or with another mode=?", tree);
    plan = p3_plan_for(&list, false, b->wishes);
    routine_list_free(&list);
    return plan;
}

static struct p3_plan *make_plan(const struct build *b)
{
    struct routine_list list = {0};
    struct p3_plan *plan;

    if (b->plan_file)
        return p3_open_plan(b->plan_file);
    if (!b->profile)
        return plan_of_whole_build(b);
    if (!p3_add_file(&list, b->profile))
        tool_die(TOOL_ERROR, "%s is a program: --profile wants a profile or WPP", b->profile);
    plan = p3_plan_for(&list, true, b->wishes);
    routine_list_free(&list);
    return plan;
}

/* ---- All copies ---------------------------------------------------------------------------------- */

static void check_copy(const struct p3_plan *plan, uint32_t copy, const char *tree,
                       const struct routine_list *list)
{
    const struct wpp_part_of_profile *part = &list->part;

    if (list->mixed || part->copy != copy || part->plan != plan->id)
        tool_die(TOOL_ERROR, "not all programs in %s are built for this copy: was a part of them "
                 "built before (make clean)?", tree);
}

/* Routines that the plan does not know are counted too, but the load is not as planned. */
static void say_unknown(const struct p3_plan *plan, const struct routine_list *list)
{
    uint32_t unknown = 0;

    for (uint32_t i = 0; i < list->n; i++) {
        const struct p3_routine *r = &list->routine[i];

        unknown += !p3_find(plan, r->file, r->name, p3_hash(r->graph));
    }
    if (unknown == list->n)
        tool_die(TOOL_ERROR, "the plan is of another program, or of other options: it has none of "
                 "the %s routines", tool_grouped(list->n));
    if (unknown > 0 && !plan->measured)
        tool_warn("%s of %s routines are not in the plan, or were others: copy 1 counts them whole",
                  tool_grouped(unknown), tool_grouped(list->n));
    else if (unknown > 0)
        tool_warn("%s of %s routines were not executed in the plan's profile, or were others: copy "
                  "1 counts them whole", tool_grouped(unknown), tool_grouped(list->n));
}

static void build_all(const struct build *b)
{
    struct p3_plan *plan = make_plan(b), *read;
    char *file = p3_text("%s/plan", b->dir);

    p3_save_plan(plan, file, false);
    p3_plan_free(plan);
    read = p3_open_plan(file);
    p3_say_plan(read);
    for (uint32_t c = 1; c <= read->copies; c++) {
        char *tree = build_copy(b, read->copies, c, p3_text("plan=%s,%u", file, c));
        struct routine_list list = tables_of(tree);

        check_copy(read, c, tree, &list);
        if (c == 1)
            say_unknown(read, &list);
        routine_list_free(&list);
    }
    p3_plan_free(read);
}

/* ---- Folders ----------------------------------------------------------------------------------- */

/* Removes what an earlier build has made, and nothing else. */
static void remove_old(const struct build *b)
{
    struct wpp_error error;
    bool ok = tree_remove(p3_text("%s/bin", b->dir), &error)
           && tree_remove(p3_text("%s/plan", b->dir), &error);

    for (uint32_t c = 0; ok && c <= P3_MAX_COPIES; c++)
        for (uint32_t most = 1; ok && most <= 10; most += 9)     /* names of one digit, and of two */
            ok = tree_remove(p3_tree(b->dir, most, c), &error)
              && tree_remove(p3_text("%s.log", p3_tree(b->dir, most, c)), &error);
    if (!ok || !tree_remove(p3_text("%s/source", b->dir), &error))
        tool_die_error(&error);
}

static void link_compilers(const struct build *b)
{
    static const char *const names[] = {"gcc", "cc", "g++", "c++", "gcc-ar", "gcc-nm", "gcc-ranlib"};

    if (mkdir(p3_text("%s/bin", b->dir), 0777) != 0)
        tool_die(TOOL_ERROR, "cannot make %s/bin: %s", b->dir, strerror(errno));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (symlink(p3_text("%s/wpp-gcc", p3_bin()), p3_text("%s/bin/%s", b->dir, names[i])) != 0)
            tool_die(TOOL_ERROR, "cannot make %s/bin/%s: %s", b->dir, names[i], strerror(errno));
}

static void make_folder(struct build *b, const char *dir)
{
    bool is_new = mkdir(dir, 0777) == 0, is_ours;

    if (!is_new && errno != EEXIST)
        tool_die(TOOL_ERROR, "cannot make %s: %s", dir, strerror(errno));
    b->dir = p3_real_path(dir);
    is_ours = access(p3_text("%s/source", b->dir), F_OK) == 0;
    if (!is_new && is_ours && !b->force)
        tool_die(TOOL_ERROR, "%s holds copies already; -f makes them anew", dir);
    if (!is_new && !is_ours && rmdir(b->dir) != 0)
        tool_die(TOOL_ERROR, "%s exists, and wpp-p3 has not made it; choose another folder with -o",
                 dir);
    if (!is_new && !is_ours && mkdir(b->dir, 0777) != 0)
        tool_die(TOOL_ERROR, "cannot make %s: %s", dir, strerror(errno));
    if (strpbrk(b->dir, " \t\n,=:"))
        tool_die(TOOL_ERROR, "%s: the copies' folder may have no blank, comma, colon or `=` in its "
                 "name", b->dir);
    remove_old(b);
    p3_write_file(p3_text("%s/source", b->dir), p3_text("%s\n", b->source));
    link_compilers(b);
}

/* Where the command is to run within the copies. */
static void find_source(struct build *b, const char *source)
{
    char *here = p3_real_path(".");
    size_t n;

    b->source = p3_real_path(source);
    n = strlen(b->source);
    if (strncmp(here, b->source, n) != 0 || (here[n] && here[n] != '/'))
        tool_die(TOOL_ERROR, "the working folder is not in %s: the command is to run in its copy",
                 b->source);
    b->here = here + n;
}

int p3_build_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"copies", required_argument, NULL, 'k'}, {"output", required_argument, NULL, 'o'},
        {"source", required_argument, NULL, 's'}, {"profile", required_argument, NULL, 'p'},
        {"plan", required_argument, NULL, 'P'}, {"method", required_argument, NULL, 'm'},
        {"force", no_argument, NULL, 'f'}, TOOL_OPTIONS
    };
    struct build b = {.wishes = {.method = -1}};
    const char *dir = "p3", *source = ".";
    int option;

    while ((option = tool_option(argc, argv, "+k:o:s:fhV", options)) != -1)
        switch (option) {
        case 'k': b.wishes.copies = p3_copies_argument(optarg); break;
        case 'o': dir = optarg; break;
        case 's': source = optarg; break;
        case 'p': b.profile = optarg; break;
        case 'P': b.plan_file = optarg; break;
        case 'm': b.wishes.method = p3_method_argument(optarg); break;
        case 'f': b.force = true; break;
        case 'h': tool_help(p3_help);
        case 'V': tool_version();
        }
    if (b.plan_file && (b.wishes.copies || b.profile || b.wishes.method >= 0))
        tool_usage("build: --plan already says what -k, --method and --profile are about");
    if (!b.plan_file && !b.wishes.copies)
        tool_usage("build: -k says how many copies");
    if (optind == argc)
        tool_usage("build: no command given");
    b.command = argv + optind;
    b.profile = b.profile ? p3_real_path(b.profile) : NULL;
    b.plan_file = b.plan_file ? p3_real_path(b.plan_file) : NULL;
    find_source(&b, source);
    make_folder(&b, dir);
    build_all(&b);
    return TOOL_OK;
}
