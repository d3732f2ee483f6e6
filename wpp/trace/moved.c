/* SPDX-License-Identifier: MIT */
#include "wpp/trace/moved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's suffix for the path of a mapped file that was removed or replaced. */
static const char deleted[] = " (deleted)";

enum wpp_moved_result wpp_moved_add(struct wpp_moved *m, const char *rule)
{
    const char *equals = strchr(rule, '=');
    struct wpp_move *larger;
    char *from, *to;

    if (!equals || equals == rule || equals[1] == '\0')
        return WPP_MOVED_WRONG;
    larger = realloc(m->list, (m->n + 1) * sizeof *larger);
    if (!larger)
        return WPP_MOVED_NO_MEMORY;
    m->list = larger;
    from = strndup(rule, (size_t)(equals - rule));
    to = strdup(equals + 1);
    if (!from || !to) {
        free(from);
        free(to);
        return WPP_MOVED_NO_MEMORY;
    }
    m->list[m->n++] = (struct wpp_move){from, to};
    return WPP_MOVED_OK;
}

void wpp_moved_free(struct wpp_moved *m)
{
    for (unsigned i = 0; i < m->n; i++) {
        free((char *)m->list[i].from);
        free((char *)m->list[i].to);
    }
    free(m->list);
    *m = (struct wpp_moved){0};
}

static size_t without_slashes(const char *path)
{
    size_t n = strlen(path);

    while (n > 0 && path[n - 1] == '/')
        n--;
    return n;
}

/* The rest of the path behind the rule's folder: "" or a string that begins with a slash.  NULL:
 * the path is not in that folder. */
static const char *rest_of(const struct wpp_move *move, const char *path)
{
    size_t n = without_slashes(move->from);

    if (strncmp(path, move->from, n) != 0 || (path[n] != '\0' && path[n] != '/'))
        return NULL;
    return path + n;
}

/* Sets *out to place *i of the path, or lowers *i by the number of places; then *out stays NULL. */
static bool place_of(const struct wpp_moved *m, const char *path, unsigned *i, char **out)
{
    for (unsigned k = m ? m->n : 0; k-- > 0;) {
        const char *rest = rest_of(&m->list[k], path);

        if (rest && (*i)-- == 0)
            return asprintf(out, "%.*s%s", (int)without_slashes(m->list[k].to), m->list[k].to,
                            rest) >= 0;
    }
    return (*i)-- > 0 || (*out = strdup(path));
}

bool wpp_moved_place(const struct wpp_moved *m, const char *path, unsigned i, char **out)
{
    size_t n = strlen(path), tail = sizeof deleted - 1;
    char *before;
    bool done;

    *out = NULL;
    if (!place_of(m, path, &i, out) || *out)
        return *out;
    if (n <= tail || strcmp(path + n - tail, deleted) != 0)
        return true;
    before = strndup(path, n - tail);
    done = before && place_of(m, before, &i, out);
    free(before);
    return done;
}
