/* SPDX-License-Identifier: MIT */
/* own-code.c - finds the source lines that are the user's own; see own-code.h. */
#include "hotpaths/report/own-code.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* Appends the parts of `name` to the path of *n bytes, which begins with `/` or is empty.  Drops
 * `.`; each `..` removes the part before it.  False: no room. */
static bool append(char path[static PATH_MAX], size_t *n, const char *name)
{
    while (*name) {
        size_t length = strcspn(name, "/");

        if (length == 2 && memcmp(name, "..", 2) == 0) {
            while (*n > 0 && path[--*n] != '/')
                ;
        } else if (length > 0 && !(length == 1 && *name == '.')) {
            if (*n + length + 2 > PATH_MAX)
                return false;
            path[(*n)++] = '/';
            memcpy(path + *n, name, length);
            *n += length;
        }
        name += length + (name[length] == '/');
    }
    path[*n] = '\0';
    return true;
}

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

bool own_code_is_system_file(const char *directory, const char *file)
{
    static const char *const folders[] = { "/usr/include", "/usr/local/include", "/usr/lib/gcc" };
    char path[PATH_MAX] = "";
    size_t n = 0;

    /* A name that is too long is no header's. */
    if ((file[0] != '/' && !append(path, &n, directory)) || !append(path, &n, file))
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (is_below(path, folders[i]))
            return true;
    return strstr(path, "/lib/gcc/") || strstr(path, "/lib64/gcc/")
        || strstr(path, "/include/c++/");
}

bool own_code_fold(const struct wpp_routine *routine, struct wpp_line *line)
{
    struct wpp_line at = *line;

    while (at.line == 0 || own_code_is_system_file(routine->directory, at.file)) {
        const struct wpp_inlined *call;

        if (!at.inlined)
            return false;
        call = &routine->inlined[at.inlined - 1];
        assert(call->caller < at.inlined);      /* so this ends */
        at = (struct wpp_line){ call->file, call->line, call->caller };
    }
    *line = at;
    return true;
}
