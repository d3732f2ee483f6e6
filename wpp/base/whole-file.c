/* SPDX-License-Identifier: MIT */
#include "wpp/base/whole-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"

struct wpp_output {
    int fd;
    unsigned flags;
    bool in_place;
    bool named;           /* `temporary` exists; else the file has no name yet */
    pid_t opener;
    char *path;           /* behind symbolic links */
    char *temporary;      /* the temporary name, used at commit if not before */
};

int wpp_output_fd(const struct wpp_output *out)
{
    return out->fd;
}

bool wpp_output_in_place(const struct wpp_output *out)
{
    return out->in_place;
}

/* ---- Opening ------------------------------------------------------------- */

/* The descriptor that `path` names by number, or -1.  Such a path is not opened by name: that
 * would start again at the file's beginning. */
static int descriptor_of(const char *path)
{
    int fd, used = 0;

    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    if ((sscanf(path, "/dev/fd/%d%n", &fd, &used) == 1 ||
         sscanf(path, "/proc/self/fd/%d%n", &fd, &used) == 1) && path[used] == '\0' && fd >= 0)
        return fd;
    return -1;
}

/* The output's name in messages. */
static const char *name_of(const struct wpp_output *out)
{
    return strcmp(out->path, "-") == 0 ? "standard output" : out->path;
}

bool wpp_output_is_standard(const char *path)
{
    return descriptor_of(path) == STDOUT_FILENO;
}

