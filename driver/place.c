/* SPDX-License-Identifier: MIT */
/* place.c - finds our own folder, the compiler, and the compiler's tools. */
#include "driver/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OURS "/proc/self/exe"
#define RUNS_US "WPP_RUNS_US"       /* an environment variable of ours */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

/* ---- Files in PATH -------------------------------------------------------------------- */

static bool is_same_file(const char *one, const char *other)
{
    struct stat a, b;

    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev
           && a.st_ino == b.st_ino;
}

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Looks for a program in the first folder of `*path`, and moves `*path` behind that folder.
 * NULL: not there. */
static char *look_in_folder(const char **path, const char *name)
{
    int length = (int)strcspn(*path, ":");
    char *file = length ? text("%.*s/%s", length, *path, name) : text("./%s", name);

    *path += length;
    if (file && is_program(file))
        return file;
    free(file);
    return NULL;
}

/* The first program with this name in PATH, or NULL. */
static char *find_in_path(const char *name)
{
    const char *path = variable("PATH");
    char *found = look_in_folder(&path, name);

    while (!found && *path++)
        found = look_in_folder(&path, name);
    return found;
}

/* ---- Our own -------------------------------------------------------------------------- */

/* Follows symbolic links to the file, but not links among its folders.  Takes ownership of
 * `path`. */
static char *follow_links(char *path)
{
    char target[PATH_MAX];
    ssize_t n;

    for (int links = 0; path && links < 40; links++) {
        char *link = path;

        n = readlink(link, target, sizeof target - 1);
        if (n < 0)
            break;
        target[n] = '\0';
        path = target[0] == '/' ? strdup(target)
                                : text("%.*s%s", (int)(base_name(link) - link), link, target);
        free(link);
    }
    return path;
}

static char *absolute(const char *path)
{
    char *here = path[0] == '/' ? NULL : get_current_dir_name(), *made;

    if (path[0] == '/')
        return strdup(path);
    made = here ? text("%s/%s", here, path) : NULL;
    free(here);
    return made;
}

/* Whether `path` is this program: its caller may give any name (exec -a). */
static bool is_running(const char *path)
{
    return access(OURS, F_OK) != 0 || is_same_file(path, OURS);
}

bool place_find(struct place *place, const char *called)
{
    char *found = strchr(called, '/') ? strdup(called) : find_in_path(called);

    place->name = base_name(called);
    place->runs_us = variable(RUNS_US);
    place->self = follow_links(found && is_running(found) ? found : realpath(OURS, NULL));
    found = place->self ? absolute(place->self) : NULL;
    if (!found)
        return false;
    place->lib = text("%.*s/../lib/wpp", (int)(base_name(found) - 1 - found), found);
    free(found);
    return place->lib != NULL;
}

/* ---- The compiler --------------------------------------------------------------------- */

/* The name of the compiler that we replace: gcc for wpp-gcc. */
static const char *name_without_wpp(const struct place *place)
{
    return strncmp(place->name, "wpp-", 4) == 0 ? place->name + 4 : place->name;
}

static bool is_ours(const struct place *place, const char *file)
{
    return is_same_file(file, place->self) || is_same_file(file, place->runs_us);
}

/* The compiler to run for `name`.  If `name` leads to us or to the program that ran us, it is
 * the next program of that name in PATH, if possible behind all of these.  NULL: there is none. */
static const char *name_behind_us(const struct place *place, const char *name)
{
    const char *path = variable("PATH"), *behind = NULL, *first = NULL;
    bool met = strchr(name, '/') && is_same_file(name, place->self);

    for (bool more = !strchr(name, '/'); more; more = *path++) {
        const char *file = look_in_folder(&path, name);
        bool ours = file && is_ours(place, file);

        met |= ours;
        behind = ours ? NULL : behind ? behind : file;
        first = ours || first ? first : file;
    }
    if (!met)
        return name;
    behind = behind ? behind : first;
    if (behind)
        setenv(RUNS_US, behind, 1);
    return behind;
}

bool place_compiler(const struct place *place, struct words *compiler)
{
    struct words wanted = {0};

    words_add_split(&wanted, variable(strstr(place->name, "++") ? "WPP_CXX" : "WPP_CC"));
    if (wanted.n == 0)
        words_add(&wanted, name_without_wpp(place));
    for (size_t i = 0; i < wanted.n; i++)
        words_add(compiler, name_behind_us(place, wanted.word[i]));
    return !compiler->failed && !wanted.failed;
}

/* ---- Its tools ------------------------------------------------------------------------ */

/* The end of `gcc` or `g++` in a name, if it is a separate part: in x86_64-linux-gnu-gcc-12, but
 * not in gccgo; or NULL. */
static const char *behind_gcc(const char *name)
{
    for (const char *at = name; *at; at++) {
        bool begins = at == name || at[-1] == '-';

        if (begins && (strncmp(at, "gcc", 3) == 0 || strncmp(at, "g++", 3) == 0)
            && (at[3] == '\0' || at[3] == '-'))
            return at + 3;
    }
    return NULL;
}

/* For example gcc-ar-12 for gcc-12, in the same folder. */
static char *tool_beside(const char *compiler, const char *tool)
{
    const char *end = behind_gcc(base_name(compiler));

    return end ? text("%.*sgcc-%s%s", (int)(end - 3 - compiler), compiler, tool, end) : NULL;
}

/* The same for a symbolic link to a compiler, like cc. */
static char *tool_behind_links(const char *compiler, const char *tool)
{
    char *found = strchr(compiler, '/') ? strdup(compiler) : find_in_path(compiler);
    char *target = found ? realpath(found, NULL) : NULL;

    free(found);
    found = target ? tool_beside(target, tool) : NULL;
    free(target);
    return found;
}

const char *place_tool(const struct place *place)
{
    static const char *const tools[] = {"ar", "nm", "ranlib"};
    const char *end = behind_gcc(place->name);

    for (size_t i = 0; end && *end && i < sizeof tools / sizeof tools[0]; i++) {
        size_t length = strlen(tools[i]);

        if (strncmp(end + 1, tools[i], length) == 0
            && (end[1 + length] == '\0' || end[1 + length] == '-'))
            return tools[i];
    }
    return NULL;
}

const char *place_compilers_tool(const struct place *place, const char *tool)
{
    const char *wanted = variable("WPP_CC");
    struct words compiler = {0};
    const char *found = NULL;

    words_add_split(&compiler, *wanted ? wanted : variable("WPP_CXX"));
    if (compiler.n == 0)
        return name_behind_us(place, name_without_wpp(place));
    /* The other words are a wrapper that calls the compiler, or options. */
    for (size_t i = 0; i < compiler.n && !found; i++)
        found = tool_beside(compiler.word[i], tool);
    for (size_t i = 0; i < compiler.n && !found; i++)
        found = tool_behind_links(compiler.word[i], tool);
    return found;
}
