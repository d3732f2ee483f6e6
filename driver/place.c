/* SPDX-License-Identifier: MIT */
/* place.c - finds our own folder, the compiler, and the compiler's tools. */
#include "driver/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The first program of that name in PATH that is not the file `other` (unless NULL), or NULL. */
static char *find_in_path(const char *name, const char *other)
{
    const char *folder = variable("PATH");

    for (;; folder++) {
        int length = (int)strcspn(folder, ":");
        char *path = length ? text("%.*s/%s", length, folder, name) : text("./%s", name);

        if (!path || (is_program(path) && !(other && is_same_file(path, other))))
            return path;
        free(path);
        folder += length;
        if (!*folder)
            return NULL;
    }
}

/* ---- Our own -------------------------------------------------------------------------- */

/* Follows symbolic links to the file, not those among its folders.  Takes `path`. */
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

bool place_find(struct place *place, const char *called)
{
    char *found = strchr(called, '/') ? strdup(called) : find_in_path(called, NULL);

    place->name = base_name(called);
    place->self = follow_links(found ? found : realpath("/proc/self/exe", NULL));
    found = place->self ? absolute(place->self) : NULL;
    if (!found)
        return false;
    place->lib = text("%.*s/../lib/wpp", (int)(base_name(found) - 1 - found), found);
    free(found);
    return place->lib != NULL;
}

/* ---- The compiler --------------------------------------------------------------------- */

/* What we stand for: gcc for wpp-gcc. */
static const char *name_without_wpp(const struct place *place)
{
    return strncmp(place->name, "wpp-", 4) == 0 ? place->name + 4 : place->name;
}

bool place_compiler(const struct place *place, struct words *compiler)
{
    const char *name = name_without_wpp(place), *wanted;

    wanted = variable(strstr(place->name, "++") ? "WPP_CXX" : "WPP_CC");
    words_add_split(compiler, wanted);
    if (compiler->n == 0) {
        char *first = find_in_path(name, NULL);

        words_add(compiler, first && is_same_file(first, place->self)
                                ? find_in_path(name, place->self) : name);
    }
    return !compiler->failed;
}

/* ---- Its tools ------------------------------------------------------------------------ */

/* The end of `gcc` or `g++` in a name, where a part of it: in x86_64-linux-gnu-gcc-12, not in
 * gccgo; or NULL. */
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

/* gcc-ar-12 for gcc-12, in the same folder. */
static char *tool_beside(const char *compiler, const char *tool)
{
    const char *end = behind_gcc(base_name(compiler));

    return end ? text("%.*sgcc-%s%s", (int)(end - 3 - compiler), compiler, tool, end) : NULL;
}

/* The same for a link to a compiler, like cc. */
static char *tool_behind_links(const char *compiler, const char *tool)
{
    char *found = strchr(compiler, '/') ? strdup(compiler) : find_in_path(compiler, NULL);
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

char *place_compilers_tool(const struct place *place, const char *tool)
{
    const char *wanted = variable("WPP_CC");
    struct words compiler = {0};
    char *found = NULL;

    words_add_split(&compiler, *wanted ? wanted : variable("WPP_CXX"));
    if (compiler.n == 0)
        return find_in_path(name_without_wpp(place), place->self);
    /* Other words are what calls the compiler, or its options. */
    for (size_t i = 0; i < compiler.n && !found; i++)
        found = tool_beside(compiler.word[i], tool);
    for (size_t i = 0; i < compiler.n && !found; i++)
        found = tool_behind_links(compiler.word[i], tool);
    return found;
}
