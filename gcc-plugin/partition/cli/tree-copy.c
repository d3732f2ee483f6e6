/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/partition/cli/tree-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"

struct copying {
    const char *to;
    size_t skip;               /* length of the source's path */
    struct stat without;
    bool has_without;
    char path[PATH_MAX];       /* of the copy */
    struct wpp_error *error;
};

static bool failed(const struct copying *c, const char *what)
{
    return wpp_fail_errno(c->error, "cannot %s %s", what, c->path);
}

static bool copy_bytes(int in, int out)
{
    char buffer[1 << 16];
    ssize_t n;

    while ((n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0)) > 0)
        ;
    while ((n = read(in, buffer, sizeof buffer)) > 0)
        for (ssize_t done = 0, some; done < n; done += some)
            if ((some = write(out, buffer + done, (size_t)(n - done))) < 0)
                return false;
    return n == 0;
}

static bool set_times(const char *path, const struct stat *s)
{
    struct timespec times[2] = {s->st_atim, s->st_mtim};

    return utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool copy_file(struct copying *c, const FTSENT *entry)
{
    const struct stat *s = entry->fts_statp;
    int in = open(entry->fts_path, O_RDONLY | O_CLOEXEC), out;
    bool ok;

    if (in < 0)
        return wpp_fail_errno(c->error, "cannot read %s", entry->fts_path);
    out = open(c->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ok = out >= 0 && copy_bytes(in, out) && fchmod(out, s->st_mode & 07777) == 0;
    ok &= out >= 0 && close(out) == 0;
    close(in);
    return (ok && set_times(c->path, s)) || failed(c, "write");
}

static bool copy_link(struct copying *c, const FTSENT *entry)
{
    char target[PATH_MAX];
    ssize_t n = readlink(entry->fts_path, target, sizeof target - 1);

    if (n < 0)
        return wpp_fail_errno(c->error, "cannot read %s", entry->fts_path);
    target[n] = '\0';
    return (symlink(target, c->path) == 0 && set_times(c->path, entry->fts_statp))
        || failed(c, "make");
}

/* A folder can be written until its files are there. */
static bool copy_entry(struct copying *c, const FTSENT *entry)
{
    const struct stat *s = entry->fts_statp;

    switch (entry->fts_info) {
    case FTS_D:
        return mkdir(c->path, 0700) == 0 || failed(c, "make");
    case FTS_DP:
        return (chmod(c->path, s->st_mode & 07777) == 0 && set_times(c->path, s))
            || failed(c, "change");
    case FTS_F:
        return copy_file(c, entry);
    case FTS_SL:
    case FTS_SLNONE:
        return copy_link(c, entry);
    case FTS_DEFAULT:
        return true;
    }
    return wpp_fail(c->error, WPP_E_SYSTEM, "cannot read %s: %s", entry->fts_path,
                    strerror(entry->fts_errno));
}

static bool is_left_out(const struct copying *c, const FTSENT *entry)
{
    return c->has_without && entry->fts_info == FTS_D
        && entry->fts_statp->st_dev == c->without.st_dev
        && entry->fts_statp->st_ino == c->without.st_ino;
}

static bool copy_walked(struct copying *c, FTS *walk)
{
    FTSENT *entry;

    while ((entry = fts_read(walk))) {
        if (is_left_out(c, entry)) {
            fts_set(walk, entry, FTS_SKIP);
            fts_read(walk);              /* its FTS_DP */
            continue;
        }
        if (snprintf(c->path, sizeof c->path, "%s%s", c->to, entry->fts_path + c->skip)
            >= (int)sizeof c->path)
            return wpp_fail(c->error, WPP_E_ARGUMENT, "the name of the copy of %s is too long",
                            entry->fts_path);
        if (!copy_entry(c, entry))
            return false;
    }
    return errno == 0 || wpp_fail_errno(c->error, "cannot read the folder");
}

bool tree_copy(const char *from, const char *to, const char *without, struct wpp_error *error)
{
    struct copying c = {.to = to, .skip = strlen(from), .error = error};
    char *const roots[] = {(char *)from, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool ok;

    if (!walk)
        return wpp_fail_errno(error, "cannot read %s", from);
    c.has_without = without && stat(without, &c.without) == 0;
    ok = copy_walked(&c, walk);
    fts_close(walk);
    return ok;
}

static bool remove_entry(const FTSENT *entry, struct wpp_error *error)
{
    if (entry->fts_info == FTS_D) {
        /* A folder that may not be written keeps its files. */
        if (!(entry->fts_statp->st_mode & S_IWUSR))
            chmod(entry->fts_path, 0700);
        return true;
    }
    return remove(entry->fts_path) == 0
        || wpp_fail_errno(error, "cannot remove %s", entry->fts_path);
}

bool tree_remove(const char *folder, struct wpp_error *error)
{
    char *const roots[] = {(char *)folder, NULL};
    struct stat s;
    FTSENT *entry;
    FTS *walk;
    bool ok = true;

    if (lstat(folder, &s) != 0)
        return errno == ENOENT || wpp_fail_errno(error, "cannot remove %s", folder);
    walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        return wpp_fail_errno(error, "cannot remove %s", folder);
    while (ok && (entry = fts_read(walk)))
        ok = remove_entry(entry, error);
    fts_close(walk);
    return ok;
}
