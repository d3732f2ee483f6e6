/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p3-run.c - `wpp-p3 run`: all copies on the same input.
 *
 * The folder of a run, within DIR:
 *
 *      1.sh        runs copy 1: the same here and under Slurm
 *      1.prof      its profile; those of other processes are in 1.prof.d
 *      1.out 1.err what it printed
 *      1.status    the exit status that its shell saw
 *      input       what all copies read
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gcc-plugin/partition/cli/p3.h"
#include "gcc-plugin/partition/cli/routines.h"
#include "gcc-plugin/partition/cli/tree-copy.h"
#include "wpp/cli/job-array.h"
#include "wpp/cli/tool.h"

struct run {
    const char *dir;           /* absolute, as all paths */
    const char *folder;        /* of this run */
    const char *source, *here; /* the working folder is `here` */
    const char *out;
    uint32_t jobs;
    enum job_place with;
    bool own_folders, keep, force;
    char **command;
    struct p3_plan *plan;
};

/* ---- The command of a copy -------------------------------------------------------------------------- */

/* The part of a path below the source folder; NULL: it is elsewhere. */
static const char *below(const struct run *r, const char *path)
{
    size_t n = strlen(r->source);

    return strncmp(path, r->source, n) == 0 && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

/* The copy's own program for a name as it would be typed in the source folder. */
static char *own_program(const struct run *r, const char *tree, const char *name)
{
    const char *absolute, *part;

    while (strncmp(name, "./", 2) == 0)
        name += 2;
    absolute = *name == '/' ? name : p3_text("%s/%s", r->here, name);
    part = below(r, absolute);

    /* From elsewhere, names are those of the source folder. */
    if (!part && *name != '/')
        part = p3_text("/%s", name);
    if (!part)
        tool_die(TOOL_ERROR, "%s is not in %s, the folder that was copied", name, r->source);
    return p3_text("%s%s", tree, part);
}

/* `{}` in an argument stands for the copy's folder.  Without any, the first word is the copy's. */
static void put_command(FILE *out, const struct run *r, const char *tree)
{
    bool braces = false;

    for (char **word = r->command; *word; word++)
        braces |= strstr(*word, "{}") != NULL;
    for (char **word = r->command; *word; word++) {
        char *text = *word, *at;

        fputc(' ', out);
        if (!braces && word == r->command)
            text = own_program(r, tree, text);
        while ((at = strstr(text, "{}")))
            text = p3_text("%.*s%s%s", (int)(at - text), text, tree, at + 2);
        job_put_word(out, text);
    }
}

static void write_script(const struct run *r, uint32_t copy)
{
    char *path = p3_text("%s/%u.sh", r->folder, copy), *tree = p3_tree(r->dir, r->plan->copies, copy);
    const char *part = below(r, r->here);
    FILE *out = fopen(path, "wex");

    if (!out)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
    fputs("#!/bin/sh\nto=", out);
    job_put_word(out, p3_text("%s/%u", r->folder, copy));
    fputs("\ncd ", out);
    job_put_word(out, r->own_folders ? p3_text("%s%s", tree, part ? part : "") : r->here);
    fputs(" || exit\n", out);
    job_put_word(out, p3_text("%s/wpp-record", p3_bin()));
    fputs(" -q -o \"$to.prof\" --", out);
    put_command(out, r, tree);
    fputs(" < ", out);
    job_put_word(out, p3_text("%s/input", r->folder));
    fputs(" > \"$to.out\" 2> \"$to.err\"\necho $? > \"$to.new\" && mv \"$to.new\" \"$to.status\"\n",
          out);
    if (fclose(out) != 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
}

/* Reads standard input once, for all copies; of a terminal nothing. */
static void keep_input(const struct run *r)
{
    char *path = p3_text("%s/input", r->folder), buffer[1 << 16];
    FILE *out = fopen(path, "wex");
    ssize_t n = 0;

    while (out && !isatty(0) && (n = read(0, buffer, sizeof buffer)) > 0)
        if (fwrite(buffer, 1, (size_t)n, out) != (size_t)n)
            break;
    if (n < 0 && errno == EBADF)
        n = 0;
    if (n < 0)
        tool_die(TOOL_ERROR, "cannot read standard input: %s", strerror(errno));
    if (!out || ferror(out) || fclose(out) != 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
}

/* ---- Running ------------------------------------------------------------------------------------------ */

static void run_copies(const struct run *r)
{
    int status = job_array_run(r->folder, "wpp-p3", r->plan->copies, r->with, r->jobs);

    for (uint32_t c = 1; r->with == JOB_SLURM && c <= r->plan->copies; c++)
        if (access(p3_text("%s/%u.status", r->folder, c), F_OK) == 0)
            return;
    if (r->with == JOB_SLURM)
        job_array_die("copy", status);
}

/* ---- What has become of them ----------------------------------------------------------------------------- */

static char *read_text(const char *path, size_t *size)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t room = 0, n = 0;

    while (in && !feof(in) && !ferror(in)) {
        room = room ? 2 * room : 4096;
        text = realloc(text, room + 1);
        if (!text)
            tool_die_of_memory();
        n += fread(text + n, 1, room - n, in);
    }
    if (in)
        fclose(in);
    if (text)
        text[n] = '\0';
    *size = n;
    return text;
}

/* The last line of what a copy said, for a message. */
static char *last_words(const struct run *r, uint32_t copy)
{
    size_t n;
    char *text = read_text(p3_text("%s/%u.err", r->folder, copy), &n), *line;

    while (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    if (n == 0)
        return "";
    line = strrchr(text, '\n');
    return p3_text(": %.200s", line ? line + 1 : text);
}

static int status_of(const struct run *r, uint32_t copy)
{
    size_t n;
    char *text = read_text(p3_text("%s/%u.status", r->folder, copy), &n);
    int status = text && n > 0 ? atoi(text) : -1;

    free(text);
    return status;
}

/* False: the copy has no profile, and that was said. */
static bool has_profile(const struct run *r, uint32_t copy, int status)
{
    if (access(p3_text("%s/%u.prof", r->folder, copy), R_OK) == 0)
        return true;
    if (status < 0)
        tool_warn("copy %u did not run to its end%s", copy, last_words(r, copy));
    else
        tool_warn("copy %u left no profile; its status is %d%s", copy, status,
                  last_words(r, copy));
    return false;
}

/* Says what a copy did otherwise than the first one. */
static bool agrees(const struct run *r, uint32_t copy, int status, int first)
{
    size_t n, m;
    char *a, *b;
    bool same;

    if (status != first && status > 128)
        tool_warn("copy %u was killed by signal %d; copy 1 ended with status %d", copy, status - 128,
                  first);
    else if (status != first)
        tool_warn("copy %u ended with status %d, copy 1 with %d%s", copy, status, first,
                  last_words(r, copy));
    if (status != first)
        return false;
    a = read_text(p3_text("%s/1.out", r->folder), &n);
    b = read_text(p3_text("%s/%u.out", r->folder, copy), &m);
    same = n == m && (n == 0 || memcmp(a, b, n) == 0);
    if (!same)
        tool_warn("copy %u printed something else than copy 1", copy);
    free(a);
    free(b);
    return same;
}

static void pass_on(const char *path, int fd)
{
    size_t n;
    char *text = read_text(path, &n);

    for (size_t done = 0; done < n;) {
        ssize_t some = write(fd, text + done, n - done);

        if (some < 0)
            break;
        done += (size_t)some;
    }
    free(text);
}

/* The profiles of all processes of all copies. */
static void find_profiles(const struct run *r, glob_t *found)
{
    char *pattern = p3_text("%s/*.prof", r->folder);
    int flags = GLOB_NOSORT;

    glob(pattern, 0, NULL, found);
    for (uint32_t c = 1; c <= r->plan->copies; c++)
        glob(p3_text("%s/%u.prof.d/*.wpp", r->folder, c), flags | GLOB_APPEND, NULL, found);
}

/* Returns the status to exit with. */
static int collect(const struct run *r)
{
    int first = status_of(r, 1), status = TOOL_OK;
    bool all = true;
    glob_t found = {0};

    pass_on(p3_text("%s/1.out", r->folder), 1);
    pass_on(p3_text("%s/1.err", r->folder), 2);
    for (uint32_t c = 1; c <= r->plan->copies; c++) {
        int its = status_of(r, c);

        if (!has_profile(r, c, its))
            all = false;
        else if (!agrees(r, c, its, first))
            status = TOOL_INCOMPLETE;
    }
    if (!all)
        tool_die(TOOL_ERROR, "there is no profile without all copies; see %s", r->folder);
    if (first > 128 && status == TOOL_OK) {
        tool_warn("all copies were killed by signal %d: what loops had counted in registers is lost",
                  first - 128);
        status = TOOL_INCOMPLETE;
    }
    find_profiles(r, &found);
    int union_status = p3_unite(r->plan, found.gl_pathv, (uint32_t)found.gl_pathc, r->out, r->force);
    globfree(&found);
    status = union_status != TOOL_OK ? union_status : status;
    return status == TOOL_OK ? first : status;
}

/* ---- The run ------------------------------------------------------------------------------------------------ */

static const char *read_source(const char *dir)
{
    size_t n;
    char *text = read_text(p3_text("%s/source", dir), &n);

    if (!text)
        tool_die(TOOL_ERROR, "%s holds no copies: `wpp-p3 build` makes them", dir);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void check_copies(const struct run *r)
{
    for (uint32_t c = 1; c <= r->plan->copies; c++)
        if (access(p3_tree(r->dir, r->plan->copies, c), X_OK) != 0)
            tool_die(TOOL_ERROR, "copy %u of %u is missing in %s", c, r->plan->copies, r->dir);
}

static void refuse_old_output(const struct run *r)
{
    if (!r->force && !wpp_output_is_standard(r->out) && access(r->out, F_OK) == 0)
        tool_die(TOOL_ERROR, "%s exists; -f replaces it", r->out);
}

static void begin_run(struct run *r, const char *dir)
{
    char *folder;

    if (access(dir, F_OK) != 0)
        tool_die(TOOL_ERROR, "there is no %s: `wpp-p3 build` makes copies", dir);
    r->dir = p3_real_path(dir);
    r->source = read_source(r->dir);
    r->here = p3_real_path(".");
    r->plan = p3_open_plan(p3_text("%s/plan", r->dir));
    check_copies(r);
    refuse_old_output(r);
    folder = p3_text("%s/run.XXXXXX", r->dir);
    if (!mkdtemp(folder))
        tool_die(TOOL_ERROR, "cannot make %s: %s", folder, strerror(errno));
    r->folder = folder;
    keep_input(r);
    for (uint32_t c = 1; c <= r->plan->copies; c++)
        write_script(r, c);
}

static const char *default_output(char *const *command)
{
    const char *slash = strrchr(command[0], '/');

    return p3_text("%s.prof", slash ? slash + 1 : command[0]);
}

static int run_all(struct run *r)
{
    struct wpp_error error;
    int status;

    run_copies(r);
    status = collect(r);
    if (r->keep)
        tool_warn("the copies' profiles and outputs are in %s", r->folder);
    else if (!tree_remove(r->folder, &error))
        tool_die_error(&error);
    p3_plan_free(r->plan);
    return status;
}

int p3_run_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"dir", required_argument, NULL, 'd'}, {"output", required_argument, NULL, 'o'},
        {"jobs", required_argument, NULL, 'j'}, {"with", required_argument, NULL, 'w'},
        {"own-folders", no_argument, NULL, 'O'}, {"keep", no_argument, NULL, 'K'},
        {"force", no_argument, NULL, 'f'}, TOOL_OPTIONS
    };
    struct run r = {.jobs = tool_processors()};
    const char *dir = "p3";
    int option;

    while ((option = tool_option(argc, argv, "+d:o:j:fhV", options)) != -1)
        switch (option) {
        case 'd': dir = optarg; break;
        case 'o': r.out = optarg; break;
        case 'j': r.jobs = tool_jobs_argument(optarg, P3_MAX_COPIES); break;
        case 'w': r.with = tool_choice_argument("--with", optarg, job_place_names); break;
        case 'O': r.own_folders = true; break;
        case 'K': r.keep = true; break;
        case 'f': r.force = true; break;
        case 'h': tool_help(p3_help);
        case 'V': tool_version();
        }
    if (optind == argc)
        tool_usage("run: no program given");
    r.command = argv + optind;
    if (!r.out)
        r.out = default_output(r.command);
    begin_run(&r, dir);
    return run_all(&r);
}