static bool find_file(const char *path, struct stat *st)
{
    int fd = descriptor_of(path);

    return fd >= 0 ? fstat(fd, st) == 0 : stat(path, st) == 0;
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool wpp_output_is_input(const char *path, const char *input)
{
    struct stat to, from;

    if (!find_file(path, &to) ||
        (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &from) : stat(input, &from)) != 0)
        return false;
    return S_ISREG(to.st_mode) && is_one_file(&to, &from);
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_same_folder(const char *a, const char *b)
{
    char *folder[2] = {wpp_output_folder(a, false), wpp_output_folder(b, false)};
    struct stat st[2];
    bool same = folder[0] && folder[1] && stat(folder[0], &st[0]) == 0 &&
                stat(folder[1], &st[1]) == 0 && is_one_file(&st[0], &st[1]);

    free(folder[0]);
    free(folder[1]);
    return same;
}

/* False for a device like /dev/null: it accepts several outputs. */
bool wpp_output_is_same(const char *a, const char *b)
{
    struct stat st[2];
    bool there[2] = {find_file(a, &st[0]), find_file(b, &st[1])};

    if (descriptor_of(a) >= 0 && descriptor_of(a) == descriptor_of(b))
        return true;
    if (there[0] && there[1])
        return !S_ISCHR(st[0].st_mode) && is_one_file(&st[0], &st[1]);
    return !there[0] && !there[1] && strcmp(last_name(a), last_name(b)) == 0 &&
           is_same_folder(a, b);
}

static bool open_in_place(struct wpp_output *out, int fd, struct wpp_error *error)
{
    out->in_place = true;
    out->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open(out->path, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0)
        return wpp_fail_errno(error, "cannot write %s", name_of(out));
    return true;
}

/* `DIR/.NAME.PID.N.tmp`. */
static bool name_temporary(struct wpp_output *out, unsigned n)
{
    int directory = (int)(last_name(out->path) - out->path);

    free(out->temporary);
    if (asprintf(&out->temporary, "%.*s.%.200s.%ld.%u.tmp", directory, out->path,
                 out->path + directory, (long)out->opener, n) < 0)
        out->temporary = NULL;
    return out->temporary != NULL;
}

char *wpp_output_folder(const char *path, bool in_place)
{
    const char *slash = strrchr(path, '/'), *temporary = getenv("TMPDIR");

    if (in_place)
        return strdup(temporary && *temporary ? temporary : "/tmp");
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* A file without a name vanishes by itself however the process ends; some file systems do not
 * support that. */
static int open_unnamed(const struct wpp_output *out)
{
    char *directory = wpp_output_folder(out->path, false);
    int fd = -1;

    if (directory && access("/proc/self/fd", X_OK) == 0)
        fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    free(directory);
    return fd;
}

static bool open_temporary(struct wpp_output *out, struct wpp_error *error)
{
    out->fd = open_unnamed(out);
    for (unsigned n = 0; out->fd < 0 && n < 100; n++) {
        if (!name_temporary(out, n))
            return wpp_fail_memory(error);
        out->fd = open(out->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        out->named = out->fd >= 0;
        if (out->fd < 0 && errno != EEXIST)
            break;
    }
    if (out->fd < 0)
        return wpp_fail_errno(error, "cannot create %s", out->path);
    return true;
}

static bool refuse_existing(const char *path, struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_ARGUMENT, "%s exists; -f overwrites it", path);
}

/* Reports the error now, before there is anything to lose. */
static bool can_keep_old(const struct wpp_output *out, struct wpp_error *error)
{
    struct stat st;
    char *old;
    bool can;

    if (asprintf(&old, "%s.old", out->path) < 0)
        return wpp_fail_memory(error);
    can = lstat(old, &st) != 0 || S_ISREG(st.st_mode)
          || wpp_fail(error, WPP_E_ARGUMENT, "%s cannot be kept as %s: that is no file", out->path,
                      old);
    free(old);
    return can;
}

static bool open_output(struct wpp_output *out, struct wpp_error *error)
{
    struct stat st;
    char *real;
    int fd = descriptor_of(out->path);

    if (fd >= 0)
        return open_in_place(out, fd, error);
    if (stat(out->path, &st) != 0)
        return open_temporary(out, error);
    if (S_ISDIR(st.st_mode))
        return wpp_fail(error, WPP_E_ARGUMENT, "cannot write %s: it is a directory", out->path);
    if (!S_ISREG(st.st_mode))
        return open_in_place(out, -1, error);
    if (!(out->flags & WPP_OUTPUT_REPLACE))
        return refuse_existing(out->path, error);
    real = realpath(out->path, NULL);
    if (real) {
        free(out->path);
        out->path = real;
    }
    if ((out->flags & WPP_OUTPUT_KEEP_OLD) && !can_keep_old(out, error))
        return false;
    return open_temporary(out, error);
}

struct wpp_output *wpp_output_open(const char *path, unsigned flags, struct wpp_error *error)
{
    struct wpp_output *out;

    if (!*path) {
        wpp_fail(error, WPP_E_ARGUMENT, "the output's name is empty");
        return NULL;
    }
    out = calloc(1, sizeof *out);
    if (!out || !(out->path = strdup(path))) {
        free(out);
        wpp_fail_memory(error);
        return NULL;
    }
    out->fd = -1;
    out->flags = flags;
    out->opener = getpid();
    if (!open_output(out, error)) {
        wpp_output_abandon(out);
        return NULL;
    }
    return out;
}

/* ---- Writing --------------------------------------------------------------- */

bool wpp_output_write(struct wpp_output *out, const void *data, size_t size,
                      struct wpp_error *error)
{
    const char *p = data;

    while (size > 0) {
        ssize_t n = write(out->fd, p, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wpp_fail_errno(error, "cannot write %s", name_of(out));
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- Ending ------------------------------------------------------------------ */

static void free_output(struct wpp_output *out)
{
    free(out->temporary);
    free(out->path);
    free(out);
}

void wpp_output_abandon(struct wpp_output *out)
{
    if (!out)
        return;
    if (out->fd >= 0)
        close(out->fd);
    if (out->named)
        unlink(out->temporary);
    free_output(out);
}

/* ---- In a fork ---------------------------------------------------------------- */

static bool is_ours(const struct wpp_output *out, const char *path)
{
    struct stat ours, there;

    return fstat(out->fd, &ours) == 0 && lstat(path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool wpp_output_is_done(const struct wpp_output *out)
{
    return !out->in_place && is_ours(out, out->path);
}

/* Removes the temporary name, which the other process may have given the file after the fork. */
static void remove_temporary(struct wpp_output *out)
{
    for (unsigned n = 0; n < 100 && name_temporary(out, n); n++)
        if (is_ours(out, out->temporary)) {
            unlink(out->temporary);
            break;
        }
}

/* Opens a new file: the old descriptor shares its position with the other process. */
bool wpp_output_begin_again(struct wpp_output *out, struct wpp_error *error)
{
    if (out->in_place)
        return wpp_fail(error, WPP_E_SYSTEM, "%s ends within what has been written to it",
                        out->path);
    remove_temporary(out);
    close(out->fd);
    out->named = false;
    out->fd = -1;
    out->opener = getpid();
    return open_temporary(out, error);
}

/* ---- Names -------------------------------------------------------------------- */

/* Gives an unnamed file its temporary name.  `soon` may be NULL. */
static bool give_name(struct wpp_output *out, wpp_output_soon *soon, void *ctx)
{
    char self[64];

    snprintf(self, sizeof self, "/proc/self/fd/%d", out->fd);
    for (unsigned n = 0; !out->named && n < 100; n++) {
        if (!name_temporary(out, n))
            return false;
        if (soon)
            soon(ctx, out->temporary);
        out->named = linkat(AT_FDCWD, self, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (!out->named && errno != EEXIST)
            return false;
    }
    return out->named;
}

static bool keep_old(const struct wpp_output *out)
{
    char *old;
    bool done;

    if (asprintf(&old, "%s.old", out->path) < 0)
        return false;
    done = rename(out->path, old) == 0 || errno == ENOENT;
    free(old);
    return done;
}

/* Moves the temporary file to its final name.  A file that has appeared there since
 * wpp_output_open() is overwritten only with WPP_OUTPUT_REPLACE. */
static bool move_into_place(struct wpp_output *out)
{
    struct stat st;

    if (lstat(out->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
        errno = EEXIST;
        return false;
    }
    if (out->flags & WPP_OUTPUT_REPLACE) {
        if ((out->flags & WPP_OUTPUT_KEEP_OLD) && !keep_old(out))
            return false;
        return rename(out->temporary, out->path) == 0;
    }
    if (renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    /* The file system has no rename without replacing: test and rename in two steps. */
    if (access(out->path, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(out->temporary, out->path) == 0;
}

const char *wpp_output_settle(struct wpp_output *out, wpp_output_soon *soon, void *ctx,
                              struct wpp_error *error)
{
    if (!out->in_place && fsync(out->fd) == 0 && give_name(out, soon, ctx))
        return out->temporary;
    wpp_fail_errno(error, "cannot write %s", name_of(out));
    return NULL;
}

bool wpp_output_commit(struct wpp_output *out, struct wpp_error *error)
{
    bool done;

    if (!out->in_place && (!give_name(out, NULL, NULL) || !move_into_place(out))) {
        if (errno == EEXIST)
            refuse_existing(out->path, error);
        else
            wpp_fail_errno(error, "cannot create %s", out->path);
        wpp_output_abandon(out);
        return false;
    }
    done = close(out->fd) == 0;
    if (!done)
        wpp_fail_errno(error, "cannot write %s", name_of(out));
    /* The file has its final name already, and some file systems report a full disk only at
     * close(). */
    if (!done && !out->in_place)
        unlink(out->path);
    free_output(out);
    return done;
}
